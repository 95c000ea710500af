"""Torques that strips key over time, as forces on the coordinates of a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.animation.torque_curves import TorqueCurve
from core.arrays import Array, Ints

if TYPE_CHECKING:
    from core.preview.actor import Actor


class _Acts(NamedTuple):
    """A curve and what it acts on.

    Attributes:
        strip: Number of the strip.
        curve: The curve.
        places: Coordinates of the whole model, shape (k,).
        along: What a torque of 1 is in each, about a ball's own axes, shape (k,).
    """

    strip: int
    curve: TorqueCurve
    places: Ints
    along: Array


class KeyedTorques:
    """The torques of the strips of figures. True if there are any.

    Args:
        actors: The figures.
    """

    def __init__(self, actors: Sequence[Actor]):
        self._each = [(actor, _acting(actor)) for actor in actors]

    def __bool__(self) -> bool:
        return any(found for _, found in self._each)

    def at(self, frames: Sequence[float], count: int) -> Array:
        """Return the torques at a time, of balls about their own axes, shape (count,), [N m] and [N].

        Args:
            frames: The frame of each figure's sequence.
            count: How many coordinates there are.
        """
        torque = np.zeros(count)
        for (actor, found), frame in zip(self._each, frames, strict=True):
            for each in found:
                strip = actor.strips[each.strip]
                if strip.start <= frame and (strip.end is None or frame < strip.end):
                    torque[each.places] += each.curve.at(frame - strip.start) * each.along
        return torque


def _acting(actor: Actor) -> list[_Acts]:
    skeleton, figure, first = actor.sequence.skeleton, actor.figure, actor.span.start
    turns: dict[int, tuple[Ints, Array]] = {}
    for ball in figure.balls:
        for numbers, axes in ((ball.before_q, ball.before_axes), (ball.q, ball.axes), (ball.after_q, ball.after_axes)):
            turns.update((int(q), (first + ball.x, axis)) for q, axis in zip(numbers, axes, strict=True))
    found = []
    for number, strip in enumerate(actor.strips):
        for curve in strip.torques:
            q = 3 + int(skeleton.first_dof[skeleton.joint_index(curve.joint)]) + curve.dof
            if q in turns:
                found.append(_Acts(number, curve, *turns[q]))
            elif q in figure.hinges:
                found.append(_Acts(number, curve, np.array([first + figure.hinges[q]]), np.ones(1)))
    return found  # what moves no mass is in no coordinate
