"""Part of a motion file, at the rate that a person wants: which frames are taken, how fast, how many a second."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.animation import Sequence
from core.animation.key import MAX_FRAME
from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.exchange.cameras import carried
from core.formats.importing import findings as doubt
from core.formats.importing.choices import ImportChoices
from core.formats.importing.placing import done_to, stood
from core.formats.importing.recording import keys_of
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton

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
    rows: list[tuple[Sequence, Array]] = []
    count = max(len(project.sequences), 1)
    for number, sequence in enumerate(project.sequences):
        report(progress, 0.5 * number / count)
        rows.append((sequence, _poses(sequence, choices, file)))
    moved = [
        (figure, np.concatenate([np.empty((0, figure.nq)), *(q for each, q in rows if each.skeleton is figure)]))
        for figure in project.figures
    ]
    before = moved
    moved, stand = stood(moved, choices)
    done = {id(old[0]): done_to(old, new) for old, new in zip(before, moved, strict=True)}
    left = {id(old): (figure, q) for old, (figure, q) in zip(project.figures, moved, strict=True)}
    at = dict.fromkeys(left, 0)
    sequences = []
    for number, (sequence, q) in enumerate(rows):
        figure, placed = left[id(sequence.skeleton)]
        start = at[id(sequence.skeleton)]
        at[id(sequence.skeleton)] = start + len(q)
        here = part(progress, 0.5 + 0.5 * number / count, 0.5 + 0.5 * (number + 1) / count)
        made = _made(sequence, figure, placed[start : start + len(q)], choices, here)
        made.camera = carried(made.camera, done[id(sequence.skeleton)])
        sequences.append(made)
    found = project.imported
    if found is not None:
        doubts = [each for each in found.doubts if each != doubt.FLOOR] + ([doubt.FLOOR] if stand.odd else [])
        found = replace(
            found, choices=choices, lowest=stand.lowest, first_lowest=stand.first_lowest, facing=stand.facing,
            facing_average=stand.facing_average, doubts=tuple(doubts),
        )  # fmt: skip
    return replace(project, figures=[figure for figure, _ in moved], sequences=sequences, imported=found)


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


def _made(
    sequence: Sequence, figure: Skeleton, q: Array, choices: ImportChoices, progress: Progress | None
) -> Sequence:
    """Return a sequence of these poses, with the camera of another one at their frames."""
    own, wanted = _rate(sequence, choices)
    first, factor = choices.first or 0, wanted / own

    def place(frame: int) -> int | None:
        at = round((frame - first) * factor)
        return at if 0 <= at < max(len(q), 1) else None

    fps = int(wanted) if float(wanted).is_integer() else wanted
    made = Sequence(figure, fps, sequence.name, keys=keys_of(range(len(q)), q, progress))
    made.camera = sequence.camera.moved(place)
    return made
