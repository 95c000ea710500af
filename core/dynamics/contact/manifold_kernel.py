"""All points in which two convex shapes touch, once the direction between them is known.

What both turn to each other, a face, an edge or a corner, is looked at along that direction: where faces cover each
other, the corners of what they have in common are the points; where edges do, both ends. Each point has a gap of its
own, none less than that of the nearest points. The number of a point encodes the corners or edges that make it.

Source: clipping as Sutherland & Hodgman (1974).
"""

from __future__ import annotations

import math

import numpy as np

from core.dynamics.contact.closest_kernel import cross, dot, farthest, minus, on_segment, row, size_of, times
from core.dynamics.contact.packing import (
    BODY,
    CODE_BITS,
    CORNER_FLOATS,
    COUNT,
    EDGE,
    EDGE_COUNT,
    FACE,
    FACE_COUNT,
    HAS_AREA,
    LOOP_LENGTH,
    LOOP_START,
    MOST_LOOP,
    MOST_PATCH,
    POINT,
    RADIUS,
)
from core.kernels import EXACT, F1, F2, I1, I2, PAIR, THREE, kernel

FACING = 0.97
"""Cosine of the angle to the direction up to which a face is what a shape turns to the other."""
LYING = 0.25
"""Sine of the angle across the direction up to which an edge is."""
_ALONG = 0.1  # sine of the angle up to which two edges lie along each other
_SAME = 1e-6  # part of the size: points as near as this are one
_INSIDE = 1e-7  # part of the size by which a corner may be outside and count as inside
_ROUNDING = 1e-9  # part of the size by which gaps differ from rounding
_ALIKE = 1e-5  # part of the size by which a point must be better than one before to be taken instead
X, Y, UP, KIND, FIRST, SECOND, LINE, EDGE_OF = range(8)
"""Floats of a corner: coordinates and height; kind and two numbers; along which side of the other polygon the next one
is, -1 for none, and then along which edge of its own."""
GAP = LINE
CORNER, OTHER, CROSSING = 1, 2, 3
"""Kinds: a corner of a, of b, a crossing of an edge of a with one of b."""


@kernel(internal=True, fastmath=EXACT)
def feature(
    rows: I2, g: int, faces: I2, edges: I2, loops: I1, points: F2, normals: F2, d: THREE, corners: I1, start: int,
) -> int:  # fmt: skip
    """Write which corners of a shape are turned in a direction; return how many: of a face, 2 of an edge, or 1.

    Args:
        rows: Integers of the shapes.
        g: Which shape.
        faces: Integers of the faces.
        edges: All edges.
        loops: Corners of the faces.
        points: Corners in the world, shape (n, 3).
        normals: Normals of the faces in the world.
        d: Unit direction towards the other shape.
        corners: Gets the corners, counted in the shape.
        start: Where in ``corners``.
    """
    first, count = rows[g, POINT], rows[g, COUNT]
    if count == 1:
        corners[start] = 0
        return 1
    best, cosine = -1, FACING
    for f in range(rows[g, FACE], rows[g, FACE] + rows[g, FACE_COUNT]):
        along = normals[f, 0] * d[0] + normals[f, 1] * d[1] + normals[f, 2] * d[2]
        if along > cosine and faces[f, HAS_AREA]:
            best, cosine = f, along
    if best >= 0:
        for k in range(faces[best, LOOP_LENGTH]):
            corners[start + k] = loops[faces[best, LOOP_START] + k]
        return int(faces[best, LOOP_LENGTH])
    corner = farthest(points, first, count, d) - first
    sine = LYING
    for e in range(rows[g, EDGE], rows[g, EDGE] + rows[g, EDGE_COUNT]):
        i, j = edges[e, 0], edges[e, 1]
        if i != corner and j != corner:
            continue
        u = minus(row(points, first + j), row(points, first + i))
        length = math.sqrt(dot(u, u))
        if length > 0.0 and abs(dot(u, d)) < sine * length:
            sine = abs(dot(u, d)) / length
            corners[start], corners[start + 1] = i, j
            best = e
    if best >= 0:
        return 2
    corners[start] = corner
    return 1


@kernel(internal=True, fastmath=EXACT)
def flatten(
    points: F2, first: int, corners: I1, start: int, count: int, origin: THREE, t: THREE, s: THREE, n: THREE, out: F2,
) -> None:  # fmt: skip
    """Write corners as they are seen along n: coordinates along t and s, height, number, and which edge leaves them."""
    for k in range(count):
        arm = minus(row(points, first + corners[start + k]), origin)
        out[k, X], out[k, Y], out[k, UP] = dot(arm, t), dot(arm, s), dot(arm, n)
        out[k, KIND], out[k, FIRST], out[k, SECOND] = CORNER, corners[start + k], 0.0
        out[k, LINE], out[k, EDGE_OF] = -1.0, corners[start + k]


