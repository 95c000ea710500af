"""The shapes of body parts: tables of cross-sections of a standing man of 1.74 m, stretched to a figure's own measures.

The numbers are those of the bundled human figure's mannequin. Everything is built in the world axes of the bind pose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.skeleton.mesh import Mesh
from core.skeleton.shapes import loft

MAN = 1.74  # [m], the man the tables are of
_POWER = 2.2  # exponent of the sections: a little squarer than an ellipse
_CAP = np.sin(np.radians([35.0, 65.0]))

# Along a limb (0 to 1): half-width, half-depth, middle towards the front, [m].
LIMBS: dict[str, tuple[float, Array]] = {
    "thigh": (
        0.4222,
        np.array(
            [
                [0.00, 0.079, 0.082, -0.004],
                [0.12, 0.082, 0.086, -0.003],
                [0.30, 0.078, 0.084, 0.002],
                [0.60, 0.063, 0.069, 0.006],
                [0.88, 0.049, 0.051, 0.004],
                [1.00, 0.047, 0.048, 0.002],
            ]
        ),
    ),
    "shank": (
        0.4340,
        np.array(
            [
                [0.00, 0.0445, 0.0455, 0.000],
                [0.12, 0.0465, 0.0485, -0.004],
                [0.28, 0.0535, 0.0540, -0.013],
                [0.46, 0.0465, 0.0480, -0.015],
                [0.70, 0.0340, 0.0365, -0.009],
                [0.90, 0.0290, 0.0315, -0.005],
                [1.00, 0.0310, 0.0320, -0.002],
            ]
        ),
    ),
    "upper arm": (
        0.2817,
        np.array(
            [
                [0.00, 0.050, 0.053, 0.000],
                [0.15, 0.050, 0.054, 0.000],
                [0.40, 0.043, 0.047, 0.002],
                [0.70, 0.037, 0.041, 0.002],
                [0.90, 0.034, 0.035, 0.000],
                [1.00, 0.034, 0.0345, 0.000],
            ]
        ),
    ),
    "forearm": (
        0.2689,
        np.array(
            [
                [0.00, 0.0330, 0.0330, 0.000],
                [0.15, 0.0380, 0.0370, 0.000],
                [0.32, 0.0385, 0.0385, 0.001],
                [0.65, 0.0280, 0.0310, 0.001],
                [0.88, 0.0222, 0.0265, 0.000],
                [1.00, 0.0220, 0.0255, 0.000],
            ]
        ),
    ),
}

# Up the trunk, 0 at the hips and 1 at the shoulders: half-width, to the front, to the back, [m].
TRUNK = np.array(
    [
        [-0.129, 0.072, 0.062, 0.080],
        [-0.062, 0.112, 0.082, 0.103],
        [0.025, 0.140, 0.093, 0.112],
        [0.114, 0.143, 0.096, 0.105],
        [0.200, 0.128, 0.090, 0.089],
        [0.303, 0.111, 0.084, 0.074],
        [0.400, 0.1115, 0.086, 0.074],
        [0.500, 0.114, 0.088, 0.078],
        [0.650, 0.137, 0.104, 0.092],
        [0.775, 0.155, 0.113, 0.100],
        [0.875, 0.163, 0.110, 0.103],
        [0.960, 0.152, 0.094, 0.097],
        [1.040, 0.120, 0.075, 0.083],
        [1.110, 0.078, 0.055, 0.061],
    ]
)
TRUNK_LOW, TRUNK_HIGH = -0.10, 1.11
SHOULDER_HALF, TRUNK_LENGTH = 0.176, 0.481  # of the man the tables are of, [m]

# Up the head from its joint: half-width, to the front, to the back, [m].
_HEAD = np.array(
    [
        [-0.040, 0.042, 0.078, 0.036],
        [-0.022, 0.056, 0.100, 0.052],
        [0.004, 0.067, 0.106, 0.072],
        [0.030, 0.0745, 0.106, 0.088],
        [0.060, 0.0775, 0.105, 0.094],
        [0.088, 0.0765, 0.102, 0.093],
        [0.116, 0.0710, 0.094, 0.086],
        [0.141, 0.0550, 0.073, 0.066],
        [0.1575, 0.0330, 0.043, 0.040],
    ]
)
HEAD_TOP, HEAD_FRONT = 0.165, 0.106

# Along the foot from the heel (-1) over the ankle (0) to the ball (1): half-width, height above the sole, [m].
_FOOT = np.array(
    [
        [-0.75, 0.0275, 0.062],
        [-0.35, 0.0325, 0.088],
        [0.03, 0.0345, 0.096],
        [0.25, 0.0365, 0.083],
        [0.50, 0.0400, 0.061],
        [0.76, 0.0440, 0.047],
        [1.00, 0.0450, 0.041],
    ]
)
_TOES = np.array([[0.00, 0.0440, 0.0400], [0.35, 0.0425, 0.0360], [0.70, 0.0380, 0.0320], [0.92, 0.0300, 0.0270]])

# Along the hand from the wrist (0) over the knuckles (1) to the finger tips (2): half-thickness, half-breadth, [m].
_HAND = np.array(
    [
        [0.00, 0.0215, 0.0245],
        [0.25, 0.0200, 0.0300],
        [0.60, 0.0180, 0.0385],
        [1.00, 0.0155, 0.0405],
        [1.35, 0.0130, 0.0370],
        [1.70, 0.0110, 0.0330],
        [1.95, 0.0095, 0.0280],
    ]
)
HAND_LENGTH, PALM = 0.185, 0.088  # [m], wrist to finger tips, and to the knuckles
FINGER, THUMB, TOE = 0.0085, 0.0125, 0.0095  # radii at the root, [m]
NECK = np.array([[0.0, 0.060, 0.060], [0.35, 0.055, 0.055], [1.0, 0.053, 0.053]])


class Axes(NamedTuple):
    """Three unit vectors at right angles: along a part, across it, and the third, towards the front; each (3,)."""

    along: Array
    wide: Array
    deep: Array


def solid(
    origin: Array, axes: Axes, rows: Array, caps: tuple[float, float], sides: int = 12, floor: float | None = None
) -> Mesh:
    """Return the closed solid through a table of cross-sections, its ends rounded.

    Args:
        origin: Where the table's places are counted from, shape (3,), [m].
        axes: Of the part.
        rows: Place along the part, half-width, to the front, to the back, middle towards the front; shape (m, 5), [m].
        caps: How far the rounded ends stand out before the first row and past the last, [m].
        sides: Vertices a ring.
        floor: Nothing is lower than this along ``-deep``: the sole of a foot. None leaves all as it is.
    """
    first, last = rows[0], rows[-1]
    low = np.repeat(first[None], len(_CAP), axis=0)
    low[:, 0] -= caps[0] * _CAP[::-1]
    low[:, 1:4] *= np.sqrt(1.0 - _CAP[::-1] ** 2)[:, None]
    high = np.repeat(last[None], len(_CAP), axis=0)
    high[:, 0] += caps[1] * _CAP
    high[:, 1:4] *= np.sqrt(1.0 - _CAP**2)[:, None]
    table = np.concatenate([low, rows, high])
    turn = 2.0 * np.pi * np.arange(sides) / sides
    cos, sin = np.cos(turn), np.sin(turn)
    u = np.sign(cos) * np.abs(cos) ** (2.0 / _POWER) * table[:, 1:2]
    v = np.sign(sin) * np.abs(sin) ** (2.0 / _POWER) * np.where(sin > 0.0, table[:, 2:3], table[:, 3:4])
    v = v + table[:, 4:5]
    ends = np.array([[first[0] - caps[0], first[4]], [last[0] + caps[1], last[4]]])
    if floor is not None:
        v, ends[:, 1] = np.maximum(v, floor), np.maximum(ends[:, 1], floor)
    rings = origin + table[:, :1, None] * axes.along + u[..., None] * axes.wide + v[..., None] * axes.deep
    poles = origin + ends[:, :1] * axes.along + ends[:, 1:] * axes.deep
    return loft(rings, poles[0], poles[1])


def at(table: Array, places: Array) -> Array:
    """Return a table's columns at other places, straight between its rows; its first column is the place."""
    columns = [np.interp(places, table[:, 0], table[:, k]) for k in range(1, table.shape[1])]
    return np.stack([places, *columns], axis=1)


