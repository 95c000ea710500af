"""RATTLE on SO(3): the integrator that follows from a discrete action, and keeps momentum for that reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array
from core.dynamics import redmax
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.implicit import constraint_rows, solve_with_rows
from core.errors import DynamicsError
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint, Rows
    from core.dynamics.state import State
    from core.dynamics.system import System

_MOST = 40
_ROUNDING, _STALLED = 1e-15, 1e-9
"""Last step of Newton's method, to the largest of 1 and the unknowns; from where on one that grows is rounding."""


class Variational(Integrator):
    """Every body moves by itself, centre of mass and rotation matrix, and the joints hold at either end of a step.

    With the momenta ``p`` of the centres and ``pi`` about them, in the body's axes,

    ``p' = p0 + h/2 f0 + G0^T lambda``, ``c1 = c0 + h p' / m``; ``h hat(pi') = F Jd - Jd F^T``, ``R1 = R0 F``, with
    ``Jd = tr(J)/2 - J``; ``p1 = p' + h/2 f1 + G1^T mu``, ``pi1 = F^T pi' + h/2 t1 + G1^T mu``,

    where ``lambda`` puts the bodies at the end of the step where joints and loops allow, and ``mu`` makes their
    velocities fit. Those of the joints are eliminated: the bodies' places are those of new joint coordinates, and the
    equations are projected on the joints' motions at the start. So joints of all types hold to rounding, and what is
    solved for are the coordinates and the multipliers of constraints, by Newton's method.

    Symplectic, reversible and of second order. Momentum is kept to rounding, whatever acts within; the energy swings
    about its value for as long as one likes. Springs are explicit: ``h`` times the highest frequency must stay below 2.

    Source: Moser & Veselov (1991); McLachlan & Scovel (1995) and Reich (1996) (RATTLE for rigid bodies); Lee, Leok &
    McClamroch (2007) (the form with ``F``); Betsch & Leyendecker (2006) (the elimination, by a discrete null space).
    """

    name: ClassVar[str] = "variational"
    label: ClassVar[str] = "Variational (RATTLE)"
    description: ClassVar[str] = (
        "Keeps momentum to rounding, and energy about its value for any time; second order. Takes no limits."
    )

    @classmethod
    def takes(cls, constraint: Constraint) -> bool:
        return constraint.equality and constraint.positional

    @classmethod
    def works_by(cls, formulation: str, constrained: bool) -> str | None:
        return None

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        if not len(x):
            return x, v
        start = _Bodies(system.state(t, x, v))
        momentum = start.generalized(*start.momenta(start.state.v)) + 0.5 * h * start.force(system)
        x, end, half = _places(system, t, start, momentum, v, h)
        return x, _rates(system, t + h, end, end.generalized(*half), v, h)


class _Bodies:
    """The bodies in one state, each by its centre of mass (world axes) and its rotation (own axes).

    Attributes:
        state: The state.
        rotations: Shape (nb, 3, 3).
        centers: Centres of mass in the world, shape (nb, 3).
        masses: Shape (nb, 1).
        inertias: About the centres in own axes, shape (nb, 3, 3).
        spins, speeds: Jacobians of the angular velocities in own axes and of the centres' velocities in the world,
            shape (nb, 3, nv).
    """

    def __init__(self, state: State, like: _Bodies | None = None):
        self.state = state
        own = [body.inertia for body in state.model.bodies]
        if like is None:
            self.masses = np.array([[inertia.mass] for inertia in own])
            self.inertias = np.array([inertia.inertia for inertia in own])
            self._offsets = np.array([inertia.center for inertia in own])
        else:
            self.masses, self.inertias, self._offsets = like.masses, like.inertias, like._offsets
        self.rotations = state.poses[:, :3, :3]
        self.centers = _products(self.rotations, self._offsets) + state.poses[:, :3, 3]
        J = redmax.jacobian(state.model, state.motion).reshape(len(own), 6, -1)
        self.spins = J[:, :3]
        self.speeds = self.rotations @ (J[:, 3:] - so3.hat(self._offsets) @ self.spins)

    def momenta(self, v: Array) -> tuple[Array, Array]:
        """Return the momenta of the centres and about them at rates, shape (nb, 3) each."""
        return self.masses * (self.speeds @ v), _products(self.inertias, self.spins @ v)

    def generalized(self, p: Array, pi: Array) -> Array:
        """Return momenta, or forces and torques, of the bodies by the joints' rates, shape (nv,)."""
        nv = self.spins.shape[2]
        return self.speeds.reshape(-1, nv).T @ p.ravel() + self.spins.reshape(-1, nv).T @ pi.ravel()

    def mass_matrix(self) -> Array:
        """Return ``M``, shape (nv, nv)."""
        nv = self.spins.shape[2]
        moving = self.speeds.reshape(-1, nv).T @ (self.masses[:, :, None] * self.speeds).reshape(-1, nv)
        return moving + self.spins.reshape(-1, nv).T @ (self.inertias @ self.spins).reshape(-1, nv)

    def force(self, system: System) -> Array:
        """Return all forces by the joints' rates, gravity among them, shape (nv,)."""
        model = self.state.model
        force = system.load(self.state).generalized(model, self.state.x)
        if model.gravity.any():
            force = force + self.speeds.reshape(-1, model.nv).T @ (self.masses * model.gravity).ravel()
        return force


