"""A walk in words: what it is, and what of it could not be reached."""

from __future__ import annotations

from app.words.lengths import distance_text
from core.gait.gait import Gait
from core.gait.manner import WALK, Manner, Pace

KIND_WORDS = {WALK: "Walk"}
"""What kinds of gait are called."""
NEEDS_KNEES = "Its legs do not bend: nothing would give way as it lands"
"""Why a figure with stiff legs only walks."""
REACHED = 1e-4
"""Feet that miss their places by no more are there, [m]."""


def kind_words(kind: str, needs_knees: bool = False) -> str:
    """Return what a gait is called in a list, with what a figure lacks for it."""
    name = KIND_WORDS.get(kind, kind.capitalize())
    return f"{name} (needs knees)" if needs_knees else name


def made_words(manner: Manner, gait: Gait | None, pace: Pace, lasts: float) -> str:
    """Return what a motion that is made by rules is, in a line.

    Args:
        manner: How the figure moves.
        gait: Its gait; None for a walk.
        pace: Speed, length and rate of its steps.
        lasts: How long it takes, [s].
    """
    if gait is not None and not gait.moves:
        return f"{gait.text[:1].upper()}{gait.text[1:]}; {lasts:.1f} s"
    moved = len(manner.footprints)
    placed = "" if not moved else f"; {moved} footprint{'' if moved == 1 else 's'} moved by hand"
    if manner.path:
        return f"Along its way at {pace.speed:.2f} m/s; {lasts:.1f} s{placed}"
    what = "jump" if manner.kind == "jump" else "step"
    steps = f"1 {what}" if manner.steps == 1 else f"{manner.steps} {what}s"
    how = f"{steps} of {pace.length:.2f} m, {pace.rate * 60.0:.0f} a minute, {pace.speed:.2f} m/s"
    return f"{how}; {lasts:.1f} s{placed}"


def missed_words(missed: float) -> str:
    """Return what legs could not reach, in a line; "" if they reach all of their places.

    Args:
        missed: How far a foot is from its place, at most, [m].
    """
    if missed <= REACHED:
        return ""
    return f"Legs do not reach all of their places: a foot misses its by up to {distance_text(missed)}"
