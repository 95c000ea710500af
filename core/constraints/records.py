"""Locks as records of a file: joints by name, numbers to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.checked_arrays import shown
from core.constraints.lock import Lock
from core.errors import JointError, LockError
from core.skeleton.skeleton import Skeleton

MEMBERS = ("joint", "kind", "point", "target", "other", "weight", "axes", "joints", "mutual")
"""Members of a lock's record."""


def lock_to_json(lock: Lock, s: Skeleton) -> dict[str, Any]:
    """Return a lock as a JSON value. What is left at its default is left out.

    Raises:
        LockError: If the figure has no such joint.
    """
    record: dict[str, Any] = {"joint": _name(s, lock.joint), "kind": lock.kind, "point": lock.point.tolist()}
    if lock.target is not None:
        record["target"] = lock.target.tolist() if isinstance(lock.target, np.ndarray) else lock.target
    if lock.second is not None:
        figure, joint, point = lock.second
        if figure is None:
            record["other"] = {"joint": _name(s, joint), "point": point.tolist()}
        else:
            record["other"] = {"figure": figure, "joint": joint, "point": point.tolist()}
    elif lock.other is not None:
        record["other"] = [_name(s, joint) for joint in lock.other]
    if lock.weight != 1.0:
        record["weight"] = list(lock.weight) if isinstance(lock.weight, tuple) else lock.weight
    if lock.axes is not None:
        record["axes"] = list(lock.axes)
    if lock.joints is not None:
        record["joints"] = [_name(s, joint) for joint in lock.joints]
    if lock.mutual:
        record["mutual"] = True
    return record


def lock_from_json(record: Any, s: Skeleton) -> Lock:
    """Return the lock that a record stands for; members that are no part of a lock are passed over.

    Raises:
        LockError: If it is no record of a lock, names a joint by anything but text, or the figure has no such joint.
    """
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str) or "joint" not in record:
        raise LockError(f"{shown(record)} is not a record of a lock; it must be an object with joint and kind")
    other = record.get("other")
    if isinstance(other, dict):
        missing = [name for name in ("joint", "point") if name not in other]
        if missing:
            raise LockError(f'lock of joint "{record["joint"]}": other has no {missing[0]}')
        _check_names([other["joint"]], record, "other.joint")
        tail = (other["joint"], other["point"])
        other = tail if other.get("figure") is None else (other["figure"], *tail)
    elif isinstance(other, list):
        _check_names(other, record, "other")
    helpers = record.get("joints")
    if helpers is not None:
        _check_names(helpers if isinstance(helpers, list) else [helpers], record, "joints")
    _check_names([record["joint"]], record, "joint")
    given = {name: record[name] for name in MEMBERS[2:] if record.get(name) is not None and name != "other"}
    lock = Lock(record["joint"], record["kind"], other=other, **given)
    own = [lock.joint, *(lock.joints or ())]
    if lock.second is not None:
        own += [lock.second[1]] if lock.second[0] is None else []
    elif lock.other is not None:
        own += lock.other
    for joint in own:
        _name(s, joint)
    if lock.target is not None:
        lock.rule.check_figure(lock.target, s)
    return lock


def _check_names(given: list[Any], record: dict[str, Any], member: str) -> None:
    """Refuse a number where a joint's name belongs: it would be saved as the name of whichever joint has it today.

    Raises:
        LockError: If something in ``given`` is no text.
    """
    for joint in given:
        if not isinstance(joint, str):
            where = f"lock of joint {shown(record['joint'])}: {member}"
            raise LockError(f"{where}: {shown(joint)} is not the name of a joint; expected text")


def _name(s: Skeleton, joint: int | str) -> str:
    try:
        return s.joints[s.joint_index(joint)].name
    except JointError as error:
        raise LockError(f"lock: {error}") from None
