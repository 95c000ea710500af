"""Locks and strips of a figure that was edited, renamed or given another root: what becomes of them."""

from __future__ import annotations

from dataclasses import replace

from core.animation.hybrid.strip import HybridStrip
from core.animation.hybrid.strip_edits import renamed
from core.animation.locks.strip import LockStrip
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
    new_names, there = renamed_joints(old, new), set(new.joint_names)
    names = {name: new_names.get(name, name if name in there else None) for name in old.joint_names}
    return renamed(strips, names)
