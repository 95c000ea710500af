"""Which sequences of a project play together, and the clock of those that do."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from core.animation import Sequence
from core.animation.ensemble import link
from core.errors import FormatError, Problem
from core.formats.project import Project

MOST_FRAMES = 300_000
MOST_ROWS = 20_000_000
"""Frames times moving nodes of one clip."""


@dataclass(frozen=True)
class Clock:
    """When the frames of a clip are.

    Attributes:
        rate: Frames a second, those of the first sequence.
        count: How many.
        starts: For each sequence the frame at which the clip begins.
        steps: For each sequence how many of its frames one of the clip's is.
    """

    rate: float
    count: int
    starts: tuple[float, ...]
    steps: tuple[float, ...]


def frames_of(span: float, moving: int) -> int | None:
    """Return how many frames a clip has that is read; None if it is too long for that.

    Args:
        span: From its beginning to its end, [frames].
        moving: How many nodes move in it.
    """
    count = max(math.ceil(span - 0.01) + 1, 1) if span < 2 * MOST_FRAMES else MOST_FRAMES + 1
    return None if count > MOST_FRAMES or count * moving > MOST_ROWS else count


def clip_groups(project: Project) -> list[list[Sequence]]:
    """Return which sequences play together: the first of each figure, the second of each, and so on."""
    keyed = [sequence for sequence in project.sequences if sequence.keys]
    own = [[sequence for sequence in keyed if sequence.skeleton is figure] for figure in project.figures]
    return [[sequence for sequence in row if sequence is not None] for row in itertools.zip_longest(*own)]


def link_group(group: list[Sequence]) -> None:
    """Let locks of sequences that play together find the figures that they name, where nothing has done so yet."""
    if len(group) > 1 and any(each.locks.name_other_figures and each.ensemble is None for each in group):
        link((each.skeleton.name, each) for each in group)


def clock(group: list[Sequence], file: str) -> Clock:
    """Return the clock of sequences that play together: from where the first begins to where the last ends.

    Raises:
        FormatError: If there are too many frames.
    """
    rate = float(group[0].fps)
    begin = min(sequence.range[0] / sequence.fps for sequence in group)
    end = max(sequence.range[1] / sequence.fps for sequence in group)
    count = round((end - begin) * rate) + 1
    if count > MOST_FRAMES:
        message = f"the motion has {count} frames; files of more than {MOST_FRAMES} are not written"
        raise FormatError(Problem(file, 0, 0, message))
    starts = tuple(begin * sequence.fps for sequence in group)
    return Clock(rate, count, starts, tuple(sequence.fps / rate for sequence in group))
