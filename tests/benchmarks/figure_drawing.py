"""Draws what ``bench_figures`` measured: the poses above, time against accuracy below."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter, QPen, QPolygonF

from app.look import fonts
from app.look.theme import LIGHT
from app.render.camera import Camera
from app.render.offscreen import Stills
from tests.benchmarks.bench_ik import free_arm

WIDTH, MARGIN, GAP = 1800, 40, 16
HEAD, POSES, CAPTION, CHART, FOOT = 96, 330, 58, 540, 84
AXIS, LABELS = 92, 300
"""Room left of the chart for its axis, and right of it for the names of the lines."""
COLORS = {
    "jacobian_transpose": "#b34700",
    "ccd": "#0069b0",
    "pseudoinverse": "#74128a",
    "optimization": "#8f5f00",
    "damped_least_squares": "#08706b",
}
MARKS = {
    "jacobian_transpose": "cross",
    "ccd": "ring",
    "pseudoinverse": "triangle",
    "optimization": "square",
    "damped_least_squares": "disc",
    "Pinocchio": "diamond",
    "Pinocchio's example": "plus",
    "mink": "hollow square",
}
PEER = "#58616b"
STRONG = "damped_least_squares"
LEAST_STEP = 29.0
"""Between the names of two lines, [px]."""


def main(path: Path) -> int:
    """Draw one figure from its measurements, as PNG beside them."""
    app = QGuiApplication.instance() or QGuiApplication([])
    found = json.loads(path.read_text(encoding="utf-8"))
    height = MARGIN + HEAD + POSES + CAPTION + CHART + FOOT
    image = QImage(WIDTH, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    title = f"Seven degrees of freedom, {found['title']}"
    write(painter, MARGIN, MARGIN + 30, title, font(34, fonts.SEMIBOLD), LIGHT.text)
    under = f"After figure {found['number']} of Welman (1993). Poses within 1 µm of the goal; time against accuracy"
    write(painter, MARGIN, MARGIN + 68, under, font(24), LIGHT.text2)
    draw_poses(painter, found, QRectF(MARGIN, MARGIN + HEAD, WIDTH - 2 * MARGIN, POSES))
    top = MARGIN + HEAD + POSES + CAPTION + 30
    draw_chart(painter, found, QRectF(MARGIN + AXIS, top, WIDTH - 2 * MARGIN - AXIS - LABELS, CHART - 60))
    painter.end()
    save(image, path.with_suffix(".png"))
    del app
    return 0


def font(size: float, weight: int = fonts.REGULAR) -> QFont:
    """Return the interface's font at a height in pixels."""
    return fonts.font(size, weight, True)


def write(painter: QPainter, x: float, y: float, text: str, kind: QFont, color: str, align: str = "left") -> None:
    """Write one line with its base line at ``y``."""
    width = QFontMetricsF(kind).horizontalAdvance(text)
    painter.setFont(kind)
    painter.setPen(QColor(color))
    painter.drawText(QPointF(x - {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * width, y), text)


def save(image: QImage, path: Path) -> None:
    """Save with 256 colours, which a drawing does not outgrow and which halves the file."""
    pixels = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.width(), 4)
    picture = Image.fromarray(np.ascontiguousarray(pixels[:, :, 2::-1]))
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


# -- poses -----------------------------------------------------------------------------------------------------------


def draw_poses(painter: QPainter, found: dict[str, Any], area: QRectF) -> None:
    """Draw each pose in a panel, the goal as a cross in a ring."""
    arm = free_arm()
    poses, count = found["poses"], len(found["poses"])
    width = (area.width() - (count - 1) * GAP) / count
    size = round(width), round(area.height())
    camera = Camera(target=(0.0, 0.48, 0.31), distance=2.5, yaw=math.radians(-62.0), pitch=math.radians(10.0))
    stills = Stills(arm, 2 * size[0], 2 * size[1], LIGHT, camera, background=False, grid=True)
    for k, pose in enumerate(poses):
        panel = QRectF(round(area.left() + k * (width + GAP)), area.top(), *size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(LIGHT.head))
        painter.drawRoundedRect(panel, 8, 8)
        pixels = np.ascontiguousarray(stills.draw(pose["q"]))
        picture = QImage(pixels.data, *pixels.shape[1::-1], QImage.Format.Format_RGBA8888_Premultiplied)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        draw_goal(painter, panel, camera, found["target"])
        painter.drawImage(panel, picture)
        caption = f"({'abcdefgh'[k]}) {pose['label']}"
        write(painter, panel.center().x(), panel.bottom() + 36, caption, font(22, fonts.MEDIUM), LIGHT.text, "middle")
    stills.close()


