"""Reading BVH files: text to figures and their motion.

A joint's position channels replace its OFFSET: for the root they become the pose's first three values, for any other
joint slides. Its rotation channels become hinges in the order in which they are listed. Nothing is merged, and a
sequence has a key at every frame of the file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.errors import FormatError, Problem
from core.formats.bvh.hierarchy import Node, read_hierarchy
from core.formats.bvh.motion import Motion, read_motion
from core.formats.bvh.scanner import FARTHEST, Scanner
from core.formats.files import MEGABYTE, read_bytes
from core.formats.importing.bodies import with_bodies
from core.formats.importing.naming import dressed
from core.formats.importing.recording import check_depth, continuous, keys_of
from core.formats.importing.units import file_unit
from core.formats.progress import Progress, part, report
from core.formats.project import Project
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.joint import HINGE, SLIDE, Array
from core.skeleton.lexer import CONTROL
from core.spatial.so3 import axis_rotation

LARGEST = 256 * MEGABYTE
_AXES = np.eye(3)
_DISPLACED = 1e-2  # of a bone's length


def load_bvh(
    path: Path, *, unit: float | None = None, skeleton: Skeleton | None = None, progress: Progress | None = None
) -> Project:
    """Return the figures in a BVH file, each with a sequence of its motion; see ``core.formats.load``.

    Raises:
        FormatError: At the first thing that makes no sense, with its line and column.
    """
    data = read_bytes(path, LARGEST).removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    report(progress, 0.05)
    scanner = Scanner(data, path.name)
    nodes, warnings = read_hierarchy(scanner)
    motion = read_motion(scanner, sum(len(node.channels) for node in nodes), part(progress, 0.05, 0.6))
    warnings += motion.warnings
    del data, scanner
    roots = [i for i, node in enumerate(nodes) if node.parent < 0]
    trees = [nodes[start:end] for start, end in zip(roots, [*roots[1:], len(nodes)], strict=True)]
    stem = CONTROL.sub("_", path.stem).strip() or "figure"
    names = [stem] if len(trees) == 1 else [f"{stem} {k + 1}" for k in range(len(trees))]
    places = [_places(tree, start, motion.rows) for tree, start in zip(trees, roots, strict=True)]
    known = file_unit(places, path.name, unit)
    _check_size(nodes, motion, known.unit, path.name)
    warnings += _collapsed(nodes, motion, path.name)
    report(progress, 0.65)
    figures = [
        dressed(Skeleton(name, [_joint(node, start, known.unit) for node in tree]))
        for name, tree, start in zip(names, trees, roots, strict=True)
    ]
    for figure in figures:
        check_depth(figure, path.name)
    figures = [with_bodies(figure) for figure in figures]
    report(progress, 0.75)
    sequences = []
    for k, (figure, tree) in enumerate(zip(figures, trees, strict=True)):
        q = _poses(figure, tree, motion.rows, known.unit)
        q.setflags(write=False)
        told = part(progress, 0.75 + 0.25 * k / len(figures), 0.75 + 0.25 * (k + 1) / len(figures))
        sequences.append(_sequence(figure, q, motion.rate, told))
    told_of = (*warnings, *known.warnings)
    return Project(figures, sequences, unit=known.unit, unit_guess=known.guess, warnings=told_of)


# -- the figure ------------------------------------------------------------------------------------------------------


def _joint(node: Node, start: int, unit: float) -> Joint:
    """Return a joint in metres; ``start`` is the number of its figure's root."""
    root = node.parent < 0
    slides = [] if root else [Dof(SLIDE, _AXES[axis], -np.inf, np.inf) for axis, _ in node.positions]
    hinges = [Dof(HINGE, _AXES[axis], -np.inf, np.inf) for axis, _ in node.rotations]
    parent = -1 if root else node.parent - start
    tips = tuple(tip * unit for tip in node.tips)
    return Joint(node.name, parent, offset=node.offset * unit, dofs=(*slides, *hinges), tips=tips)


def _places(nodes: list[Node], start: int, rows: Array) -> Array:
    """Return where joints and tips of a figure are at the first frame, at rest if there is none, [units of the file].

    Args:
        nodes: Its joints.
        start: The number of its root.
        rows: All rows of the file.
    """
    points: list[Array] = []
    frames: list[tuple[Array, Array]] = []
    for node in nodes:
        place, rotation = node.offset.copy(), np.eye(3)
        if len(rows):
            for axis, channel in node.positions:
                place[axis] = rows[0, channel]
            for axis, channel in node.rotations:
                rotation = rotation @ axis_rotation(_AXES[axis], np.radians(rows[0, channel]))
        if node.parent >= 0:
            above, origin = frames[node.parent - start]
            place, rotation = origin + above @ place, above @ rotation
        frames.append((rotation, place))
        points += [place, *(place + rotation @ tip for tip in node.tips)]
    return np.array(points)


def _check_size(nodes: list[Node], motion: Motion, unit: float, file: str) -> None:
    """Refuse lengths that no .scr file holds."""
    longest = max(float(np.abs([node.offset, *node.tips]).max()) for node in nodes)
    columns = [channel for node in nodes for _, channel in node.positions]
    if columns and len(motion.rows):
        longest = max(longest, float(np.abs(motion.rows[:, columns]).max()))
    if longest * unit > FARTHEST:
        message = f"with a unit of {unit:g} m the figure reaches {longest * unit:.3g} m; lengths go to {FARTHEST:g} m"
        raise FormatError(Problem(file, 0, 0, message))


def _collapsed(nodes: list[Node], motion: Motion, file: str) -> list[Problem]:
    """Return a warning if a file seems to mean its positions as displacements: then all bones shrink to nothing."""
    placed = [node for node in nodes if node.parent >= 0 and len(node.positions) == 3 and np.any(node.offset)]
    if not len(motion.rows) or not placed:
        return []
    columns = [[channel for _, channel in node.positions] for node in placed]
    farthest = np.abs(motion.rows[:, columns]).max(axis=(0, 2))
    lengths = np.array([float(np.linalg.norm(node.offset)) for node in placed])
    small = int(np.count_nonzero(farthest < _DISPLACED * lengths))
    if 2 * small < len(placed):
        return []
    message = (
        f"{small} joints have positions near 0 0 0, which take the place of their OFFSET, so that bones shrink to "
        "nothing; the program that wrote them seems to have meant displacements"
    )
    return [Problem(file, 0, 0, message)]


# -- the motion ------------------------------------------------------------------------------------------------------


def _poses(figure: Skeleton, nodes: list[Node], rows: Array, unit: float) -> Array:
    """Return a pose a row, shape (m, nq)."""
    q = np.zeros((len(rows), figure.nq))
    for i, node in enumerate(nodes):
        column = 3 + figure.first_dof[i]
        for k, (axis, channel) in enumerate(node.positions):
            # A position takes the place of OFFSET; where the pose is zero the figure stands as OFFSET says.
            q[:, axis if i == 0 else column + k] = (rows[:, channel] - node.offset[axis]) * unit
        column += 0 if i == 0 else len(node.positions)
        for k, (_, channel) in enumerate(node.rotations):
            q[:, column + k] = continuous(np.radians(rows[:, channel]))
    return q


def _sequence(figure: Skeleton, q: Array, rate: float, progress: Progress | None) -> Sequence:
    fps = int(rate) if rate.is_integer() else rate
    return Sequence(figure, fps, figure.name, keys=keys_of(range(len(q)), q, progress))
