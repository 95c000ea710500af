"""Keys, timings, markers, locks and hybrid strips of a ``.seq`` file, checked member by member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from core.animation import LockStrip, TargetKey
from core.animation.channels import Channels, channels_of
from core.animation.curves.timing_curves import WHOLE_FIGURE, SpeedCurve, TimingCurve
from core.animation.cycles import NO_CYCLES, Cycles, checked_cycles
from core.animation.hybrid_strips import (
    DEFAULTS,
    HYBRID_MEMBERS,
    LARGEST_DAMPING,
    LARGEST_GAIN,
    MODES,
    HybridStrip,
    collision,
    torque_problem,
)
from core.animation.key import MAX_FRAME, Key
from core.animation.key_records import curve_points
from core.animation.locks.formula import formula_from_json
from core.animation.locks.strip import STRIP_MEMBERS, checked_lock, new_id
from core.animation.locks.target_keys import TARGET_INTERPOLATIONS
from core.animation.marker import Marker
from core.animation.shape import INTERPOLATIONS, LARGEST_TCB, Ease, Shape, plain_shape
from core.animation.shot_camera import NO_CAMERA, ShotCamera, camera_from_json
from core.constraints.lock import Lock
from core.constraints.records import lock_from_json
from core.errors import CoreError, SequenceError
from core.formats import json_text
from core.formats.record_reader import RecordReader, unknown_members
from core.skeleton import Skeleton

Record = dict[str, Any]
Curve = TypeVar("Curve", TimingCurve, SpeedCurve)

KEY_MEMBERS = ("frame", "q", "interp", "part", "turns", "arcs", "keyed", "shape", "shapes")
"""Members of a key's record."""


