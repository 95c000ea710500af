"""Scaled, re-rooted and mirrored figures: motion and its derivatives agree, whatever the figure and the pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.kinematics import forward_kernel, forward_kinematics, point_jacobian
from core.kinematics.extent import pose_extent
from core.kinematics.picking import Picker
from core.skeleton import Skeleton, SkeletonBuilder, read_scr, write_scr
from core.skeleton.mirroring.mirror import reflect_joint
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import skinned_vertices
from core.skeleton.tree import pack
from core.spatial import so3
from tests.support.bodies import random_body, world
from tests.support.counts import examples
from tests.support.figures import random_figure, random_pose

PROFILE = settings(max_examples=examples(25), deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)
H = 1e-6


def by_matrices(s: Skeleton, q: np.ndarray) -> np.ndarray:
    """World frames by the definition, one matrix after the other: a second formulation."""
    frames = np.zeros((len(s.joints), 4, 4))
    for i, joint in enumerate(s.joints):
        local = np.eye(4)
        local[:3, 3] = joint.offset + (q[:3] if i == 0 else 0.0)
        turn = np.eye(4)
        turn[:3, :3] = joint.rotation
        local = local @ turn
        for k, dof in enumerate(joint.dofs):
            value = q[3 + s.first_dof[i] + k]
            step = np.eye(4)
            if dof.kind == "hinge":
                step[:3, :3] = so3.exp(dof.axis * value)
            else:
                step[:3, 3] = dof.axis * value
            local = local @ step
        local = local @ np.diag([*joint.scale, 1.0])
        frames[i] = local if joint.parent < 0 else frames[joint.parent] @ local
    return frames


def check_motion(s: Skeleton, q: np.ndarray, rng: np.random.Generator) -> None:
    """Forward kinematics against matrices and the plain twin, the point Jacobian against differences."""
    frames = forward_kinematics(s, q)
    size = max(1.0, float(np.abs(frames).max()))
    assert np.abs(frames - by_matrices(s, q)).max() < 1e-12 * size
    plain = np.empty((1, len(s.joints), 4, 4))
    forward_kernel.forward(pack(s), q[None], plain)
    assert np.abs(frames - plain[0]).max() < 1e-12 * size
    bare = Skeleton("bare", [replace(joint, scale=np.ones(3)) for joint in s.joints])
    joint, point = int(rng.integers(len(s.joints))), rng.normal(size=3)
    J = point_jacobian(s, q, joint, point)
    for k in range(s.nq):
        d = np.zeros(s.nq)
        d[k] = H
        ahead, behind = forward_kinematics(s, q + d)[joint], forward_kinematics(s, q - d)[joint]
        assert np.abs(J[:3, k] - ((ahead - behind) @ [*point, 1.0])[:3] / (2 * H)).max() < 1e-7 * size
        R, S = (forward_kinematics(bare, q + sign * d)[joint, :3, :3] for sign in (1.0, -1.0))
        assert np.abs(J[3:, k] - so3.log(R @ S.T) / (2 * H)).max() < 1e-7


@PROFILE
@given(seed=SEEDS, spread=st.sampled_from([1e-6, 0.5, 3.0]))
def test_scaled_figures(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    s = random_figure(seed, joints=8, scaled=True)
    check_motion(s, random_pose(s, rng, spread), rng)


@pytest.mark.verify
@PROFILE
@given(seed=SEEDS, scaled=st.booleans(), root=st.one_of(st.none(), st.integers(0, 5)))
def test_re_rooted_figures(seed: int, scaled: bool, root: int | None) -> None:
    rng = np.random.default_rng(seed)
    s = random_body(seed, joints=8, scaled=scaled, root=root)
    r = s.rerooted(int(rng.integers(1, len(s.joints))))
    q = random_pose(s, rng, 2.0)
    p = r.convert(q)
    before, after = forward_kinematics(s, q), forward_kinematics(r, p)
    size = max(1.0, float(np.abs(before).max())) * 10.0
    for i, name in enumerate(r.joint_names):
        assert np.abs(after[i] @ r.frames[i] - before[s.joint_index(name)]).max() < 1e-12 * size
        old, new = world(s, q, name, before), world(r, p, name, after)
        for what in ("mass", "center", "inertia", "vertices"):
            assert np.abs(old[what] - new[what]).max(initial=0.0) < 1e-12 * size, what
    assert np.abs(forward_kinematics(s, r.revert(p)) - before).max() < 1e-11 * size
    check_motion(r, p, rng)


@pytest.mark.verify
@PROFILE
@given(seed=SEEDS, uneven=st.booleans())
def test_rays_and_extents_of_scaled_and_re_rooted_figures(seed: int, uneven: bool) -> None:
    """What a ray hits and how much room a figure takes, against its triangles in the world, one by one."""
    rng = np.random.default_rng(seed)
    s = random_body(seed, joints=8, scaled=True, root=3)
    if uneven:
        joints = [replace(joint.as_given(), scale=rng.uniform(0.5, 2.0, 3)) for joint in s.joints]
        s = Skeleton("uneven", joints)
    q = random_pose(s, rng, 2.0)
    frames = forward_kinematics(s, q)
    corners = [(i, tri) for i in range(len(s.joints)) for tri in triangles_in_the_world(s, i, frames)]
    points = np.concatenate([frames[:, :3, 3], *(tri for _, tri in corners)]) if corners else frames[:, :3, 3]
    low, high = pose_extent(s, frames)
    assert np.abs(low - points.min(axis=0)).max() < 1e-9 and np.abs(high - points.max(axis=0)).max() < 1e-9
    figures = [(s, frames, s.joint_names)]
    if not uneven:
        r = s.rerooted(int(rng.integers(1, 8)))
        figures.append((r, forward_kinematics(r, r.convert(q)), r.joint_names))
    for _ in range(4):
        if not corners:
            return
        _, aim = corners[int(rng.integers(len(corners)))]
        start = rng.normal(size=3) * 4.0
        ray = aim.T @ rng.dirichlet([3.0, 3.0, 3.0]) - start
        distances = [(along(start, ray, tri), i) for i, tri in corners]
        nearest, joint = min(distances)
        for figure, poses, names in figures:
            hit = Picker(figure).pick(poses, start, ray)
            assert hit is not None and abs(hit.distance - nearest) < 1e-7
            others = {s.joint_names[i] for distance, i in distances if distance < nearest + 1e-6}
            assert names[hit.joint] in others and s.joint_names[joint] in others


def triangles_in_the_world(s: Skeleton, i: int, frames: np.ndarray) -> np.ndarray:
    mesh = segment_mesh(s, i)
    return np.zeros((0, 3, 3)) if mesh is None else skinned_vertices(s, i, frames)[mesh.triangles]


def along(start: np.ndarray, ray: np.ndarray, tri: np.ndarray) -> float:
    """Distance from the start to a triangle along a ray, by a linear solve; inf if it is missed."""
    unit = ray / np.linalg.norm(ray)
    matrix = np.column_stack([tri[0] - tri[2], tri[1] - tri[2], -unit])
    if abs(np.linalg.det(matrix)) < 1e-12:
        return np.inf
    u, v, distance = np.linalg.solve(matrix, start - tri[2])
    inside = min(u, v, 1.0 - u - v) >= -1e-9 and distance >= 0.0
    return float(distance) if inside else np.inf


@PROFILE
@given(seed=SEEDS)
def test_a_point_moves_alike_from_either_root(seed: int) -> None:
    """Velocities of the same motion, given by both figures' Jacobians, agree: a path of poses and its conversion."""
    rng = np.random.default_rng(seed)
    s = random_body(seed, joints=8, root=3)
    r = s.rerooted(int(rng.integers(1, len(s.joints))))
    q, rate = random_pose(s, rng), rng.normal(size=s.nq)
    path = r.convert(np.array([q - H * rate, q, q + H * rate]))
    speed = (path[2] - path[0]) / (2 * H)
    if np.abs(speed).max() > 50.0:
        return  # next to gimbal lock angles race
    name, point = s.joint_names[int(rng.integers(len(s.joints)))], rng.normal(size=3)
    here = r.frames[r.joint_index(name)] @ [*point, 1.0]
    old = point_jacobian(s, q, name, point) @ rate
    new = point_jacobian(r, path[1], name, here[:3]) @ speed
    assert np.abs(old - new).max() < 1e-5 * (1.0 + np.abs(speed).max())


