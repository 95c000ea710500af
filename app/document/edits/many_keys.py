"""An edit of the pose on screen that is made to all selected keys: which keys take part, and what they become."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetKeys
from app.document.edits.edits import same_bits
from app.document.edits.holding import holding_of
from app.document.edits.timed_keys import seen_frame
from core.animation.key import Key
from core.animation.layers.many_keys import key_weights, offset_keys
from core.animation.layers.offsets import offset_between
from core.animation.retiming import made_key
from core.posing.pose_edit import edited_pose

if TYPE_CHECKING:
    from app.document.content.model import Model
    from app.document.session import Session
    from core.animation.sequence import Sequence
    from core.arrays import Array, Ints

MOST_LIVE = 256
"""Keys that follow a drag while it lasts, those nearest to the current frame; the others follow at its end."""
MOST_HELD = 64
"""Keys that are brought onto the locks at their frames; of more than that locks hold the motion as it is shown."""


class ManyKeys:
    """The selected keys of a sequence, and those around them that take part, as they are before an edit.

    Args:
        model: The document's content.
        session: Which keys are selected, and how far around them keys take part.
        frame: The frame of the pose that is edited.

    Attributes:
        frame: The frame at which that pose is keyed.
        count: How many frames have selected keys.
    """

    def __init__(self, model: Model, session: Session, frame: int):
        sequence = model.sequence
        assert sequence is not None
        self._model, self._session = model, session
        self._sequence: Sequence = sequence
        self.frame = seen_frame(sequence, frame)
        self._keys, self._channels = sequence.keys, sequence.channels
        selected = session.keys.selected.mask(self._keys.table, self._channels)
        self._rows = np.flatnonzero(selected.any(axis=1))
        self.count = len(self._rows)
        self._weights = key_weights(self._keys, selected, float(session.keys.falloff))
        self._frames = self._keys.table.frames
        self._selected = selected

    @classmethod
    def at(cls, model: Model, session: Session, frame: int) -> ManyKeys | None:
        """Return the keys that an edit at a frame is made to; None if it is made to that frame alone.

        It is made to selected keys of two or more frames, if the frame is one of them or has no key and lies between
        them.
        """
        sequence, settings = model.sequence, session.keys
        if (
            sequence is None
            or model.pending is not None
            or not (settings.auto and settings.together)
            or len(settings.selected) < 2
        ):
            return None
        made = cls(model, session, frame)
        if made.count < 2:
            return None
        first, last = made._frames[made._rows[[0, -1]]]
        own = int(np.searchsorted(made._frames, made.frame))
        there = own < len(made._frames) and made._frames[own] == made.frame
        return made if (made._selected[own].any() if there else first < made.frame < last) else None

    def text(self, text: str) -> str:
        """Return what the history calls an edit of them."""
        return f"{text} in {self.count} keys"

    def commands(self, index: int, start: Array, pose: Array, live: bool = False) -> list[Command] | None:
        """Return what makes the change from one pose to another to all keys.

        Args:
            index: Number of the sequence in the document.
            start: The pose at the frame before, shape (nq,).
            pose: The pose there now.
            live: Whether it will change again soon: then only keys nearby follow, and locks are left to what is shown.

        Returns:
            The commands; None if what has changed is selected nowhere else, so that the frame alone is edited.
        """
        skeleton, of_value = self._sequence.skeleton, self._channels.of_value
        changed = np.zeros(len(self._channels), dtype=bool)
        changed[of_value[start != pose]] = True
        own = self._frames == self.frame
        chosen = self._selected & changed
        if not chosen[~own].any() or (own.any() and not chosen[own].any()):
            return None
        offset = offset_between(skeleton, start, pose)
        rows = np.flatnonzero((self._weights[:, changed] > 0.0).any(axis=1) & ~own)
        if live and len(rows) > MOST_LIVE:
            rows = np.sort(rows[np.argsort(np.abs(self._frames[rows] - self.frame), kind="stable")[:MOST_LIVE]])
        after: dict[int, Key] = dict(offset_keys(skeleton, self._keys, offset, self._weights, rows))
        if not live:
            after = self._held(after, np.flatnonzero(start != pose))
        for i in np.flatnonzero(own & chosen.any(axis=1)).tolist():
            names = frozenset(np.array(self._channels.names, dtype=object)[chosen[i]].tolist())
            after[self.frame] = made_key(self._channels, self._keys[i], self.frame, pose, names)
        before = {self._keys[i].frame: self._keys[i] for i in (*rows.tolist(), *np.flatnonzero(own).tolist())}
        moved = [frame for frame, key in after.items() if not same_bits(before[frame], key)]
        if not moved:
            return []
        return [SetKeys(index, {f: before[f] for f in sorted(moved)}, {f: after[f] for f in sorted(moved)})]

    def _held(self, keys: dict[int, Key], edited: Ints) -> dict[int, Key]:
        """Return keys brought onto the locks at their frames, what was edited as it is if the locks allow it."""
        model, session = self._model, self._session
        if len(keys) > MOST_HELD or not session.locks.hold or self._sequence.timing.in_use:
            return keys
        made = {}
        for frame, key in keys.items():
            holding = holding_of(model, session, frame=frame) if key.keyed is None else None
            if holding is not None:
                before = self._keys.at(frame)
                assert before is not None
                q = edited_pose(self._sequence.skeleton, before.q, key.q, holding, fixed=edited.tolist())
                key = key.changed(q=q)
            made[frame] = key
        return made
