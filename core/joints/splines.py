"""Uniform cubic B-splines: basis functions, their derivatives, and which control values bear on a place.

Segment k runs from ``q = k`` to ``k + 1`` and is shaped by four control values in a row. Beyond the first and the last
segment of an open spline the basis functions go on as straight lines, so that a joint that is pushed past an end moves
on smoothly and its motion subspace never vanishes there.

Source: Sueda eqs. 2.61 to 2.66.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array

Four = tuple[float, float, float, float]

FARTHEST = 1e6
"""Segments past an end after which an open spline goes no farther, so that every number is a place."""


def segment(q: float, count: int, closed: bool) -> tuple[int, float]:
    """Return the segment and the place in it: 0 to 1, beyond that only past the ends of an open spline.

    Args:
        q: Place along the whole spline.
        count: Number of segments.
        closed: Whether the last segment leads on to the first.
    """
    if not math.isfinite(q):
        return 0, math.nan
    if closed:
        k = math.floor(q)
        return k % count, q - k
    q = min(max(q, -FARTHEST), count + FARTHEST)
    k = min(max(math.floor(q), 0), count - 1)
    return k, q - k


def basis(u: float) -> tuple[Four, Four, Four]:
    """Return the four basis functions at ``u`` in a segment, their first and their second derivatives."""
    t = min(max(u, 0.0), 1.0)
    tt, r = t * t, 1.0 - t
    values = (
        r * r * r / 6.0,
        (4.0 - 6.0 * tt + 3.0 * tt * t) / 6.0,
        (1.0 + 3.0 * (t + tt - tt * t)) / 6.0,
        tt * t / 6.0,
    )
    first = (-0.5 * r * r, 1.5 * tt - 2.0 * t, 0.5 + t - 1.5 * tt, 0.5 * tt)
    if u == t:
        return values, first, (r, 3.0 * t - 2.0, 1.0 - 3.0 * t, t)
    d = u - t
    a, b, c, e = (value + d * slope for value, slope in zip(values, first, strict=True))
    return (a, b, c, e), first, (0.0, 0.0, 0.0, 0.0)


def cumulative(functions: Four) -> tuple[float, float, float]:
    """Return the last three cumulative basis functions, each the sum of one basis function and all after it.

    Source: Sueda eq. 2.65; likewise for the derivatives. The first is 1 throughout.
    """
    _, b, c, d = functions
    return b + c + d, c + d, d


def basis_rows(places: Array, controls: int) -> Array:
    """Return the matrix B with ``B @ values`` the open spline at some places, shape (m, controls).

    Args:
        places: Shape (m,).
        controls: Number of control values, 4 or more.
    """
    rows = np.zeros((len(places), controls))
    for row, q in zip(rows, places.tolist(), strict=True):
        k, u = segment(q, controls - 3, closed=False)
        row[k : k + 4] = basis(u)[0]
    return rows
