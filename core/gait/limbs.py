"""Limbs that step: how far and which way one reaches as it swings about its hip and folds, and back from there.

A leg of a person folds at the knee; one of a horse at elbow, carpus and fetlock, or stifle, hock and fetlock, all at
once, and its shoulder blade swings with the upper arm. So a limb has two movements, each of one or more degrees of
freedom: it swings about its hip, and it folds. Where they bring the foot is tabulated, and inverted by Newton's method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.gait.biped import Biped
from core.gait.error import GaitError
from core.gait.held_feet import Grip
from core.gait.kept import Kept
from core.gait.leg import Leg
from core.kinematics.forward import forward_kinematics
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton

_SWINGS = np.radians(np.linspace(-110.0, 70.0, 19))  # about the left axis: forward first
_FOLDS = np.concatenate([np.linspace(-1.0, 0.0, 4)[:-1], np.linspace(0.0, 1.0, 13)])
_NEWTON = 8
_STIFF = 5.0  # what folds a limb most, and is fast already, turns by so much less than other joints besides
_MOST_FOLD = np.radians(125.0)
_PAST_STRAIGHT = 0.01  # of its length: a limb that gets no shorter past straight may go on there, as a knee does


class Tables(NamedTuple):
    """Where swing and fold bring a foot, up and forward, and how they turn it, as splines of both."""

    up: Any
    ahead: Any
    turn: Any


class Limb(NamedTuple):
    """A limb that steps.

    Attributes:
        leg: Its foot, and what it stands on.
        girdle: Joint that it hangs from: a pelvis, or the withers.
        girdle_rest: Orientation of that at rest in the axes left, up, forward, shape (3, 3).
        swing: What of a pose changes by each radian that it swings to the back, shape (nq,).
        fold: What of it changes from straightest to standing to folded, by ``folds``, shape (b, nq).
        places: Where the foot's joint is from the hip in the axes left, up, forward, by swing and fold, shape
            (a, b, 3), [m].
        turns: How far the foot is turned about the left axis then, shape (a, b), [rad].
        rest_way: From the hip to the foot's joint in the rest pose, shape (3,), [m].
        tables: Those as functions.
        limits: Of the pose, shape (nq, 2): those of the figure, but of what folds it no further than straight.
        standing: How it gets shorter and longer while it stands, if that is by other hinges than while it swings.
    """

    leg: Leg
    girdle: int
    girdle_rest: Array
    swing: Array
    fold: Array
    places: Array
    turns: Array
    rest_way: Array
    tables: Tables
    limits: Array
    standing: Limb | None = None

    @property
    def length(self) -> float:
        """Distance from the hip to the foot's joint in the rest pose, [m]."""
        return float(np.linalg.norm(self.rest_way[1:]))

    @property
    def reach(self) -> float:
        """The longest distance from the hip to the foot's joint, [m]."""
        return float(np.linalg.norm(self.places[..., 1:], axis=-1).max())


def limb_of(s: Skeleton, leg: Leg, girdle: int, facing: Array, swing: Array, folding: Ints,
            straight: Array | None = None, give: Array | None = None) -> Limb:  # fmt: skip
    """Return a limb.

    Args:
        s: The figure.
        leg: Its foot, and what it stands on.
        girdle: Joint that it hangs from.
        facing: Axes left, up and forward of the figure in the world at rest, shape (3, 3).
        swing: What of a pose changes by each radian that it swings to the back, shape (nq,).
        folding: Columns of the pose that fold it, all of hinges about its left axis or against it.
        straight: What of a pose changes as it is straightest, shape (nq,); the other ends of those hinges if not given.
        give: What of a pose changes as it gives way most where it stands, likewise; as it folds if not given.
    """
    rest = s.rest_pose()
    fold = np.zeros((len(_FOLDS), s.nq))
    limits = np.concatenate([np.full((3, 2), [-np.inf, np.inf]), s.limits])
    for column in folding:
        near, far = _ends(s, rest, int(column))
        fold[:, column] = np.maximum(_FOLDS, 0.0) * far
        if straight is None:
            cut = _to_straight(s, leg, rest, int(column), near)
            fold[:, column] += np.maximum(-_FOLDS, 0.0) * cut
            if cut != near:
                limits[column, int(near > 0.0)] = rest[column] + cut
    if straight is not None:
        fold += np.maximum(-_FOLDS, 0.0)[:, None] * straight
    found = _tabulated(s, leg, girdle, facing, swing, fold, limits)
    if give is None or straight is None:
        return found
    fold = np.maximum(-_FOLDS, 0.0)[:, None] * straight + np.maximum(_FOLDS, 0.0)[:, None] * give
    return found._replace(standing=_tabulated(s, leg, girdle, facing, swing, fold, limits))


