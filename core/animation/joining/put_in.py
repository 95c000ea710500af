"""A motion put into a sequence: inserted, in the place of what is there, or at its end.

What follows goes on where the figure is then: its keys and locks move over the ground with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.animation.cycles import HOLD
from core.animation.joining.join import Join, joined, last_frame, ready
from core.animation.joining.seam import Seam, find_seams
from core.animation.joining.trial import best_join
from core.animation.joining.unrolled import unrolled
from core.animation.key import check_frame
from core.animation.layers.layer import retimed_layers
from core.animation.layers.motion import acting
from core.animation.sequence import Sequence
from core.errors import PoseError, SequenceError
from core.progress import Progress

INSERT, REPLACE, APPEND = "insert", "replace", "append"
WAYS = (INSERT, REPLACE, APPEND)
"""How a motion is put in: what is there moves on, or gives way, or comes before all of it."""

NEAR = 0.3
"""So far from where it was asked for a seam may be for the feet to match, [s]."""

_INTO = 1.2  # [s]: so much of its beginning a motion may lose for that: one step and the next
_SHARE = 0.5  # of a motion: it never loses more
USUAL = 0.3
"""How long a cross-fade takes that nobody has chosen, [s]."""


@dataclass(frozen=True, eq=False)
class PutIn:
    """A sequence with a motion in it.

    Attributes:
        sequence: The sequence.
        first: Frame at which the motion begins to come in.
        last: Frame at which it has gone, or ends.
        seams: Where it comes in, and where what follows goes on, if anything does.
        skipped: How many frames of the motion are left out at its beginning, and at its end.
        lost: How many frames of the sequence are left out.
        place: Where each frame of the sequence is now.
        notes: What had to change beside keys and locks, a sentence each.
    """

    sequence: Sequence
    first: int
    last: int
    seams: tuple[Seam, ...]
    skipped: tuple[int, int]
    lost: int
    place: Callable[[float], float | None]
    notes: tuple[str, ...]

    def values(self, before: Sequence) -> dict[str, Any]:
        """Return what another sequence, the one before, must have to be this one, by names for ``Sequence.put``."""
        made, kept = self.sequence, before.layers
        if acting(kept):
            kept = tuple(layer for layer in kept if layer not in acting(kept))

        def nearest(frame: int) -> int | None:
            there = self.place(frame)
            return None if there is None else round(there)

        end = None if before.ends_with_last_key else last_frame(made)
        return {
            "keys": tuple(made.keys),
            "strips": made.locks.strips,
            "hybrid_strips": made.hybrid_strips,
            "layers": retimed_layers(kept, nearest),
            "timings": {},
            "root_speed": None,
            "markers": made.markers,
            "camera": before.camera.moved(nearest),
            "cycles": made.cycles,
            "gait": None,
            "range": (before.range[0], end),
            "place": self.place,
        }


def usual_frames(fps: float) -> int:
    """Return how long a cross-fade takes that nobody has chosen, [frames]."""
    return max(round(USUAL * fps), 1)


def put_in(
    into: Sequence,
    motion: Sequence,
    frame: int | None = None,
    way: str = INSERT,
    frames: int | None = None,
    lock_aware: bool = True,
    progress: Progress | None = None,
) -> PutIn:
    """Return a sequence with a motion of its figure in it, which comes in and goes over a cross-fade.

    With ``lock_aware`` the seams are looked for nearby where the same feet stand and poses and speeds are alike, and
    what stands stays exactly where it is.

    Args:
        into: The sequence; it does not change.
        motion: The motion, of a figure with the same degrees of freedom and at as many frames a second.
        frame: Where it is to come in; None, or ``"append"``, for the end.
        way: One of ``WAYS``.
        frames: How long the cross-fades take, [frames]; 0 for cuts, None for ``usual_frames``.
        lock_aware: Whether seams are looked for.
        progress: Told what is done, 0 to 1, before each seam that is tried; it may raise ``Cancelled``.

    Raises:
        Cancelled: If ``progress`` did so.
        SequenceError: If one has no keys, or a value is not valid.
        PoseError: If the motion is of another figure.
    """
    if way not in WAYS:
        raise SequenceError(f'"{way}" is no way to put a motion in; valid are {", ".join(WAYS)}')
    if (into.skeleton.joint_names, into.skeleton.dof_names) != (motion.skeleton.joint_names, motion.skeleton.dof_names):
        raise PoseError(f'"{motion.name}" is of another figure than "{into.skeleton.name}"')
    notes: list[str] = []
    first, second = ready(into, notes), ready(motion, notes)
    n = usual_frames(into.fps) if frames is None else frames
    low, high = first.keys[0].frame if first.keys else 0, last_frame(first)
    length = last_frame(second) - _first_frame(second)
    n = max(min(n, (high - low) // 2, length // 2), 0)
    at = high if way == APPEND or frame is None else min(max(check_frame(frame), low), high)
    near = round(NEAR * into.fps) if lock_aware else 0
    # What plays round and round goes on over the cross-fade; what ends has it before its end.
    on = unrolled(first, n)
    latest = high if on is not first else high - n
    if way == APPEND or at >= latest:
        came, _ = _came_in(on, second, latest, (n, 0), near, latest, lock_aware, progress)
        return _only(first, second, came, high, notes)
    came, end = _came_in(first, second, at, (n, n), near, high - n, lock_aware, _half(progress, 0))
    start = at if way == INSERT else at + length
    return _with_rest(first, second, came, (start, high, end), n, near, lock_aware, notes, _half(progress, 1))


def _half(progress: Progress | None, number: int) -> Progress | None:
    return None if progress is None else lambda done: progress(0.5 * (number + done))


def _first_frame(sequence: Sequence) -> int:
    return min(sequence.range[0], sequence.keys[0].frame) if sequence.keys else sequence.range[0]


def _came_in(
    first: Sequence,
    second: Sequence,
    at: int,
    frames: tuple[int, int],
    near: int,
    latest: int,
    lock_aware: bool,
    progress: Progress | None,
) -> tuple[Join, int]:
    """Return a sequence with a motion after it, and at which frame of it something may follow at the latest.

    A motion that plays round and round has a whole round, wherever it begins.
    """
    (n, more), begin, end = frames, _first_frame(second), last_frame(second)
    into = min(round(_INTO * first.fps), round(_SHARE * (end - begin)), max(end - begin - n, 0)) if near else 0
    low = first.keys[0].frame if first.keys else 0
    before = max(at - near, low), max(min(at + near, latest), low)
    longer = unrolled(second, n + into)
    after = begin, begin + into
    seams = find_seams(first, longer, (min(before), max(before)), after, n, (at, begin), lock_aware=lock_aware)

    def make(seam: Seam) -> Join:
        return joined(first, unrolled(second, seam.after - begin + more), seam)

    come = best_join(seams, make, first, second, progress)
    skipped = come.seam.after - begin
    whole = end + come.shift
    return come, whole - more if longer is second else whole + skipped


def _only(first: Sequence, second: Sequence, came: Join, high: int, notes: list[str]) -> PutIn:
    seam = came.seam

    def place(frame: float) -> float | None:
        return frame if frame <= seam.before + seam.frames else None

    lost = max(high - seam.before - seam.frames, 0)
    skipped = 0 if seam.second.sequence is not second else seam.after - _first_frame(second)
    found = tuple(dict.fromkeys((*notes, *came.notes)))
    return PutIn(came.sequence, seam.before, came.last, (seam,), (skipped, 0), lost, place, found)


def _with_rest(
    first: Sequence,
    second: Sequence,
    came: Join,
    rest: tuple[int, int, int],
    n: int,
    near: int,
    lock_aware: bool,
    notes: list[str],
    progress: Progress | None,
) -> PutIn:
    """Return the sequence with what follows the motion.

    Args:
        first: The sequence.
        second: The motion.
        came: Both, the motion after what comes before it.
        rest: First and last frame of what follows, and at which frame of both it may follow at the latest.
        n: How long the cross-fade takes.
        near: How far from there it may be.
        lock_aware: Whether the seam is looked for.
        notes: What had to change already.
        progress: Told what is done.
    """
    into, (start, high, end) = came.seam, rest
    if start > high - n:  # all of it gives way
        return _only(first, second, came, high, notes)
    tail = first
    if first.cycles != (HOLD, HOLD):
        tail = _without_cycles(first)
    before = max(end - near, into.before + n, 0), max(end, into.before + n)
    # Rather than lose some of what follows it is shown twice.
    after = max(start - 2 * near, first.keys[0].frame), min(start + near, high - n)
    seams = find_seams(
        came.sequence, tail, before, (min(after), max(after)), n, (before[1], start), lock_aware=lock_aware
    )
    whole = best_join(seams, lambda seam: joined(came.sequence, tail, seam), came.sequence, tail, progress)
    seam = whole.seam
    by = seam.before - seam.after

    def place(frame: float) -> float | None:
        if frame <= into.before:
            return frame
        return frame + by if frame > seam.after else None

    made = whole.sequence
    made.cycles = (first.cycles[0], first.cycles[1])
    gone = 0 if into.second.sequence is not second else into.after - _first_frame(second)
    skipped = gone, max(end - seam.before, 0)
    lost = max(seam.after - into.before, 0)
    found = tuple(dict.fromkeys((*notes, *came.notes, *(n for n in whole.notes if "played once" not in n))))
    return PutIn(made, into.before, seam.before + seam.frames, (into, seam), skipped, lost, place, found)


def _without_cycles(sequence: Sequence) -> Sequence:
    made = Sequence(sequence.skeleton, sequence.fps, sequence.name, keys=sequence.keys)
    made.locks, made.locks.strips = sequence.locks, sequence.locks.strips
    made.hybrid_strips, made.markers, made.camera = sequence.hybrid_strips, sequence.markers, sequence.camera
    made.gait, made.companions, made.locks.holds = sequence.gait, sequence.companions, sequence.locks.holds
    made.set_range(sequence.range[0], None if sequence.ends_with_last_key else sequence.range[1])
    return made
