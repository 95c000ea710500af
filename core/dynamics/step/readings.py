"""What a stepper tells about the state it has come to: poses, forces, energy, momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics.contact.even_forces import even_forces
from core.dynamics.step import slots as at
from core.dynamics.step.part_motion import BodyMotion, Part, across

if TYPE_CHECKING:
    from core.dynamics.step.built import Built
    from core.joints import JointModel

Array = NDArray[np.float64]

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

    floats: Array
    integers: NDArray[np.int64]
    flags: NDArray[np.int8]
    charts: tuple[JointModel, ...]
    given_rates: Array


class ContactRecord(NamedTuple):
    """Contacts as a step left them.

    Attributes:
        rows: Rows of contacts that push or touch, shape (k, CONTACT_WIDTH).
        states: What the step found for them, shape (k, CONTACT_STATE_WIDTH).
    """

    rows: Array
    states: Array

    def forces(self) -> NDArray[np.void]:
        """Return those that push, an array of ``CONTACT_FORCE``, as :meth:`Readings.contact_forces` tells them."""
        rows, states = self
        if len(rows):
            tangents = states[:, at.FIRST_TANGENT : at.FIRST_TANGENT + 6].reshape(-1, 2, 3)
            pairs = rows[:, [at.CONTACT_A, at.CONTACT_B]].astype(np.int64)
            friction = rows[:, at.CONTACT_FRICTION]
            given = states[:, at.FORCE : at.FORCE + 3]
            forces = even_forces(rows[:, :3], rows[:, 3:6], tangents, given, friction, pairs)
            pushes = np.linalg.norm(forces, axis=1) > NOTHING * np.abs(forces).max()
            forces, rows = forces[pushes], rows[pushes]
        else:
            forces = states[:, at.FORCE : at.FORCE + 3]
        found = np.zeros(len(rows), dtype=CONTACT_FORCE)
        found["point"], found["normal"], found["force"] = rows[:, :3], rows[:, 3:6], forces
        found["gap"], found["mu"] = rows[:, at.CONTACT_GAP], rows[:, at.CONTACT_FRICTION]
        found["body_a"], found["body_b"] = rows[:, at.CONTACT_A], rows[:, at.CONTACT_B]
        return found


_NO_CONTACTS = ContactRecord(np.zeros((0, at.CONTACT_WIDTH)), np.zeros((0, at.CONTACT_STATE_WIDTH)))


class Readings:
    """The part of a stepper that tells. All arrays are new."""

    _built: Built
    _measured: bool
    _owners: list[int]
    _part: Part | None = None

    def _measure(self) -> None:
        if not self._measured:
            self._built.measure()
            self._measured = True

    def body_poses(self, first: int = 0) -> Array:
        """Return ``X_WB``, the poses of the bodies from a number on, shape (nb - first, 4, 4)."""
        self._measure()
        m = self._built.memory
        X = np.zeros((len(m.bodies) - first, 4, 4))
        X[:, :3, :3], X[:, :3, 3], X[:, 3, 3] = m.body_rotations[first:], m.body_places[first:], 1.0
        return X

    def body_twists(self) -> Array:
        """Return the twists [w; v] of the bodies at their origins B in the axes of B, shape (nb, 6)."""
        self._measure()
        m = self._built.memory
        moving = m.body_node >= 0
        nodes = np.where(moving, m.body_node, 0)
        V = m.nodes[nodes, at.V : at.V + 6] * moving[:, None]
        arms = m.body_places - m.nodes[m.reference[nodes], at.P : at.P + 3]
        speeds = V[:, 3:] + across(V[:, :3], arms)
        both = np.stack([V[:, :3], speeds], axis=1)
        return np.asarray((both @ m.body_rotations).reshape(-1, 6))

    def energy(self) -> tuple[float, float]:
        """Return the kinetic energy, and the potential one of gravity, [J]."""
        self._measure()
        numbers = self._built.memory.numbers
        return float(numbers[at.KINETIC]), float(numbers[at.POTENTIAL])

    def momentum(self) -> Array:
        """Return [L; P]: angular momentum about the centre of mass, and linear, world axes, shape (6,)."""
        self._measure()
        return self._built.memory.numbers[at.MOMENTUM : at.MOMENTUM + 6].copy()

    def center_of_mass(self) -> Array:
        """Return the centre of mass of all bodies in the world, shape (3,), [m]."""
        self._measure()
        return self._built.memory.numbers[at.CENTER : at.CENTER + 3].copy()

    def motion(self, bodies: slice | None = None) -> BodyMotion:
        """Return energy, momentum and centre of mass of all bodies, or of some that follow each other."""
        if bodies is None:
            return BodyMotion(*self.energy(), self.momentum(), self.center_of_mass())
        if self._part is None or self._part.bodies != bodies:
            self._part = Part(self._built.model, bodies)
        twists, m = self.body_twists(), self._built.memory
        gravity = m.numbers[at.GRAVITY : at.GRAVITY + 3]
        return self._part.motion(m.body_rotations, m.body_places, twists, gravity)

    def contact_forces(self) -> NDArray[np.void]:
        """Return the contacts of the last step that push, an array of ``CONTACT_FORCE``.

        Where points of two bodies could share a force in many ways, these are the least forces that do the same.
        """
        return self.contact_record().forces()

    def contact_record(self) -> ContactRecord:
        """Return what ``contact_forces`` tells from, as it is now: to be told later, or never."""
        m = self._built.memory
        count = int(m.head[at.CONTACTS])
        if not count:
            return _NO_CONTACTS
        rows, states = m.contact[:count], m.contact_state[:count]
        pushes = states[:, at.FORCE : at.FORCE + 3].any(axis=1)
        if not pushes.any():
            return _NO_CONTACTS
        kept = pushes | (rows[:, at.CONTACT_GAP] <= TOUCHING)
        return ContactRecord(rows[kept], states[kept])

    def joint_torques(self) -> Array:
        """Return what motors, limits and drives exerted in the joints in the last step, shape (nv,), [N m]."""
        return self._built.memory.vectors[at.EFFORT].copy()

    def lock_forces(self) -> Array:
        """Return the force [N] or torque [N m] of each lock on its first body, world axes, shape (k, 3)."""
        m = self._built.memory
        found = np.zeros((max(self._owners, default=-1) + 1, 3))
        rows = m.locks[: len(self._owners)]
        np.add.at(found, self._owners, rows[:, at.LOCK_AXIS : at.LOCK_AXIS + 3] * rows[:, at.LOCK_FORCE, None])
        return found

    def lock_gaps(self) -> Array:
        """Return how far off each lock was at the beginning of the last step, shape (k,), [m] or [rad]."""
        m = self._built.memory
        found = np.zeros(max(self._owners, default=-1) + 1)
        np.add.at(found, self._owners, m.locks[: len(self._owners), at.LOCK_GAP] ** 2)
        return np.sqrt(found)

    def string_tensions(self) -> Array:
        """Return the tension of each string, [N], shape (k,)."""
        m = self._built.memory
        return m.locks[len(self._owners) : int(m.head[at.LOCK_COUNT]), at.LOCK_FORCE].copy()
