"""What the tests of locks in the views share."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.marks import lock_marks
from app.scene.lock_places import LockMark
from app.views.area import ViewportArea
from core.constraints import Lock
from core.skeleton.segment import end_effector

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


def lock_part(document: Document, part: str, kind: str, **values: Any) -> str:
    """Lock a part at its end-effector where it is now; return the strip's id."""
    skeleton = document.skeleton
    point = tuple(end_effector(skeleton, skeleton.joint_index(part)))
    found = document.locks.add(Lock(part, kind, **{"point": point, **values}))
    assert found is not None
    return found


def mark_of(area: ViewportArea, strip: str) -> LockMark:
    """Return a lock as the views see it."""
    mark = area.host.scene.locks.mark(strip)
    assert mark is not None
    return mark


def glyph(area: ViewportArea, strip: str) -> QPoint:
    """Return the pixel in the middle of a lock's glyph in the work area."""
    shown = lock_marks.placed(area.work_view, area.host.scene.locks.marks)
    return next(each for each in shown if each.mark.id == strip).center.toPoint()


def mouse_drag(area: ViewportArea, start: QPoint, by: QPointF, steps: int = 10, release: bool = True) -> None:
    """Press at a pixel of the work area and move the mouse in steps."""
    view = area.work_view
    QTest.mousePress(view, LEFT, NONE, start)
    for k in range(1, steps + 1):
        QTest.mouseMove(view, start + QPoint(round(by.x() * k / steps), round(by.y() * k / steps)))
    if release:
        QTest.mouseRelease(view, LEFT, NONE, start + QPoint(round(by.x()), round(by.y())))


def pixels(area: ViewportArea, at: np.ndarray, by: np.ndarray) -> QPointF:
    """Return by how many pixels a point appears moved that is moved in the world by so much, [m]."""
    a, b = area.work_view.project(np.array([at, at + by]))[:, :2]
    return QPointF(float(b[0] - a[0]), float(b[1] - a[1]))
