"""Writing Acclaim files: the figure as an .asf file, its motion, sampled at every frame, as an .amc file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats.asf_amc.amc_reader import MOST_FRAMES
from core.formats.asf_amc.asf_file import FARTHEST, is_own, written
from core.formats.asf_amc.asf_reader import read_asf
from core.formats.asf_amc.bones import Plan, PlannedBone, Value, plan
from core.formats.asf_amc.reader import INCH, USUAL_RATE, read_asf_text
from core.formats.files import check_written, write_parts
from core.formats.project import Project
from core.progress import Progress, report
from core.skeleton import Skeleton
from core.spatial.so3 import to_euler

_CHUNK = 256  # frames at a time
_ANGLE_DIGITS = 6
_EXACT = 1e-8  # what the last digit of a length may be, of the figure's size
_DIRECTION_DIGITS = 9
_ROUNDS = 50


def save_asf_amc(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write the project's one figure as an .asf file; for an .amc file also its first sequence, the figure beside it.

    Every frame of the sequence's range becomes a frame of the file, numbered from 1. Lengths are in ``Project.unit``.

    Raises:
        FormatError: If the project has not one figure, the format cannot hold it, the motion is too long, a file
            cannot be written, or beside an .amc file lies another program's .asf file of another figure.
    """
    if len(project.figures) != 1:
        message = f"the format holds one figure, the project has {len(project.figures)}"
        raise FormatError(Problem(path.name, 0, 0, message))
    figure, unit = project.figures[0], project.unit
    if not (math.isfinite(unit) and unit > 0.0):
        raise FormatError(Problem(path.name, 0, 0, f"{unit!r} is not a unit; expected metres in one unit of the file"))
    skeleton_path = path if path.suffix.lower() == ".asf" else path.with_suffix(".asf")
    planned = plan(figure, path.name)
    digits = _length_digits(planned, unit)
    x, y, z = np.round(planned.rest / unit, digits).tolist()
    planned.notes.rest = (x, y, z)
    try:
        if path is not skeleton_path:
            _check_replaceable(skeleton_path, planned)
            sequence = next((one for one in project.sequences if one.skeleton is figure), None)
            write_parts(path, _amc(figure, sequence, planned, unit, digits, path.name, progress))
        write_parts(skeleton_path, _asf(planned, unit, digits))
    except FormatError:
        raise
    except CoreError as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None


def _check_replaceable(path: Path, planned: Plan) -> None:
    """Refuse to write over a skeleton that nobody chose to replace: another figure's, from another program."""
    if not path.exists():
        return
    try:
        there = read_asf(read_asf_text(path), path.name)
        same = is_own(there.notes) or set(there.bones) == {bone.name.lower() for bone in planned.bones}
    except FormatError:
        same = False
    if not same:
        message = "is there already and holds another figure; save the motion under another name, or move that file"
        raise FormatError(Problem(path.name, 0, 0, message))


# -- numbers ---------------------------------------------------------------------------------------------------------


def _length_digits(planned: Plan, unit: float) -> int:
    """How many digits lengths have behind the point."""
    size = max(float(np.abs(bone.vector).max()) for bone in planned.bones)
    size = max(size, float(np.abs(planned.rest).max())) / unit
    return 6 if size <= 0.0 else min(max(6, math.ceil(-math.log10(_EXACT * size))), 15)


def _fixed(value: float, digits: int) -> str:
    """A number without needless zeros at its end, and without a minus before a zero."""
    if not math.isfinite(value):
        return "inf" if value > 0.0 else "-inf"
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _angles(rotation: Array) -> list[str]:
    """Angles about the fixed axes x, y, z that make a rotation, [deg]."""
    return [_fixed(angle, _DIRECTION_DIGITS) for angle in np.degrees(to_euler("zyx", rotation))[::-1].tolist()]


def _split(vector: Array, digits: int) -> tuple[list[str], str]:
    """Direction and length of a vector, such that their product, split again, gives the same digits."""
    texts: tuple[list[str], str] = (["0", "1", "0"], "0")
    for _ in range(_ROUNDS):
        length = float(np.linalg.norm(vector))
        if length == 0.0:
            return ["0", "1", "0"], "0"
        made = [_fixed(part, _DIRECTION_DIGITS) for part in (vector / length).tolist()], _fixed(length, digits)
        if made == texts:
            break
        texts = made
        vector = float(texts[1]) * np.array([float(part) for part in texts[0]])
    return texts


# -- the skeleton ----------------------------------------------------------------------------------------------------


