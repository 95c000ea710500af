"""Walk, trot and gallop on four legs.

Footfalls and duty factors are a horse's: the walk is in lateral sequence, each forefoot a quarter of a stride after the
hind foot of its side; the trot moves diagonal legs together; the gallop is transverse, hind feet in close succession,
then the forefeet, then a flight with the legs gathered (Hildebrand 1965, "Symmetrical gaits of horses", Science 150,
701-708; Hildebrand 1977, "Analysis of asymmetrical gaits", Journal of Mammalogy 58, 131-156; duty factors by speed of
Witte, Knill and Wilson 2004, "Determination of peak vertical ground reaction force from duty factor in the horse",
Journal of Experimental Biology 207, 3639-3648). Speeds are those that horses choose (Hoyt and Taylor 1981, "Gait and
the energetics of locomotion in horses", Nature 292, 239-240).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.carried import bears, heights_in_flight, over_feet, pressed, reached
from core.gait.cycle import CARRIED, Cycle, Progress, progress, smoothed
from core.gait.footfalls import Feet, contacts_of, cropped, footsteps_of, prints_of
from core.gait.manner import Manner
from core.gait.placed_root import place_root
from core.gait.prints import Print
from core.gait.quadruped import Quadruped, quadruped_on
from core.gait.stepping import FAST, SPEED, Passing, Swing, feet_standing, flown, stance_strips, stepped, stepping_keys
from core.gait.turns import headed, turn_by
from core.gait.walk import Walk
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.spatial import so3
from core.terrain.ground import Ground


class Carriage(NamedTuple):
    """How a body on four legs is carried in a gait. Times are shares of a stride.

    Attributes:
        bob: How far either girdle rises over its legs, twice a stride, of a leg's length.
        rock: How far the trunk rocks, once a stride, [rad].
        rocked: When it points up most.
        flex: How far the spine bends up and down, once a stride, [rad].
        flexed: When it is most arched.
        nod: How far the neck nods, [rad].
        nods: How often a stride.
        nodded: When the head is lowest.
        stretch: How far the neck is lowered all the time, [rad].
        sway: How far the hips drop to the side that bears nothing, [rad].
        tail: How far the tail is lifted, [rad].
    """

    bob: float
    rock: float
    rocked: float
    flex: float
    flexed: float
    nod: float
    nods: int
    nodded: float
    stretch: float
    sway: float
    tail: float


class FourLegged(NamedTuple):
    """A gait of four legs: its footfalls, and how the body is carried."""

    cycle: Cycle
    carriage: Carriage


Three = tuple[float, float, float]

_SHARES = (0.26, 0.50, 0.74)  # of a swing
_SIDEWAYS = 0.04  # of gravity: legs of a horse hardly reach aside


def _swing(back: Three, fold: Three, hoof: Three, clear: float, fastest: float = SPEED) -> Swing:
    """Return how a limb passes early, in the middle and late in a swing; angles in degrees.

    It goes on to the back at first, as forelegs of horses do, and is folded most in the middle. The values are those
    that let hooves pass over the ground with the least turning of joints.
    """
    passings = zip(_SHARES, np.radians(back).tolist(), fold, np.radians(hoof).tolist(), strict=True)
    return Swing(tuple(Passing(*each) for each in passings), clear, fastest)


WALK = FourLegged(
    Cycle(
        speed=0.40, rate=0.39, lands=(0.0, 0.5, 0.24, 0.74), duty=(0.64, 0.64, 0.63, 0.63),
        swings=(
            _swing((-6.5, -8.0, -6.0), (0.26, 0.38, 0.20), (7.0, 1.0, 6.0), 0.015),
            _swing((13.5, 6.0, 0.5), (0.25, 0.41, 0.23), (8.0, 4.0, 10.0), 0.015),
        ),
        push=np.radians(26.0), rolls=0.2,
        width=0.8, sideways=_SIDEWAYS, hurry=0.5,
    ),
    Carriage(bob=0.011, rock=0.0, rocked=0.0, flex=0.0, flexed=0.0, nod=np.radians(7.0), nods=2, nodded=0.1,
             stretch=np.radians(10.0), sway=np.radians(2.4), tail=0.0),
)  # fmt: skip

TROT = FourLegged(
    Cycle(
        speed=0.92, rate=0.55, lands=(0.0, 0.5, 0.5, 0.0), duty=(0.35, 0.35, 0.35, 0.35),
        swings=(
            _swing((1.5, -1.0, -2.5), (0.32, 0.51, 0.28), (6.5, 0.0, 5.5), 0.02),
            _swing((14.5, 16.5, 0.5), (0.33, 0.56, 0.32), (6.0, 0.0, 6.0), 0.02),
        ),
        push=np.radians(24.0), rolls=0.28,
        width=0.7, sideways=_SIDEWAYS, hurry=0.6,
    ),
    Carriage(bob=0.0, rock=0.0, rocked=0.0, flex=0.0, flexed=0.0, nod=np.radians(1.5), nods=2, nodded=0.2,
             stretch=np.radians(2.0), sway=np.radians(1.6), tail=np.radians(8.0)),
)  # fmt: skip

GALLOP = FourLegged(
    Cycle(
        speed=1.90, rate=0.76, lands=(0.0, 0.11, 0.36, 0.49), duty=(0.26, 0.25, 0.25, 0.25),
        swings=(
            _swing((-3.0, -1.5, -0.5), (0.53, 0.57, 0.23), (12.5, 0.0, 7.0), 0.03, FAST),
            _swing((16.0, 20.0, 4.0), (0.45, 0.71, 0.38), (10.5, 0.0, 7.5), 0.03, FAST),
        ),
        push=np.radians(27.0), rolls=0.32,
        width=0.55, sideways=_SIDEWAYS,
    ),
    Carriage(bob=0.0, rock=np.radians(5.0), rocked=0.12, flex=np.radians(14.0), flexed=0.92, nod=np.radians(10.0),
             nods=1, nodded=0.62, stretch=np.radians(20.0), sway=np.radians(0.8), tail=np.radians(30.0)),
)  # fmt: skip

_STRETCH = 0.965
_SLOUCH = 0.006  # of a leg's length: so far it stands under its rest pose
_LOOK = 0.9  # of a leg's length: so far ahead of its forefeet it looks in a curve
_TAIL_SWING = np.radians(16.0)
_LEAN = 0.25  # of the angle at which it would balance in a curve


def four_legged(gait: FourLegged) -> Callable[[Skeleton, Manner, Ground, float], Walk]:
    """Return what makes a gait of four legs; see ``core.gait.table``."""

    def made(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> Walk:
        return _make(gait, s, manner, ground, fps)

    return made


def _make(gait: FourLegged, s: Skeleton, manner: Manner, ground: Ground, fps: float) -> Walk:
    body, cycle, way, feet = _begun(gait, s, manner, ground, fps)
    last = way.last - way.cut
    trunk = _trunk(gait, cycle, body, manner, way, feet, ground, fps)
    frames = np.arange(way.cut, way.last + 1)
    swings = (cycle.swings[0], cycle.swings[0], cycle.swings[1], cycle.swings[1])
    step = stepped(s, body.limbs, feet.contacts, swings, trunk, ground, frames, fps)
    poses = flown(s, body.limbs, step, frames, ground, fps)
    ways = tuple(cropped(each, way.cut, way.last) for each in step.ways)
    return Walk(
        footsteps_of(body.limbs, tuple(each.contacts for each in ways), last, round(way.first) - way.cut), ways,
        stepping_keys(poses, frames - way.cut), stance_strips(s, ways, last), last, step.missed,
    )  # fmt: skip


def four_legged_prints(gait: FourLegged) -> Callable[[Skeleton, Manner, Ground, float], tuple[Print, ...]]:
    """Return what says where feet are set down in a gait of four legs; see ``core.gait.table``."""

    def found(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> tuple[Print, ...]:
        body, _, way, feet = _begun(gait, s, manner, ground, fps)
        return prints_of(body.limbs, feet.contacts, way.cut, way.last)

    return found


def _begun(gait: FourLegged, s: Skeleton, manner: Manner, ground: Ground, fps: float
           ) -> tuple[Quadruped, Cycle, Progress, Feet]:  # fmt: skip
    """Return the figure, its cycle, how it goes along its way, and where its feet stand."""
    body = quadruped_on(s, manner.feet)
    cycle = gait.cycle.at_speed(manner, body.leg_length)
    if manner.first == "left":  # the other lead
        lands, duty = (tuple(each[k] for k in (1, 0, 3, 2)) for each in (cycle.lands, cycle.duty))
        cycle = cycle._replace(lands=lands, duty=duty)
    if manner.lift != 1.0:
        cycle = cycle._replace(swings=tuple(swing._replace(clear=swing.clear * manner.lift) for swing in cycle.swings))
    way = progress(cycle, manner, body.leg_length, fps)
    sides = cycle.width * body.stands[:, 0]
    if manner.width is not None:
        sides = np.array([0.5 * manner.width * limb.leg.side for limb in body.limbs])
    feet = contacts_of(cycle, way, body.limbs, sides.tolist(), body.stands[:, 1].tolist(), manner.footprints, ground,
                       body.leg_length)  # fmt: skip
    return body, cycle, way, feet


def _trunk(
    gait: FourLegged, cycle: Cycle, body: Quadruped, manner: Manner, way: Progress, feet: Feet, ground: Ground,
    fps: float,
) -> Array:  # fmt: skip
    """Return poses of pelvis, spine, neck and tail over the feet, shape (m, nq)."""
    s, carriage, leg = body.skeleton, gait.carriage, body.leg_length
    gone, share, number, contacts = way.gone, way.share, len(way.gone), feet.contacts
    half = 0.5 * body.apart
    hind, fore = (way.path.places(gone + along) for along in (-half, half))
    if feet.along is not None:
        hind, fore = (smoothed(feet.along.moved(p) - p, CARRIED * way.stride) + p for p in (hind, fore))
    across = fore - hind
    yaw = smoothed(np.unwrap(np.arctan2(across[:, 0], across[:, 1])), 0.08 * way.stride)
    ahead = np.stack([np.sin(yaw), np.cos(yaw)], axis=1)
    left = np.stack([np.cos(yaw), -np.sin(yaw)], axis=1)
    middle = 0.5 * (hind + fore)
    heavy = middle + body.weight[2] * ahead
    rising = heights_in_flight(contacts, number, fps)
    fore_load = 0.5 + float(body.weight[2]) / body.apart
    loads = (1.0 - fore_load, 1.0 - fore_load, fore_load, fore_load)
    pressure = smoothed(pressed(body.limbs, contacts, number, loads), 0.06 * way.stride)
    over = over_feet(heavy, pressure, rising, float(body.weight[1]), fps)
    away = over - heavy
    sideways = smoothed((away * left).sum(axis=1), 0.4 * way.stride)
    middle = middle + away
    inward = np.arctan(_LEAN * sideways / body.weight[1])
    phase = np.asarray((np.arange(number) - way.first) / way.stride, dtype=np.float64)
    moving = np.asarray(share * np.sqrt(np.maximum(share, 0.0)), dtype=np.float64)
    heights = [smoothed(ground.heights(places), 0.15 * way.stride) for places in (hind, fore)]
    for n in range(2):  # each girdle is highest in the middle of a stance
        stance = cycle.lands[2 * n] + 0.5 * cycle.duty[2 * n]
        heights[n] = heights[n] + carriage.bob * leg * np.cos(4.0 * np.pi * (phase - stance)) * share * manner.bounce
    rock = carriage.rock * np.cos(2.0 * np.pi * (phase - carriage.rocked)) * moving * manner.bounce
    flex = np.asarray(carriage.flex * np.cos(2.0 * np.pi * (phase - carriage.flexed)) * moving * manner.bounce, float)
    pitch = -np.arctan2(heights[1] - heights[0], body.apart) - rock
    weight = bears(contacts[:2], body.limbs[:2], number, 0.08 * way.stride)
    roll = carriage.sway * weight * share * manner.sway - inward
    R = headed(yaw) @ so3.exp(roll[:, None] * [0.0, 0.0, 1.0])
    R = R @ so3.exp((pitch - 0.5 * flex)[:, None] * [1.0, 0.0, 0.0])
    center = np.stack([middle[:, 0], 0.5 * (heights[0] + heights[1]) + rising - _SLOUCH * leg, middle[:, 1]], axis=1)
    # It turns about the middle of the trunk, which stays over the middle of its feet.
    up = np.array([0.0, body.pelvis_place[1], 0.0])
    headed_to = yaw if feet.along is None else yaw - feet.along.turns
    q = _posed(
        body, center, R, up, carriage, phase, flex, headed_to, roll, pitch, weight, moving, way, gone, half, manner
    )
    stand = tuple(feet_standing(limb, where, number) for limb, where in zip(body.limbs, contacts, strict=True))
    hips = _hips(s, body, q)
    down = reached(body.limbs, contacts, hips, stand, _STRETCH, 0.08 * way.stride)
    q[:, 1] -= down
    return q


def _posed(
    body: Quadruped, center: Array, R: Array, up: Array, carriage: Carriage, phase: Array, flex: Array, yaw: Array,
    roll: Array, pitch: Array, weight: Array, moving: Array, way: Progress, gone: Array, half: float, manner: Manner,
) -> Array:  # fmt: skip
    """Return poses of the trunk about its middle, shape (m, nq)."""
    s, number, leg = body.skeleton, len(center), body.leg_length
    q = np.tile(s.rest_pose(), (number, 1))
    zero = np.zeros(number)
    ends = np.unwrap(np.stack([way.path.headings(gone - half), way.path.headings(gone + half)]), axis=0)
    bend = smoothed(ends[1] - ends[0], 0.1 * way.stride)
    spine = np.stack([flex, 0.55 * bend, -0.6 * roll], axis=1)
    look = smoothed(way.path.headings(gone + half + _LOOK * leg) - yaw - 0.5 * bend, 0.15 * way.stride)
    look -= np.round(look / (2.0 * np.pi)) * 2.0 * np.pi
    nod = carriage.nod * np.cos(2.0 * np.pi * carriage.nods * (phase - carriage.nodded)) * moving
    neck = np.stack([carriage.stretch * moving + nod - 0.6 * pitch - 0.5 * flex, 0.8 * look, -0.3 * roll], axis=1)
    for group, vectors in ((body.spine, spine), (body.neck[:-1], neck)):
        for turns in group:
            turn_by(q, turns, vectors / len(group))
    if body.neck:  # the head stays as it was: what the neck does is half undone by it
        turn_by(q, body.neck[-1], np.stack([-0.55 * neck[:, 0], 0.2 * look, zero], axis=1))
    for k, turns in enumerate(body.tail):
        late = 0.12 + 0.09 * k
        swing = _TAIL_SWING * np.sin(2.0 * np.pi * (phase - late)) * moving / len(body.tail) * (1.0 + 0.4 * k)
        lifted = carriage.tail * moving * (1.0 if k == 0 else -0.25)
        turn_by(q, turns, np.stack([lifted, zero, swing], axis=1))
    pelvis = np.tile(np.eye(4), (number, 1, 1))
    pelvis[:, :3, :3] = R @ body.pelvis_rest
    own = body.pelvis_place - up
    pelvis[:, :3, 3] = center + up + np.einsum("mij,j->mi", R, own)
    place_root(s, q, pelvis @ np.linalg.inv(body.pelvis_in_root))
    return q


def _hips(s: Skeleton, body: Quadruped, q: Array) -> tuple[Array, ...]:
    """Return where the limbs hang, each of shape (m, 3)."""
    F = forward_kinematics(s, q)
    return tuple(F[:, limb.leg.hip, :3, 3] for limb in body.limbs)