@kernel(internal=True, fastmath=EXACT)
def clip(one: F2, count: int, rim: F2, sides: int, line: int, sense: float, slack: float, other: F2) -> int:
    """Write what of a polygon is inside one side of another; return how many corners.

    Args:
        one: The polygon, as ``flatten`` writes it.
        count: Its corners.
        rim: The other polygon, likewise.
        sides: Its corners.
        line: Which of its sides: from this corner to the next.
        sense: 1 if it goes round counter-clockwise, else -1.
        slack: How far outside still counts as inside.
        other: Gets the polygon.
    """
    ahead = (line + 1) % sides
    x0, y0 = rim[line, X], rim[line, Y]
    dx, dy = rim[ahead, X] - x0, rim[ahead, Y] - y0
    length = math.sqrt(dx * dx + dy * dy)
    if length > 0.0:
        dx, dy = sense * dx / length, sense * dy / length
    made = 0
    for k in range(count):
        after = (k + 1) % count
        here = dx * (one[k, Y] - y0) - dy * (one[k, X] - x0)
        there = dx * (one[after, Y] - y0) - dy * (one[after, X] - x0)
        inside = here >= -slack
        if inside:
            for m in range(CORNER_FLOATS):
                other[made, m] = one[k, m]
            made += 1
        if inside == (there >= -slack):
            continue
        t = min(max(here / (here - there), 0.0), 1.0)
        for m in range(3):
            other[made, m] = one[k, m] + t * (one[after, m] - one[k, m])
        past = int(one[k, LINE])
        if past >= 0:  # along a side of the other polygon up to the next one: its corner
            other[made, KIND], other[made, FIRST] = OTHER, 0.0
            other[made, SECOND] = rim[line if past == line - 1 else past, FIRST]
        else:
            other[made, KIND], other[made, FIRST], other[made, SECOND] = CROSSING, one[k, EDGE_OF], rim[line, FIRST]
        if inside:  # goes out, and on along this side
            other[made, LINE], other[made, EDGE_OF] = line, 0.0
        else:
            other[made, LINE], other[made, EDGE_OF] = one[k, LINE], one[k, EDGE_OF]
        made += 1
    return made


@kernel(internal=True, fastmath=EXACT)
def patch(
    rows: I2, values: F2, ga: int, gb: int, faces: I2, edges: I2, loops: I1, points: F2, normals: F2, corners: I1,
    one: F2, other: F2, rim: F2, result: F1, friction: float, most: float, number: int, count: int, out: F2, ids: I1,
) -> int:  # fmt: skip
    """Write the contacts of two shapes; return the number of rows.

    Args:
        rows, values: Integers and floats of the shapes.
        ga, gb: Which two.
        faces, edges, loops: Of all shapes.
        points, normals: Corners and normals in the world.
        corners, one, other, rim: Room to work in.
        result: Direction, separation and nearest points of the polytopes inside.
        friction: Friction coefficient of the two.
        most: Gap from which on a point does not count.
        number: Number of the pair.
        count: Rows that there are.
        out, ids: Get the rows.
    """
    # One decision, case by case: what both turn to each other says which points there are.
    ra, rb = values[ga, RADIUS], values[gb, RADIUS]
    size = size_of(values, ga, gb)
    n, separation = (result[0], result[1], result[2]), result[3]
    pa, pb = (result[4], result[5], result[6]), (result[7], result[8], result[9])
    ca = feature(rows, ga, faces, edges, loops, points, normals, times(-1.0, n), corners, 0)
    cb = feature(rows, gb, faces, edges, loops, points, normals, n, corners, MOST_LOOP)
    first_a, first_b = rows[ga, POINT], rows[gb, POINT]
    if ca == 1 or cb == 1 or most <= separation - ra - rb:
        return contact(count, n, separation - ra - rb, pb, rb, friction, rows, ga, gb, number, 0, 0, 0, most, out, ids)
    if ca == 2 and cb == 2:
        return along(
            count, n, separation, pa, pb, ra, rb, size, friction, rows, ga, gb, points, corners, number, most, out, ids
        )
    t = cross((0.0, 1.0, 0.0), n) if abs(n[1]) < 0.8 else cross((1.0, 0.0, 0.0), n)
    t = times(1.0 / math.sqrt(dot(t, t)), t)
    s = cross(n, t)
    swapped = cb < 3  # then the face is that of a
    if swapped:
        flatten(points, first_b, corners, MOST_LOOP, cb, pb, t, s, n, one)
        flatten(points, first_a, corners, 0, ca, pb, t, s, n, rim)
        left, sides, sense = cb, ca, -1.0
    else:
        flatten(points, first_a, corners, 0, ca, pb, t, s, n, one)
        flatten(points, first_b, corners, MOST_LOOP, cb, pb, t, s, n, rim)
        left, sides, sense = ca, cb, 1.0
    up_x, up_y = slope(rim, sides)
    for line in range(sides):
        left = clip(one, left, rim, sides, line, sense, _INSIDE * size, other)
        one, other = other, one
        if left == 0:
            break
    kept, least = measure_gaps(one, left, rim, up_x, up_y, swapped, ra, rb, most, size)
    if kept == 0 or least > separation + _ROUNDING * size:
        one[kept, X] = one[kept, Y] = one[kept, UP] = 0.0
        one[kept, GAP], one[kept, KIND], one[kept, FIRST], one[kept, SECOND] = separation, 0.0, 0.0, 0.0
        kept += 1
    kept = spread(one, kept, _ALIKE * size)
    for k in range(kept):
        x, y, low = one[k, X], one[k, Y], one[k, UP]
        at = (
            pb[0] + x * t[0] + y * s[0] + low * n[0],
            pb[1] + x * t[1] + y * s[1] + low * n[1],
            pb[2] + x * t[2] + y * s[2] + low * n[2],
        )
        count = contact(
            count, n, one[k, GAP] - ra - rb, at, rb, friction, rows, ga, gb, number, int(one[k, KIND]),
            int(one[k, FIRST]), int(one[k, SECOND]), most, out, ids,
        )  # fmt: skip
    return count


