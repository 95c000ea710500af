"""Eyes of the bundled man and woman: lids that are folds of the skin, and the balls behind them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.skeleton import Mesh
from skeletons.making.people.flesh import Body
from skeletons.making.people.refine import Polygon
from skeletons.making.shaping.flesh import MIRROR, Array
from skeletons.making.shaping.weave import cast

Numbers = NDArray[np.int64]

SIDES = 24  # of the rings round the opening
# Between the lids: away from the nose, [deg], and towards it, in radii; above and below, [deg].
OPENING = (60.0, 0.75, 21.0, 12.5)
_CUT = (21.0, 21.0)  # skin is cut away where the opening, grown so far above and below, would be, [deg]
_STEEP = 0.3  # how much rays over the lids rise, against those from the eye's middle: above them is the brow
_PART = 1.06  # distance of a lid's edge from the eye's middle, in radii of the ball
# Rings from the skin that is left to the lids' edges: how far the opening has grown above and below, [deg]; how much
# the ring lies on the ball instead of the face; how far off it lies above and below, in radii of the ball: the third
# is the crease above the lid.
_RINGS = (
    (17.0, 17.0, 0.0, 0.0, 0.0), (13.5, 12.0, 0.12, 0.0, 0.0), (10.6, 8.5, 0.5, -0.045, 0.0),
    (8.8, 5.5, 0.8, 0.002, 0.004), (4.0, 2.5, 1.0, 0.014, 0.008), (0.5, 0.5, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, -0.030, -0.030),
)  # fmt: skip
_BEHIND = (0.5, 0.95)  # the ring within: grown, [deg], and radius
# From the middle of the pupil to the edge of what is seen of the ball: angle, [deg], and radius, of the ball's.
_BALL = (
    (5.0, 0.940), (9.5, 0.945), (11.0, 0.978), (26.0, 0.966), (28.0, 0.995), (46.0, 1.000), (72.0, 1.000),
)  # fmt: skip


def eyeball_mesh(radius: float) -> Mesh:
    """Return an eyeball at the origin that looks along +z, with a pupil and an iris as a sculptor cuts them; flat
    behind, where no one sees it."""
    sides = 16
    turns = 2.0 * np.pi * np.arange(sides) / sides
    rows = [
        r * np.stack([np.sin(a) * np.cos(turns), np.sin(a) * np.sin(turns), np.full(sides, np.cos(a))], axis=1)
        for a, r in ((np.radians(angle), r) for angle, r in _BALL)
    ]
    points = np.concatenate([[[0.0, 0.0, _BALL[0][1]]], *rows, [[0.0, 0.0, rows[-1][0, 2] - 0.2]]])
    faces: list[tuple[int, ...]] = []
    last = 1 + (len(rows) - 1) * sides
    for k in range(sides):
        n = (k + 1) % sides
        faces.append((0, 1 + k, 1 + n))
        for at in range(1, last, sides):
            faces.append((at + k, at + sides + k, at + sides + n, at + n))
        faces.append((last + k, len(points) - 1, last + n))
    triangles = np.array([(p[0], p[i], p[i + 1]) for p in faces for i in range(1, len(p) - 1)], dtype=np.int32)
    return Mesh(points * radius, triangles, tuple(faces))


def opening(turns: Array, above: Array | float = 0.0, below: Array | float = 0.0) -> tuple[Array, Array]:
    """Return the line between the lids of a right eye on a ball of radius 1 at the origin, and where it grows out to.

    Away from the nose rays leave the ball's middle; towards it they run straight ahead, as there the nose rises.

    Args:
        turns: Place along it: 0 at the nose, then upwards, shape (k,), [rad].
        above: How far the line has grown there, [deg].
        below: The same below.

    Returns:
        Points and unit directions of the rays through them, each of shape (k, 3).
    """
    outer, inner, high, low = OPENING
    along, up = np.cos(turns), np.sin(turns)
    grown = np.where(up > 0.0, above, below)
    # Lids meet at an angle; the highest point lies towards the nose above and away from it below.
    bow = np.abs(up) ** (1.25 - 0.25 * np.clip(grown / 10.0, 0.0, 1.0))
    rise = np.where(up > 0.0, (high + grown) * bow, -(low + grown) * bow)
    rise = np.radians(rise + 3.5 * along * up * np.abs(up) - 3.5 * along)
    across = np.where(along > 0.0, 0.0, np.radians((outer + 0.55 * grown) * along))
    rays = np.stack([np.sin(across) * np.cos(rise), np.sin(rise), np.cos(across) * np.cos(rise)], axis=1)
    x = np.clip(along, 0.0, None) * (inner + 0.020 * grown)
    points = rays * np.sqrt(np.maximum(1.0 - x * x, 0.12))[:, None]
    points[:, 0] += x
    rays[:, 1] *= _STEEP
    return points, rays / np.linalg.norm(rays, axis=1, keepdims=True)


def with_lids(
    points: Array, polygons: Sequence[Polygon], mirror: Numbers, body: Body
) -> tuple[Array, list[Polygon], Numbers]:
    """Return the skin with lids: cut open over each eye, and rings from there to the lids' edges and in behind them.

    Args:
        points: The whole skin, shape (n, 3), [m].
        polygons: Its polygons with their segments.
        mirror: Number of each vertex' reflection.
        body: The solids; its head is what the lids pass over into.

    Returns:
        As given: vertices, polygons, reflections.
    """
    center, radius = np.array(body.eye[0]), body.eye[1]
    within = _within(points - center, radius)
    both = within | within[mirror]
    kept = [each for each in polygons if each[1] != "head" or not both[list(each[0])].any()]
    cut = [corners for corners, segment in polygons if segment == "head" and within[list(corners)].any()]
    sides = {(p[i - 1], p[i]) for p in cut for i in range(len(p))}
    after = {a: b for a, b in sides if (b, a) not in sides}
    border = [min(after)]
    while after[border[-1]] != border[0]:
        border.append(after[border[-1]])

    turns = 2.0 * np.pi * np.arange(SIDES) / SIDES
    up = np.clip(np.sin(turns), 0.0, 1.0)
    rings = []
    for above, below, ball, off_above, off_below in _RINGS:
        edge, way = opening(turns, above, below)
        edge = center + _PART * radius * edge
        inside = edge - 0.8 * radius * way
        face = np.einsum("ki,ki->k", cast(body.head, inside, way, 0.03) - edge, way)
        share = ball * (1.0 - 0.75 * np.clip(np.cos(turns), 0.0, 1.0) ** 6)  # at the nose lids lie where the face is
        off = radius * np.where(np.sin(turns) > 0.0, off_above * np.sqrt(up), off_below)
        rings.append(edge + ((1.0 - share) * face + off)[:, None] * way)
    grown, distance = _BEHIND
    rings.append(center + radius * distance * opening(turns, grown, grown)[0])
    right = np.concatenate([*rings, [center]])

    first, eye = len(points), []
    eye += _zipped(points - center, border, right - center, first)
    for row in range(len(rings) - 1):
        at = first + row * SIDES
        for k in range(SIDES):
            n = (k + 1) % SIDES
            eye.append((at + k, at + n, at + SIDES + n, at + SIDES + k))
    at, middle = first + (len(rings) - 1) * SIDES, first + len(right) - 1
    eye += [(at + k, at + (k + 1) % SIDES, middle) for k in range(SIDES)]

    # The same on the left, numbered after the right; then without what was cut away.
    count = len(right)
    other = np.concatenate([mirror, first + count + np.arange(count), first + np.arange(count)])
    points = np.concatenate([points, right, right * MIRROR])
    kept += [(corners, "head") for corners in eye]
    kept += [(tuple(int(other[v]) for v in reversed(corners)), "head") for corners in eye]
    used = np.unique(np.concatenate([np.array(corners) for corners, _ in kept]))
    place = np.full(len(points), -1)
    place[used] = np.arange(len(used))
    return (
        points[used],
        [(tuple(place[list(corners)].tolist()), segment) for corners, segment in kept],
        place[other[used]],
    )


def _within(away: Array, radius: float) -> NDArray[np.bool_]:
    """Return which vertices lie over a right eye, from whose middle they are so far away, shape (n,)."""
    around = np.linspace(0.0, 2.0 * np.pi, 180, endpoint=False)
    line = _flat(opening(around, *_CUT)[0])
    near = np.flatnonzero((np.linalg.norm(away, axis=1) < 2.3 * radius) & (away[:, 2] > 0.0))
    way = _flat(away[near] / (_PART * radius))
    outline = np.arctan2(line[:, 1], line[:, 0])
    order = np.argsort(outline)
    reach = np.interp(np.arctan2(way[:, 1], way[:, 0]), outline[order], np.hypot(*line.T)[order], period=2.0 * np.pi)
    found = np.zeros(len(away), dtype=bool)
    found[near[np.hypot(*way.T) < reach]] = True
    return found


def _flat(points: Array) -> Array:
    """Return about where the rays through points, see :func:`opening`, pass a plane before the ball, shape (k, 2)."""
    x, y, z = points.T
    return np.stack([np.where(x < 0.0, x / np.hypot(x, z), x), y / (1.0 + _STEEP * (z / 0.9 - 1.0))], axis=1)


def _zipped(points: Array, border: list[int], ring: Array, first: int) -> list[tuple[int, ...]]:
    """Return triangles between a border, with the hole to its left as it runs, and the first ring within it.

    The shorter side is taken, but for triangles that would be folded over: the border has teeth.
    """
    ring = ring[:SIDES]
    start = int(np.argmin(np.linalg.norm(ring[:, None] - points[border][None], axis=2)[0]))
    border = border[start:] + border[:start]
    found: list[tuple[int, ...]] = []
    i = k = 0
    while i < len(border) or k < SIDES:
        a, b = points[border[i % len(border)]], points[border[(i + 1) % len(border)]]
        c, d = ring[k % SIDES], ring[(k + 1) % SIDES]
        if i == len(border) or k == SIDES:
            along = k == SIDES
        else:
            along, other = (_faces_out(corners) for corners in ((a, b, c), (a, d, c)))
            if along == other:
                along = bool(np.linalg.norm(b - c) <= np.linalg.norm(a - d))
        if along:
            found.append((border[i % len(border)], border[(i + 1) % len(border)], first + k % SIDES))
            i += 1
        else:
            found.append((border[i % len(border)], first + (k + 1) % SIDES, first + k % SIDES))
            k += 1
    return found


def _faces_out(corners: tuple[Array, Array, Array]) -> bool:
    """Return whether a triangle, counter-clockwise as seen from outside, faces away from the origin."""
    a, b, c = corners
    return bool(np.cross(b - a, c - a) @ (a + b + c) > 0.0)
