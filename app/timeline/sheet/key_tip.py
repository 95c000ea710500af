"""What the timeline says of a key, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.timeline.sheet.rows import Row, spoken

if TYPE_CHECKING:
    from app.timeline.model import TimelineModel
    from app.words.ease_words import ease_name
from core.animation.shape import Shape

KINDS = {
    "auto": "Spline",
    "spline": "Spline, may overshoot",
    "linear": "Linear",
    "stepped": "Stepped",
    "catmull_rom": "Catmull-Rom",
    "centripetal": "Centripetal Catmull-Rom",
    "kochanek_bartels": "Tension, continuity and bias",
    "free": "Custom tangents",
}
"""How each kind of filling a span is called on the screen."""


def shape_words(shape: Shape) -> str:
    """Return what a shape says beside its kind: ease, full turns."""
    words = [KINDS[shape.interp]]
    if shape.interp == "kochanek_bartels":
        words[0] = f"Tension {shape.tension:g}, continuity {shape.continuity:g}, bias {shape.bias:g}".replace("-", "−")
    if shape.ease is not None:
        words.append(f"ease {ease_name(shape.ease.title)}")
    if shape.turns:
        words.append("full turns")
    return ", ".join(words)


def key_tip(model: TimelineModel, frame: int, row: Row | None = None) -> str:
    """Return what a key is, in a line or two.

    Args:
        model: The timeline.
        frame: Where the key is.
        row: The row it is shown in; None for all of the key.
    """
    sequence = model.document.sequence
    key = sequence.keys.at(frame) if sequence is not None else None
    if key is None or sequence is None:
        return ""
    names = sequence.channels.names
    row = None if row is not None and row.summary else row
    own = [names[n] for n in (range(len(names)) if row is None else row.channels) if key.keys(names[n])]
    frames = model.frames if row is None else model.view.track(row).frames
    at = int(np.searchsorted(frames, frame, side="right"))
    head = f"Key at frame {frame}" if row is None else f"Key at frame {frame}, {row.name[:1].lower()}{row.name[1:]}"
    whole = len(names) if row is None else len(row.channels)
    if len(own) < whole:
        held = ", ".join(spoken(name) or "Position" for name in own[:3]) + (
            f" and {len(own) - 3} more" if len(own) > 3 else ""
        )
        head += f"\nStores {held}"
    if at >= len(frames):
        return f"{head}, the last" if "\n" not in head else f"{head}; the last"
    shapes = dict.fromkeys(key.shape_of(name) for name in own)
    how = shape_words(next(iter(shapes))) if len(shapes) == 1 else "Mixed interpolation"
    return f"{head}\n{how} to the key at {int(frames[at])}"
