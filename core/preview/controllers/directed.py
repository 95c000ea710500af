"""Strips whose joints a controller moves, as presets of physics say: what it is told, what its motors do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.preview.anatomy import Anatomy
from core.preview.controllers.controller import Controller, Situation
from core.preview.presets import preset_of

if TYPE_CHECKING:
    from core.preview.motors import Drive
    from core.preview.stage import Stage


class Directed:
    """The controllers of a simulation.

    Args:
        stage: The simulation.
    """

    def __init__(self, stage: Stage):
        self._stage = stage
        self._controllers: dict[tuple[int, int], Controller] = {}
        self._resumed: tuple[int, tuple[frozenset[int], ...]] = (-1, ())
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
        self._begin = tuple(each.state for each in self._controllers.values())

    @property
    def minds(self) -> tuple[Any, ...]:
        """What the controllers remember, and what of each figure touches; () without any."""
        if not self._controllers:
            return ()
        states = tuple(each.state for each in self._controllers.values())
        return states, tuple(self._touching(figure) for figure in range(len(self._stage.actors)))

    def restart(self) -> None:
        """Let them remember nothing."""
        self._remember(self._begin)
        self._resumed = -1, ()

    def resume(self, minds: tuple[Any, ...], step: int) -> None:
        """Let them remember what they did at a step, from which the simulation goes on.

        Args:
            minds: As they were.
            step: Number of the step, before which contacts are not found anew.
        """
        states, touching = minds or (self._begin, ())
        self._remember(states)
        self._resumed = step, touching

    def _remember(self, states: tuple[Any, ...]) -> None:
        for each, state in zip(self._controllers.values(), states, strict=True):
            each.state = state

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
        at, known = self._resumed
        touching = known[figure] if known and step == at else self._touching(figure)
        return Situation(
            step * stage.step, stage.step, x, v, poses, (keyed.x(step + 1), keyed.came(step + 1)), center,
            momentum[3:] / actor.model.mass, touching, stage.settings.gravity, strength,
        )  # fmt: skip

    def _touching(self, figure: int) -> frozenset[int]:
        """Return the numbers of a figure's bodies that touch what does not move, by the last step."""
        actor, rows = self._stage.actors[figure], self._stage.stepper.readings.contact_record().rows
        bodies = rows["body_a"][rows["body_b"] < 0].astype(np.int64) - actor.bodies.start
        return frozenset(bodies[(bodies >= 0) & (bodies < len(actor.model.bodies))].tolist())
