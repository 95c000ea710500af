"""Things that stand in the world and do not move: boxes, balls, ramps and stairs, with their records for files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from core.arrays import Array
from core.checked_arrays import checked_array, shown
from core.dynamics.contact.materials import DEFAULT_FRICTION, checked_friction
from core.dynamics.contact.records import friction_of, number_of, refuse_unknown, vector_of
from core.dynamics.contact.shapes import Box, Geometry, Hull, Sphere
from core.errors import DynamicsError
from core.spatial import se3, so3

_LONGEST = 1e6  # [m]
MOST_STEPS = 200
"""Most steps that stairs may have."""


def _nowhere() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Something that stands still.

    Attributes:
        kind: What files call it.
        position: Where it stands, shape (3,), [m]; each kind says which of its points is there.
        rotation: How it is turned, as a rotation vector, shape (3,), [rad].
        friction: Friction coefficient of its surface.
        name: What people call it.

    Raises:
        DynamicsError: If a number makes no sense; names the place and what would be right.
    """

    kind: ClassVar[str] = ""
    position: Array = field(default_factory=_nowhere, kw_only=True)
    rotation: Array = field(default_factory=_nowhere, kw_only=True)
    friction: float = field(default=DEFAULT_FRICTION, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        place = self._place
        for what in ("position", "rotation"):
            array = checked_array(getattr(self, what), (3,), f"{place}: {what}", DynamicsError)
            array.setflags(write=False)
            object.__setattr__(self, what, array)
        object.__setattr__(self, "friction", checked_friction(self.friction, place))
        if not isinstance(self.name, str):
            raise DynamicsError(f"{place}: name is {shown(self.name)}; it must be a text")

    @property
    def _place(self) -> str:
        return f'{self.kind} "{self.name}"' if self.name else f"a {self.kind}"

    @property
    def X_WO(self) -> Array:
        """Its pose in the world, shape (4, 4); new."""
        return se3.transform(so3.exp(self.rotation), self.position)

    def moved(self, motion: Array) -> Obstacle:
        """Return the obstacle where it stands once its world is turned and moved.

        Args:
            motion: What is done to the world, shape (4, 4).
        """
        X = motion @ self.X_WO
        return replace(self, position=X[:3, 3], rotation=so3.log(X[:3, :3]))

    @cached_property
    def geometries(self) -> tuple[Geometry, ...]:
        """Its shapes in the world."""
        raise NotImplementedError

    def _geometry(
        self, shape: Box | Hull | Sphere, at: tuple[float, float, float] = (0.0, 0.0, 0.0), part: str = ""
    ) -> Geometry:
        return Geometry(
            shape, -1, self.X_WO @ se3.transform(translation=at), self.friction, (self.name or self.kind) + part
        )

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON."""
        record: dict[str, Any] = {"kind": self.kind}
        for item in fields(self):
            value = getattr(self, item.name)
            record[item.name] = value.tolist() if isinstance(value, np.ndarray) else value
        return record

    def _number(self, name: str) -> None:
        value = number_of({name: getattr(self, name)}, name, None, self._place, 0.0, _LONGEST)
        object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class BoxObstacle(Obstacle):
    """A box; its position is its centre.

    Attributes:
        size: Its edges along its own x, y and z, shape (3,), [m].
    """

    kind: ClassVar[str] = "box"
    size: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        size = checked_array(self.size, (3,), f"{self._place}: size", DynamicsError)
        for value in size.tolist():
            number_of({"size": value}, "size", None, self._place, 0.0, _LONGEST)
        size.setflags(write=False)
        object.__setattr__(self, "size", size)

    @cached_property
    def geometries(self) -> tuple[Geometry, ...]:
        """One box."""
        return (self._geometry(Box(0.5 * self.size)),)


@dataclass(frozen=True, eq=False)
class BallObstacle(Obstacle):
    """A ball; its position is its centre.

    Attributes:
        radius: [m].
    """

    kind: ClassVar[str] = "ball"
    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._number("radius")

    @cached_property
    def geometries(self) -> tuple[Geometry, ...]:
        """One sphere."""
        return (self._geometry(Sphere(self.radius)),)


@dataclass(frozen=True, eq=False)
class Ramp(Obstacle):
    """A wedge that rises along its own z; its position is the middle of its lower edge.

    Attributes:
        length: Along z, [m].
        height: At its upper end, [m].
        width: Along x, [m].
    """

    kind: ClassVar[str] = "ramp"
    length: float
    height: float
    width: float

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("length", "height", "width"):
            self._number(name)

    @cached_property
    def geometries(self) -> tuple[Geometry, ...]:
        """One hull of six corners."""
        side = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, self.length], [0.0, self.height, self.length]])
        half = np.array([0.5 * self.width, 0.0, 0.0])
        return (self._geometry(Hull(np.concatenate([side - half, side + half]))),)


@dataclass(frozen=True, eq=False)
class Stairs(Obstacle):
    """Stairs that rise along their own z, each step solid down to the ground.

    Their position is the middle of the lower edge of the first step's front.

    Attributes:
        steps: How many.
        rise: Height of a step, [m].
        tread: Depth of a step, [m].
        width: Along x, [m].
    """

    kind: ClassVar[str] = "stairs"
    steps: int
    rise: float = 0.17
    tread: float = 0.29
    width: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        count = self.steps
        if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or not 1 <= count <= MOST_STEPS:
            raise DynamicsError(
                f"{self._place}: steps is {shown(count)}; it must be a whole number from 1 to {MOST_STEPS}"
            )
        object.__setattr__(self, "steps", int(count))
        for name in ("rise", "tread", "width"):
            self._number(name)

    @cached_property
    def geometries(self) -> tuple[Geometry, ...]:
        """A box a step, the lowest first; each reaches to the back, so that nothing gets between them."""
        found = []
        for k in range(self.steps):
            depth = (self.steps - k) * self.tread
            middle = (0.0, (k + 0.5) * self.rise, k * self.tread + 0.5 * depth)
            found.append(self._geometry(Box(0.5 * np.array([self.width, self.rise, depth])), middle, f" {k + 1}"))
        return tuple(found)


KINDS: dict[str, type[Obstacle]] = {kind.kind: kind for kind in (BoxObstacle, BallObstacle, Ramp, Stairs)}
"""Kinds of obstacles by the name that files have for them."""


def obstacle_from_record(record: Any, place: str = "obstacle") -> Obstacle:
    """Return the obstacle of a record: its ``kind``, ``position``, ``rotation``, what the kind has, ``friction`` or
    ``material``, ``name``.

    Args:
        record: A dict.
        place: What messages call it.

    Raises:
        DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
    """
    if not isinstance(record, Mapping):
        raise DynamicsError(f"{place} is {shown(record)}; it must be a record with kind, position and sizes")
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise DynamicsError(f"{place}: there is no kind {shown(kind)}; there are {', '.join(KINDS)}")
    made = KINDS[kind]
    own = [item for item in fields(made) if not item.kw_only]
    known = ("kind", *(item.name for item in own), "position", "rotation", "friction", "material", "name")
    refuse_unknown(record, known, place)
    for item in own:
        if item.name not in record and item.default is MISSING:
            raise DynamicsError(f'{place}: {kind} without "{item.name}"; it needs one')
    values = {item.name: record[item.name] for item in own if item.name in record}
    try:
        return made(
            **values,
            position=vector_of(record, "position", (0.0, 0.0, 0.0), place),
            rotation=vector_of(record, "rotation", (0.0, 0.0, 0.0), place),
            friction=friction_of(record, place),
            name=record.get("name", ""),
        )
    except DynamicsError as error:
        text = str(error)
        raise DynamicsError(text if text.startswith(place) else f"{place}: {text}") from None
