"""A second transcription of motions of least effort: accelerations at points of Gauss.

Nothing of splines is in it. Accelerations and forces of contacts are free at the points of Gauss of every interval and
may jump between intervals; places and rates at nodes are unknowns of their own, joined by equations. Torques come from
inverse dynamics. ``tests.benchmarks.effort_ipopt`` solves it.

Source: Betts (2010), Practical Methods for Optimal Control, chapter 4 (orthogonal collocation).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy

from core.arrays import Array, Ints
from core.preview.least_energy.angle_limits import Angles
from core.preview.least_energy.places import height_rows, heights, off, off_rows
from core.preview.least_energy.program import EVEN, Program

RATE, ACCELERATION = 3.0, 30.0
"""Units of rates and accelerations, for unknowns of the size of 1."""


def _limited(ball: Angles, rooms: Array) -> Array:
    """Return of rooms, shape (..., 2, m, 3), those that are limited, shape (..., m, sides)."""
    return np.asarray(np.moveaxis(rooms, -2, -3)[..., np.isfinite(np.stack([ball.low, ball.high]))])


class Collocation:
    """The problem of a program, by accelerations at points of Gauss.

    Args:
        program: Whose model, holds, ends, limits (of hinges, balls and torques) and efforts count.
        z: Unknowns of the program: its ends are those of the motion.
        times: Nodes, which have those where holds begin and end among them, [s].
        points: Points of Gauss in an interval.
    """

    def __init__(self, program: Program, z: Array, times: Array, points: int = 3):
        self.program, self.times, self.points = program, times, points
        self.links = program.links
        assert self.links is not None
        self.n, self.nv = len(times) - 1, program.model.nv
        c, w = np.polynomial.legendre.leggauss(points)
        self.c, self.w = 0.5 + 0.5 * c, 0.5 * w
        firsts = np.cumsum([0, *(hold.count for hold in program.holds)])
        middles = 0.5 * (times[1:] + times[:-1])
        self.active = [[i for i, h in enumerate(program.holds) if h.start <= t <= h.end] for t in middles]
        numbers = [[np.arange(firsts[i], firsts[i + 1]) for i in a] for a in self.active]
        self.pushes: list[Ints] = [np.concatenate([np.zeros(0, int), *own]).astype(np.int64) for own in numbers]
        self.motion = (2 + points) * self.nv
        sizes = [self.motion + points * len(own) for own in self.pushes]
        self.first = np.concatenate([[0], np.cumsum(sizes)])
        self.size = int(self.first[-1]) + 2 * self.nv
        self.maps = [self._maps(h, self.c) for h in np.diff(times)]
        x, v = (program.at(z, times[[0, -1]], order) for order in range(2))
        self.low, self.high = self._bounds(x, v)
        inner = (times[:-1, None] + np.diff(times)[:, None] * self.c).ravel()
        self.balls = [(ball, ball.branch(program.grid.times, inner)) for ball in program.angles]
        self._set_places()
        self._set_rows()

    def _maps(self, h: float, at: Array) -> tuple[Array, Array, Array]:
        """Return what takes place, rate and accelerations to those at shares of an interval, (m, 2 + p) each."""
        lagrange = np.linalg.inv(np.vander(self.c, increasing=True))  # column j: coefficients of the j-th polynomial
        k, one = np.arange(self.points), np.ones((len(at), 1))
        a = at[:, None] ** k @ lagrange
        v = (at[:, None] ** (k + 1) / (k + 1)) @ lagrange
        x = (at[:, None] ** (k + 2) / ((k + 1) * (k + 2))) @ lagrange
        none = 0.0 * one
        return (
            np.hstack([one, h * RATE * at[:, None], h * h * ACCELERATION * x]),
            np.hstack([none, RATE * one, h * ACCELERATION * v]),
            np.hstack([none, none, ACCELERATION * a]),
        )

    def _bounds(self, x: Array, v: Array) -> tuple[Array, Array]:
        low, high = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        for k in range(self.n + 1):
            at = slice(self.first[k], self.first[k] + self.nv)
            low[at], high[at] = self.program.model.limits.T
            if k < self.n:
                forces = slice(self.first[k] + self.motion, self.first[k + 1])
                holds = [self.program.holds[i] for i in self.active[k]]
                least = [np.full(hold.count, 0.0 if hold.stands else -np.inf) for hold in holds]
                low[forces] = np.tile(np.concatenate([np.zeros(0), *least]), self.points)
        for side, at in ((0, self.first[0]), (1, self.first[self.n])):
            ends = slice(at, at + 2 * self.nv)
            low[ends] = high[ends] = np.concatenate([x[side], v[side] / RATE])
        return low, high

    def _set_places(self) -> None:
        """Say where what is held: as often as accelerations have ways to go, at points and where intervals end."""
        p, n, program = self.points, self.n, self.program
        self.held: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []  # interval, point, poses, joints
        self.lifted: list[tuple[int, int, tuple[int, ...]]] = []
        standing = {hold.body for hold in program.holds if hold.stands}
        for k, own in enumerate(self.active):
            begins = [i for i in own if k and abs(program.holds[i].start - self.times[k]) < 1e-9]
            for j in range(p + 1):
                if k == n - 1 and j in (0, 1, p):
                    here = [i for i in begins if j < p]  # the end is as it is, place and rate: two ways less to go
                else:
                    here = own if j else begins  # those that come down have a rate that must be 0 as well
                still = {program.holds[i].body for i in here if program.holds[i].turns}
                pinned = tuple(i for i in here if int(program.model.parents[program.holds[i].body]) in still)
                if here:
                    self.held.append((k, j, tuple(i for i in here if i not in pinned), pinned))
            for i in begins:
                if (k - 1, p) not in [(a, b) for a, b, *_ in self.held]:
                    comes = begins
                    still = {program.holds[i].body for i in comes if program.holds[i].turns}
                    pinned = tuple(i for i in comes if int(program.model.parents[program.holds[i].body]) in still)
                    self.held.append((k - 1, p, tuple(i for i in comes if i not in pinned), pinned))
            up = tuple(
                next(i for i, h in enumerate(program.holds) if h.body == body)
                for body in sorted(standing - {program.holds[i].body for i in own})
            )
            self.lifted += [(k, j, up) for j in range(p) if up]

    # -- motion -------------------------------------------------------------------------------------------------------

    def _local(self, u: Array, k: int) -> Array:
        return u[self.first[k] : self.first[k] + self.motion].reshape(-1, self.nv)

    def forces(self, u: Array, k: int) -> Array:
        """Return the sizes of the forces in an interval at its points, in their unit, shape (p, m)."""
        return u[self.first[k] + self.motion : self.first[k + 1]].reshape(self.points, len(self.pushes[k]))

    def states(self, u: Array) -> tuple[Array, Array, Array]:
        """Return coordinates, rates and accelerations at the points, shape (n p, nv) each."""
        found = np.array([[part @ self._local(u, k) for part in self.maps[k]] for k in range(self.n)])
        q, v, a = np.moveaxis(found, 1, 0).reshape(3, -1, self.nv)
        return q, v, a

    def _acting(self, u: Array) -> tuple[Ints, Array]:
        most = max(len(own) for own in self.pushes)
        acting = np.full((self.n, self.points, most), -1, dtype=np.int64)
        sizes = np.zeros((self.n, self.points, most))
        for k, own in enumerate(self.pushes):
            acting[k, :, : len(own)] = own
            sizes[k, :, : len(own)] = self.program.force * self.forces(u, k)
        return acting.reshape(len(self.weights), most), sizes.reshape(len(self.weights), most)

    def around(self, u: Array, room: float) -> tuple[Array, Array]:
        """Return the least and greatest unknowns that are looked at around some.

        Limbs that whirl within an interval cost nothing at its points, and much between them: such motions are none.

        Args:
            u: The unknowns.
            room: For coordinates, [rad] and [m]; rates have 10 a second times that, accelerations 300.
        """
        far = np.full(self.size, np.inf)
        for k in range(self.n + 1):
            at = self.first[k]
            far[at : at + self.nv] = room
            far[at + self.nv : at + 2 * self.nv] = 10.0 * room / RATE
            if k < self.n:
                far[at + 2 * self.nv : at + self.motion] = 300.0 * room / ACCELERATION
        return u - far, u + far

    def start(self, z: Array) -> Array:
        """Return the unknowns of a motion of the program."""
        u, program = np.zeros(self.size), self.program
        for k in range(self.n + 1):
            t = self.times[k : k + 1]
            at = self.first[k]
            u[at : at + 2 * self.nv] = np.concatenate([program.at(z, t)[0], program.at(z, t, 1)[0] / RATE])
            if k == self.n:
                break
            inner = t + self.c * (self.times[k + 1] - t)
            a = program.at(z, inner, 2) / ACCELERATION
            u[at + 2 * self.nv : at + self.motion] = a.ravel()
            rows = []
            for time in inner:
                piece = int(program.grid.piece(np.array([time]))[0])
                share = float((time - program.grid.times[piece]) / program.grid.steps[piece])
                rows += [each for _, each in program.unknowns.forces(z, piece, share)]
            forces = np.concatenate([np.zeros(0), *rows]) / program.force
            u[at + self.motion : self.first[k + 1]] = forces
        return np.clip(u, self.low, self.high)

    # -- values -------------------------------------------------------------------------------------------------------

    def torques(self, u: Array) -> Array:
        """Return the efforts at the points, shape (n p, nv)."""
        return self.links.efforts(*self.states(u), *self._acting(u))

    @property
    def weights(self) -> Array:
        """What makes sums over the points integrals, shape (n p,), [s]."""
        return (np.diff(self.times)[:, None] * self.w).ravel()

    def _even(self) -> Array:
        out = np.zeros(self.size)
        for k in range(self.n):
            out[self.first[k] + self.motion : self.first[k + 1]] = EVEN * EVEN * 2.0 / self.points
        return out

    def cost(self, u: Array) -> float:
        """Return half the integral of the squares of efforts in their units, and what evens forces."""
        t = self.torques(u)[:, self.program.acts] / self.program.effort
        return 0.5 * float(self.weights @ (t * t).sum(axis=1)) + 0.5 * float(self._even() @ (u * u))

    def _at(self, u: Array, places: list[Any]) -> Array:
        rows = []
        for k, j, *_ in places:
            if j < self.points:
                rows.append(self.maps[k][0][j] @ self._local(u, k))
            else:
                rows.append(u[self.first[k + 1] : self.first[k + 1] + self.nv])
        return np.array(rows).reshape(-1, self.nv)

    def _keyed(self, i: int) -> Array:
        program = self.program
        node = int(np.searchsorted(program.grid.times, program.holds[i].start - 1e-9))
        return program.keyed[node]

    def rows(self, u: Array) -> Array:
        """Return all that is bounded by ``row_low`` and ``row_high``."""
        program = self.program
        found = [(self.linear @ u), (self.torques(u)[:, program.free] / program.force).ravel()]
        for at, (_, _, poses, _) in zip(self._at(u, self.held), self.held, strict=True):
            X = program.model.body_poses(at)
            for i in poses:
                found.append(off(program.holds[i], X[program.holds[i].body]))
        for at, (_, _, up) in zip(self._at(u, self.lifted), self.lifted, strict=True):
            X = program.model.body_poses(at)
            for i in up:
                found.append(heights(program.holds[i], X[program.holds[i].body]) - program.floor)
        q = self.states(u)[0]
        for ball, near in self.balls:
            found.append(_limited(ball, ball.room(q, near)).ravel())
        found.append(program.torque_limits.rooms(self.torques(u)).ravel())
        return np.concatenate(found)

    def _set_rows(self) -> None:
        """Set what is linear: intervals that join, joints between held parts, limits of hinges at points."""
        nv, program, limits = self.nv, self.program, self.program.model.limits
        unit, parts, low, high = scipy.sparse.identity(nv, format="csr"), [], [], []
        for k, h in enumerate(np.diff(self.times)):
            x, v, _ = self._maps(h, np.ones(1))
            for row, number, scale in ((x, 0, 1.0), (v, 1, RATE)):
                own = scipy.sparse.lil_matrix((nv, self.size))
                own[:, self.first[k] : self.first[k] + self.motion] = scipy.sparse.kron(row / scale, unit)
                at = self.first[k + 1] + number * nv
                own[:, at : at + nv] = -unit
                parts.append(own.tocsr())
                low.append(np.zeros(nv))
                high.append(np.zeros(nv))

        def place(k: int, j: int, which: Ints) -> scipy.sparse.csr_matrix:
            own = scipy.sparse.lil_matrix((len(which), self.size))
            if j < self.points:
                own[:, self.first[k] : self.first[k] + self.motion] = scipy.sparse.kron(
                    self.maps[k][0][j][None], unit[which]
                )
            else:
                own[:, self.first[k + 1] : self.first[k + 1] + nv] = unit[which]
            return own.tocsr()

        for k, j, _, pinned in self.held:
            for i in pinned:
                body = program.holds[i].body
                which = np.arange(program.model.first[body], program.model.first[body + 1])
                parts.append(place(k, j, which))
                low.append(self._keyed(i)[which])
                high.append(self._keyed(i)[which])
        limited = np.flatnonzero(np.isfinite(limits).any(axis=1))
        for k, j in itertools.product(range(self.n), range(self.points)):
            if len(limited):
                parts.append(place(k, j, limited))
                low.append(limits[limited, 0])
                high.append(limits[limited, 1])
        self.linear = scipy.sparse.vstack(parts).tocsr()
        rows = len(program.free) * self.n * self.points
        held = sum(program.holds[i].rows for _, _, poses, _ in self.held for i in poses)
        lifted = sum(len(program.holds[i].soles) for _, _, up in self.lifted for i in up)
        points = self.n * self.points
        sides = sum(int(np.isfinite(own).sum()) for ball, _ in self.balls for own in (ball.low, ball.high))
        above = lifted + points * (sides + len(program.torque_limits))
        self.row_low = np.concatenate([*low, np.zeros(rows + held + above)])
        self.row_high = np.concatenate([*high, np.zeros(rows + held), np.full(above, np.inf)])

    # -- derivatives --------------------------------------------------------------------------------------------------

    def _columns(self, k: int) -> Ints:
        return np.arange(self.first[k], self.first[k + 1])

    def _tall(self, k: int, j: int) -> Array:
        """Return what takes unknowns of an interval to x, v, a and sizes at a point, shape (3 nv + m, own)."""
        m = len(self.pushes[k])
        out = np.zeros((3 * self.nv + m, self.first[k + 1] - self.first[k]))
        for number, part in enumerate(self.maps[k]):
            out[number * self.nv : (number + 1) * self.nv, : self.motion] = np.kron(part[j], np.eye(self.nv))
        at = self.motion + j * m
        out[3 * self.nv :, at : at + m] = self.program.force * np.eye(m)
        return out

    def _wide(self) -> list[Array]:
        if not hasattr(self, "_talls"):
            self._talls = [self._tall(k, j) for k in range(self.n) for j in range(self.points)]
        return self._talls

    def _jacobians(self, u: Array) -> tuple[Array, list[Array]]:
        """Return efforts, and their derivatives by x, v, a and sizes at each point."""
        D = self.links.jacobians(*self.states(u), *self._acting(u))
        most = 3 * self.nv
        return self.torques(u), [d[:, : most + len(self.pushes[j // self.points])] for j, d in enumerate(D)]

    def gradient(self, u: Array) -> Array:
        """Return the derivative of the cost."""
        t, D = self._jacobians(u)
        out, acts = self._even() * u, self.program.acts
        for j, (w, d, tall) in enumerate(zip(self.weights, D, self._wide(), strict=True)):
            left = w * t[j, acts] / self.program.effort**2
            out[self._columns(j // self.points)] += (left @ d[acts]) @ tall
        return out

    def _place_rows(self, places: list[Any], q: Array, make: Any) -> list[tuple[int, int, Array]]:
        J = self.program.reach.jacobians(q) if len(q) else np.zeros((0, 0, self.nv))
        found = []
        for at, jacobian, (k, j, which, *_) in zip(q, J, places, strict=True):
            X = self.program.model.body_poses(at)
            for i in which:
                body = self.program.holds[i].body
                slot = 6 * self.program.slot(i)
                found.append((k, j, make(self.program.holds[i], X[body], jacobian[slot : slot + 6])))
        return found

    def jacobian(self, u: Array) -> scipy.sparse.csc_matrix:
        """Return the derivatives of the rows."""
        t, D = self._jacobians(u)
        free, force = self.program.free, self.program.force
        r, c, d = [], [], []
        row = self.linear.shape[0]

        def put(columns: Ints, block: Array) -> None:
            nonlocal row
            r.append(np.repeat(row + np.arange(len(block)), len(columns)))
            c.append(np.tile(columns, len(block)))
            d.append(block.ravel())
            row += len(block)

        for j, (own, tall) in enumerate(zip(D, self._wide(), strict=True)):
            put(self._columns(j // self.points), own[free] @ tall / force)
        for places, make in ((self.held, off_rows), (self.lifted, height_rows)):
            for k, j, block in self._place_rows(places, self._at(u, places), make):
                if j < self.points:
                    put(
                        self._columns(k)[: self.motion],
                        np.kron(self.maps[k][0][j][None], block).reshape(len(block), -1),
                    )
                else:
                    put(self.first[k + 1] + np.arange(self.nv), block)
        q, p = self.states(u)[0], self.points
        for ball, near in self.balls:
            slopes = np.moveaxis(_limited(ball, np.moveaxis(ball.room_slopes(q, near), 3, 0)), 0, 2)  # (m, sides, 3)
            columns = (np.arange(2 + p)[:, None] * self.nv + ball.x).ravel()
            for j, own in enumerate(slopes):
                k = j // p
                put(self.first[k] + columns, np.kron(self.maps[k][0][j % p][None], own))
        if len(self.program.torque_limits):
            for j, (own, tall) in enumerate(zip(D, self._wide(), strict=True)):
                put(self._columns(j // p), self.program.torque_limits.slopes(t[j : j + 1], own[None]) @ tall)
        lower = scipy.sparse.coo_matrix((np.concatenate(d), (np.concatenate(r), np.concatenate(c))), (row, self.size))
        lower = lower.tocsr()[self.linear.shape[0] :]
        return self._structured(scipy.sparse.vstack([self.linear, lower]).tocsc())

    @staticmethod
    def _structured(matrix: scipy.sparse.csc_matrix) -> scipy.sparse.csc_matrix:
        matrix.sort_indices()
        return matrix

    def hessian(self, u: Array, share: float, prices: Array) -> scipy.sparse.csc_matrix:
        """Return the upper half of the second derivatives of ``share`` costs and priced rows."""
        program, nv, p = self.program, self.nv, self.points
        t, D = self._jacobians(u)
        acts, free = program.acts, program.free
        at = self.linear.shape[0]
        weights = np.zeros_like(t)
        weights[:, acts] = share * self.weights[:, None] * t[:, acts] / program.effort**2
        weights[:, free] = prices[at : at + t.shape[0] * len(free)].reshape(len(t), len(free)) / program.force
        at += t.shape[0] * len(free)
        limits = program.torque_limits
        paid = -prices[len(prices) - len(t) * len(limits) :].reshape(len(t), -1)
        limits.weigh(t, paid, weights)
        q, v, a = self.states(u)
        acting, sizes = self._acting(u)
        H = self.links.hessians(q, v, a, weights, acting, sizes)
        inner: list[Array] = []
        for j, own in enumerate(D):
            scaled = np.sqrt(share * self.weights[j]) * own[acts] / program.effort[:, None]
            bend = np.zeros((nv, nv))
            for price, each in zip(paid[j], limits.strong, strict=True):
                _, most = each.along(t[j : j + 1])
                bend[np.ix_(each.x, each.x)] += price * (each.axes.T / most[0] ** 2) @ each.axes
            m = 3 * nv + len(self.pushes[j // p])
            inner.append(H[j, :m, :m] + scaled.T @ scaled + own.T @ bend @ own)
        ends = np.zeros((self.n + 1, nv, nv))
        for places, lifted in ((self.held, False), (self.lifted, True)):
            blocks, count = self._bent(u, places, lifted, prices[at:])
            at += count
            for (k, j, *_), block in zip(places, blocks, strict=True):
                if j < p:
                    inner[k * p + j][:nv, :nv] += block
                else:
                    ends[k + 1] += block
        for ball, near in self.balls:
            own = np.zeros((len(q), 2, 3))
            which = np.isfinite(np.stack([ball.low, ball.high]))
            count = len(q) * int(which.sum())
            own[:, which] = prices[at : at + count].reshape(len(q), -1)
            at += count
            for j, block in enumerate(ball.room_bend(q, near, np.swapaxes(own, 0, 1))):
                inner[j][np.ix_(ball.x, ball.x)] += block
        r, c, d = [], [], []

        def put(columns: Ints, block: Array) -> None:
            i, j = np.triu_indices(len(columns))
            r.append(columns[i])
            c.append(columns[j])
            d.append(block[i, j])

        for k in range(self.n):
            m = len(self.pushes[k])
            block = np.zeros((self.motion + p * m, self.motion + p * m))
            for j, each in enumerate(inner[k * p : k * p + p]):
                M, forces = (
                    np.stack([part[j] for part in self.maps[k]]),
                    slice(self.motion + j * m, self.motion + j * m + m),
                )
                motion = each[: 3 * nv, : 3 * nv].reshape(3, nv, 3, nv)
                moved = np.einsum("ra,risj,sb->aibj", M, motion, M, optimize=True)
                block[: self.motion, : self.motion] += moved.reshape(self.motion, -1)
                side = np.einsum("ra,rim->aim", M, each[: 3 * nv, 3 * nv :].reshape(3, nv, m)).reshape(self.motion, m)
                block[: self.motion, forces] += program.force * side
                block[forces, forces] += program.force**2 * each[3 * nv :, 3 * nv :]
            put(self._columns(k), block)
        for k in range(self.n + 1):
            put(self.first[k] + np.arange(nv), ends[k])
        put_diagonal = np.arange(self.size)
        r.append(put_diagonal)
        c.append(put_diagonal)
        d.append(share * self._even())
        full = (np.concatenate(d), (np.concatenate(r), np.concatenate(c)))
        return self._structured(scipy.sparse.coo_matrix(full, (self.size, self.size)).tocsc())

    def _bent(self, u: Array, places: list[Any], lifted: bool, prices: Array) -> tuple[Array, int]:
        """Return second derivatives of what is priced at places, and how many prices these have."""
        q, used, reach = self._at(u, places), 0, self.program.reach
        acting, sizes = [], []
        for x, (_, _, which, *_) in zip(q, places, strict=True):
            X = self.program.model.body_poses(x)
            found = []
            for i in which:
                hold = self.program.holds[i]
                count = len(hold.soles) if lifted else hold.rows
                own = prices[used : used + count]
                found.append(reach.heights_priced(i, own) if lifted else reach.poses_priced(i, X[hold.body], own))
                used += count
            acting.append(np.concatenate([np.zeros(0, np.int64), *(each for each, _ in found)]))
            sizes.append(np.concatenate([np.zeros(0), *(each for _, each in found)]))
        return (reach.bends(q, acting, sizes) if len(q) else np.zeros((0, self.nv, self.nv))), used

    # -- what it comes to ---------------------------------------------------------------------------------------------

    def dense(self, u: Array, points: int = 23) -> tuple[float, float, Array]:
        """Return the integral of squares of efforts in their units, what the root misses, and torques between points.

        By another rule than that by which it was made small; the second is the root of the mean square, as a share of
        the weight.
        """
        s, w = np.polynomial.legendre.leggauss(points)
        s, w = 0.5 + 0.5 * s, 0.5 * w
        program, total, off, all_t = self.program, 0.0, 0.0, []
        for k, h in enumerate(np.diff(self.times)):
            x, v, a = (part @ self._local(u, k) for part in self._maps(h, s))
            blend = s[:, None] ** np.arange(self.points) @ np.linalg.inv(np.vander(self.c, increasing=True))
            sizes = program.force * (blend @ self.forces(u, k))
            acting = np.tile(self.pushes[k], (points, 1))
            t = self.links.efforts(x, v, a, acting, sizes)
            all_t.append(t)
            total += h * float(w @ ((t[:, program.acts] / program.effort) ** 2).sum(axis=1))
            off += h * float(w @ ((t[:, program.free] / program.force) ** 2).sum(axis=1))
        return total, float(np.sqrt(off / (self.times[-1] - self.times[0]))), np.concatenate(all_t)

    def at(self, u: Array, times: Array) -> Array:
        """Return coordinates at times, shape (m, nv)."""
        found = []
        for t in times:
            k = min(int(np.searchsorted(self.times, t, side="right")) - 1, self.n - 1)
            h = self.times[k + 1] - self.times[k]
            found.append((self._maps(h, np.array([(t - self.times[k]) / h]))[0] @ self._local(u, k))[0])
        return np.array(found)
