"""A simulation that costs nothing: the figure sinks by a centimetre a sample, and all done to it is written down."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.animation.sequence import Sequence
from core.errors import DynamicsError
from core.preview.sample import ContactForces, Sample

TICK = 1.0 / 60.0
SINKS = 0.01  # a sample [m]


class FakePreview:
    """Stands in for ``core.preview.preview.Preview``.

    Args:
        sequence: The keyed motion.
        start: Frame at which it begins.
        last: Number of the last sample; None for no end.
        fails_at: Number of a sample that cannot be worked out.
    """

    def __init__(self, sequence: Sequence, start: int, last: int | None = None, fails_at: int | None = None):
        self.sequence, self.start, self.last, self.fails_at = sequence, start, last, fails_at
        self.tick = TICK
        self.done: list[tuple[Any, ...]] = []
        self.samples = [self._sample(0)]

    overlaps = ()
    leap = ""

    @property
    def finished(self) -> bool:
        return self.last is not None and len(self.samples) > self.last

    def advance(self) -> Sample:
        if len(self.samples) == self.fails_at:
            raise DynamicsError("the motion runs away\nat joint 3")
        self.samples.append(self._sample(len(self.samples)))
        return self.samples[-1]

    def rewind(self, frame: float | None = None) -> None:
        self.samples = [each for each in self.samples[1:] if frame is not None and each.frame <= frame + 1e-6]
        self.samples.insert(0, self._sample(0))
        self.done.append(("rewind", frame))

    def pull(self, joint: int, point: Any, target: Any) -> None:
        self.done.append(("pull", joint, len(self.samples)))

    def release(self) -> None:
        self.done.append(("release",))

    def throw(self, joint: int | None, velocity: Any) -> None:
        self.done.append(("throw", joint, np.array(velocity)))

    def drop_ball(self, position: Any, radius: float, mass: float, velocity: Any) -> None:
        self.done.append(("ball", radius, mass))

    def _sample(self, number: int) -> Sample:
        figure, frame = self.sequence.skeleton, self.start + number * TICK * self.sequence.fps
        q = self.sequence.pose_at_frame(frame).copy()
        q[1] -= SINKS * number
        q.setflags(write=False)
        nothing = np.zeros(3)
        return Sample(
            time=number * TICK, frame=frame, q=q, rates=np.zeros(figure.nq), others=(), rigid_bodies=(), shapes=(),
            kinetic=1.0, potential=2.0, momentum=np.zeros(6), center_of_mass=q[:3], velocity=nothing,
            contacts=ContactForces.none(), torques=np.zeros(figure.n_dofs), lock_residuals=(),
            dynamic=np.ones(len(figure.joints), dtype=np.int8),
        )  # fmt: skip
