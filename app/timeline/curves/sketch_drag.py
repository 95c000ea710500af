"""A speed drawn by hand in the view of a path's speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from app.timeline.curves.control_points import CurveEdit
from app.timeline.curves.sketch import few_points, merged
from app.timeline.curves.view import DRAG_DISTANCE, Modifiers

if TYPE_CHECKING:
    from app.timeline.curves.root_speed import RootSpeedView

TOLERANCE = 4.0  # how far the curve may be from the line that was drawn, px


class SketchDrag(CurveEdit):
    """A speed drawn by hand along the frames; a smooth curve of few points is made of it.

    Args:
        view: The view.
        position: Where the mouse was pressed, [px].
    """

    view: RootSpeedView

    def __init__(self, view: RootSpeedView, position: QPointF):
        super().__init__(view, position)
        self._before = view.points
        self._span = view.span
        self._line = [self._at(position)]

    def _at(self, position: QPointF) -> tuple[float, float]:
        first, last = self._span
        frame = min(max(self.view.frame(position.x()), first), last)
        return frame, max(self.view.scale.value(position.y()), 0.0)

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            if (position - self._press).manhattanLength() < DRAG_DISTANCE:
                return
            self._gesture = self.view.begin()
        self._line.append(self._at(position))
        self.view.sketch = self._line
        self._show()

    def _show(self) -> None:
        drawn = few_points(self._line, TOLERANCE * self.view.scale.unit)
        if self._gesture is None or not drawn or not any(speed > 0.0 for _, speed in drawn):
            return
        drawn = tuple((frame, max(speed, 0.0)) for frame, speed in drawn)
        self.view.show(self._gesture, merged(self._before, drawn))
        self.model.touch()

    def _end(self, keep: bool) -> None:
        self.view.sketch = []
        super()._end(keep)

    def tag(self) -> str:
        return "" if self._gesture is None else self.view.point_text(*self._line[-1])
