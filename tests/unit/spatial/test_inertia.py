"""Spatial inertia: shapes against integrals done another way, moving and combining against first principles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import trimesh
from numpy.typing import ArrayLike

from core.errors import CoreError
from core.spatial import se3, so3
from core.spatial.inertia import SpatialInertia


def spin(seed: int) -> np.ndarray:
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


def assert_close(a: SpatialInertia, b: SpatialInertia, rel: float = 1e-12) -> None:
    size = np.abs(b.inertia).max()
    assert a.mass == pytest.approx(b.mass, rel=rel)
    assert a.center == pytest.approx(b.center, abs=rel * max(1.0, np.abs(b.center).max()))
    assert np.abs(a.inertia - b.inertia).max() <= rel * max(size, 1e-300)


def of_trimesh(mesh: trimesh.Trimesh, density: float) -> SpatialInertia:
    mesh.density = density
    return SpatialInertia(mesh.mass, mesh.center_mass, mesh.moment_inertia)


@pytest.mark.parametrize("seed", range(12))
def test_mesh_agrees_with_trimesh(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mesh = trimesh.convex.convex_hull(rng.normal(size=(40, 3)) * rng.uniform(0.1, 2, 3) + rng.normal(size=3) * 3)
    ours = SpatialInertia.mesh(mesh.vertices, mesh.faces, density=700.0)
    assert_close(ours, of_trimesh(mesh, 700.0), 1e-9)


def test_mesh_of_a_torus_agrees_with_trimesh() -> None:
    mesh = trimesh.creation.torus(0.5, 0.2)
    assert_close(SpatialInertia.mesh(mesh.vertices, mesh.faces), of_trimesh(mesh, 1000.0), 1e-9)


def test_mesh_of_a_box_is_the_box() -> None:
    mesh = trimesh.creation.box(extents=(1, 2, 3))
    ours = SpatialInertia.mesh(mesh.vertices + np.array([4, 5, 6]), mesh.faces, mass=2.0)
    assert_close(ours, SpatialInertia.box(2.0, (1, 2, 3), (4, 5, 6)))


def test_a_mesh_far_away_keeps_its_digits() -> None:
    mesh = trimesh.creation.box(extents=(1, 2, 3))
    far = SpatialInertia.mesh(mesh.vertices + 1e5, mesh.faces, mass=2.0)
    assert np.abs(far.inertia - SpatialInertia.box(2.0, (1, 2, 3)).inertia).max() < 1e-8


def test_capsule_agrees_with_a_fine_mesh() -> None:
    mesh = trimesh.creation.capsule(height=0.7, radius=0.2, count=[128, 128])  # along z, about the origin
    low, high = mesh.bounds[:, 2]
    middle = (low + high) / 2
    ours = SpatialInertia.capsule(1.0, (0, 0, middle - 0.35), (0, 0, middle + 0.35), 0.2)
    assert_close(ours, SpatialInertia.mesh(mesh.vertices, mesh.faces, mass=1.0), 2e-3)


def test_capsule_agrees_with_integration_over_slices() -> None:
    length, radius = 0.6, 0.25
    edges = np.linspace(-length / 2 - radius, length / 2 + radius, 200_001)
    z = 0.5 * (edges[1:] + edges[:-1])
    past = np.clip(np.abs(z) - length / 2, 0, None)
    r2 = radius**2 - past**2
    disc = np.pi * r2 * np.diff(edges)  # volume of each thin disc
    volume = disc.sum()
    along = (0.5 * disc * r2).sum() / volume
    across = (disc * (0.25 * r2 + z**2)).sum() / volume
    ours = SpatialInertia.capsule(1.0, (0, 0, -0.3), (0, 0, 0.3), radius)
    assert np.diag(ours.inertia) == pytest.approx([across, across, along], rel=1e-8)


def test_a_capsule_without_length_is_a_ball() -> None:
    ball = SpatialInertia.capsule(3.0, (1, 2, 3), (1, 2, 3), 0.4)
    assert_close(ball, SpatialInertia.sphere(3.0, 0.4, (1, 2, 3)))


def test_a_slanted_capsule_is_the_upright_one_turned() -> None:
    R = spin(1)
    upright = SpatialInertia.capsule(2.0, (0, -0.5, 0), (0, 0.5, 0), 0.1)
    slanted = SpatialInertia.capsule(2.0, R @ [0, -0.5, 0], R @ [0, 0.5, 0], 0.1)
    assert_close(slanted, upright.moved(R), 1e-12)


def test_cylinder_agrees_with_integration_over_slices() -> None:
    z = np.linspace(-0.35, 0.35, 200_001)
    z = 0.5 * (z[1:] + z[:-1])
    across, along = (0.25 * 0.2**2 + z**2).mean(), 0.5 * 0.2**2
    ours = SpatialInertia.cylinder(3.0, 0.2, 0.7, center=(1, 2, 3))
    assert np.diag(ours.inertia) == pytest.approx([3 * across, 3 * across, 3 * along], rel=1e-9)
    assert ours.center.tolist() == [1, 2, 3]


def test_a_slanted_cylinder_is_the_upright_one_turned() -> None:
    R = spin(3)
    slanted = SpatialInertia.cylinder(2.0, 0.1, 0.5, axis=5.0 * R[:, 2])
    assert_close(slanted, SpatialInertia.cylinder(2.0, 0.1, 0.5).moved(R))


def test_an_ellipsoid_is_a_ball_drawn_out() -> None:
    assert_close(SpatialInertia.ellipsoid(2.0, (0.3, 0.3, 0.3)), SpatialInertia.sphere(2.0, 0.3))
    ball = trimesh.creation.icosphere(subdivisions=5)
    volume = ball.volume / (4 / 3 * np.pi)  # the facets cut off a little everywhere, whatever the radii
    mesh = SpatialInertia.mesh(ball.vertices * (0.1, 0.4, 0.3), ball.faces, mass=1.5)
    assert_close(SpatialInertia.ellipsoid(1.5, (0.1, 0.4, 0.3)), mesh, 2.0 * (1.0 - volume))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SpatialInertia.box(1.0, (1, -2, 3)), "the size of a box .* expected finite numbers, 0 or more"),
        (lambda: SpatialInertia.sphere(1.0, np.nan), "the radius of a sphere nan"),
        (lambda: SpatialInertia.ellipsoid(1.0, (1, 2)), "the radii of an ellipsoid .* expected 3 numbers"),
        (lambda: SpatialInertia.cylinder(1.0, 1.0, -1.0), "the radius and length of a cylinder"),
        (lambda: SpatialInertia.cylinder(1.0, 1.0, 1.0, axis=(0, 0, 0)), "the axis of a cylinder .* has no direction"),
    ],
)
def test_shapes_without_a_size_are_refused(make: Callable[[], SpatialInertia], message: str) -> None:
    with pytest.raises(CoreError, match=message):
        make()


@pytest.mark.parametrize("seed", range(20))
def test_in_its_principal_frame_the_matrix_is_diagonal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [SpatialInertia.box(k + 1.0, (1, 2, 0.5), (k, -k, 1)).moved(spin(seed + k)) for k in range(3)]
    body = SpatialInertia.combine(parts)
    X, moments = body.principal()
    expected = np.diag([*moments, body.mass, body.mass, body.mass])
    A = se3.adjoint(X)  # twists in the principal frame to twists in B
    assert np.abs(A.T @ body.matrix() @ A - expected).max() < 1e-12 * moments.max()
    assert np.abs(X[:3, :3].T @ X[:3, :3] - np.eye(3)).max() < 1e-14 and np.linalg.det(X[:3, :3]) > 0.0
    # A body that is turned a little has its principal frame turned as much.
    small = so3.exp(0.01 * rng.normal(size=3))
    turned, same = SpatialInertia.box(2.0, (1, 2, 3)).moved(small).principal()
    assert np.abs(turned[:3, :3] - small).max() < 1e-12
    assert same == pytest.approx(np.diag(SpatialInertia.box(2.0, (1, 2, 3)).inertia), rel=1e-12)


def test_principal_frames_of_round_bodies_are_their_own() -> None:
    for body in (SpatialInertia.sphere(1.0, 1.0), SpatialInertia.cylinder(1.0, 1.0, 3.0), SpatialInertia.zero()):
        assert np.array_equal(body.principal()[0], np.eye(4))


def test_two_half_boxes_make_a_box() -> None:
    halves = [SpatialInertia.box(1.0, (1, 1, 1), (x, 0, 0)) for x in (-0.5, 0.5)]
    whole = SpatialInertia.box(2.0, (2, 1, 1))
    assert_close(SpatialInertia.combine(halves), whole)
    assert_close(halves[0] + halves[1], whole)


def test_combining_commutes_with_moving() -> None:
    R, p = spin(2), np.array([1.0, -2.0, 0.5])
    bodies = [SpatialInertia.box(k + 1.0, (1, 2, 0.3 * k + 0.1), (k, -k, 2 * k)) for k in range(4)]
    assert_close(
        SpatialInertia.combine(body.moved(R, p) for body in bodies), SpatialInertia.combine(bodies).moved(R, p), 1e-12
    )


def test_nothing_combined_is_nothing() -> None:
    assert SpatialInertia.combine([]).mass == 0.0
    assert SpatialInertia.combine([SpatialInertia.zero()] * 2).inertia.tolist() == np.zeros((3, 3)).tolist()


def test_steiner_and_matrix_give_the_energy_of_particles() -> None:
    """A dumbbell of point masses, moving as a rigid body: half v^T M v is the sum of half m v^2."""
    rng = np.random.default_rng(4)
    points, masses = rng.normal(size=(9, 3)), rng.uniform(0.1, 2, 9)
    bodies = [SpatialInertia(m, p, np.zeros((3, 3))) for m, p in zip(masses, points, strict=True)]
    body = SpatialInertia.combine(bodies)
    w, v = rng.normal(size=3), rng.normal(size=3)
    twist = np.concatenate([w, v])
    energy = 0.5 * (masses * ((v + np.cross(w, points)) ** 2).sum(axis=1)).sum()
    assert 0.5 * twist @ body.matrix() @ twist == pytest.approx(energy, rel=1e-12)
    about = body.about((0, 0, 0))
    assert about == pytest.approx(body.matrix()[:3, :3], abs=1e-12)


def test_arrays_are_read_only_and_copied() -> None:
    center = np.zeros(3)
    body = SpatialInertia(1.0, center, np.eye(3))
    center[0] = 5.0
    assert body.center[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = 2.0


@pytest.mark.parametrize(
    ("mass", "center", "inertia", "message"),
    [
        (-1.0, np.zeros(3), np.eye(3), "mass is -1; expected a finite number, 0 or more"),
        (np.nan, np.zeros(3), np.eye(3), "mass is nan"),
        (1.0, [0, np.inf, 0], np.eye(3), "centre is [0.0, inf, 0.0]"),
        (1.0, np.zeros(3), np.diag([1, np.nan, 1]), "expected finite numbers"),
        (1.0, np.zeros(3), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "is not symmetric"),
        (1.0, np.zeros(3), np.zeros((3, 3)), "not positive definite"),
        (1.0, np.zeros(3), np.diag([0.0, 1, 1]), "not positive definite"),
        (1.0, np.zeros(3), np.diag([-1e-3, 1, 1]), "principal moments -0.001, 1 and 1"),
        (1.0, np.zeros(3), np.diag([1, 1, 2.001]), "breaks the triangle inequality"),
        (0.0, np.zeros(3), np.eye(3), "mass is 0 but its inertia"),
    ],
)
def test_what_no_body_has_is_reported(mass: float, center: ArrayLike, inertia: ArrayLike, message: str) -> None:
    problem = SpatialInertia(mass, np.array(center), np.array(inertia)).problem()
    assert problem is not None and message in problem


def test_thin_rods_and_plates_can_be() -> None:
    rng = np.random.default_rng(8)
    for size in ([1, 1e-6, 1e-6], [1, 0.3, 1e-6], [1e-6, 1e-6, 1e-6], [1e3, 1e3, 1e-3], [1, 1, 0]):
        for _ in range(20):
            R = so3.exp(rng.normal(size=3))
            body = SpatialInertia.box(rng.uniform(1e-6, 1e6), size).moved(R, rng.normal(size=3))
            assert body.problem() is None
    assert SpatialInertia.zero().problem() is None


@pytest.mark.parametrize(
    ("mass", "center", "inertia", "message"),
    [
        ("heavy", np.zeros(3), np.eye(3), "mass 'heavy' cannot be; expected a number"),
        (1.0, np.zeros(2), np.eye(3), "centre .* expected 3 numbers"),
        (1.0, np.zeros(3), np.eye(2), "inertia .* expected 3 by 3 numbers"),
    ],
)
def test_other_shapes_are_refused(mass: float, center: object, inertia: object, message: str) -> None:
    with pytest.raises(CoreError, match=message):
        SpatialInertia(mass, center, inertia)  # type: ignore[arg-type]


def test_open_and_inside_out_meshes_are_refused() -> None:
    box = trimesh.creation.box()
    with pytest.raises(CoreError, match="encloses"):
        SpatialInertia.mesh(box.vertices, box.faces[:, ::-1])
    with pytest.raises(CoreError, match="encloses"):
        SpatialInertia.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
