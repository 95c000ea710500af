"""What the quick run takes of a test's cases: every value of every argument, and of three every pair."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.support.counts import covering

SIZES = [(2, 12), (12, 2), (5, 5), (8, 6), (2, 3, 4), (4, 3, 4, 2), (3, 1, 5), (1, 20, 4, 2)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_value_comes_and_of_three_arguments_every_pair(sizes: tuple[int, ...]) -> None:
    cases = list(product(*map(range, sizes)))
    taken = [cases[k] for k in covering(cases)]
    assert len(taken) == len(set(taken)) < len(cases)
    for column, size in enumerate(sizes):
        assert {case[column] for case in taken} == set(range(size))
    if sum(size > 1 for size in sizes) > 2:
        for a, b in combinations(range(len(sizes)), 2):
            assert {(case[a], case[b]) for case in taken} == set(product(range(sizes[a]), range(sizes[b])))
    else:
        assert len(taken) == max(sizes)


def test_cases_that_are_no_combinations_are_all_taken() -> None:
    for cases in (
        [(k,) for k in range(20)],
        [(k, -k) for k in range(20)],
        [(0, 0)] * 4,
        [(0, 0), (0, 1), (1, 0)],
        [()],
    ):
        assert covering(cases) == list(range(len(cases)))
