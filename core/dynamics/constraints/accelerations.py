"""Accelerations of bodies under constraints, by each of the formulations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics import newton_euler, redmax
from core.dynamics.arrays import finite_array
from core.dynamics.constraints.base import Constraint
from core.dynamics.constraints.conflicts import refuse_conflicts
from core.dynamics.constraints.dual import Solved, solve_dual
from core.dynamics.constraints.half_solved import HalfSolved
from core.dynamics.constraints.least_motion import least_motion
from core.dynamics.constraints.situation import Situation
from core.dynamics.constraints.stacking import Stack, chosen_rows, stacked
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.maximal.forward import applied_wrenches
from core.dynamics.maximal.tree_system import TreeSystem

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class Constrained(NamedTuple):
    """Motion under constraints.

    Attributes:
        vdot: Accelerations, shape (nv,).
        multipliers: One a row of the constraints in their order, shape (m,): the force on the joints is
            ``G^T multipliers``. Those of bounds are 0 or more, and 0 where the bound does not hold anything back.
    """

    vdot: Array
    multipliers: Array


def constrained_dynamics(
    model: Multibody,
    x: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None,
    constraints: Iterable[Constraint],
    t: float = 0.0,
    *,
    formulation: str = "recursive",
    baumgarte: tuple[float, float] = (0.0, 0.0),
    wrenches: ArrayLike | None = None,
    home: Multibody | None = None,
    touching: float = 1e-6,
) -> Constrained:
    """Return the accelerations that forces cause while constraints hold, and the multipliers that hold them.

    ``G vdot = acceleration - bias - 2 alpha (G v - velocity) - beta^2 gap``; bounds whose gap is closed, and does not
    open, want at least that. Among the motions that do so it is the one nearest, by kinetic energy, to the free one.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,); they should meet the constraints (``assemble``, ``stabilized_coordinates``).
        v: Rates, shape (nv,); likewise (``stabilized_rates``).
        tau: Generalized forces, shape (nv,); None for none.
        constraints: Of any kind, in any order.
        t: Time [s].
        formulation: ``"redmax"`` solves the KKT system of joint coordinates (2.98 to 2.106), ``"maximal"`` that of all
            bodies with the joints' own rows; every other name in ``FORMULATIONS`` gives the free accelerations, and the
            constraints' forces come through the dual, by linear-time products with the inverse mass matrix (2.123,
            2.127).
        baumgarte: ``(alpha, beta)``, [1/s]; equal ones close a gap without overshoot.
        wrenches: External ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6); None for none.
        home: The model in whose charts coordinates of joints are meant; ``model`` unless given.
        touching: Gap, and opening speed, under which a bound counts as touched.

    Raises:
        DynamicsError: If a constraint does not fit the model, or some contradict each other; names them.

    Source: Sueda 1.82, 2.98, 2.102 to 2.106, 2.123, 2.124, 2.127.
    """
    x, v = finite_array(x, (model.nq,), "x"), finite_array(v, (model.nv,), "v")
    tau = np.zeros(model.nv) if tau is None else finite_array(tau, (model.nv,), "tau")
    shape = (len(model.bodies), 6)
    outside = np.zeros(shape) if wrenches is None else finite_array(wrenches, shape, "wrenches")
    at = Situation(model, x, v, t, home)
    stack = stacked(constraints, at)
    rows = stack.rows
    speed = rows.G @ v - rows.velocity
    active = stack.equality | ((rows.gap <= touching) & (speed <= touching))
    alpha, beta = baumgarte
    total = rows.acceleration - 2.0 * alpha * speed - beta**2 * rows.gap
    solve = _METHODS.get(formulation, _through_dual)
    chosen, wanted = chosen_rows(stack, active), total[active]
    solved = solve(at, chosen, wanted, tau, outside, formulation)
    refuse_conflicts(chosen, solved, np.abs(wanted) + np.abs(chosen.rows.bias), solved.motion, beta**2, "accelerations")
    multipliers = np.zeros(len(active))
    multipliers[active] = solved.multipliers
    return Constrained(solved.motion, multipliers)


def constraint_forces(
    model: Multibody,
    x: ArrayLike,
    v: ArrayLike,
    constraints: Iterable[Constraint],
    multipliers: ArrayLike,
    t: float = 0.0,
    home: Multibody | None = None,
) -> Array:
    """Return the generalized force of each constraint, ``G^T lambda`` of its own rows, shape (constraints, nv); new.

    That of a prescribed joint is the torque that drives it (2.106 with the sign of 2.124).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
        constraints: As given to ``constrained_dynamics``.
        multipliers: What that returned.
        t: Time [s].
        home: As there.
    """
    x, v = finite_array(x, (model.nq,), "x"), finite_array(v, (model.nv,), "v")
    stack = stacked(constraints, Situation(model, x, v, t, home))
    return stack.forces(finite_array(multipliers, (len(stack.owner),), "multipliers"))


# -- formulations ------------------------------------------------------------------------------------------------------

_Method = Callable[[Situation, Stack, Array, Array, Array, str], Solved]


def _reduced(at: Situation, stack: Stack, total: Array, tau: Array, wrenches: Array, _: str) -> Solved:
    """Return ``vdot`` and multipliers by the KKT system of joint coordinates (Sueda 2.100 to 2.106)."""
    model, G = at.model, stack.rows.G
    free = redmax.forward_dynamics(model, at.x, at.v, tau, wrenches)
    half = HalfSolved.of_congruence(redmax.jacobian(model, at.motion), newton_euler.body_inertias(model))
    least = least_motion(half.forth(G.T).T, total - stack.rows.bias - G @ free, stack.equality)
    size = np.linalg.norm(G, axis=1) * np.linalg.norm(free)
    return Solved(free + half.back(least.y), least.multipliers, least.missed, size)


def _through_dual(at: Situation, stack: Stack, total: Array, tau: Array, wrenches: Array, formulation: str) -> Solved:
    """Return the same from the free accelerations and products with the inverse mass matrix (Sueda 2.123, 2.127)."""
    free = at.model.forward_dynamics(at.x, at.v, tau, formulation, wrenches=wrenches)

    def response(forces: Array) -> Array:
        return at.model.inverse_mass_product(at.x, forces)

    return solve_dual(free, stack.rows.G, response, total - stack.rows.bias, stack.equality)


def _maximal(at: Situation, stack: Stack, total: Array, tau: Array, wrenches: Array, _: str) -> Solved:
    """Return the same from the KKT system of all bodies: the joints' own rows and ``G_m`` (Sueda 1.73).

    The joints' part is factorised along the tree; the constraints follow from its Schur complement.
    """
    model = at.model
    joints = joint_rows.of_motion(model, at.x, at.motion)
    b, _driving = applied_wrenches(model, joints, tau, wrenches)
    system = TreeSystem(model.inertias, joints.rows, model.names)
    wanted = tuple(row.normal.T @ eta for row, eta in zip(joints.rows, joints.bias, strict=True))
    free = system.solve(b, wanted)[0]
    G, bias = _body_matrix(at, stack)

    def response(wrenches: Array) -> Array:
        nothing = tuple(np.zeros((row.normal.shape[1], wrenches.shape[1])) for row in joints.rows)
        return system.solve(wrenches.reshape(-1, 6, wrenches.shape[1]), nothing)[0].reshape(wrenches.shape)

    solved = solve_dual(free.ravel(), G.reshape(len(G), -1), response, total - bias, stack.equality)
    relative = joint_rows.against_parents(model, joints.Ad, solved.motion.reshape(-1, 6)) - joints.bias
    vdot = [joint_rows.rates(factors, relative[i]) for i, factors in enumerate(joints.factors)]
    return solved._replace(motion=np.concatenate(vdot))


_METHODS: dict[str, _Method] = {"redmax": _reduced, "maximal": _maximal}


def _body_matrix(at: Situation, stack: Stack) -> tuple[Array, Array]:
    """Return ``G_m`` on the twists of the joint frames, shape (m, nb, 6), and its bias, for the rows of ``stack``."""
    nb = len(at.model.bodies)
    blocks, biases = [], []
    for constraint in stack.constraints:
        rows = constraint.body_rows(at)
        block = np.zeros((len(rows.bias), nb, 6))
        for body, part in rows.blocks:
            block[:, body] += part @ at.model.Ad_BJ[body]
        blocks.append(block)
        biases.append(rows.bias)
    G = np.concatenate([np.zeros((0, nb, 6)), *blocks])
    G, bias = G[stack.places], np.concatenate([np.zeros(0), *biases])[stack.places]
    # Rows that no joint can move are nothing here as in joint coordinates, though bodies by themselves could.
    G[~stack.rows.G.any(axis=1)] = 0.0
    return G, bias
