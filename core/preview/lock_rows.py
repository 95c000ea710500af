"""What locks want, as constraints and springs of the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.constraints.residuals import (
    ORIENTATION,
    OTHER_ORIENTATION,
    OTHER_POINT,
    POINT,
    CarriedOrientationResidual,
    CarriedPointResidual,
    OrientationResidual,
    PointResidual,
    Residual,
)
from core.dynamics.engine import OrientationLock, PairLock, PointLock
from core.dynamics.engine.locks import Lock as StepLock
from core.preview.actor import Actor
from core.preview.held_locks import HeldLocks, Wanted
from core.spatial import so3
from core.spatial.cross_products import across

SOFT = 6.0
"""How quick the spring of a lock is that is just not held exactly: so often it would swing with its mass, [Hz]."""
SHARE = 0.2
"""The mass that springs of locks are made for, as a share of the figure's."""
STIFF = 0.01
"""Share of a point's mobility below which it cannot move: as along a limb that is straight."""
_ALL = np.eye(3)
_FLAT = 1e-6  # part of a residual's steepest direction under which it does not change in another


class Pull(NamedTuple):
    """A spring from a point of a body to a place.

    Attributes:
        body: Number of the body.
        point: In its frame B, shape (3,), [m].
        target: In the world, shape (3,), [m].
        stiffness: [N/m].
        damping: [N s/m].
    """

    body: int
    point: Array
    target: Array
    stiffness: float
    damping: float


class Rows(NamedTuple):
    """Constraints and springs of a step.

    Attributes:
        locks: What is held exactly.
        pulls: What is held by springs.
        owners: Of each of ``locks`` the figure and the name of the lock it comes from.
    """

    locks: list[StepLock]
    pulls: list[Pull]
    owners: list[tuple[int, str | int]]


class LockRows:
    """What locks want of a step; of a lock that wants the same as in the step before, the very same constraints.

    Args:
        held: The locks of the figure that has them.
        actors: All figures.
    """

    def __init__(self, held: HeldLocks, actors: list[Actor]):
        self._held, self._actors = held, actors
        self._made: dict[str | int, tuple[Wanted, list[StepLock]]] = {}

    def rows(
        self,
        wanted: list[Wanted],
        bodies: Callable[[], tuple[Array, Array]],
        pose: Callable[[], list[Array]],
        mobility: Callable[[int, Array], Array],
    ) -> Rows:
        """Return the constraints and springs of what locks want.

        Args:
            wanted: What they want.
            bodies: Returns the poses of all bodies as they are, shape (nb, 4, 4), and their twists, shape (nb, 6).
            pose: Returns the poses of all figures as they are.
            mobility: Returns how easily a point of a body moves, shape (3, 3).
        """
        rows, held, actors = Rows([], [], []), self._held, self._actors
        before, self._made = self._made, {}
        for each in wanted:
            if each.lock.rule.by_equation:  # rows of their own, see ``lock_equations``
                continue
            body, X_BJ = place_of(actors[each.actor], each.joint)
            if body < 0:
                continue
            if each.stiffness is not None:
                mass = SHARE * actors[each.actor].model.mass
                rows.pulls.extend(_springs(each, body, X_BJ, mass, held.places(pose()), bodies()[0]))
                continue
            known = before.get(each.name)
            if known is not None and _same(known[0], each):
                made = known[1]
            else:
                made = _constraints(each, body, X_BJ, held, actors, bodies)
                if each.strains:
                    made = [_movable(lock, mobility) if isinstance(lock, PointLock) else lock for lock in made]
            if not each.strains and _is_stated(each.lock):
                self._made[each.name] = each, made
            rows.locks.extend(made)
            rows.owners.extend([(each.actor, each.name)] * len(made))
        return rows


def _is_stated(lock: Lock) -> bool:
    """Return whether the constraints of a lock follow from its target alone, and not from where bodies are."""
    return all(
        isinstance(each, OrientationResidual)
        or (isinstance(each, PointResidual) and not (each.pair and np.any(each.target != 0.0)))
        for each in lock.rule.residuals(lock)
    )


def _same(a: Wanted, b: Wanted) -> bool:
    """Return whether two locks of one name, held exactly and not strained, want the same."""
    return a.lock is b.lock and not b.strains and bool((a.rate == b.rate).all())


def place_of(actor: Actor, joint: int) -> tuple[int, Array]:
    """Return the body of the whole model that a joint moves with, -1 for none, and the joint's pose in it, (4, 4)."""
    figure = actor.figure
    body = int(figure.joint_body[joint])
    if body < 0 or figure.inside[joint]:
        return -1, np.eye(4)
    return actor.bodies.start + body, figure.X_BJ[joint]


def _constraints(
    each: Wanted,
    body: int,
    X_BJ: Array,
    held: HeldLocks,
    actors: list[Actor],
    bodies: Callable[[], tuple[Array, Array]],
) -> list[StepLock]:
    lock, here = each.lock, End(body, X_BJ[:3, :3], X_BJ[:3, :3] @ each.lock.point + X_BJ[:3, 3])
    second, there = held.second(lock), here
    if second is not None:
        other, X_OJ = place_of(actors[second[0]], second[1])
        there = End(other, X_OJ[:3, :3], X_OJ[:3, :3] @ second[2] + X_OJ[:3, 3])
    found: list[StepLock] = []
    for residual in lock.rule.residuals(lock):
        rate = each.rate[3:] if residual.angular else each.rate[:3]
        if isinstance(residual, (CarriedPointResidual, CarriedOrientationResidual)) and there.body >= 0:
            rate = bodies()[0][there.body, :3, :3] @ there.R @ rate  # targets are expressed in the carrier's frame
        if isinstance(residual, OrientationResidual):
            found.append(OrientationLock(body, residual.target @ here.R.T, _ALL, rate))
        elif isinstance(residual, PointResidual) and residual.pair:
            offset = residual.target
            if offset.any():
                offset = _in_body(bodies()[0], there.body, offset)
            found.append(PairLock(body, here.point, there.body, there.point + offset, residual.directions, rate))
        elif isinstance(residual, CarriedPointResidual):
            place = there.point + there.R @ residual.offset
            found.append(PairLock(body, here.point, there.body, place, _ALL, rate))
        elif isinstance(residual, PointResidual):
            if residual.size:
                found.append(PointLock(body, here.point, residual.target, residual.directions, rate))
        else:
            found += _linearized(residual, here, there, rate, *bodies())
    return found


