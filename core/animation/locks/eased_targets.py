"""Targets between where a part is and where a lock wants it: what an ease goes through.

How far a part is off is measured in coordinates in which half the way is half the number; see ``away``. A kind of lock
that is not listed here eases by its place and rotation as ``Kind.deviation`` has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.spatial import so3

_SHORTEST = 1e-9  # a distance of nothing is no distance


def away(lock: Lock, places: Places) -> Array:
    """Return how far a part is from where a bound lock wants it, shape (6,), world: way [m] and rotation vector [rad].

    Of an aim it is the rotation from the wanted axis to the one that points at the other part, in the part's frame.
    """
    deviation = lock.rule.deviation(lock, places)
    offset = np.zeros(6)
    if deviation.position is not None:
        offset[:3] = deviation.position
    if deviation.rotation is not None:
        offset[3:] = deviation.rotation
    if lock.kind == "aim":
        # The deviation turns the line of sight to the axis; the target is the axis, expressed in the part's frame.
        offset[3:] = -(places.rotation(lock.joint).T @ offset[3:])
    elif lock.kind == "distance":
        now = float(lock.rule.target_at(lock, places))
        offset[:3] = now - lock.target, 0.0, 0.0
    return offset


def eased(lock: Lock, deviation: Array) -> Any:
    """Return the target that lies a part of the way off what a bound lock wants: ``away`` times 1 less the factor.

    Args:
        lock: The lock.
        deviation: As from ``away``, made shorter, shape (6,).
    """
    target, place, turn = lock.target, deviation[:3], deviation[3:]
    if lock.kind in ("position", "point_pair"):
        return (np.zeros(3) if target is None else target) + place
    if lock.kind == "orientation":
        return so3.exp(turn) @ target
    if lock.kind == "pose":
        pose = target.copy()
        pose[:3, :3] = so3.exp(turn) @ target[:3, :3]
        pose[:3, 3] += place
        return pose
    if lock.kind == "plane":
        return np.append(target[:3], target[3] + target[:3] @ place)
    if lock.kind == "line":
        return np.stack((target[0] + place, target[1]))
    if lock.kind == "distance":
        return max(float(target + place[0]), _SHORTEST)
    if lock.kind == "aim":
        return so3.exp(turn) @ target
    motion = np.eye(4)
    motion[:3, :3], motion[:3, 3] = so3.exp(turn), place
    return lock.rule.moved_target(target, motion)
