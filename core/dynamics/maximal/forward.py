"""Accelerations of joined bodies from their KKT system (Sueda 1.73), and the wrenches that the joints pass on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics import newton_euler
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.maximal.dense_system import DenseSystem
from core.dynamics.maximal.joints import Joints
from core.dynamics.maximal.state import MaximalState
from core.dynamics.maximal.tree_system import TreeSystem
from core.dynamics.motion import motion

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Accelerations(NamedTuple):
    """What the bodies and the joints do in one state.

    Attributes:
        vdot: Accelerations of the joints' coordinates, shape (nv,).
        twist_rates: Component-wise rates of the bodies' twists, at B's origin in B, shape (nb, 6).
        joint_wrenches: What each joint puts on its own body, ``[t; f]`` at J's origin in J's axes, shape (nb, 6): the
            reaction along what it locks and its generalized forces along what it leaves free. The parent, or the world,
            gets the opposite.
    """

    vdot: Array
    twist_rates: Array
    joint_wrenches: Array


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array | None, wrenches: Array | None) -> Array:
    """Return ``vdot`` of bodies whose joints hold, through maximal coordinates and the tree's factorization.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), [m] and [rad].
        v: Rates, shape (nv,).
        tau: Generalized forces dual to ``v``, shape (nv,); None is zero.
        wrenches: External ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6); None is none.

    Returns:
        Shape (nv,); new.

    Raises:
        DynamicsError: If a body could move without moving any mass.

    Source: Sueda 1.73 at the level of accelerations (2.96); Baraff (1996).
    """
    return joint_accelerations(model, x, v, tau, wrenches).vdot


def joint_accelerations(
    model: TreeModel,
    x: Array,
    v: Array,
    tau: Array | None = None,
    wrenches: Array | None = None,
    *,
    dense: bool = False,
) -> Accelerations:
    """Return all accelerations and joint wrenches of bodies whose joints hold.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
        tau: Generalized forces, shape (nv,); None is zero.
        wrenches: External wrenches as in ``forward_dynamics``.
        dense: Solve one big matrix instead of the tree; the results are the same.
    """
    joints = joint_rows.of_motion(model, x, motion(model, x, v))
    return _solve(model, joints, tau, wrenches, joint_rows.locked(joints, joints.bias), dense)


def accelerations(
    model: TreeModel,
    state: MaximalState,
    tau: Array | None = None,
    wrenches: Array | None = None,
    *,
    baumgarte: tuple[float, float] = (0.0, 0.0),
    dense: bool = False,
) -> Accelerations:
    """Return the accelerations of bodies wherever they are; joints that have come apart are drawn together if asked.

    ``G Vdot = eta - 2 alpha G V - beta^2 g``, with the gap g of each joint along what it locks.

    Args:
        model: The bodies.
        state: Their poses and twists.
        tau: Generalized forces, shape (nv,); None is zero.
        wrenches: External wrenches as in ``forward_dynamics``.
        baumgarte: ``(alpha, beta)``, [1/s]; equal ones damp a gap critically.
        dense: Solve one big matrix instead of the tree.

    Source: Sueda 1.73, 1.82.
    """
    joints = joint_rows.of_state(model, state)
    alpha, beta = baumgarte
    wanted = joints.bias - 2.0 * alpha * joints.relative - beta**2 * joints.error
    return _solve(model, joints, tau, wrenches, joint_rows.locked(joints, wanted), dense)


def applied_wrenches(
    model: TreeModel, joints: Joints, tau: Array | None, wrenches: Array | None
) -> tuple[Array, Array]:
    """Return the wrenches on the bodies before any reaction, and those of the joints' generalized forces among them.

    Args:
        model: The bodies.
        joints: In the state meant.
        tau: Generalized forces, shape (nv,), or None.
        wrenches: External, on B in B, shape (nb, 6), or None.

    Returns:
        Both in J at J's origin, shape (nb, 6); new. The second is on each joint's own body alone.
    """
    total = newton_euler.forces(model.inertias, joints.V, joints.rotations, model.gravity)
    total += newton_euler.in_joint_frames(model, wrenches)
    if tau is None:
        return total, np.zeros_like(total)
    driving = joint_rows.wrenches_of(model, joints, np.asarray(tau, dtype=np.float64))
    return total + joint_rows.on_bodies(joints, driving), driving


def _solve(
    model: TreeModel,
    joints: Joints,
    tau: Array | None,
    wrenches: Array | None,
    wanted: tuple[Array, ...],
    dense: bool,
) -> Accelerations:
    b, driving = applied_wrenches(model, joints, tau, wrenches)
    system = (DenseSystem if dense else TreeSystem)(model.inertias, joints.rows, model.names)
    Vdot, multipliers = system.solve(b, wanted)
    relative = joint_rows.against_parents(model, joints.Ad, Vdot) - joints.bias
    vdot = [joint_rows.rates(factors, relative[i]) for i, factors in enumerate(joints.factors)]
    passed = driving - np.stack([row.normal @ part for row, part in zip(joints.rows, multipliers, strict=True)])
    return Accelerations(np.concatenate(vdot), np.einsum("bij,bj->bi", model.Ad_BJ, Vdot), passed)
