"""Limbs that step under a trunk: from where feet stand, and how a limb swings, to keys and lock strips.

In contact a foot is where it stands. In between the limb swings about its hip: how much it is folded, which way it
points and how its foot is turned go through given values, and begin and end as fast as contact leaves and finds them.
While no foot is on the ground the centre of mass falls freely: the root is moved until it does.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from core.animation.key import Key
from core.animation.locks.holding import MOST_STEPS, ROOT_WEIGHT, TOLERANCE
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.arrays import Array, Bools, Ints
from core.constraints.lock import Lock
from core.constraints.solve_locks import LockSolver
from core.errors import SequenceError
from core.gait.feet import Contact, FootWay, rolled, rolled_frames, sole_points
from core.gait.limbs import Limb, bent, changes, reaching
from core.gait.walk import contact_strips, place_root, pose_at, strip_id
from core.kinematics.center_of_mass import center_of_mass
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.spatial import so3
from core.terrain.ground import Ground

_EARLY = 0.5  # see ``rolled``
GRAVITY = 9.81
_ROUNDS = 2
_STEEPEST = 2.0  # of all that a swing changes: faster it neither begins nor ends
_OVER = 0.004  # [m]: so far over the ground a foot in the air is at least
_FREED = 0.4  # of a swing: until it bends as in the air, and from when on it bends as it will stand
_RISES = 0.3  # of a swing: until a foot is lifted as high as it must be, and from when on it comes down
_LEAST = 0.25  # of a lift: where it is less, at the ends of a swing, it does not count how low a foot is
_STEPS, _NUDGE, _DAMPING, _CLOSE, _AT = 12, 1e-5, 1e-4, 1e-11, 1e-9
_HELD = 1e-10  # [m]: what is off by less needs no solver
_ARM = 0.2  # of a limb's length: how far from each other the points are by which a foot's turn is measured

Knots = tuple[tuple[float, float], ...]
"""Values on the way from where a foot leaves, 0, to where it lands, 1."""


class Swing(NamedTuple):
    """How a limb swings.

    Attributes:
        back: How far it swings to the back of how it hangs at rest, [rad].
        fold: How far it folds, from -1, straightest, to 0, as at rest, to 1.
        foot: How far the foot is turned, heel up, against how it hangs on the limb at rest, [rad].
        clear: How far it passes over the ground, of the limb's length.
    """

    back: Knots
    fold: Knots
    foot: Knots
    clear: float = 0.02


class Stepping(NamedTuple):
    """What limbs do.

    Attributes:
        poses: At the frames that are keyed, shape (k, nq).
        ways: The way of each foot.
        missed: How far one is from where it should be, at most, [m] or [rad].
    """

    poses: Array
    ways: tuple[FootWay, ...]
    missed: float


def stepped(
    s: Skeleton,
    limbs: tuple[Limb, ...],
    contacts: tuple[tuple[Contact, ...], ...],
    swings: tuple[Swing, ...],
    trunk: Array,
    ground: Ground,
    frames: Ints,
) -> Stepping:
    """Return poses with limbs that step.

    Args:
        s: The figure.
        limbs: Its limbs.
        contacts: Where each of their feet stands, in order.
        swings: How each swings.
        trunk: Poses of all frames with limbs at rest, shape (m, nq).
        ground: What they step on.
        frames: Frames that are keyed, shape (k,).
    """
    F = forward_kinematics(s, trunk)
    q, ways = trunk.copy(), []
    for limb, where, swing in zip(limbs, contacts, swings, strict=True):
        way = _Way(limb, where, swing, F, ground)
        q += way.change
        ways.append(FootWay(limb.leg, where, way.frames, way.roll, way.toes))
    q[:, 3:] = np.clip(q[:, 3:], s.limits[:, 0], s.limits[:, 1])
    for limb, each in zip(limbs, ways, strict=True):
        _settle(s, limb, q, each)
        _raise(s, limb, q, ~standing(each.contacts, len(q)), each.toes, ground)
    F = forward_kinematics(s, q[frames])
    for limb, each in zip(limbs, ways, strict=True):
        free = frames[~standing(each.contacts, len(q))[frames]]  # a foot in the air never drags the body along
        each.frames[free] = F[np.searchsorted(frames, free), limb.leg.foot.joint]
    held, missed = _held(s, limbs, q[frames], ways, frames)
    return Stepping(held, tuple(ways), missed)


class _Way:
    """The way of one foot, and what of the pose brings it there.

    Attributes:
        frames: The foot's frame in the world, shape (m, 4, 4).
        roll: How far it is rolled, shape (m,), [rad].
        toes: How far its toes are bent, likewise.
        change: Changes of the pose, shape (m, nq).
    """

    def __init__(self, limb: Limb, contacts: tuple[Contact, ...], swing: Swing, F: Array, ground: Ground):
        self._limb, self._swing = limb, swing
        leg, number = limb.leg, len(F)
        self._body = F[:, limb.girdle, :3, :3] @ limb.girdle_rest.T
        self._hip = np.einsum("mij,j->mi", self._body, leg.hip_place) + F[:, limb.girdle, :3, 3]
        self.frames, self.roll, self.toes = np.tile(np.eye(4), (number, 1, 1)), np.zeros(number), np.zeros(number)
        for contact in contacts:
            span = np.arange(max(contact.land, 0), min(contact.leave, number - 1) + 1)
            self.roll[span] = rolled(contact, span.astype(np.float64), _EARLY)
            self.frames[span] = rolled_frames(leg, contact, self.roll[span])
            self.toes[span] = np.maximum(self.roll[span], 0.0)
        for before, after in itertools.pairwise(contacts):
            self._fly(before, after, ground)
        self.change = self._changes(contacts)

    def _local(self, rows: Ints) -> Array:
        """Return the foot's joint from the hip in the axes of the body, shape (k, 3)."""
        away = self.frames[rows, :3, 3] - self._hip[rows]
        return np.asarray(np.einsum("mji,mj->mi", self._body[rows], away))

    def _in_plane(self, local: Array) -> Array:
        """Return places from the hip, up and forward, in the plane that the limb is turned into, shape (k, 2)."""
        up = -np.hypot(local[:, 1], local[:, 0] - self._limb.rest_way[0])
        return np.stack([up, local[:, 2]], axis=1)

    def _pitch(self, rows: Ints) -> Array:
        foot = self._turned(rows)
        return np.asarray(np.arctan2(foot[:, 2, 1], foot[:, 1, 1]))

    def _turned(self, rows: Ints) -> Array:
        """Return how feet are turned from standing, in the axes of the body, shape (k, 3, 3)."""
        back = self._limb.leg.flat[:3, :3].T
        return np.asarray(np.einsum("mji,mjk->mik", self._body[rows], self.frames[rows, :3, :3]) @ back)

    def _fly(self, before: Contact, after: Contact, ground: Ground) -> None:
        """Put the foot in between two contacts."""
        a, b = before.leave, after.land
        if b - a < 2:
            return
        limb = self._limb
        # One frame of contact at either end tells how fast it leaves and lands.
        ends = np.array([max(a - 1, before.land), a, b, min(b + 1, len(self.frames) - 1)])
        local = self._local(ends)
        back, fold, turn = bent(limb, self._in_plane(local))
        foot = self._pitch(ends) - turn
        rows = np.arange(a, b + 1)
        u = (rows - a) / (b - a)
        values = [
            _through(u, end, knots, b - a)
            for end, knots in ((back, self._swing.back), (fold, self._swing.fold), (foot, self._swing.foot))
        ]
        ease = u * u * (3.0 - 2.0 * u)
        side = local[1, 0] + ease * (local[2, 0] - local[1, 0])
        own, _ = reaching(limb, values[0], values[1])
        up = -np.sqrt(np.maximum(own[:, 0] ** 2 - (side - limb.rest_way[0]) ** 2, 1e-6))
        own = np.stack([side, up, own[:, 1]], axis=1)
        places = np.einsum("mij,mj->mi", self._body[rows], own) + self._hip[rows]
        left = [self._off(rows[k], float((turn + foot)[n])) for k, n in ((0, 1), (-1, 2))]
        between = so3.log(left[0].T @ left[1])
        v = np.clip(u / 0.45, 0.0, 1.0)
        bend = np.maximum(self.roll[a], 0.0) * (1.0 - v * v * (3.0 - 2.0 * v))
        flat = limb.leg.flat[:3, :3]
        for k in range(_ROUNDS):
            local = np.einsum("mji,mj->mi", self._body[rows], places - self._hip[rows])
            pitched = so3.exp((bent(limb, self._in_plane(local)).turn + values[2])[:, None] * [1.0, 0.0, 0.0])
            rest_of = left[0] @ so3.exp(ease[:, None] * between)
            self.frames[rows[1:-1], :3, :3] = (self._body[rows] @ pitched @ rest_of @ flat)[1:-1]
            self.frames[rows[1:-1], :3, 3] = places[1:-1]
            self.toes[rows[1:-1]] = bend[1:-1]
            if k + 1 < _ROUNDS:
                places[:, 1] += self._lift(rows, u, bend, ground)
        self.roll[rows[1:-1]] = bend[1:-1]

    def _off(self, row: int, pitch: float) -> Array:
        """Return what is left of a foot's turn beside its pitch, shape (3, 3)."""
        foot = self._turned(np.array([row]))[0]
        return np.asarray(so3.exp(np.array([-pitch, 0.0, 0.0])) @ foot)

    def _lift(self, rows: Ints, u: Array, bend: Array, ground: Ground) -> Array:
        """Return by how much a foot must be lifted to get over the ground, shape (k,), [m]."""
        points = sole_points(self._limb.leg, self.frames[rows], bend)
        room = points[:, :, 1] - ground.heights(points[:, :, [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])
        v = np.clip(np.minimum(u, 1.0 - u) / _RISES, 0.0, 1.0)
        bump = v * v * (3.0 - 2.0 * v)
        wanted = self._swing.clear * self._limb.length * bump
        short = np.where(bump > _LEAST, wanted - room.min(axis=1), 0.0)
        lifted = max(float((short / np.maximum(bump, _LEAST)).max()), 0.0) * bump
        return np.asarray(lifted + np.maximum(-room.min(axis=1) - lifted, 0.0))

    def _changes(self, contacts: tuple[Contact, ...]) -> Array:
        """Return what of the pose brings the foot where it is, shape (m, nq)."""
        number = len(self.frames)
        found = self._bent_as(self._limb, np.arange(number))
        if self._limb.standing is None:
            return found
        stands = np.flatnonzero(standing(contacts, number))
        other = np.zeros_like(found)
        other[stands] = self._bent_as(self._limb.standing, stands) - found[stands]
        for before, after in itertools.pairwise(contacts):  # it comes off the ground bent as it stood
            rows = np.arange(before.leave + 1, after.land)
            u = ((rows - before.leave) / max(after.land - before.leave, 1))[:, None]
            v, w = (np.clip(each / _FREED, 0.0, 1.0) for each in (u, 1.0 - u))
            other[rows] = (1.0 - v * v * (3.0 - 2.0 * v)) * other[before.leave]
            other[rows] += (1.0 - w * w * (3.0 - 2.0 * w)) * other[after.land]
        return found + other

    def _bent_as(self, limb: Limb, rows: Ints) -> Array:
        """Return what of the pose brings the foot where it is as a limb bends, shape (k, nq)."""
        leg = limb.leg
        local = self._local(rows)
        rest = limb.rest_way
        bends = bent(limb, self._in_plane(local))
        change, turned = changes(limb, bends), bends.turn
        out = np.arctan2(local[:, 0], -local[:, 1]) - np.arctan2(rest[0], -rest[1])
        foot = self._turned(rows)
        twist = np.arctan2(foot[:, 0, 2], np.hypot(foot[:, 1, 2], foot[:, 2, 2]))
        pitch = np.arctan2(foot[:, 2, 1], foot[:, 1, 1])
        zero = np.zeros_like(pitch)
        for turns, vectors in (
            (leg.hip_turns, np.stack([zero, twist, out], axis=1)),
            (leg.ankle_turns, np.stack([pitch - turned, zero, zero], axis=1)),
        ):
            change[:, turns.columns] += vectors @ turns.share.T
        if leg.toe_column >= 0:
            change[:, leg.toe_column] += leg.toe_sign * self.toes[rows]
        return change


def _through(u: Array, ends: Array, knots: Knots, frames: int) -> Array:
    """Return values at ``u`` from two at an end, one frame apart, through knots to two at the other, shape (k,)."""
    from scipy.interpolate import CubicSpline  # here: the window starts without it

    at = np.array([0.0, *(knot[0] for knot in knots), 1.0])
    values = np.array([ends[1], *(knot[1] for knot in knots), ends[2]])
    slopes = (ends[1] - ends[0]) * frames, (ends[3] - ends[2]) * frames
    most = _STEEPEST * max(float(np.ptp(values)), 0.1)
    first, last = (float(np.clip(slope, -most, most)) for slope in slopes)
    return np.asarray(CubicSpline(at, values, bc_type=((1, first), (1, last)))(u))


def _columns(limb: Limb) -> list[int]:
    """Return the places in the pose of what moves a limb."""
    found = {int(k) for turns in (limb.leg.hip_turns, limb.leg.ankle_turns) for k in turns.columns}
    return sorted(found | {int(k) for k in np.flatnonzero(np.abs(limb.fold).max(axis=0) + np.abs(limb.swing))})


def _settle(s: Skeleton, limb: Limb, q: Array, way: FootWay) -> None:
    """Bring a foot where it stands, in place; what that changes comes and goes as the limb swings."""
    stands = np.flatnonzero(standing(way.contacts, len(q)))
    change = np.zeros_like(q)
    change[stands] = _closer(s, limb, q[stands], way.frames[stands]) - q[stands]
    for before, after in itertools.pairwise(way.contacts):
        rows = np.arange(before.leave + 1, after.land)
        u = ((rows - before.leave) / max(after.land - before.leave, 1))[:, None]
        change[rows] = change[before.leave] + u * u * (3.0 - 2.0 * u) * (change[after.land] - change[before.leave])
    q += change
    q[:, 3:] = np.clip(q[:, 3:], s.limits[:, 0], s.limits[:, 1])


def _raise(s: Skeleton, limb: Limb, q: Array, flies: Bools, toes: Array, ground: Ground) -> None:
    """Lift a foot in the air that would go into the ground, in place."""
    free = np.flatnonzero(flies)
    if not len(free):
        return
    frames = forward_kinematics(s, q[free])[:, limb.leg.foot.joint]
    points = sole_points(limb.leg, frames, toes[free])
    low = (points[..., 1] - ground.heights(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])).min(axis=1)
    short = np.maximum(_OVER - low, 0.0)
    rows = np.flatnonzero(short > 0.0)
    if len(rows):
        wanted = frames[rows].copy()
        wanted[:, 1, 3] += short[rows]
        q[free[rows]] = _closer(s, limb, q[free[rows]], wanted)


