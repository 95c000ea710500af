"""Attach strings, springs, ropes, muscles and strands: a click where one begins, one where it ends, or one drag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from app.marks.anchor_marks import draw_anchors, draw_way
from app.physics.line_edits import STRANDS, attach, hang
from app.scene.pointing import Pointer, SceneView
from app.tools.base import Hint, Tool
from app.tools.landing import Landing, in_air, landing_at, touched_at
from app.tools.world_drag import DRAG_DISTANCE
from app.words.line_kinds import LineKind, kind_named

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class AttachTool(Tool):
    """What the mouse does while ``document.physics.attaching`` names a kind of line.

    The first click is where it begins, on a part, a body or the floor; the next one where it ends. A muscle goes on
    through further points until Enter or a double click. A press that is dragged makes one of two points. A strand
    begins on a part of the figure and ends in the air beside it, with Shift on the part under the pointer.
    """

    name = "attach"
    title = "Attach"
    icon = "link"
    chip_tokens = ("dyn", "dyn_bg")
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._found: list[Landing] = []
        self._press: Pointer | None = None
        self._over: Landing | None = None
        self._view: SceneView | None = None

    @property
    def kind(self) -> LineKind | None:
        """What it attaches now."""
        name = self.document.physics.attaching
        return None if name is None else kind_named(name)

    @property
    def _strand(self) -> bool:
        """Whether it is a strand."""
        return self.kind is not None and self.kind.field == STRANDS

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        return self._press is not None

    def claims(self, key: int) -> bool:
        return key == Qt.Key.Key_Escape or (key in _ENDS and bool(self._found))

    def hints(self) -> list[Hint]:
        kind = self.kind
        if kind is None:
            return []
        if not self._found:
            return [("Click", f"the part where the {kind.name} begins"), ("Drag", "from end to end"), ("Esc", "done")]
        if self._strand:
            return [("Click", "where it ends, hanging free"), ("Shift", "tie the end to the part"), ("Esc", "give up")]
        on = "where it goes on, or ends" if kind.through else "where it ends"
        hints = [("Click", f"{on}: a part, a body or the floor"), ("Esc", "give up")]
        return [*hints[:1], ("Enter", "ends it"), *hints[1:]] if kind.through and len(self._found) > 1 else hints

    def status(self) -> str:
        kind = self.kind
        if kind is None:
            return ""
        over = "" if self._over is None else self._over.name
        if not self._found:
            return f"{kind.label} from {over}" if over else f"New {kind.name}"
        return f"{kind.label} from {self._found[0].name} to {over or '…'}"

    def chip(self) -> str:
        return "" if self.kind is None else f"Attach a {self.kind.name}"

    # -- gestures ------------------------------------------------------------------------------------------------

    def _landing(self, view: SceneView, pointer: Pointer) -> Landing | None:
        if self._strand:
            over = touched_at(self.scene, view, pointer)
            part = over if over is not None and over.joint is not None else None
            if not self._found or (pointer.shift and part is not None and part.part != self._found[0].part):
                return part
            return in_air(view, pointer, self._found[0].place)
        return landing_at(self.scene, view, pointer, self._found[-1].place if self._found else None)

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        self._over, self._view = self._landing(view, pointer), view
        self._set_hover(None if self._over is None else self._over.joint)
        view.update()

    def leave(self) -> None:
        if self._press is None:
            self._over = None
        super().leave()

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Fix a point to what is under the pointer."""
        found = self._landing(view, pointer)
        if found is None:
            nothing = (
                "A strand begins on a part of the figure" if self._strand else "There is nothing here to attach it to"
            )
            self.document.say("info", nothing)
            return
        self.document.physics.pause()
        self._found.append(found)
        self._press, self._over, self._view = pointer, found, view
        view.update()

    def move(self, view: SceneView, pointer: Pointer) -> None:
        if self._press is not None:
            self._over = self._landing(view, pointer)
            view.update()

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """End it where the button is let go after a drag, or with the second click."""
        press, self._press = self._press, None
        kind = self.kind
        if press is None or kind is None:
            return
        if len(self._found) == 1:
            if max(abs(pointer.x - press.x), abs(pointer.y - press.y)) < DRAG_DISTANCE:
                return
            end = self._landing(view, pointer)
            if end is not None:
                self._found.append(end)
                self._make()
        elif not kind.through:
            self._make()

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """End it with the point that the first of the two clicks has made."""
        if len(self._found) > 1:
            self._make()

    def key(self, key: int) -> bool:
        """Enter ends it; Esc gives it up, and with nothing begun puts the tool away."""
        if key in _ENDS and self._found:
            if len(self._found) > 1:
                self._make()
            return True
        if key != Qt.Key.Key_Escape:
            return False
        if self._found:
            self.cancel()
        else:
            self.document.physics.attach(None)
        return True

    def cancel(self) -> None:
        """Forget the points."""
        self._found, self._press = [], None
        if self._view is not None:
            self._view.update()

    def _make(self) -> None:
        kind, found = self.kind, self._found
        self.cancel()
        if kind is None:
            return
        if kind.field == STRANDS:
            first, last = found
            assert first.joint is not None and self.scene.skeleton is not None
            names = self.scene.skeleton.joint_names
            tied = None if last.joint is None else names[last.joint]
            done = bool(hang(self.document, names[first.joint], first.place, last.place, tied))
            words = f"{kind.label} on {first.name}" + (f", tied to {last.name}" if tied is not None else "")
        else:
            made = self._attach(kind, found)
            done, words = bool(made), f"{made[:1].upper()}{made[1:]} from {found[0].name} to {found[-1].name}"
        if done:
            self.document.say("info", words)
            self.document.physics.attach(None)

    def _attach(self, kind: LineKind, found: list[Landing]) -> str:
        from core.preview.line_nodes import Node

        nodes = [Node(each.part, each.point) for each in found]
        return attach(self.document, kind, nodes, np.array([each.place for each in found]))

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the points so far, and the way to the pointer."""
        ends = [each.place for each in self._found]
        over = self._over
        if over is not None:
            ends.append(over.place)
        draw_way(painter, view, ends)
        draw_anchors(painter, view, [(place, k >= len(self._found)) for k, place in enumerate(ends)])
