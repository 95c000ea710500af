"""Motion of bodies that touch: one step after the other, fast enough to watch while it is worked out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics.arrays import finite_array
from core.dynamics.contact.contacts import ContactSet
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.step import doors, general
from core.dynamics.step import slots as at
from core.dynamics.step.acting import Acting, positive_array
from core.dynamics.step.built import Built
from core.dynamics.step.joint_forces import told_forces
from core.dynamics.step.readings import Readings, Snapshot
from core.dynamics.step.settings import StepReport, StepSettings
from core.errors import RunawayError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Stepper(Acting, Readings):
    """Bodies on their way, by steps of one length.

    A step solves for the velocities at its end: gravity and what the velocities themselves ask for (taken in the middle
    of the step, by those of the step before), springs, dampers and motors as they are at its end; then locks, limits,
    strings and contacts with friction as the least change of velocities that holds to all of them (a quadratic
    program, its friction pyramids along the sliding, the sliding speeds found in a few passes). Where nothing
    touches and nothing takes energy, it is a step of Runge-Kutta of fourth order that keeps momentum and energy.

    Velocities, forces and masks have an entry for each coordinate of the model. Gains and torques of a rotation vector,
    also those that ``joint_torques`` gives, are about the joint's own axes.

    Args:
        model: The bodies; several trees if it has several roots.
        geometries: The shapes that bodies carry.
        world: Gravity, floor, obstacles; the model's own gravity does not count.
        settings: How steps are taken.
        self_contact: Whether parts of one tree touch each other.
        limits: Least and largest value of each coordinate, shape (nq, 2); None takes the model's.
        parts: Models of figures that the model holds, and the first coordinate of each; None takes the model itself. Of
            these come the limits of ball joints and the forces in the joints.
        armature: Inertia of each joint itself, as of a motor's rotor behind its gear, shape (nv,), [kg m^2] or [kg].

    Raises:
        DynamicsError: If an argument does not fit, or a figure tells a motor for a ball joint.

    Source: Sueda 1.88 and 2.77; Anitescu and Hart 2004 (the quadratic program); De Saxce and Feng 1998 (the sliding
    speeds that its right sides lack).
    """

    def __init__(
        self,
        model: Multibody,
        geometries: Sequence[Geometry] = (),
        world: World | None = None,
        *,
        settings: StepSettings | None = None,
        self_contact: bool = False,
        limits: ArrayLike | None = None,
        parts: Sequence[tuple[Multibody, int]] | None = None,
        armature: ArrayLike | None = None,
    ):
        self.model = model
        self.world = World() if world is None else world
        self.settings = StepSettings() if settings is None else settings
        figures = ((model, 0),) if parts is None else tuple(parts)
        self._built = Built(model, tuple(geometries), self.world, self.settings, self_contact, limits, figures)
        if armature is not None:
            self._built.memory.vectors[at.ARMATURE] = positive_array(armature, model.nv, "armature")
        self._given_rates = np.zeros(model.nv)
        self._told_rates: Array | None = None
        self._measured = False
        self._hold_nothing()
        told = told_forces(model.nv, figures)
        self.set_joint_forces(told.stiffness, told.rest, told.damping, told.torque)
        self.set_state(np.zeros(model.nq), np.zeros(model.nv))

    # -- state ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Time since the state was set, [s]."""
        return float(self._built.memory.numbers[at.TIME])

    @property
    def asleep(self) -> bool:
        """Whether everything rests until something is changed."""
        return bool(self._built.memory.head[at.ASLEEP])

    @property
    def fastest(self) -> float:
        """Largest rate of a coordinate that is not prescribed, [rad/s] or [m/s]; NaN if one is."""
        m = self._built.memory
        return float(np.abs(m.vectors[at.U][m.held == 0]).max(initial=0.0))

    @property
    def contacts(self) -> ContactSet:
        """The shapes that may touch."""
        return self._built.contacts

    def set_state(self, x: ArrayLike, v: ArrayLike) -> None:
        """Begin anew at coordinates and rates of the model, shapes (nq,) and (nv,); the time becomes 0."""
        x, v = finite_array(x, (self.model.nq,), "x"), finite_array(v, (self.model.nv,), "v")
        built, m = self._built, self._built.memory
        general.go_home(built.tree)
        m.vectors[at.X] = x
        m.vectors[at.U] = m.vectors[at.BEFORE] = doors.velocities(built.tree, x, v)
        built.put_turns(at.TURN, doors.turns_of(built.tree, x))
        built.angles_of_balls()
        general.evaluate(built, m.vectors[at.U])
        m.vectors[at.EFFORT] = 0.0
        m.head[[at.CONTACTS, at.ROWS, at.EQUALITIES, at.REMEMBERED]] = 0
        m.lock_flags[:], m.limit_flags[:], m.ball_flags[:] = 0, 0, 0
        m.head[at.JUMPED] = 1
        m.numbers[at.TIME] = 0.0
        self._stay()
        self.wake()

    def state(self, near: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return coordinates and rates in the charts of the model, shapes (nq,) and (nv,), new.

        Args:
            near: Coordinates, shape (nq,): of those with the same pose the nearest are given.
        """
        built, m = self._built, self._built.memory
        u = np.where(m.held != 0, self._given_rates, m.vectors[at.U])
        close = None if near is None else finite_array(near, (self.model.nq,), "near")
        return doors.model_state(built.tree, m.nodes, m.vectors[at.X], u, close)

    def coordinates(self) -> tuple[Array, Callable[[], Array]]:
        """Return coordinates as ``state`` does, and what works the rates out that go with them, now or later."""
        tree, m = self._built.tree, self._built.memory
        if tree.general:
            x, v = self.state()
            return x, lambda: v
        u = np.where(m.held != 0, self._given_rates, m.vectors[at.U])
        x = doors.coordinates(tree, m.nodes, m.vectors[at.X], None)
        return x, lambda: doors.rates(tree, x, u)

    def snapshot(self) -> Snapshot:
        """Return the whole state, to the bit."""
        m = self._built.memory
        kept = int(m.integers[at.ROW])
        charts = tuple(part.joint for part in self._built.tree.general)
        return Snapshot(m.floats[:kept].copy(), m.integers.copy(), m.flags.copy(), charts, self._given_rates.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state that ``snapshot`` returned; locks, forces and motors are what they were then."""
        m = self._built.memory
        if len(snapshot.integers) != len(m.integers):
            self._built.make_room(int(snapshot.integers[at.LOCK_ROOM]), int(snapshot.integers[at.PULL_ROOM]))
            m = self._built.memory
        m.floats[: len(snapshot.floats)] = snapshot.floats
        m.integers[:] = snapshot.integers
        m.flags[:] = snapshot.flags
        self._given_rates = snapshot.given_rates.copy()
        self._built.forget_addresses()
        for part, joint in zip(self._built.tree.general, snapshot.charts, strict=True):
            part.joint = joint
        self._measured, self._noted = False, False

    def wake(self) -> None:
        """Wake what is asleep; every change from outside does."""
        head = self._built.memory.head
        head[at.ASLEEP] = head[at.QUIET] = head[at.CALM] = head[at.KNOWN] = 0
        self._measured = False

    # -- steps ---------------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> StepReport:
        """Take steps.

        Args:
            count: How many.

        Raises:
            RunawayError: If the motion has run away: velocities are no longer finite.
        """
        built, m = self._built, self._built.memory
        self._note_kinds()
        if built.tree.general:
            report = general.advance(built, count)
        else:
            built.advance(count)
            report = built.report()
        if m.head[at.MOTORS] and m.held.any():
            held = m.held != 0
            told = self._told_rates
            self._given_rates[held] = (m.vectors[at.U] if told is None else told)[held]
            self._told_rates = None
        self._measured = False
        u = m.vectors[at.U]
        if not math.isfinite(np.vdot(u, u)):
            raise RunawayError(f"the motion runs away at t = {self.time:g} s; weaker forces or shorter steps may do")
        return report

    # -- inside --------------------------------------------------------------------------------------------------

    def _stay(self) -> None:
        """Let prescribed coordinates be where they are."""
        m = self._built.memory
        m.vectors[at.NEXT] = m.vectors[at.X]
        m.nodes[:, at.NEXT_TURN : at.NEXT_TURN + 4] = m.nodes[:, at.TURN : at.TURN + 4]
