"""Bodies that step by themselves, held together by the forces of their hinges and balls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.hakenberg import BodyStates, Loads, bodies_of, printed_step, stabilized_step
from core.dynamics.hakenberg.equations import intrinsic_torques
from core.dynamics.integrators.base import Integrator
from core.dynamics.motion import motion
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces import Force
    from core.dynamics.scene import Scene
    from core.dynamics.system import System

Update = Literal["stabilized", "printed"]


class Hakenberg(Integrator):
    """Steps of the bodies' own places and turns by the accelerations of equation (6); ``formulation`` does not count.

    Joints are hinges and balls; bodies may float, hang on the world or be fixed to each other. Each tree that floats
    keeps its momenta to rounding. Between steps the bodies' states are kept, not the coordinates made of them.

    Args:
        update: ``"stabilized"``, of fourth order, keeps joints together and momenta; ``"printed"`` is the paper's own,
            of first order, which drifts until the motion blows up.

    Raises:
        DynamicsError: If there is no such update.

    Source: Hakenberg, Algorithm for animation; ``core.dynamics.hakenberg.stepping``.
    """

    name: ClassVar[str] = "hakenberg"
    label: ClassVar[str] = "Hakenberg"
    description: ClassVar[str] = "Bodies held together by their joints' forces; keeps momentum. Hinges and balls only."
    equalities: ClassVar[bool] = False

    def __init__(self, update: Update = "stabilized") -> None:
        if update not in ("stabilized", "printed"):
            raise DynamicsError(f'there is no update {shown(update)}; there are "stabilized" and "printed"')
        self.update = update
        self._state: BodyStates | None = None
        self._friction: Array = np.zeros(0)
        self._motor: Array = np.zeros(0)
        self._others: list[Force] = []

    @classmethod
    def works_by(cls, formulation: str, constrained: bool) -> str | None:
        return None

    def check(self, scene: Scene, others: Sequence[type[Integrator]], contact: str | None = None) -> None:
        super().check(scene, others, contact)
        bodies_of(scene.model)

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._state = None
        model = system.scene.model
        known = bodies_of(model)
        self._friction, self._motor = np.zeros((2, len(known.bodies.E)))
        self._others = []
        for force in system.scene.forces:
            own = known.intrinsic(model, force.implicit)
            if own is None:
                self._others.append(force)
            else:
                self._friction += own[0]
                self._motor += own[1]

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        model = system.model
        known = bodies_of(model)
        if self._state is None:
            moving = motion(model, x, v)
            assert moving.V is not None
            self._state = known.states(model.joint_poses(x), moving.V)
        none = np.zeros((len(known.bodies.E), 3))
        weight = Loads(none, known.bodies.masses[:, None] * model.gravity, np.zeros((len(known.base), 3)))
        others = [force for force in self._others if not force.idle]
        rubs = self._friction.any() or self._motor.any()

        def loads(after: float, state: BodyStates) -> Loads:
            acting = weight
            if others or system.scene.controller is not None:
                here = system.state(t + after, *known.coordinates(model, state, x))
                load = system.load(here, others)
                if load.tau.any() or load.wrenches.any():
                    acting = known.loads(model, here.motion, here.joint_poses, load.tau, load.wrenches)
            if rubs:  # by the bodies themselves: coordinates take far longer
                acting = acting._replace(
                    e=acting.e + intrinsic_torques(known.bodies, state, self._friction, self._motor)
                )
            return acting

        step = stabilized_step if self.update == "stabilized" else printed_step
        self._state = step(known.bodies, self._state, h, loads)
        return known.coordinates(model, self._state, x)
