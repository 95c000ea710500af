"""Reading BVH files: text to figures and their motion.

Programs do not agree. Where positions take its place, a bone is as long as its position; where they are displacements
it is as long as OFFSET and position together. Bones of people keep their length, so the reading under which they do is
what the program meant.

A joint's position channels replace its OFFSET: for the root they become the pose's first three values, for any other
joint slides. Its rotation channels become hinges in the order in which they are listed. Nothing is merged, and a
sequence has a key at every frame of the file. What a file leaves open is settled before: displacements become
positions, and another upward axis becomes y.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.bvh.hierarchy import Node, read_hierarchy
from core.formats.bvh.motion import read_motion
from core.formats.bvh.scanner import FARTHEST, Scanner
from core.formats.files import MEGABYTE, read_bytes
from core.formats.importing.bodies import with_bodies
from core.formats.importing.choices import ADD, AUTO, REPLACE, ImportChoices
from core.formats.importing.measures import find_up, found_unit, rest_points, sampled, up_taken, upright
from core.formats.importing.naming import dressed
from core.formats.importing.placing import placed
from core.formats.importing.recording import check_depth, continuous, keys_of
from core.formats.importing.units import largest_extent
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.scr.lexer import CONTROL
from core.spatial.so3 import axis_rotation


def turned(nodes: list[Node], rows: Array, turn: Array) -> tuple[list[Node], Array]:
    """Return the joints and the rows of a file in other axes; new, unless nothing turns.

    A rotation about one axis is one about the axis that it becomes, the other way round if that points backwards.

    Args:
        nodes: The joints.
        rows: Shape (m, channels).
        turn: From the file's axes to the new ones, shape (3, 3): quarter turns only.
    """
    if np.array_equal(turn, np.eye(3)):
        return nodes, rows
    became = [int(np.flatnonzero(turn[:, axis])[0]) for axis in range(3)]
    signs = [float(turn[became[axis], axis]) for axis in range(3)]
    rows = rows.copy()
    made: list[Node] = []
    for node in nodes:
        for axis, channel in (*node.positions, *node.rotations):
            if rows.size and signs[axis] < 0.0:
                rows[:, channel] = 0.0 - rows[:, channel]
        channels = [(moves, became[axis]) for moves, axis in node.channels]
        tips = [turn @ tip + 0.0 for tip in node.tips]
        made.append(replace(node, offset=turn @ node.offset + 0.0, channels=channels, tips=tips))
    return made, rows


_SAMPLES = 200  # rows that are looked at
_STRETCHED = 0.1  # of a bone's length
_CLEAR = 0.75  # share of the bones that must agree
_STILL = 1e-3  # of a bone's length, or of the longest bone's where it has none


class Meaning(NamedTuple):
    """What was measured.

    Attributes:
        positions: ``"replace"`` or ``"add"``; None if no joint but the root has positions to decide it.
        sure: Whether most bones agree.
        bones: How many bones were measured.
    """

    positions: str | None
    sure: bool
    bones: int


def meaning_of(nodes: list[Node], rows: Array) -> Meaning:
    """Return what the positions of joints below the root mean.

    Args:
        nodes: The joints.
        rows: Shape (m, channels).
    """
    placed = [node for node in nodes if node.parent >= 0 and len(node.positions) == 3 and np.any(node.offset)]
    if not len(rows) or not placed:
        return Meaning(None, True, 0)
    step = max(1, len(rows) // _SAMPLES)
    columns = np.array([[channel for _, channel in sorted(node.positions)] for node in placed])
    values = rows[::step][:, columns]
    offsets = np.array([node.offset for node in placed])
    lengths = np.linalg.norm(offsets, axis=1)
    apart = [
        np.median(np.abs(np.linalg.norm(found, axis=2) - lengths), axis=0) / lengths
        for found in (values, values + offsets)
    ]
    shares = [float(np.mean(error < _STRETCHED)) for error in apart]
    meant = ADD if shares[1] > shares[0] else REPLACE
    return Meaning(meant, max(shares) >= _CLEAR and abs(shares[1] - shares[0]) >= 0.5, len(placed))


def displaced(nodes: list[Node], rows: Array) -> tuple[list[Node], Array]:
    """Return joints and rows of a file whose positions are displacements, as one whose positions replace OFFSET.

    Joints that never leave their place lose their position channels: programs write six channels for each of them.

    Args:
        nodes: The joints.
        rows: Shape (m, channels).
    """
    longest = max((float(np.linalg.norm(node.offset)) for node in nodes), default=0.0)
    changed: list[Node] = []
    kept: list[int] = []
    rows = rows.copy()
    for node in nodes:
        channels = list(range(node.first, node.first + len(node.channels)))
        places = node.positions if node.parent >= 0 else []
        for axis, channel in places:
            rows[:, channel] += node.offset[axis]
        still = [
            channel
            for axis, channel in places
            if not np.abs(rows[:, channel] - node.offset[axis]).max(initial=0.0)
            > _STILL * (float(np.linalg.norm(node.offset)) or longest)
        ]
        left_out = set(still) if len(still) == len(places) else set()
        mine = [channel for channel in channels if channel not in left_out]
        own = [what for channel, what in zip(channels, node.channels, strict=True) if channel not in left_out]
        changed.append(replace(node, channels=own, first=len(kept)))
        kept += mine
    return changed, rows[:, kept]


LARGEST = 256 * MEGABYTE
_AXES = np.eye(3)


def load_bvh(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the figures in a BVH file, each with a sequence of its motion; see ``core.formats.load``.

    Raises:
        FormatError: At the first thing that makes no sense, with its line and column.
    """
    choices = (choices or ImportChoices()).checked(path.name)
    data = read_bytes(path, LARGEST).removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    report(progress, 0.05)
    scanner = Scanner(data, path.name)
    nodes, warnings = read_hierarchy(scanner)
    motion = read_motion(scanner, sum(len(node.channels) for node in nodes), part(progress, 0.05, 0.6))
    warnings += motion.warnings
    del data, scanner
    meaning = meaning_of(nodes, motion.rows)
    positions = (meaning.positions or REPLACE) if choices.positions in (None, AUTO) else choices.positions
    if choices.positions is None:
        positions = REPLACE
        warnings += _collapsed(nodes, meaning, path.name)
    rows = motion.rows
    if positions == ADD:
        nodes, rows = displaced(nodes, rows)
    roots = [i for i, node in enumerate(nodes) if node.parent < 0]
    spans = list(zip(roots, [*roots[1:], len(nodes)], strict=True))
    bare = [_bare(nodes[start:end], start, rows) for start, end in spans]
    tallest, few = max(bare, key=lambda one: largest_extent(rest_points(one[0])))
    found = find_up(tallest, few)
    up = up_taken(found, choices.up)
    nodes, rows = turned(nodes, rows, upright(up))
    trees = [nodes[start:end] for start, end in spans]
    stem = CONTROL.sub("_", path.stem).strip() or "figure"
    names = [stem] if len(trees) == 1 else [f"{stem} {k + 1}" for k in range(len(trees))]
    places = [_places(tree, start, rows) for tree, start in zip(trees, roots, strict=True)]

    def figures_in(unit: float) -> list[Skeleton]:
        made = [
            dressed(Skeleton(name, [_joint(node, start, unit) for node in tree]))
            for name, tree, start in zip(names, trees, roots, strict=True)
        ]
        for figure in made:
            check_depth(figure, path.name)
        return [with_bodies(figure) for figure in made]

    known = found_unit(places, tallest, figures_in, path.name, choices)
    _check_size(nodes, rows, known.unit, path.name)
    report(progress, 0.65)
    figures = figures_in(known.unit)
    report(progress, 0.75)
    moved = [(figure, _poses(figure, tree, rows, known.unit)) for figure, tree in zip(figures, trees, strict=True)]
    taken = positions if meaning.bones else None
    moved, findings = placed(moved, tallest, choices, known, found, up, meaning[:2], taken)
    sequences = []
    for k, (figure, q) in enumerate(moved):
        q.setflags(write=False)
        progress_here = part(progress, 0.75 + 0.25 * k / len(moved), 0.75 + 0.25 * (k + 1) / len(moved))
        sequences.append(_sequence(figure, q, motion.rate, progress_here))
    return Project(
        [figure for figure, _ in moved],
        sequences,
        unit=known.unit if choices.height is None else 1.0,
        unit_guess=known.guess,
        warnings=(*warnings, *known.warnings),
        imported=findings,
    )