def _marks(limb: Limb) -> Array:
    """Return points of a foot that say where it is, in its frame, shape (k, 3): two of a hoof, which may tilt."""
    leg = limb.leg
    if not leg.foot.turns:
        return np.stack([leg.heel, leg.ball])
    up, ahead = (leg.flat[:3, :3].T @ np.eye(3)[k] for k in (1, 2))
    return leg.foot.point + _ARM * limb.length * np.stack([leg.axis, ahead - leg.axis, up - ahead])


def _closer(s: Skeleton, limb: Limb, q: Array, wanted: Array) -> Array:
    """Return poses with a limb moved so that its foot is nearer to where it should be.

    All of them at once, by damped steps (Marquardt 1963, "An algorithm for least-squares estimation of nonlinear
    parameters", Journal of the Society for Industrial and Applied Mathematics 11, 431-441).
    """
    columns, foot, marks = _columns(limb), limb.leg.foot.joint, _marks(limb)
    rows, k = np.array(columns) - 3, len(columns)
    goal = _marked(wanted, marks)
    found = q.copy()
    error = goal - _marked(forward_kinematics(s, found)[:, foot], marks)
    damping = np.full(len(q), _DAMPING * limb.length**2)
    for _ in range(_STEPS):
        on = np.flatnonzero(np.abs(error).max(axis=1) > _CLOSE)
        if not len(on):
            break
        poses = np.repeat(found[on], k, axis=0).reshape(len(on), k, -1)
        poses[:, np.arange(k), columns] += _NUDGE
        F = forward_kinematics(s, poses.reshape(len(on) * k, -1))[:, foot]
        now = goal[on] - error[on]
        J = (_marked(F, marks).reshape(len(on), k, -1) - now[:, None]) / _NUDGE  # its rows are the Jacobian's columns
        tried = found[on]
        low, high = (tried[:, columns] <= s.limits[rows, 0] + _AT), (tried[:, columns] >= s.limits[rows, 1] - _AT)
        step = np.zeros((len(on), k))
        for _ in range(2):  # a hinge that would turn beyond its limit does not turn
            J[(low & (step < 0.0)) | (high & (step > 0.0))] = 0.0
            A = J @ J.transpose(0, 2, 1) + damping[on, None, None] * np.eye(k)
            step = np.linalg.solve(A, np.einsum("mkr,mr->mk", J, error[on])[..., None])[..., 0]
        tried[:, columns] = np.clip(tried[:, columns] + np.clip(step, -0.3, 0.3), s.limits[rows, 0], s.limits[rows, 1])
        left = goal[on] - _marked(forward_kinematics(s, tried)[:, foot], marks)
        better = (left * left).sum(axis=1) < (error[on] ** 2).sum(axis=1)
        found[on[better]], error[on[better]] = tried[better], left[better]
        damping[on] = np.where(better, 0.2 * damping[on], 8.0 * damping[on])
    return found


