"""``python -m tests.pictures.tips [FOLDER [NAME...]]`` makes the moving pictures of tips, into ``resources/tips``.

The real window is driven by the mouse, and the work area is grabbed at each step, with a pointer painted over it. Works
without a display. Each is a WebP of ``app.look.tip_pictures.PIXELS``, one for each theme.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtTest import QTest

from app.look.theme import THEMES
from app.look.tip_pictures import FOLDER, PIXELS, file_of
from app.marks import manipulators
from app.process import virtual_display
from app.tools.rotate import RotateTool
from app.window.main_window import MainWindow
from core.kernels import load_all
from tests.pictures.driving import LEFT, hand, settle_here, shown

SIZE = (1600, 1000)
FRAME_MS = 90
REST = 5
"""Steps that the last picture stays before it begins again."""
QUALITY, LARGEST = 62, 60_000
_ARROW = ((0, 0), (0, 17), (4, 13.5), (6.8, 19.5), (9.4, 18.3), (6.7, 12.5), (12, 12))
Scene = Callable[[MainWindow], Iterator[tuple[QPointF | None, bool]]]
"""Drives the window, and yields after each step where the pointer is in the work area, and whether it is pressed."""


def _way(start: QPointF, *moves: tuple[float, float], steps: int) -> Iterator[QPointF]:
    """Yield points along straight moves, slow at both ends of each."""
    at = start
    for x, y in moves:
        for k in range(1, steps + 1):
            part = 0.5 - 0.5 * np.cos(np.pi * k / steps)
            yield at + QPointF(x, y) * float(part)
        at += QPointF(x, y)


def _drag(
    window: MainWindow, start: QPointF, *moves: tuple[float, float], steps: int = 7
) -> Iterator[tuple[QPointF, bool]]:
    view = window.area.work_view
    QTest.mouseMove(view, start.toPoint())
    yield start, False
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    yield start, True
    at = start
    for at in _way(start, *moves, steps=steps):
        QTest.mouseMove(view, at.toPoint())
        yield at, True
    QTest.mouseRelease(view, LEFT, pos=at.toPoint())
    yield at, False


def _still(window: MainWindow) -> None:
    """Show a pose that stands, without what belongs to the motion."""
    overlays = window.document.session.view.overlays
    for name in ("ghosts", "trail", "control_points"):
        overlays[name] = False
    window.document.set_frame(12)
    settle_here(window, 0.3)


def select(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """A click on a part, and one on another with Shift."""
    _still(window)
    window.action_table["tool_select"].trigger()
    view = window.area.work_view
    first, second = hand(window, "head"), hand(window, "left thigh")
    window.document.selection.set(())
    for at in _way(first + QPointF(90, 60), (-90, -60), steps=5):
        QTest.mouseMove(view, at.toPoint())
        yield at, False
    QTest.mouseClick(view, LEFT, pos=first.toPoint())
    yield first, True
    yield first, False
    away = second - first
    for at in _way(first, (away.x(), away.y()), steps=6):
        QTest.mouseMove(view, at.toPoint())
        yield at, False
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.ShiftModifier, second.toPoint())
    yield second, True
    for at in _way(second, (120, 20), steps=4):
        QTest.mouseMove(view, at.toPoint())
        yield at, False


def drag(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """A hand goes up, and the arm after it."""
    _still(window)
    window.action_table["tool_drag"].trigger()
    window.document.selection.set(())
    yield from _drag(window, hand(window), (70, -150), (-10, 60), steps=8)


def rotate(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """A ring of an arm is turned."""
    _still(window)
    window.action_table["tool_rotate"].trigger()
    window.document.selection.set(["right upper arm"])
    settle_here(window, 0.3)
    view, tool = window.area.work_view, window.area.host.toolbox.tools[RotateTool.name]
    assert isinstance(tool, RotateTool)
    center = QPointF(*view.project(tool.handles[0].center[None])[0, :2])
    angles = np.radians(np.arange(0.0, 360.0, 3.0))
    radii = (72.0, 68.0, 60.0, 50.0)

    def place(radius: float, angle: float) -> QPointF:
        return center + radius * QPointF(float(np.cos(angle)), float(np.sin(angle)))

    def held(radius: float, angle: float) -> bool:
        at = place(radius, angle)
        return manipulators.hit(view, tool.handles, at.x(), at.y()) == 0

    radius, angle = next(  # in the middle of a stretch of the ring, where no other one is near
        (r, a) for r in radii for a in angles if all(held(r, a + each) for each in np.radians((-12, -6, 0, 6, 12)))
    )
    start = place(radius, angle)
    QTest.mouseMove(view, start.toPoint())
    yield start, False
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    at = start
    for turn in (*np.linspace(0, 1, 8), *np.linspace(0.9, 0.2, 6)):
        at = place(radius, angle - 0.9 * float(turn))
        QTest.mouseMove(view, at.toPoint())
        yield at, True
    QTest.mouseRelease(view, LEFT, pos=at.toPoint())


def lock(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """A hand is locked in place; its target is moved, and the hand goes along."""
    _still(window)
    document = window.document
    document.selection.set(["right hand"])
    document.locks.lock_parts(["right hand"], "position")
    document.session.locks.selected = document.locks.strips[-1].id
    window.action_table["tool_lock"].trigger()
    settle_here(window, 0.3)
    marks = window.area.work_view
    target = np.asarray(document.locks.strips[-1].lock.target, dtype=float).reshape(-1)[:3]
    start = QPointF(*marks.project(target[None])[0, :2])
    yield from _drag(window, start, (60, -110), (20, 50), steps=7)


def mirror(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """Both hands go up, though one is dragged."""
    _still(window)
    window.area.show_view("front")
    window.action_table["tool_drag"].trigger()
    window.document.posing.set(window.document.skeleton.rest_pose())  # type: ignore[union-attr]
    window.area.frame_all()
    window.document.session.set("mirror_editing", True)
    settle_here(window, 0.4)
    yield from _drag(window, hand(window, "left hand"), (60, -120), steps=11)


def ghosts(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """The motion goes on between the poses of its neighbours."""
    _still(window)
    window.document.session.view.overlays["ghosts"] = True
    for frame in range(4, 21):
        window.document.set_frame(frame)
        yield None, False


def trail(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """A hand goes along its trail."""
    _still(window)
    window.document.selection.set(["right hand"])
    window.document.session.view.overlays["trail"] = True
    for frame in range(4, 21):
        window.document.set_frame(frame)
        yield None, False


def joints(window: MainWindow) -> Iterator[tuple[QPointF | None, bool]]:
    """Clicks add a chain of joints."""
    window.skeleton.set_mode("skeleton")
    window.area.show_view("front")
    window.area.frame_all()
    window.document.selection.set(["head"])
    window.action_table["add_joints"].trigger()
    settle_here(window, 0.4)
    view = window.area.work_view
    at = hand(window, "head")
    for x, y in ((55, -15), (50, 25), (40, 50)):
        begin = at
        for at in _way(begin, (x, y), steps=4):
            QTest.mouseMove(view, at.toPoint())
            yield at, False
        QTest.mouseClick(view, LEFT, pos=at.toPoint())
        yield at, True


SCENES: dict[str, tuple[Scene, str]] = {
    "tool_select": (select, ""),
    "tool_drag": (drag, "right hand"),
    "tool_rotate": (rotate, "right hand"),
    "tool_lock": (lock, "right hand"),
    "mirror_editing": (mirror, ""),
    "show_ghosts": (ghosts, ""),
    "show_trail": (trail, "left thigh"),
    "add_joints": (joints, "head"),
}
"""By action; what is in the middle of the picture, or "" for the figure."""
ROOM = {"right hand": 310, "left thigh": 260, "head": 340, "": 400}
"""Height of what is shown of the work area around it, [px]."""


def pointer(painter: QPainter, at: QPointF, pressed: bool, accent: QColor) -> None:
    """Paint an arrow, and a ring round its tip while the button is down."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if pressed:
        painter.setPen(QPen(accent, 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, 11.0, 11.0)
    painter.setPen(QPen(QColor("#101215"), 1.6))
    painter.setBrush(QColor("#ffffff"))
    painter.drawPolygon(QPolygonF([at + 1.5 * QPointF(x, y) for x, y in _ARROW]))


def take(name: str, theme: str, folder: Path) -> Path:
    """Make the picture of one action in one theme; return its file."""
    scene, about = SCENES[name]
    images: list[Image.Image] = []

    def act(window: MainWindow) -> None:
        view, around = window.area.work_view, None
        for at, pressed in scene(window):
            settle_here(window, 0.2)
            if around is None:
                root = window.document.skeleton.joint_names[0]  # type: ignore[union-attr]
                middle = hand(window, about or root)
                around = crop(middle, about, QRect(QPoint(0, 0), view.size()))
            whole = view.grab()
            painter = QPainter(whole)
            if at is not None:
                pointer(painter, at, pressed, QColor(THEMES[theme].accent))
            painter.end()
            images.append(picture(whole.toImage(), around))

    with shown(act, theme, SIZE, folder):
        pass
    file = folder / file_of(name, theme)
    durations = [FRAME_MS] * (len(images) - 1) + [REST * FRAME_MS]
    for quality in range(QUALITY, 20, -6):
        made = io.BytesIO()
        images[0].save(
            made, "WEBP", save_all=True, append_images=images[1:], duration=durations, loop=0, quality=quality, method=6
        )
        if made.tell() < LARGEST:
            break
    file.write_bytes(made.getvalue())
    return file


def crop(middle: QPointF, about: str, room: QRect) -> QRectF:
    """Return what is shown of the work area."""
    height = float(min(ROOM[about], room.height()))
    width = height * PIXELS[0] / PIXELS[1]
    middle = middle + (QPointF(0.1 * width, -0.22 * height) if about == "right hand" else QPointF())
    left = min(max(middle.x() - 0.5 * width, 0.0), room.width() - width)
    top = min(max(middle.y() - 0.5 * height, 0.0), room.height() - height)
    return QRectF(left, top, width, height)


def picture(whole: QImage, around: QRectF) -> Image.Image:
    """Return a part of a grabbed view in the size of tips."""
    part = whole.copy(around.toRect()).scaled(
        *PIXELS, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    part = part.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(part.constBits(), np.uint8).reshape(part.height(), part.bytesPerLine())
    return Image.fromarray(np.ascontiguousarray(rows[:, : 3 * part.width()].reshape(part.height(), part.width(), 3)))


def main(words: list[str]) -> int:
    """Make all of them, or some by name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args(words)
    asked.folder.mkdir(parents=True, exist_ok=True)
    virtual_display.ensure(*SIZE)
    load_all()
    for name in asked.names or SCENES:
        for theme in THEMES:
            file = take(name, theme, asked.folder)
            print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
