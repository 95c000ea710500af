"""Equations that locks hold while figures are simulated: rows of the step, or springs where they are soft.

An equation is a function of poses, and a step knows coordinates of bodies, in which three hinges at one place are one
rotation. With ``C(q)`` and ``q = q(x)``, whose rates are ``E v`` (``Figure.pose_rates_matrix``), the rows are
``G = C_q E``. Residual, Jacobian and its rate come from ``core.constraints.equations``, as for poses.

A step keeps ``G v``, so that a curved equation is off by the square of the step at its end. The least move, measured by
the mass matrix, takes that back (Cline and Pai 2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.constraints.equations import EquationResidual
from core.constraints.joined_locks import joined_target
from core.dynamics.constraints.base import CoordinateConstraint
from core.dynamics.constraints.rows import CoordinateRows, Rows
from core.dynamics.constraints.situation import JointState, Situation
from core.dynamics.engine import Stepper
from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.multibody import Multibody
from core.dynamics.state import State
from core.preview.actor import Actor
from core.preview.held_locks import Wanted
from core.preview.lock_rows import SOFT
from core.skeleton.joined import Joined, joined
from core.skeleton.skeleton import Skeleton

Mask = NDArray[np.bool_]

_FLAT = 1e-12  # part of a row's largest entry under which the others are rounding
_MOVED = 1e-8
"""How far coordinates are moved for the slope of rows along a motion, [rad] or [m], times 1000 at most."""
_NEAR = 0.05
"""What is farther off is closed by velocities, in many steps, and not at once, [rad] or [m]."""
_CLOSED = 1e-10
_MOST = 6
_HEAVY = 1e12
"""Inertia of what must not move."""
_BEYOND = 1e-9  # so far beyond a limit nothing is moved to close an equation


@dataclass(frozen=True, eq=False)
class PoseEquation:
    """Equations between joint values and places of one figure or several.

    Attributes:
        name: Which lock of its figure it is.
        actors: The figures, the one that has the lock first, and their numbers.
        now: The equations at the beginning of a step, of the figure or of several as one.
        later: At its end, the same where they stay.
        begins: When the step begins, [s].
        lasts: How long it is, [s].
    """

    name: str | int
    actors: tuple[tuple[int, Actor], ...]
    now: EquationResidual
    later: EquationResidual
    begins: float
    lasts: float

    def rows(self, at: Situation, curved: bool = True) -> tuple[Array, Array, Array, Array]:
        """Return ``G``, shape (m, nv), ``Gdot v``, gap and wanted rate, shape (m,) each.

        Args:
            at: The model.
            curved: Whether ``Gdot v`` is wanted; else it is zero.
        """
        share = min(max((at.t - self.begins) / self.lasts, 0.0), 1.0) if self.now is not self.later else 0.0
        joints = None if at.home is at.model else self._joints(at)
        x, v = self._coordinates(at, joints)
        q, E = self._pose(x, None)
        gap, J = self.now.both(q)
        wanted = np.zeros(len(gap))
        if self.now is not self.later:
            there, slope = self.later.both(q)
            wanted = (gap - there) / self.lasts
            gap = gap + share * (there - gap)
            J = J + share * (slope - J)
        curve = self._curve(x, v, q, share) if curved else np.zeros(len(gap))
        G, own, first = np.zeros((len(gap), at.model.nv)), J @ E, 0
        if joints is None:  # in the charts that the figures' own models have
            for _, actor in self.actors:
                G[:, actor.span] = own[:, first : first + actor.model.nq]
                first += actor.model.nq
            return G, curve, gap, wanted
        for body, joint in joints.items():
            part = slice(first, first + len(joint.q))
            G[:, at.coordinates(body)] = own[:, part] @ joint.A
            curve = curve + own[:, part] @ joint.b
            first = part.stop
        return G, curve, gap, wanted

    def gap(self, x: Array) -> Array:
        """Return what is off at the end of the step at coordinates of the whole model, shape (m,)."""
        own = np.concatenate([x[actor.span] for _, actor in self.actors])
        return self.later.value(self._joined(self._poses(own, None)))

    def _joints(self, at: Situation) -> dict[int, JointState]:
        return {
            body: at.joint(body) for _, actor in self.actors for body in range(actor.bodies.start, actor.bodies.stop)
        }

    def _coordinates(self, at: Situation, joints: dict[int, JointState] | None) -> tuple[Array, Array]:
        """Return coordinates and rates of the figures in the charts of their own models."""
        if joints is None:
            parts = [actor.span for _, actor in self.actors]
            return np.concatenate([at.x[part] for part in parts]), np.concatenate([at.v[part] for part in parts])
        found = joints.values()
        return np.concatenate([joint.q for joint in found]), np.concatenate([joint.rate for joint in found])

    def _poses(self, x: Array, near: Array | None) -> list[tuple[Actor, slice, Array, Array]]:
        """Return each figure, where its coordinates stand in ``x``, these, and its pose."""
        found, first = [], 0
        for k, (_, actor) in enumerate(self.actors):
            part = slice(first, first + actor.model.nq)
            close = actor.figure.home if near is None else near[_columns(self.now.skeleton, k)]
            found.append((actor, part, x[part], actor.figure.pose(actor.model, x[part], close)))
            first = part.stop
        return found

    def _joined(self, poses: list[tuple[Actor, slice, Array, Array]]) -> Array:
        s = self.now.skeleton
        return s.join([q for _, _, _, q in poses]) if isinstance(s, Joined) else poses[0][3]

    def _pose(self, x: Array, near: Array | None) -> tuple[Array, Array]:
        """Return the pose at coordinates of the figures, and E of ``qdot = E v``."""
        poses, E = self._poses(x, near), np.zeros((self.now.skeleton.nq, len(x)))
        for k, (actor, part, own, q) in enumerate(poses):
            E[_columns(self.now.skeleton, k), part] = actor.figure.pose_rates_matrix(own, q)
        return self._joined(poses), E

    def _curve(self, x: Array, v: Array, q: Array, share: float) -> Array:
        """Return ``d/dt (C_q E) v`` while ``v`` stays, by differences along the motion, shape (m,)."""
        fastest = float(np.abs(v).max(initial=0.0))
        if fastest <= 0.0:
            return np.zeros(self.now.size)
        step = 1e3 * _MOVED / fastest
        found = []
        for sign in (1.0, -1.0):
            there, E = self._pose(x + sign * step * v, q)
            J = self.now.jacobians(there)[0]
            if share > 0.0:
                J = J + share * (self.later.jacobians(there)[0] - J)
            found.append(J @ (E @ v))
        return np.asarray((found[0] - found[1]) / (2.0 * step))


def _columns(s: Skeleton, member: int) -> slice:
    return s.columns[member] if isinstance(s, Joined) else slice(None)


class Soft(NamedTuple):
    """An equation that a spring draws in: stiffness and damping, [N m/rad^2] or the like."""

    equation: PoseEquation
    stiffness: Array
    damping: Array


class LockEquations(CoordinateConstraint):
    """The equations of the step that comes, all of them as one constraint; none at first.

    Attributes:
        hard: What is held exactly.
        springs: The force of those that are soft.
    """

    def __init__(self) -> None:
        self.hard: list[PoseEquation] = []
        self.springs = EquationSprings()
        self._prescribed: Mask = np.zeros(0, dtype=np.bool_)

    def describe(self, model: Multibody) -> str:
        """Return what messages call them."""
        return "equations of locks"

    def put(self, wanted: Sequence[tuple[int, Wanted]], actors: list[Actor], names: Sequence[dict[str, int]],
            at: Situation, step: float, prescribed: Mask) -> None:  # fmt: skip
        """Put the equations that locks want of a step.

        Args:
            wanted: What they want, with the number of the figure that has the lock.
            actors: All figures.
            names: Of each of these the numbers of the others that names in its locks mean.
            at: The model where the step begins.
            step: How long the step is, [s].
            prescribed: Coordinates that keys move, shape (nv,).
        """
        self.hard, soft = [], []
        self._prescribed = prescribed
        for number, each in wanted:
            made = equation_of(each, number, actors, names[number], at.t, step)
            if each.stiffness is None:
                self.hard.append(made)
            elif each.stiffness > 0.0:
                soft.append(_spring(made, at, each.stiffness, prescribed))
        self.springs.acting = soft

    def evaluate(self, at: Situation) -> Rows:
        """Return the rows on the joint rates."""
        G, bias, gap, wanted = self._rows(at)
        return Rows(G, bias, gap, wanted, np.zeros(len(gap)))

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return the rows of all of them, but those that forces cannot move."""
        G, bias, gap, wanted = self._rows(at)
        blocks = []
        for body in range(len(at.model.bodies)):
            block = G[:, at.coordinates(body)]
            if block.any():
                blocks.append((body, block))
        return CoordinateRows(tuple(blocks), bias, gap, wanted, np.zeros(len(gap)))

    def _rows(self, at: Situation, curved: bool = True) -> tuple[Array, Array, Array, Array]:
        parts = [equation.rows(at, curved) for equation in self.hard]
        empty = (np.zeros((0, at.model.nv)), np.zeros(0), np.zeros(0), np.zeros(0))
        G, *rest = (np.concatenate(each) for each in zip(empty, *parts, strict=True))
        moved = movable(G, self._prescribed)
        return G[moved], rest[0][moved], rest[1][moved], rest[2][moved]

    def close(self, stepper: Stepper, model: Multibody, immobile: Array) -> list[float]:
        """Move the bodies by as little as closes what the curvature of the equations left open in a step.

        Args:
            stepper: What took the step.
            model: Its model.
            immobile: Inertia of coordinates that must stay, shape (nv,).

        Returns:
            How far off each of ``hard`` is then.
        """
        if not self.hard:
            return []
        x, v = stepper.state()
        low, high = model.limits.T
        start, time = x, self.hard[0].begins + self.hard[0].lasts
        ways: Array | None = None
        for _ in range(_MOST):
            off = np.concatenate([equation.gap(x) for equation in self.hard])
            if not _CLOSED < np.abs(off).max(initial=0.0) < _NEAR:
                break
            G, _, gap, _ = self._rows(Situation(model, x, v, time), curved=False)
            if not len(gap):
                break
            if ways is None or ways.shape[1] != len(gap):
                ways = model.inverse_mass_product(start, G.T, immobile)
            move = ways @ np.linalg.lstsq(G @ ways, -gap, rcond=1e-9)[0]
            beyond = (x + move < low - _BEYOND) & (move < 0.0) | (x + move > high + _BEYOND) & (move > 0.0)
            if beyond.any():  # they stay, and others do more
                immobile, ways = np.where(beyond, _HEAVY, immobile), None
                continue
            x = x + move
        if x is not start:
            stepper.put_coordinates(x)
        return [float(np.linalg.norm(equation.gap(x))) for equation in self.hard]


