"""Frames that leave little to do: a hinge's along its axis where the way from its parent's takes one turn about x.

A hinge's frame may be anywhere along its axis and turned about it as one likes; a slide's may be anywhere and turned
about its direction. Of a general way ``Rz T Rx Rz`` from joint to joint the last turn is then one with the hinge's own,
the first is left out for one child of each hinge, and the shift has two components at most (Denavit and Hartenberg's
four numbers).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.packed import Packed
from core.dynamics.symbolic.records import GENERAL, HINGE, SLIDE
from core.dynamics.tree_memory import CONTINUED, ROTATION_VECTOR, TURNED
from core.dynamics.tree_memory import HINGE as HINGE_NODE
from core.dynamics.tree_memory import SLIDE as SLIDE_NODE

_PARALLEL = 1e-12
_STEEP = 0.1
"""Sine of the angle between axes from which on their common normal is used: below, its feet lie far away."""
_ROUNDING = 1e-15

Vector = tuple[float, float, float]


class Frames(NamedTuple):
    """The joints of a model as nodes, parents first, each with its frame; row 0 is the world.

    Attributes:
        kinds: ``hinge``, ``slide`` or ``general``.
        parents: Rows.
        first: First coordinates.
        counts: How many coordinates each has.
        vectors: Whether a general joint is a rotation vector.
        open: Whether no inertia gets through a joint.
        turn, tilt: Cosine and sine of the turns before and after the shift, shape (k, 2).
        shift: Shape (k, 3).
        angle: Of hinges at coordinate 0, shape (k,).
        frame: Of general joints the turn in place of both, shape (k, 3, 3).
        mass, h, I: Inertia in the node's frame: shapes (k,), (k, 3), (k, 3, 3).
        least: Shape (k, 2).
        row_of: By node of the packed tree, its row.
        R, p: Pose of the frame in that of the packed tree's node, shapes (k, 3, 3), (k, 3).
    """

    kinds: list[str]
    parents: list[int]
    first: list[int]
    counts: list[int]
    vectors: list[bool]
    open: list[bool]
    turn: Array
    tilt: Array
    shift: Array
    angle: Array
    frame: Array
    mass: Array
    h: Array
    I: Array  # noqa: E741
    least: Array
    row_of: list[int]
    R: Array
    p: Array


def frames(packed: Packed) -> Frames:
    """Return the frames of a packed model."""
    # In one piece: a row needs a dozen numbers of its parent's, which parts would hand back and forth.
    nodes = packed.memory.nodes.array
    kind_of: list[int] = nodes["kind"].tolist()
    node_parents: list[int] = nodes["parent"].tolist()
    opened: list[int] = nodes["open"].tolist()
    heads, row_of = [0], [0]
    for k in range(1, len(kind_of)):
        if kind_of[k] not in (TURNED, CONTINUED):
            heads.append(k)
        row_of.append(len(heads) - 1)
    rows = len(heads)
    tails = [*(head - 1 for head in heads[1:]), len(kind_of) - 1]
    kinds = [HINGE if kind_of[k] == HINGE_NODE else SLIDE if kind_of[k] == SLIDE_NODE else GENERAL for k in heads]
    kinds[0] = GENERAL  # the world, whose axes are what they are
    parents = [row_of[node_parents[k]] for k in heads]
    T: list[list[float]] = nodes["T"][heads].tolist()
    at: list[list[float]] = nodes["at"][heads].tolist()
    length = float(np.abs(nodes["at"]).max(initial=0.0))
    favourite: dict[int, int] = {}
    for row in range(1, rows):
        if kinds[row] != GENERAL:
            favourite.setdefault(parents[row], row)

    # Pose of the new frame in the old: a turn about z, then for slides any shift, for hinges one along z.
    turned: list[tuple[float, float]] = [(1.0, 0.0)] * rows
    moved: list[Vector] = [(0.0, 0.0, 0.0)] * rows
    turn, tilt, shift, angle = [(1.0, 0.0)] * rows, [(1.0, 0.0)] * rows, [(0.0, 0.0, 0.0)] * rows, [0.0] * rows
    frame = np.zeros((rows, 3, 3))
    frame[:] = np.eye(3)
    for row in range(1, rows):
        parent = parents[row]
        c, s = turned[parent]
        m0, m1, m2 = moved[parent]
        e = T[row]
        x, y, z = at[row][0] - m0, at[row][1] - m1, at[row][2] - m2
        x, y = c * x + s * y, c * y - s * x
        e = [
            c * e[0] + s * e[3], c * e[1] + s * e[4], c * e[2] + s * e[5],
            c * e[3] - s * e[0], c * e[4] - s * e[1], c * e[5] - s * e[2], e[6], e[7], e[8],
        ]  # fmt: skip
        if kinds[row] == GENERAL:
            frame[row] = np.array(e).reshape(3, 3)
            shift[row] = (x, y, z)
            continue
        sine = math.hypot(e[2], e[5])
        cf, sf, ct, st = 1.0, 0.0, math.copysign(1.0, e[8]), 0.0
        if sine > _PARALLEL:
            cf, sf, ct, st = _exact(-e[5] / sine), _exact(e[2] / sine), _exact(e[8]), _exact(sine)
            if kinds[parent] == HINGE and favourite[parent] == row:
                cf, sf = 1.0, 0.0
        # Of what is left, a turn about z, the first column tells the angle.
        u0, u1 = cf * e[0] + sf * e[3], cf * e[3] - sf * e[0]
        u1 = ct * u1 + st * e[6]
        x, y = cf * x + sf * y, cf * y - sf * x
        turn[row], tilt[row] = (cf, sf), (ct, st)
        if kinds[row] == SLIDE:
            size = math.hypot(u0, u1)
            cu, su = _exact(u0 / size), _exact(u1 / size)
            turned[row] = (cu, -su)
            # The old frame's origin is at (x, y, z); in its axes the new one's is that, negative.
            b0, b1, b2 = -x, -(ct * y + st * z), -(ct * z - st * y)
            moved[row] = (cu * b0 + su * b1, cu * b1 - su * b0, b2)
            continue
        along = y / st if st >= _STEEP else -z / ct
        y, z = (0.0, z + along * ct) if st >= _STEEP else (y - along * st, 0.0)
        own, child = 0.0, favourite.get(row)
        if child is not None:
            f = T[child]
            if math.hypot(f[2], f[5]) > _PARALLEL:
                own = math.atan2(f[2], -f[5])
            elif math.hypot(at[child][0], at[child][1]) > _ROUNDING * length:
                own = math.atan2(at[child][1], at[child][0])
        turned[row] = (_exact(math.cos(own)), _exact(math.sin(own)))
        moved[row] = (0.0, 0.0, along)
        shift[row] = (x, y, z)
        angle[row] = math.remainder(math.atan2(u1, u0) + own, 2.0 * math.pi)
    R, p = np.zeros((rows, 3, 3)), np.array(moved)
    pairs = np.array(turned)
    R[:, 0, 0] = R[:, 1, 1] = pairs[:, 0]
    R[:, 1, 0], R[:, 0, 1], R[:, 2, 2] = pairs[:, 1], -pairs[:, 1], 1.0
    ways, angles = np.array(shift), np.array(angle)
    ways[np.abs(ways) < _ROUNDING * length] = 0.0
    angles[np.abs(angles) < _ROUNDING] = 0.0
    m, h, I = _inertias(nodes[tails], R, p)  # noqa: E741
    last = [bool(opened[a]) for a in heads]
    return Frames(
        kinds, parents, [head - 1 for head in heads], [b - a + 1 for a, b in zip(heads, tails, strict=True)],
        [kind_of[k] == ROTATION_VECTOR for k in heads], last, np.array(turn), np.array(tilt), ways, angles,
        np.where(np.abs(frame) < _ROUNDING, 0.0, frame), m, h, I, nodes["least"][heads], row_of, R, p,
    )  # fmt: skip


def _exact(value: float) -> float:
    """Return a cosine or sine, 0 or 1 if it is that to rounding."""
    if abs(value) < _ROUNDING:
        return 0.0
    return math.copysign(1.0, value) if abs(abs(value) - 1.0) < _ROUNDING else value


def _inertias(nodes: np.ndarray, R: Array, p: Array) -> tuple[Array, Array, Array]:
    """Return masses, first moments and inertias of nodes in frames at poses in theirs."""
    m, h = nodes["mass"], nodes["first_moment"]
    xx, xy, xz, yy, yz, zz = nodes["second_moment"].T
    I = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)  # noqa: E741
    along = np.einsum("ij,ij->i", h, p)
    outer = np.einsum("ij,ik->ijk", h, p)
    I = I + outer + outer.transpose(0, 2, 1) - 2.0 * along[:, None, None] * np.eye(3)  # noqa: E741
    square = np.einsum("ij,ij->i", p, p)[:, None, None] * np.eye(3) - np.einsum("ij,ik->ijk", p, p)
    I = I + m[:, None, None] * square  # noqa: E741
    I = R.transpose(0, 2, 1) @ I @ R  # noqa: E741
    h = np.einsum("ikj,ik->ij", R, h - m[:, None] * p)
    size = np.abs(I).max(axis=(1, 2), initial=0.0)
    I[np.abs(I) < _ROUNDING * size[:, None, None]] = 0.0
    h[np.abs(h) < _ROUNDING * np.sqrt(m * size)[:, None]] = 0.0
    return m, h, I
