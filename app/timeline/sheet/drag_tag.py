"""What stands beside the cursor while keys are dragged: from where to where, by how much, in frames and beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.words.quantity import MINUS

if TYPE_CHECKING:
    from app.timeline.model import TimelineModel


def signed(number: float) -> str:
    """Return a number with its sign."""
    return f"{'+' if number >= 0 else MINUS}{abs(number):g}"


def beat_at(model: TimelineModel, frame: float) -> float | None:
    """Return how many beats lie before a frame, parts of them too; None without music, or outside it."""
    beats = model.marks.beats.frames
    if len(beats) < 2 or not beats[0] <= frame <= beats[-1]:
        return None
    return float(np.interp(frame, beats, np.arange(len(beats))))


def beats_text(model: TimelineModel, first: float, last: float) -> str:
    """Return how many beats lie between two frames; "" without beats there."""
    low, high = beat_at(model, first), beat_at(model, last)
    if low is None or high is None:
        return ""
    count = round(high - low, 2)
    near = np.interp(np.round((low, high)), np.arange(len(model.marks.beats.frames)), model.marks.beats.frames)
    if np.abs(near - (first, last)).max() <= 0.5:  # beats lie between frames; both ends are as near to one as can be
        count = round(high) - round(low)
    return f"{count:g} beat{'' if count == 1 else 's'}"


def drag_tag(model: TimelineModel, ripple: bool = False) -> str:
    """Return the lines that say where the dragged keys are shown; "" if nothing is dragged."""
    moves = model.moves
    if moves is None:
        return ""
    first, last = moves.place(moves.first), moves.place(moves.last)
    if moves.first == moves.last:
        lines = [f"{moves.first} → {first}   {signed(first - moves.first)}"]
    else:
        lines = [f"{moves.first}–{moves.last} → {first}–{last}"]
        before, now = moves.last - moves.first, last - first
        if before == now:
            lines[0] += f"   {signed(first - moves.first)}"
        else:
            lines[0] += f"   ×{now / before:.3g}"
            beats = beats_text(model, first, last)
            lines.append(f"{now} frames" + (f" · {beats}" if beats else ""))
    if moves.first == moves.last or last - first == moves.last - moves.first:
        at = beat_at(model, first)
        if at is not None:
            lines.append(f"beat {at + 1:.3g}")
    notes = [f"snaps to the {model.snap.what}"] if model.snap is not None else []
    if ripple:
        notes.append("what comes before ripples" if moves.earlier else "the rest ripples")
        if moves.earlier and not moves.new[0]:
            notes.append("no frames before 0")
    if notes:
        lines.append(" · ".join(notes))
    return "\n".join(lines)
