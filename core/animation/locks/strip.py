"""A lock strip: a lock and the frames it holds, the only form that locks have in time, and its record in a file."""

from __future__ import annotations

import itertools
import math
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from core.animation.curves.timing_curves import SpeedCurve
from core.animation.key import MAX_FRAME, SPLINE, check_frame
from core.animation.key_records import curve_points, curve_to_json
from core.animation.locks.target_keys import TargetKey, TargetPath
from core.constraints.lock import Lock
from core.constraints.records import lock_from_json, lock_to_json
from core.errors import JointError, LockError, SequenceError
from core.skeleton import Skeleton


def checked_frame(value: object, what: str) -> int:
    """Return a frame.

    Raises:
        SequenceError: If it is none; begins with ``what``.
    """
    try:
        return check_frame(value)
    except SequenceError as error:
        raise SequenceError(f"{what}: {error}") from None


def checked_number(value: object, what: str) -> float:
    """Return a finite number.

    Raises:
        SequenceError: If it is none; begins with ``what``.
    """
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise SequenceError(f"{what} is {value!r}; it must be a finite number")
    return float(value)  # type: ignore[arg-type]


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def new_id() -> str:
    """Return a short name that no other strip has: eight hexadecimal digits."""
    return secrets.token_hex(4)


@dataclass(frozen=True, eq=False)
class LockStrip:
    """A lock over a range of frames. Immutable; ``dataclasses.replace`` makes new ones, with the same id.

    With an ease, the lock comes on gradually from ``start`` on: what grows is not its weight but how far its target
    has gone from where the interpolated pose has the part to where the lock wants it. So the lock is kept exactly
    all the time, and nothing jumps.

    Attributes:
        lock: The lock, bound.
        start: First frame it holds.
        end: Last frame it holds; None for ever.
        ease_in: How long it takes to come on, [frames].
        ease_out: How long it takes to go off, ending at ``end``, [frames].
        weight: From 0 to 1; below 1 all of it is soft, whatever the lock's own weights.
        targets: Keys of its target, sorted by frame; with none the lock's own target stays. A single lock target that
            is missing is the first key's.
        id: Short name; stays the same through edits.
        name: What the list calls it; None for a name made from the lock.
        extra: Members of the file's record that this version does not know; kept and written back.
        speed: How fast the target travels its keys' path, by arc length between the curve's ends; None for as it is
            keyed.

    Raises:
        SequenceError: If a value makes no sense; names the lock, the place, the value, and what would be right.
    """

    lock: Lock
    start: int
    end: int | None = None
    ease_in: float = 0.0
    ease_out: float = 0.0
    weight: float = 1.0
    targets: tuple[TargetKey, ...] = ()
    id: str = field(default_factory=new_id)
    name: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    speed: SpeedCurve | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.lock, Lock):
            raise SequenceError(f"a strip holds a Lock, not {self.lock!r}")
        where, put = self.title, object.__setattr__
        put(self, "start", checked_frame(self.start, f"{where}: start"))
        if self.end is not None:
            put(self, "end", checked_frame(self.end, f"{where}: end"))
            if self.end < self.start:
                raise SequenceError(f"{where}: end {self.end} lies before its start {self.start}; it must not")
        for name in ("ease_in", "ease_out"):
            value = checked_number(getattr(self, name), f"{where}: {name}")
            if not 0.0 <= value <= MAX_FRAME:
                raise SequenceError(f"{where}: {name} is {value:g} frames; it must be 0 or more")
            put(self, name, value)
        weight = checked_number(self.weight, f"{where}: weight")
        if not 0.0 <= weight <= 1.0:
            raise SequenceError(f"{where}: weight is {weight:g}; it must lie in 0..1")
        put(self, "weight", weight)
        for name in ("id", "name"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (name == "name" and value is None):
                raise SequenceError(f"{where}: {name} is {value!r}; it must be text")
        if not self.id:
            raise SequenceError(f"{where}: id is empty; it must be some text that no other strip has")
        if self.speed is not None and not isinstance(self.speed, SpeedCurve):
            raise SequenceError(f"{where}: speed is {self.speed!r}; it must be a SpeedCurve, or None")
        put(self, "targets", self._checked_targets())
        if not self.lock.bound:
            if not self.targets:
                raise SequenceError(f"{where} has no target; bind it to a pose first")
            put(self, "lock", replace(self.lock, target=self.targets[0].target))

    def _checked_targets(self) -> tuple[TargetKey, ...]:
        keys = []
        for key in self.targets:
            if not isinstance(key, TargetKey):
                raise SequenceError(f"{self.title}: a target is {key!r}; it must be a TargetKey")
            if key.target is None:
                raise SequenceError(f"{self.title}: the target at frame {key.frame} is missing")
            try:
                target = replace(self.lock, target=key.target).target
            except LockError as error:
                raise SequenceError(f"target at frame {key.frame}: {error}") from None
            keys.append(key if target is key.target else replace(key, target=target))
        keys.sort(key=lambda key: key.frame)
        for a, b in itertools.pairwise(keys):
            if a.frame == b.frame:
                raise SequenceError(f"{self.title} has two targets at frame {a.frame}; one frame holds one")
        return tuple(keys)

    # -- what it says --------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Its name, or one made from the lock, for lists and messages."""
        return self.name or f'{self.lock.kind} lock of joint "{self.lock.joint}"'

    def covers(self, frame: float) -> bool:
        """Return whether it is in effect at a frame, whole or not; both ends are."""
        return self.start <= frame and (self.end is None or frame <= self.end)

    @property
    def eases(self) -> tuple[float, float]:
        """Ease in and out as they are used, [frames]: both shorter by the same factor where the strip is too short."""
        both = self.ease_in + self.ease_out
        length = math.inf if self.end is None else float(self.end - self.start)
        if self.end is None:
            return self.ease_in, 0.0
        factor = 1.0 if both <= length else length / both
        return self.ease_in * factor, self.ease_out * factor

    def factor_at(self, frame: float) -> float:
        """Return how far the lock has come on at a frame, from 0 to 1; with its first derivative continuous."""
        if not self.covers(frame):
            return 0.0
        ease_in, ease_out = self.eases
        factor = 1.0
        if frame < self.start + ease_in:
            factor = _smooth((frame - self.start) / ease_in)
        if self.end is not None and frame > self.end - ease_out:
            factor *= _smooth((self.end - frame) / ease_out)
        return factor

    def target_at(self, frame: float) -> Any:
        """Return the target at a frame, whole or not; held outside the target keys."""
        return self._path.at(frame) if self.targets else self.lock.target

    @cached_property
    def _path(self) -> TargetPath:
        return TargetPath(self.targets, self.lock.kind, self.speed)

    def lock_at(self, frame: float) -> Lock:
        """Return the lock with the target it has at a frame, and the strip's weight in its own."""
        lock = self.lock
        if self.targets:
            target = self.target_at(frame)
            if target is not lock.target:
                lock = replace(lock, target=target)
        return self.weighted(lock)

    def weighted(self, lock: Lock) -> Lock:
        """Return a lock with the strip's weight in its own."""
        if self.weight == 1.0:
            return lock
        if isinstance(lock.weight, tuple):
            return replace(lock, weight=(lock.weight[0] * self.weight, lock.weight[1] * self.weight))
        return replace(lock, weight=lock.weight * self.weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LockStrip):
            return NotImplemented
        return _value(self) == _value(other) and self.lock == other.lock and dict(self.extra) == dict(other.extra)

    def __hash__(self) -> int:
        return hash((self.id, self.start, self.end))


def _value(strip: LockStrip) -> tuple[Any, ...]:
    eases = strip.ease_in, strip.ease_out
    return strip.id, strip.name, strip.start, strip.end, eases, strip.weight, strip.targets, strip.speed


def _smooth(u: float) -> float:
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


def checked_lock(lock: object, skeleton: Skeleton, where: str) -> Lock:
    """Return a lock after checking that a sequence of the figure may have it.

    Raises:
        SequenceError: If it is none, has no target, or names a joint that the figure lacks.
    """
    if not isinstance(lock, Lock):
        raise SequenceError(f"{where}: {lock!r} is not a Lock")
    if not lock.bound:
        raise SequenceError(
            f'{where}: the {lock.kind} lock of joint "{lock.joint}" has no target; in a sequence a lock must say '
            "where it holds: bind it to a pose first"
        )
    own: list[int | str] = [lock.joint, *(lock.joints or ())]
    if lock.second is not None:
        own += [lock.second[1]] if lock.second[0] is None else []
    elif lock.other is not None:
        own += lock.other
    for joint in own:
        try:
            skeleton.joint_index(joint)
        except JointError as error:
            raise SequenceError(f'{where}: the {lock.kind} lock of joint "{lock.joint}": {error}') from None
    return lock


def checked_strips(strips: Iterable[object], skeleton: Skeleton, where: str) -> tuple[LockStrip, ...]:
    """Return strips after checking that a sequence of the figure may have them.

    Raises:
        SequenceError: If one is no strip or its lock cannot be, or two have the same id.
    """
    checked: list[LockStrip] = []
    seen: set[str] = set()
    for strip in strips:
        if not isinstance(strip, LockStrip):
            raise SequenceError(f"{where}: {strip!r} is not a LockStrip")
        checked_lock(strip.lock, skeleton, where)
        if strip.id in seen:
            raise SequenceError(f'{where}: two strips have the id "{strip.id}"; each must have its own')
        seen.add(strip.id)
        checked.append(strip)
    return tuple(checked)


STRIP_MEMBERS = ("lock", "start", "end", "ease_in", "ease_out", "weight", "targets", "id", "name", "speed")
"""Members of a strip's record."""

Record = dict[str, Any]


def strip_to_json(strip: LockStrip, s: Skeleton) -> Record:
    """Return a strip as a JSON value. What is left at its default is left out; unknown members stand beside it.

    Raises:
        core.errors.LockError: If the figure has no such joint.
    """
    record: Record = {"id": strip.id, "lock": lock_to_json(strip.lock, s), "start": strip.start, "end": strip.end}
    for name, default in (("ease_in", 0.0), ("ease_out", 0.0), ("weight", 1.0), ("name", None)):
        value = getattr(strip, name)
        if value != default:
            record[name] = value
    if strip.targets:
        record["targets"] = [target_to_json(key) for key in strip.targets]
    if strip.speed is not None:
        record["speed"] = curve_to_json(strip.speed)
    return {**record, **strip.extra}


def target_to_json(key: TargetKey) -> Record:
    """Return a key of a target as a JSON value."""
    target = key.target.tolist() if isinstance(key.target, np.ndarray) else key.target
    record: Record = {"frame": key.frame, "target": target}
    return record if key.interp == SPLINE else {**record, "interp": key.interp}


def strip_from_json(record: Any, s: Skeleton) -> LockStrip:
    """Return the strip that a record stands for; members it does not know are kept in ``extra``.

    Raises:
        core.errors.CoreError: If it is no record of a strip, or a value makes no sense for the figure.
    """
    if not isinstance(record, dict) or "lock" not in record or "start" not in record:
        raise SequenceError("is not a record of a lock strip; it must be an object with lock and start")
    targets = record.get("targets") or ()
    if not isinstance(targets, (list, tuple)) or not all(
        isinstance(key, dict) and "frame" in key and key.get("target") is not None for key in targets
    ):
        raise SequenceError("targets must be a list of objects with frame and target")
    given = {name: record[name] for name in ("ease_in", "ease_out", "weight", "name") if record.get(name) is not None}
    return LockStrip(
        lock_from_json(record["lock"], s),
        record["start"],
        record.get("end"),
        targets=tuple(TargetKey(key["frame"], key["target"], key.get("interp", SPLINE)) for key in targets),
        id=record["id"] if record.get("id") is not None else new_id(),
        speed=None if record.get("speed") is None else SpeedCurve(curve_points(record["speed"])),
        extra={name: value for name, value in record.items() if name not in STRIP_MEMBERS},
        **given,
    )
