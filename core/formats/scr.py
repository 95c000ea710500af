"""A ``.scr`` file as a project: one figure and an empty sequence."""

from __future__ import annotations

from pathlib import Path

from core.animation import Sequence
from core.errors import FormatError, Problem
from core.formats.files import MEGABYTE, read_text, write_text
from core.formats.importing.choices import ImportChoices
from core.formats.object_writer import write_objects
from core.formats.progress import Progress
from core.formats.project import FigureRecord, Project
from core.skeleton import Skeleton

LARGEST = 64 * MEGABYTE


def load_scr(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
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
    """Write the project's one figure as a ``.scr`` file, with the object files it names; see ``write_objects``.

    Sequences have no place in a ``.scr`` file and stay behind.

    Raises:
        FormatError: If the project has not one figure, or the files cannot be written.
    """
    from core.skeleton import write_scr

    if len(project.figures) != 1:
        message = f"a .scr file holds one figure, the project has {len(project.figures)}; save it as .seq"
        raise FormatError(Problem(path.name, 0, 0, message))
    figure = project.figures[0]
    write_scr(figure)  # one that cannot be written leaves no objects behind
    write_text(path, write_scr(write_objects(figure, path.resolve().parent)))
