"""Weights to bent vertices: against a second formulation, against rigid motion, and both sides of a figure."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from core.kinematics import forward_kinematics
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton, skin
from core.skeleton.extent import figure_height
from core.skeleton.mirroring.mirror import reflect_object, reflect_vector
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import bent_segment, bind_frames, segment_skin, skin_frames, skinned_vertices
from tests.support.figures import box_mesh, hinge, random_figure
from tests.support.tubes import LENGTH, NAMES, RADIUS, arms, tube


def one_by_one(s: Skeleton, joint: int, poses: np.ndarray) -> np.ndarray:
    """The same from the objects' own weights: every vertex is carried by each joint in turn, then averaged."""
    bind = forward_kinematics(s, np.zeros(s.nq))
    placed = []
    for part in s.joints[joint].objects:
        mesh = part.mesh
        assert mesh is not None
        for row, vertex in enumerate(mesh.vertices):
            shares = {s.joint_index(name): float(values[row]) for name, values in mesh.weights}
            shares[joint] = shares.get(joint, 0.0) + 1.0 - sum(shares.values())
            at = bind[joint] @ [*vertex, 1.0]
            moved = [w * (poses[j] @ np.linalg.solve(bind[j], at)) for j, w in shares.items()]
            placed.append(np.sum(moved, axis=0)[:3])
    return np.array(placed)


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.3, 0.8, 0.6)])
@pytest.mark.parametrize("seed", range(4))
def test_bent_vertices_are_weighted_means_of_rigid_ones(seed: int, scale: tuple[float, float, float]) -> None:
    s = tube(sides=5, rings=4, scale=scale)
    rng = np.random.default_rng(seed)
    poses = forward_kinematics(s, rng.normal(size=s.nq))
    for joint in range(3):
        assert skinned_vertices(s, joint, poses) == pytest.approx(one_by_one(s, joint, poses), abs=1e-12)


