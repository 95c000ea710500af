"""What the target of a lock is held by: arrows along which it moves, rings about which it turns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.marks.manipulators import Handle
from app.marks.target_path import moved_target
from app.scene.lock_places import LockMark, plane_basis, pose_parts
from core.skeleton.dof import ANGLE, LENGTH
from core.spatial import so3

Array = NDArray[np.float64]

MOVED = frozenset({"position", "pose", "plane", "line", "distance", "look_at"})
"""Kinds whose target moves. A pair's is an offset, for the editor of its row: its glyph drags the part itself."""
TURNED = frozenset({"orientation", "pose", "plane", "line"})
"""Kinds whose target turns."""
SHORTEST = 0.001
"""A distance lock's target is at least so long, [m]."""


def movable(mark: LockMark) -> bool:
    """Whether a lock has a target that can be dragged or turned."""
    return mark.editable and (mark.kind in TURNED or (mark.kind in MOVED and grip_place(mark) is not None))


def grip_place(mark: LockMark) -> Array | None:
    """Return where a lock's target is taken hold of, world, shape (3,), [m]; None if it is no place."""
    if mark.kind == "distance":
        return mark.here if mark.other is not None else None
    return mark.place


def only_axis(mark: LockMark) -> Array | None:
    """Return the unit direction to which a kind's target is bound, shape (3,); None if it moves freely."""
    if mark.kind == "plane":
        return mark.normal
    if mark.kind == "distance" and mark.other is not None:
        offset = mark.here - mark.other
        length = float(np.linalg.norm(offset))
        return offset / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
    return None


def grips(mark: LockMark, world: bool) -> tuple[Handle, ...]:
    """Return the arrows and rings of a lock's target, arrows first.

    Args:
        mark: The lock.
        world: Whether the rings of an orientation go about the world's axes instead of the part's.
    """
    found: list[Handle] = []
    place = grip_place(mark)
    if mark.kind in MOVED and place is not None:
        axis = only_axis(mark)
        axes = np.eye(3) if axis is None else axis[None]
        for k, each in enumerate(axes):
            found.append(_handle("slide", place, each, k if axis is None else _nearest(each)))
    if mark.kind in ("orientation", "pose") and mark.rotation is not None:
        center = mark.place if mark.kind == "pose" and mark.place is not None else mark.anchor
        for k, each in enumerate(np.eye(3) if world else mark.rotation.T):
            found.append(_handle("hinge", center, each, k))
    elif mark.kind == "plane" and mark.center is not None and mark.normal is not None:
        for each in plane_basis(mark.normal):
            found.append(_handle("hinge", mark.center, each, _nearest(each)))
    elif mark.kind == "line" and mark.center is not None:
        for k, each in enumerate(np.eye(3)):
            found.append(_handle("hinge", mark.center, each, k))
    return tuple(found)


def _nearest(axis: Array) -> int:
    return int(np.argmax(np.abs(axis)))


def _handle(kind: str, center: Array, axis: Array, letter: int) -> Handle:
    zero = np.cross(axis, np.eye(3)[(letter + 1) % 3])
    zero = zero / np.linalg.norm(zero)
    if kind == "hinge":  # its letter off the arrows and the other rings' crossings
        zero = math.sqrt(0.5) * (zero + np.cross(axis, zero))
    unit = ANGLE if kind == "hinge" else LENGTH
    return Handle(-1, kind, unit, "XYZ"[letter], 0.0, -math.inf, math.inf, center, np.array(axis), zero, letter)


# -- targets -------------------------------------------------------------------------------------------------------


def moved(mark: LockMark, target: Any, by: Array) -> Any:
    """Return a lock's target, moved in the world by (3,) [m]."""
    if mark.kind == "distance":
        axis = only_axis(mark)
        assert axis is not None
        return max(float(target) + float(axis @ by), SHORTEST)
    return moved_target(mark.kind, target, by)


def turned(mark: LockMark, target: Any, rotation: Array) -> Any:
    """Return a lock's target, turned in the world by a rotation (3, 3) about where it is."""
    if mark.kind == "orientation":
        return _orthonormal(rotation @ np.asarray(target, dtype=np.float64))
    if mark.kind == "pose":
        place, old = pose_parts(target)
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = _orthonormal(rotation @ old), place
        return matrix
    center = mark.center
    assert center is not None
    if mark.kind == "plane":
        normal = np.asarray(target, dtype=np.float64)[:3]
        normal = rotation @ (normal / np.linalg.norm(normal))
        return np.append(normal, float(normal @ center))
    direction = rotation @ np.asarray(target, dtype=np.float64)[1]
    return np.stack((center, direction / np.linalg.norm(direction)))


def _orthonormal(rotation: Array) -> Array:
    """Return the rotation nearest to a product of rotations, so that many turns leave no drift, shape (3, 3)."""
    return np.asarray(so3.exp(so3.log(rotation)))
