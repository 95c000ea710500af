"""What an inverse-kinematics problem takes from the figure alone: the chain's degrees of freedom as nodes."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import GoalError
from core.ik.balls import find_balls
from core.ik.packed import Block, Nodes
from core.kinematics.bends import Bend, find_bends
from core.kinematics.chain_nodes import axis_to_z, chain_nodes
from core.kinematics.cones import NO_CONE, find_cones
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints, Tree

WORLD = -1
"""Base index that frees the root translation."""


__all__ = ["WORLD", "Structure", "axis_to_z", "make_structure"]


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

    chain = chain_nodes(tree, {joint for path in paths for joint in path}, top, base == WORLD, size)
    parent, index, after = chain.parent, chain.q_index, chain.after
    number = len(parent)
    dof = index - 3
    own = dof >= 0
    unit = chain.unit
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
            node = int(parent[node])
    nodes = Nodes(
        parent=parent,
        kind=chain.kind,
        fixed=chain.fixed,
        turn=chain.turn,
        lower=lower / unit,
        upper=upper / unit,
        partner=partner,
        cone=cone,
        weight=weight,
        gain=weight / resistance,
        affine=np.array([int(tree.scaled)], dtype=np.int64),
        ball=find_balls(skeleton, index, chain.fixed, distal),
        record=chain.record,
        records=chain.records,
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
