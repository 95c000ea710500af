"""The memory of a problem of locks: one table of names and types, for its kernels and for Python.

Lengths are divided by the figure's size W; the hard rows come first.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Ints
from core.kernels.block import Block, Layout, Records, record

POINT, DISTANCE, ROTATION, AXIS, AIM, MASS, CALL, EQUATION, CONE_ROW = range(9)
"""Forms of rows, see ``rows.Rows``; the last is that of the one row that keeps a joint in its cone."""

POSES = 4
"""Poses that are kept at the same time, with the errors of the rows there, see ``pose_steps_kernel``."""
LOOK, PROJECT, DRAG = 0, 1, 2
"""What a solve does: nothing but evaluate, hold the hard rows near a pose, or meet the soft rows along them."""
DRAG_SOFTNESS = 1e-4
"""R of a goal of weight 1: what its error costs beside leaving the start pose."""
SMALL = 1e-4
"""Sine under which the angle's coefficients come from their series."""

FLOAT, INTEGER = np.dtype(np.float64), np.dtype(np.int64)

STATE = record(*((name, INTEGER) for name in (
    # Sizes: nodes, entries of rows, rows, elbows and knees, pose values; rows of the mask, 0 if all nodes may help all
    # rows; numbers that the records of joints take.
    "node_count", "entry_count", "row_count", "bend_count", "value_count", "mask_count", "record_length",
    "lock_count",
    "hard_count", "first_soft",  # rows and entries from these on are soft
    "reference_count", "cell_count", "operation_count", "output_count",  # of equations
    "affine", "massive",  # whether any scale is not 1; whether the centre of mass is needed
)))  # fmt: skip
ENTRY = record(*((name, INTEGER) for name in (
    "form",
    "node", "other",  # nodes of its two points, -1 for the world
    "first", "size",  # its first row and how many there are
    "owner",  # number of its lock or goal
    "inequality", "goal", "angle",  # whether its rows are C <= 0, it is a goal's, its rows are angles
)))  # fmt: skip

_K, _E, _M, _B = ("node_count",), ("entry_count",), ("row_count",), ("bend_count",)

LAYOUT = Layout(STATE, [
    ("entries", ENTRY, _E),
    *((name, INTEGER, _K) for name in ("parent", "kind", "partner", "q_index", "record", "free")),
    ("reach", INTEGER, ("entry_count", "node_count")), ("bend", INTEGER, ("bend_count", 3)), ("counting", INTEGER, _M),
    *((name, FLOAT, _K) for name in (
        "cone", "gain", "lower", "upper", "unit", "comfort", "middle", "mass", "cosine", "sine", "pull", "rest",
        "desired", "mobility", "root", "low", "high", "z", "step", "slope", "least", "most", "former", "before",
    )),
    ("fixed", FLOAT, ("node_count", 3, 4)), ("turn", FLOAT, ("node_count", 3, 3)),
    ("records", FLOAT, ("record_length",)), ("F", FLOAT, ("node_count", 3, 4)),
    ("placed", FLOAT, ("node_count", 3, 3)), ("S", FLOAT, ("node_count", 6)),
    ("moment", FLOAT, ("node_count", 3)), ("standing", FLOAT, (4,)), ("base", FLOAT, (2, 3, 4)),
    ("point", FLOAT, ("entry_count", 3)), ("other_point", FLOAT, ("entry_count", 3)),
    ("target", FLOAT, ("entry_count", 3)), ("basis", FLOAT, ("entry_count", 3, 3)),
    ("wanted", FLOAT, ("entry_count", 3, 3)),
    *((name, FLOAT, _M) for name in (
        "bound", "soft", "scale", "uneven", "right_side", "softness", "multiplier", "residual", "delta", "solved",
        "warm", "own",
    )),
    ("directions", FLOAT, ("row_count", 3)), ("mask", FLOAT, ("mask_count", "node_count")),
    ("side", FLOAT, ("bend_count", 3)), ("limits", FLOAT, (2, "value_count")),
    ("spans", INTEGER, ("entry_count", 6)), ("references", INTEGER, ("reference_count", 3)),
    ("lever", FLOAT, ("reference_count", 4)), ("tape", INTEGER, ("operation_count", 5)),
    ("cells", FLOAT, ("cell_count",)), ("outputs", INTEGER, ("output_count",)),
    ("X", FLOAT, ("node_count", 3, 4)), ("R", FLOAT, ("node_count", 3, 3)), ("below", FLOAT, ("node_count", 4)),
    ("x", FLOAT, (POSES, "node_count")), ("C", FLOAT, (POSES, "row_count")),
    ("J", FLOAT, ("row_count", "node_count")), ("T", FLOAT, ("mask_count", "node_count")),
    ("G", FLOAT, ("row_count", "node_count")), ("A", FLOAT, ("row_count", "row_count")),
])  # fmt: skip


