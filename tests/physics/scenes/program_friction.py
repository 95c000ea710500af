"""Dry friction as the Euler steps of the reference program have it (RedMax matlab 27 to 31, 33).

They are bilateral staggered projections with four things of their own, each of which counts in the energies:

- a step's passes end when the reactions of the joints change by a thirtieth, not when they are found;
- the reactions hold the centrifugal and Coriolis forces of the joined bodies, and act on these once more;
- a joint's reaction acts back on the body before in the list, which need not be the parent (matlab 33 alone);
- friction is found for separate bodies, each with its joint's reaction, but without what closes a loop or a floor does.

Source: Sueda algorithm 8, and what the program's energies say of its own way to take it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from core.dynamics import newton_euler
from core.dynamics.constraints import Situation
from core.dynamics.contact.qp import solve
from core.dynamics.integrators.base import Integrator
from core.joints import Prismatic, Revolute
from core.spatial import se3, so3

if TYPE_CHECKING:
    from core.dynamics.constraints import LoopClosure
    from core.dynamics.system import System

Array = NDArray[np.float64]

_Z = np.array([0.0, 0.0, 1.0])
_LOOP = -1
_LEAST = 1e-10
"""Impulse under which a contact has no friction."""
_REGULARIZED = 1e-6
"""What is added to the diagonal where contacts share a joint's reaction."""


@dataclass(frozen=True)
class Roughness:
    """What rubs in a scene.

    Attributes:
        inside: Friction coefficient in joints.
        outside: Friction coefficient on the floor.
        joints: Sizes by body: radius and height of a hinge's pin, radius of a ball, edges of a slide.
        loop: Radius and height of the pin of the hinge that closes the loop, the first constraint; None without one.
        balls: Bodies that are balls of radius 1 above the floor.
        floor: Height of the floor, along z.
    """

    inside: float
    outside: float = 0.0
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    loop: tuple[float, float] | None = None
    balls: tuple[str, ...] = ()
    floor: float = 0.0


class Spot(NamedTuple):
    """A place where two bodies touch, in the frame of the first.

    Attributes:
        point: Shape (3,).
        normals: Directions in which it carries, shape (k, 3).
        tangents: Directions in which it slides, shape (m, 3).
    """

    point: Array
    normals: Array
    tangents: Array


def pin_spots(radius: float, height: float) -> list[Spot]:
    """Return the contacts of a pin along z: four around each end, which carry across and along the pin."""
    spots = []
    for angle in 0.5 * np.pi * np.arange(4):
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        along = np.array([-np.sin(angle), np.cos(angle), 0.0])
        for side in (-1.0, 1.0):
            normals = np.array([-out, -side * _Z])
            spots.append(Spot(radius * out + 0.5 * side * height * _Z, normals, along[None]))
    return spots


def ball_spots(radius: float) -> list[Spot]:
    """Return the contacts of a ball: one on each side of each axis."""
    spots = []
    for k in range(3):
        axes = np.roll(np.eye(3), -k, axis=0)
        spots += [Spot(-sign * radius * axes[0], sign * axes[:1], sign * axes[1:]) for sign in (-1.0, 1.0)]
    return spots


def slide_spots(edges: tuple[float, ...]) -> list[Spot]:
    """Return the contacts of a slide along x: the corners of a box, which carry across the slide."""
    spots = []
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            for z in (-0.5, 0.5):
                normals = np.array([[0.0, -2.0 * y, 0.0], [0.0, 0.0, -2.0 * z]])
                spots.append(Spot(np.array([x, y, z]) * edges, normals, np.eye(3)[:1]))
    return spots


