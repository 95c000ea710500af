"""What a row of the list of locks shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LockLine:
    """What a row shows.

    Attributes:
        key: Which lock it is, as the session's ``selected_lock`` has it.
        kind: Kind of lock, for the glyph.
        part: What it holds.
        detail: Kind and how many joints may help.
        brief: The same with the kind in as few words as there are, for narrow rows.
        weights: Its weight, or those of position and orientation.
        weight_text: The same in words.
        residual: How far it is off; for a balance lock its margin.
        below: What stands under that: the word of its state, or for a balance lock where the centre of mass is.
        word: ``"holds"``, ``"yields"``, ``"conflict"``, ``"let go"``, ``"easing"`` or ``"off"``.
        spoken: All of it in words, for assistive tools.
        tip: What the tooltip says.
    """

    key: str
    kind: str
    part: str
    detail: str
    brief: str
    weights: tuple[float, ...]
    weight_text: str
    residual: str
    below: str
    word: str
    spoken: str
    tip: str = ""
