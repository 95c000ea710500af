"""The first steps: a few hints at the real controls, each done by doing what it says; shown once, and by Help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    SessionChanged,
)
from app.widgets.frames.callout import ABOVE, BELOW, LEFT, RIGHT, Callout
from app.words.keys_now import key_of
from core.skeleton.control_points import END, ControlPoint, control_points

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow

SETTING = "help/first_steps"
"""Which hint is next; ``DONE`` after the last."""
DONE = "done"
FOLLOW_MS = 100
"""How often the hint looks where what it points at has gone, while it is shown."""
AROUND = 12
"""Half the size of a place of the figure that is pointed at, [px]."""


@dataclass(frozen=True)
class Hint:
    """One hint.

    Attributes:
        title: What it is about.
        text: Returns what to do, with the keys that hold now.
        target: Returns what is pointed at, in the window; None if it cannot be seen.
        sides: Where the box may stand beside it.
        done: Returns whether a change is what the hint asks for.
        edits: Whether it is a step that can be undone.
    """

    title: str
    text: Callable[[], str]
    target: Callable[[], QRect | None]
    sides: tuple[str, ...]
    done: Callable[[Change], bool]
    edits: bool = True


class FirstSteps(QObject):
    """Shows the hints, one after the other, while a figure is posed; nothing else waits for them.

    Args:
        window: The window.

    Attributes:
        number: Which hint is shown or waits for a figure; None if none is wanted.

    Signals:
        changed(): Another hint is shown, or none.
    """

    changed = Signal()

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self._window, self.document = window, window.document
        self.number: int | None = None
        self._begun = self._keys = 0  # how many steps and keys there were when the hint was shown
        self.callout = Callout(window)
        self.callout.next_wanted.connect(self.go_on)
        self.callout.close_wanted.connect(self.end)
        self.hints = self._make()
        self._clock = QTimer(self, interval=FOLLOW_MS)
        self._clock.timeout.connect(self.place)
        self.document.changed.connect(self._take)
        window.action_table.keys_changed.connect(self._show)

    def _make(self) -> tuple[Hint, ...]:
        window = self._window
        return (
            Hint(
                "Pose by dragging",
                lambda: f"Drag a hand in the view: the arm follows. {key_of('undo')} takes it back.",
                lambda: self._part("hand", highest=True),
                (RIGHT, LEFT, ABOVE, BELOW),
                lambda change: isinstance(change, PendingChanged | KeysChanged),
            ),
            Hint(
                "Keep a foot in place",
                lambda: f"Click a foot and press {key_of('lock_cycle')}: it stays there, whatever you drag.",
                lambda: self._part("foot", highest=False),
                (RIGHT, LEFT, ABOVE, BELOW),
                lambda change: isinstance(change, LocksChanged),
            ),
            Hint(
                "Set a key",
                self._key_text,
                lambda: self._widget(window.toolbar.auto_key if self._auto else window.toolbar.set_key),
                (BELOW, LEFT),
                self._is_key,
            ),
            Hint(
                "Play and scrub",
                lambda: (
                    f"{key_of('play')} plays and pauses. Drag along the numbers of the timeline to go through "
                    "the motion by hand."
                ),
                lambda: self._widget(window.timeline.transport.play_button),
                (ABOVE, BELOW, RIGHT),
                lambda change: isinstance(change, SessionChanged) and change.name == "playing" and bool(change.value),
                edits=False,
            ),
            Hint(
                "All the rest",
                lambda: (
                    f"{key_of('command_palette')} finds any command by a few words, {key_of('key_map')} shows all "
                    "keys, and the manual is here. So are these first steps."
                ),
                lambda: window.menu.place_of("Help"),
                (BELOW, RIGHT),
                lambda _change: False,
                edits=False,
            ),
        )

    @property
    def _auto(self) -> bool:
        """Whether what is posed becomes a key by itself."""
        return self.document.session.keys.auto

    def _key_text(self) -> str:
        if self._auto:
            return (
                "Auto key is on: what you pose is kept at the current frame at once. Drag along the numbers of the "
                "timeline to another frame, and pose again."
            )
        button = " or this button" if self._widget(self._window.toolbar.set_key) is not None else ""
        return (
            f"Press {key_of('set_key')}{button} to keep the pose at this frame. Then go to another frame and "
            "pose again."
        )

    def _count_keys(self) -> int:
        sequence = self.document.sequence
        return 0 if sequence is None else len(sequence.keys)

    def _is_key(self, change: Change) -> bool:
        """Return whether a key was set; with auto key on one more, since posing on changes the one that is there."""
        return isinstance(change, KeysChanged) and (not self._auto or self._count_keys() > self._keys)

    # -- beginning and ending -------------------------------------------------------------------------------------

    def offer(self) -> None:
        """Begin at the first start of the editor, or go on where the last one was left."""
        settings = self._window.settings
        if settings is None:
            return
        kept = settings.value(SETTING)
        if kept is None and settings.value("window/geometry") is None:
            self.go_to(0)
        elif str(kept) in {str(number) for number in range(len(self.hints))}:
            self.go_to(int(str(kept)))

    def begin(self) -> None:
        """Begin anew, with the keyboard in the hint, as a menu asks for it."""
        self.go_to(0)
        if self.document.skeleton is None:
            self._window.show_message("info", "Open a figure: the first steps begin with it")
        elif self.document.session.mode != "pose":
            self._window.show_message("info", "The first steps are shown in pose mode")
        elif self.callout.isVisible():
            self.callout.next_button.setFocus()

    def go_on(self) -> None:
        """Show the next hint; after the last one none."""
        if self.number is not None:
            self.go_to(self.number + 1)

    def end(self) -> None:
        """Show no more hints, now and at the next start."""
        self.go_to(len(self.hints))

    def go_to(self, number: int) -> None:
        """Show a hint by its number; behind the last one none, now and at the next start."""
        more = number < len(self.hints)
        self.number = number if more else None
        if self._window.settings is not None:
            self._window.settings.set_value(SETTING, number if more else DONE)
        self._show()

    # -- showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show the hint whose turn it is, if there is a figure to pose."""
        wanted = self.number is not None and self.document.skeleton is not None
        wanted = wanted and self.document.session.mode == "pose"
        if not wanted or self.number is None:
            self._hide()
            return
        hint, last = self.hints[self.number], self.number == len(self.hints) - 1
        self.callout.say(hint.title, hint.text(), f"{self.number + 1} of {len(self.hints)}", last)
        self._begun, self._keys = self.document.stack.index(), self._count_keys()
        self._clock.start()
        self.place()
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(self.callout, QAccessible.Event.Alert))
        self.changed.emit()

    def _hide(self) -> None:
        focus = QApplication.focusWidget()
        had = focus is not None and self.callout.isAncestorOf(focus)
        self._clock.stop()
        self.callout.hide()
        if had:
            self._window.area.work_view.setFocus()
        self.changed.emit()

    def place(self) -> None:
        """Put the hint beside what it points at, or out of the way while the mouse does something there."""
        if self.number is None or not self._clock.isActive():
            return
        hint, window = self.hints[self.number], self._window
        self.callout.setVisible(not window.area.host.toolbox.active)
        top = window.toolbar.mapTo(window, QPoint(0, 0)).y()
        target, room = hint.target(), window.rect().adjusted(0, top, 0, -window.status.height())
        if target is None:  # what it would point at is closed or out of sight: it stands in the view, on no control
            room = self._widget(window.area.work_view) or room
        self.callout.point_at(target, hint.sides, room)
        self.callout.raise_()

    def _take(self, change: Change) -> None:
        if self.number is None or change.live:
            return
        what = change.name
        if (
            isinstance(change, FigureChanged)
            or (isinstance(change, FileChanged) and what == "opened")
            or (isinstance(change, SessionChanged) and what == "mode")
        ):
            self._show()
        elif self._clock.isActive() and self.hints[self.number].done(change):
            QTimer.singleShot(0, self, self._finish)  # after what the change is still about to do

    def _finish(self) -> None:
        """Show the next hint if what this one asks for was a step of the person's, not what opening a file brings."""
        if self.number is None or not self._clock.isActive():
            return
        if not self.hints[self.number].edits or self.document.stack.index() > self._begun:
            self._clock.stop()  # one change counts once
            self.go_on()

    # -- what is pointed at ---------------------------------------------------------------------------------------

    def _widget(self, widget: QWidget) -> QRect | None:
        """Return where a widget is in the window; None if it is hidden, closed, scrolled away or in another window."""
        if not widget.isVisible() or widget.window() is not self._window or widget.visibleRegion().isEmpty():
            return None
        return QRect(widget.mapTo(self._window, QPoint(0, 0)), widget.size())

    def _part(self, word: str, highest: bool) -> QRect | None:
        """Return where the end of a limb is seen in the work area: one of that name, else the highest or the lowest."""
        skeleton, view = self.document.skeleton, self._window.area.work_view
        if skeleton is None or not view.isVisible():
            return None
        ends = [point for point in control_points(skeleton) if point.role == END]
        chosen = [point for point in ends if word in point.name] or ends
        if not chosen:
            return None
        poses = self._window.area.host.scene.poses

        def height(point: ControlPoint) -> float:
            return float(poses[point.joint][1, 3])

        best = max(chosen, key=height) if highest else min(chosen, key=height)
        seen = view.project(np.asarray(poses[best.joint])[:3, 3][None])[0]
        if not np.isfinite(seen).all():  # it is behind the camera
            return None
        at = QPoint(round(float(seen[0])), round(float(seen[1])))
        if not view.rect().contains(at):
            return None
        at = view.mapTo(self._window, at)
        return QRect(at.x() - AROUND, at.y() - AROUND, 2 * AROUND, 2 * AROUND)
