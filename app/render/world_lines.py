"""What is attached, as pictures: hanging lines, coils, spindles whose colour shows what is active, strands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.render.colors import srgb
from app.render.physics_picture import ELLIPSOID, Pen, PhysicsPicture
from app.words.line_kinds import COIL, ROPE, SPINDLE, STRAND, STRING, line_kind
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.spatial.cross_products import across

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.render.physics_world import Solid
    from core.preview.line_nodes import Line
    from core.preview.settings import PhysicsSettings

Array = NDArray[np.float64]

FIELDS = ("strings", "forces")
"""Where the settings of physics have lines that pull, and are straight or hang by themselves."""
STRANDS = "strands"
"""Where they have strands."""
STRING_WIDTH = 1.3  # px
_ROPE_WIDTH, _COIL_WIDTH = (1.6, 2.6), 1.5  # of a rope: slack, and taut [px]
_SAG_STEPS = 14
_COIL_RADIUS, _COIL_PITCH = 0.011, 0.02  # in heights of the figure
_COIL_TURNS, _TURN_STEPS = (5, 24), 12
_COIL_ENDS = 0.1  # of its length, straight
_TENDON = 2.2  # width of a muscle beside its belly [px]
_BELLY = (0.010, 0.026)  # half of how thick a belly is, at rest and fully active, in heights of the figure
_SLENDER = 0.28  # it is never thicker than this share of its length
_BELLY_SHARE = 0.82  # of the straight part that the belly is on
_BELLY_FILL, _OUTLINE = 0.9, 1.4
_PICKED = 1.4  # how much wider the line behind one that is picked [px]


class WorldLine(NamedTuple):
    """Something that runs through points of parts and of the world.

    Attributes:
        key: The field of the settings that has it, and its place there.
        style: How it is drawn, one of those of ``line_kinds``.
        points: Where it is fixed, shape (n, 3), [m].
        length: At which it is taut or rests; 0 for none, [m].
        active: How active it is, 0 to 1.
        height: Of the figure, [m].
        radius: How thick it is, [m]; 0 for what is only a line.
        free: Whether its last point is free.
    """

    key: tuple[str, int]
    style: str
    points: Array
    length: float
    active: float
    height: float
    radius: float = 0.0
    free: bool = False


def world_lines(
    settings: PhysicsSettings, skeleton: Skeleton, poses: Array, bodies: Mapping[str, Array], seconds: float
) -> list[WorldLine]:
    """Return all that is attached; what is fixed to a part that is not there is left out.

    Args:
        settings: Have strings and forces.
        skeleton: The figure.
        poses: World frames of its joints, shape (n, 4, 4).
        bodies: World frames of rigid bodies, and of parts of several figures, by name, shape (4, 4).
        seconds: Time of the sequence, at which muscles are as active as their keys say, [s].
    """
    if not settings.strings and not settings.forces:
        return []
    from core.preview.line_nodes import node_places, nodes_of  # it brings the forces along

    frames = dict(bodies) | {name: poses[k] for k, name in enumerate(skeleton.joint_names)}
    height, found = figure_height(skeleton), []
    for field in FIELDS:
        for number, line in enumerate(getattr(settings, field)):
            kind = line_kind(line)
            points = None if kind is None else node_places(nodes_of(line), frames)
            if kind is not None and points is not None:
                length = float(getattr(line, "length" if field == "strings" else "rest_length", 0.0))
                found.append(WorldLine((field, number), kind.style, points, length, active_at(line, seconds), height))
    return found


def strand_lines(settings: PhysicsSettings, nodes: Mapping[int, Array], skeleton: Skeleton) -> list[WorldLine]:
    """Return strands as they hang.

    Args:
        settings: Have the strands.
        nodes: Places of the nodes of each, by its number, shape (n, 3), [m].
        skeleton: The figure.
    """
    height = figure_height(skeleton)
    known = [(number, settings.strands[number], p) for number, p in nodes.items() if len(p) > 1]
    return [
        WorldLine((STRANDS, number), STRAND, p, 0.0, 0.0, height, strand.radius, strand.other is None)
        for number, strand, p in known
    ]


def strands_solid(lines: Sequence[WorldLine]) -> Solid | None:
    """Return the round bodies of the strands among lines; None if there are none."""
    strands = [line for line in lines if line.style == STRAND]
    if not strands:
        return None
    from app.render.strand_solid import StrandLook, strand_solid

    return strand_solid([StrandLook(line.points, line.radius, line.free) for line in strands])


def active_at(line: Line, seconds: float) -> float:
    """Return how active a line is at a time of the sequence, 0 to 1; 0 for one that never is."""
    curve = getattr(line, "curve", None)
    if curve is None:
        return 0.0
    from core.keyed_curves.keyed_curve_kernel import value_at

    return min(max(float(value_at(curve, seconds)), 0.0), 1.0)


def course_of(line: WorldLine) -> Array:
    """Return the way that a line takes in the world, shape (k, 3), [m]; one that is slack hangs down."""
    if line.style in (STRING, ROPE) and len(line.points) == 2:
        return _hanging(line.points[0], line.points[1], line.length)
    return line.points


def lines_picture(theme: Theme, lines: Sequence[WorldLine]) -> PhysicsPicture | None:
    """Return lines as the renderer draws them; None if there are none."""
    if not lines:
        return None
    pen = Pen(theme)
    draw_lines(pen, lines)
    return pen.picture(None)


def draw_lines(pen: Pen, lines: Sequence[WorldLine], picked: tuple[str, int] | None = None) -> None:
    """Draw lines.

    Args:
        pen: Where.
        lines: The lines.
        picked: Key of the one that is picked, or None.
    """
    for line in lines:
        if line.style == STRAND and line.key != picked:  # a body draws it
            continue
        course, width = course_of(line), STRING_WIDTH
        color: str | NDArray[np.float32] = "text"
        starts, ends = course[:-1], course[1:]
        if line.style == COIL:
            course, width = _coil(course, line.length, line.height), _COIL_WIDTH
            starts, ends = course[:-1], course[1:]
        elif line.style == SPINDLE:
            width, color = _TENDON, muscle_color(pen.theme, line.active)
            starts, ends = _draw_belly(pen, line, "accent" if line.key == picked else "halo")
        elif line.style == ROPE:
            far = float(np.linalg.norm(np.diff(line.points, axis=0), axis=1).sum())
            width = _ROPE_WIDTH[far > line.length]
        if line.key == picked:
            pen.lines(starts, ends, "accent", width + 2.0 * _PICKED)
        pen.lines(starts, ends, color, width, rim=line.key != picked)


def muscle_color(theme: Theme, active: float) -> NDArray[np.float32]:
    """Return the colour of a muscle, sRGB, shape (3,): pale at rest, strong when it is fully active."""
    rest, full = srgb(theme, "muscle_rest"), srgb(theme, "muscle")
    return np.asarray(rest + np.float32(active) * (full - rest), dtype=np.float32)


def _draw_belly(pen: Pen, line: WorldLine, edge: str) -> tuple[Array, Array]:
    """Draw the belly of a muscle on the longest straight part of its way: the thicker the more active it is.

    Returns:
        Starts and ends of what is left of its way beside the belly, shape (k, 3) each.
    """
    starts, ends = line.points[:-1], line.points[1:]
    ways = ends - starts
    lengths = np.linalg.norm(ways, axis=1)
    longest = int(np.argmax(lengths))
    length = float(lengths[longest])
    if length < 1e-6:
        return starts, ends
    half = 0.5 * _BELLY_SHARE * length
    radius = min((_BELLY[0] + line.active * (_BELLY[1] - _BELLY[0])) * line.height, _SLENDER * length)
    along = ways[longest] / length
    side, other = across(along)
    middle = starts[longest] + 0.5 * ways[longest]
    belly = np.stack([radius * side, radius * other, half * along, middle], axis=1)[None]
    pen.shapes(ELLIPSOID, belly, (muscle_color(pen.theme, line.active),), 0, 0.0, _BELLY_FILL)
    pen.shapes(ELLIPSOID, belly, (edge,), 0, _OUTLINE)
    inner = np.array([middle - half * along, middle + half * along])
    return np.insert(starts, longest + 1, inner[1], axis=0), np.insert(ends, longest, inner[0], axis=0)


def _stations(course: Array, steps: int) -> tuple[Array, Array]:
    """Return points along a course, its corners among them, shape (k, 3), and how far along each is, 0 to 1."""
    reach = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(course, axis=0), axis=1))])
    total = max(float(reach[-1]), 1e-9)
    at = np.union1d(np.linspace(0.0, total, steps + 1), reach)
    return np.stack([np.interp(at, reach, course[:, k]) for k in range(3)], axis=1), at / total


def _coil(course: Array, rest: float, height: float) -> Array:
    """Return a coil about a course, shape (k, 3): with as many turns however far it is stretched."""
    length = float(np.linalg.norm(np.diff(course, axis=0), axis=1).sum())
    if length < 1e-6:
        return course
    turns = int(np.clip(round((rest or length) / (_COIL_PITCH * height)), *_COIL_TURNS))
    points, along = _stations(course, turns * _TURN_STEPS)
    directions = np.gradient(points, axis=0)
    directions /= np.maximum(np.linalg.norm(directions, axis=1), 1e-12)[:, None]
    # Both sides turn with the course: from one point to the next they stay as they are, as far as they can.
    side = np.cross(directions[0], np.eye(3)[int(np.argmin(np.abs(directions[0])))])
    winding = np.clip((along - _COIL_ENDS) / (1.0 - 2.0 * _COIL_ENDS), 0.0, 1.0)
    radii = _COIL_RADIUS * height * np.minimum(np.minimum(winding, 1.0 - winding) * 2.0 * turns, 1.0)
    found = np.empty_like(points)
    for k, direction in enumerate(directions):
        side = side - (side @ direction) * direction
        side /= max(float(np.linalg.norm(side)), 1e-12)
        angle = 2.0 * np.pi * turns * winding[k]
        found[k] = points[k] + radii[k] * (np.cos(angle) * side + np.sin(angle) * np.cross(direction, side))
    return found


def _hanging(start: Array, end: Array, length: float) -> Array:
    """Return the course of a string between two points: straight if it is taut, else sagging as its length allows."""
    far = float(np.linalg.norm(end - start))
    if far >= 0.999 * length:
        return np.array([start, end])
    share = np.linspace(0.0, 1.0, _SAG_STEPS + 1)[:, None]
    sag = np.sqrt(3.0 / 16.0 * (length**2 - far**2))  # of a flat parabola length^2 = far^2 + 16/3 sag^2
    course = start + share * (end - start)
    course[:, 1] -= (4.0 * sag * share * (1.0 - share))[:, 0]
    return course
