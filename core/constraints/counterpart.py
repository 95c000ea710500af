"""Locks of the other side, and of what became of a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.bind import bind_in
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.errors import JointError
from core.skeleton.mirroring.mirror import reflect_vector
from core.skeleton.skeleton import Rerooted, Skeleton

_PARALLEL = 1e-12
ALIKE = 1e-3
"""What the mirrored lock may be off by in a pose whose sides count as alike, [m] and [rad]."""


def mirrored_lock(lock: Lock, s: Skeleton, figures: Figures | None = None) -> Lock:
    """Return the lock's counterpart on the other side of x = 0; mirrored twice it is itself.

    Args:
        lock: The lock.
        s: Its figure; joints without a counterpart stand for themselves.
        figures: Other figures that it may name; without them a joint of another figure stays.

    Raises:
        JointError: If the figure has no such joint.
    """
    other = lock.other
    if lock.second is not None:
        figure, joint, point = lock.second
        owner = s if figure is None else (figures or {}).get(figure, (None,))[0]
        joint = joint if owner is None else _other_side(owner, joint)
        other = (joint, reflect_vector(point)) if figure is None else (figure, joint, reflect_vector(point))
    elif other is not None:
        other = tuple(_other_side(s, joint) for joint in other)
    return replace(
        lock,
        joint=_other_side(s, lock.joint),
        point=reflect_vector(lock.point),
        target=None if lock.target is None else lock.rule.mirrored_in(lock.target, s),
        other=other,
        joints=None if lock.joints is None else tuple(_other_side(s, joint) for joint in lock.joints),
    )


def with_mirror_images(locks: Sequence[Lock], places: Places) -> list[Lock]:
    """Return locks, and of those between two parts of the figure also what they are on the other side.

    A hand on a point of the other hand: with this hand's point on that one's as well, a pose whose sides are alike
    stays so. Only what holds in the pose of ``places`` is added.

    Args:
        locks: The locks.
        places: The figure in a pose that holds them.
    """
    s, found = places.skeleton, list(locks)
    for lock in locks:
        if lock.second is None or lock.second[0] is not None:
            continue
        mirrored = replace(mirrored_lock(lock, s), target=None)
        if s.joint_index(mirrored.joint) == s.joint_index(lock.joint):
            continue
        mirrored = bind_in(mirrored, places)
        away, turned = mirrored.rule.deviation(mirrored, places, locks)
        if all(part is None or float(np.abs(part).max()) <= ALIKE for part in (away, turned)):
            found.append(mirrored)
    return found


def _other_side(s: Skeleton, joint: int | str) -> int | str:
    """Return a joint's counterpart, given as the joint was: by index or by name."""
    index = s.joint_index(joint)
    for a, b in s.mirror_pairs:
        if index in (a, b):
            found = b if index == a else a
            return s.joints[found].name if isinstance(joint, str) else found
    return joint


def lock_for(lock: Lock, old: Skeleton, new: Skeleton, names: dict[str, str] | None = None) -> Lock | None:
    """Return a lock of a figure for what became of the figure, or None if a part that it needs is gone.

    Joints are found again by name. Of a figure that was re-rooted, or whose re-rooting was taken back, points and
    targets are expressed in the new frames, so that the lock holds the same place of the same part.

    Args:
        lock: The lock.
        old: Its figure.
        new: The figure now.
        names: New names of joints that were renamed, by old name.
    """
    renamed = names or {}

    def find(joint: int | str) -> str | None:
        try:
            name = old.joints[old.joint_index(joint)].name
        except JointError:
            return None
        name = renamed.get(name, name)
        return name if name in new.joint_names else None

    joint = find(lock.joint)
    if joint is None:
        return None
    changes: dict[str, Any] = {"joint": joint}
    if lock.target is not None:
        changes["target"] = lock.rule.renamed_target(lock.target, find)
        if changes["target"] is None or not lock.rule.outlives(changes["target"], old, new):
            return None
    frame = _frame(joint, old, new)
    if lock.second is not None and lock.second[0] is None:
        _, second, point = lock.second
        found = find(second)
        if found is None:
            return None
        carrier = _frame(found, old, new)
        changes["other"] = (found, _moved(carrier, point))
        if carrier is not None and lock.target is not None:
            changes["target"] = lock.rule.recarried_target(changes["target"], carrier)
    elif lock.second is None and lock.other is not None:
        kept = tuple(part for part in map(find, lock.other) if part is not None)
        if not kept:
            return None
        changes["other"] = kept
    if lock.joints is not None:
        changes["joints"] = tuple(part for part in map(find, lock.joints) if part is not None) or None
    if frame is not None:
        changes["point"] = _moved(frame, lock.point)
        if lock.target is not None:
            changes["target"] = lock.rule.reframed_target(changes["target"], frame)
        if lock.axes is not None and lock.rule.holds_orientation:
            changes["axes"] = _axes(lock.axes, frame[:3, :3])
    return replace(lock, **changes)


def lock_for_other(lock: Lock, old: Skeleton, new: Skeleton, names: dict[str, str] | None = None) -> Lock:
    """Return a lock of another figure for what became of the figure that it names, by the new figure's name.

    A joint that is gone keeps its name: in a motion the lock is off until there is one again. The point, and a target
    that the joint carries, are expressed in the joint's new frame.

    Args:
        lock: The lock; one that does not name the old figure comes back as it is.
        old: The figure that it may name.
        new: That figure now.
        names: New names of joints that were renamed, by old name.
    """
    if old.name not in lock.figures:
        return lock
    second, called = lock.second, names or {}
    if second is None:
        target = lock.rule.refigured_target(lock.target, old.name, new.name, lambda joint: called.get(joint, joint))
        return lock if target == lock.target else replace(lock, target=target)
    _, joint, point = second
    try:
        name = old.joints[old.joint_index(joint)].name
    except JointError:
        name = str(joint)
    name = called.get(name, name)
    frame = _frame(name, old, new) if name in new.joint_names else None
    target = lock.target
    if frame is not None and target is not None:
        target = lock.rule.recarried_target(target, frame)
    return replace(lock, other=(new.name, name, _moved(frame, point)), target=target)


def _frame(joint: str, old: Skeleton, new: Skeleton) -> Array | None:
    """Return a joint's old frame in its new one, shape (4, 4); None if it is the same."""
    if isinstance(new, Rerooted) and new.original is old:
        frame = new.frames[new.joint_index(joint)]
    elif isinstance(old, Rerooted) and old.original is new:
        frame = np.linalg.inv(old.frames[old.joint_index(joint)])
    else:
        return None
    return None if np.array_equal(frame, np.eye(4)) else frame


def _axes(axes: tuple[bool, bool, bool], turn: Array) -> tuple[bool, bool, bool] | None:
    """Return axes of a part expressed in a turned frame; all if they are no axes of that frame."""
    found = [False] * 3
    for axis in np.flatnonzero(axes):
        other = int(np.argmax(np.abs(turn[:, axis])))
        if abs(turn[other, axis]) < 1.0 - _PARALLEL:
            return None
        found[other] = True
    return found[0], found[1], found[2]


def _moved(frame: Array | None, point: Array) -> Array:
    return point if frame is None else frame[:3, :3] @ point + frame[:3, 3]
