"""The unit of a motion file, from how large its figure is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import FormatError
from core.formats.importing.units import UNITS, checked_unit, file_unit, guess_unit, largest_extent


def figure(height: float) -> np.ndarray:
    """A cross of points, as tall as said, off the origin."""
    cross = height * np.array([[0, 0, 0], [0, 1, 0], [-0.3, 0.8, 0], [0.3, 0, 0]])
    return cross + np.array([3, -2, 7])


@pytest.mark.parametrize(("unit", "name"), UNITS)
@pytest.mark.parametrize("metres", [1.41, 1.74, 2.19])
def test_an_adult_is_known_in_every_unit(unit: float, name: str, metres: float) -> None:
    assert guess_unit(figure(metres / unit)) == (unit, "sure"), name


def test_no_height_fits_two_units() -> None:
    for height in np.geomspace(1e-3, 1e4, 4000):
        fitting = [unit for unit, _ in UNITS if 1.4 <= height * unit <= 2.2]
        assert len(fitting) <= 1
        assert guess_unit(figure(height)) == ((fitting[0], "sure") if fitting else (1.0, "doubtful"))


@pytest.mark.parametrize("size", [0.0, 1e-300, 0.75, 3.0, 50.0, 110.0, 1e12, 1e308])
def test_what_is_no_adult_is_in_metres_and_doubtful(size: float) -> None:
    found = file_unit([figure(size)], "toy.bvh")
    assert (found.unit, found.guess) == (1.0, "doubtful")
    assert "toy.bvh: the figure's first pose is" in str(found.warnings[0])


def test_a_figure_that_lies_is_measured_along_the_ground() -> None:
    assert guess_unit(figure(174.0)[:, [1, 0, 2]]) == (0.01, "sure")


def test_no_points_and_no_figures_do_no_harm() -> None:
    assert largest_extent([]) == 0.0 and guess_unit([]) == (1.0, "doubtful")
    assert file_unit([], "x.bvh").guess == "doubtful"


def test_the_largest_of_several_figures_counts_by_itself() -> None:
    ball, man = figure(20.0), figure(174.0) + 900.0
    assert file_unit([ball, man], "x.bvh")[:2] == (0.01, "sure")


def test_a_unit_that_is_given_is_used() -> None:
    assert file_unit([figure(174.0)], "x.bvh", 0.5) == (0.5, "given", ())
    assert checked_unit(np.float32(0.25), "x.bvh") == 0.25


@pytest.mark.parametrize("unit", [0, -1, math.nan, math.inf, 1e-12, 1e9, True, "cm", None])
def test_a_unit_that_makes_no_sense_is_refused(unit: object) -> None:
    with pytest.raises(FormatError, match=r"x\.bvh: .* is not a unit; expected metres"):
        checked_unit(unit, "x.bvh")  # type: ignore[arg-type]
