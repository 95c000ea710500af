"""Between the model and files: opening anything readable, saving whole or not at all, noticing what others changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QIODevice, QSaveFile

from app.document.content.model import Active, Model
from app.document.content.records import Figure, sequence_to_json
from core.animation.new_sequence import new_sequence
from core.errors import FormatError, Problem
from core.regular_file import check_target, open_regular, other_kind

if TYPE_CHECKING:
    from core.formats import ImportChoices

_BLOCK = 1 << 20

Stamp = tuple[int, int, int, int]


class OnDisk(Enum):
    """What stands where the document's file was read or written last."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    NO_FOLDER = "no folder"


def content_of(path: Path) -> str | None:
    """Return a digest of a file's bytes, or None if there is no plain file that can be read."""
    digest = hashlib.blake2b(digest_size=20)
    try:
        with open_regular(path) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def digest_of(data: bytes) -> str:
    """Return the digest that ``content_of`` gives a file of these bytes."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def stamp_of(path: Path) -> Stamp | None:
    """Return what the system knows of a file and changes whenever the file does; None if it is not there."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class DiskFile:
    """What a document knows of its own file; compares by content, since that alone shows what would be lost.

    Args:
        path: The file; links are followed.
        content: Digest of the content that the document was read from or written as; None if it is not known, so that
            whatever stands there counts as another's.

    Attributes:
        path: The file.
        content: See above.
    """

    def __init__(self, path: Path, content: str | None):
        self.path, self.content = path, content
        self._stamp = stamp_of(path) if content is not None and content == content_of(path) else None

    def state(self) -> OnDisk:
        """Return what stands there now, by its content."""
        stamp = stamp_of(self.path)
        found = content_of(self.path) if stamp is not None else None
        if found is not None and found == self.content:
            self._stamp = stamp
            return OnDisk.SAME
        if stamp is not None or other_kind(self.path):
            return OnDisk.CHANGED
        return OnDisk.GONE if self.path.parent.is_dir() else OnDisk.NO_FOLDER

    def untouched(self) -> bool:
        """Return whether nothing can have happened to the file since it was compared; cheap, for the watch alone."""
        return self._stamp is not None and stamp_of(self.path) == self._stamp


SUFFIX = ".seq"
FIGURE_SUFFIX = ".scr"
OWN = (SUFFIX, FIGURE_SUFFIX)  # all others are other programs'
_ACTIVE = "active"


def one_line(error: Exception, path: Path) -> str:
    """Return an error as one line that names the file; the rest belongs in the details."""
    if isinstance(error, FormatError) and error.problems:
        first = str(error.problems[0]).splitlines()[0]
        more = len(error.problems) - 1
        return first + (f" (and {more} more)" if more else "")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    return f"{path.name}: {reason}"


def all_lines(error: Exception) -> str:
    """Return everything an error has to say, one problem a line."""
    if isinstance(error, FormatError):
        return "\n".join(str(problem) for problem in error.problems)
    return str(error)


def warning_line(warnings: Iterable[Problem], path: Path) -> str:
    """Return the warnings of a file as one line, ``""`` if there are none."""
    texts = [str(warning) for warning in warnings]
    if len(texts) < 2:
        return texts[0] if texts else ""
    return f"{path.name}: opened with {len(texts)} warnings"


def read_model(
    path: Path,
    *,
    unit: float | None = None,
    progress: Callable[[float], None] | None = None,
    choices: ImportChoices | None = None,
) -> tuple[Model, tuple[Problem, ...]]:
    """Return the content of any readable file, and its warnings; touches no widget, so that a thread may call it.

    Args:
        path: The file.
        unit: As in ``core.formats.load``.
        progress: As in ``core.formats.load``.
        choices: What else is chosen about a motion file of another program, the unit included.

    Raises:
        CoreError: If it cannot be read (``FormatError`` with every problem).
        OSError: If the system refuses it.
        Cancelled: If ``progress`` did so.
    """
    from core.formats import load
    from core.formats.project import resolved_source, source_of, written_source

    chosen: dict[str, Any] = {"unit": unit} if choices is None else vars(choices)
    project = load(path, progress=progress, apart=True, **chosen)
    folder = path.resolve().parent
    figures: list[Figure] = []
    for i, skeleton in enumerate(project.figures):
        if i < len(project.figure_records):
            record = project.figure_records[i]
            source = record.source
            if source is not None:
                # Relative to the project file; the document may be saved elsewhere.
                resolved = resolved_source(source, folder)
                source = None if resolved is None else written_source(resolved.as_posix(), None)
            title = record.name if record.name != skeleton.name else None
            figures.append(Figure(skeleton, record.scr, source, dict(record.extra), title, dict(record.objects)))
        else:
            figures.append(Figure(skeleton, None, source_of(skeleton)))
    view = dict(project.view)
    active = view.pop(_ACTIVE, None)
    model = Model.of(figures, project.sequences)
    model.view, model.physics, model.extra = view, dict(project.physics), dict(project.extra)
    model.unit, model.unit_guess, model.imported = project.unit, project.unit_guess, project.imported
    _restore_active(model, active)
    warnings = project.warnings or tuple(warning for figure in project.figures for warning in figure.warnings)
    return model, tuple(warnings)


