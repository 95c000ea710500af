"""Jumping off both feet: a crouch, a push, a flight in which the centre of mass falls freely, and a landing.

Arms swing back as the figure goes down and up as it pushes off, which makes jumps higher (Feltner, Fraschetti and Crisp
1999, "Upper extremity augmentation of lower extremity kinetics during countermovement vertical jumps", Journal of
Sports Sciences 17, 449-466). Heights of the flight follow from its time and the other way round: h = g t^2 / 8.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped, biped_on
from core.gait.carried import over_feet, pressed, reached
from core.gait.cycle import course, smoothed
from core.gait.feet import Contact
from core.gait.footfalls import footsteps_of, prints_of
from core.gait.footsteps import set_down, sole_grid, widths
from core.gait.limbs import Limb, limbs_of_biped
from core.gait.manner import ADULT, Manner, Pace
from core.gait.prints import Print
from core.gait.stepping import (
    GRAVITY,
    Passing,
    Swing,
    feet_standing,
    flown,
    most_push,
    stance_strips,
    stepped,
    stepping_keys,
)
from core.gait.turns import headed, line_to
from core.gait.upper_body import pelvis_at, upper_body
from core.gait.walk import Walk
from core.kinematics.center_of_mass import segment_masses
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.spatial import so3
from core.terrain.ground import Ground

_LENGTH, _HEIGHT = 0.75, 0.22  # of a leg's length: how far a jump goes, and how high the centre of mass rises in flight
_STAND, _DOWN, _UP, _LAND, _RISE = 0.25, 0.42, 0.26, 0.24, 0.55  # [s]: of a leg of an adult
_CROUCH, _SINK = 0.27, 0.24  # of a leg's length: how deep before, and after the flight
_GIVE = 0.115  # likewise: how much lower it lands than it stands; it leaves no higher, or knees would snap straight
_STRETCH = 0.96  # as far as this of their reach legs are stretched
_LEAN, _LEAN_AFTER = np.radians(34.0), np.radians(26.0)
_BACK, _FORWARD = np.radians(-42.0), np.radians(104.0)  # of the arms
_PUSH = np.radians(42.0)
_STANCE = 0.85
_KNEE = 0.25  # of a leg that bends: by so much its weight is before the line from hip to foot
_OUT = np.radians(5.0)
_LONGER = 0.05  # of a jump: so much longer they are along a path rather than one more
_TUCK = Swing((Passing(0.5, np.radians(-46.0), 0.56, np.radians(13.0)),), clear=0.04)


def make_jump(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> Walk:
    """Return keys and lock strips of jumps; see ``core.gait.table``.

    Steps are jumps, a step's length is that of a jump; ``lift`` says how high they go, of the usual.
    """
    biped = biped_on(s, manner.feet)
    limbs, marks, contacts, air = _begun(biped, manner, ground, fps)
    last = marks[-1][3]
    trunk = _trunk(biped, limbs, manner, contacts, marks, fps, air)
    frames = np.arange(last + 1)
    step = stepped(s, limbs, contacts, (_TUCK, _TUCK), trunk, ground, frames, fps)
    poses = flown(s, limbs, step, frames, ground, fps, even=True)
    return Walk(
        footsteps_of(limbs, contacts, last, round(_STAND * fps)), step.ways, stepping_keys(poses, frames),
        stance_strips(s, step.ways, last), last, step.missed,
    )  # fmt: skip


def jump_prints(s: Skeleton, manner: Manner, ground: Ground, fps: float) -> tuple[Print, ...]:
    """Return where feet are set down in jumps; see ``core.gait.table``."""
    limbs, _, contacts, _ = _begun(biped_on(s, manner.feet), manner, ground, fps)
    return prints_of(limbs, contacts)


def jump_pace(manner: Manner, leg: float) -> Pace:
    """Return speed, length and rate of jumps for a leg of so many metres: their rate follows from their height."""
    length = _LENGTH * leg if manner.step_length is None else manner.step_length
    flight = np.sqrt(8.0 * max(_HEIGHT * leg * manner.lift, 0.02) / GRAVITY)
    time = float(flight + np.sqrt(leg / ADULT) * (_LAND + 0.3 * _RISE + _DOWN + _UP))
    return Pace(length / time, length, 1.0 / time)


Begun = tuple[tuple[Limb, ...], "list[Marks]", tuple[tuple[Contact, ...], ...], list[int]]
"""Legs, frames of all stances, contacts of both feet, and how many frames each flight lasts."""


def _begun(biped: Biped, manner: Manner, ground: Ground, fps: float) -> Begun:
    limbs, leg = limbs_of_biped(biped), biped.leg_length
    length = jump_pace(manner, leg).length
    way = course(manner, length)
    number = manner.steps if not manner.path else max(math.ceil(way.length / length - _LONGER), 1)
    places = np.linspace(0.0, way.length, number + 1)
    high = max(_HEIGHT * leg * manner.lift, 0.02)
    at, turns = way.places(places), way.headings(places)
    return limbs, *_times(limbs, biped, manner, ground, at, turns, fps, np.sqrt(leg / ADULT), high)


Marks = tuple[int, int, int, int]
"""Frames of one stance: where it begins, goes down, pushes off, leaves; of the last one, where it ends."""


def _times(
    limbs: tuple[Limb, ...], biped: Biped, manner: Manner, ground: Ground, places: Array, headings: Array, fps: float,
    slow: float, high: float,
) -> tuple[list[Marks], tuple[tuple[Contact, ...], ...], list[int]]:  # fmt: skip
    """Return frames of all stances, contacts of both feet, and how many frames each flight lasts."""
    leg = biped.leg_length
    hips, _ = widths(biped, manner)
    apart = _STANCE * hips if manner.width is None else manner.width
    prints: list[list[Array]] = []
    soles = [sole_grid(limb.leg.sole) for limb in limbs]
    away = np.zeros(2)
    for k, (place, heading) in enumerate(zip(places, headings, strict=True)):
        left = np.array([np.cos(heading), -np.sin(heading)])
        both = []
        for n, limb in enumerate(limbs):
            at, yaw = place + 0.5 * apart * limb.leg.side * left, heading + biped.outward * limb.leg.side
            if 2 * k + n in manner.footprints:
                x, z, yaw = manner.footprints[2 * k + n]
                away = np.array([x, z]) - at  # what comes after it goes on from there
            at = at + away
            _, G, _ = set_down(soles[n], at[None], np.zeros(1), yaw, ground, None, leg)
            both.append(G)
        prints.append(both)
    marks: list[Marks] = []
    air: list[int] = []
    now = 0
    for k in range(len(places)):
        begin = now
        if k == 0:
            now += round(_STAND * fps)
        else:
            now += max(round(_LAND * slow * fps), 3)
            if k < len(places) - 1:
                now += round(0.3 * _RISE * slow * fps)
        down = now
        if k == len(places) - 1:
            marks.append((begin, down, down, down + round((_RISE * slow + 0.3) * fps)))
            break
        now += max(round(_DOWN * slow * fps), 4)
        push = now
        now += max(round(_UP * slow * fps), 4)
        marks.append((begin, down, push, now))
        climb = float(np.mean([G[1, 3] for G in prints[k + 1]]) - np.mean([G[1, 3] for G in prints[k]]))
        above = max(high, 1.15 * climb)
        flight = np.sqrt(2.0 * above / GRAVITY) + np.sqrt(2.0 * max(above - climb, 0.01) / GRAVITY)
        air.append(max(round(flight * fps), 3))
        now += air[-1]
    contacts = []
    for n, limb in enumerate(limbs):
        found = []
        for k, (begin, _, push, end) in enumerate(marks):
            G = prints[k][n]
            final = k == len(marks) - 1
            rise = end if final else push
            rolls = 0.0 if final else min(_PUSH, limb.leg.most_roll, most_push(end - push, fps))
            found.append(
                Contact(2 * k + n, G @ limb.leg.flat, G @ limb.leg.toe_flat, begin, begin, rise, end, 0.0,
                        rolls, begin if k else -1)
            )  # fmt: skip
        contacts.append(tuple(found))
    return marks, tuple(contacts), air


def _trunk(
    biped: Biped, limbs: tuple[Limb, ...], manner: Manner, contacts: tuple[tuple[Contact, ...], ...],
    marks: list[Marks], fps: float, air: list[int],
) -> Array:  # fmt: skip
    """Return poses of pelvis, trunk and arms, shape (m, nq)."""
    number, leg = marks[-1][3] + 1, biped.leg_length
    deep = _CROUCH * leg * min(np.sqrt(manner.lift), 1.3)
    knots: list[tuple[float, float, float]] = []  # frame, height over standing, its change a frame
    lean: list[tuple[float, float]] = []
    arms: list[tuple[float, float]] = []
    g = GRAVITY / fps**2
    swing = manner.arm_swing
    for k, (begin, down, push, end) in enumerate(marks):
        base = float(np.mean([where[k].flat[1, 3] - limb.leg.flat[1, 3]
                              for where, limb in zip(contacts, limbs, strict=True)]))  # fmt: skip
        if k > 0:
            fall = knots[-1][2] - g * air[k - 1]
            sunk = base - _SINK * leg
            knots += [(begin, knots[-1][1] + air[k - 1] * (knots[-1][2] - 0.5 * g * air[k - 1]), fall)]
            knots += [(max(begin + round(0.20 * fps * np.sqrt(leg / ADULT)), begin + 2), sunk, 0.0)]
            lean += [(begin - 1, 0.25), (knots[-1][0], _LEAN_AFTER / _LEAN)]
            arms += [(begin, 0.8 * _FORWARD), (knots[-1][0], -0.25)]
        else:
            knots += [(0, base, 0.0), (down, base, 0.0)]
            lean += [(0, 0.0), (down, 0.0)]
            arms += [(0, 0.0), (down, 0.0)]
        if k == len(marks) - 1:
            knots += [(end - round(0.25 * fps), base, 0.0), (end, base, 0.0)]
            lean += [(end - round(0.3 * fps), 0.0), (end, 0.0)]
            arms += [(end - round(0.15 * fps), 0.0), (end, 0.0)]
            break
        after = float(np.mean([where[k + 1].flat[1, 3] - limb.leg.flat[1, 3]
                               for where, limb in zip(contacts, limbs, strict=True)]))  # fmt: skip
        speed = 0.5 * g * air[k] + (after - base - _GIVE * leg) / air[k]
        knots += [(push, base - deep, 0.0), (end, base, speed)]
        lean += [(push, 1.0), (end, 0.12), (end + 0.5 * air[k], 0.2)]
        arms += [(push - 2, _BACK), (end + 1, _FORWARD), (end + 0.5 * air[k], 0.95 * _FORWARD)]
    t = np.arange(number, dtype=np.float64)
    height = _hermite(t, knots)
    bend, raised = _eased(t, lean) * _LEAN, _eased(t, arms)
    places, heading = _path(contacts, marks, number)
    place = np.zeros((number, 3))
    place[:, [0, 2]] = over_feet(places, pressed(limbs, contacts, number), height, biped.height, fps)
    place[:, 1] = height + biped.height * 0.995
    R = headed(heading) @ so3.exp((0.75 * bend + manner.lean)[:, None] * [1.0, 0.0, 0.0])
    hips = tuple(np.einsum("mij,j->mi", R, limb.leg.hip_place) for limb in limbs)
    feet = tuple(feet_standing(limb, where, number) for limb, where in zip(limbs, contacts, strict=True))
    zero = np.zeros(number)
    spine = np.stack([0.45 * bend, zero, zero], axis=1)
    neck = np.stack([-0.85 * bend, zero, zero], axis=1)
    both = np.stack([raised, raised], axis=1) * swing
    elbows = np.radians(18.0) + 0.22 * np.abs(both)
    q = upper_body(biped, pelvis_at(biped, place, R), spine, neck, both, elbows, _OUT)
    before = place.copy()
    place[:, [0, 2]] -= _off(biped, q, place, hips, feet, contacts, heading)
    place[:, 1] -= reached(limbs, contacts, tuple(place + hip for hip in hips), feet, _STRETCH, 1.0)
    q[:, :3] += place - before
    return q


def _off(biped: Biped, q: Array, place: Array, hips: tuple[Array, ...], feet: tuple[Array, ...],
         contacts: tuple[tuple[Contact, ...], ...], heading: Array) -> Array:  # fmt: skip
    """Return how far the centre of mass is off where the pelvis should carry it, x and z, shape (m, 2), [m].

    So the weight goes over the feet as ``over_feet`` has it, whatever trunk and arms do, and leaves the ground at the
    speed at which it flies. Of a leg, whose joints are not bent yet, half a knee's way forward counts.

    Args:
        biped: The figure.
        q: Poses with legs as at rest, shape (m, nq).
        place: Where the pelvis is in these, shape (m, 3), [m].
        hips: Where each leg hangs from there, shape (m, 3), [m].
        feet: Frames of each foot where it stands, shape (m, 4, 4).
        contacts: Where each stands.
        heading: Where it faces, shape (m,), [rad].
    """
    s = biped.skeleton
    masses, centers = segment_masses(s)
    F = forward_kinematics(s, q)
    places = np.einsum("mnij,nj->mni", F[..., :3, :3], centers) + F[..., :3, 3]
    at = np.arange(len(q))
    stands = np.zeros(len(q), dtype=bool)
    for contact in contacts[0]:
        stands[contact.land : contact.leave + 1] = True
    ahead = np.stack([np.sin(heading), np.cos(heading)], axis=1)
    below = [[leg.hip in line_to(s, joint) for joint in range(len(masses))] for leg in biped.legs]
    trunk = ~np.any(below, axis=0)
    moment = masses[trunk] @ (places[:, trunk][:, :, [0, 2]] - place[:, None, [0, 2]])
    found = np.zeros((len(q), 2))
    for _ in range(2):  # as the pelvis goes elsewhere legs lean otherwise
        total = moment.copy()
        for leg, own, hip, foot in zip(biped.legs, below, hips, feet, strict=True):
            way = foot[:, :3, 3] - place - hip
            way[:, [0, 2]] += found
            forward = _KNEE * np.sqrt(np.maximum(leg.length**2 - (way * way).sum(axis=1), 0.0))
            middle = hip[:, [0, 2]] + 0.5 * way[:, [0, 2]] + forward[:, None] * ahead
            total += masses[own].sum() * middle
        off = total / masses.sum()
        for n in range(2):  # a body in flight is put where it falls anyway
            found[:, n] = np.interp(at, at[stands], off[stands, n])
    return found - found[0]


def _hermite(t: Array, knots: list[tuple[float, float, float]]) -> Array:
    from scipy.interpolate import CubicHermiteSpline  # here: the window starts without it

    at, values, slopes = (np.array(each, dtype=np.float64) for each in zip(*knots, strict=True))
    return np.asarray(CubicHermiteSpline(at, values, slopes)(t))


def _eased(t: Array, knots: list[tuple[float, float]]) -> Array:
    from scipy.interpolate import PchipInterpolator  # here: the window starts without it

    at, values = (np.array(each, dtype=np.float64) for each in zip(*knots, strict=True))
    keep = np.concatenate([[True], np.diff(at) > 0.5])
    return smoothed(np.asarray(PchipInterpolator(at[keep], values[keep])(t)), 1.2)


def _path(contacts: tuple[tuple[Contact, ...], ...], marks: list[Marks], number: int) -> tuple[Array, Array]:
    """Return where the body would be, over its feet and straight from place to place, (m, 2), and its heading, (m,)."""
    at, places, turns = [], [], []
    for k, (begin, _, _, end) in enumerate(marks):
        middle = np.mean([where[k].flat[[0, 2], 3] for where in contacts], axis=0)
        at += [begin, end]
        places += [middle, middle]
        turns += [_heading(contacts, k)] * 2
    t = np.arange(number)
    found = np.stack([np.interp(t, at, [p[n] for p in places]) for n in range(2)], axis=1)
    return found, smoothed(np.interp(t, at, np.unwrap(turns)), 3.0)


def _heading(contacts: tuple[tuple[Contact, ...], ...], k: int) -> float:
    """Return where a figure faces that stands on its left and right foot, [rad]."""
    left, right = (where[k].flat[[0, 2], 3] for where in contacts)
    across = left - right
    return float(np.arctan2(-across[1], across[0]))