class ProgramFriction(Integrator):
    """Euler steps with dry friction in joints, loops and on a floor, as the program takes them.

    Args:
        rough: What rubs.
        tolerance: Square of the change of all reactions, to that of the reactions, under which passes end.
        passes: How many there are at most.
        twice: Whether centrifugal and Coriolis forces act twice.
        on_previous: Whether reactions act back on the body before in the list instead of the parent.

    Attributes:
        took: How many passes each step has taken so far.
    """

    name: ClassVar[str] = "program_friction"
    label: ClassVar[str] = "Program's friction"
    description: ClassVar[str] = "Staggered projections as the reference program has them."

    def __init__(
        self,
        rough: Roughness,
        tolerance: float = 1e-3,
        passes: int = 100,
        twice: bool = True,
        on_previous: bool = True,
    ) -> None:
        self.rough, self.tolerance, self.passes = rough, tolerance, passes
        self.twice, self.on_previous = twice, on_previous
        self.took: list[int] = []
        self._friction: Array = np.zeros(0)

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._friction = np.zeros(6 * len(system.model.bodies))
        self.took = []

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        model = system.model
        at = Situation(model, x, v, t + h, system.scene.model)
        J, blocks = at.jacobian, newton_euler.body_inertias(model)
        M = np.asarray(scipy.linalg.block_diag(*blocks))
        inverse = np.linalg.inv(M)
        force = newton_euler.forces(blocks, at.twists, at.poses[:, :3, :3], model.gravity).ravel()
        apart = M @ at.twists.ravel() + h * force
        joined = J.T @ (apart - h * (M @ at.drifts.ravel()))
        closing = system.stabilization.step
        G, wanted = _equations(system.scene.constraints, at, closing)
        C, least, across = self._floor(at, closing)
        bodies = _Program(M, G, wanted, C, least)
        joints = _Program(J.T @ M @ J, G @ J, wanted, C @ J, least)
        bearings = self._bearings(at, inverse, system)
        T = np.vstack([*(bearing.rows for bearing in bearings), across])
        friction, before = self._friction, np.zeros(len(M))
        for taken in range(1, self.passes + 1):
            alone = bodies.solve(apart + h * friction)[0]
            rates, held, pushes = joints.solve(joined + h * (J.T @ friction))
            reaction = M @ (J @ rates - alone) / h
            change = reaction - before
            if change @ inverse @ change < self.tolerance * (reaction @ inverse @ reaction) or taken == self.passes:
                break
            before = reaction
            carried = self._carried(at, reaction)
            closed = G[:2].T @ held[:2] / h  # the loop is the first constraint, with two rows
            most = [bearing.sizes(carried.get(bearing.body, closed) * h) for bearing in bearings]
            bounds = np.concatenate(
                [*(self.rough.inside * each for each in most), self.rough.outside * pushes.repeat(2)]
            )
            friction = -(T.T @ _least_sliding(T, bounds, M, apart + h * reaction)) / h
        self.took.append(taken)
        self._friction = friction
        # Between joined bodies a reaction does no work, but this one holds what turns them, which is in ``joined`` too.
        acting = friction + reaction if self.twice else friction
        rates = joints.solve(joined + h * (J.T @ acting))[0]
        return x + h * rates, rates

    def _floor(self, at: Situation, closing: float) -> tuple[Array, Array, Array]:
        """Return the rows of balls that are in the floor, the speeds they want, and rows along x and y of it."""
        rows, least, across = [], [], []
        for name in self.rough.balls:
            i = at.model.index(name)
            deep = 1.0 + self.rough.floor - at.poses[i, 2, 3]
            if deep > 0.0:
                R = at.poses[i, :3, :3]
                x, y, up = (_row(at, i, -1, R.T @ -_Z, R.T @ axis) for axis in np.eye(3))
                rows.append(up)
                least.append(closing * deep)
                across += [x, y]
        width = 6 * len(at.poses)
        return np.reshape(rows, (-1, width)), np.array(least), np.reshape(across, (-1, width))

    def _bearings(self, at: Situation, inverse: Array, system: System) -> list[_Bearing]:
        """Return what rubs in the joints and in the hinge of the loop."""
        found = []
        for name, sizes in self.rough.joints.items():
            i = at.model.index(name)
            joint = at.model.bodies[i].joint
            if isinstance(joint, Revolute):
                spots, turned = pin_spots(*sizes), _z_to(joint.axis)
            else:
                spots, turned = slide_spots(sizes) if isinstance(joint, Prismatic) else ball_spots(*sizes), np.eye(3)
            frame = se3.inverse(at.model.X_JB[i]) @ se3.transform(turned, np.zeros(3))
            found.append(_Bearing.of(at, inverse, i, i, int(at.model.parents[i]), frame, spots))
        if self.rough.loop is not None:
            loop: LoopClosure = system.scene.constraints[0]  # type: ignore[assignment]
            a, b = at.model.index(loop.body_a), at.model.index(loop.body_b)
            joint = at.model.bodies[a].joint
            assert isinstance(joint, Revolute)
            frame = se3.transform(_z_to(joint.axis), np.asarray(loop.point_a, dtype=float))
            found.append(_Bearing.of(at, inverse, _LOOP, a, b, frame, pin_spots(*self.rough.loop)))
        return found

    def _carried(self, at: Situation, reaction: Array) -> dict[int, Array]:
        """Return what each joint does to its body and to its parent, from the leaves on, each shape (6 nb,)."""
        left, found = reaction.reshape(-1, 6).copy(), {}
        for i in range(len(left) - 1, -1, -1):
            parent = int(at.model.parents[i])
            acting = np.zeros_like(left)
            acting[i] = left[i]
            if parent >= 0:
                back = se3.adjoint(se3.inverse(at.poses[i]) @ at.poses[parent]).T @ left[i]
                acting[parent] = -back
                left[i - 1 if self.on_previous else parent] += back
            found[i] = acting.ravel()
        return found


