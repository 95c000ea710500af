"""The control points of the active figure in the world, and which of them a pixel means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.animation.locks.strip import LockStrip
from core.skeleton.control_points import ControlPoint, control_points

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

HIT = 12.0
"""A point is meant by a press that is no further from it than this, [px]: a circle of 24."""
LEAST_HIT = 6.0
"""The same in a view where the figure is drawn small."""
TOGETHER = 2.0
"""Of points whose distances from the pointer differ by no more than this the one nearest to the eye is meant, [px]."""
FULL_SIZE = 300.0
"""Height of a figure on the screen from which its points are drawn and hit at full size, [px]."""
HOLDING = frozenset({"position", "orientation", "pose"})
"""Kinds of locks by which a point is held."""


class ControlPlaces:
    """Where the control points of the active figure are.

    Args:
        scene: What the views show; only read.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._known: tuple[Array, Array] | None = None

    @property
    def points(self) -> tuple[ControlPoint, ...]:
        """Those that are shown: none while playing, simulating, editing the skeleton, placing something, or if off."""
        scene = self._scene
        session = scene.document.session
        if (
            scene.skeleton is None
            or scene.at_rest
            or session.mode != "pose"
            or session.playback.playing
            or session.tools.placing is not None
            or not session.view.overlays["control_points"]
        ):
            return ()
        return control_points(scene.skeleton)

    def places(self, points: tuple[ControlPoint, ...]) -> Array:
        """Return where points are in the pose on screen, world, shape (n, 3), [m]."""
        poses = self._scene.poses
        known = self._known
        if known is None or known[0] is not poses or len(known[1]) != len(points):
            X = poses[[point.joint for point in points]]
            local = np.array([point.point for point in points])
            known = self._known = poses, np.einsum("nij,nj->ni", X[:, :3, :3], local) + X[:, :3, 3]
        return known[1]

    def scale(self, view: SceneView, places: Array) -> float:
        """Return how large points are drawn in a view, 1 for a figure that is drawn large enough, 0.5 at least."""
        height = self._scene.height / max(view.pixel_size(places[0]), 1e-12)
        return min(max(height / FULL_SIZE, 0.5), 1.0)

    def at(self, view: SceneView, x: float, y: float) -> ControlPoint | None:
        """Return the point that a pixel means, or None.

        It is the one nearest to the pixel; of several that are as near within ``TOGETHER`` the one in front.

        Args:
            view: The view.
            x: Logical pixels from its left.
            y: Logical pixels from its top.
        """
        points = self.points
        if not points:
            return None
        places = self.places(points)
        seen = view.project(places)
        away = np.where(seen[:, 2] > 0.0, np.hypot(seen[:, 0] - x, seen[:, 1] - y), np.inf)
        nearest = float(away.min())
        if nearest > max(HIT * self.scale(view, places), LEAST_HIT):
            return None
        near = np.flatnonzero(away <= nearest + TOGETHER)
        return points[int(near[int(np.argmin(seen[near, 2]))])]

    def held(self, joint: int) -> tuple[LockStrip, ...]:
        """Return the strips that hold a part's place or orientation at the current frame."""
        document, skeleton = self._scene.document, self._scene.skeleton
        if skeleton is None:
            return ()
        names = (joint, skeleton.joints[joint].name)
        return tuple(
            each.strip for each in document.locks.now()
            if each.strip is not None and each.lock.joint in names and each.lock.kind in HOLDING
        )  # fmt: skip

    def held_joints(self) -> frozenset[int]:
        """Return the joints whose place or orientation a lock holds at the current frame."""
        return frozenset(mark.joint for mark in self._scene.locks.marks if mark.kind in HOLDING and mark.word != "off")
