"""Hybrid strips: joints and the frames over which forces move them. Where no strip is, keys do.

Strips follow keys in time as lock strips do. Where an edit of keys would bring two strips of a joint over each other,
the earlier one goes on and the later one begins where it ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from core.animation.key import MAX_FRAME, check_frame
from core.animation.locks.strip import checked_frame, checked_number, new_id, place_by_keys, retimed_ends
from core.animation.torque_curves import TorqueCurve, checked_torques, renamed_torques
from core.errors import JointError, SequenceError
from core.keyed_curves.keys import Place
from core.skeleton import Skeleton
from core.skeleton.mirroring.pose_mirror import pose_mirror

DYNAMIC, MOTOR, LIMP, BRACE, STUMBLE = "dynamic", "motor", "limp", "brace", "stumble"
MODES: tuple[str, ...] = (DYNAMIC, MOTOR, LIMP, BRACE, STUMBLE)
"""What moves a joint under a strip: forces alone, or also what ``PRESETS`` in ``core.preview.presets`` has of it."""

UNDRIVEN = (DYNAMIC, LIMP)
"""Modes in which no motor or muscle drives joints."""

EASE_OUT = 10.0
"""How long it takes from forces back to keys unless told otherwise, [frames]."""

GAIN = 1.0
"""How strong motors are beside what the settings of physics give, unless told otherwise."""

LARGEST_GAIN = 10.0
LARGEST_DAMPING = 100.0

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class HybridStrip:
    """Joints that forces move over a range of frames. Immutable; ``dataclasses.replace`` makes new ones, same id.

    At ``start`` the joints have the pose and the velocity of the keyed motion, at ``end`` they have them again.

    Attributes:
        parts: Names of joints; () for the whole figure with the place of its root. The root's name stands for its
            place as well.
        start: Frame from which forces move them.
        end: Frame at which they are back at their keys, after ``start``; None for never.
        mode: One of ``MODES``.
        ease_in: How long their hold on the keyed motion takes to let go, [frames]; 0 lets go at once.
        ease_out: How long they take to go back to the keyed motion, ending at ``end``, [frames]; 0 means that they
            jump there.
        gain: How strong motors are, mode ``"motor"``: times the gain that the settings of physics give; 0 is limp. Of
            ``"brace"`` and ``"stumble"`` it multiplies the strength of the joints.
        damping: How much of its critical damping a motor has: at 1 it comes back quickest without swinging over.
        id: Short name; stays the same through edits.
        name: What lists call it; None for a name made from its parts.
        extra: Members of the file's record that this version does not know; kept and written back.
        torques: Torques of its joints over time, their frames counted from ``start``.

    Raises:
        SequenceError: If a value makes no sense; names the strip, the value, and what would be right.
    """

    parts: tuple[str, ...]
    start: int
    end: int | None = None
    mode: str = DYNAMIC
    ease_in: float = 0.0
    ease_out: float = EASE_OUT
    gain: float = GAIN
    damping: float = 1.0
    id: str = field(default_factory=new_id)
    name: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    torques: tuple[TorqueCurve, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "parts", _checked_parts(self.parts))
        for what in ("id", "name"):
            value = getattr(self, what)
            if not isinstance(value, str) and not (what == "name" and value is None):
                raise SequenceError(f"hybrid strip: {what} is {value!r}; it must be text")
        if not self.id:
            raise SequenceError("hybrid strip: id is empty; it must be some text that no other strip has")
        where = self.title
        put(self, "start", checked_frame(self.start, f"{where}: start"))
        if self.end is not None:
            put(self, "end", checked_frame(self.end, f"{where}: end"))
            if self.end <= self.start:
                raise SequenceError(f"{where}: end {self.end} must lie after its start {self.start}")
        if self.mode not in MODES:
            raise SequenceError(f"{where}: mode {self.mode!r} is unknown; valid are {', '.join(MODES)}")
        for what, most in (
            ("ease_in", MAX_FRAME),
            ("ease_out", MAX_FRAME),
            ("gain", LARGEST_GAIN),
            ("damping", LARGEST_DAMPING),
        ):
            number = checked_number(getattr(self, what), f"{where}: {what}")
            if not 0.0 <= number <= most:
                raise SequenceError(f"{where}: {what} is {number:g}; it must lie in 0..{most:g}")
            put(self, what, number)
        if isinstance(self.torques, str) or not isinstance(self.torques, Iterable):
            raise SequenceError(f"{where}: torques are {self.torques!r}; they must be torque curves")
        try:
            put(self, "torques", checked_torques(self.torques, self.parts))
        except SequenceError as error:
            raise SequenceError(f"{where}: {error}") from None

    # -- what it says --------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Its name, or one made from its parts, for lists and messages."""
        if self.name:
            return self.name
        mode = str(self.mode)
        if not self.parts:
            return f"{mode} strip of the whole figure"
        if len(self.parts) == 1:
            return f'{mode} strip of joint "{self.parts[0]}"'
        return f"{mode} strip of {len(self.parts)} joints"

    @property
    def whole(self) -> bool:
        """Whether it moves the whole figure."""
        return not self.parts

    def covers(self, frame: float) -> bool:
        """Return whether a frame lies in it, whole or not; both ends do."""
        return self.start <= frame and (self.end is None or frame <= self.end)

    @property
    def eases(self) -> tuple[float, float]:
        """Ease in and out as they are used, [frames]: both shorter by the same factor where the strip is too short."""
        if self.end is None:
            return self.ease_in, 0.0
        both, length = self.ease_in + self.ease_out, float(self.end - self.start)
        factor = 1.0 if both <= length else length / both
        return self.ease_in * factor, self.ease_out * factor

    def moves(self, joint: str) -> bool:
        """Return whether it moves a joint."""
        return not self.parts or joint in self.parts

    def overlaps(self, other: HybridStrip) -> bool:
        """Return whether both move some joint at the same time; one that begins where the other ends does not."""
        start, end = max(self.start, other.start), min(_end(self), _end(other))
        return start < end and (self.whole or other.whole or not set(self.parts).isdisjoint(other.parts))

    def __hash__(self) -> int:
        return hash((self.id, self.start, self.end))