@PROFILE
@given(seed=SEEDS, scaled=st.booleans())
def test_mirrored_figures(seed: int, scaled: bool) -> None:
    """A reflected figure in the same values takes the reflected pose, and its Jacobian is the reflected one."""
    rng = np.random.default_rng(seed)
    s = random_figure(seed, joints=8, scaled=scaled)
    other = Skeleton("other", [reflect_joint(joint, joint.name, joint.parent) for joint in s.joints])
    q = random_pose(s, rng, 2.0)
    p = q.copy()
    p[0] = -p[0]
    M = np.diag([-1.0, 1.0, 1.0, 1.0])
    frames = forward_kinematics(s, q)
    size = max(1.0, float(np.abs(frames).max()))
    assert np.abs(forward_kinematics(other, p) - M @ frames @ M).max() < 1e-12 * size
    check_motion(other, p, rng)
    joint, point = int(rng.integers(8)), rng.normal(size=3)
    J = point_jacobian(s, q, joint, point)
    signs = np.ones(s.nq)
    signs[0] = -1.0
    flip = np.array([-1.0, 1.0, 1.0, 1.0, -1.0, -1.0])
    K = point_jacobian(other, p, joint, point * [-1.0, 1.0, 1.0])
    assert np.abs(K - flip[:, None] * J * signs).max() < 1e-11 * size


