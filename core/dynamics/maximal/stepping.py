"""Euler steps in maximal coordinates, and what keeps the joints together (Sueda 1.8, 1.10, 1.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.maximal.forward import applied_wrenches
from core.dynamics.maximal.joints import Joints
from core.dynamics.maximal.state import MaximalState
from core.dynamics.maximal.tree_system import TreeSystem

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def euler_step(
    model: TreeModel,
    state: MaximalState,
    h: float,
    tau: Array | None = None,
    wrenches: Array | None = None,
    *,
    gamma: float = 0.0,
    added: Array | None = None,
) -> MaximalState:
    """Return the state a step later: new twists that the joints allow, then poses moved by them on SE(3).

    ``[[M, G^T], [G, 0]] [V1; lambda] = [M V0 + h f; -gamma g]`` and ``X1 = X0 exp(h V1)``. The rows hold for twists
    only: without ``gamma``, and without ``stabilized`` from time to time, the joints come apart.

    Args:
        model: The bodies.
        state: Where they are and how they move.
        h: Step, [s].
        tau: Generalized forces of the joints, shape (nv,); None is zero.
        wrenches: External ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6); None is none.
        gamma: Baumgarte's factor, the part of the gap g closed in a unit of time, [1/s]; ``1 / h`` closes it in a step.
        added: ``h D - h^2 K`` of each body by itself in B, shape (nb, 6, 6), for linearly implicit forces; None is 0.

    Source: Sueda 1.28, 1.29, 1.30, 1.73, 1.82.
    """
    joints = joint_rows.of_state(model, state)
    applied, _ = applied_wrenches(model, joints, tau, wrenches)
    momenta = np.einsum("bij,bj->bi", model.inertias, joints.V) + h * applied
    left = model.inertias
    if added is not None:
        left = left + np.swapaxes(model.Ad_BJ, 1, 2) @ added @ model.Ad_BJ
    wanted = joint_rows.locked(joints, -gamma * joints.error)
    V, _ = TreeSystem(left, joints.rows, model.names).solve(momenta, wanted)
    twists = np.einsum("bij,bj->bi", model.Ad_BJ, V)
    return MaximalState(state.moved(h * twists), twists, joints.x)


def stabilized(
    model: TreeModel, state: MaximalState, *, tolerance: float = 1e-10, max_corrections: int = 8
) -> MaximalState:
    """Return the state with its joints brought together, and twists that they allow.

    Each correction is the least motion, measured by the kinetic energy of moving so in a unit of time, that closes the
    gaps as far as the rows go: ``[[M, G^T], [G, 0]] [d; lambda] = [0; -g]``, ``X1 = X exp(d)``. One is enough for the
    drift of a step; wide gaps take a few.

    Args:
        model: The bodies.
        state: Any state.
        tolerance: Gap that may stay, [m] and [rad].
        max_corrections: How many corrections at most.

    Source: Cline & Pai (2003), post-stabilization; Sueda 1.12.
    """
    joints = joint_rows.of_state(model, state)
    for _ in range(max_corrections):
        if _largest_gap(joints) <= tolerance:
            break
        system = TreeSystem(model.inertias, joints.rows, model.names)
        move, _ = system.solve(np.zeros_like(state.twists), joint_rows.locked(joints, -joints.error))
        poses = state.moved(np.einsum("bij,bj->bi", model.Ad_BJ, move))
        state = state._replace(poses=poses, near=joints.x)
        joints = joint_rows.of_state(model, state)
    momenta = np.einsum("bij,bj->bi", model.inertias, joints.V)
    still = joint_rows.locked(joints, np.zeros_like(momenta))
    V, _ = TreeSystem(model.inertias, joints.rows, model.names).solve(momenta, still)
    return state._replace(twists=np.einsum("bij,bj->bi", model.Ad_BJ, V))


def gap(model: TreeModel, state: MaximalState) -> float:
    """Return how far the joints have come apart: the largest distance or angle along what one locks, [m] or [rad]."""
    return _largest_gap(joint_rows.of_state(model, state))


def _largest_gap(joints: Joints) -> float:
    gaps = joint_rows.locked(joints, joints.error)
    return max((float(np.abs(part).max()) for part in gaps if part.size), default=0.0)