def _end(strip: HybridStrip) -> float:
    return math.inf if strip.end is None else float(strip.end)


def _checked_parts(parts: object) -> tuple[str, ...]:
    if isinstance(parts, str) or not isinstance(parts, Iterable):
        raise SequenceError(f"hybrid strip: parts are {parts!r}; they must be names of joints, none for all of them")
    names = tuple(parts)
    for name in names:
        if not isinstance(name, str) or not name:
            raise SequenceError(f"hybrid strip: {name!r} among the parts is not the name of a joint; it must be text")
        if names.count(name) > 1:
            raise SequenceError(f'hybrid strip: joint "{name}" is named twice; once is right')
    return names


def checked_hybrid_strips(strips: Iterable[object], skeleton: Skeleton, where: str) -> tuple[HybridStrip, ...]:
    """Return strips after checking that a sequence of the figure may have them.

    Raises:
        SequenceError: If one is no strip or names a joint that the figure lacks, two have the same id, or two move
            the same joint at the same time.
    """
    checked: list[HybridStrip] = []
    for strip in strips:
        if not isinstance(strip, HybridStrip):
            raise SequenceError(f"{where}: {strip!r} is not a HybridStrip")
        for name in strip.parts:
            try:
                skeleton.joint_index(name)
            except JointError as error:
                raise SequenceError(f"{where}: {strip.title}: {error}") from None
        if problem := torque_problem(strip, skeleton):
            raise SequenceError(f"{where}: {strip.title}: {problem}")
        for other in checked:
            if strip.id == other.id:
                raise SequenceError(f'{where}: two hybrid strips have the id "{strip.id}"; each must have its own')
            if strip.overlaps(other):
                raise SequenceError(f"{where}: {collision(other, strip)}")
        checked.append(strip)
    return tuple(checked)


def torque_problem(strip: HybridStrip, skeleton: Skeleton) -> str:
    """Return what is wrong about a strip's torques for a figure, in one line, or ""."""
    for curve in strip.torques:
        if curve.joint not in skeleton.joint_names:
            return f'there is a torque of joint "{curve.joint}", but no such joint'
        count = len(skeleton.joints[skeleton.joint_index(curve.joint)].dofs)
        if curve.dof >= count:
            return f'joint "{curve.joint}" has no degree of freedom {curve.dof} for a torque; it has {count}'
    return ""


