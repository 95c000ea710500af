"""What a drag in a view knows of the pointer, from press to release."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from app.scene.pointing import Pointer, SceneView
from app.tools.base import FINE, Array
from core.kinematics.ray import closest_point_on_axis, point_in_plane

Pixels = tuple[float, float]


@dataclass
class PointerHold:
    """Follows the pointer; places in the world, [m], pixels logical.

    Attributes:
        view: Where it was pressed.
        pointer: How it is now, and what is held with it.
        start: Where what is moved was at the press, shape (3,); a copy.
        at: Where it was pressed.
        last: Where it is now.
        cursor: Where it would be had its way counted in full only while Ctrl was not held: what is moved follows this.
    """

    view: SceneView
    pointer: Pointer
    start: Array
    at: Pixels = field(init=False)
    last: Pixels = field(init=False)
    cursor: Pixels = field(init=False)

    def __post_init__(self) -> None:
        self.start = np.array(self.start, dtype=np.float64)
        self.at = self.last = self.cursor = (self.pointer.x, self.pointer.y)

    def follow(self, pointer: Pointer) -> Pixels:
        """Take the pointer's next place; return its motion since the one before, uncut."""
        dx, dy = pointer.x - self.last[0], pointer.y - self.last[1]
        gain = FINE if pointer.ctrl else 1.0
        self.pointer, self.last = pointer, (pointer.x, pointer.y)
        self.cursor = (self.cursor[0] + gain * dx, self.cursor[1] + gain * dy)
        return dx, dy

    def travel(self, axis: Array | None = None) -> Array:
        """Return how far the cursor's motion since the press takes the start, shape (3,), [m].

        Args:
            axis: Unit direction it is held to, shape (3,); None for the view's plane.
        """
        normal = self.view.camera.basis[2]
        origin, direction = self.view.ray(*self.cursor)
        pressed = point_in_plane(self.start, normal, *self.view.ray(*self.at))
        if axis is None:
            return point_in_plane(self.start, normal, origin, direction) - pressed
        # The ray is shifted so that the one of the press goes right through the start.
        found = closest_point_on_axis(self.start, axis, origin + self.start - pressed, direction)
        return np.zeros(3) if found is None else found - self.start
