"""``simulate``: physics moves the clip's figures, with a seed for each run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from app.batch.steps.step import Clip, Step, StepError
from app.batch.toml_table import Table
from app.words.counts import count
from app.words.preset_words import PRESET_WORDS
from core.animation import Sequence
from core.animation.hybrid_strips import LARGEST_GAIN
from core.animation.new_sequence import new_sequence
from core.formats import Project
from core.preview.whole_run import (
    LONGEST,
    bake_into,
    checked_start,
    last_frame,
    lead,
    link_companions,
    run,
    start_warnings,
)  # fmt: skip
from core.progress import Progress, part

if TYPE_CHECKING:
    from core.preview.preview import Preview
    from core.preview.settings import PhysicsSettings

MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Simulate(Step):
    """What moves the figures and for how long; None for what the file says."""

    do: ClassVar[str] = "simulate"
    about: ClassVar[str] = (
        "lets physics move the figures, once for each seed; seeds, preset, strength, start, duration, gravity, "
        "friction, motor_gain, self_contact, tolerance"
    )
    seeds: tuple[int, ...] = ()
    preset: str | None = None
    strength: float = 1.0
    start: int | None = None
    duration: float | None = None
    gravity: float | None = None
    friction: float | None = None
    motor_gain: float | None = None
    self_contact: bool | None = None
    tolerance: float | None = None

    @classmethod
    def read(cls, table: Table) -> Simulate:
        """Return the step that a table describes."""
        return cls(
            table.seeds("seeds", MOST_SEEDS), table.choice("preset", [words.name for words in PRESET_WORDS]),
            table.number("strength", 1.0, 0.01, LARGEST_GAIN) or 1.0, table.whole("start"),
            table.number("duration", None, 1e-3, LONGEST, "seconds"), table.number("gravity", None, -1e3, 1e3, "m/s^2"),
            table.number("friction", None, 0.0, 10.0), table.number("motor_gain", None, 0.0, 10.0),
            table.flag("self_contact", None),
            table.number("tolerance", None, 1e-6, 10.0, "metres"),
        )  # fmt: skip

    def record(self) -> dict[str, Any]:
        """Return all that its results depend on; the seed of a run stands beside the steps."""
        record = super().record()
        del record["seeds"]
        return record

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Simulate the first motion with those of the other figures beside it, and make keys of what happens."""
        preview, sequence = self.simulated(clip.project, clip.source.stem, clip.seed, part(progress, 0.0, 0.8))
        clip.warnings += start_warnings(preview)
        bake_into(preview, sequence, self.tolerance, part(progress, 0.8, 1.0))
        fallbacks = sum(sample.fallbacks for sample in preview.samples)
        if fallbacks:
            clip.warnings.append(f"{count(fallbacks, 'step')} of the simulation needed the slower solver")
        rest = ", at rest" if preview.samples[-1].asleep else ""
        seed = "" if clip.seed is None else f" with seed {clip.seed}"
        clip.notes.append(f"simulated: {preview.samples[-1].time:.2f} s{seed}{rest}")

    def simulated(
        self, project: Project, name: str, seed: int | None, progress: Progress | None = None
    ) -> tuple[Preview, Sequence]:
        """Simulate the first motion of a project with those of the other figures beside it.

        Args:
            project: The project; it gets a motion if it has none, and the strip of the preset.
            name: Of the motion that it gets.
            seed: Of a small random motion; None for the project's own.
            progress: Told what is done, 0 to 1.

        Returns:
            What was simulated, and the motion that it began with.

        Raises:
            CoreError: If there is nothing to simulate, or the motion runs away.
        """
        from core.preview.preview import Preview

        if not project.figures:
            raise StepError("there is no figure in it")
        if not project.sequences:
            project.sequences.append(new_sequence(project.figures[0], name))
        sequence = project.sequences[0]
        others = link_companions(sequence, project.sequences)
        if self.preset is not None:
            lead(sequence, self.preset, self.strength, self.start)
        start = checked_start(sequence, self.start)
        preview = Preview(sequence, start, self._settings(project.physics, seed), others=others)
        run(preview, last_frame(preview, sequence.fps, self.duration), progress=progress)
        return preview, sequence

    def _settings(self, record: Mapping[str, Any], seed: int | None) -> PhysicsSettings:
        from core.preview.settings import PhysicsSettings

        settings = PhysicsSettings.from_record(record)
        if settings.ground_problem:
            raise StepError(settings.ground_problem)
        wanted: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("gravity", "friction", "motor_gain", "self_contact")
            if getattr(self, name) is not None
        }
        if seed is not None:
            wanted["seed"] = seed
        if settings.floor is not None and self.friction is not None:
            wanted["floor"] = replace(settings.floor, friction=self.friction)
        return replace(settings, **wanted)
