"""Residuals of constraints: what is to be zero, one file a kind, with its Jacobian and its rates.

A residual is a function ``C(h)`` of points and orientations ``h_i`` in the world. With their velocities ``u_i`` and
accelerations ``a_i``::

    C' = sum_i J_i u_i        C'' = sum_i J_i a_i + drift(h, u),    drift = sum_i J_i' u_i

Locks, the function-block network and constraints of bodies are all made of these; what they add is how ``h`` moves with
their own coordinates. The packed rows of ``hold`` and the rows of the engine are the same functions in kernels, and are
tested against these.
"""

from core.constraints.residuals.base import (
    CENTER,
    ORIENTATION,
    OTHER_ORIENTATION,
    OTHER_POINT,
    POINT,
    POSE,
    Residual,
    rate,
)
from core.constraints.residuals.carried import CarriedOrientationResidual, CarriedPointResidual
from core.constraints.residuals.direction import AimResidual, AxisResidual, PlaceAimResidual
from core.constraints.residuals.distance import DistanceResidual
from core.constraints.residuals.frames import FrameResidual
from core.constraints.residuals.half_planes import HalfPlanesResidual
from core.constraints.residuals.hinge import HingeResidual
from core.constraints.residuals.orientation import OrientationResidual
from core.constraints.residuals.path import PathResidual
from core.constraints.residuals.point import PointResidual

__all__ = [
    "CENTER",
    "ORIENTATION",
    "OTHER_ORIENTATION",
    "OTHER_POINT",
    "POINT",
    "POSE",
    "AimResidual",
    "AxisResidual",
    "CarriedOrientationResidual",
    "CarriedPointResidual",
    "DistanceResidual",
    "FrameResidual",
    "HalfPlanesResidual",
    "HingeResidual",
    "OrientationResidual",
    "PathResidual",
    "PlaceAimResidual",
    "PointResidual",
    "Residual",
    "rate",
]
