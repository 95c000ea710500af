"""Gaits that repeat: when each foot lands and leaves by its share of a stride, and where it is set down under the body.

A gait is a row of numbers, after Hildebrand (1965, "Symmetrical gaits of horses", Science 150, 701-708): for each foot
the share of the stride at which it lands, and its duty factor, the share for which it stands. The body goes along its
way; a foot is set down so that the body passes over it in the middle of its stance, on feet that leave sooner as it
speeds up. Speeds and stride rates are stated by leg length, as figures of another size move alike at the same Froude
number (Alexander 1989, "Optimization and gaits in the locomotion of vertebrates", Physiological Reviews 69, 1199-1227).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.biped import LEFT, Turns
from core.gait.feet import Contact, FootWay
from core.gait.footsteps import Footsteps, sole_grid, tries
from core.gait.ground_path import GroundPath, path_of
from core.gait.limbs import Limb
from core.gait.manner import Footprint, Manner, Pace
from core.gait.prints import Along, Planned, Print, along_of, placed
from core.gait.stepping import GRAVITY, Swing, most_push
from core.gait.stepping import flights as flights_of
from core.spatial import so3
from core.spatial.cross_products import cross
from core.terrain.ground import Ground

_STAND, _WAIT = 0.4, 0.5  # [s]: before the first step, and after the last
_SPEEDING = 1.1  # strides that it takes to get up to speed
_MOST_SPEEDING = 0.22  # of gravity: nobody gets up to speed faster
_HEEL_FRAMES = 0.04  # of a stride
_SPRING = 0.36  # [s]: for how long a leg gives way where it lands, or before it pushes off
_HASTY = 0.5  # of a swing: in less time no foot takes a first step
_SMALLEST = 3  # frames that a foot stands at least
_LEAST_ROLL = 3  # frames that a foot rolls off at least, if it stands that long
_NEAR = 0.05  # how much it counts to be where it is wanted, against where the ground bears it
_OUTWARD = np.radians(4.0)
CARRIED = 0.15  # of a stride: over so long the body goes along with a print that is elsewhere


class Cycle(NamedTuple):
    """A gait that repeats.

    Attributes:
        speed: Its usual speed, of the root of gravity times leg length.
        rate: Its usual strides, of the root of gravity over leg length.
        lands: When each foot lands, of a stride: left and right, of four-legged figures behind, then before.
        duty: How long each stands, likewise.
        swings: How limbs swing: those behind, then those before.
        push: How far a foot is rolled as it leaves, [rad].
        strike: How far it is turned up on its heel as it lands, [rad].
        rolls: For how much of its stance it rolls off.
        width: How far feet of a pair go apart, of the distance of their hips.
        sideways: Of gravity: curves that take more are gone more slowly.
        hurry: With which power of a speed over the usual one feet stand for less of a stride.
        ahead: How much farther before the hips than under them a foot is set down, of the way the body goes meanwhile.
    """

    speed: float
    rate: float
    lands: tuple[float, ...]
    duty: tuple[float, ...]
    swings: tuple[Swing, ...]
    push: float
    strike: float = 0.0
    rolls: float = 0.45
    width: float = 0.8
    ahead: float = 0.0
    sideways: float = 0.1
    hurry: float = 0.0

    def at_speed(self, manner: Manner, leg: float) -> Cycle:
        """Return the gait as it is in a manner: who goes faster than usual is in the air for longer.

        Duty factors fall with speed (Hoyt, Wickler and Cogger 2000, "Time of contact and step length", Journal of
        Experimental Biology 203, 221-227).
        """
        faster = self.pace(manner, leg)[0] / (self.speed * np.sqrt(GRAVITY * leg))
        if faster <= 1.0 or self.hurry == 0.0:
            return self
        return self._replace(duty=tuple(float(each * faster**-self.hurry) for each in self.duty))

    def pace(self, manner: Manner, leg: float) -> tuple[float, float]:
        """Return the speed, [m/s], and how long a stride takes, [s]: two steps of the manner."""
        usual = self.speed * np.sqrt(GRAVITY * leg), self.rate * np.sqrt(GRAVITY / leg)
        v, length, rate = manner.speed, manner.step_length, manner.step_rate
        if length is not None and rate is not None:
            v = length * rate
        elif v is not None and length is not None:
            rate = v / length
        elif v is None and length is not None:
            rate = 2.0 * usual[1]
            v = length * rate
        elif v is None and rate is not None:
            v = usual[0] * rate / (2.0 * usual[1])
        elif v is None:
            v = usual[0]
        if rate is None:  # who goes faster within a gait takes longer strides, and little quicker ones
            rate = 2.0 * usual[1] * (v / usual[0]) ** 0.4
        return float(v), float(2.0 / rate)

    def steps(self, manner: Manner, leg: float) -> Pace:
        """Return speed, length and rate of its steps, two a stride, for a leg of so many metres."""
        v, stride = self.pace(manner, leg)
        return Pace(v, 0.5 * v * stride, 2.0 / stride)


class Progress(NamedTuple):
    """How a body goes along its way.

    Attributes:
        path: The way.
        gone: How far it is along that at each frame, shape (m,), [m].
        share: Its speed there, of the gait's own, likewise.
        first: Frame at which the first foot leaves, or the frame that is counted as 0.
        last: Last frame.
        cut: Frames that are left out at the beginning.
        stride: Frames of a stride.
        stop: Frame at which it has arrived; past the last one if it goes on.
        fps: Frames a second.
    """

    path: GroundPath
    gone: Array
    share: Array
    first: float
    last: int
    cut: int
    stride: float
    stop: float
    fps: float


def course(manner: Manner, length: float) -> GroundPath:
    """Return the way of a manner: its path, or as many steps of a length straight ahead or turning."""
    if manner.path:
        return path_of(manner.path)
    number = max(manner.steps, 1)
    headings = manner.heading + manner.turn * (np.arange(number) + 0.5)
    steps = length * np.stack([np.sin(headings), np.cos(headings)], axis=1)
    return GroundPath(np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]) + np.array(manner.place))


def progress(cycle: Cycle, manner: Manner, leg: float, fps: float) -> Progress:
    """Return how a body goes along its way.

    Args:
        cycle: The gait.
        manner: How fast, how far, and which way.
        leg: Length of a leg, [m].
        fps: Frames a second.
    """
    v, stride_time = cycle.pace(manner, leg)
    stride = stride_time * fps
    path = course(manner, 0.5 * v * stride_time)
    lead = round(_STAND * fps) if manner.start else 0
    cut = 0 if manner.start else int(np.ceil(1.5 * stride))
    step = v / fps
    places = np.linspace(0.0, path.length, max(int(path.length / (0.25 * leg)), 4) + 1)
    allowed = path.paces(places, 0.5 * v * stride_time, v * v / (cycle.sideways * GRAVITY))
    gone, share, s = [0.0], [0.0 if manner.start else 1.0], 0.0
    up = min(1.0 / (_SPEEDING * stride), _MOST_SPEEDING * GRAVITY / (v * fps))
    most = 60_000
    for _ in range(lead):
        gone.append(0.0)
        share.append(0.0)
    pace = 0.0 if manner.start else 1.0
    while s < path.length - 1e-4 * step and len(gone) < most:
        wanted = float(np.interp(s, places, allowed))
        if manner.stop:  # as far from the end as it takes to slow down evenly
            wanted = min(wanted, np.sqrt(2.0 * up * (path.length - s) / step) + 0.02)
        pace += float(np.clip(wanted - pace, -2.0 * up, up))
        pace = max(pace, 0.02)
        s = min(s + pace * step, path.length)
        gone.append(s)
        share.append(pace)
    stop = float(len(gone) - 1)
    rest = round((_WAIT * fps + 1.6 * stride) if manner.stop else 1.6 * stride)
    gone += [s if manner.stop else s + (k + 1) * pace * step for k in range(rest)]
    share += [0.0 if manner.stop else pace] * rest
    before = -np.arange(cut, 0, -1) * step
    number = len(gone) + cut
    found = np.concatenate([before, np.array(gone)])
    shares = np.concatenate([np.ones(cut), np.array(share)])
    last = number - 1 if manner.stop else int(stop) + cut
    return Progress(
        path, smoothed(found, 0.10 * stride), smoothed(shares, 0.12 * stride), float(lead + cut), last, cut, stride,
        stop + cut if manner.stop else 2.0 * number, fps,
    )  # fmt: skip


def smoothed(values: Array, sigma: float) -> Array:
    """Return values smoothed over so many frames, shape (m, ...)."""
    from scipy.ndimage import gaussian_filter1d  # here: the window starts without it

    return np.asarray(gaussian_filter1d(values, sigma, axis=0, mode="nearest"))


class Stand(NamedTuple):
    """Where a foot is set down: when, how far along the way, and whether it stands there before or after all steps."""

    land: int
    leave: int
    place: float
    rests: bool


def stands_of(cycle: Cycle, way: Progress, foot: int) -> list[Stand]:
    """Return when and where along the way a foot is set down, in all frames."""
    found: list[Stand] = []
    duty, phase, T, number = cycle.duty[foot], cycle.lands[foot], way.stride, len(way.gone)
    starts = way.cut == 0
    at = np.arange(number)
    k = 0 if starts else -3
    while True:
        land = way.first + T * (k + phase)
        leave = land + T * duty
        k += 1
        if starts and not found:  # it stands until it is its turn, and longer if there is no time to swing
            stays = land <= way.first + _HASTY * T * (1.0 - duty)
            found.append(Stand(0, round(leave if stays else max(land - T * (1.0 - duty), way.first + 1.0)), 0.0, True))
            if stays:
                continue
        if leave < 0.0:
            continue
        if land >= number - 2:
            break
        if land >= way.stop - 0.25 * T * duty:
            found.append(Stand(round(land), number - 1, way.path.length, True))
            break
        middle = float(np.interp(land + (0.5 + cycle.ahead) * T * duty, at, way.gone))
        end = max(round(leave), round(land) + _SMALLEST)
        found.append(Stand(max(round(land), 0), min(end, number - 1), middle, False))
    return found


class Feet(NamedTuple):
    """Where all feet of a gait stand, and how the body goes with them.

    Attributes:
        contacts: Of each foot, in order; a contact's step is the number of its print.
        along: How the body's way is moved by prints that are given; None if none is.
    """

    contacts: tuple[tuple[Contact, ...], ...]
    along: Along | None


def contacts_of(cycle: Cycle, way: Progress, limbs: tuple[Limb, ...], sides: Sequence[float], alongs: Sequence[float],
                given: Mapping[int, Footprint], ground: Ground, leg: float) -> Feet:  # fmt: skip
    """Return where feet stand.

    Args:
        cycle: The gait.
        way: How the body goes.
        limbs: The limbs, in the gait's order.
        sides: How far to the left of the way the foot of each goes, [m].
        alongs: How far before the body's place on the way each hangs, [m].
        given: Footprints that are where they are given, by number.
        ground: The ground.
        leg: Length of a leg, [m].
    """
    planned: list[Planned] = []
    stands: list[Stand] = []
    for foot, (limb, side, along) in enumerate(zip(limbs, sides, alongs, strict=True)):
        own = stands_of(cycle, way, foot)
        stands += own
        planned += _planned(cycle, way, limb, own, foot, side, along)
    soles = tuple(sole_grid(limb.leg.sole) for limb in limbs)
    found = placed(planned, soles, given, ground, leg)
    contacts: list[list[Contact]] = [[] for _ in limbs]
    for n, (each, stand) in enumerate(zip(planned, stands, strict=True)):
        number = int(found.numbers[n]) if each.shown else -1 - n
        contacts[each.foot].append(_contact(cycle, way, limbs[each.foot], each.foot, stand, found.frames[n], number))
    along_with = along_of(planned, found, len(limbs), len(way.gone)) if given else None
    if along_with is not None:
        along_with = along_with._replace(turns=smoothed(along_with.turns, CARRIED * way.stride))
    return Feet(tuple(tuple(own) for own in contacts), along_with)


def _planned(cycle: Cycle, way: Progress, limb: Limb, stands: list[Stand], foot: int, side: float, along: float
             ) -> list[Planned]:  # fmt: skip
    """Return where a foot would be set down."""
    s = np.array([stand.place + along for stand in stands])
    away = tries(0.0, float(np.ptp(limb.leg.sole[:, 2])))
    headings = way.path.headings(s)
    left = np.stack([np.cos(headings), -np.sin(headings)], axis=1)
    places = way.path.places((s[:, None] + away).reshape(-1)).reshape(len(s), len(away), 2)
    outward = _OUTWARD * limb.leg.side if limb.leg.toe_column >= 0 else 0.0
    last, found = way.last, []
    for k, stand in enumerate(stands):
        apart = side / max(cycle.width, 1e-9) * 0.95 if stand.rests else side
        number = 1 if stand.rests else len(away)
        shown = stand.leave > way.cut and stand.land < last
        found.append(Planned(foot, stand.land, stand.leave, places[k, :number] + apart * left[k], away[:number],
                             float(headings[k]) + outward, shown))  # fmt: skip
    return found


def _contact(cycle: Cycle, way: Progress, limb: Limb, foot: int, stand: Stand, G: Array, number: int) -> Contact:
    """Return how a foot stands at a print, the frame of its sole."""
    if not limb.leg.foot.turns:  # a hoof does not lie down sideways
        G = _upright(G)
    last = len(way.gone) - 1
    stays = stand.leave >= last
    leave = min(stand.leave, last)
    strike = 0.0 if stand.rests else min(cycle.strike, 0.5)
    push = 0.0 if stays else min(cycle.push, limb.leg.most_roll)
    down = stand.land + (max(round(_HEEL_FRAMES * way.stride), 1) if strike > 0.0 else 0)
    long = cycle.duty[foot] * way.stride
    rise = leave - max(round(cycle.rolls * long), _LEAST_ROLL) if push > 0.0 else leave
    rise = max(rise, max(down, 0) + 1) if push > 0.0 else rise
    push = min(push, most_push(leave - rise, way.fps))
    return Contact(number, G @ limb.leg.flat, G @ limb.leg.toe_flat, max(stand.land, 0), max(down, 0), rise, leave,
                   strike, push, stand.land)  # fmt: skip


def prints_of(limbs: tuple[Limb, ...], contacts: tuple[tuple[Contact, ...], ...], cut: int = 0, last: int | None = None
              ) -> tuple[Print, ...]:  # fmt: skip
    """Return the footprints of contacts, by number.

    Args:
        limbs: The limbs.
        contacts: Where each stands.
        cut: Frames that are left out at the beginning.
        last: The last frame, with those; None for that of the last contact.
    """
    found, pairs = [], ("hind ", "hind ", "fore ", "fore ") if len(limbs) == 4 else ("",) * len(limbs)
    for limb, where, pair in zip(limbs, contacts, pairs, strict=True):
        back = np.linalg.inv(limb.leg.flat)
        end = where[-1].leave if last is None else last
        found += [Print(each.step, limb.leg, each.flat @ back, each.landed - cut, min(each.leave, end) - cut, pair)
                  for each in where if each.step >= 0]  # fmt: skip
    return tuple(sorted(found, key=lambda each: each.number))


def _upright(G: Array) -> Array:
    """Return a footprint that rises along its way alone."""
    found, ahead = G.copy(), G[:3, 2]
    side = np.array([ahead[2], 0.0, -ahead[0]])
    found[:3, 0] = side / np.linalg.norm(side)
    found[:3, 1] = cross(ahead, found[:3, 0])
    return found


def cropped(way: FootWay, cut: int, last: int) -> FootWay:
    """Return the way of a foot from one frame to another, which are counted from 0."""
    kept = []
    for contact in way.contacts:
        if contact.leave <= cut or contact.land >= last:
            continue
        stays = contact.leave >= last
        leave = min(contact.leave, last) - cut
        down, rise = max(contact.down - cut, 0), contact.rise - cut
        if stays and rise >= leave - 1:
            down, rise, push = min(down, leave), leave, 0.0
        else:
            rise, push = max(rise, down + 1), contact.push
        land, landed = max(contact.land - cut, 0), contact.landed - cut
        kept.append(contact._replace(land=land, leave=leave, landed=landed, down=down, rise=rise, push=push))
    span = slice(cut, last + 1)
    return FootWay(way.leg, tuple(kept), way.frames[span], way.roll[span], way.toes[span])


def over_feet(wanted: Array, pressure: Array, rising: Array, height: float, fps: float) -> Array:
    """Return the way of a body near a wanted one, of which the ground's force passes through the feet, shape (m, 2).

    The force that bears and moves a mass at ``x`` on height ``h`` acts on the ground at ``x - h x'' / (g + y'')``. That
    is kept near where feet stand, by least squares over all frames at once; in flight nothing moves it sideways.

    Args:
        wanted: x and z of it, shape (m, 2), [m].
        pressure: Where feet stand, x and z, shape (m, 2), [m].
        rising: How high it is over a level, shape (m,), [m].
        height: How high it is over the ground, [m].
        fps: Frames a second.

    Source: Vukobratovic and Borovac (2004), "Zero-moment point", International Journal of Humanoid Robotics 1, 157-173.
    """
    from scipy.linalg import solveh_banded  # here: the window starts without it

    m = len(wanted)
    if m < 5:
        return wanted
    h = height / GRAVITY * fps * fps
    push = np.maximum(1.0 + np.gradient(np.gradient(rising)) * fps * fps / GRAVITY, 0.0)
    push[0] = push[-1] = 1.0
    # One row for each inner frame: h (x[k-1] - 2 x[k] + x[k+1]) - push[k] (x[k] - pressure[k]).
    k = np.arange(1, m - 1)
    middle = -2.0 * h - push[k]
    band = np.zeros((3, m))  # of the normal equations, diagonals from the outermost
    diagonal = np.full(m, _NEAR * _NEAR)
    diagonal[0] = diagonal[-1] = 1e6
    np.add.at(diagonal, k - 1, h * h)
    np.add.at(diagonal, k, middle * middle)
    np.add.at(diagonal, k + 1, h * h)
    beside = np.zeros(m - 1)
    np.add.at(beside, k - 1, h * middle)
    np.add.at(beside, k, h * middle)
    band[2], band[1, 1:], band[0, 2:] = diagonal, beside, h * h
    right = -push[k, None] * pressure[k]
    side = np.full((m, 1), _NEAR * _NEAR)
    side[0] = side[-1] = 1e6
    b = side * wanted
    np.add.at(b, k - 1, h * right)
    np.add.at(b, k, middle[:, None] * right)
    np.add.at(b, k + 1, h * right)
    # What is far from a print that is moved stays as it was, to the bit.
    return np.round(np.asarray(solveh_banded(band, b)), 10)


def pressed(
    limbs: tuple[Limb, ...],
    contacts: tuple[tuple[Contact, ...], ...],
    number: int,
    loads: tuple[float, ...] = (1.0, 1.0),
) -> Array:
    """Return where the ground bears a body: from heel to ball of the feet that stand, x and z, shape (m, 2), [m].

    Args:
        limbs: The limbs.
        contacts: Where each stands.
        number: Number of frames.
        loads: How much each bears as all stand.
    """
    total, weight = np.zeros((number, 2)), np.zeros(number)
    for limb, where, load in zip(limbs, contacts, loads, strict=True):
        leg = limb.leg
        for contact in where:
            rows = np.arange(contact.land, contact.leave + 1)
            u = (rows - contact.land) / max(contact.leave - contact.land, 1)
            if contact.push <= 0.0 or contact.landed <= 0:
                u = 0.5 + 0.4 * (u - 0.5)
            frame = contact.flat
            heel, ball = ((frame[:3, :3] @ point + frame[:3, 3])[[0, 2]] for point in (leg.heel, leg.ball))
            share = np.sin(np.pi * np.clip((rows - contact.land + 0.5) / (len(rows)), 0.02, 0.98))
            if contact.landed <= 0:
                share = np.maximum(share, np.where(u < 0.5, 1.0, 0.0))
            if contact.leave >= number - 1:
                share = np.maximum(share, np.where(u > 0.5, 1.0, 0.0))
            share = load * share
            total[rows] += share[:, None] * (heel + u[:, None] * (ball - heel))
            weight[rows] += share
    there = weight > 0.0
    at = np.arange(number)
    return np.stack([np.interp(at, at[there], total[there, n] / weight[there]) for n in range(2)], axis=1)


def heights_in_flight(contacts: tuple[tuple[Contact, ...], ...], number: int, fps: float) -> Array:
    """Return how high a body is over where it takes off and lands, shape (m,), [m].

    In flight it falls freely; in between its legs catch it and throw it up again.
    """
    flown = flights_of(contacts, number)
    found = np.zeros(number)
    g = GRAVITY / (fps * fps)
    edges = [(0, 0.0)]
    for a, b in flown:
        edges += [(a, 0.5 * g * (b - a)), (b, -0.5 * g * (b - a))]
        fall = np.arange(b - a + 1)
        found[a : b + 1] = 0.5 * g * fall * (b - a - fall)
    edges.append((number - 1, 0.0))
    for (a, start), (b, end) in zip(edges[::2], edges[1::2], strict=True):
        if b <= a:
            continue
        # Long stances catch it within the time of one leg's spring, and throw it up in the same.
        t, span = np.arange(b - a + 1.0), min(float(b - a), _SPRING * fps)
        u, v = np.clip(t / span, 0.0, 1.0), np.clip(1.0 - (b - a - t) / span, 0.0, 1.0)
        found[a : b + 1] += u * (1.0 - u) ** 2 * span * start - v * v * (1.0 - v) * span * end
    return found


def reached(limbs: tuple[Limb, ...], contacts: tuple[tuple[Contact, ...], ...], hips: tuple[Array, ...],
            frames: tuple[Array, ...], share: float, sigma: float) -> Array:  # fmt: skip
    """Return by how much a body must come down so that limbs reach where their feet stand, shape (m,), [m].

    Args:
        limbs: The limbs.
        contacts: Where each stands.
        hips: Where each hangs, shape (m, 3).
        frames: The frame of each foot, shape (m, 4, 4), where it stands.
        share: As far as this, of its reach, a limb is stretched at most.
        sigma: Frames over which it is smoothed.
    """
    from scipy.ndimage import maximum_filter1d  # here: the window starts without it

    number = len(hips[0])
    over = np.zeros(number)
    for limb, where, hip, foot in zip(limbs, contacts, hips, frames, strict=True):
        reach = share * limb.reach
        for contact in where:
            rows = np.arange(contact.land, min(contact.leave, number - 1) + 1)
            away = hip[rows] - foot[rows, :3, 3]
            flat = np.hypot(away[:, 0], away[:, 2])
            tall = np.sqrt(np.maximum(reach * reach - flat * flat, (0.4 * reach) ** 2))
            over[rows] = np.maximum(over[rows], away[:, 1] - tall)
    if float(over.max()) <= 0.0:
        return over
    wide = maximum_filter1d(over, size=2 * round(2.0 * sigma) + 1, mode="nearest")
    return smoothed(wide, sigma)


def footsteps_of(limbs: tuple[Limb, ...], contacts: tuple[tuple[Contact, ...], ...], last: int, lead: int) -> Footsteps:
    """Return all footprints in one list, those of each limb after those of the one before."""
    sides, frames, lands, leaves = [], [], [], []
    for limb, where in zip(limbs, contacts, strict=True):
        back = np.linalg.inv(limb.leg.flat)
        for contact in where:
            sides.append(limb.leg.side)
            frames.append(contact.flat @ back)
            lands.append(contact.landed)
            leaves.append(contact.leave)
    return Footsteps(np.array(sides), np.array(frames), np.array(lands), np.array(leaves), last, lead)


def ahead_of(cycle: Cycle, way: Progress, foot: int) -> Array:
    """Return how far a foot is before the others as it steps, from -1 to 1 and less as it slows down, shape (m,)."""
    phase = (np.arange(len(way.gone)) - way.first) / way.stride - cycle.lands[foot]
    return np.asarray(np.cos(2.0 * np.pi * (phase + 0.06)) * way.share)


def bears(contacts: tuple[tuple[Contact, ...], ...], limbs: tuple[Limb, ...], number: int, sigma: float) -> Array:
    """Return to which side the weight is, from -1, right, to 1, left, shape (m,)."""
    left, right = np.zeros(number), np.zeros(number)
    for limb, where in zip(limbs, contacts, strict=True):
        for contact in where:
            (left if limb.leg.side == LEFT else right)[contact.land : contact.leave + 1] += 1.0
    total = left + right
    held = np.where(total > 0.0, (left - right) / np.maximum(total, 1.0), 0.0)
    return smoothed(held, sigma)


def headed(yaw: Array) -> Array:
    """Return turns about the vertical, shape (m, 3, 3)."""
    return np.asarray(so3.exp(yaw[:, None] * [0.0, 1.0, 0.0]))


def turn_by(q: Array, turns: Turns, vectors: Array) -> None:
    """Add small rotations in the body's axes to poses, in place."""
    q[:, turns.columns] += vectors @ turns.share.T
