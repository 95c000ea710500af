"""Where Undo and Redo changed something: the frame to look at, and the joints that changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetKeys
from core.animation.curves.timing_curves import WHOLE_FIGURE
from core.animation.sequence import Sequence
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from app.document.content.model import Model
    from core.arrays import Array

_NEAR = 0.5
"""A frame of the path that is no farther from the one shown is seen."""


def frames_of(model: Model, commands: Iterable[Command]) -> set[int]:
    """Return the frames at which commands change keys of the sequence that is shown."""
    shown = model.sequence_index
    return {frame for command in commands if getattr(command, "sequence", shown) == shown for frame in command.frames()}


def frame_to_show(model: Model, commands: Iterable[Command]) -> int | None:
    """Return the frame to go to after commands were done or taken back; None to stay.

    It is the nearest frame at which a key changed, of two the first; one that has a key now goes before one that has
    none any more, and where none has any, the frame is one that plays: behind the end there is nothing to look at. A
    pose that is in no key keeps its frame, and so does whoever stands where the only key is gone.
    """
    if model.pending is not None or model.sequence is None:
        return None
    frames = frames_of(model, commands)
    if WHOLE_FIGURE in model.sequence.timing.curves and frames:
        return _frame_that_shows(model.sequence, frames, model.frame)
    first, last = model.sequence.range
    there = {frame for frame in frames if model.sequence.keys.at(frame) is not None}
    seen = model.frame in there or first <= model.frame <= last or len(frames) == 1
    if not frames or (model.frame in frames and seen):
        return None
    nearest = min(there or frames, key=lambda frame: (abs(frame - model.frame), frame))
    return nearest if there else min(max(nearest, first), last)


def _frame_that_shows(sequence: Sequence, frames: set[int], current: int) -> int | None:
    """Return the frame at which a timing of the whole figure shows the nearest of some frames of the path."""
    curve, wanted = sequence.timing.curves[WHOLE_FIGURE], np.array(sorted(frames), dtype=np.float64)
    if np.abs(wanted - curve.at(float(current))).min() <= _NEAR:
        return None
    shown = np.round(curve.shown(wanted))
    return int(shown[int(np.argmin(np.abs(shown - current)))])


def changed_joints(skeleton: Skeleton, before: Array, after: Array) -> tuple[int, ...]:
    """Return the joints whose values differ between two poses; of the root's place that is the root."""
    owners = [0, 0, 0, *skeleton.dof_joints]
    return tuple(sorted({owners[i] for i in np.flatnonzero(before != after).tolist()}))


def joints_of_keys(model: Model, commands: Iterable[Command], frame: int) -> tuple[int, ...]:
    """Return the joints of the active figure whose values differ between the keys at a frame before and after commands.

    What the commands do to keys of other figures, or of other sequences, does not count.
    """
    found: set[int] = set()
    skeleton = model.skeleton
    if skeleton is None:
        return ()
    for command in commands:
        if isinstance(command, SetKeys) and command.sequence == model.sequence_index and frame in command.after:
            keys = command.before[frame], command.after[frame]
            if keys[0] is None or keys[1] is None:
                return tuple(range(len(skeleton.joints)))
            found.update(changed_joints(skeleton, keys[0].q, keys[1].q))
    return tuple(sorted(found))
