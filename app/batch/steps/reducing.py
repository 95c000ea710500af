"""``reduce``: as few keys as stay within a tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.batch.steps.step import Clip, Step
from app.batch.toml_table import Table
from app.words.reduction_words import brief
from core.animation.contacts.paths import lock_paths
from core.animation.reduction import DEGREES, MILLIMETRES
from core.animation.reduction.reduce import reduced
from core.progress import Progress, part


@dataclass(frozen=True)
class Reduce(Step):
    """How far the motion may be off, [mm] and [degrees]."""

    do: ClassVar[str] = "reduce"
    about: ClassVar[str] = (
        "makes as few keys as keep the motion within a tolerance; millimetres, degrees, lock_feet, whole_poses"
    )
    millimetres: float = MILLIMETRES
    degrees: float = DEGREES
    lock_feet: bool = False
    whole_poses: bool = False

    @classmethod
    def read(cls, table: Table) -> Reduce:
        """Return the step that a table describes."""
        return cls(
            table.number("millimetres", MILLIMETRES, 1e-3, 1e3, "mm") or MILLIMETRES,
            table.number("degrees", DEGREES, 1e-3, 180.0, "degrees") or DEGREES,
            table.flag("lock_feet", False),
            table.flag("whole_poses", False),
        )

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Reduce the keys of each motion."""
        moving = clip.moving
        for k, sequence in enumerate(moving):
            here = part(progress, k / len(moving), (k + 1) / len(moving))
            first, last = sequence.keys[0].frame, sequence.keys[-1].frame
            strips = lock_paths(sequence, progress=part(here, 0.0, 0.3)).strips if self.lock_feet else ()
            found = reduced(
                sequence, first, last, self.millimetres, self.degrees, None, part(here, 0.3, 1.0), self.whole_poses
            )
            sequence.set_keys(found.keys)
            sequence.locks.strips = (*sequence.locks.strips, *strips)
            sequence.gait = None  # a walk by rules would make its keys anew
            clip.notes.append(f"reduced: {brief(found)}")
