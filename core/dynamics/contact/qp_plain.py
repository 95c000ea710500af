"""The quadratic program of a step, with numpy: the shortest y that meets the rows ``W y >= b``.

With M = L^T D L and rows C of contacts, limits and locks on the velocities, ``W = C L^-1 D^-1/2`` and
``v = v* + L^-1 D^-1/2 y``. The Hessian is the identity: however redundant the rows are, y has one solution, only the
multipliers have many.

Source: Goldfarb and Idnani, A numerically stable dual method for solving strictly convex quadratic programs,
Mathematical Programming 27 (1983).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    RESTARTS,
    RETRY,
    SKIPPED,
    START,
    SWEEPS,
    TIED,
    UNMEETABLE,
)

Array = NDArray[np.float64]
Flags = NDArray[np.int8]
Ints = NDArray[np.int64]


def solve(
    W: Array, b: Array, m: int, equalities: int, active: Flags, resume: bool, y: Array, multipliers: Array,
    work: Array, iwork: Ints,
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
        work, iwork: Memory, ``qp_layout.work_size`` says how much; what ``iwork`` tells is said there as well.

    Returns:
        The natural residual of what was found; more than ``ACCEPT`` means that projected Gauss-Seidel failed, too.
    """
    rows, right = W[:m], b[:m]
    before = iwork[:INFO].copy()
    iwork[:INFO] = 0
    guess = [int(i) for i in np.flatnonzero(active[:m] > 0) if i >= equalities]
    if resume:
        guess = [int(i) for i in iwork[INFO + before[TIED] : INFO + before[COUNT]]]
    residual = np.inf
    for attempt, start in enumerate((guess, [], [])):
        if attempt == 1 and not guess:
            continue
        program = _Program(rows, right, equalities, start, LOOSELY if attempt == 2 else DEPENDENT)
        program.descend()
        y[:] = program.y
        _hand_over(program, active, multipliers, iwork)
        iwork[RESTARTS] = attempt
        residual = natural_residual(W, b, m, equalities, active, y, multipliers, work, work, work)
        if residual <= RETRY:
            return residual
    if residual <= ACCEPT:
        return residual
    iwork[FALLBACKS] += 1
    residual = projected_gauss_seidel(W, b, m, equalities, active, y, multipliers, work, work, work)
    kept = active[:m] >= 0
    active[:m][kept] = (np.arange(m) < equalities)[kept] | (multipliers[:m] > 0.0)[kept]
    return residual


