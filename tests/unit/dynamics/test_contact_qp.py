"""The quadratic program of contact steps: against other solvers, with redundancy and bad guesses, compiled and not."""

from __future__ import annotations

import daqp
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from core.dynamics.contact import qp_kernel
from core.dynamics.contact.qp import Solution, solve
from core.dynamics.contact.qp_layout import COUNT, FALLBACKS, RESTARTS, work_size
from core.kernels import load, uncompiled
from tests.support.contact_problems import Program, box_on_floor, random_program

FEW, MANY = 120, 3000


def residual(program: Program, found: Solution) -> float:
    """The conditions of Karush, Kuhn and Tucker, written once more: every row that was not skipped."""
    W, b, lam = program.W, program.b, found.multipliers
    slack, uneven = W @ found.y - b, np.arange(len(b)) >= program.equalities
    kept = found.active >= 0
    assert np.all(lam[uneven] >= 0.0) and np.all(lam[~kept] == 0.0)
    size = np.maximum(np.linalg.norm(W, axis=1), 1e-300)
    errors = [
        np.abs(found.y - W.T @ lam),
        np.abs(slack / size)[kept & ~uneven],
        -np.minimum(slack / size, 0.0)[kept & uneven],
        np.minimum(np.abs(slack / size), np.abs(lam * size))[kept & uneven],
    ]
    return float(max(e.max(initial=0.0) for e in errors) / np.abs(found.y).max(initial=1.0))


def by_daqp(program: Program) -> np.ndarray:
    m, n = program.W.shape
    sense = np.where(np.arange(m) < program.equalities, 5, 0).astype(np.int32)
    y, _, flag, _ = daqp.solve(np.eye(n), np.zeros(n), program.W, np.full(m, 1e30), program.b, sense)
    assert flag == 1
    return np.asarray(y)


@pytest.mark.parametrize("seed", range(12))
def test_it_finds_what_daqp_and_nonnegative_least_squares_find(seed: int) -> None:
    program = random_program(np.random.default_rng(seed), pinned=False, disturbed=False)
    found = solve(program.W, program.b)
    assert residual(program, found) <= 1e-12
    # The multipliers are the least squares of what W^T lam leaves of b; y is what they make.
    A = np.vstack([program.W.T, program.b])
    u, _ = scipy.optimize.nnls(A, np.append(np.zeros(A.shape[0] - 1), 1.0), maxiter=10000)
    rest = np.append(np.zeros(A.shape[0] - 1), 1.0) - A @ u
    np.testing.assert_allclose(found.y, -rest[:-1] / rest[-1], atol=1e-7 * max(1.0, np.abs(found.y).max()))
    np.testing.assert_allclose(found.y, by_daqp(program), atol=1e-6 * max(1.0, np.abs(found.y).max()))


@pytest.mark.parametrize("boxes", [1, 2])
def test_a_box_that_touches_with_eight_corners_is_no_more_than_six_rows(boxes: int) -> None:
    for seed in range(8):
        program = box_on_floor(np.random.default_rng(seed), 27, boxes)
        assert np.linalg.matrix_rank(program.W) == 6 * boxes
        found = solve(program.W, program.b)
        assert residual(program, found) <= 1e-13
        assert (found.active > 0).sum() <= 6 * boxes
        # Doubling every contact changes nothing.
        twice = solve(np.vstack([program.W, program.W]), np.tile(program.b, 2))
        np.testing.assert_allclose(twice.y, found.y, atol=1e-12)


def stress(count: int) -> dict[str, int]:
    """Solve random programs cold and from a random set, and count what went otherwise than it should."""
    counts = {"restarts": 0, "fallbacks": 0, "bad": 0, "disagree": 0}
    for seed in range(count):
        rng = np.random.default_rng(seed)
        program = random_program(rng)
        cold = solve(program.W, program.b, program.equalities)
        warm = solve(program.W, program.b, program.equalities, rng.random(len(program.b)) < 0.3)
        for found in (cold, warm):
            counts["bad"] += not residual(program, found) <= 1e-8
            counts["restarts"] += found.restarts
            counts["fallbacks"] += found.fallbacks
            # What was skipped cannot be distinguished from an earlier row that it repeats.
            missing = (program.b - program.W @ found.y)[found.active < 0].max(initial=0.0)
            assert missing <= 1e-4
        counts["disagree"] += not np.allclose(cold.y, warm.y, atol=1e-5 * max(1.0, np.abs(cold.y).max()))
    return counts


def test_redundant_pinned_doubled_and_disturbed_rows_are_solved_from_any_start() -> None:
    counts = stress(FEW)
    assert counts["bad"] == 0 and counts["fallbacks"] <= 1 and counts["disagree"] <= 1


@pytest.mark.verify
def test_three_thousand_of_them() -> None:
    counts = stress(MANY)
    assert counts["bad"] == 0 and counts["fallbacks"] <= 3 and counts["disagree"] <= 6, counts


def test_rows_that_cannot_be_met_are_skipped_and_the_rest_is_solved() -> None:
    for seed in range(FEW):
        rng = np.random.default_rng(seed)
        program = random_program(rng)
        wrong = program.b + (rng.random(len(program.b)) < 0.2) * rng.random(len(program.b))
        found = solve(program.W, wrong, program.equalities)
        assert residual(Program(program.W, wrong, program.equalities), found) <= 1e-8


