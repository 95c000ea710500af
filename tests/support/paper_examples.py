"""The mechanisms of Si & Guenter's table 1, and the same as hinges where they are that."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.dynamics import Body, Multibody
from core.formats import bundled_folder
from core.joints import Revolute, SurfaceOnSurface, Universal
from core.joints.geometry import Link
from core.skeleton import load_skeleton
from core.spatial import SpatialInertia, se3

TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])

Array = np.ndarray


def rods(n: int) -> Multibody:
    """Return a chain of equal rods, each hinge at right angles to the one before."""
    rod = SpatialInertia.box(1.0, (0.2, 0.05, 0.05), (0.1, 0.0, 0.0))
    step = se3.transform(TURN, (0.2, 0.0, 0.0))
    bodies = [Body(f"{i}", i - 1, Revolute(), step if i else np.eye(4), inertia=rod) for i in range(n)]
    return Multibody(bodies, gravity=(0.0, 0.0, -9.81))


RING, TUBE = 0.3, 0.1
HALF_TURN = np.diag([1.0, -1.0, -1.0, 1.0])


class Example(NamedTuple):
    """A mechanism of table 1.

    Attributes:
        name: What the table calls it.
        model: It.
        hinges: The same as hinges, each body but the last of a joint without mass, for programs that have no other
            joints; None if there is none.
        order, signs, zeros: Coordinates of the hinges are ``signs * x[order] + zeros``.
        paper: What the paper says, [us]: Method I, Method II, its Featherstone, SD/FAST.
    """

    name: str
    model: Multibody
    hinges: Multibody | None
    order: Array
    signs: Array
    zeros: Array
    paper: tuple[float | None, ...]

    def states(self, count: int) -> tuple[Array, Array, Array]:
        """Return coordinates, velocities and forces of the hinges for ``batches`` of the model."""
        x, v, tau = (part[:, self.order] for part in batches(self.model, count))
        return self.signs * x + self.zeros, self.signs * v, self.signs * tau

    def accelerations(self, hinges: Array) -> Array:
        """Return the model's accelerations from those of the hinges."""
        found = np.empty(len(hinges))
        found[self.order] = self.signs * hinges
        return found


def itself(name: str, model: Multibody, hinges: Multibody | None, paper: tuple[float | None, ...] = ()) -> Example:
    """Return an example whose coordinates are those of its hinges."""
    return Example(name, model, hinges, np.arange(model.nv), np.ones(model.nv), np.zeros(model.nv), paper)


def examples() -> list[Example]:
    """Return the mechanisms of table 1, in its order."""
    found = []
    for n, times in ((20, (20, 1000, 25, 16)), (50, (50, 2400, 64, 136)), (100, (112, 4900, 127, None))):
        found.append(itself(f"RC{n}", rods(n), rods(n), times))
    for n, paper in ((10, (55, 1050, None, None)), (20, (115, 2200, None, None))):
        # Ring, tube, own ring and own tube of a pair are its hinges 0, 1, 3 and 2; tubes count from inside.
        order = np.r_[0, 1, (2 + 4 * np.arange(n - 1)[:, None] + [0, 1, 3, 2]).ravel()]
        signs = np.r_[1.0, 1.0, np.tile([1.0, -1.0, 1.0, 1.0], n - 1)]
        zeros = np.r_[0.0, 0.0, np.tile([0.0, -np.pi, np.pi, np.pi], n - 1)]
        found.append(Example(f"TC{n}", tori(n), tori_as_hinges(n), order, signs, zeros, paper))
    found.append(itself("WM", windmill(), None, (108, 2400, None, None)))
    return found


def tori(n: int) -> Multibody:
    """Return a chain of tori, the first on a universal joint, each other one in the one before, as links of a chain."""
    inertia = SpatialInertia.sphere(1.0, RING)
    joint = SurfaceOnSurface(Link(RING, TUBE), Link(RING, TUBE))
    bodies = [Body("0", -1, Universal(), inertia=inertia)]
    return Multibody([*bodies, *(Body(f"{i}", i - 1, joint, inertia=inertia) for i in range(1, n))])


def tori_as_hinges(n: int) -> Multibody:
    """Return the same with hinges about z, y, y and z in place of each pair of tori, on arms of their radii."""
    massless, inertia = SpatialInertia.zero(), SpatialInertia.sphere(1.0, RING)
    first, second = (step.axis for step in Universal().steps)
    bodies = [Body("first", -1, Revolute(first), inertia=massless), Body("0", 0, Revolute(second), inertia=inertia)]
    y, z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for i in range(1, n):
        arms = (
            np.eye(4) if i == 1 else HALF_TURN,
            *(se3.transform(None, (d, 0.0, 0.0)) for d in (RING, 2 * TUBE, RING)),
        )
        for k, (axis, arm) in enumerate(zip((z, y, y, z), arms, strict=True)):
            whole = {"X_JB": HALF_TURN, "inertia": inertia} if k == 3 else {"inertia": massless}
            bodies.append(Body(f"{i}" if k == 3 else f"{i}.{k}", len(bodies) - 1, Revolute(axis), arm, **whole))
    return Multibody(bodies)


def windmill() -> Multibody:
    """Return the bundled windmill: a hinge and 18 pairs of surfaces of five kinds."""
    return Multibody.from_skeleton(load_skeleton(bundled_folder() / "mechanisms" / "windmill.scr"), fixed_base=True)


def batches(model: Multibody, count: int) -> tuple[Array, Array, Array]:
    """Return states as rows; those of surfaces that have poles stay away from these."""
    rng, n = np.random.default_rng(model.nv), model.nv
    widest = 3.0 if any(body.joint.steps is not None for body in model.bodies[1:]) else 1.0
    return rng.uniform(-widest, widest, (count, n)), rng.normal(size=(count, n)), rng.normal(size=(count, n))
