"""Frames of single degrees of freedom, with numpy."""

from __future__ import annotations

import math

import numpy as np

from core.skeleton.skeleton import Array
from core.skeleton.tree import KIND_HINGE, KIND_SLIDE, Ints

CONE_STEPS = 60
"""Halvings that find how far a joint may swing in its cone."""


def place(
    parent: Ints, kind: Ints, fixed: Array, turn: Array, affine: bool, base: Array, x: Array,
    cosines: Array, sines: Array, X: Array, R: Array,
) -> None:  # fmt: skip
    """Write the world frames of nodes into ``X``, and their rotations without scales into ``R``.

    Args:
        parent: Parent of each node, -1 for the base frame, shape (K,).
        kind: Hinges and slides move about or along their local z axis, shape (K,).
        fixed: Transforms [M | t] from the parent to the node at zero, of coordinates at ``x``, shape (K, 3, 4).
        turn: The same without scales, rotations, shape (K, 3, 3).
        affine: Whether there are any scales.
        base: [0]: base frame; [1]: its rotation without scales in the first three columns, shape (2, 3, 4).
        x: Values of the nodes, shape (K,).
        cosines: Overwritten with those of the nodes, 1 for all but hinges, shape (K,).
        sines: Overwritten, shape (K,).
        X: Overwritten with the frames [M | t], shape (K, 3, 4).
        R: Overwritten with the rotations, shape (K, 3, 3).
    """
    for k in range(len(x)):
        p = parent[k]
        above, rotation = (base[0], base[1, :, :3]) if p < 0 else (X[p], R[p])
        linear = above[:, :3] @ fixed[k, :, :3]
        origin = above[:, :3] @ fixed[k, :, 3] + above[:, 3]
        rotation = rotation @ turn[k]
        if kind[k] == KIND_HINGE:
            c, s = cosines[k], sines[k] = math.cos(x[k]), math.sin(x[k])
            about_z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            linear, rotation = linear @ about_z, rotation @ about_z
        else:
            cosines[k], sines[k] = 1.0, 0.0
            if kind[k] == KIND_SLIDE:
                origin = origin + linear[:, 2] * x[k]
        X[k, :, :3], X[k, :, 3] = linear, origin
        R[k] = rotation


def clamp_values(lower: Array, upper: Array, partner: Ints, cone: Array, x: Array) -> None:
    """Move values inside all limits, in place; a joint with a cone is turned back along its own arc.

    Args:
        lower: Lower limits, shape (K,).
        upper: Upper limits, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        cone: Cosine of the cone's half-angle, shape (K,).
        x: Values, shape (K,).
    """
    np.clip(x, lower, upper, out=x)
    for a in range(len(x)):
        b = partner[a]
        if b <= a or math.cos(x[a]) * math.cos(x[b]) >= cone[a]:
            continue
        low, high = 0.0, 1.0
        for _ in range(CONE_STEPS):
            middle = 0.5 * (low + high)
            if math.cos(middle * x[a]) * math.cos(middle * x[b]) >= cone[a]:
                low = middle
            else:
                high = middle
        x[a], x[b] = low * x[a], low * x[b]
