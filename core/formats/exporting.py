"""A project as another program is to get it: which figures and frames, at which rate, simulated, standing where."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats import format_of
from core.formats.exchange.clips import MOST_FRAMES, clip_groups
from core.formats.exchange.physics import overlaid, shown_poses
from core.formats.exchange.recording import Recording
from core.formats.importing.choices import FASTEST, SLOWEST, ImportChoices
from core.formats.importing.measures import upright
from core.formats.importing.placing import turned_figure, turned_rates
from core.formats.importing.units import checked_unit
from core.formats.placed_sequences import PlacedMotions, TakenDown, placed_motions
from core.formats.project import FigureRecord, Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton

UPS = ("y", "z")
_TURNED = (".bvh", ".amc", ".asf")  # such a file has the axes that its figures have
_WHOLE = 1e-6  # frames: what is this near to a whole number is meant to be one


@dataclass(frozen=True)
class ExportChoices:
    """What is written; None leaves it as it is.

    Attributes:
        first: First frame, of the first sequence's.
        last: Last frame.
        fps: Frames a second.
        unit: Metres in one unit of the file, where its format leaves that open.
        up: Axis that points up in the file, one of ``UPS``, likewise.
        floor: ``"lowest"`` puts the lowest point of the motion on the floor, ``"first"`` that of the first frame.
        facing: ``"first"`` turns the motion so that it faces +z in the first frame, ``"average"`` on average.
        left_out: Numbers of figures that are not written.
    """

    first: int | None = None
    last: int | None = None
    fps: float | None = None
    unit: float | None = None
    up: str | None = None
    floor: str | None = None
    facing: str | None = None
    left_out: frozenset[int] = frozenset()

    def checked(self, path: Path) -> ExportChoices:
        """Return the choices.

        Args:
            path: The file that is written.

        Raises:
            FormatError: If one of them makes no sense, or the format has no place for it.
        """
        suffix, format = path.suffix.lower(), format_of(path)
        for name, value in (("unit", self.unit), ("upward axis", self.up)):
            if value is not None and not (format and format.open_unit) and value not in (1.0, "y"):
                raise _wrong(path, f"a {suffix} file is in metres with y up; its {name} cannot be chosen")
        if self.up is not None and self.up not in UPS:
            raise _wrong(path, f'{self.up!r} cannot point up in a file; expected "y" or "z"')
        if self.unit is not None:
            checked_unit(self.unit, path.name)
        if self.fps is not None and not SLOWEST <= self.fps <= FASTEST:
            raise _wrong(path, f"{self.fps!r} frames a second make no sense; expected {SLOWEST:g} to {FASTEST:g}")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise _wrong(
                path, f"frames {self.first} to {self.last} run backwards; expected {self.last} to {self.first}"
            )
        ImportChoices(floor=self.floor, facing=self.facing).checked(path.name)
        return self


def _wrong(path: Path, message: str) -> FormatError:
    return FormatError(Problem(path.name, 0, 0, message))


def chosen(
    project: Project,
    path: Path,
    choices: ExportChoices,
    recording: Recording | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return a project as it is to be written; the one that is given does not change.

    Wherever something of a motion is chosen it is taken down frame by frame, as it shows: with locks, layers and
    timing, and simulated where strips hand it to physics.

    Args:
        project: The project.
        path: The file that is written.
        choices: What is chosen.
        recording: What was simulated of all sequences, in their order; None takes the keys.
        progress: Told what is done.

    Raises:
        FormatError: If a choice makes no sense, nothing is left, or the motion is too long.
        Cancelled: If ``progress`` did so.
    """
    choices = choices.checked(path)
    kept = [k for k in range(len(project.figures)) if k not in choices.left_out]
    if not kept:
        raise _wrong(path, "every figure is left out; there is nothing to write")
    taken = [project.figures[k] for k in kept]
    made = replace(
        project,
        figures=taken,
        figure_records=[project.figure_records[k] for k in kept if k < len(project.figure_records)],
        sequences=[each for each in project.sequences if any(each.skeleton is figure for figure in taken)],
        scene_unit=1.0 if choices.unit is None else choices.unit,
        scene_up=choices.up or "y",
    )
    if choices.unit is not None:
        made.unit = choices.unit
    turn = choices.up == "z" and path.suffix.lower() in _TURNED
    plain = choices.first is choices.last is choices.fps is choices.floor is choices.facing is recording is None
    if plain and not turn and not any(each.hybrid_strips for each in made.sequences):
        report(progress, 1.0)
        return made
    try:
        made = _taken_down(project, made, path, choices, recording, progress)
        return _turned(made) if turn else made
    except FormatError:
        raise
    except CoreError as error:
        raise _wrong(path, str(error)) from None