class End(NamedTuple):
    """A point of a part as its body carries it.

    Attributes:
        body: Number of the body; -1 is the world.
        R: Rotation of the part's joint in the body, shape (3, 3).
        point: In the body's frame, shape (3,), [m].
    """

    body: int
    R: Array
    point: Array


def _linearized(residual: Residual, here: End, there: End, rate: Array, poses: Array, twists: Array) -> list[StepLock]:
    """Return what holds any residual for a step: its part goes the shortest way that makes it zero to first order.

    What else it is a function of moves on as it does; a residual of two points acts on both of their bodies.

    Args:
        residual: The residual.
        here: The lock's part.
        there: The part that it is bound to.
        rate: Rate of the target, shape (3,).
        poses: Of all bodies, shape (nb, 4, 4).
        twists: Of all bodies, shape (nb, 6).
    """
    ends = {POINT: here, ORIENTATION: here, OTHER_POINT: there, OTHER_ORIENTATION: there}
    if not set(residual.of) <= set(ends):
        return []
    h, u = [], []
    for part in residual.of:
        end = ends[part]
        if part in (POINT, OTHER_POINT):
            h.append(_in_world(poses, end.body, end.point))
            u.append(_velocity(poses, twists, end.body, end.point))
        else:
            h.append(end.R if end.body < 0 else poses[end.body, :3, :3] @ end.R)
            u.append(np.zeros(3) if end.body < 0 else poses[end.body, :3, :3] @ twists[end.body, :3])
    slopes = residual.jacobians(*h)
    at = residual.of.index(residual.moved)
    own, missing = slopes[at], residual.missing(*h)
    _, moves, axes = np.linalg.svd(own, full_matrices=False)
    axes = axes[moves > _FLAT * moves.max(initial=0.0)] if moves.any() else axes[:0]
    if not len(axes):
        return []
    if len(axes) == 2:
        axes = across(np.cross(axes[0], axes[1]))
    if not residual.angular and residual.of == (POINT, OTHER_POINT) and np.array_equal(slopes[1], -own):
        offset = _in_body(poses, there.body, h[0] - h[1] + missing)
        # Its target is a number: how fast that grows is how fast the points part.
        away = axes * np.sign(np.sum(axes * own[0])) if len(axes) == 1 else axes
        return [PairLock(here.body, here.point, there.body, there.point + offset, away, away[0] * rate[0])]
    others = sum((slopes[i] @ u[i] for i in range(len(h)) if i != at), np.zeros(residual.size))
    speed = rate - np.linalg.pinv(own) @ others
    if residual.angular:
        wanted = so3.exp(missing) @ h[at]
        return [OrientationLock(here.body, wanted @ here.R.T, axes, speed)]
    return [PointLock(here.body, here.point, h[at] + missing, axes, speed)]


def _movable(lock: PointLock, mobility: Callable[[int, Array], Array]) -> PointLock:
    """Return the constraint of a point in those directions only in which forces can move it."""
    axes = np.atleast_2d(np.asarray(lock.axes))
    body, point = int(lock.body), np.asarray(lock.point)
    moves, turned = np.linalg.eigh(axes @ mobility(body, point) @ axes.T)
    kept = turned[:, moves > STIFF * moves[-1]].T @ axes
    return PointLock(body, point, lock.target, kept, lock.velocity)


def _springs(each: Wanted, body: int, X_BJ: Array, mass: float, places: Places, poses: Array) -> list[Pull]:
    """Return the springs of a soft lock: at its point, and for a turn at points around it."""
    lock, quick = each.lock, 2.0 * np.pi * SOFT * float(each.stiffness or 0.0)
    stiffness, damping = mass * quick**2, 2.0 * mass * quick
    at = X_BJ[:3, :3] @ lock.point + X_BJ[:3, 3]
    here, deviation = _in_world(poses, body, at), lock.rule.deviation(lock, places)
    goal = here if deviation.position is None else here - deviation.position
    found = [] if deviation.position is None else [Pull(body, at, goal, stiffness, damping)]
    if deviation.rotation is not None:
        # Two points on opposite sides turn the part and do not move it.
        back, reach = so3.exp(-deviation.rotation), 0.1
        for axis in _ALL:
            arm = poses[body, :3, :3] @ axis * reach
            for side in (1.0, -1.0):
                found.append(Pull(body, at + side * axis * reach, here + side * back @ arm, stiffness, damping))
    return found


def _in_world(poses: Array, body: int, point: Array) -> Array:
    if body < 0:
        return point
    return np.asarray(poses[body, :3, :3] @ point + poses[body, :3, 3])


def _velocity(poses: Array, twists: Array, body: int, point: Array) -> Array:
    """Return the velocity of a point of a body in the world, shape (3,)."""
    if body < 0:
        return np.zeros(3)
    return np.asarray(poses[body, :3, :3] @ (twists[body, 3:] + np.cross(twists[body, :3], point)))


def _in_body(poses: Array, body: int, direction: Array) -> Array:
    return direction if body < 0 else np.asarray(poses[body, :3, :3].T @ direction)
