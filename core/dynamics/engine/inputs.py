"""What acts on bodies on their way: forces in joints, motors, what is prescribed, locks, strings and pulls."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.engine import conversions
from core.dynamics.engine.locks import Lock, String, as_string, fixed_point, lock_rows
from core.dynamics.engine.memory import LOCK
from core.dynamics.engine.prepared_state import PreparedState, prepared_state, prepared_states
from core.dynamics.forces.implicit import Friction
from core.dynamics.forces.joint_friction import single_dampers
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly

Mask = NDArray[np.bool_]


class Inputs:
    """What acts in a stepper, to be set; velocities, forces and masks have an entry for each coordinate of the model.

    Args:
        built: What the stepper works with.
        keep_energy: As ``StepSettings`` has it.
        applied: Whether forces or constraints given as objects act.

    Attributes:
        given_rates: Rates of prescribed coordinates, as they were prescribed last, shape (nv,).
        owners: Of each row of the locks, the lock.
    """

    def __init__(self, built: Assembly, keep_energy: bool, applied: bool):
        self.model = built.model
        self._built, self._keep_energy, self._applied = built, keep_energy, applied
        self.given_rates: Array = np.zeros(self.model.nv)
        self._rates_next: Array | None = None
        self.owners: list[int] = []
        self._held: tuple[Lock, ...] = ()
        self._locks = self._strings = np.zeros(0, dtype=LOCK)
        self._noted = False
        self._others: tuple[bool, bool, bool] | None = None  # kinds of forces but motors; None where not known

    def set_joint_forces(
        self,
        stiffness: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> None:
        """Set springs, dampers and torques in the joints, each of shape (nv,); None leaves what there is.

        At first they are what the figures and the stepper's forces give. All are taken at the end of the step, so that
        none is too stiff.

        Args:
            stiffness: [N m/rad] or [N/m], 0 or more; of the three entries of a ball each acts about its own axis.
            rest: Coordinates at which springs rest.
            damping: [N m s/rad] or [N s/m], 0 or more. Viscous friction acts besides, see ``set_friction``.
            torque: [N m] or [N].
        """
        built, m = self._built, self._built.memory
        for array, value, what in (
            (m.stiffness, stiffness, "stiffness"), (m.damping, damping, "damping"), (m.torque, torque, "torque"),
        ):  # fmt: skip
            if value is not None:
                array[:] = positive_array(value, self.model.nv, what, any_sign=what == "torque")
        if rest is not None:
            x = finite_array(rest, (self.model.nq,), "rest")
            m.rest[:] = x
            built.put_turns("rest_turn", conversions.turns_of(built.tree, x))
        self._changed()

    def set_friction(self, frictions: Sequence[Friction]) -> None:
        """Set the viscous friction between the two bodies of joints, besides what ``set_joint_forces`` damps.

        At first it is what the figures and the stepper's forces give.
        """
        viscous, others = single_dampers(self.model, frictions)
        self._built.make_room(frictions=len(others))
        m = self._built.memory
        m.viscous[:] = viscous
        for k, friction in enumerate(others):
            m.frictions.array[k] = friction
        m.state.friction_count = len(others)
        self._changed()

    def set_dry_friction(self, torque: ArrayLike, damping: ArrayLike) -> None:
        """Set what dry friction does in the joints, besides all else; it drives nothing and adds no energy.

        Args:
            torque: Against the motion, of what slides or what holds it, by the step's velocities, shape (nv,), [N m] or
                [N].
            damping: That goes with it, at the end of the step, shape (nv,), 0 or more, [N m s/rad] or [N s/m].
        """
        m = self._built.memory
        m.dry_torque[:] = finite_array(torque, (self.model.nv,), "torque")
        m.dry_damping[:] = positive_array(damping, self.model.nv, "damping")
        self._changed()

    def set_stiffening(self, stiffness: Array, hardening: Array, rest: Array) -> None:
        """Set springs ``-(k s + c s^3)`` in hinges and slides, ``s`` from where they rest, each of shape (nv,)."""
        m = self._built.memory
        m.stiffening[:], m.hardening[:], m.stiffening_rest[:] = stiffness, hardening, rest
        self._changed()

    @property
    def torque(self) -> Array:
        """Torques in the joints as ``set_joint_forces`` set them, shape (nv,), new."""
        return self._built.memory.torque.copy()

    def efforts(self, tau: ArrayLike) -> Array:
        """Return forces by the step's velocities, as ``set_joint_forces`` takes them, for those by the model's rates.

        Args:
            tau: By the rates of the model in the present state, shape (nv,), [N m] or [N].
        """
        built, m = self._built, self._built.memory
        x, _ = conversions.model_state(built.tree, m, m.u, None)
        blocks = conversions.rates_blocks(built.tree, m, x)
        return conversions.efforts(blocks, finite_array(tau, (self.model.nv,), "tau"))

    def set_motors(
        self,
        kp: ArrayLike,
        kd: ArrayLike,
        x_target: ArrayLike | PreparedState | None = None,
        v_target: ArrayLike | None = None,
    ) -> None:
        """Set motors that pull coordinates to where they are to be at the end of the step (stable PD, implicit).

        Args:
            kp: [N m/rad] or [N/m], shape (nv,), 0 or more; 0 is no motor.
            kd: [N m s/rad] or [N s/m], shape (nv,).
            x_target: Coordinates, shape (nq,), or a state from ``prepared``; None leaves what there is. Balls turn the
                shorter way.
            v_target: Their rates, shape (nv,); None is rest.
        """
        built, m = self._built, self._built.memory
        m.kp[:] = positive_array(kp, self.model.nv, "kp")
        m.kd[:] = positive_array(kd, self.model.nv, "kd")
        if x_target is not None:
            if not isinstance(x_target, PreparedState):
                x = finite_array(x_target, (self.model.nq,), "x_target")
                rest = np.zeros(self.model.nv)
                v = rest if v_target is None else finite_array(v_target, (self.model.nv,), "v_target")
                x_target = prepared_state(built.tree, x, v)
            m.target[:], m.target_rate[:] = x_target.x, x_target.u
            built.put_turns("target_turn", x_target.turns)
        self._noted = False
        built.wake()

    def prescribe(self, mask: ArrayLike) -> None:
        """Choose which coordinates move as ``target`` prescribes, shape (nv,); all of a rotation, or none.

        Those that are chosen stay where they are until then; those no longer chosen go on as prescribed last.
        """
        built, m = self._built, self._built.memory
        chosen = np.asarray(mask)
        if chosen.shape != (self.model.nv,) or chosen.dtype != np.bool_:
            raise DynamicsError(f"the mask has shape {chosen.shape}; it must be {self.model.nv} truth values")
        for node in built.tree.balls.tolist():
            if len(set(chosen[node : node + 3].tolist())) > 1:
                raise DynamicsError(f"the mask has part of the rotation at {node}; it must have all of it, or nothing")
        held = m.held != 0
        if np.array_equal(held, chosen):
            return
        released = held & ~chosen
        m.u[released] = self.given_rates[released]
        m.state.jumped, m.state.placed = 1, 0
        m.held[:] = chosen
        self.given_rates[chosen & ~held] = m.u[chosen & ~held]
        built.stay()
        self._changed()

    def prepared(self, x: ArrayLike, v: ArrayLike) -> PreparedState:
        """Return states made ready for ``target`` and ``set_motors``, many at once in a fraction of the time.

        Args:
            x: Coordinates, shape (m, nq).
            v: Their rates, shape (m, nv).
        """
        count = len(np.atleast_2d(np.asarray(x)))
        states = finite_array(x, (count, self.model.nq), "x"), finite_array(v, (count, self.model.nv), "v")
        return prepared_states(self._built.tree, *states)

    def target(self, x_next: ArrayLike | PreparedState, v_next: ArrayLike | None = None) -> None:
        """Say where prescribed coordinates are at the end of the next call of ``step``; they go there evenly.

        Args:
            x_next: Coordinates, shape (nq,), or a state from ``prepared``, with its rates; those that are not
                prescribed do not count.
            v_next: Rates that they have there, shape (nv,), which ``state`` gives and with which they go on when they
                are prescribed no longer; None takes those of the way there.
        """
        built, m = self._built, self._built.memory
        if isinstance(x_next, PreparedState):
            m.x_next[:], self._rates_next = x_next.x, x_next.u
            built.put_turns("next_turn", x_next.turns)
        else:
            x = finite_array(x_next, (self.model.nq,), "x_next")
            m.x_next[:], self._rates_next = x, None
            built.put_turns("next_turn", conversions.turns_of(built.tree, x))
            if v_next is not None:
                v = finite_array(v_next, (self.model.nv,), "v_next")
                self._rates_next = conversions.velocities(built.tree, x, v)
        if m.state.asleep:
            built.wake()

    def set_locks(self, locks: Sequence[Lock]) -> None:
        """Set what holds bodies; targets may be others at every step, in other locks: each stays as it was given.

        Raises:
            DynamicsError: If a lock makes no sense; says which.
        """
        given = tuple(locks)
        if len(given) == len(self._held) and all(map(is_, given, self._held)):
            return
        rows, owners = lock_rows(self.model, self._built.memory, given)
        self._held = given
        if owners == self.owners and np.array_equal(rows, self._locks):
            return
        self._locks, self.owners = rows, owners
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
        if not pulls and self._built.memory.state.pull_count == 0:
            return
        self._built.make_room(pulls=len(pulls))
        m = self._built.memory
        for k, (body, point, target, *gains) in enumerate(pulls):
            fixed = fixed_point(self.model, m, self.model.index(body), point, "point")
            place = finite_array(target, (3,), "target")
            own = [float(positive_array([value], 1, "stiffness or damping")[0]) for value in gains]
            m.pulls.array[k] = (fixed.node, fixed.point, place, *own, 0.0)
        m.state.pull_count = len(pulls)
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
        for name, value in (("grip", grip), ("give", give)):
            wanted = positive_array(value, len(bodies), name)
            if not np.array_equal(bodies[name], wanted):
                bodies[name] = wanted
                self._built.wake()

    def push(self, body: int | str, impulse: ArrayLike) -> None:
        """Strike a body: [angular; linear] impulse about its origin B, world axes, shape (6,), [N m s] and [N s]."""
        strike = finite_array(impulse, (6,), "impulse")
        self._built.strike(self.model.index(body), strike)
        state = self._built.memory.state
        state.jumped, state.placed = 1, 0
        self._built.wake()

    # -- for the stepper -----------------------------------------------------------------------------------------

    @property
    def velocities(self) -> Array:
        """The step's velocities, those of prescribed coordinates as they were prescribed, shape (nv,); new."""
        m = self._built.memory
        return np.where(m.held != 0, self.given_rates, m.u)

    def arrive(self) -> None:
        """Take note that prescribed coordinates have come to where they are to be."""
        m = self._built.memory
        if m.state.motors and m.held.any():
            held = m.held != 0
            rates = m.u if self._rates_next is None else self._rates_next
            self.given_rates[held] = rates[held]
            self._rates_next = None

    def go_back(self, given_rates: Array) -> None:
        """Go back to a state with these rates of prescribed coordinates."""
        self.given_rates, self._noted, self._others = given_rates, False, None

    def note_kinds(self) -> None:
        """Note what kinds of forces act, where that may have changed since the step before."""
        if self._noted:
            return
        self._noted = True
        m, tree = self._built.memory, self._built.tree
        if self._others is None:
            self._others = self._other_kinds()
        drives, springs, takes = self._others
        pushes, slows = bool(m.kp.any()), bool(m.kd.any())
        drives, takes = drives or pushes or slows, takes or pushes or slows
        held = bool(m.held.any())
        moving = m.state.lock_count > 0 and bool(m.locks["speed"][: m.state.lock_count].any())
        works = drives or moving or held or springs or bool(tree.general)
        m.state.applied = int(self._applied)
        m.state.motors = int(drives or held)
        m.state.bounded = int(self._keep_energy and not works)
        m.state.dissipates = int(takes or bool(tree.general) or not tree.sorted)

    # -- inside --------------------------------------------------------------------------------------------------

    def _other_kinds(self) -> tuple[bool, bool, bool]:
        """Return whether something but motors drives, is a spring, and takes or gives energy in any way."""
        m = self._built.memory
        vectors = m.vector_forces.array[: m.state.vector_force_count]
        drives = m.torque.any() or m.state.pull_count > 0 or self._applied or m.state.path_keyed != 0
        drives = drives or m.state.point_force_count > 0 or vectors["torque"].any()
        springs = m.stiffness.any() or m.stiffening.any() or m.hardening.any() or m.state.path_count > 0
        springs = springs or vectors["stiffness"].any() or vectors["hardening"].any()
        rubs = m.viscous.any() or m.dry_torque.any() or m.dry_damping.any() or m.state.friction_count > 0
        rubs = rubs or m.state.drag_count > 0 or vectors["damping"].any() or m.damping.any()
        return bool(drives), bool(springs), bool(drives or springs or rubs)

    def _put_locks(self) -> None:
        rows = np.concatenate([self._locks, self._strings])
        self._built.make_room(locks=len(rows))
        m = self._built.memory
        m.locks.array[: len(rows)] = rows
        m.state.lock_count = len(rows)
        self._changed()

    def _changed(self) -> None:
        """Wake: other forces act."""
        self._noted, self._others = False, None
        self._built.wake()


def positive_array(value: ArrayLike, count: int, what: str, any_sign: bool = False) -> Array:
    """Return numbers as an array, shape (count,).

    Raises:
        DynamicsError: If one is below 0, unless any sign will do, or not finite; names it.
    """
    array = finite_array(value, (count,), what)
    if not any_sign and array.min(initial=0.0) < 0.0:
        place = int(np.argmin(array))
        raise DynamicsError(f"{what}[{place}] is {array[place]:g}; it must be 0 or more")
    return array
