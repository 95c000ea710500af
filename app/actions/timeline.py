"""What the mouse does in the timeline, as actions: moving what is selected there, choosing keys, rows, zoom, strips."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt

from app.actions.group import WindowActions
from app.timeline.canvas import TimelineCanvas
from app.timeline.dynamics.board import DynamicsBoard
from app.timeline.marks.times import next_frame
from app.timeline.stepping import Steps, StripSteps, steps_of
from app.timeline.strips.track import StripKeys, StripTracks
from app.timeline.time_scale import PAN_STEP, ZOOM_STEP
from app.widgets.behaviour.gesture import FINE
from app.words.keys_now import key_of

ON_DYNAMICS = frozenset({"add_strip", "toggle_motor"})
"""Those on strips that make no sense for locks."""


class TimelineActions(WindowActions):
    """Actions on what is selected in the timeline, and on what is seen of it."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {
            "duplicate_strip": self.duplicate_strip,
            "copy_strip": self.copy_strip,
            "paste_strip": self.paste_strip,
            "add_strip": self.add_strip,
            "toggle_motor": self.toggle_motor,
            "previous_row_key": partial(self.go_in_row, -1),
            "next_row_key": partial(self.go_in_row, 1),
            "select_key_here": self.select_here,
            "select_previous_key": partial(self.extend, -1),
            "select_next_key": partial(self.extend, 1),
            "select_keys_before": partial(self.select_side, -1),
            "select_keys_after": partial(self.select_side, 1),
            "next_row": lambda: self.row_tracks().go_row(1),
            "previous_row": lambda: self.row_tracks().go_row(-1),
            "open_row": lambda: self.row_tracks().open_row(True),
            "close_row": lambda: self.row_tracks().open_row(False),
            "zoom_in_time": partial(self.zoom, ZOOM_STEP),
            "zoom_out_time": partial(self.zoom, 1.0 / ZOOM_STEP),
            "pan_earlier": lambda: self._window.timeline.model.pan(PAN_STEP),
            "pan_later": lambda: self._window.timeline.model.pan(-PAN_STEP),
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
            "raise_selected": lambda steps: steps.rise(self._step),
            "lower_selected": lambda steps: steps.rise(-self._step),
        }
        for name, by in (("earlier", -1), ("later", 1)):
            steps[f"move_{name}"] = partial(_slide, by, False)
            steps[f"ripple_{name}"] = partial(_slide, by, True)
            steps[f"start_{name}"] = partial(_stretch, False, by)
            steps[f"end_{name}"] = partial(_stretch, True, by)
        return made | {name: partial(self.step, do) for name, do in steps.items()}

    def connect(self) -> None:
        """Bind the keys that hold in the timeline to it, and those of strips to their tracks."""
        timeline = self._window.timeline
        self.bind_keys("tracks", lambda _action: timeline.bands)
        keys = (timeline.strip, timeline.sheet, timeline.ruler, timeline.layers, timeline.markers)
        self.bind_keys("timeline", lambda _action: keys)
        both = (timeline.locks, timeline.dynamics)
        self.bind_keys("strips", lambda action: both[1:] if action in ON_DYNAMICS else both)

    # -- steps ----------------------------------------------------------------------------------------------------

    def step(self, do: Callable[[Steps], str]) -> None:
        """Do a step with what is selected in the timeline; say what has become of it, or what is missing."""
        if self.document.sequence is not None:
            steps = steps_of(self._window.timeline)
            self.tell(do(steps) if steps.ready else steps.needs)

    @property
    def _step(self) -> float:
        """How far a step of a value goes."""
        return FINE if self.fine_steps else 1.0

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
        timeline, now = self._window.timeline, self.document.frame
        model, cursor = timeline.model, timeline.sheet.cursor_row
        if cursor.shown and timeline.sheet.hasFocus():
            self.tell("" if cursor.go(direction, extend=True) else _no_key(direction))
            return
        to = next_frame(model.frames.tolist(), now, direction)
        if to is None:
            self.tell(_no_key(direction))
            return
        model.select_range(now, to)
        self.document.set_frame(to)
        model.reveal(to)

    def select_side(self, direction: int) -> None:
        """Select all keys up to the current frame, or from it on."""
        model = self._window.timeline.model
        if len(model.frames):
            model.select_range(self.document.frame, int(model.frames[-1 if direction > 0 else 0]), add=False)

    def row_tracks(self) -> TimelineCanvas:
        """Take the keyboard to the rows that are shown, where it is not there already, and return what has them."""
        timeline = self._window.timeline
        by_rows: tuple[TimelineCanvas, ...] = (timeline.sheet, timeline.locks, timeline.dynamics)
        found = next((each for each in by_rows if each.hasFocus()), None)
        if found is None:
            found = next((each for each in by_rows if each is timeline.tracks), timeline.sheet)
            if found is not timeline.tracks:
                timeline.show_tab("keys")
            found.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return found

    def go_in_row(self, direction: int) -> None:
        """Go to the next key of the row that has the keyboard, or to the one before, and select it."""
        timeline = self._window.timeline
        cursor = timeline.sheet.cursor_row
        if timeline.tracks is not timeline.sheet or cursor.row is None:
            self.tell(f"Go to a row of the dope sheet first: {key_of('next_row')}")
        elif not cursor.go(direction):
            self.tell(_no_key(direction))

    # -- what is seen ---------------------------------------------------------------------------------------------

    def zoom(self, factor: float) -> None:
        """Show the frames around the current one larger or smaller."""
        model = self._window.timeline.model
        model.zoom(factor, model.x(self.document.frame))

    def type_frame(self) -> None:
        """Let the frame to go to be typed; the keyboard goes back to where it was then."""
        field, before = self._window.timeline.transport.frame, self._window.focusWidget()
        inside = before is not None and (before is field or field.isAncestorOf(before))
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.open_editor(back=None if before is None or inside or not before.isVisible() else before)

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

    def _chosen(self) -> StripKeys | None:
        """Return what is done with the selected strip; None if there is none: the status line says so."""
        keys = self._tracks.keys
        if keys.strip is None:
            self.tell(StripSteps.needs)
            return None
        return keys

    def copy_strip(self) -> None:
        """Keep the selected strip to be pasted."""
        keys = self._chosen()
        if keys is not None:
            keys.copy()

    def paste_strip(self) -> None:
        """Put a copy of the strip that was kept at the current frame."""
        self._tracks.keys.paste(self.document.frame)

    def duplicate_strip(self) -> None:
        """Put a copy of the selected strip behind it."""
        if self._chosen() is not None:
            self.tell(StripSteps(self._tracks).duplicate())

    def edit_lock(self) -> None:
        """Open what the selected strip is edited in: the panel for a lock, a menu for what moves the joints."""
        keys = self._chosen()
        if keys is not None:
            keys.open(keys.strip)

    def remove_strip(self) -> None:
        """Remove the selected lock, or let the keys move again what the selected strips move."""
        keys = self._chosen()
        if keys is not None:
            keys.remove()

    def add_strip(self) -> None:
        """Make the joints of the row that has the keyboard dynamic at the current frame."""
        dynamics = self._window.timeline.dynamics
        if self._tracks is dynamics:
            dynamics.keys.add()
        else:
            self.tell("Rows of joints are in the Dynamics tab")

    def toggle_motor(self) -> None:
        """Let motors move what the selected strips make dynamic, or the other way round."""
        dynamics = self._window.timeline.dynamics
        if dynamics.keys.strip is None:
            self.tell("Select a strip in the Dynamics tab first")
        else:
            dynamics.keys.toggle_mode()


def _no_key(direction: int) -> str:
    return "There is no later key" if direction > 0 else "There is no earlier key"


def _slide(by: int, ripple: bool, steps: Steps) -> str:
    return steps.slide(by, ripple)


def _stretch(last: bool, by: int, steps: Steps) -> str:
    return steps.stretch(last, by)
