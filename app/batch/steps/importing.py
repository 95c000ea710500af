"""``import``: reading a clip, with what a motion file leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from app.batch.steps.step import Clip, Step, by_keys
from app.batch.toml_table import Table, between, number_of
from app.words.counts import count
from app.words.import_words import WARNING, ignored, remarks
from core.formats import load
from core.formats.importing.choices import AUTO, FACINGS, FASTEST, FLOORS, POSITIONS, SHORTEST, SLOWEST, TALLEST, UPS
from core.formats.importing.units import LARGEST, SHORT_NAMES, SMALLEST
from core.progress import Progress


@dataclass(frozen=True)
class Import(Step):
    """How files are read; ``files``, patterns of names, says which of a folder."""

    do: ClassVar[str] = "import"
    about: ClassVar[str] = (
        'reads the file; files (such as ["*.bvh"]), unit, height, up, on_floor, face, positions, rate, fps, first, last'
    )
    files: tuple[str, ...] = ()
    unit: float | None = None
    height: float | None = None
    up: str = AUTO
    floor: str | None = None
    facing: str | None = None
    positions: str = AUTO
    rate: float | None = None
    fps: float | None = None
    first: int | None = None
    last: int | None = None

    @classmethod
    def read(cls, table: Table) -> Import:
        """Return the step that a table describes."""
        files = table.get("files")
        named = [files] if isinstance(files, str) else [] if files is None else files
        if not isinstance(named, list) or not all(isinstance(each, str) and each for each in named):
            table.problem("files", 'expected patterns of names, such as ["*.bvh", "walk*.amc"]')
            named = []
        unit, height = _unit(table), table.number("height", None, SHORTEST, TALLEST, "metres")
        if unit is not None and height is not None:
            table.problem("height", "does not go with unit: each gives the other; expected one of them")
        first, last = table.whole("first"), table.whole("last")
        if first is not None and last is not None and first > last:
            table.problem("last", f"{last} is before first, {first}; expected at least that")
        return cls(
            tuple(named), unit, height,
            table.choice("up", (AUTO, *UPS), AUTO) or AUTO, table.choice("on_floor", FLOORS),
            table.choice("face", FACINGS), table.choice("positions", (AUTO, *POSITIONS), AUTO) or AUTO,
            table.number("rate", None, SLOWEST, FASTEST, "frames a second"),
            table.number("fps", None, SLOWEST, FASTEST, "frames a second"), first, last,
        )  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """Return how it is set, by the keys that files have."""
        return by_keys(self, floor="on_floor", facing="face")

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Read the clip."""
        clip.project = project = load(
            clip.source, unit=self.unit, height=self.height, up=self.up, floor=self.floor, facing=self.facing,
            positions=self.positions, rate=self.rate, fps=self.fps, first=self.first, last=self.last, apart=True,
            progress=progress,
        )  # fmt: skip
        clip.warn(project.warnings)
        for kind, text in (*remarks(project, _key), *ignored(project, _key)):
            (clip.warnings if kind == WARNING else clip.notes).append(text)
        ends = [(each.keys[0].frame, each.keys[-1].frame) for each in project.sequences if each.keys]
        clip.notes.append(f"read: {count(sum(last - first + 1 for first, last in ends), 'frame')}")


def _key(name: str, value: str = "") -> str:
    """Return how a choice is written in a file of steps."""
    key = name.replace("-", "_")
    if not value:
        return f"the key {key}"
    return f"{key} = {value}" if number_of(_number(value)) is not None else f'{key} = "{value}"'


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unit(table: Table) -> float | None:
    """Return metres in one unit, which has a name or is a number; None if it is not given."""
    value = table.get("unit")
    if value is None:
        return None
    found = SHORT_NAMES.get(value.lower()) if isinstance(value, str) else number_of(value)
    if found is None or not SMALLEST <= found <= LARGEST:
        known = ", ".join(f'"{name}"' for name in SHORT_NAMES)
        size = between(SMALLEST, LARGEST, "(metres)")
        table.problem("unit", f"{value!r} is not a unit; expected one of {known}, or {size}")
        return None
    return found
