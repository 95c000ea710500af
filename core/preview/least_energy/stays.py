"""What is held stays where it is, and what stands at other times stays above the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools
from core.dynamics.multibody import Multibody
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.places import height_rows, heights, off, off_rows
from core.preview.least_energy.reach import Reach
from core.preview.least_energy.unknowns import Instants

INNER: tuple[float, ...] = (0.1174723380352677, 0.3573842417596774, 0.5, 0.6426157582403226, 0.8825276619647324)
"""Where in an interval held parts are looked at: at the four inner points of Lobatto's rule, and in the middle."""
_PLAIN, _FRESH, _LAST, _FRESH_LAST = (0, 1, 3, 4, 5), (0, 1, 2, 3, 4, 5), (0, 2, 4), (0, 1, 3, 4)
"""Slots of these, 5 for the node at the end: as many as its joints have ways to go in an interval.

Their splines go on with place and rate from the interval before. Where a part has just come down, its rate must become
that of the ground, too; and at the last node both are as they are.
"""
_PRICED = 1e-9
_SCALE = 0.3
"""Unit of what held parts miss, over the square of an interval, [s^2]: as large as accelerations that make it."""


class Place(NamedTuple):
    """What is asked for at an instant.

    Attributes:
        time: Number of the instant.
        held: Numbers of holds whose body is where it is held.
        pinned: Bodies whose joint is as keyed: what it hangs on is held, and so is the body itself, or the other way.
        lifted: Numbers of holds whose body is in the air.
    """

    time: int
    held: tuple[int, ...]
    pinned: tuple[int, ...]
    lifted: tuple[int, ...]


def _chosen(
    model: Multibody, holds: Sequence[Hold], active: Sequence[int]
) -> tuple[list[int], list[tuple[int, float]]]:
    """Return the holds whose poses are asked for, and the bodies whose joints stay, and since when.

    With what it hangs on held as well, a body is held by its joint: more equations would be the same. The one that has
    been held for longer is asked for its pose.
    """
    posed: list[int] = []
    pinned: list[tuple[int, float]] = []
    fixed: dict[int, Hold] = {}
    for i in sorted(active, key=lambda i: (holds[i].start, not holds[i].turns, holds[i].body)):
        hold, parent = holds[i], int(model.parents[holds[i].body])
        below = [body for body in fixed if int(model.parents[body]) == hold.body]
        if parent in fixed:
            pinned.append((hold.body, max(hold.start, fixed[parent].start)))
        elif hold.turns and below:
            pinned.append((below[0], max(hold.start, fixed[below[0]].start)))
        else:
            posed.append(i)
        if hold.turns:
            fixed[hold.body] = hold
    return posed, pinned


def places(model: Multibody, holds: Sequence[Hold], instants: Instants, active: Sequence[Sequence[int]]) -> list[Place]:
    """Return what is asked for at all instants, those first at which there is something.

    Args:
        model: The bodies.
        holds: What is held when.
        instants: When that is looked at, at the shares ``INNER``.
        active: Numbers of the holds that act in each interval.
    """
    if not holds:
        return []
    n, nodes = len(active), instants.nodes
    held: dict[int, list[int]] = {}
    pinned: dict[int, list[int]] = {}
    number = {(k, slot): time for time, (k, slot) in enumerate(zip(instants.pieces, instants.slots, strict=True))}
    for k, own in enumerate(active):
        posed, joints = _chosen(model, holds, own)
        for out, which, since in (
            *((held, i, holds[i].start) for i in posed), *((pinned, body, start) for body, start in joints)
        ):  # fmt: skip
            fresh = k > 0 and abs(since - float(nodes[k])) < 1e-9
            slots = (_FRESH_LAST if fresh else _LAST) if k == n - 1 else (_FRESH if fresh else _PLAIN)
            for time in [number[k, slot] for slot in slots] + ([number[k - 1, len(INNER)]] if fresh else []):
                out.setdefault(time, []).append(which)
    standing = {hold.body for hold in holds if hold.stands}
    found = []
    for time, t in enumerate(instants.times.tolist()):
        down = {hold.body for hold in holds if hold.start - 1e-9 <= t <= hold.end + 1e-9}
        lifted = tuple(
            next(i for i, hold in enumerate(holds) if hold.body == body and hold.stands)
            for body in sorted(standing - down)
        )
        place = Place(time, tuple(sorted(held.get(time, ()))), tuple(sorted(pinned.get(time, ()))), lifted)
        if place.held or place.pinned or place.lifted:
            found.append(place)
    return found


