"""What holds bodies to the world or to each other within a step, as rows of the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.arrays import finite_array
from core.dynamics.engine.memory import LOCK, ORIENTATION, POINT, STRING, Memory
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Records = NDArray[np.void]


def _world_axes() -> Array:
    return np.eye(3)


def _origin() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class PointLock:
    """A point of a body stays at a place of the world.

    Attributes:
        body: Number or name.
        point: In the body's frame B, shape (3,), [m].
        target: In the world, shape (3,), [m].
        axes: Unit directions along which it stays, shape (k, 3), k of 1 to 3.
        velocity: With which the target moves, shape (3,), [m/s].
    """

    body: int | str
    point: ArrayLike
    target: ArrayLike
    axes: ArrayLike = field(default_factory=_world_axes)
    velocity: ArrayLike = field(default_factory=_origin)


@dataclass(frozen=True, eq=False)
class PlaneLock:
    """A point of a body stays in a plane of the world.

    Attributes:
        body: Number or name.
        point: In the body's frame B, shape (3,), [m].
        through: A point of the plane, shape (3,), [m].
        normal: Unit normal, shape (3,).
    """

    body: int | str
    point: ArrayLike
    through: ArrayLike
    normal: ArrayLike


@dataclass(frozen=True, eq=False)
class OrientationLock:
    """A body keeps its orientation.

    Attributes:
        body: Number or name.
        target: Rotation of B in the world, shape (3, 3).
        axes: Unit directions of the world about which it does not turn, shape (k, 3), k of 1 to 3.
        velocity: Angular velocity of the target, shape (3,), [rad/s].
    """

    body: int | str
    target: ArrayLike
    axes: ArrayLike = field(default_factory=_world_axes)
    velocity: ArrayLike = field(default_factory=_origin)


@dataclass(frozen=True, eq=False)
class PairLock:
    """Points of two bodies stay together.

    Attributes:
        body_a, body_b: Numbers or names.
        point_a, point_b: In the frames of the bodies, shape (3,), [m]; of the world for body -1.
        axes: Unit directions of the world along which they stay together, shape (k, 3), k of 1 to 3.
        velocity: With which the first is to move against the second, shape (3,), [m/s].
    """

    body_a: int | str
    point_a: ArrayLike
    body_b: int | str
    point_b: ArrayLike
    axes: ArrayLike = field(default_factory=_world_axes)
    velocity: ArrayLike = field(default_factory=_origin)


Lock = PointLock | PlaneLock | OrientationLock | PairLock


@dataclass(frozen=True, eq=False)
class String:
    """A point of a body comes no farther from another point than a length.

    Attributes:
        body: Number or name.
        point: In the body's frame B, shape (3,), [m].
        anchor: Another body, number or name; -1 is the world.
        anchor_point: In that body's frame, or in the world, shape (3,), [m].
        length: [m].
    """

    body: int | str
    point: ArrayLike
    anchor: int | str
    anchor_point: ArrayLike
    length: float


class Fixed(NamedTuple):
    """A point as the nodes have it.

    Attributes:
        node: -1 is the world.
        point: In the node's frame, shape (3,).
    """

    node: int
    point: Array


def fixed_point(model: Multibody, memory: Memory, body: int | str, point: ArrayLike, what: str) -> Fixed:
    """Return where a point of a body is fixed; body -1 or "world" is the world."""
    place = finite_array(point, (3,), what)
    if body in (-1, "world"):
        return Fixed(-1, place)
    number = model.index(body)
    R, p = node_frame(memory, number)
    return Fixed(int(memory.body_node[number]), R @ place + p)


def node_frame(memory: Memory, body: int) -> tuple[Array, Array]:
    """Return the pose of a body in its node, rotation and place."""
    return memory.bodies["R"][body].reshape(3, 3), memory.bodies["p"][body]


def lock_rows(model: Multibody, memory: Memory, locks: Sequence[Lock | String]) -> tuple[Records, list[int]]:
    """Return locks for the memory, an array of ``LOCK``, and which lock each belongs to.

    Raises:
        DynamicsError: If a lock makes no sense; says which.
    """
    rows: list[Records] = []
    owners: list[int] = []
    for k, lock in enumerate(locks):
        own = _one(model, memory, lock, f"lock {k}")
        rows += own
        owners += [k] * len(own)
    return np.array(rows, dtype=LOCK), owners


def _one(model: Multibody, memory: Memory, lock: Lock | String, what: str) -> list[Records]:
    if isinstance(lock, String):
        a = fixed_point(model, memory, lock.body, lock.point, f"{what}: point")
        b = fixed_point(model, memory, lock.anchor, lock.anchor_point, f"{what}: anchor point")
        row = _row(STRING, a, b, np.zeros(3))
        row["length"] = _length(lock.length, what)
        return [row]
    if isinstance(lock, PlaneLock):
        a = fixed_point(model, memory, lock.body, lock.point, f"{what}: point")
        b = Fixed(-1, finite_array(lock.through, (3,), f"{what}: point of the plane"))
        return [_row(POINT, a, b, axis) for axis in _axes([lock.normal], f"{what}: normal")]
    if isinstance(lock, PairLock):
        a = fixed_point(model, memory, lock.body_a, lock.point_a, f"{what}: point a")
        b = fixed_point(model, memory, lock.body_b, lock.point_b, f"{what}: point b")
        velocity = finite_array(lock.velocity, (3,), f"{what}: velocity")
        rows = [_row(POINT, a, b, axis) for axis in _axes(lock.axes, f"{what}: axes")]
    elif isinstance(lock, PointLock):
        a = fixed_point(model, memory, lock.body, lock.point, f"{what}: point")
        b = Fixed(-1, finite_array(lock.target, (3,), f"{what}: target"))
        velocity = finite_array(lock.velocity, (3,), f"{what}: velocity")
        rows = [_row(POINT, a, b, axis) for axis in _axes(lock.axes, f"{what}: axes")]
    elif isinstance(lock, OrientationLock):
        number = model.index(lock.body)
        a, b = Fixed(int(memory.body_node[number]), np.zeros(3)), Fixed(-1, np.zeros(3))
        wanted = finite_array(lock.target, (3, 3), f"{what}: target") @ node_frame(memory, number)[0].T
        velocity = finite_array(lock.velocity, (3,), f"{what}: velocity")
        rows = [_row(ORIENTATION, a, b, axis) for axis in _axes(lock.axes, f"{what}: axes")]
        for row in rows:
            row["rotation"] = wanted.ravel()
    else:
        raise DynamicsError(f"{what} is {shown(lock)}; it must be a lock of core.dynamics.engine")
    for row in rows:
        row["speed"] = row["axis"] @ velocity
    return rows


def _row(kind: int, a: Fixed, b: Fixed, axis: Array) -> Records:
    row = np.zeros((), dtype=LOCK)
    row["kind"], row["a"], row["b"] = kind, a.node, b.node
    row["point_a"], row["point_b"] = a.point, b.point
    row["axis"] = axis
    return row


def _axes(given: Any, what: str) -> Array:
    axes = np.atleast_2d(np.asarray(given, dtype=np.float64))
    axes = np.array(finite_array(axes, (len(axes), 3), what))
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    if not (1 <= len(axes) <= 3 and lengths.min() > 0.0):
        raise DynamicsError(f"{what} is {shown(given)}; it must be one to three directions that are not zero")
    return np.asarray(axes / lengths)


def _length(value: Any, what: str) -> float:
    length = float(finite_array(value, (), f"{what}: length"))
    if length < 0.0:
        raise DynamicsError(f"{what}: length is {length:g} m; it must be 0 or more")
    return length


def as_string(given: String | tuple[Any, ...]) -> String:
    """Return a string given as (body, point, anchor, length), the anchor a point of the world or (body, point)."""
    if isinstance(given, String):
        return given
    try:
        body, point, anchor, length = given
    except (TypeError, ValueError):
        raise DynamicsError(f"a string is {shown(given)}; it must be (body, point, anchor, length)") from None
    if len(anchor) == 2:
        return String(body, point, anchor[0], anchor[1], length)
    return String(body, point, -1, anchor, length)
