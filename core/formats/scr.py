"""A ``.scr`` file as a project: one figure and an empty sequence, its objects in files beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from core.animation.new_sequence import new_sequence
from core.errors import FormatError, Problem, SkeletonError
from core.formats.files import MEGABYTE, read_text, write_text
from core.formats.importing.choices import ImportChoices
from core.formats.project import FigureRecord, Project
from core.progress import Progress
from core.regular_file import open_regular
from core.skeleton import SegmentObject, Skeleton, write_pol
from core.skeleton.objects.loading import load_object
from core.skeleton.objects.traveling import object_files, pol_text
from core.skeleton.rerooting.reframe import file_mesh

_NUMBERED = re.compile(r"-\d+$")
_MOST_NAMES = 10_000


def write_objects(figure: Skeleton, folder: Path) -> Skeleton:
    """Write the object files of a figure, and return the figure with their names as they were written.

    A file that is copied keeps its kind; polygons that were made or changed in memory become .pol files. A file that
    is there and holds something else is left alone: the object then gets the next free number, as in ``arm-2.pol``.
    One that holds the same is used as it is.

    Args:
        figure: The figure.
        folder: Folder that the names are relative to.

    Raises:
        FormatError: If a file cannot be written.
    """
    try:
        files = object_files(figure)
    except SkeletonError as error:
        raise FormatError(Problem(figure.name, 0, 0, str(error))) from None
    names: dict[str, str] = {}
    used: set[str] = set()
    for file, part in files.items():
        # The reader refuses paths that leave the folder; a figure built by hand is held to the same.
        if not Path(os.path.normpath(folder / file)).is_relative_to(folder):
            continue
        names[file] = _written(part, folder, used)
        used.add(names[file].casefold())
    return with_object_names(figure, names)


def with_object_names(figure: Skeleton, names: Mapping[str, str]) -> Skeleton:
    """Return a figure whose objects have other file names; the figure itself if none changes."""
    if all(old == new for old, new in names.items()):
        return figure
    joints = []
    for joint in figure.joints:
        objects = tuple(replace(part, file=names.get(part.file, part.file)) for part in joint.objects)
        joints.append(replace(joint, objects=objects) if joint.objects else joint)
    return Skeleton(figure.name, joints, figure.layout, figure.source, figure.warnings)


def _candidates(file: str) -> Iterator[str]:
    yield file
    path = PurePosixPath(file)
    stem = _NUMBERED.sub("", path.stem) or path.stem
    for number in range(2, _MOST_NAMES):
        yield str(path.with_name(f"{stem}-{number}{path.suffix}"))


def _written(part: SegmentObject, folder: Path, used: set[str]) -> str:
    """Write one object under the first name that is free or holds it already, and return the name."""
    data = _file_data(part)
    name = part.file if data is not None else str(PurePosixPath(part.file).with_suffix(".pol"))
    for file in _candidates(name):
        target = Path(os.path.normpath(folder / file))
        if file.casefold() in used:
            continue
        try:
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                if data is not None:
                    target.write_bytes(data)
                else:
                    mesh = file_mesh(part)
                    assert mesh is not None
                    write_text(target, pol_text(mesh))
                return file
            if _holds(target, part, data):
                return file
        except OSError as error:
            raise FormatError(Problem(file, 0, 0, f"cannot be written: {error.strerror or error}")) from None
    raise FormatError(Problem(name, 0, 0, "cannot be written: every name like it is taken"))


def _file_data(part: SegmentObject) -> bytes | None:
    """Return the bytes of the file that an object's polygons were read from; None if there is none any more."""
    if part.origin is None:
        return None
    try:
        with open_regular(part.origin) as stream:
            return stream.read()
    except OSError:
        return None


def _holds(target: Path, part: SegmentObject, data: bytes | None) -> bool:
    """Return whether a file holds an object's polygons."""
    if part.origin is not None and target.resolve() == part.origin:
        return True
    if data is not None and target.is_file() and target.read_bytes() == data:
        return True
    mesh = file_mesh(part)
    assert mesh is not None
    try:
        # As text: polygons may have been cut into triangles in another way.
        return write_pol(load_object(target, target.name)) == pol_text(mesh)
    except FormatError:
        return False


LARGEST = 64 * MEGABYTE


def load_scr(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return a project with the figure in a ``.scr`` file and an empty sequence of its name; see ``core.formats.load``.

    Locks of the sequence close the figure's loops.

    Raises:
        FormatError: If it cannot be read; lists every problem.
    """
    from core.skeleton import read_scr

    text = read_text(path, LARGEST)
    full = path.resolve()
    figure = read_scr(text, file=path.name, folder=full.parent, source=full)
    record = FigureRecord(figure.name, text, str(full))
    sequence = new_sequence(figure, figure.name)
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
