"""Turning a part with its place kept: where it ends up, how evenly it gets there, and where it stops."""

from __future__ import annotations

import numpy as np
import pytest

from core.formats import load
from core.ik import SOLVERS
from core.kinematics import forward_kinematics
from core.posing.turn_in_place import DRIFTING, LAGGING, QUICKEST, STRIDE, FreeTurn, PartTurn, TurnPath, orientation
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.spatial import so3


@pytest.fixture(scope="module")
def human(skeletons_folder):
    """The figure half-way through a step of the walk."""
    sequence = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]
    return sequence.skeleton, np.asarray(sequence.pose_at(12 / sequence.fps))


def turn_of(human, name: str, mode: str = "limb", solver: str = "damped_least_squares", **options) -> PartTurn:
    skeleton, q = human
    joint = skeleton.joint_index(name)
    return PartTurn(skeleton, q, joint, mode, (), solver, **options)


def place_of(turn: PartTurn, q: np.ndarray) -> np.ndarray:
    X = forward_kinematics(turn.skeleton, q)[turn.joint]
    return X[:3, :3] @ turn.point + X[:3, 3]


def inside(skeleton: Skeleton, q: np.ndarray) -> bool:
    return bool((q[3:] >= skeleton.limits[:, 0]).all() and (q[3:] <= skeleton.limits[:, 1]).all())


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
@pytest.mark.parametrize("angle", [40.0, -40.0])
def test_a_hand_turns_and_keeps_its_place(human, solver, angle):
    turn = turn_of(human, "right hand", solver=solver)
    turned = TurnPath(turn, turn.rotation[:, 1]).at(np.radians(angle))
    wanted = so3.axis_rotation(turn.rotation[:, 1], np.radians(angle)) @ turn.rotation
    assert np.degrees(so3.angle_between(orientation(turn.skeleton, turned.q, turn.joint), wanted)) < 0.1
    assert np.linalg.norm(place_of(turn, turned.q) - place_of(turn, turn.start)) < 1e-3
    assert turned.drift < 1e-3 and np.degrees(turned.behind) < 0.1
    still = np.setdiff1d(np.arange(turn.skeleton.nq), turn.chain.dofs)
    assert np.array_equal(turned.q[still], turn.start[still]) and inside(turn.skeleton, turned.q)


def test_the_pose_depends_on_the_angle_alone(human):
    turn = turn_of(human, "right hand")
    axis = turn.rotation[:, 2]
    wandering = TurnPath(turn, axis)
    for angle in (5.0, 33.3, -20.0, 70.0, 12.0, 33.3):
        assert np.array_equal(wandering.at(np.radians(angle)).q, TurnPath(turn, axis).at(np.radians(angle)).q)
    assert wandering.at(0.0).q.tobytes() == turn.start.tobytes()


@pytest.mark.parametrize(("name", "axis"), [("right hand", 0), ("right forearm", 0), ("head", 0), ("chest", 2)])
def test_a_slow_turn_has_no_jumps_on_either_side_of_what_can_be_reached(human, name, axis):
    turn = turn_of(human, name)
    for sign in (1.0, -1.0):
        path, before, strained = TurnPath(turn, turn.rotation[:, axis]), turn.start, False
        for k in range(1, 90):
            turned = path.at(sign * np.radians(k))
            strained = strained or turned.behind > np.radians(1.0)
            assert np.degrees(np.abs(turned.q - before)[3:].max()) < QUICKEST + 2.0
            assert inside(turn.skeleton, turned.q)
            before = turned.q
        assert strained


def test_between_two_strides_a_turn_is_as_exact_as_at_them(human):
    turn = turn_of(human, "right hand")
    path = TurnPath(turn, turn.rotation[:, 1])
    for share in np.linspace(0.0, 1.0, 9):
        turned = path.at(15.0 * STRIDE + share * STRIDE)
        assert turned.drift < 2e-4 and np.degrees(turned.behind) < 0.02


def test_past_what_it_can_do_a_part_stays_and_says_how_far_it_is_behind(human):
    turn = turn_of(human, "right hand")
    path = TurnPath(turn, turn.rotation[:, 0])
    ends = [path.at(np.radians(angle)) for angle in (150.0, 300.0, 1000.0)]
    assert ends[0].q.tobytes() == ends[1].q.tobytes() == ends[2].q.tobytes()
    assert np.degrees(ends[2].behind - ends[1].behind) == pytest.approx(700.0)
    assert ends[0].behind > LAGGING or ends[0].drift > DRIFTING * turn.reach
    stops = turn.stops(ends[0], path.rotation(np.radians(150.0)))
    assert stops
    for dof in stops:
        assert np.min(np.abs(ends[0].q[3 + dof] - turn.skeleton.limits[dof])) < np.radians(15.0)
    assert path.at(np.radians(20.0)).q.tobytes() == TurnPath(turn, turn.rotation[:, 0]).at(np.radians(20.0)).q.tobytes()


