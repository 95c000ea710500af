"""Springs between points, and limits that push back (RedMax matlab 23, 24; matlab-diff 10, 12 to 14)."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Multibody, Scene
from core.dynamics.body_names import WORLD
from core.dynamics.forces import (
    Derivatives,
    ElasticRope,
    Force,
    JointDamping,
    JointSpring,
    Load,
    PointToPoint,
    SpringDamper,
)
from core.dynamics.forces.path_force import PathForce
from core.dynamics.forces.point_force import wrench_at
from core.dynamics.state import State
from core.joints import Fixed, Prismatic, Revolute
from tests.physics.scenes.building import X, Y, box, chain, model, start, turned
from tests.physics.scenes.loops import DOWN, four_bar_bodies

Array = NDArray[np.float64]


def joined(m: Multibody, x: Array, bodies: tuple[int, ...], points: tuple, kind: type, k: float, d: float) -> PathForce:
    """Return a path that rests at its first length L, with a tension of ``k e + d dl/dt / L``, ``e = (l - L) / L``."""
    X = m.body_poses(x)
    places = [
        np.array(point, dtype=float) if body < 0 else X[body, :3, :3] @ point + X[body, :3, 3]
        for body, point in zip(bodies, points, strict=True)
    ]
    rest = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    return kind(bodies, points, k / rest, rest, d / rest)


def drawn_together() -> Scene:
    m = model(chain(4))
    springs = [PointToPoint((i - 1, i), ((-1.0, 0.0, 0.0), (5.0, 0.0, 0.0)), 1e2) for i in range(1, 4)]
    return Scene(m, *start(m, q1=pi / 2, q2=pi / 16, q3=pi / 16, q4=pi / 16), springs)


class SlippedSpring(SpringDamper):
    """A spring and damper as the program's Euler steps have them.

    Its damper has the wrong sign at the rates where the step starts and the right one at those where it ends, so that
    only the change of the rates is braked; of its stiffness there is only what stretches it; and the energy is ``k / 2
    e^2`` for a force of ``k e``, where it would have to be ``k / 2 e^2 L``.
    """

    def add(self, state: State, load: Load) -> None:
        SpringDamper(self.bodies, self.points, self.stiffness, self.rest_length).add(state, load)

    def energy(self, state: State) -> float:
        return super().energy(state) / self.rest_length

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        ends = list(zip(self.places(state.model), np.asarray(self.points), (-1.0, 1.0), strict=True))
        e = self.path(state).directions[0]
        rows = [(i, wrench_at(p, sign * (state.poses[i, :3, :3].T @ e))) for i, p, sign in ends]
        for i, row in rows:
            for j, other in rows:
                derivatives.stiffen(i, j, -self.stiffness * np.outer(row, other))
                derivatives.damp(i, j, self.damping * np.outer(row, other))


def spring_and_damper(kind: type[SpringDamper] = SlippedSpring) -> Scene:
    m = model(chain(3, [Fixed(), Revolute(Y), Revolute(Y)]))
    x, v = start(m, q2=pi / 2, q3=-pi / 2)
    return Scene(m, x, v, (joined(m, x, (0, 1), ((-2.0, 0.0, -0.5), (1.0, 0.5, -0.5)), kind, 1e6, 1e3),))


def loop_by_spring() -> Scene:
    m = model(four_bar_bodies())
    return Scene(m, *start(m, v5=5), (PointToPoint(("3", "4"), (DOWN, (10.0, 0.0, 0.0)), 1e7),))


def two_springs() -> Scene:
    m = model(chain(2))
    x, v = start(m)
    springs = (
        joined(m, x, (WORLD, 1), ((-5, 0, -5), (0, 0, -2)), SpringDamper, 1e6, 1e3),
        joined(m, x, (0, 1), ((0, 0, 2), (0, 0, 2)), SpringDamper, 1e6, 1e3),
    )
    return Scene(m, x, v, springs)


def cable() -> Scene:
    """A weight on a slide, held back by a spring, hangs on a cable that is led over two links."""
    m = model(
        [
            box("1", -1, (0.1, 0.1, 0.1)),
            box("2", "1", (10, 1, 1), Revolute(Y), body_at=(5, 0, 0)),
            box("3", "2", (10, 1, 1), Revolute(Y), (10, 0, 0), (5, 0, 0)),
            box("4", "1", (1, 1, 1), Prismatic(X), (10, 0, 0)),
        ]
    )
    x, v = start(m, q2=pi / 2, q3=-pi / 2)
    rope = joined(m, x, (3, 1, 2), ((0, 0, 0), (-4, 0, 1), (-4, 0, 1)), ElasticRope, 1e6, 1e3)
    return Scene(m, x, v, (rope, JointSpring("4", 1e4), JointDamping("4", 1e3)))


@dataclass(frozen=True, eq=False)
class Stop(Force):
    """A spring and damper that act where a hinge is beyond its limits."""

    label: ClassVar[str] = "Stop"
    description: ClassVar[str] = "Pushes a hinge back into its limits."

    joint: str
    lower: float
    upper: float
    stiffness: float
    damping: float

    def check(self, model: Multibody) -> None:
        model.index(self.joint)

    def _beyond(self, state: State) -> tuple[slice, float]:
        own = state.coordinates(state.model.index(self.joint))
        q = float(state.x[own][0])
        return own, q - min(max(q, self.lower), self.upper)

    def add(self, state: State, load: Load) -> None:
        own, beyond = self._beyond(state)
        if beyond:
            load.tau[own] -= self.stiffness * beyond + self.damping * state.v[own]

    def energy(self, state: State) -> float:
        return 0.5 * self.stiffness * self._beyond(state)[1] ** 2

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        own, beyond = self._beyond(state)
        if beyond:
            derivatives.joint_stiffness[own, own] -= self.stiffness
            derivatives.joint_damping[own, own] += self.damping


def stopped() -> Scene:
    bodies = chain(3)
    bodies[0] = type(bodies[0])("1", -1, Revolute(Y), turned(Y, pi / 2), bodies[0].X_JB, bodies[0].inertia)
    m = model(bodies)
    forces: list[Force] = [Stop(name, -pi / 2, 0.0, 1e5, 1e2) for name in m.names]
    forces += [JointDamping(name, 1e2) for name in m.names]
    return Scene(m, *start(m, q2=-pi / 6, q3=-pi / 6), forces)
