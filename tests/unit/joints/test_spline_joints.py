"""Spline joints against splines of numbers, products of exponentials and the papers' algorithms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from core.joints import SplineCurve, SplineSurface
from core.joints.spline_kernel import basis, basis_bend, basis_slope
from core.joints.splines import B_SPLINE
from core.spatial import se3
from tests.support.joint_examples import bowl, ring, twist_between, wild_frames, wild_values


def functions(u: float) -> tuple:
    return basis(B_SPLINE, u), basis_slope(B_SPLINE, u), basis_bend(B_SPLINE, u)


def test_basis_functions_are_those_of_b_splines() -> None:
    spline = [scipy.interpolate.BSpline.basis_element(np.arange(-3 + i, 2 + i), extrapolate=False) for i in range(4)]
    for u in np.linspace(0.0, 0.999, 12):
        for order, found in enumerate(functions(u)):
            expected = [f.derivative(order)(u) if order else f(u) for f in spline]
            assert np.abs(np.array(found) - expected).max() < 1e-14


def test_beyond_the_ends_the_basis_goes_straight_on() -> None:
    for end, sign in ((0.0, -1.0), (1.0, 1.0)):
        at, slope = np.array(functions(end)[0]), np.array(functions(end)[1])
        for d in (1e-9, 0.1, 3.0):
            values, first, second = functions(end + sign * d)
            assert np.abs(np.array(values) - (at + sign * d * slope)).max() < 1e-14
            assert np.abs(np.array(first) - slope).max() < 1e-14 and not any(second)


# -- curves ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [True, False])
def test_a_curve_without_turns_is_a_b_spline_of_points(closed: bool) -> None:
    points = np.random.default_rng(1).normal(size=(7, 3))
    curve = SplineCurve(se3.transform(translation=points), closed)
    control = np.vstack([points, points[:3]]) if closed else points
    spline = scipy.interpolate.BSpline(np.arange(len(control) + 4) - 3.0, control, 3)
    for q in np.linspace(0.0, curve.segments - 1e-9, 40):
        X = curve.transform([q])
        assert np.abs(X[:3, 3] - spline(q)).max() < 1e-14 and np.array_equal(X[:3, :3], np.eye(3))
        assert np.abs(curve.subspace([q])[3:, 0] - spline.derivative(1)(q)).max() < 1e-13
        assert np.abs(curve.subspace_rate([q], [2.0])[3:, 0] - 2.0 * spline.derivative(2)(q)).max() < 1e-12


@pytest.mark.parametrize("curve", [SplineCurve(ring()), SplineCurve(wild_frames(3)), SplineCurve(wild_frames(9))])
def test_a_closed_curve_closes(curve: SplineCurve) -> None:
    """After a round it is where it was; over the knots the frame, its velocity and acceleration are continuous."""
    m = curve.segments
    assert m == len(curve.frames)
    for q in np.linspace(0.05, m, 11):
        for rounds in (-2, 1, 7):
            assert np.abs(curve.transform([q + rounds * m]) - curve.transform([q])).max() < 1e-12 * 10
    for knot in range(m + 1):
        for function in (curve.transform, curve.subspace, lambda q: curve.subspace_rate(q, [1.0])):
            before = function([knot - 1e-12]).copy()
            assert np.abs(function([float(knot)]) - before).max() < 1e-9


def test_a_frame_that_repeats_makes_no_jump() -> None:
    frames = wild_frames(6)
    frames[3] = frames[2]
    curve = SplineCurve(frames, closed=False)
    for q in np.linspace(0.0, 3.0, 31):
        assert np.isfinite(curve.subspace([q])).all()


def test_places_on_a_curve_are_found_from_anywhere() -> None:
    for curve in (SplineCurve(ring()), SplineCurve(wild_frames(8)), SplineCurve(wild_frames(8), closed=False)):
        for q in np.linspace(0.0, curve.segments, 23):
            X = curve.transform([q])
            for near in (None, [0.0], [2.7]):
                assert twist_between(curve.transform(curve.coordinates(X, near)), X) < 1e-9


def test_where_a_curve_crosses_itself_the_nearer_place_is_meant() -> None:
    """A line to and fro: each of its places is passed twice."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [2, 0, 0], [1, 0, 0]])
    curve = SplineCurve(se3.transform(translation=points))
    there = curve.coordinates(curve.transform([0.5]), near=[0.9])[0]
    back = curve.coordinates(curve.transform([0.5]), near=[3.2])[0]
    assert there == pytest.approx(0.5, abs=1e-9) and back == pytest.approx(3.5, abs=1e-9)
    again = curve.coordinates(curve.transform([0.5]), near=[12.6])[0]
    assert again == pytest.approx(12.5, abs=1e-9)


