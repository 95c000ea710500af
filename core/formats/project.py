"""Projects and their files, ``.seq``: figures, the sequences they dance, and what the editor keeps beside them.

A ``.seq`` file carries the text of its figures' ``.scr`` files in itself, so that it opens when those have moved or
changed. Numbers are written by ``repr``, so that a round trip keeps every bit. Members this version does not know are
kept where they were found and written back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.animation import Sequence
from core.animation.cycles import NO_CYCLES
from core.animation.hybrid_strips import hybrids_to_json
from core.animation.key import Key
from core.animation.key_records import curve_to_json, shapes_to_json, timings_to_json
from core.animation.layers.layer import Layer, layer_to_json
from core.animation.locks.strip import strip_to_json
from core.animation.marker import marker_to_json
from core.animation.shot_camera import NO_CAMERA, camera_to_json
from core.constraints.records import lock_to_json
from core.errors import FormatError, Problem, SkeletonError
from core.formats import json_text
from core.formats.bundled import PREFIX, bundled_name, bundled_path
from core.formats.files import MEGABYTE, write_text
from core.formats.importing.findings import Findings
from core.progress import Progress, report
from core.skeleton import Skeleton, write_scr
from core.skeleton.objects.traveling import traveling_texts

if TYPE_CHECKING:
    from core.formats.exchange.recording import Recording

FORMAT = "sequence-editor"
UNITS = "m, rad, s"
LARGEST = 256 * MEGABYTE


def _with_partners(data: dict[str, Any]) -> dict[str, Any]:
    """Return a file of version 1 as one of version 2, which only adds members that may be left out.

    They are layers and cycles of sequences, ``mutual`` of locks, and locks of the kind ``"carry"``: a program of
    version 1 would keep the members and play another motion.
    """
    return data


# The function at index i takes a file of version i + 1 to version i + 2, in place or anew.
MIGRATIONS: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (_with_partners,)
VERSION = len(MIGRATIONS) + 1


def digest(scr: str) -> str:
    """Return the SHA-256 of a figure's text as hexadecimal digits."""
    return hashlib.sha256(scr.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class FigureRecord:
    """Where a figure of a project came from.

    Attributes:
        name: Name of the figure in the project.
        scr: Its text, as a .scr file would hold it.
        source: Where that file lies: ``"skeletons:NAME.scr"``, a path, or None if there is none.
        extra: Members of the file's record that this version does not know.
        objects: Texts of .pol files that travel with the figure, by the name it has for them.
    """

    name: str
    scr: str
    source: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, str] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """SHA-256 of the text, as hexadecimal digits."""
        return digest(self.scr)

    @classmethod
    def of(cls, skeleton: Skeleton) -> FigureRecord:
        """Return the record of a figure that has none yet, its text written anew."""
        return cls(skeleton.name, write_scr(skeleton), source_of(skeleton), objects=traveling_texts(skeleton))


@dataclass
class Project:
    """Figures and sequences.

    Attributes:
        figures: The figures.
        sequences: Sequences; each one's ``skeleton`` is one of the figures.
        unit: Metres in one unit of the file it was read from; formats without a unit of their own are written in it.
        unit_guess: How ``unit`` is known: ``"given"`` by the caller, ``"file"`` if the format or the file says it,
            ``"sure"`` or ``"doubtful"`` if it was guessed from the figure's size.
        view: What the editor keeps about its views, as the file's record.
        physics: What the editor keeps about physics, as the file's record.
        extra: Members of the file that this version does not know.
        figure_records: Where the figures came from, in their order; for figures past its end they are made up
            when the project is written.
        warnings: What the reader noticed but could live with.
        imported: What was found out about a file of another program; None for this program's own.
        ignored: Names of choices that made no difference: what this program wrote is read as it was.
        recordings: What was simulated, for files that show the world around the figures: for the sequences that play
            first, for those that play second, and so on; None, or none at the end, where the world is at rest.
        scene_unit: Metres in one unit of scenes that say theirs and may choose it.
        scene_up: Axis that points up in them, ``"y"`` or ``"z"``.
    """

    figures: list[Skeleton] = field(default_factory=list)
    sequences: list[Sequence] = field(default_factory=list)
    unit: float = 1.0
    view: dict[str, Any] = field(default_factory=dict)
    physics: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)
    figure_records: list[FigureRecord] = field(default_factory=list)
    warnings: tuple[Problem, ...] = ()
    unit_guess: str = "file"
    imported: Findings | None = None
    ignored: tuple[str, ...] = ()
    recordings: tuple[Recording | None, ...] = ()
    scene_unit: float = 1.0
    scene_up: str = "y"

    def __post_init__(self) -> None:
        self.figures, self.sequences = list(self.figures), list(self.sequences)
        self.figure_records = list(self.figure_records)


# -- sources ---------------------------------------------------------------------------------------------------------


def resolved_source(source: str | None, folder: Path | None) -> Path | None:
    """Return the path a record's ``source`` stands for; None if there is none or it names no file.

    Args:
        source: As in ``FigureRecord``.
        folder: Folder of the project file, for a relative path.
    """
    if not source or "\0" in source:
        return None
    if source.startswith(PREFIX):
        return bundled_path(source)
    path = Path(source)
    if path.is_absolute():
        return path
    return folder / path if folder is not None else None


