"""Draw the path of a part in a view: clicks set its points one by one, a drag draws it in one stroke."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from app.marks.anchor_marks import draw_anchors, draw_way
from app.scene.pointing import Pointer, SceneView, view_point
from app.tools.base import Array, Hint, Tool
from app.tools.landing import floor_at, in_air
from app.tools.world_drag import DRAG_DISTANCE
from app.words.lengths import distance_text
from app.words.part_names import spoken_name
from core.constraints.conflicts.words import capital
from core.constraints.path_fit import fitted_path, length
from core.constraints.residuals import PathResidual
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

SNAP = 14.0
"""A path that begins no further than this from the part begins at it, [px]."""
TOLERANCE = 2.5
"""The smooth path passes a stroke's places no further off than this, [px]."""
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class PathTool(Tool):
    """What the mouse does while ``session.tools.placing`` is ``"path"``: it draws the path of the part selected last.

    Places are as deep in the view as the part, or as the point before; with Shift they are on the floor. A press that
    is dragged draws on and ends the path where it is let go; Enter or a double click ends one of points.
    """

    name = "path"
    title = "Draw path"
    icon = "target"
    chip_tokens = ("dyn", "dyn_bg")
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._points: list[Array] = []
        self._stroke: list[Array] = []
        self._press: Pointer | None = None
        self._over: Array | None = None
        self._view: SceneView | None = None

    @property
    def joint(self) -> int | None:
        """The part whose path it is."""
        chosen = self.document.selection.joints
        return chosen[-1] if chosen and self.scene.skeleton is not None else None

    def _named(self) -> str:
        joint, skeleton = self.joint, self.scene.skeleton
        return "" if joint is None or skeleton is None else spoken_name(skeleton.joint_names[joint])

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        return self._press is not None

    def claims(self, key: int) -> bool:
        return key == Qt.Key.Key_Escape or (key in _ENDS and bool(self._points))

    def hints(self) -> list[Hint]:
        if not self._points:
            return [("Drag", "draw the path"), ("Click", "its first point"), ("Shift", "on the floor"), ("Esc", "done")]
        ends = [("Enter", "ends it")] if len(self._points) > 1 else []
        return [("Click", "next point"), ("Drag", "draw on"), *ends, ("Shift", "on the floor"), ("Esc", "give up")]

    def status(self) -> str:
        way = [*self._points, *self._stroke]
        far = f", {distance_text(length(np.array(way)))}" if len(way) > 1 else ""
        return f"Path of {self._named()}{far}"

    def chip(self) -> str:
        return f"Draw path · {capital(self._named())}"

    # -- gestures ------------------------------------------------------------------------------------------------

    def _part(self) -> Array:
        joint, skeleton = self.joint, self.scene.skeleton
        assert joint is not None and skeleton is not None
        return self.scene.world(joint, end_effector(skeleton, joint))

    def _place(self, view: SceneView, pointer: Pointer) -> Array | None:
        """Return the place of the world that the pointer means, shape (3,), [m]."""
        if self.joint is None:
            return None
        if pointer.shift:
            return floor_at(view, pointer)
        part = self._part()
        if not self._points:
            at = view_point(view, part)
            if math.hypot(pointer.x - at.x(), pointer.y - at.y()) <= SNAP:
                return part
        found = in_air(view, pointer, self._points[-1] if self._points else part)
        return None if found is None else found.place

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        self._over, self._view = self._place(view, pointer), view
        view.update()

    def leave(self) -> None:
        if self._press is None:
            self._over = None
        super().leave()

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Set a point."""
        place = self._place(view, pointer)
        if place is None:
            self.document.say("info", "There is no place here; the path is drawn in the plane of the view")
            return
        self._press, self._over, self._view = pointer, place, view
        if not self._points or float(np.linalg.norm(place - self._points[-1])) > DRAG_DISTANCE * view.pixel_size(place):
            self._points.append(place)
        view.update()

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Draw on."""
        press = self._press
        if press is None:
            return
        begun = bool(self._stroke) or max(abs(pointer.x - press.x), abs(pointer.y - press.y)) >= DRAG_DISTANCE
        place = self._place(view, pointer) if begun else None
        if place is not None:
            self._stroke.append(place)
            self._over = place
        view.update()

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """End the path after a stroke; a click goes on."""
        self._press = None
        if self._stroke:
            drawn = np.array([self._points[-1], *self._stroke])
            stroke = fitted_path(drawn, TOLERANCE * view.pixel_size(drawn[0])) if length(drawn) > 0.0 else drawn
            self._make([*self._points[:-1], *stroke])

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """End the path with the point that the first of the two clicks has set."""
        self._end()

    def key(self, key: int) -> bool:
        """Enter ends the path; Esc gives it up, and with nothing begun puts the tool away."""
        if key in _ENDS and self._points:
            self._end()
            return True
        if key != Qt.Key.Key_Escape:
            return False
        if self._points:
            self.cancel()
        else:
            self.document.session.tools.placing = None
        return True

    def cancel(self) -> None:
        """Forget the points."""
        self._points, self._stroke, self._press = [], [], None
        if self._view is not None:
            self._view.update()

    def _end(self) -> None:
        if len(self._points) > 1:
            self._make(self._points)
        elif self._points:
            self.document.say("info", "A path goes through two points at least; click the next one")

    def _make(self, points: list[Array]) -> None:
        joint, name, document = self.joint, capital(self._named()), self.document
        self.cancel()
        made = None if joint is None else document.locks.draw_path(joint, np.array(points))
        if made is not None:
            document.session.tools.placing = None
            document.session.locks.selected = made
            document.say(
                "info", f"{name} stays on its path from frame {document.frame} on · drag its points to change it"
            )

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the path so far, its points, and the way to the pointer."""
        points, over = list(self._points), self._over
        if self._stroke:
            draw_way(painter, view, [*points, *self._stroke])
        else:
            through = [*points, over] if over is not None else points
            apart = [each for k, each in enumerate(through) if not k or np.linalg.norm(each - through[k - 1]) > 1e-6]
            if len(apart) > 1:
                draw_way(painter, view, list(PathResidual(np.array(apart)).drawn()))
        draw_anchors(painter, view, [(place, False) for place in points])
        if over is not None:
            draw_anchors(painter, view, [(over, True)])
