"""Idling: a figure stands, shifts its weight from foot to foot, breathes and looks around; its feet stay.

The body sways as if it stood on one leg and then on the other, some ten times a minute at most; breaths take four
seconds (Winter 1995, "Human balance and posture control during standing and walking", Gait & Posture 3, 193-214).
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped, biped_on
from core.gait.carried import reached
from core.gait.cycle import smoothed
from core.gait.feet import Contact
from core.gait.footfalls import footsteps_of, prints_of
from core.gait.footsteps import set_down, sole_grid, widths
from core.gait.limbs import Limb, limbs_of_biped
from core.gait.manner import Manner
from core.gait.prints import Print
from core.gait.stepping import Stepping, Swing, feet_standing, stance_strips, stepped, stepping_keys
from core.gait.turns import headed
from core.gait.upper_body import pelvis_at, upper_body
from core.gait.walk import Walk
from core.skeleton import Skeleton
from core.spatial import so3
from core.terrain.ground import Ground

_SHIFT_TIME, _BREATH = 2.6, 4.0  # [s]
_MOVES = 0.42  # of the time of a shift: how long the body is on its way
_SHIFT = 0.30  # of the distance of the feet: how far the body goes to one side
_DROP, _TURN = np.radians(3.5), np.radians(4.0)
_CHEST, _SHOULDER = np.radians(1.6), np.radians(1.4)
_LOOK = np.radians(9.0)
_STANCE = 0.95  # of the distance of the hips: how far apart the feet stand
_OUT = np.radians(4.0)
_KEY_TIME = 0.13  # [s]
_TALL = 0.992
_SWAYS, _KEPT = (1.0, 0.7, 0.5, 0.3, 0.1), 0.001  # shares of it that are tried; of a leg, is no hindrance
_STILL = Swing(())


def make_idle(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> Walk:
    """Return keys and lock strips of a figure that stands and waits; see ``core.gait.table``.

    Steps are shifts of weight, their rate is the step rate. It ends as it begins, if there is an even number of them.
    """
    biped = biped_on(s, manner.feet)
    limbs, leg = limbs_of_biped(biped), biped.leg_length
    time, last = _shift_time(manner), _last(manner, fps)
    t = np.arange(last + 1) / fps
    number = last + 1
    apart = _apart(biped, manner)
    heading, begin = manner.heading, np.array(manner.path[0] if manner.path else manner.place)
    left, ahead = np.array([np.cos(heading), -np.sin(heading)]), np.array([np.sin(heading), np.cos(heading)])
    contacts, begin = _standing(biped, limbs, manner, begin, apart, ground, last)
    middle = 0.5 * sum((where[0].flat[:3, 3] for where in contacts), np.zeros(3))
    weight = _weight(t / time, manner)
    whole = max(round(t[-1] / _BREATH), 1)  # breaths, so that it ends as it begins
    breath = np.sin(2.0 * np.pi * whole * t / t[-1] - 0.6) + np.sin(0.6)
    look = smoothed(np.roll(weight, round(0.3 * time * fps)), 0.1 * time * fps)
    fore = 0.006 * leg * np.sin(2.0 * np.pi * max(round(0.31 * t[-1]), 1) * t / t[-1])
    feet = tuple(feet_standing(limb, where, number) for limb, where in zip(limbs, contacts, strict=True))
    frames = np.unique(np.rint(np.linspace(0, last, max(round(last / (_KEY_TIME * fps)), 1) + 1)).astype(np.int64))
    zero = np.zeros(number)
    chest = -_CHEST * breath * manner.bounce
    arms = np.stack([_SHOULDER * breath + 0.03 * look, _SHOULDER * breath - 0.03 * look], axis=1) * manner.arm_swing
    elbows = np.stack([zero + 0.22, zero + 0.22], axis=1) + 0.02 * breath[:, None]

    def swaying(sway: float) -> tuple[Stepping, float]:
        """Return what legs do as the body sways by so much, and how far it is kept from that, [m]."""
        place = np.zeros((number, 3))
        side = _SHIFT * apart * sway * weight
        place[:, [0, 2]] = begin + 0.01 * leg * ahead + side[:, None] * left + fore[:, None] * ahead
        place[:, 1] = ground.heights(begin[None])[0] + _TALL * biped.height - 0.008 * leg * weight * weight
        place[:, 1] = np.minimum(place[:, 1], middle[1] + biped.height)
        yaw, roll = heading - _TURN * weight, _DROP * weight * sway
        R = headed(yaw) @ so3.exp(roll[:, None] * [0.0, 0.0, 1.0])
        hang = tuple(place + np.einsum("mij,j->mi", R, limb.leg.hip_place) for limb in limbs)
        place[:, 1] -= reached(limbs, contacts, hang, feet, 0.986, 0.2 * fps)
        spine = np.stack([chest + manner.lean, 0.6 * _TURN * weight, -1.15 * roll], axis=1)
        neck = np.stack([-0.8 * chest - 0.7 * manner.lean, 0.4 * _TURN * weight + _LOOK * look, 0.15 * roll], axis=1)
        trunk = upper_body(biped, pelvis_at(biped, place, R), spine, neck, arms, elbows, _OUT)
        found = stepped(s, limbs, contacts, (_STILL, _STILL), trunk, ground, frames, fps)
        return found, float(np.abs(found.poses[:, :3] - trunk[frames, :3]).max())

    for share in _SWAYS:  # as far as hips go to the side: where they do not, knees would snap
        step, kept = swaying(share * manner.sway)
        if kept <= _KEPT * leg:
            break
    else:
        step, _ = swaying(manner.sway)
    return Walk(
        footsteps_of(limbs, contacts, last, 0), step.ways, stepping_keys(step.poses, frames),
        stance_strips(s, step.ways, last), last, step.missed,
    )  # fmt: skip


def idle_prints(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> tuple[Print, ...]:
    """Return where a figure stands as it waits; see ``core.gait.table``."""
    biped = biped_on(s, manner.feet)
    limbs, begin = limbs_of_biped(biped), np.array(manner.path[0] if manner.path else manner.place)
    apart, last = _apart(biped, manner), _last(manner, fps)
    contacts, _ = _standing(biped, limbs, manner, begin, apart, ground, last)
    return prints_of(limbs, contacts)


def _last(manner: Manner, fps: float) -> int:
    return max(round(manner.steps * _shift_time(manner) * fps), 2)


def _shift_time(manner: Manner) -> float:
    return _SHIFT_TIME if manner.step_rate is None else 1.0 / manner.step_rate


def _apart(biped: Biped, manner: Manner) -> float:
    hips, _ = widths(biped, manner)
    return _STANCE * hips if manner.width is None else manner.width


def _standing(biped: Biped, limbs: tuple[Limb, ...], manner: Manner, begin: Array, apart: float, ground: Ground,
              last: int) -> tuple[tuple[tuple[Contact, ...], ...], Array]:  # fmt: skip
    """Return where both feet stand, and where the body does, in the middle between them, x and z."""
    heading = manner.heading
    left, away = np.array([np.cos(heading), -np.sin(heading)]), np.zeros(2)
    contacts = []
    for k, limb in enumerate(limbs):
        place, yaw = begin + 0.5 * apart * limb.leg.side * left, heading + 1.6 * biped.outward * limb.leg.side
        if k in manner.footprints:
            x, z, yaw = manner.footprints[k]
            away += 0.5 * (np.array([x, z]) - place)
            place = np.array([x, z])
        _, G, _ = set_down(sole_grid(limb.leg.sole), place[None], np.zeros(1), yaw, ground, None, biped.leg_length)
        contacts.append((Contact(k, G @ limb.leg.flat, G @ limb.leg.toe_flat, 0, 0, last, last, 0.0, 0.0, -1),))
    return tuple(contacts), begin + away


def _weight(shifts: Array, manner: Manner) -> Array:
    """Return on which foot the weight is, from -1, right, to 1, left: smoothly from one to the other, shape (m,)."""
    first = -1.0 if manner.first == "left" else 1.0  # it steps with the foot that bears nothing
    k = np.floor(shifts)
    u = np.clip((shifts - k) / _MOVES, 0.0, 1.0)
    ease = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    number = max(manner.steps, 1)

    def level(k: Array) -> Array:
        """Return where the weight is after so many shifts; to the middle at both ends."""
        share = np.where((k <= 0) | (k >= number), 0.0, np.where(k % 2 == 1, 1.0, -1.0))
        return np.asarray(first * share * (1.0 - 0.25 * (k % 3 == 2)))

    return level(k) + ease * (level(k + 1) - level(k))
