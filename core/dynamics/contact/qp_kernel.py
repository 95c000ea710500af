"""The quadratic program of a step: the shortest y that meets the rows ``W y >= b``. Nothing allocates.

With M = L^T D L and rows C of contacts, limits and locks on the velocities, ``W = C L^-1 D^-1/2`` and
``v = v* + L^-1 D^-1/2 y``. The Hessian is the identity: however redundant the rows are, y has one solution, only the
multipliers have many.

Source: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex quadratic programs,
Mathematical Programming 27 (1983).
"""

from __future__ import annotations

import math

from core.dynamics.contact.qp_factors_kernel import add, append, backward, dot, forward, products, project, remove
from core.dynamics.contact.qp_layout import (
    ACCEPT,
    COUNT,
    DEPENDENT,
    DROPS,
    FALLBACKS,
    INFO,
    ITERATIONS,
    LOOSELY,
    MET,
    MOST_ITERATIONS,
    MOST_PICKS,
    REBUILDS,
    REFINE,
    RESTARTS,
    RETRY,
    SKIPPED,
    START,
    SWEEPS,
    TIED,
    UNMEETABLE,
)
from core.dynamics.contact.qp_memory_kernel import unpack
from core.kernels import F1, F2, I1, I8, kernel

UNMET, LEFT = -1, -2
"""States of rows that cannot be met, and of those that are left alone; 1 is active, 0 is not."""


@kernel(inline=True)
def _scale(y: F1, n: int) -> float:
    """Return the largest component of y, at least 1."""
    largest = 1.0
    for c in range(n):
        largest = max(largest, abs(y[c]))
    return largest


@kernel
def natural_residual(
    W: F2, b: F1, m: int, equalities: int, active: I8, y: F1, multipliers: F1, over: F1, slack: F1, room: F1,
) -> float:  # fmt: skip
    """Return how far y and multipliers are from the conditions of Karush, Kuhn and Tucker.

    The largest of ``|W y - b|`` for equalities, ``|min(W y - b, multiplier)|`` for the others, both in units of y
    (slacks over the row's length, multipliers times it), and ``|y - W^T multipliers|``; over the largest component of
    y if that is more than 1. Rows that are flagged -1 (skipped) or have no length do not count.

    Args:
        W, b, m, equalities, active, y, multipliers: As in ``solve``, after it.
        over: One over the rows' lengths, shape (at least m,).
        slack, room: Memory of m and of n numbers.
    """
    n = len(y)
    worst = 0.0
    for c in range(n):
        room[c] = y[c]
    products(W, y, slack, m, n)
    for i in range(m):
        force = multipliers[i]
        if force != 0.0:
            add(room, -force, W[i], n)
        if active[i] < 0 or over[i] == math.inf:
            continue
        error = (slack[i] - b[i]) * over[i]
        error = abs(error) if i < equalities else abs(min(error, force / over[i]))
        if not error <= worst:
            worst = error if error == error else math.inf
    for c in range(n):
        rest = abs(room[c])
        if not rest <= worst:
            worst = rest if rest == rest else math.inf
    return worst / _scale(y, n)


@kernel(inline=True)
def _least(iwork: I1) -> float:
    """Return what part of its squared length a row must have off the active rows."""
    return LOOSELY if iwork[RESTARTS] > 1 else DEPENDENT


@kernel(internal=True)
def _enter(W: F2, i: int, m: int, n: int, iwork: I1, work: F1) -> bool:
    """Append row i to the factors; return False if it depends on the active rows."""
    h = unpack(work, iwork, m, n)
    k = iwork[COUNT]
    squared = project(h.Q, W[i], h.d, h.z, k, n, _least(iwork))
    if squared == 0.0:
        return False
    append(h.L, h.Q, h.d, h.z, squared, k, n)
    h.order[k] = i
    h.state[i] = 1
    iwork[COUNT] = k + 1
    return True


