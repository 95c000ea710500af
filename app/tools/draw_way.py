"""Draw the way of a walk on the ground: in one stroke, or point by point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.scene.pointing import Pointer, SceneView
from app.tools.base import Array, Hint
from app.tools.draw_path import PathTool
from core.errors import CoreError
from core.gait.manner import Manner
from core.gait.procedural import Rules
from core.terrain import LEVEL

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

FAR = 60.0
"""Ground farther away than this is not meant, [m]."""


class WayTool(PathTool):
    """What the mouse does while ``session.tools.placing`` is ``"way"``: it draws where the figure walks.

    A sequence that is no walk becomes one. Footprints that were moved by hand belong to another way, and are forgotten.

    Attributes:
        change: Makes the sequence by rules as one step that has a name; set by whoever has the tool.
    """

    name = "way"
    title = "Draw way"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self.change: Callable[[Rules, str], object] = document.walks.set

    def hints(self) -> list[Hint]:
        """Return what the mouse and the keys do now."""
        if not self._points:
            return [("Drag", "draw the way on the ground"), ("Click", "its first point"), ("Esc", "done")]
        ends = [("Enter", "ends it")] if len(self._points) > 1 else []
        return [("Click", "next point"), ("Drag", "draw on"), *ends, ("Esc", "give up")]

    def _named(self) -> str:
        return "the walk"

    def chip(self) -> str:
        return "Draw the way of the walk"

    def _place(self, view: SceneView, pointer: Pointer) -> Array | None:
        origin, direction = view.ray(pointer.x, pointer.y)
        found = self.scene.world_around.struck(origin, direction)
        return None if found is None or float(np.linalg.norm(found - origin)) > FAR else found

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Set a point."""
        if self._place(view, pointer) is None:
            self.document.say("info", "The way is drawn on the ground; look down on it")
            return
        super().press(view, pointer)

    def _make(self, points: list[Array]) -> None:
        document = self.document
        self.cancel()
        try:
            rules = document.walks.rules or Rules(Manner(), self.scene.world_around.terrain or LEVEL)
            path = tuple((float(point[0]), float(point[2])) for point in points)
            wanted = rules._replace(manner=replace(rules.manner, path=path, footprints={}))
        except CoreError as error:
            document.refuse_edit(error)
            return
        document.session.tools.placing = None
        self.change(wanted, "Draw way of walk")
