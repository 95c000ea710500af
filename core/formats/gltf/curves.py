"""Curves of a glTF animation at the frames of a clip.

Source: glTF 2.0 (2021), section 3.11 and appendix C: STEP keeps a key's value, LINEAR goes straight or along the
shorter arc, CUBICSPLINE along a cubic with tangents per second, after which a rotation is made one again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.spatial import quaternion as quat

STEP, LINEAR, CUBICSPLINE = "STEP", "LINEAR", "CUBICSPLINE"
USUAL_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 90.0, 100.0, 120.0, 240.0, 23.976, 29.97, 59.94, 15.0, 12.0, 10.0)
USUAL_RATE = 30.0
_NEAR = 0.01  # frames: a time so near to a whole one is meant to be whole
_AT_KEY = 1e-4  # of the way between two keys
_SLOWEST, _FASTEST = 5.0, 1000.0


class Curve(NamedTuple):
    """Values of one property of a node over time.

    Attributes:
        path: ``"translation"``, ``"rotation"`` or ``"scale"``.
        times: Ascending, shape (n,), [s].
        values: Shape (n, w), or (3 n, w) for ``CUBICSPLINE``; rotations as (w, x, y, z).
        interpolation: How it goes from key to key.
    """

    path: str
    times: Array
    values: Array
    interpolation: str

    def at(self, when: Array) -> Array:
        """Return its values at times, shape (m, w); before the first key and after the last what they say."""
        n, rotates = len(self.times), self.path == "rotation"
        cubic = self.interpolation == CUBICSPLINE
        keys = self.values[1::3] if cubic else self.values
        if rotates:
            keys = quat.normalize(keys)
        if n == 1:
            return np.repeat(keys, len(when), axis=0)
        here = np.clip(np.searchsorted(self.times, when, side="right") - 1, 0, n - 2)
        span = self.times[here + 1] - self.times[here]
        u = np.clip((when - self.times[here]) / span, 0.0, 1.0)
        # Times are single precision: what is next to a key is meant to be at it.
        u = np.where(u < _AT_KEY, 0.0, np.where(u > 1.0 - _AT_KEY, 1.0, u))
        if self.interpolation == STEP:
            return np.asarray(keys[here + (u >= 1.0)])
        if cubic:
            return self._cubic(here, span, u, rotates)
        if rotates:
            return np.asarray(quat.slerp(keys[here], keys[here + 1], u))
        return np.asarray(keys[here] + u[:, None] * (keys[here + 1] - keys[here]))

    def _cubic(self, here: NDArray[np.intp], span: Array, u: Array, rotates: bool) -> Array:
        u, span = u[:, None], span[:, None]
        squared, cubed = u * u, u * u * u
        start, leaving = self.values[3 * here + 1], self.values[3 * here + 2]
        arriving, end = self.values[3 * here + 3], self.values[3 * here + 4]
        found = (2.0 * cubed - 3.0 * squared + 1.0) * start + span * (cubed - 2.0 * squared + u) * leaving
        found = found + (3.0 * squared - 2.0 * cubed) * end + span * (cubed - squared) * arriving
        return np.asarray(quat.normalize(found) if rotates else found)


def rate_of(times: Array) -> float:
    """Return how many frames a second a motion has by when its keys are: a usual rate on which all of them fall.

    Keys that fall on none have their own, if they are evenly apart, else 30.

    Args:
        times: Of all its keys, shape (n,), [s].
    """
    apart = np.unique(np.round(times, 6))
    if len(apart) < 2:
        return USUAL_RATE
    for rate in USUAL_RATES:
        frames = apart * rate
        if np.abs(frames - np.round(frames)).max() < _NEAR * max(1.0, 1e-4 * float(frames.max())):
            return rate
    steps = np.diff(apart)
    even = float(np.median(steps))
    rate = 1.0 / even
    return rate if np.ptp(steps) < 0.05 * even and _SLOWEST <= rate <= _FASTEST else USUAL_RATE