def is_figure_alone(model: Model) -> bool:
    """Return whether a ``.scr`` file can hold a model: one figure, no keys or pose, and a sequence nobody touched."""
    if len(model.figures) != 1 or len(model.sequences) != 1 or model.pending is not None:
        return False
    # What a sequence without keys is called comes from its file, and matters to nobody.
    untouched = sequence_to_json(new_sequence(model.figures[0].skeleton, model.sequences[0].name), 0)
    return not model.physics and not model.extra and sequence_to_json(model.sequences[0], 0) == untouched


def _restore_active(model: Model, record: object) -> None:
    """Show what was shown when the file was saved, as far as the record makes sense."""
    if not isinstance(record, dict):
        return
    figure, sequences = record.get("figure"), record.get("sequences")
    if not isinstance(figure, int) or not isinstance(sequences, list) or len(sequences) != len(model.figures):
        return
    fits = all(
        isinstance(index, int)
        and 0 <= index < len(model.sequences)
        and model.sequences[index].skeleton is model.figures[i].skeleton
        for i, index in enumerate(sequences)
    )
    if fits and 0 <= figure < len(model.figures):
        model.active = Active(figure, tuple(sequences))
        model.frame = model.sequence.range[0] if model.sequence is not None else 0
        model.forget_poses()


def read_figure(path: Path, progress: Callable[[float], None] | None = None) -> tuple[Figure, tuple[Problem, ...]]:
    """Return the first figure of any readable file, and the warnings; touches no widget, as ``read_model``.

    Raises:
        CoreError: If it cannot be read or holds no figure.
        OSError: If the system refuses it.
    """
    from core.formats import ImportChoices

    model, warnings = read_model(path, progress=progress, choices=ImportChoices.found())
    if not model.figures:
        raise FormatError(Problem(path.name, 0, 0, "contains no figure; expected a .scr file or a project with one"))
    return model.figures[0], warnings


def write_model(model: Model, path: Path, check: Callable[[], None] | None = None) -> str | None:
    """Write a model to a file: ``.seq`` all of it, ``.scr`` the active figure, other suffixes what the format holds.

    Args:
        model: What to write.
        path: The file.
        check: Called when the new file is whole, just before it takes the old one's place; what it raises leaves the
            old one there.

    Returns:
        The digest of a ``.seq`` file's content, as ``disk_file.content_of`` gives it; None for other formats.

    Raises:
        CoreError: If it cannot be written; a file that was there is untouched.
    """
    from core.formats import save
    from core.formats.project import FigureRecord, Project, project_text

    figures, sequences = model.figures, model.sequences
    if path.suffix.lower() != SUFFIX and model.active.figure >= 0:
        figures = [model.figures[model.active.figure]]
        sequences = [sequence for sequence in [model.sequence] if sequence is not None]
    shown = {"figure": model.active.figure, "sequences": list(model.active.sequences)}
    project = Project(
        [figure.skeleton for figure in figures],
        list(sequences),
        model.unit,
        {**model.view, _ACTIVE: shown},
        dict(model.physics),
        dict(model.extra),
        [FigureRecord(figure.name, figure.scr, figure.source, figure.extra, figure.objects) for figure in figures],
    )
    if path.suffix.lower() != SUFFIX:
        save(project, path, apart=True)
        return None
    check_place(path)
    text = project_text(project, path.resolve().parent)
    file = QSaveFile(str(path))
    data = text.encode("utf-8")
    good = file.open(QIODevice.OpenModeFlag.WriteOnly) and file.write(data) == len(data)
    if good and check is not None:
        check()  # a file that is not committed leaves nothing behind
    if not good or not file.commit():
        raise FormatError(Problem(path.name, 0, 0, f"cannot be written: {file.errorString()}"))
    return digest_of(data)


def check_place(path: Path) -> None:
    """Check that a file can be written at a path at all.

    Raises:
        FormatError: If its folder is not there, or what is there is no plain file or read-only.
    """
    if not path.parent.is_dir():
        raise FormatError(Problem(path.name, 0, 0, f'cannot be written: there is no folder "{path.parent}"'))
    try:
        check_target(path)
    except OSError as error:
        raise FormatError(Problem(path.name, 0, 0, f"cannot be written: {error.strerror}")) from None
