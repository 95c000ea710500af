"""What is under the pointer of a view, kept right also when the figure moves under a pointer that stands still."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    PoseChanged,
    SequenceChanged,
    SessionChanged,
)
from app.marks import view_cube
from app.scene.pointing import Pointer

if TYPE_CHECKING:
    from app.marks.ghost_marks import GhostLabel
    from app.views.host import Host
    from app.views.view import View

Direction = tuple[float, float, float]

DELAY = 30
"""Changes within this time are answered by one look at what is under the pointer, [ms]."""
_MOVING = (
    FigureChanged,
    PoseChanged,
    FrameChanged,
    KeysChanged,
    SequenceChanged,
    LocksChanged,
    FileChanged,
    PendingChanged,
)
_SESSION = frozenset({"chain", "playing", "tool", "overlays", "mode", "joint_tool", "selected_lock", "trail_parts"})


class Hovering:
    """The pointer of one view and what it is over.

    Args:
        view: The view.
        cube_center: Returns the middle of the view cube, [px].

    Attributes:
        cursor: Where the pointer is, [px]; None outside the view.
        cube: Direction of the view cube's part under the pointer, or None.
        labels: The ghosts' labels as painted last.
    """

    def __init__(self, view: View, cube_center: Callable[[], QPointF]):
        self._view = view
        self._cube_center = cube_center
        self.cursor: QPointF | None = None
        self.cube: Direction | None = None
        self.labels: list[GhostLabel] = []

    def label_at(self, at: QPointF) -> int | None:
        """Return the frame that the ghost's label at a pixel belongs to, or None."""
        return next((label.frame for label in self.labels if label.box.contains(at)), None)

    def cube_at(self, at: QPointF) -> Direction | None:
        """Return the direction of the view cube's part at a pixel, or None."""
        view = self._view
        if view.small or view.camera.orthographic or not view.host.document.session.view.overlays.get("axes", True):
            return None
        return view_cube.hit(view.camera, self._cube_center(), at)

    def look(self, held: Qt.KeyboardModifier) -> None:
        """Show what a press at the pointer would take; nothing while Alt is held, outside the view or while playing."""
        view, at = self._view, self.cursor
        inside = at is not None and view.rect().contains(at.toPoint())
        cube = self.cube_at(at) if at is not None and inside else None
        if cube != self.cube:
            self.cube = cube
            view.update()
        tools, session = view.host.toolbox, view.host.document.session
        label = self.label_at(at) if at is not None and inside else None
        if (
            at is None
            or not inside
            or cube is not None
            or held & Qt.KeyboardModifier.AltModifier
            or session.playback.playing
        ):
            tools.leave()
        elif label is not None:
            if session.view.hovered_ghost != label:
                tools.leave()
            session.view.hovered_ghost = label
        else:
            shift, ctrl = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
            tools.hover(view, Pointer(at.x(), at.y(), bool(held & shift), bool(held & ctrl)))

    def leave(self) -> None:
        """Take note that the pointer left the view."""
        self.cursor = None
        self.cube = None
        if not self._view.host.toolbox.active:
            self._view.host.toolbox.leave()


class HoverKeeper(QObject):
    """Looks again at what is under the pointer after pose, frame, camera or view have changed.

    While a gesture or a camera move is in progress it does nothing: what they end with is a change as well.

    Args:
        host: What the views have in common.
        views: All views.
        parent: Owner.
    """

    def __init__(self, host: Host, views: Sequence[View], parent: QObject):
        super().__init__(parent)
        self._host = host
        self._views = views
        self._timer = QTimer(self, singleShot=True, interval=DELAY)
        self._timer.timeout.connect(self._look)

    def take(self, change: Change) -> None:
        """Take note of a change of the document."""
        if isinstance(change, SessionChanged):
            wanted = change.name in _SESSION
        else:  # while playing nothing is hovered
            wanted = isinstance(change, _MOVING) and not self._host.document.session.playback.playing
        if wanted:
            self.schedule()

    def schedule(self) -> None:
        """Look again soon; once for many calls in a row."""
        if not self._timer.isActive() and not self._host.toolbox.active and self._pointed() is not None:
            self._timer.start()

    def stop(self) -> None:
        """Look no more; the window closes."""
        self._timer.stop()

    def _pointed(self) -> View | None:
        return next((view for view in self._views if view.hovering.cursor is not None and view.isVisible()), None)

    def _look(self) -> None:
        view = self._pointed()
        if view is None or self._host.toolbox.active or any(each.navigation.active for each in self._views):
            return
        if self._host.scene.skeleton is not None:
            view.hovering.look(QGuiApplication.keyboardModifiers())
            view.refresh_status()