def _places(
    system: System, t: float, start: _Bodies, momentum: Array, v: Array, h: float
) -> tuple[Array, _Bodies, tuple[Array, Array]]:
    """Return coordinates at the end of a step, the bodies there, and the momenta that carry them there.

    Args:
        system: What is simulated.
        t: Time at the start of the step, [s].
        start: The bodies there.
        momentum: With half the forces' impulse, by the joints' rates, shape (nv,).
        v: Rates, shape (nv,).
        h: The step, [s].

    Raises:
        DynamicsError: If Newton's method finds none; names the time.
    """
    nv = system.model.nv
    x = start.state.x + h * v
    trace = np.trace(start.inertias, axis1=1, axis2=2)
    Jd = 0.5 * trace[:, None, None] * np.eye(3) - start.inertias
    G0, gap0 = np.zeros((0, nv)), np.zeros(0)
    if system.scene.constraints:
        first = _rows(system, start.state)
        G0, gap0 = first.G, max(0.0, 1.0 - system.stabilization.step * h) * first.gap
    multipliers = np.zeros(len(G0))
    matrix, before, size = np.zeros((0, 0)), np.inf, np.inf
    for turn in range(_MOST):
        end = _Bodies(system.state(t + h, x, v), start)
        F = np.swapaxes(start.rotations, 1, 2) @ end.rotations
        A = F @ Jd
        p, pi = start.masses * (end.centers - start.centers) / h, _axial(A) / h
        left = start.generalized(p, pi) - momentum - G0.T @ multipliers
        if size <= _ROUNDING or (size <= _STALLED and size >= 0.5 * before):
            # What is left is the rounding of places, over h: momentum is not to wander with it.
            slip = redmax.solve(start.mass_matrix(), left)
            p, pi = p - start.masses * (start.speeds @ slip), pi - _products(start.inertias, start.spins @ slip)
            # Nor is the sum of c x p: the part of p across the way of a centre is rounding, too.
            pi = pi - _products(np.swapaxes(start.rotations, 1, 2), np.cross(end.centers - start.centers, p))
            return x, end, (p, _products(np.swapaxes(F, 1, 2), pi))
        if turn < 3:
            turning = (np.trace(A, axis1=1, axis2=2)[:, None, None] * np.eye(3) - A) @ F @ end.spins
            matrix = start.speeds.reshape(-1, nv).T @ (start.masses[:, :, None] * end.speeds).reshape(-1, nv) / h
            matrix += start.spins.reshape(-1, nv).T @ turning.reshape(-1, nv) / h
        if len(G0):
            rows = _rows(system, end.state)
            step, change = solve_with_rows(matrix, rows.G, left, rows.gap - gap0, G0)
            multipliers = multipliers - change
        else:
            step = _solution(matrix, left)
        x = x - step
        before, size = size, float(np.abs(step).max()) / max(1.0, float(np.abs(x).max()))
    raise DynamicsError(f"no solution was found for the variational step to t = {t + h:g} s; take shorter steps")


def _rates(system: System, t: float, end: _Bodies, momentum: Array, v: Array, h: float) -> Array:
    """Return the rates at the end of a step: ``M v = momentum + h/2 f(v) + G^T mu`` and ``G v`` as it is wanted.

    Args:
        system: What is simulated.
        t: Time at the end of the step, [s].
        end: The bodies there.
        momentum: As carried over from the middle of the step, by the joints' rates, shape (nv,).
        v: A guess, shape (nv,).
        h: The step, [s].

    Raises:
        DynamicsError: If no rates fit; names the time.
    """
    state, model = end.state, system.model
    rows = _rows(system, state) if system.scene.constraints else None
    matrix = end.mass_matrix()
    derivatives = system.derivatives(state)
    if derivatives is not None:
        matrix = matrix + 0.5 * h * derivatives.damping_product(state.jacobian, np.eye(model.nv))
    moving = bool(system.scene.forces) or system.scene.controller is not None
    impulses = np.zeros(0 if rows is None else len(rows.gap))
    before = np.inf
    for _ in range(_MOST):
        # Not by the mass matrix: what it is rounded by is much the same in step after step, and would add up.
        left = end.generalized(*end.momenta(v)) - momentum - 0.5 * h * end.force(system)
        if rows is None:
            step = _solution(matrix, left)
        else:
            left -= rows.G.T @ impulses
            step, change = solve_with_rows(matrix, rows.G, left, rows.G @ v - rows.velocity)
            impulses = impulses - change
        v = v - step
        size = float(np.abs(step).max()) / max(1.0, float(np.abs(v).max()))
        if size <= _ROUNDING or (size <= _STALLED and size >= 0.5 * before):
            return v
        before = size
        if moving:
            end = _Bodies(system.state(t, state.x, v), end)
    raise DynamicsError(f"no rates were found for the variational step to t = {t:g} s; take shorter steps")


def _rows(system: System, state: State) -> Rows:
    """Return the rows of the constraints of the scene in a state."""
    return constraint_rows(system, state.t, state.x, state.v).rows


def _solution(matrix: Array, left: Array) -> Array:
    """Return the step of Newton's method.

    Raises:
        DynamicsError: If the matrix is singular.
    """
    try:
        return np.asarray(np.linalg.solve(matrix, left))
    except np.linalg.LinAlgError:
        raise DynamicsError("the matrix of a variational step is singular; take shorter steps") from None


def _products(A: Array, vectors: Array) -> Array:
    """Return a matrix times a vector of each body, shape (nb, 3); new."""
    return np.asarray((A @ vectors[:, :, None])[:, :, 0])


def _axial(A: Array) -> Array:
    """Return ``a`` with ``hat(a) = A - A^T``, shape (nb, 3); new."""
    return np.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=1)
