"""The path of a lock whose target moves: a curve, with a diamond at each key, which can be dragged.

Sizes are logical pixels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.look import lock_glyphs
from app.marks import paint
from core.constraints.kinds import find_kind

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from core.animation.locks.strip import LockStrip

Array = NDArray[np.float64]

HIT = 9.0
"""A press no further than this from a diamond's middle takes it."""
WIDTH = 2.0
_SAMPLES = 8  # a frame, at most
_MOST = 600
_SIZE = 4.2


def moved_target(kind: str, target: Any, by: Array) -> Any:
    """Return a target shifted in the world by (3,) [m]; a plane by what of it is along its normal."""
    values = np.array(target, dtype=np.float64)
    rule = find_kind(kind)
    return rule.eased_target(values, np.append(by, np.zeros(3))) if rule.travels or kind == "plane" else values


def has_path(strip: LockStrip | None) -> bool:
    """Whether a strip's target moves through places that can be drawn."""
    if strip is None or not strip.moves:
        return False
    return strip.lock.rule.travels and not strip.lock.rule.takes_other


class TargetPath:
    """The path of one strip's target, sampled once for each edit of the strip."""

    def __init__(self) -> None:
        self._known: tuple[object, Array, Array] = (None, np.zeros((0, 3)), np.zeros((0, 3)))

    def points(self, strip: LockStrip) -> tuple[Array, Array]:
        """Return points along the path, shape (m, 3), and the places of its keys, shape (k, 3), world, [m]."""
        if self._known[0] is not strip:
            first, last = _frames(strip)
            count = min(_MOST, _SAMPLES * (last - first)) + 1
            frames = np.unique(np.concatenate([np.linspace(first, last, count), [key.frame for key in strip.targets]]))
            rule = strip.lock.rule
            path = [rule.place(strip.target_at(float(frame))) for frame in frames]
            keys = [rule.place(key.target) for key in strip.targets]
            self._known = strip, np.array(path), np.array(keys).reshape(-1, 3)
        return self._known[1], self._known[2]

    def key_at(self, view: SceneView, strip: LockStrip, x: float, y: float) -> int | None:
        """Return the number of the key whose diamond is under a pixel, the nearest; None if there is none."""
        if not has_path(strip) or not strip.targets:
            return None
        seen = view.project(self.points(strip)[1])
        away = np.where(seen[:, 2] > 0.0, np.hypot(seen[:, 0] - x, seen[:, 1] - y), math.inf)
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= HIT else None

    def draw(self, painter: QPainter, view: SceneView, strip: LockStrip, frame: int, lit: int | None = None) -> None:
        """Draw the path of a strip's target.

        Args:
            painter: Where to draw.
            view: The view.
            strip: The strip; nothing is drawn of one without a path.
            frame: The current frame: its key is filled, the others are hollow.
            lit: Number of the key under the pointer or dragged.
        """
        if not has_path(strip):
            return
        path, places = self.points(strip)
        token = lock_glyphs.token(strip.lock.kind)
        seen = view.project(path)
        for run in _runs(seen[:, 2] > 0.0):
            line = [QPointF(float(x), float(y)) for x, y in seen[run, :2]]
            paint.stroke_line(painter, view.theme, line, token, WIDTH, halo=paint.HALO)
        for k, (x, y, depth) in enumerate(view.project(places).tolist() if len(places) else ()):
            if depth > 0.0:
                _diamond(painter, view, QPointF(x, y), token, strip.targets[k].frame == frame, k == lit)


def _frames(strip: LockStrip) -> tuple[int, int]:
    """Return the frames between which the path is drawn: from key to key, or of a formula those of the strip."""
    if strip.targets:
        return strip.targets[0].frame, strip.targets[-1].frame
    return strip.start, strip.start + _MOST // _SAMPLES if strip.end is None else strip.end


def _runs(kept: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return runs of neighbouring points that can be seen, of two points at least."""
    where = np.flatnonzero(kept)
    if not len(where):
        return []
    return [run for run in np.split(where, np.flatnonzero(np.diff(where) > 1) + 1) if len(run) > 1]


def _diamond(painter: QPainter, view: SceneView, at: QPointF, token: str, filled: bool, lit: bool) -> None:
    theme, size = view.theme, _SIZE + (1.4 if lit else 0.0)
    painter.save()
    painter.translate(at)
    painter.rotate(45.0)
    painter.setBrush(paint.color(theme, token if filled else "halo", 1.0))
    for ink, width in (("halo", 2.0 + paint.HALO), ("text" if lit else token, 2.0)):
        pen = QPen(paint.color(theme, ink), width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawRect(QRectF(-size, -size, 2.0 * size, 2.0 * size))
    painter.restore()
