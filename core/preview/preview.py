"""A simulation of figures from a frame of their sequences on, sample by sample."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence as Seq

import numpy as np
from numpy.typing import ArrayLike

from core.animation.hybrid_strips import HybridStrip, checked_hybrid_strips
from core.animation.sequence import Sequence
from core.arrays import Array
from core.dynamics.engine import StepReport
from core.errors import DynamicsError, RunawayError
from core.preview.actor import Actor
from core.preview.carried import moved_along
from core.preview.contact_stage import ContactStage
from core.preview.integrated_stage import IntegratedStage
from core.preview.method import left_out
from core.preview.overlaps import Overlap
from core.preview.rigid_bodies import BALL, RigidBody
from core.preview.sample import Sample
from core.preview.sampling import sample_of
from core.preview.settings import CONTACT, PhysicsSettings
from core.preview.simulated_strands import SimulatedStrands
from core.preview.stage import Moment, Stage
from core.skeleton.figure_parts import figure_names

LONGEST_TICK = 1.0 / 60.0
"""Longest time between two samples, [s]."""


class Preview:
    """A simulation. The sequence never changes; the same input gives the same bits.

    Args:
        sequence: Keyed motion of the figure, with its locks and hybrid strips.
        start_frame: Frame at which it begins, brought to the nearest sample of the sequence's time.
        settings: What it goes by; None for the usual settings.
        others: Sequences of other figures that are there: they move as their keys, and their own strips, say.
        strips: Hybrid strips instead of the sequence's. Without any at all the whole figure falls.
        names: Of the figure and of the others, by which the settings know their parts (``core.skeleton.figure_parts``);
            those that the figures have, unless given.

    Attributes:
        settings: What it goes by.
        start_frame: Frame at which it began.
        tick: Time between two samples, [s]: a frame, or a whole part of one.
        samples: What was simulated, the state at the start first.

    Raises:
        DynamicsError: If a figure has no mass, or something in the settings does not fit it.
        SequenceError: If a strip does not fit the figure.
    """

    def __init__(
        self,
        sequence: Sequence,
        start_frame: float = 0.0,
        settings: PhysicsSettings | None = None,
        *,
        others: Seq[Sequence] = (),
        strips: Seq[HybridStrip] | None = None,
        names: Seq[str] = (),
    ):
        self.settings = PhysicsSettings() if settings is None else settings
        given = sequence.hybrid_strips if strips is None else tuple(strips)
        own = checked_hybrid_strips(given, sequence.skeleton, f'sequence "{sequence.name}"')
        self._ticks = max(1, math.ceil(1.0 / (sequence.fps * LONGEST_TICK) - 1e-9))  # of a frame
        self.tick = 1.0 / (sequence.fps * self._ticks)
        self._steps = max(1, math.ceil(self.tick / self.settings.step - 1e-9))  # of a tick
        self.start_frame = max(round(start_frame * self._ticks), 0) / self._ticks
        self.strips = own or (HybridStrip((), math.floor(self.start_frame)),)
        self.samples: list[Sample] = []
        self._moments: list[Moment] = []
        gravity = self.settings.world.gravity
        actors: list[Actor] = []
        known = tuple(names) or figure_names(each.skeleton.name for each in (sequence, *others))
        figures = (sequence, *others)
        there = list(zip(figures, moved_along(figures, self.strips), strict=True))
        for (each, its), name in zip(there, known, strict=True):
            body, first = (actors[-1].bodies.stop, actors[-1].span.stop) if actors else (0, 0)
            actors.append(Actor(each, its, self.start_frame, gravity, body, first, name))
        kind = ContactStage if self.settings.integrator == CONTACT else IntegratedStage
        self._stage: Stage = kind(actors, self.settings, self.start_frame, self._ticks * self._steps)
        skeletons = [each.skeleton for each in figures]
        self._strands = SimulatedStrands(self.settings, skeletons, self.tick, known)
        self.rewind()

    # -- going on ------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> float:
        """The frame of the last sample."""
        return self.samples[-1].frame

    @property
    def finished(self) -> bool:
        """Whether all strips have ended: from here on keys move everything."""
        ends = [strip.end for strip in self.strips]
        return all(end is not None and end <= self.frame for end in ends)

    @property
    def end_frame(self) -> int | None:
        """The frame at which it is finished; None for never."""
        ends = [strip.end for strip in self.strips]
        known = [end for end in ends if end is not None]
        return max(known) if len(known) == len(ends) else None

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """What forces move that is inside something else at the start, or was when the last ball was dropped."""
        return self._stage.watch.overlaps()

    @property
    def leap(self) -> str:
        """What moves faster at the start than a figure can, in a few words; "" if nothing does."""
        return self._stage.watch.leap

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is there that the chosen integrator does not simulate, in a few words each."""
        return left_out(self.settings, self._stage.actors[0].sequence)

    def advance(self) -> Sample:
        """Simulate up to the next sample, add it to ``samples``, and return it.

        Raises:
            RunawayError: If the motion runs away; names what overlapped at the start. Nothing is added then.
        """
        number = len(self.samples)
        watch, time = self._stage.watch, number * self.tick
        try:
            report = self._stage.advance((number - 1) * self._steps, self._steps)
        except RunawayError as error:
            raise RunawayError(watch.why(time)) from error
        watch.check(time)
        self._add(report)
        return self.samples[-1]

    def run(self, frames: float) -> list[Sample]:
        """Simulate until a frame is reached, counted as the sequence's; return all samples."""
        while self.frame < frames - 1e-9:
            self.advance()
        return self.samples

    def rewind(self, frame: float | None = None) -> None:
        """Go back, and drop what was simulated after.

        Args:
            frame: The last frame that is kept; None for the start, where all is as it was at first: then the same is
                simulated once more, to the bit. Balls dropped later are gone, and nothing is pulled.
        """
        kept = 1 if frame is None else max(bisect_right(self.samples, frame + 1e-6, key=lambda each: each.frame), 1)
        if kept == 1 or not self.samples:
            self._stage.begin()
            self.samples, self._moments = [], []
            self._add(None)
        elif kept < len(self.samples):
            self._stage.resume(self._moments[kept - 1], (kept - 1) * self._steps)
            del self.samples[kept:], self._moments[kept:]
            self._strands.keep(kept)

    def at(self, frame: float) -> Sample:
        """Return the sample at a frame: the nearest one that is not later, or the first."""
        place = bisect_right(self.samples, frame + 1e-6, key=lambda sample: sample.frame)
        return self.samples[max(place - 1, 0)]

    def _add(self, report: StepReport | None) -> None:
        number = len(self.samples)
        before = self.samples[-1] if self.samples else None
        frame = self.start_frame + number / self._ticks
        step = number * self._steps
        now = self._stage.moment()
        hanging = self._strands.add
        self.samples.append(sample_of(self._stage, now, step, number * self.tick, frame, before, report, hanging))
        self._moments.append(now)

    # -- taking a hand in it ---------------------------------------------------------------------------------------

    def pull(self, joint: int | str, point: ArrayLike, target: ArrayLike) -> None:
        """Pull a part of the figure to a place, until ``release``.

        Args:
            joint: The part, by index or name.
            point: Where it is held, in the joint's frame, shape (3,), [m].
            target: Where to, in the world, shape (3,), [m].

        Raises:
            JointError: If there is no such joint.
            DynamicsError: If the part moves with no body, or a number is not finite.
        """
        self._stage.interaction.pull(joint, _vector(point, "point"), _vector(target, "target"))

    def release(self) -> None:
        """Let go of what is pulled."""
        self._stage.interaction.release()

    def throw(self, joint: int | str | None, velocity: ArrayLike) -> None:
        """Give a part another velocity at once, as a blow does; the whole figure with None.

        What keys move is not thrown.

        Args:
            joint: The part, by index or name, or None.
            velocity: By how much the velocity of its centre of mass changes, shape (3,), [m/s].
        """
        self._stage.interaction.throw(joint, _vector(velocity, "velocity"))

    def drop_ball(
        self, position: ArrayLike, radius: float = 0.1, mass: float = 1.0, velocity: ArrayLike = (0.0, 0.0, 0.0)
    ) -> RigidBody:
        """Let a ball go.

        Args:
            position: Its centre, shape (3,), [m].
            radius: [m].
            mass: [kg].
            velocity: shape (3,), [m/s].

        Raises:
            DynamicsError: If a number makes no sense.
        """
        number = len(self._stage.rigid_bodies) + 1
        ball = RigidBody(
            BALL, (radius,), mass, _vector(position, "position"), velocity=_vector(velocity, "velocity"),
            friction=self.settings.friction, name=f"ball {number}",
        )  # fmt: skip
        self._stage.add(ball)
        return ball


def _vector(value: ArrayLike, what: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise DynamicsError(f"{what} is {array.tolist()}; it must be three finite numbers")
    return array
