"""What can be read of the state that a stepper has come to: poses, forces, energy, momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.even_forces import even_forces
from core.dynamics.engine.memory import CONTACT, CONTACT_STATE
from core.dynamics.engine.part_motion import BodyMotion, Part
from core.spatial.cross_products import cross_rows

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly, Rooms
    from core.dynamics.engine.inputs import Inputs
    from core.joints import JointModel

CONTACT_FORCE = np.dtype(
    [("point", float, 3), ("normal", float, 3), ("force", float, 3), ("mu", float), ("gap", float), ("body_a", int),
     ("body_b", int)]
)  # fmt: skip
"""A contact: where [m], its unit normal from b to a, the force on a [N], friction coefficient, how far apart the
surfaces were at the beginning of the step [m], and the bodies (-1: the world)."""
TOUCHING = 1e-5
"""Contacts that are no farther apart than this, [m], may carry a part of what others push."""
NOTHING = 1e-9
"""Forces of less than this part of the largest are none."""


class Snapshot(NamedTuple):
    """The whole state of a stepper, for ``Stepper.restore``."""

    bytes: NDArray[np.uint8]
    rooms: Rooms
    charts: tuple[JointModel, ...]
    given_rates: Array


class ContactRecord(NamedTuple):
    """Contacts as a step left them.

    Attributes:
        rows: Contacts that push or touch, an array of ``CONTACT``.
        states: What the step found for them, an array of ``CONTACT_STATE``.
    """

    rows: NDArray[np.void]
    states: NDArray[np.void]

    def forces(self) -> NDArray[np.void]:
        """Return those that push, an array of ``CONTACT_FORCE``, as :meth:`Readings.contact_forces` returns them."""
        rows, states = self
        if len(rows):
            tangents = np.stack([states["first_tangent"], states["second_tangent"]], axis=1)
            pairs = np.stack([rows["body_a"], rows["body_b"]], axis=1).astype(np.int64)
            friction = rows["friction"]
            given = states["force"]
            forces = even_forces(rows["point"], rows["normal"], tangents, given, friction, pairs)
            pushes = np.linalg.norm(forces, axis=1) > NOTHING * np.abs(forces).max()
            forces, rows = forces[pushes], rows[pushes]
        else:
            forces = states["force"]
        found = np.zeros(len(rows), dtype=CONTACT_FORCE)
        found["point"], found["normal"], found["force"] = rows["point"], rows["normal"], forces
        found["gap"], found["mu"] = rows["gap"], rows["friction"]
        found["body_a"], found["body_b"] = rows["body_a"], rows["body_b"]
        return found


NO_CONTACTS = ContactRecord(np.zeros(0, dtype=CONTACT), np.zeros(0, dtype=CONTACT_STATE))


class Readings:
    """What can be read of the state of a stepper. All arrays are new.

    Args:
        built: What the stepper works with.
        inputs: What acts in it.
    """

    def __init__(self, built: Assembly, inputs: Inputs):
        self._built, self._inputs = built, inputs
        self._part: Part | None = None

    def body_poses(self, first: int = 0) -> Array:
        """Return ``X_WB``, the poses of the bodies from a number on, shape (nb - first, 4, 4)."""
        self._built.measure()
        m = self._built.memory
        X = np.zeros((len(m.bodies) - first, 4, 4))
        X[:, :3, :3], X[:, :3, 3], X[:, 3, 3] = m.body_rotations[first:], m.body_places[first:], 1.0
        return X

    def body_twists(self) -> Array:
        """Return the twists [w; v] of the bodies at their origins B in the axes of B, shape (nb, 6)."""
        self._built.measure()
        m = self._built.memory
        moving = m.body_node >= 0
        nodes = np.where(moving, m.body_node, 0)
        V = m.velocity[nodes] * moving[:, None]
        arms = m.body_places - m.nodes["p"][m.reference[nodes]]
        speeds = V[:, 3:] + cross_rows(V[:, :3], arms)
        both = np.stack([V[:, :3], speeds], axis=1)
        return np.asarray((both @ m.body_rotations).reshape(-1, 6))

    def energy(self) -> tuple[float, float]:
        """Return the kinetic energy, and the potential one of gravity, [J]."""
        self._built.measure()
        state = self._built.memory.state
        return float(state.kinetic), float(state.potential)

    def momentum(self) -> Array:
        """Return [L; P]: angular momentum about the centre of mass, and linear, world axes, shape (6,)."""
        self._built.measure()
        return np.array(self._built.memory.state.momentum)

    def center_of_mass(self) -> Array:
        """Return the centre of mass of all bodies in the world, shape (3,), [m]."""
        self._built.measure()
        return np.array(self._built.memory.state.center)

    def motion(self, bodies: slice | None = None) -> BodyMotion:
        """Return energy, momentum and centre of mass of all bodies, or of some that follow each other."""
        if bodies is None:
            return BodyMotion(*self.energy(), self.momentum(), self.center_of_mass())
        if self._part is None or self._part.bodies != bodies:
            self._part = Part(self._built.model, bodies)
        twists, m = self.body_twists(), self._built.memory
        gravity = m.state.gravity
        return self._part.motion(m.body_rotations, m.body_places, twists, gravity)

    def contact_forces(self) -> NDArray[np.void]:
        """Return the contacts of the last step that push, an array of ``CONTACT_FORCE``.

        Where points of two bodies could share a force in many ways, these are the least forces that do the same.
        """
        return self.contact_record().forces()

    def contact_record(self) -> ContactRecord:
        """Return what ``contact_forces`` are found from, as it is now: to be evaluated later, or never."""
        m = self._built.memory
        count = int(m.state.contact_count)
        if not count:
            return NO_CONTACTS
        rows, states = m.contacts.array[:count], m.contact_states.array[:count]
        pushes = states["force"].any(axis=1)
        if not pushes.any():
            return NO_CONTACTS
        kept = pushes | (rows["gap"] <= TOUCHING)
        return ContactRecord(rows[kept], states[kept])

    def joint_torques(self) -> Array:
        """Return what motors, limits and drives exerted in the joints in the last step, shape (nv,), [N m]."""
        return self._built.memory.effort.copy()

    def lock_forces(self) -> Array:
        """Return the force [N] or torque [N m] of each lock on its first body, world axes, shape (k, 3)."""
        m = self._built.memory
        found = np.zeros((max(self._inputs.owners, default=-1) + 1, 3))
        rows = m.locks.array[: len(self._inputs.owners)]
        np.add.at(found, self._inputs.owners, rows["axis"] * rows["force"][:, None])
        return found

    def lock_gaps(self) -> Array:
        """Return how far off each lock was at the beginning of the last step, shape (k,), [m] or [rad]."""
        m = self._built.memory
        found = np.zeros(max(self._inputs.owners, default=-1) + 1)
        np.add.at(found, self._inputs.owners, m.locks["gap"][: len(self._inputs.owners)] ** 2)
        return np.sqrt(found)

    def string_tensions(self) -> Array:
        """Return the tension of each string, [N], shape (k,)."""
        m = self._built.memory
        return m.locks["force"][len(self._inputs.owners) : int(m.state.lock_count)].copy()

    def constraint_forces(self, count: int) -> Array:
        """Return the multipliers of the constraints' rows in the last step, in their order, shape (count,).

        Args:
            count: How many rows they have; zeros if there was no step with as many yet.
        """
        m = self._built.memory
        last = int(m.state.applied_count)
        if last - int(m.state.acting_rows) < count:
            return np.zeros(count)
        return m.applied_rows["force"][last - count : last].copy()

    def pull_forces(self) -> Array:
        """Return the force of each pull on its point in the last step, world axes, shape (k, 3), [N].

        A spring and a damper as at the end of the step: by the place where it began, the way of the step's velocities
        from there, and these velocities. Of a step in parts it is that of the last part, as of locks and strings.
        """
        m = self._built.memory
        return m.pulls["force"][: int(m.state.pull_count)].copy()
