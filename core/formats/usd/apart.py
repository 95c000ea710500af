"""USD read and written by a process of its own: Pixar's library is no Python, and what ends it ends nobody else.

The process hands over the scene, before anything is made of it, in a file of a folder that is ours alone.
"""

from __future__ import annotations

import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

from core.errors import CoreError, FormatError, Problem
from core.formats.child import run
from core.formats.exchange.baking import scene_of
from core.formats.exchange.reading import project_of
from core.formats.extras import check_installed
from core.formats.files import read_bytes, write_bytes
from core.formats.importing.choices import ImportChoices
from core.formats.project import Project
from core.formats.usd.reader import LARGEST
from core.progress import Progress, part, report
from core.skeleton import Skeleton

_ROOT = Path(__file__).resolve().parents[3]
_NAME = "the USD library"


def load_usd_apart(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Do what ``load_usd`` does, with the library in a process of its own.

    Raises:
        FormatError: If the file cannot be read, also where the library crashes over it.
        Cancelled: If ``progress`` did so; the process is ended.
    """
    checked = (choices or ImportChoices()).checked(path.name)
    read_bytes(path, LARGEST)
    check_installed("pxr", "USD", path.name)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "scene"
        _run("read", path, made, part(progress, 0.0, 0.5))
        scene, unit, up = _result(made, path.name)
    return project_of(scene, path, checked, unit=unit, up=up, progress=part(progress, 0.5, 1.0))


def save_usd_apart(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Do what ``save_usd`` does, with the library in a process of its own.

    Raises:
        FormatError: If the file cannot be written, also where the library crashes; what was there is untouched.
        Cancelled: If ``progress`` did so; the process is ended.
    """
    check_installed("pxr", "USD", path.name)
    try:
        scene = scene_of(project, path.name, part(progress, 0.0, 0.6))
    except FormatError:
        raise
    except CoreError as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None
    with tempfile.TemporaryDirectory() as folder:
        # Into the folder, which goes whatever happens: a process that is ended cannot tidy up.
        given, made = Path(folder) / "scene", Path(folder) / path.name
        given.write_bytes(pickle.dumps((scene, project.scene_unit, project.scene_up)))
        _run("write", given, made, part(progress, 0.6, 0.95))
        _result(given, path.name)
        write_bytes(path, made.read_bytes())
    report(progress, 1.0)


def _run(way: str, source: Path, target: Path, progress: Progress | None) -> None:
    words = [sys.executable, "-m", "core.formats.usd.in_child", way, str(source.absolute()), str(target.absolute())]
    name = source.name if way == "read" else target.name
    ours = target if way == "read" else source
    run(words, name, _NAME, progress, _ROOT, ours.parent)


def _result(path: Path, file: str) -> tuple[Any, ...]:
    """Return what the process has left; raises what it met."""
    try:
        found = pickle.loads(path.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):
        raise FormatError(Problem(file, 0, 0, f"{_NAME} left nothing")) from None
    if found and isinstance(found[0], Problem):
        raise FormatError(found)
    return tuple(found)


__all__ = ["load_usd_apart", "save_usd_apart"]