def between(table: Array, low: float, high: float, least: int = 3) -> Array:
    """Return the rows of a table from ``low`` to ``high``, with rows at both; at least ``least`` of them."""
    inside = table[(table[:, 0] > low + 0.02) & (table[:, 0] < high - 0.02), 0]
    places = np.unique(np.concatenate([np.linspace(low, high, least), inside]))
    keep = np.concatenate([[True], np.diff(places) > 0.015])
    return at(table, places[keep])


def limb(part: str, start: Array, axes: Axes, length: float, part_of: tuple[float, float], thick: float) -> Mesh:
    """Return a piece of a limb.

    Args:
        part: A name in ``LIMBS``.
        start: Where the piece begins, shape (3,), [m].
        axes: Along the piece, across, to the front.
        length: Of the piece, [m].
        part_of: Where it begins and ends in the whole limb, 0 to 1.
        thick: What the table's widths are multiplied by.
    """
    rows = between(LIMBS[part][1], *part_of)
    place = (rows[:, 0] - part_of[0]) / (part_of[1] - part_of[0]) * length
    wide, deep, shift = (rows[:, 1:] * thick).T
    table = np.stack([place, wide, deep, deep, shift], axis=1)
    caps = float(wide[0]), float(wide[-1])
    return solid(start, axes, table, (min(caps[0], 0.8 * length), min(caps[1], 0.8 * length)))


