"""The program that a motion of least effort solves: unknowns, what is made small, and what must hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy

from core.arrays import Array, Bools, Ints
from core.dynamics.multibody import Multibody
from core.preview.least_energy.efforts import Efforts
from core.preview.least_energy.grid import POINTS, SHARES, Grid
from core.preview.least_energy.holds import Hold
from core.spatial import quaternion as quat
from core.spatial import se3, so3
from core.spatial.three_axes import ThreeAxes

EVEN = 1e-3
"""How much forces of contacts count beside efforts: so little that it only says how they are shared out."""


_TURN = 3.5
"""Farthest that the rotation vector of a ball goes, [rad], unless it does as keyed: at a whole turn it is singular."""

SLACK = 0.05
"""Share of the force that counts as much as an effort of usual size where nothing acts at a point of Gauss alone.

Equations of motion of free coordinates hold in the mean of each interval; this keeps them from swinging about it.
"""


class Values(NamedTuple):
    """Values at a place.

    Attributes:
        residuals: Half the sum of their squares is made small.
        equations: Which are 0.
        bounds: Which are 0 or more.
    """

    residuals: Array
    equations: Array
    bounds: Array


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
    """

    def __init__(
        self,
        model: Multibody,
        grid: Grid,
        acts: Bools,
        free: Bools,
        holds: Sequence[Hold],
        angles: Sequence[Angles],
        effort: float,
        force: float,
        floor: float,
        fixed: Bools,
        keyed: Array | None = None,
    ):
        self.model, self.grid, self.acts, self.free = model, grid, np.flatnonzero(acts), np.flatnonzero(free)
        self.slack = SLACK * force
        self.holds, self.angles, self.effort, self.force, self.floor = tuple(holds), tuple(angles), effort, force, floor
        self.bodies: Ints = np.unique(np.array([hold.body for hold in holds], dtype=np.intp))
        self.efforts = Efforts(model, self.bodies)
        self._slot = {int(body): k for k, body in enumerate(self.bodies)}
        n, nv = len(grid), model.nv
        self.keyed = np.zeros((n + 1, nv)) if keyed is None else keyed
        middles = 0.5 * (grid.times[1:] + grid.times[:-1])
        self._active: list[list[int]] = [
            [i for i, hold in enumerate(self.holds) if hold.start <= t <= hold.end] for t in middles
        ]
        self._first = [0]
        for active in self._active:
            self._first.append(self._first[-1] + sum(2 * self.holds[i].count for i in active))
        self.motion_size = grid.count * nv
        self.size = self.motion_size + self._first[-1]
        unknown = np.ones((grid.count, nv), dtype=np.bool_)
        unknown[[0, 1, -2, -1]] = False  # place and rate at both ends
        unknown[:, fixed] = False
        self.unknown: Ints = np.flatnonzero(np.concatenate([unknown.ravel(), np.ones(self._first[-1], np.bool_)]))
        low, high = (np.tile(limits, (grid.count, 1)) for limits in model.limits.T)
        low[~unknown], high[~unknown] = -np.inf, np.inf
        forces = np.concatenate(
            [
                np.full(2 * self.holds[i].count, 0.0 if self.holds[i].stands else -np.inf)
                for a in self._active
                for i in a
            ]
            or [np.zeros(0)]
        )
        self.low = np.concatenate([low.ravel(), forces])
        self.high = np.concatenate([high.ravel(), np.full(len(forces), np.inf)])
        blocks = [scipy.sparse.kron(scipy.sparse.csr_array(part), scipy.sparse.eye_array(nv)) for part in grid.nodes]
        self._to_nodes = scipy.sparse.block_diag(
            [scipy.sparse.vstack(blocks), scipy.sparse.eye_array(self._first[-1])], format="csr"
        )
        self._node_size = 2 * (n + 1) * nv
        self._places = self._checked_places()
        self._blocks: list[tuple[Array, Ints]] = []
        turned = self.efforts.balls[np.isin(self.efforts.balls[:, 0], self.acts)]
        most = np.linalg.norm(self.keyed[:, turned], axis=2).max(axis=0, initial=0.0)
        self._turned = [(x, max(_TURN, far + 0.1)) for x, far in zip(turned, most.tolist(), strict=True)]

    # -- unknowns ---------------------------------------------------------------------------------------------------

    def packed(self, x: Array, v: Array, forces: Array) -> Array:
        """Return unknowns, shape (size,), of a motion near one given at the nodes, and forces in their unit."""
        return np.concatenate([self.grid.coefficients(x, v).ravel(), forces])

    def motion(self, z: Array) -> tuple[Array, Array]:
        """Return coordinates and rates at the nodes, shape (n + 1, nv) each."""
        x, v = self.grid.nodes @ z[: self.motion_size].reshape(self.grid.count, self.model.nv)
        return x, v / self.grid.unit

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
        x, v = self.motion(z)
        q, qd, qdd = self.grid.motion(x, v)
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
        q, qd, qdd, wrenches, _ = self.states(z)
        t = self.efforts.at(q, qd, qdd, wrenches)
        roots = np.sqrt(self.grid.weights)
        rows = roots[:, None] * np.hstack([t[:, self.acts] / self.effort, t[:, self.free] / self.slack])
        residuals = [rows.ravel(), EVEN * z[self.motion_size :]]
        x, v = self.motion(z)
        equations, bounds = [self._balance @ t[:, self.free].ravel()], []
        for place, q, poses in self._posed(x, v):
            equations += [_off(self.holds[i], poses[self.holds[i].body]) for i in place.held]
            equations += [(q - self._pinned_at(place))[self._own(self.holds[i].body)] for i in place.pinned]
            bounds += [_heights(self.holds[i], poses[self.holds[i].body]) - self.floor for i in place.lifted]
        middles = self.grid.middles(x, v)
        for ball in self.angles:
            found = np.concatenate([self._room(ball, x)[:, 1:-1], self._room(ball, middles, 0.5)], axis=1)
            for room, limits in zip(found, (ball.low, ball.high), strict=True):
                bounds += [room[:, np.isfinite(limits)].ravel()]
        places = np.concatenate([x[1:-1], middles])
        bounds += [0.5 * most - 0.5 / most * (places[:, own] ** 2).sum(axis=1) for own, most in self._turned]
        return Values(*(np.concatenate(part) if part else np.zeros(0) for part in (residuals, equations, bounds)))

    def effort_of(self, z: Array) -> float:
        """Return the integral of the squares of the efforts that count, [N^2 m^2 s]."""
        q, qd, qdd, wrenches, _ = self.states(z)
        t = self.efforts.at(q, qd, qdd, wrenches)[:, self.acts]
        return float(self.grid.weights @ (t * t).sum(axis=1))

    # -- derivatives ------------------------------------------------------------------------------------------------

    def jacobians(self, z: Array) -> tuple[Any, Any, Any]:
        """Return the derivatives of residuals, equations and bounds by all unknowns, sparse."""
        n, nv = len(self.grid), self.model.nv
        q, qd, qdd, wrenches, columns = self.states(z)
        d = self.efforts.derivatives(q, qd, qdd, wrenches)
        by_x = d.x
        if any(columns):
            J = self.efforts.rate_jacobians(q)
            for j, acting in enumerate(columns):
                here = self.forces(z, j // POINTS, SHARES[j % POINTS])
                for (i, _, pushes), (_, numbers) in zip(acting, here, strict=True):
                    # A force that keeps its direction turns in the body's axes: (R^T f)' = (R^T f) x w.
                    hold = self.holds[i]
                    at = 6 * self._slot[hold.body]
                    turn = np.zeros((6, 3))
                    for arm, push in zip(hold.arms, (pushes * numbers).T, strict=True):
                        turning = so3.hat(push)
                        turn[:3] += so3.hat(arm) @ turning
                        turn[3:] += turning
                    by_x[j] += d.wrenches[j, :, at : at + 6] @ turn @ J[j, at : at + 3]
        basis = self.grid.at_points.reshape(-1, 3, 4)
        local = np.stack([by_x, d.v, d.a], axis=1)  # (p n, 3, nv, nv)
        by_local = np.einsum("pdij,pdc->picj", local, basis)  # (p n, nv, 4, nv)
        where = self._columns()
        at_points = np.repeat(where, POINTS, axis=0)
        roots = np.sqrt(self.grid.weights)
        residuals, free, equations, bounds = (_Rows(self._node_size + self._first[-1]) for _ in range(4))
        self._blocks = []
        for j in range(POINTS * n):
            own = by_local[j].reshape(nv, -1)
            cols = at_points[j].ravel()
            force_cols = self._node_size + np.arange(self._first[j // POINTS], self._first[j // POINTS + 1])
            if columns[j]:
                slots = [6 * self._slot[self.holds[i].body] for i, _, _ in columns[j]]
                share = SHARES[j % POINTS]
                carried = [
                    part * self.force * d.wrenches[j, :, at : at + 6] @ W
                    for at, (_, W, _) in zip(slots, columns[j], strict=True)
                    for part in (1.0 - share, share)
                ]
                own, cols = np.hstack([own, *carried]), np.concatenate([cols, force_cols])
            rows = roots[j] * np.vstack([own[self.acts] / self.effort, own[self.free] / self.slack])
            self._blocks.append(self._block(rows, j))
            residuals.add(rows, cols)
            free.add(own[self.free], cols)
        shares = self._node_size + np.arange(self._first[-1])
        residuals.add_diagonal(np.full(len(shares), EVEN), shares)
        self._add_places(z, equations, bounds, where)
        self._add_angles(z, bounds)
        stacked = scipy.sparse.vstack([self._balance @ free.matrix(), equations.matrix()], format="csc")
        first, second, third = (
            (rows @ self._to_nodes).tocsc() for rows in (residuals.matrix(), stacked, bounds.matrix())
        )
        return first, second, third

    def _block(self, rows: Array, j: int) -> tuple[Array, Ints]:
        """Return derivatives by local values and forces at a point as those by unknowns, and which these are."""
        k, nv = j // POINTS, self.model.nv
        motion = rows[:, : 4 * nv].reshape(len(rows), 4, nv)
        own = np.einsum("rlj,lc->rcj", motion, self.grid.local[k]).reshape(len(rows), -1)
        coefficients = nv * (self.grid.first[k] + np.arange(4))[:, None] + np.arange(nv)
        forces = self.motion_size + np.arange(self._first[k], self._first[k + 1])
        return np.hstack([own, rows[:, 4 * nv :]]), np.concatenate([coefficients.ravel(), forces])

    def squares(self, J: Any) -> Any:
        """Return the upper triangle of ``J^T J`` by unknowns that are free, sparse; J as ``jacobians`` has it last."""
        number = np.full(self.size, -1)
        number[self.unknown] = np.arange(len(self.unknown))
        parts = []
        for k in range(len(self.grid)):  # its points have the same unknowns
            block = np.vstack([rows for rows, _ in self._blocks[POINTS * k : POINTS * (k + 1)]])
            own = number[self._blocks[POINTS * k][1]]
            free = np.flatnonzero(own >= 0)
            free = free[np.argsort(own[free])]
            block, own = block[:, free], own[free]
            upper = np.triu_indices(len(own))
            parts.append(((block.T @ block)[upper], own[upper[0]], own[upper[1]]))
        forces = number[self.motion_size :]
        parts.append((np.full(len(forces), EVEN * EVEN), forces, forces))
        values, rows, cols = (np.concatenate(part) for part in zip(*parts, strict=True))
        return scipy.sparse.csc_array((values, (rows, cols)), shape=(len(self.unknown), len(self.unknown)))

    def _columns(self) -> Ints:
        """Return where the local values of each piece are among the unknowns, shape (n, 4, nv)."""
        n, nv = len(self.grid), self.model.nv
        places = np.arange(self._node_size).reshape(2, n + 1, nv)
        return np.stack([places[0, :-1], places[1, :-1], places[0, 1:], places[1, 1:]], axis=1)

    # -- what is held, and what must not go into the floor -----------------------------------------------------------

    @cached_property
    def _balance(self) -> Any:
        """Return what takes efforts of free coordinates at the points to the rows that must be 0.

        That is their mean in each interval, the momentum that nothing gives: there are as many of these as the motion
        has ways to go, in flight too.
        """
        n, width = len(self.grid), len(self.free)
        mean = self.grid.weights[:POINTS] / (self.grid.steps[0] * self.force)
        return scipy.sparse.kron(scipy.sparse.eye_array(n), np.kron(mean[None], np.eye(width)), format="csr")

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
                found.append(_Place(piece, middle, free, pinned, lifted))
        return found

    def _posed(self, x: Array, v: Array) -> list[tuple[_Place, Array, Array]]:
        """Return places with coordinates and poses of bodies there."""
        middles = self.grid.middles(x, v)
        states = [middles[place.piece] if place.middle else x[place.piece + 1] for place in self._places]
        return [(place, q, self.model.body_poses(q)) for place, q in zip(self._places, states, strict=True)]

    def _pinned_at(self, place: _Place) -> Array:
        """Return the coordinates of the keyed motion at a place; those of what is held are the same all along."""
        after = self.keyed[place.piece + 1]
        return np.asarray(0.5 * (self.keyed[place.piece] + after) if place.middle else after)

    def _own(self, body: int) -> slice:
        """Return which coordinates are those of a body's joint."""
        return slice(int(self.model.first[body]), int(self.model.first[body + 1]))

    def _add_places(self, z: Array, equations: _Rows, bounds: _Rows, where: Ints) -> None:
        if not self._places:
            return
        posed = self._posed(*self.motion(z))
        J = self.efforts.rate_jacobians(np.array([q for _, q, _ in posed]))
        for (place, _, poses), jacobian in zip(posed, J, strict=True):
            if place.middle:
                basis, cols = self.grid.at_middles[place.piece], where[place.piece]
            else:
                basis, cols = np.ones(1), where[place.piece][2:3]
            pinned = [np.eye(self.model.nv)[self._own(self.holds[i].body)] for i in place.pinned]
            for rows, which, out in ((_off_rows, place.held, equations), (_height_rows, place.lifted, bounds)):
                for i in which:
                    at = 6 * self._slot[self.holds[i].body]
                    own = rows(self.holds[i], poses[self.holds[i].body], jacobian[at : at + 6])
                    out.add(_spread(own, basis), cols.ravel())
                if out is equations:
                    for own in pinned:
                        out.add(_spread(own, basis), cols.ravel())

    # -- limits of balls ----------------------------------------------------------------------------------------------

    def _room(self, ball: Angles, x: Array, share: float = 0.0) -> Array:
        """Return how far the angles of a ball are above and below their limits, shape (2, m, 3).

        That is at nodes, or a share of the way from each to the next one. Of the two ways in which three angles make a
        rotation, and of whole turns, it is the one with most room. Near gimbal lock outer angles turn by as much as 1
        over the sine between their axes, which would make steps as short as that, so that their room is weighted by it:
        what is within limits is the same.
        """
        near = ball.near if share == 0.0 else (1.0 - share) * ball.near[:-1] + share * ball.near[1:]
        limited = np.isfinite(ball.low) & np.isfinite(ball.high)
        near = np.where(limited, 0.5 * (_finite(ball.low) + _finite(ball.high)), near)
        both = ball.axes.both_angles(quat.exp(0.5 * x[:, ball.x])[:, None], near[:, None])[:, :, 0]
        first, second, third = ball.axes.axes[0]
        sines = np.array([first @ np.cross(second, third), first @ ((second @ third) * second - third)])
        apart = np.stack([np.cos(both[..., 1]), np.sin(both[..., 1])], axis=-1) @ (sines / np.linalg.norm(sines))
        weight = np.ones_like(both)
        weight[..., ::2] = np.abs(apart)[..., None]
        room = np.stack([weight * (both - ball.low), weight * (ball.high - both)], axis=1)  # (2, 2, m, 3)
        chosen = np.argmax(room.min(axis=(1, 3)), axis=0)
        return np.asarray(np.moveaxis(room[chosen, :, np.arange(len(x))], 0, 1))

    def _add_angles(self, z: Array, bounds: _Rows) -> None:
        x, v = self.motion(z)
        nv, n, where, middles = self.model.nv, len(self.grid), self._columns(), self.grid.middles(x, v)
        for ball in self.angles:
            slopes = []
            for states, share in ((x, 0.0), (middles, 0.5)):
                by_x = np.zeros((2, len(states), 3, 3))
                for k in range(3):
                    step = np.zeros(nv)
                    step[ball.x[k]] = 1e-6
                    ends = [_finite(self._room(ball, states + sign * step, share)) for sign in (1.0, -1.0)]
                    by_x[:, :, :, k] = (ends[0] - ends[1]) / 2e-6
                slopes.append(by_x)
            for side, limits in enumerate((ball.low, ball.high)):
                own = np.isfinite(limits)
                for node in range(1, n):
                    bounds.add(slopes[0][side, node][own], node * nv + ball.x)
                for k in range(n):
                    rows = _spread(slopes[1][side, k][own], self.grid.at_middles[k])
                    bounds.add(rows, where[k][:, ball.x].ravel())
        for own, most in self._turned:
            for node in range(1, n):
                bounds.add(-x[node, own][None] / most, node * nv + own)
            for k in range(n):
                rows = _spread(-middles[k, own][None] / most, self.grid.at_middles[k])
                bounds.add(rows, where[k][:, own].ravel())


class _Place(NamedTuple):
    """A node, or the middle of the interval before it, and the numbers of holds."""

    piece: int
    middle: bool
    held: tuple[int, ...]
    pinned: tuple[int, ...]
    lifted: tuple[int, ...]


class _Rows:
    """Rows of a sparse matrix, as they come."""

    def __init__(self, width: int):
        self._width, self._height = width, 0
        self._parts: list[tuple[Array, Ints, Ints]] = []

    def add(self, block: Array, columns: Ints) -> None:
        """Add rows that have a block in some columns."""
        rows = self._height + np.arange(len(block))
        self._parts.append((np.ravel(block), np.repeat(rows, len(columns)), np.tile(columns, len(block))))
        self._height += len(block)

    def add_diagonal(self, values: Array, columns: Ints) -> None:
        """Add a row for each of some columns."""
        self._parts.append((values, self._height + np.arange(len(values)), columns))
        self._height += len(values)

    def matrix(self) -> Any:
        """Return the matrix."""
        values, rows, columns = (
            (np.concatenate(part) for part in zip(*self._parts, strict=True))
            if self._parts
            else (np.zeros(0), np.zeros(0, np.intp), np.zeros(0, np.intp))
        )
        return scipy.sparse.csc_array((values, (rows, columns)), shape=(self._height, self._width))


def _spread(rows: Array, basis: Array) -> Array:
    """Return rows by coordinates at a place as rows by local values."""
    return np.asarray((rows[:, None, :] * basis[:, None]).reshape(len(rows), -1))


def _finite(room: Array) -> Array:
    """Return numbers with 0 for those that are infinite: what has no limit."""
    return np.where(np.isfinite(room), room, 0.0)


def _off(hold: Hold, X: Array) -> Array:
    """Return by how much a body is not where it is held, in the axes of its place there."""
    back = se3.inverse(hold.pose) @ X
    at = back[:3, :3] @ hold.point + back[:3, 3] - hold.point
    return np.concatenate([so3.log(back[:3, :3]), at]) if hold.turns else at


def _off_rows(hold: Hold, X: Array, J: Array) -> Array:
    """Return the derivative of :func:`_off`, from the Jacobian of the body at B in B, shape (6, nv)."""
    back = hold.pose[:3, :3].T @ X[:3, :3]
    at = back @ (J[3:] - so3.hat(hold.point) @ J[:3])
    if not hold.turns:
        return np.asarray(at)
    return np.concatenate([so3.inverse_right_jacobian(so3.log(back)) @ J[:3], at])


def _heights(hold: Hold, X: Array) -> Array:
    """Return how high the points are that a body stands on, shape (k,)."""
    return np.asarray((hold.soles @ X[:3, :3].T + X[:3, 3]) @ hold.normal)


def _height_rows(hold: Hold, X: Array, J: Array) -> Array:
    return np.stack([hold.normal @ X[:3, :3] @ (J[3:] - so3.hat(sole) @ J[:3]) for sole in hold.soles])
