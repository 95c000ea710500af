"""Lagrange multipliers: what they cancel, what feedback puts right, and how the whole holds locks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.constraints import Lock, bind, lock_residuals, solve_locks
from core.constraints.lagrange import (
    FEEDBACKS,
    MULTIPLIER,
    SPRING,
    integrate,
    lagrange_motion,
    lagrange_step,
    put,
    truncated_solve,
)
from core.constraints.network import Constraint, Network
from core.constraints.network.from_locks import network_of
from core.constraints.residuals import PointResidual
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton import Skeleton, load_skeleton
from tests.support.figures import arm7, bent, fork, random_pose


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def feet(s: Skeleton, q: np.ndarray, *more: tuple[str, str]) -> list[Lock]:
    return [bind(Lock(joint, kind), s, q) for joint, kind in (("left foot", "pose"), ("right foot", "pose"), *more)]


def test_the_constraint_force_takes_away_what_is_not_allowed(human: Skeleton) -> None:
    """Eqs. 5.3 to 5.6: the motion keeps C, the force lies in the range of J^T."""
    q = bent(human)
    network, _ = network_of(human, q, feet(human, q, ("left hand", "position")))
    network.apply_force(network.point("pelvis"), (0.3, -1.0, 0.2))
    network.apply_force(network.orientation("chest"), (0.0, 0.5, 0.0))
    motion = lagrange_motion(network, 1.0, limits=False)
    system, K = network.assemble(), network.state.mobility
    own = system.variables
    assert motion.rank == len(system.C) == 15 and np.abs(motion.change).max() > 0.01
    assert system.J @ motion.change[own] == pytest.approx(np.zeros(15), abs=1e-12)
    net = np.zeros(network.state.size)
    net[own] = network.generalized_force()[own] + system.J.T @ motion.multipliers
    assert motion.change == pytest.approx(K * net, abs=1e-12)


def test_a_force_along_a_plane_moves_a_point_as_if_there_was_none() -> None:
    """Figure 5.1 with a figure that is a point."""
    s = Skeleton("point", [fork().joints[0]])
    network = Network()
    network.add_figure(s, s.rest_pose())
    network.add(Constraint(PointResidual(np.eye(3)[1:2], np.zeros(3)), [network.point(0)]))
    network.apply_force(network.point(0), (0.3, -2.0, 0.1))
    change = lagrange_motion(network, 1.0).change
    ratio = change[:3] / network.state.mobility[:3]
    assert ratio == pytest.approx([0.3, 0.0, 0.1], abs=1e-14)


@pytest.mark.parametrize("feedback", FEEDBACKS)
def test_feedback_brings_back_what_has_drifted(feedback: str, human: Skeleton) -> None:
    q = bent(human)
    locks = feet(human, q)
    network, _ = network_of(human, q, locks)
    away = q.copy()
    away[3:] += 0.02 * np.sin(np.arange(human.n_dofs))
    put(network, away)
    before = np.linalg.norm(network.assemble().C)
    gain = 0.03 if feedback == SPRING else 1.0
    for _ in range(60):
        lagrange_step(network, 1.0, gain, feedback)
    after = np.linalg.norm(network.assemble().C)
    assert after < (1e-12 if feedback == MULTIPLIER else 0.5 * before)


def test_small_steps_drift_less_and_adaptive_ones_least(human: Skeleton) -> None:
    q = bent(human)
    drift = []
    for dt, tolerance in ((0.5, None), (0.1, None), (0.02, None), (0.5, 1e-7)):
        network, _ = network_of(human, q, feet(human, q))
        network.apply_force(network.point("pelvis"), (0.0, -0.15, 0.1))
        integrate(network, 1.0, dt, 0.0, SPRING, tolerance)
        assert np.abs(network.state.vector - q).max() > 0.05
        drift.append(float(np.abs(network.assemble().C).max()))
    assert drift[0] > 3.0 * drift[1] > 9.0 * drift[2] > 90.0 * drift[3]


def test_adaptive_steps_take_the_time_they_need(human: Skeleton) -> None:
    q = bent(human)
    calls = []
    for tolerance in (1e-3, 1e-6, 1e-9):
        network, _ = network_of(human, q, feet(human, q))
        network.apply_force(network.point("pelvis"), (0.0, -0.15, 0.1))
        calls.append(integrate(network, 1.0, 1.0, 0.0, SPRING, tolerance))
    assert calls[0] < calls[1] < calls[2]


def test_the_truncated_decomposition_throws_ill_conditioned_rows_away() -> None:
    rng = np.random.default_rng(0)
    U, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    b = rng.normal(size=5)
    A = U @ np.diag([3.0, 2.0, 1.0, 0.5, 1e-14]) @ U.T
    x, rank = truncated_solve(A, b)
    assert rank == 4 and abs(x @ U[:, 4]) < 1e-12
    assert U[:, :4].T @ (A @ x - b) == pytest.approx(np.zeros(4), abs=1e-12)
    whole, rank = truncated_solve(A + np.eye(5), b)
    assert rank == 5 and whole == pytest.approx(np.linalg.solve(A + np.eye(5), b))
    assert truncated_solve(np.zeros((0, 0)), np.zeros(0))[1] == 0


def test_the_same_constraint_twice_does_no_harm() -> None:
    s = arm7()
    q = random_pose(s, np.random.default_rng(1))
    network = Network()
    network.add_figure(s, q)
    handle = network.point("j6", (0, 0.2, 0))
    for _ in range(2):
        network.add(Constraint(PointResidual(np.eye(3), handle.value + np.array([0.01, 0, 0])), [handle]))
    motion = lagrange_motion(network, 1.0)
    assert motion.rank == 3
    for _ in range(5):
        lagrange_step(network)
    assert np.abs(network.assemble().C).max() < 1e-12


def test_limits_stop_values_and_the_others_make_up_for_them(human: Skeleton) -> None:
    q = bent(human)
    network, _ = network_of(human, q, feet(human, q))
    network.apply_force(network.point("pelvis"), (0.0, -1.0, 0.0))
    system = network.assemble()
    figure = next(iter(network.state.figures.values()))
    knee = 3 + human.first_dof[human.joint_index("left shank")]
    figure.upper[knee] = q[knee] + 0.01
    figure.lower[knee] = q[knee] - 0.01
    free, held = (lagrange_motion(network, 1.0, limits=limits).change for limits in (False, True))
    assert abs(free[knee]) > 0.01 and abs(held[knee]) <= 0.01 + 1e-15
    assert system.J @ held[system.variables] == pytest.approx(np.zeros(12), abs=1e-12)


@pytest.mark.parametrize("joints", [None, ("left upper arm", "left forearm", "left hand")])
def test_only_joints_that_may_help_do(joints: tuple[str, ...] | None, human: Skeleton) -> None:
    q = bent(human)
    hand = human.joint_index("left hand")
    target = forward_kinematics(human, q)[hand, :3, 3] + [0.03, 0.02, 0.02]
    network, _ = network_of(human, q, [Lock("left hand", "position", target=target, joints=joints)])
    for feedback in FEEDBACKS:
        put(network, q)
        for _ in range(30):
            lagrange_step(network, 1.0, 0.02 if feedback == SPRING else 1.0, feedback)
        moved = {human.dof_joints[k - 3] if k > 2 else 0 for k in np.flatnonzero(network.state.vector != q)}
        allowed = None if joints is None else {human.joint_index(joint) for joint in joints}
        assert 0 in moved if allowed is None else moved and moved <= allowed
        if feedback == MULTIPLIER:
            assert np.abs(network.assemble().C).max() < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_as_a_method_it_holds_locks_and_drags(seed: int, human: Skeleton) -> None:
    rng = np.random.default_rng(seed)
    q = bent(human)
    locks = [*feet(human, q), bind(Lock("left hand", "plane"), human, q), bind(Lock("pelvis", "balance"), human, q)]
    other = q.copy()
    other[3:] += rng.uniform(-0.1, 0.1, human.n_dofs)
    found = solve_locks(human, other, locks, method="lagrange")
    assert found.held and lock_residuals(human, found.q, locks).residuals.max() < 1e-8
    place = forward_kinematics(human, q)[0, :3, 3] + rng.uniform(-0.05, 0.05, 3) - [0, 0.05, 0]
    goal = Goal("pelvis", position=place)
    errors = [
        solve_locks(human, found.q, locks[:3], goals=goal, method="lagrange", max_iterations=most)
        for most in (1, 5, 25)
    ]
    assert all(result.held for result in errors)
    assert errors[0].goal_error > errors[1].goal_error > errors[2].goal_error
    lo, hi = human.limits.T
    assert (errors[2].q[3:] >= lo).all() and (errors[2].q[3:] <= hi).all()


def test_knees_bend_the_way_they_do_when_a_pelvis_on_straight_legs_is_dragged_down(human: Skeleton) -> None:
    q = human.rest_pose()
    locks = [bind(Lock(f"{side} foot", "position"), human, q) for side in ("left", "right")]
    place = forward_kinematics(human, q)[0, :3, 3]
    knees = [3 + human.dof_names.index(f"{side} shank.x") for side in ("left", "right")]
    pose = q
    for down in (0.01, 0.05, 0.15, 0.3):
        goal = Goal("pelvis", position=place - [0.0, down, 0.0])
        found = solve_locks(human, pose, locks, goals=goal, method="lagrange")
        assert found.held and found.goal_error < 0.3 * down and (found.q[knees] > 0.0).all()
        pose = found.q


def test_what_is_fixed_stays(human: Skeleton) -> None:
    q = bent(human)
    locks = feet(human, q)
    other = q.copy()
    other[1] -= 0.05
    found = solve_locks(human, other, locks, method="lagrange", fixed=(0, 1, 2))
    assert found.held and found.q[:3].tolist() == other[:3].tolist()


def test_another_figure_stands_still(human: Skeleton) -> None:
    q = bent(human)
    partner = q + np.array([0.5, 0, 0, *np.zeros(human.n_dofs)])
    lock = Lock("left hand", "point_pair", other=("Bob", "right hand", (0, 0, 0)))
    found = solve_locks(human, q, [*feet(human, q), lock], method="lagrange", figures={"Bob": (human, partner)})
    assert found.held
    mine = forward_kinematics(human, found.q)[human.joint_index("left hand"), :3, 3]
    theirs = forward_kinematics(human, partner)[human.joint_index("right hand"), :3, 3]
    assert mine == pytest.approx(theirs, abs=1e-9)


def test_two_figures_hand_in_hand_pull_each_other(human: Skeleton) -> None:
    q = bent(human)
    network = Network()
    for name, x in (("Ann", 0.0), ("Bob", 0.6)):
        network.add_figure(human, q + np.array([x, 0, 0, *np.zeros(human.n_dofs)]), name)
    hands = network.point("left hand", figure="Ann"), network.point("right hand", figure="Bob")
    offset = hands[0].value - hands[1].value
    network.add(Constraint(PointResidual(np.eye(3), offset, pair=True), hands))
    network.apply_force(network.point("pelvis", figure="Ann"), (-0.2, 0.0, 0.1))
    before = network.state.vector
    for _ in range(10):
        lagrange_step(network, 0.1, 10.0)
    assert hands[0].value - hands[1].value == pytest.approx(offset, abs=1e-3)
    for figure in network.state.figures.values():
        assert np.abs(network.state.vector - before)[figure.elements].max() > 1e-3
    network.remove(network.constraints[0])
    bob, before = network.state.figures["Bob"], network.state.vector
    lagrange_step(network, 0.1, 10.0)
    assert np.array_equal(network.state.vector[bob.elements], before[bob.elements])