def _taken_down(
    project: Project,
    made: Project,
    path: Path,
    choices: ExportChoices,
    recording: Recording | None,
    progress: Progress | None,
) -> Project:
    """Return a project whose sequences have a key at every frame that is written."""
    taken: list[TakenDown] = []
    recordings: list[Recording | None] = []
    groups = clip_groups(project) if recording is None else [project.sequences]
    for number, group in enumerate(groups):
        lead = group[0]
        first, last = _stretch(lead, choices, recording if number == 0 else None, path)
        rate = lead.fps if choices.fps is None else choices.fps
        count = math.floor((last - first) * rate / lead.fps + _WHOLE) + 1
        if count > MOST_FRAMES:
            raise _wrong(
                path, f"the motion would have {count} frames; files of more than {MOST_FRAMES} are not written"
            )
        own = None
        for k, sequence in enumerate(group):
            if not any(sequence is each for each in made.sequences):
                continue
            here = part(progress, 0.9 * number / len(groups), 0.9 * (number + 1) / len(groups))
            start, step = first * sequence.fps / lead.fps, sequence.fps / rate
            frames = start + step * np.arange(count, dtype=np.float64)
            others = [each for each in group if each is not sequence]
            simulated = _course(recording, k) if number == 0 else None
            if simulated is None:
                q, found = shown_poses(sequence, frames, project.physics, others, here)
                at = None if found is None else found.frames
            else:
                keyed = sequence.poses_at_frames(frames)
                assert recording is not None
                at = recording.frames / lead.fps * sequence.fps
                q, found = overlaid(sequence.skeleton, frames, keyed, at, simulated), recording
            if own is None and found is not None and at is not None:
                own = found.at((at - start) / step)
            taken.append(TakenDown(sequence, q, start, step, sequence.fps if choices.fps is None else choices.fps))
        recordings.append(own)
    choice = ImportChoices(floor=choices.floor, facing=choices.facing)
    placed = placed_motions(made.figures, taken, choice, part(progress, 0.9, 1.0))
    made = replace(made, sequences=placed.sequences, recordings=tuple(recordings))
    return _in_their_world(made, placed, taken)


def _in_their_world(made: Project, placed: PlacedMotions, taken: list[TakenDown]) -> Project:
    """Return a project with its figures as they are placed now, and with the world around them moved as they were."""
    motion = placed.motion
    made = _with_figures(made, placed.figures)
    if np.array_equal(motion, np.eye(4)):
        return made
    made.recordings = tuple(None if each is None else each.moved(motion) for each in made.recordings)
    if not made.physics:
        return made
    from core.preview.settings import PhysicsSettings  # here: few files need it

    settings = PhysicsSettings.from_record(made.physics).moved(motion)
    if settings.start_rates is not None and taken and len(settings.start_rates) == taken[0].q.shape[1]:
        old, new = taken[0], placed.sequences[0].keys[0].q
        rates = np.array(settings.start_rates)
        rates = turned_rates(old.sequence.skeleton, old.q[0], new, rates, motion[:3, :3])
        settings = replace(settings, start_rates=tuple(rates.tolist()))
    made.physics = settings.to_record()
    return made


def _with_figures(project: Project, figures: list[Skeleton]) -> Project:
    """Return a project with other figures in the places of its own, and what is kept of those that changed anew."""
    records = []
    for record, old, new in zip(project.figure_records, project.figures, figures, strict=False):
        made = record if new is old else FigureRecord.of(new)
        records.append(replace(made, name=record.name, extra=record.extra))
    return replace(project, figures=list(figures), figure_records=records)


def _course(recording: Recording | None, number: int) -> Array | None:
    """Return the simulated poses of the first sequence, or of one of the others; None where there are none."""
    if recording is None or len(recording.frames) < 2:
        return None
    if number == 0:
        return recording.poses
    return recording.others[number - 1] if number <= len(recording.others) else None


def _stretch(sequence: Sequence, choices: ExportChoices, recording: Recording | None, path: Path) -> tuple[int, int]:
    """Return the first and the last frame that are written of a sequence."""
    first, last = sequence.range
    if recording is not None and len(recording.frames) > 1:
        start = round(float(recording.frames[0]))
        first, last = min(first, start), max(int(recording.frames[-1] + _WHOLE), start)
    end = max(last, sequence.keys[-1].frame if sequence.keys else 0)
    begin = first if choices.first is None else choices.first
    if begin > end:
        raise _wrong(path, f'"{sequence.name}" ends at frame {end}; there is nothing from frame {begin} on')
    return begin, max(begin, last) if choices.last is None else min(end, choices.last)


def _turned(project: Project) -> Project:
    """Return a project whose figures stand in axes with z up."""
    turn = upright("z").T
    figures = {id(figure): turned_figure(figure, turn) for figure in project.figures}
    sequences = []
    for each in project.sequences:
        q = np.array([key.q for key in each.keys]).reshape(-1, each.skeleton.nq)
        q[:, :3] = q[:, :3] @ turn.T
        sequences.append(TakenDown(each, q, 0.0, 1.0, each.fps).made(figures[id(each.skeleton)], q))
    return _with_figures(replace(project, sequences=sequences), list(figures.values()))
