"""A lock strip: a lock and the frames it holds, the only form that locks have in time; its record, and edits of strips.

Strips follow keys in time: whatever keys a strip covers it goes on covering, and what lies between keys keeps its place
between them. That goes for its ends and for the keys of its target.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
import math
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from core.animation.curves.timing_curves import SpeedCurve, shifted_speed
from core.animation.key import MAX_FRAME, SPLINE, check_frame
from core.animation.key_records import curve_points, curve_to_json
from core.animation.locks.formula import TargetFormula, formula_from_json, formula_to_json
from core.animation.locks.target_keys import TargetKey, TargetPath, slopes_of_parts
from core.constraints.lock import Lock
from core.constraints.records import lock_from_json, lock_to_json
from core.errors import CoreError, JointError, LockError, SequenceError
from core.keyed_curves.keys import Place
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


_IDS = 2**32
_STRIDE = 0x9E3779B1  # odd, so that it takes all of them before one comes again
_numbered: ContextVar[Iterator[int] | None] = ContextVar("numbered", default=None)


def new_id() -> str:
    """Return a short name that no other strip has: eight hexadecimal digits."""
    numbers = _numbered.get()
    return secrets.token_hex(4) if numbers is None else f"{next(numbers):08x}"


@contextmanager
def repeatable_ids(text: str) -> Iterator[None]:
    """Let ``new_id`` give the same names in the same order for the same text, in a ``with`` block.

    Args:
        text: What the names are made from; other texts give others.
    """
    first = int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:4], "big")
    before = _numbered.set((first + _STRIDE * k) % _IDS for k in itertools.count())
    try:
        yield
    finally:
        _numbered.reset(before)


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
        formula: The target as a function of the time; None for one that stays or has keys.

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
    formula: TargetFormula | None = None

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
        if self.formula is not None:
            self._check_formula(where)
        if not self.lock.bound:
            if not self.targets:
                raise SequenceError(f"{where} has no target; bind it to a pose first")
            put(self, "lock", replace(self.lock, target=self.targets[0].target))

    def _check_formula(self, where: str) -> None:
        if not isinstance(self.formula, TargetFormula):
            raise SequenceError(f"{where}: formula is {self.formula!r:.60}; it must be a TargetFormula, or None")
        if self.targets:
            raise SequenceError(f"{where} has a target that is a formula of the time; it takes no keys beside it")
        if not (self.lock.rule.keyed or self.lock.rule.by_equation) or not self.lock.bound:
            raise SequenceError(f"{where} has a formula; only a bound lock of a kind whose target may move can")
        self.formula.check(self.lock.rule, self.lock.target, self.start, self.start)

    def _checked_targets(self) -> tuple[TargetKey, ...]:
        keys, what = [], f'{self.lock.kind} lock of joint "{self.lock.joint}": target'
        for key in self.targets:
            if not isinstance(key, TargetKey):
                raise SequenceError(f"{self.title}: a target is {key!r}; it must be a TargetKey")
            if key.target is None:
                raise SequenceError(f"{self.title}: the target at frame {key.frame} is missing")
            try:
                target = self.lock.rule.checked_target(key.target, what)
            except LockError as error:
                raise SequenceError(f"target at frame {key.frame}: {error}") from None
            for name, slopes in (("slope_in", key.slope_in), ("slope_out", key.slope_out)):
                number = 0 if slopes is None else sum(slopes_of_parts(self.lock.rule.parts, target))
                if slopes is not None and len(slopes) != number:
                    raise SequenceError(
                        f"target at frame {key.frame}: {name} has {len(slopes)} numbers; this lock's have {number}"
                    )
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
        if self.formula is not None:
            try:
                return self.formula.target(self.lock.rule, self.lock.target, frame, self.start)
            except CoreError:  # it was tried at whole frames; between them it may have a pole
                return self.lock.target
        return self._path.at(frame) if self.targets else self.lock.target

    def key_at(self, frame: int) -> TargetKey:
        """Return the key of the target at a frame, or a new one that leaves the path as it is."""
        there = next((key for key in self.targets if key.frame == frame), None)
        return there or (self._path.key_at(frame) if self.targets else TargetKey(frame, self.target_at(frame)))

    @property
    def moves(self) -> bool:
        """Whether its target is another at other times."""
        return len(self.targets) > 1 or self.formula is not None

    @cached_property
    def _path(self) -> TargetPath:
        return TargetPath(self.targets, self.lock.rule, self.speed)

    def lock_at(self, frame: float) -> Lock:
        """Return the lock with the target it has at a frame, and the strip's weight in its own."""
        lock = self.lock
        if self.targets or self.formula is not None:
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
    return strip.id, strip.name, strip.start, strip.end, eases, strip.weight, strip.targets, strip.speed, strip.formula


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
    try:
        lock.rule.check_figure(lock.target, skeleton)
    except LockError as error:
        raise SequenceError(f"{where}: {error}") from None
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


