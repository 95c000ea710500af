"""``solve_locks(method="lagrange")``: Welman's equation of motion as a way to hold locks while something is dragged."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.constraints.hold.bent_start import bent_start, find_folds, movable
from core.constraints.hold.pose_steps_kernel import BETTER, NUDGE
from core.constraints.lagrange import deviation, pull, put, satisfy_constraints, stretch
from core.constraints.methods import LockProblem
from core.constraints.network.from_locks import network_of
from core.constraints.network.network import Network
from core.constraints.network.state import FigureState
from core.kinematics.chain import ancestry
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

MOST = 60
"""Steps that ``max_iterations=None`` stands for, and of a drag:"""
MOST_DRAG = 10
_STRETCHED = 1e-8  # [m^2]: what springs have left from which on bending for them is tried


def solve(problem: LockProblem) -> tuple[Array, int]:
    """Return a pose that holds the locks, goals met as far as some steps bring them, and the steps taken.

    Goals and soft locks are springs. The state moves by eq. 5.7, from where locks hold to where springs are short.
    Elbows and knees bend to the side that their limits allow; where straight ones are in the way, from a bent start.
    """
    s, most = problem.skeleton, problem.max_iterations
    network, _ = network_of(s, problem.q, problem.locks, problem.goals, problem.goal_dofs, problem.figures)
    figure = next(iter(network.state.figures.values()))
    figure.mobility[: 3 + s.first_dof[1]] *= problem.root_weight
    figure.mobility[list(problem.fixed)] = 0.0
    free = figure.lower.copy(), figure.upper.copy()
    joints = _joints(problem)
    _keep_one_sense(figure, joints)
    budget = MOST if most is None else most
    used = satisfy_constraints(network, problem.tolerance, budget)
    if deviation(network)[1] > problem.tolerance:
        used += _solve_bent(network, figure, problem, joints, budget)
    if deviation(network)[1] > problem.tolerance:
        # Past straight rather than not at all.
        figure.lower[:], figure.upper[:] = free
        used += satisfy_constraints(network, problem.tolerance, budget)
    drag = MOST_DRAG if most is None else max(most - used, 0)
    used += pull(network, problem.tolerance, drag)
    used += _pull_bent(network, figure, problem, joints, budget, drag)
    pose = figure.q
    pose[list(problem.fixed)] = problem.q[list(problem.fixed)]
    return pose, used


def _joints(problem: LockProblem) -> tuple[int, ...]:
    """Return the joints that locks and goals are about."""
    s = problem.skeleton
    given = [lock.joint for lock in problem.locks] + [goal.joint for goal in problem.goals]
    return tuple(sorted({s.joint_index(joint) for joint in given}))


def _keep_one_sense(figure: FigureState, joints: tuple[int, ...]) -> None:
    """Keep elbows and knees from bending past straight, those that are past it from bending further."""
    for fold in find_folds(figure.skeleton, joints):
        k = fold.values[0]
        if fold.sides[0] > 0.0:
            figure.lower[k] = max(figure.lower[k], min(0.0, figure.q[k]))
        else:
            figure.upper[k] = min(figure.upper[k], max(0.0, figure.q[k]))


def _solve_bent(network: Network, figure: FigureState, problem: LockProblem, joints: tuple[int, ...], most: int) -> int:
    """Solve once more from a bent start, and stay there if that is better; return the steps taken."""
    failed, (_, worst) = network.state.vector, deviation(network)
    size = pack(problem.skeleton).size or 1.0
    bent = bent_start(problem.skeleton, problem.q, joints, worst / size, problem.locks, problem.fixed)
    if bent is None:
        return 0
    _put_pose(network, figure, bent)
    used = satisfy_constraints(network, problem.tolerance, most)
    if deviation(network)[1] >= BETTER * worst:
        put(network, failed)
    return used


def _pull_bent(
    network: Network, figure: FigureState, problem: LockProblem, joints: tuple[int, ...], most: int, drag: int
) -> int:
    """Pull once more from a bent start where limbs are straight, and stay there if that is better; return the steps."""
    before, held, left = network.state.vector, deviation(network)[1], stretch(network)
    if drag == 0 or left <= _STRETCHED or not _straight(problem.skeleton, figure.q, joints, problem):
        return 0
    size = pack(problem.skeleton).size or 1.0
    missing = max((float(np.abs(block.value).max()) for block in network.constraints if block.soft), default=0.0)
    bent = bent_start(problem.skeleton, figure.q, joints, missing / size, problem.locks, problem.fixed)
    if bent is None:
        return 0
    _put_pose(network, figure, bent)
    used = satisfy_constraints(network, problem.tolerance, most)
    used += pull(network, problem.tolerance, drag)
    if deviation(network)[1] > max(problem.tolerance, held) or stretch(network) >= BETTER * left:
        put(network, before)
    return used


def _straight(s: Skeleton, pose: Array, joints: tuple[int, ...], problem: LockProblem) -> bool:
    free = movable(s, problem.locks, problem.fixed)
    above = {joint for each in joints for joint in ancestry(s, each)}
    ends = [fold.values[0] for fold in find_folds(s, joints)]
    return any(abs(pose[k]) < NUDGE and free[k] and s.dof_joints[k - 3] in above for k in ends)


def _put_pose(network: Network, figure: FigureState, pose: Array) -> None:
    state = network.state.vector
    state[figure.elements] = pose
    put(network, state)
