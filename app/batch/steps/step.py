"""What a kind of step is, and what it works on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from app.batch.toml_table import Table
from core.animation import Sequence
from core.errors import CoreError, Problem
from core.formats import Project
from core.progress import Progress


class StepError(CoreError):
    """A step cannot be done to a clip; says why in one line."""


@dataclass
class Clip:
    """A clip on its way through the steps.

    Attributes:
        source: The file it is read from.
        name: What its results are called: its path inside the folder it was found in, without suffix.
        seed: Seed of this run; None where the steps have none.
        folder: Where results are written; they are moved to their place when the last step is done.
        project: What has become of it so far.
        notes: What was done, a line a step.
        warnings: What somebody should look at.
        written: Results, as paths inside ``folder``.
    """

    source: Path
    name: str
    seed: int | None
    folder: Path
    project: Project = field(default_factory=Project)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    written: list[Path] = field(default_factory=list)

    @property
    def moving(self) -> list[Sequence]:
        """Its sequences that have keys.

        Raises:
            StepError: If there is none.
        """
        found = [sequence for sequence in self.project.sequences if sequence.keys]
        if not found:
            raise StepError("there is no motion in it")
        return found

    def warn(self, problems: Iterable[Problem]) -> None:
        """Take over what a reader or writer noticed, once, without the name of the file, which is the clip's."""
        for problem in problems:
            said = f"line {problem.line}: {problem.message}" if problem.line else problem.message
            if said not in self.warnings:
                self.warnings.append(said)

    def place(self, result: Path) -> Path:
        """Return where a result is written, its folder made; ``result`` is as ``Step.results`` has it."""
        path = self.folder / result
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@dataclass(frozen=True)
class Step(ABC):
    """One step with its settings. Subclasses are frozen dataclasses of plain values, so that workers get them as such.

    Attributes:
        do: What files call this kind.
        about: What it does, for people, and its keys.
    """

    do: ClassVar[str]
    about: ClassVar[str]

    @classmethod
    @abstractmethod
    def read(cls, table: Table) -> Step:
        """Return the step that a table describes; problems go to the table, and the usual value is taken instead."""

    @abstractmethod
    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Do the step.

        Raises:
            CoreError: If that cannot be.
        """

    def record(self) -> dict[str, Any]:
        """Return all that its results depend on, as JSON values."""
        return {"do": self.do, **asdict(self)}

    def settings(self) -> dict[str, Any]:
        """Return how it is set, by the keys that files have; what is left open has None."""
        return dict(vars(self))

    def results(self, name: str) -> tuple[Path, ...]:
        """Return the files it writes for a clip of a name, as paths inside the folder of results."""
        return ()


def by_keys(step: Step, **keys: str) -> dict[str, Any]:
    """Return the fields of a step by the keys that files have: ``keys`` names those that are called otherwise there."""
    return {keys.get(name, name): value for name, value in vars(step).items()}


def result_path(name: str, suffix: str, folder: str) -> Path:
    """Return where the result of a clip goes: beside those of other clips, or in a folder of its own above all."""
    return Path(folder) / f"{name}{suffix}"


def read_folder(table: Table) -> str:
    """Return the folder that a step's results go to, inside the folder of results; "" for that itself."""
    given = table.text("folder")
    if given is None:
        return ""
    path = Path(given)
    if path.is_absolute() or ".." in path.parts or path.parts[0].startswith("."):
        table.problem("folder", f'"{given}" is not right; expected a name such as "previews"')
        return ""
    return path.as_posix()
