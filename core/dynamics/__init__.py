"""Rigid-body dynamics of trees of bodies."""

from core.dynamics.body import Body
from core.dynamics.formulations import FORMULATIONS
from core.dynamics.multibody import Multibody
from core.dynamics.scene import Scene
from core.dynamics.simulation import simulate
from core.dynamics.stabilization import Stabilization
from core.dynamics.trajectory import Trajectory

__all__ = ["FORMULATIONS", "Body", "Multibody", "Scene", "Stabilization", "Trajectory", "simulate"]
