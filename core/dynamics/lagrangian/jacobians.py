"""Jacobians of the links of a tree: rates of all joints to velocities in the world.

Link k of the paper is body k. Its local frame is the joint frame J, in which the joint is at the origin; ``x_k`` is its
centre of mass. Everything is in world axes.

Source: Liu & Jain eqs. 49 to 51, 57, 58, in the recursive form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.lagrangian.local_jacobians import (
    Frame,
    FrameRates,
    Values,
    extended,
    extended_rates,
    joint_frame,
    joint_rates,
    skew,
    still,
)

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Jacobians(NamedTuple):
    """Jacobians of the centres of mass and of the orientations, or their time derivatives (eqs. 51, 57).

    Attributes:
        linear: ``v_k = linear[k] q'``, shape (nb, 3, nv).
        angular: ``w_k = angular[k] q'``, shape (nb, 3, nv).
    """

    linear: Values
    angular: Values

    def stacked(self) -> Values:
        """Return ``J`` of eq. 58 of each link below each other: rows ``[v_1; w_1; v_2; w_2 ...]``, (6 nb, nv); new."""
        n = self.linear.shape[2]
        return np.concatenate([self.linear, self.angular], axis=1).reshape(6 * len(self.linear), n)


class Links(NamedTuple):
    """Where the links of a tree are.

    Attributes:
        local: Each joint's frame J in the parent's, Jacobians of its own coordinates: R_k, d_k and the two ``J^_k``.
        world: The same in the world, with Jacobians of all coordinates.
        arms: From J's origin to the centre of mass, shape (nb, 3), [m].
        masses: Shape (nb,), [kg].
        inertias: ``I_c = R I_0 R^T`` about the centre of mass (eq. 21), shape (nb, 3, 3), [kg m^2].
    """

    local: tuple[Frame, ...]
    world: tuple[Frame, ...]
    arms: Values
    masses: Array
    inertias: Values

    @property
    def rotations(self) -> Values:
        """``R_k^0``, shape (nb, 3, 3)."""
        return np.stack([frame.rotation for frame in self.world])

    @property
    def centers(self) -> Values:
        """``x_k``, the centres of mass in the world, shape (nb, 3), [m]."""
        return np.stack([frame.origin for frame in self.world]) + self.arms


def links(model: TreeModel, x: Values) -> Links:
    """Return where the links are and how the coordinates move them.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), real or complex; not checked here.
    """
    first = model.first
    local: list[Frame] = []
    world: list[Frame] = []
    ground = still(model.nv, x.dtype)
    for i, (body, parent) in enumerate(zip(model.bodies, model.parents.tolist(), strict=True)):
        part = slice(first[i], first[i + 1])
        local.append(_placed(model.X_PJ[i], joint_frame(body.joint, x[part])))
        world.append(extended(ground if parent < 0 else world[parent], local[i], part))
    rotations = np.stack([frame.rotation for frame in world])
    R_JB, p_JB = model.X_JB[:, :3, :3], model.X_JB[:, :3, 3]
    centers = np.array([body.inertia.center for body in model.bodies])
    arms = np.einsum("bij,bj->bi", rotations, np.einsum("bij,bj->bi", R_JB, centers) + p_JB)
    R_WB = rotations @ R_JB
    inertias = R_WB @ np.array([body.inertia.inertia for body in model.bodies]) @ np.swapaxes(R_WB, 1, 2)
    masses = np.array([body.inertia.mass for body in model.bodies])
    return Links(tuple(local), tuple(world), arms, masses, inertias)


def jacobians(at: Links) -> Jacobians:
    """Return the Jacobians of the centres of mass and of the orientations (eqs. 51, 57)."""
    angular = np.stack([frame.angular for frame in at.world])
    linear = np.stack([frame.linear for frame in at.world])
    return Jacobians(linear - _skews(at.arms) @ angular, angular)


def local_rates(model: TreeModel, at: Links, x: Array, v: Array) -> tuple[FrameRates, ...]:
    """Return the time derivatives of the joints' local Jacobians, each in the parent's frame.

    Args:
        model: The bodies.
        at: ``links(model, x)``.
        x: Coordinates, shape (nq,).
        v: Their rates, shape (nv,).
    """
    first, found = model.first, []
    for i, body in enumerate(model.bodies):
        part = slice(first[i], first[i + 1])
        rates = joint_rates(body.joint, x[part], v[part])
        R = model.X_PJ[i, :3, :3]
        found.append(FrameRates(R @ rates.linear, R @ rates.angular))
    return tuple(found)


def jacobian_rates(model: TreeModel, at: Links, x: Array, v: Array) -> Jacobians:
    """Return the time derivatives of ``jacobians(at)``.

    Args:
        model, at, x, v: As of ``local_rates``.
    """
    ground = still(model.nv, x.dtype)
    rates: list[FrameRates] = []
    for i, (parent, own) in enumerate(zip(model.parents.tolist(), local_rates(model, at, x, v), strict=True)):
        part = slice(model.first[i], model.first[i + 1])
        base = ground if parent < 0 else at.world[parent]
        before = FrameRates(ground.linear, ground.angular) if parent < 0 else rates[parent]
        rates.append(extended_rates(base, before, at.local[i], own, part, v))
    angular = np.stack([frame.angular for frame in at.world])
    linear_rates, angular_rates = np.stack([each.linear for each in rates]), np.stack([each.angular for each in rates])
    arm_rates = np.cross(angular @ v, at.arms)
    linear_rates = linear_rates - _skews(at.arms) @ angular_rates - _skews(arm_rates) @ angular
    return Jacobians(linear_rates, angular_rates)


def velocity_accelerations(model: TreeModel, at: Links, x: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return the angular velocities and what velocities alone accelerate, ``Jdot q'``, link by link.

    The derivatives of ``w_k = w_p + R_p J^_w q'_k`` and ``v_k = v_p + w_p x R_p d_k + R_p J^_v q'_k``, without any
    matrix of all coordinates.

    Args:
        model, at, x, v: As of ``local_rates``.

    Returns:
        Angular velocities, accelerations of the centres of mass, angular accelerations, shape (nb, 3) each; new.
    """
    nb = len(model.bodies)
    omega, speed, alpha = np.zeros((nb, 3)), np.zeros((nb, 3)), np.zeros((nb, 3))
    for i, (parent, rates) in enumerate(zip(model.parents.tolist(), local_rates(model, at, x, v), strict=True)):
        own, local = v[model.first[i] : model.first[i + 1]], at.local[i]
        if parent < 0:
            omega[i] = local.angular @ own
            alpha[i], speed[i] = rates.angular @ own, rates.linear @ own
            continue
        R, turning = at.world[parent].rotation, skew(omega[parent])
        turn, slide, arm = R @ (local.angular @ own), R @ (local.linear @ own), R @ local.origin
        omega[i] = omega[parent] + turn
        alpha[i] = alpha[parent] + turning @ turn + R @ (rates.angular @ own)
        speed[i] = speed[parent] + skew(alpha[parent]) @ arm
        speed[i] += turning @ (turning @ arm + 2.0 * slide) + R @ (rates.linear @ own)
    speed += np.cross(alpha, at.arms) + np.cross(omega, np.cross(omega, at.arms))
    return omega, speed, alpha


def _placed(X: Array, frame: Frame) -> Frame:
    """Return a frame given in the frame of pose ``X``, with its Jacobians, in that of the parent."""
    R = X[:3, :3]
    return Frame(R @ frame.rotation, R @ frame.origin + X[:3, 3], R @ frame.linear, R @ frame.angular)


def _skews(vectors: Values) -> Values:
    """Return ``[a]`` of each row, shape (nb, 3, 3); new."""
    return np.array([skew(a) for a in vectors]).reshape(-1, 3, 3)
