"""Joint types: each is a transform Q, a motion subspace S and its rate (Sueda 2.1 to 2.4)."""

from __future__ import annotations

from typing import TypeVar

from core.errors import JointError
from core.joints.base import JointModel, Step
from core.joints.composite import Composite
from core.joints.curve_on_curve import CurveOnCurve
from core.joints.expression import ExpressionJoint
from core.joints.fixed import Fixed
from core.joints.four_bar import FourBar
from core.joints.free import Free, FreeRotationFirst
from core.joints.free2d import Free2D
from core.joints.gear import Gear
from core.joints.mirrored import Mirrored
from core.joints.point_on_curve import PointOnCurve
from core.joints.point_on_surface import PointOnSurface
from core.joints.prismatic import Prismatic
from core.joints.revolute import Revolute
from core.joints.rolling import Rolling
from core.joints.scapula import Scapula
from core.joints.screw import Screw
from core.joints.spherical import Spherical
from core.joints.spherical_euler import SphericalEuler
from core.joints.spline_curve import SplineCurve
from core.joints.spline_surface import SplineSurface
from core.joints.surface_on_surface import SurfaceOnSurface
from core.joints.symbolic import SymbolicJoint
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
    Screw,
    SurfaceOnSurface,
    PointOnSurface,
    CurveOnCurve,
    PointOnCurve,
    FourBar,
    Scapula,
    Rolling,
    Gear,
    ExpressionJoint,
    Mirrored,
)
"""The joint types that come with the library; the editor and the conformance tests go by this tuple."""

_registered: dict[str, type[JointModel]] = {model.type_name: model for model in JOINT_TYPES}

_Model = TypeVar("_Model", bound=type[JointModel])


def register_joint_type(model: _Model) -> _Model:
    """Let skeleton files have a joint type by its ``type_name``; return it, so that it is a decorator of classes.

    The class is called with what its ``parameters`` name, in that order.

    Raises:
        JointError: If there is a type of that name, or the name is not of plain words.
    """
    name = model.type_name
    if not name or not all(word.isidentifier() and word.islower() for word in name.split(" ")):
        raise JointError(f'a joint type cannot be called "{name}"; expected words of small letters')
    if _registered.get(name, model) is not model:
        raise JointError(f'there is a joint type "{name}" already; expected another name')
    _registered[name] = model
    return model


def forget_joint_type(model: type[JointModel]) -> None:
    """Take back what ``register_joint_type`` did; figures that are read keep the type."""
    if model not in JOINT_TYPES:
        _registered.pop(model.type_name, None)


def joint_types() -> dict[str, type[JointModel]]:
    """Return all joint types that skeleton files may name, by their names; new."""
    return dict(_registered)


__all__ = [
    "JOINT_TYPES",
    "Composite",
    "CurveOnCurve",
    "ExpressionJoint",
    "Fixed",
    "FourBar",
    "Free",
    "Free2D",
    "FreeRotationFirst",
    "Gear",
    "JointModel",
    "Mirrored",
    "Planar",
    "PointOnCurve",
    "PointOnSurface",
    "Prismatic",
    "Revolute",
    "Rolling",
    "Scapula",
    "Screw",
    "Spherical",
    "SphericalEuler",
    "SplineCurve",
    "SplineSurface",
    "Step",
    "SurfaceOnSurface",
    "SymbolicJoint",
    "Translational",
    "Universal",
    "forget_joint_type",
    "joint_types",
    "register_joint_type",
]
