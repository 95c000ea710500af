"""Singular values that are carried along with a moving arm, against numpy's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.errors import PoseError
from core.kernels import load, uncompiled
from core.kinematics import IncrementalSvd, point_jacobian, svd_kernel
from core.kinematics.svd_kernel import MOST_SWEEPS
from core.skeleton import Skeleton
from tests.support.figures import arm7, chain

svd_compiled = load(svd_kernel)

TIP = (0.0, 0.2, 0.0)
SHAPES = [(3, 7), (6, 7), (6, 47), (6, 3), (7, 7), (1, 5), (12, 9), (0, 4)]


def matrix(m: int, n: int, seed: int = 0, deficient: bool = False) -> np.ndarray:
    J = np.random.default_rng(seed).normal(size=(m, n))
    if deficient and m > 2:
        J[2] = J[0] - 2.0 * J[1]
    return J


def swing(s: Skeleton, joint: str, step: float, count: int, rows: int = 6) -> Iterator[np.ndarray]:
    """Jacobians of an arm that waves about, every joint at its own speed, through straight in the middle."""
    rng = np.random.default_rng(5)
    q = np.zeros(s.nq)
    speed = rng.uniform(0.3, 1.0, s.n_dofs)
    for t in range(count):
        q[3:] = 1.2 * np.sin(speed * step * (t - count // 2))
        yield point_jacobian(s, q, joint, TIP)[:rows, 3:]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("deficient", [False, True])
def test_rotations_decompose_a_matrix(shape: tuple[int, int], deficient: bool) -> None:
    m, n = shape
    J = matrix(m, n, deficient=deficient)
    for module in (svd_compiled, svd_kernel):
        rows = np.hstack([J, np.eye(m)])
        module.orthogonalize(rows, m, n, MOST_SWEEPS)
        front, behind = rows[:, :n], rows[:, n:]
        assert np.abs(behind @ behind.T - np.eye(m)).max(initial=0.0) < 1e-14
        assert np.abs(behind.T @ front - J).max(initial=0.0) < 1e-13
        length = np.sort(np.linalg.norm(front, axis=1))[::-1]
        assert np.abs(length[: min(m, n)] - np.linalg.svd(J, compute_uv=False)).max(initial=0.0) < 1e-13
        assert length[min(m, n) :].max(initial=0.0) < 1e-13


@pytest.mark.parametrize("shape", SHAPES)
def test_compiled_and_uncompiled_agree(shape: tuple[int, int]) -> None:
    m, n = shape
    J = matrix(m, n)
    a = np.hstack([J, np.eye(m)])
    b = a.copy()
    assert svd_compiled.orthogonalize(a, m, n, 1) == svd_kernel.orthogonalize(b, m, n, 1)
    assert np.abs(a - b).max(initial=0.0) < 1e-13
    assert svd_compiled.loss(a, m, n) == pytest.approx(svd_kernel.loss(b, m, n), abs=1e-10)
    moved = J + 1e-3 * matrix(m, n, seed=1)
    one, two = svd_compiled.advance(moved, a, 2, 1e-9), svd_kernel.advance(moved, b, 2, 1e-9)
    assert one[0] == two[0] and one[1] == pytest.approx(two[1], abs=1e-10)
    assert np.abs(a - b).max(initial=0.0) < 1e-12


@pytest.mark.parametrize("step", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("rows", [3, 6])
def test_a_moving_arm_through_a_singular_pose(step: float, rows: int) -> None:
    kept, spent = None, []
    for J in swing(arm7(), "j6", step, 400, rows):
        if kept is None:
            kept = IncrementalSvd(J)
        else:
            kept.update(J)
        wanted = np.linalg.svd(J, compute_uv=False)
        assert np.abs(kept.singular_values - wanted).max() < 1e-8 * wanted[0]  # the square of the limit
        assert kept.drift.residual < 1e-12 and kept.drift.orthogonality <= kept.limit
        U, V = kept.U, kept.V
        assert np.abs(U * kept.singular_values @ V.T - J).max() < 1e-12
        spent.append(kept.rotations)
    pairs = rows * (rows - 1) // 2
    assert kept is not None and kept.fresh_starts <= 10
    assert np.median(spent[1:]) <= 2 * pairs < spent[0]


def test_small_steps_need_one_pass_each() -> None:
    s = arm7()
    q = np.concatenate([np.zeros(3), np.linspace(0.3, 1.2, 7)])
    kept = IncrementalSvd(point_jacobian(s, q, "j6", TIP)[:, 3:])
    assert kept.rotations > 45
    for _ in range(100):
        q[3:] += 1e-3
        kept.update(point_jacobian(s, q, "j6", TIP)[:, 3:])
        assert kept.rotations <= 15
    assert kept.fresh_starts == 1


@pytest.mark.parametrize("period", [500, 10**9])
def test_rounding_does_not_pile_up(period: int) -> None:
    count = 10_000
    jacobians = swing(arm7(), "j6", 1e-3, count)
    kept = IncrementalSvd(next(jacobians), period=period)
    worst = 0.0
    for t, J in enumerate(jacobians):
        kept.update(J)
        if t % 20 == 0:
            worst = max(worst, kept.drift.residual)
            off = np.abs(kept.singular_values - np.linalg.svd(J, compute_uv=False)).max()
            assert off < 1e-8
    if period < count:
        assert worst < 3e-13  # bounded by the fresh starts
        assert kept.fresh_starts >= count // period
    else:
        assert 3e-13 < worst < 1e-10  # without them it creeps up


def test_a_jump_starts_afresh() -> None:
    kept = IncrementalSvd(matrix(6, 9))
    kept.update(matrix(6, 9) + 1e-6 * matrix(6, 9, seed=1))
    assert kept.fresh_starts == 1
    far = matrix(6, 9, seed=7)
    kept.update(far)
    assert kept.fresh_starts == 2 and kept.drift.orthogonality < 1e-14
    assert kept.singular_values == pytest.approx(np.linalg.svd(far, compute_uv=False), abs=1e-13)
    kept.update(matrix(3, 4))
    assert kept.fresh_starts == 3 and kept.U.shape == (3, 3) and kept.V.shape == (4, 3)


def test_tall_and_empty_matrices() -> None:
    tall = matrix(9, 4)
    kept = IncrementalSvd(tall)
    kept.update(tall + 1e-5)
    assert kept.U.shape == (9, 4) and kept.V.shape == (4, 4)
    assert np.abs(kept.U * kept.singular_values @ kept.V.T - tall - 1e-5).max() < 1e-13
    assert np.abs(kept.U.T @ kept.U - np.eye(4)).max() < 1e-6
    kept.update(np.zeros((6, 0)))
    assert kept.singular_values.shape == (0,) and kept.drift == (0.0, 0.0)
    kept.update(np.zeros((6, 5)))
    assert not kept.singular_values.any() and kept.drift == (0.0, 0.0) and not kept.U.any()


def test_a_long_chain_takes_no_more_rotations() -> None:
    s = chain(200, 0.01)
    jacobians = swing(s, "j199", 1e-5, 10)
    kept = IncrementalSvd(next(jacobians))
    for J in jacobians:
        kept.update(J)
        assert np.abs(kept.singular_values - np.linalg.svd(J, compute_uv=False)).max() < 1e-4
        assert kept.drift.residual < 1e-13


def test_uncompiled_kernels_serve_as_well() -> None:
    with uncompiled():
        kept = IncrementalSvd(matrix(6, 7))
        kept.update(matrix(6, 7) + 1e-6)
        assert np.abs(kept.singular_values - np.linalg.svd(matrix(6, 7) + 1e-6, compute_uv=False)).max() < 1e-9


def test_what_is_no_matrix_is_refused() -> None:
    with pytest.raises(PoseError, match="shape"):
        IncrementalSvd(np.zeros(3))
    kept = IncrementalSvd(matrix(3, 3))
    with pytest.raises(PoseError, match="finite"):
        kept.update(np.full((3, 3), np.nan))
    assert np.isfinite(kept.singular_values).all()