def _marked(frames: Array, marks: Array) -> Array:
    """Return where points of frames are, shape (m, 3 k)."""
    found = np.einsum("mij,kj->mki", frames[:, :3, :3], marks) + frames[:, None, :3, 3]
    return found.reshape(len(frames), -1)


def _held(s: Skeleton, limbs: tuple[Limb, ...], q: Array, ways: list[FootWay], frames: Ints) -> tuple[Array, float]:
    """Return poses that hold all feet by the limbs, and little by the root, and how far one misses at most."""
    free: set[int] = set()
    locks: list[Lock] = []
    targets: dict[int, list[Array]] = {}
    for limb, way in zip(limbs, ways, strict=True):
        free |= set(_columns(limb))
        foot = limb.leg.foot
        for point in (foot.point,) if foot.turns else _marks(limb):
            goals = _targets(way.frames[frames], point, foot.turns)
            targets[len(locks)] = goals
            locks.append(Lock(foot.joint, "pose" if foot.turns else "position", point=point, target=goals[0]))
    off = np.max([_off(s, limb, q, way, frames) for limb, way in zip(limbs, ways, strict=True)], axis=0)
    rows = np.flatnonzero(off > _HELD)
    if not len(rows):
        return q, float(off.max(initial=0.0))
    fixed = [k for k in range(3, s.nq) if k not in free]
    targets = {n: [goals[row] for row in rows] for n, goals in targets.items()}
    solver = LockSolver(s, locks, fixed=fixed, root_weight=ROOT_WEIGHT, tolerance=0.4 * TOLERANCE)
    found = q.copy()
    found[rows], left, _ = solver.project_many(q[rows], q[rows], TOLERANCE, targets, MOST_STEPS)
    return found, max(float(left.max(initial=0.0)), float(off[off <= _HELD].max(initial=0.0)))


