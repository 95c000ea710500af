"""What a drag knows from press to release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from app.tools.base import Array
from app.tools.drag_held import HeldDrag
from app.tools.hindrance import NONE, Hindrance, Watch
from app.tools.pointer_hold import PointerHold
from app.tools.way_out import WayOut
from core.kinematics.chain import Chain


class PoseGesture(Protocol):
    """What a drag needs of the gesture that it edits through."""

    active: bool

    def set_pose(self, q: object, *, hold: bool = True) -> None:
        """Show a pose now."""

    def commit(self) -> bool:
        """End as one undo step."""

    def cancel(self) -> None:
        """End without an edit."""


@dataclass
class Drag(PointerHold):
    """One drag, from press to release; positions in the world, [m], pixels logical."""

    joint: int
    chain: Chain
    local: Array
    offset: Array
    pose: Array
    watch: Watch
    way_out: WayOut
    held: HeldDrag | None = None
    travel: float = 0.0
    gesture: PoseGesture | None = None
    axis: int | None = None
    goal: Array | None = None
    distance: float = 0.0
    moves_root: bool = False
    swinging: bool = False
    waits: bool = False
    locks: bool = False
    hindrance: Hindrance = NONE
