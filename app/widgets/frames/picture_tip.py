"""Tips with a moving picture: the name of a tool, its key, a sentence, and how it is used."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QHideEvent, QMovie
from PySide6.QtWidgets import QLabel, QWidget

from app.look import fonts, tip_pictures
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.widgets.frames.framed import Framed
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.words.keys_now import key_of
from app.words.tool_words import TOOL_WORDS

BELOW = 6
"""Between the button and its tip, [px]."""
_STILL = 0.5
"""Where in a moving picture the one is that stands for it if nothing is to move."""
_HIDES = frozenset(
    {
        QEvent.Type.Leave,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.Wheel,
        QEvent.Type.KeyPress,
        QEvent.Type.FocusOut,
        QEvent.Type.Hide,
        QEvent.Type.WindowDeactivate,
    }
)


class PictureTip(Framed):
    """The tip itself. It takes no clicks and no keys."""

    def __init__(self, parent: QWidget):
        super().__init__(Qt.WindowType.ToolTip, (8, 6, 8, 8), 6, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title, self.key = QLabel(), quiet_label()
        self.title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        self.title.setWordWrap(True)
        self.picture = QLabel()
        self.picture.setFixedSize(*tip_pictures.SHOWN)
        self.text = quiet_label()
        self.text.setWordWrap(True)
        self.text.setFixedWidth(tip_pictures.SHOWN[0])
        head = row_layout(spacing=8)
        head.addWidget(self.title, 1)
        head.addWidget(self.key)
        self.column.addLayout(head)
        self.column.addWidget(self.picture)
        self.column.addWidget(self.text)
        self.movie: QMovie | None = None

    def say(self, action: str, name: str, moves: bool) -> None:
        """Say what an action does.

        Args:
            action: Its name in the key map.
            name: What people call it.
            moves: Whether the picture may move.
        """
        self.title.setText(name)
        self.key.setText(key_of(action, ""))
        self.text.setText(TOOL_WORDS[action])
        self.setAccessibleName(name)
        self.setAccessibleDescription(TOOL_WORDS[action])
        self._stop()
        path = tip_pictures.picture_of(action, current_theme().name)
        movie = None if path is None else QMovie(str(path), parent=self)
        if movie is not None and movie.isValid():
            movie.setScaledSize(QSize(*tip_pictures.SHOWN))
            movie.setCacheMode(QMovie.CacheMode.CacheAll)
            self.movie = movie
            self.picture.setMovie(movie)
            if moves:
                movie.start()
            else:
                movie.jumpToFrame(0)
                for _ in range(round(_STILL * movie.frameCount())):
                    movie.jumpToNextFrame()
        self.picture.setVisible(self.movie is not None)
        self.adjustSize()

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self._stop()
        super().hideEvent(event)

    def _stop(self) -> None:
        """Let go of the picture: while nobody sees it nothing is to move."""
        movie, self.movie = self.movie, None
        self.picture.clear()
        if movie is not None:
            movie.stop()
            movie.deleteLater()


class PictureTips(QObject):
    """Shows a tip with a picture where Qt would show one of text.

    Args:
        parent: The window.
        moves: Returns whether anything may move by itself.
    """

    def __init__(self, parent: QWidget, moves: Callable[[], bool]):
        super().__init__(parent)
        self._window, self._moves = parent, moves
        self._actions: dict[QObject, str] = {}
        self._tip: PictureTip | None = None

    def watch(self, button: ToolButton, action: str) -> None:
        """Give a button the tip of an action, if that has one."""
        if action in TOOL_WORDS:
            self._actions[button] = action
            button.setAccessibleDescription(TOOL_WORDS[action])
            button.installEventFilter(self)

    @property
    def tip(self) -> PictureTip | None:
        """The tip, if it is shown."""
        return self._tip if self._tip is not None and self._tip.isVisible() else None

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(watched, ToolButton):
            self.show(watched)
            return True
        if self._tip is not None and event.type() in _HIDES:
            self._tip.hide()
        return False

    def show(self, button: ToolButton) -> None:
        """Show the tip of a button, under it as far as all of it is seen."""
        tip = self._tip = self._tip or PictureTip(self._window)
        action = button.defaultAction()
        tip.say(self._actions[button], action.text().replace("&", "").rstrip("…"), self._moves())
        at = button.mapToGlobal(QPoint(0, 0))
        tip.setScreen(button.screen())
        tip.place_under(at.x(), at.y() + button.height() + BELOW, at.y() - BELOW)
        tip.show()