def read_keys(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> list[Key]:
    """Return the keys of a sequence's record; what is wrong is noted with its place."""
    keys: list[Key] = []
    taken: dict[int, str] = {}
    for record, here in reader.records(data, place, "keys"):
        before = len(reader.problems)
        frame = reader.frame(record, here)
        if frame is not None and frame in taken:
            reader.problem(f"{here}.frame", f"{frame} is also the frame of {taken[frame]}; a frame holds one key")
        elif frame is not None:
            taken[frame] = here
        interp = reader.choice(record, here, "interp", INTERPOLATIONS, "spline")
        part = reader.member(record, here, "part", "text or null", None)
        turns = reader.member(record, here, "turns", "true or false", False)
        arcs = reader.member(record, here, "arcs", "true or false", False)
        q = _pose(reader, record, here, skeleton)
        channels = None if skeleton is None else channels_of(skeleton)
        keyed = _keyed(reader, record, here, channels)
        shape = _own_shape(reader, record, here, interp, turns, arcs)
        shapes = _shapes(reader, record, here, channels)
        if len(reader.problems) == before:
            extra = unknown_members(record, KEY_MEMBERS)
            made = Key(frame or 0, q, interp, turns, part, extra, keyed, shape, shapes)
            keys.append(made)
    return keys


def _pose(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None) -> list[float]:
    values = reader.member(record, here, "q", "a list")
    if values is None:
        return []
    if skeleton is not None and len(values) != skeleton.nq:
        message = f'has {len(values)} values; figure "{skeleton.name}" needs {skeleton.nq}'
        reader.problem(f"{here}.q", f"{message}: three of the root, then one a degree of freedom")
    if json_text.finite_numbers(values):
        return list(values)
    return _numbers(reader, values, f"{here}.q")


def _numbers(reader: RecordReader, values: list[Any], here: str) -> list[float]:
    numbers: list[float] = []
    for i, value in enumerate(values):
        number = reader.number(value)
        if number is None:
            reader.problem(f"{here}[{i}]", f"{json_text.show(value)} is not a finite number")
        else:
            numbers.append(number)
    return numbers


# -- channels and shapes ---------------------------------------------------------------------------------------------


def _known(reader: RecordReader, name: object, here: str, channels: Channels | None) -> bool:
    """Return whether a name is a channel's, else note a problem; without a figure every name may be."""
    if channels is None or name in channels:
        return True
    valid = ", ".join(channel for channel in channels if channel)
    shown = json_text.show(name)
    reader.problem(
        here, f'{shown} is not a channel of figure "{channels.figure}"; valid are {valid}, "" for the root\'s place'
    )
    return False


def _keyed(reader: RecordReader, record: Record, here: str, channels: Channels | None) -> list[str] | None:
    names = reader.member(record, here, "keyed", "a list or null", None)
    if names is None:
        return None
    found: list[str] = []
    for i, name in enumerate(names):
        if not isinstance(name, str):
            reader.problem(f"{here}.keyed[{i}]", f"{json_text.show(name)} is not text; expected a channel's name")
        elif _known(reader, name, f"{here}.keyed[{i}]", channels):
            found.append(name)
    if not names:
        reader.problem(f"{here}.keyed", "names no channel; a key holds at least one, or leave it out for all")
    return found


def _own_shape(reader: RecordReader, record: Record, here: str, interp: str, turns: bool, arcs: bool) -> Shape:
    own = reader.member(record, here, "shape", "an object or null", None)
    if own is None:
        return plain_shape(interp, bool(turns), bool(arcs))
    for name in ("slopes_in", "slopes_out"):
        if own.get(name) is not None:
            reader.problem(
                f"{here}.shape.{name}", "belongs to one channel; write it in shapes, under the channel's name"
            )
            own = {**own, name: None}
    return _shape(reader, {**own, "interp": interp, "turns": bool(turns), "arcs": bool(arcs)}, f"{here}.shape", None)


def _shapes(reader: RecordReader, record: Record, here: str, channels: Channels | None) -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    for name, own in (reader.member(record, here, "shapes", "an object or null", None) or {}).items():
        place = f"{here}.shapes[{json_text.show(name)}]"
        if not isinstance(own, dict):
            reader.problem(place, f"{json_text.show(own)} is not an object")
        elif _known(reader, name, place, channels):
            count = None if channels is None else len(channels.columns[channels.index(name)])
            found[name] = _shape(reader, own, place, count)
    return found


def _shape(reader: RecordReader, record: Record, here: str, count: int | None) -> Shape:
    """Return the shape of a record; ``count`` is the number of values of its channel."""
    before = len(reader.problems)
    values: dict[str, Any] = {"interp": reader.choice(record, here, "interp", INTERPOLATIONS, "spline")}
    for name in ("turns", "arcs"):
        values[name] = reader.member(record, here, name, "true or false", False)
    for name in ("tension", "continuity", "bias"):
        value = reader.member(record, here, name, "a number", 0.0)
        if value is not None and abs(value) > LARGEST_TCB:
            valid = f"valid are {-LARGEST_TCB:g} to {LARGEST_TCB:g}"
            reader.problem(f"{here}.{name}", f"{json_text.show(value)} is out of range; {valid}")
        values[name] = value
    ease = reader.member(record, here, "ease", "a list or null", None)
    if ease is not None:
        numbers = _numbers(reader, ease, f"{here}.ease")
        if len(ease) != 4:
            reader.problem(f"{here}.ease", f"has {len(ease)} numbers; an ease has four: x1, y1, x2, y2")
        elif len(numbers) == 4:
            values["ease"] = _made(reader, f"{here}.ease", lambda: Ease(*numbers))
    for name in ("slopes_in", "slopes_out"):
        values[name] = _slopes(reader, record, here, name, count)
    return Shape(**values) if len(reader.problems) == before else Shape()


def _slopes(reader: RecordReader, record: Record, here: str, name: str, count: int | None) -> list[float | None] | None:
    slopes = reader.member(record, here, name, "a list or null", None)
    if slopes is None:
        return None
    if count is not None and len(slopes) != count:
        reader.problem(f"{here}.{name}", f"has {len(slopes)} numbers; the channel has {count} values")
    for i, slope in enumerate(slopes):
        if slope is not None and reader.number(slope) is None:
            reader.problem(f"{here}.{name}[{i}]", f"{json_text.show(slope)} is neither a finite number nor null")
    return [None if slope is None else reader.number(slope) for slope in slopes]


def _made(reader: RecordReader, here: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except CoreError as error:
        reader.problem(here, str(error))
        return None


# -- time ------------------------------------------------------------------------------------------------------------


def read_timings(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> dict[str, TimingCurve]:
    """Return the timing curves of a sequence's record by channel; what is wrong is noted with its place."""
    found: dict[str, TimingCurve] = {}
    channels = None if skeleton is None else channels_of(skeleton)
    for name, points in (reader.member(data, place, "timings", "an object or null", None) or {}).items():
        here = f"{place}.timings[{json_text.show(name)}]"
        if name == WHOLE_FIGURE or _known(reader, name, here, channels):
            curve = _curve(reader, points, here, TimingCurve)
            if curve is not None:
                found[name] = curve
    return found


def read_speed(reader: RecordReader, data: Record, place: str, name: str) -> SpeedCurve | None:
    """Return the speed curve that a member holds, or None; what is wrong is noted with its place."""
    points = data.get(name)
    return None if points is None else _curve(reader, points, f"{place}.{name}", SpeedCurve)


def _curve(reader: RecordReader, points: Any, here: str, kind: type[Curve]) -> Curve | None:
    before = len(reader.problems)
    if not isinstance(points, list):
        reader.problem(here, f"{json_text.show(points)} is not a list of points")
        return None
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != 2:
            reader.problem(f"{here}[{i}]", f"{json_text.show(point)} is not a point; expected two numbers")
        else:
            _numbers(reader, point, f"{here}[{i}]")
    if len(reader.problems) > before:
        return None
    made: Curve | None = _made(reader, here, lambda: kind(curve_points(points)))
    return made


def read_markers(reader: RecordReader, data: Record, place: str) -> list[Marker]:
    """Return the markers of a sequence's record; what is wrong is noted with its place."""
    found: dict[int, Marker] = {}
    for record, here in _records(reader, data, place, "markers"):
        before = len(reader.problems)
        frame = reader.frame(record, here)
        name = reader.member(record, here, "name", "text", "")
        color = reader.member(record, here, "color", "text or null", None)
        if frame is not None and frame in found:
            reader.problem(f"{here}.frame", f"{frame} is the frame of another marker; a frame holds one")
        if len(reader.problems) == before and frame is not None:
            try:
                found[frame] = Marker(frame, name, color)
            except CoreError as error:
                reader.problem(here, str(error))
    return list(found.values())


def read_camera(reader: RecordReader, data: Record, place: str) -> ShotCamera:
    """Return the camera of a sequence's record; what is wrong is noted with its place."""
    try:
        return camera_from_json(reader.member(data, place, "camera", "an object or null", None))
    except CoreError as error:
        reader.problem(f"{place}.camera", str(error))
    return NO_CAMERA


def read_locks(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> list[Lock]:
    """Return the locks of a sequence's record that hold at all times; what is wrong is noted with its place."""
    found = [_lock(reader, record, here, skeleton) for record, here in _records(reader, data, place, "locks")]
    return [lock for lock in found if lock is not None]


def read_strips(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> list[LockStrip]:
    """Return the lock strips of a sequence's record; what is wrong is noted with its place."""
    strips: list[LockStrip] = []
    taken: dict[str, str] = {}
    for record, here in _records(reader, data, place, "strips"):
        before = len(reader.problems)
        strip = _lock_strip(reader, record, here, skeleton, before)
        if strip is None:
            continue
        if strip.id in taken:
            shown = json_text.show(strip.id)
            reader.problem(f"{here}.id", f"{shown} is also the id of {taken[strip.id]}; each strip has its own")
        taken[strip.id] = here
        strips.append(strip)
    return strips


def _records(reader: RecordReader, data: Record, place: str, name: str) -> list[tuple[Record, str]]:
    return reader.records(data, place, name) if data.get(name) is not None else []


def _lock_strip(
    reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None, before: int
) -> LockStrip | None:
    data = reader.member(record, here, "lock", "an object")
    start = reader.frame(record, here, "start")
    end = None if record.get("end") is None else reader.frame(record, here, "end")
    if start is not None and end is not None and end < start:
        reader.problem(f"{here}.end", f"{end} lies before the start {start}; a strip must not run backwards")
    numbers = {
        name: reader.number_up_to(record, here, name, most, default)
        for name, most, default in (("ease_in", MAX_FRAME, 0), ("ease_out", MAX_FRAME, 0), ("weight", 1, 1))
    }
    name, id = reader.name_and_id(record, here)
    targets = _targets(reader, record, here)
    speed = read_speed(reader, record, here, "speed")
    lock = None if data is None else _lock(reader, data, f"{here}.lock", skeleton, bool(targets))
    if lock is None or len(reader.problems) > before:
        return None
    extra = unknown_members(record, STRIP_MEMBERS)
    try:
        formula = None if record.get("formula") is None else formula_from_json(record["formula"])
        return LockStrip(
            lock,
            start or 0,
            end,
            targets=tuple(targets),
            id=id or new_id(),
            name=name,
            extra=extra,
            speed=speed,
            formula=formula,
            **numbers,
        )
    except CoreError as error:
        reader.problem(here, str(error))
        return None


def _targets(reader: RecordReader, record: Record, here: str) -> list[TargetKey]:
    keys: list[TargetKey] = []
    for item, place in _records(reader, record, here, "targets"):
        before = len(reader.problems)
        frame = reader.frame(item, place, "frame")
        interp = reader.choice(item, place, "interp", TARGET_INTERPOLATIONS, "spline")
        target = reader.member(item, place, "target", "a list or a number")
        if len(reader.problems) == before and frame is not None and interp is not None:
            keys.append(TargetKey(frame, target, interp))
    return keys


def _lock(
    reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None, keyed: bool = False
) -> Lock | None:
    before = len(reader.problems)
    for name in ("joint", "kind"):
        reader.member(record, here, name, "text")
    if len(reader.problems) > before or skeleton is None:
        return None
    try:
        lock = lock_from_json(record, skeleton)
        return lock if keyed else checked_lock(lock, skeleton, "a sequence")
    except CoreError as error:
        reader.problem(here, str(error))
        return None


_NUMBERS = (("ease_in", MAX_FRAME), ("ease_out", MAX_FRAME), ("gain", LARGEST_GAIN), ("damping", LARGEST_DAMPING))


def read_hybrid(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> tuple[HybridStrip, ...]:
    """Return the hybrid strips of a sequence's record; what is wrong is noted with its place."""
    strips: list[tuple[HybridStrip, str]] = []
    for record, here in _records(reader, data, place, "hybrid"):
        strip = _hybrid_strip(reader, record, here, skeleton)
        if strip is None:
            continue
        for other, there in strips:
            if strip.id == other.id:
                shown = json_text.show(strip.id)
                reader.problem(f"{here}.id", f"{shown} is also the id of {there}; each strip has its own")
            if strip.overlaps(other):
                reader.problem(here, collision(other, strip))
        strips.append((strip, here))
    return tuple(strip for strip, _ in strips)


def _hybrid_strip(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None) -> HybridStrip | None:
    before = len(reader.problems)
    parts = _parts(reader, record, here, skeleton)
    start, end = reader.frame(record, here, "start"), None
    if record.get("end") is not None:
        end = reader.frame(record, here, "end")
    if start is not None and end is not None and end <= start:
        reader.problem(f"{here}.end", f"{end} does not lie after the start {start}; expected {start + 1} or more")
    mode = reader.choice(record, here, "mode", MODES, DEFAULTS["mode"])
    numbers = {name: reader.number_up_to(record, here, name, most, DEFAULTS.get(name, 1.0)) for name, most in _NUMBERS}
    name, id = reader.name_and_id(record, here)
    if len(reader.problems) > before or start is None or mode is None:
        return None
    extra, torques = unknown_members(record, HYBRID_MEMBERS), record.get("torques") or ()
    try:
        strip = HybridStrip(
            parts, start, end, mode=mode, torques=torques, id=id or new_id(), name=name, extra=extra, **numbers
        )
        if skeleton is not None and (problem := torque_problem(strip, skeleton)):
            reader.problem(f"{here}.torques", problem)
            return None
        return strip
    except CoreError as error:
        reader.problem(here, str(error))
        return None


def _parts(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None) -> tuple[str, ...]:
    found: list[str] = []
    for i, name in enumerate(reader.member(record, here, "parts", "a list", []) or []):
        place = f"{here}.parts[{i}]"
        if not isinstance(name, str):
            reader.problem(place, f"{json_text.show(name)} is not text; expected the name of a joint")
        elif name in found:
            reader.problem(place, f"{json_text.show(name)} is named twice; once is right")
        elif skeleton is not None and name not in skeleton.joint_names:
            reader.problem(place, f'{json_text.show(name)} is not a joint of figure "{skeleton.name}"')
        else:
            found.append(name)
    return tuple(found)


def read_cycles(reader: RecordReader, data: Record, place: str) -> Cycles:
    """Return what a sequence's record has before and after its keys; what is wrong is noted with its place."""
    value = reader.member(data, place, "cycles", "a list or null", None)
    if value is None:
        return NO_CYCLES
    try:
        return checked_cycles(value)
    except SequenceError as error:
        reader.problem(f"{place}.cycles", str(error))
        return NO_CYCLES
