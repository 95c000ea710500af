"""What the mouse does in the timeline, as actions: moving what is selected there, choosing keys, rows, zoom, strips."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.actions.group import WindowActions
from app.timeline.dynamics.board import DynamicsBoard
from app.timeline.stepping import Steps, StripSteps, steps_of
from app.timeline.strips.track import StripTracks

ZOOM = 1.2
PAN = 60.0
"""By how much the frames move at once, [px], as at a step of the wheel."""
_PLAIN, _CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


class TimelineActions(WindowActions):
    """Actions on what is selected in the timeline, and on what is seen of it."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {
            "duplicate_strip": self.copy_strip,
            "select_key_here": self.select_here,
            "select_previous_key": partial(self.extend, -1),
            "select_next_key": partial(self.extend, 1),
            "select_keys_before": partial(self.select_side, -1),
            "select_keys_after": partial(self.select_side, 1),
            "next_row": partial(self.go_row, Qt.Key.Key_Down),
            "previous_row": partial(self.go_row, Qt.Key.Key_Up),
            "open_row": partial(self.go_row, Qt.Key.Key_Down, _CONTROL),
            "close_row": partial(self.go_row, Qt.Key.Key_Up, _CONTROL),
            "zoom_in_time": partial(self.zoom, ZOOM),
            "zoom_out_time": partial(self.zoom, 1.0 / ZOOM),
            "pan_earlier": lambda: self._window.timeline.model.pan(PAN),
            "pan_later": lambda: self._window.timeline.model.pan(-PAN),
            "go_to_frame": self.type_frame,
            "next_strip": partial(self.next_strip, 1),
            "previous_strip": partial(self.next_strip, -1),
            "select_all_strips": self.select_all_strips,
            "edit_lock": self.edit_lock,
            "remove_strip": self.remove_strip,
        }
        steps: dict[str, Callable[[Steps], str]] = {
            "ease_in_longer": lambda steps: steps.ease(False, 1),
            "ease_in_shorter": lambda steps: steps.ease(False, -1),
            "ease_out_longer": lambda steps: steps.ease(True, 1),
            "ease_out_shorter": lambda steps: steps.ease(True, -1),
            "raise_selected": lambda steps: steps.rise(1),
            "lower_selected": lambda steps: steps.rise(-1),
        }
        for name, by in (("earlier", -1), ("later", 1)):
            steps[f"move_{name}"] = partial(_slide, by, False)
            steps[f"ripple_{name}"] = partial(_slide, by, True)
            steps[f"start_{name}"] = partial(_stretch, False, by)
            steps[f"end_{name}"] = partial(_stretch, True, by)
        return made | {name: partial(self.step, do) for name, do in steps.items()}

    def connect(self) -> None:
        """Bind the keys that hold in the timeline to it."""
        timeline = self._window.timeline
        bands: tuple[QWidget, ...] = (timeline.strip, timeline.sheet, timeline.ruler, timeline.layers, timeline.markers)
        self.bind_keys("timeline", lambda _action: bands)

    # -- steps ----------------------------------------------------------------------------------------------------

    def step(self, do: Callable[[Steps], str]) -> None:
        """Do a step with what is selected in the timeline; say what has become of it, or what is missing."""
        if self.document.sequence is not None:
            steps = steps_of(self._window.timeline)
            self.tell(do(steps) if steps.ready else steps.needs)

    # -- keys and rows --------------------------------------------------------------------------------------------

    def select_here(self) -> None:
        """Select the key at the current frame, or leave it out of the selection."""
        model, frame = self._window.timeline.model, self.document.frame
        if frame in model.frames.tolist():
            model.toggle(frame)
        else:
            self.tell(f"There is no key at frame {frame}")

    def extend(self, direction: int) -> None:
        """Go to the next key before or after the current frame, and select it besides what is selected."""
        model, now = self._window.timeline.model, self.document.frame
        beyond = [frame for frame in model.frames.tolist() if (frame - now) * direction > 0]
        if not beyond:
            self.tell("There is no later key" if direction > 0 else "There is no earlier key")
            return
        to = min(beyond, key=lambda frame: abs(frame - now))
        model.select_range(now, to)
        self.document.set_frame(to)
        model.reveal(to)

    def select_side(self, direction: int) -> None:
        """Select all keys up to the current frame, or from it on."""
        model = self._window.timeline.model
        if len(model.frames):
            model.select_range(self.document.frame, int(model.frames[-1 if direction > 0 else 0]), add=False)

    def go_row(self, key: Qt.Key, held: Qt.KeyboardModifier = _PLAIN) -> None:
        """Take the keyboard to the tracks that are shown, and do there what an arrow key does with rows."""
        timeline = self._window.timeline
        tracks = timeline.tracks
        tracks.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if tracks in (timeline.sheet, timeline.locks, timeline.dynamics):
            QCoreApplication.sendEvent(tracks, QKeyEvent(QEvent.Type.KeyPress, key, held))

    # -- what is seen ---------------------------------------------------------------------------------------------

    def zoom(self, factor: float) -> None:
        """Show the frames around the current one larger or smaller."""
        model = self._window.timeline.model
        model.zoom(factor, model.x(self.document.frame))

    def type_frame(self) -> None:
        """Let the frame to go to be typed."""
        field = self._window.timeline.transport.frame
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.open_editor()

    # -- strips ---------------------------------------------------------------------------------------------------

    @property
    def _tracks(self) -> StripTracks:
        """The strips of the tab that is shown: of what moves the joints, else of the locks."""
        timeline = self._window.timeline
        return timeline.dynamics if timeline.transport.tabs.current == "dynamics" else timeline.locks

    def next_strip(self, direction: int) -> None:
        """Select the next strip, and take the keyboard there; after the last one comes the first."""
        tracks = self._tracks
        if not list(tracks.board.strips()):
            self.tell("There are no strips yet: lock a part, or make it dynamic")
            return
        if not tracks.isVisible():
            self._window.timeline.show_tab("locks")
        tracks.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not tracks.keys.step(direction):
            tracks.board.select(None)
            tracks.keys.step(direction)
        strip = tracks.keys.strip
        self.tell(f"{tracks.board.name_of(strip)}, {tracks.board.span_of(strip)}")

    def select_all_strips(self) -> None:
        """Select all strips of what moves the joints; of locks one is selected at a time."""
        board = self._tracks.board
        if isinstance(board, DynamicsBoard):
            board.select_all(strip.id for strip in board.strips())
            self.tell("" if board.selected else "Nothing is dynamic yet")
        else:
            self.tell("One lock is selected at a time; in the Dynamics tab this selects all strips")

    def copy_strip(self) -> None:
        """Put a copy of the selected strip behind it."""
        steps = StripSteps(self._tracks)
        self.tell(steps.copy() if steps.ready else steps.needs)

    def edit_lock(self) -> None:
        """Open the editor of the selected lock in the panel."""
        locks = self._window.timeline.locks
        if locks.keys.strip is None:
            self.tell(StripSteps.needs)
        else:
            locks.keys.open(locks.keys.strip)

    def remove_strip(self) -> None:
        """Remove the selected lock, or let the keys move again what the selected strips move."""
        keys = self._tracks.keys
        if keys.strip is None:
            self.tell(StripSteps.needs)
        else:
            keys.remove()


def _slide(by: int, ripple: bool, steps: Steps) -> str:
    return steps.slide(by, ripple)


def _stretch(last: bool, by: int, steps: Steps) -> str:
    return steps.stretch(last, by)
