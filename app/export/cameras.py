"""Cameras for movies: one that stays still and sees everything, one that follows, one that goes around."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from app.render.camera import Camera

Array = NDArray[np.float64]

MARGIN = 1.15
"""How much larger than what moves the picture is."""
_ROUND = 48  # corners that stand for a circle


def fit_points(camera: Camera, points: Array, aspect: float, margin: float = MARGIN) -> None:
    """Aim a camera so that all points are in its picture, in the middle and as large as can be.

    Args:
        camera: Its angles stay; target and distance, or height, change.
        points: Shape (m, 3), [m].
        aspect: Width over height of the picture.
        margin: How much larger than the points the picture is.
    """
    across = points @ camera.basis.T
    middle = 0.5 * (across.min(axis=0) + across.max(axis=0))
    if camera.orthographic:
        half = 0.5 * np.ptp(across, axis=0)
        camera.frame(points.min(axis=0), points.max(axis=0), aspect, margin)  # keeps within the camera's own bounds
        camera.half_height = max(float(max(half[1], half[0] / aspect)) * margin, 0.05)
        camera.target = _point(middle @ camera.basis)
        return
    slope = math.tan(0.5 * camera.fov)
    distance = 1.0
    for _ in range(8):  # what is near looks larger, so the middle of the picture depends on the distance
        local = across - middle
        needed = np.maximum(np.abs(local[:, 1]), np.abs(local[:, 0]) / aspect) * margin / slope + local[:, 2]
        distance = max(float(needed.max()), 0.05)
        seen = local[:, :2] / (distance - local[:, 2:])
        shift = 0.5 * (seen.min(axis=0) + seen.max(axis=0)) * distance
        middle[:2] += shift
        if float(np.abs(shift).max()) < 1e-4 * distance:
            break
    local = across - middle
    needed = np.maximum(np.abs(local[:, 1]), np.abs(local[:, 0]) / aspect) * margin / slope + local[:, 2]
    camera.distance = max(float(needed.max()), 0.05)
    camera.target = _point(middle @ camera.basis)


def fit_round(camera: Camera, points: Array, aspect: float, margin: float = MARGIN) -> None:
    """Aim a perspective camera so that all points stay in its picture while it goes round their middle.

    Arguments as for :func:`fit_points`; the camera may have any ``yaw`` afterwards.
    """
    lo, hi = points.min(axis=0), points.max(axis=0)
    middle = 0.5 * (lo + hi)
    radius = float(np.linalg.norm((points - middle)[:, [0, 2]], axis=1).max())
    turns = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    radius /= math.cos(math.pi / _ROUND)  # so that the corners lie round the circle, not on it
    ring = np.column_stack([radius * np.sin(turns), np.zeros(_ROUND), radius * np.cos(turns)])
    cylinder = np.concatenate([ring + np.array([middle[0], y, middle[2]]) for y in (lo[1], hi[1])])
    fit_points(camera, cylinder, aspect, margin)
    camera.target = (float(middle[0]), camera.target[1], float(middle[2]))  # stays on the axis it goes round
    across = (cylinder - np.asarray(camera.target)) @ camera.basis.T
    slope = math.tan(0.5 * camera.fov)
    needed = np.maximum(np.abs(across[:, 1]), np.abs(across[:, 0]) / aspect) * margin / slope + across[:, 2]
    camera.distance = max(float(needed.max()), 0.05)


def _point(values: Array) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
