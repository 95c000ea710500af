"""Reading Acclaim files: a skeleton in an .asf file, its motion in .amc files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.asf_amc.amc_reader import read_amc
from core.formats.asf_amc.asf_file import FARTHEST, ROOT, AsfFile
from core.formats.asf_amc.asf_reader import read_asf
from core.formats.asf_amc.bones import bone_names
from core.formats.asf_amc.figure import Channel, figure_of, rest_points
from core.formats.files import MEGABYTE, read_bytes
from core.formats.importing import units
from core.formats.importing.bodies import with_bodies
from core.formats.importing.choices import ImportChoices
from core.formats.importing.measures import Upward, find_up, found_unit, up_taken, upright
from core.formats.importing.naming import dressed
from core.formats.importing.placing import placed, turned, turned_figure
from core.formats.importing.recording import check_depth, continuous, keys_of, widened
from core.formats.importing.units import FileUnit, checked_unit
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.scr.lexer import CONTROL
from core.skeleton.segment import rest_frames

LARGEST_ASF = 8 * MEGABYTE
LARGEST_AMC = 256 * MEGABYTE
USUAL_RATE = 120.0
"""Frames a second of a motion that does not say: what the files of CMU's database have."""
INCH = 0.0254
_SURE = 1.3  # by which factor the root's height may differ from the figure's


