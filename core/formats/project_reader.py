"""The value of a ``.seq`` file checked member by member and turned into a project; nothing is half-read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from core.animation import Sequence
from core.animation.key import MAX_FRAME
from core.audio import AudioError, AudioRecord
from core.errors import CoreError, FormatError, Problem
from core.formats import json_text
from core.formats.files import MEGABYTE
from core.formats.importing.units import LARGEST as LARGEST_UNIT
from core.formats.importing.units import SMALLEST as SMALLEST_UNIT
from core.formats.project import (
    FORMAT,
    MIGRATIONS,
    UNITS,
    VERSION,
    FigureRecord,
    Project,
    digest,
    resolved_source,
)
from core.formats.project_hybrid import read_hybrid
from core.formats.project_keys import read_keys, read_markers, read_speed, read_timings
from core.formats.project_locks import read_locks, read_strips
from core.skeleton import Mesh, Skeleton, read_pol
from core.skeleton.objects.loading import SUFFIXES, stays_inside
from core.skeleton.scr.lexer import listed

LARGEST_SCR = 64 * MEGABYTE
LARGEST_POL = 64 * MEGABYTE
MOST_OBJECTS = 4096  # of one figure
LARGEST_FPS = 1e6
_LISTED = 200

_PROJECT = ("format", "version", "units", "figures", "sequences", "view", "physics", "unit")
_FIGURE = ("name", "scr", "source", "sha256", "objects")
_SEQUENCE = (
    "name", "menu", "figure", "fps", "range", "loop", "keys", "strips", "locks", "holds", "timings", "root_speed",
    "markers", "script", "audio", "hybrid",
)  # fmt: skip

_REQUIRED: Any = object()


def read_project(data: Any, file: str, folder: Path | None) -> Project:
    """Return the project; see ``core.formats.project.project_from_json``."""
    return _Reader(file, folder).project(data)


class _TooManyError(Exception):
    """So many problems that looking on is no use."""


class _Reader:
    """Reads one file and gathers its problems, each with its place in the structure."""

    def __init__(self, file: str, folder: Path | None):
        self.file = file
        self.folder = folder
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    # -- problems ------------------------------------------------------------------------------------------------

    def problem(self, place: str, message: str) -> None:
        self.problems.append(Problem(self.file, 0, 0, f"{place}: {message}" if place else message))
        if len(self.problems) >= _LISTED:
            raise _TooManyError

    def fail(self, place: str, message: str) -> FormatError:
        return FormatError([*self.problems, Problem(self.file, 0, 0, f"{place}: {message}" if place else message)])

    # -- values --------------------------------------------------------------------------------------------------

    def member(self, data: dict[str, Any], place: str, name: str, kinds: str, default: Any = _REQUIRED) -> Any:
        """Return a member after checking that it is of one of ``kinds``, else note a problem and return None."""
        here = f"{place}.{name}" if place else name
        if name not in data:
            if default is not _REQUIRED:
                return default
            self.problem(here, f"is missing; expected {kinds}")
            return None
        value = data[name]
        if not any(_KINDS[kind](value) for kind in kinds.split(" or ")):
            self.problem(here, f"{json_text.show(value)} is not {kinds}")
            return None
        return value

    def records(self, data: dict[str, Any], place: str, name: str) -> list[tuple[dict[str, Any], str]]:
        """Return the objects of a list with their places; what is no object is noted as a problem."""
        found: list[tuple[dict[str, Any], str]] = []
        here = f"{place}.{name}" if place else name
        for i, item in enumerate(self.member(data, place, name, "a list", []) or []):
            if isinstance(item, dict):
                found.append((item, f"{here}[{i}]"))
            else:
                self.problem(f"{here}[{i}]", f"{json_text.show(item)} is not an object")
        return found

    # -- the file ------------------------------------------------------------------------------------------------

    def project(self, data: Any) -> Project:
        problems = json_text.check(data)
        if problems:
            raise FormatError([Problem(self.file, 0, 0, message) for message in problems])
        data = self.current(data)
        try:
            project = self.contents(data)
        except _TooManyError:
            project = None
        if self.problems or project is None:
            raise FormatError(self.problems)
        return project

    def current(self, data: Any) -> dict[str, Any]:
        """Return the value of a file of any readable version as one of this version."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise self.fail("", f'is not a project file; it must be an object with "format": "{FORMAT}"')
        version = data.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise self.fail("version", f"{json_text.show(version)} is no version; valid are 1 to {VERSION}")
        if version > VERSION:
            shown = json_text.show(version)
            raise self.fail("version", f"{shown} is newer than this program, which reads 1 to {VERSION}")
        for migrate in MIGRATIONS[version - 1 :]:
            data = migrate(data)
        return data

    def contents(self, data: dict[str, Any]) -> Project:
        if data.get("units", UNITS) != UNITS:
            found = json_text.show(data["units"])
            self.problem("units", f'{found} are not the units of this format; expected "{UNITS}"')
        figures: list[Skeleton | None] = []
        records: list[FigureRecord] = []
        for record, place in self.records(data, "", "figures"):
            figure = self.figure(record, place)
            figures.append(figure[0] if figure else None)
            if figure:
                records.append(figure[1])
        sequences = [self.sequence(record, place, figures) for record, place in self.records(data, "", "sequences")]
        view = self.member(data, "", "view", "an object or null", None)
        physics = self.member(data, "", "physics", "an object or null", None)
        return Project(
            figures=[figure for figure in figures if figure is not None],
            sequences=[sequence for sequence in sequences if sequence is not None],
            unit=self.unit(data),
            view=dict(view or {}),
            physics=dict(physics or {}),
            extra=_unknown(data, _PROJECT),
            figure_records=records,
            warnings=tuple(self.warnings),
        )

    def unit(self, data: dict[str, Any]) -> float:
        unit = self.member(data, "", "unit", "a number", 1.0)
        if unit is not None and not SMALLEST_UNIT <= unit <= LARGEST_UNIT:
            valid = f"valid are {SMALLEST_UNIT:g} to {LARGEST_UNIT:g}, in metres"
            self.problem("unit", f"{json_text.show(unit)} is out of range; {valid}")
        return float(unit or 1.0)

    def figure(self, data: dict[str, Any], place: str) -> tuple[Skeleton, FigureRecord] | None:
        name = self.member(data, place, "name", "text or null", None)
        source = self.member(data, place, "source", "text or null", None)
        sha256 = self.member(data, place, "sha256", "text or null", None)
        scr = self.member(data, place, "scr", "text")
        if scr is None:
            return None
        if len(scr) > LARGEST_SCR:
            message = f"is larger than {LARGEST_SCR // MEGABYTE} MB; figures of that size are not read"
            self.problem(f"{place}.scr", message)
            return None
        if sha256 is not None and sha256.lower() != digest(scr):
            message = "does not belong to this text, which was changed outside the program; the text is what counts"
            self.warnings.append(Problem(self.file, 0, 0, f"{place}.sha256: {message}"))
        texts = self.member(data, place, "objects", "an object or null", None) or {}
        meshes = self.meshes(texts, f"{place}.objects")
        skeleton = self.skeleton(scr, f"{self.file}: {place}.scr", source, meshes)
        if skeleton is None:
            return None
        self.warnings.extend(skeleton.warnings)
        used = {part.file for joint in skeleton.joints for part in joint.objects}
        for unused in list(texts.keys() - used)[:_LISTED]:
            message = "is named by no joint of the figure; it is left out"
            self.warnings.append(Problem(self.file, 0, 0, f"{place}.objects[{json_text.show(unused)}]: {message}"))
        return skeleton, FigureRecord(
            name if name is not None else skeleton.name,
            scr,
            self.kept_source(source),
            _unknown(data, _FIGURE),
            {file: text for file, text in texts.items() if file in used},
        )

    def meshes(self, texts: dict[str, Any], place: str) -> dict[str, Mesh]:
        """Return the polygons that travel with a figure, after noting what is wrong with them."""
        meshes: dict[str, Mesh] = {}
        if len(texts) > MOST_OBJECTS:
            self.problem(place, f"has {len(texts)} objects; at most {MOST_OBJECTS} can be")
            return meshes
        for name, text in texts.items():
            here = f"{place}[{json_text.show(name)}]"
            if not isinstance(text, str):
                self.problem(here, f"{json_text.show(text)} is not text; expected that of a .pol file")
            elif not stays_inside(name) or PurePosixPath(name).suffix.casefold() not in SUFFIXES:
                self.problem(here, f"is no name of an object; expected a relative path to a file {listed(SUFFIXES)}")
            elif len(text) > LARGEST_POL:
                self.problem(here, f"is larger than {LARGEST_POL // MEGABYTE} MB; objects of that size are not read")
            else:
                try:
                    meshes[name] = read_pol(text, f"{self.file}: {here}")
                except FormatError as error:
                    self.problems.extend(error.problems)
                    if len(self.problems) >= _LISTED:
                        raise _TooManyError from None
        return meshes

    def kept_source(self, source: str | None) -> str | None:
        """Return the source so that it still holds when the project is written to another folder."""
        path = resolved_source(source, self.folder)
        if source is None or path is None or source.startswith("skeletons:"):
            return source
        return str(path)

    def skeleton(self, scr: str, place: str, source: str | None, objects: dict[str, Mesh]) -> Skeleton | None:
        from core.skeleton import read_scr

        path = resolved_source(source, self.folder)
        try:
            folder = path.parent if path is not None and path.parent.is_dir() else self.folder
        except OSError:
            folder = self.folder  # a name no file system takes
        try:
            return read_scr(scr, file=place, folder=folder, source=path, objects=objects)
        except FormatError as error:
            self.problems.extend(error.problems)
        except CoreError as error:
            self.problems.append(Problem(place, 0, 0, str(error)))
        return None

    # -- sequences -----------------------------------------------------------------------------------------------

    def sequence(self, data: dict[str, Any], place: str, figures: list[Skeleton | None]) -> Sequence | None:
        before = len(self.problems)
        name = self.member(data, place, "name", "text", "Untitled")
        menu = self.member(data, place, "menu", "text or null", None)
        fps = self.member(data, place, "fps", "a number", 30)
        if fps is not None and not 0 < fps <= LARGEST_FPS:
            valid = f"valid are numbers above 0 to {LARGEST_FPS:g}"
            self.problem(f"{place}.fps", f"{json_text.show(fps)} is out of range; {valid}")
        first, last = self.frame_range(data, place)
        loop = self.member(data, place, "loop", "true or false", False)
        holds = self.member(data, place, "holds", "true or false", True)
        figure = self.member(data, place, "figure", "a whole number", 0)
        skeleton: Skeleton | None = None
        if figure is not None:
            if 0 <= figure < len(figures):
                skeleton = figures[figure]
            else:
                most = len(figures) - 1
                valid = f"valid are 0 to {most}" if most >= 0 else "the file has none"
                self.problem(f"{place}.figure", f"there is no figure {json_text.show(figure)}; {valid}")
        keys = read_keys(self, data, place, skeleton)
        timings = read_timings(self, data, place, skeleton)
        speed = read_speed(self, data, place, "root_speed")
        markers = read_markers(self, data, place)
        strips = read_strips(self, data, place, skeleton)
        locks = read_locks(self, data, place, skeleton)
        hybrid = read_hybrid(self, data, place, skeleton)
        audio = self.audio(data, place)
        if len(self.problems) > before or skeleton is None:
            return None
        sequence = Sequence(skeleton, fps, name, first, last, menu, loop, keys)
        sequence.locks.strips, sequence.locks, sequence.locks.holds = strips, locks, holds
        sequence.timing.curves, sequence.timing.root_speed, sequence.markers = timings, speed, tuple(markers)
        sequence.hybrid_strips = hybrid
        sequence.script, sequence.audio = data.get("script"), audio
        sequence.extra = _unknown(data, _SEQUENCE)
        return sequence

    def audio(self, data: dict[str, Any], place: str) -> dict[str, Any] | None:
        """Return the record of the music, its file so that it still holds when the project is written elsewhere."""
        record = self.member(data, place, "audio", "an object or null", None)
        if record is None:
            return None
        try:
            music = AudioRecord.of(record)
        except AudioError as error:
            self.problem(f"{place}.audio", str(error))
            return None
        return {**record, "file": self.kept_source(music.file)}

    def frame_range(self, data: dict[str, Any], place: str) -> tuple[int, int | None]:
        ends = self.member(data, place, "range", "a list or null", None)
        if ends is None:
            return 0, None
        here = f"{place}.range"
        valid = f"expected [first, last], whole numbers from 0 to {MAX_FRAME}, or last null to end at the last key"
        if len(ends) != 2 or not _is_frame(ends[0]) or not (ends[1] is None or _is_frame(ends[1])):
            self.problem(here, f"{json_text.show(ends)[:80]} is no range; {valid}")
        elif ends[1] is not None and ends[0] > ends[1]:
            self.problem(here, f"runs backwards, from {ends[0]} to {ends[1]}; {valid}")
        else:
            return ends[0], ends[1]
        return 0, None

    def number(self, value: Any) -> float | None:
        """Return a value as a float if it is a finite number, else None."""
        return _number(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_frame(value: Any) -> bool:
    return _whole(value) and 0 <= value <= MAX_FRAME


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _unknown(data: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    names = set(known)
    return {name: value for name, value in data.items() if name not in names}


_KINDS: dict[str, Any] = {
    "text": lambda value: isinstance(value, str),
    "null": lambda value: value is None,
    "a list": lambda value: isinstance(value, list),
    "an object": lambda value: isinstance(value, dict),
    "a number": lambda value: _number(value) is not None,
    "a whole number": _whole,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
}
