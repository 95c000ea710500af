"""A scene as integrators see it: accelerations and loads at any state, in the present charts of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics import charts, redmax
from core.dynamics.arrays import finite_array
from core.dynamics.body_names import body_of_coordinate
from core.dynamics.forces import Derivatives, Load
from core.dynamics.state import State
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.constraints import Stack
    from core.dynamics.contact.methods import ContactMethod
    from core.dynamics.contact.solving import ContactSolver
    from core.dynamics.forces import Force
    from core.dynamics.multibody import Multibody
    from core.dynamics.scene import Scene
    from core.dynamics.stabilization import Stabilization

_MET = 1e-9
_FAR = 1e12
"""Coordinate or rate, in the caller's units, beyond which a motion has run away: sines mean nothing there."""


def within_reach(x: Array, v: Array) -> NDArray[np.bool_]:
    """Return which coordinates and rates are finite and not beyond all measure, shape (nv,)."""
    good: NDArray[np.bool_] = np.maximum(np.abs(x), np.abs(v)) <= _FAR  # also false for NaN
    return good


class Linearized(NamedTuple):
    """A linearly implicit step, ``(M + terms) v1 = M v0 + h (force + braking)``.

    Attributes:
        M: Inertia, shape (nv, nv).
        force: Of all that acts at the start, less the bias, shape (nv,).
        terms: ``h D - h^2 K``, shape (nv, nv); None where no force has any.
        braking: ``D v0``, shape (nv,); None likewise.
    """

    M: Array
    force: Array
    terms: Array | None
    braking: Array | None


class Response(NamedTuple):
    """What a system does in one state.

    Attributes:
        vdot: Accelerations, shape (nv,).
        load: What forces and the controller do.
        multipliers: Of the constraints, as ``constraint_forces`` takes them; None without any.
    """

    vdot: Array
    load: Load
    multipliers: Array | None