class Hold(Block):
    """A problem of locks; K nodes, E entries of rows, M rows, B bends, nq pose values.

    Attributes:
        entries: Records, a form of rows each.
        parent: Parent node, -1 for the base frame, shape (K,).
        kind: ``KIND_HINGE``, ``KIND_SLIDE``, ``KIND_BEFORE`` or ``KIND_GENERAL``, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        q_index: Pose value of each node, shape (K,).
        record: Where the record of a coordinate's joint begins in ``records``, -1 for others, shape (K,).
        reach: 1 if the node moves the entry's point, plus 2 if it moves the other point, shape (E, K).
        bend: Nodes of elbows and knees, and of the hinges above and below that fold with them or -1, shape (B, 3).
        side: Sides to which they turn, 1 or -1, shape (B, 3).
        cone: Cosine of the cone, shape (K,).
        gain: Mobility K, shape (K,).
        lower, upper: Limits, [rad] or [W], shape (K,).
        unit: What one unit is in the pose, shape (K,).
        comfort, middle: How strongly comfort draws to the middle, and where that is, shape (K,).
        mass, moment: What the node carries, as a part of all; times its centre in the node's frame, shapes (K,) and
            (K, 3).
        standing: Mass and moment of what stands still, shape (4,).
        fixed: Transform [M | t] from the parent node's frame to this one at zero, of coordinates to where their joint
            begins, shape (K, 3, 4).
        turn: The same without scales, shape (K, 3, 3).
        records: Constants of these joints, see ``core.kinematics.joints_kernel``, lengths / W.
        F, placed: ``fixed`` and ``turn`` with coordinates where they are.
        S: Twists [w; v] of coordinates per unit of x in their own frames, shape (K, 6).
        base: [0]: base frame; [1]: its rotation without scales in the first three columns, shape (2, 3, 4).
        point, other_point: Points in the frames of their nodes, shape (E, 3).
        target: Points or, first, lengths, shape (E, 3).
        basis: Rotation from the node's frame to the joint's; for axes two directions across and the axis in its
            columns, shape (E, 3, 3).
        wanted: Rotations, or directions in the first row, shape (E, 3, 3).
        directions: D, shape (M, 3).
        bound: Bound of a half-plane, shape (M,).
        soft: R of a soft row, shape (M,).
        scale: What one unit of C is, [m] or [rad], shape (M,).
        uneven: 1 if it is an inequality, shape (M,).
        mask: 1 where a node may help a row, shape (M, K), or (0, K) if all may.
        limits: Limits of the pose, shape (2, nq).
        spans: Of equations: first and stop of their references, first of their operations, of those of the slopes, and
            stop; first output, shape (E, 6). One unit of their texts in C is their first ``target``.
        references: What equations name: a node, which coordinate of a point in the world or -1 for the node's value,
            and the cell that it is written to, shape (references, 3).
        lever: The point in the frame of the node, and what one unit is in the text, shape (references, 4).
        tape, cells: Operations and their numbers, see ``core.constraints.tape_kernel``.
        outputs: Cells of an entry's values, then of each value's slopes by its references.
        X: World frames of the nodes, shape (K, 3, 4).
        R: Their rotations without scales, shape (K, 3, 3).
        cosine, sine: Of the nodes, shape (K,).
        below: Mass and moment in the world of what each node moves, shape (K, 4).
        x, C: Values of the nodes and errors of the rows in several poses, shapes (POSES, K), (POSES, M).
        J: Jacobian, shape (M, K).
        T: The same before the mask, shape (M, K), or (0, K).
        pull, rest: How strongly nodes are drawn, and where to, shape (K,).
        least, most, former: Limits of this solve, and those before a bend, shape (K,).
        before: Values at the start, shape (K,).
        desired, mobility, root, low, high: Of a quadratic program: desired step, K, its root, bounds, shape (K,).
        z, step: Its step before and after clipping, shape (K,).
        slope: Direction of its line search, shape (K,).
        right_side, softness, multiplier: Its right-hand side, R and multipliers, shape (M,).
        residual, delta, solved: Gradient of its dual, its step, and that of the rows that count, shape (M,).
        counting, free: Rows that count in a Newton step, shape (M,); which nodes are off their bounds, shape (K,).
        warm: Multipliers of the last step that all rows took part in, shape (M,).
        own: Right-hand side without what nodes do that may not help, shape (M,).
        G: Jacobian times the roots of K, columns on bounds zero, shape (M, K).
        A: Matrix of a Newton step, shape (M, M).
    """

    layout = LAYOUT

    entries: Records
    parent: Ints
    kind: Ints
    partner: Ints
    q_index: Ints
    record: Ints
    free: Ints
    reach: Ints
    bend: Ints
    counting: Ints
    cone: Array
    gain: Array
    lower: Array
    upper: Array
    unit: Array
    comfort: Array
    middle: Array
    mass: Array
    cosine: Array
    sine: Array
    pull: Array
    rest: Array
    desired: Array
    mobility: Array
    root: Array
    low: Array
    high: Array
    z: Array
    step: Array
    slope: Array
    least: Array
    most: Array
    former: Array
    before: Array
    fixed: Array
    turn: Array
    records: Array
    F: Array
    placed: Array
    S: Array
    moment: Array
    standing: Array
    base: Array
    point: Array
    other_point: Array
    target: Array
    basis: Array
    wanted: Array
    bound: Array
    soft: Array
    scale: Array
    uneven: Array
    right_side: Array
    softness: Array
    multiplier: Array
    residual: Array
    delta: Array
    solved: Array
    warm: Array
    own: Array
    directions: Array
    mask: Array
    side: Array
    limits: Array
    spans: Ints
    references: Ints
    lever: Array
    tape: Ints
    cells: Array
    outputs: Ints
    X: Array
    R: Array
    below: Array
    x: Array
    C: Array
    J: Array
    T: Array
    G: Array
    A: Array