def _off(s: Skeleton, limb: Limb, q: Array, way: FootWay, frames: Ints) -> Array:
    """Return how far a foot is from where it should be in poses at frames, shape (k,), [m]."""
    marks = _marks(limb)
    there = _marked(forward_kinematics(s, q)[:, limb.leg.foot.joint], marks)
    return np.asarray(np.abs(there - _marked(way.frames[frames], marks)).max(axis=1))


def _targets(places: Array, point: Array, turns: bool) -> list[Array]:
    """Return targets of a foot: the same array for as long as it stands still."""
    found: list[Array] = []
    for place in places:
        target = pose_at(place, point) if turns else place[:3, :3] @ point + place[:3, 3]
        found.append(found[-1] if found and np.array_equal(found[-1], target) else target)
    return found


def standing(contacts: tuple[Contact, ...], number: int) -> Bools:
    """Return in which frames a foot stands, shape (m,)."""
    found = np.zeros(number, dtype=bool)
    for contact in contacts:
        found[max(contact.land, 0) : contact.leave + 1] = True
    return found


def feet_standing(limb: Limb, contacts: tuple[Contact, ...], number: int) -> Array:
    """Return the frames of a foot where it stands, shape (m, 4, 4)."""
    found = np.tile(np.eye(4), (number, 1, 1))
    for contact in contacts:
        rows = np.arange(contact.land, min(contact.leave, number - 1) + 1)
        found[rows] = rolled_frames(limb.leg, contact, rolled(contact, rows.astype(np.float64), _EARLY))
    return found


