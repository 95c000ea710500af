"""Writing BVH files: every figure of a project as a ROOT, sampled at every frame.

A BVH joint has no rest orientation. So each gets a frame that is parallel to the world when every degree of freedom
is zero; seen from it, hinges turn about their axes as they lie in the world then. Where those are coordinate axes the
angles are written as they are, else as three Euler angles of the whole rotation. A part that runs along a spline is
written as the places and angles it takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats.bvh.hierarchy import CHANNELS
from core.formats.bvh.motion import USUAL_RATE
from core.formats.bvh.scanner import FARTHEST
from core.formats.exchange.clips import clock
from core.formats.files import check_written, write_parts
from core.formats.importing.recording import continuous_euler
from core.formats.project import Project
from core.kinematics import forward_kinematics
from core.progress import Progress, report
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.frames import frames_at
from core.skeleton.scr.writer import depth_first_order
from core.skeleton.segment import segment_tip

EULER_ORDER = (2, 0, 1)
"""Z, X, Y: what most files have."""

_STRAIGHT = 1e-12


@dataclass(frozen=True)
class Part:
    """One joint as a BVH file has it.

    Attributes:
        joint: Its index in the skeleton.
        offset: Its place beside its parent where every degree of freedom is zero, world axes, shape (3,), [m].
        tips: Its End Sites, in its own BVH frame, each of shape (3,), [m].
        positions: Axes of its position channels in order.
        rotations: Axes of its rotation channels in order.
        angles: For each rotation channel the place in the pose and the sign of the angle that it is, or None for one
            that is always zero. None if they are Euler angles of the joint's rotation.
    """

    joint: int
    offset: Array
    tips: tuple[Array, ...]
    positions: tuple[int, ...]
    rotations: tuple[int, ...]
    angles: tuple[tuple[int, float] | None, ...] | None


def rest_rotations(s: Skeleton) -> Array:
    """Return the world rotation of every joint where every degree of freedom is zero, scale left out, (n, 3, 3)."""
    rotations = np.empty((len(s.joints), 3, 3))
    for i, joint in enumerate(s.joints):
        rotations[i] = joint.rotation if joint.parent < 0 else rotations[joint.parent] @ joint.rotation
        if joint.curved is not None:
            rotations[i] = rotations[i] @ joint.curved.transform(np.zeros(len(joint.dofs)))[:3, :3]
    return rotations


def plan(s: Skeleton) -> list[Part]:
    """Return all joints depth first, as a BVH file lists them."""
    frames, turned = frames_at(s, np.zeros(s.n_dofs)), rest_rotations(s)
    # Below a joint that is itself below an uneven scale, bones change their length as the figure moves.
    uneven = [False] * len(s.joints)
    stretched = [False] * len(s.joints)
    for i, joint in enumerate(s.joints):
        stretched[i] = joint.parent >= 0 and uneven[joint.parent]
        above = joint.parent >= 0 and (uneven[joint.parent] or _is_uneven(s.joints[joint.parent]))
        uneven[i] = above
    parts: list[Part] = []
    for i in depth_first_order(s):
        joint = s.joints[i]
        offset = frames[i, :3, 3] - (frames[joint.parent, :3, 3] if joint.parent >= 0 else 0.0)
        tips = joint.tips or (() if s.children[i] else (segment_tip(s, i),))
        rotations, angles = _rotations(joint, turned[i], 3 + s.first_dof[i])
        positions = (0, 1, 2) if i == 0 or stretched[i] else _positions(joint, turned[i])
        parts.append(Part(i, offset, tuple(frames[i, :3, :3] @ tip for tip in tips), positions, rotations, angles))
    return parts


def _is_uneven(joint: Joint) -> bool:
    return not np.all(joint.scale == joint.scale[0])


def _letter(dof: Dof, turned: Array) -> tuple[int, float] | None:
    """Return the world axis that a degree of freedom's axis is at rest, and its sign; None if it is oblique."""
    axis = turned @ dof.axis
    largest = int(np.argmax(np.abs(axis)))
    across = np.delete(axis, largest)
    return (largest, float(np.sign(axis[largest]))) if np.abs(across).max() <= _STRAIGHT else None


def _positions(joint: Joint, turned: Array) -> tuple[int, ...]:
    """Return the axes along which a joint slides: those of its slides if it slides before it turns, else all."""
    if joint.curved is not None:
        return (0, 1, 2)
    kinds = [dof.kind for dof in joint.dofs]
    slides = [dof for dof in joint.dofs if dof.kind == SLIDE]
    if not slides:
        return ()
    letters = [_letter(dof, turned) for dof in slides]
    straight = [letter[0] for letter in letters if letter is not None]
    if len(straight) < len(slides) or HINGE in kinds[: len(slides)]:
        return (0, 1, 2)
    return tuple(dict.fromkeys(straight))


