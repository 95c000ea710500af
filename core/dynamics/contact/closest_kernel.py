"""How far two convex polytopes are apart: their nearest points, and the direction between them.

Vectors are tuples.

Source: Gilbert, Johnson & Keerthi (1988); the nearest point of a triangle as Ericson (2005, section 5.1.5) has it.
"""

from __future__ import annotations

import math

import numpy as np

from core.dynamics.contact.packing import BOUND
from core.kernels import EXACT, F1, F2, FOUR, THREE, kernel

FAR, APART, TOGETHER = 0, 1, 2
"""Farther apart than asked for; apart; touching or overlapping."""
TOUCHING = 1e-8
"""Part of the size below which a distance says too little of its direction: faces and edges determine it then."""
_MOST_STEPS = 64
_EXACT = 1e-14  # relative, of the squared distance
_SLIVER = 1e-12  # sine squared of the angle between edges of a triangle below which it has no normal


@kernel(inline=True, fastmath=EXACT)
def dot(a: THREE, b: THREE) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(inline=True, fastmath=EXACT)
def cross(a: THREE, b: THREE) -> THREE:
    """Return the vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel(inline=True, fastmath=EXACT)
def minus(a: THREE, b: THREE) -> THREE:
    """Return ``a - b``."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel(inline=True, fastmath=EXACT)
def times(s: float, a: THREE) -> THREE:
    """Return ``s a``."""
    return (s * a[0], s * a[1], s * a[2])


