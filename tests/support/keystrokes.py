"""A person at the window: mouse and keyboard that really drive it, and the time they take by the keystroke-level model.

Source: Card, Moran, Newell (1980), The keystroke-level model for user performance time with interactive systems.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.support.mouse import send_mouse

K, P, B, H, M = 0.28, 1.1, 0.1, 0.4, 1.35
"""A key, pointing, a button going down or up, a hand going to the other device, making up one's mind, [s]."""
DRAG = 1.1
"""Moving the mouse with its button down, [s]."""

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Act(NamedTuple):
    """Something that was done.

    Attributes:
        what: In a few words.
        seconds: How long a person takes for it.
    """

    what: str
    seconds: float


class Person:
    """Does things at a window and counts how long a person would take.

    Attributes:
        acts: What was done, in order.
    """

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self._at = ""

    @property
    def seconds(self) -> float:
        """How long all of it takes."""
        return sum(act.seconds for act in self.acts)

    def _count(self, what: str, seconds: float, device: str) -> None:
        homing = H if self._at not in ("", device) else 0.0
        self._at = device
        self.acts.append(Act(what, seconds + homing))

    def think(self, what: str) -> None:
        """Make up one's mind."""
        self.acts.append(Act(f"think: {what}", M))

    def act(self, what: str) -> None:
        """Count a click on an entry of a menu; whoever calls it triggers the entry."""
        self._count(what, P + 2 * B, "mouse")

    def press(self, widget: QWidget, key: Qt.Key, held: Qt.KeyboardModifier = NO_KEYS) -> None:
        """Press a key, with others held down: each is a keystroke."""
        number = 1 + bin(held.value).count("1")
        self._count(f"press {key.name}", number * K, "keyboard")
        QTest.keyClick(widget, key, held)
        QApplication.processEvents()

    def click(self, widget: QWidget, at: QPoint | QPointF, what: str, double: bool = False) -> None:
        """Point at a place and click it."""
        self._count(f"{'double ' if double else ''}click {what}", P + (4 if double else 2) * B, "mouse")
        send_mouse(widget, QEvent.Type.MouseMove, at, Qt.MouseButton.NoButton)
        send_mouse(widget, QEvent.Type.MouseButtonPress, at, LEFT)
        send_mouse(widget, QEvent.Type.MouseButtonRelease, at, LEFT, buttons=Qt.MouseButton.NoButton)
        if double:
            send_mouse(widget, QEvent.Type.MouseButtonDblClick, at, LEFT)
            send_mouse(widget, QEvent.Type.MouseButtonRelease, at, LEFT, buttons=Qt.MouseButton.NoButton)
        QApplication.processEvents()

    def drag(
        self, widget: QWidget, start: QPointF, by: QPointF, what: str, held: Qt.KeyboardModifier = NO_KEYS
    ) -> None:
        """Point at a place, press, move, and let go."""
        keys = bin(held.value).count("1") * K
        self._count(f"drag {what}", P + 2 * B + DRAG + keys, "mouse")
        send_mouse(widget, QEvent.Type.MouseMove, start, Qt.MouseButton.NoButton)
        send_mouse(widget, QEvent.Type.MouseButtonPress, start, LEFT, held)
        for part in (0.3, 0.7, 1.0):
            send_mouse(widget, QEvent.Type.MouseMove, start + part * by, Qt.MouseButton.NoButton, held, LEFT)
        send_mouse(widget, QEvent.Type.MouseButtonRelease, start + by, LEFT, held, Qt.MouseButton.NoButton)
        QApplication.processEvents()
