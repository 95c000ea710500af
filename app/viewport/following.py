"""Cameras that go along with the figure: while frames pass it keeps its place in the views."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.document.change import Change
    from app.viewport.host import Host

Array = NDArray[np.float64]

_FLOOR = np.array([1.0, 0.0, 1.0])


class Follower:
    """Shifts all cameras over the ground by what the root moves from frame to frame; angle and distance stay.

    An edit of the pose moves the figure and not the cameras: a person wants to see what is dragged move.

    Args:
        host: Has the cameras.
        carry: Called with each shift, shape (3,), [m], before the cameras take it.
    """

    def __init__(self, host: Host, carry: Callable[[Array], object]):
        self._host = host
        self._carry = carry
        self._on = False
        self._frame = host.document.frame
        self._place: Array | None = None

    def take(self, change: Change) -> None:
        """Take note of a change of the document; the scene must have taken it."""
        scene, document = self._host.scene, self._host.document
        was, self._on = self._on, bool(document.session.overlays["follow"])
        if not self._on or scene.skeleton is None or scene.at_rest:
            self._place = None
            return
        if change.kind == "figure" or (change.kind == "file" and change.detail.get("name") == "opened"):
            self._place = None
        if not was:  # it may be far away
            low, high = scene.bounds()
            for camera in self._host.cameras.values():
                camera.shift((0.5 * (low + high) - camera.target) * _FLOOR)
        if self._place is not None and document.frame == self._frame and change.kind != "pose":
            return
        place = scene.poses[0, :3, 3] * _FLOOR
        if self._place is not None and document.frame != self._frame:
            moved = place - self._place
            self._carry(moved)
            for camera in self._host.cameras.values():
                camera.shift(moved)
        self._place, self._frame = place, document.frame
