"""Dry friction in joints for the step of contacts: bearings resist motion by what they carry (Coulomb).

Where they touch, and how much friction that allows, ``core.dynamics.bearings`` says, as for bilateral staggered
projections (Sueda 2.11). What a joint carries is found likewise, from the leaves of the tree on: the change of momentum
of all that hangs on the joint, less what acts on that from outside.

A load is the lesser of the last two steps. Up to its limit friction holds a joint where it is: a torque that takes on
what has still moved, with a damper that is taken at the end of the step, both stiffer than the heaviest joint asks for.
So what sticks comes to rest, and stays so. Beyond that it is the limit itself, against the motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.bearings import Fitted
from core.spatial import se3
from core.spatial.cross_products import cross, cross_rows

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_SETTLED = 1e-9  # of its limit: friction that changes by less stays
_QUIET = 1e-3
"""Where something holds a figure and no coordinate is faster, friction stays as it is, so that all can fall asleep,
[rad/s] or [m/s]."""
_STIFF = 10.0
"""How much inertia what holds a joint stands for, times that of the heaviest joint."""
_TINY = 1e-9


class DryFriction:
    """Dry friction in the bearings of joints. False if there are none.

    Args:
        model: All bodies.
        bearings: The bearings.
        parts: Models of what the whole is made of that forces move, and their first coordinates.
        step: Length of a step, [s].

    Attributes:
        torque: What acts in the step that comes, by the step's velocities, shape (nv,), [N m] or [N].
        damping: Of the damper that goes with it, shape (nv,), [N m s/rad] or [N s/m].
        limits: The most that friction may be, shape (nv,); of a ball the same for all three.
        carried: What each body gets through its joint, as of the step before: wrenches ``[t; f]`` about the world's
            origin in its axes, shape (nb, 6).
    """

    def __init__(
        self, model: Multibody, bearings: Sequence[Fitted], parts: Sequence[tuple[Multibody, int]], step: float
    ) -> None:
        self._model, self._bearings, self._parts, self._step = model, tuple(bearings), tuple(parts), step
        self.torque, self.damping, self.limits = np.zeros((3, model.nv))
        self.carried = np.zeros((len(model.bodies), 6))
        self._before: Array | None = None
        inertias = [body.inertia for body in model.bodies]
        self._masses = np.array([inertia.mass for inertia in inertias])
        self._centers = np.array([inertia.center for inertia in inertias]).reshape(-1, 3)
        self._inertias = np.array([inertia.inertia for inertia in inertias]).reshape(-1, 3, 3)
        columns = [np.asarray(body.joint.subspace(np.zeros(body.joint.n))) for body in model.bodies]
        self._turns = np.abs(np.hstack([column[:3] for column in columns])).max(axis=0) > _TINY
        self._to_joint = [np.linalg.inv(body.X_JB) for body in model.bodies]
        count = len(model.bodies)
        self._hangs = np.eye(count)  # 1 where the second body hangs on the first, or is it
        for i in reversed(range(count)):
            parent = int(model.parents[i])
            if parent >= 0:
                self._hangs[parent] += self._hangs[i]

    def __bool__(self) -> bool:
        return bool(self._bearings)

    def take(
        self, x: Array, v: Array, poses: Array, twists: Array, outer: Array, free: NDArray[np.bool_], rests: bool
    ) -> bool:
        """Work out what acts in the next step; return whether that is something else than in the last.

        Args:
            x: Coordinates, shape (nq,).
            v: Their rates, shape (nv,).
            poses: Of all bodies, shape (nb, 4, 4).
            twists: ``[w; v]`` of all bodies at their origins in their own axes, shape (nb, 6).
            outer: What acted on the bodies from outside in the last step, gravity too: wrenches ``[t; f]`` about the
                world's origin in its axes, shape (nb, 6), [N m] and [N].
            free: Which coordinates forces move, shape (nv,).
            rests: Whether contacts or locks hold something.
        """
        now = self._momenta(poses, twists)
        first = self._before is None
        rate = np.zeros_like(now) if self._before is None else (now - self._before) / self._step
        self._before = now
        self.carried = self._hangs @ (rate - outer)
        if rests and np.abs(v).max(initial=0.0) < _QUIET:
            return False
        columns = [self._columns(each, x) for each in self._bearings]
        inertia = self._inertia(x, columns)
        heaviest = [float(inertia[turns].max(initial=_TINY)) for turns in (~self._turns, self._turns)]
        torque, damping, limits = np.zeros((3, self._model.nv))
        for each, S in zip(self._bearings, columns, strict=True):
            places = int(self._model.first[each.body]) + each.local
            if not free[places].all():
                continue
            moving = S[:3] @ v[places] if each.ball else v[places]
            brake = _STIFF * heaviest[bool(self._turns[places[0]])] / self._step
            before = self.torque[places]
            wanted = before - brake * moving
            limits[places] = self._limit(each, S, wanted, poses)
            # What a single step carries, as when a string gets taut, counts for nothing.
            limit = limits[places] if first else np.minimum(limits[places], self.limits[places])
            if each.ball:
                size, along = np.full(3, np.linalg.norm(wanted)), np.full(3, before @ moving)
            else:
                size, along = np.abs(wanted), before * moving
            slid = (self.damping[places] == 0.0) & (before != 0.0)
            back = slid & (along > 0.0)  # it slid, and has come to the end of that
            sticks = back | (size <= limit)
            torque[places] = np.where(back, before, np.where(sticks, wanted, wanted * limit / np.maximum(size, _TINY)))
            damping[places] = np.where(sticks, brake, 0.0)
        self.limits = limits
        changed = np.abs(torque - self.torque) > _SETTLED * np.maximum(limits, _TINY)
        if not changed.any() and not (np.abs(damping - self.damping) > 1e-3 * damping).any():
            return False
        self.torque, self.damping = torque, damping
        return True

    def _columns(self, bearing: Fitted, x: Array) -> Array:
        """Return the columns of S of a bearing's coordinates, shape (6, k)."""
        first, end = self._model.first[bearing.body : bearing.body + 2]
        return np.asarray(self._model.bodies[bearing.body].joint.subspace(x[first:end]))[:, bearing.local]

    def _limit(self, bearing: Fitted, columns: Array, wanted: Array, poses: Array) -> float:
        """Return the most that friction may be in a bearing, of a ball along what is wanted."""
        X = poses[bearing.body] @ self._to_joint[bearing.body]
        force = self.carried[bearing.body, 3:]
        moment = self.carried[bearing.body, :3] - cross(X[:3, 3], force)
        seat, X_JF = bearing.place(columns)
        R = X[:3, :3] @ X_JF[:3, :3]
        reaction = np.concatenate([R.T @ (moment - cross(X[:3, :3] @ X_JF[:3, 3], force)), R.T @ force])
        if bearing.ball:
            size = math.sqrt(float(wanted @ wanted))
            turn = X_JF[:3, :3].T @ wanted / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
            return seat.hold(reaction, np.concatenate([turn, np.zeros(3)]))
        return seat.hold(reaction, se3.inverse_adjoint(X_JF) @ columns[:, 0])

    def _inertia(self, x: Array, columns: Sequence[Array]) -> Array:
        """Return how heavy each coordinate is to move alone, shape (nv,), that of balls by their angular velocity."""
        found = np.zeros(self._model.nv)
        for part, first in self._parts:
            own = slice(first, first + part.nq)
            M = part.mass_matrix(x[own])
            found[own] = np.diag(M)
            for each, S in zip(self._bearings, columns, strict=True):
                places = int(self._model.first[each.body]) + each.local
                if each.ball and own.start <= places[0] < own.stop:
                    back = np.linalg.pinv(S[:3])
                    found[places] = np.trace(back.T @ M[np.ix_(places - first, places - first)] @ back) / 3.0
        return found

    def _momenta(self, poses: Array, twists: Array) -> Array:
        """Return the momentum ``[L; P]`` of each body about the world's origin, shape (nb, 6)."""
        R, w = poses[:, :3, :3], twists[:, :3]
        speeds = twists[:, 3:] + cross_rows(w, self._centers)
        P = self._masses[:, None] * np.einsum("kij,kj->ki", R, speeds)
        spin = np.einsum("kij,kjl,kl->ki", R, self._inertias, w)
        return np.concatenate([spin + cross_rows(self.centers(poses), P), P], axis=1)

    def centers(self, poses: Array) -> Array:
        """Return the centres of mass of the bodies in the world, shape (nb, 3), [m]."""
        return np.einsum("kij,kj->ki", poses[:, :3, :3], self._centers) + poses[:, :3, 3]

    def weight(self, poses: Array, gravity: Array) -> Array:
        """Return what gravity does to the bodies: wrenches about the world's origin, shape (nb, 6)."""
        force = self._masses[:, None] * gravity
        return np.concatenate([cross_rows(self.centers(poses), force), force], axis=1)
