"""Motions that were taken down frame by frame as sequences again, put on the floor and turned to the front together."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

import numpy as np

from core.animation import Sequence
from core.animation.marker import moved_markers
from core.arrays import Array
from core.formats.exchange.cameras import carried
from core.formats.importing.choices import ImportChoices
from core.formats.importing.placing import Stand, done_to, stood
from core.formats.importing.recording import keys_of
from core.progress import Progress, part
from core.skeleton import Skeleton


@dataclass(frozen=True)
class TakenDown:
    """A sequence, and its poses at even steps.

    Attributes:
        sequence: The sequence.
        q: The poses, shape (m, nq).
        start: The frame of the sequence at which the first one is.
        step: Frames of the sequence from one to the next.
        fps: How many of them are a second.
    """

    sequence: Sequence
    q: Array
    start: float
    step: float
    fps: float

    def place(self, frame: int) -> int | None:
        """Return which pose is at a frame of the sequence; None if none is."""
        at = round((frame - self.start) / self.step)
        return at if 0 <= at < max(len(self.q), 1) else None

    def made(self, figure: Skeleton, q: Array, progress: Progress | None = None) -> Sequence:
        """Return a sequence with a key for each of these poses, and with all else that this one has at these frames.

        Args:
            figure: The figure, as it is now.
            q: The poses, as they are now, shape (m, nq).
            progress: Told what is done.
        """
        old = self.sequence
        fps = int(self.fps) if float(self.fps).is_integer() else self.fps
        keys = keys_of(range(len(q)), q, progress)
        made = Sequence(figure, fps, old.name, menu=old.menu, loop=old.loop, keys=keys)
        made.markers = moved_markers(old.markers, self.place)
        made.camera = old.camera.moved(self.place)
        if self.start == 0.0:
            made.audio = old.audio
        return made


@dataclass(frozen=True, eq=False)
class PlacedMotions:
    """Figures and their motions where they stand now.

    Attributes:
        figures: The figures; those that did not have to change are the same objects.
        sequences: What was taken down, in its order.
        motion: What was done to the world, shape (4, 4).
        stand: Where they stood before.
    """

    figures: list[Skeleton]
    sequences: list[Sequence]
    motion: Array
    stand: Stand


def placed_motions(
    figures: Seq[Skeleton], taken: Seq[TakenDown], choices: ImportChoices, progress: Progress | None = None
) -> PlacedMotions:
    """Return figures and motions on the floor and facing the front as chosen, and cameras that go along.

    Args:
        figures: The figures; one without a motion rests where it is carried to.
        taken: The motions.
        choices: ``floor`` and ``facing`` count.
        progress: Told what is done.
    """
    own = [[each.q for each in taken if each.sequence.skeleton is figure] for figure in figures]
    rows = [(figure, np.concatenate([np.empty((0, figure.nq)), *q])) for figure, q in zip(figures, own, strict=True)]
    moved, stand = stood(rows, choices)
    motion = done_to(rows[0], moved[0]) if rows else np.eye(4)
    now = {id(old): new for old, new in zip(figures, moved, strict=True)}
    at = dict.fromkeys(now, 0)
    sequences = []
    for number, each in enumerate(taken):
        which = id(each.sequence.skeleton)
        figure, q = now[which]
        begin = at[which]
        at[which] += len(each.q)
        here = part(progress, number / len(taken), (number + 1) / len(taken))
        made = each.made(figure, q[begin : begin + len(each.q)], here)
        made.camera = carried(made.camera, motion)
        sequences.append(made)
    return PlacedMotions([figure for figure, _ in moved], sequences, motion, stand)
