"""Normals with creases, closedness, coarse copies and hulls."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from app.viewport.geometry import hull_mesh, is_solid, simplified, smooth_normals
from core.skeleton.mesh import Mesh


def mesh_of(shape: trimesh.Trimesh) -> Mesh:
    return Mesh(shape.vertices, shape.faces)


BALL = mesh_of(trimesh.creation.icosphere(3, 0.1))
BOX = mesh_of(trimesh.creation.box((0.2, 0.3, 0.4)))


def test_a_ball_is_smooth() -> None:
    points, normals, outward, faces = smooth_normals(BALL)
    radial = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert len(points) == len(BALL.vertices), "no vertex is split"
    assert np.einsum("ki,ki->k", normals, radial).min() > 0.999
    assert np.allclose(normals, outward)
    assert np.allclose(
        np.sort(points[faces].reshape(-1, 9), axis=0), np.sort(BALL.vertices[BALL.triangles].reshape(-1, 9), axis=0)
    )


def test_a_box_keeps_its_edges() -> None:
    points, normals, outward, _ = smooth_normals(BOX)
    assert len(points) == 24
    assert np.allclose(np.sort(np.abs(normals), axis=1), [0, 0, 1], atol=1e-9)
    assert np.allclose(np.abs(outward), 1 / np.sqrt(3), atol=0.25), "outlines swell at the corners, without cracks"
    same = {}
    for point, direction in zip(np.round(points, 9).tolist(), outward, strict=True):
        assert np.allclose(same.setdefault(tuple(point), direction), direction)


def test_degenerate_triangles_are_left_out() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
    _, normals, _, faces = smooth_normals(Mesh(vertices, np.array([[0, 1, 2], [0, 1, 3]])))
    assert len(faces) == 1 and np.allclose(normals, [0, 0, 1])
    assert len(smooth_normals(Mesh(vertices, np.array([[0, 1, 3]])))[0]) == 0


@pytest.mark.parametrize(
    ("mesh", "solid"),
    [
        (BALL, True),
        (BOX, True),
        (Mesh(BALL.vertices, BALL.triangles[1:]), False),
        (Mesh(BALL.vertices, BALL.triangles[:, ::-1]), False),
    ],
    ids=["ball", "box", "open", "inside out"],
)
def test_only_closed_meshes_that_face_outward_are_solid(mesh: Mesh, solid: bool) -> None:
    assert is_solid(mesh) is solid


def test_a_coarse_copy_is_closed_smaller_and_near() -> None:
    points, _, outward, faces = smooth_normals(mesh_of(trimesh.creation.icosphere(4, 0.1)))
    less, normals, few = simplified(points, outward, faces)
    assert len(few) < 0.4 * len(faces)
    assert np.abs(np.linalg.norm(less, axis=1) - 0.1).max() < 0.01
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0)
    edges = np.concatenate([few[:, [0, 1]], few[:, [1, 2]], few[:, [2, 0]]])
    forward = np.unique(edges, axis=0, return_counts=True)
    backward = np.unique(edges[:, ::-1], axis=0, return_counts=True)
    assert np.array_equal(forward[0], backward[0]) and np.array_equal(forward[1], backward[1]), "still closed"


def test_a_coarse_mesh_stays_as_it_is() -> None:
    points, _, outward, faces = smooth_normals(BOX)
    assert simplified(points, outward, faces)[2] is faces


def test_hull_is_coarse_and_inside() -> None:
    corners, faces = hull_mesh(BALL.vertices)
    assert len(corners) <= 48 and len(faces) <= 92
    assert np.allclose(np.linalg.norm(corners, axis=1), 0.1)
    assert hull_mesh(BALL.vertices * [1, 1, 0]) is None
