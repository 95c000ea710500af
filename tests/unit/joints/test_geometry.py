"""Curves and surfaces: their frames are those of their derivatives, and what is none is refused in words."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from core.errors import JointError
from core.joints.geometry import (
    CURVES,
    SURFACES,
    BezierCurve,
    BezierSurface,
    Circle,
    Cylinder,
    Ellipse,
    Ellipsoid,
    Helix,
    Line,
    Link,
    Plane,
    Shape,
    Sphere,
    Surface,
    Torus,
)
from core.joints.scapula import Thorax
from tests.support.joint_examples import Array, bends, hills

SHAPES: tuple[Shape, ...] = (
    Plane(), Cylinder(0.3), Cylinder(-0.3), Sphere(0.5), Sphere(-0.5, "y"), Ellipsoid(0.2, 0.3, 0.5),
    Ellipsoid(-0.2, -0.3, -0.5, "x"), Ellipsoid(0.2, 0.3, 0.5, "y"), Torus(0.5, 0.2), Torus(0.5, -0.2),
    Link(0.5, 0.2), hills(), Thorax(0.1, 0.2, 0.3), Line(), Circle(0.4), Ellipse(0.4, 0.2), Helix(0.3, 0.1),
    BezierCurve(bends()),
)  # fmt: skip
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: repr(shape)[:32])


def some(shape: Shape, count: int = 7) -> Array:
    """Return coordinates inside of its range, shape (count, n)."""
    rng = np.random.default_rng(len(shape.constants))
    ranges = [(low, high) if math.isfinite(high - low) else (-4.0, 4.0) for low, high in shape.domain]
    return np.stack([rng.uniform(low, high, size=count) for low, high in ranges], axis=-1)


def slopes(shape: Shape, at: Array, step: float = 1e-5) -> list[Array]:
    """Return the derivatives of its place by each coordinate."""
    steps = step * np.eye(at.shape[-1])
    return [(shape.places(at + h) - shape.places(at - h)) / (2.0 * step) for h in steps]


def test_every_curve_and_surface_is_tried() -> None:
    assert {type(shape) for shape in SHAPES} == {*SURFACES, *CURVES, Thorax}
    names = [kind.name for kind in SURFACES], [kind.name for kind in CURVES]
    assert all(len(set(own)) == len(own) for own in names)


@every_shape
def test_frames_are_rotations_along_what_the_derivatives_say(shape: Shape) -> None:
    at = some(shape)
    X, along = shape.frames(at), slopes(shape, at)
    R = X[:, :3, :3]
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-14 and np.linalg.det(R).min() > 0.0
    for k in range(len(at)):
        first = along[0][k] / np.linalg.norm(along[0][k])
        if len(along) == 1:
            assert np.abs(R[k, :, 2] - first).max() < 1e-9
            continue
        normal = np.cross(along[0][k], along[1][k])
        for axis, derived in ((R[k, :, 2], normal / np.linalg.norm(normal)), (R[k, :, 0], first)):
            # A negative radius turns a round surface inside out, and with it the way its first coordinate goes; so it
            # goes beyond a pole.
            side = math.copysign(1.0, float(axis @ derived))
            assert np.abs(axis - side * derived).max() < 1e-8
            beyond = isinstance(shape, Surface) and shape.has_poles and math.cos(at[k, 1]) < 0.0
            assert side > 0.0 or min(shape.constants) < 0.0 or beyond


@every_shape
def test_shapes_are_values(shape: Shape) -> None:
    shape.frames(some(shape))
    twin = pickle.loads(pickle.dumps(shape))
    assert twin == shape and hash(twin) == hash(shape) and sum(shape == other for other in SHAPES) == 1
    assert len(shape.units) == len(shape.coordinate_names) == len(shape.turns) == len(shape.domain)


def test_normals_of_solids_point_outward_and_negative_radii_inward() -> None:
    for shape, outward in (
        (Sphere(0.5), 1.0), (Sphere(-0.5), -1.0), (Ellipsoid(0.2, 0.3, 0.5), 1.0), (Cylinder(0.3), 1.0),
        (Cylinder(-0.3), -1.0),
    ):  # fmt: skip
        X = shape.frames(some(shape))
        across = X[:, :2, 3] if isinstance(shape, Cylinder) else X[:, :3, 3]
        assert (outward * (X[:, : across.shape[1], 2] * across).sum(axis=1) > 0.0).all()


def test_the_poles_of_an_ellipsoid_have_frames() -> None:
    X = Ellipsoid(0.2, 0.3, 0.5).frames([[0.3, 0.5 * math.pi]])
    assert np.isfinite(X).all() and X[0, :3, 2] == pytest.approx([0.0, 0.0, 1.0])


@pytest.mark.parametrize(("poles", "first"), [("x", [0, 1, 0]), ("y", [0, 0, 1]), ("z", [1, 0, 0])])
def test_poles_lie_on_their_axis(poles, first) -> None:
    shape, axis = Sphere(1.0, poles), np.eye(3)["xyz".index(poles)]
    assert shape.places([0.3, 0.5 * math.pi]) == pytest.approx(axis, abs=1e-15)
    assert shape.places([0.0, 0.0]) == pytest.approx(first, abs=1e-15)


def test_a_link_is_a_torus_that_begins_inside() -> None:
    at = some(Torus(0.5, 0.2))
    assert Link(0.5, 0.2).frames(at) == pytest.approx(Torus(0.5, 0.2).frames(at + np.array([0.0, math.pi])), abs=1e-15)


def casteljau(points: Array, t: float) -> Array:
    while len(points) > 1:
        points = (1.0 - t) * points[:-1] + t * points[1:]
    return points[0]


def test_bezier_shapes_are_those_of_de_casteljau() -> None:
    curve, surface = BezierCurve(bends()), hills()
    for u, v in np.random.default_rng(1).uniform(size=(6, 2)):
        assert curve.places([u]) == pytest.approx(casteljau(curve.points, u), abs=1e-14)
        row = np.array([casteljau(own, v) for own in surface.points])
        assert surface.places([u, v]) == pytest.approx(casteljau(row, u), abs=1e-14)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere(0.0), "a sphere has the radius 0"),
        (lambda: Cylinder(math.nan), "a cylinder has the radius nan"),
        (lambda: Ellipsoid(0.1, -0.2, 0.3), "all of one sign"),
        (lambda: Sphere(0.1, "w"), "expected x, y or z"),
        (lambda: Torus(0.1, 0.2), "expected a tube thinner"),
        (lambda: Torus(-0.1, 0.05), "a torus has the ring -0.1; expected a finite number above 0"),
        (lambda: Link(0.1, 0.2), "a link has a ring"),
        (lambda: Circle(-1.0), "a circle has the radius -1"),
        (lambda: Ellipse(0.1, 0.0), "half axis y 0"),
        (lambda: Helix(0.1, 0.0), "a helix has the pitch 0"),
        (lambda: BezierCurve(np.zeros((3, 3))), "are the same"),
        (lambda: BezierCurve(np.zeros((1, 3))), "1 control points"),
        (lambda: BezierCurve(np.full((3, 3), np.inf)), "not finite"),
        (lambda: BezierCurve("abc"), "expected points"),  # type: ignore[arg-type]
        (lambda: BezierSurface(np.zeros((3, 3))), r"shape \(3, 3\)"),
        (lambda: BezierSurface(np.zeros((3, 3, 3))), "no normal in its middle"),
    ],
)
def test_what_is_no_shape_is_refused(make, words) -> None:
    with pytest.raises(JointError, match=words):
        make()
