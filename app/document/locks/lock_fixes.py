"""Ways out of a conflict of locks, done to a document as one step each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.edits import edits, joint_edits, skeleton_edits
from app.document.edits.holding import held_pose
from core.animation.locks.strip import LockStrip
from core.constraints.lock import Lock
from core.errors import LockError

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from core.constraints.conflicts.fixes import Fix
    from core.skeleton.building.builder import SkeletonBuilder


def apply_fix(document: DocumentBase, ids: Sequence[str | None], fix: Fix, text: str = "") -> bool:
    """Do what a fix says, as one step; return whether that was possible, else a message has said why.

    Args:
        document: The document.
        ids: Ids of the strips that the fix's ``changes`` count in; None for a lock that holds at all times.
        fix: From ``core.constraints.find_conflict``.
        text: Name of the step; the fix's title if there is none.
    """
    name = text or fix.title
    if fix.limits:
        widened = _widened(document, fix)

        def edit() -> list[Command]:
            document.session.playback.playing = False
            return skeleton_edits.edited(document.model, widened)

        return document.do(name, edit)

    def make() -> list[Command]:
        commands = edits.strip_changes(document.model, _changed(document.model, ids, fix))
        return [*commands, *_posed(document, commands, fix)]

    return document.do(name, make)


def _changed(model: Model, ids: Sequence[str | None], fix: Fix) -> list[LockStrip]:
    strips = {strip.id: strip for strip in edits.strips_of(model)}
    for number, lock in fix.changes.items():
        key = ids[number]
        if key is None:
            raise LockError("this lock holds at all times: it is not a strip, and only scripts can change it")
        if key not in strips:
            raise LockError(f'there is no lock "{key}" any more; it may have been removed')
        if lock is None:
            del strips[key]
        else:
            strips[key] = _with_lock(strips[key], lock, model.frame)
    return list(strips.values())


def _with_lock(strip: LockStrip, lock: Lock, frame: int) -> LockStrip:
    """Return a strip with another lock; target keys stay as long as the target is not another one."""
    before = strip.lock_at(frame)
    if lock.kind != before.kind:
        return replace(strip, lock=lock, weight=1.0, targets=())
    if not _same(lock.target, before.target):
        keys = strip.targets and tuple(key for key in strip.targets if key.frame != frame)
        if strip.targets:
            keys = (*keys, replace(strip.key_at(frame), target=lock.target))  # strips sort them
        return replace(strip, lock=replace(lock, weight=strip.lock.weight), targets=keys)
    if lock.weight == before.weight:
        return replace(strip, lock=replace(lock, target=strip.lock.target, weight=strip.lock.weight))
    return replace(strip, lock=replace(lock, target=strip.lock.target), weight=1.0)


def _same(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _posed(document: DocumentBase, commands: Sequence[Command], fix: Fix) -> list[Command]:
    """Return what brings the pose on screen onto the locks as they are then, where it does not come by itself."""
    model, session = document.model, document.session
    sequence = model.sequence
    assert sequence is not None
    if fix.q is None and sequence.locks.holds and model.pending is None:
        return []
    for command in commands:
        command.apply(model)
    try:
        start = model.pose if fix.q is None else fix.q
        q = held_pose(model, session, start)
        if model.pending is None and session.keys.auto:
            return edits.key_pose(model, model.frame, q)
        return edits.pend_pose(model, q)
    finally:
        for command in reversed(commands):
            command.revert(model)


def _widened(document: DocumentBase, fix: Fix) -> Any:
    skeleton = document.skeleton
    assert skeleton is not None
    wanted = []
    for dof, (low, high) in fix.limits.items():
        joint = skeleton.dof_joints[dof]
        wanted.append((skeleton.joints[joint].name, dof - skeleton.first_dof[joint], float(low), float(high)))

    def edit(builder: SkeletonBuilder) -> None:
        for name, number, low, high in wanted:
            joint_edits.with_limits(name, number, low, high)(builder)

    return edit
