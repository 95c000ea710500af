"""The least change that meets rows: the quadratic program behind every constrained motion.

Every problem here comes as ``minimise 1/2 |y|^2`` over ``y`` with ``B y = r`` in some rows and ``B y >= r`` in the
others. With ``M = L L^T`` and ``B = G L^-T``, ``y = L^T (vdot - vdot*)``, that is the KKT system 2.98 to 2.107 and the
program 2.105 of Sueda; the multipliers are those of ``y = B^T lambda``. The condition number of ``G`` is not squared,
redundant rows leave ``y`` unique and the multipliers are the least ones.
"""

from __future__ import annotations

from typing import NamedTuple

import daqp
import numpy as np
import scipy
from numpy.typing import NDArray

from core.arrays import Array

Flags = NDArray[np.bool_]

_NOTHING_BELOW = 1e-12
"""Length of a row, to the longest, under which it demands nothing of anything: the tree's joints meet it already."""
_INACTIVE_BELOW = 1e-9
"""Part of what it wants by which a row may be missed before the program is asked."""
_ROUNDING = 1e-13


class Least(NamedTuple):
    """Result of ``least_motion``.

    Attributes:
        y: Shape (n,).
        multipliers: ``y = B^T multipliers``, shape (m,); those of lower bounds are 0 or more.
        missed: By how much each row is missed, shape (m,): more than rounding only if the rows contradict each other.
    """

    y: Array
    multipliers: Array
    missed: Array


def least_motion(B: Array, r: Array, equality: Flags, rank_tolerance: float = 1e-10) -> Least:
    """Return the least ``y`` with ``B y = r`` where ``equality`` and ``B y >= r`` elsewhere.

    Equations that contradict each other are met in the sense of least squares, rows measured by their lengths; bounds
    that cannot be met with the equations are left as they are missed. The caller looks at ``missed``.

    Args:
        B: Shape (m, n).
        r: Shape (m,).
        equality: Shape (m,).
        rank_tolerance: Singular value, to the greatest of rows of unit length, under which rows count as dependent.
    """
    lengths = np.linalg.norm(B, axis=1)
    used = lengths > _NOTHING_BELOW * lengths.max(initial=0.0)
    unit, wanted = B[used] / lengths[used, None], r[used] / lengths[used]
    equations = equality[used]
    y, active = _solve(unit, wanted, equations, rank_tolerance)
    multipliers = np.zeros(len(r))
    if active.any():
        held = _multipliers(unit[active].T, y, equations[active], rank_tolerance)
        multipliers[np.flatnonzero(used)[active]] = held / lengths[used][active]
    missed = r - B @ y
    missed[~equality] = np.maximum(missed[~equality], 0.0)
    return Least(y, multipliers, missed)


def _solve(B: Array, r: Array, equality: Flags, tolerance: float) -> tuple[Array, Flags]:
    """Return ``y`` and which rows hold it where it is."""
    y, null = met_equations(B[equality], r[equality], tolerance)
    bounds = ~equality
    active = equality.copy()
    reached = B[bounds] @ y
    short = r[bounds] - reached
    # Row by row: a bound that is far away must not make the near ones lenient.
    lenient = _INACTIVE_BELOW * (np.abs(r[bounds]) + np.abs(reached)) + _ROUNDING * np.linalg.norm(y)
    if not (short > lenient).any():
        return y, active
    chosen = _program(B[bounds] @ null, short)
    if chosen is None:
        return y, active
    active[np.flatnonzero(bounds)[chosen]] = True
    # Once more with the active rows as equations: daqp meets them to its tolerance only, this to rounding.
    y, _ = met_equations(B[active], r[active], tolerance)
    return y, active


def met_equations(B: Array, r: Array, tolerance: float) -> tuple[Array, Array]:
    """Return the least ``y`` with ``B y`` nearest to ``r``, and an orthonormal basis of what ``B`` leaves free."""
    if not len(B):
        return np.zeros(B.shape[1]), np.eye(B.shape[1])
    U, s, Vt = np.linalg.svd(B)
    rank = int((s > tolerance * s[0]).sum()) if len(s) else 0
    y: Array = Vt[:rank].T @ ((U[:, :rank].T @ r) / s[:rank])
    return y, Vt[rank:].T


def _program(C: Array, r: Array) -> NDArray[np.intp] | None:
    """Return the rows that hold ``min 1/2 |z|^2, C z >= r`` where it is; None if there is no such z.

    The Hessian is the identity: with as many redundant bounds as one likes, z is unique.
    """
    lengths = np.linalg.norm(C, axis=1)
    kept = np.flatnonzero(lengths > 1e-10)
    if (r[lengths <= 1e-10] > 1e-9 * r.max()).any():
        return None
    A, b = C[kept] / lengths[kept, None], r[kept] / lengths[kept]
    scale = b.max(initial=0.0)  # daqp's tolerance is absolute; rows with b below 0 are met at zero
    if not scale > 0.0:
        return kept[:0]
    n = C.shape[1]
    _, _, flag, info = daqp.solve(
        np.eye(n),
        np.zeros(n),
        np.ascontiguousarray(A),
        np.full(len(b), 1e30),
        b / scale,
        np.zeros(len(b), dtype=np.int32),
        primal_tol=1e-10,
    )
    return kept[np.abs(info["lam"]) > 0.0] if flag == 1 else None


def _multipliers(Bt: Array, y: Array, equality: Flags, tolerance: float) -> Array:
    """Return ``lambda`` with ``Bt lambda = y``, the least of those there are, those of bounds not negative."""
    multipliers = np.asarray(np.linalg.lstsq(Bt, y, rcond=tolerance)[0], dtype=np.float64)
    if (multipliers[~equality] < 0.0).any():
        # Redundant rows share a force in many ways; one without pulling bounds is wanted.
        lower = np.where(equality, -np.inf, 0.0)
        least = scipy.optimize.lsq_linear(Bt, y, (lower, np.full(len(lower), np.inf)), method="bvls", tol=1e-15)
        return np.asarray(least.x)
    return multipliers
