"""The world of a motion: gravity, a floor at any height and tilt, ground, and obstacles that stand on it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import LARGEST, checked_array, shown
from core.dynamics.contact.materials import DEFAULT_FRICTION, checked_friction
from core.dynamics.contact.obstacles import Obstacle, obstacle_from_record
from core.dynamics.contact.records import friction_of, refuse_unknown
from core.dynamics.contact.shapes import Geometry
from core.errors import CoreError, DynamicsError
from core.terrain import Terrain

GRAVITY = 9.81
"""[m/s^2]."""
_UP = (0.0, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class Floor:
    """A plane without end; everything stays on the side that its normal points to.

    Attributes:
        height: Where it meets the world's y axis, [m].
        normal: Unit normal, shape (3,); given any length. It must point upwards at least a little.
        friction: Friction coefficient of its surface.

    Raises:
        DynamicsError: If a number makes no sense.
    """

    height: float = 0.0
    normal: Array = field(default_factory=lambda: np.array(_UP))
    friction: float = DEFAULT_FRICTION

    def __post_init__(self) -> None:
        height = checked_array(self.height, (), "height of the floor", DynamicsError)
        normal = checked_array(self.normal, (3,), "normal of the floor", DynamicsError)
        length = float(np.linalg.norm(normal))
        if not normal[1] > 1e-3 * length:
            raise DynamicsError(f"normal of the floor is {normal.tolist()}; it must point upwards, y more than 0")
        normal /= length
        normal.setflags(write=False)
        object.__setattr__(self, "height", float(height))
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "friction", checked_friction(self.friction, "the floor"))

    @classmethod
    def tilted(
        cls, angle: float, heading: float = 0.0, height: float = 0.0, friction: float = DEFAULT_FRICTION
    ) -> Floor:
        """Return a floor that rises by an angle towards a heading.

        Args:
            angle: [rad], between -pi/2 and pi/2.
            heading: Direction of the steepest rise about y, 0 along z, [rad].
            height: Where it meets the world's y axis, [m].
            friction: Friction coefficient.
        """
        s = math.sin(angle)
        return cls(height, np.array([-s * math.sin(heading), math.cos(angle), -s * math.cos(heading)]), friction)

    @property
    def offset(self) -> float:
        """The floor is where ``normal @ point`` is this, [m]."""
        return float(self.normal[1] * self.height)

    def height_at(self, x: float, z: float) -> float:
        """Return how high it is above a place, [m]."""
        n = self.normal
        return float(self.height - (n[0] * x + n[2] * z) / n[1])

    def moved(self, motion: Array) -> Floor:
        """Return the floor of a world that is turned and moved.

        Args:
            motion: What is done to the world, shape (4, 4).
        """
        normal = motion[:3, :3] @ self.normal
        point = motion[:3, :3] @ np.array([0.0, self.height, 0.0]) + motion[:3, 3]
        return replace(self, height=float(normal @ point / normal[1]), normal=normal)

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"height": self.height, "normal": self.normal.tolist(), "friction": self.friction}

    @classmethod
    def from_record(cls, record: Any, place: str = "floor") -> Floor:
        """Return the floor of a record: ``height``, ``normal``, and ``friction`` or ``material``, any left out.

        Raises:
            DynamicsError: With one line, if it is malformed.
        """
        refuse_unknown(record, ("height", "normal", "friction", "material"), place)
        friction = friction_of(record, place)
        return cls(record.get("height", 0.0), record.get("normal", _UP), friction)


@dataclass(frozen=True, eq=False)
class World:
    """What does not move: gravity, the floor and obstacles.

    Attributes:
        gravity: Acceleration of free fall, shape (3,), [m/s^2].
        floor: The floor; None for none.
        obstacles: Boxes, ramps, stairs and other bodies that stand still: obstacles with parameters, or geometries
            of the world.
        ground: Ground of triangles, which everything stays above of; its friction is that of the floor. Beside its
            triangles, and nowhere else, the floor counts. None for the floor alone.

    Raises:
        DynamicsError: If something is of the wrong type or makes no sense.
    """

    gravity: Array = field(default_factory=lambda: np.array([0.0, -GRAVITY, 0.0]))
    floor: Floor | None = field(default_factory=Floor)
    obstacles: tuple[Obstacle | Geometry, ...] = ()
    ground: Terrain | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        gravity = checked_array(self.gravity, (3,), "gravity", DynamicsError)
        gravity.setflags(write=False)
        object.__setattr__(self, "gravity", gravity)
        if self.floor is not None and not isinstance(self.floor, Floor):
            raise DynamicsError(f"the floor is {shown(self.floor)}; it must be a Floor, or None")
        if self.ground is not None and not isinstance(self.ground, Terrain):
            raise DynamicsError(f"the ground is {shown(self.ground)}; it must be a Terrain, or None")
        object.__setattr__(self, "obstacles", tuple(self.obstacles))
        for obstacle in self.obstacles:
            if not isinstance(obstacle, (Obstacle, Geometry)):
                raise DynamicsError(f"among the obstacles is {shown(obstacle)}; each must be an Obstacle or a Geometry")
            if isinstance(obstacle, Geometry) and obstacle.body != -1:
                raise DynamicsError(f'obstacle "{obstacle.name}" is on body {obstacle.body}; expected the world, -1')

    @cached_property
    def geometries(self) -> tuple[Geometry, ...]:
        """The shapes of all obstacles, body -1; the floor is not among them."""
        found: list[Geometry] = []
        for obstacle in self.obstacles:
            found += [obstacle] if isinstance(obstacle, Geometry) else obstacle.geometries
        return tuple(found)

    @property
    def friction(self) -> float:
        """Friction coefficient of the floor and the ground."""
        return DEFAULT_FRICTION if self.floor is None else self.floor.friction

    def above(self, points: Array) -> Array:
        """Return how far points are above the ground, or where there is none above the floor, across it.

        Args:
            points: Shape (..., 3), [m].

        Returns:
            Shape (...), [m], negative below; infinite where there is neither. Obstacles do not count.
        """
        points = np.asarray(points, dtype=np.float64)
        floor, ground = self.floor, self.ground
        if floor is None:
            over = np.full(points.shape[:-1], np.inf)
        else:
            over = points @ floor.normal - floor.offset
        if ground is None:
            return np.asarray(over)
        flat = points.reshape(-1, 3)
        heights, normals, there = ground.surface(flat[:, [0, 2]])
        return np.where(there, (flat[:, 1] - heights) * normals[:, 1], over.reshape(-1)).reshape(points.shape[:-1])

    def normals(self, points: Array) -> Array:
        """Return which way the ground faces under points, or where there is none the floor, shape (..., 3) to (..., 3).

        Straight up where there is neither.
        """
        points = np.asarray(points, dtype=np.float64)
        up = np.array(_UP) if self.floor is None else self.floor.normal
        if self.ground is None:
            return np.array(np.broadcast_to(up, points.shape))
        _, normals, there = self.ground.surface(points.reshape(-1, 3)[:, [0, 2]])
        return np.where(there[:, None], normals, up).reshape(points.shape)

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON.

        Raises:
            DynamicsError: If an obstacle is a bare geometry, which files do not have.
        """
        records = []
        for obstacle in self.obstacles:
            if isinstance(obstacle, Geometry):
                raise DynamicsError(
                    f'obstacle "{obstacle.name}" is a bare geometry; files have boxes, ramps and stairs'
                )
            records.append(obstacle.to_record())
        floor = None if self.floor is None else self.floor.to_record()
        record = {"gravity": self.gravity.tolist(), "floor": floor, "obstacles": records}
        if self.ground is not None:
            record["ground"] = triangles_record(self.ground)
        return record

    @classmethod
    def from_record(cls, record: Any, place: str = "physics") -> World:
        """Return the world of a record; what it leaves out is as usual, ``"floor": null`` is no floor.

        Args:
            record: A dict with ``gravity`` (a number, downwards, or three), ``floor``, ``obstacles``, and ``ground``:
                its ``vertices`` and ``triangles``.
            place: What messages call it.

        Raises:
            DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
        """
        refuse_unknown(record, ("gravity", "floor", "obstacles", "ground"), place)
        floor = None
        if record.get("floor", {}) is not None:
            floor = Floor.from_record(record.get("floor", {}), f"{place}: floor")
        items = record.get("obstacles", ())
        if not isinstance(items, (list, tuple)):
            raise DynamicsError(f"{place}: obstacles is {shown(items)}; it must be a list")
        found = [obstacle_from_record(obstacle, f"{place}: obstacle {k + 1}") for k, obstacle in enumerate(items)]
        ground = None if record.get("ground") is None else terrain_from_record(record["ground"], f"{place}: ground")
        return cls(gravity_vector(record.get("gravity", GRAVITY), place), floor, tuple(found), ground=ground)


