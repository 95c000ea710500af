"""Footprints of gaits other than a walk on two legs: where feet are set down, and the body's way that follows them.

Prints are numbered in the order in which feet land. One that is given is kept, and what comes after it goes on from
there: it is moved and turned along, unless it is given as well. The body goes along with its feet, a share for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.gait.footsteps import set_down
from core.gait.leg import Leg
from core.gait.manner import Footprint
from core.terrain.ground import Ground


class Planned(NamedTuple):
    """Where a foot would be set down.

    Attributes:
        foot: Which it is of the gait's.
        land: First frame at which it stands.
        leave: Last frame.
        places: x and z of the places that it may take, the one that is wanted first, shape (k, 2), [m].
        away: How far each is from that, shape (k,), [m].
        yaw: Where it points, [rad].
        shown: Whether it is one of the motion's: others come before it begins.
    """

    foot: int
    land: int
    leave: int
    places: Array
    away: Array
    yaw: float
    shown: bool


class Carried(NamedTuple):
    """A move on the ground: turned about a place, [rad], which comes to another one, x and z, [m]."""

    turn: float
    pivot: Array
    to: Array

    def moved(self, places: Array) -> Array:
        """Return where places come to, shape (m, 2)."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray((places - self.pivot) @ np.array([[c, -s], [s, c]]) + self.to)


STAYS = Carried(0.0, np.zeros(2), np.zeros(2))


class Placed(NamedTuple):
    """Footprints.

    Attributes:
        numbers: The number of each, -1 for those that are not shown, shape (n,).
        frames: Frames of the soles, shape (n, 4, 4), in the axes left, up, forward.
        carried: How each is moved against where it would be.
    """

    numbers: Ints
    frames: Array
    carried: tuple[Carried, ...]


def placed(planned: list[Planned], soles: tuple[Array, ...], given: Mapping[int, Footprint], ground: Ground, leg: float
           ) -> Placed:  # fmt: skip
    """Return footprints on the ground, in the order of what is planned.

    Args:
        planned: Where feet would be set down.
        soles: Points of the sole of each foot, shape (k, 3).
        given: Prints that are where they are given, by number.
        ground: The ground.
        leg: Length of a leg, [m].
    """
    order = sorted(range(len(planned)), key=lambda n: (planned[n].land, planned[n].foot))
    numbers = np.full(len(planned), -1, dtype=np.int64)
    frames, moves, carried, count = np.zeros((len(planned), 4, 4)), [STAYS] * len(planned), STAYS, 0
    for n in order:
        each = planned[n]
        sole = soles[each.foot]
        if each.shown:
            numbers[n] = count
            count += 1
        if each.shown and int(numbers[n]) in given:
            x, z, yaw = given[int(numbers[n])]
            best, _, _ = set_down(sole, each.places, each.away, each.yaw, ground, None, leg)
            carried = Carried(yaw - each.yaw, each.places[best], np.array([x, z]))
            places, away = np.array([[x, z]]), np.zeros(1)
        else:
            places, away, yaw = carried.moved(each.places), each.away, each.yaw + carried.turn
        _, frames[n], _ = set_down(sole, places, away, yaw, ground, None, leg)
        moves[n] = carried
    return Placed(numbers, frames, tuple(moves))


class Along(NamedTuple):
    """How a body's way is moved by its feet at each frame.

    Attributes:
        turns: By how much it is turned, shape (m,), [rad].
        moves: For each foot the frames from which on moves hold, and these.
    """

    turns: Array
    moves: tuple[tuple[Ints, tuple[Carried, ...]], ...]

    def moved(self, places: Array) -> Array:
        """Return where places of the body come to, one a frame, shape (m, 2)."""
        total = np.zeros_like(places)
        for frames, moves in self.moves:
            which = np.clip(np.searchsorted(frames, np.arange(len(places)), side="right") - 1, 0, len(moves) - 1)
            for k, move in enumerate(moves):
                rows = which == k
                if rows.any():
                    total[rows] += move.moved(places[rows])
        return total / len(self.moves)


def along_of(planned: list[Planned], found: Placed, feet: int, number: int) -> Along | None:
    """Return how a body is moved by so many feet in so many frames; None if it is not."""
    if all(each is STAYS for each in found.carried):
        return None
    turns, moves = np.zeros(number), []
    for foot in range(feet):
        own = [n for n, each in enumerate(planned) if each.foot == foot]
        # Half-way between two stances the next one's holds.
        frames = np.array([0, *(0.5 * (planned[a].leave + planned[b].land) for a, b in itertools.pairwise(own))])
        kept = tuple(found.carried[n] for n in own)
        moves.append((frames, kept))
        which = np.clip(np.searchsorted(frames, np.arange(number), side="right") - 1, 0, len(kept) - 1)
        turns += np.array([each.turn for each in kept])[which] / feet
    return Along(turns, tuple(moves))


class Print(NamedTuple):
    """A footprint of a motion that is made by rules.

    Attributes:
        number: Its number; rules give it by that.
        leg: Its foot, and what it stands on.
        frame: Frame of its sole, shape (4, 4), in the axes left, up, forward.
        lands: Frame at which the foot is set down.
        leaves: Frame at which it leaves.
        pair: ``"hind "`` or ``"fore "`` of four feet.
    """

    number: int
    leg: Leg
    frame: Array
    lands: int
    leaves: int
    pair: str = ""
