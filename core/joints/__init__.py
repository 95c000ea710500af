"""Joint types: each is a transform Q, a motion subspace S and its rate (Sueda 2.1 to 2.4)."""

from core.joints.base import JointModel, Step
from core.joints.fixed import Fixed
from core.joints.free import Free, FreeRotationFirst
from core.joints.prismatic import Prismatic
from core.joints.revolute import Revolute
from core.joints.spherical import Spherical

JOINT_TYPES: tuple[type[JointModel], ...] = (
    Fixed,
    Revolute,
    Prismatic,
    Spherical,
    Free,
    FreeRotationFirst,
)
"""All joint types; files, the editor and the conformance tests go by this tuple."""

__all__ = [
    "JOINT_TYPES",
    "Fixed",
    "Free",
    "FreeRotationFirst",
    "JointModel",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Step",
]
