"""The program that a motion of least effort solves: what is made small, and what must hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools, Ints
from core.dynamics.multibody import Multibody
from core.preview.least_energy.angle_limits import AngleLimits, Angles
from core.preview.least_energy.efforts import Efforts
from core.preview.least_energy.grid import POINTS, SHARES, Grid
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.links import Links
from core.preview.least_energy.reach import Reach
from core.preview.least_energy.stays import INNER, KeptPoses, Stays, places
from core.preview.least_energy.torque_limits import Strong, TorqueLimits
from core.preview.least_energy.unknowns import Instants, Unknowns
from core.spatial import so3

EVEN = 1e-2
"""How much forces of contacts count beside efforts: so little that it only says how they are shared out."""


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


class Program:
    """Efforts made small under the equations of motion, by the coefficients of splines and the forces of contacts.

    The root, where nothing but contacts may act, and the joints between it and what is held have as many ways to go in
    an interval as it has points: the equations of motion hold at each, and held parts stay in between, too. The other
    joints go by the grid's plain splines.

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
        kept: Inner nodes at which all coordinates are as keyed.
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
        kept: Sequence[int] = (),
    ):
        self.model, self.grid, self.acts, self.free = model, grid, np.flatnonzero(acts), np.flatnonzero(free)
        self.holds, self.angles, self.force, self.floor = tuple(holds), tuple(angles), force, floor
        self.effort = np.broadcast_to(np.asarray(effort, dtype=np.float64), self.acts.shape)
        self.bodies: Ints = np.unique(np.array([hold.body for hold in holds], dtype=np.intp))
        self.efforts = Efforts(model, self.bodies)
        self._slot = {int(body): k for k, body in enumerate(self.bodies)}
        self.torque_limits = TorqueLimits(strong)
        self.keyed = np.zeros((len(grid) + 1, model.nv)) if keyed is None else keyed
        rich = free.copy()
        for body in self.bodies.tolist():
            rich[self.above(body)] = True
        rich &= ~fixed
        self.unknowns = unknowns = Unknowns(grid, model.limits, rich, fixed, holds, force)
        self.motion_size, self.size, self.unknown = unknowns.motion_size, unknowns.size, unknowns.unknown
        self.low, self.high, self.blocks = unknowns.low, unknowns.high, unknowns.blocks
        self.links = Links.of(model, self.efforts.balls, self._pushes())
        self.instants = Instants(unknowns, INNER if rich.any() else (0.5,))
        self.reach = Reach(model, self.efforts, holds)
        self._kept = KeptPoses(self.instants, kept, self.keyed, ~fixed)
        asked = [
            place._replace(held=(), pinned=()) if place.time in self._kept.times else place  # it is as keyed there
            for place in places(model, holds, self.instants, unknowns.active)
        ]
        self._stays = Stays(model, holds, self.instants, asked, self.reach, self._slot, floor, self.keyed)
        turned = self.efforts.balls[np.isin(self.efforts.balls[:, 0], self.acts)]
        self._angle_limits = AngleLimits(self.instants, grid.times, angles, turned, self.keyed)
        self._even = np.sqrt(np.tile(grid.weights[:POINTS] / grid.steps[0], len(grid)))[:, None]

    def _pushes(self) -> list[tuple[int, bool, Array]]:
        """Return the forces of all holds, of the size 1."""
        pushes: list[tuple[int, bool, Array]] = []
        for hold in self.holds:
            W, world = hold.wrench(np.eye(3)[None])
            for k in range(hold.count):
                if hold.stands:
                    rows = np.stack([hold.arms[k], world[0, :, k], np.zeros(3)])
                else:
                    rows = np.stack([np.zeros(3), W[0, 3:, k], W[0, :3, k]])
                pushes.append((hold.body, not hold.stands, rows))
        return pushes

    def above(self, body: int) -> Ints:
        """Return the coordinates that move a body."""
        found: list[int] = []
        while body >= 0:
            found += range(int(self.model.first[body]), int(self.model.first[body + 1]))
            body = int(self.model.parents[body])
        return np.array(sorted(found), dtype=np.intp)

    def slot(self, hold: int) -> int:
        """Return the place of a hold's body among those that wrenches act on."""
        return self._slot[self.holds[hold].body]

    # -- motion -----------------------------------------------------------------------------------------------------

    def at(self, z: Array, times: Array, order: int = 0) -> Array:
        """Return coordinates or a derivative of them at any times from the first node to the last, shape (m, nv)."""
        return self.unknowns.at(z, times, order)

    def motion(self, z: Array) -> tuple[Array, Array]:
        """Return coordinates and rates at the nodes, shape (n + 1, nv) each."""
        return self.at(z, self.grid.times), self.at(z, self.grid.times, 1)

    def states(self, z: Array) -> tuple[Array, Array, Array, Array, list[list[tuple[int, Array, Array]]]]:
        """Return coordinates, rates, accelerations and wrenches at the points, and of each point what its forces do.

        That is, of each hold that acts: its number, and the two arrays of ``Hold.wrench``.
        """
        q, qd, qdd = self.unknowns.states(z)
        wrenches = np.zeros((len(q), len(self.bodies), 6))
        columns: list[list[tuple[int, Array, Array]]] = []
        for j in range(len(q)):
            columns.append([])
            if not self.unknowns.active[j // POINTS]:
                continue
            poses = self.model.body_poses(q[j])
            for i, numbers in self.unknowns.forces(z, j // POINTS, SHARES[j % POINTS]):
                hold = self.holds[i]
                W, pushes = hold.wrench(poses[None, hold.body, :3, :3])
                wrenches[j, self._slot[hold.body]] += W[0] @ numbers
                columns[j].append((i, W[0], pushes[0]))
        return q, qd, qdd, wrenches, columns

    def torques(self, z: Array) -> Array:
        """Return the efforts at the points, shape (p n, nv)."""
        if self.links is not None:
            return self.links.efforts(*self.unknowns.states(z), *self.unknowns.sizes(z))
        q, qd, qdd, wrenches, _ = self.states(z)
        return self.efforts.at(q, qd, qdd, wrenches)

    def effort_of(self, z: Array) -> float:
        """Return the integral of the squares of the efforts that count, [N^2 m^2 s]."""
        t = self.torques(z)[:, self.acts]
        return float(self.grid.weights @ (t * t).sum(axis=1))

    def cost_of(self, z: Array) -> float:
        """Return the integral of the squares of efforts as they count: as shares of ``effort``."""
        t = self.torques(z)[:, self.acts] / self.effort
        return float(self.grid.weights @ (t * t).sum(axis=1))

    # -- values -----------------------------------------------------------------------------------------------------

    def values(self, z: Array) -> Values:
        """Return what there is at a place."""
        t, n = self.torques(z), len(self.grid)
        w, even = self.grid.weights, EVEN * z[self.motion_size :]
        squares = ((t[:, self.acts] / self.effort) ** 2).sum(axis=1)
        cost = 0.5 * float(w @ squares) + 0.5 * float(even @ even)
        equations = [[own] for own in (t[:, self.free] / self.force * self._even).reshape(n, -1)]
        bounds = [[own] for own in self.torque_limits.rooms(t).reshape(n, -1)]
        q = self.instants.at(z)
        self._stays.values(q, equations, bounds)
        self._kept.values(q, equations)
        self._angle_limits.values(q, bounds)
        return Values(cost, [np.concatenate(own) for own in equations], [np.concatenate(own) for own in bounds])

    # -- derivatives ------------------------------------------------------------------------------------------------

    def slopes(self, z: Array) -> Slopes:
        """Return the derivatives of values."""
        D, t = self._slopes(z), self.torques(z)
        roots = np.sqrt(self.grid.weights)
        gradient = np.concatenate([np.zeros(self.motion_size), EVEN * EVEN * z[self.motion_size :]])
        squares, equations, bounds = [], [], []
        for k in range(len(self.grid)):
            here = slice(POINTS * k, POINTS * (k + 1))
            rows, kept = self.unknowns.by_own(k, D[here]), self.unknowns.kept[k]
            weighted = rows[:, self.acts] / self.effort[:, None]
            left = t[here][:, self.acts] / self.effort
            weighted = (roots[here, None, None] * weighted).reshape(-1, rows.shape[2])
            gradient[self.unknowns.own(k)] += weighted.T @ (roots[here, None] * left).ravel()
            weighted = weighted[:, kept]
            squares.append(weighted.T @ weighted)
            bounds.append([self.torque_limits.slopes(t[here], rows)[:, kept]])
            balance = rows[:, self.free] * (self._even[here, :, None] / self.force)
            equations.append([balance.reshape(-1, rows.shape[2])[:, kept]])
        q = self.instants.at(z)
        self._stays.rows(q, equations, bounds)
        self._kept.rows(equations)
        self._angle_limits.rows(q, bounds)
        return Slopes(
            gradient[self.unknown],
            squares,
            [np.concatenate(own) for own in equations],
            [np.concatenate(own) for own in bounds],
        )

    def _slopes(self, z: Array) -> Array:
        """Return the derivatives of efforts by coordinates, rates, accelerations and sizes, (p n, nv, 3 nv + m)."""
        if self.links is not None:
            return self.links.jacobians(*self.unknowns.states(z), *self.unknowns.sizes(z))
        q, qd, qdd, wrenches, columns = self.states(z)
        d = self.efforts.derivatives(q, qd, qdd, wrenches)
        by_x = d.x
        pushed = np.zeros((len(q), self.model.nv, max(self.unknowns.counts)))
        J = self.efforts.rate_jacobians(q)
        for j, acting in enumerate(columns):
            here, first = self.unknowns.forces(z, j // POINTS, SHARES[j % POINTS]), 0
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
            bounds: Prices of the bounds.
        """
        assert self.links is not None
        nv, n, t, strong = self.model.nv, len(self.grid), self.torques(z), len(self.torque_limits)
        weights = np.zeros_like(t)
        weights[:, self.acts] = self.grid.weights[:, None] * t[:, self.acts] / self.effort**2
        width = POINTS * len(self.free)
        balance = np.array([own[:width] for own in equations]).reshape(len(t), -1)
        weights[:, self.free] += balance * self._even / self.force
        rooms = np.array([own[: POINTS * strong] for own in bounds]).reshape(len(t), -1)
        self.torque_limits.weigh(t, rooms, weights)
        q, qd, qdd = self.unknowns.states(z)
        H = self.links.hessians(q, qd, qdd, weights, *self.unknowns.sizes(z))
        D = self._slopes(z) if strong else None
        found = []
        share = np.array(SHARES)[:, None, None]
        for k in range(n):
            here = slice(POINTS * k, POINTS * (k + 1))
            maps, m = self.unknowns.maps[here], self.unknowns.counts[k]
            own = (np.swapaxes(maps, 1, 2) @ (H[here, : 3 * nv, : 3 * nv] @ maps)).sum(axis=0)
            part = np.swapaxes(maps, 1, 2) @ H[here, : 3 * nv, 3 * nv : 3 * nv + m]
            side = self.force * np.concatenate([((1.0 - share) * part).sum(0), (share * part).sum(0)], axis=1)
            own = np.block([[own, side], [side.T, np.zeros((2 * m, 2 * m))]])
            kept = self.unknowns.kept[k]
            found.append(own[np.ix_(kept, kept)])
            if D is not None:
                rows = self.unknowns.by_own(k, D[here])[:, :, kept]
                found[k] += self.torque_limits.squares(t[here], rooms[here], rows)
        at = self.instants.at(z)
        bent: dict[int, Array] = {}
        low = [POINTS * strong] * n
        self._stays.bend(at, equations, bounds, [width] * n, low, bent)
        self._angle_limits.bend(at, bounds, low, bent)
        for time, each in bent.items():
            self.instants.add(time, each, found)
        return found