def test_the_first_of_two_contradicting_rows_wins() -> None:
    W = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    found = solve(W, [1.0, 2.0, 4.0], 2)
    np.testing.assert_allclose(found.y, [1.0, 2.0], atol=1e-15)
    assert found.active.tolist() == [1, -1, 1]
    found = solve([[1.0], [-1.0], [0.0]], [1.0, 1.0, 1.0])
    assert found.active.tolist() in ([1, -1, -1], [-1, 1, -1]) and abs(abs(found.y[0]) - 1.0) < 1e-15
    # A row without length that asks for nothing is met.
    assert solve([[0.0]], [0.0]).active.tolist() == [0]


def test_a_contact_of_a_pinned_body_leaves_it_where_it_is() -> None:
    rng = np.random.default_rng(3)
    J, free = rng.normal(size=(6, 20)), rng.normal(size=20)
    W = np.vstack([J, rng.normal(size=(4, 6)) @ J, rng.normal(size=(3, 20))])
    b = -W @ free
    b[6:10] += 0.5
    found = solve(W, b, 6)
    np.testing.assert_allclose(J @ found.y, b[:6], atol=1e-13)
    assert (found.active[6:10] == -1).all() and residual(Program(W, b, 6), found) < 1e-13


def test_empty_programs() -> None:
    assert solve(np.zeros((0, 5)), []).y.tolist() == [0.0] * 5
    found = solve([[1.0, 0.0], [0.0, 1.0]], [-1.0, -2.0])
    assert found.y.tolist() == [0.0, 0.0] and found.residual == 0.0 and found.iterations == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[1.0]], [1.0, 2.0]), "1 rows have 2 right-hand sides"),
        (([[1.0]], [1.0], 2), "2 of 1 rows cannot be equalities"),
        (([[np.nan]], [1.0]), "not finite"),
        (([[1.0]], [1.0], 0, [1, 1]), "1 rows have 2 guesses"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple, says: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=says):
        solve(*arguments)


def test_a_warm_start_and_a_resumed_one_find_the_same_with_less_work() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        program = random_program(rng, pinned=bool(seed % 2), disturbed=False)
        m, n = program.W.shape
        first = solve(program.W, program.b, program.equalities)
        b = program.b + program.W @ (1e-4 * rng.normal(size=n))
        cold = solve(program.W, b, program.equalities)
        warm = solve(program.W, b, program.equalities, first.active > 0)
        assert warm.iterations <= max(cold.iterations, 2)
        np.testing.assert_allclose(warm.y, cold.y, atol=1e-10)
        for kernels in (qp_kernel, load(qp_kernel)):
            floats, ints = work_size(m, n)
            work, iwork, active = np.zeros(floats), np.zeros(ints, np.int64), np.zeros(m, np.int8)
            y, lam = np.zeros(n), np.zeros(m)
            kernels.solve(program.W, program.b, m, program.equalities, active, False, y, lam, work, iwork)
            kernels.solve(program.W, b, m, program.equalities, active, True, y, lam, work, iwork)
            np.testing.assert_allclose(y, cold.y, atol=1e-10)
            assert iwork[COUNT] == (active > 0).sum() and iwork[FALLBACKS] == iwork[RESTARTS] == 0


def test_compiled_and_uncompiled_agree() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        program = random_program(rng)
        guess = rng.random(len(program.b)) < 0.3 if seed % 2 else None
        found = solve(program.W, program.b, program.equalities, guess)
        with uncompiled():
            plain = solve(program.W, program.b, program.equalities, guess)
        np.testing.assert_allclose(plain.y, found.y, atol=1e-8 * max(1.0, np.abs(found.y).max()))
        assert residual(program, plain) <= 1e-8


def test_the_fallback_gets_there_slowly_and_says_how_far_it_got() -> None:
    both = qp_kernel, load(qp_kernel)
    for seed in range(6):
        program = random_program(np.random.default_rng(seed), pinned=False, disturbed=False)
        m, n = program.W.shape
        exact = solve(program.W, program.b)
        answers, over = [], 1.0 / np.linalg.norm(program.W, axis=1)
        for kernels in both:
            y, lam, active = np.zeros(n), np.full(m, np.nan if seed == 0 else 0.0), np.zeros(m, np.int8)
            counts = kernels.projected_gauss_seidel(
                program.W, program.b, m, 0, active, y, lam, over, np.zeros(m), np.zeros(n)
            )
            found = Solution(y, lam, active, counts, 0, 0, 1)
            np.testing.assert_allclose(residual(program, found), counts, rtol=1e-6, atol=1e-13)
            assert np.abs(y - exact.y).max() <= 0.1 * max(1.0, np.abs(exact.y).max())
            answers.append(y)
        np.testing.assert_allclose(answers[0], answers[1], atol=1e-9 * max(1.0, np.abs(exact.y).max()))


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_scales_and_orders_do_not_matter(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng, pinned=False, disturbed=False)
    y = solve(program.W, program.b).y
    rows = rng.permutation(len(program.b))
    lengths = 10 ** rng.uniform(-2, 2, size=len(rows))
    other = solve(program.W[rows] * lengths[:, None], program.b[rows] * lengths * scale).y
    np.testing.assert_allclose(other, y * scale, atol=1e-9 * max(1.0, scale) * max(1.0, np.abs(y).max()))
    # It is the shortest of all that meet the rows: no nearer than its projection on any of them.
    slack = program.W @ y - program.b
    assert slack.min(initial=0.0) >= -1e-11 * max(1.0, np.abs(y).max())
    for row, right in zip(program.W, program.b, strict=True):
        assert np.linalg.norm(y) >= right / np.linalg.norm(row) - 1e-11