def test_all_that_is_at_its_limit_is_reported_and_nothing_else(human):
    skeleton = human[0]
    turn = turn_of((skeleton, skeleton.rest_pose()), "right forearm")
    path, goal = TurnPath(turn, np.array([1.0, 0.0, 0.0])), np.radians(60.0)
    turned = path.at(goal)
    labels = [turn.skeleton.dof_labels[dof] for dof in turn.stops(turned, path.rotation(goal))]
    assert labels[0] == "Collar forward" and {"Elbow flex", "Forearm turn"} < set(labels)
    for dof in turn.stops(turned, path.rotation(goal)):
        lo, hi = turn.skeleton.limits[dof]
        assert min(turned.q[3 + dof] - lo, hi - turned.q[3 + dof]) < 1e-3 * (hi - lo)


def test_one_joint_alone_turns_about_itself(human):
    skeleton, q = human
    turn = turn_of(human, "head", "part")
    assert not turn.keeps_place
    origin = forward_kinematics(skeleton, q)[turn.joint, :3, 3]
    assert np.allclose(turn.center, origin)
    turned = TurnPath(turn, np.array([0.0, 1.0, 0.0])).at(np.radians(20.0))
    assert np.degrees(turned.behind) < 0.1
    assert np.allclose(forward_kinematics(skeleton, turned.q)[turn.joint, :3, 3], origin, atol=1e-12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.0, 0.8)])
def test_the_root_turns_the_whole_figure_about_its_middle(human, axis):
    skeleton, q = human
    turn = turn_of(human, "pelvis")
    assert turn.whole and turn.keeps_place
    path = TurnPath(turn, np.array(axis))
    for angle in (-200.0, 33.0, 90.0, 179.0, 181.0, 725.0):
        turned = path.at(np.radians(angle))
        wanted = so3.axis_rotation(axis, np.radians(angle)) @ turn.rotation
        assert np.allclose(orientation(skeleton, turned.q, 0), wanted, atol=1e-9)
        assert np.allclose(place_of(turn, turned.q), turn.center, atol=1e-12)
        assert np.array_equal(turned.q[6:], q[6:])
    if axis == (0.0, 1.0, 0.0):  # whole turns are counted by the joint that can count them
        assert path.at(np.radians(725.0)).q[3] - q[3] == pytest.approx(np.radians(725.0), abs=0.3)


def test_a_root_that_turns_one_way_only_keeps_its_foot(skeletons_folder):
    skeleton = load_skeleton(skeletons_folder / "arm7.scr")
    turning = next(i for i, joint in enumerate(skeleton.joints) if joint.dofs)
    turn = PartTurn(skeleton, skeleton.rest_pose(), turning, "part", solver="damped_least_squares")
    dof = skeleton.all_dofs[skeleton.first_dof[turning]]
    turned = TurnPath(turn, turn.rotation @ dof.axis).at(np.radians(20.0))
    assert np.array_equal(turned.q[:3], turn.start[:3])
    assert np.degrees(turned.behind) < 0.1
    across = np.cross(turn.rotation @ dof.axis, [0.36, 0.48, 0.8])
    missed = TurnPath(turn, across / np.linalg.norm(across)).at(np.radians(20.0))
    assert np.degrees(missed.behind) > 10.0


def test_below_a_scaled_joint_the_orientation_is_without_the_scale():
    ball = tuple(Dof("hinge", np.eye(3)[k], -2.0, 2.0) for k in range(3))
    joints = [
        Joint("a", -1, dofs=ball, scale=np.array([2.0, 1.0, 0.5]), mass=1.0),
        Joint("b", 0, offset=np.array([0.0, 0.4, 0.0]), dofs=ball, mass=1.0),
        Joint("c", 1, offset=np.array([0.0, 0.4, 0.0]), dofs=ball, mass=1.0),
    ]
    skeleton = Skeleton("scaled", joints)
    q = skeleton.rest_pose()
    q[3:] = [0.3, 0.2, -0.1, 0.5, -0.2, 0.4, 0.1, 0.3, 0.2]
    turn = PartTurn(skeleton, q, 2, "body", solver="damped_least_squares")
    assert np.allclose(turn.rotation @ turn.rotation.T, np.eye(3), atol=1e-12)
    turned = TurnPath(turn, np.array([0.0, 0.0, 1.0])).at(np.radians(25.0))
    assert np.degrees(turned.behind) < 0.1 and turned.drift < 1e-3


def test_a_free_turn_stops_where_the_part_cannot_follow_and_comes_back_at_once(human):
    turn = turn_of(human, "right hand")
    free = FreeTurn(turn)
    step = np.radians(3.0) * turn.rotation[:, 0]
    for _ in range(60):
        free.by(step)
        assert inside(turn.skeleton, free.now.q)
    assert free.now.behind < LAGGING + STRIDE + 1e-9
    held = free.now
    free.by(-4.0 * step)
    assert free.now.behind < held.behind
    again = FreeTurn(turn)
    for _ in range(5):
        again.by(step)
    assert np.degrees(again.now.behind) < 0.1 and again.now.drift < 1e-3
    assert np.degrees(so3.angle_between(again.goal, turn.rotation)) == pytest.approx(15.0)
