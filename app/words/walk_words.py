"""A walk in words: what it is, and what of it could not be reached."""

from __future__ import annotations

from app.words.lengths import distance_text
from core.gait.manner import WALK, Manner
from core.gait.table import pace_of

KIND_WORDS = {WALK: "Walk"}
"""What kinds of gait are called."""
REACHED = 1e-4
"""Feet that miss their places by no more are there, [m]."""


def made_words(manner: Manner, leg: float, lasts: float) -> str:
    """Return what a walk is, in a line.

    Args:
        manner: How the figure walks.
        leg: Length of its legs, [m].
        lasts: How long it takes, [s].
    """
    pace = pace_of(manner, leg)
    steps = "1 step" if manner.steps == 1 else f"{manner.steps} steps"
    moved = len(manner.footprints)
    placed = "" if not moved else f"; {moved} footprint{'' if moved == 1 else 's'} moved by hand"
    return (
        f"{steps} of {pace.length:.2f} m, {pace.rate * 60.0:.0f} a minute, {pace.speed:.2f} m/s; {lasts:.1f} s{placed}"
    )


def missed_words(missed: float) -> str:
    """Return what legs could not reach, in a line; "" if they reach all of their places.

    Args:
        missed: How far a foot is from its place, at most, [m].
    """
    if missed <= REACHED:
        return ""
    return f"Legs do not reach all of their places: a foot misses its by up to {distance_text(missed)}"