class Stays:
    """Equations of what is held, and bounds of what is in the air.

    Args:
        model: The bodies.
        holds: What is held when.
        instants: When that is looked at.
        asked: What is asked for at which.
        reach: How these bodies move.
        slots: Rows of each body in Jacobians.
        floor: Where the floor is along its normal, [m].
        keyed: Coordinates of the keyed motion at nodes, shape (n + 1, nv).
    """

    def __init__(
        self, model: Multibody, holds: Sequence[Hold], instants: Instants, asked: Sequence[Place], reach: Reach,
        slots: dict[int, int], floor: float, keyed: Array,
    ):  # fmt: skip
        self._model, self._holds, self._instants, self._places = model, tuple(holds), instants, tuple(asked)
        self._reach, self._slots, self._floor = reach, slots, floor
        self._times = [place.time for place in asked]
        at = instants.times[self._times]
        # What is held is the same all along, so that no keyed time between two nodes is needed.
        self._scales = [_SCALE / float(np.diff(instants.nodes)[instants.pieces[time]]) ** 2 for time in self._times]
        self._keyed = [keyed[int(np.searchsorted(instants.nodes, t - 1e-9))] for t in at]

    def _joint(self, body: int) -> slice:
        return slice(int(self._model.first[body]), int(self._model.first[body + 1]))

    def values(self, q: Array, equations: list[list[Array]], bounds: list[list[Array]]) -> None:
        """Append what is missed, and heights, to those of each interval.

        Args:
            q: Coordinates at the instants, shape (m, nv).
            equations: Of each interval.
            bounds: Of each interval.
        """
        for place, keyed, scale in zip(self._places, self._keyed, self._scales, strict=True):
            at, k = q[place.time], self._instants.pieces[place.time]
            X = self._model.body_poses(at)
            equations[k] += [scale * off(self._holds[i], X[self._holds[i].body]) for i in place.held]
            equations[k] += [scale * (at - keyed)[self._joint(body)] for body in place.pinned]
            bounds[k] += [heights(self._holds[i], X[self._holds[i].body]) - self._floor for i in place.lifted]

    def rows(self, q: Array, equations: list[list[Array]], bounds: list[list[Array]]) -> None:
        """Append the derivatives of :meth:`values`."""
        spread, unit = self._instants.spread, np.eye(q.shape[1])
        jacobians = self._reach.jacobians(q[self._times])
        for place, scale, J in zip(self._places, self._scales, jacobians, strict=True):
            X, k = self._model.body_poses(q[place.time]), self._instants.pieces[place.time]
            for which, make, out, unit_of in (
                (place.held, off_rows, equations, scale), (place.lifted, height_rows, bounds, 1.0)
            ):  # fmt: skip
                for i in which:
                    body = self._holds[i].body
                    at = 6 * self._slots[body]
                    out[k].append(spread(place.time, unit_of * make(self._holds[i], X[body], J[at : at + 6])))
            equations[k] += [spread(place.time, scale * unit[self._joint(body)]) for body in place.pinned]

    def bend(
        self, q: Array, equations: list[Array], bounds: list[Array], at: list[int], low: list[int],
        bent: dict[int, Array],
    ) -> None:  # fmt: skip
        """Add the second derivatives of priced equations less those of priced bounds, by coordinates.

        Args:
            q: Coordinates at the instants, shape (m, nv).
            equations: Prices of all equations of each interval.
            bounds: Prices of all bounds of each interval.
            at: Which equation is the next one in each interval; moved on.
            low: Which bound is.
            bent: By instant, shape (nv, nv) each.
        """
        times, acting, sizes = [], [], []
        for place, scale in zip(self._places, self._scales, strict=True):
            k, own = self._instants.pieces[place.time], []
            X = self._model.body_poses(q[place.time]) if place.held else None
            for i in place.held:
                prices = equations[k][at[k] : at[k] + self._holds[i].rows]
                at[k] += len(prices)
                if X is not None and np.abs(prices).max() > _PRICED:
                    own.append(self._reach.poses_priced(i, X[self._holds[i].body], scale * prices))
            at[k] += sum(self._joint(body).stop - self._joint(body).start for body in place.pinned)
            for i in place.lifted:
                prices = bounds[k][low[k] : low[k] + len(self._holds[i].soles)]
                low[k] += len(prices)
                if prices.max() > _PRICED:
                    own.append(self._reach.heights_priced(i, -prices))
            if own:
                times.append(place.time)
                acting.append(np.concatenate([each for each, _ in own]))
                sizes.append(np.concatenate([each for _, each in own]))
        if times:
            for time, H in zip(times, self._reach.bends(q[times], acting, sizes), strict=True):
                bent[time] = bent[time] + H if time in bent else H


class KeptPoses:
    """Equations of poses that stay as keyed; linear, so that they do not bend.

    Args:
        instants: When they are looked at.
        nodes: Numbers of the inner nodes.
        keyed: Coordinates of the keyed motion at nodes, shape (n + 1, nv).
        moving: Which coordinates are unknown, shape (nv,).

    Attributes:
        times: Numbers of the instants.
    """

    def __init__(self, instants: Instants, nodes: Sequence[int], keyed: Array, moving: Bools):
        self._instants, self._which = instants, np.flatnonzero(moving)
        last = max(instants.slots, default=0)
        ends = [time for time, slot in enumerate(instants.slots) if slot == last]
        self.times = {ends[node - 1]: keyed[node] for node in nodes}
        steps = np.diff(instants.nodes)
        self._scales = [_SCALE / float(steps[node - 1]) ** 2 for node in nodes]

    def values(self, q: Array, found: list[list[Array]]) -> None:
        """Append what coordinates miss, to that of each interval; q are coordinates at the instants, (m, nv)."""
        for (time, keyed), scale in zip(self.times.items(), self._scales, strict=True):
            found[self._instants.pieces[time]].append(scale * (q[time] - keyed)[self._which])

    def rows(self, found: list[list[Array]]) -> None:
        """Append the derivatives of :meth:`values`."""
        for time, scale in zip(self.times, self._scales, strict=True):
            unit = scale * np.eye(self._instants.maps.shape[1])[self._which]
            found[self._instants.pieces[time]].append(self._instants.spread(time, unit))