class _Bearing(NamedTuple):
    """What rubs at one joint.

    Attributes:
        body: Index of the joint's body; -1 of the loop.
        rows: Speeds of sliding on the bodies' twists, shape (p, 6 nb).
        share: Takes the forces that the joint does to all bodies to the impulses of its contacts, shape (c, 6 nb).
        spots: How many contacts there are.
    """

    body: int
    rows: Array
    share: Array
    spots: int

    @classmethod
    def of(cls, at: Situation, inverse: Array, body: int, a: int, b: int, frame: Array, spots: list[Spot]) -> _Bearing:
        """Return the bearing of bodies ``a`` and ``b`` with contacts given in a frame of ``a``."""
        R, p = frame[:3, :3], frame[:3, 3]
        N, T = (
            np.array([_row(at, a, b, R @ spot.point + p, R @ way) for spot in spots for way in getattr(spot, which)])
            for which in ("normals", "tangents")
        )
        moved = N @ inverse
        share = np.linalg.solve(moved @ N.T + _REGULARIZED * np.eye(len(N)), moved)
        return cls(body, T, share, len(spots))

    def sizes(self, impulse: Array) -> Array:
        """Return what presses where each row slides, shape (p,), given the joint's impulse on all bodies."""
        pressing = np.abs(self.share @ impulse).reshape(self.spots, -1).sum(axis=1)
        return np.asarray(pressing.repeat(len(self.rows) // self.spots))


class _Program:
    """Motions nearest to a free one under equations and bounds, ``A v = r + G^T held + C^T pushes``."""

    def __init__(self, A: Array, G: Array, wanted: Array, C: Array, least: Array) -> None:
        self._root = np.linalg.cholesky(A)
        self._rows, self._right, self._count = np.vstack([G, C]), np.concatenate([wanted, least]), len(G)
        self._half = scipy.linalg.solve_triangular(self._root, self._rows.T, lower=True).T

    def solve(self, r: Array) -> tuple[Array, Array, Array]:
        """Return the motion, the impulses of equations and those of bounds."""
        y = scipy.linalg.solve_triangular(self._root, r, lower=True)
        multipliers = np.zeros(len(self._right))
        if len(self._right):
            found = solve(self._half, self._right - self._half @ y, self._count)
            y, multipliers = y + found.y, found.multipliers
        v = scipy.linalg.solve_triangular(self._root, y, lower=True, trans="T")
        return v, multipliers[: self._count], multipliers[self._count :]


def _equations(constraints: tuple, at: Situation, closing: float) -> tuple[Array, Array]:
    """Return the rows of constraints on the bodies' twists and the speeds that they want."""
    G, wanted = [], []
    for constraint in constraints:
        rows = constraint.body_rows(at)
        block = np.zeros((len(rows.gap), 6 * len(at.poses)))
        for body, part in rows.blocks:
            block[:, 6 * body : 6 * body + 6] += part
        G.append(block)
        wanted.append(rows.velocity - closing * rows.gap)
    width = 6 * len(at.poses)
    return np.vstack([np.zeros((0, width)), *G]), np.concatenate([np.zeros(0), *wanted])


def _row(at: Situation, a: int, b: int, point: Array, way: Array) -> Array:
    """Return how fast a point of body ``a`` goes a way, both in its frame, past ``b``; shape (6 nb,)."""
    row = np.zeros((len(at.poses), 6))
    row[a] = np.concatenate([np.cross(point, way), way])
    if b >= 0:
        X = se3.inverse(at.poses[b]) @ at.poses[a]
        there = X[:3, :3] @ way
        row[b] = -np.concatenate([np.cross(X[:3, :3] @ point + X[:3, 3], there), there])
    return row.ravel()


def _z_to(axis: object) -> Array:
    """Return a rotation that takes the axis of a hinge to z or its opposite, the shortest way."""
    way = np.asarray(axis, dtype=float)
    across = np.cross(way, _Z)
    size = float(np.linalg.norm(across))
    return np.eye(3) if size < 1e-9 else so3.exp(np.arccos(way @ _Z) / size * across)


def _least_sliding(T: Array, bounds: Array, M: Array, momenta: Array) -> Array:
    """Return the impulses along rows, within bounds, that leave separate bodies the least energy (Sueda 2.114)."""
    chosen = np.flatnonzero(bounds > _LEAST)
    found = np.zeros(len(T))
    if len(chosen):
        root = np.linalg.cholesky(M)
        columns = scipy.linalg.solve_triangular(root, T[chosen].T, lower=True)
        aim = scipy.linalg.solve_triangular(root, momenta, lower=True)
        most = bounds[chosen]
        fit = scipy.optimize.lsq_linear(columns, aim, (-most, most), method="bvls", tol=1e-15, max_iter=2000)
        found[chosen] = fit.x
    return found
