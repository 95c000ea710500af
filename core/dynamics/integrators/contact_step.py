"""The step of contacts with friction, for whole simulations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.world import World
from core.dynamics.integrators.base import Integrator
from core.skeleton.cones import cones_of

if TYPE_CHECKING:
    from core.dynamics.engine.stepper import Stepper
    from core.dynamics.multibody import Multibody
    from core.dynamics.scene import Scene
    from core.dynamics.system import System


class ContactStep(Integrator):
    """Velocities that meet contacts, friction and constraints by one quadratic program a step; free flight by ``rk4``.

    Stiffness and damping of forces are taken at the end of the step, all else of them at its beginning. The
    motion is that of :class:`core.dynamics.engine.Stepper`, with steps of ``dt``; nothing falls asleep.

    Source: Anitescu and Hart 2004; Sueda 1.88 and 2.77.
    """

    name = "contact"
    label = "Contact"
    description = "Bodies touch each other, a floor and obstacles, with friction."
    limits: ClassVar[bool] = True
    touches: ClassVar[bool] = True

    def __init__(self) -> None:
        self._stepper: Stepper | None = None
        self._steady: Array = np.zeros(0)

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._stepper = None

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        scene = system.scene
        home = scene.model
        if self._stepper is None:
            self._stepper = _stepper(scene, h)
            self._stepper.set_state(*system.at_home(x, v), t)
            self._steady = self._stepper.inputs.torque
        if scene.controller is not None:
            torque = np.asarray(scene.controller(t, system.row, system.row_rates), dtype=np.float64)
            self._stepper.inputs.set_joint_forces(torque=self._steady + self._stepper.inputs.efforts(torque))
        self._stepper.step()
        x_home, v_home = self._stepper.state(near=system.row)
        if system.model is home:
            return x_home, v_home
        return charts.converted_state(home, x_home, v_home, system.model, x)


def _stepper(scene: Scene, h: float) -> Stepper:
    """Return a stepper of a scene; limits of joints are those of its coordinates.

    Of a figure with cones these hold too, and with them the limits of its ball joints, which no coordinates have.
    """
    from core.dynamics.constraints import ConeLimit, JointLimits
    from core.dynamics.engine.settings import StepSettings
    from core.dynamics.engine.stepper import Stepper

    model = scene.model
    contacts = scene.contacts if isinstance(scene.contacts, Contacts) else Contacts(world=World(floor=None))
    coned = model.figure is not None and len(cones_of(model.figure.skeleton)) > 0
    known = (JointLimits, ConeLimit) if coned else (JointLimits,)
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    for constraint in scene.constraints:
        if isinstance(constraint, JointLimits):
            own = _part(model, constraint.body)
            limits[own, 0] = np.maximum(limits[own, 0], constraint.lower)
            limits[own, 1] = np.minimum(limits[own, 1], constraint.upper)
    return Stepper(
        model, contacts.geometries, replace(contacts.world, gravity=model.gravity), self_contact=contacts.self_contact,
        settings=StepSettings(step=h, sleep=False), limits=limits, parts=((model, 0),) if coned else (),
        forces=scene.forces,
        constraints=[each for each in scene.constraints if not isinstance(each, known)],
    )  # fmt: skip


def _part(model: Multibody, body: int | str) -> slice:
    i = model.index(body)
    return slice(int(model.first[i]), int(model.first[i + 1]))