@pytest.mark.verify
@PROFILE
@given(seed=SEEDS, scaled=st.booleans())
def test_edits_that_move_nothing(seed: int, scaled: bool) -> None:
    """Moving a joint without what it carries, turning its axes, hanging it elsewhere: the rest figure stays put."""
    rng = np.random.default_rng(seed)
    s = random_body(seed, scaled=scaled)
    builder = SkeletonBuilder(s)
    q = s.rest_pose()
    names = list(s.joint_names)
    for _ in range(3):
        name = names[int(rng.integers(1, len(names)))]
        if rng.random() < 0.6:
            builder.place(name, rng.normal(size=3), carry=False)
        else:
            hung = {name}
            for at in builder.joint_names:
                parent = builder.joint(at).parent
                if parent >= 0 and builder.joint_names[parent] in hung:
                    hung.add(at)
            others = [other for other in names if other not in hung]
            builder.reparent(name, others[int(rng.integers(len(others)))])
    made = builder.build()
    p = builder.pose_map().convert(q)
    before, after = forward_kinematics(s, q), forward_kinematics(made, p)
    for name in names:
        old, new = world(s, q, name, before), world(made, p, name, after)
        joint = s.joints[s.joint_index(name)].as_given()
        assert np.abs(old["tips"] - new["tips"]).max(initial=0.0) < 1e-10
        if joint.objects and not any(part.mesh and part.mesh.weights for part in joint.objects):
            assert np.abs(old["vertices"] - new["vertices"]).max() < 1e-10
            assert np.abs(old["center"] - new["center"]).max() < 1e-9
    check_motion(made, p, rng)


@PROFILE
@given(seed=SEEDS)
def test_every_built_figure_can_be_written_and_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    builder = SkeletonBuilder(random_body(seed))
    for _ in range(4):
        name = builder.joint_names[int(rng.integers(len(builder.joint_names)))]
        match int(rng.integers(5)):
            case 0:
                builder.place(name, rng.normal(size=3), carry=bool(rng.integers(2)))
            case 1:
                builder.orient(name, rng.uniform(-180, 180, 3))
            case 2:
                builder.add(f"new {len(builder.joint_names)}", name, offset=rng.normal(size=3), group="New")
            case 3:
                builder.add_dof(name, "hinge", rng.normal(size=3), -1.0, float(rng.uniform(0, 1)), "Bend")
            case _:
                builder.rename(name, f"{name} again")
    s = builder.build()
    objects = {part.file: part.mesh for joint in s.joints for part in joint.objects if part.mesh is not None}
    text = write_scr(s)
    again = read_scr(text, objects=objects)
    assert write_scr(again) == text
    assert again.joint_names == s.joint_names and again.dof_names == s.dof_names
    if s.layout is not None:  # without one, groups are made from the tree when it is written
        assert again.layout == s.layout
    q = random_pose(s, rng)
    assert np.array_equal(forward_kinematics(again, q), forward_kinematics(s, q))
