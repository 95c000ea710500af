"""Trails as they are painted: fine dots along the way, larger ones at frames, diamonds at keys. Logical pixels."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from app.look.stamp import stamp
from app.marks import paint
from app.marks.overlays import trail_dots
from app.scene.ghost_keys import AFTER, BEFORE
from app.scene.trails import ROOT_PATH
from app.words.part_names import part_name

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from app.scene.trails import Bead, Trail

Array = NDArray[np.float64]

FRAME_GAP = 7.0
"""Frames are marked by dots where these are at least about this far apart, else every second, fifth, tenth..., [px]."""
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_FINE, _FRAME, _ALONE = (0.75, 1.9, 0.75), (1.55, 2.9, 1.0), (0.9, 2.1, 1.0)  # radius, with rim, opacity
_BEAD, _LIT_BEAD = 3.6, 5.2
_EDGE = 34.0  # room for what stands along the upper and the lower edge of the view
_DIAGONAL = 0.5**0.5

Dots = tuple[str, Array, Array]
"""Colour token, fine dots (n, 2) and dots at frames (k, 2)."""


class TrailMarks:
    """Paints the trails of parts; where dots go is worked out once for each camera and trail.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self.placed: dict[object, list[Dots]] = {}

    def paint(self, painter: QPainter, view: SceneView) -> None:
        """Paint all trails of parts; their beads come later, over everything."""
        for trail in self.scene.trails.shown():
            if trail.part != ROOT_PATH:
                self._paint(painter, view, trail)

    def _paint(self, painter: QPainter, view: SceneView, trail: Trail) -> None:
        now = self.scene.document.frame
        key = (trail, now, repr(view.camera.to_json()), view.width(), view.height())
        dots = self.placed.get(key)
        if dots is None:
            if len(self.placed) >= 2 * len(self.scene.trails.parts) + 2:
                self.placed.clear()
            dots = self.placed[key] = placed(view, trail, now)
        for token, fine, frames in dots:
            draw_dots(painter, view, fine, token, _FINE if len(frames) else _ALONE)
            draw_dots(painter, view, frames, token, _FRAME)


def placed(view: SceneView, trail: Trail, now: int) -> list[Dots]:
    """Return the dots of a trail before and after now."""
    split = int(np.searchsorted(trail.frames, now))
    whole = frame_places(view, trail)
    found: list[Dots] = []
    for token, part, seen in (
        (BEFORE, trail.path[: split + 1], whole[whole[:, 2] < now]),
        (AFTER, trail.path[split:], whole[whole[:, 2] > now]),
    ):
        found.append((token, trail_dots(view, part), seen[:, :2]))
    return found


def frame_places(view: SceneView, trail: Trail) -> Array:
    """Return the frames that get a dot and where, shape (k, 3): x, y [px], frame; none where they would run together.

    Keys have diamonds instead.
    """
    frames = np.rint(trail.frames)
    at = np.flatnonzero(np.abs(trail.frames - frames) < 1e-9)
    pixels = view.project(trail.path[at])
    seen = (pixels[:, 2] > 0.0).all() and len(at) > 2
    if not seen:
        return np.zeros((0, 3))
    gaps = np.hypot(*np.diff(pixels[:, :2], axis=0).T) / np.maximum(np.diff(frames[at]), 1.0)
    usual = float(np.median(gaps))
    step = next((step for step in _STEPS if step * usual >= FRAME_GAP), None)
    if step is None:
        return np.zeros((0, 3))
    kept = (frames[at] % step == 0) & ~np.isin(frames[at], trail.keys)
    return np.column_stack([pixels[kept, :2], frames[at][kept]])


def draw_dots(painter: QPainter, view: SceneView, dots: Array, token: str, size: tuple[float, float, float]) -> None:
    """Draw dots with a dark rim.

    Args:
        painter: Where to draw.
        view: Into which view.
        dots: Shape (n, 2), [px].
        token: Colour: before or after now.
        size: Radius and that of the rim, [px], and opacity.
    """
    if not len(dots):
        return
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    ink, halo = paint.color(view.theme, token).name(), view.theme.halo
    stamp(painter, _dot(ink, halo, size, painter.device().devicePixelRatio()), dots)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)  # pictures at whole pixels are slower by it


