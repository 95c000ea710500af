"""The memory of the recursive formulation: one table of names and types, for its kernels and for Python.

World axes, and inertias, wrenches and accelerations about a node's origin, but where a comment says otherwise.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from core.arrays import Array
from core.kernels.block import Block, Layout, RecordOf, Records, record
from core.kernels.types import RecordsOf

HINGE, ROTATION_VECTOR, TURNED, SLIDE, GENERAL, CONTINUED = range(6)
"""Kinds of nodes: about local z, the first of a rotation vector and its others; along local z, the first of a joint of
several coordinates and its others. Those before ``SLIDE`` only turn."""

FLOAT, INTEGER = np.dtype(np.float64), np.dtype(np.int64)

NODE = record(
    ("parent", INTEGER), ("kind", INTEGER), ("body", INTEGER),  # the body that the coordinate belongs to
    ("count", INTEGER),  # of the first node of a rotation vector or a general joint: how many coordinates it has
    ("empty", INTEGER),  # whether nothing that has inertia is fixed to it
    ("T", FLOAT, 9), ("at", FLOAT, 3),  # rotation and place of its frame in its parent's where its coordinate is 0
    ("mass", FLOAT), ("first_moment", FLOAT, 3),  # mass times centre, in its own axes
    ("second_moment", FLOAT, 6),  # inertia about the origin, in its own axes: xx xy xz yy yz zz
    ("least", FLOAT, 2),  # an inertia about or along the node's axis that is no more may be nothing but rounding
    ("added", FLOAT), ("given", FLOAT),  # inertia of the joint, infinite for a prescribed motion; that acceleration
    # As the kernels leave them. The arm is the origin seen from the parent's, the bias what velocities add to the
    # acceleration [alpha; a] from the parent's to the node's origin; of the motion subspace of what only turns the
    # first three numbers count.
    ("R", FLOAT, 9), ("arm", FLOAT, 3), ("omega", FLOAT, 3), ("bias", FLOAT, 6), ("S", FLOAT, 6),
    ("inertia", FLOAT, 21),  # articulated, [[I, H], [H^T, M]]: I (xx xy xz yy yz zz), H (9, row by row), M (6, as I)
    ("force", FLOAT, 6),  # the wrench [t; f] at no acceleration; afterwards the acceleration [alpha; a]
    ("open", INTEGER),  # whether a joint of six coordinates begins here, through which no inertia gets
    ("stays", INTEGER),  # whether the origin is always that of the parent
    ("spare", FLOAT),  # whole cache lines
    same={
        # Once a coordinate is eliminated: its columns over the pivot, its acceleration if its parent had none, and one
        # over the pivot.
        "gain": ("inertia", 0, FLOAT, 6), "free": ("inertia", 6, FLOAT), "pivot": ("inertia", 7, FLOAT),
        # Of general joints, in the first node, in joint axes: transform (9 + 3) and Sdot v; the columns of the
        # subspace lie in S.
        "joint": ("inertia", 0, FLOAT, 12), "joint_rate": ("inertia", 12, FLOAT, 6),
        # Of composite bodies: mass times centre, and mass.
        "composite": ("inertia", 6, FLOAT, 4),
    },
)  # fmt: skip
BODY = record(("parent", INTEGER), ("T", FLOAT, 9), ("at", FLOAT, 3))
"""The node that a body is fixed to, and its pose there."""

Nodes = Annotated[Any, RecordsOf(NODE)]
"""The world, then the node of each coordinate."""
Node = Annotated[Any, RecordOf(NODE)]
BodyPlace = Annotated[Any, RecordOf(BODY)]


class TreeMemory(Block):
    """A tree of bodies, and what the kernels work in.

    Attributes:
        nodes: Records: [0] the world, [1 + k] the node of coordinate k.
        bodies: Records.
        cosine, sine: Of the coordinates, shape (nv,).
    """

    layout = Layout(
        record(("node_count", INTEGER), ("body_count", INTEGER), ("coordinate_count", INTEGER)),
        [
            ("nodes", NODE, ("node_count",)), ("bodies", BODY, ("body_count",)),
            ("cosine", FLOAT, ("coordinate_count",)), ("sine", FLOAT, ("coordinate_count",)),
        ],
    )  # fmt: skip

    nodes: Records
    bodies: Records
    cosine: Array
    sine: Array
