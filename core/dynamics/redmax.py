"""RedMax: the Jacobian from joint rates to body twists carries the bodies' own equations over to the joints.

Rows of ``J`` are the twists of the bodies in B at B's origin, six a body in body order; columns are the joint rates
``v``. ``M_m`` and ``f_m`` are the inertias and wrenches of the separate bodies in the same frames.

Source: Sueda 2.1 to 2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from core.dynamics import newton_euler
from core.dynamics.motion import Motion
from core.dynamics.motion import motion as motion_of
from core.dynamics.reduced_inertia import accelerations, congruence
from core.errors import DynamicsError
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class ReducedSystem(NamedTuple):
    """Equations of motion in joint coordinates, ``M vdot = f`` (Sueda 2.18).

    Attributes:
        M: Reduced inertia ``J^T M_m J``, shape (nv, nv).
        f: ``tau + J^T (f_m - M_m Jdot v)``, shape (nv,).
        J: Shape (6 nb, nv).
    """

    M: Array
    f: Array
    J: Array


def jacobian(model: TreeModel, motion: Motion) -> Array:
    """Return ``J``: body twists in B at B's origin are ``J @ v`` (Sueda algorithm 1).

    Args:
        model: The bodies.
        motion: Of the model, velocities are not needed.

    Returns:
        Shape (6 nb, nv); new.
    """
    blocks = _joint_jacobian(model, motion)
    return (model.Ad_BJ @ blocks).reshape(6 * len(model.bodies), model.nv)


def jacobian_rate(model: TreeModel, motion: Motion) -> Array:
    """Return ``Jdot``, the time derivative of ``J`` at the motion's velocity (Sueda algorithm 2).

    Args:
        model: The bodies.
        motion: Of the model, with velocities.

    Returns:
        Shape (6 nb, nv); new.
    """
    rates = _joint_jacobian_rate(model, motion, _joint_jacobian(model, motion))
    return (model.Ad_BJ @ rates).reshape(6 * len(model.bodies), model.nv)


def system(
    model: TreeModel,
    x: Array,
    v: Array,
    tau: Array | None = None,
    wrenches: Array | None = None,
    motion: Motion | None = None,
) -> ReducedSystem:
    """Return the reduced equations of motion (Sueda 2.18).

    Args:
        model: The bodies.
        x: Coordinates, shape (nv,), [m] and [rad].
        v: Rates, shape (nv,).
        tau: Generalized forces dual to ``v``, shape (nv,); None is zero.
        wrenches: External ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6); None is none.
        motion: ``motion(model, x, v)`` if it is known already.
    """
    J, M_m, F = _in_bodies(model, x, v, wrenches, motion_of(model, x, v) if motion is None else motion)
    f = J.T @ F
    return ReducedSystem(congruence(J, M_m), f if tau is None else f + tau, J)


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array | None, wrenches: Array | None) -> Array:
    """Return ``vdot`` from ``M_r vdot = f_r`` (Sueda 2.18); arguments as in ``system``.

    The reduced inertia is dense, so the time grows with the cube of ``nv``.

    Returns:
        Shape (nv,); new.

    Raises:
        DynamicsError: If a joint has a direction that moves no inertia; names its body.
    """
    J, M_m, F = _in_bodies(model, x, v, wrenches, motion_of(model, x, v))
    return accelerations(model, J, M_m, F, tau)


def solve(A: Array, b: Array) -> Array:
    """Return ``A^-1 b`` for a symmetric matrix of a step, such as ``M_r + h D - h^2 K`` of Sueda 2.77 and 2.79.

    Args:
        A: Shape (nv, nv); forces that push apart may make it indefinite.
        b: Shape (nv,).

    Returns:
        Shape (nv,); new.

    Raises:
        DynamicsError: If ``A`` is singular.
    """
    if not len(b):
        return np.zeros(0)
    factor, failed = scipy.linalg.lapack.dpotrf(A, lower=True)
    if not failed:
        solution: Array = scipy.linalg.lapack.dpotrs(factor, b, lower=True)[0]
        return solution
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        raise DynamicsError(
            "the matrix of a linearly implicit step is singular; expected mass in every direction of motion"
        ) from None


def _in_bodies(
    model: TreeModel, x: Array, v: Array, wrenches: Array | None, motion: Motion
) -> tuple[Array, Array, Array]:
    """Return ``J``, shape (6 nb, nv), ``M_m``, (nb, 6, 6), and ``f_m - M_m Jdot v``, (6 nb,), in the bodies' frames."""
    in_joints = _joint_jacobian(model, motion)
    J = (model.Ad_BJ @ in_joints).reshape(6 * len(model.bodies), model.nv)
    Jdot = (model.Ad_BJ @ _joint_jacobian_rate(model, motion, in_joints)).reshape(J.shape)
    M_m = newton_euler.body_inertias(model)
    F = newton_euler.forces(M_m, (J @ v).reshape(-1, 6), model.body_poses(x)[:, :3, :3], model.gravity)
    if wrenches is not None:
        F += wrenches
    F -= (M_m @ (Jdot @ v).reshape(-1, 6, 1))[:, :, 0]
    return J, M_m, F.ravel()


# -- in joint frames -------------------------------------------------------------------------------------------------


def _joint_jacobian(model: TreeModel, motion: Motion) -> Array:
    """Return the Jacobian of the twists of J in J, shape (nb, 6, nv)."""
    J = np.zeros((len(model.bodies), 6, model.nv))
    for i, parent in enumerate(model.parents.tolist()):
        if parent >= 0:
            # All ancestors' columns at once; those of other bodies are zero in the parent's rows and stay so.
            np.matmul(motion.Ad[i], J[parent], out=J[i])
        J[i, :, model.first[i] : model.first[i + 1]] = motion.S[i]
    return J


def _joint_jacobian_rate(model: TreeModel, motion: Motion, J: Array) -> Array:
    """Return the rate of ``J`` in joint frames, component-wise in J, shape (nb, 6, nv).

    ``d/dt Ad = -ad(phi) Ad`` with the joint's own twist ``phi`` (Sueda 2.50), the same as 2.17.
    """
    if motion.V is None or motion.Sdot is None:
        raise ValueError("the rate of a Jacobian needs a motion with velocities; got one without")
    rates = np.zeros_like(J)
    for i, parent in enumerate(model.parents.tolist()):
        own = slice(model.first[i], model.first[i + 1])
        if parent >= 0:
            relative = motion.V[i] - motion.Ad[i] @ motion.V[parent]
            carried = J[i].copy()
            carried[:, own] = 0.0
            rates[i] = motion.Ad[i] @ rates[parent] - se3.ad(relative) @ carried
        rates[i, :, own] = motion.Sdot[i]
    return rates
