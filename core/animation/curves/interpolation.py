"""Curves through key values, one column a degree of freedom: linear or Catmull-Rom, for keys at uneven distances.

A span is the stretch from one key to the next, run through by ``u`` from 0 to 1; ``h`` is its length in frames.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools


def key_slopes(before: Array, here: Array, after: Array, h_in: Array, h_out: Array) -> Array:
    """Return the curve's slope at keys, ``(p_(i+1) - p_(i-1)) / (h_(i-1) + h_i)``.

    This is the Catmull-Rom tangent after the adjustment for uneven spacing: one velocity for both spans at the key,
    whatever their lengths. Where a neighbour is missing, the other side's chord is taken.

    Args:
        before: Values at the keys before, shape (..., n); those at the keys themselves where there is none.
        here: Values at the keys, shape (..., n).
        after: Values at the keys after, shape (..., n); likewise.
        h_in: Length of the spans that end at the keys, [frames]; zero where there is none; broadcasts with values.
        h_out: Length of the spans that begin at the keys, likewise.

    Returns:
        Slopes per frame, shape (..., n); zero for a key that stands alone.

    Source: Kochanek and Bartels (1984), with tension, continuity and bias zero.
    """
    both = h_in + h_out
    # Summed chord by chord, so that a chord's own rounding is all there is for far-away values.
    return ((here - before) + (after - here)) / np.where(both > 0.0, both, 1.0)


class Bounds(NamedTuple):
    """Lowest and highest slopes at keys that keep a span inside its limits, shape (..., n)."""

    lowest: Array
    highest: Array


def slope_bounds(values: Array, h: Array, lo: Array, hi: Array, beginning: bool) -> Bounds:
    """Return which slopes at keys keep a span that begins or ends there inside its limits.

    A cubic stays within the hull of its four Bezier points; the two inner ones lie a third of the slope away
    from the keys.

    Args:
        values: Values at the keys, shape (..., n).
        h: Length of the span, [frames]; zero where there is none; broadcasts with values.
        lo: Lower limits in the span, shape (..., n).
        hi: Upper limits in it.
        beginning: Whether the spans begin at the keys.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        third = np.where(h > 0.0, 3.0 / h, np.inf)
        # inf * 0 is NaN where a span is missing: no bound comes from a span that is not there.
        up, down = third * (hi - values), third * (lo - values)
    if beginning:
        return Bounds(down, up)
    return Bounds(-up, -down)


def bounded_slopes(slopes: Array, *bounds: Bounds) -> Array:
    """Return ``slopes`` made gentle enough for the spans that share them.

    Clamping the key's one slope for both spans keeps the curve free of kinks.

    Args:
        slopes: Slopes per frame at the keys, shape (..., n).
        bounds: Those of one or both spans.

    Returns:
        Slopes per frame, shape (..., n).
    """
    lowest, highest = bounds[0]
    for other in bounds[1:]:
        lowest, highest = np.fmax(lowest, other.lowest), np.fmin(highest, other.highest)
    highest = np.where(np.isnan(highest), np.inf, highest)
    lowest = np.where(np.isnan(lowest), -np.inf, lowest)
    return np.clip(slopes, np.minimum(lowest, 0.0), np.maximum(highest, 0.0))


def hermite(start: Array, end: Array, slope_start: Array, slope_end: Array, linear: Bools) -> Array:
    """Return the coefficients of the cubic of each span, lowest power of ``u`` first, shape (..., 4, n).

    Args:
        start: Values at ``u = 0``, shape (..., n).
        end: Values at ``u = 1``, shape (..., n).
        slope_start: Derivative by ``u`` at 0, shape (..., n).
        slope_end: Derivative by ``u`` at 1, shape (..., n).
        linear: Whether the span is a straight line; broadcasts with values.
    """
    chord = end - start
    c1 = np.where(linear, chord, slope_start)
    c2 = np.where(linear, 0.0, 3.0 * chord - 2.0 * slope_start - slope_end)
    c3 = np.where(linear, 0.0, slope_start + slope_end - 2.0 * chord)
    return np.stack((start, c1, c2, c3), axis=-2)


def cubic(coefficients: Array, u: Array) -> Array:
    """Return the cubics' values at ``u``.

    Args:
        coefficients: As from ``hermite``, shape (..., 4, n).
        u: Shape (..., 1) or (..., n), 0 to 1.

    Returns:
        Shape (..., n).
    """
    c = coefficients
    return ((c[..., 3, :] * u + c[..., 2, :]) * u + c[..., 1, :]) * u + c[..., 0, :]