class System:
    """A scene in motion.

    Attributes:
        scene: What is simulated.
        model: The scene's model in the present charts.
        formulation: By which accelerations are worked out.
        stabilization: How constraints that have drifted off are brought back.
        contact: What finds velocities with contacts; None without a contact method.
        row: Coordinates of the last row in the charts of the scene's model, shape (nq,), for those that are not unique.
        row_rates: Rates of the last row in the same charts, shape (nv,).
    """

    def __init__(
        self, scene: Scene, formulation: str, stabilization: Stabilization, method: ContactMethod | None = None
    ) -> None:
        self.scene = scene
        self.model: Multibody = scene.model
        self.formulation = formulation
        self.stabilization = stabilization
        self._strict = tuple(constraint for constraint in scene.constraints if constraint.strict)
        self.contact: ContactSolver | None = None
        if method is not None:
            from core.dynamics.contact.solving import ContactSolver

            self.contact = ContactSolver(scene, method, formulation == "maximal", stabilization.step)
        self.row: Array = np.array(scene.x)
        self.row_rates: Array = np.array(scene.v)

    def state(self, t: float, x: Array, v: Array) -> State:
        """Return a state in the present charts.

        Raises:
            DynamicsError: If it is not finite or beyond all measure; names the time and the body.
        """
        self.check_reach(t, x, v)
        return State(self.model, x, v, t, self.scene.model)

    def check_reach(self, t: float, x: Array, v: Array) -> None:
        """Refuse a state that is not finite or beyond all measure.

        Raises:
            DynamicsError: If it is; names the time and the body.
        """
        if not within_reach(x, v).all():
            self._refuse(t, self.owner(self._fastest(x, v)))

    def owner(self, k: int) -> str:
        """Return what messages call the owner of coordinate ``k``."""
        return self._body(body_of_coordinate(self.model, k))

    def _body(self, i: int) -> str:
        return f'body "{self.model.names[i]}"'

    def load(self, state: State, forces: Sequence[Force] | None = None) -> Load:
        """Return what forces and the controller do in ``state``.

        Args:
            state: The state.
            forces: Some of the forces of the scene; None: all of them.

        Raises:
            DynamicsError: If that is not finite; names the time and the body.
        """
        load = Load(state.model)
        for force in self.scene.forces if forces is None else forces:
            force.add(state, load)
        if self.scene.controller is not None:
            self.add_controller(state, load)
        if not np.isfinite(load.tau).all():
            first = int(np.argmin(np.isfinite(load.tau)))
            self._refuse(state.t, self._body(body_of_coordinate(self.model, first)))
        if not np.isfinite(load.wrenches).all():
            self._refuse(state.t, self._body(int(np.argmin(np.isfinite(load.wrenches).all(axis=1)))))
        return load

    def add_controller(self, state: State, load: Load) -> None:
        """Add the controller's torques to what forces do."""
        load.tau += self._controlled(state)

    def derivatives(self, state: State) -> Derivatives | None:
        """Return how the loads change with the state; None where no force does."""
        if not self.scene.forces:
            return None
        derivatives = Derivatives(state.model)
        for force in self.scene.forces:
            force.differentiate(state, derivatives)
        return derivatives

    def acceleration(self, t: float, x: Array, v: Array) -> Array:
        """Return ``vdot``, shape (nv,), equality constraints included.

        Raises:
            DynamicsError: If the state is not finite.
        """
        return self.response(self.state(t, x, v)).vdot

    def response(self, state: State) -> Response:
        """Return what the bodies do in a state, equality constraints included, and what makes them do it."""
        x, v = state.x, state.v
        load = self.load(state)
        if not self.scene.constraints:
            vdot = self.model.forward_dynamics(x, v, load.tau, self.formulation, wrenches=load.wrenches)
            return Response(vdot, load, None)
        from core.dynamics.constraints import constrained_dynamics

        found = constrained_dynamics(
            self.model,
            x,
            v,
            load.tau,
            self.scene.constraints,
            state.t,
            formulation=self.formulation,
            baumgarte=(self.stabilization.velocity, self.stabilization.position),
            wrenches=load.wrenches,
            home=self.scene.model,
        )
        return Response(found.vdot, load, found.multipliers)

    def stack(self, state: State) -> Stack:
        """Return the rows of the constraints of the scene, on the rates that are integrated."""
        from core.dynamics.constraints import Situation, stacked

        at = Situation(state.model, state.x, state.v, state.t, state.home)
        return stacked(self.scene.constraints, at)

    def mass_matrix(self, x: Array) -> Array:
        """Return the inertia of the coordinates that are integrated, shape (nv, nv)."""
        return self.model.mass_matrix(x)

    def explicit(self, state: State, x: Array, v: Array) -> tuple[Array, Array]:
        """Return inertia, shape (nv, nv), and all forces less the bias, shape (nv,), at ``x`` and ``v``."""
        force = self.load(state).generalized(self.model, x) - self.model.bias(x, v)
        return self.model.mass_matrix(x), force

    def linearized(self, state: State, x: Array, v: Array, moving: Array, h: float) -> Linearized:
        """Return what a linearly implicit step solves.

        Args:
            state: At ``x`` and ``v``, and at the time for which forces are asked.
            x: Coordinates, shape (nq,).
            v: Rates, shape (nv,).
            moving: Rates of which centrifugal and Coriolis forces are taken, shape (nv,).
            h: Step [s].

        Source: Sueda 2.77, 2.79.
        """
        model, load, derivatives = self.model, self.load(state), self.derivatives(state)
        J: Array | None = None
        if self.formulation == "redmax":
            M, force, J = redmax.system(model, x, moving, load.tau, load.wrenches)
        else:
            M = model.mass_matrix(x)
            force = load.generalized(model, x) - model.bias(x, moving)
        if derivatives is None:
            return Linearized(M, force, None, None)
        if derivatives.on_bodies and J is None:
            J = state.jacobian
        return Linearized(M, force, derivatives.step_terms(J, h), derivatives.damping_product(J, v))

    def residual(self, t: float, x: Array, v: Array, a: Array) -> Array:
        """Return ``M a + bias - tau``, shape (nv,): what is missing for the equations of motion to hold."""
        load = self.load(self.state(t, x, v))
        return np.asarray(self.model.inverse_dynamics(x, v, a, wrenches=load.wrenches) - load.tau, dtype=np.float64)

    def energy(self, state: State) -> tuple[float, float]:
        """Return kinetic and potential energy, that of forces included."""
        kinetic, potential = state.energy()
        return kinetic, potential + sum(force.energy(state) for force in self.scene.forces)

    def within_bounds(self, t: float, x: Array) -> Array:
        """Return the coordinates with all strict bounds met, shape (nq,); ``x`` itself where they are.

        Raises:
            DynamicsError: If one cannot be met; names it.
        """
        if not self._strict:
            return x
        from core.dynamics.constraints import stabilized_coordinates

        return stabilized_coordinates(self.model, x, self._strict, t, home=self.scene.model, tolerance=_MET)

    def rechart(self, x: Array, v: Array, early: bool = False) -> tuple[Array, Array]:
        """Let each joint change its chart where it wants to; return the same state in the present charts.

        Args:
            x: Shape (nq,).
            v: Shape (nv,).
            early: As in ``JointModel.rechart``.
        """
        self.model, x, v = self.model.rechart(x, v, early)
        return x, v

    def at_home(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Return a state in the charts of the scene's own model, next to the last row."""
        if self.model is self.scene.model:
            return x, v
        return charts.converted_state(self.model, x, v, self.scene.model, self.row)

    def _controlled(self, state: State) -> Array:
        """Return the controller's torques in the present charts, shape (nv,)."""
        assert self.scene.controller is not None
        x, v = self.at_home(state.x, state.v)
        torque = finite_array(
            self.scene.controller(state.t, x, v), (self.model.nv,), f"what the controller returns at t = {state.t:g} s"
        )
        if self.model is self.scene.model:
            return torque
        torque = torque.copy()
        for i in range(len(self.model.bodies)):
            A = state.home_rates_matrix(i)
            if A is not None:
                part = state.coordinates(i)
                torque[part] = A.T @ torque[part]
        return torque

    def _fastest(self, x: Array, v: Array) -> int:
        """Return the greatest coordinate or rate; where several are no numbers, that of the last row's."""
        size = np.maximum(np.abs(x), np.abs(v))
        lost = ~np.isfinite(size)
        if lost.any():
            size = np.where(lost, np.abs(self.row_rates), -1.0)
        return int(np.argmax(size))

    def _refuse(self, t: float, what: str) -> NoReturn:
        raise DynamicsError(
            f"the motion runs away at t = {t:g} s, most of all {what}; "
            "a smaller dt, another integrator (rk4, bdf2) or weaker forces may do"
        )
