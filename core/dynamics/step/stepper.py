"""Motion of bodies that touch: one step after the other, fast enough to watch while it is worked out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics.arrays import finite_array
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.step import doors, general
from core.dynamics.step import slots as at
from core.dynamics.step.built import Built
from core.dynamics.step.joint_forces import told_forces
from core.dynamics.step.locks import Lock, String, as_string, fixed_point, lock_rows
from core.dynamics.step.readings import Readings, Snapshot
from core.dynamics.step.settings import StepReport, StepSettings
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Stepper(Readings):
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
            self._built.memory.vectors[at.ARMATURE] = _positive(armature, model.nv, "armature")
        self._given_rates = np.zeros(model.nv)
        self._told_rates: Array | None = None
        self._owners: list[int] = []
        self._strings = np.zeros((0, at.LOCK_WIDTH))
        self._locks = np.zeros((0, at.LOCK_WIDTH))
        self._measured = False
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
        self._measured = False

    def wake(self) -> None:
        """Wake what is asleep; every change from outside does."""
        head = self._built.memory.head
        head[at.ASLEEP] = head[at.QUIET] = head[at.CALM] = head[at.KNOWN] = 0
        self._measured = False

    # -- what acts -----------------------------------------------------------------------------------------------

    def set_joint_forces(
        self,
        stiffness: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> None:
        """Set springs, dampers and torques in the joints, each of shape (nv,); None leaves what there is.

        At first they are what the figures tell. All are taken at the end of the step, so that none is too stiff.

        Args:
            stiffness: [N m/rad] or [N/m], 0 or more; of the three entries of a ball each acts about its own axis.
            rest: Coordinates at which springs rest.
            damping: [N m s/rad] or [N s/m], 0 or more.
            torque: [N m] or [N].
        """
        built, m = self._built, self._built.memory
        for place, value, what in (
            (at.STIFFNESS, stiffness, "stiffness"), (at.DAMPING, damping, "damping"), (at.TORQUE, torque, "torque"),
        ):  # fmt: skip
            if value is not None:
                m.vectors[place] = _positive(value, self.model.nv, what, place == at.TORQUE)
        if rest is not None:
            x = finite_array(rest, (self.model.nq,), "rest")
            m.vectors[at.REST] = x
            built.put_turns(at.REST_TURN, doors.turns_of(built.tree, x))
        self._changed()

    def set_motors(
        self, kp: ArrayLike, kd: ArrayLike, x_target: ArrayLike | None = None, v_target: ArrayLike | None = None
    ) -> None:
        """Set motors that pull coordinates to where they are to be at the end of the step (stable PD, implicit).

        Args:
            kp: [N m/rad] or [N/m], shape (nv,), 0 or more; 0 is no motor.
            kd: [N m s/rad] or [N s/m], shape (nv,).
            x_target: Coordinates, shape (nq,); None leaves what there is. Balls turn the shorter way.
            v_target: Their rates, shape (nv,); None is rest.
        """
        built, m = self._built, self._built.memory
        m.vectors[at.KP] = _positive(kp, self.model.nv, "kp")
        m.vectors[at.KD] = _positive(kd, self.model.nv, "kd")
        if x_target is not None:
            x = finite_array(x_target, (self.model.nq,), "x_target")
            v = np.zeros(self.model.nv) if v_target is None else finite_array(v_target, (self.model.nv,), "v_target")
            m.vectors[at.TARGET] = x
            m.vectors[at.TARGET_RATE] = doors.velocities(built.tree, x, v)
            built.put_turns(at.TARGET_TURN, doors.turns_of(built.tree, x))
        self._changed()

    def prescribe(self, mask: ArrayLike) -> None:
        """Choose which coordinates move as they are told by ``target``, shape (nv,); all of a rotation, or none.

        Those that are chosen stay where they are until they are told; those no longer chosen go on as told last.
        """
        m = self._built.memory
        chosen = np.asarray(mask)
        if chosen.shape != (self.model.nv,) or chosen.dtype != np.bool_:
            raise DynamicsError(f"the mask has shape {chosen.shape}; it must be {self.model.nv} truth values")
        for node in self._built.tree.balls.tolist():
            if len(set(chosen[node : node + 3].tolist())) > 1:
                raise DynamicsError(f"the mask has part of the rotation at {node}; it must have all of it, or nothing")
        held = m.held != 0
        if np.array_equal(held, chosen):
            return
        released = held & ~chosen
        m.vectors[at.U, released] = self._given_rates[released]
        m.head[at.JUMPED] = 1
        m.held[:] = chosen
        self._given_rates[chosen & ~held] = m.vectors[at.U, chosen & ~held]
        self._stay()
        self._changed()

    def target(self, x_next: ArrayLike, v_next: ArrayLike | None = None) -> None:
        """Tell where prescribed coordinates are at the end of the next call of ``step``; they go there evenly.

        Args:
            x_next: Coordinates, shape (nq,); those that are not prescribed do not count.
            v_next: Rates that they have there, shape (nv,), which ``state`` gives and with which they go on when they
                are prescribed no longer; None takes those of the way there.
        """
        built, m = self._built, self._built.memory
        x = finite_array(x_next, (self.model.nq,), "x_next")
        m.vectors[at.NEXT] = x
        built.put_turns(at.NEXT_TURN, doors.turns_of(built.tree, x))
        self._told_rates = None
        if v_next is not None:
            v = finite_array(v_next, (self.model.nv,), "v_next")
            self._told_rates = doors.velocities(built.tree, x, v)
        if self.asleep:
            self.wake()

    def set_locks(self, locks: Sequence[Lock]) -> None:
        """Set what holds bodies; targets may be others at every step.

        Raises:
            DynamicsError: If a lock makes no sense; says which.
        """
        rows, owners = lock_rows(self.model, self._built.memory, tuple(locks))
        if owners == self._owners and np.array_equal(rows, self._locks):
            return
        self._locks, self._owners = rows, owners
        self._put_locks()

    def set_strings(self, strings: Sequence[String | tuple[object, ...]]) -> None:
        """Set strings: ``String`` or (body, point, anchor, length), anchor a point of the world or (body, point)."""
        rows, _ = lock_rows(self.model, self._built.memory, [as_string(string) for string in strings])
        if not np.array_equal(rows, self._strings):
            self._strings = rows
            self._put_locks()

    def set_pull(
        self, body: int | str | None, point: ArrayLike = (0, 0, 0), target: ArrayLike = (0, 0, 0),
        stiffness: float = 0.0, damping: float = 0.0,
    ) -> None:  # fmt: skip
        """Pull a point of a body to a place by a spring and a damper, implicit; None lets go.

        Args:
            body: Number or name.
            point: In the body's frame, shape (3,), [m].
            target: In the world, shape (3,), [m].
            stiffness: [N/m].
            damping: [N s/m].
        """
        self.set_pulls([] if body is None else [(body, point, target, stiffness, damping)])

    def set_pulls(self, pulls: Sequence[tuple[int | str, ArrayLike, ArrayLike, float, float]]) -> None:
        """Set all springs to places of the world, each as ``set_pull`` takes it; none of them is too stiff."""
        if not pulls and self._built.memory.head[at.PULL_COUNT] == 0:
            return
        self._built.make_room(0, len(pulls))
        m = self._built.memory
        for k, (body, point, target, *told) in enumerate(pulls):
            fixed = fixed_point(self.model, m, self.model.index(body), point, "point")
            place = finite_array(target, (3,), "target")
            gains = [float(_positive([value], 1, "stiffness or damping")[0]) for value in told]
            m.pulls[k] = [fixed.node, *fixed.point, *place, *gains]
        m.head[at.PULL_COUNT] = len(pulls)
        self._changed()

    def set_yield(self, grip: ArrayLike, give: ArrayLike, limited: ArrayLike) -> None:
        """Let bodies slide and sink in, and joints pass their limits; at first none does.

        Args:
            grip: Factor of each body's friction, shape (nb,), 0 to 1.
            give: How deep each may be inside others, shape (nb,), 0 or more, [m].
            limited: Whether limits of coordinates act, shape (nv,).
        """
        self._built.limit(np.asarray(limited, dtype=np.bool_))
        bodies = self._built.memory.bodies
        told = _positive(grip, len(bodies), "grip"), _positive(give, len(bodies), "give")
        for place, value in zip((at.BODY_GRIP, at.BODY_GIVE), told, strict=True):
            if not np.array_equal(bodies[:, place], value):
                bodies[:, place] = value
                self.wake()

    def push(self, body: int | str, impulse: ArrayLike) -> None:
        """Strike a body: [angular; linear] impulse about its origin B, world axes, shape (6,), [N m s] and [N s]."""
        strike = finite_array(impulse, (6,), "impulse")
        general.evaluate(self._built, self._built.memory.vectors[at.U])
        self._built.strike(self.model.index(body), strike)
        self._built.memory.head[at.JUMPED] = 1
        self.wake()

    # -- steps ---------------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> StepReport:
        """Take steps.

        Args:
            count: How many.

        Raises:
            DynamicsError: If the motion has run away: velocities are no longer finite.
        """
        built, m = self._built, self._built.memory
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
            raise DynamicsError(f"the motion runs away at t = {self.time:g} s; weaker forces or shorter steps may do")
        return report

    # -- inside --------------------------------------------------------------------------------------------------

    def _stay(self) -> None:
        """Let prescribed coordinates be where they are."""
        m = self._built.memory
        m.vectors[at.NEXT] = m.vectors[at.X]
        m.nodes[:, at.NEXT_TURN : at.NEXT_TURN + 4] = m.nodes[:, at.TURN : at.TURN + 4]

    def _put_locks(self) -> None:
        rows = np.concatenate([self._locks, self._strings])
        self._built.make_room(len(rows), 1)
        m = self._built.memory
        m.locks[: len(rows)] = rows
        m.head[at.LOCK_COUNT] = len(rows)
        self._changed()

    def _changed(self) -> None:
        """Note what kinds of forces act, and wake."""
        m = self._built.memory
        tree = self._built.tree
        drives = m.vectors[[at.KP, at.KD, at.TORQUE]].any() or m.head[at.PULL_COUNT] > 0
        takes = drives or m.vectors[[at.STIFFNESS, at.DAMPING]].any()
        m.head[at.MOTORS] = int(drives or m.held.any())
        moving = m.locks[: m.head[at.LOCK_COUNT], at.LOCK_SPEED].any()
        works = drives or moving or m.held.any() or m.vectors[at.STIFFNESS].any() or bool(tree.general)
        m.head[at.BOUNDED] = int(self.settings.keep_energy and not works)
        m.head[at.DISSIPATES] = int(takes or bool(tree.general) or not tree.sorted)
        self.wake()


def _positive(value: ArrayLike, count: int, what: str, any_sign: bool = False) -> Array:
    array = finite_array(value, (count,), what)
    if not any_sign and array.min(initial=0.0) < 0.0:
        place = int(np.argmin(array))
        raise DynamicsError(f"{what}[{place}] is {array[place]:g}; it must be 0 or more")
    return array
