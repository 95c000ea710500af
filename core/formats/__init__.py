"""Reading and writing project files, by suffix. A new format is one module and one line in ``FORMATS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.errors import FormatError, Problem
from core.formats.bundled import bundled_folder
from core.formats.project import (
    FigureRecord,
    Project,
    load_seq,
    project_from_json,
    project_text,
    project_to_json,
    save_seq,
)
from core.formats.scr import load_scr, save_scr

__all__ = [
    "FORMATS",
    "FigureRecord",
    "Format",
    "Project",
    "bundled_folder",
    "load",
    "project_from_json",
    "project_text",
    "project_to_json",
    "save",
]


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes:
        name: What a file dialog calls it.
        suffixes: Suffixes it goes by, lower case, with the dot; the first is what new files get.
        load: Reads a file into a project; raises ``FormatError``.
        save: Writes a project; raises ``FormatError``.
    """

    name: str
    suffixes: tuple[str, ...]
    load: Callable[[Path], Project]
    save: Callable[[Project, Path], None]


FORMATS: tuple[Format, ...] = (
    Format("Sequence", (".seq",), load_seq, save_seq),
    Format("Skeleton", (".scr",), load_scr, save_scr),
)


def _format_of(path: Path) -> Format:
    suffix = path.suffix.lower()
    for format in FORMATS:
        if suffix in format.suffixes:
            return format
    valid = ", ".join(suffix for format in FORMATS for suffix in format.suffixes)
    found = f'"{suffix}" is no suffix this program knows' if suffix else "has no suffix"
    raise FormatError(Problem(path.name or str(path), 0, 0, f"{found}; valid are {valid}"))


def load(path: str | Path, *, unit: float | None = None) -> Project:
    """Return the project in a file, its format told by the suffix.

    Args:
        path: The file.
        unit: Metres in one unit of the file, for formats that do not say. ``.seq`` and ``.scr`` are in metres always,
            and take no notice of it.

    Raises:
        FormatError: If the suffix is unknown or the file cannot be read; lists every problem.
    """
    path = Path(path)
    return _format_of(path).load(path)


def save(project: Project, path: str | Path) -> None:
    """Write a project to a file, its format told by the suffix; a file that was there is replaced whole or kept.

    Raises:
        FormatError: If the suffix is unknown, or the file cannot be written.
    """
    path = Path(path)
    _format_of(path).save(project, path)
