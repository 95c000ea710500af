"""Motion of bodies that touch: one step after the other, fast enough to watch while it is worked out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.charts import converted
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.engine import conversions, general_joints, in_parts
from core.dynamics.engine.applied import Applied
from core.dynamics.engine.assembly import Assembly
from core.dynamics.engine.figure_forces import figure_forces, with_terms
from core.dynamics.engine.inputs import Inputs, positive_array
from core.dynamics.engine.kernel_forces import put_forces
from core.dynamics.engine.readings import Readings, Snapshot
from core.dynamics.engine.settings import StepReport, StepSettings
from core.errors import RunawayError

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.forces import Force
    from core.dynamics.multibody import Multibody


class Stepper:
    """Bodies on their way, by steps of one length.

    A step solves for the velocities at its end: gravity and what the velocities themselves ask for (taken in the middle
    of the step, by those of the step before), springs, dampers and motors as they are at its end; then locks, limits,
    strings and contacts with friction as the least change of velocities that holds to all of them (a quadratic
    program, its friction pyramids along the sliding, the sliding speeds found in a few passes). Where nothing
    touches and nothing takes energy, it is a step of Runge-Kutta of fourth order that keeps momentum and energy.

    Gains and torques of a rotation vector, also those that ``readings.joint_torques`` gives, are about the joint's own
    axes.

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
        forces: Further forces on the bodies. Those that ``Force.implicit`` gives the kernels cost next to nothing; any
            other is evaluated before each part of a step, its stiffness and damping solved for at the end.
        constraints: Further constraints, likewise; bounds act where they are, or will be, reached.
        loose: Pairs of bodies, by their numbers, that never touch each other.

    Attributes:
        model, world, settings: As given.
        inputs: What acts, to be set: motors, what is prescribed, locks, strings, pulls, pushes.
        readings: What can be read: poses, forces, energy, momentum.

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
        forces: Sequence[Force] = (),
        constraints: Sequence[Constraint] = (),
        loose: Iterable[tuple[int, int]] = (),
    ):
        self.model = model
        self.world = World() if world is None else world
        self.settings = StepSettings() if settings is None else settings
        figures = ((model, 0),) if parts is None else tuple(parts)
        self._built = Assembly(
            model, tuple(geometries), self.world, self.settings, self_contact, limits, figures, loose
        )
        if armature is not None:
            self._built.memory.armature[:] = positive_array(armature, model.nv, "armature")
        self._applied = Applied(model, forces, constraints)
        self.inputs = Inputs(self._built, self.settings.keep_energy, self._applied.evaluated)
        self.readings = Readings(self._built, self.inputs)
        acting = with_terms(figure_forces(model.nv, figures), self._applied.terms)
        self.inputs.set_joint_forces(acting.stiffness, acting.rest, acting.damping, acting.torque)
        self.inputs.set_friction(acting.frictions)
        terms = self._applied.terms
        self.inputs.set_stiffening(terms.stiffening, terms.hardening, terms.stiffening_rest)
        put_forces(self._built, terms)
        self.set_state(np.zeros(model.nq), np.zeros(model.nv))

    # -- state ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Time, [s]; 0 where the state was set, unless that was given one."""
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

    def set_state(self, x: ArrayLike, v: ArrayLike, time: float = 0.0) -> None:
        """Begin anew at coordinates and rates of the model, shapes (nq,) and (nv,), and at a time, [s]."""
        x, v = finite_array(x, (self.model.nq,), "x"), finite_array(v, (self.model.nv,), "v")
        built, m = self._built, self._built.memory
        general_joints.go_home(built)
        m.x[:] = x
        m.u[:] = m.u_before[:] = conversions.velocities(built.tree, x, v)
        built.put_turns("turn", conversions.turns_of(built.tree, x))
        built.start_ball_angles()
        m.effort[:] = 0.0
        m.state.contact_count = m.state.row_count = m.state.equality_count = m.state.remembered_count = 0
        m.lock_flags[:], m.limit_flags[:], m.ball_flags[:], m.cone_flags[:] = 0, 0, 0, 0
        m.state.jumped, m.state.placed = 1, 0
        m.state.time = time
        self._applied.start()
        built.stay()
        built.wake()

    def put_coordinates(self, x: ArrayLike) -> None:
        """Put coordinates of the model, shape (nq,), that are a hair's breadth from those that the steps came to.

        Velocities, contacts and all else that steps remember stay.
        """
        x = finite_array(x, (self.model.nq,), "x").copy()
        built, m = self._built, self._built.memory
        for general in built.tree.general:
            part = slice(general.first, general.first + general.home.n)
            x[part] = converted(general.home, x[part], general.joint, m.x[part])
        m.x[:] = x
        built.put_turns("turn", conversions.turns_of(built.tree, x))
        m.state.placed = m.state.energy_known = 0
        built.measured = False

    def state(self, near: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return coordinates and rates in the charts of the model, shapes (nq,) and (nv,), new.

        Args:
            near: Coordinates, shape (nq,): of those with the same pose the nearest are given.
        """
        built, m = self._built, self._built.memory
        close = None if near is None else finite_array(near, (self.model.nq,), "near")
        return conversions.model_state(built.tree, m, self.inputs.velocities, close)

    def coordinates(self) -> tuple[Array, Callable[[], Array]]:
        """Return coordinates as ``state`` does, and what works the rates out that go with them, now or later."""
        tree, m = self._built.tree, self._built.memory
        if tree.general:
            x, v = self.state()
            return x, lambda: v
        u = self.inputs.velocities
        x = conversions.coordinates(tree, m, None)
        return x, lambda: conversions.rates(tree, x, u)

    def snapshot(self) -> Snapshot:
        """Return the whole state, to the bit."""
        m = self._built.memory
        kept = m.bytes[: m.place_of("rows")].copy()  # what comes behind, a step does not go on from
        charts = tuple(part.joint for part in self._built.tree.recharted)
        return Snapshot(kept, self._built.rooms, charts, self.inputs.given_rates.copy())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state that ``snapshot`` returned; locks, forces and motors are what they were then."""
        m = self._built.memory
        if snapshot.rooms != self._built.rooms:
            m = self._built.new_memory(snapshot.rooms)
        m.bytes[: len(snapshot.bytes)] = snapshot.bytes
        self.inputs.go_back(snapshot.given_rates.copy())
        for part, joint in zip(self._built.tree.recharted, snapshot.charts, strict=True):
            self._built.tree.put(part, joint, m)
        self._applied.start()
        self._built.measured = False

    def wake(self) -> None:
        """Wake what is asleep; every change from outside does."""
        self._built.wake()

    # -- steps ---------------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> StepReport:
        """Take steps.

        Args:
            count: How many.

        Raises:
            RunawayError: If the motion has run away: velocities are no longer finite.
        """
        built = self._built
        self.inputs.note_kinds()
        if built.tree.recharted or self._applied.evaluated:
            report = in_parts.advance(built, self.readings, self._applied, count)
        else:
            built.advance(count)
            report = built.report()
        self.inputs.arrive()
        u = built.memory.u
        if not math.isfinite(np.vdot(u, u)):
            raise RunawayError(f"the motion runs away at t = {self.time:g} s; weaker forces or shorter steps may do")
        return report
