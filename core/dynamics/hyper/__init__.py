"""Hyper-reduced coordinates: the coordinates of joints as a function of fewer ones, ``q_r = f(q_R)``. (Sueda 2.6)"""

from core.dynamics.hyper.coordinate_map import CoordinateMap
from core.dynamics.hyper.expression_map import ExpressionMap
from core.dynamics.hyper.following import following
from core.dynamics.hyper.reduction import HyperReduction

__all__ = ["CoordinateMap", "ExpressionMap", "HyperReduction", "following"]
