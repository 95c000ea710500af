"""Writing BVH files: every figure of a project as a ROOT, sampled at every frame."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats.bvh.hierarchy import CHANNELS
from core.formats.bvh.motion import MOST_FRAMES, USUAL_RATE
from core.formats.bvh.plan import Part, plan
from core.formats.bvh.sampling import FigureMotion
from core.formats.bvh.scanner import FARTHEST
from core.formats.files import write_parts
from core.formats.progress import Progress, report
from core.formats.project import Project
from core.formats.written_numbers import check_written
from core.skeleton import Skeleton

_CHUNK = 256  # frames at a time
_ANGLE_DIGITS = 6
_EXACT = 1e-8  # what the last digit of a length may be, of the figure's size


def save_bvh(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write all figures of a project and the first sequence of each as a BVH file; see ``core.formats.save``.

    Every frame of the sequence's range becomes a row. Lengths are in ``Project.unit``. Several figures share one
    clock, that of the first one's sequence; the motion of each is held before and after its range.

    Raises:
        FormatError: If the project has no figure, the motion is too long, or the file cannot be written.
    """
    try:
        write_parts(path, _parts(project, path.name, progress))
    except FormatError:
        raise
    except CoreError as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None


def _parts(project: Project, file: str, progress: Progress | None) -> Iterator[str]:
    unit = project.unit
    if not project.figures:
        raise FormatError(Problem(file, 0, 0, "a .bvh file holds figures, and the project has none"))
    if not (math.isfinite(unit) and unit > 0.0):
        raise FormatError(Problem(file, 0, 0, f"{unit!r} is not a unit; expected metres in one unit of the file"))
    found = [next((one for one in project.sequences if one.skeleton is figure), None) for figure in project.figures]
    plans = [plan(figure) for figure in project.figures]
    taken: set[str] = set()
    yield "HIERARCHY\n"
    digits = [_digits(parts, unit) for parts in plans]
    for figure, parts, places in zip(project.figures, plans, digits, strict=True):
        yield from _hierarchy(figure, parts, unit, places, taken)
    rate, count, starts = _clock(found, file)
    motions = [FigureMotion(figure, parts) for figure, parts in zip(project.figures, plans, strict=True)]
    formats = [" ".join(_formats(parts, places)) for parts, places in zip(plans, digits, strict=True)]
    line = " ".join(text for text in formats if text) + "\n"
    yield f"MOTION\nFrames: {count}\nFrame Time: {_seconds(1.0 / rate)}\n"
    for start in range(0, count, _CHUNK):
        report(progress, start / count)
        ticks = np.arange(start, min(start + _CHUNK, count), dtype=np.float64)
        columns = []
        for motion, sequence, places, (first, step) in zip(motions, found, digits, starts, strict=True):
            figure = motion.figure
            frames = first + step * ticks
            q = np.tile(figure.rest_pose(), (len(ticks), 1)) if sequence is None else sequence.poses_at_frames(frames)
            columns.append(motion.rows(q, unit, places, _ANGLE_DIGITS))
        rows = np.concatenate(columns, axis=1)
        check_written(rows, FARTHEST, unit, file, start)
        yield "".join([line % tuple(row) for row in rows.tolist()])
    report(progress, 1.0)


# -- time ------------------------------------------------------------------------------------------------------------


def _clock(sequences: list[Sequence | None], file: str) -> tuple[float, int, list[tuple[float, float]]]:
    """Return frames a second, the number of rows, and for each figure the frame of the first row and the step."""
    known = [sequence for sequence in sequences if sequence is not None]
    if not known:
        return USUAL_RATE, 1, [(0.0, 1.0)] * len(sequences)
    rate = float(known[0].fps)
    begin = min(sequence.range[0] / sequence.fps for sequence in known)
    end = max(sequence.range[1] / sequence.fps for sequence in known)
    count = round((end - begin) * rate) + 1
    if count > MOST_FRAMES:
        message = f"the motion has {count} frames; .bvh files of more than {MOST_FRAMES} are not written"
        raise FormatError(Problem(file, 0, 0, message))
    steps = [1.0 if sequence is None else sequence.fps / rate for sequence in sequences]
    return rate, count, [(begin * rate * step, step) for step in steps]


def _seconds(frame_time: float) -> str:
    """Return a frame time with ten digits that count, and at least seven behind the point."""
    return f"{frame_time:.{max(7, 9 - math.floor(math.log10(frame_time)))}f}"


# -- text ------------------------------------------------------------------------------------------------------------


def _digits(parts: list[Part], unit: float) -> int:
    """Return how many digits lengths have behind the point."""
    places = {part.joint: part.offset for part in parts}
    size = max(float(np.abs(point).max()) for part in parts for point in (places[part.joint], *part.tips)) / unit
    return 6 if size <= 0.0 else min(max(6, math.ceil(-math.log10(_EXACT * size))), 15)


def _formats(parts: list[Part], digits: int) -> Iterator[str]:
    for part in parts:
        yield from [f"%.{digits}f"] * len(part.positions)
        yield from [f"%.{_ANGLE_DIGITS}f"] * len(part.rotations)


def _hierarchy(s: Skeleton, parts: list[Part], unit: float, digits: int, taken: set[str]) -> Iterator[str]:
    """Yield the lines of one figure; ``taken`` are the names in the file so far."""

    def offset(vector: Array) -> str:
        values = np.round(vector / unit, digits) + 0.0  # no minus before a zero
        return "OFFSET " + " ".join(f"{value:.{digits}f}" for value in values.tolist())

    by_joint = {part.joint: part for part in parts}
    depths: list[int] = []
    stack: list[tuple[int, bool]] = [(0, False)]
    while stack:
        i, done = stack.pop()
        depth = len(depths)
        part, tab = by_joint[i], "\t" * (depth - 1 if done else depth)
        if done:
            depths.pop()
            for tip in part.tips:
                yield f"{tab}\tEnd Site\n{tab}\t{{\n{tab}\t\t{offset(tip)}\n{tab}\t}}\n"
            yield f"{tab}}}\n"
            continue
        depths.append(i)
        keyword = "ROOT" if s.joints[i].parent < 0 else "JOINT"
        names = [CHANNELS[axis] for axis in part.positions] + [CHANNELS[3 + axis] for axis in part.rotations]
        channels = " ".join(["CHANNELS", str(len(names)), *names])
        name = _name(s.joints[i].name, taken)
        yield f"{tab}{keyword} {name}\n{tab}{{\n{tab}\t{offset(part.offset)}\n{tab}\t{channels}\n"
        stack.append((i, True))
        stack.extend((child, False) for child in reversed(s.children[i]))


def _name(name: str, taken: set[str]) -> str:
    """Return a joint's name without blanks and braces, unlike all others in the file."""
    plain = "_".join("".join("_" if letter in "{}" or not letter.isprintable() else letter for letter in name).split())
    free, k = plain or "joint", 2
    while free in taken:
        free, k = f"{plain or 'joint'}_{k}", k + 1
    taken.add(free)
    return free
