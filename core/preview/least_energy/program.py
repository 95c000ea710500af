"""The program that a motion of least effort solves: unknowns, what is made small, and what must hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools, Ints
from core.dynamics.multibody import Multibody
from core.preview.least_energy.efforts import Efforts
from core.preview.least_energy.grid import POINTS, SHARES, Grid
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.links import Links
from core.preview.least_energy.places import height_rows, heights, off, off_rows
from core.preview.least_energy.quadratic import Blocks
from core.spatial import quaternion as quat
from core.spatial import so3
from core.spatial.three_axes import ThreeAxes

EVEN = 1e-2
"""How much forces of contacts count beside efforts: so little that it only says how they are shared out."""


_TURN = 3.5
"""Farthest that the rotation vector of a ball goes, [rad], unless it does as keyed: at a whole turn it is singular."""

_STEP = 1e-5
"""How far coordinates are moved for second derivatives, [rad] and [m]."""


class Values(NamedTuple):
    """Values at a place, those of conditions by interval.

    Attributes:
        cost: What is made small.
        equations: Which are 0.
        bounds: Which are 0 or more.
    """

    cost: float
    equations: list[Array]
    bounds: list[Array]

    @property
    def missed(self) -> float:
        """What equations and bounds miss most."""
        return max(
            max((float(np.abs(own).max(initial=0.0)) for own in self.equations), default=0.0),
            max((float(-own.min(initial=0.0)) for own in self.bounds), default=0.0),
        )

    @property
    def off(self) -> float:
        """What equations and bounds miss together."""
        total = sum(float(np.abs(own).sum()) for own in self.equations)
        return total - sum(float(np.minimum(own, 0.0).sum()) for own in self.bounds)


class Slopes(NamedTuple):
    """Derivatives by the unknowns that are free.

    Attributes:
        cost: Of the cost, shape (n,).
        squares: Of each interval the Hessian of Gauss and Newton.
        equations: Of each interval.
        bounds: Of each interval.
    """

    cost: Array
    squares: list[Array]
    equations: list[Array]
    bounds: list[Array]


class Angles(NamedTuple):
    """Limits of the angles of a ball.

    Attributes:
        x: Its coordinates, shape (3,).
        axes: Its hinges.
        low: Least angles, shape (3,).
        high: Greatest angles, shape (3,).
        near: Angles on whose branch they are, at each node, shape (n + 1, 3).
    """

    x: Ints
    axes: ThreeAxes
    low: Array
    high: Array
    near: Array


class Strong(NamedTuple):
    """How strong a joint is.

    Attributes:
        x: Its coordinates, shape (k,).
        axes: Takes its efforts to torques about axes of anatomy, shape (3, k).
        limits: Largest torques about them, forwards and backwards, shape (3, 2), [N m].
    """

    x: Ints
    axes: Array
    limits: Array

    def along(self, t: Array) -> tuple[Array, Array]:
        """Return torques about the axes at efforts, shape (m, nv), and the limits on their side, shape (m, 3) each."""
        found = t[:, self.x] @ self.axes.T
        return found, np.where(found >= 0.0, self.limits[:, 0], self.limits[:, 1])


class Program:
    """Unknowns are the coefficients of splines over a grid, and the numbers that say forces of contacts.

    Args:
        model: The bodies.
        grid: Times.
        acts: Which coordinates have an effort that counts, shape (nv,).
        free: Which have none: nothing but contacts may act there, shape (nv,). The others may have any, for nothing.
        holds: What is held when.
        angles: Limits of balls.
        effort: Size of efforts, for numbers of the size of 1.
        force: Size of forces and torques of contacts.
        floor: How far up its normal the floor is, below which parts that stand at other times do not come, [m].
        fixed: Which coordinates move as given, shape (nv,).
        keyed: Coordinates of the keyed motion at nodes, by which joints between held parts stay, shape (n + 1, nv).
        strong: Joints whose torques have limits: the sum of the squares of their shares is 1 at most.
    """

    def __init__(
        self,
        model: Multibody,
        grid: Grid,
        acts: Bools,
        free: Bools,
        holds: Sequence[Hold],
        angles: Sequence[Angles],
        effort: float | Array,
        force: float,
        floor: float,
        fixed: Bools,
        keyed: Array | None = None,
        strong: Sequence[Strong] = (),
    ):
        self.model, self.grid, self.acts, self.free = model, grid, np.flatnonzero(acts), np.flatnonzero(free)
        self.holds, self.angles, self.force, self.floor = tuple(holds), tuple(angles), force, floor
        self.effort = np.broadcast_to(np.asarray(effort, dtype=np.float64), self.acts.shape)
        self.bodies: Ints = np.unique(np.array([hold.body for hold in holds], dtype=np.intp))
        self.efforts = Efforts(model, self.bodies)
        self._slot = {int(body): k for k, body in enumerate(self.bodies)}
        self.strong = tuple(strong)
        self._rooms_size = POINTS * len(self.strong)
        n, nv = len(grid), model.nv
        self.keyed = np.zeros((n + 1, nv)) if keyed is None else keyed
        middles = 0.5 * (grid.times[1:] + grid.times[:-1])
        self._active: list[list[int]] = [
            [i for i, hold in enumerate(self.holds) if hold.start <= t <= hold.end] for t in middles
        ]
        self._first = [0]
        for active in self._active:
            self._first.append(self._first[-1] + sum(2 * self.holds[i].count for i in active))
        self.main: Ints = np.flatnonzero(~free)
        self._shape = (grid.cubic.count, len(self.main)), (grid.free.count, len(self.free))
        self.motion_size = sum(rows * columns for rows, columns in self._shape)
        self.size = self.motion_size + self._first[-1]
        unknown: list[Bools] = []
        low: list[Array] = []
        high: list[Array] = []
        for (count, _), own in zip(self._shape, (self.main, self.free), strict=True):
            moving = np.ones((count, len(own)), dtype=np.bool_)
            moving[[0, 1, -2, -1]] = False  # place and rate at both ends
            moving[:, fixed[own]] = False
            unknown.append(moving.ravel())
            for sides, limits, none in ((low, model.limits[own, 0], -np.inf), (high, model.limits[own, 1], np.inf)):
                sides.append(np.where(moving, limits, none).ravel())
        free_ones = np.flatnonzero(np.concatenate([*unknown, np.ones(self._first[-1], np.bool_)]))
        middle_of = [np.arange(count) * (n / count) for count, _ in self._shape]
        when = [np.repeat(at, width) for at, (_, width) in zip(middle_of, self._shape, strict=True)]
        order = np.concatenate([*when, np.repeat(np.arange(n) + 0.5, np.diff(self._first))])
        self.unknown: Ints = free_ones[np.argsort(order[free_ones], kind="stable")]
        forces = np.concatenate(
            [
                np.full(2 * self.holds[i].count, 0.0 if self.holds[i].stands else -np.inf)
                for a in self._active
                for i in a
            ]
            or [np.zeros(0)]
        )
        self.low = np.concatenate([*low, forces])
        self.high = np.concatenate([*high, np.full(len(forces), np.inf)])
        self._places = self._checked_places()
        self._set_pushes()
        self._set_times()
        turned = self.efforts.balls[np.isin(self.efforts.balls[:, 0], self.acts)]
        most = np.linalg.norm(self.keyed[:, turned], axis=2).max(axis=0, initial=0.0)
        self._turned = [(x, max(_TURN, far + 0.1)) for x, far in zip(turned, most.tolist(), strict=True)]

    def _set_pushes(self) -> None:
        """Number the forces of all holds, and say which act in each interval and where their sizes are."""
        pushes: list[tuple[int, bool, Array]] = []
        first = []
        for hold in self.holds:
            first.append(len(pushes))
            W, world = hold.wrench(np.eye(3)[None])
            for k in range(hold.count):
                if hold.stands:
                    rows = np.stack([hold.arms[k], world[0, :, k], np.zeros(3)])
                else:
                    rows = np.stack([np.zeros(3), W[0, 3:, k], W[0, :3, k]])
                pushes.append((hold.body, not hold.stands, rows))
        self.links = Links.of(self.model, self.efforts.balls, pushes)
        most = max((sum(self.holds[i].count for i in a) for a in self._active), default=0)
        n = len(self.grid)
        self._acting = np.full((n, most), -1, dtype=np.int64)
        self._ends = np.zeros((n, 2, most), dtype=np.intp)
        self._counts = []
        for k, active in enumerate(self._active):
            at, here = self._first[k], 0
            for i in active:
                count = self.holds[i].count
                self._acting[k, here : here + count] = first[i] + np.arange(count)
                for side in range(2):
                    self._ends[k, side, here : here + count] = at + side * count + np.arange(count)
                here, at = here + count, at + 2 * count
            self._counts.append(here)

    def _sizes(self, z: Array) -> tuple[Ints, Array]:
        """Return which pushes act at each point, and how large they are, shape (p n, m) each."""
        forces = self.force * np.append(z[self.motion_size :], 0.0)
        share = np.array(SHARES)[None, :, None]
        first, last = (forces[self._ends[:, side]][:, None] for side in (0, 1))
        sizes = (1.0 - share) * first + share * last
        acting = np.repeat(self._acting, POINTS, axis=0)
        sizes = sizes.reshape(len(acting), -1)
        sizes[acting < 0] = 0.0
        return acting, sizes

    def _at_points(self, z: Array) -> tuple[Array, Array, Array, Ints, Array]:
        return (*self._at_gauss(z), *self._sizes(z))

    def torques(self, z: Array) -> Array:
        """Return the efforts at the points, shape (p n, nv)."""
        if self.links is not None:
            return self.links.efforts(*self._at_points(z))
        q, qd, qdd, wrenches, _ = self.states(z)
        return self.efforts.at(q, qd, qdd, wrenches)

    # -- unknowns ---------------------------------------------------------------------------------------------------

    def packed(self, x: Array, v: Array, forces: Array, times: Array | None = None) -> Array:
        """Return unknowns, shape (size,), of a motion near one given at times (nodes), and forces in their unit."""
        at = self.grid.times if times is None else times
        parts = ((self.grid.cubic, self.main), (self.grid.free, self.free))
        return np.concatenate([*(own.fitted(at, x[:, which], v[:, which]).ravel() for own, which in parts), forces])

    def _coefficients(self, z: Array) -> tuple[Array, Array]:
        (count, width), (free_count, free_width) = self._shape
        end = count * width
        return z[:end].reshape(count, width), z[end : end + free_count * free_width].reshape(free_count, free_width)

    def at(self, z: Array, times: Array, order: int = 0) -> Array:
        """Return coordinates or a derivative of them at any times from the first node to the last, shape (m, nv)."""
        out = np.empty((len(times), self.model.nv))
        main, free = self._coefficients(z)
        out[:, self.main] = self.grid.cubic.all_rows(times, order) @ main
        out[:, self.free] = self.grid.free.all_rows(times, order) @ free
        return out

    def _at_gauss(self, z: Array) -> tuple[Array, Array, Array]:
        n, nv = len(self.grid), self.model.nv
        found = np.stack([self._maps[POINTS * k : POINTS * (k + 1)] @ z[self._moving(k)] for k in range(n)])
        q, qd, qdd = np.moveaxis(found.reshape(-1, 3, nv), 1, 0)
        return q, qd, qdd

    def forces(self, z: Array, k: int, share: float) -> list[tuple[int, Array]]:
        """Return for each hold that acts in an interval its number and the numbers that say its forces, [N].

        They go evenly from those where the interval begins to those where it ends, and may jump from one to the next.

        Args:
            z: The unknowns.
            k: The interval.
            share: Where in it, 0 to 1.
        """
        at, found = self.motion_size + self._first[k], []
        for i in self._active[k]:
            count = self.holds[i].count
            first, last = z[at : at + 2 * count].reshape(2, count)
            found.append((i, self.force * ((1.0 - share) * first + share * last)))
            at += 2 * count
        return found

    def slot(self, hold: int) -> int:
        """Return the place of a hold's body among those that wrenches act on."""
        return self._slot[self.holds[hold].body]

    def first_force(self, k: int) -> int:
        """Return which of all numbers for forces is the first of an interval."""
        return self._first[k]

    # -- values -----------------------------------------------------------------------------------------------------

    def states(self, z: Array) -> tuple[Array, Array, Array, Array, list[list[tuple[int, Array, Array]]]]:
        """Return coordinates, rates, accelerations and wrenches at the points, and of each point what its forces do.

        That is, of each hold that acts: its number, and the two arrays of ``Hold.wrench``.
        """
        q, qd, qdd = self._at_gauss(z)
        wrenches = np.zeros((len(q), len(self.bodies), 6))
        columns: list[list[tuple[int, Array, Array]]] = []
        for j in range(len(q)):
            columns.append([])
            if not self._active[j // POINTS]:
                continue
            poses = self.model.body_poses(q[j])
            for i, numbers in self.forces(z, j // POINTS, SHARES[j % POINTS]):
                hold = self.holds[i]
                W, pushes = hold.wrench(poses[None, hold.body, :3, :3])
                wrenches[j, self._slot[hold.body]] += W[0] @ numbers
                columns[j].append((i, W[0], pushes[0]))
        return q, qd, qdd, wrenches, columns

    def values(self, z: Array) -> Values:
        """Return what there is at a place."""
        t = self.torques(z)
        w, even = self.grid.weights, EVEN * z[self.motion_size :]
        squares = ((t[:, self.acts] / self.effort) ** 2).sum(axis=1)
        cost = 0.5 * float(w @ squares) + 0.5 * float(even @ even)
        equations: list[list[Array]] = [[own] for own in self._balances(t)]
        bounds: list[list[Array]] = [list(each) for each in self._torque_rooms(t)]
        q = self._at_times(z)
        for place, at, poses in self._posed(q):
            equations[place.piece] += [off(self.holds[i], poses[self.holds[i].body]) for i in place.held]
            equations[place.piece] += [
                (at - self._pinned_at(place))[self._own(self.holds[i].body)] for i in place.pinned
            ]
            bounds[place.piece] += [
                heights(self.holds[i], poses[self.holds[i].body]) - self.floor for i in place.lifted
            ]
        for ball, near in zip(self.angles, self._near, strict=True):
            for room, limits in zip(self._room(ball, q, near), (ball.low, ball.high), strict=True):
                for own, piece in zip(room[:, np.isfinite(limits)], self._pieces, strict=True):
                    bounds[piece].append(own)
        for own, most in self._turned:
            for square, piece in zip((q[:, own] ** 2).sum(axis=1), self._pieces, strict=True):
                bounds[piece].append(np.array([0.5 * most - 0.5 / most * square]))
        return Values(cost, [_joined(own) for own in equations], [_joined(own) for own in bounds])

    def _balances(self, t: Array) -> Array:
        """Return what must be 0 of efforts: those of free coordinates, shape (n, p f)."""
        return np.asarray((t[:, self.free] / self.force * self._even).reshape(len(self.grid), -1))

    def _torque_rooms(self, t: Array) -> list[list[Array]]:
        """Return how much room torques leave below strength, of each interval, ``(1 - share^2) / 2``."""
        if not self.strong:
            return [[] for _ in range(len(self.grid))]
        rooms = np.stack([0.5 - 0.5 * _squares(*each.along(t)) for each in self.strong], axis=1)
        return [[own.ravel()] for own in rooms.reshape(len(self.grid), POINTS, -1)]

    def _torque_slopes(self, t: Array, rows: Array) -> Array:
        """Return the derivatives of these at the points of an interval, from those of efforts, (p, nv, own)."""
        found = []
        for each in self.strong:
            along, limits = each.along(t)
            found.append(-np.einsum("pa,ak,pkc->pc", along / limits**2, each.axes, rows[:, each.x], optimize=True))
        return np.stack(found, axis=1).reshape(-1, rows.shape[2])

    def _bend_by_torques(self, z: Array, t: Array, prices: Array, weights: Array) -> list[Array]:
        """Add prices of rooms to the weights of efforts, and return what the squares of torques bend besides."""
        D, n = self._slopes(z), len(self.grid)
        for number, each in enumerate(self.strong):
            along, limits = each.along(t)
            weights[:, each.x] += prices[:, number, None] * ((along / limits**2) @ each.axes)
        found = []
        for k in range(n):
            here = slice(POINTS * k, POINTS * (k + 1))
            paid = prices[here]
            rows, parts = self._by_own(k, D[here])[:, :, self._kept[k]], []
            for number, each in enumerate(self.strong):
                _, limits = each.along(t[here])
                for j in np.flatnonzero(paid[:, number] > 1e-9):
                    root = np.sqrt(paid[j, number]) / limits[j]
                    parts.append(root[:, None] * (each.axes @ rows[j, each.x]))
            both = np.concatenate([*parts, np.zeros((0, rows.shape[2]))])
            found.append(both.T @ both)
        return found

    def motion(self, z: Array) -> tuple[Array, Array]:
        """Return coordinates and rates at the nodes, shape (n + 1, nv) each."""
        return self.at(z, self.grid.times), self.at(z, self.grid.times, 1)

    def effort_of(self, z: Array) -> float:
        """Return the integral of the squares of the efforts that count, [N^2 m^2 s]."""
        t = self.torques(z)[:, self.acts]
        return float(self.grid.weights @ (t * t).sum(axis=1))

    def cost_of(self, z: Array) -> float:
        """Return the integral of the squares of efforts as they count: as shares of ``effort``."""
        t = self.torques(z)[:, self.acts] / self.effort
        return float(self.grid.weights @ (t * t).sum(axis=1))

    # -- derivatives ------------------------------------------------------------------------------------------------

    def slopes(self, z: Array) -> Slopes:
        """Return the derivatives of values."""
        n = len(self.grid)
        D, t = self._slopes(z), self.torques(z)
        roots = np.sqrt(self.grid.weights)
        even = EVEN * EVEN * z[self.motion_size :]
        gradient = np.concatenate([np.zeros(self.motion_size), even])
        squares, equations, bounds = [], [], []
        for k in range(n):
            here = slice(POINTS * k, POINTS * (k + 1))
            rows = self._by_own(k, D[here])  # (p, nv, own)
            weighted = rows[:, self.acts] / self.effort[:, None]
            left = t[here][:, self.acts] / self.effort
            weighted = (roots[here, None, None] * weighted).reshape(-1, rows.shape[2])
            own = self.own(k)
            gradient[own] += weighted.T @ (roots[here, None] * left).ravel()
            kept = self._kept[k]
            weighted = weighted[:, kept]
            squares.append(weighted.T @ weighted)
            bounds.append([self._torque_slopes(t[here], rows)[:, kept]] if self.strong else [])
            balance = rows[:, self.free] * (self._even[here, :, None] / self.force)
            equations.append([balance.reshape(-1, rows.shape[2])[:, kept]])
        q = self._at_times(z)
        self._add_places(q, equations, bounds)
        self._add_angles(q, bounds)
        return Slopes(
            gradient[self.unknown],
            squares,
            [np.concatenate(own) for own in equations],
            [np.concatenate([*own, np.zeros((0, len(kept)))]) for own, kept in zip(bounds, self._kept, strict=True)],
        )

    def _by_own(self, k: int, D: Array) -> Array:
        """Return derivatives at the points of an interval as those by its unknowns, shape (p, nv, own)."""
        nv, m = self.model.nv, self._counts[k]
        rows = D[:, :, : 3 * nv] @ self._maps[POINTS * k : POINTS * (k + 1)]
        share = np.array(SHARES)[:, None, None]
        pushed = self.force * D[:, :, 3 * nv : 3 * nv + m]
        return np.concatenate([rows, (1.0 - share) * pushed, share * pushed], axis=2)

    def _slopes(self, z: Array) -> Array:
        """Return the derivatives of efforts by coordinates, rates, accelerations and sizes, (p n, nv, 3 nv + m)."""
        if self.links is not None:
            return self.links.jacobians(*self._at_points(z))
        q, qd, qdd, wrenches, columns = self.states(z)
        d = self.efforts.derivatives(q, qd, qdd, wrenches)
        by_x = d.x
        pushed = np.zeros((len(q), self.model.nv, self._acting.shape[1]))
        J = self.efforts.rate_jacobians(q)
        for j, acting in enumerate(columns):
            here, first = self.forces(z, j // POINTS, SHARES[j % POINTS]), 0
            for (i, W, pushes), (_, numbers) in zip(acting, here, strict=True):
                # A force that keeps its direction turns in the body's axes: (R^T f)' = (R^T f) x w.
                hold = self.holds[i]
                at = 6 * self._slot[hold.body]
                turn = np.zeros((6, 3))
                for arm, push in zip(hold.arms, (pushes * numbers).T, strict=True):
                    turning = so3.hat(push)
                    turn[:3] += so3.hat(arm) @ turning
                    turn[3:] += turning
                by_x[j] += d.wrenches[j, :, at : at + 6] @ turn @ J[j, at : at + 3]
                pushed[j, :, first : first + hold.count] = d.wrenches[j, :, at : at + 6] @ W
                first += hold.count
        return np.concatenate([by_x, d.v, d.a, pushed], axis=2)

    def curvature(self, z: Array, equations: list[Array], bounds: list[Array]) -> list[Array]:
        """Return what the Hessian of the Lagrangian has besides squares of derivatives, for each interval.

        Args:
            z: The unknowns.
            equations: Prices of the equations.
        """
        assert self.links is not None
        nv, n = self.model.nv, len(self.grid)
        t = self.torques(z)
        w = self.grid.weights[:, None]
        weights = np.zeros_like(t)
        weights[:, self.acts] = w * t[:, self.acts] / self.effort**2
        width = POINTS * len(self.free)
        balance = np.array([own[:width] for own in equations]).reshape(len(t), -1)
        weights[:, self.free] += balance * self._even / self.force
        more: list[Array] = []
        if self.strong:
            rooms = np.array([own[: self._rooms_size] for own in bounds]).reshape(len(t), -1)
            more = self._bend_by_torques(z, t, rooms, weights)
        q, qd, qdd, acting, sizes = self._at_points(z)
        H = self.links.hessians(q, qd, qdd, weights, acting, sizes)
        found = []
        share = np.array(SHARES)[:, None, None]
        for k in range(n):
            here = slice(POINTS * k, POINTS * (k + 1))
            maps, m = self._maps[here], self._counts[k]
            own = (np.swapaxes(maps, 1, 2) @ (H[here, : 3 * nv, : 3 * nv] @ maps)).sum(axis=0)
            part = np.swapaxes(maps, 1, 2) @ H[here, : 3 * nv, 3 * nv : 3 * nv + m]
            side = self.force * np.concatenate([((1.0 - share) * part).sum(0), (share * part).sum(0)], axis=1)
            own = np.block([[own, side], [side.T, np.zeros((2 * m, 2 * m))]])
            found.append(own[np.ix_(self._kept[k], self._kept[k])])
            if more:
                found[k] += more[k]
        self._bend_by_places(self._at_times(z), equations, bounds, found)
        return found

    def _bend_by_places(self, q: Array, equations: list[Array], bounds: list[Array], found: list[Array]) -> None:
        """Add the curvature of what holds at times, from prices of all equations and bounds."""
        nv = self.model.nv
        at = [POINTS * len(self.free)] * len(self.grid)
        low = [self._rooms_size] * len(self.grid)
        bent: dict[int, Array] = {}
        moved, asked = [], []
        for place in self._places:
            k, parts = place.piece, []
            for i in place.held:
                parts.append((i, equations[k][at[k] : at[k] + self.holds[i].rows], True))
                at[k] += self.holds[i].rows
            at[k] += sum(len(range(nv)[self._own(self.holds[i].body)]) for i in place.pinned)
            for i in place.lifted:
                count = len(self.holds[i].soles)
                parts.append((i, bounds[k][low[k] : low[k] + count], False))
                low[k] += count
            parts = [part for part in parts if np.abs(part[1]).max() > 1e-9]
            if not parts:
                continue
            x = np.unique(np.concatenate([self._above(self.holds[i].body) for i, _, _ in parts]))
            asked.append((place, parts, x))
            for number in x.tolist():
                for sign in (1.0, -1.0):
                    state = q[place.time].copy()
                    state[number] += sign * _STEP
                    moved.append(state)
        if moved:
            J, row = self.efforts.rate_jacobians(np.array(moved)), 0
            for place, parts, x in asked:
                slopes = np.zeros((2 * len(x), nv))
                for side in range(2 * len(x)):
                    poses = self.model.body_poses(moved[row])
                    for i, prices, is_held in parts:
                        body = self.holds[i].body
                        own = J[row, 6 * self._slot[body] : 6 * self._slot[body] + 6]
                        rows = (off_rows if is_held else height_rows)(self.holds[i], poses[body], own)
                        slopes[side] += (prices if is_held else -prices) @ rows
                    row += 1
                H = np.zeros((nv, nv))
                H[x] = (slopes[::2] - slopes[1::2]) / (2.0 * _STEP)
                bent[place.time] = 0.5 * (H + H.T)
        self._bend_by_angles(q, bounds, low, bent)
        for time, H in bent.items():
            k, maps = self._pieces[time], self._times_maps[time]
            width = maps.shape[1]
            kept = self._kept[k][self._kept[k] < width]
            found[k][: len(kept), : len(kept)] += (maps.T @ H @ maps)[np.ix_(kept, kept)]

    def _bend_by_angles(self, q: Array, bounds: list[Array], low: list[int], bent: dict[int, Array]) -> None:
        nv, step = self.model.nv, 1e-4
        for ball, near in zip(self.angles, self._near, strict=True):
            sides = [np.isfinite(limits) for limits in (ball.low, ball.high)]
            prices = np.zeros((2, len(q), 3))
            for side, limited in enumerate(sides):
                for time, k in enumerate(self._pieces):
                    count = int(limited.sum())
                    prices[side, time, limited] = bounds[k][low[k] : low[k] + count]
                    low[k] += count
            if prices.max(initial=0.0) < 1e-9:
                continue

            def price(move: Array, ball: Angles = ball, near: Array = near, prices: Array = prices) -> Array:
                state = q.copy()
                state[:, ball.x] += step * move
                return np.asarray((prices * _finite(self._room(ball, state, near))).sum(axis=(0, 2)))

            unit, middle = np.eye(3), price(np.zeros(3))
            H = np.zeros((len(q), 3, 3))
            for i in range(3):
                H[:, i, i] = price(unit[i]) + price(-unit[i]) - 2.0 * middle
                for j in range(i):
                    a, b = unit[i] + unit[j], unit[i] - unit[j]
                    H[:, i, j] = H[:, j, i] = 0.25 * (price(a) + price(-a) - price(b) - price(-b))
            for time in np.flatnonzero(prices.max(axis=(0, 2)) > 1e-9).tolist():
                own = bent.setdefault(time, np.zeros((nv, nv)))
                own[np.ix_(ball.x, ball.x)] -= H[time] / (step * step)
        for x, most in self._turned:
            for time, k in enumerate(self._pieces):
                price_here = bounds[k][low[k]]
                low[k] += 1
                if price_here > 1e-9:
                    own = bent.setdefault(time, np.zeros((nv, nv)))
                    own[x, x] += price_here / most

    def _above(self, body: int) -> Ints:
        """Return the coordinates that move a body."""
        found: list[int] = []
        while body >= 0:
            found += range(int(self.model.first[body]), int(self.model.first[body + 1]))
            body = int(self.model.parents[body])
        return np.array(sorted(found), dtype=np.intp)

    def _moving(self, k: int) -> Ints:
        """Return the unknowns that the motion in an interval depends on."""
        found, start = [], 0
        for splines, (count, width) in zip((self.grid.cubic, self.grid.free), self._shape, strict=True):
            rows = splines.first[k] + np.arange(splines.degree + 1)
            found.append((start + width * rows[:, None] + np.arange(width)).ravel())
            start += count * width
        return np.concatenate(found)

    def own(self, k: int) -> Ints:
        """Return the unknowns that the efforts in an interval depend on."""
        return np.concatenate([self._moving(k), self.motion_size + self._ends[k, :, : self._counts[k]].ravel()])

    def _set_times(self) -> None:
        """Set where conditions on coordinates are looked at, and which unknowns of intervals are free."""
        grid, n = self.grid, len(self.grid)
        k = np.arange(2 * n - 1)  # the middle of the first interval, node 1, the middle of the second ...
        self._pieces: list[int] = (k // 2).tolist()
        self._times = np.where(k % 2 == 0, 0.5 * (grid.times[k // 2] + grid.times[k // 2 + 1]), grid.times[k // 2 + 1])
        self._times_maps = self._maps_at(self._times, k // 2, 0)
        self._near = []
        for ball in self.angles:
            both = np.where(
                (k % 2 == 0)[:, None], 0.5 * (ball.near[k // 2] + ball.near[k // 2 + 1]), ball.near[k // 2 + 1]
            )
            limited = np.isfinite(ball.low) & np.isfinite(ball.high)
            self._near.append(np.where(limited, 0.5 * (_finite(ball.low) + _finite(ball.high)), both))
        self._even = np.sqrt(np.tile(grid.weights[:POINTS] / grid.steps[0], n))[:, None]
        orders = [self._maps_at(grid.points, grid.pieces, order) for order in range(3)]
        self._maps = np.concatenate(orders, axis=1)  # from the unknowns of an interval to x, v and a at a point
        number = np.full(self.size, -1)
        number[self.unknown] = np.arange(len(self.unknown))
        owns = [number[self.own(k)] for k in range(n)]
        self._kept = [np.flatnonzero(own >= 0) for own in owns]
        self.blocks = Blocks([own[own >= 0] for own in owns], len(self.unknown))

    def _maps_at(self, times: Array, pieces: Ints, order: int) -> Array:
        """Return what takes the unknowns of the motion in an interval to a derivative of coordinates, (m, nv, own)."""
        parts = []
        for splines, which in ((self.grid.cubic, self.main), (self.grid.free, self.free)):
            part = np.zeros((len(times), self.model.nv, splines.degree + 1, len(which)))
            part[:, which, :, np.arange(len(which))] = splines.rows(times, pieces, order)
            parts.append(part.reshape(len(times), self.model.nv, -1))
        return np.concatenate(parts, axis=2)

    def _at_times(self, z: Array) -> Array:
        """Return coordinates in the middles of intervals and at inner nodes, shape (2 n - 1, nv)."""
        return self.at(z, self._times)

    # -- what is held, and what must not go into the floor -----------------------------------------------------------

    def _checked_places(self) -> list[_Place]:
        """Return nodes and middles of intervals with what is held there, and what is in the air."""
        found = []
        n = len(self.grid)
        standing = {hold.body for hold in self.holds if hold.stands}
        for k in range(2 * n - 1):
            middle, piece = k % 2 == 0, k // 2  # middle of the first interval, node 1, middle of the second ...
            t = float(self.grid.times[piece + 1]) if not middle else float(self.grid.times[piece : piece + 2].mean())
            held = tuple(i for i, hold in enumerate(self.holds) if hold.start - 1e-9 <= t <= hold.end + 1e-9)
            down = {self.holds[i].body for i in held}
            lifted = tuple(
                next(i for i, hold in enumerate(self.holds) if hold.body == body and hold.stands)
                for body in sorted(standing - down)
            )
            # As many equations as the splines have ways to go: beside a break there is one more than nodes.
            near = piece in self.grid.breaks or piece + 1 in self.grid.breaks
            if middle and not near:
                continue
            if held or lifted:
                # With what it hangs on held as well, a body is held by its joint: more equations would be the same.
                still = {self.holds[i].body for i in held if self.holds[i].turns}
                pinned = tuple(i for i in held if int(self.model.parents[self.holds[i].body]) in still)
                free = tuple(i for i in held if i not in pinned)
                found.append(_Place(k, piece, middle, free, pinned, lifted))
        return found

    def _posed(self, q: Array) -> list[tuple[_Place, Array, Array]]:
        """Return places with coordinates and poses of bodies there."""
        return [(place, q[place.time], self.model.body_poses(q[place.time])) for place in self._places]

    def _pinned_at(self, place: _Place) -> Array:
        """Return the coordinates of the keyed motion at a place; those of what is held are the same all along."""
        after = self.keyed[place.piece + 1]
        return np.asarray(0.5 * (self.keyed[place.piece] + after) if place.middle else after)

    def _own(self, body: int) -> slice:
        """Return which coordinates are those of a body's joint."""
        return slice(int(self.model.first[body]), int(self.model.first[body + 1]))

    def _add_places(self, q: Array, equations: list[list[Array]], bounds: list[list[Array]]) -> None:
        if not self._places:
            return
        posed = self._posed(q)
        J = self.efforts.rate_jacobians(np.array([at for _, at, _ in posed]))
        for (place, _, poses), jacobian in zip(posed, J, strict=True):
            for which, make, out in ((place.held, off_rows, equations), (place.lifted, height_rows, bounds)):
                for i in which:
                    at, body = 6 * self._slot[self.holds[i].body], self.holds[i].body
                    own = make(self.holds[i], poses[body], jacobian[at : at + 6])
                    out[place.piece].append(self._spread(place.time, own))
            unit = np.eye(self.model.nv)
            equations[place.piece] += [
                self._spread(place.time, unit[self._own(self.holds[i].body)]) for i in place.pinned
            ]

    def _spread(self, time: int, rows: Array, x: Ints | None = None) -> Array:
        """Return rows by coordinates at a time as rows by the free unknowns of its interval."""
        k, maps = self._pieces[time], self._times_maps[time]
        out = rows @ (maps if x is None else maps[x])
        both = np.concatenate([out, np.zeros((len(rows), 2 * self._counts[k]))], axis=1)
        return np.asarray(both[:, self._kept[k]])

    # -- limits of balls ----------------------------------------------------------------------------------------------

    def _room(self, ball: Angles, x: Array, near: Array) -> Array:
        """Return how far the angles of a ball are above and below their limits, shape (2, m, 3).

        Of the two ways in which three angles make a
        rotation, and of whole turns, it is the one with most room. Near gimbal lock outer angles turn by as much as 1
        over the sine between their axes, which would make steps as short as that, so that their room is weighted by it:
        what is within limits is the same.
        """
        both = ball.axes.both_angles(quat.exp(0.5 * x[:, ball.x])[:, None], near[:, None])[:, :, 0]
        first, second, third = ball.axes.axes[0]
        sines = np.array([first @ np.cross(second, third), first @ ((second @ third) * second - third)])
        apart = np.stack([np.cos(both[..., 1]), np.sin(both[..., 1])], axis=-1) @ (sines / np.linalg.norm(sines))
        weight = np.ones_like(both)
        weight[..., ::2] = np.abs(apart)[..., None]
        room = np.stack([weight * (both - ball.low), weight * (ball.high - both)], axis=1)  # (2, 2, m, 3)
        chosen = np.argmax(room.min(axis=(1, 3)), axis=0)
        return np.asarray(np.moveaxis(room[chosen, :, np.arange(len(x))], 0, 1))

    def _add_angles(self, q: Array, bounds: list[list[Array]]) -> None:
        for ball, near in zip(self.angles, self._near, strict=True):
            by_x = np.zeros((2, len(q), 3, 3))
            for k in range(3):
                step = np.zeros(self.model.nv)
                step[ball.x[k]] = 1e-6
                ends = [_finite(self._room(ball, q + sign * step, near)) for sign in (1.0, -1.0)]
                by_x[:, :, :, k] = (ends[0] - ends[1]) / 2e-6
            for side, limits in zip(by_x, (ball.low, ball.high), strict=True):
                for time, rows in enumerate(side[:, np.isfinite(limits)]):
                    bounds[self._pieces[time]].append(self._spread(time, rows, ball.x))
        for own, most in self._turned:
            for time, x in enumerate(q[:, own]):
                bounds[self._pieces[time]].append(self._spread(time, -x[None] / most, own))


def _squares(along: Array, limits: Array) -> Array:
    return np.asarray(((along / limits) ** 2).sum(axis=1))


class _Place(NamedTuple):
    """A node, or the middle of the interval before it, and the numbers of holds."""

    time: int
    piece: int
    middle: bool
    held: tuple[int, ...]
    pinned: tuple[int, ...]
    lifted: tuple[int, ...]


def _joined(parts: Sequence[Array]) -> Array:
    return np.concatenate([*parts, np.zeros(0)])


def _finite(room: Array) -> Array:
    """Return numbers with 0 for those that are infinite: what has no limit."""
    return np.where(np.isfinite(room), room, 0.0)
