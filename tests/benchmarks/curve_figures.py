"""Draws the ways to fill the spans between keys, for ``docs/interpolation.md``.

``QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.curve_figures [--docs]`` draws the same keys under every way into
the folder ``bench``; with ``--docs`` a copy goes into ``docs/images``.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPainterPath, QPen

from app.look import fonts
from app.look.theme import LIGHT
from core.animation import EASES, Key, Sequence, Shape
from core.skeleton import Dof, Joint, Skeleton
from tests.benchmarks.figure_drawing import font, save, write

ROOT = Path(__file__).resolve().parents[2]
NAME = "interpolation.png"
WIDTH, MARGIN, GAP, HEAD, PANEL, CAPTION = 1800, 40, 24, 96, 250, 62
COLUMNS = 5
FRAMES = (0, 8, 11, 20, 28, 30, 40)
VALUES = (0.1, 0.75, 0.95, 0.3, 0.3, 0.85, 0.2)
SHAPES: tuple[tuple[str, str, Shape], ...] = (
    ("Spline", "between its keys", Shape()),
    ("Spline, may overshoot", "Catmull-Rom throughout", Shape("spline")),
    ("Linear", "", Shape("linear")),
    ("Stepped", "", Shape("stepped")),
    ("Uniform Catmull-Rom", "even keys only are smooth", Shape("catmull_rom")),
    ("Centripetal", "no overshoot", Shape("centripetal")),
    ("Kochanek-Bartels", "tension 0.6, bias 0.5", Shape("kochanek_bartels", tension=0.6, bias=0.5)),
    ("Free", "slopes of one's own", Shape("free")),
    ("Spline, eases", "anticipate, follow through", Shape(ease=EASES["both"])),
)
SLOPES = ((None, 0.0), (0.12, 0.12), (0.0, 0.0), (-0.1, 0.06), (0.0, 0.2), (0.2, -0.2), (0.0, None))
"""Slopes that come to the keys and leave them where they are one's own, [1/frame]."""


def curve(shape: Shape, frames: np.ndarray) -> np.ndarray:
    """Return the values of a hinge that is keyed in one shape throughout."""
    hinge = Dof("hinge", (1, 0, 0), -np.inf, np.inf)
    skeleton = Skeleton("hinge", [Joint("root", -1, mass=1.0), Joint("knee", 0, offset=(0, 1, 0), dofs=(hinge,))])
    keys = []
    for frame, value, slopes in zip(FRAMES, VALUES, SLOPES, strict=True):
        sides = [None if slope is None else (slope,) for slope in slopes]
        own = shape.changed(slopes_in=sides[0], slopes_out=sides[1]) if shape.interp == "free" else shape
        keys.append(Key(frame, np.array([0.0, 0.0, 0.0, value]), shapes={"knee": own}, shape=Shape(shape.interp)))
    return np.asarray(Sequence(skeleton, keys=keys).poses_at_frames(frames)[:, 3])


def draw_panel(painter: QPainter, area: QRectF, title: str, under: str, shape: Shape) -> None:
    """Draw one way: the curve, its keys and their frames."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(LIGHT.head))
    painter.drawRoundedRect(area, 8, 8)

    def place(frame: float, value: float) -> QPointF:
        x = area.left() + 18 + (area.width() - 36) * frame / FRAMES[-1]
        return QPointF(x, area.bottom() - 34 - (area.height() - 68) * value)

    painter.setPen(QPen(QColor(LIGHT.line), 1.5))
    for frame in FRAMES:
        painter.drawLine(QPointF(place(frame, 0).x(), area.top() + 8), QPointF(place(frame, 0).x(), area.bottom() - 8))
    frames = np.linspace(FRAMES[0], FRAMES[-1], 1201)
    path = QPainterPath()
    for k, (frame, value) in enumerate(zip(frames.tolist(), curve(shape, frames).tolist(), strict=True)):
        (path.lineTo if k else path.moveTo)(place(frame, value))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor("#0069b0"), 4))
    painter.drawPath(path)
    painter.setPen(QPen(QColor("#ffffff"), 2))
    painter.setBrush(QColor("#b34700"))
    for frame, value in zip(FRAMES, VALUES, strict=True):
        painter.drawEllipse(place(frame, value), 8, 8)
    write(painter, area.left(), area.bottom() + 30, title, font(22, fonts.MEDIUM), LIGHT.text)
    write(painter, area.left(), area.bottom() + 56, under, font(19), LIGHT.text2)


def main(words: list[str]) -> int:
    """Draw the figure."""
    app = QGuiApplication.instance() or QGuiApplication([])
    height = MARGIN + HEAD + 2 * (PANEL + CAPTION) + GAP + MARGIN // 2
    image = QImage(WIDTH, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    write(
        painter, MARGIN, MARGIN + 30, "The same seven keys, filled in nine ways", font(34, fonts.SEMIBOLD), LIGHT.text
    )
    under = "One angle over time; keys 8, 3, 9, 8, 2 and 10 frames apart, two of them equal"
    write(painter, MARGIN, MARGIN + 68, under, font(24), LIGHT.text2)
    width = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS
    for k, (title, below, shape) in enumerate(SHAPES):
        top = MARGIN + HEAD + (k // COLUMNS) * (PANEL + CAPTION + GAP)
        draw_panel(painter, QRectF(MARGIN + (k % COLUMNS) * (width + GAP), top, width, PANEL), title, below, shape)
    painter.end()
    folder = ROOT / "bench"
    folder.mkdir(exist_ok=True)
    save(image, folder / NAME)
    if "--docs" in words:
        shutil.copy(folder / NAME, ROOT / "docs" / "images" / NAME)
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
