"""How reference scenes are put together: boxes and other shapes on joints, and what a scene is checked against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics import Body, Multibody, Scene
from core.joints import Fixed, JointModel, Revolute
from core.spatial import SpatialInertia, se3, so3

if TYPE_CHECKING:
    from tests.physics.scenes.program_friction import Roughness

Array = NDArray[np.float64]

X, Y, Z = np.eye(3)
GRAVITY = (0.0, 0.0, -980.0)
"""Of all scenes that say nothing else [cm/s^2]; lengths are in cm, masses in g."""


@dataclass(frozen=True)
class Reference:
    """A scene of the RedMax programs and what they say of it.

    Attributes:
        key: Table and number, ``"matlab:4"``.
        title: What it shows.
        build: Makes the scene.
        duration: [s].
        h: Step of Euler and BDF [s].
        given: Energy at the end by column; a column without a number was not given. Columns that are missing are not
            run.
        works: Whether something does work or takes energy away, so that energy is no check.
        adaptive: Makes the scene of the adaptive columns if it is another one there.
        adaptive_duration: Of the adaptive columns if it is another one there [s].
        gamma: How fast Euler steps close the gaps of constraints [1/s].
        rough: What rubs in Euler steps; None for nothing.
        gate: How far BDF steps may be off, where that is more than everywhere else.
        note: What had to be found out to reach the energies.
    """

    key: str
    title: str
    build: Callable[[], Scene]
    duration: float
    h: float
    given: dict[str, float | None]
    works: bool = False
    adaptive: Callable[[], Scene] | None = None
    adaptive_duration: float | None = None
    gamma: float = 5.0
    rough: Roughness | None = None
    gate: float | None = None
    note: str = ""


def at(*position: float) -> Array:
    """Return the pose moved by ``position``, shape (4, 4)."""
    return se3.transform(np.eye(3), np.array(position))


def turned(axis: ArrayLike, angle: float, position: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the pose at ``position``, turned about ``axis`` by ``angle`` [rad], shape (4, 4)."""
    return se3.transform(so3.exp(angle * np.asarray(axis)), np.asarray(position, dtype=float))


def box_inertia(sides: Sequence[float], density: float = 1.0) -> SpatialInertia:
    """Return a box with full edge lengths ``sides``."""
    return SpatialInertia.box(density * float(np.prod(sides)), sides)


def cylinder_inertia(radius: float, height: float, density: float = 1.0) -> SpatialInertia:
    """Return a cylinder along z."""
    mass = density * pi * radius**2 * height
    across = mass / 12.0 * (3.0 * radius**2 + height**2)
    return SpatialInertia(mass, np.zeros(3), np.diag([across, across, 0.5 * mass * radius**2]))


def box(
    name: str,
    parent: int | str,
    sides: Sequence[float],
    joint: JointModel | None = None,
    joint_at: Sequence[float] = (0.0, 0.0, 0.0),
    body_at: Sequence[float] = (0.0, 0.0, 0.0),
) -> Body:
    """Return a box whose joint frame stands at ``joint_at`` in the parent's, the box at ``body_at`` in its own."""
    return Body(name, parent, joint or Fixed(), at(*joint_at), at(*body_at), box_inertia(sides))


def chain(
    count: int,
    joint: JointModel | Sequence[JointModel] | None = None,
    sides: Sequence[float] = (10.0, 1.0, 1.0),
    joint_at: Sequence[float] = (10.0, 0.0, 0.0),
    body_at: Sequence[float] = (5.0, 0.0, 0.0),
) -> list[Body]:
    """Return boxes "1", "2", ... that hang on each other, by default on hinges about y."""
    joints = list(joint) if isinstance(joint, Sequence) else [joint or Revolute(Y)] * count
    return [box(str(i + 1), i - 1, sides, joints[i], joint_at if i else (0.0, 0.0, 0.0), body_at) for i in range(count)]


def model(bodies: Sequence[Body], gravity: ArrayLike = GRAVITY) -> Multibody:
    """Return the model of some bodies."""
    return Multibody(bodies, gravity)


def start(m: Multibody, **values: ArrayLike) -> tuple[Array, Array]:
    """Return ``x`` and ``v`` with some joints' values: ``q3=(0.1, 0.2)`` those of body "3", ``v3`` their rates."""
    x, v = np.zeros(m.nq), np.zeros(m.nv)
    for name, value in values.items():
        i = m.index(name[1:])
        {"q": x, "v": v}[name[0]][m.first[i] : m.first[i + 1]] = value
    return x, v
