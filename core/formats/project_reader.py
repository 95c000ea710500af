"""The value of a ``.seq`` file checked member by member and turned into a project; nothing is half-read."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from core.animation import Key, Sequence
from core.animation.key import MAX_FRAME
from core.audio import AudioError, AudioRecord
from core.errors import CoreError, FormatError, Problem
from core.formats import json_text
from core.formats.files import MEGABYTE, read_text
from core.formats.importing.choices import ImportChoices
from core.formats.importing.units import LARGEST as LARGEST_UNIT
from core.formats.importing.units import SMALLEST as SMALLEST_UNIT
from core.formats.project import (
    FORMAT,
    LARGEST,
    MIGRATIONS,
    UNITS,
    VERSION,
    FigureRecord,
    Project,
    digest,
    resolved_source,
)
from core.formats.project_layers import read_layers
from core.formats.project_members import (
    read_camera,
    read_cycles,
    read_hybrid,
    read_keys,
    read_locks,
    read_markers,
    read_speed,
    read_strips,
    read_timings,
)
from core.formats.record_reader import LISTED, RecordReader, TooManyError, is_frame, unknown_members
from core.gait.procedural import check_record
from core.progress import Progress, report
from core.skeleton import Mesh, Skeleton, read_pol, read_scr
from core.skeleton.cones import cones_of
from core.skeleton.objects.loading import SUFFIXES, stays_inside
from core.skeleton.scr.lexer import listed

LARGEST_SCR = 64 * MEGABYTE
LARGEST_POL = 64 * MEGABYTE
MOST_OBJECTS = 4096  # of one figure
LARGEST_FPS = 1e6
_OUTSIDE = 0.1  # keys so little outside a cone are not mentioned, [deg]

_PROJECT = ("format", "version", "units", "figures", "sequences", "view", "physics", "unit")
_FIGURE = ("name", "scr", "source", "sha256", "objects")
_SEQUENCE = (
    "name", "menu", "figure", "fps", "range", "loop", "keys", "strips", "locks", "holds", "timings", "root_speed",
    "markers", "script", "audio", "hybrid", "cycles", "layers", "camera", "gait",
)  # fmt: skip


def project_from_json(data: Any, file: str, folder: Path | None = None) -> Project:
    """Return the project that a ``.seq`` file's value describes.

    Args:
        data: As from ``project_to_json``, or from a JSON parser.
        file: Name of the file for messages.
        folder: Folder it lies in, for sources with a relative path.

    Raises:
        FormatError: If the version is newer than this program's, or a value is wrong; every problem is named with
            its place, as in ``walk.seq: sequences[0].keys[3].q[12]: ...``.
    """
    return _Reader(file, folder).project(data)


def load_seq(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the project in a ``.seq`` file; see ``core.formats.load``.

    Raises:
        FormatError: If it cannot be read; lists every problem.
    """
    text = read_text(path, LARGEST)
    report(progress, 0.1)
    data = json_text.parse(text, path.name)
    report(progress, 0.5)
    project = project_from_json(data, path.name, path.resolve().parent)
    report(progress, 1.0)
    return project


