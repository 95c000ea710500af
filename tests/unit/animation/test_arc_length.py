"""Lengths of curves and places along them, against closed forms and fine sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from core.animation.curves.arc_length import ArcLength


def piece(*powers):
    """A cubic from its coefficients, each (d,), lowest power first."""
    d = len(powers[0])
    return np.array([*powers, *[np.zeros(d)] * (4 - len(powers))], dtype=float)


def point(cubics, pieces, u):
    c = cubics[pieces]
    u = u[:, None]
    return ((c[:, 3] * u + c[:, 2]) * u + c[:, 1]) * u + c[:, 0]


def test_lengths_in_closed_form():
    line = piece([0, 0, 0], [3.0, 0, 4.0])
    parabola = piece([0, 0], [1.0, 0], [0, 1.0])  # y = x^2 from 0 to 1
    cusp = piece([0.0, 0], [0, 0], [1.0, 0], [0, 1.0])  # the semicubical parabola
    there_and_back = piece([0.0], [1.0], [-1.0])
    assert ArcLength(line[None]).total == pytest.approx(5.0, rel=1e-14)
    assert ArcLength(parabola[None]).total == pytest.approx(np.sqrt(5) / 2 + np.arcsinh(2) / 4, rel=1e-12)
    assert ArcLength(cusp[None]).total == pytest.approx((13**1.5 - 8) / 27, rel=1e-10)
    assert ArcLength(there_and_back[None]).total == pytest.approx(0.5, rel=1e-11)
    assert ArcLength(line[None], 0.25, 0.75).total == pytest.approx(2.5, rel=1e-14)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(8))
def test_places_are_the_inverse_of_distances(seed):
    rng = np.random.default_rng(seed)
    cubics = rng.normal(size=(9, 4, 3)) * 10.0 ** rng.integers(-3, 3)
    cubics[3, 1:] = 0.0  # stands still
    cubics[5] = [[0, 0, 0], [1, 0, 0], [-3, 0, 0], [2, 0, 0]]  # to and fro along a line: two cusps
    cubics[6, 2:] = 0.0
    cubics[7, 1] = 0.0
    arc = ArcLength(cubics)
    for i, length in enumerate(arc.lengths()):
        c = cubics[i] * np.array([[0.0], [1], [2], [3]])
        speed = lambda u, c=c: float(np.linalg.norm(c[1] + u * (c[2] + u * c[3])))  # noqa: E731
        expected = quad(speed, 0, 1, limit=500, epsabs=0, epsrel=1e-11)[0]
        assert length == pytest.approx(expected, rel=1e-8, abs=1e-12 * arc.total)
    asked = np.linspace(0, arc.total, 400)
    pieces, u = arc.places(asked)
    assert np.allclose(arc.distance(pieces, u), asked, rtol=0, atol=1e-11 * arc.total)
    assert (np.diff(pieces + u) >= 0).all() and not (pieces == 3).any()
    one_by_one = [arc.places([d]) for d in asked[::-1]][::-1]
    assert np.array_equal(pieces, [p[0] for p, _ in one_by_one]) and np.array_equal(u, [v[0] for _, v in one_by_one])


@pytest.mark.verify
def test_equal_distances_along_a_curve_are_equal():
    rng = np.random.default_rng(3)
    cubics = rng.normal(size=(5, 4, 3))
    arc = ArcLength(cubics)
    pieces, u = arc.places(np.linspace(0, arc.total, 200_001))
    steps = np.linalg.norm(np.diff(point(cubics, pieces, u), axis=0), axis=1)
    inside = np.diff(pieces) == 0
    assert np.abs(steps[inside] - arc.total / 200_000).max() < 1e-6 * arc.total / 200


def test_nothing_huge_or_tiny_upsets_it():
    for size in (1e-300, 1e-12, 1.0, 1e150, 1e300):
        arc = ArcLength(piece([0, 0, 0], [3.0 * size, 0, 4.0 * size])[None])
        assert arc.total == pytest.approx(5.0 * size, rel=1e-12)
        assert arc.places([2.5 * size])[1][0] == pytest.approx(0.5, rel=1e-12)
    still = ArcLength(np.zeros((3, 4, 3)))
    assert still.total == 0.0 and still.places([0.0, 1.0])[1].tolist() == [0.0, 0.0]
