"""Posing a figure by its parts, as the editor's tools do it: drags, turns, and why a part is not at its goal.

``DragSession`` drags a part, ``PartTurn`` turns one with its place kept. No window is needed for either.
"""

from core.posing.drag_session import DragSession
from core.posing.hindrance import Hindrance, Stop
from core.posing.pointer_ray import Sight
from core.posing.pose_edit import HeldLocks
from core.posing.turn_in_place import FreeTurn, PartTurn, TurnPath

__all__ = ["DragSession", "FreeTurn", "HeldLocks", "Hindrance", "PartTurn", "Sight", "Stop", "TurnPath"]
