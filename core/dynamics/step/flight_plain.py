"""Free flight in numpy: Runge-Kutta of fourth order, then momentum and energy exactly as they must be.

Rotations are ``turn exp(theta)`` within a step, ``theta' = w + theta x w / 2 + theta x (theta x w) / 12`` in own axes.
The projection adds a twist of the whole tree, then scales what the tree moves against its own locked motion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import motion_plain as motion
from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory
from core.spatial import quaternion

Array = NDArray[np.float64]

RESTS = 1e-9
"""As in ``flight_kernels``."""


def fly(m: Memory, h: float) -> None:
    """Move on by h without rows, and without forces but gravity; what is prescribed rests.

    The nodes stand where the step began.
    """
    u, X = m.vectors[at.U].copy(), m.vectors[at.X].copy()
    turns = m.nodes[:, at.TURN : at.TURN + 4].copy()
    trees = [Locked(m, tree, u) for tree in roots(m)]
    before = [(tree.energy(u), tree.linear.copy(), tree.about_center()) for tree in trees]
    moves = m.held == 0
    dx: Array = np.zeros(len(u))
    du: Array = np.zeros(len(u))
    x_sum, u_sum = np.zeros(len(u)), np.zeros(len(u))
    for share, weight in ((0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)):
        w = u + share * h * du
        theta = share * h * dx
        put(m, X, turns, theta)
        du[:] = 0.0
        du[moves] = np.linalg.solve(motion.mass_matrix(m)[np.ix_(moves, moves)], -motion.bias(m, w)[moves])
        dx = rates(m, theta, w)
        x_sum += weight * dx
        u_sum += weight * du
    put(m, X, turns, h / 6.0 * x_sum)
    new = u + h / 6.0 * u_sum
    m.vectors[at.EFFORT] = 0.0
    effort = motion.mass_matrix(m) @ (new - u) / h + motion.bias(m, new)
    m.vectors[at.EFFORT, ~moves] = effort[~moves]
    gravity = m.numbers[at.GRAVITY : at.GRAVITY + 3]
    for tree, (energy, linear, angular) in zip(roots(m), before, strict=True):
        after = Locked(m, tree, new)
        after.project(new, energy, linear + h * after.mass * gravity, angular)
    m.vectors[at.U] = new


def at_rest(m: Memory) -> bool:
    """Return whether all prescribed coordinates rest, as they must in free flight."""
    held = m.held != 0
    return bool(np.abs(m.vectors[[at.GIVEN, at.U]][:, held]).max(initial=0.0) <= RESTS)


def put(m: Memory, X: Array, turns: Array, away: Array) -> None:
    """Place the nodes where coordinates are away from those at the start."""
    for i in range(len(m.nodes)):
        if m.kind[i] == at.ROTATION:
            turn = quaternion.multiply(turns[i], quaternion.exp(0.5 * away[i : i + 3]))
            m.nodes[i, at.TURN : at.TURN + 4] = turn / np.linalg.norm(turn)
        elif m.kind[i] != at.TURNED:
            m.vectors[at.X, i] = X[i] + away[i]
    motion.place(m)


def rates(m: Memory, theta: Array, w: Array) -> Array:
    """Return the rates of what coordinates are away from those at the start, shape (n,)."""
    out = w.copy()
    for i in np.flatnonzero(m.kind == at.ROTATION).tolist():
        t, own = theta[i : i + 3], w[i : i + 3]
        once = np.cross(t, own)
        out[i : i + 3] = own + 0.5 * once + np.cross(t, once) / 12.0
    return out


def roots(m: Memory) -> list[NDArray[np.int64]]:
    """Return the nodes of each tree."""
    first = np.array([motion.chain(m, i)[0] for i in range(len(m.nodes))])
    return [np.flatnonzero(first == root) for root in np.unique(first)]


class Locked:
    """A tree's inertia as if its joints were locked, and its momentum, about its reference point.

    Args:
        m: The memory; nodes stand where they are meant.
        nodes: Of the tree.
        u: Velocities of all nodes.
    """

    def __init__(self, m: Memory, nodes: NDArray[np.int64], u: Array):
        self.m = m
        self.nodes = nodes
        self.inertia, self.momentum = np.zeros((6, 6)), np.zeros(6)
        for i in nodes.tolist():
            own = motion.inertia(m, i)
            self.inertia += own
            self.momentum += own @ (motion.jacobian(m, i) @ u)
        self.mass = float(self.inertia[3, 3])
        self.origin = motion.reference(m, int(nodes[0]))
        first = np.array([self.inertia[2, 4], self.inertia[0, 5], self.inertia[1, 3]])
        self.arm = first / self.mass
        self.linear = self.momentum[3:]
        last = int(m.reference[nodes[0]])
        self.root = motion.chain(m, last)
        self.free = len(self.root) == 6 and not m.held[nodes].any()

    def about_center(self) -> Array:
        """Return the angular momentum about the centre of mass, shape (3,)."""
        return np.asarray(self.momentum[:3] - np.cross(self.arm, self.linear))

    def energy(self, u: Array) -> float:
        """Return kinetic and potential energy together."""
        return self.kinetic(u) + self.potential()

    def potential(self) -> float:
        """Return the potential energy."""
        return -self.mass * float((self.origin + self.arm) @ self.m.numbers[at.GRAVITY : at.GRAVITY + 3])

    def kinetic(self, u: Array) -> float:
        """Return the kinetic energy."""
        total = 0.5 * float(self.m.vectors[at.ARMATURE, self.nodes] @ u[self.nodes] ** 2)
        for i in self.nodes.tolist():
            V = motion.jacobian(self.m, i) @ u
            total += 0.5 * float(V @ motion.inertia(self.m, i) @ V)
        return total

    def project(self, u: Array, energy: float, linear: Array, angular: Array) -> None:
        """Change velocities so that momentum, if the tree is free, and energy are as given."""
        locked = np.zeros(len(u))
        kinetic = 0.0
        if self.free:
            wanted = np.concatenate([angular + np.cross(self.arm, linear), linear])
            columns = self.m.nodes[self.root, at.S : at.S + 6].T
            u[self.root] += np.linalg.solve(columns, np.linalg.solve(self.inertia, wanted - self.momentum))
            twist = np.linalg.solve(self.inertia, wanted)
            locked[self.root] = np.linalg.solve(columns, twist)
            kinetic = 0.5 * float(twist @ wanted)
        own = np.zeros(len(u))
        own[self.nodes] = u[self.nodes] - locked[self.nodes]
        relative = self.kinetic(own)
        left = energy - self.potential() - kinetic
        if relative > 1e-9 * (abs(energy) + kinetic) and 0.5 * relative < left < 2.0 * relative:
            u[self.nodes] = locked[self.nodes] + np.sqrt(left / relative) * own[self.nodes]
