"""How points and orientations of bodies move, and the rows of a residual of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.constraints.residuals import ORIENTATION, OTHER_ORIENTATION, OTHER_POINT, POINT, Residual
from core.dynamics.body_names import WORLD
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Frame, Situation
from core.spatial.cross_products import cross
from core.spatial.so3 import hat


class Motion(NamedTuple):
    """How a point or an orientation of a body moves, in world axes.

    Attributes:
        value: The point, shape (3,), or the rotation, shape (3, 3).
        rate: Its velocity or angular velocity, ``jacobian @ twist``, shape (3,).
        jacobian: By the body's twist ``[w; v]`` in B, shape (3, 6).
        drift: Its acceleration while the components of the twist stay as they are, shape (3,).
    """

    value: Array
    rate: Array
    jacobian: Array
    drift: Array


def point_motion(frame: Frame, point: ArrayLike) -> Motion:
    """Return how a point moves: ``R Gamma(r) [w; v]`` with ``Gamma = [-hat(r), 1]`` (Sueda 1.12, 1.75).

    Args:
        frame: Of the body.
        point: In B, shape (3,).
    """
    r = np.asarray(point, dtype=np.float64)
    own = frame.v + cross(frame.w, r)
    jacobian = frame.R @ np.hstack([-hat(r), np.eye(3)])
    return Motion(frame.p + frame.R @ r, frame.R @ own, jacobian, frame.R @ cross(frame.w, own))


def turn_motion(frame: Frame) -> Motion:
    """Return how a body turns: ``R w``, which the components of its twist alone change (Sueda 1.13)."""
    jacobian = np.hstack([frame.R, np.zeros((3, 3))])
    return Motion(frame.R, frame.R @ frame.w, jacobian, np.zeros(3))


class Side(NamedTuple):
    """A body, or a frame that moves through the world, as a residual sees it.

    Attributes:
        frame: How it moves.
        point: The residual's point in it, shape (3,).
    """

    frame: Frame
    point: ArrayLike


class SideRows(NamedTuple):
    """Rows of a residual on the twists of its two sides.

    Attributes:
        on_a: By the twist of the first, shape (m, 6).
        on_b: By that of the second, shape (m, 6).
        bias: ``sum G' v``, shape (m,).
        gap: Value of the residual, shape (m,).
    """

    on_a: Array
    on_b: Array
    bias: Array
    gap: Array


def side_rows(residual: Residual, a: Side, b: Side | None = None) -> SideRows:
    """Return the rows of a residual by the chain rule: ``G = sum J_i Jac_i``, ``bias = sum J_i drift_i + drift``.

    Args:
        residual: Of points and orientations of two sides.
        a: That of ``POINT`` and ``ORIENTATION``.
        b: That of ``OTHER_POINT`` and ``OTHER_ORIENTATION``; None if the residual is of one alone.
    """
    sides: Mapping[str, Side | None] = {POINT: a, ORIENTATION: a, OTHER_POINT: b, OTHER_ORIENTATION: b}
    motions = []
    for part in residual.of:
        side = sides[part]
        assert side is not None
        motions.append(point_motion(*side) if part in (POINT, OTHER_POINT) else turn_motion(side.frame))
    h, u = [each.value for each in motions], [each.rate for each in motions]
    bias = residual.drift(h, u)
    on_a, on_b = np.zeros((residual.size, 6)), np.zeros((residual.size, 6))
    for part, local, motion in zip(residual.of, residual.jacobians(*h), motions, strict=True):
        columns = on_a if part in (POINT, ORIENTATION) else on_b
        columns += local @ motion.jacobian
        bias = bias + local @ motion.drift
    return SideRows(on_a, on_b, bias, residual.value(*h))


def pair_rows(residual: Residual, at: Situation, a: int, point_a: ArrayLike, b: int, point_b: ArrayLike) -> BodyRows:
    """Return the rows of a residual of two bodies, either of which may be the world.

    Args:
        residual: Of points and orientations of both.
        at: Where they are.
        a: Index of the first body.
        point_a: The residual's point in it, shape (3,).
        b: Index of the second.
        point_b: The residual's other point in it, shape (3,).
    """
    on_a, on_b, bias, gap = side_rows(residual, Side(at.frame(a), point_a), Side(at.frame(b), point_b))
    zero = np.zeros(len(gap))
    return BodyRows(tuple((i, rows) for i, rows in ((a, on_a), (b, on_b)) if i != WORLD), bias, gap, zero, zero)
