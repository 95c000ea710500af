"""As few keys of a lock's target as hold a path within a tolerance."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from core.animation.key import LINEAR, SPLINE
from core.animation.locks.target_keys import TargetKey, TargetPath
from core.animation.shape import CENTRIPETAL
from core.arrays import Array
from core.constraints.kinds.base import Kind

Away = Callable[[Any, int], float]
"""How far a target is from where it should be at a sample, [m]."""

Progress = Callable[[float], None]

_REACH = 2  # spans either side of a key that its value has a say in


def path_keys(
    targets: dict[int, Any],
    frames: Array,
    away: Away,
    rule: Kind,
    tolerance: float,
    fixed: tuple[int, ...] = (),
    progress: Progress | None = None,
) -> tuple[tuple[TargetKey, ...], float]:
    """Return keys of a target whose path stays near another one, and how far it goes from it.

    A key is put where the path is farthest off in each span between two, over and over, until all of it is near enough
    or there is a key at every frame; then those are taken away again that it can do without.

    Args:
        targets: The target at each frame a key may have, at least at the first and the last.
        frames: Frames of the samples that are looked at, ascending, shape (m,).
        away: How far a target is off at a sample, by its number.
        rule: Kind of the lock.
        tolerance: How far the path may be off, [m].
        fixed: Frames that keep their key; the first and the last always do.
        progress: Takes how much is done, 0 to 1, and may raise ``core.errors.Cancelled``.
    """
    allowed = sorted(targets)
    keyed = sorted({allowed[0], allowed[-1], *fixed})
    shapes: dict[int, str] = {}
    off = np.zeros(len(frames))

    def key_list() -> tuple[TargetKey, ...]:
        return tuple(TargetKey(f, targets[f], shapes.get(f, SPLINE)) for f in keyed)

    def look(first: float, last: float) -> None:
        path = TargetPath(key_list(), rule)
        a, b = np.searchsorted(frames, [first, last], side="left")
        for n in range(int(a), min(int(b) + 1, len(frames))):
            if progress is not None and n % 256 == 0:
                progress(min(len(keyed) / max(len(allowed), 1), 0.99))
            off[n] = away(path.at(float(frames[n])), n)

    look(frames[0], frames[-1])
    free = np.array([f for f in allowed if f not in keyed])
    while len(free):
        new = set()
        for start, end in itertools.pairwise(keyed):
            a, b = np.searchsorted(frames, [start, end])
            inside = free[(free > start) & (free < end)]
            if b > a and len(inside) and float(off[a : b + 1].max()) > tolerance:
                worst = float(frames[a + int(off[a : b + 1].argmax())])
                new.add(int(inside[np.abs(inside - worst).argmin()]))
        if not new:
            break
        keyed = sorted({*keyed, *new})
        free = np.array([f for f in allowed if f not in keyed])
        for start, end in _around(keyed, sorted(new)):
            look(start, end)
    for place, (start, end) in enumerate(itertools.pairwise(keyed)):
        a, b = np.searchsorted(frames, [start, end])
        if float(off[a : b + 1].max()) <= tolerance:
            continue
        # Between two frames a foot may start or stop at once; a spline would swing over.
        kept = off.copy()
        span = keyed[max(place - _REACH, 0)], keyed[min(place + 1 + _REACH, len(keyed) - 1)]
        c, d = np.searchsorted(frames, span)
        for shape in (CENTRIPETAL, LINEAR):
            before = shapes.get(start, SPLINE)
            shapes[start] = shape
            look(*span)
            if float(off[c : d + 1].max()) < float(kept[c : d + 1].max()):
                kept = off.copy()
            else:
                shapes[start] = before
                off[:] = kept
    for frame in [f for f in keyed[1:-1] if f not in fixed]:
        if progress is not None:
            progress(0.99)
        place, before, kept = keyed.index(frame), keyed, off.copy()
        span = keyed[max(place - _REACH - 1, 0)], keyed[min(place + _REACH + 1, len(keyed) - 1)]
        a, b = np.searchsorted(frames, span)
        allowed_off = np.maximum(tolerance, kept[a : b + 1])
        keyed = [f for f in keyed if f != frame]
        look(*span)
        if (off[a : b + 1] > allowed_off).any():
            keyed, off[:] = before, kept
    return key_list(), float(off.max(initial=0.0))


def _around(keyed: list[int], new: list[int]) -> list[tuple[int, int]]:
    """Return the stretches in which new keys have a say, joined where they meet."""
    found: list[tuple[int, int]] = []
    for frame in new:
        place = keyed.index(frame)
        start, end = keyed[max(place - _REACH, 0)], keyed[min(place + _REACH, len(keyed) - 1)]
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found
