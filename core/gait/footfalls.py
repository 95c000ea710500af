"""Where feet land and leave in gaits that repeat: as the body goes along its way, or where prints are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.cycle import CARRIED, Cycle, Progress, smoothed
from core.gait.feet import Contact, FootWay
from core.gait.footsteps import Footsteps, sole_grid, tries
from core.gait.limbs import Limb
from core.gait.manner import Footprint
from core.gait.prints import Along, Planned, Print, along_of, placed
from core.gait.stepping import most_push
from core.spatial.cross_products import cross
from core.terrain.ground import Ground

_HEEL_FRAMES = 0.04  # of a stride
_HASTY = 0.5  # of a swing: in less time no foot takes a first step
_SMALLEST = 3  # frames that a foot stands at least
_LEAST_ROLL = 3  # frames that a foot rolls off at least, if it stands that long
_OUTWARD = np.radians(4.0)


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