def flights(contacts: tuple[tuple[Contact, ...], ...], number: int) -> list[tuple[int, int]]:
    """Return the last frame of contact before each flight, and the first one after it."""
    rows = np.flatnonzero(np.any([standing(where, number) for where in contacts], axis=0))
    return [(int(a), int(b)) for a, b in itertools.pairwise(rows) if b - a > 1]


def flown(
    s: Skeleton, limbs: tuple[Limb, ...], step: Stepping, frames: Ints, ground: Ground, fps: float, even: bool = False
) -> Array:
    """Return poses of limbs that step with flights in which nothing moves the body but its weight, shape (k, nq).

    Args:
        s: The figure.
        limbs: Its limbs.
        step: What they do.
        frames: Frames that are keyed, shape (k,).
        ground: What they step on.
        fps: Frames a second.
        even: Whether nothing turns it in the air, either, but what it took off with.
    """
    number = len(step.ways[0].frames)
    inside = flights(tuple(way.contacts for way in step.ways), number)
    if not inside:
        return step.poses
    found = fall_freely(s, step.poses, frames, inside, fps, even)
    for limb, way in zip(limbs, step.ways, strict=True):
        _raise(s, limb, found, ~standing(way.contacts, number)[frames], way.toes[frames], ground)
    return fall_freely(s, found, frames, inside, fps)


