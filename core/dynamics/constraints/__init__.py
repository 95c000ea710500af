"""Constraints on trees of bodies: loops, gears, prescribed motion, limits; and the motion that they leave.

A new kind is one file and one name in ``CONSTRAINTS``. (Sueda 1.10 to 1.12, 2.8 to 2.10, 2.12)
"""

from core.dynamics.body_names import WORLD
from core.dynamics.constraints.accelerations import Constrained, constrained_dynamics, constraint_forces
from core.dynamics.constraints.base import BodyConstraint, Constraint, CoordinateConstraint
from core.dynamics.constraints.cone_limit import ConeLimit, figure_cones
from core.dynamics.constraints.coupling import Coupling
from core.dynamics.constraints.distance import Rod, Rope
from core.dynamics.constraints.following_coordinate import FollowingCoordinate
from core.dynamics.constraints.joint_limits import JointLimits
from core.dynamics.constraints.linear_equality import LinearEquality
from core.dynamics.constraints.loop_closure import LoopClosure
from core.dynamics.constraints.loop_joint import LoopJoint
from core.dynamics.constraints.plane_limit import PlaneLimit
from core.dynamics.constraints.positions import assemble, stabilized_coordinates
from core.dynamics.constraints.prescribed_body import PrescribedBody
from core.dynamics.constraints.prescribed_joint import PrescribedJoint, PrescribedSpeed
from core.dynamics.constraints.prescribed_pose import PrescribedPose
from core.dynamics.constraints.rows import BodyRows, Rows
from core.dynamics.constraints.situation import Situation
from core.dynamics.constraints.stacking import Stack, stacked
from core.dynamics.constraints.velocities import stabilized_rates, velocity_step

CONSTRAINTS: tuple[type[Constraint], ...] = (
    LoopClosure,
    LoopJoint,
    Rod,
    Coupling,
    LinearEquality,
    FollowingCoordinate,
    PrescribedJoint,
    PrescribedSpeed,
    PrescribedBody,
    PrescribedPose,
    JointLimits,
    ConeLimit,
    PlaneLimit,
    Rope,
)
"""All kinds of constraints; the conformance tests go by this tuple."""

__all__ = [
    "CONSTRAINTS",
    "WORLD",
    "BodyConstraint",
    "BodyRows",
    "ConeLimit",
    "Constrained",
    "Constraint",
    "CoordinateConstraint",
    "Coupling",
    "FollowingCoordinate",
    "JointLimits",
    "LinearEquality",
    "LoopClosure",
    "LoopJoint",
    "PlaneLimit",
    "PrescribedBody",
    "PrescribedJoint",
    "PrescribedPose",
    "PrescribedSpeed",
    "Rod",
    "Rope",
    "Rows",
    "Situation",
    "Stack",
    "assemble",
    "constrained_dynamics",
    "constraint_forces",
    "figure_cones",
    "stabilized_coordinates",
    "stabilized_rates",
    "stacked",
    "velocity_step",
]
