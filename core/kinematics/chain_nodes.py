"""Joints as single degrees of freedom: what solvers work on.

A *node* is one degree of freedom. Its frame is chosen so that its axis is the local z axis, which makes a rotation
mix two columns only; everything fixed between two nodes is folded into one constant transform.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.skeleton.joint_records import scaled_record
from core.skeleton.tree import KIND_BEFORE, KIND_SLIDE, Ints, Tree


class ChainNodes(NamedTuple):
    """The degrees of freedom of some joints, every parent before its children.

    Attributes:
        parent: Parent node, -1 for the base frame, shape (K,).
        kind: ``KIND_HINGE``, ``KIND_SLIDE``, ``KIND_BEFORE`` or ``KIND_GENERAL``, shape (K,).
        fixed: Transform [M | t] from the parent node's frame to this one at zero, of coordinates to where their joint
            begins, shape (K, 3, 4), lengths / size.
        turn: The same without scales, a rotation, shape (K, 3, 3).
        q_index: Pose value of each node, shape (K,).
        unit: Pose units per unit of a node's value: size for slides, 1 for hinges, ``Tree.unit`` for coordinates.
        record: Where the record of a coordinate's joint begins in ``records``, -1 for others, shape (K,).
        records: Constants of these joints, see ``joints_kernel``, in the nodes' units, lengths / size.
        after: For each joint: its last node, the linear part and origin of the joint's frame in that node's frame, and
            its rotation there.
    """

    parent: Ints
    kind: Ints
    fixed: Array
    turn: Array
    q_index: Ints
    unit: Array
    record: Ints
    records: Array
    after: dict[int, tuple[int, Array, Array, Array]]


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


def chain_nodes(tree: Tree, joints: Collection[int], top: int, world: bool, size: float) -> ChainNodes:
    """Return the nodes of some joints, lengths divided by ``size``.

    Args:
        tree: The packed figure.
        joints: Joints, with all between each and ``top``.
        top: The first joint that moves.
        world: Whether the root translation comes first, as three slides.
        size: [m].
    """
    parent: list[int] = []
    kind: list[int] = []
    fixed: list[Array] = []
    turn: list[Array] = []
    q_index: list[int] = []
    after: dict[int, tuple[int, Array, Array, Array]] = {}

    def add(node: int, linear: Array, origin: Array, rotation: Array, axis: Array, slide: int, q: int) -> Array:
        """Append a node; return the rotation that leads back from its frame."""
        C = axis_to_z(axis) if slide < KIND_BEFORE else np.eye(3)
        parent.append(node)
        kind.append(slide)
        fixed.append(np.column_stack([linear @ C, origin]))
        turn.append(rotation @ C)
        q_index.append(q)
        return C.T

    for joint in sorted(joints):
        if joint == top:
            node, linear, origin, rotation = -1, np.eye(3), np.zeros(3), np.eye(3)
            if world:
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
    kinds = np.array(kind, dtype=np.int64)
    unit = np.where(kinds == KIND_SLIDE, size, 1.0)
    record, records = _records(tree, kinds, index, unit, size)
    return ChainNodes(
        np.array(parent, dtype=np.int64),
        kinds,
        np.array(fixed).reshape(number, 3, 4),
        np.array(turn).reshape(number, 3, 3),
        index,
        unit,
        record,
        records,
        after,
    )


def _records(tree: Tree, kind: Ints, index: Ints, unit: Array, size: float) -> tuple[Ints, Array]:
    """Return the records of joints in the nodes' units and where each node's begins; writes the units."""
    record, records, at = np.full(len(kind), -1, dtype=np.int64), [np.zeros(0)], 0
    before = -1
    for k in np.flatnonzero(kind >= KIND_BEFORE):
        own = index[k] - 3
        unit[k] = tree.unit[own]
        if tree.record[own] != before:
            before = tree.record[own]
            made = tree.records[before:]
            records.append(scaled_record(made, tree.unit[own : own + int(made[1])].tolist(), size))
            at += len(records[-2])
        record[k] = at
    return record, np.concatenate(records)
