"""One inverse-kinematics problem as packed arrays: the joints that may move, flattened to single degrees of freedom.

A *node* is one degree of freedom. Its frame is chosen so that its axis is the local z axis, which makes a rotation
mix two columns only; everything fixed between two nodes is folded into one constant transform. Lengths are divided by
the figure's size W, so that the same figure drawn in other units gives the same angles, bit by bit for powers of two.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.ik import nodes_kernel, poses_kernel
from core.ik.goal import Goal
from core.ik.packed import LONGEST_TRACE, Aims, Block, Nodes, Work, allocate
from core.ik.structure import WORLD, Structure, axis_to_z, make_structure
from core.kernels import serving
from core.kinematics.forward import forward_kinematics, turned_by
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Tree, pack

__all__ = [
    "WORLD", "Aims", "Nodes", "Problem", "Structure", "Work", "axis_to_z", "build", "evaluate", "least_errors",
    "packed_arguments", "pose_limits", "pose_of", "release", "with_room", "within",
]  # fmt: skip

_KEPT_STRUCTURES = 64


class Problem(NamedTuple):
    """One problem, ready for a solver: ``solver.run(problem, tolerance, max_iterations)`` changes ``x`` in place.

    Attributes:
        structure: The part that is kept between solves.
        nodes: Degrees of freedom with the weights of this solve.
        aims: The goals.
        x: Values of the nodes, [rad] and [W], shape (K,).
        work: Scratch memory.
        size: W, [m].
        block: The memory that goals, values and scratch memory lie in.
    """

    structure: Structure
    nodes: Nodes
    aims: Aims
    x: Array
    work: Work
    size: float
    block: Block


_structures: WeakKeyDictionary[Skeleton, dict[tuple[float, int, tuple[int, ...]], Structure]] = WeakKeyDictionary()


def build(skeleton: Skeleton, q: Array, goals: tuple[Goal, ...], base: int | None, weights: Array | None) -> Problem:
    """Return the problem of moving the goals' points from pose ``q``.

    Args:
        skeleton: The figure.
        q: Pose inside its limits, shape (nq,).
        goals: At least one.
        base: First joint that moves, ``WORLD``, or None for all joints without the root translation.
        weights: Responsiveness of each pose value, shape (nq,), or None for 1.

    Raises:
        JointError: If a goal's joint does not exist.
        GoalError: If a goal's joint does not hang below ``base``.
    """
    tree = pack(skeleton)
    size = tree.size or max(float(np.abs(goal.point).max()) for goal in goals) or 1.0
    joints = tuple(skeleton.joint_index(goal.joint) for goal in goals)
    key = (size, -2 if base is None else base, joints)
    kept = _structures.setdefault(skeleton, {})
    structure = kept.get(key)
    if structure is None:
        if len(kept) >= _KEPT_STRUCTURES:
            kept.clear()
        structure = kept[key] = make_structure(skeleton, tree, joints, base, size)

    nodes = structure.nodes
    if weights is not None:
        factor = weights[structure.q_index]
        nodes = nodes._replace(weight=nodes.weight * factor, gain=nodes.gain * factor)
    block = structure.spare.pop() if structure.spare else _block(structure)
    aims, work, x = block.aims, block.work, block.x
    kernels = serving(poses_kernel)
    for g, goal in enumerate(goals):
        at_position = at_rotation = 0.0
        if goal.position is not None:
            kernels.aim(goal.position, size, g, aims.target)
            at_position = goal.weights[0]
        if goal.rotation is not None:
            aims.wanted[g] = goal.rotation
            at_rotation = goal.weights[1]
        end = structure.ends.get((g, goal.point.tobytes())) or _end(structure, tree, joints[g], g, goal.point, size)
        aims.point[g], reach = end
        aims.weight[g] = at_position, at_rotation, reach
    parent = int(tree.parent[structure.top])
    kernels.take(q, structure.q_index, structure.unit, size, parent < 0 and base != WORLD, x, aims.base)
    if parent >= 0:
        _put_base(aims.base, skeleton, tree, q, parent, size)
    work.used[0] = 0
    return Problem(structure, nodes, aims, x, work, size, block)


def _end(structure: Structure, tree: Tree, joint: int, g: int, point: Array, size: float) -> tuple[Array, float]:
    """Return the end-effector in its node's frame and the reach of its chain, [W]; kept between solves."""
    if len(structure.ends) >= _KEPT_STRUCTURES:
        structure.ends.clear()
    linear, origin, _ = structure.tails[g]
    extra = tree.linear[joint] @ point
    reach = (structure.reach[g] + math.sqrt(extra @ extra)) / size or 1.0
    end = structure.ends[g, point.tobytes()] = linear @ (point / size) + origin, reach
    return end


