"""The step of contacts with friction, for whole simulations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.world import World
from core.dynamics.forces.implicit import ImplicitTerms
from core.dynamics.integrators.base import Integrator
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.engine.stepper import Stepper
    from core.dynamics.engine.tree import Tree
    from core.dynamics.multibody import Multibody
    from core.dynamics.scene import Scene
    from core.dynamics.system import System


class ContactStep(Integrator):
    """Velocities that meet contacts, friction and limits by one quadratic program a step; free flight by ``rk4``.

    Springs and dampers in hinges and slides are taken at the end of the step, other forces at its beginning. The
    motion is that of :class:`core.dynamics.engine.Stepper`, with steps of ``dt``; nothing falls asleep.

    Source: Anitescu and Hart 2004; Sueda 1.88 and 2.77.
    """

    name = "contact"
    label = "Contact"
    description = "Bodies touch each other, a floor and obstacles, with friction."
    equalities: ClassVar[bool] = False
    limits: ClassVar[bool] = True
    touches: ClassVar[bool] = True

    def __init__(self) -> None:
        self._stepper: Stepper | None = None
        self._tree: Tree | None = None

    def check(self, scene: Scene) -> None:
        """Check that all constraints are limits of joints.

        Raises:
            DynamicsError: If one is not; names it and who can take it.
        """
        super().check(scene)
        from core.dynamics.constraints import JointLimits

        for constraint in scene.constraints:
            if not isinstance(constraint, JointLimits):
                raise DynamicsError(
                    f"{self.name} does not take {type(constraint).__name__}; linearly_implicit and symplectic_euler do"
                )

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._stepper = None

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        from core.dynamics.engine.tree import Tree

        home = system.scene.model
        if self._stepper is None:
            self._stepper, self._tree = _stepper(system.scene, h), Tree(home)
            self._stepper.set_state(*system.at_home(x, v))
        assert self._tree is not None
        loads = _explicit(system, self._tree, t)
        if loads is not None:
            self._stepper.set_joint_forces(torque=loads)
        self._stepper.step()
        x_home, v_home = self._stepper.state(near=system.row)
        if system.model is home:
            return x_home, v_home
        return charts.converted_state(home, x_home, v_home, system.model, x)


def _stepper(scene: Scene, h: float) -> Stepper:
    """Return a stepper of a scene: model, contacts, limits, springs and dampers that act on one coordinate each."""
    from core.dynamics.engine.settings import StepSettings
    from core.dynamics.engine.stepper import Stepper

    model = scene.model
    contacts = scene.contacts if isinstance(scene.contacts, Contacts) else Contacts(world=World(floor=None))
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    for constraint in scene.constraints:
        own = _part(model, constraint.body)  # type: ignore[attr-defined]
        limits[own, 0] = np.maximum(limits[own, 0], constraint.lower)  # type: ignore[attr-defined]
        limits[own, 1] = np.minimum(limits[own, 1], constraint.upper)  # type: ignore[attr-defined]
    stepper = Stepper(
        model, contacts.geometries, replace(contacts.world, gravity=model.gravity), self_contact=contacts.self_contact,
        settings=StepSettings(step=h, sleep=False), limits=limits, parts=(),
    )  # fmt: skip
    terms = ImplicitTerms(model)
    for force in scene.forces:
        force.implicit(terms)
    stepper.set_joint_forces(terms.stiffness, terms.rest, terms.damping, np.zeros(model.nv))
    stepper.set_pulls(terms.pulls)
    return stepper


def _part(model: Multibody, body: int | str) -> slice:
    i = model.index(body)
    return slice(int(model.first[i]), int(model.first[i + 1]))


def _explicit(system: System, tree: Tree, t: float) -> Array | None:
    """Return what other forces and the controller do at the last row, by the step's velocities; None for nothing."""
    from core.dynamics.engine import conversions
    from core.dynamics.forces import Load
    from core.dynamics.state import State

    scene, home = system.scene, system.scene.model
    others = [force for force in scene.forces if not force.implicit(ImplicitTerms(home))]
    if not others and scene.controller is None:
        return None
    x, v = system.row, system.row_rates
    state, load = State(home, x, v, t, home), Load(home)
    for force in others:
        force.add(state, load)
    tau = load.generalized(home, x)
    if scene.controller is not None:
        tau = tau + np.asarray(scene.controller(t, x, v), dtype=np.float64)
    return conversions.efforts(tree, x, tau)
