"""Boxes, balls and figures on floors, and what is asked of them: depth, energy, how far they slid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Geometry, Shape
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.joints import Free
from core.spatial import so3
from core.terrain import Terrain

Array = NDArray[np.float64]

GRAVITY = 9.81
AWAKE: dict[str, Any] = {"sleep": False}


def loose(
    lying: Sequence[tuple[Shape, float]],
    *,
    friction: float = 0.5,
    floor: Floor | None = None,
    ground: Terrain | None = None,
    **settings: Any,
) -> Stepper:
    """Return a stepper of bodies that lie about, each a root with a free joint.

    Args:
        lying: Shape and mass of each.
        friction: Of all surfaces.
        floor: None is level, of that friction.
        ground: Instead of the floor, as far as it goes.
        settings: As ``StepSettings`` has them; nothing falls asleep unless it is told to.
    """
    bodies = [Body(f"body {i}", -1, Free(), inertia=shape.inertia(mass)) for i, (shape, mass) in enumerate(lying)]
    shapes = shapes_of([shape for shape, _ in lying], friction)
    world = World(floor=Floor(friction=friction) if floor is None else floor, ground=ground)
    return Stepper(Multibody(bodies), shapes, world, settings=StepSettings(**{**AWAKE, **settings}))


def shapes_of(shapes: Sequence[Shape], friction: float = 0.5) -> list[Geometry]:
    """Return one shape a body, in the body's own frame."""
    return [Geometry(shape, i, np.eye(4), friction, f"shape {i}") for i, shape in enumerate(shapes)]


def on_floor(floor: Floor, height: float, heading: float = 0.0) -> Array:
    """Return coordinates of a free joint that stands on a floor: its origin's height, turned about the normal.

    The frame's y is along the normal; turned by 0 its x is as near the world's as can be.
    """
    up = floor.normal
    along = np.array([1.0, 0.0, 0.0]) - up[0] * up
    along /= np.linalg.norm(along)
    R = np.column_stack([along, up, np.cross(along, up)]) @ so3.axis_rotation((0, 1, 0), heading)
    place = (floor.offset + height) * up
    return np.array([*place, *so3.log(R)])


class Depths:
    """How deep shapes are in a floor.

    Args:
        shapes: Those of bodies count.
        floor: The floor.
    """

    def __init__(self, shapes: Sequence[Geometry], floor: Floor):
        own = [g for g in shapes if g.body >= 0]
        counts = [len(g.shape.polytope.points) for g in own]
        self._body = np.repeat([g.body for g in own], counts)
        points = [g.shape.polytope.points @ g.X_BS[:3, :3].T + g.X_BS[:3, 3] for g in own]
        self._points = np.concatenate(points)
        self._reach = np.repeat([g.shape.radius for g in own], counts) + floor.offset
        self._normal = floor.normal

    def deepest(self, X_WB: Array) -> float:
        """Return how deep the deepest point is, [m]; below 0 if none touches."""
        down = X_WB[:, :3, :3].transpose(0, 2, 1) @ self._normal
        heights = np.einsum("ij,ij->i", self._points, down[self._body]) + (X_WB[:, :3, 3] @ self._normal)[self._body]
        return float((self._reach - heights).max())


def total(stepper: Stepper, stiffness: ArrayLike = 0.0) -> float:
    """Return all energy there is, that of springs in joints that rest at 0 included, [J]."""
    kinetic, potential = stepper.readings.energy()
    if not np.any(stiffness):
        return kinetic + potential
    x, _ = stepper.state()
    return kinetic + potential + 0.5 * float(np.sum(np.asarray(stiffness) * x**2))