def draw_goal(painter: QPainter, panel: QRectF, camera: Camera, target: list[float]) -> None:
    """Draw the goal where the camera sees it."""
    x, y = (float(v) for v in np.ravel(camera.project([target], panel.width(), panel.height()))[:2])
    at = panel.topLeft() + QPointF(x, y)
    painter.setPen(QPen(QColor(LIGHT.conflict), 2.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(at, 11, 11)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        painter.drawLine(at + QPointF(6 * dx, 6 * dy), at + QPointF(18 * dx, 18 * dy))


# -- chart -----------------------------------------------------------------------------------------------------------


def draw_chart(painter: QPainter, found: dict[str, Any], area: QRectF) -> None:
    """Draw the times against the criteria, both logarithmic, each line with its name at its end."""
    rows = found["rows"]
    times = np.array([row["times"] for row in rows])
    least = math.floor(math.log10(np.nanmin(times)) * 2.0) / 2.0
    most = math.ceil(math.log10(np.nanmax(times)) * 2.0) / 2.0
    criteria = found["criteria"]

    def place(k: int, time: float) -> QPointF:
        inner = area.adjusted(36, 0, -24, 0)
        x = inner.left() + k / (len(criteria) - 1) * inner.width()
        return QPointF(x, area.bottom() - (math.log10(time) - least) / (most - least) * area.height())

    draw_axes(painter, area, place, criteria, least, most)
    ends = []
    for row in rows:
        points = [place(k, time) for k, time in enumerate(row["times"]) if time == time]
        color, name = COLORS.get(row["name"], PEER), row["name"]
        pen = QPen(QColor(color), 4.5 if name == STRONG else 2.6)
        if not row["ours"]:
            pen.setDashPattern([5, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        for point in points:
            draw_mark(painter, MARKS.get(name, "disc"), point, color)
        if points:
            missed = len(points) < len(criteria)
            ends.append((points[-1], row["label"] + (" (not beyond)" if missed else ""), color, name))
    draw_names(painter, area, ends)


def draw_axes(painter: QPainter, area: QRectF, place: Any, criteria: list[float], least: float, most: float) -> None:
    """Draw grid, ticks and what they count."""
    small = font(22)
    for exponent in range(math.ceil(least), math.floor(most) + 1):
        y = place(0, 10.0**exponent).y()
        painter.setPen(QPen(QColor(LIGHT.line), 1.5))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        text = f"{10.0**exponent:g}"
        write(painter, area.left() - 14, y + 8, text, small, LIGHT.text2, "right")
        painter.setPen(QPen(QColor(LIGHT.line), 0.8))
        for digit in range(2, 10):
            y = place(0, digit * 10.0**exponent).y()
            if y >= area.top():
                painter.drawLine(QPointF(area.left(), y), QPointF(area.left() + 7, y))
    painter.setPen(QPen(QColor(LIGHT.line2), 2))
    painter.drawLine(area.bottomLeft(), area.bottomRight())
    painter.drawLine(area.topLeft(), area.bottomLeft())
    for k, criterion in enumerate(criteria):
        x = place(k, 1.0).x()
        painter.setPen(QPen(QColor(LIGHT.line2), 2))
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 8))
        text = "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] if d != "-" else "⁻" for d in f"{round(math.log10(criterion))}")
        write(painter, x, area.bottom() + 38, text, small, LIGHT.text2, "middle")
    what = "Convergence criterion: distance to the goal, m (reach of the arm 0.925 m)"
    write(painter, area.center().x(), area.bottom() + 78, what, font(23), LIGHT.text, "middle")
    painter.save()
    painter.translate(MARGIN + 22, area.center().y())
    painter.rotate(-90)
    write(painter, 0, 0, "Time, ms", font(23), LIGHT.text, "middle")
    painter.restore()


def draw_names(painter: QPainter, area: QRectF, ends: list[tuple[QPointF, str, str, str]]) -> None:
    """Write the name of each line at its end, moved apart where they would touch.

    The last of each are its key in ``MARKS``, or its mark.
    """
    ends = sorted(ends, key=lambda end: end[0].y())
    heights = np.array([end[0].y() for end in ends])
    for _ in range(500):
        gaps = np.diff(heights)
        tight = np.flatnonzero(gaps < LEAST_STEP - 1e-6)
        if len(tight) == 0:
            break
        for i in tight:
            push = 0.5 * (LEAST_STEP - (heights[i + 1] - heights[i]))
            heights[i] -= push
            heights[i + 1] += push
        heights += max(0.0, area.top() + 8 - heights[0])
        heights -= max(0.0, heights[-1] - area.bottom() + 8)
    for (end, label, color, name), y in zip(ends, heights, strict=True):
        x = area.right() + 30
        painter.setPen(QPen(QColor(color), 1.4))
        painter.drawLine(end + QPointF(12, 0), QPointF(x - 8, y))
        draw_mark(painter, MARKS.get(name, name), QPointF(x + 6, y), color)
        weight = fonts.SEMIBOLD if name == STRONG else fonts.MEDIUM
        write(painter, x + 24, y + 8, label, font(22, weight), color)


def draw_mark(painter: QPainter, kind: str, at: QPointF, color: str) -> None:
    """Draw the sign of a line at a point."""
    r = 7.5
    painter.setPen(QPen(QColor(color), 3.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.MiterJoin))
    painter.setBrush(QColor("#ffffff") if kind in ("ring", "hollow square") else QColor(color))
    x, y = at.x(), at.y()
    if kind == "cross":
        painter.drawLine(QPointF(x - r, y - r), QPointF(x + r, y + r))
        painter.drawLine(QPointF(x - r, y + r), QPointF(x + r, y - r))
    elif kind == "plus":
        painter.drawLine(QPointF(x - r, y), QPointF(x + r, y))
        painter.drawLine(QPointF(x, y - r), QPointF(x, y + r))
    elif kind in ("square", "hollow square"):
        painter.drawRect(QRectF(x - 6, y - 6, 12, 12))
    elif kind == "triangle":
        painter.drawPolygon(QPolygonF([QPointF(x, y - r), QPointF(x + r, y + 6), QPointF(x - r, y + 6)]))
    elif kind == "turned triangle":
        painter.drawPolygon(QPolygonF([QPointF(x, y + r), QPointF(x + r, y - 6), QPointF(x - r, y - 6)]))
    elif kind == "diamond":
        painter.drawPolygon(QPolygonF([at + QPointF(*p) for p in ((0, -r), (r, 0), (0, r), (-r, 0))]))
    else:
        painter.drawEllipse(at, r - 1.5, r - 1.5)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
