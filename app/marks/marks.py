"""Marks that belong to the figure and its motion: trails, what lies on the floor, centre of mass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QPainter

from app.marks import overlays, walk_print_marks
from app.marks.floor_marks import FloorMarks
from app.marks.trail_marks import TrailMarks
from app.scene.shown_center import center_of_mass

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]


class Marks:
    """Paints trails, paths, prints and centre of mass as the session asks.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self.trails = TrailMarks(scene)
        self._floor = FloorMarks(scene)

    def paint(self, painter: QPainter, view: SceneView, small: bool) -> None:
        """Paint what is switched on."""
        if self.scene.skeleton is None:
            return
        if not self.scene.at_rest:
            walk_print_marks.draw(painter, view, self.scene.walk_prints, self.scene.document.frame, small)
            self._floor.paint(painter, view, small)
            if not small:
                self.trails.paint(painter, view)
        if self.scene.document.session.view.overlays["com"] and not self.scene.physics.shown:
            center = center_of_mass(self.scene)
            overlays.draw_center_of_mass(painter, view, center, self.scene.world_around.below(center)[0], small)
