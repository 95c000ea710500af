"""``retarget``: another figure moves as that of the clip does."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from app.batch.steps.step import Clip, Step, StepError
from app.batch.toml_table import Table
from app.words.counts import count
from core.animation.retargeting import Pair, retarget
from core.animation.retargeting.pairs import pairs_to_record
from core.errors import CoreError
from core.formats import FigureRecord, Project, load
from core.formats.joint_pairs import read_pairs
from core.progress import Progress, part
from core.regular_file import noting_opened


@dataclass(frozen=True)
class Retarget(Step):
    """Onto which figure, and how.

    Attributes:
        onto: File with the figure.
        figure: SHA-256 of what the figure is: results depend on that, not on where its file lies.
        pairs: Which joint stands for which; None to find them.
        pairs_file: Where they come from.
    """

    do: ClassVar[str] = "retarget"
    about: ClassVar[str] = (
        "lets another figure move the same way; onto (a file; needed), pairs (a file), scale, hold_feet"
    )
    onto: Path
    figure: str
    pairs: tuple[Pair, ...] | None = None
    scale: float | None = None
    hold_feet: bool = True
    pairs_file: Path | None = None

    @classmethod
    def read(cls, table: Table) -> Retarget:
        """Return the step that a table describes."""
        onto, digest, pairs = table.file("onto"), "", None
        if onto is None:
            if "onto" not in table.values:
                table.problem("onto", 'is missing; expected the file of a figure, such as "human.scr"')
        else:
            try:
                digest = _digest(load(onto))
            except CoreError as error:
                table.problem("onto", str(error).partition("\n")[0])
        file = table.file("pairs")
        if file is not None:
            try:
                pairs = read_pairs(file)
            except CoreError as error:
                table.problem("pairs", str(error).partition("\n")[0])
        scale = table.number("scale", None, 1e-3, 1e3)
        return cls(onto or Path(), digest, pairs, scale, table.flag("hold_feet", True), file)

    def settings(self) -> dict[str, Any]:
        """Return how it is set, by the keys that files have."""
        return {"onto": self.onto, "pairs": self.pairs_file, "scale": self.scale, "hold_feet": self.hold_feet}

    def record(self) -> dict[str, Any]:
        """Return all that its results depend on."""
        pairs = None if self.pairs is None else pairs_to_record(self.pairs)
        return {"do": self.do, "figure": self.figure, "pairs": pairs, "scale": self.scale, "hold_feet": self.hold_feet}

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Let the figure move as the clip's does, in each of its motions."""
        other = _loaded(self.onto, self.figure)
        figure, moving = other.figures[0], clip.moving
        if other.warnings:
            more = len(other.warnings) - 1
            rest = f" (and {count(more, 'more problem')})" if more else ""
            clip.warnings.append(f"{self.onto.name}: {other.warnings[0].message}{rest}")
        made = []
        for k, sequence in enumerate(moving):
            here = part(progress, k / len(moving), (k + 1) / len(moving))
            found = retarget(sequence, figure, self.pairs, self.scale, self.hold_feet, here)
            if found.let_go:
                free = count(found.let_go, "frame")
                clip.warnings.append(f"feet that stood are left free for {free}, as joint limits do not let them stand")
            stances = 0 if found.paths is None else sum(foot.stances for foot in found.paths.feet)
            pairs = count(len(found.pairs), "pair of joints", "pairs of joints")
            clip.notes.append(f"retargeted: {pairs}, {count(stances, 'stance')} held")
            made.append(found.sequence)
        clip.project = Project([figure], made, figure_records=other.figure_records[:1])


def _digest(project: Project) -> str:
    """Return the SHA-256 of the first figure of a file, with its objects.

    Raises:
        StepError: If there is none.
    """
    if not project.figures:
        raise StepError("there is no figure in it")
    record = project.figure_records[0] if project.figure_records else FigureRecord.of(project.figures[0])
    made = hashlib.sha256(record.scr.encode("utf-8"))
    for name, text in sorted(record.objects.items()):
        made.update(f"\0{name}\0{text}".encode())
    return made.hexdigest()


@lru_cache(maxsize=4)
def _loaded(path: Path, digest: str) -> Project:
    """Return the file of a figure, read once in each process.

    Raises:
        StepError: If it is not what it was when the batch began.
    """
    with noting_opened():  # what the clip depends on is the figure, which the step's record has
        project = load(path)
    if _digest(project) != digest:
        raise StepError(f"{path.name} has changed since the batch began; run the same command again")
    return project
