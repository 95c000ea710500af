"""Simple solids: closed, outside out, of the volume that geometry says."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import CoreError
from core.skeleton import Mesh, read_pol, write_pol
from core.skeleton.shapes import box, ellipsoid, loft, section_axes, tapered, volume
from core.spatial.inertia import SpatialInertia

SIZES = st.floats(0.01, 3.0)
TRIPLES = st.tuples(SIZES, SIZES, SIZES)
POINTS = st.tuples(*(st.floats(-5.0, 5.0) for _ in range(3)))


def polygon_area(sides: int) -> float:
    """Area of the regular polygon in the unit circle."""
    return 0.5 * sides * np.sin(2.0 * np.pi / sides)


def assert_closed(mesh: Mesh) -> None:
    """Every edge runs once each way, all vertices are used, and the surface is a ball's (Euler: V - E + F = 2)."""
    for faces in (mesh.triangles.tolist(), mesh.polygons):
        edges = Counter((a, b) for face in faces for a, b in zip(face, [*face[1:], face[0]], strict=True))
        assert set(edges.values()) == {1}
        assert all((b, a) in edges for a, b in edges)
        assert len(mesh.vertices) - len(edges) // 2 + len(faces) == 2
    assert set(mesh.triangles.ravel().tolist()) == set(range(len(mesh.vertices)))