@lru_cache(maxsize=32)
def _dot(ink: str, halo: str, size: tuple[float, float, float], ratio: float) -> QPixmap:
    """Return a dot with a soft dark rim, as a trail is made of."""
    side = 8
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for color, radius, alpha in ((halo, size[1], 0.6 * size[2]), (ink, size[0], size[2])):
        shade = QColor(color)
        shade.setAlphaF(alpha)
        painter.setBrush(shade)
        painter.drawEllipse(QPointF(side / 2, side / 2), radius, radius)
    painter.end()
    return picture


# -- beads -------------------------------------------------------------------------------------------------------------


def draw_beads(painter: QPainter, view: SceneView, scene: Scene) -> list[QRectF]:
    """Draw a diamond of 10 px at each key, larger the one under the pointer or dragged; that one is named.

    Returns:
        The box of the name, which no tag should cover, or nothing.
    """
    pixels, beads = scene.trails.beads(view)
    if not beads:
        return []
    theme, now, lit = view.theme, scene.document.frame, scene.trails.lit
    named: tuple[QPointF, Bead] | None = None
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.rotate(45.0)
    for (cx, cy), bead in zip(pixels.tolist(), beads, strict=True):
        half = _BEAD
        if bead == lit:
            named, half = (QPointF(cx, cy), bead), _LIT_BEAD
        x, y = _DIAGONAL * (cx + cy), _DIAGONAL * (cy - cx)
        token = "accent" if bead.frame == now else BEFORE if bead.frame < now else AFTER
        box = QRectF(x - half, y - half, 2.0 * half, 2.0 * half)
        painter.setBrush(paint.color(theme, token))
        painter.setPen(QPen(paint.color(theme, "halo", 0.85), 1.4))
        painter.drawRect(box)
        if bead == lit:
            painter.setPen(QPen(paint.color(theme, "text"), 1.6))
            painter.drawRect(box)
    painter.restore()
    if named is not None:
        text = bead_name(scene, named[1])
        width, height = paint.chip_size(text, 11.0)
        box = QRectF(named[0].x() + 12.0, named[0].y() - height - 6.0, width, height - 2.0)
        box = paint.keep_inside(box, QRectF(view.rect()).adjusted(0.0, _EDGE, 0.0, -_EDGE))
        paint.draw_chip(painter, theme, box, text, "text", "line2", 11.0, 500, "panel", 0.92)
        return [box]
    return []


def draw_retimed(painter: QPainter, view: SceneView, scene: Scene, bead: Bead, frame: int) -> None:
    """Draw where on its trail a key would go in time: a hollow diamond and its frame."""
    trail = scene.trails.trail(bead.part)
    if trail is None:
        return
    at = int(np.searchsorted(trail.frames, frame))
    x, y, depth = view.project(trail.path[at : at + 1])[0].tolist() if at < len(trail.frames) else (0.0, 0.0, -1.0)
    if depth <= 0.0:
        return
    painter.save()
    painter.translate(x, y)
    painter.rotate(45.0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ink, width in (("halo", 4.4), ("accent", 2.0)):
        painter.setPen(QPen(paint.color(view.theme, ink), width))
        painter.drawRect(QRectF(-_LIT_BEAD, -_LIT_BEAD, 2.0 * _LIT_BEAD, 2.0 * _LIT_BEAD))
    painter.restore()
    text = f"Key at frame {bead.frame} → {frame}"
    width, height = paint.chip_size(text)
    box = paint.keep_inside(QRectF(x + 14.0, y + 8.0, width, height), QRectF(view.rect()))
    paint.draw_chip(painter, view.theme, box, text, "accent", "acc_line")


def bead_name(scene: Scene, bead: Bead) -> str:
    """Return what a bead is called: ``Right hand · key at frame 14``."""
    skeleton = scene.skeleton
    assert skeleton is not None
    part = "Root" if bead.part == ROOT_PATH else part_name(skeleton.joints[bead.part].name)
    return f"{part} · key at frame {bead.frame}"