@kernel(inline=True, fastmath=EXACT)
def row(array: F2, i: int) -> THREE:
    """Return the first three numbers of a row."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel(inline=True, fastmath=EXACT)
def size_of(values: F2, ga: int, gb: int) -> float:
    """Return the size that says what is little between two shapes: that of the smaller, if the other is not huge."""
    one, other = values[ga, BOUND], values[gb, BOUND]
    return 2.0 * min(one, other) + 1e-4 * max(one, other)


@kernel(internal=True, fastmath=EXACT)
def farthest(points: F2, first: int, count: int, d: THREE) -> int:
    """Return which of some points lies farthest in a direction; of equals the first."""
    best, reach = first, -np.inf
    for i in range(first, first + count):
        along = points[i, 0] * d[0] + points[i, 1] * d[1] + points[i, 2] * d[2]
        if along > reach:
            best, reach = i, along
    return best


@kernel(inline=True, fastmath=EXACT)
def on_segment(a: THREE, b: THREE) -> float:
    """Return how far along from a to b, 0 to 1, the segment is nearest to the origin."""
    ab = minus(b, a)
    length = dot(ab, ab)
    if length <= 0.0:
        return 0.0
    return min(max(-dot(a, ab) / length, 0.0), 1.0)


@kernel(internal=True, fastmath=EXACT)
def on_triangle(a: THREE, b: THREE, c: THREE) -> THREE:
    """Return the weights of the corners in the point of a triangle nearest to the origin."""
    ab, ac = minus(b, a), minus(c, a)
    n = cross(ab, ac)
    if dot(n, n) > _SLIVER * dot(ab, ab) * dot(ac, ac):
        d1, d2 = -dot(ab, a), -dot(ac, a)
        d3, d4 = -dot(ab, b), -dot(ac, b)
        d5, d6 = -dot(ab, c), -dot(ac, c)
        va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
        if va > 0.0 and vb > 0.0 and vc > 0.0:
            total = va + vb + vc
            return (va / total, vb / total, vc / total)
    # Not above the inside, so nearest to one of the edges.
    t = on_segment(a, b)
    s = on_segment(b, c)
    r = on_segment(c, a)
    p = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))
    q = (b[0] + s * (c[0] - b[0]), b[1] + s * (c[1] - b[1]), b[2] + s * (c[2] - b[2]))
    o = (c[0] + r * (a[0] - c[0]), c[1] + r * (a[1] - c[1]), c[2] + r * (a[2] - c[2]))
    pp, qq, oo = dot(p, p), dot(q, q), dot(o, o)
    if pp <= qq and pp <= oo:
        return (1.0 - t, t, 0.0)
    if qq <= oo:
        return (0.0, 1.0 - s, s)
    return (r, 0.0, 1.0 - r)


@kernel(internal=True, fastmath=EXACT)
def nearest_weights(simplex: F2, count: int) -> FOUR:
    """Return the weights of 1 to 4 corners in the point of their hull nearest to the origin; all above 0: inside."""
    a = row(simplex, 0)
    if count == 1:
        return (1.0, 0.0, 0.0, 0.0)
    b = row(simplex, 1)
    if count == 2:
        t = on_segment(a, b)
        return (1.0 - t, t, 0.0, 0.0)
    c = row(simplex, 2)
    if count == 3:
        w = on_triangle(a, b, c)
        return (w[0], w[1], w[2], 0.0)
    d = row(simplex, 3)
    ab, ac, ad = minus(b, a), minus(c, a), minus(d, a)
    volume = dot(cross(ab, ac), ad)
    size = max(dot(ab, ab), dot(ac, ac), dot(ad, ad))
    if abs(volume) > 1e-15 * size * math.sqrt(size):
        va = dot(cross(b, c), d)
        vb = -dot(cross(a, c), d)
        vc = dot(cross(a, b), d)
        vd = volume - va - vb - vc
        if volume < 0.0:
            va, vb, vc, vd = -va, -vb, -vc, -vd
        if va > 0.0 and vb > 0.0 and vc > 0.0 and vd > 0.0:
            return (va, vb, vc, vd)
    best = (0.0, 0.0, 0.0, 0.0)
    least = np.inf
    for left in range(4):  # the face without that corner
        p, q, r = row(simplex, (left + 1) % 4), row(simplex, (left + 2) % 4), row(simplex, (left + 3) % 4)
        w = on_triangle(p, q, r)
        at = (
            w[0] * p[0] + w[1] * q[0] + w[2] * r[0],
            w[0] * p[1] + w[1] * q[1] + w[2] * r[1],
            w[0] * p[2] + w[1] * q[2] + w[2] * r[2],
        )
        away = dot(at, at)
        if away < least:
            least = away
            if left == 0:
                best = (0.0, w[0], w[1], w[2])
            elif left == 1:
                best = (w[2], 0.0, w[0], w[1])
            elif left == 2:
                best = (w[1], w[2], 0.0, w[0])
            else:
                best = (w[0], w[1], w[2], 0.0)
    return best


@kernel(internal=True, fastmath=EXACT)
def off_triangle(simplex: F2, v: THREE) -> THREE:
    """Return v, which leads to the triangle that is nearest, along its normal: better than the sum of its corners."""
    a = row(simplex, 0)
    ab, ac = minus(row(simplex, 1), a), minus(row(simplex, 2), a)
    n = cross(ab, ac)
    nn = dot(n, n)
    if nn > 1e-6 * dot(ab, ab) * dot(ac, ac):
        n = times((1.0 if dot(n, v) > 0.0 else -1.0) / math.sqrt(nn), n)
        return times(dot(n, a), n)
    return v


@kernel(internal=True, fastmath=EXACT)
def distance(points: F2, a0: int, na: int, b0: int, nb: int, most: float, size: float, simplex: F2, result: F1) -> int:
    """Find the nearest points of two polytopes that are apart.

    Args:
        points: Corners in the world, shape (n, 3).
        a0, na: The first corner of a, and how many it has.
        b0, nb: Those of b.
        most: How far apart they may be.
        size: Their size: below 1e-8 of it they count as touching.
        simplex: Room to work in.
        result: Gets the unit vector from b to a (3), the distance, the nearest points of a (3) and of b (3).

    Returns:
        ``FAR`` if they are ``most`` apart or more; ``APART``; ``TOGETHER`` if they touch or overlap.
    """
    least = TOUCHING * size
    v = minus(row(points, a0), row(points, b0))
    simplex[0, 0], simplex[0, 1], simplex[0, 2], simplex[0, 3], simplex[0, 4] = v[0], v[1], v[2], a0, b0
    simplex[0, 5] = 1.0
    count = 1
    vv = dot(v, v)
    for _ in range(_MOST_STEPS):
        if vv <= least * least:
            return TOGETHER
        i = farthest(points, a0, na, times(-1.0, v))
        j = farthest(points, b0, nb, v)
        w = minus(row(points, i), row(points, j))
        vw = dot(v, w)
        if vw > 0.0 and vw * vw >= most * most * vv:
            return FAR
        if vv - vw <= _EXACT * vv:
            break
        known = False
        for k in range(count):
            known = known or (simplex[k, 3] == i and simplex[k, 4] == j)
        if known:
            break
        simplex[count, 0], simplex[count, 1], simplex[count, 2] = w[0], w[1], w[2]
        simplex[count, 3], simplex[count, 4] = i, j
        weights = nearest_weights(simplex, count + 1)
        if weights[0] > 0.0 and weights[1] > 0.0 and weights[2] > 0.0 and weights[3] > 0.0:
            return TOGETHER
        x = y = z = 0.0
        for k in range(count + 1):
            x += weights[k] * simplex[k, 0]
            y += weights[k] * simplex[k, 1]
            z += weights[k] * simplex[k, 2]
        shorter = x * x + y * y + z * z
        if shorter >= vv:  # nothing is gained any more but rounding
            break
        kept = 0
        for k in range(count + 1):
            if weights[k] > 0.0:
                for m in range(5):
                    simplex[kept, m] = simplex[k, m]
                simplex[kept, 5] = weights[k]
                kept += 1
        count = kept
        v, vv = (x, y, z), shorter
    if count == 3:
        v = off_triangle(simplex, v)
    d = math.sqrt(dot(v, v))
    if d <= least:
        return TOGETHER
    if d >= most:
        return FAR
    for k in range(10):
        result[k] = 0.0
    for k in range(3):
        result[k] = v[k] / d
    result[3] = d
    for k in range(count):
        i, j = int(simplex[k, 3]), int(simplex[k, 4])
        for m in range(3):
            result[4 + m] += simplex[k, 5] * points[i, m]
            result[7 + m] += simplex[k, 5] * points[j, m]
    return APART
