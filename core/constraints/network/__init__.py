"""The function-block network: figures, handles on them, constraints and forces on handles (Welman 1993, 5.3)."""

from core.constraints.network.block import Block
from core.constraints.network.constraint import Constraint
from core.constraints.network.handles.base import Handle
from core.constraints.network.network import Assembled, Force, Network
from core.constraints.network.state import FigureState, State

__all__ = ["Assembled", "Block", "Constraint", "FigureState", "Force", "Handle", "Network", "State"]
