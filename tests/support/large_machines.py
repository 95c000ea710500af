"""Machines of any number of bodies, with springs across their trees: chain, tree, bridge, umbrella.

Their sizes are those of RedMax's scenes for its preconditioned solver (github sueda/redmax, ``c++/PCG``): cm, g, s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, radians, sqrt

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene
from core.dynamics.forces import BodyDamping, Force, JointDamping, JointSpring, PointToPoint, SpringDamper
from core.joints import Fixed, JointModel, Prismatic, Revolute, Universal
from core.spatial import SpatialInertia, se3, so3

Array = NDArray[np.float64]

X, Y, Z = (tuple(axis) for axis in np.eye(3).tolist())
GRAVITY = (0.0, -980.0, 0.0)


@dataclass(frozen=True)
class Joined:
    """Two points that a spring joins, -1 is the world; without damping they meet, and it has no length."""

    first: int
    first_point: Array
    second: int
    second_point: Array
    stiffness: float
    damping: float


class _Builder:
    """Collects bodies and springs."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.springs: list[Joined] = []
        self.guess: list[float] = []

    def add(
        self, parent: int, joint: JointModel, X_PJ: Array, at: tuple[float, float, float], inertia: SpatialInertia
    ) -> int:
        """Add a body whose centre is ``at`` in its joint's frame; return its number."""
        self.bodies.append(Body(f"{len(self.bodies)}", parent, joint, X_PJ, se3.transform(None, at), inertia))
        self.guess += [0.0] * joint.n
        return len(self.bodies) - 1

    def join(
        self, first: int, p: tuple[float, ...], second: int, q: tuple[float, ...], stiffness: float, damping: float
    ) -> None:
        """Add a spring."""
        self.springs.append(Joined(first, np.array(p), second, np.array(q), stiffness, damping))


def box(sides: tuple[float, float, float], density: float = 1.0) -> SpatialInertia:
    """Return the inertia of a box."""
    return SpatialInertia.box(density * float(np.prod(sides)), sides)


def rod(radius: float, length: float) -> SpatialInertia:
    """Return the inertia of a cylinder along z."""
    mass = pi * radius**2 * length
    across = mass / 12.0 * (3.0 * radius**2 + length**2)
    return SpatialInertia(mass, np.zeros(3), np.diag([across, across, 0.5 * mass * radius**2]))


def at(*position: float) -> Array:
    """Return the pose moved by ``position``, shape (4, 4)."""
    return se3.transform(None, position)


def chain(count: int, across: float = 0.0) -> Scene:
    """A chain of hinges about z that hangs at an angle; with ``across`` a spring over each joint."""
    b = _Builder()
    for i in range(count):
        b.add(i - 1, Revolute(Z), at(2.8 if i else 0.0, 0, 0), (1.4, 0, 0), box((3.0, 0.8, 0.5), 3.0))
        if i and across:
            b.join(i - 1, (0.0, 0.4, 0.0), i, (0.0, 0.4, 0.0), across, 1.0)
    b.guess[0], b.guess[-1] = 1.75 * pi, 0.25 * pi
    return _scene(b, 0.0, 1.0, 0.0)


def tree(count: int) -> Scene:
    """A mobile of about ``count`` bodies: bars on drops, two drops on each bar, a spring between the bars of each two.

    Level by level hinges are about z and y, and bars along x and z; each is shorter than the one that it hangs on.
    """
    b = _Builder()

    def grow(parent: int, place: tuple[float, float, float], level: int) -> int:
        drop, length = 3.0 * 0.95**level, 10.0 * 0.8 ** (level - 1)
        axis, sides = (Z, (length, 0.5, 0.5)) if level % 2 else (Y, (0.5, 0.5, length))
        hanging = b.add(parent, Revolute(axis), at(*place), (0.0, -drop / 2, 0.0), box((0.5, drop, 0.5)))
        return b.add(hanging, Revolute(Y if level % 2 else Z), at(0.0, -drop, 0.0), (0.0, 0.0, 0.0), box(sides))

    ends: list[tuple[int, int]] = [(grow(-1, (0.0, 0.0, 0.0), 1), 1)]
    while len(b.bodies) < count:
        bar, level = ends.pop(0)
        half = 5.0 * 0.8 ** (level - 1)
        pair = [grow(bar, (s * half, 0.0, 0.0) if level % 2 else (0.0, 0.0, s * half), level + 1) for s in (-1.0, 1.0)]
        b.join(pair[0], (0.0, 0.0, 0.0), pair[1], (0.0, 0.0, 0.0), 1e5, 1.0)
        ends += [(own, level + 1) for own in pair]
    return _scene(b, 1e3, 1.0, 1.0)


