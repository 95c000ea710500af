"""Rigid-body dynamics of trees of bodies."""

from core.dynamics.body import Body
from core.dynamics.multibody import Multibody

__all__ = ["Body", "Multibody"]
