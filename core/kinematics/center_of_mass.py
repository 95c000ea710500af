"""Where a posed figure's centre of mass is, and how it moves when the pose changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.kinematics.forward import forward_kinematics
from core.skeleton.dof import HINGE
from core.skeleton.mass import mass_properties
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton
from core.spatial.so3 import axis_rotation


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
    """Return the Jacobian of the centre of mass: ``v = J @ qdot``.

    A degree of freedom carries its own segment and all below it, as if these were one point at their common centre
    with their share of the whole mass.

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
    F = forward_kinematics(s, pose)
    carried = masses.copy()
    moment = masses[:, None] * (np.einsum("nij,nj->ni", F[:, :3, :3], centers) + F[:, :3, 3])
    for i in range(len(s.joints) - 1, 0, -1):
        parent = s.joints[i].parent
        carried[parent] += carried[i]
        moment[parent] += moment[i]
    J = np.zeros((3, s.nq))
    J[:, :3] = np.eye(3)
    total = float(masses.sum())
    for i, joint in enumerate(s.joints):
        if not joint.dofs or carried[i] == 0.0:
            continue
        if joint.parent < 0:
            linear, origin = joint.rotation, pose[:3] + joint.offset
        else:
            above = F[joint.parent]
            linear, origin = above[:3, :3] @ joint.rotation, above[:3, :3] @ joint.offset + above[:3, 3]
        if joint.curved is not None:
            own = slice(s.first_dof[i], s.first_dof[i + 1])
            values = pose[3 + own.start : 3 + own.stop]
            Q, S = joint.curved.transform(values), joint.curved.subspace(values)
            linear, origin = linear @ Q[:3, :3], origin + linear @ Q[:3, 3]
            arm = np.linalg.solve(linear, moment[i] - carried[i] * origin)
            J[:, 3 + own.start : 3 + own.stop] = (
                linear @ (carried[i] * S[3:] + np.cross(S[:3], arm, axisa=0, axisc=0)) / total
            )
            continue
        for k, dof in enumerate(joint.dofs, s.first_dof[i]):
            value = float(pose[3 + k])
            if dof.kind == HINGE:
                arm = moment[i] - carried[i] * origin
                # Below a scale the frame is affine: the turn happens in the frame's own coordinates.
                J[:, 3 + k] = linear @ np.cross(dof.axis, np.linalg.solve(linear, arm)) / total
                linear = linear @ axis_rotation(dof.axis, value)
            else:
                J[:, 3 + k] = linear @ dof.axis * (carried[i] / total)
                origin = origin + linear @ (dof.axis * value)
    return J
