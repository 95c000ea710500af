"""The rows that locks are made of: what a solver knows how to keep.

A kind of lock says with these how its locks are kept; a kind that is made of them alone needs nothing else. Each entry
stands for one row or several of ``C = 0`` (or ``C <= 0`` for inequalities), with ``C = D (h - R)`` where ``h`` is what
the figure has, ``R`` what it should have and the rows of ``D`` are orthonormal directions. Lengths in metres, angles
in radians, vectors in world axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.skeleton.skeleton import Array, Skeleton

POINT, DISTANCE, ROTATION, AXIS, AIM, MASS, CALL = range(7)
"""Forms of rows."""

WORLD = -1
"""In place of a joint: the point is given in the world."""

_ORIGIN = np.zeros(3)
_ALL = np.eye(3)


class Rows(NamedTuple):
    """Some rows of one lock.

    Attributes:
        form: ``POINT``, ``DISTANCE``, ``ROTATION``, ``AXIS``, ``AIM``, ``MASS`` or ``CALL``.
        joint: Index of the joint.
        point: Point of that joint, in its frame, shape (3,), [m].
        directions: D, one row each, shape (m, 3).
        target: R: a point (3,), a length, a rotation (3, 3), a direction (3,), or bounds (m,).
        axis: Unit axis in the joint's frame, for ``AXIS`` and ``AIM``.
        other: Index of another joint, or ``WORLD``.
        other_point: Point of the other joint, in its frame; in the world for ``WORLD``.
        weight: 1 and more is a hard row, less a soft one, 0 none.
        joints: Indices of the joints that may help, None for all.
        inequality: Whether the rows are ``C <= 0``.
        function: For ``CALL``: a pose to (C (m,), J (m, nq)).
        angular: For ``CALL``: whether C is an angle and not a length.
        lock: Number of the lock or goal the rows belong to; filled in by who collects them.
    """

    form: int
    joint: int
    point: Array = _ORIGIN
    directions: Array = _ALL
    target: Any = None
    axis: Array = _ORIGIN
    other: int = WORLD
    other_point: Array = _ORIGIN
    weight: float = 1.0
    joints: tuple[int, ...] | None = None
    inequality: bool = False
    function: Callable[[Array], tuple[Array, Array]] | None = None
    angular: bool = False
    lock: int = 0

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.directions)

    @property
    def is_angle(self) -> bool:
        """Whether C is an angle and not a length."""
        return self.form in (ROTATION, AXIS, AIM) or self.angular


class RowContext(NamedTuple):
    """What a kind of lock may look at when it makes its rows.

    Attributes:
        skeleton: The figure.
        q: The pose to start from, inside its limits, shape (nq,).
        locks: All locks of the call.
        figures: Other figures and their poses, by name.
    """

    skeleton: Skeleton
    q: Array
    locks: Sequence[Any] = ()
    figures: Mapping[str, tuple[Skeleton, Array]] = {}


def point_rows(joint: int, point: Any, target: Any, directions: Any = None, **more: Any) -> Rows:
    """``D (p - p_other - target) = 0``: a point held, on a plane (one direction), on a line (two), or on another point.

    Without ``other`` the other point is the world's origin, and ``target`` where the point should be.
    """
    return _rows(POINT, joint, _ALL if directions is None else directions, point=point, target=_vector(target), **more)


def distance_rows(joint: int, point: Any, length: float, **more: Any) -> Rows:
    """``|p - p_other| - length = 0``: a point that keeps its distance from ``other`` and ``other_point``."""
    return _rows(DISTANCE, joint, _ALL[:1], point=point, target=float(length), **more)


def rotation_rows(joint: int, rotation: Any, directions: Any = None, **more: Any) -> Rows:
    """``D log(R_WJ rotation^T) = 0``: the joint's frame keeps a rotation (without scales)."""
    wanted = np.array(rotation, dtype=np.float64)
    return _rows(ROTATION, joint, _ALL if directions is None else directions, target=wanted, **more)


def axis_rows(joint: int, axis: Any, direction: Any, **more: Any) -> Rows:
    """Two rows: the angle between an axis of the joint's frame and a direction of the world.

    With ``(x, y, z)`` the direction told in the joint's frame along ``across(axis)`` and ``axis``, C is ``f (x, y)``,
    ``f = t / sin t``, ``t`` the angle: its length is the angle.
    """
    return _rows(AXIS, joint, _ALL[:2], axis=_unit(axis), target=_unit(direction), **more)


def aim_rows(joint: int, point: Any, axis: Any, **more: Any) -> Rows:
    """Two rows like those of ``axis_rows``: the axis, from the point, aims at ``other_point`` of ``other``."""
    return _rows(AIM, joint, _ALL[:2], point=point, axis=_unit(axis), **more)


def mass_rows(directions: Any, bounds: Any, inequality: bool = True, **more: Any) -> Rows:
    """``n . c - bound <= 0`` (or ``= 0``) for the figure's centre of mass c: half-planes, one direction each."""
    rows = np.array(directions, dtype=np.float64).reshape(-1, 3)
    limits = np.array(bounds, dtype=np.float64).reshape(len(rows))
    return _rows(MASS, 0, rows, target=limits, inequality=inequality, **more)


def call_rows(function: Callable[[Array], tuple[Array, Array]], count: int, angular: bool = False, **more: Any) -> Rows:
    """Rows of any function of the pose, ``q -> (C (count,), J (count, nq))``; slower than the others."""
    return _rows(CALL, 0, np.zeros((count, 3)), function=function, angular=angular, **more)


def across(direction: Array) -> Array:
    """Return two unit vectors across a unit vector and each other, shape (2, 3); new."""
    k = int(np.argmin(np.abs(direction)))
    first = np.cross(direction, _ALL[k])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(direction, first)])


def _rows(form: int, joint: int, directions: Any, **values: Any) -> Rows:
    for name in ("point", "other_point"):
        if name in values:
            values[name] = _vector(values[name])
    if values.get("joints") is not None:
        values["joints"] = tuple(sorted(int(joint) for joint in values["joints"]))
    return Rows(form, int(joint), directions=np.array(directions, dtype=np.float64).reshape(-1, 3), **values)


def _vector(value: Any) -> Array:
    return np.array(value, dtype=np.float64).reshape(3)


def _unit(value: Any) -> Array:
    vector = _vector(value)
    return vector / np.linalg.norm(vector)
