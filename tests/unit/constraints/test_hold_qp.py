"""The quadratic program of a step: against another solver, and compiled and not."""

from __future__ import annotations

import numpy as np
import pytest

from core.constraints import LockSolver
from core.constraints.hold import whole_pose_qp
from core.constraints.hold.packed import GAIN, ROWS
from core.kernels import uncompiled
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from tests.support.lock_figures import person60, standing, ten_locks


def random_program(seed: int, m: int = 9, n: int = 30) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7)
    inside = rng.uniform(-0.1, 0.1, n)
    c = -J @ inside  # what the bounds allow
    lower, upper = np.minimum(inside, -rng.uniform(0.0, 0.2, n)), np.maximum(inside, rng.uniform(0.0, 0.2, n))
    inequality = np.arange(m) >= m - 3
    c[inequality] += rng.uniform(-0.05, 0.0, 3)
    K, d = rng.uniform(0.2, 5.0, n), rng.normal(size=n) * 0.1
    return J, c, d, K, lower, upper, np.full(m, 1e-9), inequality


@pytest.mark.parametrize("seed", range(12))
def test_the_same_step_as_an_active_set_solver(seed: int) -> None:
    daqp = pytest.importorskip("daqp")
    J, c, d, K, lower, upper, R, inequality = random_program(seed)
    ours, steps = whole_pose_qp.solve(J, c, d, K, lower, upper, R, inequality, np.zeros(len(c)))
    assert steps < 60
    n = len(d)
    bounds = np.concatenate([upper, -c]), np.concatenate([lower, np.where(inequality, -1e30, -c)])
    kinds = np.concatenate([np.zeros(n), np.where(inequality, 0, 5)]).astype(np.int32)
    theirs, _, flag, _ = daqp.solve(np.diag(1.0 / K), -d / K, J, *bounds, kinds)
    assert flag > 0

    def objective(step: np.ndarray) -> float:
        return 0.5 * float((step - d) @ ((step - d) / K))

    assert (ours >= lower).all() and (ours <= upper).all()
    residual = np.where(inequality, np.maximum(J @ ours + c, 0.0), J @ ours + c)
    assert np.abs(residual).max() < 1e-6
    assert objective(ours) == pytest.approx(objective(np.array(theirs)), rel=1e-5)


def test_stationary_on_the_free_values_only() -> None:
    """Karush, Kuhn and Tucker: bounds push inward, multipliers of inequalities are not above zero."""
    for seed in range(12, 24):
        J, c, d, K, lower, upper, R, inequality = random_program(seed)
        lam = np.zeros(len(c))
        step, _ = whole_pose_qp.solve(J, c, d, K, lower, upper, R, inequality, lam)
        slope = (step - d) / K - J.T @ lam
        free = (step > lower) & (step < upper)
        assert np.abs(slope[free]).max(initial=0.0) < 1e-7
        assert (slope[step == lower] > -1e-7).all() and (slope[step == upper] < 1e-7).all()
        assert (lam[inequality] <= 0.0).all()


def test_rows_that_contradict_end_in_least_squares() -> None:
    J = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    c = np.array([-0.1, 0.1, -0.05])
    far = np.full(2, 1.0)
    none = np.zeros(3, dtype=bool)
    step, _ = whole_pose_qp.solve(J, c, np.zeros(2), np.ones(2), -far, far, np.full(3, 1e-9), none, np.zeros(3))
    assert step == pytest.approx([0.0, 0.05], abs=1e-8)


def test_compiled_and_uncompiled_take_the_same_step() -> None:
    s = person60()
    q = standing(s, 20.0)
    place = forward_kinematics(s, q)[0, :3, 3]
    rng = np.random.default_rng(1)
    for _ in range(20):
        solver = LockSolver(s, ten_locks(s, q), goals=Goal(0, position=place + rng.normal(size=3) * 0.1), q=q)
        problem = solver._problem(q, True)
        assert problem is not None
        h = problem.hold
        rows, n = int(h.header[ROWS]), h.J.shape[1]
        program = (
            rng.normal(size=h.J.shape), rng.normal(size=rows) * 0.02, rng.normal(size=n) * 0.02, h.node[GAIN],
            -rng.uniform(0.0, 0.1, n), rng.uniform(0.0, 0.1, n), np.full(rows, 1e-6), rng.random(rows) < 0.2,
        )  # fmt: skip
        compiled, _ = whole_pose_qp.solve(*program, np.zeros(rows))
        with uncompiled():
            plain, _ = whole_pose_qp.solve(*program, np.zeros(rows))
        assert compiled == pytest.approx(plain, abs=1e-8)