def _block(structure: Structure) -> Block:
    block = allocate(structure.nodes, len(structure.goal_node))
    aims = block.aims
    aims.node[:], aims.distal[:] = structure.goal_node, structure.distal
    for g, (_, _, twist) in enumerate(structure.tails):
        aims.twist[g] = twist
    return block


def release(problem: Problem) -> None:
    """Let another solve have the memory of a problem that is done with."""
    problem.structure.spare.append(problem.block)


def packed_arguments(problem: Problem) -> tuple[Any, ...]:
    """Return what a kernel's ``run`` takes first: two blocks, and what may differ from what lies in them."""
    block, nodes = problem.block, problem.nodes
    return (
        block.ints, block.floats, nodes.lower, nodes.upper, nodes.weight, nodes.gain, problem.x, problem.work.trace,
    )  # fmt: skip


def within(problem: Problem, bounds: tuple[Array, Array]) -> Problem:
    """Return the problem with values kept between bounds of the pose, shape (nq,) each, on top of its limits."""
    structure, nodes = problem.structure, problem.nodes
    lower, upper = (np.asarray(end)[structure.q_index] / structure.unit for end in bounds)
    nodes = nodes._replace(lower=np.maximum(nodes.lower, lower), upper=np.minimum(nodes.upper, upper))
    return problem._replace(nodes=nodes)


def evaluate(problem: Problem, x: Array) -> tuple[float, float]:
    """Work out frames and errors of values, which then lie in ``problem.work``; what a solver asks of a pose.

    Args:
        problem: The problem.
        x: Values of its nodes, shape (K,).

    Returns:
        The merit, which solvers make least, and the largest error, [W], which is to be within the tolerance.
    """
    kernels = serving(nodes_kernel)
    kernels.frames(problem.nodes, problem.aims, x, problem.work)
    merit, worst = kernels.errors(problem.aims, problem.work)
    return merit, worst


def with_room(problem: Problem, iterations: int) -> Problem:
    """Return the problem with room to note what ``iterations`` reach, up to ``LONGEST_TRACE``."""
    room = min(iterations, LONGEST_TRACE) + 1
    if room <= len(problem.work.trace):
        return problem
    return problem._replace(work=problem.work._replace(trace=np.zeros(room)))


def least_errors(problem: Problem) -> Array:
    """Return the least error at the start and after each iteration, shape (iterations + 1,), [m]; a new array."""
    work = problem.work
    errors = np.empty(min(int(work.used[0]), len(work.trace)))
    serving(poses_kernel).put_errors(work.trace, problem.size, errors)
    return errors


def pose_of(problem: Problem, q: Array) -> Array:
    """Return a copy of ``q`` with the problem's values put in, shape (nq,)."""
    structure, out = problem.structure, q.copy()
    serving(poses_kernel).put(
        problem.x, structure.unit, structure.lower, structure.upper, structure.q_index, out
    )  # fmt: skip
    return out


@per_skeleton
def pose_limits(skeleton: Skeleton) -> tuple[Array, Array, bool]:
    """Return the least and the largest pose, shape (nq,) each, and whether any joint has a cone."""
    lower, upper = (np.concatenate([[end] * 3, skeleton.limits[:, k]]) for k, end in enumerate((-np.inf, np.inf)))
    return lower, upper, any(joint.cone is not None for joint in skeleton.joints)


def _put_base(base: Array, skeleton: Skeleton, tree: Tree, q: Array, parent: int, size: float) -> None:
    """Write the frame of the joint above the first moving one into ``base``, shape (2, 3, 4)."""
    frame = forward_kinematics(skeleton, q)[parent]
    base[0, :, :3], base[0, :, 3] = frame[:3, :3], frame[:3, 3] / size
    base[1, :, :3] = _rotation_without_scales(skeleton, tree, q, parent) if tree.scaled else frame[:3, :3]


def _rotation_without_scales(skeleton: Skeleton, tree: Tree, q: Array, joint: int) -> Array:
    rotation = np.eye(3)
    while joint >= 0:
        rotation = turned_by(skeleton, tree, q, joint, tree.rotation[joint]) @ rotation
        joint = int(tree.parent[joint])
    return rotation
