"""Motion of bodies that touch: one step after the other, fast enough to watch while it is worked out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.engine import conversions, general_joints
from core.dynamics.engine.assembly import Assembly
from core.dynamics.engine.figure_forces import figure_forces
from core.dynamics.engine.inputs import Inputs, positive_array
from core.dynamics.engine.readings import Readings, Snapshot
from core.dynamics.engine.settings import StepReport, StepSettings
from core.errors import RunawayError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Mask = NDArray[np.bool_]


class Stepper(Inputs, Readings):
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
        DynamicsError: If an argument does not fit, or a figure has a motor for a ball joint.

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
        self._built = Assembly(model, tuple(geometries), self.world, self.settings, self_contact, limits, figures)
        if armature is not None:
            self._built.memory.armature[:] = positive_array(armature, model.nv, "armature")
        self._given_rates = np.zeros(model.nv)
        self._rates_next: Array | None = None
        self._measured = False
        self._hold_nothing()
        self.set_joint_forces(**figure_forces(model.nv, figures)._asdict())
        self.set_state(np.zeros(model.nq), np.zeros(model.nv))

    # -- state ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Time since the state was set, [s]."""
        return float(self._built.memory.state.time)

    @property
    def asleep(self) -> bool:
        """Whether everything rests until something is changed."""
        return bool(self._built.memory.state.asleep)

    @property
    def fastest(self) -> float:
        """Largest rate of a coordinate that is not prescribed, [rad/s] or [m/s]; NaN if one is."""
        m = self._built.memory
        return float(np.abs(m.u[m.held == 0]).max(initial=0.0))

    @property
    def contacts(self) -> ContactSet:
        """The shapes that may touch."""
        return self._built.contacts

    def set_state(self, x: ArrayLike, v: ArrayLike) -> None:
        """Begin anew at coordinates and rates of the model, shapes (nq,) and (nv,); the time becomes 0."""
        x, v = finite_array(x, (self.model.nq,), "x"), finite_array(v, (self.model.nv,), "v")
        built, m = self._built, self._built.memory
        general_joints.go_home(built.tree)
        m.x[:] = x
        m.u[:] = m.u_before[:] = conversions.velocities(built.tree, x, v)
        built.put_turns("turn", conversions.turns_of(built.tree, x))
        built.start_ball_angles()
        general_joints.evaluate(built, m.u)
        m.effort[:] = 0.0
        m.state.contact_count = m.state.row_count = m.state.equality_count = m.state.remembered_count = 0
        m.lock_flags[:], m.limit_flags[:], m.ball_flags[:] = 0, 0, 0
        m.state.jumped = 1
        m.state.time = 0.0
        self._stay()
        self.wake()

    def state(self, near: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return coordinates and rates in the charts of the model, shapes (nq,) and (nv,), new.

        Args:
            near: Coordinates, shape (nq,): of those with the same pose the nearest are given.
        """
        built, m = self._built, self._built.memory
        u = np.where(m.held != 0, self._given_rates, m.u)
        close = None if near is None else finite_array(near, (self.model.nq,), "near")
        return conversions.model_state(built.tree, m, u, close)

    def coordinates(self) -> tuple[Array, Callable[[], Array]]:
        """Return coordinates as ``state`` does, and what works the rates out that go with them, now or later."""
        tree, m = self._built.tree, self._built.memory
        if tree.general:
            x, v = self.state()
            return x, lambda: v
        u = np.where(m.held != 0, self._given_rates, m.u)
        x = conversions.coordinates(tree, m, None)
        return x, lambda: conversions.rates(tree, x, u)

    def snapshot(self) -> Snapshot:
        """Return the whole state, to the bit."""
        m = self._built.memory
        kept = m.bytes[: m.place_of("rows")].copy()  # what comes behind, a step does not go on from
        charts = tuple(part.joint for part in self._built.tree.general)
        return Snapshot(kept, int(m.state.lock_room), int(m.state.pull_room), charts, self._given_rates.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state that ``snapshot`` returned; locks, forces and motors are what they were then."""
        m = self._built.memory
        if (snapshot.locks, snapshot.pulls) != (m.state.lock_room, m.state.pull_room):
            m = self._built.new_memory(snapshot.locks, snapshot.pulls)
        m.bytes[: len(snapshot.bytes)] = snapshot.bytes
        self._given_rates = snapshot.given_rates.copy()
        for part, joint in zip(self._built.tree.general, snapshot.charts, strict=True):
            part.joint = joint
        self._measured, self._noted = False, False

    def wake(self) -> None:
        """Wake what is asleep; every change from outside does."""
        state = self._built.memory.state
        state.asleep = state.quiet = state.calm = state.energy_known = 0
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
            report = general_joints.advance(built, count)
        else:
            built.advance(count)
            report = built.report()
        if m.state.motors and m.held.any():
            held = m.held != 0
            rates = m.u if self._rates_next is None else self._rates_next
            self._given_rates[held] = rates[held]
            self._rates_next = None
        self._measured = False
        u = m.u
        if not math.isfinite(np.vdot(u, u)):
            raise RunawayError(f"the motion runs away at t = {self.time:g} s; weaker forces or shorter steps may do")
        return report

    # -- inside --------------------------------------------------------------------------------------------------

    def _stay(self) -> None:
        """Let prescribed coordinates be where they are."""
        m = self._built.memory
        m.x_next[:] = m.x
        m.nodes["next_turn"] = m.nodes["turn"]
