"""One inverse-kinematics problem as packed arrays: the joints that may move, flattened to single degrees of freedom.

A *node* is one degree of freedom. Its frame is chosen so that its axis is the local z axis, which makes a rotation
mix two columns only; everything fixed between two nodes is folded into one constant transform. Lengths are divided by
the figure's size W, so that the same figure drawn in other units gives the same angles, bit by bit for powers of two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.errors import GoalError
from core.ik.bends import Bend, find_bends
from core.ik.cones import NO_CONE, find_cones
from core.ik.goal import Goal
from core.kinematics.forward import forward_kinematics
from core.skeleton.skeleton import Array, Skeleton
from core.skeleton.tree import KIND_HINGE, KIND_SLIDE, Ints, Tree, pack
from core.spatial import so3

WORLD = -1
"""Base index that frees the root translation."""

TRACE = 1024
"""Iterations whose merit there is room for at first."""

LONGEST_TRACE = 1_000_000

_KEPT_STRUCTURES = 64
_STANDING = np.zeros((2, 3, 4))
_STANDING[:, :, :3] = np.eye(3)


class Nodes(NamedTuple):
    """The K degrees of freedom that may move, every parent before its children.

    Attributes:
        parent: Parent node, -1 for the base frame, shape (K,).
        kind: ``KIND_HINGE`` or ``KIND_SLIDE``, shape (K,).
        fixed: Transform [M | t] from the parent node's frame to this one at zero, shape (K, 3, 4), lengths / W.
        turn: The same without scales, a rotation, shape (K, 3, 3).
        lower: Lower limits, [rad] or [W], shape (K,).
        upper: Upper limits, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        cone: Cosine of the cone's half-angle, ``NO_CONE`` without one, shape (K,).
        weight: Responsiveness 0..1, shape (K,).
        gain: The solver's K_i, shape (K,).
        affine: 1 if any scale is not 1, else 0, shape (1,).
    """

    parent: Ints
    kind: Ints
    fixed: Array
    turn: Array
    lower: Array
    upper: Array
    partner: Ints
    cone: Array
    weight: Array
    gain: Array
    affine: Ints


class Aims(NamedTuple):
    """The G goals.

    Attributes:
        node: Last node on the way to each goal, -1 if nothing moves it, shape (G,).
        point: End-effector in that node's frame, shape (G, 3), lengths / W.
        twist: Rotation from that node's frame to the goal joint's, shape (G, 3, 3).
        target: Desired positions, shape (G, 3), lengths / W.
        wanted: Desired rotations, shape (G, 3, 3).
        weight: Columns: weight of position, of rotation (0 where free), reach L, shape (G, 3).
        distal: 1 where the goal is moved by the node, shape (G, K).
        base: [0]: base frame [M | t]; [1]: its rotation without scales in the first three columns, shape (2, 3, 4).
    """

    node: Ints
    point: Array
    twist: Array
    target: Array
    wanted: Array
    weight: Array
    distal: NDArray[np.uint8]
    base: Array


class Work(NamedTuple):
    """Scratch memory of one solve.

    Attributes:
        X: World frames [M | t] of the nodes, shape (K, 3, 4).
        R: Their rotations without scales, shape (K, 3, 3).
        P: End-effector positions, shape (G, 3).
        O: End-effector rotations, shape (G, 3, 3).
        E: Errors [dp; L log dR] of each goal, 0 where free, shape (6 G,).
        J: Jacobian with the angular rows times L, shape (6 G, K).
        A: Symmetric matrix of the damped step, shape (6 G, 6 G).
        y: Its solution, shape (6 G,).
        s: Vectors over the nodes, shape (8, K).
        score: What ``errors`` returned last: merit, and the largest single error, shape (2,).
        trace: Merit at the start and after each iteration of all attempts, as ``record`` wrote it; room for some.
        used: How many entries of ``trace`` are written (or would be, had it the room), shape (1,).
    """

    X: Array
    R: Array
    P: Array
    O: Array  # noqa: E741 - the thesis' name
    E: Array
    J: Array
    A: Array
    y: Array
    s: Array
    score: Array
    trace: Array
    used: Ints


class Structure(NamedTuple):
    """What depends on the skeleton, the base and the goals' joints only; kept between solves.

    ``spare`` holds scratch memory that no solve is using; ``list.pop`` and ``append`` are safe between threads.
    """

    nodes: Nodes
    q_index: Ints
    unit: Array
    link: Array
    top: int
    goal_node: Ints
    tails: tuple[tuple[Array, Array, Array], ...]
    reach: tuple[float, ...]
    distal: NDArray[np.uint8]
    coned: bool
    bends: tuple[Bend, ...]
    spare: list[Work]


class Problem(NamedTuple):
    """One problem, ready for a solver: ``solver.run(problem, tolerance, max_iterations)`` changes ``x`` in place.

    Attributes:
        structure: The part that is kept between solves.
        nodes: Degrees of freedom with the weights of this solve.
        aims: The goals.
        x: Values of the nodes, [rad] and [W], shape (K,).
        work: Scratch memory.
        size: W, [m].
    """

    structure: Structure
    nodes: Nodes
    aims: Aims
    x: Array
    work: Work
    size: float


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
        structure = kept[key] = _structure(skeleton, tree, joints, base, size)

    nodes = structure.nodes
    if weights is not None:
        factor = weights[structure.q_index]
        nodes = nodes._replace(weight=nodes.weight * factor, gain=nodes.gain * factor)
    count, number = len(goals), len(structure.q_index)
    point, twist = np.empty((count, 3)), np.empty((count, 3, 3))
    target, wanted = np.zeros((count, 3)), np.zeros((count, 3, 3))
    weight = np.zeros((count, 3))
    for g, goal in enumerate(goals):
        linear, origin, twist[g] = structure.tails[g]
        point[g] = linear @ (goal.point / size) + origin
        if goal.position is not None:
            target[g] = goal.position / size
            weight[g, 0] = goal.weights[0]
        if goal.rotation is not None:
            wanted[g] = goal.rotation
            weight[g, 1] = goal.weights[1]
        extra = tree.linear[joints[g]] @ goal.point
        weight[g, 2] = (structure.reach[g] + float(np.sqrt(extra @ extra))) / size or 1.0
    aims = Aims(
        structure.goal_node, point, twist, target, wanted, weight, structure.distal,
        _base_frame(skeleton, tree, q, structure.top, base == WORLD, size),
    )  # fmt: skip
    work = structure.spare.pop() if structure.spare else _scratch(count, number)
    work.used[0] = 0
    return Problem(structure, nodes, aims, q[structure.q_index] / structure.unit, work, size)


def _scratch(goals: int, nodes: int) -> Work:
    rows = 6 * goals
    return Work(
        X=np.zeros((nodes, 3, 4)),
        R=np.zeros((nodes, 3, 3)),
        P=np.zeros((goals, 3)),
        O=np.zeros((goals, 3, 3)),
        E=np.zeros(rows),
        J=np.zeros((rows, nodes)),
        A=np.zeros((rows, rows)),
        y=np.zeros(rows),
        s=np.zeros((8, nodes)),
        score=np.zeros(2),
        trace=np.zeros(TRACE),
        used=np.zeros(1, dtype=np.int64),
    )


def with_room(problem: Problem, iterations: int) -> Problem:
    """Return the problem with room to note what ``iterations`` reach, up to ``LONGEST_TRACE``."""
    room = min(iterations, LONGEST_TRACE) + 1
    if room <= len(problem.work.trace):
        return problem
    return problem._replace(work=problem.work._replace(trace=np.zeros(room)))


def least_errors(problem: Problem) -> Array:
    """Return the least error at the start and after each iteration, shape (iterations + 1,), [m]; a new array."""
    errors = np.sqrt(np.minimum.accumulate(problem.work.trace[: problem.work.used[0]]))
    errors *= problem.size
    return errors


def pose_of(problem: Problem, q: Array) -> Array:
    """Return a copy of ``q`` with the problem's values put in, shape (nq,)."""
    out = q.copy()
    out[problem.structure.q_index] = problem.x * problem.structure.unit
    return out


