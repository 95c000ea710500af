"""Springs between nodes: tensions, forces and their derivatives, for all springs at once.

Of a spring from node i to node j, with ``d = p_j - p_i``, ``l = |d|``, ``u = d / l`` and the tension
``T = K (l - L) / L^2 + c ldot``, the force on i is ``T u`` and that on j its opposite.

Source: Sueda 2.85, 2.86.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.deformable.body import Deformable

_NO_LENGTH = 1e-12


class Stretch(NamedTuple):
    """Springs at a moment.

    Attributes:
        u: Unit directions from the first node to the second, shape (m, 3); 0 where they are at one place.
        l: Lengths, shape (m,), [m].
        across: Relative velocities of the ends across the springs, shape (m, 3), [m/s].
        elastic: Tensions without damping, shape (m,), [N].
        tension: Tensions, shape (m,), [N].
    """

    u: Array
    l: Array  # noqa: E741 - the paper's own letter
    across: Array
    elastic: Array
    tension: Array


def stretch(body: Deformable, p: Array, v: Array) -> Stretch:
    """Return the springs of a body whose nodes are at ``p`` and move at ``v``, shapes (n, 3)."""
    assert body.lengths is not None
    i, j = body.pairs.T
    d, relative = p[j] - p[i], v[j] - v[i]
    l = np.sqrt(np.einsum("mk,mk->m", d, d))  # noqa: E741
    u = np.divide(d, l[:, None], out=np.zeros_like(d), where=l[:, None] > _NO_LENGTH)
    rate = np.einsum("mk,mk->m", u, relative)
    elastic = body.stiffness * (l - body.lengths) / body.lengths**2
    return Stretch(u, l, relative - rate[:, None] * u, elastic, elastic + body.damping * rate)


def forces(body: Deformable, now: Stretch) -> Array:
    """Return the forces on all nodes, shape (n, 3), [N]; new."""
    pull = now.tension[:, None] * now.u
    found = np.zeros_like(body.points)
    np.add.at(found, body.pairs[:, 0], pull)
    np.subtract.at(found, body.pairs[:, 1], pull)
    return found


def energy(body: Deformable, p: Array) -> float:
    """Return what the springs have stored, [J] (Sueda 2.85)."""
    assert body.lengths is not None
    i, j = body.pairs.T
    strain = np.linalg.norm(p[j] - p[i], axis=1) / body.lengths - 1.0
    return float(0.5 * body.stiffness @ strain**2)


def stiffness_blocks(body: Deformable, now: Stretch, steady: bool = False) -> Array:
    """Return the derivatives of the forces on first nodes by the places of second nodes, shape (m, 3, 3); new.

    That by the place of the first node is the opposite, and the second node's force is the opposite of the first's.

    Args:
        body: The body.
        now: Its springs.
        steady: Whether what pushes on is left out: that of compressed springs across themselves, and that of dampers.
            Matrices of implicit steps are positive definite then.

    Source: Choi & Ko (2002), Stable but responsive cloth, on what is left out.
    """
    assert body.lengths is not None
    along = np.einsum("mi,mj->mij", now.u, now.u)
    share = np.divide(now.tension, now.l, out=np.zeros_like(now.l), where=now.l > _NO_LENGTH)
    if steady:
        share = np.maximum(np.divide(now.elastic, now.l, out=np.zeros_like(now.l), where=now.l > _NO_LENGTH), 0.0)
    found = (body.stiffness / body.lengths**2)[:, None, None] * along
    found += share[:, None, None] * (np.eye(3) - along)
    if not steady:
        part = np.divide(body.damping, now.l, out=np.zeros_like(now.l), where=now.l > _NO_LENGTH)
        found += part[:, None, None] * np.einsum("mi,mj->mij", now.u, now.across)
    return np.asarray(found)


def damping_blocks(body: Deformable, now: Stretch) -> Array:
    """Return the derivatives of the forces on first nodes by the velocities of second nodes, shape (m, 3, 3); new."""
    return np.asarray(body.damping)[:, None, None] * np.einsum("mi,mj->mij", now.u, now.u)