@kernel(internal=True, fastmath=EXACT)
def measure_gaps(
    one: F2, left: int, rim: F2, up_x: float, up_y: float, swapped: bool, ra: float, rb: float, most: float, size: float
) -> tuple[int, float]:
    """Write the gaps of the points of a clipped polygon; equal points become one, and those beyond reach are left out.

    Args:
        one: The points; those that are kept come first.
        left: How many there are.
        rim: The other polygon.
        up_x, up_y: How its plane rises.
        swapped: Whether the other polygon is that of a.
        ra, rb: Radii.
        most: Gap from which on a point does not count.
        size: Size of the two.

    Returns:
        How many are kept, and the least gap between the planes.
    """
    kept = 0
    least = np.inf
    for k in range(left):
        x, y = one[k, X], one[k, Y]
        plane = rim[0, UP] + up_x * (x - rim[0, X]) + up_y * (y - rim[0, Y])
        low = one[k, UP] if swapped else plane
        gap = plane - one[k, UP] if swapped else one[k, UP] - plane
        kind, i, j = one[k, KIND], one[k, FIRST], one[k, SECOND]
        if swapped and kind != CROSSING:
            kind = CORNER + OTHER - kind
        if swapped:
            i, j = j, i
        if gap - ra - rb >= most:
            continue
        new = True
        for m in range(kept):
            dx, dy = one[m, X] - x, one[m, Y] - y
            if dx * dx + dy * dy < (_SAME * size) ** 2:
                new = False
                break
        if new:
            least = min(least, gap)
            one[kept, X], one[kept, Y], one[kept, UP], one[kept, GAP] = x, y, low, gap
            one[kept, KIND], one[kept, FIRST], one[kept, SECOND] = kind, i, j
            kept += 1
    return kept, least


@kernel(internal=True, fastmath=EXACT)
def slope(rim: F2, sides: int) -> PAIR:
    """Return how the plane of a polygon rises along x and y; level if it has no area.

    The corner that makes the widest triangle with the first two that differ is best.
    """
    best = 0.0
    x = y = 0.0
    for k in range(1, sides):
        ax, ay, az = rim[k, X] - rim[0, X], rim[k, Y] - rim[0, Y], rim[k, UP] - rim[0, UP]
        for m in range(k + 1, sides):
            bx, by, bz = rim[m, X] - rim[0, X], rim[m, Y] - rim[0, Y], rim[m, UP] - rim[0, UP]
            area = ax * by - ay * bx
            if abs(area) > best:
                best = abs(area)
                x, y = (az * by - ay * bz) / area, (ax * bz - az * bx) / area
    return (x, y)


