"""Curves through key values, linear or by cubics, and the tangents at keys for every way to fill a span.

A span is the stretch from one key to the next, run through by ``u`` from 0 to 1; ``h`` is its length in frames.

All are worked out from the two chords at a key: of values, their differences; of compounds, half the rotations from
key to key as vectors in the axes of the key. A tangent is a slope, [1/frame]; one comes to the key and one leaves it,
and they are the same but where what fills the spans breaks them.

``plain``, the tangent of ``"spline"``, is the Catmull-Rom one after the adjustment for uneven spacing:
``(d_in + d_out) / (h_in + h_out)``, one velocity for both spans at the key whatever their lengths, and at an end the
chord's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.key_rows import KINDS
from core.animation.shape import CATMULL_ROM, CENTRIPETAL, KOCHANEK_BARTELS
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


Kinds = NDArray[np.int8]

_UNIFORM, _CENTRIPETAL, _TCB = KINDS[CATMULL_ROM], KINDS[CENTRIPETAL], KINDS[KOCHANEK_BARTELS]


Size = Callable[[Array], Array]
"""From chords or tangents to their sizes, which broadcast with them: of each number, or of vectors that share one."""


class Chords(NamedTuple):
    """What the tangents at keys are made of; everything broadcasts.

    Attributes:
        d_in: Chords that end at the keys; zero where there is none.
        d_out: Chords that begin at them; likewise.
        h_in: Lengths of the spans that end at the keys, [frames]; zero where there is none.
        h_out: Lengths of those that begin there.
        size: What gives the sizes of chords and tangents.
    """

    d_in: Array
    d_out: Array
    h_in: Array
    h_out: Array
    size: Size


class TangentKinds(NamedTuple):
    """How the spans at keys are filled; everything broadcasts as in ``Chords``.

    Attributes:
        own: Kinds of the keys themselves.
        kind_in: Kinds of the spans that end at the keys; any where there is none.
        kind_out: Kinds of those that begin there.
        tcb: Tension, continuity and bias of the keys, the last axis.
    """

    own: Kinds
    kind_in: Kinds
    kind_out: Kinds
    tcb: Array

    @property
    def special(self) -> bool:
        """Whether any tangent is another than ``plain``."""
        return any(
            bool((kinds == kind).any())
            for kinds, kind in (
                (self.own, _TCB),
                (self.kind_in, _UNIFORM),
                (self.kind_out, _UNIFORM),
                (self.kind_in, _CENTRIPETAL),
                (self.kind_out, _CENTRIPETAL),
            )
        )


def tangents(chords: Chords, plain: Array, spans: TangentKinds) -> tuple[Array, Array]:
    """Return the tangents that come to keys and leave them.

    A key's own tension, continuity and bias act on both its sides. A uniform Catmull-Rom span has its own tangents at
    both ends. A key beside a centripetal span has the centripetal tangent, on both sides so that nothing jerks.

    Args:
        chords: What they are made of.
        plain: The tangents of ``"spline"``.
        spans: How the spans are filled.

    Returns:
        Two of the shape of ``plain``; ``plain`` itself twice where no key asks for anything else.
    """
    if not spans.special:
        return plain, plain
    found = [plain, plain]
    beside = (spans.kind_in == _CENTRIPETAL) & (chords.h_in > 0.0)
    beside |= (spans.kind_out == _CENTRIPETAL) & (chords.h_out > 0.0)
    if beside.any():
        found = [np.where(beside, centripetal(chords, plain), plain)] * 2
    uniform = spans.kind_in == _UNIFORM, spans.kind_out == _UNIFORM
    if uniform[0].any() or uniform[1].any():
        both = (chords.h_in > 0.0) & (chords.h_out > 0.0)
        half = 0.5 * (chords.d_in + chords.d_out)
        for side, h in enumerate((chords.h_in, chords.h_out)):
            step = np.where(both, half / np.where(both, h, 1.0), plain)
            found[side] = np.where(uniform[side], step, found[side])
    own = spans.own == _TCB
    if own.any():
        for side, tangent in enumerate(kochanek_bartels(chords, spans.tcb)):
            found[side] = np.where(own, tangent, found[side])
    return found[0], found[1]


def centripetal(chords: Chords, plain: Array) -> Array:
    """Return the centripetal tangents: those of knots as far apart as the roots of the chords' sizes.

    By the knots the tangent is ``T = (v_in k_out + v_out k_in) / (k_in + k_out)`` with ``k = sqrt(size)`` and
    ``v = d / k``. The path's knots and frames go by at the mean of the paces either side, ``k_in / h_in`` and
    ``k_out / h_out``, and no more than three times either chord's slope is taken: then values that rise from key to
    key rise all the way, a value turns round at keys only, and between equal keys it stays. One velocity for both
    spans; a motion at constant velocity keeps it however the keys are spaced; where the frames are spaced as the
    knots it is the centripetal Catmull-Rom spline itself.

    Source: Yuksel, Schaefer and Keyser (2011) for the knots, Fritsch and Carlson (1980) for the bound.
    """
    size_in, size_out, h_in, h_out = chords.size(chords.d_in), chords.size(chords.d_out), chords.h_in, chords.h_out
    there = (size_in > 0.0) & (size_out > 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        k_in, k_out = np.sqrt(size_in), np.sqrt(size_out)
        direction = chords.d_in / size_in + chords.d_out / size_out
        pace = 0.5 * (k_in / h_in + k_out / h_out)
        tangent = direction * (k_in * (k_out / (k_in + k_out)) * pace)
        most = 3.0 * np.minimum(size_in / h_in, size_out / h_out)
        size = chords.size(tangent)
        tangent = np.where(size > most, tangent * (most / size), tangent)
    ends = (h_in <= 0.0) | (h_out <= 0.0)
    return np.where(ends, plain, np.where(there, tangent, 0.0))


def kochanek_bartels(chords: Chords, tcb: Array) -> tuple[Array, Array]:
    """Return the tangents that come to keys and leave them for tension, continuity and bias.

    ``(1 - t) ((1 - c)(1 + b) d_in + (1 + c)(1 - b) d_out) / (h_in + h_out)`` comes to the key, and with the sign of
    ``c`` turned round it leaves: the paper's, whose adjustment for uneven spacing makes one velocity of the two
    where ``c`` is zero.

    Args:
        chords: What they are made of.
        tcb: Tension, continuity and bias, the last axis.

    Source: Kochanek and Bartels (1984), equations 8 and 9 and section 4.
    """
    t, c, b = tcb[..., 0], tcb[..., 1], tcb[..., 2]
    both = chords.h_in + chords.h_out
    both = np.where(both > 0.0, both, 1.0)
    tight = 1.0 - t

    def tangent(c: Array) -> Array:
        before, after = tight * ((1.0 - c) * (1.0 + b)), tight * ((1.0 + c) * (1.0 - b))
        return np.asarray((before * chords.d_in + after * chords.d_out) / both)

    return tangent(c), tangent(-c)


def calm_tangents(tangent: Array, *most: Array) -> Array:
    """Return tangents of rotations made so short that no span beside them swings past its two keys.

    The inner Bezier point of a span, a third of the tangent away from its key, is to lie in the ball whose diameter is
    the chord: for turns about one axis that is the range between the two keys, whose bounds the slopes of single values
    have. The tangent ``w`` becomes ``s w`` with the largest ``s`` from 0 to 1 for which ``|s w|^2 <= s w . m`` and
    ``m`` three times the chord's slope; between equal keys it is zero. Where chords are of one length it is never
    touched, whatever the angle between them.

    Args:
        tangent: Shape (..., 3).
        most: ``m`` of one or both spans, of the same shape; NaN for a span that asks for nothing.
    """
    square = (tangent * tangent).sum(axis=-1, keepdims=True)
    scale = np.ones_like(square)
    for m in most:
        along = (tangent * m).sum(axis=-1, keepdims=True)
        part = np.clip(along, 0.0, square) / np.where(square > 0.0, square, 1.0)
        scale = np.where(np.isnan(along), scale, np.minimum(scale, part))
    return np.asarray(np.where(scale < 1.0, scale * tangent, tangent))
