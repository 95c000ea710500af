"""What a drag knows from press to release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from app.scene.hindrance import NONE, Hindrance, Watch
from app.scene.pointing import view_point
from app.tools.base import Array
from app.tools.drag_held import HeldDrag
from app.tools.drag_pace import Pace
from app.tools.drag_rays import eased
from app.tools.drag_way import Way
from app.tools.pointer_hold import PointerHold
from app.tools.way_out import WayOut
from core.kinematics.chain import Chain


class PoseGesture(Protocol):
    """What a drag needs of the gesture that it edits through."""

    active: bool

    def set_pose(self, q: object, *, hold: bool = True) -> None:
        """Show a pose now."""

    def made(self, q: object, *, hold: bool = True) -> Array:
        """Return the pose that ``set_pose`` would show."""

    def show(self, q: object) -> None:
        """Show a pose now as it is."""

    def commit(self) -> bool:
        """End as one undo step."""

    def cancel(self) -> None:
        """End without an edit."""


@dataclass
class Drag(PointerHold):
    """One drag, from press to release; positions in the world, [m], pixels logical.

    ``spline`` is the way that the part runs along if nothing else moves, ``aside`` where it was seen from the pointer
    at the press, shape (2,), [px]; ``offset`` is what eases to zero of the way from the pointer's ray to the part,
    ``kept`` what stays of it, shape (3,), [m].
    """

    joint: int
    chain: Chain
    local: Array
    offset: Array
    pose: Array
    watch: Watch
    way_out: WayOut
    held: HeldDrag | None = None
    spline: Way | None = None
    kept: Array = field(default_factory=lambda: np.zeros(3))
    pace: Pace = field(default_factory=Pace)
    aside: Array = field(init=False)
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

    def __post_init__(self) -> None:
        super().__post_init__()
        seen = view_point(self.view, self.start)
        self.aside = np.array([seen.x() - self.at[0], seen.y() - self.at[1]])

    @property
    def beside(self) -> Array:
        """What is left of the way from the pointer's ray to the part at the press, shape (3,), [m]."""
        return np.asarray(eased(self.travel) * self.offset + self.kept)

    @property
    def target(self) -> tuple[float, float]:
        """The pixel that the part should be seen at: the cursor, shifted by what is left of ``aside``."""
        x, y = (self.cursor + eased(self.travel) * self.aside).tolist()
        return x, y