def test_many_poses_at_once() -> None:
    s = tube()
    poses = forward_kinematics(s, np.random.default_rng(1).normal(size=(5, s.nq)))
    for joint in range(3):
        together = skinned_vertices(s, NAMES[joint], poses)
        assert together.shape == (5, len(segment_mesh(s, joint).vertices), 3)  # type: ignore[union-attr]
        for k in range(5):
            assert together[k] == pytest.approx(skinned_vertices(s, joint, poses[k]), abs=1e-14)


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.3, 0.8, 0.6)])
def test_in_the_bind_pose_nothing_bends(scale: tuple[float, float, float]) -> None:
    s = tube(scale=scale)
    bind = bind_frames(s)
    assert bind == pytest.approx(forward_kinematics(s, np.zeros(s.nq)), abs=1e-15) and not bind.flags.writeable
    assert skin_frames(s, bind) == pytest.approx(np.tile(np.eye(4), (3, 1, 1)), abs=1e-15)
    for joint in range(3):
        mesh = segment_mesh(s, joint)
        assert mesh is not None
        rigid = mesh.vertices @ bind[joint, :3, :3].T + bind[joint, :3, 3]
        assert skinned_vertices(s, joint, bind) == pytest.approx(rigid, abs=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_moving_the_whole_figure_moves_the_skin_with_it(seed: int) -> None:
    s = tube()
    rng = np.random.default_rng(seed)
    poses = forward_kinematics(s, rng.normal(size=s.nq))
    turn = np.eye(4)
    turn[:3, :3], _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn[:3, 3] = rng.normal(size=3)
    for joint in range(3):
        before = skinned_vertices(s, joint, poses)
        assert skinned_vertices(s, joint, turn @ poses) == pytest.approx(
            before @ turn[:3, :3].T + turn[:3, 3], abs=1e-12
        )


def test_shared_rings_stay_together_and_the_far_ends_stay_rigid() -> None:
    sides = 16
    s = tube(sides)
    poses = forward_kinematics(s, [0, 0, 0, 0.2, -0.1, 1.2, 0.3, -0.9, 0.5])
    low, middle, high = (skinned_vertices(s, joint, poses) for joint in range(3))
    assert low[-2 - sides : -2] == pytest.approx(middle[:sides], abs=1e-14)
    assert middle[-2 - sides : -2] == pytest.approx(high[:sides], abs=1e-14)
    mesh = segment_mesh(s, 0)
    assert mesh is not None
    assert low[:sides] == pytest.approx(mesh.vertices[:sides] @ poses[0, :3, :3].T + poses[0, :3, 3], abs=1e-14)
    # Half-way between the two turns, the ring at the joint keeps its middle and shrinks across the bend only.
    ring = middle[:sides]
    assert ring.mean(axis=0) == pytest.approx(poses[1, :3, 3], abs=1e-12)
    assert np.linalg.norm(ring - ring.mean(axis=0), axis=1).max() == pytest.approx(RADIUS, rel=0.02)


def test_rows_of_a_skin() -> None:
    s = tube(sides=4, rings=5)
    made = segment_skin(s, "middle")
    assert made is segment_skin(s, 1) and made is not None
    assert made.joints.shape == made.weights.shape == (22, 4)
    assert (made.joints[:, 0] == 1).all() and made.weights.sum(axis=1) == pytest.approx(np.ones(22), abs=1e-15)
    assert (made.joints[made.weights == 0.0] == 1).all()
    assert made.weights[0].tolist() == [0.5, 0.5, 0.0, 0.0] and made.joints[0, 1] == 0
    assert made.weights[-1].tolist() == [0.5, 0.5, 0.0, 0.0] and made.joints[-1, 1] == 2
    assert not made.weights.flags.writeable


def test_rigid_segments_have_no_skin_and_move_as_they_did() -> None:
    s = arms(weighted=False)
    poses = forward_kinematics(s, np.random.default_rng(2).normal(size=s.nq))
    for joint in range(len(s.joints)):
        assert segment_skin(s, joint) is None and bent_segment(s, joint) is None
        mesh = segment_mesh(s, joint)
        points = skinned_vertices(s, joint, poses)
        assert points.shape == (0 if mesh is None else len(mesh.vertices), 3)
        if mesh is not None:
            assert points == pytest.approx(mesh.vertices @ poses[joint, :3, :3].T + poses[joint, :3, 3], abs=1e-14)
    capsule = Skeleton("capsule", [Joint("a", -1, mass=1.0), Joint("b", 0, offset=[0.0, 1.0, 0.0])])
    assert len(skinned_vertices(capsule, 0, bind_frames(capsule))) == len(segment_mesh(capsule, 0).vertices)  # type: ignore[union-attr]


def test_equal_values_on_both_sides_bend_mirrored() -> None:
    s = arms()
    assert s.joints[3].objects[0].mirrored
    right, left = segment_skin(s, "right arm"), segment_skin(s, "left arm")
    assert right is not None and left is not None
    assert set(right.joints.ravel()) == {0, 1, 2} and set(left.joints.ravel()) == {0, 3, 4}
    assert np.array_equal(right.weights, left.weights)
    q = np.zeros(s.nq)
    q[[4, 5, 6, 7]] = 0.4, 0.9, 0.4, 0.9
    poses = forward_kinematics(s, q)
    bent = skinned_vertices(s, "right arm", poses)
    assert skinned_vertices(s, "left arm", poses) == pytest.approx(reflect_vector(bent), abs=1e-14)
    assert np.abs(bent - skinned_vertices(arms(weighted=False), "right arm", poses)).max() > 0.01


def test_names_that_are_not_there_leave_their_weight_with_the_carrier() -> None:
    mesh = tube().joints[1].objects[0].mesh
    assert mesh is not None
    renamed = tuple(("nobody" if name == "end" else name, values) for name, values in mesh.weights)
    objects = (SegmentObject("m.pol", Mesh(mesh.vertices, mesh.triangles, (), renamed)),)
    s = Skeleton("s", [Joint("root", -1), Joint("middle", 0, dofs=(hinge("z"),), objects=objects), Joint("end", 1)])
    made = segment_skin(s, "middle")
    assert made is not None and set(made.joints.ravel()) == {0, 1}
    alone = Skeleton("t", [Joint("middle", -1, objects=objects)])
    assert segment_skin(alone, 0) is None


def test_objects_of_one_joint_keep_their_rows() -> None:
    """A rigid box, a bent one and the bent one's mirror image: three objects, one segment."""
    box = box_mesh((0.1, 0.0, 0.0), (0.3, 0.2, 0.2))
    bent = Mesh(box.vertices, box.triangles, (), (("left", np.linspace(0.0, 1.0, 8)),))
    parts = (SegmentObject("a.pol", box), SegmentObject("b.pol", bent), reflect_object(SegmentObject("b.pol", bent)))
    joints = [Joint("root", -1, dofs=(hinge("y"),), objects=parts)]
    for side, x in (("left", 0.3), ("right", -0.3)):
        other = "right" if side == "left" else "left"
        joints.append(Joint(side, 0, offset=[x, 0.0, 0.0], dofs=(hinge("x"),), mirror=other))
    s = Skeleton("s", joints)
    made = segment_skin(s, 0)
    assert made is not None and made.joints.shape == (24, 4)
    assert (made.weights[:8, 0] == 1.0).all()
    assert made.joints[8:16, 1].tolist() == [0] + [1] * 7 and made.joints[16:, 1].tolist() == [0] + [2] * 7
    assert made.weights[8:16, 1] == pytest.approx(np.linspace(0.0, 1.0, 8)) == made.weights[16:, 1]


def test_boxes_of_a_bent_segment_hold_it() -> None:
    s = tube(scale=(1.2, 0.9, 0.7))
    rng = np.random.default_rng(3)
    for _ in range(20):
        poses = forward_kinematics(s, rng.normal(size=s.nq))
        for joint in range(3):
            bent = bent_segment(s, joint)
            assert bent is not None
            frames = poses[bent.joints]
            corners = np.einsum("mij,mcj->mci", frames[:, :3, :3], bent.boxes) + frames[:, None, :3, 3]
            points = skinned_vertices(s, joint, poses)
            assert (points >= corners.min(axis=(0, 1)) - 1e-12).all()
            assert (points <= corners.max(axis=(0, 1)) + 1e-12).all()


def test_the_height_is_that_of_what_is_drawn_at_rest() -> None:
    """Limits that leave zero out bend the figure at rest."""
    assert figure_height(tube()) == pytest.approx(3 * LENGTH)
    mesh = [joint.objects for joint in tube().joints]
    joints = [
        Joint(
            name, k - 1, offset=[0.0, LENGTH * (k > 0), 0.0], dofs=(hinge("z", 0.9 * (k == 1), 2.0),), objects=mesh[k]
        )
        for k, name in enumerate(NAMES)
    ]
    s = Skeleton("bent", joints)
    poses = forward_kinematics(s, s.rest_pose())
    points = np.concatenate([skinned_vertices(s, k, poses) for k in range(3)])
    assert figure_height(s) == pytest.approx(np.ptp(points[:, 1]))


def test_bind_frames_of_random_figures_are_those_of_kinematics() -> None:
    for seed in range(8):
        s = random_figure(seed, scaled=True)
        assert bind_frames(s) == pytest.approx(forward_kinematics(s, np.zeros(s.nq)), abs=1e-12)


@pytest.mark.verify
def test_what_is_kept_goes_with_the_figure() -> None:
    gc.collect()
    before = len(skin._skins)
    s = tube()
    segment_skin(s, 0)
    assert len(skin._skins) == before + 1
    del s
    gc.collect()
    assert len(skin._skins) == before