def with_parts(strip: HybridStrip, parts: tuple[str, ...], **values: Any) -> HybridStrip:
    """Return a strip of other joints; torques of joints that it no longer moves are gone."""
    torques = tuple(curve for curve in strip.torques if not parts or curve.joint in parts)
    return replace(strip, **{"parts": parts, "torques": torques, **values})


def fitting(strips: Iterable[HybridStrip], skeleton: Skeleton) -> HybridStrips:
    """Return strips without the torques of degrees of freedom that a figure lacks."""
    made = []
    for strip in strips:
        kept = tuple(curve for curve in strip.torques if not torque_problem(replace(strip, torques=(curve,)), skeleton))
        made.append(strip if len(kept) == len(strip.torques) else replace(strip, torques=kept))
    return tuple(made)


def _mirrored_torques(strips: HybridStrips, skeleton: Skeleton) -> dict[str, tuple[TorqueCurve, ...]]:
    """Return the torques of each strip, by its id, on the other side and with the sign that they have there."""
    mirror, names = pose_mirror(skeleton), skeleton.joint_names
    to: dict[int, tuple[int, float]] = {}  # of each degree of freedom the one on the other side, and the sign
    for dof in range(skeleton.n_dofs):
        to[int(mirror.columns[3 + dof]) - 3] = dof, float(mirror.factors[3 + dof])
    found = {}
    for strip in strips:
        curves = []
        for curve in strip.torques:
            dof, sign = to[skeleton.first_dof[skeleton.joint_index(curve.joint)] + curve.dof]
            joint = int(skeleton.dof_joints[dof])
            keys = tuple((frame, sign * torque) for frame, torque in curve.keys)
            curves.append(TorqueCurve(names[joint], dof - int(skeleton.first_dof[joint]), keys))
        found[strip.id] = tuple(curves)
    return found


def mirrored(strips: HybridStrips, skeleton: Skeleton, names: Mapping[str, str | None]) -> HybridStrips:
    """Return strips in a mirror at x = 0.

    Args:
        strips: The strips.
        skeleton: The figure.
        names: The counterpart of each joint.
    """
    sides = renamed(tuple(replace(strip, torques=()) for strip in strips), names)
    turned = _mirrored_torques(strips, skeleton)
    return tuple(replace(strip, torques=turned[strip.id]) for strip in sides)


def collision(first: HybridStrip, second: HybridStrip) -> str:
    """Return what is wrong about two strips that overlap, in one line."""
    both = next((name for name in second.parts if first.moves(name)), next(iter(first.parts), None))
    what = "the whole figure" if both is None else f'joint "{both}"'
    frames = " and ".join(f"{s.start} to {'the end' if s.end is None else s.end}" for s in (first, second))
    return f"two hybrid strips move {what} at once, at frames {frames}; one must end before the other begins"


HYBRID_MEMBERS = ("parts", "start", "end", "mode", "ease_in", "ease_out", "gain", "damping", "torques", "id", "name")
"""Members of a strip's record."""

DEFAULTS: dict[str, Any] = {
    "mode": DYNAMIC, "ease_in": 0.0, "ease_out": EASE_OUT, "gain": GAIN, "damping": 1.0, "name": None,
}  # fmt: skip
"""Members that are left out of a record where they have this value."""

Record = dict[str, Any]


def hybrid_to_json(strip: HybridStrip) -> Record:
    """Return a strip as a JSON value. What is left at its default is left out; unknown members stand beside it."""
    record: Record = {"id": strip.id, "parts": list(strip.parts), "start": strip.start, "end": strip.end}
    for name, default in DEFAULTS.items():
        value = getattr(strip, name)
        if value != default:
            record[name] = value
    if strip.torques:
        record["torques"] = [curve.to_record() for curve in strip.torques]
    return {**record, **strip.extra}


def hybrids_to_json(strips: Iterable[HybridStrip]) -> list[Record]:
    """Return the records of several strips."""
    return [hybrid_to_json(strip) for strip in strips]