def load_asf_amc(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the figure in an .asf file, or the figure and motion of an .amc file; see ``core.formats.load``.

    Raises:
        FormatError: If something in a file makes no sense, or there is no figure for an .amc file.
    """
    choices = (choices or ImportChoices()).checked(path.name)
    if path.suffix.lower() == ".asf":
        return _load_asf(path, choices)
    text = _text(path, LARGEST_AMC)
    report(progress, 0.05)
    warnings: tuple[Problem, ...] = ()
    figure = skeleton
    if figure is None:
        beside, warnings = _beside(path)
        project = _load_asf(beside, ImportChoices(choices.unit, choices.height))  # the motion tells what is upwards
        figure, warnings = project.figures[0], (*warnings, *project.warnings)
    layout = _layouts.get(figure)
    if layout is None or (skeleton is not None and choices.unit is not None):
        layout = _Layout(_channels_of(figure), None, True, np.eye(3)) if layout is None else layout.in_metres()
    counts = {name: len(row) for name, row in layout.channels.items()}
    motion = read_amc(text, path.name, counts, part(progress, 0.05, 0.7))
    del text
    known, channels = layout.known, layout.channels
    if known is None:
        known = _unit_of(motion.rows, counts, figure, path.name, choices.unit)
        channels = {name: [channel.scaled(known.unit) for channel in row] for name, row in channels.items()}
    degrees = layout.degrees if motion.degrees is None else motion.degrees
    q = _poses(motion.rows, channels, figure.nq, degrees)
    _check_lengths(q, figure, path.name)
    if skeleton is None:
        found = find_up(figure, q)
        up = up_taken(found, choices.up)
        figure, q[:, :3] = turned_figure(figure, upright(up)), q[:, :3] @ upright(up).T
    else:
        # The figure stands as it should; the motion may have been recorded in other axes.
        found, up = Upward("y", True), up_taken(Upward("y", True), choices.up)
        q[:, :3] = q[:, :3] @ layout.turn.T
        if up != "y":
            figure, q = turned(figure, q, upright(up), np.zeros(3))
    wide, widening = widened(figure, q, path.name)
    [(wide, q)], findings = placed([(wide, q)], wide, choices, known, found, up)
    report(progress, 0.75)
    q.setflags(write=False)
    first = motion.frames[0]
    keys = keys_of([number - first for number in motion.frames], q, part(progress, 0.75, 1.0))
    rate = motion.rate if motion.rate is not None else USUAL_RATE
    sequence = Sequence(wide, int(rate) if rate.is_integer() else rate, _stem(path), keys=keys)
    warnings = (*warnings, *motion.warnings, *(known.warnings if skeleton is not None else ()), *widening)
    unit = known.unit if choices.height is None else 1.0
    return Project([wide], [sequence], unit=unit, unit_guess=known.guess, warnings=warnings, imported=findings)


def _stem(path: Path) -> str:
    return CONTROL.sub("_", path.stem).strip() or "figure"


def _text(path: Path, most: int) -> str:
    """A file's text, line endings as newlines. The format knows ASCII only; comments in older encodings do no harm."""
    data = read_bytes(path, most)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_asf_text(path: Path) -> str:
    """Return the text of an .asf file.

    Raises:
        FormatError: If it cannot be read or is too large.
    """
    return _text(path, LARGEST_ASF)


# -- the figure ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """How the motion files of a figure are laid out.

    Attributes:
        channels: As in ``Figure``.
        known: The unit of its lengths; None if the channels are in metres.
        degrees: Whether angles are in degrees where the motion does not say.
        turn: From the file's axes to the figure's, shape (3, 3).
    """

    channels: dict[str, list[Channel]]
    known: FileUnit | None
    degrees: bool
    turn: Array

    def in_metres(self) -> _Layout:
        """Return the layout of motion whose unit is not the skeleton's."""
        if self.known is None:
            return self
        unit = 1.0 / self.known.unit
        channels = {name: [c.scaled(unit) for c in row] for name, row in self.channels.items()}
        return _Layout(channels, None, self.degrees, self.turn)


# What figures that were read here are laid out like; others are guessed at.
_layouts: WeakKeyDictionary[Skeleton, _Layout] = WeakKeyDictionary()


def _load_asf(path: Path, choices: ImportChoices) -> Project:
    asf = read_asf(read_asf_text(path), path.name)
    bare = figure_of(asf, 1.0, _stem(path), path.name)

    def figures_in(unit: float) -> list[Skeleton]:
        made = dressed(figure_of(asf, unit, _stem(path), path.name).skeleton)
        check_depth(made, path.name)
        return [with_bodies(made)]

    known = _asf_unit(asf, bare.skeleton, figures_in, path.name, choices)
    _check_size(asf, known.unit, path.name)
    rest = np.zeros((1, bare.skeleton.nq))
    found = find_up(bare.skeleton, rest[:0])
    up = up_taken(found, choices.up)
    figure = turned_figure(figures_in(known.unit)[0], upright(up))
    [(figure, _)], findings = placed([(figure, rest[:0])], bare.skeleton, choices, known, found, up)
    channels = figure_of(asf, known.unit, _stem(path), path.name).channels
    sequence = Sequence(figure, USUAL_RATE, figure.name)
    _layouts[figure] = _Layout(channels, known, bare.degrees, upright(up))
    unit = known.unit if choices.height is None else 1.0
    warnings_found = (*bare.warnings, *known.warnings)
    return Project([figure], [sequence], unit=unit, unit_guess=known.guess, warnings=warnings_found, imported=findings)


def _asf_unit(
    asf: AsfFile, bare: Skeleton, figures_in: Callable[[float], list[Skeleton]], file: str, choices: ImportChoices
) -> FileUnit:
    """The unit of an ASF file. ``length 1`` is what programs write that did not think of it: then it is guessed."""
    if choices.unit is None and choices.height is None and asf.length is not None and asf.length != 1.0:
        metres = INCH / asf.length
        if units.SMALLEST <= metres <= units.LARGEST:
            return FileUnit(metres, units.FILE)
    return found_unit([rest_points(asf)], bare, figures_in, file, choices)


def _check_size(asf: AsfFile, unit: float, file: str) -> None:
    reach = float(np.abs(rest_points(asf)).max()) * unit
    if not reach <= FARTHEST:
        message = f"with a unit of {unit:g} m the figure reaches {reach:.3g} m; lengths go to {FARTHEST:g} m"
        raise FormatError(Problem(file, 0, 0, message))


def _check_lengths(q: Array, figure: Skeleton, file: str) -> None:
    columns = [0, 1, 2, *(3 + k for k, dof in enumerate(figure.all_dofs) if dof.kind == SLIDE)]
    reach = float(np.abs(q[:, columns]).max())
    if not reach <= FARTHEST:
        raise FormatError(Problem(file, 0, 0, f"the motion reaches {reach:.3g} m; lengths go to {FARTHEST:g} m"))


def _beside(path: Path) -> tuple[Path, tuple[Problem, ...]]:
    """The .asf file beside a motion whose name agrees longest with its own; the only one there is if none does."""
    folder = path.parent
    try:
        found = sorted(item for item in folder.iterdir() if item.suffix.lower() == ".asf" and item.is_file())
    except OSError:
        found = []
    own = path.stem.lower()

    def shared(item: Path) -> int:
        alike = [a == b for a, b in zip(own, item.stem.lower(), strict=False)]
        return alike.index(False) if False in alike else len(alike)

    if not found:
        message = (
            f'holds motion only, and there is no .asf file with its skeleton beside it; expected "{path.stem}.asf", or '
            "one whose name begins alike, in the same folder"
        )
        raise FormatError(Problem(path.name, 0, 0, message))
    best = max(found, key=lambda item: (shared(item), -len(item.stem)))
    if shared(best) == len(best.stem):
        return best, ()
    if shared(best) == 0 and len(found) > 1:
        there = ", ".join(item.name for item in found[:5]) + (" ..." if len(found) > 5 else "")
        message = (
            f'holds motion only, and no .asf file beside it has a name that begins like "{path.stem}"; there are '
            f"{there}. Give its skeleton, or name one of them like it"
        )
        raise FormatError(Problem(path.name, 0, 0, message))
    message = f"{best.name} is taken for its skeleton, the nearest by name"
    return best, (Problem(path.name, 0, 0, message),)


def _channels_of(s: Skeleton) -> dict[str, list[Channel]]:
    """How a motion of a figure that came from elsewhere would be laid out; lengths in metres."""
    channels: dict[str, list[Channel]] = {}
    names = bone_names(s)
    for i, joint in enumerate(s.joints):
        first = 3 + s.first_dof[i]
        slides = [Channel(first + k, 1.0) for k, dof in enumerate(joint.dofs) if dof.kind == SLIDE]
        hinges = [Channel(first + k, 0.0) for k, dof in enumerate(joint.dofs) if dof.kind == HINGE]
        if i == 0:
            slides = [Channel(axis, 1.0) for axis in range(3)]
        channels[ROOT if i == 0 else names[i].lower()] = [*slides, *reversed(hinges)]
    return channels


def _unit_of(rows: Array, counts: Mapping[str, int], s: Skeleton, file: str, unit: float | None) -> FileUnit:
    """The unit of a motion whose figure is given: the one in which the root moves as high as it rests."""
    if unit is not None:
        return FileUnit(checked_unit(unit, file), units.GIVEN)
    start = list(counts).index(ROOT)
    column = sum(list(counts.values())[:start])
    height = float(np.median(np.abs(rows[:, column + 1])))
    frames = rest_frames(s)
    stand = float(frames[0, 1, 3] - frames[:, 1, 3].min())
    if height == 0.0 or stand <= 0.0:
        return FileUnit(1.0, units.SURE if not rows[:, column : column + 3].any() else units.DOUBTFUL)
    off = {metres: abs(np.log(height * metres / stand)) for metres in (*(m for m, _ in units.UNITS[:-1]), INCH / 0.45)}
    best = min(off, key=lambda metres: off[metres])
    if off[best] < np.log(_SURE):
        return FileUnit(best, units.SURE)
    message = f"the root moves at height {height:.3g}, which fits the figure in no common unit; taken as {best:g} m"
    return FileUnit(best, units.DOUBTFUL, (Problem(file, 0, 0, message),))


# -- the motion ------------------------------------------------------------------------------------------------------


def _poses(rows: Array, channels: Mapping[str, list[Channel]], nq: int, degrees: bool) -> Array:
    """Poses, shape (m, nq), [m] and [rad]."""
    q = np.zeros((len(rows), nq))
    turn = np.radians(1.0) if degrees else 1.0
    flat = [channel for row in channels.values() for channel in row]
    for k, channel in enumerate(flat):
        if channel.column >= 0 and channel.factor > 0.0:
            q[:, channel.column] = channel.factor * rows[:, k] - channel.rest
        elif channel.column >= 0:
            q[:, channel.column] = continuous(turn * rows[:, k])
    return q
