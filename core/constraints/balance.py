"""Balance as rows: the centre of mass stays inside the support polygon, a margin away from its edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.constraints.joined_locks import center_below, of_one
from core.constraints.places import Places
from core.constraints.residuals import HalfPlanesResidual
from core.constraints.soles import band, sole
from core.constraints.support import (
    lowest_parts,
    margin_of,
    polygon_at,
    polygon_of,
    simplified,
    standing_parts,
)
from core.kinematics.forward import forward_kinematics
from core.skeleton.joined import Joined
from core.skeleton.skeleton import Skeleton

MARGIN = 0.02
"""How far inside the support polygon the centre of mass stays if nobody says, [m]."""

_polygons: WeakKeyDictionary[Skeleton, tuple[Any, Array, Array]] = WeakKeyDictionary()
"""The polygon asked for last, and as solvers take it; while locked feet stand it is the same in every pose."""

_SUPPORTING = ("position", "pose", "plane")
_PARALLEL = 1e-9  # sine of the angle under which two edges do not meet
_SLACK = 1e-9  # [m]
_CUT = 4e-3  # [m]: by how much a corner may be cut off so that a solver has fewer edges
_FEW = 8
_MOST = 0.98  # of what room there is: a margin that leaves none is made smaller


def balance_rows(s: Skeleton, q: Any, supports: Iterable[int | str], margin: float = MARGIN) -> tuple[Array, Array]:
    """Return the half-planes ``n . c <= b`` in which the centre of mass ``c`` is balanced.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        supports: Indices or names of the supporting parts; their toes are found.
        margin: How far inside the support polygon, [m].

    Returns:
        Normals, unit and level, shape (m, 3), and bounds, shape (m,), [m]: one row for each edge of the polygon, none
        without supports.

    Raises:
        JointError: If there is no such joint.
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """
    return edges_of(polygon_at(s, forward_kinematics(s, q), supports), margin)


def edges_of(polygon: Array, margin: float) -> tuple[Array, Array]:
    """Return the half-planes that make up a convex polygon, moved inwards.

    A margin for which there is no room becomes what leaves a little; a line or a point has none, and the centre of mass
    is to be on it.

    Args:
        polygon: Corners (x, z), counter-clockwise, shape (m, 2), [m].
        margin: [m].

    Returns:
        As :func:`balance_rows`.
    """
    if len(polygon) == 0:
        return np.zeros((0, 3)), np.zeros(0)
    if len(polygon) < 3:
        along = polygon[-1] - polygon[0]
        length = float(np.linalg.norm(along))
        axis = along / length if length > 0.0 else np.array([1.0, 0.0])
        normals = np.array([axis, -axis, [axis[1], -axis[0]], [-axis[1], axis[0]]])
        bounds = (normals @ polygon.T).max(axis=1)
    else:
        edge = np.roll(polygon, -1, axis=0) - polygon
        normals = np.column_stack([edge[:, 1], -edge[:, 0]]) / np.linalg.norm(edge, axis=1)[:, None]
        room = max(margin_of(polygon, polygon.mean(axis=0)), margin_of(polygon, _centroid(polygon)))
        bounds = (normals * polygon).sum(axis=1) - min(margin, _MOST * room)
    return np.column_stack([normals[:, 0], np.zeros(len(normals)), normals[:, 1]]), bounds


def _centroid(polygon: Array) -> Array:
    """The centre of area of a convex polygon, shape (2,)."""
    a, b = polygon[1:-1] - polygon[0], polygon[2:] - polygon[0]
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return np.asarray(polygon[0] + (area[:, None] * (a + b)).sum(axis=0) / (3.0 * area.sum()))


def supports_of(lock: Any, locks: Sequence[Any], places: Places) -> tuple[int, ...]:
    """Return the parts that bear the figure for a balance lock, their toes among them.

    Those that the lock names; else those that the other locks hold near the ground; else, if none does, those on which
    the figure stands.

    Args:
        lock: The balance lock.
        locks: All locks of the call.
        places: Where the figure is.

    Raises:
        LockError: If a lock names a joint that the figure does not have.
    """
    lock, locks, own, member = of_one(lock, locks, places)
    found = _supports(lock, locks, own, _held_frames(locks, own))
    J = places.skeleton
    return tuple(J.joint(member, joint) for joint in found) if isinstance(J, Joined) else found


def _supports(lock: Any, locks: Sequence[Any], places: Places, frames: Array) -> tuple[int, ...]:
    s = places.skeleton
    if lock.other is not None:
        return standing_parts(s, frames, [places.index(joint) for joint in lock.other])
    held = {places.index(other.joint) for other in locks if _bears(other)}
    return standing_parts(s, frames, held) or lowest_parts(s, frames)


def support_of(lock: Any, locks: Sequence[Any], places: Places) -> Array:
    """Return the support polygon of a balance lock, corners (x, z), counter-clockwise, shape (m, 2), [m].

    Feet that are locked count where their locks hold them, so that the polygon does not depend on how far a solver has
    come.

    Args:
        lock: The balance lock.
        locks: All locks of the call, bound.
        places: Where the figure is.

    Raises:
        LockError: If a lock names a joint that the figure does not have.
    """
    return _polygon(lock, locks, places)[0].copy()


def _polygon(lock: Any, locks: Sequence[Any], places: Places) -> tuple[Array, Array]:
    """The support polygon, whole, and with few corners: each edge is a row, and a polygon just inside is as good."""
    lock, locks, places, _ = of_one(lock, locks, places)
    s = places.skeleton
    frames = _held_frames(locks, places)
    named = [other.joint for other in locks if _bears(other)] if lock.other is None else lock.other
    bearing = sorted({k for joint in named for k in _below(s, places.index(joint))})
    key = (lock.other is None, tuple(bearing), frames[bearing].tobytes())
    known = _polygons.get(s)
    if known is None or known[0] != key or not bearing:
        polygon = polygon_of(s, frames, _supports(lock, locks, places, frames))
        known = _polygons[s] = key, polygon, simplified(polygon, _CUT, _FEW)
    return known[1], known[2]


def balance_residual(lock: Any, places: Places, locks: Sequence[Any]) -> HalfPlanesResidual:
    """Return the half-planes of a balance lock, see :func:`balance_rows`; they stay as they are at these places.

    Args:
        lock: The balance lock.
        places: Where the figure is.
        locks: All locks of the call, bound.

    Raises:
        LockError: If a lock names a joint that the figure does not have.
    """
    return HalfPlanesResidual(*_edges(lock, places, locks), supports_of(lock, locks, places))


def _edges(lock: Any, places: Places, locks: Sequence[Any]) -> tuple[Array, Array]:
    margin = MARGIN if lock.target is None else float(lock.target)
    return edges_of(_polygon(lock, locks, places)[1], margin)


def imbalance(lock: Any, locks: Sequence[Any], places: Places) -> Array:
    """Return the way from the nearest balanced place to the centre of mass, level, shape (3,), [m]; new.

    Zero as long as the lock holds.
    """
    center = center_below(places.skeleton, places.q, places.index(lock.joint))
    return outside(*_edges(lock, places, locks), center)


def outside(normals: Array, bounds: Array, point: Array) -> Array:
    """Return the way from the nearest point of ``n . x <= b`` to a point, zero if it lies inside; shape (3,), new.

    Args:
        normals: Level unit vectors, shape (m, 3).
        bounds: Shape (m,), [m].
        point: Shape (3,), [m].
    """
    over = normals @ point - bounds if len(bounds) else np.zeros(1)
    if over.max() <= 0.0:
        return np.zeros(3)
    flat, at = normals[:, [0, 2]], point[[0, 2]]
    # The nearest point lies on an edge below the point, or where two edges meet.
    i, j = np.triu_indices(len(bounds), 1)
    det = flat[i, 0] * flat[j, 1] - flat[i, 1] * flat[j, 0]
    i, j, det = i[np.abs(det) > _PARALLEL], j[np.abs(det) > _PARALLEL], det[np.abs(det) > _PARALLEL]
    x = (bounds[i] * flat[j, 1] - bounds[j] * flat[i, 1]) / det
    z = (flat[i, 0] * bounds[j] - flat[j, 0] * bounds[i]) / det
    places = np.concatenate([at - over[:, None] * flat, np.column_stack([x, z])])
    away = at - places
    fits = (places @ flat.T - bounds).max(axis=1) <= _SLACK
    away = away[fits if fits.any() else slice(len(over))]
    nearest = away[int(np.argmin((away * away).sum(axis=1)))]
    return np.array([nearest[0], 0.0, nearest[1]])


def _held_frames(locks: Sequence[Any], places: Places) -> Array:
    """World frames of all joints, the parts that are held, and all below them, where their locks hold them."""
    s = places.skeleton
    frames = forward_kinematics(s, places.q)
    for lock in locks:
        if lock.kind not in ("position", "pose") or not lock.hard or lock.target is None:
            continue
        i = places.index(lock.joint)
        now = frames[i].copy()
        then = now.copy()
        target = np.asarray(lock.target)
        if lock.kind == "pose":
            # Below a scale the frame is affine; the lock holds its rotation.
            then[:3, :3] = target[:3, :3] @ places.rotation(lock.joint).T @ now[:3, :3]
            target = target[:3, 3]
        free = [k for k in range(3) if lock.axes is not None and lock.kind == "position" and not lock.axes[k]]
        shift = target - (then[:3, :3] @ lock.point + then[:3, 3])
        shift[free] = 0.0
        then[:3, 3] += shift
        motion = then @ np.linalg.inv(now)
        for k in _below(s, i)[1:]:
            frames[k] = motion @ frames[k]
        frames[i] = then  # to the bit, whatever the pose
    for lock in locks:
        if _bears(lock):
            _lay_flat(s, frames, places.index(lock.joint))
    return frames


def _lay_flat(s: Skeleton, frames: Array, joint: int) -> None:
    """Put what lies on the ground below a held part, such as toes, where it lies in the rest pose.

    Else a hair's movement of toes, which nothing holds, would move the polygon after the solver has used it.
    """
    parts = _below(s, joint)[1:]
    if not parts:
        return
    carry = frames[joint] @ sole(s, joint).rest_inverse
    for k in parts:
        outline, heights, _, rest, _ = sole(s, k)
        flat = carry @ rest
        there, here = (outline @ X[1, :3] + X[1, 3] - heights for X in (flat, frames[k]))
        if np.ptp(there) <= 2.0 * band(s) and np.abs(here - there).max() <= 3.0 * band(s):
            frames[k] = flat


def _bears(lock: Any) -> bool:
    return lock.kind in _SUPPORTING and lock.hard


def _below(s: Skeleton, joint: int) -> list[int]:
    """A joint and all below it."""
    found = [joint]
    for i in found:
        found.extend(s.children[i])
    return found