def hybrid_from_json(record: Any) -> HybridStrip:
    """Return the strip that a record stands for; members it does not know are kept in ``extra``.

    Raises:
        SequenceError: If it is no record of a strip, or a value makes no sense.
    """
    if not isinstance(record, dict) or "start" not in record:
        raise SequenceError("is not a record of a hybrid strip; it must be an object with parts and start")
    given = {name: record[name] for name in DEFAULTS if record.get(name) is not None}
    return HybridStrip(
        record.get("parts") or (),
        record["start"],
        record.get("end"),
        torques=record.get("torques") or (),
        id=record["id"] if record.get("id") is not None else new_id(),
        extra={name: value for name, value in record.items() if name not in HYBRID_MEMBERS},
        **given,
    )


HybridStrips = tuple[HybridStrip, ...]


def without_overlaps(strips: Iterable[HybridStrip]) -> HybridStrips:
    """Return strips of which no two move a joint at once: later ones begin where earlier ones end, or are gone."""
    given = list(strips)
    kept: dict[int, HybridStrip] = {}
    for place in sorted(range(len(given)), key=lambda k: (given[k].start, k)):
        strip = given[place]
        ends = [math.inf if other.end is None else other.end for other in kept.values() if strip.overlaps(other)]
        start = max([strip.start, *ends])
        if start < (math.inf if strip.end is None else strip.end):
            kept[place] = strip if start == strip.start else later_part(strip, int(start))
    return tuple(kept[place] for place in sorted(kept))


def _with_ends(strip: HybridStrip, start: int, end: int | None) -> HybridStrip:
    """Return a strip with other ends, at least a frame long."""
    if end is not None and end <= start:
        start, end = (start, start + 1) if start < MAX_FRAME else (start - 1, start)
    return replace(strip, start=start, end=end)


def retimed(strips: HybridStrips, frames: Iterable[int], mapping: Mapping[int, int]) -> HybridStrips:
    """Return strips that have followed keys.

    Args:
        strips: The strips.
        frames: Frames of all keys before.
        mapping: New frames of the keys that have moved, by their old ones.
    """
    if not strips:
        return strips
    old = sorted(set(frames))
    moves = {frame: mapping.get(frame, frame) for frame in old}
    if all(frame == new for frame, new in moves.items()):
        return strips
    shifts = {new - frame for frame, new in moves.items()}
    if len(shifts) == 1:
        return without_overlaps(_shifted(strip, 0, next(iter(shifts))) for strip in strips)
    place = place_by_keys(old, mapping)
    return without_overlaps(
        _followed(strip, _with_ends(strip, *retimed_ends(strip.start, strip.end, old, moves)), place)
        for strip in strips
    )


def _followed(strip: HybridStrip, ended: HybridStrip, place: Place) -> HybridStrip:
    """Return a strip with other ends, the keys of its torques where their frames have gone.

    Args:
        strip: The strip before.
        ended: It with its ends then.
        place: Where each frame of the sequence goes.
    """
    if not strip.torques:
        return ended
    torques = (curve.followed(place, strip.start, ended.start) for curve in strip.torques)
    return replace(ended, torques=tuple(curve for curve in torques if curve is not None))


def made_room(strips: HybridStrips, frame: int, by: int) -> HybridStrips:
    """Return strips after ``by`` frames were put in before ``frame``; one that reaches across goes on through them."""
    return tuple(_shifted(strip, frame, by) for strip in strips)


def _shifted(strip: HybridStrip, first: int, by: int) -> HybridStrip:
    def later(frame: int) -> int:
        return min(max(frame + by, 0), MAX_FRAME) if frame >= first else frame

    ended = _with_ends(strip, later(strip.start), None if strip.end is None else later(strip.end))
    return _followed(strip, ended, lambda frame: frame + by if frame >= first else frame)


def without_frames(
    strips: HybridStrips, place: Callable[[int], int | None], start: Callable[[int], int], end: Callable[[int], int]
) -> HybridStrips:
    """Return strips after frames were taken away: one over them gets shorter, one inside them is gone.

    Args:
        strips: The strips.
        place: Where a frame goes; None if it is taken away.
        start: Where a strip begins that began at a frame.
        end: Where one ends that ended there.
    """
    kept = []
    for strip in strips:
        first, last = start(strip.start), None if strip.end is None else end(strip.end)
        gone = place(strip.start) is None and strip.end is not None and place(strip.end) is None
        if not gone and (last is None or first < last):
            kept.append(_followed(strip, replace(strip, start=first, end=last), place))
    return without_overlaps(kept)


