"""The springs of a deformable body as a force on a model: on its nodes, and on bodies that nodes are attached to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.deformable import springs
from core.dynamics.deformable.body import Deformable
from core.dynamics.forces.base import Derivatives, Force, Load
from core.errors import DynamicsError
from core.joints import Translational
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


class NodeSprings(Force):
    """Springs between the nodes of a deformable body.

    Free nodes are bodies of their own that move along x, y and z of the world. Forces on attached ones are wrenches on
    their bodies, ``Gamma^T R^T f``.

    Args:
        body: The deformable body.
        first: Index of the body that its first free node is; the others follow it.
        exact: Whether the derivatives for implicit steps are all of them. Without, they lack what pushes on, as of a
            compressed spring that gives way sideways, so that stiff springs are stable in large steps.

    Attributes:
        body, first, exact: As given.

    Source: Sueda 2.85 to 2.92.
    """

    label: ClassVar[str] = "Springs of nodes"
    description: ClassVar[str] = "Holds a deformable body together."

    def __init__(self, body: Deformable, first: int, exact: bool = False):
        self.body, self.first, self.exact = body, int(first), exact
        self._free = body.free
        self._held = sorted(body.attached)
        self.conservative = not np.any(body.damping)  # type: ignore[misc]

    def check(self, model: Multibody) -> None:
        for k in self._held:
            body_index(model, self.body.attached[k].body)
        last = self.first + len(self._free)
        nodes = model.bodies[self.first : last]
        if len(nodes) < len(self._free) or not all(type(node.joint) is Translational for node in nodes):
            raise DynamicsError(
                f'deformable "{self.body.name}": bodies {self.first} to {last - 1} of the model are not its nodes; '
                "expected a model made by with_deformables"
            )

    def node_motion(self, state: State) -> tuple[Array, Array]:
        """Return places and velocities of all nodes, world, shapes (n, 3), [m] and [m/s]; new."""
        p, v = np.zeros((2, *self.body.points.shape))
        own = self._coordinates(state.model)
        p[self._free], v[self._free] = state.x[own], state.v[own]
        for k in self._held:
            i, point = self._held_at(state.model, k)
            if i == WORLD:
                p[k] = point
                continue
            X, twist = state.poses[i], state.twists[i]
            p[k] = X[:3, :3] @ point + X[:3, 3]
            v[k] = X[:3, :3] @ (twist[3:] + np.cross(twist[:3], point))
        return p, v

    def add(self, state: State, load: Load) -> None:
        f = springs.forces(self.body, springs.stretch(self.body, *self.node_motion(state)))
        load.tau[self._coordinates(state.model)] += f[self._free]
        for k in self._held:
            i, point = self._held_at(state.model, k)
            if i != WORLD:
                in_body = state.poses[i, :3, :3].T @ f[k]
                load.wrenches[i] += np.concatenate([np.cross(point, in_body), in_body])

    def energy(self, state: State) -> float:
        return springs.energy(self.body, self.node_motion(state)[0])

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        body, model = self.body, state.model
        now = springs.stretch(body, *self.node_motion(state))
        K = springs.stiffness_blocks(body, now, steady=not self.exact)
        D = springs.damping_blocks(body, now)
        # By nodes: the force on the one changes by -K with its own place and by K with the other's.
        i, j = body.pairs.T
        rank = np.full(len(body.points), -1)
        rank[self._free] = np.arange(len(self._free))
        own = np.arange(3 * len(self._free)).reshape(-1, 3)
        stiffness, damping = np.zeros((2, own.size, own.size))
        for a, b, sign in ((i, i, -1.0), (i, j, 1.0), (j, i, 1.0), (j, j, -1.0)):
            both = (rank[a] >= 0) & (rank[b] >= 0)
            rows, columns = own[rank[a[both]]][:, :, None], own[rank[b[both]]][:, None, :]
            np.add.at(stiffness, (rows, columns), sign * K[both])
            np.add.at(damping, (rows, columns), -sign * D[both])
        if own.size:
            first = int(self._coordinates(model)[0, 0])
            part = slice(first, first + own.size)
            derivatives.joint_stiffness[part, part] += stiffness
            derivatives.joint_damping[part, part] += damping
        held = np.isin(i, self._held) | np.isin(j, self._held)
        for m in np.flatnonzero(held).tolist():
            self._differentiate_held(state, derivatives, m, K[m], D[m])
        self._turn(state, derivatives, springs.forces(body, now))

    def _differentiate_held(self, state: State, derivatives: Derivatives, m: int, K: Array, D: Array) -> None:
        """Add what a spring with an attached end changes: pairs of bodies, free nodes being bodies too."""
        ends = [self._end(state, int(k)) for k in self.body.pairs[m]]
        for a, (body, P) in enumerate(ends):
            for b, (other, Q) in enumerate(ends):
                if P is None or Q is None or (self._is_node(body) and self._is_node(other)):
                    continue  # the world, or a free node by itself, which is among the joints' terms
                sign = -1.0 if a == b else 1.0
                derivatives.stiffen(body, other, sign * (P.T @ K @ Q))
                derivatives.damp(body, other, -sign * (P.T @ D @ Q))

    def _turn(self, state: State, derivatives: Derivatives, f: Array) -> None:
        """Add how the wrench of a force that stays as it is in the world changes with its body's turning (1.33)."""
        for k in self._held:
            i, point = self._held_at(state.model, k)
            if i == WORLD:
                continue
            K = np.zeros((6, 6))
            K[3:, :3] = so3.hat(state.poses[i, :3, :3].T @ f[k])
            K[:3, :3] = so3.hat(point) @ K[3:, :3]
            derivatives.stiffen(i, i, K)

    def _end(self, state: State, node: int) -> tuple[int, Array | None]:
        """Return the body of a node and what makes its twist the velocity of the node, shape (3, 6)."""
        if node not in self.body.attached:
            P = np.zeros((3, 6))
            P[:, 3:] = np.eye(3)
            return self.first + int(np.searchsorted(self._free, node)), P
        i, point = self._held_at(state.model, node)
        if i == WORLD:
            return i, None
        R = state.poses[i, :3, :3]
        return i, R @ np.hstack([-so3.hat(point), np.eye(3)])

    def _is_node(self, body: int) -> bool:
        return self.first <= body < self.first + len(self._free)

    def _held_at(self, model: Multibody, node: int) -> tuple[int, Array]:
        body, point = self.body.attached[node]
        return body_index(model, body), np.array(point)

    def _coordinates(self, model: Multibody) -> Ints:
        """Return which coordinates the free nodes have, shape (free, 3)."""
        start = int(model.first[self.first]) if len(self._free) else 0
        return start + np.arange(3 * len(self._free)).reshape(-1, 3)
