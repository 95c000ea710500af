"""From what a person wants of locks to the commands that do it: everything is checked here, before it is changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetAlwaysLocks
from app.document.content.model import Model
from app.document.edits.edits import found_in, need_figure, strips_of, strips_put
from core.animation.key import check_frame
from core.animation.locks import strip as lock_strips
from core.animation.locks.strip import LockStrip, new_id
from core.constraints import Lock, bind, mirrored_lock
from core.constraints.aiming import aiming_joints, named_axis, natural_axis
from core.constraints.records import lock_to_json
from core.constraints.standing import standing_point, stands_flat
from core.errors import LockError
from core.kinematics import forward_kinematics
from core.skeleton.segment import end_effector

Commands = list[Command]
Strips = tuple[LockStrip, ...]

CYCLE = ("position", "orientation", "pose")
"""Kinds that one key goes through; after the last the lock is off."""
STANDING_CYCLE = ("pose", "position", "orientation")
"""The same for what stands on the ground: a foot that is planted does not turn either."""

_LOCK_VALUES = frozenset(field.name for field in fields(Lock))
_STRIP_VALUES = frozenset(field.name for field in fields(LockStrip)) - {"lock", "id"}


def found(model: Model, strip_id: str) -> tuple[int, LockStrip]:
    """Return place and strip of an id.

    Raises:
        LockError: If there is none.
    """
    missing = LockError(f'there is no lock "{strip_id}" here; it may have been removed')
    return found_in(strips_of(model), strip_id, missing)


def exchanged(model: Model, strip_id: str, *by: LockStrip) -> Strips:
    """Return the strips with others, or none, in the place of one.

    Raises:
        LockError: If there is no strip of that id.
    """
    place, _ = found(model, strip_id)
    strips = strips_of(model)
    return (*strips[:place], *by, *strips[place + 1 :])


def made_lock(model: Model, lock: Lock) -> Lock:
    """Return a lock bound to where its part is in the pose on screen, at its end-effector if it names no other point.

    Raises:
        LockError: If it does not fit the figure.
        JointError: If the figure has no such joint.
    """
    skeleton, _ = need_figure(model)
    return bind(lock, skeleton, model.pose, model.other_figures())


def part_lock(model: Model, joint: int, kind: str) -> Lock:
    """Return the lock of a kind on a part where it is now: of the tip it stands on, else where a drag takes it."""
    skeleton, _ = need_figure(model)
    point = tuple(float(x) for x in standing_point(skeleton, joint))
    return made_lock(model, Lock(skeleton.joints[joint].name, kind, point=point))


PATH_POINTS = 24
"""A path made of a motion goes through at most so many points."""
SHORTEST_PATH = 0.01
"""A part that goes less far in all has no path, [m]."""


def path_lock(model: Model, joint: int) -> Lock:
    """Return the lock of a part to the way that it goes in the active sequence, from its first key to its last.

    Raises:
        LockError: If the part hardly moves.
    """
    skeleton, sequence = need_figure(model)
    point, name = end_effector(skeleton, joint), skeleton.joints[joint].name
    frames = [key.frame for key in sequence.keys]
    first, last = (min(frames), max(frames)) if frames else (0, 0)
    times = np.linspace(first, last, 10 * PATH_POINTS + 1)
    X = forward_kinematics(skeleton, sequence.poses_at_frames(times))[:, joint]
    places = X[:, :3, :3] @ point + X[:, :3, 3]
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    if gone[-1] < SHORTEST_PATH:
        raise LockError(f"{name} does not move from frame {first} to {last}; a path needs keys between which it does")
    wanted = np.linspace(0.0, gone[-1], PATH_POINTS)
    path = np.stack([np.interp(wanted, gone, places[:, k]) for k in range(3)], axis=1)
    keep = np.concatenate([[True], np.linalg.norm(np.diff(path, axis=0), axis=1) > 1e-4 * gone[-1]])
    return Lock(name, "path", point=tuple(point.tolist()), target=path[keep])


def new_strip(model: Model, lock: Lock, start: int | None = None, end: int | None = None, **values: Any) -> LockStrip:
    """Return a new strip of a bound lock, from the current frame on unless it is told otherwise."""
    first = model.frame if start is None else check_frame(start)
    return LockStrip(lock, first, None if end is None else check_frame(end), **values)


def cycle_of(model: Model, joint: int) -> tuple[str, ...]:
    """Return the kinds that L goes through for a part as it stands now, in order."""
    skeleton, _ = need_figure(model)
    return STANDING_CYCLE if stands_flat(skeleton, forward_kinematics(skeleton, model.pose), joint) else CYCLE


def cycled_together(model: Model, joints: Iterable[int]) -> tuple[Strips, str]:
    """Return the strips after L is pressed for some parts, and what has become of their locks.

    At the frame where a lock begins the key goes through position, orientation, both and off; for what stands on the
    ground it begins with both. At a later frame it ends the lock there: that frame is the last one held. A part without
    a lock gets one. Of several parts the last decides, and the others come to the same.

    Returns:
        The strips; the kind that holds now, or ``"off"``, or ``"ends"``.
    """
    chosen, frame = list(joints), model.frame
    strip, kinds = held_by(model, chosen[-1]), cycle_of(model, chosen[-1])
    if strip is None:
        next_one = kinds[0]
    elif strip.start < frame:
        next_one = "ends"
    else:
        next_one = (*kinds, "off")[kinds.index(strip.lock.kind) + 1]
    if next_one in CYCLE:
        return locked(model, chosen, next_one), next_one
    left = list(strips_of(model))
    for joint in chosen:
        mine = held_by(model, joint)
        if mine is not None:
            place = left.index(mine)
            left[place : place + 1] = [] if mine.start == frame else [replace(mine, end=frame)]
    return tuple(left), next_one


def locked(model: Model, joints: Iterable[int], kind: str) -> Strips:
    """Return the strips with parts locked in a kind where they are now, from the current frame on.

    A lock of position, orientation or both that a part got at this frame becomes one of that kind, with its id and
    weight; one that began earlier goes on only if it is of the kind, and ends before this frame otherwise: no part
    has two locks of one sort at one frame.
    """
    frame, strips = model.frame, list(strips_of(model))
    for joint in joints:
        mine = held_by(model, joint) if kind in CYCLE else None
        if mine is not None and mine.start < frame:
            if mine.lock.kind == kind:
                continue
            strips[strips.index(mine)] = replace(mine, end=frame)
            mine = None
        _make_room(model, strips, joint, kind)
        lock = part_lock(model, joint, kind)
        if mine is None:
            strips.append(new_strip(model, lock))
        else:
            lock = replace(lock, joints=mine.lock.joints, weight=max(mine.lock.weights))
            strips[strips.index(mine)] = replace(mine, lock=lock, targets=())
    return tuple(strips)


def _make_room(model: Model, strips: list[LockStrip], joint: int, kind: str) -> None:
    """Let strips of a part that end at the current frame end before it, where a lock like them begins there."""
    skeleton, _ = need_figure(model)
    alike = CYCLE if kind in CYCLE else (kind,)
    for place, strip in enumerate(strips):
        same = strip.lock.kind in alike and skeleton.joint_index(strip.lock.joint) == joint
        if same and strip.start < model.frame == strip.end:
            strips[place] = replace(strip, end=model.frame - 1)


def held_by(model: Model, joint: int) -> LockStrip | None:
    """Return the strip of ``CYCLE`` that holds a part at the current frame and after it, the latest; None if none.

    One that began earlier and ends here is done with: after this frame the part is free.
    """
    skeleton, _ = need_figure(model)
    for strip in reversed(strips_of(model)):
        if strip.lock.kind not in CYCLE or skeleton.joint_index(strip.lock.joint) != joint:
            continue
        if strip.covers(model.frame) and not (strip.end == model.frame and strip.start < model.frame):
            return strip
    return None


def edited(model: Model, strip_id: str, values: dict[str, Any]) -> Strips:
    """Return the strips with values of one, or of its lock, changed.

    A lock of another kind or joint without a target of its own is bound to where its part is now; so is one whose
    target is set to None.

    Raises:
        LockError: If there is no such strip or value, or it does not fit.
        SequenceError: If the strip cannot be so.
    """
    _, strip = found(model, strip_id)
    of_strip: dict[str, Any] = {}
    of_lock: dict[str, Any] = {}
    for name, value in values.items():
        if name == "strip_weight":
            of_strip["weight"] = value
        elif name in _LOCK_VALUES:  # a weight is the lock's
            of_lock[name] = value
        elif name in _STRIP_VALUES:
            of_strip[name] = value
        else:
            known = ", ".join(sorted(_LOCK_VALUES | _STRIP_VALUES | {"strip_weight"}))
            raise LockError(f'a lock has no value "{name}"; it has {known}')
    for end in ("start", "end"):
        if of_strip.get(end) is not None:
            of_strip[end] = check_frame(of_strip[end])
    if of_lock:
        of_strip["lock"] = _changed_lock(model, strip.lock, of_lock)
        if "target" not in values and of_strip["lock"].target is not strip.lock.target:
            of_strip.setdefault("targets", ())  # keys of the target before say nothing about this one
    if strip.formula is not None and ("targets" in of_strip or of_strip.get("lock", strip.lock) != strip.lock):
        of_strip.setdefault("formula", None)  # what is put by hand no longer follows the time
    changed = replace(strip, **of_strip)
    return exchanged(model, strip_id, changed)


def _changed_lock(model: Model, lock: Lock, values: dict[str, Any]) -> Lock:
    bare = replace(lock, target=None, weight=1.0, axes=None)
    named = {name: values[name] for name in ("joint", "kind", "point", "other") if name in values}
    probe = replace(bare, **named)
    if probe != bare and "target" not in values:
        values = {"target": None, **values}
        if probe.kind == "aim" and probe.kind != lock.kind:
            skeleton, _ = need_figure(model)
            values["target"] = named_axis(skeleton, probe.joint, natural_axis(skeleton, probe.joint))
    if probe.kind != lock.kind:
        pair = isinstance(lock.weight, tuple) and not probe.rule.takes_pair
        values = {"axes": None, "weight": max(lock.weight) if pair else lock.weight, **values}
    changed = replace(lock, **values)
    return changed if changed.bound else made_lock(model, changed)


def split(model: Model, strip_id: str, frame: int) -> Strips:
    """Return the strips with one cut in two: the first ends before ``frame``, the second begins there.

    Raises:
        LockError: If there is no such strip.
        SequenceError: If the frame is not inside it.
    """
    return exchanged(model, strip_id, *lock_strips.split(found(model, strip_id)[1], frame))


def copied(model: Model, strip_id: str, frame: int) -> tuple[Strips, LockStrip]:
    """Return the strips with a copy of one that begins at ``frame``, and the copy.

    Raises:
        LockError: If there is no such strip.
        SequenceError: If the frame is none.
    """
    copy = lock_strips.moved_copy(found(model, strip_id)[1], frame)
    return (*strips_of(model), copy), copy


def mirrored(model: Model, strip_id: str) -> LockStrip:
    """Return a new strip that locks the part on the other side in the same way, where that is now.

    Raises:
        LockError: If there is no such strip, or its part has no counterpart.
    """
    skeleton, _ = need_figure(model)
    _, strip = found(model, strip_id)
    lock = mirrored_lock(strip.lock, skeleton)
    if skeleton.joint_index(lock.joint) == skeleton.joint_index(strip.lock.joint):
        raise LockError(f'"{lock.joint}" has no counterpart on the other side')
    lock = made_lock(model, replace(lock, target=None))
    return replace(strip, id=new_id(), lock=lock, targets=(), name=None)


def pair_lock(model: Model, kind: str, first: int | str, second: int | str) -> Lock:
    """Return a lock of one part to another as they stand now.

    A pair keeps the point of the first at which a drag takes it at the place of the second where it is now. What
    aims looks along its own axis, not along the one that happens to point there now; itself and the joints above it
    up to the root turn for it.

    Raises:
        LockError: If the two are one.
        JointError: If the figure has no such joint.
    """
    skeleton, _ = need_figure(model)
    a, b = skeleton.joint_index(first), skeleton.joint_index(second)
    if a == b:
        raise LockError(f'"{skeleton.joint_names[a]}" cannot be locked to itself; select two parts')
    there = end_effector(skeleton, b)
    if kind == "aim":  # from its own joint
        look = named_axis(skeleton, a, natural_axis(skeleton, a))
        other = (skeleton.joint_names[b], there)
        return Lock(skeleton.joint_names[a], kind, other=other, target=look, joints=aiming_joints(skeleton, a) or None)
    point = end_effector(skeleton, a)
    if kind == "point_pair":
        A, B = forward_kinematics(skeleton, model.pose)[[a, b]]
        there = np.linalg.solve(B[:3, :3], A[:3, :3] @ point + A[:3, 3] - B[:3, 3])
    return made_lock(model, Lock(skeleton.joint_names[a], kind, point=point, other=(skeleton.joint_names[b], there)))


def of_parts(model: Model, joints: Iterable[int], kinds: set[str] | None = None) -> list[LockStrip]:
    """Return the strips that hold parts at the current frame and go on after it, or began at it."""
    skeleton, _ = need_figure(model)
    chosen, frame = set(joints), model.frame
    return [
        strip
        for strip in strips_of(model)
        if strip.covers(frame)
        and (strip.start == frame or strip.end != frame)
        and (kinds is None or strip.lock.kind in kinds)
        and skeleton.joint_index(strip.lock.joint) in chosen
    ]


def released(model: Model, joints: Iterable[int], kinds: set[str] | None = None) -> Strips:
    """Return the strips with parts let go at the current frame: removed if they began there, else ended."""
    going, frame = {strip.id for strip in of_parts(model, joints, kinds)}, model.frame
    left = []
    for strip in strips_of(model):
        if strip.id not in going:
            left.append(strip)
        elif strip.start < frame:
            left.append(replace(strip, end=frame))
    return tuple(left)


def _without_always(model: Model, number: int) -> SetAlwaysLocks:
    _, sequence = need_figure(model)
    records = [lock_to_json(lock, sequence.skeleton) for lock in sequence.locks]
    return SetAlwaysLocks(model.sequence_index, records, [*records[:number], *records[number + 1 :]])


def always_removed(model: Model, number: int) -> Commands:
    """Return the command that removes a lock that holds at all times."""
    return [_without_always(model, number)]


def always_as_strip(model: Model, number: int) -> tuple[Commands, LockStrip]:
    """Return the commands that make of a lock that holds at all times a strip from frame 0 on, and the strip."""
    _, sequence = need_figure(model)
    strip = LockStrip(sequence.locks[number], 0, None, id=new_id())
    put = strips_put(model, model.sequence_index, (*sequence.locks.strips, strip))
    return [_without_always(model, number), *put], strip
