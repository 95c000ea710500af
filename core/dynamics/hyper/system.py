"""A scene in hyper-reduced coordinates as integrators see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.forces import Load
from core.dynamics.hyper.reduction import HyperReduction
from core.dynamics.state import State
from core.dynamics.system import Linearized, Response, System

if TYPE_CHECKING:
    from core.dynamics.constraints import Stack
    from core.dynamics.contact.methods import ContactMethod
    from core.dynamics.scene import Scene
    from core.dynamics.stabilization import Stabilization


class HyperState(State):
    """A model at the coordinates of its joints that follow from those of a map.

    Args:
        reduction: The model and the map.
        x: Coordinates of the map, shape (nq,).
        v: Their rates, shape (nv,).
        t: Time [s].

    Attributes:
        own_x, own_v: Coordinates and rates of the map; ``x`` and ``v`` are those of the joints.
        J: Jacobian of the map, shape (model.nq, nv).
    """

    def __init__(self, reduction: HyperReduction, x: Array, v: Array, t: float) -> None:
        self.own_x, self.own_v = x, v
        self.J = reduction.coordinates.jacobian(x)
        super().__init__(reduction.model, reduction.joint_coordinates(x), self.J @ v, t)


class HyperSystem(System):
    """A scene in motion whose ``x`` and ``v`` are those of its reduction.

    Forces act on the joints and bodies as they do without it; a controller gives forces dual to the map's rates.
    """

    def __init__(
        self, scene: Scene, formulation: str, stabilization: Stabilization, method: ContactMethod | None = None
    ) -> None:
        super().__init__(scene, formulation, stabilization, method)
        assert scene.reduction is not None
        self.reduction: HyperReduction = scene.reduction

    def owner(self, k: int) -> str:
        return f'coordinate "{self.reduction.coordinates.names[k]}"'

    def state(self, t: float, x: Array, v: Array) -> HyperState:
        self.check_reach(t, x, v)
        return HyperState(self.reduction, x, v, t)

    def add_controller(self, state: State, load: Load) -> None:
        """Leave it out: it is no load on joints, see ``own_force``."""

    def own_force(self, state: HyperState) -> Array:
        """Return what the controller does, shape (nv,)."""
        if self.scene.controller is None:
            return np.zeros(self.reduction.nv)
        given = self.scene.controller(state.t, state.own_x, state.own_v)
        return finite_array(given, (self.reduction.nv,), f"what the controller returns at t = {state.t:g} s")

    def response(self, state: State) -> Response:
        assert isinstance(state, HyperState)
        load = self.load(state)
        vdot = self.reduction.forward_dynamics(
            state.own_x, state.own_v, self.own_force(state), self.formulation, joint_tau=load.tau,
            wrenches=load.wrenches,
        )  # fmt: skip
        if not self.scene.constraints:
            return Response(vdot, load, None)
        from core.dynamics.constraints.conflicts import refuse_conflicts
        from core.dynamics.constraints.dual import solve_dual

        stack = self.stack(state)
        rows, M = stack.rows, self.reduction.mass_matrix(state.own_x)
        alpha, beta = self.stabilization.velocity, self.stabilization.position
        total = rows.acceleration - 2.0 * alpha * (rows.G @ state.own_v - rows.velocity) - beta**2 * rows.gap

        def answer(forces: Array) -> Array:
            return self.reduction.solve(M, forces)

        solved = solve_dual(vdot, rows.G, answer, total - rows.bias, stack.equality)
        size = np.abs(total) + np.abs(rows.bias)
        refuse_conflicts(stack, solved, size, solved.motion, beta**2, "accelerations")
        return Response(solved.motion, load, solved.multipliers)

    def stack(self, state: State) -> Stack:
        """Return the rows on the map's rates: ``G J``, with ``G Jdot v`` more in the bias."""
        assert isinstance(state, HyperState)
        found = super().stack(state)
        rows = found.rows
        drift = self.reduction.coordinates.jacobian_rate(state.own_x, state.own_v) @ state.own_v
        return found._replace(rows=rows._replace(G=rows.G @ state.J, bias=rows.bias + rows.G @ drift))

    def mass_matrix(self, x: Array) -> Array:
        return self.reduction.mass_matrix(x)

    def explicit(self, state: State, x: Array, v: Array) -> tuple[Array, Array]:
        assert isinstance(state, HyperState)
        M, force = super().explicit(state, state.x, state.v)
        drift = self.reduction.coordinates.jacobian_rate(x, v) @ v
        return state.J.T @ M @ state.J, self.own_force(state) + state.J.T @ (force - M @ drift)

    def linearized(self, state: State, x: Array, v: Array, moving: Array, h: float) -> Linearized:
        assert isinstance(state, HyperState)
        J = state.J
        M, force, terms, braking = super().linearized(state, state.x, state.v, J @ moving, h)
        drift = self.reduction.coordinates.jacobian_rate(x, moving) @ moving
        return Linearized(
            J.T @ M @ J,
            self.own_force(state) + J.T @ (force - M @ drift),
            None if terms is None else J.T @ terms @ J,
            None if braking is None else J.T @ braking,
        )

    def residual(self, t: float, x: Array, v: Array, a: Array) -> Array:
        state = self.state(t, x, v)
        load = self.load(state)
        needed = self.reduction.inverse_dynamics(x, v, a, wrenches=load.wrenches)
        return np.asarray(needed - state.J.T @ load.tau - self.own_force(state))

    def within_bounds(self, t: float, x: Array) -> Array:
        return x

    def rechart(self, x: Array, v: Array, early: bool = False) -> tuple[Array, Array]:
        return x, v

    def at_home(self, x: Array, v: Array) -> tuple[Array, Array]:
        return x, v
