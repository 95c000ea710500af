"""The step of contacts with friction, for whole simulations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.world import World
from core.dynamics.integrators.base import Integrator
from core.errors import DynamicsError
from core.skeleton.cones import cones_of

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.engine.dry_friction import DryFriction
    from core.dynamics.engine.stepper import Stepper
    from core.dynamics.multibody import Multibody
    from core.dynamics.scene import Scene
    from core.dynamics.system import System


class ContactStep(Integrator):
    """Velocities that meet contacts, friction and constraints by one quadratic program a step; free flight by ``rk4``.

    Stiffness and damping of forces are taken at the end of the step, all else of them at its beginning. The
    motion is that of :class:`core.dynamics.engine.Stepper`, with steps of ``dt``; nothing falls asleep. Dry friction in
    bearings is by what joints carried in the step before.

    Source: Anitescu and Hart 2004; Sueda 1.88 and 2.77.
    """

    name = "contact"
    label = "Contact"
    description = "Bodies touch each other, a floor and obstacles, with friction."
    limits: ClassVar[bool] = True
    touches: ClassVar[bool] = True
    rubs: ClassVar[bool] = True

    def __init__(self) -> None:
        self._stepper: Stepper | None = None
        self._steady: Array = np.zeros(0)
        self._dry: DryFriction | None = None

    def check(self, scene: Scene, others: Sequence[type[Integrator]], contact: str | None = None) -> None:
        super().check(scene, others, contact)
        if any(bearing.closes for bearing in scene.bearings):
            raise DynamicsError(f"{self.name} does not take bearings in loops; the contact method bisp does")

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._stepper = None

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        scene = system.scene
        home = scene.model
        if self._stepper is None:
            self._stepper = _stepper(scene, h)
            self._stepper.set_state(*system.at_home(x, v), t)
            self._steady = self._stepper.inputs.torque
            self._dry = _dry_friction(scene, h)
        if self._dry is not None:
            _rub(self._dry, self._stepper, scene)
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
    from core.dynamics.constraints import JointLimits
    from core.dynamics.engine.settings import StepSettings
    from core.dynamics.engine.stepper import Stepper

    model = scene.model
    contacts = scene.contacts if isinstance(scene.contacts, Contacts) else Contacts(world=World(floor=None))
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    for constraint in scene.constraints:
        if isinstance(constraint, JointLimits):
            own = _part(model, constraint.body)
            limits[own, 0] = np.maximum(limits[own, 0], constraint.lower)
            limits[own, 1] = np.minimum(limits[own, 1], constraint.upper)
    return Stepper(
        model, contacts.geometries, replace(contacts.world, gravity=model.gravity), self_contact=contacts.self_contact,
        settings=StepSettings(step=h, sleep=False), limits=limits, parts=((model, 0),) if _coned(model) else (),
        forces=scene.forces,
        constraints=_constraints(scene),
    )  # fmt: skip


def _coned(model: Multibody) -> bool:
    return model.figure is not None and len(cones_of(model.figure.skeleton)) > 0


def _constraints(scene: Scene) -> list[Constraint]:
    """Return the constraints of a scene that the stepper takes as rows."""
    from core.dynamics.constraints import ConeLimit, JointLimits

    known = (JointLimits, ConeLimit) if _coned(scene.model) else (JointLimits,)
    return [each for each in scene.constraints if not isinstance(each, known)]


def _dry_friction(scene: Scene, h: float) -> DryFriction | None:
    """Return what works out the dry friction of a scene's bearings; None without any."""
    from core.dynamics.bearings import fitted
    from core.dynamics.engine.dry_friction import DryFriction

    if not scene.bearings:
        return None
    model = scene.model
    return DryFriction(model, [own for each in scene.bearings for own in fitted(each, model)], ((model, 0),), h)


def _rub(dry: DryFriction, stepper: Stepper, scene: Scene) -> None:
    """Set the dry friction of the step to come, by what acted in the last one."""
    from core.dynamics.constraints.situation import Situation
    from core.dynamics.engine.outer_wrenches import OuterWrenches

    x, v = stepper.state()
    poses, twists = stepper.readings.body_poses(), stepper.readings.body_twists()
    outer = OuterWrenches(poses)
    outer.total += dry.weight(poses, scene.model.gravity)
    outer.add_contacts(stepper)
    at = Situation(scene.model, x, v, stepper.time)
    outer.add_forces(scene.forces, at)
    outer.add_constraints(stepper, _constraints(scene), at)
    if dry.take(x, v, poses, twists, outer.total, np.ones(len(v), dtype=np.bool_), rests=False):
        stepper.inputs.set_dry_friction(dry.torque, dry.damping)


def _part(model: Multibody, body: int | str) -> slice:
    i = model.index(body)
    return slice(int(model.first[i]), int(model.first[i + 1]))
