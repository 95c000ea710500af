"""What hovering tells of a lock goes away while anything is dragged."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from app.marks import lock_marks
from app.views import view_painter

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def labels(window, monkeypatch) -> list[str]:
    drawn: list[str] = []
    draw = lock_marks.draw_label

    def noted(painter, view, each, scene, room):
        drawn.append(each.mark.id)
        return draw(painter, view, each, scene, room)

    monkeypatch.setattr(view_painter.lock_marks, "draw_label", noted)
    return drawn


def painted(window, labels: list[str]) -> int:
    labels.clear()
    window.area.work_view.grab()
    return len(labels)


def test_the_label_of_a_lock_does_not_run_along_with_a_drag(window, labels):
    document, ruler = window.document, window.timeline.ruler
    assert document.locks.lock_parts(["left foot"], "pose")
    document.session.locks.hovered = document.locks.strips[0].id
    assert painted(window, labels) == 1
    at = QPoint(ruler.width() // 2, 8)
    QTest.mousePress(ruler, LEFT, NONE, at)
    QTest.mouseMove(ruler, at + QPoint(20, 0))
    document.session.locks.hovered = document.locks.strips[0].id  # as the strip under the pointer says
    assert painted(window, labels) == 0
    QTest.mouseRelease(ruler, LEFT, NONE, at + QPoint(20, 0))
    document.session.locks.hovered = document.locks.strips[0].id
    assert painted(window, labels) == 1


def test_no_tip_of_the_timeline_comes_up_while_a_button_is_down(window):
    sheet = window.timeline.sheet
    frame = window.timeline.model.frames.tolist()[0]
    at = QPointF(sheet.track_x(frame), 8.0).toPoint()

    def asked() -> str:
        QToolTip.hideText()
        QApplication.sendEvent(sheet, QHelpEvent(QEvent.Type.ToolTip, at, sheet.mapToGlobal(at)))
        return QToolTip.text() if QToolTip.isVisible() else ""

    assert "key" in asked().lower()
    QTest.mousePress(sheet, LEFT, NONE, at)
    assert asked() == ""
    QTest.mouseRelease(sheet, LEFT, NONE, at)
