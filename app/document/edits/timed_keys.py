"""A pose that is seen at a frame where timing curves show another frame of the path: where its key goes."""

from __future__ import annotations

import math

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetKeys, SetSequenceValue
from app.document.content.model import Model
from app.document.content.records import written_value
from core.animation.curves.pacing import path_frames
from core.animation.curves.timing_curves import WHOLE_FIGURE, TimingCurve
from core.animation.key import Key
from core.animation.key_parts import Names
from core.animation.retiming import made_key
from core.animation.sequence import Sequence
from core.arrays import Array

_AWAY = 1e-6  # [m]


class SeenFrame:
    """The frames of the path that are seen at a frame, as they are when it is made.

    A key stands at a whole frame of the path, and timing curves seldom show just that. What is keyed goes to the
    nearest one, and the curves get a point that shows it exactly here: the pose that was made is what is seen.

    Args:
        sequence: A sequence with timings.
        frame: The frame that is shown.
    """

    def __init__(self, sequence: Sequence, frame: int):
        self._channels, self._before = sequence.channels, sequence.timing.curves
        self._whole = dict(sequence.timing.curves)
        common = frame
        if WHOLE_FIGURE in self._whole:
            self._whole[WHOLE_FIGURE], common = _pinned(self._whole[WHOLE_FIGURE], frame)
        self._own: dict[str, TimingCurve] = {}
        self.frames = dict.fromkeys(self._channels, common)
        """The frame of the path at which each channel is keyed."""
        for name, curve in self._before.items():
            if name != WHOLE_FIGURE:
                self._own[name], self.frames[name] = _pinned(curve, common)
        self._keys: dict[int, Key | None] = {at: sequence.keys.at(at) for at in {*self.frames.values()}}

    def commands(self, index: int, q: Array, names: Names) -> list[Command]:
        """Return the commands that key a pose so that it is seen.

        Args:
            index: Number of the sequence in the document.
            q: Pose, shape (nq,), checked.
            names: Channels that are keyed; None for all.
        """
        chosen = frozenset(self._channels) if names is None else frozenset(names)
        timings = {**self._whole, **{name: curve for name, curve in self._own.items() if name in chosen}}
        commands: list[Command] = []
        if timings != dict(self._before):
            written = (written_value("timings", each) for each in (self._before, timings))
            commands.append(SetSequenceValue(index, "timings", *written))
        before, after = {}, {}
        for at in sorted({self.frames[name] for name in chosen}):
            here = frozenset(name for name in chosen if self.frames[name] == at)
            old = self._keys[at]
            key = made_key(self._channels, old, at, q, None if names is None and here == chosen else here)
            if old is None or old != key or old.q.tobytes() != key.q.tobytes():
                before[at], after[at] = old, key
        return [*commands, SetKeys(index, before, after)] if after else commands


def _pinned(curve: TimingCurve, frame: int) -> tuple[TimingCurve, int]:
    """Return a curve that shows a whole frame of the path at a frame, and which: the one nearest to what it shows."""
    seen = float(curve.at(np.float64(frame)))
    at = round(seen)
    if curve.first < frame < curve.last:
        at = min(max(at, math.ceil(curve.first)), math.floor(curve.last))
    if at == seen:
        return curve, at
    kept = [p for p in curve.points if (p[0] < frame and p[1] <= at) or (p[0] > frame and p[1] >= at)]
    return TimingCurve(tuple(sorted([*kept, (float(frame), float(at))]))), at


def seen_frame(sequence: Sequence, frame: int) -> int:
    """Return the whole frame of the path that is nearest to what the figure shows at a frame."""
    return round(float(path_frames(np.array([float(frame)]), sequence.timing.curves)[0]))


def key_note(model: Model, wanted: Array) -> str:
    """Return what is to be said once a pose is keyed at the current frame; "" where time runs as it is keyed."""
    sequence = model.sequence
    if sequence is None or not sequence.timing.in_use:
        return ""
    if sequence.timing.root_speed is not None and np.abs(model.pose[:3] - wanted[:3]).max() > _AWAY:
        return "Keyed; the root follows its path at the speed set for it, so it passes this position at another frame"
    at = float(path_frames(np.array([float(model.frame)]), sequence.timing.curves)[0])
    return f"Keyed at frame {at:g}, which the timing shows here" if at != model.frame else ""
