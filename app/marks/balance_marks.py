"""What a balance lock shows: the support polygon, the centre of mass over it, and how far inside it is.

Sizes are logical pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from app.marks import overlays, paint
from app.marks.conflict_marks import other_figures
from app.scene.lock_places import LockMark
from app.words import lock_words
from core.constraints.balance import MARGIN, support_of, supports_of
from core.constraints.places import Places
from core.constraints.soles import band
from core.constraints.support import contact_points, margin_of

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

GLYPH, BELOW, BESIDE = 13.0, 28.0, 16.0
"""How far the glyph's middle and the tag's upper edge lie below what the glyph belongs to, and how far to the side the
tag begins where there is no room below, [px]."""


class BalanceMarks:
    """Paints support polygon and margin of the balance locks; both are worked out once for each pose.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._known: tuple[object, object, Array, float] | None = None

    def support(self, mark: LockMark, marks: Sequence[LockMark]) -> tuple[Array, float]:
        """Return the polygon on the ground, shape (m, 3), [m], and how far inside the centre of mass is, [m].

        Args:
            mark: The balance lock.
            marks: All locks: those near the ground say what bears the figure, if the lock does not.
        """
        scene = self._scene
        skeleton, poses = scene.skeleton, scene.poses
        assert skeleton is not None
        if self._known is None or self._known[0] is not poses or self._known[1] != mark.lock:
            acting = [each for each in marks if each.word != "off" or each is mark]
            locks = [each.lock for each in acting]
            places = Places(skeleton, np.asarray(scene.document.pose), other_figures(scene, acting))
            polygon = support_of(mark.lock, locks, places)
            parts = supports_of(mark.lock, locks, places)
            level = min((float(contact_points(skeleton, poses, i)[:, 1].min()) for i in parts), default=0.0)
            level = 0.0 if abs(level) <= band(skeleton) else level
            center = mark.other if mark.other is not None else mark.anchor
            margin = margin_of(polygon, center[[0, 2]])
            ground = np.column_stack([polygon[:, 0], np.full(len(polygon), level), polygon[:, 1]])
            self._known = poses, mark.lock, ground, margin
        return self._known[2], self._known[3]

    def paint(self, painter: QPainter, view: SceneView, marks: Sequence[LockMark], room: QRectF) -> list[QRectF]:
        """Paint the balance locks among ``marks``, if there are any; return the boxes of their tags."""
        return [self._paint(painter, view, mark, marks, room) for mark in marks if mark.kind == "balance"]

    def _paint(
        self, painter: QPainter, view: SceneView, mark: LockMark, marks: Sequence[LockMark], room: QRectF
    ) -> QRectF:
        ground, margin = self.support(mark, marks)
        wanted = float(mark.lock.target) if mark.lock.target is not None else MARGIN
        outside = margin <= lock_words.OUTSIDE
        token = "conflict" if outside else "lock_balance"
        seen = view.project(ground) if len(ground) else np.zeros((0, 3))
        if len(seen) > 1 and bool((seen[:, 2] > 0.0).all()):
            corners = [QPointF(float(x), float(y)) for x, y, _ in seen]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(paint.color(view.theme, token, 0.07))
            painter.drawPolygon(QPolygonF(corners))
            paint.stroke_line(painter, view.theme, [*corners, corners[0]], token, 1.6, (5.0, 3.5), halo=1.6)
        if mark.other is None:
            return QRectF()
        if not self._scene.document.session.view.overlays.get("com", False):
            foot = mark.other * (1.0, 0.0, 1.0)  # in the plane of the polygon
            overlays.draw_center_of_mass(painter, view, mark.other, foot, small=False)
        if not np.isfinite(margin):
            text, ink = "nothing supports the figure", "conflict"
        else:
            # A margin is kept to a hair, so a hair less is no reason for another colour.
            word = "outside support" if outside else "inside support"
            ink = "conflict" if outside else "warn" if margin < wanted - 1e-3 else "ok"
            text = f"{lock_words.signed_centimetres(margin)} {word}"
        x, y, depth = view.project(mark.anchor[None])[0]
        if depth <= 0.0:
            return QRectF()
        width, height = paint.chip_size(text, 11.0)
        box = paint.keep_inside(QRectF(float(x) - 0.5 * width, float(y) + BELOW, width, height), room)
        if box.top() < float(y) + BELOW - 1.0:  # no room below: beside the glyph, not over it
            side = BESIDE if float(x) + BESIDE + width <= room.right() else -BESIDE - width
            box.moveTo(float(x) + side, float(y) + GLYPH - 0.5 * height)
            box = paint.keep_inside(box, room)
        paint.draw_chip(painter, view.theme, box, text, ink, None, 11.0, opacity=0.86)
        return box
