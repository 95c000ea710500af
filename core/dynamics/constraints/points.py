"""How points and directions that are fixed in a body move: the pieces that rows on bodies are made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.constraints.situation import Frame
from core.spatial.so3 import hat


def cross(a: Array, b: Array) -> Array:
    """Return ``a x b``, shape (3,); new. numpy's own takes ten times as long for single vectors.

    Args:
        a: Shape (3,).
        b: Shape (3,).
    """
    x, y, z = a.tolist()
    u, v, w = b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


class PointMotion(NamedTuple):
    """A point, or a direction, that is fixed in a body, in world axes.

    Attributes:
        position: Shape (3,).
        velocity: ``jacobian @ twist``, shape (3,).
        jacobian: By the body's twist ``[w; v]`` in B, shape (3, 6).
        drift: Its acceleration while the components of the twist stay as they are, shape (3,).
    """

    position: Array
    velocity: Array
    jacobian: Array
    drift: Array


def point_motion(frame: Frame, point: ArrayLike) -> PointMotion:
    """Return how a point moves: ``R Gamma(r) [w; v]`` with ``Gamma = [-hat(r), 1]`` (Sueda 1.12, 1.75).

    Args:
        frame: Of the body.
        point: In B, shape (3,).
    """
    r = np.asarray(point, dtype=np.float64)
    own = frame.v + cross(frame.w, r)
    jacobian = frame.R @ np.hstack([-hat(r), np.eye(3)])
    return PointMotion(frame.p + frame.R @ r, frame.R @ own, jacobian, frame.R @ cross(frame.w, own))


def direction_motion(frame: Frame, direction: ArrayLike) -> PointMotion:
    """Return how a direction turns: ``R (w x a)``.

    Args:
        frame: Of the body.
        direction: In B, shape (3,).
    """
    a = np.asarray(direction, dtype=np.float64)
    own = cross(frame.w, a)
    jacobian = np.hstack([-frame.R @ hat(a), np.zeros((3, 3))])
    return PointMotion(frame.R @ a, frame.R @ own, jacobian, frame.R @ cross(frame.w, own))


def product(first: PointMotion, second: PointMotion) -> tuple[float, Array, Array, float]:
    """Return the inner product of two moving vectors: value, row on the first body, row on the second, bias."""
    return (
        float(first.position @ second.position),
        second.position @ first.jacobian,
        first.position @ second.jacobian,
        float(second.position @ first.drift + 2.0 * (first.velocity @ second.velocity) + first.position @ second.drift),
    )
