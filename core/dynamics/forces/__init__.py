"""Forces on a model. A new one is a module with a class, and a line in ``FORCES``."""

from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.body_damping import BodyDamping
from core.dynamics.forces.directional_force import DirectionalForce
from core.dynamics.forces.elastic_rope import ElasticRope
from core.dynamics.forces.intrinsic_torque import IntrinsicTorque
from core.dynamics.forces.joint_damping import JointDamping
from core.dynamics.forces.joint_spring import JointSpring
from core.dynamics.forces.joint_torque import JointTorque
from core.dynamics.forces.muscle import Muscle
from core.dynamics.forces.path_force import Path, PathForce
from core.dynamics.forces.point_force import PointForce
from core.dynamics.forces.point_to_point import PointToPoint
from core.dynamics.forces.spring_damper import SpringDamper
from core.dynamics.forces.stiffening_spring import StiffeningSpring

FORCES: tuple[type[Force], ...] = (
    JointSpring,
    JointDamping,
    JointTorque,
    IntrinsicTorque,
    BodyDamping,
    PointForce,
    DirectionalForce,
    StiffeningSpring,
    PointToPoint,
    SpringDamper,
    ElasticRope,
    Muscle,
)

__all__ = [
    "FORCES",
    "BodyDamping",
    "Derivatives",
    "DirectionalForce",
    "ElasticRope",
    "Force",
    "IntrinsicTorque",
    "JointDamping",
    "JointSpring",
    "JointTorque",
    "Load",
    "Muscle",
    "Path",
    "PathForce",
    "PointForce",
    "PointToPoint",
    "SpringDamper",
    "StiffeningSpring",
]
