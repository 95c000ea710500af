"""Locks and strips of a figure that was edited, renamed or given another root: what becomes of them."""

from __future__ import annotations

from dataclasses import replace

from core.animation.hybrid.strip import HybridStrip
from core.animation.hybrid.strips import renamed
from core.animation.locks.strip import LockStrip
from core.animation.sequence import Sequence
from core.constraints import lock_for
from core.constraints.lock import Lock
from core.skeleton import Skeleton


def renamed_joints(old: Skeleton, new: Skeleton) -> dict[str, str]:
    """Return the new names of joints that were renamed: at the same place, with the same parent, and new."""
    if len(old.joints) != len(new.joints):
        return {}
    known = set(old.joint_names)
    return {
        a.name: b.name
        for a, b in zip(old.joints, new.joints, strict=True)
        if a.name != b.name and a.parent == b.parent and b.name not in known
    }


def carried_lock(lock: Lock, old: Skeleton, new: Skeleton) -> Lock | None:
    """Return a lock of a figure for what became of the figure; None if a part that it needs is gone."""
    if old is new:
        return lock
    return lock_for(lock, old, new, renamed_joints(old, new))


def carried_strip(strip: LockStrip, old: Skeleton, new: Skeleton) -> LockStrip | None:
    """Return a strip of a figure for what became of the figure, its target keys too; None if its part is gone."""
    lock = carried_lock(strip.lock, old, new)
    if lock is None or lock is strip.lock:
        return None if lock is None else strip
    targets = []
    for key in strip.targets:
        there = carried_lock(replace(strip.lock, target=key.target), old, new)
        targets.append(key if there is None else replace(key, target=there.target))
    return replace(strip, lock=lock, targets=tuple(targets))


def carried_hybrids(strips: tuple[HybridStrip, ...], old: Skeleton, new: Skeleton) -> tuple[HybridStrip, ...]:
    """Return the hybrid strips of a figure for what became of the figure; joints that are gone are left out."""
    if old is new or not strips:
        return strips
    told, there = renamed_joints(old, new), set(new.joint_names)
    names = {name: told.get(name, name if name in there else None) for name in old.joint_names}
    return renamed(strips, names)


def renamed_figure_in(sequence: Sequence, old: Skeleton, new: Skeleton) -> Sequence:
    """Return a sequence of another figure, where its locks name this one by what it is called now.

    The sequence itself comes back if there is nothing to change, else a copy.
    """
    names = renamed_joints(old, new)
    if old.name == new.name and not names:
        return sequence

    def told(lock: Lock) -> Lock:
        second = lock.second
        if second is None or second[0] != old.name:
            return lock
        _, joint, point = second
        return replace(lock, other=(new.name, names.get(str(joint), joint), point))

    locks = [told(lock) for lock in sequence.locks]
    strips = [replace(strip, lock=told(strip.lock)) for strip in sequence.locks.strips]
    if locks == list(sequence.locks) and strips == list(sequence.locks.strips):
        return sequence
    from app.document.records import sequence_for

    copy = sequence_for(sequence, sequence.skeleton)
    copy.locks, copy.locks.strips = locks, tuple(strips)
    return copy