def test_nothing_on_the_curve_is_nearer_than_what_is_found() -> None:
    """Poses off the curve: no place of a fine sampling comes nearer (angles and lengths by the curve's reach)."""
    curve = SplineCurve(ring())
    rng = np.random.default_rng(5)
    poses = np.array([curve.transform([q]) for q in np.linspace(0, 4, 801)])
    reach = np.array([1, 1, 1, 0.1, 0.1, 0.1])
    for _ in range(6):
        X = curve.transform([rng.uniform(0, 4)]) @ se3.exp(rng.normal(size=6) * [0.3, 0.3, 0.3, 3, 3, 3])
        best = np.linalg.norm(reach * se3.log(se3.inverse(poses) @ X), axis=1).min()
        found = curve.transform(curve.coordinates(X))
        assert np.linalg.norm(reach * se3.log(se3.inverse(found) @ X)) <= best + 1e-9


def test_an_open_curve_goes_on_past_its_ends() -> None:
    curve = SplineCurve(wild_frames(5), closed=False)
    assert curve.segments == 2
    for q in (-3.0, -0.1, 2.1, 6.0):
        assert np.linalg.norm(curve.subspace([q])) > 0.1


# -- surfaces --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [bowl(), wild_values(5, 7)], ids=["bowl", "wild"])
def test_a_surface_is_the_product_of_six_exponentials(values: np.ndarray) -> None:
    """Sueda's algorithm 4 line by line, against the shorter way taken."""
    surface = SplineSurface(values)
    _, a, b = values.shape
    knots = [np.arange(count + 4) - 3.0 for count in (a, b)]
    axes = np.eye(6)[[3, 4, 5, 0, 1, 2]]

    def f(k: int, q: np.ndarray, orders: tuple[int, int]) -> float:
        rows = scipy.interpolate.BSpline(knots[0], values[k], 3)
        along = rows.derivative(orders[0])(q[0]) if orders[0] else rows(q[0])
        across = scipy.interpolate.BSpline(knots[1], along, 3)
        return float(across.derivative(orders[1])(q[1]) if orders[1] else across(q[1]))

    for q in np.random.default_rng(2).uniform(0, 0.999, size=(5, 2)) * surface.segments:
        Q, S, dS = np.eye(4), np.zeros((6, 2)), np.zeros((6, 2, 2))
        for k, e in enumerate(axes):
            step = se3.exp(e * f(k, q, (0, 0)))
            Q, back = Q @ step, se3.inverse_adjoint(step)
            first = [f(k, q, (1, 0)), f(k, q, (0, 1))]
            for i in range(2):
                ad = se3.ad(S[:, i])
                S[:, i] = e * first[i] + back @ S[:, i]
                for j in range(2):
                    order = (2 - i - j, i + j)
                    dS[:, i, j] = e * f(k, q, order) + back @ (dS[:, i, j] + ad @ e * first[j])
        scale = max(1.0, np.abs(Q).max())
        assert np.abs(surface.transform(q) - Q).max() < 1e-13 * scale
        assert np.abs(surface.subspace(q) - S).max() < 1e-13 * scale
        assert np.abs(surface.subspace_gradient(q) - dS).max() < 1e-12 * scale


def test_places_on_a_surface_are_found_from_anywhere() -> None:
    for surface in (SplineSurface(bowl()), SplineSurface(wild_values(6, 5))):
        for q in np.random.default_rng(3).uniform(0, 1, size=(10, 2)) * surface.segments:
            X = surface.transform(q)
            for near in (None, [0.5, 0.5]):
                assert twist_between(surface.transform(surface.coordinates(X, near)), X) < 1e-9


def test_over_the_seams_of_a_surface_velocity_and_acceleration_are_continuous() -> None:
    surface = SplineSurface(wild_values(6, 6))
    for q in ([1.0, 0.4], [0.3, 2.0], [2.0, 1.0], [3.0, 0.0]):
        for function in (surface.transform, surface.subspace):
            before = function(np.array(q) - 1e-12).copy()
            assert np.abs(function(q) - before).max() < 1e-9
