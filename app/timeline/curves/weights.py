"""Weighted tangents: handles that have a length of their own. No window.

A span with free handles is a Bézier curve in time and value. Its time is an ease whose progress is the curve's own
parameter, ``Ease(x1, 1/3, x2, 2/3)``, and its values are the path with slopes in that parameter: a handle that reaches
the share ``r`` of the span along and rises by ``m`` a frame is a slope of the path of ``3 r m``. So nothing but eases
and slopes is stored, and every value of a channel shares the lengths of its handles.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.animation.key import Key
from core.animation.key_parts import Parts, held
from core.animation.sequence import Sequence
from core.animation.shape import Ease, Shape

THIRD = 1.0 / 3.0
LEAST, MOST = 0.01, 1.0
"""How far handles may reach, as shares of their span."""
_SAME = 1e-9


def is_weighted(shape: Shape | None) -> bool:
    """Return whether the handles of the span after a key have lengths of their own."""
    ease = None if shape is None else shape.ease
    return ease is not None and abs(ease.y1 - THIRD) < _SAME and abs(ease.y2 - 2.0 * THIRD) < _SAME


def reach_out(shape: Shape | None) -> float | None:
    """Return how far the handle after a key reaches, as a share of the span; None if it has no length of its own."""
    return shape.ease.x1 if shape is not None and shape.ease is not None and is_weighted(shape) else None


def reach_in(before: Shape | None) -> float | None:
    """Return how far the handle before a key reaches; ``before`` is the shape of the key before it."""
    return 1.0 - before.ease.x2 if before is not None and before.ease is not None and is_weighted(before) else None


def steepness(reach: float | None) -> float:
    """Return the slope of the path at a key in terms of that of the curve that is seen."""
    return 1.0 if reach is None else 3.0 * reach


def with_reach(keys: Iterable[Key], name: str, frame: int, out: float | None, back: float | None) -> list[Key]:
    """Return keys with handles of another length.

    Args:
        keys: All keys.
        name: The channel.
        frame: Frame of the key at which the span begins; it has weighted handles.
        out: Share of the span that the handle after it reaches; None leaves it.
        back: Likewise the handle before the span's end.
    """
    made = list(keys)
    for i, key in enumerate(made):
        ease = key.shape_of(name).ease if key.frame == frame else None
        if ease is not None:
            x1 = ease.x1 if out is None else min(max(out, LEAST), MOST)
            x2 = ease.x2 if back is None else 1.0 - min(max(back, LEAST), MOST)
            made[i] = _with_ease(key, name, Ease(x1, THIRD, x2, 2.0 * THIRD))
    return made


def with_weights(sequence: Sequence, parts: Parts, weighted: bool) -> list[Key]:
    """Return a sequence's keys with handles of their own length at both sides of some, or without.

    The motion stays but for spans that had another ease, which it takes the place of, and for handles that were pulled
    and are not weighted any more.

    Args:
        sequence: The sequence; it does not change.
        parts: Channels of the keys, by frame.
        weighted: Whether they have lengths.
    """
    channels = sequence.channels
    made = {key.frame: key for key in sequence.keys}
    for frame, names in parts.items():
        for name in sorted(held(made[frame], channels, names)):
            every = sequence.keys.channel_frames(name)
            at = int(np.searchsorted(every, frame))
            for start in every[max(at - 1, 0) : at + 1].tolist():
                shape = made[start].shape_of(name)
                if is_weighted(shape) == weighted:
                    continue
                ease = Ease(THIRD, THIRD, 2.0 * THIRD, 2.0 * THIRD) if weighted else None
                made[start] = _with_ease(made[start], name, ease)
    return [made[key.frame] for key in sequence.keys]


def _with_ease(key: Key, name: str, ease: Ease | None) -> Key:
    return key.changed(shapes={**key.shapes, name: key.shape_of(name).changed(ease=ease)})