class _Reader(RecordReader):
    """Reads one project."""

    # -- the file ------------------------------------------------------------------------------------------------

    def project(self, data: Any) -> Project:
        problems = json_text.check(data)
        if problems:
            raise FormatError([Problem(self.file, 0, 0, message) for message in problems])
        data = self.current(data)
        try:
            project = self.contents(data)
        except TooManyError:
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
            raise self.fail("version", f"{json_text.show(version)} is not a version; valid are 1 to {VERSION}")
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
            physics=self.physics(physics or {}),
            extra=unknown_members(data, _PROJECT),
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
        for unused in list(texts.keys() - used)[:LISTED]:
            message = "is not used by any joint of the figure; it is left out"
            self.warnings.append(Problem(self.file, 0, 0, f"{place}.objects[{json_text.show(unused)}]: {message}"))
        return skeleton, FigureRecord(
            name if name is not None else skeleton.name,
            scr,
            self.kept_source(source),
            unknown_members(data, _FIGURE),
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
                self.problem(here, f"is not an object's name; expected a relative path to a file {listed(SUFFIXES)}")
            elif len(text) > LARGEST_POL:
                self.problem(here, f"is larger than {LARGEST_POL // MEGABYTE} MB; objects of that size are not read")
            else:
                try:
                    meshes[name] = read_pol(text, f"{self.file}: {here}")
                except FormatError as error:
                    self.problems.extend(error.problems)
                    if len(self.problems) >= LISTED:
                        raise TooManyError from None
        return meshes

    def kept_source(self, source: str | None) -> str | None:
        """Return the source so that it still holds when the project is written to another folder."""
        path = resolved_source(source, self.folder)
        if source is None or path is None or source.startswith("skeletons:"):
            return source
        return str(path)

    def skeleton(self, scr: str, place: str, source: str | None, objects: dict[str, Mesh]) -> Skeleton | None:
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
        cycles = read_cycles(self, data, place)
        layers = read_layers(self, data, place, skeleton)
        gait = self.gait(data, place)
        audio, camera = self.audio(data, place), read_camera(self, data, place)
        if len(self.problems) > before or skeleton is None:
            return None
        self.swings(skeleton, keys, f"{place}.keys")
        sequence = Sequence(skeleton, fps, name, first, last, menu, loop, keys)
        sequence.locks.strips, sequence.locks, sequence.locks.holds = strips, locks, holds
        sequence.timing.curves, sequence.timing.root_speed, sequence.markers = timings, speed, tuple(markers)
        sequence.hybrid_strips, sequence.cycles, sequence.camera = hybrid, cycles, camera
        sequence.layers = layers
        sequence.script, sequence.audio, sequence.gait = data.get("script"), audio, gait
        sequence.extra = unknown_members(data, _SEQUENCE)
        return sequence

    def swings(self, skeleton: Skeleton, keys: list[Key], place: str) -> None:
        """Note which joints are outside their cones in keys; they stay so, as keys outside other limits do."""
        cones = cones_of(skeleton)
        if not len(cones) or not keys:
            return
        over = np.degrees(cones.swings(np.array([key.q for key in keys])) - np.arccos(cones.cosines))
        for number in np.flatnonzero(over.max(axis=0) > _OUTSIDE).tolist():
            worst = int(over[:, number].argmax())
            count = int((over[:, number] > _OUTSIDE).sum())
            what = f'joint "{skeleton.joints[cones.joints[number]].name}" swings out of its cone'
            message = f"{what} in {count} of {len(keys)} keys, farthest at frame {keys[worst].frame}"
            self.warnings.append(Problem(self.file, 0, 0, f"{place}: {message}, by {over[worst, number]:.1f} deg"))

    def gait(self, data: dict[str, Any], place: str) -> dict[str, Any] | None:
        """Return the rules by which the motion is made, as their record."""
        record = self.member(data, place, "gait", "an object or null", None)
        if record is None:
            return None
        try:
            check_record(record)
        except CoreError as error:
            self.problem(f"{place}.gait", str(error))
            return None
        return dict(record)

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

    def physics(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the record of physics, a mesh file in it so that it still holds when it is written elsewhere."""
        ground = record.get("ground")
        if not isinstance(ground, dict) or not isinstance(ground.get("file"), str):
            return dict(record)
        return {**record, "ground": {**ground, "file": self.kept_source(ground["file"])}}

    def frame_range(self, data: dict[str, Any], place: str) -> tuple[int, int | None]:
        ends = self.member(data, place, "range", "a list or null", None)
        if ends is None:
            return 0, None
        here = f"{place}.range"
        valid = f"expected [first, last], whole numbers from 0 to {MAX_FRAME}, or last null to end at the last key"
        if len(ends) != 2 or not is_frame(ends[0]) or not (ends[1] is None or is_frame(ends[1])):
            self.problem(here, f"{json_text.show(ends)[:80]} is not a range; {valid}")
        elif ends[1] is not None and ends[0] > ends[1]:
            self.problem(here, f"runs backwards, from {ends[0]} to {ends[1]}; {valid}")
        else:
            return ends[0], ends[1]
        return 0, None
