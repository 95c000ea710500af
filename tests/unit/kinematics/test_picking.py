"""Picking against brute force over all triangles, rays, and the room a pose takes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.kinematics import closest_point_on_ray, forward_kinematics
from core.kinematics.extent import Span, pose_extent
from core.kinematics.picking import Picker
from core.skeleton import Joint, Skeleton
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import skinned_vertices
from tests.support.figures import box_mesh, hinge, with_box
from tests.support.tubes import LENGTH, RADIUS, tube


def boxes(scaled: bool = False) -> Skeleton:
    """Four boxes along a bent chain, and one joint without a body."""
    joints = [Joint("root", -1, dofs=(hinge("y"),), scale=np.array([1.0, 2.0, 0.5]) if scaled else np.ones(3))]
    for i in range(4):
        mesh = box_mesh((-0.1, 0.0, -0.15), (0.1, 0.45 + 0.05 * i, 0.1))
        joints.append(with_box(f"b{i}", i, (0.0, 0.5 if i else 0.1, 0.0), mesh, (hinge("zxy"[i % 3]),)))
    return Skeleton("boxes", joints)


def world_triangles(skeleton: Skeleton, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All corners, shape (m, 3, 3), world, and the joint each triangle belongs to."""
    corners, owner = [], []
    for i in range(len(poses)):
        mesh = segment_mesh(skeleton, i)
        if mesh is not None:
            corners.append(skinned_vertices(skeleton, i, poses)[mesh.triangles])
            owner += [i] * len(mesh.triangles)
    return np.vstack(corners), np.array(owner)


