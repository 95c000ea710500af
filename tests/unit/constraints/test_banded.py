"""Multipliers of many constraints along a chain: a narrow band, solved as the singular values would."""

from __future__ import annotations

import numpy as np
import pytest

from core.constraints import Lock, banded, bind, lagrange, solve_locks
from core.constraints.network.from_locks import network_of
from tests.support.figures import chain

LINKS = 240


def locked(every: int = 2) -> tuple:
    """Return a chain that winds, and locks of the distances between joints five apart."""
    s = chain(LINKS, 4.0 / LINKS)
    q = s.rest_pose() + 0.1 * np.sin(np.arange(s.nq))
    locks = [Lock(i, "distance", other=(i + 5, (0.0, 0.0, 0.0))) for i in range(0, LINKS - 5, every)]
    return s, q, [bind(lock, s, q) for lock in locks]


def test_the_motion_is_that_of_the_singular_values(monkeypatch: pytest.MonkeyPatch) -> None:
    s, q, locks = locked()
    network, _ = network_of(s, q + 1e-3 * np.cos(np.arange(s.nq)), locks)
    used: list[bool] = []
    solve = banded.banded_solve
    monkeypatch.setattr(lagrange, "banded_solve", lambda *a: (found := solve(*a), used.append(found is not None))[0])
    motion = lagrange.lagrange_motion(network)
    assert used == [True] and motion.rank == len(motion.multipliers) >= banded.FEWEST
    monkeypatch.setattr(lagrange, "banded_solve", lambda *_: None)
    slow = lagrange.lagrange_motion(network)
    assert slow.rank == motion.rank
    np.testing.assert_allclose(motion.change, slow.change, atol=1e-9 * np.abs(slow.change).max())
    np.testing.assert_allclose(motion.multipliers, slow.multipliers, atol=1e-8 * np.abs(slow.multipliers).max())


def test_locks_of_a_chain_are_held() -> None:
    s, q, locks = locked()
    found = solve_locks(s, q + 1e-3 * np.cos(np.arange(s.nq)), locks, method="lagrange")
    assert found.held


def test_what_is_small_full_lopsided_or_singular_is_refused() -> None:
    rng = np.random.default_rng(0)
    n = 120
    narrow = np.diag(np.full(n, 2.0)) + np.diag(np.full(n - 1, -0.9), 1) + np.diag(np.full(n - 1, -0.9), -1)
    order = rng.permutation(n)
    shuffled, b = narrow[np.ix_(order, order)], rng.normal(size=n)
    found = banded.banded_solve(shuffled, b, 1e-9)
    assert found is not None
    np.testing.assert_allclose(shuffled @ found, b, atol=1e-12)
    assert banded.banded_solve(narrow[:20, :20], b[:20], 1e-9) is None
    assert banded.banded_solve(narrow + 1e-3, b, 1e-9) is None
    assert banded.banded_solve(narrow + np.diag(np.full(n - 1, 0.1), 1), b, 1e-9) is None
    twice = narrow.copy()
    twice[7], twice[:, 7] = 0.0, 0.0
    twice[7, 7] = 1e-12
    assert banded.banded_solve(twice, b, 1e-9) is None
    assert banded.banded_solve(-narrow, b, 1e-9) is None
