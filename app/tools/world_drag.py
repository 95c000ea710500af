"""Obstacles, bodies that move and points of what is attached, taken hold of in a view and moved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document.gestures.physics_gesture import PhysicsGesture
from app.physics.line_edits import with_names
from app.scene.pointing import Pointer, SceneView
from app.scene.world_scene import WorldItem
from app.tools.base import FINE, Array
from app.tools.landing import Landing, touched_at
from app.words.lengths import size_text
from core.errors import CoreError
from core.kinematics.ray import closest_point_on_axis, point_in_plane

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

DRAG_DISTANCE = 3.0
"""A press that moves less is a click, [px]."""
UP = np.array([0.0, 1.0, 0.0])
_FLAT = 0.12  # sine of the angle to the ground under which a view is too flat to slide anything along it
_PLACES = 3  # decimals of places, [m]


class WorldDrag:
    """One drag, from press to release: along the ground, with Shift straight up and down; Ctrl is fine.

    A point of a string, spring, rope or muscle goes over the parts, bodies and obstacles, and is fixed to the one that
    it is let go on; beside them it goes across the view, as anything does that is seen along the ground.

    Args:
        document: The open document.
        scene: What the views show.
        item: What is moved.
        view: The view.
        pointer: Where it was pressed.
    """

    def __init__(self, document: Document, scene: Scene, item: WorldItem, view: SceneView, pointer: Pointer):
        self.document, self.scene, self.item = document, scene, item
        self._press = pointer
        self._gesture: PhysicsGesture | None = None
        self.by: Array = np.zeros(3)
        self.over = ""

    @property
    def active(self) -> bool:
        """Whether it is under way; undo or another edit may have ended it."""
        return self._gesture is None or self._gesture.active

    @property
    def moved(self) -> bool:
        """Whether it is more than a click."""
        return self._gesture is not None

    def is_drag(self, pointer: Pointer) -> bool:
        """Return whether the pointer has gone farther from the press than in a click."""
        return max(abs(pointer.x - self._press.x), abs(pointer.y - self._press.y)) >= DRAG_DISTANCE

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Show what a drag to a point makes of it."""
        if self._gesture is None:
            if not self.is_drag(pointer):
                return
            self.document.physics.pause()
            self._gesture = PhysicsGesture(self.document, f"Move {self.item.name}")
        by = self._way(view, pointer)
        if by is None:
            return
        self.by = np.round(by * (FINE if pointer.ctrl else 1.0), _PLACES)
        own = getattr(self._gesture.before, self.item.field)
        try:
            changed, others = self._moved(own[self.item.number], view, pointer)
        except CoreError:  # no end would be on a part
            return
        wanted: dict[str, Any] = {
            self.item.field: (*own[: self.item.number], changed, *own[self.item.number + 1 :]), **others
        }  # fmt: skip
        self._gesture.show(**wanted)

    def _moved(self, own: Any, view: SceneView, pointer: Pointer) -> tuple[Any, dict[str, Any]]:
        """Return it where it is moved, and what else of the settings changes with that."""
        if self.item.node is None:
            return replace(own, position=own.position + self.by), {}
        from core.preview.line_nodes import Node, nodes_of, with_nodes

        assert self._gesture is not None
        landing = None if pointer.shift or pointer.ctrl else touched_at(self.scene, view, pointer)
        if landing is None:
            place = self.item.point + self.by
            landing = Landing(None, place, place, "the world")
        nodes = list(nodes_of(own))
        nodes[self.item.node] = Node(landing.part, landing.point)
        self.over = landing.name
        return with_nodes(own, nodes), with_names(self._gesture.before, nodes)

    def _way(self, view: SceneView, pointer: Pointer) -> Array | None:
        """Return how far it is dragged, world, shape (3,), [m]."""
        ends = []
        facing = view.ray(0.5 * view.width(), 0.5 * view.height())[1]
        for x, y in ((self._press.x, self._press.y), (pointer.x, pointer.y)):
            origin, direction = view.ray(x, y)
            if pointer.shift:
                end = closest_point_on_axis(self.item.point, UP, origin, direction)
            else:
                slides = self.item.node is None and abs(float(direction @ UP)) > _FLAT
                normal = UP if slides else facing
                end = point_in_plane(self.item.point, normal, origin, direction)
                if (end - origin) @ direction <= 0.0:
                    end = None
            if end is None:
                return None
            ends.append(end)
        return np.asarray(ends[1] - ends[0])

    def text(self) -> str:
        """Return what is being done, in a line."""
        if self.over:
            return f"{self.item.name[:1].upper()}{self.item.name[1:]}, on {self.over}"
        return f"{self.item.name[:1].upper()}{self.item.name[1:]}, moved {size_text(float(np.linalg.norm(self.by)))}"

    def drop(self) -> bool:
        """End it as one undo step; return whether there is one."""
        return self._gesture is not None and self._gesture.commit()

    def cancel(self) -> None:
        """Give it up."""
        if self._gesture is not None:
            self._gesture.cancel()
