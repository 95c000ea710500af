"""The arrays of a problem of locks, and how they lie in two blocks of memory.

As with ``core.ik.packed``: a kernel that is handed two blocks finds its arrays in them faster than it takes many in.
``unpack`` in ``unpacking`` and ``views`` here do the same, in the same order. Lengths are divided by the figure's
size W; the hard rows come first.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from core.skeleton.skeleton import Array
from core.skeleton.tree import Ints

HEADER = 16
(NODES, ENTRIES, ROWS, HARD, LOCKS, BENDS, POSE, AFFINE, MASKED, MASSIVE, FIRST_SOFT, USED, CONED, SPLINES) = range(14)
"""Places of the header: how many there are of each, then flags; rows and entries from ``HARD`` and ``FIRST_SOFT`` on
are soft; ``USED`` takes how many steps a solve took; how many numbers the records of spline joints take."""

FORM, NODE, OTHER, FIRST, SIZE, OWNER, INEQUALITY, GOAL = range(8)
"""Columns of ``entry``: the form of its rows; nodes of its two points, -1 for the world; its first row and how many
there are; number of its lock or goal; whether they are ``C <= 0``; whether it is a goal's."""

CONE_ROW = 7
"""Form of the one row that keeps a joint in its cone, besides those of ``core.constraints.rows``."""

CONE, GAIN, LOWER, UPPER, UNIT, MORE, MIDDLE, MASS_OF = range(8)
"""Rows of ``node``: cosine of the cone; willingness K; limits, [rad] or [W]; what one unit is in the pose; how strongly
comfort draws to the middle, and where that is; mass that the node carries, as a part of all."""

BOUND, SOFT, SCALE, UNEVEN = range(4)
"""Rows of ``row``: bound of a half-plane; R of a soft row; what one unit of C is, [m] or [rad]; 1 if
it is an inequality."""

COSINE, SINE, PULL, REST, DESIRED, WILLING, ROOT, LOW, HIGH, Z, STEP, SLOPE, LEAST, MOST, FORMER = range(15)
"""Rows of ``vector``: of the nodes; where they are drawn to and how strongly; desired step, K, its root and bounds of a
quadratic program, unclipped and clipped step, and direction of a line search; limits of this solve,
and those before a bend."""
STATE = 15
SLOTS = 6
"""Values are kept in this many slots: rows of ``vector`` from ``STATE`` on, and of ``values`` from 0 on."""
RIGHT, SOFTNESS, LAMBDA, RESIDUAL, DELTA, SOLVED, WARM = range(SLOTS, SLOTS + 7)
"""Rows of ``values`` after the slots: right-hand side, R, multipliers, gradient of the dual, its step, scratch;
multipliers of the last step that all rows took part in."""