def head(origin: Array, axes: Axes, size: float) -> Mesh:
    """Return an egg about a head's joint; ``size`` multiplies the man's."""
    rows = np.column_stack([_HEAD, np.zeros(len(_HEAD))]) * size
    return solid(origin, axes, rows, (0.020 * size, 0.0075 * size), sides=16)


def foot(ankle: Array, axes: Axes, length: float, sole: float, thick: float) -> Mesh:
    """Return heel, instep and ball of a foot with a flat sole.

    Args:
        ankle: Shape (3,), [m].
        axes: Forwards, across, upwards.
        length: From the ankle to the ball, [m].
        sole: How far the sole lies below the ankle, [m].
        thick: What the table's widths are multiplied by.
    """
    heel = 0.0581 * length / 0.129
    place = np.where(_FOOT[:, 0] < 0.0, _FOOT[:, 0] * heel, _FOOT[:, 0] * length)
    tall = max(0.6, sole / (0.068 * thick)) * thick
    return solid(ankle, axes, _flat(place, _FOOT, thick, tall, sole), (0.25 * heel, 0.03 * thick), 12, -sole)


def toes(ball: Array, axes: Axes, length: float, sole: float, thick: float) -> Mesh:
    """Return the front of a foot in one piece; arguments as for ``foot``."""
    table = _flat(_TOES[:, 0] * length, _TOES, thick, thick, sole)
    return solid(ball, axes, table, (0.025 * thick, 0.12 * length), 12, -sole)


def _flat(place: Array, table: Array, wide: float, tall: float, sole: float) -> Array:
    """Sections whose lower half reaches below the sole, so that pressing them flat leaves an upright edge."""
    height = table[:, 2] * tall
    middle = -sole + 0.35 * height
    return np.stack([place, table[:, 1] * wide, 0.65 * height, 0.55 * height, middle], axis=1)


def hand(wrist: Array, axes: Axes, ends: tuple[float, float], length: float, thick: float) -> Mesh:
    """Return a piece of a hand without single fingers.

    Args:
        wrist: Where the piece begins, shape (3,), [m].
        axes: Along the fingers, across the palm's plane, in the plane towards the thumb.
        ends: Where it begins and ends: 0 wrist, 1 knuckles, 2 finger tips.
        length: Of the piece, [m].
        thick: What the table's widths are multiplied by.
    """
    rows = between(_HAND, *ends)
    place = (rows[:, 0] - ends[0]) / (ends[1] - ends[0]) * length
    table = np.stack([place, rows[:, 1] * thick, rows[:, 2] * thick, rows[:, 2] * thick, 0.0 * place], axis=1)
    return solid(wrist, axes, table, (0.6 * float(table[0, 1]), 1.1 * float(table[-1, 1])))