def _tabulated(s: Skeleton, leg: Leg, girdle: int, facing: Array, swing: Array, fold: Array, limits: Array) -> Limb:
    """Return a limb with the places of its foot for each swing and fold."""
    from scipy.interpolate import RectBivariateSpline  # here: the window starts without it

    B, X, rest = facing.T, rest_frames(s), s.rest_pose()
    number = len(_SWINGS), len(_FOLDS)
    poses = np.tile(rest, (number[0] * number[1], 1))
    poses += np.repeat(_SWINGS, number[1])[:, None] * swing + np.tile(fold, (number[0], 1))
    F = forward_kinematics(s, poses)
    places = (F[:, leg.foot.joint, :3, 3] - X[leg.hip, :3, 3]) @ B.T
    R = B @ F[:, leg.foot.joint, :3, :3] @ X[leg.foot.joint, :3, :3].T @ B.T
    turns = np.unwrap(np.arctan2(R[:, 2, 1], R[:, 1, 1]).reshape(number), axis=1)
    places = places.reshape(*number, 3)
    each = (
        RectBivariateSpline(_SWINGS, _FOLDS, values, kx=3, ky=3) for values in (places[..., 1], places[..., 2], turns)
    )
    way = B @ (X[leg.foot.joint, :3, 3] - X[leg.hip, :3, 3])
    return Limb(leg, girdle, B @ X[girdle, :3, :3], swing, fold, places, turns, way, Tables(*each), limits)


def _ends(s: Skeleton, rest: Array, column: int) -> tuple[float, float]:
    """Return by how much a hinge can be changed from standing to straightest, and to folded most."""
    limits = s.limits[column - 3] - rest[column]
    far = max(limits, key=abs)
    near = min(limits, key=abs)
    return float(np.clip(near, -_MOST_FOLD, _MOST_FOLD)), float(np.clip(far, -_MOST_FOLD, _MOST_FOLD))


def _to_straight(s: Skeleton, leg: Leg, rest: Array, column: int, near: float) -> float:
    """Return by how much of a change towards straightest a hinge is to be changed at most.

    Past straight a limb gets shorter again. A bird's heel goes so far past it that each length would have two poses,
    between which it would snap.
    """
    shares = np.linspace(0.0, 1.0, 26)
    poses = np.tile(rest, (len(shares), 1))
    poses[:, column] += shares * near
    F = forward_kinematics(s, poses)
    reach = np.linalg.norm(F[:, leg.foot.joint, :3, 3] - F[:, leg.hip, :3, 3], axis=1)
    longest = int(reach.argmax())
    return near if reach[-1] > (1.0 - _PAST_STRAIGHT) * reach[longest] else near * float(shares[longest])


def limbs_of_biped(biped: Biped) -> tuple[Limb, ...]:
    """Return the legs of a figure that walks on two, as limbs.

    Raises:
        GaitError: If they have no knees.
    """
    if biped.is_stiff:
        raise GaitError(
            f'figure "{biped.skeleton.name}" has legs without knees; it can walk, but in no other gait: '
            "nothing gives way as it lands"
        )
    return _of_bipeds.get((biped,), (), lambda: _of_biped(biped))


_of_bipeds: Kept[tuple[Limb, ...]] = Kept(16)


