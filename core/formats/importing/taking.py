"""Part of a motion file, at the rate that a person wants: which frames are taken, how fast, how many a second."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.animation import Sequence
from core.animation.key import MAX_FRAME
from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.importing import findings as doubt
from core.formats.importing.choices import ImportChoices
from core.formats.placed_sequences import TakenDown, placed_motions
from core.formats.project import Project
from core.progress import Progress, part, report

_WHOLE = 1e-6  # frames: what is this near to a whole number is meant to be one


def taken(project: Project, choices: ImportChoices, file: str, progress: Progress | None = None) -> Project:
    """Return what was read from a motion file with the chosen frames alone, put on the floor and turned by those.

    Args:
        project: What was read of it, neither put on the floor nor turned to the front.
        choices: What the person chose, checked.
        file: Name of the file, for messages.
        progress: Told what is done.

    Raises:
        FormatError: If there is no frame in the chosen range, or there would be too many.
    """
    rows: list[TakenDown] = []
    count = max(len(project.sequences), 1)
    for number, sequence in enumerate(project.sequences):
        report(progress, 0.5 * number / count)
        own, wanted = _rate(sequence, choices)
        q = _poses(sequence, choices, file)
        rows.append(TakenDown(sequence, q, choices.first or 0, own / wanted, wanted))
    made = placed_motions(project.figures, rows, choices, part(progress, 0.5, 1.0))
    stand = made.stand
    found = project.imported
    if found is not None:
        doubts = [each for each in found.doubts if each != doubt.FLOOR] + ([doubt.FLOOR] if stand.odd else [])
        found = replace(
            found, choices=choices, lowest=stand.lowest, first_lowest=stand.first_lowest, facing=stand.facing,
            facing_average=stand.facing_average, apart=stand.apart, doubts=tuple(doubts),
        )  # fmt: skip
    return replace(project, figures=made.figures, sequences=made.sequences, imported=found)


def _rate(sequence: Sequence, choices: ImportChoices) -> tuple[float, float]:
    """Return frames a second of the file and of what is made of it."""
    own = sequence.fps if choices.rate is None else choices.rate
    return own, own if choices.fps is None else choices.fps


def _poses(sequence: Sequence, choices: ImportChoices, file: str) -> Array:
    """Return the poses of the frames that are taken, at the new rate, shape (m, nq); none without a motion."""
    if not sequence.keys:
        return np.empty((0, sequence.skeleton.nq))
    end = sequence.keys[-1].frame
    first = choices.first or 0
    last = end if choices.last is None else min(choices.last, end)
    if first > end:
        message = f'"{sequence.name}" ends at frame {end}; there is nothing from frame {first} on'
        raise FormatError(Problem(file, 0, 0, message))
    own, wanted = _rate(sequence, choices)
    steps = math.floor((last - first) * wanted / own + _WHOLE)
    if steps > MAX_FRAME or steps * sequence.skeleton.nq > 2_000_000_000:
        message = f"at {wanted:g} frames a second it would have {steps + 1} frames; so many are not read"
        raise FormatError(Problem(file, 0, 0, message))
    return np.asarray(sequence.poses_at_frames(first + np.arange(steps + 1) * (own / wanted)))
