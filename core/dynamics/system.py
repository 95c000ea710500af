"""A scene as integrators see it: accelerations and loads at any state, in the present charts of the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.arrays import finite_array
from core.dynamics.forces import Derivatives, Load
from core.dynamics.state import State
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.contact.methods import ContactMethod
    from core.dynamics.contact.solving import ContactSolver
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
        if not within_reach(x, v).all():
            self._refuse(t, self._fastest(x, v))
        return State(self.model, x, v, t, self.scene.model)

    def load(self, state: State) -> Load:
        """Return what all forces and the controller do in ``state``.

        Raises:
            DynamicsError: If that is not finite; names the time and the body.
        """
        load = Load(state.model)
        for force in self.scene.forces:
            force.add(state, load)
        if self.scene.controller is not None:
            load.tau += self._controlled(state)
        if not np.isfinite(load.tau).all():
            self._refuse(state.t, int(np.searchsorted(self.model.first, np.argmin(np.isfinite(load.tau)), "right")) - 1)
        if not np.isfinite(load.wrenches).all():
            self._refuse(state.t, int(np.argmin(np.isfinite(load.wrenches).all(axis=1))))
        return load

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
        """Return the body of the greatest coordinate or rate; where several are no numbers, that of the last row's."""
        size = np.maximum(np.abs(x), np.abs(v))
        lost = ~np.isfinite(size)
        if lost.any():
            size = np.where(lost, np.abs(self.row_rates), -1.0)
        return int(np.searchsorted(self.model.first, np.argmax(size), "right")) - 1

    def _refuse(self, t: float, body: int) -> NoReturn:
        raise DynamicsError(
            f'the motion runs away at t = {t:g} s, most of all body "{self.model.names[body]}"; '
            "a smaller dt, another integrator (rk4, bdf2) or weaker forces may do"
        )