def _of_biped(biped: Biped) -> tuple[Limb, ...]:
    found = []
    for leg in biped.legs:
        swing = np.zeros(biped.skeleton.nq)
        swing[leg.hip_turns.columns] = leg.hip_turns.share[:, 0]
        found.append(limb_of(biped.skeleton, leg, biped.pelvis, biped.facing, swing, leg.bend[:1]))
    return tuple(found)


class Bent(NamedTuple):
    """How a limb is bent.

    Attributes:
        swing: How far it swings to the back, shape (m,), [rad].
        fold: How far it is folded, from -1, straightest, to 0, as at rest, to 1, shape (m,).
        turn: How far its foot is turned about the left axis by that, shape (m,), [rad].
    """

    swing: Array
    fold: Array
    turn: Array


def changes(limb: Limb, bends: Bent) -> Array:
    """Return what of a pose changes as a limb is bent, shape (m, nq)."""
    found = bends.swing[:, None] * limb.swing
    for column in np.flatnonzero(np.abs(limb.fold).max(axis=0)):
        found[:, column] += np.interp(bends.fold, _FOLDS, limb.fold[:, column])
    return np.asarray(found)


def bent(limb: Limb, ways: Array) -> Bent:
    """Return what brings a limb's foot to places, or as near as it gets.

    Args:
        limb: The limb.
        ways: From the hip to the foot's joint, up and forward, shape (m, 2), [m].
    """
    up, ahead, turn = limb.tables
    reach = np.linalg.norm(limb.places[..., 1:], axis=2)
    middle = int(np.abs(_SWINGS).argmin())
    falling = np.minimum.accumulate(reach[middle])
    wanted = np.linalg.norm(ways, axis=1)
    g = np.interp(-wanted, -falling, _FOLDS)
    own = np.interp(g, _FOLDS, np.arctan2(-limb.places[middle, :, 2], -limb.places[middle, :, 1]))
    f = np.clip(np.arctan2(-ways[:, 1], -ways[:, 0]) - own + _SWINGS[middle], _SWINGS[0], _SWINGS[-1])
    for _ in range(_NEWTON):
        error = np.stack([ways[:, 0] - up.ev(f, g), ways[:, 1] - ahead.ev(f, g)], axis=1)
        J = np.empty((len(ways), 2, 2))
        J[:, 0, 0], J[:, 0, 1] = up.ev(f, g, dx=1), up.ev(f, g, dy=1)
        J[:, 1, 0], J[:, 1, 1] = ahead.ev(f, g, dx=1), ahead.ev(f, g, dy=1)
        # Damped: where the limb is stretched out, folding hardly moves the foot.
        JT = J.transpose(0, 2, 1)
        step = np.linalg.solve(JT @ J + 1e-5 * limb.reach**2 * np.eye(2), (JT @ error[..., None]))[..., 0]
        f = np.clip(f + np.clip(step[:, 0], -0.3, 0.3), _SWINGS[0], _SWINGS[-1])
        g = np.clip(g + np.clip(step[:, 1], -0.3, 0.3), _FOLDS[0], _FOLDS[-1])
    return Bent(f, g, np.asarray(turn.ev(f, g)))


def columns_of(limb: Limb) -> Ints:
    """Return the places in the pose of what moves a limb, but for its toes, shape (c,)."""
    found = {int(k) for turns in (limb.leg.hip_turns, limb.leg.ankle_turns) for k in turns.columns}
    found |= {int(k) for k in np.flatnonzero(np.abs(limb.fold).max(axis=0) + np.abs(limb.swing))}
    return np.array(sorted(found), dtype=np.int64)


def grip_of(limb: Limb) -> Grip:
    """Return what moves the foot of a limb: what folds it, and is fast already, as little as can be."""
    columns = columns_of(limb)
    folds = np.abs(limb.fold[-1, columns])
    return Grip(limb.leg, columns, 1.0 / (1.0 + _STIFF * folds / folds.max()), limb.length, limb.limits[columns])