def _rotations(
    joint: Joint, turned: Array, first: int
) -> tuple[tuple[int, ...], tuple[tuple[int, float] | None, ...] | None]:
    """Return the axes of a joint's rotation channels and what they are; see ``Part``."""
    if joint.curved is not None:
        return EULER_ORDER, None
    hinges = [(first + k, dof) for k, dof in enumerate(joint.dofs) if dof.kind == HINGE]
    letters = [(number, _letter(dof, turned)) for number, dof in hinges]
    straight = [(axis[0], (number, axis[1])) for number, axis in letters if axis is not None]
    if len(straight) < len(hinges):
        return EULER_ORDER, None
    axes = [axis for axis, _ in straight]
    angles: list[tuple[int, float] | None] = [angle for _, angle in straight]
    # Most programs know joints with three angles only. One that has limits was no such joint of another BVH file.
    if 0 < len(axes) < 3 and any(np.isfinite([dof.lo, dof.hi]).any() for _, dof in hinges):
        missing = [axis for axis in EULER_ORDER if axis not in axes]
        axes += missing
        angles += [None] * len(missing)
    return tuple(axes), tuple(angles)


_DEGREES = 180.0 / np.pi


class FigureMotion:
    """Turns a figure's poses into rows, chunk by chunk; Euler angles go on from the chunk before.

    Args:
        figure: The figure.
        parts: As from ``core.formats.bvh.writer.plan``.
    """

    def __init__(self, figure: Skeleton, parts: list[Part]):
        self.figure = figure
        self.parts = parts
        self.turned = rest_rotations(figure)
        self.unscaled = figure
        if any(np.any(joint.scale != 1.0) for joint in figure.joints):
            bare = [replace(joint.as_given(), scale=np.ones(3)) for joint in figure.joints]
            self.unscaled = Skeleton(figure.name, bare)
        slides = any(dof.kind == SLIDE for dof in figure.all_dofs)
        self.moves = slides or any(part.angles is None or (part.joint and part.positions) for part in parts)
        self.last: dict[int, Array] = {}

    def rows(self, q: Array, unit: float, length_digits: int, angle_digits: int) -> Array:
        """Return the values of all channels, rounded, shape (m, channels): lengths in units, angles in degrees.

        Args:
            q: Poses, shape (m, nq), that follow those of the last call.
            unit: Metres in one unit.
            length_digits: Digits that lengths keep behind the point.
            angle_digits: Digits that angles keep.
        """
        m = len(q)
        joints = self.figure.joints
        if self.moves:
            at = forward_kinematics(self.figure, q)[..., :3, 3]
            turns = forward_kinematics(self.unscaled, q)[..., :3, :3] @ np.swapaxes(self.turned, 1, 2)
        columns: list[Array] = []
        for part in self.parts:
            i, parent = part.joint, joints[part.joint].parent
            if part.positions:
                if parent >= 0:
                    place = np.einsum("mji,mj->mi", turns[:, parent], at[:, i] - at[:, parent])
                else:
                    place = at[:, i] if self.moves else joints[i].offset + q[:, :3]
                columns.append(np.round(place[:, part.positions] / unit, length_digits))
            if part.angles is None:
                local = turns[:, i]
                if parent >= 0:
                    local = np.swapaxes(turns[:, parent], 1, 2) @ local
                angles = self._euler(part, local)
            else:
                angles = np.zeros((m, len(part.angles)))
                for k, source in enumerate(part.angles):
                    if source is not None:
                        angles[:, k] = source[1] * q[:, source[0]]
            columns.append(np.round(_DEGREES * angles, angle_digits))
        return np.concatenate(columns, axis=1) + 0.0  # no minus before a zero

    def _euler(self, part: Part, rotations: Array) -> Array:
        """Return the angles of a joint's rotations; the last one of a chunk is kept to go on from."""
        order = part.rotations[0], part.rotations[1], part.rotations[2]
        angles = continuous_euler(order, rotations, self.last.get(part.joint))
        self.last[part.joint] = angles[-1]
        return angles


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
    together = clock(known, file)
    moving = zip(together.starts, together.steps, strict=True)
    return together.rate, together.count, [(0.0, 1.0) if each is None else next(moving) for each in sequences]


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