STRIP_MARK = "gait."
"""What the ids of strips begin with that rules made together with the keys."""

STRIP_MEMBERS = ("lock", "start", "end", "ease_in", "ease_out", "weight", "targets", "id", "name", "speed", "formula")
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
    if strip.formula is not None:
        record["formula"] = formula_to_json(strip.formula)
    return {**record, **strip.extra}


def target_to_json(key: TargetKey) -> Record:
    """Return a key of a target as a JSON value."""
    target = key.target.tolist() if isinstance(key.target, np.ndarray) else key.target
    record: Record = {"frame": key.frame, "target": target}
    if key.interp != SPLINE:
        record["interp"] = key.interp
    for name, slopes in (("slope_in", key.slope_in), ("slope_out", key.slope_out)):
        if slopes is not None:
            record[name] = list(slopes)
    return record


def target_from_json(record: Record) -> TargetKey:
    """Return the key of a target that a record stands for.

    Raises:
        SequenceError: If a value makes no sense.
    """
    interp = record.get("interp", SPLINE)
    return TargetKey(record["frame"], record["target"], interp, record.get("slope_in"), record.get("slope_out"))


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
        targets=tuple(target_from_json(key) for key in targets),
        id=record["id"] if record.get("id") is not None else new_id(),
        speed=None if record.get("speed") is None else SpeedCurve(curve_points(record["speed"])),
        formula=None if record.get("formula") is None else formula_from_json(record["formula"]),
        extra={name: value for name, value in record.items() if name not in STRIP_MEMBERS},
        **given,
    )


Strips = tuple[LockStrip, ...]

_NEAR = 2  # keys of a target on either side of a span that its curve depends on


# -- retiming --------------------------------------------------------------------------------------------------------


def retimed(strips: Strips, frames: Iterable[int], mapping: Mapping[int, int]) -> Strips:
    """Return strips that have followed keys.

    Args:
        strips: The strips.
        frames: Frames of all keys before.
        mapping: New frames of the keys that have moved, by their old ones.
    """
    old = sorted(set(frames))
    moves = {frame: mapping.get(frame, frame) for frame in old}
    if all(frame == new for frame, new in moves.items()):
        return strips
    shifts = {new - frame for frame, new in moves.items()}
    if len(shifts) == 1:
        return tuple(_shifted(strip, 0, next(iter(shifts))) for strip in strips)
    return tuple(_retimed(strip, old, moves) for strip in strips)


def _retimed(strip: LockStrip, old: list[int], moves: Mapping[int, int]) -> LockStrip:
    start, end = retimed_ends(strip.start, strip.end, old, moves)
    speed = moved_speed(strip, lambda frame: _mapped(frame, old, moves))
    return replace(strip, start=start, end=end, targets=_mapped_targets(strip.targets, old, moves), speed=speed)


