"""Joint types: each is a transform Q, a motion subspace S and its rate (Sueda 2.1 to 2.4)."""

from core.joints.base import JointModel, Step
from core.joints.composite import Composite
from core.joints.fixed import Fixed
from core.joints.free import Free, FreeRotationFirst
from core.joints.free2d import Free2D
from core.joints.prismatic import Prismatic
from core.joints.revolute import Revolute
from core.joints.spherical import Spherical
from core.joints.spherical_euler import SphericalEuler
from core.joints.spline_curve import SplineCurve
from core.joints.spline_surface import SplineSurface
from core.joints.translations import Planar, Translational
from core.joints.universal import Universal

JOINT_TYPES: tuple[type[JointModel], ...] = (
    Fixed,
    Revolute,
    Prismatic,
    Planar,
    Translational,
    Universal,
    Spherical,
    SphericalEuler,
    Composite,
    Free2D,
    Free,
    FreeRotationFirst,
    SplineCurve,
    SplineSurface,
)
"""All joint types; files, the editor and the conformance tests go by this tuple."""

__all__ = [
    "JOINT_TYPES",
    "Composite",
    "Fixed",
    "Free",
    "Free2D",
    "FreeRotationFirst",
    "JointModel",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "SphericalEuler",
    "SplineCurve",
    "SplineSurface",
    "Step",
    "Translational",
    "Universal",
]
