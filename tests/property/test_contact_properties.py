"""What must be true of any two shapes wherever they are: exact gaps, and the same ones wherever both are taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dynamics.contact.shapes import Box, Capsule, Hull, Shape, Sphere
from core.spatial import se3, so3
from tests.support.convex_oracle import exact_gap, pair
from tests.support.counts import examples


def rounded(low: float, high: float) -> st.SearchStrategy[float]:
    """Micrometres are what matters; the oracle cannot take 1e-200."""
    return st.floats(low, high).map(lambda value: round(value, 6))


LENGTH = rounded(0.0, 2.0)
PLACE = st.tuples(*[rounded(-1.0, 1.0)] * 3)
TURN = st.tuples(*[rounded(-3.0, 3.0)] * 3)
SHAPE: st.SearchStrategy[Shape] = st.one_of(
    st.builds(Sphere, LENGTH),
    st.builds(Capsule, LENGTH, LENGTH),
    st.builds(Box, st.tuples(LENGTH, LENGTH, LENGTH)),
    st.builds(Hull, st.lists(PLACE, min_size=4, max_size=16).map(np.array)),
)
GAP = 6
PROFILE = settings(max_examples=examples(40), deadline=None, derandomize=True, database=None)


def posed(place: tuple[float, ...], turn: tuple[float, ...]) -> np.ndarray:
    return se3.transform(so3.exp(np.array(turn)), place)


def least(a: Shape, X_a: np.ndarray, b: Shape, X_b: np.ndarray) -> float:
    rows, numbers = pair(a, b).find(np.stack([X_a, X_b]), np.full(2, 1e3))
    assert 1 <= len(rows) <= 4 and len(set(numbers.tolist())) == len(numbers)
    assert np.isfinite(rows).all()
    return float(rows[:, GAP].min())


@PROFILE
@given(SHAPE, PLACE, TURN, SHAPE, PLACE, TURN)
def test_the_gap_is_the_exact_one(
    a: Shape, p_a: tuple, r_a: tuple, b: Shape, p_b: tuple, r_b: tuple
) -> None:  # fmt: skip
    X_a, X_b = posed(p_a, r_a), posed(p_b, r_b)
    assert least(a, X_a, b, X_b) == pytest.approx(exact_gap(a, X_a, b, X_b), abs=1e-5)


@PROFILE
@given(SHAPE, PLACE, TURN, SHAPE, PLACE, TURN, PLACE, TURN)
def test_both_moved_together_and_the_other_way_round_it_is_the_same(
    a: Shape, p_a: tuple, r_a: tuple, b: Shape, p_b: tuple, r_b: tuple, p: tuple, r: tuple
) -> None:  # fmt: skip
    X_a, X_b, X = posed(p_a, r_a), posed(p_b, r_b), posed(p, r)
    gap = least(a, X_a, b, X_b)
    assert least(a, X @ X_a, b, X @ X_b) == pytest.approx(gap, abs=1e-5)
    assert least(b, X_b, a, X_a) == pytest.approx(gap, abs=1e-5)


@PROFILE
@given(SHAPE, PLACE, TURN, SHAPE, PLACE, TURN, st.tuples(*[st.floats(-1e-3, 1e-3)] * 3))
def test_the_gap_changes_no_more_than_the_place(
    a: Shape, p_a: tuple, r_a: tuple, b: Shape, p_b: tuple, r_b: tuple, move: tuple
) -> None:  # fmt: skip
    X_a, X_b = posed(p_a, r_a), posed(p_b, r_b)
    moved = X_a.copy()
    moved[:3, 3] += move
    change = abs(least(a, moved, b, X_b) - least(a, X_a, b, X_b))
    assert change <= float(np.linalg.norm(move)) + 1e-5
