"""The unknowns of a motion of least effort: coefficients of splines, and numbers that say the forces of contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array, Bools, Ints
from core.preview.least_energy.grid import POINTS, SHARES, Grid
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.quadratic import Blocks


class Unknowns:
    """What a vector of unknowns says: a motion, and forces that go evenly between the ends of each interval.

    Args:
        grid: Times.
        limits: Least and greatest coordinates, shape (nv, 2).
        rich: Which coordinates have as many ways to go as an interval has points; the others have fewer, shape (nv,).
        fixed: Which move as given, shape (nv,).
        holds: What is held when.
        force: Unit of forces, [N].

    Attributes:
        motion_size: How many say the motion: the first ones.
        size: How many there are.
        unknown: Which are free: not those that say place and rate at both ends, nor coordinates that move as given.
        low: Least values of all, shape (size,).
        high: Greatest values of all.
        active: Numbers of the holds that act in each interval.
        counts: How many numbers say the forces at either end of each interval.
        maps: What takes the unknowns of the motion in an interval to coordinates, rates and accelerations at its
            points, shape (p n, 3 nv, own).
        kept: Which of the unknowns of each interval are free.
        blocks: Where the free unknowns of each interval are among all free ones.
    """

    def __init__(
        self, grid: Grid, limits: Array, rich: Bools, fixed: Bools, holds: Sequence[Hold], force: float
    ):  # fmt: skip
        self.grid, self.force, self.nv, self._holds = grid, force, len(rich), tuple(holds)
        n, middles = len(grid), 0.5 * (grid.times[1:] + grid.times[:-1])
        self.active: list[list[int]] = [
            [i for i, hold in enumerate(holds) if hold.start <= t <= hold.end] for t in middles
        ]
        self.counts = [sum(holds[i].count for i in own) for own in self.active]
        self._first = np.cumsum([0, *(2 * count for count in self.counts)]).tolist()
        self._parts = (grid.plain, np.flatnonzero(~rich)), (grid.rich, np.flatnonzero(rich))
        self.motion_size = sum(splines.count * len(own) for splines, own in self._parts)
        self.size = self.motion_size + self._first[-1]
        self._set_bounds(limits, fixed)
        self._set_acting()
        orders = [self.maps_at(grid.points, grid.pieces, order) for order in range(3)]
        self.maps = np.concatenate(orders, axis=1)
        number = np.full(self.size, -1)
        number[self.unknown] = np.arange(len(self.unknown))
        owns = [number[self.own(k)] for k in range(n)]
        self.kept = [np.flatnonzero(own >= 0) for own in owns]
        self.blocks = Blocks([own[own >= 0] for own in owns], len(self.unknown))

    def _set_bounds(self, limits: Array, fixed: Bools) -> None:
        n, low, high, free, when = len(self.grid), [], [], [], []
        for splines, own in self._parts:
            moving = np.ones((splines.count, len(own)), dtype=np.bool_)
            moving[[0, 1, -2, -1]] = False  # place and rate at both ends
            moving[:, fixed[own]] = False
            free.append(moving.ravel())
            low.append(np.where(moving, limits[own, 0], -np.inf).ravel())
            high.append(np.where(moving, limits[own, 1], np.inf).ravel())
            when.append(np.repeat(np.arange(splines.count) * (n / splines.count), len(own)))
        for k, acting in enumerate(self.active):
            for _ in range(2):
                for i in acting:
                    count = self._holds[i].count
                    low.append(np.full(count, 0.0 if self._holds[i].stands else -np.inf))
                    high.append(np.full(count, np.inf))
                    when.append(np.full(count, k + 0.5))
                    free.append(np.ones(count, dtype=np.bool_))
        self.low, self.high = np.concatenate(low), np.concatenate(high)
        which = np.flatnonzero(np.concatenate(free))
        self.unknown: Ints = which[np.argsort(np.concatenate(when)[which], kind="stable")]

    def _set_acting(self) -> None:
        first = np.cumsum([0, *(hold.count for hold in self._holds)])
        n, most = len(self.grid), max(self.counts, default=0)
        self._acting = np.full((n, most), -1, dtype=np.int64)
        self._ends = np.zeros((n, 2, most), dtype=np.intp)
        for k, (active, count) in enumerate(zip(self.active, self.counts, strict=True)):
            numbers = [first[i] + np.arange(self._holds[i].count) for i in active]
            self._acting[k, :count] = np.concatenate([np.zeros(0, np.int64), *numbers])
            self._ends[k, :, :count] = self._first[k] + np.arange(2 * count).reshape(2, count)

    # -- which depend on what ---------------------------------------------------------------------------------------

    def moving(self, k: int) -> Ints:
        """Return the unknowns that the motion in an interval depends on."""
        found, start = [], 0
        for splines, own in self._parts:
            rows = splines.first[k] + np.arange(splines.degree + 1)
            found.append((start + len(own) * rows[:, None] + np.arange(len(own))).ravel())
            start += splines.count * len(own)
        return np.concatenate(found)

    def own(self, k: int) -> Ints:
        """Return the unknowns that the efforts in an interval depend on: its motion, its forces at either end."""
        return np.concatenate([self.moving(k), self.motion_size + self._ends[k, :, : self.counts[k]].ravel()])

    def maps_at(self, times: Array, pieces: Ints, order: int) -> Array:
        """Return what takes the unknowns of the motion in an interval to a derivative of coordinates, (m, nv, own)."""
        parts = []
        for splines, which in self._parts:
            part = np.zeros((len(times), self.nv, splines.degree + 1, len(which)))
            part[:, which, :, np.arange(len(which))] = splines.rows(times, pieces, order)
            parts.append(part.reshape(len(times), self.nv, -1))
        return np.concatenate(parts, axis=2)

    def by_own(self, k: int, D: Array) -> Array:
        """Return derivatives by x, v, a and sizes at the points of an interval as those by its unknowns."""
        at = 3 * self.nv
        rows = D[:, :, :at] @ self.maps[POINTS * k : POINTS * (k + 1)]
        share = np.array(SHARES)[:, None, None]
        pushed = self.force * D[:, :, at : at + self.counts[k]]
        return np.concatenate([rows, (1.0 - share) * pushed, share * pushed], axis=2)

    # -- what they say ----------------------------------------------------------------------------------------------

    def packed(self, x: Array, v: Array, forces: Array, times: Array | None = None) -> Array:
        """Return unknowns, shape (size,), of a motion near one given at times (nodes), and forces in their unit."""
        at = self.grid.times if times is None else times
        return np.concatenate(
            [*(own.fitted(at, x[:, which], v[:, which]).ravel() for own, which in self._parts), forces]
        )

    def at(self, z: Array, times: Array, order: int = 0) -> Array:
        """Return coordinates or a derivative of them at any times from the first node to the last, shape (m, nv)."""
        out, start = np.empty((len(times), self.nv)), 0
        for splines, which in self._parts:
            end = start + splines.count * len(which)
            out[:, which] = splines.all_rows(times, order) @ z[start:end].reshape(splines.count, len(which))
            start = end
        return out

    def states(self, z: Array) -> tuple[Array, Array, Array]:
        """Return coordinates, rates and accelerations at the points, shape (p n, nv) each."""
        n = len(self.grid)
        found = np.stack([self.maps[POINTS * k : POINTS * (k + 1)] @ z[self.moving(k)] for k in range(n)])
        q, qd, qdd = np.moveaxis(found.reshape(-1, 3, self.nv), 1, 0)
        return q, qd, qdd

    def sizes(self, z: Array) -> tuple[Ints, Array]:
        """Return which numbers for forces act at each point, and how large they are, shape (p n, m) each, [N]."""
        forces = self.force * np.append(z[self.motion_size :], 0.0)
        share = np.array(SHARES)[None, :, None]
        first, last = (forces[self._ends[:, side]][:, None] for side in (0, 1))
        sizes = (1.0 - share) * first + share * last
        acting = np.repeat(self._acting, POINTS, axis=0)
        sizes = sizes.reshape(len(acting), -1)
        sizes[acting < 0] = 0.0
        return acting, sizes

    def forces(self, z: Array, k: int, share: float) -> list[tuple[int, Array]]:
        """Return for each hold that acts in an interval its number and the numbers that say its forces, [N].

        They go evenly from those where the interval begins to those where it ends, and may jump from one to the next.

        Args:
            z: The unknowns.
            k: The interval.
            share: Where in it, 0 to 1.
        """
        first, last = z[self.motion_size + self._ends[k, :, : self.counts[k]]]
        numbers, at, found = self.force * ((1.0 - share) * first + share * last), 0, []
        for i in self.active[k]:
            found.append((i, numbers[at : at + self._holds[i].count]))
            at += self._holds[i].count
        return found

    def first_force(self, k: int) -> int:
        """Return which of all unknowns is the first of those for forces in an interval."""
        return int(self.motion_size + self._first[k])


class Instants:
    """Times at which conditions on coordinates are looked at: at shares of each interval and at inner nodes.

    Args:
        unknowns: What says the motion.
        shares: Where in each interval, 0 to 1 without these.

    Attributes:
        times: Shape (m,), [s].
        pieces: The interval of each; a node is in the interval before it.
        slots: Which of the shares, ``len(shares)`` for nodes.
        nodes: Times of the nodes, shape (n + 1,), [s].
    """

    def __init__(self, unknowns: Unknowns, shares: Sequence[float]):
        grid, n, count = unknowns.grid, len(unknowns.grid), len(shares) + 1
        self._unknowns, self.nodes = unknowns, grid.times
        at = grid.times[:-1, None] + grid.steps[:, None] * np.array(shares)
        self.times = np.concatenate([at, grid.times[1:, None]], axis=1).ravel()[:-1]
        self.pieces: list[int] = np.repeat(np.arange(n), count)[:-1].tolist()
        self.slots: list[int] = np.tile(np.arange(count), n)[:-1].tolist()
        self.maps = unknowns.maps_at(self.times, np.array(self.pieces), 0)

    def at(self, z: Array) -> Array:
        """Return coordinates at the times, shape (m, nv)."""
        return self._unknowns.at(z, self.times)

    def spread(self, time: int, rows: Array, x: Ints | slice = slice(None)) -> Array:
        """Return rows by some coordinates at a time as rows by the free unknowns of its interval."""
        k = self.pieces[time]
        out = rows @ self.maps[time][x]
        both = np.concatenate([out, np.zeros((len(rows), 2 * self._unknowns.counts[k]))], axis=1)
        return np.asarray(both[:, self._unknowns.kept[k]])

    def add(self, time: int, H: Array, found: list[Array]) -> None:
        """Add second derivatives by coordinates at a time to those by the free unknowns of its interval."""
        k, maps = self.pieces[time], self.maps[time]
        kept = self._unknowns.kept[k]
        kept = kept[kept < maps.shape[1]]
        found[k][: len(kept), : len(kept)] += (maps.T @ H @ maps)[np.ix_(kept, kept)]


def refined(z: Array, coarse: Unknowns, fine: Unknowns) -> Array:
    """Return the unknowns of a motion and its forces over a grid with more nodes, and the same ones: it stays as it is.

    Args:
        z: Unknowns over the coarse grid, shape (size,).
        coarse: What they say.
        fine: With the same holds, coordinates and units.
    """
    times = np.unique(np.concatenate([fine.grid.times, fine.grid.points]))
    forces = [np.zeros(0)]
    for a, b in zip(fine.grid.times[:-1], fine.grid.times[1:], strict=True):
        k = int(coarse.grid.piece(np.array([0.5 * (a + b)]))[0])
        for t in (a, b):
            share = float((t - coarse.grid.times[k]) / coarse.grid.steps[k])
            forces += [each / fine.force for _, each in coarse.forces(z, k, share)]
    return fine.packed(coarse.at(z, times), coarse.at(z, times, 1), np.concatenate(forces), times)
