"""Motors that follow keys, and how joints go over from keys to forces and back.

On the way back a joint is led by the curve that ends at the key with the key's velocity and acceleration: what it is
off by falls as ``a r^3 + b r^4`` with the time ``r`` that is left (a law of guidance by the time to go,
``e'' = -12 e / r^2 - 6 e' / r``). It is followed by strong implicit motors, so that locks, limits and contacts, which
are hard, stay as they are and the curve starts anew from where they let the joint be.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.animation.hybrid_strips import DYNAMIC, MOTOR
from core.arrays import Array
from core.preview.actor import Actor
from core.preview.moves import Moves
from core.spatial import so3

QUICKEST = 8.0
"""How quick a motor of gain 1 is: as a spring it would swing so often, [Hz]."""
HOLDING = 12.0
"""How quick motors are that hold joints to their keys at the beginning of an ease in, [Hz]."""
LEADING = 60.0
"""How much stronger than a joint's own inertia motors are that lead it back to its keys."""


_CAUGHT, _LATE = 0.2, 0.35  # rad or m; share of the way back that is left


class Drive:
    """Gains and targets of motors in a step, shapes (nv,), (nv,), (nq,), (nv,), for one figure.

    Attributes:
        leads: Whether joints return to their keys, or go where a controller has them go.
        torque: Torques of controllers besides, of balls about own axes, shape (nv,).
        returning: Coordinates that are led back to their keys, by the number of their strip.
        caught: Whether joints that are led are still far from their keys when they should nearly be there: something
            holds them where no way leads back.
    """

    def __init__(self, actor: Actor):
        n = actor.model.nq
        self._actor, self.leads, self.caught = actor, False, False
        self.kp, self.kd, self.x, self.v = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
        self.torque = np.zeros(n)
        self.returning: set[int] = set()
        first = actor.model.first
        self._root = slice(int(first[0]), int(first[1]))
        self._ball_of = np.full(n, -1, dtype=np.int64)
        for k, columns in enumerate(actor.balls):
            self._ball_of[columns] = k

    def needed(self, moves: Moves, frame: float) -> bool:
        """Return whether any motor acts from a frame on.

        Args:
            moves: What moves the coordinates.
            frame: The frame.
        """
        for number, _ in moves.groups:
            strip = self._actor.strips[number]
            ease_in, ease_out = strip.eases
            if strip.mode != DYNAMIC or frame < strip.start + ease_in:
                return True
            if strip.end is not None and ease_out > 0.0 and frame >= strip.end - ease_out:
                return True
        return False

    def inertia(self, x: Array) -> Array:
        """Return how heavy each coordinate is to move alone, shape (nv,); the same for all three of a rotation.

        Args:
            x: Coordinates of the figure, shape (nq,).
        """
        M = self._actor.model.mass_matrix(x)
        own = np.array(np.diag(M))
        balls = self._actor.balls
        if len(balls):
            back = so3.inverse_right_jacobian(x[balls])  # rates of the vector by angular velocity
            blocks = M[balls[:, :, None], balls[:, None, :]]
            turned = np.einsum("bji,bjk,bkl->bil", back, blocks, back)
            own[balls] = np.trace(turned, axis1=1, axis2=2)[:, None] / 3.0
        return own

    def set(
        self,
        moves: Moves,
        frame: float,
        step: float,
        gain: float,
        inertia: Array,
        now: Callable[[], tuple[Array, Array]],
        keyed: tuple[Array, Array],
        coming: tuple[Array, Array],
    ) -> None:
        """Set gains and targets for a step.

        Args:
            moves: What moves the coordinates.
            frame: Frame at which the step begins.
            step: Its length, [s].
            gain: Gain of all motors, as the settings of physics give it.
            inertia: From :meth:`inertia`.
            now: Returns coordinates and rates as they are.
            keyed: Those of the keyed motion, as it came there from the step before.
            coming: Those at the end of the step likewise.
        """
        self.kp[:], self.kd[:], self.leads, self.caught = 0.0, 0.0, False, False
        self.x[:], self.v[:] = coming
        self.returning.clear()
        fps = self._actor.sequence.fps
        for number, mine in moves.groups:
            strip = self._actor.strips[number]
            ease_in, ease_out = strip.eases
            left = math.inf if strip.end is None else (strip.end - frame) / fps
            if ease_out > 0.0 and left <= ease_out / fps + 1e-9:
                self.leads = True
                self.returning.add(number)
                off = self._lead(mine, left, step, inertia, now(), keyed, coming)
                self.caught |= off > _CAUGHT and left * fps < _LATE * ease_out
                continue
            if strip.mode == MOTOR:
                turns = mine[(mine < self._root.start) | (mine >= self._root.stop)]
                self._follow(turns, QUICKEST * gain * strip.gain, strip.damping, inertia)
            if frame < strip.start + ease_in:
                u = (frame - strip.start) / ease_in
                self._follow(mine, HOLDING * (1.0 - u * u * (3.0 - 2.0 * u)), 1.0, inertia)

    def _follow(self, mine: NDArray[np.intp], quick: float, damping: float, inertia: Array) -> None:
        """Let motors pull to the keys, as springs that would swing ``quick`` times a second."""
        rate = 2.0 * math.pi * quick
        self.kp[mine] = np.maximum(self.kp[mine], inertia[mine] * rate * rate)
        self.kd[mine] = np.maximum(self.kd[mine], 2.0 * damping * inertia[mine] * rate)

    def _lead(
        self,
        mine: NDArray[np.intp],
        left: float,
        step: float,
        inertia: Array,
        now: tuple[Array, Array],
        keyed: tuple[Array, Array],
        coming: tuple[Array, Array],
    ) -> float:
        """Let motors lead to the keys, to be there in position and velocity when the time that is left is over.

        Returns:
            How far the farthest coordinate is from its key.
        """
        rest = max(left - step, 0.0)
        # Motors of velocity: they do the same however many parts the stepper takes the step in.
        self.kp[mine], self.kd[mine] = 0.0, LEADING * inertia[mine] / step
        (x, v), (x_key, v_key) = now, keyed
        plain = mine[self._ball_of[mine] < 0]
        goal = coming[0][plain] + _toward_key(x[plain] - x_key[plain], v[plain] - v_key[plain], left, rest)
        self.x[mine] = x[mine]
        self.v[plain] = (goal - x[plain]) / step
        far = float(np.abs(x[plain] - x_key[plain]).max(initial=0.0))
        numbers = np.unique(self._ball_of[mine])
        c = self._actor.balls[numbers[numbers >= 0]]
        if len(c):
            here, wanted, there = so3.exp(x[c]), so3.exp(x_key[c]), so3.exp(coming[0][c])
            off = so3.log(_turned(wanted) @ here)
            w = _times(_rates(x[c]), v[c]) - _times(_turned(so3.exp(off)), _times(_rates(x_key[c]), v_key[c]))
            led = _toward_key(off, _times(so3.inverse_right_jacobian(off), w), left, rest)
            turn = so3.log(_turned(here) @ there @ so3.exp(led))
            self.v[c] = _times(so3.inverse_right_jacobian(x[c]), turn) / step
            far = max(far, float(np.linalg.norm(off, axis=1).max()))
        return far


def _turned(matrices: Array) -> Array:
    return np.swapaxes(matrices, -1, -2)


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _rates(vectors: Array) -> Array:
    return np.array([so3.right_jacobian_rows(*vector) for vector in vectors.tolist()])


def _toward_key(off: Array, rate: Array, left: float, rest: float) -> Array:
    """Return what is left of a deviation when ``rest`` of the time ``left`` is still to go, on the curve to 0.

    Args:
        off: The deviation now.
        rate: Its rate in the step before, so that it was ``off - step rate`` then.
        left: Time that is left now, [s].
        rest: Time that is left then, a step less, [s].
    """
    if rest <= 0.0 or left <= 0.0:
        return np.zeros_like(off)
    # With the time measured in the time that is left: the curve through where it is, at 1, and where it was, at 1 + u.
    u, share = (left - rest) / left, rest / left
    was = (off - (left - rest) * rate) / (1.0 + u) ** 3
    b = (was - off) / u
    return np.asarray((off - b + b * share) * share**3)
