"""The part of the state of physics that intervenes in a simulation: pulls, throws, drops balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array

if TYPE_CHECKING:
    from app.document.physics.run import SimulationRun


@dataclass(frozen=True, eq=False)
class Pull:
    """A part that is pulled.

    Attributes:
        joint: The part.
        point: Where it is held, in the joint's frame, shape (3,), [m].
        target: Where it is pulled to, in the world, shape (3,), [m].
    """

    joint: int
    point: Array
    target: Array


class PhysicsInterventions:
    """Everything a person does to a simulation while it runs."""

    if TYPE_CHECKING:
        pull: Pull | None
        _run: SimulationRun | None
        _balls: int

        def announce(self, name: str) -> None: ...

    def begin_pull(self, joint: int, point: Array, target: Array) -> None:
        """Pull a part towards a place, from now on; see ``Pull``."""
        self.pull = Pull(joint, np.asarray(point, dtype=np.float64), np.asarray(target, dtype=np.float64))
        self._send_pull()

    def move_pull(self, target: Array) -> None:
        """Pull towards another place."""
        if self.pull is not None:
            self.pull = Pull(self.pull.joint, self.pull.point, np.asarray(target, dtype=np.float64))
            self._send_pull()

    def _send_pull(self) -> None:
        pull, run = self.pull, self._run
        if pull is not None and run is not None:
            run.call("pull", lambda preview: preview.pull(pull.joint, pull.point, pull.target))
            self.announce("pull")

    def release(self) -> None:
        """Let go of the part that is pulled."""
        if self.pull is not None:
            self.pull = None
            if self._run is not None:
                self._run.call("pull", lambda preview: preview.release())
            self.announce("pull")

    def throw(self, velocity: Array, joint: int | None = None) -> None:
        """Give the whole figure, or one part, more velocity, shape (3,), [m/s]."""
        run, more = self._run, np.asarray(velocity, dtype=np.float64)
        if run is not None:
            run.call("throw", lambda preview: preview.throw(joint, more))

    def drop_ball(self, position: Array, radius: float = 0.1, mass: float = 5.0, velocity: Array | None = None) -> None:
        """Let a ball fall into the simulation from a place in the world, shape (3,), [m]; radius [m], mass [kg]."""
        run, at = self._run, np.asarray(position, dtype=np.float64)
        speed = np.zeros(3) if velocity is None else np.asarray(velocity, dtype=np.float64)
        if run is not None:
            self._balls += 1
            run.call(f"ball {self._balls}", lambda preview: preview.drop_ball(at, radius, mass, speed))