def natural_residual(
    W: Array, b: Array, m: int, equalities: int, active: Flags, y: Array, multipliers: Array, over: Array,
    slack: Array, room: Array,
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
    rows, lam = W[:m], multipliers[:m]
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    counts = (active[:m] >= 0) & (length > 0.0)
    slack = (rows[counts] @ y - b[:m][counts]) / length[counts]
    error = np.abs(np.where(np.arange(m)[counts] < equalities, slack, np.minimum(slack, (lam * length)[counts])))
    worst = max(error.max(initial=0.0), np.abs(y - rows.T @ lam).max(initial=0.0))
    return float(worst / np.abs(y).max(initial=1.0)) if np.isfinite(worst) else np.inf


def projected_gauss_seidel(
    W: Array, b: Array, m: int, equalities: int, active: Flags, y: Array, multipliers: Array, over: Array,
    slack: Array, room: Array,
) -> float:  # fmt: skip
    """Solve the program by sweeps over the rows, as far as they get; rows flagged -1 stay out.

    Args:
        W, b, m, equalities, active, y, multipliers: As in ``solve``; the multipliers are where the sweeps start.
        over: One over the rows' lengths, shape (at least m,).
        slack, room: Memory of m and of n numbers.

    Returns:
        The natural residual.
    """
    rows, lam = W[:m], multipliers[:m]
    squared = np.einsum("ij,ij->i", rows, rows)
    counts = (active[:m] >= 0) & (squared > 0.0)
    uneven = np.arange(m) >= equalities
    lam[~counts | (uneven & (lam < 0.0))] = 0.0
    for start in (1.0, 0.0):
        lam *= start
        y[:] = rows.T @ lam
        residual = natural_residual(W, b, m, equalities, active, y, multipliers, over, slack, room)
        if residual < START:
            break
        lam[:] = 0.0
    for sweep in range(SWEEPS):
        for i in np.flatnonzero(counts):
            change = (b[i] - rows[i] @ y) / squared[i]
            if uneven[i]:
                change = max(change, -lam[i])
            lam[i] += change
            y += change * rows[i]
        if sweep % (SWEEPS // 10) == SWEEPS // 10 - 1:
            residual = natural_residual(W, b, m, equalities, active, y, multipliers, over, slack, room)
            if residual <= ACCEPT:
                break
    return residual


class _Program:
    """A program and its active rows; factors are made anew for every question."""

    def __init__(self, W: Array, b: Array, equalities: int, guess: list[int], dependent: float):
        self.dependent = dependent
        self.W, self.b, self.equalities = W, b, equalities
        self.length = np.sqrt(np.einsum("ij,ij->i", W, W))
        self.y = np.zeros(W.shape[1])
        self.order: list[int] = []
        self.lam = np.zeros(0)
        self.unmet: set[int] = set()
        self.picks = np.zeros(len(b), int)
        self.iterations = self.drops = 0
        for i in range(equalities):
            self.enter(i)
        self.tied = len(self.order)
        for i in guess:
            self.enter(i)

    def split(self, i: int) -> tuple[Array, Array | None]:
        """Return row i as a sum of active rows, and what is left of it, or None if it depends on them."""
        w, active = self.W[i], self.W[self.order]
        if not self.order:
            return np.zeros(0), w if w.any() else None
        Q, R = np.linalg.qr(active.T)
        d = Q.T @ w
        z = w - Q @ d
        more = Q.T @ z
        z, d = z - Q @ more, d + more
        independent = len(self.order) < len(w) and z @ z > self.dependent * (w @ w)
        return np.linalg.solve(R, d), z if independent else None

    def enter(self, i: int) -> None:
        """Make a row active if it does not depend on those that are."""
        if self.split(i)[1] is not None:
            self.order.append(i)

    def settle(self) -> None:
        """Solve for the active rows as equalities; those that would pull leave, until none does."""
        while True:
            self.y[:], self.lam = 0.0, np.zeros(len(self.order))
            largest = 1.0
            if self.order:
                Q, R = np.linalg.qr(self.W[self.order].T)
                u = np.linalg.solve(R.T, self.b[self.order])
                self.y, self.lam = Q @ u, np.linalg.solve(R, u)
                largest = np.abs(u).max(initial=1.0)
            pulls = self.lam * self.length[self.order] < -MET * largest
            pulls[: self.tied] = False
            self.lam[self.tied :] = np.maximum(self.lam[self.tied :], 0.0)
            if not pulls.any():
                return
            self.drops += int(pulls.sum())
            self.order = [i for i, gone in zip(self.order, pulls, strict=True) if not gone]

    def most_violated(self) -> int:
        """Return the inequality that is violated most, or -1."""
        slack = (self.W @ self.y - self.b) / np.where(self.length > 0.0, self.length, 1e-300)
        idle = np.arange(len(slack)) >= self.equalities
        idle[self.order] = False
        idle[list(self.unmet)] = False
        idle[self.picks > MOST_PICKS] = False
        slack = np.where(idle, slack, np.inf)
        worst = int(slack.argmin()) if len(slack) else -1
        return worst if worst >= 0 and slack[worst] < -MET * np.abs(self.y).max(initial=1.0) else -1

    def take_up(self, p: int) -> bool:
        """Make row p active, dropping what has to give way; return whether it can be met."""
        missing, force = self.W[p] @ self.y - self.b[p], 0.0
        before = list(self.order)
        while True:
            r, z = self.split(p)
            gives = r * self.length[self.order] > 1e-12 * self.length[p]
            gives[: self.tied] = False
            steps = np.where(gives, self.lam / np.where(gives, r, 1.0), np.inf)
            leaving = int(steps.argmin()) if gives.any() else -1
            t = steps[leaving] if leaving >= 0 else np.inf
            whole = z is not None and -missing <= t * (z @ z)
            if not whole and leaving < 0:
                self.order = before
                self.settle()
                return False
            if z is not None:
                t = -missing / (z @ z) if whole else t
                self.y = self.y + t * z
                missing += t * (z @ z)
            self.lam = self.lam - t * r
            force += t
            if whole:
                self.order.append(p)
                self.lam = np.append(self.lam, force)
                return True
            self.order.pop(leaving)
            self.lam = np.delete(self.lam, leaving)
            self.drops += 1

    def descend(self) -> None:
        """Take up violated rows until none is left."""
        self.settle()
        exact = True
        while self.iterations < MOST_ITERATIONS * sum(self.W.shape):
            p = self.most_violated()
            if p < 0 and exact:
                return
            if p < 0:
                self.settle()
                exact = True
                continue
            self.iterations += 1
            self.picks[p] += 1
            exact = False
            if self.picks[p] <= MOST_PICKS and not self.take_up(p):
                self.unmet.add(p)
        self.settle()


def _hand_over(program: _Program, active: Flags, multipliers: Array, iwork: Ints) -> None:
    m = len(program.b)
    active[:m] = 0
    multipliers[:m] = 0.0
    if program.order:
        active[program.order] = 1
        multipliers[program.order] = program.lam
    slack = program.W @ program.y - program.b
    enough = UNMEETABLE * np.abs(program.y).max(initial=1.0) * np.where(program.length > 0.0, program.length, 1.0)
    for i in range(m):
        left_out = i < program.equalities and active[i] == 0
        if (left_out and abs(slack[i]) > enough[i]) or (i in program.unmet and slack[i] < -enough[i]):
            active[i] = -1
    iwork[COUNT], iwork[TIED], iwork[ITERATIONS] = len(program.order), program.tied, program.iterations
    iwork[SKIPPED], iwork[DROPS] = int((active[:m] < 0).sum()), program.drops
    iwork[INFO : INFO + len(program.order)] = program.order