def rescaled(strips: HybridStrips, factor: float) -> HybridStrips:
    """Return strips of which all frames are multiplied, rounded to whole ones: the same times at another rate."""
    if factor == 1.0:
        return strips
    made = []
    for strip in strips:
        torques = tuple(curve.moved(0.0, factor) for curve in strip.torques)
        longer = replace(strip, ease_in=strip.ease_in * factor, ease_out=strip.ease_out * factor, torques=torques)
        end = None if strip.end is None else round(strip.end * factor)
        made.append(_with_ends(longer, round(strip.start * factor), end))
    return without_overlaps(made)


# -- one strip -------------------------------------------------------------------------------------------------------


def moved_copy(strip: HybridStrip, start: int, **values: Any) -> HybridStrip:
    """Return a copy of a strip, with an id of its own, that begins at a frame, its end with it."""
    end = None if strip.end is None else check_frame(strip.end + check_frame(start) - strip.start)
    return replace(strip, **{"id": new_id(), "start": start, "end": end, **values})


def later_part(strip: HybridStrip, start: int, **values: Any) -> HybridStrip:
    """Return what is left of a strip from a frame on: its torques stay at their frames."""
    torques = tuple(curve.moved(strip.start - start) for curve in strip.torques)
    return replace(strip, **{"start": start, "ease_in": 0.0, "torques": torques, **values})


def split(strip: HybridStrip, frame: int) -> tuple[HybridStrip, HybridStrip]:
    """Return a strip cut in two at a frame, where its joints are at their keys: the first keeps the id.

    Raises:
        SequenceError: If the frame is not inside the strip.
    """
    frame = check_frame(frame)
    if not strip.start < frame or (strip.end is not None and frame >= strip.end):
        last = "on" if strip.end is None else f"to {strip.end}"
        raise SequenceError(f"{strip.title} runs from frame {strip.start} {last}; it cannot be split at frame {frame}")
    return replace(strip, end=frame), later_part(strip, frame, id=new_id())


def without_range(strips: HybridStrips, first: int, last: int) -> HybridStrips:
    """Return strips after the motion of ``first..last`` became keys: what lay there is gone, the rest stays."""
    kept = []
    for strip in strips:
        if strip.start >= last or (strip.end is not None and strip.end <= first):
            kept.append(strip)
            continue
        before = strip.start < first
        if before:
            kept.append(replace(strip, end=first))
        if strip.end is None or strip.end > last:
            kept.append(later_part(strip, last, id=new_id() if before else strip.id))
    return tuple(kept)


# -- clips -----------------------------------------------------------------------------------------------------------


def cut_out(strips: HybridStrips, first: int, last: int) -> HybridStrips:
    """Return the strips in ``first..last``, cut off at both ends, their frames counted from ``first``."""
    found = []
    for strip in strips:
        start = max(strip.start, first)
        end = last if strip.end is None else min(strip.end, last)
        if start < end:
            part = strip if start == strip.start else later_part(strip, start)
            found.append(replace(part, start=start - first, end=end - first))
    return tuple(found)


def put_in(strips: HybridStrips, frame: int, clip: HybridStrips) -> HybridStrips:
    """Return strips with those of a clip put in from ``frame`` on; where a joint has a strip already that one stays."""
    made = list(strips)
    for strip in clip:
        brought = moved_copy(strip, strip.start + frame)
        if not any(brought.overlaps(other) for other in strips):
            made.append(brought)
    return tuple(made)


def renamed(strips: HybridStrips, names: Mapping[str, str | None]) -> HybridStrips:
    """Return strips whose joints have other names; a joint without one is left out, and a strip without joints too.

    Args:
        strips: The strips.
        names: New names by old ones, None for a joint that is gone; others stay.
    """
    made = []
    for strip in strips:
        new_names = [names.get(name, name) for name in strip.parts]
        parts = tuple(dict.fromkeys(name for name in new_names if name is not None))
        if parts or strip.whole:
            torques = renamed_torques(strip.torques, names)
            same = parts == strip.parts and torques == strip.torques
            made.append(strip if same else replace(strip, parts=parts, torques=torques))
    return tuple(made)
