"""Where the quadratic program keeps what in its two blocks of work memory, and its tolerances.

Rows are compared in units of y: slacks over the row's length, multipliers times it.
"""

from __future__ import annotations

COUNT, TIED, ITERATIONS, SKIPPED, RESTARTS, FALLBACKS, DROPS, REBUILDS = range(8)
"""What the first numbers of ``iwork`` report after a solve: how many rows are active and how many are equalities;
iterations; rows skipped because they cannot be met; cold restarts after a start that went wrong (2:
with ``LOOSELY``); solves that
ended in projected Gauss-Seidel; rows that left the active set; factors built anew before accepting."""
INFO = 8

DEPENDENT = 1e-11
"""A row whose part off the active rows has less than this part of its own squared length counts as dependent."""
LOOSELY = 1e-8
"""The same when a solve is tried again: rows that nearly depend make multipliers so large that rounding shows."""
REPEAT = 1e-2
"""Below this part of the squared length Gram-Schmidt makes a second pass."""
MET = 1e-12
"""A row that is violated by less than this, in units of y over the largest y, is met."""
UNMEETABLE = 1e-9
"""A row that cannot be met and is violated by more than this is reported as skipped; by less it is rounding."""
REFINE = 1e-11
"""Above this residual the factors are built anew and the active rows solved once more."""
RETRY = 1e-9
"""Above this residual a solve is repeated without its warm start, then with ``LOOSELY``."""
ACCEPT = 1e-8
"""If the residual is above this even then, what projected Gauss-Seidel finds is taken."""
MOST_ITERATIONS = 6
"""A solve is given up after this many iterations for each row and unknown."""
MOST_PICKS = 12
"""A row that has been taken up this often is left alone: two rows that differ by rounding would take turns forever."""
SWEEPS = 400
"""Most sweeps of projected Gauss-Seidel; after every tenth part of them the residual is looked at."""
START = 1e-2
"""Projected Gauss-Seidel starts from what it is given if that has a smaller residual than this, else from zero."""


def work_size(m: int, n: int) -> tuple[int, int]:
    """Return how many float64 and how many int64 numbers a program of m rows and n unknowns needs for its work."""
    return 2 * n * n + 5 * n + 2 * m, INFO + 2 * n + 2 * m
