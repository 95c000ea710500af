"""A hybrid strip: joints and the frames over which forces move them. Where no strip is, keys do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.animation.checked_values import checked_frame, checked_number
from core.animation.key import MAX_FRAME
from core.animation.locks.strip import new_id
from core.errors import JointError, SequenceError
from core.skeleton import Skeleton

DYNAMIC, MOTOR = "dynamic", "motor"
MODES: tuple[str, ...] = (DYNAMIC, MOTOR)
"""What moves a joint under a strip: forces alone, or also a motor in it that follows the keys."""

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
        gain: How strong motors are, mode ``"motor"``: times the gain that the settings of physics give; 0 is limp.
        damping: How much of its critical damping a motor has: at 1 it comes back quickest without swinging over.
        id: Short name; stays the same through edits.
        name: What lists call it; None for a name made from its parts.
        extra: Members of the file's record that this version does not know; kept and written back.

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
        for other in checked:
            if strip.id == other.id:
                raise SequenceError(f'{where}: two hybrid strips have the id "{strip.id}"; each must have its own')
            if strip.overlaps(other):
                raise SequenceError(f"{where}: {collision(other, strip)}")
        checked.append(strip)
    return tuple(checked)


def collision(first: HybridStrip, second: HybridStrip) -> str:
    """Return what is wrong about two strips that overlap, in one line."""
    both = next((name for name in second.parts if first.moves(name)), next(iter(first.parts), None))
    what = "the whole figure" if both is None else f'joint "{both}"'
    frames = " and ".join(f"{s.start} to {'the end' if s.end is None else s.end}" for s in (first, second))
    return f"two hybrid strips move {what} at once, at frames {frames}; one must end before the other begins"