@kernel(internal=True, fastmath=EXACT)
def spread(one: F2, count: int, alike: float) -> int:
    """Bring those four points to the front that reach farthest, the deepest among them; return how many there are."""
    if count <= MOST_PATCH:
        return count
    x = y = 0.0
    least = np.inf
    for k in range(count):
        x += one[k, X] / count
        y += one[k, Y] / count
        least = min(least, one[k, GAP])
    for taken in range(MOST_PATCH):
        best, score = -1, -np.inf
        for k in range(taken, count):
            px, py = one[k, X], one[k, Y]
            if taken == 0:
                if one[k, GAP] > least + 0.1 * alike:
                    continue
                worth = math.sqrt((px - x) ** 2 + (py - y) ** 2)
            elif taken == 1:
                worth = math.sqrt((px - one[0, X]) ** 2 + (py - one[0, Y]) ** 2)
            else:
                ax, ay = one[1, X] - one[0, X], one[1, Y] - one[0, Y]
                length = max(math.sqrt(ax * ax + ay * ay), 1e-300)
                away = (ax * (py - one[0, Y]) - ay * (px - one[0, X])) / length
                if taken == 2:
                    worth = abs(away)
                else:  # on the other side, or outside the triangle that there is
                    side = ax * (one[2, Y] - one[0, Y]) - ay * (one[2, X] - one[0, X])
                    worth = -away if side > 0.0 else away
                    for a, b in ((1, 2), (2, 0)):
                        ex, ey = one[b, X] - one[a, X], one[b, Y] - one[a, Y]
                        edge = max(math.sqrt(ex * ex + ey * ey), 1e-300)
                        beyond = (ex * (py - one[a, Y]) - ey * (px - one[a, X])) / edge
                        worth = max(worth, -beyond if side > 0.0 else beyond)
            if worth > score + alike:
                best, score = k, worth
        for m in range(CORNER_FLOATS):
            one[taken, m], one[best, m] = one[best, m], one[taken, m]
    return MOST_PATCH


@kernel(internal=True, fastmath=EXACT)
def along(
    count: int, n: THREE, separation: float, pa: THREE, pb: THREE, ra: float, rb: float, size: float, friction: float,
    rows: I2, ga: int, gb: int, points: F2, corners: I1, number: int, most: float, out: F2, ids: I1,
) -> int:  # fmt: skip
    """Write the contacts of two edges: at both ends of where they lie along each other, else where they cross."""
    first_a, first_b = rows[ga, POINT], rows[gb, POINT]
    a0, a1 = row(points, first_a + corners[0]), row(points, first_a + corners[1])
    b0, b1 = row(points, first_b + corners[MOST_LOOP]), row(points, first_b + corners[MOST_LOOP + 1])
    u, w = minus(a1, a0), minus(b1, b0)
    turn = cross(u, w)
    uu, ww = dot(u, u), dot(w, w)
    least = separation - ra - rb
    if dot(turn, turn) > _ALONG * _ALONG * uu * ww:
        return contact(count, n, least, pb, rb, friction, rows, ga, gb, number, 0, 0, 0, most, out, ids)
    t0, t1 = dot(minus(b0, a0), u) / uu, dot(minus(b1, a0), u) / uu
    low, high = max(0.0, min(t0, t1)), min(1.0, max(t0, t1))
    if (high - low) * math.sqrt(uu) <= _SAME * size:
        return contact(count, n, least, pb, rb, friction, rows, ga, gb, number, 0, 0, 0, most, out, ids)
    nearest = np.inf
    for end in range(2):
        t = low if end == 0 else high
        if t == end:  # an end of a
            kind, i, j = CORNER, int(corners[end]), 0
            p = a0 if end == 0 else a1
            f = on_segment(minus(b0, p), minus(b1, p))
            q = (b0[0] + f * w[0], b0[1] + f * w[1], b0[2] + f * w[2])
        else:
            head = (t1 > t0) == (end == 1)
            kind, i, j = OTHER, 0, int(corners[MOST_LOOP + 1] if head else corners[MOST_LOOP])
            q = b1 if head else b0
            f = on_segment(minus(a0, q), minus(a1, q))
            p = (a0[0] + f * u[0], a0[1] + f * u[1], a0[2] + f * u[2])
        d = minus(p, q)
        away = math.sqrt(dot(d, d))
        m, gap = n, dot(d, n)
        if separation > _ROUNDING * size and away > 0.0:  # each end has a normal of its own
            m, gap = times(1.0 / away, d), away
        nearest = min(nearest, gap)
        count = contact(count, m, gap - ra - rb, q, rb, friction, rows, ga, gb, number, kind, i, j, most, out, ids)
    if nearest > separation + _ROUNDING * size:
        return contact(count, n, least, pb, rb, friction, rows, ga, gb, number, 0, 0, 0, most, out, ids)
    return count


@kernel(internal=True, fastmath=EXACT)
def contact(
    count: int, n: THREE, gap: float, at: THREE, rb: float, friction: float, rows: I2, ga: int, gb: int, number: int,
    kind: int, i: int, j: int, most: float, out: F2, ids: I1,
) -> int:  # fmt: skip
    """Write a row for a contact if it is near enough and there is room; return the number of rows."""
    if gap >= most or count >= len(out):
        return count
    made = out[count]
    for k in range(3):
        made[k] = at[k] + rb * n[k]
        made[3 + k] = n[k]
    made[6] = gap
    made[7] = friction
    made[8] = rows[ga, BODY]
    made[9] = rows[gb, BODY]
    made[10] = ga
    made[11] = gb
    ids[count] = (number << CODE_BITS) | (kind << 12) | (i << 6) | j
    return count + 1
