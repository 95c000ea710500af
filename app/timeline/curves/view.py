"""What every view of the curve editor can do; the canvas asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.timeline.curves.model import CurvesModel
from app.timeline.curves.paint import NO_PLACES

if TYPE_CHECKING:
    from app.timeline.curves.scale import ValueScale

Modifiers = Qt.KeyboardModifier
SHIFT, CONTROL, ALT = Modifiers.ShiftModifier, Modifiers.ControlModifier, Modifiers.AltModifier
DRAG_DISTANCE = 3.0


def one_axis(away: QPointF, modifiers: Modifiers) -> tuple[float, float]:
    """Return how far a drag has gone across and down, [px]; Shift holds it to the axis it went farther along."""
    dx, dy = away.x(), away.y()
    if modifiers & SHIFT:
        return (dx, 0.0) if abs(dx) >= abs(dy) else (0.0, dy)
    return dx, dy


class CurveDrag:
    """A drag, from press to release.

    Attributes:
        scrolls: Whether it goes on along the frames when the mouse is at an edge.
        hints: Which keys change what it does, and how.
    """

    scrolls = True
    hints: tuple[tuple[str, str], ...] = (("Shift", "along one axis"), ("Ctrl", "fine"))
    _press = QPointF()  # where the mouse went down

    def scrolled(self, pixels: float) -> None:
        """Take that the curves have moved to the right by some px since the press."""
        self._press = self._press + QPointF(pixels, 0.0)

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        """Follow the mouse."""

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        """End: what is shown is kept."""

    def cancel(self) -> None:
        """End: everything is as it was."""

    def step(self, frames: int, rise: float) -> None:
        """Move what is dragged by some frames, and up by some steps of its value."""

    def tag(self) -> str:
        """Return what is shown beside the mouse."""
        return ""


class CurveView:
    """One view.

    Attributes:
        boxes: Whether a drag on empty ground draws a box round keys.
        ratio: Device pixels of a logical one, set by the canvas.
        size: Width and height of the canvas, set likewise.
    """

    boxes = True

    def __init__(self, model: CurvesModel):
        self.model = model
        self.ratio = 1.0
        self.size = QRectF(0, 0, 100, 100)

    @property
    def scale(self) -> ValueScale:
        """The value axis."""
        return self.model.scale

    def x(self, frame: float) -> float:
        """Return where a frame lies, [px]."""
        return self.model.timeline.x(frame)

    def frame(self, x: float) -> float:
        """Return the frame at a place, whole or not."""
        return self.model.timeline.exact_frame(x)

    # -- what a view says --------------------------------------------------------------------------------------------

    def empty_text(self) -> str:
        """Return what to do first where there is nothing to show; ""."""
        return ""

    def bounds(self, selected: bool) -> tuple[float, float] | None:
        """Return the lowest and the highest value, of what is selected or of all; None if there is none."""
        return None

    def frames(self, selected: bool) -> tuple[float, float] | None:
        """Return the first and the last frame, likewise."""
        return None

    @property
    def least(self) -> float:
        """The least range of values that is worth the whole height."""
        return 1.0

    @property
    def degrees(self) -> bool:
        """Whether the axis shows degrees only."""
        return False

    @property
    def suffix(self) -> str:
        """What follows each number of the axis; "" if they are of several units."""
        return ""

    @property
    def units(self) -> str:
        """What stands over the axis where its numbers do not say it."""
        return ""

    def paint(self, painter: QPainter) -> None:
        """Draw what only changes with the motion and the scales."""

    def paint_over(self, painter: QPainter, mouse: QPointF | None) -> None:
        """Draw what follows the mouse."""

    def tag(self, position: QPointF) -> tuple[str, QPointF, str] | None:
        """Return what is said about a place, where, and in which colour; None for nothing."""
        return None

    def keep_seen(self) -> NDArray[np.float64]:
        """Return places that no label should cover, shape (k, 2), [px]."""
        return NO_PLACES

    def cursor(self, position: QPointF) -> Qt.CursorShape:
        """Return the shape of the pointer at a place."""
        return Qt.CursorShape.ArrowCursor

    def over_box(self, position: QPointF) -> bool:
        """Return whether a place belongs to the box round the selected keys."""
        return False

    def press(self, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
        """Return the drag that begins at a place; None for empty ground."""
        return None

    def click(self, position: QPointF, modifiers: Modifiers) -> None:
        """Take a click where no drag began."""
        if not modifiers & (SHIFT | CONTROL):
            self.clear_selection()

    def double_click(self, position: QPointF, modifiers: Modifiers) -> bool:
        """Take a double click; return whether it did anything."""
        return False

    def hold_chosen(self, position: QPointF) -> CurveDrag | None:
        """Return the drag of what a double click at a place makes or has chosen; None if nothing is to be dragged."""
        return None

    def select_box(self, box: QRectF, modifiers: Modifiers) -> None:
        """Select what lies in a box."""

    def select_all(self) -> None:
        """Select everything."""

    def clear_selection(self) -> None:
        """Select nothing."""

    def menu(self, position: QPointF, parent: QWidget) -> QMenu | None:
        """Return the context menu of a place, or None."""
        return None

    def delete(self) -> bool:
        """Delete what is selected; return whether there was anything."""
        return False

    def hold_selected(self) -> CurveDrag | None:
        """Return the drag of what is selected, to be moved by steps; None if nothing is."""
        return None
