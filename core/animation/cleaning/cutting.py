"""A recording cut to what is wanted of it: trimmed, a stretch of it taken out, or made to go round.

Where frames go from the middle, and where a loop closes, the motion goes over from one side to the other in a
cross-fade, at the place near the wanted one where both are alike and the same feet stand; what stands stays there
(``core.animation.joining``). A loop goes on from where it ended, over the ground.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.animation.cycles import HOLD, OFFSET
from core.animation.editing import checked_range
from core.animation.joining.join import joined, ready
from core.animation.joining.put_in import NEAR, usual_frames
from core.animation.joining.seam import Seam, find_seams
from core.animation.joining.trial import best_join
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.errors import SequenceError
from core.progress import Progress, part
from core.skeleton.stance import stance

SHORTEST = 0.3
"""A loop takes at least so long, [s]."""

Place = Callable[[float], "float | None"]


class Cut(NamedTuple):
    """A sequence of which something was cut.

    Attributes:
        sequence: The sequence.
        place: Where each frame of the one before is now; None for what is gone.
        seam: Where both sides meet; None where nothing does.
        notes: What had to change beside keys and locks, a sentence each.
    """

    sequence: Sequence
    place: Place
    seam: Seam | None = None
    notes: tuple[str, ...] = ()


def trimmed(sequence: Sequence, first: int, last: int) -> Cut:
    """Return a sequence that begins and ends with two frames of another one; its first frame is 0.

    Args:
        sequence: The sequence; it does not change.
        first: First frame that stays.
        last: Last frame that does.

    Raises:
        SequenceError: If the range runs backwards, or has no part of the motion in it.
    """
    first, last = checked_range(first, last)
    if not sequence.keys or last < sequence.keys[0].frame or first > sequence.keys[-1].frame or first == last:
        raise SequenceError(f'nothing of the motion of "{sequence.name}" is between frames {first} and {last}')
    made, end = copied(sequence), max(sequence.range[1], sequence.keys[-1].frame)
    for frame in (first, last):
        if made.keys.at(frame) is None and made.keys[0].frame < frame < made.keys[-1].frame:
            made.set_key(frame, made.base_at_frames([frame])[0])
    if last < end:
        made.remove_frames(last + 1, end)
    if first > 0:
        made.remove_frames(0, first - 1)
    made.cycles = (HOLD, HOLD)
    made.set_range(0, None)
    return Cut(made, lambda frame: frame - first if first <= frame <= last else None)


def without(
    sequence: Sequence, first: int, last: int, frames: int | None = None, progress: Progress | None = None
) -> Cut:
    """Return a sequence without a stretch of it; what follows goes on from where the figure is before, over the ground.

    Args:
        sequence: The sequence; it does not change.
        first: First frame that goes.
        last: Last frame that does.
        frames: How long the cross-fade takes, [frames]; None for the usual time.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If the range runs backwards, or is not inside the motion: such frames are trimmed.
    """
    first, last = checked_range(first, last)
    notes: list[str] = []
    own = ready(sequence, notes)
    if not own.keys or not own.keys[0].frame < first <= last < own.keys[-1].frame:
        raise SequenceError(
            f"frames {first} to {last} are not inside the motion"
            + (f", {own.keys[0].frame} to {own.keys[-1].frame}; trim it instead" if own.keys else "; there is no key")
        )
    low, high = own.keys[0].frame, own.keys[-1].frame
    n = usual_frames(own.fps) if frames is None else frames
    n = max(min(n, high - last - 1), 0)
    near = round(NEAR * own.fps)
    before = max(first - 1 - near, low), first - 1
    after = last + 1, max(min(last + 1 + near, high - n), last + 1)
    seams = find_seams(own, own, before, after, n, (before[1], after[0]))
    join = best_join(seams, lambda seam: joined(own, own, seam), own, own, progress)
    seam, by = join.seam, join.shift

    def place(frame: float) -> float | None:
        return frame if frame <= seam.before else frame + by if frame > seam.after else None

    join.sequence.cycles = sequence.cycles
    return Cut(join.sequence, place, seam, tuple(dict.fromkeys((*notes, *join.notes))))


def looped(
    sequence: Sequence,
    first: int | None = None,
    last: int | None = None,
    frames: int | None = None,
    progress: Progress | None = None,
) -> Cut:
    """Return a part of a sequence that goes round: it ends in the pose in which it begins, wherever it then is.

    The longest part is taken that closes well; between two frames, one that begins and ends near these.

    Args:
        sequence: The sequence; it does not change.
        first: Where about it shall begin; None for anywhere.
        last: Where about it shall end; None for anywhere.
        frames: How long the cross-fade takes in which it closes, [frames]; None for the usual time.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If there is no key, or too little between them.
    """
    notes: list[str] = []
    own = ready(sequence, notes)
    if not own.keys:
        raise SequenceError(f'"{sequence.name}" has no keys, so it cannot go round')
    low, high = own.keys[0].frame, own.keys[-1].frame
    n = usual_frames(own.fps) if frames is None else frames
    least = max(round(SHORTEST * own.fps), n + 1)
    begin, end = (low if first is None else max(first, low)), (high if last is None else min(last, high))
    if end - begin < least + n:
        raise SequenceError(
            f"frames {begin} to {end} are too few for a loop with a cross-fade of {n} frames; it needs {least + n}"
        )
    near = round(NEAR * own.fps)
    middle = (begin + end) // 2
    after = (max(begin - n, low), max(begin - n, low) + near) if first is not None else (low, max(middle - least, low))
    before = (max(end - n - near, after[1] + least), end - n) if last is not None else (middle, high - n)
    before = min(before), max(before)
    seams = find_seams(own, own, before, after, n, (before[1], after[0]))
    join = best_join(seams, lambda seam: joined(own, own, seam), own, own, part(progress, 0.0, 0.9))
    seam = join.seam
    start, stop = seam.after + n, seam.before + n
    cut = trimmed(join.sequence, start, stop)
    made = cut.sequence
    _close(made)
    made.cycles = (OFFSET, OFFSET)
    made.set_range(0, stop - start)
    said = (text for text in join.notes if "played once" not in text)
    return Cut(
        made,
        lambda frame: frame - start if start <= frame <= stop else None,
        seam,
        tuple(dict.fromkeys((*notes, *said))),
    )


def _close(sequence: Sequence) -> None:
    """Let a loop end in exactly the pose in which it begins; a cross-fade's keys are a little off."""
    about = stance(sequence.skeleton)
    first, last = (np.asarray(sequence.keys[n].q) for n in (0, -1))
    q = first.copy()
    angle = about.ground_place(last)[0] - about.ground_place(first)[0]
    q = about.moved(q[None], angle, 0.0, 0.0)[0]
    (_, x, z), (_, u, v) = about.ground_place(q), about.ground_place(last)
    q[0] += u - x
    q[2] += v - z
    turn = about.turn
    if turn is not None:
        q[turn] = last[turn]
    frame = sequence.keys[-1].frame
    sequence.change_keys({frame: Key(frame, q, sequence.keys[-1].interp)})


def copied(sequence: Sequence) -> Sequence:
    """Return a copy of a sequence: what is done to it the other one does not notice."""
    made = Sequence(sequence.skeleton, sequence.fps, sequence.name, menu=sequence.menu, loop=sequence.loop)
    made.put({name: sequence.value(name) for name in _VALUES})
    made.set_range(sequence.range[0], None if sequence.ends_with_last_key else sequence.range[1])
    made.locks = list(sequence.locks)
    made.locks.strips, made.companions = sequence.locks.strips, sequence.companions
    made.extra = dict(sequence.extra)
    return made


_VALUES = (
    "keys", "hybrid_strips", "layers", "timings", "root_speed", "markers", "camera", "cycles", "holds", "audio",
    "script", "gait",
)  # fmt: skip
