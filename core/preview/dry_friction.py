"""Dry friction in the joints of figures: a bearing resists motion by up to a share of the load it carries (Coulomb).

A bearing is a cylinder around the axis of its joint, which rubs at its two ends, as in the bilateral staggered
projections of Sueda 2.11; that of a ball joint is a sphere. What it carries is found likewise, from the leaves of the
tree on: the change of momentum of all that hangs on the joint, less what acts on that from outside.

A load is the lesser of the last two steps. Up to its limit friction holds a joint where it is: a torque that takes on
what has still moved, with a damper that is taken at the end of the step, both stiffer than the heaviest joint asks for.
So what sticks comes to rest, and stays so. Beyond that it is the limit itself, against the motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array, Ints
from core.skeleton.extent import figure_height
from core.spatial import so3
from core.spatial.cross_products import cross, cross_rows

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.preview.actor import Actor

RADIUS, HEIGHT = 0.01, 0.02
"""Size of a bearing whose file gives none, as a share of the figure's height."""
_SETTLED = 1e-9  # of its limit: friction that changes by less stays
_QUIET = 1e-3
"""Where something holds a figure and no coordinate is faster, friction stays as it is, so that all can fall asleep,
[rad/s] or [m/s]."""
_STIFF = 10.0
"""How much inertia what holds a joint stands for, times that of the heaviest joint."""
_TINY = 1e-9


class Bearing(NamedTuple):
    """What rubs in a joint.

    Attributes:
        body: The body that the joint moves, in the whole model.
        places: Its coordinates in the whole model, shape (k,).
        local: The same counted from the first one of the body's joint, shape (k,).
        ball: Whether they are a rotation.
        friction: Friction coefficient.
        radius: [m].
        height: [m].
    """

    body: int
    places: Ints
    local: Ints
    ball: bool
    friction: float
    radius: float
    height: float


class DryFriction:
    """Dry friction in all joints that have some. False if none does.

    Args:
        actors: The figures.
        model: All bodies.
        step: Length of a step, [s].

    Attributes:
        torque: What acts in the step that comes, by the step's velocities, shape (nv,), [N m] or [N].
        damping: Of the damper that goes with it, shape (nv,), [N m s/rad] or [N s/m].
        limits: The most that friction may be, shape (nv,); of a ball the same for all three.
        carried: What each body gets through its joint, as of the step before: wrenches ``[t; f]`` about the world's
            origin in its axes, shape (nb, 6).
    """

    def __init__(self, actors: Sequence[Actor], model: Multibody, step: float):
        self._actors, self._model, self._step = actors, model, step
        self._bearings = [bearing for actor in actors for bearing in _bearings(actor, model)]
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
        inertia = self._inertia(x)
        heaviest = [float(inertia[turns].max(initial=_TINY)) for turns in (~self._turns, self._turns)]
        torque, damping, limits = np.zeros((3, self._model.nv))
        for each in self._bearings:
            if not free[each.places].all():
                continue
            places = each.places
            limit, moving = self._limits_of(each, x, v, poses)
            limits[places] = limit
            if not first:  # what a single step carries, as when a string gets taut, counts for nothing
                limit = np.minimum(limit, self.limits[places])
            brake = _STIFF * heaviest[bool(self._turns[places[0]])] / self._step
            before = self.torque[places]
            wanted = before - brake * moving
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

    def _limits_of(self, bearing: Bearing, x: Array, v: Array, poses: Array) -> tuple[Array, Array]:
        """Return the most that friction may be in a bearing, and the step's velocities there, shape (k,) each."""
        places, body = bearing.places, self._model.bodies[bearing.body]
        X = poses[bearing.body] @ self._to_joint[bearing.body]
        force = self.carried[bearing.body, 3:]
        moment = self.carried[bearing.body, :3] - cross(X[:3, 3], force)
        force, moment = X[:3, :3].T @ force, X[:3, :3].T @ moment
        if bearing.ball:
            most = bearing.friction * bearing.radius * _size(force)
            return np.full(3, most), so3.right_jacobian(x[places]) @ v[places]
        q = x[int(self._model.first[bearing.body]) : int(self._model.first[bearing.body + 1])]
        columns = np.asarray(body.joint.subspace(q)).T[bearing.local]
        return np.array([_limit(bearing, column, force, moment) for column in columns]), v[places]

    def _inertia(self, x: Array) -> Array:
        """Return how heavy each coordinate of the figures is to move alone, shape (nv,), by the step's velocities."""
        found = np.zeros(self._model.nv)
        for actor in self._actors:
            M = actor.model.mass_matrix(x[actor.span])
            own = np.array(np.diag(M))
            for c in actor.balls:
                back = so3.inverse_right_jacobian(x[actor.span][c])
                own[c] = np.trace(back.T @ M[np.ix_(c, c)] @ back) / 3.0
            found[actor.span] = own
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


def _bearings(actor: Actor, model: Multibody) -> list[Bearing]:
    """Return the bearings of a figure's joints; a root that floats has none."""
    s, figure, start = actor.sequence.skeleton, actor.figure, actor.span.start
    balls = {int(k): ball.x for ball in figure.balls for k in ball.x}
    size = figure_height(s)
    found: dict[int, Bearing] = {}
    for own in actor.model.joint_physics:
        body = actor.bodies.start + own.body
        floats = figure.place is not None and own.body == 0
        if not own.coulomb or floats:
            continue
        radius = RADIUS * size if own.radius is None else own.radius
        height = HEIGHT * size if own.height is None else own.height
        first = int(model.first[body])
        ball = balls.get(own.coordinates[0])
        parts = [np.asarray(ball)] if ball is not None else [np.array([k]) for k in own.coordinates]
        for part in parts:
            places = start + part.astype(np.intp)
            bearing = Bearing(body, places, places - first, ball is not None, own.coulomb, radius, height)
            before = found.get(int(places[0]))
            if before is None or before.friction * before.radius < own.coulomb * radius:
                found[int(places[0])] = bearing  # of hinges that are one ball, the one that rubs most
    return list(found.values())


def _limit(bearing: Bearing, column: Array, force: Array, moment: Array) -> float:
    """Return the most that friction may be along one coordinate, [N m] or [N] by its rate.

    Args:
        bearing: The bearing.
        column: Twist ``[w; v]`` of the body for a rate of 1, at the joint in its axes, shape (6,).
        force: What the joint exerts on its body, in its axes, shape (3,), [N].
        moment: The same about the joint, shape (3,), [N m].
    """
    turn = _size(column[:3])
    if turn > _TINY:
        axis = column[:3] / turn
        moment = moment - cross(cross(axis, column[3:]) / turn, force)
        load = _ends(bearing, axis, force, moment) + abs(float(axis @ force))
        return bearing.friction * bearing.radius * turn * load
    slide = _size(column[3:])
    if slide <= _TINY:
        return 0.0
    axis = column[3:] / slide
    return bearing.friction * slide * (_ends(bearing, axis, force, moment) + abs(float(axis @ moment)) / bearing.radius)


def _ends(bearing: Bearing, axis: Array, force: Array, moment: Array) -> float:
    """Return with what the two ends of a cylinder press sideways to carry a force and a moment together, [N]."""
    half = 0.5 * (force - float(axis @ force) * axis)
    couple = cross(axis, moment) / bearing.height
    return _size(half + couple) + _size(half - couple)


def _size(a: Array) -> float:
    """Return the length of a vector: as ``numpy.linalg.norm``, in a fraction of the time."""
    return math.sqrt(float(a @ a))
