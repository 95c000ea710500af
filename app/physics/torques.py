"""Which torque a figure's joints have to exert to be drawn in the strongest colour."""

from __future__ import annotations

import math

from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.skeleton.per_skeleton import per_skeleton

_SHARE = 0.085
_GRAVITY = 9.81


@per_skeleton
def full_torque(skeleton: Skeleton) -> float:
    """Return a round share of weight times height, [N m]: 100 for a person, as a knee has to when somebody squats."""
    mass = sum(joint.mass or 0.0 for joint in skeleton.joints)
    wanted = max(_SHARE * mass * _GRAVITY * figure_height(skeleton), 1e-6)
    power = 10.0 ** math.floor(math.log10(wanted))
    return min((1.0, 2.0, 5.0, 10.0), key=lambda step: abs(math.log(step * power / wanted))) * power