def _base_frame(skeleton: Skeleton, tree: Tree, q: Array, top: int, world: bool, size: float) -> Array:
    """Return the frame in which the first moving joint sits, shape (2, 3, 4)."""
    base = _STANDING.copy()
    parent = int(tree.parent[top])
    if parent < 0:
        if not world:
            base[0, :, 3] = q[:3] / size
        return base
    frame = forward_kinematics(skeleton, q)[parent]
    base[0, :, :3], base[0, :, 3] = frame[:3, :3], frame[:3, 3] / size
    base[1, :, :3] = _rotation_without_scales(tree, q, parent) if tree.scaled else frame[:3, :3]
    return base


def _rotation_without_scales(tree: Tree, q: Array, joint: int) -> Array:
    rotation = np.eye(3)
    while joint >= 0:
        own = tree.rotation[joint]
        for k in range(tree.first[joint], tree.first[joint + 1]):
            if tree.kind[k] == KIND_HINGE:
                own = own @ so3.axis_rotation(tree.axis[k], q[3 + k])
        rotation = own @ rotation
        joint = int(tree.parent[joint])
    return rotation


def axis_to_z(axis: Array) -> Array:
    """Return a rotation whose third column is ``axis``, shape (3, 3); exact for the coordinate axes."""
    k = int(np.argmax(np.abs(axis)))
    frame = np.zeros((3, 3))
    frame[(k + 1) % 3, 0] = frame[(k + 2) % 3, 1] = 1.0
    frame[:, 2] = axis
    if abs(axis[k]) != 1.0:
        frame[:, 0] -= axis * axis[(k + 1) % 3]
        frame[:, 0] /= np.linalg.norm(frame[:, 0])
        frame[:, 1] = np.cross(frame[:, 2], frame[:, 0])
    elif axis[k] < 0.0:
        frame[:, [0, 1]] = frame[:, [1, 0]]
    return frame


