"""What acted on bodies from outside in the last step: contacts, locks, strings, pulls and forces of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.engine.locks import Lock, OrientationLock, PairLock, String
from core.dynamics.forces import Force, Load
from core.dynamics.state import State
from core.spatial.cross_products import cross_rows

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.constraints.situation import Situation
    from core.dynamics.engine.stepper import Stepper


class OuterWrenches:
    """A sum of wrenches on bodies.

    Args:
        poses: Of the bodies, shape (nb, 4, 4).

    Attributes:
        total: ``[t; f]`` about the world's origin in its axes, shape (nb, 6), [N m] and [N].
    """

    def __init__(self, poses: Array):
        self._poses = poses
        self.total = np.zeros((len(poses), 6))

    def _place(self, body: int, point: ArrayLike) -> Array:
        place = np.asarray(point, dtype=np.float64)
        return place if body < 0 else np.asarray(self._poses[body, :3, :3] @ place + self._poses[body, :3, 3])

    def _push(self, body: int, place: Array, force: Array) -> None:
        if body >= 0:
            self.total[body, :3] += np.cross(place, force)
            self.total[body, 3:] += force

    def add_contacts(self, stepper: Stepper) -> None:
        """Add what touches; both bodies where two of them do."""
        rows, states = stepper.readings.contact_record()
        if len(rows):
            wrenches = np.concatenate([cross_rows(rows["point"], states["force"]), states["force"]], axis=1)
            for name, sign in (("body_a", 1.0), ("body_b", -1.0)):
                bodies = rows[name].astype(np.intp)
                np.add.at(self.total, bodies[bodies >= 0], sign * wrenches[bodies >= 0])

    def add_locks(self, stepper: Stepper, locks: Sequence[Lock]) -> None:
        """Add locks, as they were set."""
        for lock, force in zip(locks, stepper.readings.lock_forces(), strict=False):
            if isinstance(lock, OrientationLock):
                self.total[int(lock.body), :3] += force
            elif isinstance(lock, PairLock):
                for body, point, sign in ((lock.body_a, lock.point_a, 1.0), (lock.body_b, lock.point_b, -1.0)):
                    self._push(int(body), self._place(int(body), point), sign * force)
            else:
                self._push(int(lock.body), self._place(int(lock.body), lock.point), force)

    def add_strings(self, stepper: Stepper, strings: Sequence[String]) -> None:
        """Add strings, as they were set: each pulls its two ends to each other."""
        for string, tension in zip(strings, stepper.readings.string_tensions().tolist(), strict=True):
            ends = [
                (int(body), self._place(int(body), point))
                for body, point in ((string.body, string.point), (string.anchor, string.anchor_point))
            ]
            way = ends[1][1] - ends[0][1]
            length = float(np.linalg.norm(way))
            if length > 0.0:
                for (body, place), sign in zip(ends, (1.0, -1.0), strict=True):
                    self._push(body, place, sign * abs(tension) / length * way)

    def add_pulls(self, stepper: Stepper, pulls: Sequence[tuple[int, Array, Array, float, float]]) -> None:
        """Add springs to places, as they were set."""
        for (body, point, *_), force in zip(pulls, stepper.readings.pull_forces(), strict=True):
            self._push(body, self._place(body, point), force)

    def add_constraints(self, stepper: Stepper, constraints: Sequence[Constraint], at: Situation) -> None:
        """Add what the stepper's constraints of bodies do, such as loops; those of coordinates act in joints."""
        from core.dynamics.constraints.base import BodyConstraint

        rows = [each.body_rows(at) for each in constraints]
        forces = stepper.readings.constraint_forces(sum(len(own.gap) for own in rows))
        first = 0
        for constraint, own in zip(constraints, rows, strict=True):
            force = forces[first : first + len(own.gap)]
            first += len(own.gap)
            if isinstance(constraint, BodyConstraint):
                for body, block in own.blocks:
                    self._act(body, block.T @ force)

    def add_forces(self, forces: Sequence[Force], state: State) -> None:
        """Add what forces do to bodies."""
        load = Load(state.model)
        for force in forces:
            force.add(state, load)
        for body in np.flatnonzero(load.wrenches.any(axis=1)).tolist():
            self._act(body, load.wrenches[body])

    def _act(self, body: int, wrench: Array) -> None:
        """Add a wrench at a body's origin in its axes, shape (6,)."""
        R = self._poses[body, :3, :3]
        self.total[body, :3] += R @ wrench[:3]
        self._push(body, self._poses[body, :3, 3], R @ wrench[3:])
