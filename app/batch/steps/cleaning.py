"""``clean``: a recorded motion is cleaned up: faults filled, noise filtered, put on the floor, feet held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.batch.steps.step import Clip, Step
from app.batch.toml_table import Table
from app.words.clean_up_words import done_text
from app.words.counts import count
from core.animation.cleaning.clean import BUTTERWORTH, FOUND, SAVITZKY_GOLAY, Choices, cleaned
from core.progress import Progress, part

NONE = "none"
FACING, TRAVEL = "facing", "travel"


@dataclass(frozen=True)
class Clean(Step):
    """What is done to the motion; the meaning of each stands at ``core.animation.cleaning.clean.Choices``."""

    do: ClassVar[str] = "clean"
    about: ClassVar[str] = (
        "cleans up captured motion; faults, filter (butterworth, savitzky_golay, none), cutoff (Hz), floor, level, "
        "heading (facing, travel), to_origin, hold_feet, loop"
    )
    faults: bool = True
    filter: str = BUTTERWORTH
    cutoff: float | None = None
    floor: bool = True
    level: bool = False
    heading: str | None = None
    to_origin: bool = False
    hold_feet: bool = True
    loop: bool = False

    @classmethod
    def read(cls, table: Table) -> Clean:
        """Return the step that a table describes."""
        name = table.choice("filter", (BUTTERWORTH, SAVITZKY_GOLAY, NONE), BUTTERWORTH) or BUTTERWORTH
        cutoff = table.number("cutoff", None, 0.1, 1e3, "Hz")
        if cutoff is not None and name == NONE:
            table.problem("cutoff", f'does not go with filter = "{NONE}"')
        return cls(
            table.flag("faults", True), name, cutoff, table.flag("floor", True), table.flag("level", False),
            table.choice("heading", (FACING, TRAVEL)), table.flag("to_origin", False), table.flag("hold_feet", True),
            table.flag("loop", False),
        )  # fmt: skip

    @property
    def choices(self) -> Choices:
        """What is wanted of the clean-up."""
        return Choices(
            fill=FOUND if self.faults else (), filter=None if self.filter == NONE else self.filter, cutoff=self.cutoff,
            floor=FOUND if self.floor else 0.0, level=self.level, heading=self.heading, to_origin=self.to_origin,
            hold_feet=self.hold_feet, loop=self.loop,
        )  # fmt: skip

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Clean each motion up."""
        sequences, moving = clip.project.sequences, clip.moving
        for k, sequence in enumerate(moving):
            found = cleaned(sequence, self.choices, part(progress, k / len(moving), (k + 1) / len(moving)))
            sequences[next(n for n, each in enumerate(sequences) if each is sequence)] = found.sequence
            clip.notes.append(f"cleaned: {done_text(found)}")
            if found.left:
                left = count(len(found.left), "fault")
                clip.warnings.append(f"{left} at the ends of the motion, which can only be trimmed")
            clip.warnings += [note for note in found.notes if note not in clip.warnings]
