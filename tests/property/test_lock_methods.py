"""However locks conflict: every method leaves a sane pose, inside all limits, and says what holds."""

from __future__ import annotations

import numpy as np
import pytest

from core.arrays import Array
from core.constraints import KINDS, Lock, bind, lock_residuals, solve_locks
from core.constraints.solve_locks import METHODS
from core.skeleton import Skeleton
from tests.support.figures import random_figure, random_pose

GEOMETRIC = [kind for kind in KINDS if kind.name != "balance"]


def random_locks(s: Skeleton, rng: np.random.Generator) -> list[Lock]:
    """One to seven locks of any kind, each bound to a pose of its own: most sets conflict."""
    locks = []
    for _ in range(int(rng.integers(1, 8))):
        kind = GEOMETRIC[int(rng.integers(len(GEOMETRIC)))]
        joint, other = rng.choice(len(s.joints), 2, replace=False)
        lock = Lock(
            int(joint),
            kind.name,
            rng.normal(size=3) * 0.1,
            other=(int(other), rng.normal(size=3) * 0.1) if kind.takes_other else None,
            weight=float(rng.choice([1.0, 1.0, 0.3, 0.0])),
            joints=None if rng.random() < 0.7 else rng.integers(0, len(s.joints), 3).tolist(),
        )
        locks.append(bind(lock, s, random_pose(s, rng, 0.8)))
    return locks


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_poses_stay_sane(seed: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    s = random_figure(seed, 15, scaled=seed % 2 == 0)
    q: Array = random_pose(s, rng, 0.8)
    locks = random_locks(s, rng)
    with np.errstate(all="raise", under="ignore"):
        found = solve_locks(s, q, locks, method=method, max_iterations=20)
        again = solve_locks(s, q, locks, method=method, max_iterations=20)
    assert np.isfinite(found.q).all() and found.q.tobytes() == again.q.tobytes()
    assert (found.q[3:] >= s.limits[:, 0]).all() and (found.q[3:] <= s.limits[:, 1]).all()
    report = lock_residuals(s, found.q, locks)
    assert report.residuals == pytest.approx(found.residuals, abs=1e-12) and report.held == found.held