def triangles_record(ground: Terrain) -> dict[str, Any]:
    """Return ground as JSON: its ``vertices`` and ``triangles``."""
    return {"vertices": ground.vertices.tolist(), "triangles": ground.triangles.tolist()}


def terrain_from_record(record: Any, place: str = "ground") -> Terrain:
    """Return the ground of a record, as from :func:`triangles_record`.

    Raises:
        DynamicsError: With one line, if it is malformed.
    """
    refuse_unknown(record, ("vertices", "triangles"), place)
    try:
        return Terrain(record.get("vertices", ()), record.get("triangles", ()))
    except (TypeError, ValueError, OverflowError):
        raise DynamicsError(f"{place} has vertices or triangles that are no rows of three numbers") from None
    except CoreError as error:
        raise DynamicsError(f"{place}: {error}") from None


def gravity_vector(value: Any, place: str = "physics") -> Array:
    """Return gravity given as a number, downwards, or as a vector; shape (3,), [m/s^2].

    Raises:
        DynamicsError: If it is neither.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not abs(value) <= LARGEST:
            raise DynamicsError(f"{place}: gravity is {value}; it must be a finite number")
        return np.array([0.0, -float(value), 0.0])
    return checked_array(value, (3,), f"{place}: gravity", DynamicsError)
