"""A small figure whose shoulders and wrists swing inside cones of 40 degrees, and how far a pose of it swings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, read_scr

CONE = math.radians(40.0)
CLOSE = math.radians(0.1)
"""How far a cone may be left."""
CONED = ("left arm", "right arm", "left hand", "right hand")


def coned(cone: float = 40.0) -> Skeleton:
    """Return the figure: shoulders are ``ball`` joints, wrists two hinges and a ``cone`` line."""
    joints = ""
    for side, sign in (("left", 1), ("right", -1)):
        other = "right" if side == "left" else "left"
        joints += f"""
define joint "{side} arm"
    offset {0.2 * sign} 0.3 0
    ball y {cone} -90 90
    mass 1
    center 0 0.15 0
    inertia 0.01 0.002 0.01
    mirror "{other} arm"
end joint
define joint "{side} forearm"
    offset 0 0.3 0
    hinge x -120 20
    mass 1
    center 0 0.15 0
    inertia 0.01 0.002 0.01
    mirror "{other} forearm"
end joint
define joint "{side} hand"
    offset 0 0.3 0
    hinge x -80 80
    hinge z -80 80
    cone {cone}
    mass 0.5
    center 0 0.1 0
    inertia 0.005 0.002 0.005
    tip 0 0.2 0
    mirror "{other} hand"
end joint
"""
    return read_scr(
        f"""define skeleton "coned"
    joint "trunk"
    group "Left"
        joint "left arm"
        joint "left forearm"
        joint "left hand"
    end group
    group "Right"
        joint "right arm"
        joint "right forearm"
        joint "right hand"
    end group
end skeleton
define joint "trunk"
    hinge y
    mass 5
    center 0 0.15 0
    inertia 0.1 0.1 0.1
end joint
{joints}""",
        "coned.scr",
    )


def swings(s: Skeleton, q: NDArray[Any]) -> NDArray[Any]:
    """Return by how much the joints with cones swing in poses, [rad], in the order of ``CONED``; (..., nq) to (..., 4).

    Measured in the world: between the axis of each and where its parent has it at rest.
    """
    X = forward_kinematics(s, q)
    joints = [s.joint_index(name) for name in CONED]
    axes = X[..., :3, 1]
    up, axis = axes[..., [s.joints[i].parent for i in joints], :], axes[..., joints, :]
    return np.arctan2(np.linalg.norm(np.cross(up, axis), axis=-1), (up * axis).sum(axis=-1))


def inside(s: Skeleton, q: NDArray[Any]) -> bool:
    """Return whether no cone is left by more than a tenth of a degree."""
    return bool((swings(s, q) <= CONE + CLOSE).all())
