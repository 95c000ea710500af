"""What a simulation has besides figures: rigid bodies that move freely, and strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import checked_array, shown
from core.errors import DynamicsError
from core.spatial import se3, so3

if TYPE_CHECKING:
    from core.dynamics.contact.shapes import Shape

BALL, BOX, CAPSULE = "ball", "box", "capsule"
SIZES: dict[str, int] = {BALL: 1, BOX: 3, CAPSULE: 2}
"""Kinds of rigid bodies, and how many sizes each has: radius; three edges; radius and length of the straight part."""

LARGEST_MASS = 1e6
_RIGID_BODY = ("kind", "size", "mass", "position", "rotation", "velocity", "spin", "friction", "name")
_STRING = ("part", "point", "anchor", "length", "other", "name")


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A ball, box or capsule that moves freely.

    Attributes:
        kind: One of ``SIZES``.
        size: Of a ball the radius, of a box its three edges, of a capsule, which lies along its own z, radius and
            length of its straight part, [m].
        mass: [kg].
        position: Its centre at the start, shape (3,), [m].
        rotation: How it is turned at the start, as a rotation vector, shape (3,), [rad].
        velocity: Of its centre at the start, shape (3,), [m/s].
        spin: Angular velocity at the start in world axes, shape (3,), [rad/s].
        friction: Friction coefficient of its surface.
        name: What people call it.

    Raises:
        DynamicsError: If a value makes no sense; names it and what would be right.
    """

    kind: str
    size: tuple[float, ...]
    mass: float
    position: Array
    rotation: Array = field(default_factory=lambda: np.zeros(3))
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    spin: Array = field(default_factory=lambda: np.zeros(3))
    friction: float = 0.8
    name: str = ""

    def __post_init__(self) -> None:
        put, place = object.__setattr__, f'rigid body "{self.name}"' if self.name else f"a {shown(self.kind)}"
        if self.kind not in SIZES:
            raise DynamicsError(f"{place}: there is no kind {shown(self.kind)}; there are {', '.join(SIZES)}")
        size = checked_array(np.atleast_1d(self.size), (SIZES[self.kind],), f"{place}: size", DynamicsError)
        if not (size > 0.0).all():
            raise DynamicsError(f"{place}: size is {size.tolist()}; each number must be more than 0")
        put(self, "size", tuple(size.tolist()))
        mass = float(checked_array(self.mass, (), f"{place}: mass", DynamicsError))
        if not 0.0 < mass <= LARGEST_MASS:
            raise DynamicsError(f"{place}: mass is {mass:g} kg; it must be more than 0, at most {LARGEST_MASS:g}")
        put(self, "mass", mass)
        for what in ("position", "rotation", "velocity", "spin"):
            value = checked_array(getattr(self, what), (3,), f"{place}: {what}", DynamicsError)
            value.setflags(write=False)
            put(self, what, value)
        friction = float(checked_array(self.friction, (), f"{place}: friction", DynamicsError))
        if not 0.0 <= friction <= 10.0:
            raise DynamicsError(f"{place}: friction is {friction:g}; it must lie in 0..10")
        put(self, "friction", friction)
        if not isinstance(self.name, str):
            raise DynamicsError(f"{place}: name is {shown(self.name)}; it must be text")

    @property
    def X_WB(self) -> Array:
        """Its pose at the start, shape (4, 4); new."""
        return se3.transform(so3.exp(self.rotation), self.position)

    def moved(self, motion: Array) -> RigidBody:
        """Return the body where it is, and how it moves, once its world is turned and moved.

        Args:
            motion: What is done to the world, shape (4, 4).
        """
        X, turn = motion @ self.X_WB, motion[:3, :3]
        return replace(
            self, position=X[:3, 3], rotation=so3.log(X[:3, :3]), velocity=turn @ self.velocity, spin=turn @ self.spin
        )

    def shape(self) -> Shape:
        """Return what it touches others with."""
        from core.dynamics.contact.shapes import Box, Capsule, Sphere

        if self.kind == BALL:
            return Sphere(self.size[0])
        if self.kind == BOX:
            return Box(0.5 * np.array(self.size))
        return Capsule(self.size[0], 0.5 * self.size[1])

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON."""
        arrays = {name: getattr(self, name).tolist() for name in ("position", "rotation", "velocity", "spin")}
        record = {"kind": self.kind, "size": list(self.size), "mass": self.mass, **arrays, "friction": self.friction}
        return {**record, "name": self.name} if self.name else record

    @classmethod
    def from_record(cls, record: Any, place: str = "thing") -> RigidBody:
        """Return the thing of a record: ``kind``, ``size``, ``mass``, ``position``, and what else a ``RigidBody`` has.

        Raises:
            DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
        """
        _check(record, _RIGID_BODY, ("kind", "size", "mass", "position"), place)
        return _made(place, lambda: cls(**record))


@dataclass(frozen=True, eq=False)
class PhysicsString:
    """A string without mass: two points never come farther apart than its length.

    Attributes:
        part: Joint of the figure, or name of a thing, that hangs on it; one of another figure with that one's name.
        anchor: Where its other end is: a place in the world, or in the part ``other``, shape (3,), [m].
        length: [m].
        point: Where it is tied to the part, in the part's frame, shape (3,), [m].
        other: The part that its other end is tied to; None for the world.
        name: What people call it.

    Raises:
        DynamicsError: If a value makes no sense.
    """

    part: str
    anchor: Array
    length: float
    point: Array = field(default_factory=lambda: np.zeros(3))
    other: str | None = None
    name: str = ""

    def __post_init__(self) -> None:
        place = f'string "{self.name}"' if self.name else f"string of {shown(self.part)}"
        if not isinstance(self.part, str) or not self.part:
            raise DynamicsError(f"{place}: part is {shown(self.part)}; it must be the name of a joint or a rigid body")
        if self.other is not None and (not isinstance(self.other, str) or not self.other):
            raise DynamicsError(f"{place}: other is {shown(self.other)}; it must be the name of a joint, or null")
        for what in ("anchor", "point"):
            value = checked_array(getattr(self, what), (3,), f"{place}: {what}", DynamicsError)
            value.setflags(write=False)
            object.__setattr__(self, what, value)
        length = float(checked_array(self.length, (), f"{place}: length", DynamicsError))
        if length < 0.0:
            raise DynamicsError(f"{place}: length is {length:g} m; it must be 0 or more")
        object.__setattr__(self, "length", length)

    def moved(self, motion: Array) -> PhysicsString:
        """Return the string once its world is turned and moved; one between two parts stays as it is.

        Args:
            motion: What is done to the world, shape (4, 4).
        """
        return self if self.other is not None else replace(self, anchor=motion[:3, :3] @ self.anchor + motion[:3, 3])

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON."""
        record: dict[str, Any] = {
            "part": self.part, "point": self.point.tolist(), "anchor": self.anchor.tolist(), "length": self.length,
        }  # fmt: skip
        for name in ("other", "name"):
            if getattr(self, name):
                record[name] = getattr(self, name)
        return record

    @classmethod
    def from_record(cls, record: Any, place: str = "string") -> PhysicsString:
        """Return the string of a record: ``part``, ``anchor``, ``length``, and ``point``, ``other``, ``name``.

        Raises:
            DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
        """
        _check(record, _STRING, ("part", "anchor", "length"), place)
        return _made(place, lambda: cls(**record))


def _check(record: Any, known: tuple[str, ...], needed: tuple[str, ...], place: str) -> None:
    if not isinstance(record, Mapping):
        raise DynamicsError(f"{place} is {shown(record)}; it must be an object with {', '.join(needed)}")
    for name in record:
        if name not in known:
            raise DynamicsError(f"{place} has a member {shown(name)}; it can have {', '.join(known)}")
    for name in needed:
        if name not in record:
            raise DynamicsError(f"{place} has no {name}; it needs {', '.join(needed)}")


def _made(place: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except DynamicsError as error:
        raise DynamicsError(f"{place}: {error}") from None