def retimed_ends(start: int, end: int | None, old: list[int], moves: Mapping[int, int]) -> tuple[int, int | None]:
    """Return where the ends of a range go when keys move: it covers the keys that it covered before, and no others.

    Args:
        start: First frame of the range.
        end: Last frame; None for ever.
        old: Frames of all keys before, ascending.
        moves: Where each of them goes.
    """

    def covers(frame: int) -> bool:
        return start <= frame and (end is None or frame <= end)

    inside = {moves[frame] for frame in old if covers(frame)}
    if not inside:
        first = _mapped(start, old, moves)
        return first, None if end is None else max(_mapped(end, old, moves), first)
    outside = [moves[frame] for frame in old if not covers(frame)]
    low, high = min(inside), max(inside)
    floor = max((frame + 1 for frame in outside if frame < low), default=0)
    top = min((frame - 1 for frame in outside if frame > high), default=MAX_FRAME)
    first = min(max(_mapped(start, old, moves), floor), low)
    return first, None if end is None else max(min(_mapped(end, old, moves), top), high)


def _mapped(frame: int, old: list[int], moves: Mapping[int, int]) -> int:
    return min(max(round(placed(frame, old, moves)), 0), MAX_FRAME)


def placed(frame: float, old: list[int], moves: Mapping[int, int]) -> float:
    """Return where a frame goes when keys move: with its key, or in proportion between two, or nowhere beyond the last.

    Args:
        frame: The frame.
        old: Frames of all keys before, ascending.
        moves: Where each of them goes.
    """
    if frame in moves:
        return moves[frame]  # type: ignore[index]  # a whole one
    after = bisect.bisect_left(old, frame)
    if after in (0, len(old)):
        return frame
    a, b = old[after - 1], old[after]
    return moves[a] + (frame - a) * (moves[b] - moves[a]) / (b - a)


def place_by_keys(frames: Iterable[int], mapping: Mapping[int, int]) -> Callable[[float], float]:
    """Return where any frame goes when keys move: as ``retimed`` has it for what strips have.

    Args:
        frames: Frames of all keys before.
        mapping: New frames of the keys that have moved, by their old ones.
    """
    old = sorted(set(frames))
    moves = {frame: mapping.get(frame, frame) for frame in old}
    shifts = {new - frame for frame, new in moves.items()}
    if len(shifts) == 1:
        shift = next(iter(shifts))
        return lambda frame: frame + shift
    return lambda frame: placed(frame, old, moves)


def _mapped_targets(keys: tuple[TargetKey, ...], old: list[int], moves: Mapping[int, int]) -> tuple[TargetKey, ...]:
    """Return keys of a target at their new frames; of several that would share one, the one that fits it best."""
    found: dict[int, tuple[float, TargetKey]] = {}
    for key in keys:
        place = placed(key.frame, old, moves)
        frame = min(max(round(place), 0), MAX_FRAME)
        off = abs(place - frame)
        if frame not in found or off < found[frame][0]:
            found[frame] = off, key.stretched(*_stretches(key.frame, old, moves))
    return tuple(replace(found[frame][1], frame=frame) for frame in sorted(found))


def _stretches(frame: int, old: list[int], moves: Mapping[int, int]) -> tuple[float, float]:
    """Return how many times as long time becomes just before and just after a frame; 1 where it is turned round."""
    found = []
    for k in (bisect.bisect_left(old, frame) - 1, bisect.bisect_right(old, frame) - 1):
        if not 0 <= k < len(old) - 1:
            found.append(1.0)
            continue
        a, b = old[k], old[k + 1]
        found.append(max((moves[b] - moves[a]) / (b - a), 0.0) or 1.0)
    return found[0], found[1]


def made_room(strips: Strips, frame: int, by: int) -> Strips:
    """Return strips after ``by`` frames were put in before ``frame``: all from there on is later.

    A strip that reaches across goes on through what was put in.
    """
    return tuple(_shifted(strip, frame, by) for strip in strips)


def _shifted(strip: LockStrip, first: int, by: int) -> LockStrip:
    """Return a strip whose ends and targets from ``first`` on are ``by`` frames later, none before frame 0."""

    def later(frame: int) -> int:
        return min(max(frame + by, 0), MAX_FRAME) if frame >= first else frame

    targets = {later(key.frame): key for key in strip.targets}
    end = None if strip.end is None else later(strip.end)
    moved = tuple(replace(key, frame=frame) for frame, key in targets.items())
    return replace(strip, start=later(strip.start), end=end, targets=moved, speed=moved_speed(strip, later))


