"""A flight whose angular momentum is kept: how the whole figure has to turn for that, between poses that stay."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.errors import SequenceError
from core.kinematics.forward import forward_kinematics
from core.preview.body_motion import bodies_of, body_motion
from core.preview.differences import stencil
from core.skeleton import Skeleton
from core.spatial import so3

_SHOTS = 20
_HIT = 1e-10  # rad
_NUDGE = 1e-6
_FARTHEST = 1.0  # rad: a correction that turns the figure farther at once is cut down


def evened_turns(s: Skeleton, poses: Array, step: float) -> Array:
    """Return how to turn a flying figure about its centre of mass so that its angular momentum stays the same.

    It is turned as a whole, its pose apart. What it has at the first and at the last pose stays as it is.

    Args:
        s: The figure.
        poses: Poses of the flight, evenly spaced, shape (m, nq).
        step: Time between two, [s].

    Returns:
        Rotations in world axes, the first and the last none, shape (m, 3, 3).

    Raises:
        SequenceError: If no angular momentum leads from the first pose to the last.
    """
    count = len(poses)
    frames = forward_kinematics(s, poses)
    motion = body_motion(bodies_of(s), frames, frames, stencil(np.arange(float(count)), count, step))
    flexible = _Flexible(motion.spin, motion.inertia, step)
    kept = motion.spin.mean(axis=0)
    for _ in range(_SHOTS):
        turns = flexible.turns(kept)
        missed = so3.log(turns[-1])
        if float(np.linalg.norm(missed)) < _HIT:
            turns[-1] = np.eye(3)
            return turns
        size = max(float(np.linalg.norm(kept)), 1.0) * _NUDGE
        slope = np.empty((3, 3))
        for k, unit in enumerate(np.eye(3)):
            there = flexible.turns(kept + size * unit)[-1]
            slope[:, k] = so3.log(there @ turns[-1].T) / size
        # Turns add up from the left: the error is expressed in the world's axes at the end.
        change = np.linalg.solve(slope, -missed * min(1.0, _FARTHEST / float(np.linalg.norm(missed))))
        kept = kept + change
    raise SequenceError("no rotation in the air leads from its first pose to its last; change one of them")


class _Flexible:
    """A body whose inertia and own angular momentum change with its pose.

    Args:
        spins: Angular momentum that it has by changing its pose, shape (m, 3), [N m s].
        inertias: Its inertia, shape (m, 3, 3), [kg m^2].
        step: Time between two, [s].
    """

    def __init__(self, spins: Array, inertias: Array, step: float):
        self._step = step
        # At the poses and half way between them.
        self._spins, self._inverse = _halved(spins), np.linalg.inv(_halved(inertias))

    def turns(self, kept: Array) -> Array:
        """Return the turns at the poses, shape (m, 3, 3), if it has a constant angular momentum in the world."""
        h, C = self._step, np.eye(3)
        found = [C]
        for k in range(0, len(self._spins) - 2, 2):
            # Runge and Kutta on the group: rates in the body's axes, steps as rotation vectors.
            a = self._rate(k, C, kept)
            b = self._rate(k + 1, C @ so3.exp(0.5 * h * a), kept)
            c = self._rate(k + 1, C @ so3.exp(0.5 * h * b), kept)
            d = self._rate(k + 2, C @ so3.exp(h * c), kept)
            C = C @ so3.exp(h / 6.0 * (a + 2.0 * b + 2.0 * c + d))
            found.append(C)
        return np.array(found)

    def _rate(self, k: int, C: Array, kept: Array) -> Array:
        return np.asarray(self._inverse[k] @ (C.T @ kept - self._spins[k]))


def _halved(values: Array) -> Array:
    """Return values with the means of neighbours in between, shape (2 m - 1, ...)."""
    found = np.empty((2 * len(values) - 1, *values.shape[1:]))
    found[::2] = values
    found[1::2] = 0.5 * (values[1:] + values[:-1])
    return found