def fall_freely(
    s: Skeleton, poses: Array, frames: Ints, flown: list[tuple[int, int]], fps: float, even: bool = False
) -> Array:
    """Return poses with the root moved in flights so that the centre of mass goes by its parabola, shape (k, nq).

    If ``even``, it is turned as well, so that nothing but what it took off with turns it.
    """
    found = poses.copy()
    for a, b in flown:
        rows = np.flatnonzero((frames >= a) & (frames <= b))
        if len(rows) < 3 or frames[rows[0]] != a or frames[rows[-1]] != b:
            continue
        centers, t = center_of_mass(s, poses[rows]), (frames[rows] - a) / fps
        g = np.array([0.0, -GRAVITY, 0.0])
        speed = (centers[-1] - centers[0]) / t[-1] - 0.5 * g * t[-1]
        found[rows, :3] += centers[0] + t[:, None] * speed + 0.5 * (t * t)[:, None] * g - centers
        if even:
            _even(s, found, rows, fps)
    return found


def _even(s: Skeleton, poses: Array, rows: Ints, fps: float) -> None:
    """Turn a figure about its centre of mass, in place, so that its angular momentum stays the same in a flight."""
    from core.preview.plausibility.ballistic import evened_turns  # here: files are read without it

    try:
        turns = evened_turns(s, poses[rows], 1.0 / fps)
    except SequenceError:  # none leads from its first pose to its last: it stays as it is
        return
    F = forward_kinematics(s, poses[rows])
    centers = center_of_mass(s, poses[rows], F)
    root = F[:, 0].copy()
    root[:, :3, :3] = turns @ F[:, 0, :3, :3]
    root[:, :3, 3] = centers + np.einsum("mij,mj->mi", turns, F[:, 0, :3, 3] - centers)
    turned = poses[rows]
    place_root(s, turned, root)
    poses[rows[1:-1]] = turned[1:-1]


def stepping_keys(poses: Array, frames: Ints) -> tuple[Key, ...]:
    """Return keys of poses at frames."""
    return tuple(Key(int(frame), pose) for frame, pose in zip(frames, poses, strict=True))


def stance_strips(s: Skeleton, ways: tuple[FootWay, ...], last: int) -> tuple[LockStrip, ...]:
    """Return lock strips that hold feet where they stand, from frame 0 to the last."""
    made: list[LockStrip] = []
    for way in ways:
        name = s.joint_names[way.leg.foot.joint]
        for contact in way.contacts:
            if contact.land >= last:
                continue
            if way.leg.foot.turns:
                made += contact_strips(s, way, contact, name, last, contact.leave >= last)
            else:
                made += _hoof_strips(way, contact, name, last)
    return tuple(made)


def _hoof_strips(way: FootWay, contact: Contact, name: str, last: int) -> list[LockStrip]:
    """Return the strips that hold a hoof by its tip and its back: it may tilt, as it has no joint to keep it level."""
    end, made = min(contact.leave, last), []
    for point, what in ((way.leg.ball, "tip"), (way.leg.heel, "back")):
        rolls = contact.push > 0.0 and what == "back"
        keyed = _spread(contact.rise, end) if rolls and contact.rise < end else np.zeros(0, dtype=np.int64)
        flat = contact.flat[:3, :3] @ point + contact.flat[:3, 3]
        lock = Lock(name, "position", point=point, target=flat)
        stop = contact.rise - 1 if len(keyed) else end
        made.append(LockStrip(lock, contact.down, max(stop, contact.down), id=strip_id(name, contact.step, what),
                              name=f"{name} stance"))  # fmt: skip
        if len(keyed):
            places = [way.frames[f, :3, :3] @ point + way.frames[f, :3, 3] for f in keyed]
            targets = tuple(TargetKey(int(f), place) for f, place in zip(keyed, places, strict=True))
            lock = Lock(name, "position", point=point, target=places[0])
            made.append(LockStrip(lock, contact.rise, end, targets=targets, id=strip_id(name, contact.step, "push"),
                                  name=f"{name} rolls off"))  # fmt: skip
    return made


def _spread(first: int, last: int) -> Ints:
    return np.arange(first, last + 1)