def assert_faces_outwards(mesh: Mesh) -> None:
    """Every triangle of a convex solid looks away from its middle."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    normals = np.cross(b - a, c - a)
    assert (np.einsum("ij,ij->i", normals, (a + b + c) / 3.0 - mesh.vertices.mean(axis=0)) > 0.0).all()


@given(TRIPLES, POINTS)
@settings(max_examples=40, deadline=None)
def test_box(size, center) -> None:
    mesh = box(size, center)
    assert_closed(mesh)
    assert_faces_outwards(mesh)
    assert volume(mesh) == pytest.approx(np.prod(size), rel=1e-9)
    low, high = mesh.bounds
    assert high - low == pytest.approx(np.array(size)) and 0.5 * (low + high) == pytest.approx(np.array(center))
    solid, ideal = SpatialInertia.mesh(mesh.vertices, mesh.triangles, mass=2.0), SpatialInertia.box(2.0, size, center)
    assert solid.inertia == pytest.approx(ideal.inertia, rel=1e-6, abs=1e-9)


@given(TRIPLES, POINTS, st.integers(2, 12).map(lambda n: 2 * n))
@settings(max_examples=40, deadline=None)
def test_ellipsoid(radii, center, sides) -> None:
    """Between rings the sections are similar, so every slice has the frustum's volume h/3 (A + B + sqrt(A B))."""
    mesh = ellipsoid(radii, center, sides=sides)
    assert_closed(mesh)
    assert_faces_outwards(mesh)
    low, high = mesh.bounds
    assert 0.5 * (low + high)[1] == pytest.approx(center[1])
    assert (((mesh.vertices - center) / radii) ** 2).sum(axis=1) == pytest.approx(np.ones(len(mesh.vertices)))
    rings = max(1, sides // 2 - 1)
    angle = np.linspace(0.0, np.pi, rings + 2)
    area = polygon_area(sides) * radii[0] * radii[2] * np.sin(angle) ** 2
    slices = np.diff(-radii[1] * np.cos(angle)) / 3.0 * (area[1:] + area[:-1] + np.sqrt(area[1:] * area[:-1]))
    assert volume(mesh) == pytest.approx(slices.sum(), rel=1e-9)


def test_ellipsoid_goes_to_the_ideal_one() -> None:
    ideal = 4.0 / 3.0 * np.pi * 0.3 * 0.5 * 0.2
    errors = [1.0 - volume(ellipsoid((0.3, 0.5, 0.2), sides=sides)) / ideal for sides in (12, 24, 48, 96)]
    assert all(0.0 < fine < 0.3 * coarse for coarse, fine in pairwise(errors))
    assert errors[-1] < 0.002


@given(POINTS, TRIPLES, st.tuples(SIZES, SIZES), st.tuples(SIZES, SIZES), st.integers(3, 20), POINTS)
@settings(max_examples=60, deadline=None)
def test_tapered(start, way, first, last, sides, across) -> None:
    """The middle is a prismatoid, h/6 (A + 4 M + B); a rounded end is slices of similar sections."""
    end = np.array(start) + way
    mesh = tapered(start, end, first, last, sides=sides, across=across)
    assert_closed(mesh)
    unit = polygon_area(sides)
    length = float(np.linalg.norm(way))
    a, b = unit * first[0] * first[1], unit * last[0] * last[1]
    middle = unit * 0.25 * (first[0] + last[0]) * (first[1] + last[1])
    expected = length / 6.0 * (a + 4.0 * middle + b)
    turn = np.linspace(0.0, 0.5 * np.pi, 4)
    for area, height in ((a, np.mean(first)), (b, np.mean(last))):
        at = area * np.cos(turn) ** 2
        expected += (np.diff(height * np.sin(turn)) / 3.0 * (at[1:] + at[:-1] + np.sqrt(at[1:] * at[:-1]))).sum()
    assert volume(mesh) == pytest.approx(expected, rel=1e-9)


def test_tapered_with_one_radius_is_nearly_the_capsule() -> None:
    mesh = tapered((0, 0, 0), (0.1, -0.4, 0.2), 0.06, 0.06, sides=64)
    capsule = SpatialInertia.capsule(1.0, (0, 0, 0), (0.1, -0.4, 0.2), 0.06)
    solid = SpatialInertia.mesh(mesh.vertices, mesh.triangles, mass=1.0)
    assert solid.center == pytest.approx(capsule.center, abs=1e-12)
    assert solid.inertia == pytest.approx(capsule.inertia, rel=0.03)
    assert_faces_outwards(mesh)


def test_across_is_the_direction_of_the_first_half_axis() -> None:
    mesh = tapered((0, 0, 0), (0, 1, 0), (0.3, 0.1), (0.3, 0.1), across=(0.0, 5.0, 2.0))
    low, high = mesh.bounds
    assert high[2] == pytest.approx(0.3) and low[2] == pytest.approx(-0.3)
    assert high[0] == pytest.approx(0.1) and high[1] == pytest.approx(1.2)
    for axis in (*np.eye(3), -np.eye(3)[0], np.array([0.6, 0.0, -0.8])):
        u, v = section_axes(axis, axis)  # along the limb: another direction is taken
        assert np.cross(u, v) == pytest.approx(axis) and abs(u @ axis) < 1e-12


def test_loft_turns_its_outside_out_whichever_way_the_rings_run() -> None:
    turn = 2.0 * np.pi * np.arange(8) / 8
    ring = np.stack([np.cos(turn), np.zeros(8), np.sin(turn)], axis=1)
    up = np.array([0.0, 1.0, 0.0])
    for one in (ring, ring[::-1]):
        mesh = loft([one, one + up], -0.5 * up, 1.5 * up)
        assert_closed(mesh)
        assert_faces_outwards(mesh)
        assert volume(mesh) == pytest.approx(polygon_area(8) * (1.0 + 2.0 * 0.5 / 3.0))


@pytest.mark.parametrize("mesh", [box(1.0), ellipsoid(0.2), tapered((0, 0, 0), (1, 0, 0), 0.1, (0.05, 0.02))])
def test_shapes_survive_a_pol_file(mesh: Mesh) -> None:
    again = read_pol(write_pol(mesh))
    assert np.array_equal(again.vertices, mesh.vertices) and again.polygons == mesh.polygons
    assert volume(again) == pytest.approx(volume(mesh))
    assert len(mesh.triangles) < 200


@pytest.mark.parametrize(
    "make",
    [
        lambda: box((1, 0, 1)),
        lambda: box((1, 1)),
        lambda: box(np.nan),
        lambda: ellipsoid(-1.0),
        lambda: ellipsoid(1.0, sides=2),
        lambda: ellipsoid(1.0, rings=0),
        lambda: tapered((0, 0, 0), (0, 0, 0), 1.0, 1.0),
        lambda: tapered((0, 0, 0), (0, 1, 0), 0.0, 1.0),
        lambda: tapered((0, 0, np.inf), (0, 1, 0), 1.0, 1.0),
        lambda: loft(np.zeros((0, 4, 3)), (0, 0, 0), (0, 1, 0)),
        lambda: loft(np.full((1, 4, 3), np.nan), (0, 0, 0), (0, 1, 0)),
    ],
)
def test_what_makes_no_solid_is_refused(make) -> None:
    with pytest.raises(CoreError):
        make()