def bridge(count: int) -> Scene:
    """A deck of hinges, 24 long, closed at its far end, that 30 cables hold from two towers; those lean on springs."""
    b = _Builder()
    towers: list[int] = []
    for side in (-5.0, 5.0):
        below = -1
        for k in range(4):
            below = b.add(
                below, Revolute(Z), at(0, 2.5, 0) if k else at(side, 0, 0), (0, 1.25, 0), box((0.5, 2.5, 1.8))
            )
        towers.append(below)
    link, parent, deck = 24.0 / (count - 8), -1, []
    for i in range(count - 8):
        parent = b.add(
            parent, Revolute(Z), at(link, 0, 0) if i else at(-12.0, 0, 0), (link / 2, 0, 0), box((link, 0.15, 1.6))
        )
        deck.append(parent)
    b.join(parent, (link / 2, 0.0, 0.0), -1, (12.0, 0.0, 0.0), 1e7, 0.0)
    for k in range(30):
        along = 24.0 * (k + 0.5) / 30.0
        i = min(int(along / link), len(deck) - 1)
        height = 1.25 - 0.3 * abs(k % 15 - 7)
        place = (along - (i + 0.5) * link, 0.0, 0.0)
        b.join(deck[i], place, towers[int(k >= 15)], (0.0, height, 0.0), 1e6, 1e2)
    return _scene(b, 1e4, 1e2, 0.0)


def umbrella(count: int) -> Scene:
    """Eight ribs of rods on universal joints, held open by stretchers from a runner, and ring by ring by springs."""
    b = _Builder()
    n = max(2, round((count - 2) / 12))
    tube = b.add(-1, Fixed(), np.eye(4), (0.0, 0.0, -30.0), rod(0.5, 60.0))
    runner = b.add(tube, Prismatic(Z), at(0.0, 0.0, -31.0), (0.0, 0.0, 0.0), rod(1.0, 5.0))
    out, along = 25.0 / n, 50.0 / n
    slant = radians(100.0)
    ribs: list[list[int]] = []
    half = n // 2
    for k in range(8):
        turn = so3.exp(2.0 * pi * k / 8.0 * np.array(Z))
        parent, rib = tube, []
        for j in range(n):
            X = at(0, 0, along) if j else se3.transform(turn @ so3.exp(slant * np.array(Y)), (0, 0, 0))
            parent = b.add(parent, Universal(), X, (0, 0, along / 2), rod(0.3, along))
            rib.append(parent)
        ribs.append(rib)
        # A stretcher goes from the runner straight to the beginning of the rib's link in the middle.
        reach, rise = half * along * np.sin(slant), half * along * np.cos(slant) + 31.0
        length = sqrt(reach**2 + rise**2)
        parent, step = runner, length / half
        for j in range(half):
            X = at(0, 0, step) if j else se3.transform(turn @ so3.exp(np.arctan2(reach, rise) * np.array(Y)), (0, 0, 0))
            parent = b.add(parent, Universal(), X, (0, 0, step / 2), rod(0.3, step))
        b.join(parent, (0, 0, step / 2), rib[half], (0, 0, -along / 2), 1e6, 0.0)
    for k in range(8):
        for first, second in zip(ribs[k], ribs[(k + 1) % 8], strict=True):
            b.join(first, (0, 0, out), second, (0, 0, out), 6.0, 1.0)
    return _scene(b, 1e5, 1.0, 1.0)


MACHINES: dict[str, Callable[[int], Scene]] = {
    "chain": chain,
    "chain, a spring across each joint": lambda count: chain(count, 1e5),
    "tree": tree,
    "bridge": bridge,
    "umbrella": umbrella,
}
"""By name, what makes a scene of about so many bodies."""


def _scene(b: _Builder, stiffness: float, damping: float, drag: float) -> Scene:
    model = Multibody(b.bodies, GRAVITY)
    x = np.array(b.guess)
    poses = model.body_poses(x)
    forces: list[Force] = []
    for i, body in enumerate(b.bodies):
        if stiffness and body.joint.n:
            forces.append(JointSpring(i, stiffness, x[model.first[i] : model.first[i + 1]]))
        if damping and body.joint.n:
            forces.append(JointDamping(i, damping))
        if drag:
            forces.append(BodyDamping(i, drag))
    for s in b.springs:
        ends = [
            p if body < 0 else poses[body, :3, :3] @ p + poses[body, :3, 3]
            for body, p in ((s.first, s.first_point), (s.second, s.second_point))
        ]
        bodies, points = (s.first, s.second), (s.first_point, s.second_point)
        if s.damping:
            forces.append(
                SpringDamper(bodies, points, s.stiffness, float(np.linalg.norm(ends[1] - ends[0])), s.damping)
            )
        else:
            forces.append(PointToPoint(bodies, points, s.stiffness))
    return Scene(model, x, np.zeros(model.nv), tuple(forces))
