"""Puts the figures of a motion file where the person wants them, and reports what was found."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.formats.importing import findings as doubt
from core.formats.importing.choices import AUTO, AVERAGE, FIRST, LOWEST, ImportChoices
from core.formats.importing.findings import Findings
from core.formats.importing.measures import likely_unit, standing_height
from core.formats.importing.placing import Stance, level_turn, turned
from core.formats.importing.units import DOUBTFUL, FileUnit
from core.formats.importing.upward import Upward, sampled
from core.skeleton import Skeleton

Moved = tuple[Skeleton, Array]

_SUNK = 0.15  # of its height: a figure deeper in the floor than this has its origin elsewhere
_AFLOAT = 1.0  # likewise above it, all the time
_SAMPLES = 200


def placed(
    moved: list[Moved],
    bare: Skeleton,
    choices: ImportChoices,
    known: FileUnit,
    found: Upward,
    up: str,
    meaning: tuple[str | None, bool] = (None, True),
    positions: str | None = None,
) -> tuple[list[Moved], Findings]:
    """Return figures and motions on the floor and facing the front as chosen, and the findings.

    Several figures keep their places beside each other: the first person among them, else the first figure, decides.

    Args:
        moved: Each figure, with bodies and y up, [m], and its poses, shape (m, nq).
        bare: The largest figure in units of the file.
        choices: What the person chose.
        known: The unit.
        found: The upward axis that was found.
        up: The one that was taken.
        meaning: What positions below the root seem to mean, and whether that is sure.
        positions: What was taken for it.
    """
    stances = [Stance(figure) for figure, _ in moved]
    main = next((k for k, stance in enumerate(stances) if stance.human), 0)
    figure, q = moved[main]
    stance = stances[main]
    poses = q if len(q) else np.zeros((1, figure.nq))
    facings = {when: stance.facing(sampled(poses, _SAMPLES), when) for when in (FIRST, AVERAGE)}
    if choices.facing is not None and len(q):
        exact = stance.facing(poses, choices.facing)
        if exact:
            pivot = (figure.joints[0].offset + poses[0, :3]) * np.array([1.0, 0.0, 1.0])
            moved = [turned(one, rows, level_turn(-exact), pivot) for one, rows in moved]
            stances = [Stance(one) for one, _ in moved]
    lows = [one.lowest(rows if choices.floor == LOWEST else sampled(rows, _SAMPLES)) if len(rows) else
            one.lowest(np.zeros((1, one.figure.nq)))
            for one, (_, rows) in zip(stances, moved, strict=True)]  # fmt: skip
    lowest, first = (float(min(value)) for value in ([low.min() for low in lows], [low[0] for low in lows]))
    if choices.floor is not None:
        down = lowest if choices.floor == LOWEST else first
        moved = [(one, _shifted(rows, down)) for one, rows in moved]
    height = max(standing_height(one) for one, _ in moved)
    doubts = []
    if known.guess == DOUBTFUL:
        doubts.append(doubt.SIZE)
    if choices.up in (None, AUTO) and not found.sure:
        doubts.append(doubt.UP)
    if choices.positions in (None, AUTO) and not meaning[1]:
        doubts.append(doubt.POSITIONS)
    if choices.floor is None and stance.human and len(q) and (first < -_SUNK * height or lowest > _AFLOAT * height):
        doubts.append(doubt.FLOOR)
    return moved, Findings(
        choices, stance.human, height, known.unit, likely_unit(bare), found.axis, found.sure, up, meaning[0],
        positions, lowest, first, facings[FIRST], facings[AVERAGE], tuple(doubts),
    )  # fmt: skip


def _shifted(q: Array, down: float) -> Array:
    moved = q.copy()
    moved[:, 1] -= down
    return moved