@kernel(inline=True)
def _start(W: F2, m: int, n: int, equalities: int, active: I8, warm: bool, iwork: I1, work: F1) -> None:
    """Factor the equalities, then, if warm, the rows that are flagged as active; what depends stays out."""
    h = unpack(work, iwork, m, n)
    iwork[COUNT] = 0
    for i in range(m):
        h.state[i] = 0
        h.over[i] = 1.0 / math.sqrt(dot(W[i], W[i], n))
    for i in range(equalities):
        _enter(W, i, m, n, iwork, work)
    iwork[TIED] = iwork[COUNT]
    if warm:
        for i in range(equalities, m):
            if active[i] > 0:
                _enter(W, i, m, n, iwork, work)


@kernel(internal=True)
def _rebuild(W: F2, m: int, n: int, count: int, iwork: I1, work: F1) -> None:
    """Factor the first rows of the saved order anew."""
    h = unpack(work, iwork, m, n)
    for j in range(iwork[COUNT]):
        h.state[h.order[j]] = 0
    iwork[COUNT] = 0
    for j in range(count):
        _enter(W, h.saved[j], m, n, iwork, work)


@kernel(internal=True)
def _solve_active(W: F2, b: F1, y: F1, m: int, iwork: I1, work: F1) -> None:
    """Solve for the active rows as equalities; those that would pull leave, until none does."""
    n = len(y)
    h = unpack(work, iwork, m, n)
    tied = iwork[TIED]
    while True:
        k = iwork[COUNT]
        largest = 1.0
        for j in range(k):
            h.u[j] = b[h.order[j]]
        forward(h.L, h.u, k)
        for j in range(k):
            h.lam[j] = h.u[j]
            largest = max(largest, abs(h.u[j]))
        backward(h.L, h.lam, k)
        gone = False
        for j in range(k - 1, tied - 1, -1):
            if h.lam[j] < 0.0:
                i = h.order[j]
                if h.lam[j] < -MET * largest * h.over[i]:
                    h.state[i] = 0
                    remove(h.L, h.Q, h.order, h.lam, j, iwork[COUNT], n)
                    iwork[COUNT] -= 1
                    iwork[DROPS] += 1
                    gone = True
                else:
                    h.lam[j] = 0.0
        if not gone:
            break
    for c in range(n):
        y[c] = 0.0
    for j in range(iwork[COUNT]):
        add(y, h.u[j], h.Q[j], n)


@kernel(inline=True)
def _most_violated(W: F2, b: F1, y: F1, m: int, equalities: int, iwork: I1, work: F1) -> int:
    """Return the inequality that is violated most, or -1."""
    n = len(y)
    h = unpack(work, iwork, m, n)
    worst, found = -MET * _scale(y, n), -1
    products(W, y, h.slack, m, n)
    for i in range(equalities, m):
        h.slack[i] -= b[i]
        if h.state[i] == 0 and h.slack[i] * h.over[i] < worst:
            worst, found = h.slack[i] * h.over[i], i
    return found


