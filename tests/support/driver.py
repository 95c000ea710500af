"""A simulated person at the mouse, and how long a person would take: for scripts that follow a page of the manual."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QWidget

from app.widgets.frames.tool_button import ToolButton
from app.window.editor import finish_thumbnails, settle
from app.window.main_window import MainWindow
from tests.pictures import manual

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
THINK, POINT, BUTTON = 1.35, 1.1, 0.1
"""Times of the keystroke-level model (Card, Moran and Newell 1980): to think of what comes next, to point at something,
to press or release, [s]."""


class Driver:
    """A simulated person at the mouse: does what the script says, takes pictures, and counts time.

    Args:
        application: The application.
        window: The window.
        folder: Where pictures go; None for no pictures.
        title: What the files of the pictures begin with.

    Attributes:
        seconds: How long a person would have taken so far, [s].
        patience: How long the window is waited for, times what a person sees it take.
    """

    patience = 1.0

    def __init__(self, application: QApplication, window: MainWindow, folder: Path | None, title: str):
        self.application, self.window, self.folder, self.title = application, window, folder, title
        self.seconds = 0.0
        self._at = QPoint()  # in the window
        self._pictures = 0

    def think(self, seconds: float = THINK) -> None:
        """Let a person think, or watch."""
        self.seconds += seconds

    def _go(self, widget: QWidget, place: QPointF) -> None:
        self._at = self.window.mapFromGlobal(widget.mapToGlobal(place.toPoint()))
        self.seconds += POINT

    def click(self, widget: QWidget, place: QPointF | None = None) -> None:
        """Click on a place of a widget, or its middle."""
        at = QPointF(widget.rect().center()) if place is None else place
        self._go(widget, at)
        QTest.mouseClick(widget, LEFT, NONE, at.toPoint())
        self.seconds += 2 * BUTTON
        settle(self.application, 0.15 * self.patience)

    def drag(self, widget: QWidget, start: QPointF, end: QPointF, name: str | None = None) -> None:
        """Drag from a place to another; with a name a picture is taken before the release."""
        self._go(widget, start)
        self._send(widget, QEvent.Type.MouseMove, start, False)
        self._send(widget, QEvent.Type.MouseButtonPress, start, True)
        for share in np.linspace(0.1, 1.0, 12):
            self._send(widget, QEvent.Type.MouseMove, start + (end - start) * share, True)
            settle(self.application, 0.02 * self.patience)
        self._go(widget, end)
        if name is not None:
            self.picture(name)
        self._send(widget, QEvent.Type.MouseButtonRelease, end, False)
        self.seconds += 2 * BUTTON
        settle(self.application, 0.2 * self.patience)

    @staticmethod
    def _send(widget: QWidget, kind: QEvent.Type, at: QPointF, down: bool, keys: Qt.KeyboardModifier = NONE) -> None:
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
        held = LEFT if down else Qt.MouseButton.NoButton
        QApplication.sendEvent(widget, QMouseEvent(kind, at, widget.mapToGlobal(at), button, held, keys))

    def choose(self, *texts: str, name: str | None = None) -> None:
        """Choose from the menu bar: the menu, menus in it, and the action."""
        menu: QMenuBar | QMenu = self.window.menu
        for i, text in enumerate(texts):
            action = next((each for each in menu.actions() if each.text() == text), None)
            assert action is not None, f"no {text} among {[each.text() for each in menu.actions()]}"
            place = QPointF(menu.actionGeometry(action).center())
            if i == len(texts) - 1 and name is not None:
                self._go(menu, place)
                self.picture(name, "menu")
                self.seconds -= POINT
            self.click(menu, place)
            settle(self.application, 0.3 * self.patience)
            if i < len(texts) - 1:  # what is chosen in the end may fill its menu anew, and the action is gone
                menu = action.menu()  # type: ignore[assignment]
                for _ in range(30):  # a busy machine opens it late
                    if menu.isVisible():
                        break
                    settle(self.application, 0.1)

    def picture(self, name: str, part: str = "timeline") -> None:
        """Save what is seen and the pointer: the ``"timeline"``, what lies round a ``"menu"``, or the ``"window"``."""
        if self.folder is None:
            return
        settle(self.application, 0.25)
        finish_thumbnails(self.application, self.window)
        image = self.window.grab()
        painter = QPainter(image)
        for popup in self.application.topLevelWidgets():
            if isinstance(popup, QMenu) and popup.isVisible():
                painter.drawPixmap(self.window.mapFromGlobal(popup.pos()), popup.grab())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tip = QPointF(self._at)
        arrow = [(0, 0), (0, 17), (4, 13.2), (6.6, 19), (9.4, 17.8), (6.8, 12.2), (12.2, 12.2)]
        painter.setPen(QPen(QColor("#000000"), 1.2))
        painter.setBrush(QColor("#ffffff"))
        painter.drawPolygon(QPolygonF([tip + QPointF(x, y) for x, y in arrow]))
        painter.end()
        if part == "timeline":
            panel = self.window.timeline
            image = image.copy(QRect(panel.mapTo(self.window, QPoint(0, 0)), panel.size()))
        elif part == "menu":
            image = image.copy(QRect(0, 0, 760, 780))
        self._pictures += 1
        file = self.folder / f"{self.title}-{self._pictures}.webp"
        manual.kept(image, file)
        print(f"{file} {self.seconds:5.1f} s  {name}", flush=True)

    def button(self, action: str) -> ToolButton:
        """Return the button of an action in the transport."""
        wanted = self.window.action_table[action]
        return next(b for b in self.window.timeline.transport.findChildren(ToolButton) if wanted in b.actions())
