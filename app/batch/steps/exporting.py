"""``export``: the clip as a file of any format that can be written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from app.batch.steps.step import Clip, Step, StepError, by_keys, read_folder, result_path
from app.batch.toml_table import Table
from core.extras import how_to_install
from core.formats import FORMATS, PAGE_MODULE, PAGE_SUFFIX, format_of, save
from core.formats.exporting import UPS, ExportChoices, chosen
from core.formats.importing.choices import FACINGS, FASTEST, FLOORS, SLOWEST
from core.formats.importing.units import SHORT_NAMES
from core.progress import Progress, part

OWN = ".seq"
_ONE_MOTION = (".bvh", ".amc")


@dataclass(frozen=True)
class Export(Step):
    """Which format, and what is chosen of what is written."""

    do: ClassVar[str] = "export"
    about: ClassVar[str] = "writes a file; format (seq, bvh, glb ...; needed), folder, fps, unit, up, on_floor, face"
    suffix: str = OWN
    folder: str = ""
    fps: float | None = None
    unit: float | None = None
    up: str | None = None
    floor: str | None = None
    facing: str | None = None

    @classmethod
    def read(cls, table: Table) -> Export:
        """Return the step that a table describes."""
        moving = [suffix for each in FORMATS for suffix in each.suffixes if suffix not in each.figures_alone]
        known = [suffix[1:] for suffix in moving]
        format = table.choice("format", [*known, PAGE_SUFFIX[1:]])
        if "format" not in table.values:
            table.problem("format", f'is missing; expected one of {", ".join(known)}, as in format = "bvh"')
        name = table.choice("unit", list(SHORT_NAMES))
        made = cls(
            f".{format or OWN[1:]}", read_folder(table),
            table.number("fps", None, SLOWEST, FASTEST, "frames a second"),
            None if name is None else SHORT_NAMES[name], table.choice("up", UPS), table.choice("on_floor", FLOORS),
            table.choice("face", FACINGS),
        )  # fmt: skip
        if format is not None:
            kind = format_of(f"clip{made.suffix}")
            for key in ("unit", "up"):
                if key in table.values and not (kind and kind.open_unit):
                    table.problem(key, f"a {made.suffix} file is in metres with y up; expected no such key")
            module = PAGE_MODULE if kind is None else kind.module
            if module and find_spec(module) is None:
                table.problem("format", f"a {made.suffix} file needs {module}; run: {how_to_install('export')}")
            if made.suffix == OWN and made.choices != ExportChoices():
                table.problem("", 'a .seq file is written as it is; give fps, on_floor and face to do = "import"')
        return made

    @property
    def choices(self) -> ExportChoices:
        """What is chosen of what is written."""
        return ExportChoices(None, None, self.fps, self.unit, self.up, self.floor, self.facing)

    def settings(self) -> dict[str, Any]:
        """Return how it is set, by the keys that files have."""
        return by_keys(self, suffix="format", floor="on_floor", facing="face") | {"format": self.suffix[1:]}

    def results(self, name: str) -> tuple[Path, ...]:
        """Return the file that it writes, that of the figure beside an .amc file."""
        suffixes = (self.suffix, ".asf") if self.suffix == ".amc" else (self.suffix,)
        return tuple(result_path(name, suffix, self.folder) for suffix in suffixes)

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Write the clip."""
        project, path = clip.project, clip.place(self.results(clip.name)[0])
        before = set(path.parent.iterdir())
        if self.suffix in _ONE_MOTION:
            moving = clip.moving
            if len(moving) > 1:
                raise StepError(f"it has {len(moving)} motions, and a {self.suffix} file has place for one")
            project = replace(project, figures=[moving[0].skeleton], sequences=moving, figure_records=[])
        if self.suffix != OWN:
            project = chosen(project, path, self.choices, progress=part(progress, 0.0, 0.5))
        save(project, path, progress=part(progress, 0.5, 1.0), apart=True)
        clip.warn(project.warnings)
        clip.written += sorted(each.relative_to(clip.folder) for each in set(path.parent.iterdir()) - before)