@kernel(internal=True)
def _take_up(W: F2, b: F1, y: F1, p: int, m: int, iwork: I1, work: F1) -> bool:
    """Make row p active, dropping what has to give way; return whether it can be met."""
    n = len(y)
    h = unpack(work, iwork, m, n)
    w, missing, force = W[p], h.slack[p], 0.0
    tied, before = iwork[TIED], -1
    while True:
        k = iwork[COUNT]
        squared = project(h.Q, w, h.d, h.z, k, n, _least(iwork))
        for j in range(k):
            h.r[j] = h.d[j]
        backward(h.L, h.r, k)
        t, leaving = math.inf, -1
        for j in range(tied, k):
            if h.r[j] * h.over[p] > 1e-12 * h.over[h.order[j]] and h.lam[j] < t * h.r[j]:
                t, leaving = h.lam[j] / h.r[j], j
        whole = False
        if squared > 0.0 and -missing <= t * squared:
            t, whole = -missing / squared, True
        if not whole and leaving < 0:
            if before >= 0:
                _rebuild(W, m, n, before, iwork, work)
                _solve_active(W, b, y, m, iwork, work)
            return False
        for j in range(k):
            h.lam[j] -= t * h.r[j]
        force += t
        if squared > 0.0:
            add(y, t, h.z, n)
            missing += t * squared
        if whole:
            append(h.L, h.Q, h.d, h.z, squared, k, n)
            h.order[k], h.lam[k], h.state[p] = p, force, 1
            iwork[COUNT] = k + 1
            return True
        if before < 0:
            before = k
            for j in range(k):
                h.saved[j] = h.order[j]
        h.state[h.order[leaving]] = 0
        remove(h.L, h.Q, h.order, h.lam, leaving, k, n)
        iwork[COUNT] = k - 1
        iwork[DROPS] += 1


@kernel(internal=True)
def _descend(W: F2, b: F1, y: F1, m: int, equalities: int, iwork: I1, work: F1) -> None:
    """Take up violated rows until none is left."""
    n = len(y)
    h = unpack(work, iwork, m, n)
    _solve_active(W, b, y, m, iwork, work)
    exact = True
    limit = iwork[ITERATIONS] + MOST_ITERATIONS * (m + n)
    while True:
        p = _most_violated(W, b, y, m, equalities, iwork, work)
        if p < 0:
            if exact:
                break
            _solve_active(W, b, y, m, iwork, work)
            exact = True
            continue
        iwork[ITERATIONS] += 1
        if iwork[ITERATIONS] > limit:
            _solve_active(W, b, y, m, iwork, work)
            break
        h.picks[p] += 1
        exact = False
        if h.picks[p] > MOST_PICKS:
            h.state[p] = LEFT
        elif not _take_up(W, b, y, p, m, iwork, work):
            h.state[p] = UNMET


@kernel(internal=True)
def _write_solution(
    W: F2, b: F1, y: F1, multipliers: F1, m: int, equalities: int, active: I8, iwork: I1, work: F1
) -> float:
    """Write multipliers and flags; return the residual."""
    n = len(y)
    h = unpack(work, iwork, m, n)
    enough = -UNMEETABLE * _scale(y, n)
    iwork[SKIPPED] = 0
    for i in range(m):
        multipliers[i] = 0.0
        active[i] = max(h.state[i], 0)
        missing = 0.0
        if i < equalities and h.state[i] == 0:
            missing = -abs(dot(W[i], y, n) - b[i])
        elif h.state[i] == UNMET:
            missing = dot(W[i], y, n) - b[i]
        # A row without length can only be met by not asking for anything.
        if missing * (h.over[i] if h.over[i] < math.inf else 1.0) < enough:
            active[i] = -1
            iwork[SKIPPED] += 1
    for j in range(iwork[COUNT]):
        multipliers[h.order[j]] = h.lam[j]
    return natural_residual(W, b, m, equalities, active, y, multipliers, h.over, h.slack, h.z)


