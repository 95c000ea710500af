"""How deep two convex polytopes are in each other: in which direction they are moved apart by the least way.

Source: separating axes; edges that cannot be where two polytopes touch are left out by Gauss maps (Gregorius 2013).
"""

from __future__ import annotations

import math

import numpy as np

from core.dynamics.contact.closest_kernel import TOUCHING, cross, dot, farthest, minus, row, times
from core.dynamics.contact.packing import COUNT, EDGE, EDGE_COUNT, FACE, FACE_COUNT, POINT, SOLID
from core.kernels import EXACT, F1, F2, I2, THREE, kernel

_PARALLEL = 1e-22  # sine squared of the angle between two edges that make no axis
_PREFER = 1e-9  # part of the size by which a later axis must be better than one before


@kernel(internal=True, fastmath=EXACT)
def overlap(
    rows: I2, ga: int, gb: int, edges: I2, points: F2, normals: F2, size: float, toward: THREE, result: F1,
) -> None:  # fmt: skip
    """Find the direction in which two polytopes that touch or overlap are moved apart by the least way.

    Args:
        rows: Integers of the shapes.
        ga, gb: Which two.
        edges: All edges.
        points: Corners in the world, shape (n, 3).
        normals: Normals of the faces in the world, shape (m, 3).
        size: Their size.
        toward: Any vector from b to a, for what has no faces nor edges to decide.
        result: As for ``distance``; the separation is 0 or less, or hardly more.
    """
    # Faces of one, faces of the other, edges: each kind must beat what those before have found.
    a0, na, b0, nb = rows[ga, POINT], rows[ga, COUNT], rows[gb, POINT], rows[gb, COUNT]
    best = -np.inf
    n = (0.0, 1.0, 0.0)
    ia, ib = -1, -1  # corners that are nearest; one is -1 for the face it lies in
    for f in range(rows[gb, FACE], rows[gb, FACE] + rows[gb, FACE_COUNT]):
        d = row(normals, f)
        i = farthest(points, a0, na, times(-1.0, d))
        j = farthest(points, b0, nb, d)
        s = dot(d, minus(row(points, i), row(points, j)))
        if s > best + _PREFER * size:
            best, n, ia, ib = s, d, i, -1
    for f in range(rows[ga, FACE], rows[ga, FACE] + rows[ga, FACE_COUNT]):
        d = row(normals, f)
        i = farthest(points, a0, na, d)
        j = farthest(points, b0, nb, times(-1.0, d))
        s = dot(d, minus(row(points, j), row(points, i)))
        if s > best + _PREFER * size:
            best, n, ia, ib = s, times(-1.0, d), -1, j
    ea, eb = -1, -1
    if best < -TOUCHING * size:  # else edges can add nothing that matters
        best, n, ea, eb = across_edges(rows, ga, gb, edges, points, normals, size, toward, best, n)
    if best == -np.inf:  # points, or segments along each other
        n = across(rows, ga, gb, edges, points, toward)
        ia = farthest(points, a0, na, times(-1.0, n))
        best = dot(n, minus(row(points, ia), row(points, farthest(points, b0, nb, n))))
        ib = -1
    pa, pb = row(points, max(ia, a0)), row(points, max(ib, b0))
    if ea >= 0:
        pa = nearest_of_edges(
            row(points, a0 + edges[ea, 0]), row(points, a0 + edges[ea, 1]),
            row(points, b0 + edges[eb, 0]), row(points, b0 + edges[eb, 1]),
        )  # fmt: skip
        pb = minus(pa, times(best, n))
    elif ib < 0:
        pb = minus(pa, times(best, n))
    else:
        pa = (pb[0] + best * n[0], pb[1] + best * n[1], pb[2] + best * n[2])
    for k in range(3):
        result[k] = n[k]
        result[4 + k] = pa[k]
        result[7 + k] = pb[k]
    result[3] = best