def source_of(skeleton: Skeleton) -> str | None:
    """Return where the file of a figure lies, from wherever the program was started; None if there is none."""
    return None if skeleton.source is None else written_source(skeleton.source.absolute().as_posix(), None)


def written_source(source: str | None, folder: Path | None) -> str | None:
    """Return how a source stands in a project file that lies in ``folder``.

    A bundled figure is named ``"skeletons:NAME.scr"``, a file in the project file's own tree by its relative path,
    any other by its absolute one.
    """
    if not source or source.startswith(PREFIX) or "\0" in source or not Path(source).is_absolute():
        return source
    path = Path(source)
    bundled = bundled_name(path)
    if bundled is not None:
        return bundled
    if folder is not None and path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return path.as_posix()


# -- writing ---------------------------------------------------------------------------------------------------------


def project_to_json(project: Project, folder: Path | None = None) -> dict[str, Any]:
    """Return a project as the value that a ``.seq`` file writes.

    Args:
        project: The project.
        folder: Folder of the file it is written to; sources inside it become relative paths.

    Raises:
        FormatError: If a sequence's skeleton is not one of the project's figures.
    """
    try:
        records = [*project.figure_records[: len(project.figures)]]
        records += [FigureRecord.of(figure) for figure in project.figures[len(records) :]]
        pairs = zip(project.figures, records, strict=True)
        objects = [traveling_texts(figure, record.objects) for figure, record in pairs]
    except SkeletonError as error:
        raise FormatError(Problem("project", 0, 0, str(error))) from None
    return {
        "format": FORMAT,
        "version": VERSION,
        "units": UNITS,
        "figures": [
            {
                "name": record.name,
                "scr": record.scr,
                "source": written_source(record.source, folder),
                "sha256": record.sha256,
                **({"objects": texts} if texts else {}),
                **record.extra,
            }
            for record, texts in zip(records, objects, strict=True)
        ],
        "sequences": [_sequence_to_json(sequence, project.figures, folder) for sequence in project.sequences],
        "view": dict(project.view),
        "physics": _written_physics(project.physics, folder),
        **({} if project.unit == 1.0 else {"unit": project.unit}),
        **project.extra,
    }


def _sequence_to_json(sequence: Sequence, figures: Seq[Skeleton], folder: Path | None) -> dict[str, Any]:
    figure = next((i for i, skeleton in enumerate(figures) if skeleton is sequence.skeleton), None)
    if figure is None:
        message = f'sequence "{sequence.name}" belongs to "{sequence.skeleton.name}", not a figure of the project'
        raise FormatError(Problem("project", 0, 0, message))
    first, last = sequence.range
    return {
        "name": sequence.name,
        "menu": sequence.menu,
        "figure": figure,
        "fps": sequence.fps,
        "range": [first, None if sequence.ends_with_last_key else last],
        "loop": sequence.loop,
        "keys": [_written_key(key) for key in sequence.keys],
        "strips": [strip_to_json(strip, sequence.skeleton) for strip in sequence.locks.strips],
        "locks": [lock_to_json(lock, sequence.skeleton) for lock in sequence.locks],
        **({} if sequence.locks.holds else {"holds": False}),
        **({"hybrid": hybrids_to_json(sequence.hybrid_strips)} if sequence.hybrid_strips else {}),
        **({"timings": timings_to_json(sequence.timing.curves)} if sequence.timing.curves else {}),
        **({} if sequence.timing.root_speed is None else {"root_speed": curve_to_json(sequence.timing.root_speed)}),
        **({"layers": [_written_layer(layer) for layer in sequence.layers]} if sequence.layers else {}),
        **({"cycles": list(sequence.cycles)} if sequence.cycles != NO_CYCLES else {}),
        **({"markers": [marker_to_json(marker) for marker in sequence.markers]} if sequence.markers else {}),
        **({"camera": camera_to_json(sequence.camera)} if sequence.camera != NO_CAMERA else {}),
        "script": sequence.script,
        "audio": _written_audio(sequence.audio, folder),
        **({} if sequence.gait is None else {"gait": sequence.gait}),
        **sequence.extra,
    }


def _written_key(key: Key) -> dict[str, Any]:
    return {
        "frame": key.frame,
        "q": key.q.tolist(),
        "interp": key.interp,
        "part": key.part,
        "turns": key.turns,
        **shapes_to_json(key),
        **key.extra,
    }


def _written_layer(layer: Layer) -> dict[str, Any]:
    return {**layer_to_json(layer), "keys": [_written_key(key) for key in layer.keys]}


def _written_physics(record: dict[str, Any], folder: Path | None) -> dict[str, Any]:
    ground = record.get("ground")
    if not isinstance(ground, dict) or not isinstance(ground.get("file"), str):
        return dict(record)
    return {**record, "ground": {**ground, "file": written_source(ground["file"], folder)}}


def _written_audio(record: dict[str, Any] | None, folder: Path | None) -> dict[str, Any] | None:
    return None if record is None else {**record, "file": written_source(record["file"], folder)}


def project_text(project: Project, folder: Path | None = None) -> str:
    """Return the text of the ``.seq`` file of a project; see ``project_to_json``."""
    return json_text.write(project_to_json(project, folder))


def save_seq(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write a project as a ``.seq`` file, whole or not at all.

    Raises:
        FormatError: If it cannot be written.
    """
    text = project_text(project, path.resolve().parent)
    report(progress, 0.7)
    write_text(path, text)
    report(progress, 1.0)
