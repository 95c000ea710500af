"""One step of the engine by dense matrices: least change of velocities under rows, its optimality, and rows of gaps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.dynamics.engine.memory import Memory

Array = NDArray[np.float64]


def factors(memory: Memory) -> tuple[Array, Array]:
    """Return the dense factors L, with ones on its diagonal, and D of the mass matrix ``L^T D L``."""
    n = len(memory.u)
    L = np.eye(n)
    for k in range(n):
        at, depth = memory.start[k], memory.depth[k]
        L[k, memory.chain[at : at + depth]] = memory.mass[at : at + depth]
    return L, np.diag(1.0 / memory.pivot)


def rows(memory: Memory) -> Array:
    """Return the rows C of the last substep, shape (m, n), from what is kept of them: ``W = C L^-1 D^-1/2``."""
    L, D = factors(memory)
    return np.asarray(memory.rows[: memory.state.row_count] @ np.sqrt(D) @ L)


def check_optimality(memory: Memory, friction_slack: float = 1e-6) -> None:
    """Check that the velocities of the last substep are the least change that keeps to all rows (its KKT conditions).

    ``M (u - u_free) = C^T f``; of inequalities ``f >= 0``, ``C u >= b`` and ``f (C u - b) = 0``, of equalities
    ``C u = b``. Rows of a friction pyramid have the sliding speed taken off, which is known to ``friction_slack``.
    """
    L, D = factors(memory)
    C, state = rows(memory), memory.state
    count, equalities = int(state.row_count), int(state.equality_count)
    force = memory.multiplier[:count]
    push = L.T @ D @ L @ (memory.u_new - memory.u_free)
    scale = max(1.0, float(np.abs(push).max()))
    np.testing.assert_allclose(push, C.T @ force, atol=1e-9 * scale)
    less = np.zeros(count)
    for contact, own in zip(memory.contacts.array[: state.contact_count], memory.contact_states.array, strict=False):
        if own["row_count"] == 4:
            less[own["row"] : own["row"] + 4] = contact["friction"] * own["sliding"]
    # What is prescribed moves as it must: C has nothing of it, the speed without rows has.
    speed = memory.row_speed[:count] + C @ (memory.u_new - memory.u_free)
    slack = speed - (memory.row_bound[:count] - less)
    np.testing.assert_allclose(slack[:equalities], 0.0, atol=1e-9)
    assert slack[equalities:].min(initial=0.0) > -friction_slack
    assert force[equalities:].min(initial=0.0) >= -1e-9 * scale
    pushed = memory.pushed[:count] > 0.0
    pushed[1:] |= pushed[:-1]  # of a pyramid the first two rows: these push apart besides what the program asks for
    works = ~pushed[equalities:]
    product = force[equalities:] * slack[equalities:]
    np.testing.assert_allclose(product[works], 0.0, atol=friction_slack * scale)


def least_change(M: Array, free: Array, C: Array, bound: Array, equalities: int) -> Array:
    """Return velocities u that change ``free`` least, in the norm of M, with ``C u >= bound``, first rows equal.

    By projected Gauss-Seidel on the dual, to rounding.
    """
    across = np.linalg.solve(M, C.T)
    A, wanted = C @ across, bound - C @ free
    force = np.zeros(len(C))
    for _ in range(20000):
        before = force.copy()
        for i in range(len(C)):
            force[i] += (wanted[i] - A[i] @ force) / A[i, i]
            if i >= equalities:
                force[i] = max(force[i], 0.0)
        if np.abs(force - before).max(initial=0.0) <= 1e-15 * np.abs(force).max(initial=1.0):
            break
    return np.asarray(free + across @ force)


def rates(function: Callable[[Array], Array], x: Array, step: float = 1e-6) -> Array:
    """Return the derivatives of a vector by coordinates, by central differences, shape (k, n)."""
    columns = [(function(x + step * e) - function(x - step * e)) / (2.0 * step) for e in np.eye(len(x))]
    return np.asarray(np.stack(columns, axis=1))
