"""Every kind of constraint, one file each."""

from core.constraints.network.constraints.aim import AimConstraint
from core.constraints.network.constraints.distance import DistanceConstraint
from core.constraints.network.constraints.half_planes import HalfPlanesConstraint
from core.constraints.network.constraints.line import LineConstraint
from core.constraints.network.constraints.location import LocationConstraint
from core.constraints.network.constraints.orientation import AxisConstraint, OrientationConstraint
from core.constraints.network.constraints.plane import PlaneConstraint
from core.constraints.network.constraints.point_pair import PointPairConstraint

__all__ = [
    "AimConstraint",
    "AxisConstraint",
    "DistanceConstraint",
    "HalfPlanesConstraint",
    "LineConstraint",
    "LocationConstraint",
    "OrientationConstraint",
    "PlaneConstraint",
    "PointPairConstraint",
]
