"""What springs, ropes and muscles have in common: a path of straight segments through points of bodies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.forces import path_kernel
from core.dynamics.forces.base import Derivatives, Force, Load, vector
from core.dynamics.forces.implicit import PathTerm
from core.dynamics.forces.point_force import wrench_at
from core.errors import DynamicsError
from core.kernels import serving
from core.keyed_curves.keyed_curve_kernel import value_at
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel

_NO_CURVE = np.zeros((1, 3))


class Path(NamedTuple):
    """How a path stands, and what pulls along it.

    Attributes:
        points: Its points in the world, shape (n, 3), [m].
        directions: Unit vectors from each to the next one, shape (n - 1, 3).
        lengths: Of the segments, shape (n - 1,), [m].
        length: Of all, [m].
        rate: How fast that grows, [m/s].
        tension: With which its ends are pulled together, [N]; a spring that pushes has a negative one.
        stiffness: Derivative of the tension by the length, [N/m].
        damping: Derivative of the tension by the rate, [N s/m].
        energy: What is stored in it, [J].
    """

    points: Array
    directions: Array
    lengths: Array
    length: float
    rate: float
    tension: float
    stiffness: float
    damping: float
    energy: float

    @property
    def power(self) -> float:
        """Rate at which it does work on what it pulls, [W]."""
        return -self.tension * self.rate


@dataclass(frozen=True, eq=False)
class PathForce(Force):
    """Pulls the points of a path together along its segments, with one tension.

    The engine has all of these in a kernel of its own: they cost next to nothing, and are solved for at the end of the
    step.

    Attributes:
        bodies: Of each point the body it is fixed to, by index or name; -1 or "world" is the world. Two or more.
        points: In the frames of the bodies, or in the world, shape (n, 3), [m].
        name: What people call it.
    """

    law: ClassVar[int]

    bodies: Sequence[int | str]
    points: ArrayLike
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise DynamicsError(f"the name of a {self._kind} is {shown(self.name)}; it must be text")
        if isinstance(self.bodies, str) or not isinstance(self.bodies, Sequence):
            raise DynamicsError(f"the bodies of a {self._kind} are {shown(self.bodies)}; they must be a list of bodies")
        object.__setattr__(self, "bodies", tuple(self.bodies))
        count = len(self.bodies)
        try:
            points = list(self.points)  # type: ignore[arg-type]  # what is no list is refused
        except TypeError:
            points = []
        if count < 2 or len(points) != count:
            raise DynamicsError(
                f"the path of {self._place} has {len(points)} points; it must have two or more, each with its body"
            )
        places = np.array([vector(point, f"point {k} of {self._place}") for k, point in enumerate(points)])
        places.setflags(write=False)
        object.__setattr__(self, "points", places)

    @property
    def in_world(self) -> list[int]:
        """Which of its points are fixed to the world."""
        return [k for k, body in enumerate(self.bodies) if body in (WORLD, "world")]

    def moved(self, motion: Array) -> PathForce:
        there = self.in_world
        if not there:
            return self
        points = np.array(self.points)
        points[there] = points[there] @ motion[:3, :3].T + motion[:3, 3]
        return replace(self, points=points)

    @property
    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """What the law goes by, as ``path_kernel.tension`` has it."""

    @property
    def curve(self) -> Array:
        """How active it is over time, as ``keyed_curve_kernel.value_at`` takes it, shape (k, 3)."""
        return _NO_CURVE

    def check(self, model: Multibody) -> None:
        if all(body == WORLD for body in self.places(model)):
            raise DynamicsError(f"{self._place} has all its points on the world; at least one must be on a body")

    def places(self, model: TreeModel) -> list[int]:
        """Return the index of each point's body; -1 is the world.

        Raises:
            DynamicsError: If there is no such body.
        """
        return [body_index(model, body) for body in self.bodies]

    def path(self, state: State) -> Path:
        """Return how the path stands in a state, and what pulls along it: also what one draws."""
        return self._path(state, self.places(state.model))

    def _path(self, state: State, bodies: list[int]) -> Path:
        places, velocities = np.empty((2, len(bodies), 3))
        for k, (body, point) in enumerate(zip(bodies, np.asarray(self.points), strict=True)):
            if body == WORLD:
                places[k], velocities[k] = point, 0.0
                continue
            R, twist = state.poses[body, :3, :3], state.twists[body]
            places[k] = R @ point + state.poses[body, :3, 3]
            velocities[k] = R @ (so3.hat(twist[:3]) @ point + twist[3:])
        kernels, out = serving(path_kernel), np.empty((len(bodies) - 1, 4))
        length, rate = kernels.segments(places, velocities, out)
        found = kernels.tension(
            self.law, np.array(self.parameters), value_at(self.curve, state.t), float(length), float(rate)
        )
        return Path(places, out[:, :3], out[:, 3], float(length), float(rate), *map(float, found))

    def add(self, state: State, load: Load) -> None:
        bodies = self.places(state.model)
        path = self._path(state, bodies)
        for body, point, force in zip(bodies, np.asarray(self.points), _forces(path), strict=True):
            if body != WORLD:
                load.wrenches[body] += wrench_at(point, state.poses[body, :3, :3].T @ force)

    def energy(self, state: State) -> float:
        return self.path(state).energy

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        # A point's velocity is R Gamma twist with Gamma = [-hat(p), 1] (Sueda 1.12), its wrench Gamma^T R^T f. With g
        # = d length / d points, the forces -tension g change by -(stiffness g g^T + tension dg/dx) dx, and as the rate
        # g . v does; R^T f besides by [R^T f] w as the body turns (1.34). (1.37 and 1.51 are printed with other signs,
        # and without what the rate does when bodies move at the same twists.)
        bodies = self.places(state.model)
        path = self._path(state, bodies)
        count, points = len(bodies), np.asarray(self.points)
        forces, g = _forces(path), np.zeros((count, 3))
        g[1:] += path.directions
        g[:-1] -= path.directions
        J, turning = np.zeros((count, 3, 6)), np.zeros((count, 3, 6))  # of places, and of velocities at equal twists
        velocities = np.zeros((count, 3))
        for k, (body, point) in enumerate(zip(bodies, points, strict=True)):
            if body != WORLD:
                R, twist = state.poses[body, :3, :3], state.twists[body]
                own = so3.hat(twist[:3]) @ point + twist[3:]
                J[k] = R @ np.hstack([-so3.hat(point), np.eye(3)])
                turning[k, :, :3] = -R @ so3.hat(own)
                velocities[k] = R @ own
        bend = np.zeros((count, 3, count, 3))  # dg/dx
        for k, (e, length) in enumerate(zip(path.directions, path.lengths, strict=True)):
            across = (np.eye(3) - np.outer(e, e)) / max(length, 1e-300)
            for a, b, sign in ((k, k, 1.0), (k + 1, k + 1, 1.0), (k, k + 1, -1.0), (k + 1, k, -1.0)):
                bend[a, :, b] += sign * across
        rate_by_place = np.einsum("ai,aibj->bj", velocities, bend)
        grows = np.einsum("bj,bjk->bk", g, J)  # d length by displacement
        rises = path.stiffness * grows
        rises += path.damping * (np.einsum("bj,bjk->bk", rate_by_place, J) + np.einsum("bj,bjk->bk", g, turning))
        for a, body in enumerate(bodies):
            if body == WORLD:
                continue
            for b, other in enumerate(bodies):
                if other != WORLD:
                    K = -np.outer(grows[a], rises[b]) - path.tension * J[a].T @ bend[a, :, b] @ J[b]
                    derivatives.stiffen(body, other, K)
                    derivatives.damp(body, other, path.damping * np.outer(grows[a], grows[b]))
            turned = so3.hat(state.poses[body, :3, :3].T @ forces[a])
            derivatives.stiffen(body, body, np.block([[so3.hat(points[a]) @ turned, _NONE], [turned, _NONE]]))

    def implicit(self, terms: ImplicitTerms) -> bool:
        bodies, points = self.places(terms.model), np.asarray(self.points)
        terms.paths.append(PathTerm(self.law, bodies, points, self.parameters, self.curve))
        return True

    @cached_property
    def _kind(self) -> str:
        return self.label.lower()

    @property
    def _place(self) -> str:
        """What messages call it."""
        if self.name:
            return f'the {self._kind} "{self.name}"'
        named = (f"body {body!r}" if body not in (WORLD, "world") else "the world" for body in self.bodies)
        return f"the {self._kind} on {', '.join(named)}"


_NONE = np.zeros((3, 3))


def _forces(path: Path) -> Array:
    """Return the force on each point, world axes, shape (n, 3)."""
    forces = np.zeros_like(path.points)
    forces[:-1] += path.tension * path.directions
    forces[1:] -= path.tension * path.directions
    return forces
