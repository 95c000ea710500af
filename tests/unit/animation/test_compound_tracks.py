"""Compound joints between keys: arcs, turns, branches, gimbal lock and limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from core.animation import Sequence
from core.animation.curves.compound_joints import CompoundJoints
from core.skeleton import Dof, Joint, Skeleton

X, Y, Z = np.eye(3)
FREE = ((-np.inf, np.inf),) * 3
NARROW = ((-2.9, 1.0), (-0.6, 1.3), (-1.0, 1.0))
SHOULDER = ((-3.0, 1.0), (-1.5, 1.5), (-1.4, 1.4))


def unit(*v):
    return np.array(v) / np.linalg.norm(v)


AXES = {
    "xyz": (X, Y, Z),
    "zxz": (Z, X, Z),
    "mirrored": (-Z, X, -Y),
    "oblique": (X, unit(0.3, 1, 0.2), unit(0.1, 0.5, 1)),
}


def ball(axes=(X, Y, Z), limits=FREE) -> Skeleton:
    dofs = tuple(Dof("hinge", axis, *pair) for axis, pair in zip(axes, limits, strict=True))
    return Skeleton("ball", [Joint("root", -1, mass=1.0), Joint("ball", 0, offset=(0, 1, 0), dofs=dofs, mass=1.0)])


def rotation(axes, angles) -> Rotation:
    """The joint's rotation by scipy, each axis in the frame left by the ones before; angles (..., 3)."""
    turns = [Rotation.from_rotvec(np.asarray(angles)[..., i, None] * axes[i]) for i in range(3)]
    return turns[0] * turns[1] * turns[2]


def keyed(skeleton, angles, frames=None, interp="linear", turns=False) -> Sequence:
    sequence = Sequence(skeleton, fps=10)
    for i, a in enumerate(angles):
        sequence.set_key(i * 10 if frames is None else frames[i], np.r_[0, 0, 0, a], interp, turns=turns)
    return sequence


def angle(a: Rotation, b: Rotation) -> np.ndarray:
    return (a.inv() * b).magnitude()


@pytest.mark.parametrize("name", AXES)
def test_angles_return_for_all_kinds_of_axes(name):
    joints = CompoundJoints(ball(AXES[name]))
    rng = np.random.default_rng(5)
    angles = rng.uniform(-3, 3, (3000, 1, 3))
    q = joints.rotations(angles)
    assert np.abs(joints.angles(q, angles) - angles).max() < 1e-5
    again = joints.angles(q, angles + rng.normal(size=angles.shape))
    assert angle(rotation(AXES[name], again[:, 0]), rotation(AXES[name], angles[:, 0])).max() < 1e-7
    assert np.allclose(np.abs((q[:, 0] * np.roll(rotation(AXES[name], angles[:, 0]).as_quat(), 1, -1)).sum(-1)), 1.0)


@pytest.mark.parametrize("name", ["xyz", "zxz", "mirrored"])
def test_linear_is_scipys_slerp(name):
    rng = np.random.default_rng(6)
    times = np.linspace(0, 1, 21)
    for _ in range(30):
        a, b = rng.uniform(-1.5, 1.5, (2, 3))
        q = keyed(ball(AXES[name]), [a, b]).poses(times)[:, 3:]
        expected = Slerp([0, 1], rotation(AXES[name], np.array([a, b])))(times)
        assert angle(rotation(AXES[name], q), expected).max() < 1e-7


@pytest.mark.parametrize("interp", ["linear", "spline"])
def test_exact_at_keys(interp):
    rng = np.random.default_rng(7)
    angles = rng.uniform(-9, 9, (20, 3))
    sequence = keyed(ball(), angles, interp=interp)
    assert np.array_equal(sequence.poses(np.arange(20.0))[:, 3:], angles)
    before = sequence.poses(np.arange(1, 20) - 1e-7)[:, 3:]
    after = sequence.poses(np.arange(19) + 1e-7)[:, 3:]
    assert angle(rotation((X, Y, Z), before), rotation((X, Y, Z), angles[1:])).max() < 1e-4
    assert angle(rotation((X, Y, Z), after), rotation((X, Y, Z), angles[:-1])).max() < 1e-4


