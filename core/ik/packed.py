"""The arrays of an inverse-kinematics problem, and how they lie in two blocks of memory.

A compiled solver that is handed some forty arrays spends longer on taking them in than on solving. It is handed two
blocks instead, one of whole and one of floating-point numbers, and finds the arrays in them: ``unpack`` in
``nodes_kernels`` for machine code and ``views`` here do the same, in the same order.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from core.skeleton.skeleton import Array
from core.skeleton.tree import Ints

TRACE = 1024
"""Iterations whose merit there is room for at first."""
LONGEST_TRACE = 1_000_000

HEADER = 4
"""Whole numbers in front: how many nodes, how many goals, whether any scale is not 1, how many numbers splines take."""


class Nodes(NamedTuple):
    """The K degrees of freedom that may move, every parent before its children.

    Attributes:
        parent: Parent node, -1 for the base frame, shape (K,).
        kind: ``KIND_HINGE``, ``KIND_SLIDE`` or one of the kinds of coordinates, shape (K,).
        fixed: Transform [M | t] from the parent node's frame to this one at zero, of coordinates to where their spline
            is told, shape (K, 3, 4), lengths / W.
        turn: The same without scales, a rotation, shape (K, 3, 3).
        lower: Lower limits, [rad] or [W], shape (K,).
        upper: Upper limits, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        cone: Cosine of the cone's half-angle, ``NO_CONE`` without one, shape (K,).
        weight: Responsiveness 0..1, shape (K,).
        gain: The solver's K_i, shape (K,).
        affine: 1 if any scale is not 1, else 0, shape (1,).
        ball: 1 for the last of three hinges that make a ball joint, else 0, shape (K,).
        spline: Where the record of a coordinate's joint begins in ``splines``, -1 for others, shape (K,).
        splines: Records of the spline joints, see ``core.kinematics.splines_plain``, lengths / W.
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
    ball: Ints
    spline: Ints
    splines: Array


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
    distal: Ints
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
        B: Rows of the Jacobian that count, times the square roots of their weights, shape (6 G, K).
        spin: Cosines and sines of the nodes, 1 and 0 for all but hinges, shape (2, K).
        F: ``Nodes.fixed`` with coordinates where they are, shape (K, 3, 4).
        T: ``Nodes.turn`` with coordinates where they are, shape (K, 3, 3).
        S: Twists [w; v] of coordinates per unit of x in their own frames, shape (K, 6).
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
    B: Array
    spin: Array
    F: Array
    T: Array
    S: Array


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


Shapes = dict[str, tuple[int, ...]]


def shapes(nodes: int, goals: int, splines: int) -> tuple[Shapes, Shapes]:
    """Return the arrays in the block of whole numbers after its header, and in that of floating-point numbers."""
    K, G = nodes, goals
    ints: Shapes = {"parent": (K,), "kind": (K,), "partner": (K,), "ball": (K,), "spline": (K,)}
    ints |= {"node": (G,), "distal": (G, K), "used": (1,)}
    floats: Shapes = {
        "fixed": (K, 3, 4), "turn": (K, 3, 3), "cone": (K,),
        "point": (G, 3), "twist": (G, 3, 3), "target": (G, 3), "wanted": (G, 3, 3), "weight": (G, 3), "base": (2, 3, 4),
        "X": (K, 3, 4), "R": (K, 3, 3), "P": (G, 3), "O": (G, 3, 3), "E": (6 * G,), "J": (6 * G, K),
        "A": (6 * G, 6 * G), "y": (6 * G,), "s": (8, K), "score": (2,), "B": (6 * G, K), "spin": (2, K),
        "F": (K, 3, 4), "T": (K, 3, 3), "S": (K, 6), "splines": (splines,),
    }  # fmt: skip
    return ints, floats


def views(ints: Ints, floats: Array) -> dict[str, Any]:
    """Return the arrays that lie in two blocks, by name."""
    found: dict[str, Any] = {"affine": ints[2:3]}
    layouts = shapes(int(ints[0]), int(ints[1]), int(ints[3]))
    for block, at, layout in zip((ints, floats), (HEADER, 0), layouts, strict=True):
        for name, shape in layout.items():
            size = math.prod(shape)
            found[name] = block[at : at + size].reshape(shape)
            at += size
    return found


def allocate(nodes: Nodes, goals: int) -> Block:
    """Return new blocks for so many goals, the constants of the nodes copied in, everything else 0."""
    number, length = len(nodes.parent), len(nodes.splines)
    sizes = [sum(math.prod(shape) for shape in layout.values()) for layout in shapes(number, goals, length)]
    ints, floats = np.zeros(HEADER + sizes[0], dtype=np.int64), np.zeros(sizes[1])
    ints[:HEADER] = number, goals, nodes.affine[0], length
    found = views(ints, floats) | {"trace": np.zeros(TRACE)}
    for name in ("parent", "kind", "partner", "ball", "spline", "splines", "fixed", "turn", "cone"):
        found[name][:] = getattr(nodes, name)
    found["F"][:], found["T"][:] = nodes.fixed, nodes.turn
    aims = Aims(*(found[name] for name in Aims._fields))
    work = Work(*(found[name] for name in Work._fields))
    return Block(ints, floats, aims, np.zeros(number), work)
