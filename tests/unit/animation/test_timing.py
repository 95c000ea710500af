"""Timing curves, speed curves and eases: monotone, smooth, exact at their points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from core.animation.curves.timing_curves import SpeedCurve, TimingCurve, eased
from core.animation.shape import EASES
from core.errors import SequenceError
from core.keyed_curves import monotone_slopes

SEEDS = st.integers(0, 2**32 - 1)
SETTINGS = {"deadline": None, "derandomize": True, "max_examples": 60}


def timing(rng: np.random.Generator) -> TimingCurve:
    n = int(rng.integers(2, 8))
    frames = np.cumsum(rng.integers(1, 30, n)).astype(float)
    inner = np.sort(rng.choice([frames[0], frames[-1], *rng.uniform(frames[0], frames[-1], 4)], n - 2))
    return TimingCurve(tuple(zip(frames, [frames[0], *inner, frames[-1]], strict=True)))


@settings(**SETTINGS)
@given(SEEDS)
def test_time_never_runs_backwards_and_goes_through_its_points(seed):
    curve = timing(np.random.default_rng(seed))
    x, y = np.array(curve.points).T
    assert np.array_equal(curve.at(x), y)
    asked = np.linspace(x[0] - 3, x[-1] + 3, 3000)
    found = curve.at(asked)
    assert (np.diff(found) >= -1e-12).all()
    outside = (asked <= x[0]) | (asked >= x[-1])
    assert np.array_equal(found[outside], asked[outside])
    e = 1e-8
    left, right = (curve.at(x[1:-1]) - curve.at(x[1:-1] - e)) / e, (curve.at(x[1:-1] + e) - curve.at(x[1:-1])) / e
    assert np.allclose(left, right, atol=1e-3) and np.allclose(curve.paces(x[1:-1]), left, atol=1e-3)


def test_a_timing_curve_joins_the_time_outside_smoothly():
    curve = TimingCurve(((10, 10), (20, 14), (30, 30)))
    e = 1e-6
    for end in (10.0, 30.0):
        assert np.allclose((curve.at(end + e) - curve.at(end - e)) / (2 * e), 1.0, atol=1e-5)
    assert np.allclose(TimingCurve(((3, 3), (9, 9))).at(np.linspace(0, 12, 50)), np.linspace(0, 12, 50), atol=1e-14)


@settings(**SETTINGS)
@given(SEEDS)
def test_speeds_are_scipys_monotone_cubics_and_their_integral_is_exact(seed):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.uniform(0.1, 20, rng.integers(2, 8)))
    y = rng.choice([0.0, 1e-3, 1.0, 5.0, 300.0], len(x)) * rng.uniform(0.5, 1, len(x))
    y[0] = max(y[0], 1.0)
    curve, oracle = SpeedCurve(tuple(zip(x, y, strict=True))), PchipInterpolator(x, y)
    asked = np.linspace(x[0], x[-1], 300)
    assert np.allclose(curve.speeds(asked), oracle(asked), atol=1e-12 * y.max())
    assert np.allclose(monotone_slopes(x, y), oracle.derivative()(x), atol=1e-12 * y.max())
    integral = oracle.antiderivative()
    assert np.allclose(curve.fraction(asked), integral(asked) / integral(x[-1]), atol=1e-13)
    assert (np.diff(curve.fraction(asked)) >= -1e-15).all() and (curve.speeds(asked) >= 0).all()
    assert curve.fraction(x[0] - 1) == 0 and curve.fraction(x[-1]) == 1 and curve.fraction(x[-1] + 9) == 1


@settings(**SETTINGS)
@given(SEEDS)
def test_eases_lie_on_their_bezier_curve(seed):
    rng = np.random.default_rng(seed)
    x1, x2 = rng.choice([0.0, 1.0, 1e-12, *rng.uniform(0, 1, 3)], 2)
    y1, y2 = rng.choice([0.0, 1.0, *rng.uniform(-30, 30, 3)], 2)
    controls = np.array([x1, y1, x2, y2])
    s = np.linspace(0, 1, 201)
    x = 3 * (1 - s) ** 2 * s * x1 + 3 * (1 - s) * s**2 * x2 + s**3
    y = 3 * (1 - s) ** 2 * s * y1 + 3 * (1 - s) * s**2 * y2 + s**3
    steep = 1 + np.gradient(y, s) / np.maximum(np.gradient(x, s), 1e-3)
    assert (np.abs(eased(np.clip(x, 0, 1), controls) - y) <= 1e-9 * np.maximum(1, np.abs(steep))).mean() > 0.97
    assert eased(np.array([0.0, 1.0]), controls).tolist() == [0.0, 1.0]
    if 0 <= min(y1, y2) and max(y1, y2) <= 1:
        assert (np.diff(eased(np.linspace(0, 1, 500), controls)) >= -1e-12).all()


def test_presets_do_what_they_are_called():
    u = np.linspace(0, 1, 501)
    curves = {name: eased(u, np.array(ease.numbers)) for name, ease in EASES.items() if ease is not None}
    assert (curves["in"][1:-1] < u[1:-1]).all() and (curves["out"][1:-1] > u[1:-1]).all()
    assert np.allclose(curves["in and out"], 1 - curves["in and out"][::-1], atol=1e-12)
    assert curves["anticipate"].min() < -0.02 and curves["follow through"].max() > 1.02
    straight = eased(u, np.array([1 / 3, 1 / 3, 2 / 3, 2 / 3]))
    assert np.allclose(straight, u, atol=1e-14)


@pytest.mark.parametrize(
    ("kind", "points", "words"),
    [
        (TimingCurve, [(0, 0)], "1 points"),
        (TimingCurve, [(0, 0), (5, 9), (6, 8), (10, 10)], "backwards"),
        (TimingCurve, [(0, 1), (10, 10)], "themselves"),
        (TimingCurve, [(0, 0), (0, 0)], "ascend"),
        (TimingCurve, [(0, 0), (5, float("nan")), (9, 9)], "finite"),
        (SpeedCurve, [(0, 1), (3, -1)], "0 or more"),
        (SpeedCurve, [(0, 0), (3, 0)], "gets nowhere"),
        (SpeedCurve, [(0, 0), 7], "not a point"),
    ],
)
def test_what_makes_no_sense_is_refused(kind, points, words):
    with pytest.raises(SequenceError, match=words):
        kind(tuple(points))
