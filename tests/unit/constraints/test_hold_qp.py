"""The quadratic program of a step: against another solver and its conditions, compiled and not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.constraints import LockSolver
from core.constraints.hold import box_qp_kernel
from core.constraints.hold.packed import Hold
from core.kernels import load
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from tests.support.lock_figures import person60, standing, ten_locks

Array = NDArray[Any]


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


def solve(
    kernels: Any, J: Array, c: Array, d: Array, K: Array, lower: Array, upper: Array, R: Array, inequality: Array
) -> tuple[Array, Array, int]:
    """Step, multipliers and Newton steps of a program."""
    m, n = J.shape
    h = Hold({
        "node_count": n, "entry_count": 0, "row_count": m, "bend_count": 0, "value_count": n, "mask_count": 0,
        "record_length": 0, "reference_count": 0, "cell_count": 0, "operation_count": 0, "output_count": 0,
    })  # fmt: skip
    h.J[:], h.right_side[:], h.desired[:], h.mobility[:], h.low[:], h.high[:] = J, c, d, K, lower, upper
    h.softness[:], h.uneven[:] = R, inequality
    steps = kernels.box_qp(h, m)
    return h.step, h.multiplier, steps


@pytest.fixture(params=["compiled", "not compiled"])
def kernels(request: pytest.FixtureRequest) -> Any:
    return load(box_qp_kernel) if request.param == "compiled" else box_qp_kernel


@pytest.mark.parametrize("seed", range(12))
def test_the_same_step_as_an_active_set_solver(seed: int, kernels: Any) -> None:
    daqp = pytest.importorskip("daqp")
    J, c, d, K, lower, upper, R, inequality = random_program(seed)
    ours, _, steps = solve(kernels, J, c, d, K, lower, upper, R, inequality)
    assert steps < box_qp_kernel.MOST_STEPS
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


def test_stationary_on_the_free_values_only(kernels: Any) -> None:
    """Karush, Kuhn and Tucker: bounds push inward, multipliers of inequalities are not above zero."""
    for seed in range(12, 24):
        J, c, d, K, lower, upper, R, inequality = random_program(seed)
        step, lam, _ = solve(kernels, J, c, d, K, lower, upper, R, inequality)
        slope = (step - d) / K - J.T @ lam
        free = (step > lower) & (step < upper)
        assert np.abs(slope[free]).max(initial=0.0) < 1e-7
        assert (slope[step == lower] > -1e-7).all() and (slope[step == upper] < 1e-7).all()
        assert (lam[inequality] <= 0.0).all()


def test_rows_that_contradict_end_in_least_squares(kernels: Any) -> None:
    J = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    c = np.array([-0.1, 0.1, -0.05])
    far = np.full(2, 1.0)
    none = np.zeros(3, dtype=bool)
    step, _, _ = solve(kernels, J, c, np.zeros(2), np.ones(2), -far, far, np.full(3, 1e-9), none)
    assert step == pytest.approx([0.0, 0.05], abs=1e-8)


@pytest.mark.sampled(1)
def test_programs_of_a_person_are_solved_to_their_conditions(kernels: Any) -> None:
    """Of 43 rows and 60 values, a fifth of the rows inequalities, bounds that bind."""
    s = person60()
    q = standing(s, 20.0)
    place = forward_kinematics(s, q)[0, :3, 3]
    rng = np.random.default_rng(1)
    for _ in range(20):
        solver = LockSolver(s, ten_locks(s, q), goals=Goal(0, position=place + rng.normal(size=3) * 0.1), q=q)
        h = solver._problem(q, True).hold
        J, K, R = rng.normal(size=h.J.shape), h.gain, np.full(len(h.J), 1e-6)
        c, d = rng.normal(size=len(J)) * 0.02, rng.normal(size=len(K)) * 0.02
        low, high = -rng.uniform(0.0, 0.1, len(K)), rng.uniform(0.0, 0.1, len(K))
        uneven = rng.random(len(J)) < 0.2
        step, lam, _ = solve(kernels, J, c, d, K, low, high, R, uneven)
        slope, F = step - d - K * (J.T @ lam), J @ step + c + R * lam
        free = (step > low) & (step < high)
        assert np.abs(slope[free]).max(initial=0.0) < 1e-8
        assert (slope[step == low] > -1e-8).all() and (slope[step == high] < 1e-8).all()
        off = np.where(uneven, np.where(lam < 0.0, F, np.maximum(F, 0.0)), F)
        assert np.abs(off).max() < 1e-8 and (lam[uneven] <= 0.0).all()