class EquationSprings(Force):
    """What draws in equations that are soft, or that cannot be held: springs and dampers along their rows.

    Attributes:
        acting: The equations, with stiffness and damping of each row.
    """

    label: ClassVar[str] = "Equations"
    description: ClassVar[str] = "Draws joint values and places of parts to where soft equations have them."

    def __init__(self) -> None:
        self.acting: list[Soft] = []

    @property
    def idle(self) -> bool:
        return not self.acting

    def check(self, model: Multibody) -> None:
        """Accept every model."""

    def add(self, state: State, load: Load) -> None:
        for each in self.acting:
            G, _, gap, wanted = each.equation.rows(_situation(state), curved=False)
            load.tau -= (each.stiffness * gap + each.damping * (G @ state.v - wanted)) @ G

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        whole = slice(0, state.model.nv)
        for each in self.acting:
            G = each.equation.rows(_situation(state), curved=False)[0]
            derivatives.joint_stiffness[whole, whole] += -(G.T * each.stiffness) @ G
            derivatives.joint_damping[whole, whole] += (G.T * each.damping) @ G


def _situation(state: State) -> Situation:
    return state if isinstance(state, Situation) else Situation(state.model, state.x, state.v, state.t)


def equation_of(
    each: Wanted, number: int, actors: list[Actor], names: dict[str, int], begins: float, step: float
) -> PoseEquation:
    """Return the equations of a lock for the figures that they are about; arguments as of ``LockEquations.put``."""
    lock, later = each.lock, each.lock if each.later is None else each.later
    chosen = tuple((k, actors[k]) for k in dict.fromkeys((number, *(names[name] for name in lock.figures))))
    own = actors[number].sequence.skeleton
    if len(chosen) == 1:
        now = EquationResidual(lock.target, own)
        then = now if later is lock else EquationResidual(later.target, own)
    else:
        J = joined([actor.sequence.skeleton for _, actor in chosen])
        places = {name: next(k for k, (n, _) in enumerate(chosen) if n == names[name]) for name in lock.figures}
        now = EquationResidual(joined_target(lock, lock.target, 0, J, places), J)
        then = now if later is lock else EquationResidual(joined_target(lock, later.target, 0, J, places), J)
    return PoseEquation(each.name, chosen, now, then, begins, step)


def _spring(equation: PoseEquation, at: Situation, stiffness: float, prescribed: Mask) -> Soft:
    """Return the spring of an equation: each row swings as quickly by itself as other soft locks do."""
    G = equation.rows(at, curved=False)[0]
    ways = at.model.inverse_mass_product(at.x, G.T, np.where(prescribed, _HEAVY, 0.0))
    easily = np.einsum("ij,ji->i", G, ways)
    mass = np.where(movable(G, prescribed) & (easily > 0.0), 1.0 / np.where(easily > 0.0, easily, 1.0), 0.0)
    quick = 2.0 * np.pi * SOFT * stiffness
    return Soft(equation, mass * quick**2, 2.0 * mass * quick)


def movable(G: Array, prescribed: Mask) -> Mask:
    """Return which rows forces can move, shape (m,)."""
    size = np.abs(G).max(axis=1, initial=0.0)
    found: Mask = np.abs(G[:, ~prescribed]).max(axis=1, initial=0.0) > _FLAT * size
    return found
