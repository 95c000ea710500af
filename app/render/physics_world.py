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
from core.skeleton import Joint, Skeleton
from core.skeleton.joint import SegmentObject

if TYPE_CHECKING:
    from core.dynamics.contact.shapes import Geometry, Shape
    from core.preview.rigid_bodies import RigidBody
    from core.preview.settings import PhysicsSettings

Array = NDArray[np.float64]
Moved: TypeAlias = "tuple[Sequence[RigidBody], Sequence[Array] | Array]"

OBSTACLE, RIGID_BODY, FIGURE = "obstacle", "joint", "body"
"""Colour tokens of what stands still, of what moves freely, and of other figures."""
_KEPT = 16


class Solid(NamedTuple):
    """Something drawn as figures are.

    Attributes:
        figure: Whose joints carry what is drawn.
        poses: World frames of its joints, shape (n, 4, 4), [m].
        token: Its colour.
        hovered: Whether the pointer is over it.
    """

    figure: Skeleton
    poses: Array
    token: str
    hovered: bool = False


_figures: OrderedDict[tuple[object, ...], Skeleton] = OrderedDict()


def solid_figure(shapes: Sequence[Shape]) -> Skeleton:
    """Return a figure with a joint for each shape, all in the origin; the same one for the same shapes."""
    key = tuple((shape.polytope.points.tobytes(), shape.radius) for shape in shapes)
    found = _figures.get(key)
    if found is None:
        from core.dynamics.contact.shape_mesh import shape_mesh  # here: the editor starts without physics

        joints = []
        for k, shape in enumerate(shapes):
            body = (SegmentObject("", shape_mesh(shape)),)
            joints.append(Joint(f"solid {k + 1}", -1 if k == 0 else 0, objects=body, mass=0.0))
        found = _figures[key] = Skeleton("world", joints)
        while len(_figures) > _KEPT:
            _figures.popitem(last=False)
    _figures.move_to_end(key)
    return found


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


def rigid_body_solid(bodies: Sequence[RigidBody], poses: Sequence[Array] | Array) -> Solid | None:
    """Return what is drawn of rigid bodies; None if there are none."""
    if not len(bodies) or len(bodies) != len(poses):
        return None
    return Solid(solid_figure([body.shape() for body in bodies]), np.array(poses), RIGID_BODY)
