"""Running: on one foot at a time, with a flight between.

Speed, stride rate and duty factor are those of an easy run (Cavanagh and Kram 1989, "Stride length in distance
running", Medicine and Science in Sports and Exercise 21, 467-479; Minetti 1998, "A model equation for the prediction of
mechanical internal work of terrestrial locomotion", Journal of Biomechanics 31, 463-468). The centre of mass falls
freely in flight; the leg in stance is a spring under it, lowest in the middle (Blickhan 1989, "The spring-mass model
for running and hopping", Journal of Biomechanics 22, 1217-1227).
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped, biped_on
from core.gait.carried import bears, heights_in_flight, over_feet, pressed, reached
from core.gait.cycle import CARRIED, Cycle, Progress, ahead_of, progress, smoothed
from core.gait.feet import Contact
from core.gait.footfalls import Feet, contacts_of, cropped, footsteps_of, prints_of
from core.gait.limbs import Limb, limbs_of_biped
from core.gait.manner import Manner
from core.gait.prints import Along, Print
from core.gait.stepping import GRAVITY, Passing, Swing, feet_standing, flown, stance_strips, stepped, stepping_keys
from core.gait.turns import headed
from core.gait.upper_body import pelvis_at, upper_body
from core.gait.walk import Walk
from core.skeleton import Skeleton
from core.spatial import so3
from core.terrain.ground import Ground

_LEG = Swing(
    (
        Passing(0.26, np.radians(-27.0), 0.595, np.radians(-2.5)),
        Passing(0.50, np.radians(-46.0), 0.74, np.radians(-6.0)),
        Passing(0.74, np.radians(-37.0), 0.44, np.radians(0.0)),
    ),
    clear=0.03,
)
RUN = Cycle(
    speed=0.98, rate=0.43, lands=(0.0, 0.5), duty=(0.34, 0.34), swings=(_LEG, _LEG), push=np.radians(42.0),
    strike=np.radians(6.0), rolls=0.7, width=0.35, ahead=-0.06, hurry=0.6,
)  # fmt: skip

_LEAN = np.radians(12.0)
_TURN, _DROP = np.radians(6.0), np.radians(3.0)
_SHOULDERS = 2.0
_ARM, _ELBOW, _ELBOW_SWING = np.radians(32.0), np.radians(86.0), np.radians(14.0)
_OUT = np.radians(5.0)
_STRETCH, _TALL = 0.96, 0.965
_SOFTER, _FASTER = (
    0.14,
    0.4,
)  # less stretched in a run that is twice as fast as usual: a knee that is straight as it lands would snap


def make_run(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> Walk:
    """Return keys and lock strips of a run; see ``core.gait.table``."""
    biped, limbs, cycle, way, feet = _begun(s, manner, ground, fps)
    last, contacts = way.last - way.cut, feet.contacts
    trunk = _trunk(biped, limbs, cycle, manner, way, contacts, feet.along, ground, fps)
    frames = np.arange(way.cut, way.last + 1)
    step = stepped(s, limbs, contacts, RUN.swings, trunk, ground, frames, fps)
    poses = flown(s, limbs, step, frames, ground, fps)
    ways = tuple(cropped(each, way.cut, way.last) for each in step.ways)
    made = tuple(each.contacts for each in ways)
    return Walk(
        footsteps_of(limbs, made, last, round(way.first) - way.cut), ways, stepping_keys(poses, frames - way.cut),
        stance_strips(s, ways, last), last, step.missed,
    )  # fmt: skip


def run_prints(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> tuple[Print, ...]:
    """Return where feet are set down in a run; see ``core.gait.table``."""
    _, limbs, _, way, feet = _begun(s, manner, ground, fps)
    return prints_of(limbs, feet.contacts, way.cut, way.last)


def _begun(s: Skeleton, manner: Manner, ground: Ground, fps: float
           ) -> tuple[Biped, tuple[Limb, ...], Cycle, Progress, Feet]:  # fmt: skip
    """Return the figure, its legs, how it goes along its way, and where its feet stand."""
    biped = biped_on(s, manner.feet)
    limbs, leg = limbs_of_biped(biped), biped.leg_length
    cycle = RUN.at_speed(manner, leg)
    way = progress(cycle, manner, leg, fps)
    half = 0.5 * abs(float(biped.legs[0].hip_place[0] - biped.legs[1].hip_place[0]))
    side = cycle.width * half if manner.width is None else 0.5 * manner.width
    sides = [side * limb.leg.side for limb in limbs]
    return biped, limbs, cycle, way, contacts_of(cycle, way, limbs, sides, (0.0, 0.0), manner.footprints, ground, leg)


def _trunk(
    biped: Biped, limbs: tuple[Limb, ...], cycle: Cycle, manner: Manner, way: Progress,
    contacts: tuple[tuple[Contact, ...], ...], along: Along | None, ground: Ground, fps: float,
) -> Array:  # fmt: skip
    """Return poses of pelvis, trunk and arms over the feet, shape (m, nq)."""
    gone, share = way.gone, way.share
    number, leg = len(gone), biped.leg_length
    places, heading = way.path.places(gone), smoothed(way.path.headings(gone), 0.12 * way.stride)
    if along is not None:
        places = smoothed(along.moved(places) - places, CARRIED * way.stride) + places
        heading = heading + along.turns
    left = np.stack([np.cos(heading), np.zeros(number), -np.sin(heading)], axis=1)
    weight = bears(contacts, limbs, number, 0.1 * way.stride)
    place = np.stack([places[:, 0], smoothed(ground.heights(places), 0.2 * way.stride), places[:, 1]], axis=1)
    rising = heights_in_flight(contacts, number, fps)
    over = over_feet(place[:, [0, 2]], pressed(limbs, contacts, number), rising, biped.height, fps)
    sideways = ((over - place[:, [0, 2]]) * left[:, [0, 2]]).sum(axis=1)
    place[:, [0, 2]] = over
    inward = np.arctan(smoothed(sideways, 0.5 * way.stride) / biped.height)
    ahead = 0.5 * (ahead_of(cycle, way, 0) - ahead_of(cycle, way, 1))
    yaw = heading - _TURN * ahead
    lean = (manner.lean + _LEAN) * share
    roll = _DROP * weight * share - inward
    R = headed(yaw) @ so3.exp(roll[:, None] * [0.0, 0.0, 1.0]) @ so3.exp((0.5 * lean)[:, None] * [1.0, 0.0, 0.0])
    place[:, 1] += biped.height - (1.0 - _TALL) * leg * (0.4 + 0.6 * share)
    place[:, 1] += rising
    faster = RUN.pace(manner, leg)[0] / (RUN.speed * np.sqrt(GRAVITY * leg)) - 1.0
    stretch = _STRETCH - _SOFTER * min(max(faster, 0.0), _FASTER)
    hips = tuple(place + np.einsum("mij,j->mi", R, limb.leg.hip_place) for limb in limbs)
    feet = tuple(feet_standing(limb, where, number) for limb, where in zip(limbs, contacts, strict=True))
    place[:, 1] -= reached(limbs, contacts, hips, feet, stretch, 0.12 * way.stride)
    twist = _SHOULDERS * _TURN * ahead * manner.arm_swing
    spine = np.stack([0.5 * lean, twist, -0.7 * (roll + inward)], axis=1)
    neck = np.stack([-0.8 * lean, _TURN * ahead - twist, -0.3 * (roll + inward)], axis=1)
    forward = np.stack([-ahead, ahead], axis=1) * manner.arm_swing
    swings = _ARM * forward - 0.1 * share[:, None]
    elbows = _ELBOW * (0.15 + 0.85 * share[:, None]) + _ELBOW_SWING * forward
    return upper_body(biped, pelvis_at(biped, place, R), spine, neck, swings, elbows, _OUT)
