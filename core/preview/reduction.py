"""As few keys as stay near a motion: where the curve through those chosen is farthest off, one more is chosen."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.animation.key import Key
from core.animation.sequence import Sequence as Motion
from core.arrays import Array
from core.errors import Cancelled
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.segment import segment_tip

_THINNED = 240  # keys: of more than these none is tried to leave out once more
_REACH = 3  # keys on either side that a curve near a key depends on, and one to spare


def reduced(
    whole: Motion,
    with_keys: Callable[[Sequence[Key]], Motion],
    keys: Sequence[Key],
    tolerance: float,
    progress: Callable[[float], None] | None,
    cancelled: Callable[[], bool],
) -> tuple[list[Key], float]:
    """Return some of the keys, between which the motion stays near that of all of them, and how near.

    Args:
        whole: The motion with all keys.
        with_keys: Returns the motion with some of them.
        keys: All keys, one a frame.
        tolerance: How far a joint may be off at any frame, [m].
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        Cancelled: If ``cancelled`` said so.
    """
    frames = np.array([key.frame for key in keys])
    wanted = places(whole.skeleton, whole.poses_at_frames(frames))
    chosen = {0, len(keys) - 1}

    def errors(of: set[int], among: NDArray[np.intp]) -> Array:
        if cancelled():
            raise Cancelled
        motion = with_keys([keys[k] for k in sorted(of)])
        off = places(motion.skeleton, motion.poses_at_frames(frames[among])) - wanted[among]
        return np.asarray(np.sqrt((off * off).sum(axis=-1)).max(axis=-1))

    everywhere = np.arange(len(keys))
    while True:
        off = errors(chosen, everywhere)
        off[sorted(chosen)] = 0.0  # a key that locks draw on is what it is
        if progress is not None:
            progress(0.5 * min(1.0, float((off <= tolerance).mean())))
        ends = sorted(chosen)
        more = [a + 1 + int(off[a + 1 : b].argmax()) for a, b in itertools.pairwise(ends) if b > a + 1]
        more = [k for k in more if off[k] > tolerance]
        if not more:
            break
        chosen |= set(more)
    if len(chosen) <= _THINNED:
        chosen = _thinned(chosen, errors, tolerance, progress)
    off = errors(chosen, everywhere)
    if progress is not None:
        progress(1.0)
    return [keys[k] for k in sorted(chosen)], float(off.max())


def _thinned(
    chosen: set[int],
    errors: Callable[[set[int], NDArray[np.intp]], Array],
    tolerance: float,
    progress: Callable[[float], None] | None,
) -> set[int]:
    """Return the keys that are needed: of those chosen one after the other is left out where that does no harm."""
    order = sorted(chosen)[1:-1]
    for number, k in enumerate(order):
        left = chosen - {k}
        ends = sorted(left)
        place = int(np.searchsorted(ends, k))
        among = np.arange(ends[max(place - _REACH, 0)], ends[min(place + _REACH - 1, len(ends) - 1)] + 1)
        if errors(left, among).max() <= tolerance:
            chosen = left
        if progress is not None:
            progress(0.5 + 0.5 * number / len(order))
    return chosen


def places(s: Skeleton, poses: Array) -> Array:
    """Return where joints and the ends of their parts are, shape (m, 2 n, 3), [m]."""
    X = forward_kinematics(s, poses)
    ends = np.stack([segment_tip(s, joint) for joint in range(len(s.joints))])
    tips = np.einsum("mnij,nj->mni", X[..., :3, :3], ends) + X[..., :3, 3]
    return np.concatenate([X[..., :3, 3], tips], axis=1)