def moved_speed(strip: LockStrip, place: Place) -> SpeedCurve | None:
    """Return the speed curve of a strip whose frames go elsewhere; None if it has none, or too little is left."""
    return None if strip.speed is None else shifted_speed(strip.speed, place)


# -- one strip -------------------------------------------------------------------------------------------------------


def moved_copy(strip: LockStrip, start: int, **values: Any) -> LockStrip:
    """Return a copy of a strip, with an id of its own, that begins at a frame, its end and targets with it.

    Raises:
        SequenceError: If a target of it would lie before frame 0.
    """
    by = check_frame(start) - strip.start
    targets = tuple(replace(key, frame=key.frame + by) for key in strip.targets)
    end = None if strip.end is None else strip.end + by
    speed = moved_speed(strip, lambda frame: frame + by)
    return replace(strip, **{"id": new_id(), "start": start, "end": end, "targets": targets, "speed": speed, **values})


def split(strip: LockStrip, frame: int) -> tuple[LockStrip, LockStrip]:
    """Return a strip cut in two: the first, with its id, ends before ``frame``, the second begins there.

    Both go on as the whole did: they keep the keys outside them that their targets' curves depend on.

    Raises:
        SequenceError: If the frame is not inside the strip.
    """
    frame = check_frame(frame)
    if not strip.covers(frame) or frame == strip.start:
        last = "on" if strip.end is None else f"to {strip.end}"
        raise SequenceError(f"{strip.title} runs from frame {strip.start} {last}; it cannot be split at frame {frame}")
    before, after = _around(strip.targets, 0, frame - 1), _around(strip.targets, frame, strip.end or MAX_FRAME)
    if strip.speed is not None:  # how far it has come depends on the whole path
        before = after = strip.targets
    first = replace(strip, end=frame - 1, ease_out=0.0, targets=before)
    second = replace(strip, id=new_id(), start=frame, ease_in=0.0, targets=after, formula=_begun(strip, frame))
    return first, second


def _begun(strip: LockStrip, start: int) -> TargetFormula | None:
    """Return the formula of a strip for a part of it that begins later: its time goes on."""
    if strip.formula is None or start == strip.start:
        return strip.formula
    return replace(strip.formula, since=strip.formula.since + start - strip.start)


def _around(keys: tuple[TargetKey, ...], first: int, last: int) -> tuple[TargetKey, ...]:
    """Return the keys in a range and those on either side of it that the curve in it depends on."""
    before = [key for key in keys if key.frame < first][-_NEAR:]
    after = [key for key in keys if key.frame > last][:_NEAR]
    return (*before, *(key for key in keys if first <= key.frame <= last), *after)


def joined(first: LockStrip, second: LockStrip) -> LockStrip:
    """Return the strip that two neighbors make: with the id and the values of the first up to the end of the second.

    Raises:
        SequenceError: If they hold different things, or do not follow each other.
    """
    if replace(first.lock, target=None) != replace(second.lock, target=None):
        raise SequenceError(f"{first.title} and {second.title} hold different things; only strips of one lock join")
    if not first.targets and not second.targets and first.lock != second.lock:
        raise SequenceError(f"{first.title} holds other places before and after; key its target to join them")
    if first.formula is not None or second.formula is not None:
        raise SequenceError(f"{first.title} and {second.title} have targets that are formulas; such strips do not join")
    if first.speed != second.speed:
        raise SequenceError(f"{first.title} and {second.title} travel with different speeds; strips of one speed join")
    if first.end is None or second.start <= first.start:
        raise SequenceError(f"{second.title} does not follow {first.title}; strips join in the order of their frames")
    kept = [key for key in first.targets if key.frame < second.start]
    kept += [key for key in second.targets if key.frame >= second.start or not first.targets]
    if not first.targets and kept:  # what stood still goes on doing so up to where the other begins
        kept.insert(0, TargetKey(max(second.start - 1, 0), first.lock.target))
        kept = list({key.frame: key for key in kept}.values())
    elif first.targets and not second.targets:
        kept.append(TargetKey(second.start, second.lock.target))
    return replace(first, end=second.end, ease_out=second.ease_out, targets=tuple(kept))


