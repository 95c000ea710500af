"""Many keys moved between, away from and toward the keys around them, each value on its own. No window."""

from __future__ import annotations

import numpy as np

from app.document.gestures.between_gesture import BREAKDOWN, LEAN, PUSH
from app.timeline.curves.edits import Points
from core.animation import breakdown, editing
from core.animation.channels import channels_of
from core.animation.key import Key
from core.animation.key_parts import Parts
from core.animation.sequence import Sequence
from core.errors import SequenceError

_MAKERS = {BREAKDOWN: breakdown.broken_down, PUSH: breakdown.pushed, LEAN: breakdown.leaned}


def between_keys(
    sequence: Sequence, parts: Parts, points: Points, kind: str, amount: float, stopped: set[int] | None = None
) -> list[Key]:
    """Return a sequence's keys with values of some moved between the nearest keys that are not among them.

    The selected keys of a run all go by the same two keys, one at either side of the run, whatever their order: at
    100 % of a breakdown all are the one after it, relaxed fully they are on the way from the one to the other.

    Args:
        sequence: The sequence; it does not change.
        parts: Channels of the selected keys, by frame.
        points: Values that change.
        kind: ``BREAKDOWN``, ``PUSH`` or ``LEAN``.
        amount: How far, as ``core.animation.breakdown`` has it.
        stopped: Takes the places of values that limits keep from going as far as the others.

    Raises:
        SequenceError: If there is no key beside the selected ones.
    """
    skeleton, channels = sequence.skeleton, channels_of(sequence.skeleton)
    others = Sequence(skeleton, fps=sequence.fps)
    others.set_keys(editing.removed(sequence.keys, parts, channels))
    chosen: dict[int, list[int]] = {}
    for column, frames in points.items():
        for frame in frames.tolist():
            chosen.setdefault(frame, []).append(column)
    made, known = [], False
    for key in sequence.keys:
        columns = chosen.get(key.frame)
        if columns is None:
            made.append(key)
            continue
        mask = np.zeros(skeleton.nq, dtype=bool)
        mask[columns] = True
        near = breakdown.neighbours(others, key.frame)
        known |= bool((near.known & mask).any())
        pose = others.pose_of(key) if len(others.keys) else key.q
        q = _MAKERS[kind](near, np.where(channels.mask(key.keyed or channels.all), key.q, pose), amount, mask, stopped)
        values = np.where(mask & near.known, q, key.q)
        values.setflags(write=False)
        made.append(key.changed(q=values))
    if not known:
        raise SequenceError("there is no key beside the selected ones; leave one at either side")
    return made
