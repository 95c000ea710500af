"""One change of a pose made to many keys: in full to those that are selected, less and less to keys around them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.animation.channels import channels_of
from core.animation.key import Key
from core.animation.layers.offsets import kept_inside, scaled_offset, with_offset
from core.animation.sorted_keys import Keys
from core.arrays import Array, Bools, Ints
from core.errors import PoseError
from core.skeleton import Skeleton


def falling_off(frames: Array, selected: Array, reach: float) -> Array:
    """Return how much frames take part in what happens at some of them, 0 to 1, shape (n,).

    Args:
        frames: Frames, shape (n,).
        selected: Frames that take part in full, ascending, at least one.
        reach: How many frames away the others take part; it goes down smoothly, with no slope at either end.
    """
    at = np.searchsorted(selected, frames)
    left = np.abs(frames - selected[np.maximum(at - 1, 0)])
    right = np.abs(frames - selected[np.minimum(at, len(selected) - 1)])
    away = np.minimum(left, right)
    if reach <= 0.0:
        return np.asarray(away == 0.0, dtype=np.float64)
    u = np.clip(away / reach, 0.0, 1.0)
    return np.asarray(1.0 - u * u * (3.0 - 2.0 * u))


def key_weights(keys: Keys, selected: Bools, reach: float = 0.0) -> Array:
    """Return how much keys take part, channel by channel, 0 to 1, shape (n, c).

    Args:
        keys: All keys.
        selected: Which are selected, shape (n, c), channels in the order of ``channels_of``.
        reach: How many frames around the selected ones take part; 0 for none.
    """
    keyed = keys.table.keyed
    selected = selected & keyed
    if reach <= 0.0:
        return selected.astype(np.float64)
    frames = keys.table.frames.astype(np.float64)
    found = np.zeros(keyed.shape)
    patterns, number = np.unique(selected, axis=1, return_inverse=True)
    for i, pattern in enumerate(patterns.T):
        if pattern.any():
            columns = np.flatnonzero(number.ravel() == i)
            found[:, columns] = falling_off(frames, frames[pattern], reach)[:, None] * keyed[:, columns]
    return found


def offset_poses(skeleton: Skeleton, poses: Array, offset: Array, weights: Array) -> Array:
    """Return poses with an offset made to them by weights, inside limits and cones, shape (m, nq).

    Args:
        skeleton: The figure.
        poses: Shape (m, nq).
        offset: Shape (nq,).
        weights: Shape (m, c), a column a channel.
    """
    wide = weights[:, channels_of(skeleton).of_value]
    if (wide[:, offset != 0.0] == 1.0).all():
        own = offset
    else:
        own = scaled_offset(skeleton, offset, wide)
    return kept_inside(skeleton, with_offset(skeleton, poses, own), poses)


def offset_keys(skeleton: Skeleton, keys: Keys, offset: Array, weights: Array, rows: Ints) -> Mapping[int, Key]:
    """Return keys with an offset made to them, by frame.

    Args:
        skeleton: The figure.
        keys: All keys.
        offset: Shape (nq,), [m] and [rad].
        weights: How much each key takes part, shape (n, c); see ``key_weights``.
        rows: Numbers of the keys that are wanted, of which each takes part.

    Raises:
        PoseError: If a pose is not finite any more.
    """
    poses = np.array([keys[i].q for i in rows.tolist()]).reshape(len(rows), skeleton.nq)
    made = np.ascontiguousarray(offset_poses(skeleton, poses, offset, weights[rows]))
    made.setflags(write=False)
    if not np.isfinite(made).all():
        raise PoseError("the change makes numbers that are too large for a pose")
    return {keys[i].frame: keys[i].posed(q) for i, q in zip(rows.tolist(), made, strict=True)}