class Hold(NamedTuple):
    """The arrays; K nodes, E entries of rows, M rows, B bends, nq pose values.

    Attributes:
        header: Sizes and flags.
        parent: Parent node, -1 for the base frame, shape (K,).
        kind: ``KIND_HINGE``, ``KIND_SLIDE`` or one of the kinds of coordinates, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        q_index: Pose value of each node, shape (K,).
        entry: See ``FORM``, shape (E, 8).
        reach: 1 if the node moves the entry's point, plus 2 if it moves the other point, shape (E, K).
        bend: Nodes of elbows and knees, and of the hinges above and below that fold with them or -1, shape (B, 3).
        rows: Scratch: rows that count in a Newton step, shape (M,).
        free: Scratch: nodes off their bounds, now and one step before, shape (2, K).
        spline: Where the record of a coordinate's joint begins in ``splines``, -1 for others, shape (K,).
        fixed: Transform [M | t] from the parent node's frame to this one at zero, of coordinates to where their spline
            is told, shape (K, 3, 4).
        turn: The same without scales, shape (K, 3, 3).
        splines: Records of the spline joints, see ``core.kinematics.splines_plain``, lengths / W.
        F: ``fixed`` with coordinates where they are, shape (K, 3, 4).
        placed: ``turn`` with coordinates where they are, shape (K, 3, 3).
        S: Twists [w; v] of coordinates per unit of x in their own frames, shape (K, 6).
        node: See ``CONE``, shape (8, K).
        moment: Mass times its centre in the node's frame, shape (K, 3).
        standing: Mass and moment of what stands still, shape (4,).
        base: [0]: base frame; [1]: its rotation without scales in the first three columns, shape (2, 3, 4).
        point: Points in the frames of their nodes, shape (E, 3).
        other_point: Second points, shape (E, 3).
        target: Points or, first, lengths, shape (E, 3).
        basis: Rotation from the node's frame to the joint's; for axes two directions across and the axis in its
            columns, shape (E, 3, 3).
        wanted: Rotations, or directions in the first row, shape (E, 3, 3).
        directions: D, shape (M, 3).
        row: See ``BOUND``, shape (4, M).
        mask: 1 where a node may help a row, shape (M, K), or (0, K) if all may.
        side: Sides to which they turn, 1 or -1, shape (B, 3).
        limits: Limits of the pose, shape (2, nq).
        X: World frames of the nodes, shape (K, 3, 4).
        R: Their rotations without scales, shape (K, 3, 3).
        below: Mass and moment in the world of what each node moves, shape (K, 4).
        vector: See ``COSINE``, shape (STATE + SLOTS, K).
        values: See ``RIGHT``, shape (SLOTS + 7, M).
        J: Jacobian, shape (M, K).
        T: The same before the mask, shape (M, K), or (0, K).
        G: Jacobian times the roots of K, columns on bounds zero, shape (M, K).
        A: Matrix of a Newton step, shape (M, M).
    """

    header: Ints
    parent: Ints
    kind: Ints
    partner: Ints
    q_index: Ints
    entry: Ints
    reach: Ints
    bend: Ints
    rows: Ints
    free: Ints
    spline: Ints
    fixed: Array
    turn: Array
    splines: Array
    F: Array
    placed: Array
    S: Array
    node: Array
    moment: Array
    standing: Array
    base: Array
    point: Array
    other_point: Array
    target: Array
    basis: Array
    wanted: Array
    directions: Array
    row: Array
    mask: Array
    side: Array
    limits: Array
    X: Array
    R: Array
    below: Array
    vector: Array
    values: Array
    J: Array
    T: Array
    G: Array
    A: Array


Shapes = dict[str, tuple[int, ...]]


def shapes(header: Ints) -> tuple[Shapes, Shapes]:
    """Return the arrays in the block of whole numbers after its header, and in that of floating-point numbers."""
    K, E, M, B, nq = (int(header[k]) for k in (NODES, ENTRIES, ROWS, BENDS, POSE))
    masked = M if header[MASKED] else 0
    ints: Shapes = {
        "parent": (K,), "kind": (K,), "partner": (K,), "q_index": (K,), "entry": (E, 8), "reach": (E, K),
        "bend": (B, 3), "rows": (M,), "free": (2, K), "spline": (K,),
    }  # fmt: skip
    floats: Shapes = {
        "fixed": (K, 3, 4), "turn": (K, 3, 3), "splines": (int(header[SPLINES]),), "F": (K, 3, 4), "placed": (K, 3, 3),
        "S": (K, 6), "node": (8, K), "moment": (K, 3), "standing": (4,), "base": (2, 3, 4),
        "point": (E, 3), "other_point": (E, 3), "target": (E, 3), "basis": (E, 3, 3), "wanted": (E, 3, 3),
        "directions": (M, 3), "row": (4, M), "mask": (masked, K), "side": (B, 3), "limits": (2, nq),
        "X": (K, 3, 4), "R": (K, 3, 3), "below": (K, 4), "vector": (STATE + SLOTS, K), "values": (SLOTS + 7, M),
        "J": (M, K), "T": (masked, K), "G": (M, K), "A": (M, M),
    }  # fmt: skip
    return ints, floats


def views(ints: Ints, floats: Array) -> Hold:
    """Return the arrays that lie in two blocks."""
    found: dict[str, Any] = {"header": ints[:HEADER]}
    for block, at, layout in zip((ints, floats), (HEADER, 0), shapes(ints[:HEADER]), strict=True):
        for name, shape in layout.items():
            size = math.prod(shape)
            found[name] = block[at : at + size].reshape(shape)
            at += size
    return Hold(*(found[name] for name in Hold._fields))


def allocate(header: Ints) -> tuple[Ints, Array]:
    """Return new blocks, the header copied in, everything else 0."""
    sizes = [sum(math.prod(shape) for shape in layout.values()) for layout in shapes(header)]
    ints, floats = np.zeros(HEADER + sizes[0], dtype=np.int64), np.zeros(sizes[1])
    ints[:HEADER] = header
    return ints, floats
