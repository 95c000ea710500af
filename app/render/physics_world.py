"""The world that the figure moves in as views draw it: floor, obstacles, rigid bodies, other figures.

Obstacles and rigid bodies are drawn as a figure is: one made up of a joint for each.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from app.render.ground import GROUND, Ground
from app.render.physics_picture import Pen, PhysicsPicture
from core.skeleton import Joint, Skeleton
from core.skeleton.joint import SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.segment import capsule_mesh

if TYPE_CHECKING:
    from app.look.theme import Theme
    from core.dynamics.contact.shapes import Geometry, Shape
    from core.preview.rigid_bodies import PhysicsString, RigidBody
    from core.preview.settings import PhysicsSettings

Array = NDArray[np.float64]
Moved: TypeAlias = "tuple[Sequence[RigidBody], Sequence[Array] | Array]"

OBSTACLE, RIGID_BODY, FIGURE = "obstacle", "joint", "body"
"""Colour tokens of what stands still, of what moves freely, and of other figures."""
_KEPT = 16
_SAG_STEPS = 14
STRING_WIDTH = 1.3  # px


class Solid(NamedTuple):
    """Something drawn as figures are.

    Attributes:
        figure: Whose joints carry what is drawn.
        poses: World frames of its joints, shape (n, 4, 4), [m].
        token: Its colour.
    """

    figure: Skeleton
    poses: Array
    token: str


_figures: OrderedDict[tuple[object, ...], Skeleton] = OrderedDict()


def solid_figure(shapes: Sequence[Shape]) -> Skeleton:
    """Return a figure with a joint for each shape, all in the origin; the same one for the same shapes."""
    key = tuple((shape.polytope.points.tobytes(), shape.radius) for shape in shapes)
    found = _figures.get(key)
    if found is None:
        joints = []
        for k, shape in enumerate(shapes):
            body = (SegmentObject("", shape_mesh(shape)),)
            joints.append(Joint(f"solid {k + 1}", -1 if k == 0 else 0, objects=body, mass=0.0))
        found = _figures[key] = Skeleton("world", joints)
        while len(_figures) > _KEPT:
            _figures.popitem(last=False)
    _figures.move_to_end(key)
    return found


def shape_mesh(shape: Shape) -> Mesh:
    """Return what is drawn of a shape, in its frame."""
    points, faces = shape.polytope.points, shape.polytope.faces
    if len(points) <= 2:
        return capsule_mesh(points[0], points[-1], shape.radius)
    fans = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
    return Mesh(points, np.array(fans, dtype=np.int32), faces)


def obstacle_solid(geometries: Sequence[Geometry]) -> Solid | None:
    """Return what is drawn of obstacles; None if there are none."""
    if not geometries:
        return None
    return Solid(
        solid_figure([geometry.shape for geometry in geometries]),
        np.array([geometry.X_BS for geometry in geometries]), OBSTACLE,
    )  # fmt: skip


def world_solids(settings: PhysicsSettings | None, moved: Moved | None = None) -> tuple[Solid, ...]:
    """Return what stands and moves in the world: what views and exported pictures alike draw of it.

    Args:
        settings: Have the obstacles, and the rigid bodies at their start; None for an empty world.
        moved: Things that move freely, and the world frame of each, shape (4, 4); None for where they start.
    """
    standing = None if settings is None else obstacle_solid(settings.world.geometries)
    return tuple(solid for solid in (standing, moving_solid(settings, moved)) if solid is not None)


def moving_solid(settings: PhysicsSettings | None, moved: Moved | None) -> Solid | None:
    """Return the rigid bodies, see :func:`world_solids`; None if there are none."""
    if moved is not None:
        return rigid_body_solid(*moved)
    if settings is None:
        return None
    return rigid_body_solid(settings.rigid_bodies, [body.X_WB for body in settings.rigid_bodies])


def world_ground(settings: PhysicsSettings | None) -> Ground | None:
    """Return the floor of the settings, the usual one without any; None where there is none."""
    if settings is None:
        return GROUND
    return None if settings.floor is None else Ground(settings.floor.normal, settings.floor.offset)


def strings_picture(theme: Theme, courses: Sequence[Array]) -> PhysicsPicture | None:
    """Return the strings as the renderer draws them; None if there are none."""
    if not len(courses):
        return None
    pen = Pen(theme)
    for course in courses:
        pen.polyline(course, "text", STRING_WIDTH)
    return pen.picture(None)


def rigid_body_solid(bodies: Sequence[RigidBody], poses: Sequence[Array] | Array) -> Solid | None:
    """Return what is drawn of rigid bodies; None if there are none."""
    if not len(bodies) or len(bodies) != len(poses):
        return None
    return Solid(solid_figure([body.shape() for body in bodies]), np.array(poses), RIGID_BODY)


def string_lines(settings: PhysicsSettings, skeleton: Skeleton, poses: Array, bodies: dict[str, Array]) -> list[Array]:
    """Return the course of each string, shape (k, 3), [m]; one that is slack hangs down.

    Args:
        settings: Have the strings.
        skeleton: The figure.
        poses: World frames of its joints, shape (n, 4, 4).
        bodies: World frames of rigid bodies by name, shape (4, 4).
    """
    names = {name: poses[k] for k, name in enumerate(skeleton.joint_names)} | bodies
    found = []
    for string in settings.strings:
        ends = _string_ends(string, names)
        if ends is not None:
            found.append(_hanging(*ends, string.length))
    return found


def _string_ends(string: PhysicsString, names: dict[str, Array]) -> tuple[Array, Array] | None:
    frame, other = names.get(string.part), None if string.other is None else names.get(string.other)
    if frame is None or (string.other is not None and other is None):
        return None
    start = frame[:3, :3] @ string.point + frame[:3, 3]
    end = string.anchor if other is None else other[:3, :3] @ string.anchor + other[:3, 3]
    return start, np.asarray(end)


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
