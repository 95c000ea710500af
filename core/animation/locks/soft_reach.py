"""The soft limit of limbs that locks hold: the trunk follows a little before they are straight, without a jerk.

A limb whose lock the interpolated pose stretches past 0.985 of its length is let off exponentially, so that it never
gets quite straight, and the root goes along by the least translation. Where the keys themselves have the limb
straighter, they are left as they are, and the limit is scaled to fit them: what the limb keeps of its slack at the
keys, it keeps between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.animation.locks import soft_reach_kernel
from core.animation.locks.limbs import Limb, reached_points, where
from core.arrays import Array
from core.kernels import serving
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton

SOFT = 0.985
"""Part of a limb's length from which on it is let off."""

_HELD = 1e-6  # [m]: a key that is nearer than this to its lock is taken to hold it


class Slack:
    """How much of the slack that the limit would give a limb it has at its keys, over time.

    Args:
        s: The figure.
        limb: The limb.
        frames: Where the motion is as the animator made it: the keys under the lock, and its ends; ascending.
        poses: From frames to the interpolated poses there.
        targets: From frames to the lock's targets and factors there.
    """

    def __init__(
        self,
        s: Skeleton,
        limb: Limb,
        frames: Array,
        poses: Callable[[Array], Array],
        targets: Callable[[Array], tuple[Array, Array]],
    ):
        self._s, self._limb, self._frames = s, limb, frames
        self._poses, self._targets = poses, targets
        self._scales = np.full(len(frames), np.nan)

    def at(self, frames: Array) -> Array:
        """Return the scales at frames, shape (m,), 0 to 1."""
        if not len(self._frames):
            return np.ones(len(frames))
        after = np.clip(np.searchsorted(self._frames, frames, side="right"), 1, max(len(self._frames) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(self._frames) - 1)
        self._fill(np.unique(np.concatenate((before, after))))
        span = self._frames[after] - self._frames[before]
        u = np.clip((frames - self._frames[before]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
        u = u * u * (3.0 - 2.0 * u)
        result: Array = (1.0 - u) * self._scales[before] + u * self._scales[after]
        return result

    def _fill(self, at: NDArray[np.intp]) -> None:
        at = at[np.isnan(self._scales[at])]
        if not len(at):
            return
        frames = self._frames[at]
        targets, factors = self._targets(frames)
        base, tip = where(self._limb, forward_kinematics(self._s, self._poses(frames)))
        wanted = reached_points(self._limb, targets)
        # An ease asks for less: with none of the lock on, the part is where it should be.
        off = (wanted - tip) * factors[:, None]
        held = np.sqrt((off * off).sum(axis=1)) <= _HELD
        offset = tip - base
        distance = np.sqrt((offset * offset).sum(axis=1))
        length = self._limb.length
        margin = (1.0 - SOFT) * length
        slack = margin * np.exp(-np.maximum(distance - SOFT * length, 0.0) / margin)
        scale = np.sqrt(np.clip((length - distance) / slack, 0.0, 1.0))
        self._scales[at] = np.where(held & (distance > SOFT * length), scale, 1.0)


def root_steps(
    s: Skeleton, poses: Array, limbs: Sequence[Limb], targets: Sequence[Array], scales: Sequence[Array]
) -> Array | None:
    """Return how far the root has to go in each pose for its limbs not to get straight, or None if nowhere.

    Args:
        s: The figure.
        poses: Interpolated poses, shape (m, nq).
        limbs: What locks hold by limbs, k of them.
        targets: The lock's targets in each pose, for each limb (m, 3) or (m, 4, 4).
        scales: From ``Slack.at``, for each limb (m,).

    Returns:
        Shape (m, 3), [m], world.
    """
    frames = forward_kinematics(s, poses)
    lengths = np.array([limb.length for limb in limbs])
    offsets = np.empty((len(poses), len(limbs), 3))
    for k, (limb, wanted) in enumerate(zip(limbs, targets, strict=True)):
        offsets[:, k] = reached_points(limb, wanted) - where(limb, frames)[0]
    if not ((offsets * offsets).sum(axis=2) > (SOFT * lengths) ** 2).any():
        return None
    out = np.empty((len(poses), 3))
    serving(soft_reach_kernel).steps(
        offsets, lengths, SOFT * lengths, np.ascontiguousarray(np.stack(scales, axis=1)), out,
        np.empty(len(limbs) + soft_reach_kernel.WORK),
    )  # fmt: skip
    return out
