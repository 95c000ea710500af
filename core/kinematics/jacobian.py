"""How a point of the figure moves when the pose changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import PoseError
from core.kernels import serving
from core.kernels.functions import raise_kept
from core.kinematics import jacobian_kernel
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack


def point_jacobian(s: Skeleton, q: Any, joint: int | str, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """Return the Jacobian of a point fixed in a joint's frame.

    ``[v; w] = J @ qdot`` for the point's velocity and the frame's angular velocity; the first three columns are the
    root translation. Below a joint with a ``scale`` the frame is affine: ``v`` is the velocity of the scaled point,
    ``w`` that of the frame's rotation, which is the product of all rotations on the way without the scales.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        joint: Index or name of the joint.
        point: Point in the joint's frame, shape (3,), [m].

    Returns:
        ``J``, shape (6, nq), rows in world axes; a new array.

    Raises:
        JointError: If there is no such joint.
        PoseError: If ``q`` or ``point`` has the wrong shape or holds NaN or infinity.

    Source: Welman (1993) eqs. 4.7, 4.8 (cross product turned for column vectors), section 4.1.3 for scaled nodes.
    """
    tree = pack(s)
    index = s.joint_index(joint)
    pose = s.check_pose(q)
    try:
        place = np.array(point, dtype=np.float64)
    except (TypeError, ValueError):
        place = np.empty(0)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise PoseError(f'point {point} of joint "{s.joints[index].name}" must be three finite numbers')
    out = np.empty((6, s.nq))
    serving(jacobian_kernel).jacobian(tree, pose if pose.flags.writeable else pose.copy(), index, place, out)
    if tree.general:
        raise_kept()
    return out
