"""What an inverse-kinematics problem takes from the figure alone: the chain's degrees of freedom as nodes."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.errors import GoalError
from core.ik.balls import find_balls
from core.ik.bends import Bend, find_bends
from core.ik.cones import NO_CONE, find_cones
from core.ik.packed import Block, Nodes
from core.skeleton.skeleton import Array, Skeleton
from core.skeleton.tree import KIND_SLIDE, Ints, Tree

WORLD = -1
"""Base index that frees the root translation."""


class Structure(NamedTuple):
    """What depends on the skeleton, the base and the goals' joints only; kept between solves.

    ``lower`` and ``upper`` are limits of the pose values ``q_index``; ``ends`` and ``lengths`` keep what the last
    goals' points led to. ``spare`` holds blocks of memory that no solve is using; ``list.pop`` and ``append``
    are safe between threads.
    """

    nodes: Nodes
    q_index: Ints
    unit: Array
    link: Array
    top: int
    goal_node: Ints
    tails: tuple[tuple[Array, Array, Array], ...]
    reach: tuple[float, ...]
    distal: Ints
    coned: bool
    bends: tuple[Bend, ...]
    spare: list[Block]
    lower: Array
    upper: Array
    ends: dict[tuple[int, bytes], tuple[Array, float]]
    lengths: dict[bytes, Array]


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


def make_structure(skeleton: Skeleton, tree: Tree, joints: tuple[int, ...], base: int | None, size: float) -> Structure:
    """Return the nodes between ``base`` and the goals' joints, lengths divided by ``size``.

    Raises:
        GoalError: If a goal's joint does not hang below ``base``.
    """
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
    distal = np.zeros((len(joints), number), dtype=np.int64)
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
        ball=find_balls(skeleton, index, np.array(fixed).reshape(number, 3, 4), distal),
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
        lower=lower,
        upper=upper,
        ends={},
        lengths={},
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