def _asf(planned: Plan, unit: float, digits: int) -> Iterator[str]:
    rest = [_fixed(value, digits) for value in planned.notes.rest]
    root, bones = planned.bones[0], planned.bones[1:]
    name = "_".join((planned.notes.figure or "figure").split())
    yield f":version 1.10\n:name {name[:50]}\n:units\n  mass 1.0\n  length {INCH / unit:.12g}\n  angle deg\n"
    yield ":documentation\n" + "".join(f"  {line}\n" for line in written(planned.notes, rest))
    order = " ".join(value.channel.upper() for value in root.values)
    yield f":root\n  order {order}\n  axis XYZ\n  position 0 0 0\n  orientation {' '.join(_angles(root.axes))}\n"
    yield ":bonedata\n"
    for number, bone in enumerate(bones, 1):
        yield from _bone(bone, number, unit, digits)
    yield ":hierarchy\n  begin\n"
    children: dict[int, list[str]] = {}
    for bone in bones:
        children.setdefault(bone.parent, []).append(bone.name)
    for place, bone in enumerate(planned.bones):
        if place in children:
            yield f"    {bone.name} {' '.join(children[place])}\n"
    yield "  end\n"


def _bone(bone: PlannedBone, number: int, unit: float, digits: int) -> Iterator[str]:
    direction, length = _split(bone.vector / unit, digits)
    yield f"  begin\n    id {number}\n    name {bone.name}\n    direction {' '.join(direction)}\n    length {length}\n"
    yield f"    axis {' '.join(_angles(bone.axes))} XYZ\n"
    if bone.mass is not None:
        yield f"    bodymass {bone.mass:.9g}\n    cofmass {_fixed(bone.center / unit, digits)}\n"
    if bone.values:
        yield f"    dof {' '.join(value.channel for value in bone.values)}\n"
    if any(math.isfinite(value.lo) or math.isfinite(value.hi) for value in bone.values):
        pairs = [_limits(value, unit, digits) for value in bone.values]
        yield "    limits " + "\n           ".join(pairs) + "\n"
    yield "  end\n"


def _limits(value: Value, unit: float, digits: int) -> str:
    if value.channel[0] == "t":
        return f"({_fixed(value.lo / unit, digits)} {_fixed(value.hi / unit, digits)})"
    # Rounded as the motion is, so that one that reaches its limit does not go past it.
    return f"({_fixed(math.degrees(value.lo), _ANGLE_DIGITS)} {_fixed(math.degrees(value.hi), _ANGLE_DIGITS)})"


# -- the motion ------------------------------------------------------------------------------------------------------


def _amc(
    figure: Skeleton,
    sequence: Sequence | None,
    planned: Plan,
    unit: float,
    digits: int,
    file: str,
    progress: Progress | None,
) -> Iterator[str]:
    first, last = sequence.range if sequence is not None else (0, 0)
    count = last - first + 1
    if count > MOST_FRAMES:
        message = f"the motion has {count} frames; .amc files of more than {MOST_FRAMES} are not written"
        raise FormatError(Problem(file, 0, 0, message))
    rate = sequence.fps if sequence is not None else USUAL_RATE
    yield f"# Written by Sequence Editor, {rate:.10g} frames a second\n:FULLY-SPECIFIED\n:DEGREES\n"
    values = [value for bone in planned.bones for value in bone.values]
    moving = [bone for bone in planned.bones if bone.values]
    places = [digits if value.channel[0] == "t" else _ANGLE_DIGITS for value in values]
    formats = iter(f"%.{place}f" for place in places)
    lines = [" ".join([bone.name, *(next(formats) for _ in bone.values)]) for bone in moving]
    frame = "%d\n" + "\n".join(lines) + "\n"
    for start in range(0, count, _CHUNK):
        report(progress, start / count)
        numbers = np.arange(start, min(start + _CHUNK, count))
        if sequence is None:
            q = np.tile(figure.rest_pose(), (len(numbers), 1))
        else:
            q = sequence.poses_at_frames(first + numbers)
        rows = _rows(q, planned, values, unit)
        check_written(rows, FARTHEST, unit, file, start + 1)
        for k, place in enumerate(places):
            rows[:, k] = np.round(rows[:, k], place) + 0.0  # no minus before a zero
        yield "".join([frame % (n + 1, *row) for n, row in zip(numbers.tolist(), rows.tolist(), strict=True)])
    report(progress, 1.0)


def _rows(q: Array, planned: Plan, values: list[Value], unit: float) -> Array:
    """The values of all bones in the order of the file, shape (m, values); [deg] and units of the file."""
    rows = np.zeros((len(q), len(values)))
    rest = np.array(planned.notes.rest)
    for k, value in enumerate(values):
        if value.column < 0:
            continue
        rows[:, k] = value.sign * q[:, value.column]
        if value.channel[0] == "r":
            rows[:, k] = np.degrees(rows[:, k])
            continue
        if k < 3:
            for column, direction in planned.slides:
                rows[:, k] += direction[k] * q[:, column]
        rows[:, k] /= unit
        if k < 3:
            rows[:, k] += rest[k]
    return rows
