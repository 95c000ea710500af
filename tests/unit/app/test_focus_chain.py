"""The order of Tab, and that asking for it leaves widgets to their parents."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.widgets.behaviour.focus_chain import focus_chain


def test_tab_stops_in_order_and_nothing_else(qtbot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    row = QHBoxLayout(window)
    parts = [QPushButton("first"), QLabel("no stop"), QPushButton("second"), QPushButton("third")]
    for part in parts:
        row.addWidget(part)
    QWidget.setTabOrder(parts[3], parts[2])
    assert focus_chain(window) == [parts[0], parts[3], parts[2]]
    assert focus_chain(parts[3]) == [parts[2], parts[0]]


def test_what_comes_after_a_widget_that_goes_stays(qtbot) -> None:
    """Without care PySide would hang every widget on the one before it, and call it deleted with that one."""
    window = QWidget()
    qtbot.addWidget(window)
    row = QHBoxLayout(window)
    parts = [QPushButton(str(k), window) for k in range(4)]
    for part in parts:
        row.addWidget(part)
    focus_chain(window)
    for part in parts:
        line = next(line for line in shiboken6.dump(part).splitlines() if line.startswith("parent"))
        assert "QPushButton" not in line and "QWidget" in line
    parts[0].setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    parts[0].close()
    qtbot.wait(10)
    assert [shiboken6.isValid(part) for part in parts] == [False, True, True, True]