@pytest.mark.verify
def test_the_spline_turns_smoothly_through_uneven_keys():
    rng = np.random.default_rng(8)
    frames = [0, 4, 30, 37, 60]
    e = 1e-5
    for _ in range(20):
        sequence = keyed(ball(), rng.uniform(-0.8, 0.8, (5, 3)), frames, "spline")
        for i in (1, 2, 3):
            around = [rotation((X, Y, Z), sequence.pose_at_frame(frames[i] + d)[3:]) for d in (-e, 0.0, e)]
            left = (around[0].inv() * around[1]).as_rotvec() / e
            right = (around[1].inv() * around[2]).as_rotvec() / e
            assert np.allclose(left, right, atol=1e-4)


def test_smooth_between_an_arc_and_a_turn():
    angles = [[0, 0, 0], [0.3, 0.2, 0.1], [0.4, 5.0, 0.3], [0.5, 5.2, 0.2]]
    sequence = keyed(ball(), angles, interp="spline")
    e = 1e-6
    for frame in (10, 20):
        around = [rotation((X, Y, Z), sequence.pose_at_frame(frame + d)[3:]) for d in (-e, 0.0, e)]
        left = (around[0].inv() * around[1]).as_rotvec() / e
        right = (around[1].inv() * around[2]).as_rotvec() / e
        assert np.allclose(left, right, atol=1e-4)


def test_a_pirouette_turns_all_the_way():
    q = keyed(ball(), [[0, 0, 0], [0, 2 * np.pi, 0]]).poses(np.linspace(0, 1, 101))[:, 4]
    assert np.allclose(q, np.linspace(0, 2 * np.pi, 101), atol=1e-14)


def test_half_a_turn_goes_the_way_the_angle_goes():
    for axis in range(3):
        for sign in (1, -1):
            end = np.zeros(3)
            end[axis] = sign * np.pi
            q = keyed(ball(), [np.zeros(3), end]).pose_at(0.5)[3:]
            assert np.isclose(angle(rotation((X, Y, Z), q), rotation((X, Y, Z), end / 2)), 0.0, atol=1e-7)


def test_the_key_can_ask_for_turns():
    a, b = [0.0, 0.0, 0.0], [1.0, 1.2, -1.0]
    by_arc, by_angle = (keyed(ball(), [a, b], turns=t).pose_at(0.5)[3:] for t in (False, True))
    assert np.allclose(by_angle, np.array(b) / 2, atol=1e-15)
    assert np.abs(by_arc - by_angle).max() > 0.05


def test_oblique_pairs_and_parallel_axes_go_by_angle():
    for axes in ((X, (0.6, 0.8, 0.0)), (X, X, Y)):
        skeleton = ball(axes, FREE[: len(axes)])
        assert len(CompoundJoints(skeleton, pairs=True)) == 0
        end = np.linspace(0.5, 1.0, len(axes))
        assert np.allclose(keyed(skeleton, [0 * end, end]).pose_at(0.5)[3:], end / 2, atol=1e-15)


@pytest.mark.parametrize("tilt", [0.0, 1e-14, 1e-12, 1e-10, 1e-8])
def test_gimbal_lock_is_passed_without_a_jump(tilt):
    # From one side of the lock to the other; the middle angle passes a right angle.
    a, b = np.array([0.2, 1.2, 0.3 + tilt]), np.array([0.2, 1.9, 0.3])
    q = keyed(ball(), [a, b]).poses(np.linspace(0, 1, 2001))[:, 3:]
    assert np.abs(np.diff(q, axis=0)).max() < 0.01
    resting = keyed(ball(), [[0.5, np.pi / 2, 0.1], [0.1, np.pi / 2, 0.5]]).poses(np.linspace(0, 1, 101))[:, 3:]
    assert np.abs(np.diff(resting, axis=0)).max() < 0.01


