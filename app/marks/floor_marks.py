"""What lies on the floor: the path of the root and of the centre of mass, and the prints of feet that are locked.

Sizes are logical pixels unless said otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.marks import paint
from app.marks.trail_marks import draw_dots, frame_places
from app.scene.bead_gaps import far_apart
from app.scene.ghost_keys import AFTER, BEFORE
from app.scene.motion_samples import CENTER
from app.scene.trails import ROOT_PATH, on_floor

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from app.scene.trails import Trail

Array = NDArray[np.float64]

WIDTH, SMALL_WIDTH = 1.8, 1.2
_TICK = 0.02  # of the figure's height
_TIP, _BACK, _WING = 0.075, 0.035, 0.022  # ends and half the width of a heading mark, of the figure's height
_HEADING_GAP = 26.0
"""Heading marks stand at least about so far apart, [px]."""
_FRAME_DOT = (1.5, 2.6, 1.0)


class FloorMarks:
    """Paints what lies on the floor.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self.scene = scene

    def paint(self, painter: QPainter, view: SceneView, small: bool) -> None:
        """Paint what is switched on."""
        scene, shown = self.scene, self.scene.document.session.view.overlays
        if scene.skeleton is None or scene.at_rest:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if shown["footprints"]:
            self._paint_prints(painter, view, small)
        samples, now = scene.trails.samples, scene.document.frame
        if shown["com_path"] and len(samples.frames) > 1:
            seen = view.project(on_floor(samples.path(CENTER)))
            for line in _lines(seen):
                paint.stroke_line(painter, view.theme, line, "lock_balance", 1.4, None if small else (3.0, 3.0), 1.2)
        trail = scene.trails.trail(ROOT_PATH) if shown["root_path"] else None
        if trail is not None:
            self._paint_path(painter, view, trail, now, small)

    def _paint_path(self, painter: QPainter, view: SceneView, trail: Trail, now: int, small: bool) -> None:
        split = int(np.searchsorted(trail.frames, now))
        for token, part in ((AFTER, trail.path[split:]), (BEFORE, trail.path[: split + 1])):
            for line in _lines(view.project(part)):
                paint.stroke_line(painter, view.theme, line, token, SMALL_WIDTH if small else WIDTH, halo=1.6)
        if small:
            return
        whole = frame_places(view, trail)
        for token, which in ((BEFORE, whole[:, 2] < now), (AFTER, whole[:, 2] > now)):
            draw_dots(painter, view, whole[which, :2], token, _FRAME_DOT)
        self._paint_ticks(painter, view, trail, now)
        here = np.array(self.scene.poses[0, :3, 3])
        here[1] = 0.0
        x, y, depth = view.project(here[None])[0].tolist()
        if depth > 0.0:  # where the root is now
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for token, width in (("halo", 3.6), ("accent", 1.6)):
                painter.setPen(QPen(paint.color(view.theme, token, 0.85 if token == "halo" else 1.0), width))
                painter.drawEllipse(QPointF(x, y), 8.0, 8.0)

    def _paint_ticks(self, painter: QPainter, view: SceneView, trail: Trail, now: int) -> None:
        """Paint at each key a tick across the path and an arrow to where the root faces."""
        height = self.scene.height
        at = np.searchsorted(trail.frames, trail.keys)
        last = len(trail.path) - 1
        along = trail.path[np.minimum(at + 1, last)] - trail.path[np.maximum(at - 1, 0)]
        across = np.column_stack([along[:, 2], np.zeros(len(at)), -along[:, 0]])
        lengths = np.linalg.norm(across, axis=1)
        shown = {bead.frame for bead in self.scene.trails.beads(view)[1] if bead.part == ROOT_PATH}
        seen = view.project(trail.places)
        headed = far_apart(seen, _HEADING_GAP)
        for k, frame in enumerate(trail.keys):
            token = "accent" if frame == now else BEFORE if frame < now else AFTER
            place, facing = trail.places[k], trail.facing[k]
            if frame in shown and lengths[k] > 1e-6:  # keys that lie close together have one bead
                tick = across[k] / lengths[k] * (_TICK * height)
                _stroke(painter, view, [place - tick, place + tick], token)
            if headed[k] and facing.any():
                side = np.array([facing[2], 0.0, -facing[0]])
                back = place + _BACK * height * facing
                corners = [back + _WING * height * side, place + _TIP * height * facing, back - _WING * height * side]
                _wedge(painter, view, [*corners, back + 0.3 * (_TIP - _BACK) * height * facing], token)

    def _paint_prints(self, painter: QPainter, view: SceneView, small: bool) -> None:
        """Paint the outline of each foot that is held in its place, those of now in the accent."""
        now = self.scene.document.frame
        for outline, first, last in self.scene.prints.outlines():
            seen = view.project(outline)
            if not (seen[:, 2] > 0.0).all():
                continue
            token = "accent" if first <= now <= last else BEFORE if last < now else AFTER
            shape = QPolygonF([QPointF(x, y) for x, y in seen[:, :2].tolist()])
            painter.setBrush(paint.color(view.theme, token, 0.16))
            painter.setPen(QPen(paint.color(view.theme, "halo", 0.6), SMALL_WIDTH if small else 3.0))
            painter.drawPolygon(shape)
            painter.setPen(QPen(paint.color(view.theme, token), 1.0 if small else 1.4))
            painter.drawPolygon(shape)


def _stroke(painter: QPainter, view: SceneView, points: list[Array], token: str) -> None:
    seen = view.project(np.array(points))
    if (seen[:, 2] > 0.0).all():
        paint.stroke_line(painter, view.theme, [QPointF(x, y) for x, y, _ in seen.tolist()], token, 1.4, halo=1.4)


def _wedge(painter: QPainter, view: SceneView, corners: list[Array], token: str) -> None:
    """Draw an arrowhead that lies on the floor."""
    seen = view.project(np.array(corners))
    if (seen[:, 2] > 0.0).all():
        painter.setPen(QPen(paint.color(view.theme, "halo", 0.85), 1.2))
        painter.setBrush(paint.color(view.theme, token))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in seen[:, :2].tolist()]))


def _lines(seen: Array) -> list[list[QPointF]]:
    """Return the runs of points that are before the eye, of two points at least, [px]."""
    where = np.flatnonzero(seen[:, 2] > 0.0)
    if not len(where):
        return []
    runs = np.split(where, np.flatnonzero(np.diff(where) > 1) + 1)
    return [[QPointF(x, y) for x, y in seen[run, :2].tolist()] for run in runs if len(run) > 1]