def brute_force(corners: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Distance to each triangle, inf where missed: ``o + t d = a + u (b - a) + v (c - a)`` solved for (t, u, v)."""
    unit = direction / np.linalg.norm(direction)
    a, b, c = np.moveaxis(corners, 1, 0)
    columns = np.stack([np.broadcast_to(-unit, a.shape), b - a, c - a], axis=-1)
    t, u, v = np.linalg.solve(columns, (origin - a)[..., None])[..., 0].T
    return np.where((t >= 0) & (u >= 0) & (v >= 0) & (u + v <= 1), t, np.inf)


def bent(scaled: bool = False) -> Skeleton:
    """The tube, which bends, with a rigid box on its end."""
    joints = tube(sides=8, rings=5, scale=(1.2, 0.8, 0.6) if scaled else (1.0, 1.0, 1.0)).joints
    box = with_box("box", 2, (0.0, 0.5, 0.0), box_mesh((-0.1, 0.0, -0.1), (0.1, 0.2, 0.1)), (hinge("y"),))
    return Skeleton("bent", [*joints, box])


@pytest.mark.parametrize("make", [boxes, bent])
@pytest.mark.parametrize("scaled", [False, True])
def test_hits_what_brute_force_hits(scaled: bool, make: Callable[[bool], Skeleton]) -> None:
    skeleton = make(scaled)
    rng = np.random.default_rng(5)
    picker = Picker(skeleton)
    hits = 0
    for _ in range(12):
        poses = forward_kinematics(skeleton, rng.uniform(-1, 1, skeleton.nq))
        corners, owner = world_triangles(skeleton, poses)
        for _ in range(10):
            origin = corners.mean(axis=(0, 1)) + 4.0 * rng.normal(size=3)
            aim = corners[rng.integers(len(corners)), 0] + rng.normal(0, 0.2, 3)
            direction = (aim - origin) * rng.uniform(0.1, 10.0)
            distances = brute_force(corners, origin, direction)
            hit = picker.pick(poses, origin, direction)
            if not np.isfinite(distances).any():
                assert hit is None
                continue
            assert hit is not None
            assert hit.distance == pytest.approx(distances.min(), abs=1e-9)
            unit = direction / np.linalg.norm(direction)
            assert hit.point == pytest.approx(origin + distances.min() * unit, abs=1e-9)
            assert hit.joint in owner[distances < distances.min() + 1e-9]
            hits += 1
    assert hits > 25


def test_nothing_behind_the_eye_and_nothing_beside() -> None:
    skeleton = boxes()
    poses = forward_kinematics(skeleton, np.zeros(skeleton.nq))
    picker = Picker(skeleton)
    assert picker.pick(poses, (0.0, 0.3, 5.0), (0.0, 0.0, 1.0)) is None
    assert picker.pick(poses, (3.0, 0.3, 5.0), (0.0, 0.0, -1.0)) is None
    front = picker.pick(poses, (0.0, 0.3, 5.0), (0.0, 0.0, -1.0))
    assert front is not None and skeleton.joints[front.joint].name == "b0"
    assert front.distance == pytest.approx(4.9)


def test_a_figure_without_bodies_is_never_hit() -> None:
    skeleton = Skeleton("bare", [Joint("a", -1)])
    assert Picker(skeleton).pick(forward_kinematics(skeleton, np.zeros(3)), (0, 0, 1), (0, 0, -1)) is None


def test_closest_point_on_ray() -> None:
    assert closest_point_on_ray((0, 0, 5), (0, 0, -2), (1, 2, 3)) == pytest.approx([0, 0, 3])
    assert closest_point_on_ray((0, 0, 5), (0, 0, -2), (1, 2, 9)) == pytest.approx([0, 0, 5])


def test_a_click_hits_the_bent_elbow_and_not_where_it_was_straight() -> None:
    skeleton = tube(sides=24)
    q = np.zeros(skeleton.nq)
    q[5] = 2.0  # the middle folds to the side
    poses = forward_kinematics(skeleton, q)
    picker = Picker(skeleton)
    assert picker.pick(poses, (0.0, 2.5 * LENGTH, 5.0), (0.0, 0.0, -1.0)) is None
    # Outside of the bend the skin lies inside of where the two rigid tubes would reach.
    ring = skinned_vertices(skeleton, 1, poses)[:24]
    outer = ring[np.argmax(ring @ [np.cos(1.0), np.sin(1.0), 0.0])]
    inwards = poses[1, :3, 3] - outer
    beside = np.array([-np.sin(1.0), np.cos(1.0), 0.0]) * 1e-3  # not along the edges of the ring
    for step, joint in ((0.1, {0, 1}), (-0.1, None)):
        hit = picker.pick(poses, (*(outer + step * inwards + beside)[:2], 5.0), (0.0, 0.0, -1.0))
        assert (hit is None) if joint is None else (hit is not None and hit.joint in joint)
    assert np.linalg.norm(inwards) < 1.01 * RADIUS


@pytest.mark.parametrize("make", [boxes, bent])
@pytest.mark.parametrize("scaled", [False, True])
def test_extent_holds_all_vertices_and_no_more(scaled: bool, make: Callable[[bool], Skeleton]) -> None:
    skeleton = make(scaled)
    rng = np.random.default_rng(6)
    q = rng.uniform(-1, 1, (3, skeleton.nq))
    poses = forward_kinematics(skeleton, q)
    low, high = pose_extent(skeleton, poses)
    vertices = np.vstack([world_triangles(skeleton, X)[0].reshape(-1, 3) for X in poses] + [X[:, :3, 3] for X in poses])
    assert low == pytest.approx(vertices.min(axis=0)) and high == pytest.approx(vertices.max(axis=0))
    one_low, one_high = pose_extent(skeleton, poses[0], joints=[2])
    assert (one_low >= low - 1e-12).all() and (one_high <= high + 1e-12).all()


@pytest.mark.parametrize("make", [boxes, bent])
@pytest.mark.parametrize("scaled", [False, True])
def test_a_span_holds_the_figure_and_not_much_more(scaled: bool, make: Callable[[bool], Skeleton]) -> None:
    skeleton = make(scaled)
    span = Span(skeleton)
    rng = np.random.default_rng(7)
    for _ in range(5):
        poses = forward_kinematics(skeleton, rng.uniform(-1, 1, skeleton.nq))
        low, high = pose_extent(skeleton, poses)
        points = span.place(poses)
        assert (points.min(axis=0) < low + 0.012).all() and (points.max(axis=0) > high - 0.012).all()
        assert (points.min(axis=0) > low - 0.02).all() and (points.max(axis=0) < high + 0.02).all()
        low, high = pose_extent(skeleton, poses, joints=[2])
        some = span.place(poses, [2])
        assert (some.min(axis=0) < low + 0.012).all() and (some.max(axis=0) < high + 0.02).all()
        assert len(span.place(poses, [])) == len(points)


@pytest.mark.parametrize("make", [boxes, bent])
def test_every_part_along_a_ray_is_found_in_order(make: Callable[[bool], Skeleton]) -> None:
    skeleton = make(False)
    rng = np.random.default_rng(6)
    poses = forward_kinematics(skeleton, 0.5 * rng.normal(size=3 + skeleton.n_dofs))
    corners, owner = world_triangles(skeleton, poses)
    picker, most = Picker(skeleton), 0
    for _ in range(200):
        origin = 3.0 * rng.normal(size=3)
        direction = poses[rng.integers(len(poses)), :3, 3] + 0.1 * rng.normal(size=3) - origin
        distances = brute_force(corners, origin, direction)
        wanted = {int(i): distances[owner == i].min() for i in np.unique(owner[np.isfinite(distances)])}
        hits = picker.pick_all(poses, origin, direction)
        assert sorted(hit.joint for hit in hits) == sorted(wanted)
        assert [hit.distance for hit in hits] == sorted(hit.distance for hit in hits)
        for hit in hits:  # boxes that share a face are as far, so that either may come first
            assert hit.distance == pytest.approx(wanted[hit.joint], abs=1e-9)
        most = max(most, len(hits))
    assert most >= 2
