"""The few kinds of rows that all locks are made of: ``C = h - R``, where the part is less where it should be.

``p_a`` is the lock's point in the world, ``p_b`` that of its second part, ``R`` the rotation of its joint's frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array


class PointRows(NamedTuple):
    """``D (p_a - target)``, or ``D (p_a - p_b - target)`` for a pair, [m].

    Attributes:
        directions: World directions ``D``, orthonormal, shape (m, 3).
        target: Shape (3,), [m].
        pair: Whether the second part is taken off.
    """

    directions: Array
    target: Array
    pair: bool = False


class DistanceRow(NamedTuple):
    """``|p_a - p_b| - length``, [m].

    Attributes:
        length: [m].
    """

    length: float


class OrientationRows(NamedTuple):
    """``log(R target^T)``, the rotation vector from the target to the part in world axes, three rows, [rad].

    Attributes:
        target: Rotation ``R_WJ`` to have, shape (3, 3).
    """

    target: Array


class AxisRows(NamedTuple):
    """Angle between an axis of the part and a world direction, two rows, [rad].

    With ``(x, y, z)`` the world direction expressed in the part's frame along two axes at right angles to ``axis`` and
    along ``axis`` itself, the rows are ``f (x, y)``, ``f = atan2(s, z) / s``, ``s = sqrt(x^2 + y^2)``: their length is
    the angle. A lock that is to align several axes is an ``OrientationRows``: two fix the third.

    Attributes:
        axis: Unit axis in the part's frame, shape (3,).
        direction: Unit direction in the world that it should have, shape (3,).
    """

    axis: Array
    direction: Array


class AimRows(NamedTuple):
    """``AxisRows`` with the direction from ``p_a`` to ``p_b``, two rows, [rad].

    Attributes:
        axis: Unit axis in the part's frame, shape (3,).
    """

    axis: Array


class CenterRows(NamedTuple):
    """Centre of mass inside the support polygon, at least ``margin`` from its edges: half-planes, [m].

    Attributes:
        margin: [m].
        supports: Joints of the parts that bear the figure; None: those that other locks hold near the ground.
    """

    margin: float
    supports: tuple[int | str, ...] | None


Primitive = PointRows | DistanceRow | OrientationRows | AxisRows | AimRows | CenterRows


def across(direction: Array) -> Array:
    """Return two unit vectors across a unit vector and each other, as rows, shape (2, 3); new."""
    first = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(direction, first)])
