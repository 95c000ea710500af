"""Where a posed figure's centre of mass is, and how it moves when the pose changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.kinematics.forward import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.skeleton.mass import mass_properties
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton


@per_skeleton
def segment_masses(s: Skeleton) -> tuple[Array, Array]:
    """Return the mass of every segment, shape (n,), [kg], and its centre in the joint's frame, shape (n, 3), [m].

    Kept as long as the skeleton lives; treat both as read-only.

    Raises:
        SkeletonError: If the whole figure weighs nothing.
    """
    found = [mass_properties(s, i)[:2] for i in range(len(s.joints))]
    masses, centers = np.array([mass for mass, _ in found]), np.array([center for _, center in found])
    if not float(masses.sum()) > 0.0:
        raise SkeletonError(f'figure "{s.name}" has no mass: a joint needs a mass or an object')
    return masses, centers


def center_of_mass(s: Skeleton, q: Any, frames: Array | None = None) -> Array:
    """Return the figure's centre of mass in the world.

    Args:
        s: The figure.
        q: One pose, shape (nq,), or many, shape (m, nq), [m] and [rad].
        frames: World frames of all joints in that pose, if they are known: ``forward_kinematics(s, q)``.

    Returns:
        Shape (3,), or (m, 3) for many poses, [m]; a new array.

    Raises:
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
        SkeletonError: If the figure weighs nothing.
    """
    masses, centers = segment_masses(s)
    F = forward_kinematics(s, q) if frames is None else frames
    places = np.einsum("...nij,nj->...ni", F[..., :3, :3], centers) + F[..., :3, 3]
    return np.asarray(masses @ places / masses.sum())


def center_of_mass_jacobian(s: Skeleton, q: Any) -> Array:
    """Return the Jacobian of the centre of mass: ``v = J @ qdot``, the mean of its segments' Jacobians by their mass.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].

    Returns:
        Shape (3, nq), rows in world axes; a new array.

    Raises:
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
        SkeletonError: If the figure weighs nothing.

    Source: Boulic, Mas and Thalmann (1996), A robust approach for the control of the center of mass with inverse
    kinetics, section 2.
    """
    masses, centers = segment_masses(s)
    pose = s.check_pose(q)
    J = np.zeros((3, s.nq))
    for i in np.flatnonzero(masses).tolist():
        J += masses[i] * point_jacobian(s, pose, i, centers[i])[:3]
    return np.asarray(J / masses.sum())