# -- clips -----------------------------------------------------------------------------------------------------------


def cut_out(strips: Strips, first: int, last: int) -> Strips:
    """Return the strips in ``first..last``, cut off at both ends, their frames counted from ``first``."""
    found = []
    for strip in strips:
        start = max(strip.start, first)
        end = last if strip.end is None else min(strip.end, last)
        if start > end:
            continue
        targets = tuple(replace(key, frame=key.frame - first) for key in _within(strip, start, end))
        found.append(
            replace(
                strip,
                start=start - first,
                end=end - first,
                ease_in=strip.ease_in if start == strip.start else 0.0,
                ease_out=strip.ease_out if end == strip.end else 0.0,
                targets=targets,
                speed=_cut_speed(strip, first, start, end),
                formula=_begun(strip, start),
            )
        )
    return tuple(found)


def _cut_speed(strip: LockStrip, first: int, start: int, end: int) -> SpeedCurve | None:
    """Return the part of a strip's speed curve from ``start`` to ``end``, its frames counted from ``first``."""
    if strip.speed is None:
        return None
    low, high = max(float(start), strip.speed.first), min(float(end), strip.speed.last)
    if not low < high:
        return None
    ends = strip.speed.speeds([low, high]).tolist()
    inner = [(frame, speed) for frame, speed in strip.speed.points if low < frame < high]
    points = [(low, ends[0]), *inner, (high, ends[1])]
    return SpeedCurve(tuple((frame - first, speed) for frame, speed in points)) if any(s for _, s in points) else None


def rescaled(strips: Strips, factor: float) -> Strips:
    """Return strips of which all frames are multiplied, rounded to whole ones: the same times at another rate."""
    if factor == 1.0:
        return strips
    found = []
    for strip in strips:
        targets = {round(key.frame * factor): key.stretched(factor, factor) for key in strip.targets}
        found.append(
            replace(
                strip,
                start=round(strip.start * factor),
                end=None if strip.end is None else round(strip.end * factor),
                ease_in=strip.ease_in * factor,
                ease_out=strip.ease_out * factor,
                targets=tuple(replace(key, frame=frame) for frame, key in targets.items()),
                speed=strip.speed and SpeedCurve(tuple((frame * factor, speed) for frame, speed in strip.speed.points)),
                formula=strip.formula
                and replace(strip.formula, fps=strip.formula.fps * factor, since=strip.formula.since * factor),
            )
        )
    return tuple(found)


def _within(strip: LockStrip, start: int, end: int) -> tuple[TargetKey, ...]:
    """Return keys of a strip's target for a part of it, with keys at its ends where it was cut between two."""
    if not strip.targets:
        return ()
    keys = {key.frame: key for key in strip.targets if start <= key.frame <= end}
    for frame in (start, end):
        if frame not in keys:
            keys[frame] = strip.key_at(frame)
    return tuple(keys[frame] for frame in sorted(keys))


def put_in(strips: Strips, frame: int, clip: Strips) -> Strips:
    """Return strips with those of a clip put in from ``frame`` on; what is held there already is not held twice."""
    brought = []
    for strip in clip:
        new = moved_copy(strip, strip.start + frame)
        if not any(_contains(other, new) for other in strips):
            brought.append(new)
    return (*strips, *brought)


def _contains(outer: LockStrip, inner: LockStrip) -> bool:
    last = inner.end if inner.end is not None else MAX_FRAME
    same = outer.lock == inner.lock and not outer.targets and not inner.targets and outer.weight == inner.weight
    return same and outer.covers(inner.start) and outer.covers(last)
