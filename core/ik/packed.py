"""The arrays of an inverse-kinematics problem, which lie in two blocks of memory, see ``core.kernels.layout``.

K nodes, G goals and N numbers of records; arrays without a shape in their annotation lie elsewhere.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from core.arrays import Array
from core.kernels import F1, F2, F3, I1, I2, At, Layout
from core.skeleton.tree import Ints

TRACE = 1024
"""Iterations whose merit there is room for at first."""
LONGEST_TRACE = 1_000_000

HEADER = 4
"""Whole numbers in front: how many nodes, how many goals, whether any scale is not 1, how many numbers records take."""


class Nodes(NamedTuple):
    """The K degrees of freedom that may move, every parent before its children.

    Attributes:
        parent: Parent node, -1 for the base frame, shape (K,).
        kind: ``KIND_HINGE``, ``KIND_SLIDE``, ``KIND_BEFORE`` or ``KIND_GENERAL``, shape (K,).
        fixed: Transform [M | t] from the parent node's frame to this one at zero, of coordinates to where their joint
            begins, shape (K, 3, 4), lengths / W.
        turn: The same without scales, a rotation, shape (K, 3, 3).
        lower: Lower limits, [rad] or [W], shape (K,).
        upper: Upper limits, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        cone: Cosine of the cone's half-angle, ``NO_CONE`` without one, shape (K,).
        weight: Responsiveness 0..1, shape (K,).
        gain: The solver's K_i, shape (K,).
        affine: 1 if any scale is not 1, else 0, shape (1,).
        ball: 1 for the last of three hinges that make a ball joint, else 0, shape (K,).
        record: Where the record of a coordinate's joint begins in ``records``, -1 for others, shape (K,).
        records: Constants of these joints, see ``core.kinematics.joints_kernel``, lengths / W.
    """

    parent: Annotated[I1, "K"]
    kind: Annotated[I1, "K"]
    fixed: Annotated[F3, "K", 3, 4]
    turn: Annotated[F3, "K", 3, 3]
    lower: F1
    upper: F1
    partner: Annotated[I1, "K"]
    cone: Annotated[F1, "K"]
    weight: F1
    gain: F1
    affine: Annotated[I1, At(2), 1]
    ball: Annotated[I1, "K"]
    record: Annotated[I1, "K"]
    records: Annotated[F1, "N"]


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

    node: Annotated[I1, "G"]
    point: Annotated[F2, "G", 3]
    twist: Annotated[F3, "G", 3, 3]
    target: Annotated[F2, "G", 3]
    wanted: Annotated[F3, "G", 3, 3]
    weight: Annotated[F2, "G", 3]
    distal: Annotated[I2, "G", "K"]
    base: Annotated[F3, 2, 3, 4]


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
        B: Rows of the Jacobian that count, times the square roots of their weights, shape (6 G, K).
        spin: Cosines and sines of the nodes, 1 and 0 for all but hinges, shape (2, K).
        F: ``Nodes.fixed`` with coordinates where they are, shape (K, 3, 4).
        T: ``Nodes.turn`` with coordinates where they are, shape (K, 3, 3).
        S: Twists [w; v] of coordinates per unit of x in their own frames, shape (K, 6).
    """

    X: Annotated[F3, "K", 3, 4]
    R: Annotated[F3, "K", 3, 3]
    P: Annotated[F2, "G", 3]
    O: Annotated[F3, "G", 3, 3]  # noqa: E741 - the thesis' name
    E: Annotated[F1, "6*G"]
    J: Annotated[F2, "6*G", "K"]
    A: Annotated[F2, "6*G", "6*G"]
    y: Annotated[F1, "6*G"]
    s: Annotated[F2, 8, "K"]
    score: Annotated[F1, 2]
    trace: F1
    used: Annotated[I1, 1]
    B: Annotated[F2, "6*G", "K"]
    spin: Annotated[F2, 2, "K"]
    F: Annotated[F3, "K", 3, 4]
    T: Annotated[F3, "K", 3, 3]
    S: Annotated[F2, "K", 6]


class Block(NamedTuple):
    """Memory of one problem; a solve has it to itself.

    Attributes:
        ints: Whole numbers: the header, then arrays.
        floats: Floating-point numbers: constants of the nodes, goals, scratch memory.
        aims: The goals, views of both.
        x: Values of the nodes, shape (K,).
        work: Scratch memory, views of both but for ``trace``.
    """

    ints: Ints
    floats: Array
    aims: Aims
    x: Array
    work: Work


unpack = Layout((Nodes, Aims, Work), {"K": 0, "G": 1, "N": 3}, HEADER)
"""Finds nodes, goals and scratch memory: ``unpack(ints, floats, lower, upper, weight, gain, trace)``."""


def allocate(nodes: Nodes, goals: int) -> Block:
    """Return new blocks for so many goals, the constants of the nodes copied in, everything else 0."""
    number, length = len(nodes.parent), len(nodes.records)
    ints, floats = unpack.allocate((number, goals, int(nodes.affine[0]), length))
    own, aims, work = unpack(ints, floats, nodes.lower, nodes.upper, nodes.weight, nodes.gain, np.zeros(TRACE))
    for name in ("parent", "kind", "partner", "ball", "record", "records", "fixed", "turn", "cone"):
        getattr(own, name)[:] = getattr(nodes, name)
    work.F[:], work.T[:] = nodes.fixed, nodes.turn
    return Block(ints, floats, aims, np.zeros(number), work)
