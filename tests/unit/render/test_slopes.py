"""Gradients of weights along a surface, against weights whose gradients are known."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from app.render.mesh.slopes import weight_slopes


def test_a_linear_weight_on_a_flat_sheet() -> None:
    """On a plane the gradient is exact, whatever the triangles are."""
    rng = np.random.default_rng(1)
    flat = rng.uniform(-0.5, 0.5, (60, 2))
    from scipy.spatial import Delaunay

    faces = Delaunay(flat).simplices
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    points = np.column_stack([flat, np.zeros(60)]) @ turn.T
    slope = 0.4 * turn[:, 0] - 0.3 * turn[:, 1]
    second = 0.1 * turn[:, 1]
    weights = np.zeros((60, 4))
    weights[:, 1], weights[:, 2] = 0.4 + points @ slope, 0.2 + points @ second
    weights[:, 0] = 1.0 - weights.sum(axis=1)
    joints = np.tile([5, 2, 7, 5], (60, 1))
    found = weight_slopes(points, np.arange(60), faces, joints, weights)
    used = np.unique(faces)
    assert found[used, 1] == pytest.approx(np.tile(slope, (len(used), 1)), abs=1e-9)
    assert found[used, 2] == pytest.approx(np.tile(second, (len(used), 1)), abs=1e-9)
    assert found.sum(axis=1) == pytest.approx(np.zeros((60, 3)), abs=1e-12) and not found[:, 3].any()


def test_a_weight_by_height_on_a_ball_split_over_two_segments() -> None:
    """The same places carried by two joints, each first in its own rows: the gradient is that of the joint meant."""
    ball = trimesh.creation.icosphere(5, 0.3)
    points = np.concatenate([ball.vertices, ball.vertices])
    n = len(ball.vertices)
    upper = ball.vertices[ball.faces].mean(axis=1)[:, 1] > 0.0
    faces = np.concatenate([ball.faces[~upper], ball.faces[upper] + n])
    up = 0.5 + points[:, 1]
    joints = np.concatenate([np.tile([0, 1, 0, 0], (n, 1)), np.tile([1, 0, 1, 1], (n, 1))])
    weights = np.zeros((2 * n, 4))
    weights[:, 1] = np.where(np.arange(2 * n) < n, up, 1.0 - up)
    weights[:, 0] = 1.0 - weights[:, 1]
    found = weight_slopes(points, np.tile(np.arange(n), 2), faces, joints, weights)
    normal = points / 0.3
    along = np.array([0.0, 1.0, 0.0]) - normal[:, 1:2] * normal  # the gradient of the height, along the surface
    sign = np.where(np.arange(2 * n) < n, 1.0, -1.0)[:, None]
    assert np.abs(found[:, 1] - sign * along).max() < 0.02
