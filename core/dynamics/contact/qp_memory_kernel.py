"""How the quadratic program finds its arrays in the two blocks of work memory."""

from __future__ import annotations

from typing import NamedTuple

from core.dynamics.contact.qp_layout import INFO
from core.kernels import F1, F2, I1, kernel, view


class Memory(NamedTuple):
    """Arrays of a program of m rows and n unknowns.

    Attributes:
        L, Q: Factors of the active rows, ``W_A = L Q``, in the order of ``order``; shape (n, n).
        lam: Multipliers of the active rows, in that order.
        z, d, r, u: Room for n numbers each: what is left of a row, its products with Q, its sum of active rows,
            ``L^-1 b_A``.
        over: One over each row's length, shape (m,).
        slack: ``W y - b`` of the inequalities when the last one was looked for, ``W y`` after a solve, shape (m,).
        order: Active rows. saved: an order to go back to.
        state: 1 for active rows, below 0 for those that are left alone, shape (m,).
        picks: How often each row has been taken up, shape (m,).
    """

    L: F2
    Q: F2
    lam: F1
    z: F1
    d: F1
    r: F1
    u: F1
    over: F1
    slack: F1
    order: I1
    saved: I1
    state: I1
    picks: I1


@kernel(inline=True)
def unpack(work: F1, iwork: I1, m: int, n: int) -> Memory:
    """Return the arrays that lie in two blocks."""
    at, rows = 2 * n * n, 2 * n * n + 5 * n
    ints = INFO + 2 * n
    return Memory(
        view(work, 0, (n, n)), view(work, n * n, (n, n)),
        view(work, at, (n,)), view(work, at + n, (n,)), view(work, at + 2 * n, (n,)), view(work, at + 3 * n, (n,)),
        view(work, at + 4 * n, (n,)), view(work, rows, (m,)), view(work, rows + m, (m,)),
        view(iwork, INFO, (n,)), view(iwork, INFO + n, (n,)), view(iwork, ints, (m,)), view(iwork, ints + m, (m,)),
    )  # fmt: skip
