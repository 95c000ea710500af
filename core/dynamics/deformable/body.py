"""A deformable body: nodes with mass, springs between them, and which of them are attached to rigid bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array, Ints
from core.checked_arrays import shown
from core.dynamics.arrays import finite_array
from core.dynamics.body_names import WORLD, body_index
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class Attachment(NamedTuple):
    """Where a node is attached.

    Attributes:
        body: Index or name of a body; -1 or "world" is the world.
        point: In that body's frame, [m].
    """

    body: int | str
    point: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Deformable:
    """Mass points and springs. Immutable.

    A spring stores ``K/2 e^2`` at the strain ``e = (l - L) / L`` and brakes with ``damping`` times the rate of its
    length.

    Attributes:
        name: What its nodes are called by, ``"NAME 0"`` and so on.
        points: Places of the nodes at the start, world, shape (n, 3), [m].
        masses: Shape (n,) or one for all, [kg]; more than 0 for nodes that are free.
        pairs: Nodes that springs join, shape (m, 2).
        stiffness: ``K`` of each spring, shape (m,) or one for all, [J]: the force at a strain of 1, times its length.
        lengths: ``L`` of each, shape (m,), [m]; None for the distances of the points.
        damping: Of each, shape (m,) or one for all, [N s/m].
        attached: By the number of a node what it is attached to.
        radius: How thick it is, [m]: of its nodes where they touch and are drawn.

    Raises:
        DynamicsError: If a number makes no sense or a node is not there; names it.

    Source: Sueda 2.84, 2.85.
    """

    name: str
    points: Array
    masses: Array
    pairs: Ints
    stiffness: Array
    lengths: Array | None = None
    damping: Array | float = 0.0
    attached: Mapping[int, Attachment] = field(default_factory=dict)
    radius: float = 0.01

    def __post_init__(self) -> None:
        put, place = object.__setattr__, f'deformable "{self.name}"'
        points = np.array(self.points, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
            raise DynamicsError(f"{place}: its points are {shown(self.points)}; expected rows of three finite numbers")
        pairs = np.array(self.pairs, dtype=np.intp).reshape(-1, 2)
        if ((pairs < 0) | (pairs >= len(points))).any() or (pairs[:, 0] == pairs[:, 1]).any():
            raise DynamicsError(f"{place}: its springs join {shown(self.pairs)}; expected two of {len(points)} nodes")
        apart = np.linalg.norm(points[pairs[:, 1]] - points[pairs[:, 0]], axis=1)
        numbers = {
            "masses": (self.masses, len(points), 0.0),
            "stiffness": (self.stiffness, len(pairs), 0.0),
            "damping": (self.damping, len(pairs), 0.0),
            "lengths": (apart if self.lengths is None else self.lengths, len(pairs), np.nextafter(0.0, 1.0)),
        }
        put(self, "points", points)
        put(self, "pairs", pairs)
        for what, (value, count, least) in numbers.items():
            array = _row(value, count, f"{place}: {what}")
            if (array < least).any():
                raise DynamicsError(f"{place}: {what} {array.min():g} makes no sense; expected {_wanted(least)}")
            put(self, what, array)
        put(self, "radius", _row(self.radius, 1, f"{place}: radius")[0])
        if not self.radius > 0.0:
            raise DynamicsError(f"{place}: radius {self.radius:g} makes no sense; expected more than 0")
        put(self, "attached", {int(k): _attachment(each, place) for k, each in sorted(dict(self.attached).items())})
        for k in self.attached:
            if not 0 <= k < len(points):
                raise DynamicsError(f"{place}: there is no node {k} to attach; there are {len(points)}")
        for k in self.free.tolist():
            if not self.masses[k] > 0.0:
                raise DynamicsError(f"{place}: node {k} is free and has no mass; expected more than 0")
        points.setflags(write=False)
        pairs.setflags(write=False)

    @property
    def free(self) -> Ints:
        """Numbers of the nodes that are not attached, in order."""
        return np.array([k for k in range(len(self.points)) if k not in self.attached], dtype=np.intp)

    def attach(self, model: Multibody, x: ArrayLike, nodes: Mapping[int, int | str]) -> Deformable:
        """Return the same with nodes attached to bodies where these are in a state.

        Args:
            model: The bodies.
            x: Their coordinates, shape (nq,).
            nodes: By the number of a node the body.

        Raises:
            DynamicsError: If there is no such node or body.
        """
        poses = model.body_poses(x)
        found = dict(self.attached)
        for k, body in nodes.items():
            if not 0 <= k < len(self.points):
                raise DynamicsError(f'deformable "{self.name}": there is no node {k}; there are {len(self.points)}')
            i = body_index(model, body)
            X = np.eye(4) if i == WORLD else poses[i]
            a, b, c = (X[:3, :3].T @ (self.points[k] - X[:3, 3])).tolist()
            found[k] = Attachment(i, (a, b, c))
        return replace(self, attached=found)


def _row(value: Any, count: int, what: str) -> Array:
    if np.ndim(value) == 0:
        value = np.full(count, value)
    array = np.array(finite_array(value, (count,), what))
    array.setflags(write=False)
    return array


def _wanted(least: float) -> str:
    return "more than 0" if least > 0.0 else "0 or more"


def _attachment(value: Any, place: str) -> Attachment:
    try:
        body, point = value
        x, y, z = (float(each) for each in point)
    except (TypeError, ValueError):
        raise DynamicsError(f"{place}: {shown(value)} is no attachment; expected a body and a point of it") from None
    if not np.isfinite([x, y, z]).all():
        raise DynamicsError(f"{place}: the point of an attachment is {[x, y, z]}; expected finite numbers")
    return Attachment(body, (x, y, z))
