"""Velocities under constraints: an Euler step's KKT system or program, and the nearest rates that are allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.constraints.base import Constraint
from core.dynamics.constraints.conflicts import refuse_conflicts
from core.dynamics.constraints.dual import Solved, solve_dual
from core.dynamics.constraints.half_solved import HalfSolved
from core.dynamics.constraints.least_motion import least_motion
from core.dynamics.constraints.situation import Situation
from core.dynamics.constraints.stacking import Flags, Stack, chosen_rows, stacked

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Inverse = Callable[[Array], Array]


def velocity_step(
    M: Array | Inverse,
    rhs: Array,
    stack: Stack,
    h: float,
    gamma: float = 0.0,
    *,
    approach: Literal["touching", "ahead"] = "touching",
) -> tuple[Array, Array]:
    """Return the rates at the end of a step, ``M v1 = rhs + G^T lambda``, and the constraints' impulses ``lambda``.

    Equations want ``G v1 = velocity - gamma gap``. Bounds that are touched, ``gap <= 0``, want at least as much; the
    others are left alone, or with ``"ahead"`` want ``G v1 >= velocity - gap / h``, so that the step does not pass them.

    Args:
        M: Left side of the step, ``M_r + h D - h^2 K``, symmetric, shape (nv, nv); or a function that multiplies by
            its inverse, columns of shape (nv, k), for the dual.
        rhs: ``M_r v0 + h f``, shape (nv,).
        stack: The rows at the step's start (``stacked``).
        h: Step, [s].
        gamma: Baumgarte's factor, the part of a gap that is closed in a unit of time, [1/s].
        approach: What bounds do that are not touched yet.

    Returns:
        ``v1``, shape (nv,), and the impulses, one a row of ``stack``, shape (m,); forces are ``lambda / h``.

    Raises:
        DynamicsError: If constraints contradict each other, or ``M`` is not positive definite.

    Source: Sueda 1.82, 2.99, 2.101, 2.107, 2.105 at the level of velocities; 2.123 and 2.127 through the dual.
    """
    active, wanted = wanted_velocities(stack, h, gamma, approach)
    chosen, wanted = chosen_rows(stack, active), wanted[active]
    solved = _solve(M, rhs, chosen, wanted)
    refuse_conflicts(chosen, solved, wanted, solved.motion, max(gamma, 1.0 / h), "velocities")
    impulses = np.zeros(len(active))
    impulses[active] = solved.multipliers
    return solved.motion, impulses


def wanted_velocities(
    stack: Stack, h: float, gamma: float, approach: Literal["touching", "ahead"]
) -> tuple[Flags, Array]:
    """Return which rows count in a step, and what each wants ``G v1`` to be, or be at least, shape (m,) both.

    Arguments as of ``velocity_step``.
    """
    touched = stack.rows.gap <= 0.0
    active = stack.equality | touched | (approach == "ahead")
    return active, stack.rows.velocity - np.where(stack.equality | touched, gamma, 1.0 / h) * stack.rows.gap


def stabilized_rates(
    model: Multibody,
    x: ArrayLike,
    v: ArrayLike,
    constraints: Iterable[Constraint],
    t: float = 0.0,
    *,
    home: Multibody | None = None,
    touching: float = 1e-6,
) -> Array:
    """Return the rates that constraints allow and that are nearest to ``v`` by kinetic energy, shape (nv,); new.

    It is what a blow without rebound leaves: bounds that are touched are not approached any more.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
        constraints: Of any kind.
        t: Time [s].
        home: The model in whose charts coordinates of joints are meant; ``model`` unless given.
        touching: Gap under which a bound counts as touched.

    Raises:
        DynamicsError: If a constraint does not fit the model, or some contradict each other; names them.

    Source: Sueda 1.12 (post-stabilisation of velocities).
    """
    x, v = finite_array(x, (model.nq,), "x"), finite_array(v, (model.nv,), "v")
    stack = stacked(constraints, Situation(model, x, v, t, home))
    chosen = chosen_rows(stack, stack.equality | (stack.rows.gap <= touching))
    solved = _changed(HalfSolved.of(model.mass_matrix(x)), v, chosen, chosen.rows.velocity)
    refuse_conflicts(chosen, solved, chosen.rows.velocity, solved.motion, 0.0, "velocities")
    return solved.motion


def _solve(M: Array | Inverse, rhs: Array, stack: Stack, wanted: Array) -> Solved:
    """Return the least change of ``M^-1 rhs`` that meets the rows."""
    if callable(M):
        return solve_dual(M(rhs[:, None])[:, 0], stack.rows.G, M, wanted, stack.equality)
    half = HalfSolved.of(
        M,
        "the matrix of the step is not positive definite: a joint moves no mass, or forces that push apart are too "
        "stiff for the step",
    )
    return _changed(half, half.back(half.forth(rhs)), stack, wanted)


def _changed(half: HalfSolved, free: Array, stack: Stack, wanted: Array) -> Solved:
    """Return the least change of ``free``, measured by the factored matrix, that meets the rows."""
    G = stack.rows.G
    least = least_motion(half.forth(G.T).T, wanted - G @ free, stack.equality)
    motion = free + half.back(least.y)
    return Solved(motion, least.multipliers, least.missed, np.linalg.norm(G, axis=1) * np.linalg.norm(free))