@kernel
def projected_gauss_seidel(
    W: F2, b: F1, m: int, equalities: int, active: I8, y: F1, multipliers: F1, over: F1, slack: F1, room: F1,
) -> float:  # fmt: skip
    """Solve the program by sweeps over the rows, as far as they get; rows flagged -1 stay out.

    Args:
        W, b, m, equalities, active, y, multipliers: As in ``solve``; the multipliers are where the sweeps start.
        over: One over the rows' lengths, shape (at least m,).
        slack, room: Memory of m and of n numbers.

    Returns:
        The natural residual.
    """
    n = len(y)
    for i in range(m):
        if active[i] < 0 or over[i] == math.inf or (i >= equalities and multipliers[i] < 0.0):
            multipliers[i] = 0.0
    residual = math.inf
    for attempt in range(2):
        for c in range(n):
            y[c] = 0.0
        for i in range(m):
            if attempt > 0:
                multipliers[i] = 0.0
            add(y, multipliers[i], W[i], n)
        residual = natural_residual(W, b, m, equalities, active, y, multipliers, over, slack, room)
        if residual < START:
            break
    for sweep in range(SWEEPS):
        for i in range(m):
            if active[i] < 0 or over[i] == math.inf:
                continue
            change = over[i] * over[i] * (b[i] - dot(W[i], y, n))
            if i >= equalities and change < -multipliers[i]:
                change = -multipliers[i]
            if change != 0.0:
                multipliers[i] += change
                add(y, change, W[i], n)
        if sweep % (SWEEPS // 10) == SWEEPS // 10 - 1:
            residual = natural_residual(W, b, m, equalities, active, y, multipliers, over, slack, room)
            if residual <= ACCEPT:
                break
    return residual


@kernel(python=True, linked=True)
def solve(
    W: F2, b: F1, m: int, equalities: int, active: I8, resume: bool, y: F1, multipliers: F1, work: F1, iwork: I1,
) -> float:  # fmt: skip
    """Minimise ``1/2 |y|^2`` subject to ``W y = b`` in the first rows and ``W y >= b`` in the others.

    Args:
        W: Rows, shape (at least m, n).
        b: Right-hand sides, shape (at least m,).
        m: How many rows count.
        equalities: How many of them, the first ones, are equalities. Those that depend on earlier ones are left out.
        active: Guess of the active inequalities, 1 where active, shape (at least m,). Overwritten: 1 active, 0 not, -1
            skipped because the row cannot be met together with others.
        resume: Whether ``work`` and ``iwork`` are those of the last solve, which had the same W, m and equalities;
            then its active rows are the guess, and need not be factored again.
        y: Shape (n,); overwritten with the solution.
        multipliers: Shape (at least m,); overwritten: ``y = W^T multipliers``.
        work, iwork: Memory, ``qp_layout.work_size`` says how much; what ``iwork`` holds is said there as well.

    Returns:
        The natural residual of what was found; more than ``ACCEPT`` means that projected Gauss-Seidel failed, too.
    """
    n = len(y)
    h = unpack(work, iwork, m, n)
    for i in range(ITERATIONS, INFO):
        iwork[i] = 0
    for i in range(m):
        h.picks[i] = 0
    warm = resume
    if resume:
        for i in range(m):
            h.state[i] = max(h.state[i], 0)
    else:
        _start(W, m, n, equalities, active, True, iwork, work)
        warm = iwork[COUNT] > iwork[TIED]
    residual = math.inf
    for attempt in range(3):
        if attempt == 1 and not warm:
            continue
        if attempt > 0:
            iwork[RESTARTS] = attempt
            for i in range(m):
                h.picks[i] = 0
            _start(W, m, n, equalities, active, False, iwork, work)
        _descend(W, b, y, m, equalities, iwork, work)
        residual = _write_solution(W, b, y, multipliers, m, equalities, active, iwork, work)
        if residual > REFINE and iwork[DROPS] > 0:
            iwork[REBUILDS] += 1
            count = iwork[COUNT]
            for j in range(count):
                h.saved[j] = h.order[j]
            _rebuild(W, m, n, count, iwork, work)
            _descend(W, b, y, m, equalities, iwork, work)
            residual = _write_solution(W, b, y, multipliers, m, equalities, active, iwork, work)
        if residual <= RETRY:
            return residual
    if residual <= ACCEPT:
        return residual
    iwork[FALLBACKS] += 1
    residual = projected_gauss_seidel(W, b, m, equalities, active, y, multipliers, h.over, h.slack, h.z)
    for i in range(m):
        if active[i] >= 0:
            active[i] = 1 if i < equalities or multipliers[i] > 0.0 else 0
    return residual