@kernel(internal=True, fastmath=EXACT)
def across_edges(
    rows: I2, ga: int, gb: int, edges: I2, points: F2, normals: F2, size: float, toward: THREE, best: float, n: THREE,
) -> tuple[float, THREE, int, int]:  # fmt: skip
    """Find a direction across an edge of each in which two polytopes are moved apart by less than along the faces.

    Args:
        rows, ga, gb, edges, points, normals, size, toward: As for ``overlap``.
        best, n: What the faces have given: the separation and its direction.

    Returns:
        Separation, direction and the two edges; what was given and -1, -1 if no edges are better.
    """
    a0, na, b0, nb = rows[ga, POINT], rows[ga, COUNT], rows[gb, POINT], rows[gb, COUNT]
    ea, eb = -1, -1
    both = rows[ga, SOLID] and rows[gb, SOLID]
    fa, fb = rows[ga, FACE], rows[gb, FACE]
    for i in range(rows[ga, EDGE], rows[ga, EDGE] + rows[ga, EDGE_COUNT]):
        p = row(points, a0 + edges[i, 0])
        u = minus(row(points, a0 + edges[i, 1]), p)
        uu = dot(u, u)
        if uu <= 0.0:
            continue
        g, h = n, n
        if both:
            g, h = row(normals, fa + edges[i, 2]), row(normals, fa + edges[i, 3])
        for j in range(rows[gb, EDGE], rows[gb, EDGE] + rows[gb, EDGE_COUNT]):
            if both:  # most arcs do not even cross each other's circle
                k, m = fb + edges[j, 2], fb + edges[j, 3]
                one = normals[k, 0] * u[0] + normals[k, 1] * u[1] + normals[k, 2] * u[2]
                two = normals[m, 0] * u[0] + normals[m, 1] * u[1] + normals[m, 2] * u[2]
                if one * two > 0.0:
                    continue
            q = row(points, b0 + edges[j, 0])
            w = minus(row(points, b0 + edges[j, 1]), q)
            ww = dot(w, w)
            if both and not arcs_cross(g, h, row(normals, k), row(normals, m), u, w):
                continue
            d = cross(u, w)
            dd = dot(d, d)
            if dd <= _PARALLEL * uu * ww or ww <= 0.0:
                continue
            d = times(1.0 / math.sqrt(dd), d)
            if both:  # between the normals of a, which point towards b
                if dot(d, g) + dot(d, h) > 0.0:
                    d = times(-1.0, d)
                s = dot(d, minus(p, q))
                if s > best + _PREFER * size:
                    # Where arcs only touch, rounding may take edges on the far side: the corners decide.
                    k = farthest(points, a0, na, times(-1.0, d))
                    m = farthest(points, b0, nb, d)
                    s = dot(d, minus(row(points, k), row(points, m)))
                if s > best + _PREFER * size:
                    best, n, ea, eb = s, d, i, j
                continue
            for side in range(2):
                if side == 1:
                    d = times(-1.0, d)
                k = farthest(points, a0, na, times(-1.0, d))
                m = farthest(points, b0, nb, d)
                s = dot(d, minus(row(points, k), row(points, m)))
                # Two segments that cross have both sides alike: the one they lean to is taken.
                better = s > best + _PREFER * size
                alike = s >= best - _PREFER * size and ea == i and eb == j and dot(d, toward) > dot(n, toward)
                if better or alike:
                    best, n, ea, eb = s, d, i, j
    return best, n, ea, eb


@kernel(internal=True, fastmath=EXACT)
def nearest_of_edges(p: THREE, p_end: THREE, q: THREE, q_end: THREE) -> THREE:
    """Return the point of the segment from p that is nearest to the line through the one from q."""
    u, w = minus(p_end, p), minus(q_end, q)
    r = minus(p, q)
    uu, ww, uw = dot(u, u), dot(w, w), dot(u, w)
    t = min(max((uw * dot(w, r) - ww * dot(u, r)) / (uu * ww - uw * uw), 0.0), 1.0)
    return p[0] + t * u[0], p[1] + t * u[1], p[2] + t * u[2]


@kernel(internal=True, fastmath=EXACT)
def arcs_cross(g: THREE, h: THREE, k: THREE, m: THREE, u: THREE, w: THREE) -> bool:
    """Return whether two edges may be where two polytopes touch: whether their arcs on the Gauss map cross.

    Args:
        g, h: Normals of the faces beside the edge of a.
        k, m: Normals beside the edge of b, whose arc is taken on the other side of the sphere.
        u: The edge of a, along the cross product of its faces' normals up to its sign and length.
        w: The edge of b.
    """
    ku, mu = -dot(k, u), -dot(m, u)
    if ku * mu > 0.0:
        return False
    gw, hw = dot(g, w), dot(h, w)
    if gw * hw > 0.0:
        return False
    # On one half of the sphere, not opposite each other: with (h x g) = c u and w likewise, c of either sign.
    return ku * dot(cross(h, g), u) * hw * dot(cross(m, k), w) >= 0.0


@kernel(internal=True, fastmath=EXACT)
def across(rows: I2, ga: int, gb: int, edges: I2, points: F2, toward: THREE) -> THREE:
    """Return a unit vector across two segments along each other, or across one, towards a vector if that can be."""
    u = (0.0, 0.0, 0.0)
    for g in (ga, gb):
        if rows[g, EDGE_COUNT] > 0:
            e = rows[g, EDGE]
            w = minus(row(points, rows[g, POINT] + edges[e, 1]), row(points, rows[g, POINT] + edges[e, 0]))
            if dot(w, w) > dot(u, u):
                u = w
    uu = dot(u, u)
    best = (0.0, 1.0, 0.0)
    longest = 0.0
    for k in range(4):
        t = toward
        if k == 1:
            t = (0.0, 1.0, 0.0)
        elif k == 2:
            t = (1.0, 0.0, 0.0)
        elif k == 3:
            t = (0.0, 0.0, 1.0)
        tt = dot(t, t)
        if tt <= 1e-24:
            continue
        along = dot(t, u) / uu if uu > 0.0 else 0.0
        v = minus(t, times(along, u))
        part = dot(v, v) / tt
        if part > longest and (k == 0 or longest < 1e-6):
            longest = part
            best = times(1.0 / math.sqrt(dot(v, v)), v)
    return best
