"""Forces on a model. A new one is a module with a class, and a line in ``FORCES``."""

from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.body_damping import BodyDamping
from core.dynamics.forces.directional_force import DirectionalForce
from core.dynamics.forces.intrinsic_torque import IntrinsicTorque
from core.dynamics.forces.joint_damping import JointDamping
from core.dynamics.forces.joint_spring import JointSpring
from core.dynamics.forces.joint_torque import JointTorque
from core.dynamics.forces.point_force import PointForce

FORCES: tuple[type[Force], ...] = (
    JointSpring,
    JointDamping,
    JointTorque,
    IntrinsicTorque,
    BodyDamping,
    PointForce,
    DirectionalForce,
)

__all__ = [
    "FORCES",
    "BodyDamping",
    "Derivatives",
    "DirectionalForce",
    "Force",
    "IntrinsicTorque",
    "JointDamping",
    "JointSpring",
    "JointTorque",
    "Load",
    "PointForce",
]
