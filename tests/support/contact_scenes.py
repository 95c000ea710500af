"""Boxes, balls and figures on floors, and what is asked of them: depth, energy, how far they slid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Geometry, Shape
from core.dynamics.contact.world import Floor, World
from core.dynamics.step.settings import StepSettings
from core.dynamics.step.stepper import Stepper
from core.joints import Free
from core.spatial import so3

Array = NDArray[np.float64]

GRAVITY = 9.81
AWAKE: dict[str, Any] = {"sleep": False}


def loose(
    things: Sequence[tuple[Shape, float]], *, friction: float = 0.5, floor: Floor | None = None, **settings: Any
) -> Stepper:
    """Return a stepper of things that lie about, each a root with a free joint.

    Args:
        things: Shape and mass of each.
        friction: Of all surfaces.
        floor: None is level, of that friction.
        settings: As ``StepSettings`` has them; nothing falls asleep unless it is told to.
    """
    bodies = [Body(f"thing {i}", -1, Free(), inertia=shape.inertia(mass)) for i, (shape, mass) in enumerate(things)]
    shapes = shapes_of([shape for shape, _ in things], friction)
    world = World(floor=Floor(friction=friction) if floor is None else floor)
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


def depth(shapes: Sequence[Geometry], X_WB: Array, floor: Floor) -> float:
    """Return how deep the deepest point of shapes is in the floor, [m]; below 0 if none touches."""
    deepest = -np.inf
    for geometry in shapes:
        if geometry.body < 0:
            continue
        X = X_WB[geometry.body] @ geometry.X_BS
        points = geometry.shape.polytope.points @ X[:3, :3].T + X[:3, 3]
        lowest = float((points @ floor.normal).min()) - geometry.shape.radius - floor.offset
        deepest = max(deepest, -lowest)
    return deepest


def total(stepper: Stepper, stiffness: ArrayLike = 0.0) -> float:
    """Return all energy there is, that of springs in joints that rest at 0 included, [J]."""
    kinetic, potential = stepper.energy()
    x, _ = stepper.state()
    return kinetic + potential + 0.5 * float(np.sum(np.asarray(stiffness) * x**2))
