"""Strips whose joints a controller moves, as presets of physics say: what it is told, what its motors do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.preview.anatomy import Anatomy
from core.preview.controllers.controller import Controller, Situation
from core.preview.presets import preset_of

if TYPE_CHECKING:
    from core.preview.stage import Stage
    from core.preview.motors import Drive


class Directed:
    """The controllers of a simulation.

    Args:
        stage: The simulation.
    """

    def __init__(self, stage: Stage):
        self._stage = stage
        self._controllers: dict[tuple[int, int], Controller] = {}
        self._begin: tuple[Any, ...] = ()
        for k, actor in enumerate(stage.actors):
            anatomy: Anatomy | None = None
            for number, strip in enumerate(actor.strips):
                preset = preset_of(strip.mode)
                if preset is None or preset.follows_gain:
                    continue
                anatomy = anatomy or Anatomy(actor)
                controller = preset.controller(anatomy, strip)
                if controller is not None:
                    self._controllers[k, number] = controller
        self._begin = self.minds

    @property
    def minds(self) -> tuple[Any, ...]:
        """What the controllers remember."""
        return tuple(each.state for each in self._controllers.values())

    @minds.setter
    def minds(self, given: tuple[Any, ...]) -> None:
        for each, state in zip(self._controllers.values(), given or self._begin, strict=True):
            each.state = state

    def restart(self) -> None:
        """Let them remember nothing."""
        self.minds = self._begin

    def steer(self, figure: int, drive: Drive, step: int) -> bool:
        """Put what controllers want of a figure into its motors for a step; return whether there are any.

        Args:
            figure: Number of the figure.
            drive: Its motors, as set for the step; those of eases stay where they are stronger.
            step: Number of the step.
        """
        stage, actor = self._stage, self._stage.actors[figure]
        steers = False
        drive.torque[:] = 0.0
        for number, mine in stage.moves[figure].groups:
            controller = self._controllers.get((figure, number))
            if controller is None or number in drive.returning:
                continue
            command = controller.command(self._situation(figure, step, actor.strips[number].gain))
            own = mine[(mine < actor.model.first[0]) | (mine >= actor.model.first[1])]
            eases = drive.kp[own] > command.kp[own]
            own = own[~eases]
            drive.kp[own], drive.kd[own] = command.kp[own], command.kd[own]
            drive.x[own], drive.v[own], drive.torque[own] = command.x[own], command.v[own], command.torque[own]
            drive.leads = steers = True
        return steers

    def _situation(self, figure: int, step: int, strength: float) -> Situation:
        stage, actor = self._stage, self._stage.actors[figure]
        x, v = stage.state_of(figure)
        keyed, readings = stage.keyed[figure], stage.stepper.readings
        alone = len(stage.actors) == 1 and not stage.rigid_bodies
        _, _, momentum, center = readings.motion(None if alone else actor.bodies)
        poses = readings.body_poses()[actor.bodies]
        rows = readings.contact_record().rows
        bodies = rows["body_a"][rows["body_b"] < 0].astype(np.int64) - actor.bodies.start
        touching = frozenset(bodies[(bodies >= 0) & (bodies < len(actor.model.bodies))].tolist())
        return Situation(
            step * stage.step, stage.step, x, v, poses, (keyed.x(step + 1), keyed.came(step + 1)), center,
            momentum[3:] / actor.model.mass, touching, stage.settings.gravity, strength,
        )  # fmt: skip