def test_proper_euler_axes_move_smoothly_from_their_rest():
    q = keyed(ball((Z, X, Z)), [[0, 0, 0], [0.0, 0.7, 0.0], [0.0, 0.0, 0.0]]).poses(np.linspace(0, 2, 2001))[:, 3:]
    assert np.abs(np.diff(q, axis=0)).max() < 0.01


def test_fixed_rotations_between_the_joints_are_folded_in():
    hinges = [Dof("hinge", axis, -np.inf, np.inf) for axis in (X, Z, Y)]
    joints = [
        Joint("root", -1, mass=1.0),
        Joint("a", 0, offset=(0, 1, 0), orientation=(10, 20, 30), dofs=(hinges[0],)),
        Joint("b", 1, orientation=(-40, 15, 60), dofs=(hinges[1],)),
        Joint("fixed", 2, orientation=(5, 0, -25)),
        Joint("c", 3, orientation=(33, -20, 10), dofs=(hinges[2],), mass=1.0),
        Joint("end", 4, offset=(0, 1, 0), mass=1.0),
    ]
    skeleton = Skeleton("folded", joints)
    assert skeleton.compounds == ((0, 1, 2),)

    def world(angles):
        total = Rotation.identity()
        for joint in joints[1:5]:
            total = total * Rotation.from_matrix(joint.rotation)
            if joint.dofs:
                total = total * Rotation.from_rotvec(joint.dofs[0].axis * angles["abc".index(joint.name)])
        return total

    a, b = np.array([0.3, -0.5, 0.2]), np.array([-0.4, 0.9, 0.8])
    sequence = keyed(skeleton, [a, b])
    arc = Slerp([0, 1], Rotation.concatenate([world(a), world(b)]))
    for time in (0.1, 0.5, 0.8):
        assert angle(world(sequence.pose_at(time)[3:]), arc(time)) < 1e-6


@pytest.mark.verify
@pytest.mark.parametrize("interp", ["linear", "spline"])
@pytest.mark.sampled(1)
def test_a_span_blends_by_the_least_amount_that_stays_inside(interp):
    rng = np.random.default_rng(9)
    lo, hi = np.array(NARROW).T
    times = 1.5 - 0.5 * np.cos(np.linspace(0, np.pi, 3001)[1:-1])  # dense toward the keys
    blended = 0
    for _ in range(80):
        keys = lo + (hi - lo) * rng.beta(0.4, 0.4, (4, 3))  # often close to a limit
        if np.abs(np.diff(keys, axis=0)).max() > np.pi:
            continue
        by_arc = keyed(ball(), keys, interp=interp).poses(times)[:, 3:]
        by_angle = keyed(ball(limits=NARROW), keys, interp=interp, turns=True).poses(times)[:, 3:]
        inside = keyed(ball(limits=NARROW), keys, interp=interp).poses(times)[:, 3:]
        assert np.all(inside >= lo) and np.all(inside <= hi)
        if np.abs(np.diff(by_arc, axis=0)).max() > 0.5:
            continue
        over = np.maximum(np.maximum(by_arc - hi, lo - by_arc), 0.0)
        least = (over / np.maximum(np.abs(by_arc - by_angle), 1e-12)).max()
        assert np.allclose(inside, by_arc + least * (by_angle - by_arc), atol=2e-5)
        blended += 0.0 < least < 1.0
    assert blended >= 5, "enough spans must leave the limits, else this test shows nothing"


def test_the_answer_does_not_depend_on_the_order_of_questions():
    rng = np.random.default_rng(10)
    angles = rng.uniform(*np.array(SHOULDER).T, (12, 3))
    times = rng.uniform(0, 11, 300)
    whole = keyed(ball(limits=SHOULDER), angles, interp="spline").poses(times)
    one_by_one = keyed(ball(limits=SHOULDER), angles, interp="spline")
    assert np.array_equal(whole, [one_by_one.pose_at(time) for time in times[::-1]][::-1])
