"""A ``.scr`` file as a project: one figure and an empty sequence."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from core.animation import Sequence
from core.errors import FormatError, Problem
from core.formats.files import MEGABYTE, read_text, write_text
from core.formats.progress import Progress
from core.formats.project import FigureRecord, Project
from core.skeleton import Skeleton

LARGEST = 64 * MEGABYTE


def load_scr(
    path: Path, *, unit: float | None = None, skeleton: Skeleton | None = None, progress: Progress | None = None
) -> Project:
    """Return a project with the figure in a ``.scr`` file and an empty sequence of its name; see ``core.formats.load``.

    Raises:
        FormatError: If it cannot be read; lists every problem.
    """
    from core.skeleton import read_scr

    text = read_text(path, LARGEST)
    full = path.resolve()
    figure = read_scr(text, file=path.name, folder=full.parent, source=full)
    record = FigureRecord(figure.name, text, str(full))
    sequence = Sequence(figure, name=figure.name)
    return Project([figure], [sequence], figure_records=[record], warnings=figure.warnings)


def save_scr(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write the project's one figure as a ``.scr`` file, with the object files it names where they are missing.

    Sequences have no place in a ``.scr`` file and stay behind.

    Raises:
        FormatError: If the project has not one figure, or the files cannot be written.
    """
    from core.skeleton import write_scr

    if len(project.figures) != 1:
        message = f"a .scr file holds one figure, the project has {len(project.figures)}; save it as .seq"
        raise FormatError(Problem(path.name, 0, 0, message))
    figure = project.figures[0]
    text = write_scr(figure)
    _write_objects(figure, path.resolve().parent)
    write_text(path, text)


def _write_objects(figure: Skeleton, folder: Path) -> None:
    from core.skeleton import write_pol

    origin = figure.source.parent if figure.source is not None else None
    for joint in figure.joints:
        for item in joint.objects:
            target = Path(os.path.normpath(folder / item.file))
            # The reader refuses paths that leave the folder; a figure built by hand is held to the same.
            if not target.is_relative_to(folder) or target.exists():
                continue
            try:
                if origin is not None and (origin / item.file).is_file():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(origin / item.file, target)
                elif item.mesh is not None and target.suffix.lower() == ".pol":
                    target.parent.mkdir(parents=True, exist_ok=True)
                    write_text(target, write_pol(item.mesh))
            except OSError as error:
                message = f"cannot be written: {error.strerror or error}"
                raise FormatError(Problem(item.file, 0, 0, message)) from None