def _structure(skeleton: Skeleton, tree: Tree, joints: tuple[int, ...], base: int | None, size: float) -> Structure:
    top = 0 if base is None or base == WORLD else base
    paths: list[list[int]] = []
    for joint in joints:
        path, current = [joint], joint
        while current != top:
            current = int(tree.parent[current])
            if current < 0:
                names = skeleton.joints[top].name, skeleton.joints[joint].name
                raise GoalError(f'base "{names[0]}" is not above the goal\'s joint "{names[1]}"')
            path.append(current)
        paths.append(path)

    parent: list[int] = []
    kind: list[int] = []
    fixed: list[Array] = []
    turn: list[Array] = []
    q_index: list[int] = []
    after: dict[int, tuple[int, Array, Array, Array]] = {}

    def add(node: int, linear: Array, origin: Array, rotation: Array, axis: Array, slide: int, q: int) -> Array:
        """Append a node; return the rotation that leads back from its frame."""
        C = axis_to_z(axis)
        parent.append(node)
        kind.append(slide)
        fixed.append(np.column_stack([linear @ C, origin]))
        turn.append(rotation @ C)
        q_index.append(q)
        return C.T

    for joint in sorted({joint for path in paths for joint in path}):
        if joint == top:
            node, linear, origin, rotation = -1, np.eye(3), np.zeros(3), np.eye(3)
            if base == WORLD:
                for k in range(3):
                    linear = rotation = add(node, linear, origin, rotation, np.eye(3)[k], KIND_SLIDE, k)
                    node = len(parent) - 1
        else:
            node, linear, origin, rotation = after[int(tree.parent[joint])]
        origin = origin + linear @ (tree.offset[joint] / size)
        linear, rotation = linear @ tree.rotation[joint], rotation @ tree.rotation[joint]
        for k in range(tree.first[joint], tree.first[joint + 1]):
            linear = rotation = add(node, linear, origin, rotation, tree.axis[k], int(tree.kind[k]), 3 + k)
            node, origin = len(parent) - 1, np.zeros(3)
        after[joint] = (node, linear * tree.scale[joint], origin, rotation)

    number = len(parent)
    index = np.array(q_index, dtype=np.int64)
    dof = index - 3
    own = dof >= 0
    slides = np.array(kind, dtype=np.int64) == KIND_SLIDE
    unit = np.where(slides, size, 1.0)
    lower, upper = np.full(number, -np.inf), np.full(number, np.inf)
    weight, resistance = np.ones(number), np.ones(number)
    lower[own], upper[own] = tree.lower[dof[own]], tree.upper[dof[own]]
    weight[own], resistance[own] = tree.weight[dof[own]], tree.resistance[dof[own]]
    partner, cone = find_cones(skeleton, index)
    owner = np.array([skeleton.dof_joints[k] if k >= 0 else 0 for k in dof], dtype=np.int64)
    distal = np.zeros((len(joints), number), dtype=np.uint8)
    for g, joint in enumerate(joints):
        node = after[joint][0]
        while node >= 0:
            distal[g, node] = 1
            node = parent[node]
    nodes = Nodes(
        parent=np.array(parent, dtype=np.int64),
        kind=np.array(kind, dtype=np.int64),
        fixed=np.array(fixed).reshape(number, 3, 4),
        turn=np.array(turn).reshape(number, 3, 3),
        lower=lower / unit,
        upper=upper / unit,
        partner=partner,
        cone=cone,
        weight=weight,
        gain=weight / resistance,
        affine=np.array([int(tree.scaled)], dtype=np.int64),
    )
    return Structure(
        nodes=nodes,
        q_index=index,
        unit=unit,
        link=_links(skeleton, tree, owner, paths) / size,
        top=top,
        goal_node=np.array([after[joint][0] for joint in joints], dtype=np.int64),
        tails=tuple(after[joint][1:] for joint in joints),
        reach=tuple(float(sum(tree.length[j] for j in path[:-1])) for path in paths),
        distal=distal,
        coned=bool((cone != NO_CONE).any()),
        bends=find_bends(skeleton, tree, parent, owner, index, nodes.fixed),
        spare=[],
    )


def _links(skeleton: Skeleton, tree: Tree, owner: Ints, paths: list[list[int]]) -> Array:
    """Return for each node the length [m] from its compound joint to the next joint, the longest; 0 at a tip.

    The root's comes from its longest child, whichever way the goals lie: the figure turns about it as a whole.
    """
    ahead = np.zeros(len(tree.parent))
    for path in paths:
        for joint, above in pairwise(path):
            # A child at zero offset belongs to the same compound joint: what is ahead of it counts.
            ahead[above] = max(ahead[above], tree.length[joint] or ahead[joint])
    ahead[0] = max([float(ahead[0]), *(float(tree.length[child]) for child in skeleton.children[0])])
    return np.asarray(ahead[owner])
