"""The arrays of a problem of locks, which lie in two blocks of memory, see ``core.kernels.layout``.

Lengths are divided by the figure's size W; the hard rows come first.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from core.kernels import F1, F2, F3, I1, I2, At, Layout

HEADER = 16
(NODES, ENTRIES, ROWS, HARD, LOCKS, BENDS, POSE, AFFINE, MASKED, MASSIVE, FIRST_SOFT, USED, CONED, SPLINES) = range(14)
"""Places of the header: how many there are of each, then flags; rows and entries from ``HARD`` and ``FIRST_SOFT`` on
are soft; ``USED`` takes how many steps a solve took; how many numbers the records of spline joints take."""

FORM, NODE, OTHER, FIRST, SIZE, OWNER, INEQUALITY, GOAL = range(8)
"""Columns of ``entry``: the form of its rows; nodes of its two points, -1 for the world; its first row and how many
there are; number of its lock or goal; whether they are ``C <= 0``; whether it is a goal's."""

POINT, DISTANCE, ROTATION, AXIS, AIM, MASS, CALL, CONE_ROW = range(8)
"""Forms of rows, see ``rows.Rows``; the last is that of the one row that keeps a joint in its cone."""

CONE, GAIN, LOWER, UPPER, UNIT, MORE, MIDDLE, MASS_OF = range(8)
"""Rows of ``node``: cosine of the cone; mobility K; limits, [rad] or [W]; what one unit is in the pose; how strongly
comfort draws to the middle, and where that is; mass that the node carries, as a part of all."""

BOUND, SOFT, SCALE, UNEVEN = range(4)
"""Rows of ``row``: bound of a half-plane; R of a soft row; what one unit of C is, [m] or [rad]; 1 if
it is an inequality."""

COSINE, SINE, PULL, REST, DESIRED, MOBILITY, ROOT, LOW, HIGH, Z, STEP, SLOPE, LEAST, MOST, FORMER = range(15)
"""Rows of ``vector``: of the nodes; where they are drawn to and how strongly; desired step, K, its root and bounds of a
quadratic program, unclipped and clipped step, and direction of a line search; limits of this solve,
and those before a bend."""
STATE = 15
SLOTS = 6
"""Values are kept in this many slots: rows of ``vector`` from ``STATE`` on, and of ``values`` from 0 on."""
RIGHT, SOFTNESS, LAMBDA, RESIDUAL, DELTA, SOLVED, WARM = range(SLOTS, SLOTS + 7)
"""Rows of ``values`` after the slots: right-hand side, R, multipliers, gradient of the dual, its step, scratch;
multipliers of the last step that all rows took part in."""


LOOK, PROJECT, DRAG = 0, 1, 2
"""What a solve does: nothing but evaluate, hold the hard rows near a pose, or meet the soft rows along them."""
DRAG_SOFTNESS = 1e-4
"""R of a goal of weight 1: what its error costs beside leaving the start pose."""
SMALL = 1e-4
"""Sine under which the angle's coefficients come from their series."""


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
            is given, shape (K, 3, 4).
        turn: The same without scales, shape (K, 3, 3).
        splines: Records of the spline joints, see ``core.kinematics.splines_kernel``, lengths / W.
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

    header: Annotated[I1, At(0), HEADER]
    parent: Annotated[I1, "K"]
    kind: Annotated[I1, "K"]
    partner: Annotated[I1, "K"]
    q_index: Annotated[I1, "K"]
    entry: Annotated[I2, "E", 8]
    reach: Annotated[I2, "E", "K"]
    bend: Annotated[I2, "B", 3]
    rows: Annotated[I1, "M"]
    free: Annotated[I2, 2, "K"]
    spline: Annotated[I1, "K"]
    fixed: Annotated[F3, "K", 3, 4]
    turn: Annotated[F3, "K", 3, 3]
    splines: Annotated[F1, "N"]
    F: Annotated[F3, "K", 3, 4]
    placed: Annotated[F3, "K", 3, 3]
    S: Annotated[F2, "K", 6]
    node: Annotated[F2, 8, "K"]
    moment: Annotated[F2, "K", 3]
    standing: Annotated[F1, 4]
    base: Annotated[F3, 2, 3, 4]
    point: Annotated[F2, "E", 3]
    other_point: Annotated[F2, "E", 3]
    target: Annotated[F2, "E", 3]
    basis: Annotated[F3, "E", 3, 3]
    wanted: Annotated[F3, "E", 3, 3]
    directions: Annotated[F2, "M", 3]
    row: Annotated[F2, 4, "M"]
    mask: Annotated[F2, "masked*M", "K"]
    side: Annotated[F2, "B", 3]
    limits: Annotated[F2, 2, "nq"]
    X: Annotated[F3, "K", 3, 4]
    R: Annotated[F3, "K", 3, 3]
    below: Annotated[F2, "K", 4]
    vector: Annotated[F2, STATE + SLOTS, "K"]
    values: Annotated[F2, SLOTS + 7, "M"]
    J: Annotated[F2, "M", "K"]
    T: Annotated[F2, "masked*M", "K"]
    G: Annotated[F2, "M", "K"]
    A: Annotated[F2, "M", "M"]


_SIZES = {"K": NODES, "E": ENTRIES, "M": ROWS, "B": BENDS, "nq": POSE, "masked": MASKED, "N": SPLINES}
unpack = Layout((Hold,), _SIZES, HEADER)
"""Finds the arrays of a problem: ``unpack(ints, floats)``."""