# -- the figure ------------------------------------------------------------------------------------------------------


def _bare(nodes: list[Node], start: int, rows: Array) -> tuple[Skeleton, Array]:
    """Return a figure as the file has it, in the file's units, and a few poses of its motion."""
    figure = Skeleton("figure", [_joint(node, start, 1.0) for node in nodes])
    return figure, _poses(figure, nodes, sampled(rows), 1.0)


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


def _check_size(nodes: list[Node], rows: Array, unit: float, file: str) -> None:
    """Refuse lengths that no .scr file holds."""
    longest = max(float(np.abs([node.offset, *node.tips]).max()) for node in nodes)
    columns = [channel for node in nodes for _, channel in node.positions]
    if columns and len(rows):
        longest = max(longest, float(np.abs(rows[:, columns]).max()))
    if longest * unit > FARTHEST:
        message = f"with a unit of {unit:g} m the figure reaches {longest * unit:.3g} m; lengths go to {FARTHEST:g} m"
        raise FormatError(Problem(file, 0, 0, message))


def _collapsed(nodes: list[Node], meaning: Meaning, file: str) -> list[Problem]:
    """Return a warning if a file seems to mean its positions as displacements: then all bones shrink to nothing."""
    if meaning.positions != ADD:
        return []
    message = (
        f"{meaning.bones} joints have positions near 0 0 0, which take the place of their OFFSET, so that bones shrink "
        "to nothing; the program that wrote them seems to have meant displacements"
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
