"""``python -m tests.walk_to_a_beat [FOLDER]`` does what docs/manual/walk-to-a-beat.md says, with the mouse alone.

It drives the real window by mouse events, saves a picture of each step into ``docs/manual/images`` or the given folder,
checks that every step of the figure falls on a beat in the end, and adds up how long a person would take by the
keystroke-level model (Card, Moran and Newell 1980).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QWidget

from app.timeline.music.picture import LANE
from app.widgets.frames.tool_button import ToolButton
from app.window.editor import finish_thumbnails, settle
from app.window.main_window import MainWindow
from tests.pictures import manual
from tests.support.shown_window import shown_window

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
THINK, POINT, BUTTON = 1.35, 1.1, 0.1
"""Times of the keystroke-level model: to think of what comes next, to point at something, to press or release, [s]."""
SIZE = (1280, 800)
STEPS = 8


class Driver:
    """A simulated person at the mouse: does what the script says, takes pictures, and counts time.

    Args:
        application: The application.
        window: The window.
        folder: Where pictures go.
    """

    def __init__(self, application: QApplication, window: MainWindow, folder: Path):
        self.application, self.window, self.folder = application, window, folder
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
        settle(self.application, 0.15)

    def drag(self, widget: QWidget, start: QPointF, end: QPointF, name: str | None = None) -> None:
        """Drag from a place to another; with a name a picture is taken before the release."""
        self._go(widget, start)
        self._send(widget, QEvent.Type.MouseMove, start, False)
        self._send(widget, QEvent.Type.MouseButtonPress, start, True)
        for share in np.linspace(0.1, 1.0, 12):
            self._send(widget, QEvent.Type.MouseMove, start + (end - start) * share, True)
            settle(self.application, 0.02)
        self._go(widget, end)
        if name is not None:
            self.picture(name)
        self._send(widget, QEvent.Type.MouseButtonRelease, end, False)
        self.seconds += 2 * BUTTON
        settle(self.application, 0.2)

    @staticmethod
    def _send(widget: QWidget, kind: QEvent.Type, at: QPointF, down: bool) -> None:
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
        held = LEFT if down else Qt.MouseButton.NoButton
        QApplication.sendEvent(widget, QMouseEvent(kind, at, widget.mapToGlobal(at), button, held, NONE))

    def choose(self, *texts: str, name: str | None = None) -> None:
        """Choose from the menu bar: the menu, menus in it, and the action."""
        menu: QMenuBar | QMenu = self.window.menu
        for i, text in enumerate(texts):
            action = next(action for action in menu.actions() if action.text() == text)
            place = QPointF(menu.actionGeometry(action).center())
            if i == len(texts) - 1 and name is not None:
                self._go(menu, place)
                self.picture(name, "menu")
                self.seconds -= POINT
            self.click(menu, place)
            settle(self.application, 0.3)
            if action.menu() is not None:
                menu = action.menu()  # type: ignore[assignment]

    def picture(self, name: str, part: str = "timeline") -> None:
        """Save what is seen and the pointer: the ``"timeline"``, what lies round a ``"menu"``, or the ``"window"``."""
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
        file = self.folder / f"walk-to-a-beat-{self._pictures}.webp"
        manual.kept(image, file)
        print(f"{file} {self.seconds:5.1f} s  {name}", flush=True)

    def button(self, action: str) -> ToolButton:
        """Return the button of an action in the transport."""
        wanted = self.window.action_table[action]
        return next(b for b in self.window.timeline.transport.findChildren(ToolButton) if wanted in b.actions())

    def watch(self, seconds: float, name: str) -> None:
        """Play so long, take a picture, and stop; a person watches for five seconds."""
        self.think()
        self.click(self.button("play"))
        settle(self.application, seconds)
        self.think(5.0)
        self.window.status.drop_message()  # that this machine has no sound is of no use to a reader
        self.picture(name, "window")
        self.click(self.button("play"))


def do(driver: Driver) -> None:
    """Retime the stroll."""
    window, application = driver.window, driver.application
    timeline = window.timeline
    sheet, audio, model = timeline.sheet, timeline.audio, timeline.model

    driver.think()
    driver.choose("File", "Open sample", "Stroll", name="Open the sample")
    while audio.waveform is None:
        settle(application, 0.1)
    settle(application, 0.5)

    driver.watch(1.5, "Play: the steps miss the beat")
    driver.click(driver.button("first_frame"))

    driver.think()
    first = float(model.marks.beats.frames[0])
    grip = QPointF(audio.track_x(30.0), LANE + 18.0)
    driver.drag(audio, grip, grip - QPointF(first * model.pixels - 2.0, 0.0), "Drag the music to the left")

    driver.think()
    left, right = sheet.track_x(0.0) - 12.0, sheet.track_x(160.0) + 12.0
    driver.drag(sheet, QPointF(left, 5.0), QPointF(right, 60.0), "Draw a box round all keys")

    driver.think()
    handle = sheet._handles()[1].center()
    beat = float(model.marks.beats.frames[STEPS])
    driver.drag(sheet, handle, handle + QPointF((beat - 160.0) * model.pixels + 2.0, 0.0), "Drag the right handle")

    driver.watch(1.2, "Play: every step is on a beat")


def strikes(window: MainWindow) -> np.ndarray:
    """Return at which frames a heel strikes: the keys of the walk at which both feet are down, shape (steps + 1,)."""
    frames = np.array(window.document.sequence.keys.frames)  # type: ignore[union-attr]
    return frames[:: (len(frames) - 1) // STEPS]


def main(words: list[str]) -> int:
    """Do it; return 0 if every step falls on its beat."""
    folder = Path(words[0]) if words else manual.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    application, window = shown_window(SIZE)
    QCursor.setPos(window.mapToGlobal(window.rect().bottomRight()))  # the real one lights nothing
    settle(application, 0.5)
    driver = Driver(application, window, folder)
    do(driver)
    beats = window.timeline.model.marks.beats.frames
    away = np.abs(strikes(window) - beats[: STEPS + 1])
    print(f"steps at frames {strikes(window).tolist()}, at most {away.max():.2f} frames from their beats")
    print(f"a person takes about {driver.seconds:.0f} s")
    window.stop()
    window.close()
    return 0 if away.max() <= 1.0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
