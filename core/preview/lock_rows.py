"""What locks want, as constraints and springs of the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.constraints.primitives import across
from core.dynamics.engine import OrientationLock, PairLock, PointLock
from core.dynamics.engine.locks import Lock as StepLock
from core.preview.actor import Actor
from core.preview.held_locks import HeldLocks, Wanted
from core.spatial import so3

SOFT = 6.0
"""How quick the spring of a lock is that is just not held exactly: so often it would swing with its mass, [Hz]."""
SHARE = 0.2
"""The mass that springs of locks are made for, as a share of the figure's."""
STIFF = 0.01
"""Share of a point's mobility below which it cannot move: as along a limb that is straight."""
_ALL = np.eye(3)


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
    if lock.kind in ("orientation", "pose"):
        return _whole(lock.axes)
    return lock.kind in ("position", "plane", "line") or (lock.kind == "point_pair" and lock.target is None)


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
    lock, target = each.lock, each.lock.target
    at, speed, turning = X_BJ[:3, :3] @ lock.point + X_BJ[:3, 3], each.rate[:3], each.rate[3:]
    if lock.kind == "position":
        axes = _ALL if lock.axes is None else _ALL[np.array(lock.axes)]
        return [PointLock(body, at, target, axes, speed)] if len(axes) else []
    if lock.kind == "orientation":
        return [_turned(body, X_BJ, target, lock.axes, turning, bodies)]
    if lock.kind == "pose":
        place = PointLock(body, at, target[:3, 3], _ALL, speed)
        return [place, _turned(body, X_BJ, target[:3, :3], lock.axes, turning, bodies)]
    if lock.kind == "plane":
        normal, offset = target[:3], target[3]
        return [PointLock(body, at, normal * (offset / (normal @ normal)), normal[None], speed)]
    if lock.kind == "line":
        return [PointLock(body, at, target[0], across(target[1] / np.linalg.norm(target[1])), speed)]
    second = held.second(lock)
    if second is None:
        return []
    other, X_OJ = place_of(actors[second[0]], second[1])
    there = X_OJ[:3, :3] @ second[2] + X_OJ[:3, 3]
    if lock.kind == "point_pair":
        offset = np.zeros(3) if target is None else _in_body(bodies()[0], other, target)
        return [PairLock(body, at, other, there + offset, _ALL, speed)]
    poses, twists = bodies()
    here_W, there_W = _in_world(poses, body, at), _in_world(poses, other, there)
    if lock.kind == "distance":
        sight = here_W - there_W
        length = float(np.linalg.norm(sight))
        along = sight / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
        apart = there + _in_body(poses, other, target * along)
        return [PairLock(body, at, other, apart, along[None], along * each.rate[0])]
    if lock.kind == "aim":
        R_WJ = poses[body, :3, :3] @ X_BJ[:3, :3]
        sight = there_W - here_W
        length = float(np.linalg.norm(sight))
        if length < 1e-9:
            return []
        wanted = between(R_WJ @ target, sight / length) @ R_WJ
        speed = _velocity(poses, twists, other, there) - _velocity(poses, twists, body, at)
        turning = np.cross(sight, speed) / length**2  # how the line of sight turns
        return [OrientationLock(body, wanted @ X_BJ[:3, :3].T, across(sight / length), turning)]
    return []


def _movable(lock: PointLock, mobility: Callable[[int, Array], Array]) -> PointLock:
    """Return the constraint of a point in those directions only in which forces can move it."""
    axes = np.atleast_2d(np.asarray(lock.axes))
    body, point = int(lock.body), np.asarray(lock.point)
    moves, turned = np.linalg.eigh(axes @ mobility(body, point) @ axes.T)
    kept = turned[:, moves > STIFF * moves[-1]].T @ axes
    return PointLock(body, point, lock.target, kept, lock.velocity)


def _whole(axes: object) -> bool:
    """Return whether these axes keep a whole orientation: of one axis the turn about it is free."""
    return axes is None or bool(np.count_nonzero(np.array(axes)) >= 2)


def _turned(
    body: int, X_BJ: Array, target: Array, axes: object, turning: Array, bodies: Callable[[], tuple[Array, Array]]
) -> OrientationLock:
    """Return the constraint of an orientation, shape (3, 3) of the joint."""
    R_JB = X_BJ[:3, :3].T
    if _whole(axes):
        return OrientationLock(body, target @ R_JB, _ALL, turning)
    along = target[:, int(np.flatnonzero(np.array(axes))[0])] if np.any(np.array(axes)) else target[:, 0]
    R_WJ = bodies()[0][body, :3, :3] @ X_BJ[:3, :3]
    now = R_WJ[:, int(np.flatnonzero(np.array(axes))[0])]
    return OrientationLock(body, between(now, along) @ R_WJ @ R_JB, across(along), turning)


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


def between(a: Array, b: Array) -> Array:
    """Return the least rotation that takes one unit vector to another, shape (3, 3)."""
    axis = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(axis)), float(a @ b)
    if sine < 1e-12:
        return np.eye(3) if cosine > 0.0 else so3.exp(np.pi * across(a)[0])
    return so3.exp(axis / sine * np.arctan2(sine, cosine))
