"""Sequences of the library put into the open one: from menus, by dropping them, and adjusted until the next step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, Qt, QTimer

from app.actions.group import WindowActions
from app.document.content.records import sequence_for
from app.document.files import model_files
from app.document.library_edits import (
    FIGURE,
    MOTION,
    POSE,
    apply_pose,
    insert_sequence,
    join_for,
    keep_join,
    kind_of,
    kind_of_keys,
    use_sequence,
)
from app.files.opening import LARGE
from app.panels.library.menu import carried_path
from app.popovers.put_in import ADDED, BLENDED, INSERTED, OVER, PutInPopover
from app.timeline.time_scale import NAMES_WIDTH
from core.animation import Sequence
from core.animation.joining.put_in import APPEND, INSERT, REPLACE, PutIn, usual_frames
from core.errors import CoreError
from core.formats.library import Entry

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow

_PLAIN = Qt.KeyboardModifier.NoModifier
DROPS = {
    INSERTED: "Insert at frame {frame}   Ctrl: blend in   Shift: blend over",
    BLENDED: "Blend in at frame {frame}, the rest goes on after it",
    OVER: "Blend in over what is there from frame {frame}",
}
"""What dropping a sequence on the timeline does."""
KEYS_POSE = "Key the pose at frame {frame}"
_JOINS = {BLENDED: INSERT, OVER: REPLACE, ADDED: APPEND}


def way_by_keys(keys: Qt.KeyboardModifier) -> str:
    """Return what dropping a sequence does while keys are down: Ctrl blends it in, Shift over what is there."""
    if keys & Qt.KeyboardModifier.ShiftModifier:
        return OVER
    return BLENDED if keys & Qt.KeyboardModifier.ControlModifier else INSERTED


@dataclass(frozen=True, eq=False)
class Put:
    """What was put in last.

    Attributes:
        motion: The sequence that was put in.
        base: The open one as it was before.
        frame: The frame that was asked for.
        way: ``"insert"``, ``"blend"``, ``"blend_over"`` or ``"add"``.
        frames: How long it blends, [frames].
        first: Where it begins now.
        revision: Of the document after that.
    """

    motion: Sequence
    base: Sequence
    frame: int
    way: str
    frames: int
    first: int
    revision: int


class PuttingIn(WindowActions):
    """Puts sequences into the open one; what was put in last can be adjusted until the next step.

    Attributes:
        last: What was put in last, while it can be adjusted.
        popover: Where it is adjusted; None before it was needed.
    """

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self.last: Put | None = None
        self.popover: PutInPopover | None = None
        self._wanted: tuple[str, int] | None = None  # what was chosen while another choice was being worked out
        self._adjusting = False
        self._carried: tuple[Path, tuple[int, int], Sequence | None] | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"adjust_put_in": self.adjust}

    def connect(self) -> None:
        """Follow the history: after the next step there is nothing to adjust."""
        self.document.stack.indexChanged.connect(self._step_made)
        self._window.background.ended.connect(lambda: QTimer.singleShot(0, self._window, self._work_ended))
        self._show_last()

    def _work_ended(self) -> None:
        """Show what is there if what was chosen did not come about: it was cancelled, or could not be."""
        if self._wanted is not None and not self._window.background.busy:
            self._wanted = None
            self._show_last()

    def _step_made(self, _: int) -> None:
        if not self._adjusting and self.last is not None and self.last.revision != self.document.revision:
            self.last = None
            self._show_last()

    def _show_last(self) -> None:
        self._window.action_table["adjust_put_in"].setEnabled(self.last is not None)
        if self.last is None:
            if self.popover is not None and self.popover.isVisible():
                self.popover.leave()
            return
        put = self.last
        if self.popover is not None:
            rate = put.base.fps
            self.popover.show_put(put.motion.name, put.first, put.way, put.frames, rate, usual_frames(rate))

    # -- putting in --------------------------------------------------------------------------------------------------

    def insert(self, entry: Entry, frame: int | None = None) -> None:
        """Put a sequence's keys into the open one, at the playhead or another frame."""
        self._with_sequence(entry, lambda sequence: self._put(sequence, INSERTED, frame))

    def blend(self, entry: Entry, frame: int | None = None) -> None:
        """Blend a sequence into the open one, at the playhead or another frame; what follows goes on after it."""
        self._with_sequence(entry, lambda sequence: self._put(sequence, BLENDED, frame))

    def blend_over(self, entry: Entry, frame: int | None = None) -> None:
        """Blend a sequence in in the place of as much of the open one."""
        self._with_sequence(entry, lambda sequence: self._put(sequence, OVER, frame))

    def add(self, entry: Entry) -> None:
        """Blend a sequence into the end of the open one."""
        self._with_sequence(entry, lambda sequence: self._put(sequence, ADDED, None))

    def use(self, entry: Entry) -> None:
        """Let the open figure move as a sequence does: it gets a copy of it."""
        self._with_sequence(entry, lambda sequence: use_sequence(self.document, sequence))

    def _put(self, motion: Sequence, way: str, frame: int | None, then: Callable[[], object] | None = None) -> None:
        """Put a sequence in; ``then`` is called once it is there."""
        document, into = self.document, self.document.sequence
        at = document.frame if frame is None else frame
        base = None if into is None else sequence_for(into, into.skeleton)
        fade = 0 if into is None else usual_frames(into.fps)

        def put(first: int, frames: int) -> None:
            if base is not None:
                self.last = Put(motion, base, at, way, frames, first, document.revision)
                self._show_last()
            if then is not None:
                then()

        if way == INSERTED:
            first = insert_sequence(document, motion, frame)
            if first is not None:
                put(first, fade)
                self._bring_into_sight(first, first)
            return
        revision = document.revision

        def done(made: PutIn) -> None:
            if document.sequence is not into or document.revision != revision:
                document.say("info", f"The motion was edited in the meantime; {motion.name} was not blended in")
            elif keep_join(document, motion.name, made):
                put(made.first, made.seams[0].frames)
                self._bring_into_sight(made.first, made.last)

        self._join(motion, way, frame, None, None, done)

    def _join(
        self,
        motion: Sequence,
        way: str,
        frame: int | None,
        frames: int | None,
        into: Sequence | None,
        done: Callable[[PutIn], None],
    ) -> bool:
        """Look for the seams beside the window, as it takes a moment; return whether that has begun."""
        join = join_for(self.document, motion, frame, _JOINS[way], frames, into)
        if join is None:
            return False

        def failed(error: Exception) -> None:
            if not isinstance(error, CoreError):
                raise error
            self.document.refuse_edit(error)

        return self.run_beside(f"Blending in {motion.name}", join, done, failed)

    def _bring_into_sight(self, first: int, last: int) -> None:
        timeline = self._window.timeline.model
        low, high = timeline.visible()
        if not (low <= first and last <= high):
            timeline.fit()

    def _with_sequence(self, entry: Entry, do: Callable[[Sequence], object]) -> None:
        """Read a sequence, a large file in the background, and do something with it."""
        path, window = entry.path, self._window
        window.player.pause()

        def take(sequence: Sequence | None) -> None:
            if sequence is None:
                window.show_message("warning", f"{path.name} contains no sequence")
            else:
                do(sequence)

        def read(_progress: object = None) -> Sequence | None:
            return model_files.read_model(path)[0].sequence

        def refuse(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            self.document.files.refuse(path, error)

        if entry.stamp[0] > LARGE:
            self.run_beside(f"Reading {path.name}", read, take, refuse)
            return
        try:
            take(read())
        except (CoreError, OSError) as error:
            refuse(error)

    def apply(self, entry: Entry, flipped: bool = False) -> None:
        """Let the open figure take a pose, its selected parts alone if some are."""
        self._with_sequence(entry, lambda sequence: apply_pose(self.document, sequence, None, flipped))

    def apply_flipped(self, entry: Entry) -> None:
        """Let the open figure take a pose on the other side."""
        self.apply(entry, flipped=True)

    def add_figure(self, entry: Entry) -> None:
        """Put a figure or a prop beside the others."""
        self.document.files.add_figure(entry.path)

    def activate(self, entry: Entry, otherwise: Callable[[Entry], object]) -> None:
        """Do what a double click does: a pose is taken, a figure put beside the others; all else is opened.

        Args:
            entry: What was double-clicked.
            otherwise: Opens it.
        """
        icon = self._window.library.panel.icon_of(entry)
        if self.document.skeleton is None or (icon is not None and icon.problem):
            otherwise(entry)
        elif icon is not None and icon.about is not None:
            kind = kind_of_keys(icon.about.keys)
            {POSE: self.apply, FIGURE: self.add_figure}.get(kind, otherwise)(entry)
        else:  # its icon is not there yet: the file says what it is

            def take(sequence: Sequence) -> None:
                if kind_of(sequence) == MOTION:
                    otherwise(entry)
                else:
                    self._take_part(entry, sequence)

            self._with_sequence(entry, take)

    def _take_part(self, entry: Entry, part: Sequence, frame: int | None = None) -> None:
        """Let the open figure take a pose, or put a figure beside the others."""
        if kind_of(part) == POSE:
            apply_pose(self.document, part, frame)
        else:
            self.add_figure(entry)

    # -- adjusting it ------------------------------------------------------------------------------------------------

    def adjust(self) -> None:
        """Show what was put in last, with the keyboard there, or hide it again."""
        if self.popover is not None and self.popover.isVisible():
            self.popover.leave()
        elif self.last is not None:
            self._open()
            assert self.popover is not None
            part = self.popover.bar if self.popover.bar.isVisible() else self.popover.row.field
            part.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open(self) -> None:
        """Show what was put in over where it begins."""
        if self.last is None:
            return
        if self.popover is None:
            window = self._window
            self.popover = PutInPopover(window.area.work_view, self.document.say, window.central)
            self.popover.wanted.connect(self.readjust)
        self._show_last()
        strip = self._window.timeline.strip
        x = NAMES_WIDTH + round(self._window.timeline.model.x(self.last.first))
        self.popover.open(strip.mapTo(self._window.central, QPoint(x, 0)).x())

    def readjust(self, way: str, frames: int) -> None:
        """Put in once more what was put in last, in another way or over a longer or shorter cross-fade: still one step.

        Args:
            way: ``"insert"``, ``"blend"``, ``"blend_over"`` or ``"add"``.
            frames: How long it blends, [frames].
        """
        put = self.last
        if put is None or (way, frames) == (put.way, put.frames):
            return
        if self._wanted is not None:  # one is on its way; this comes after it
            self._wanted = (way, frames)
            return
        if way == INSERTED:
            self._exchange(put, lambda: insert_sequence(self.document, put.motion, put.frame), way, frames)
            return
        self._wanted = (way, frames)

        def done(made: PutIn) -> None:
            wanted, self._wanted = self._wanted, None
            if self.last is put and self.document.revision == put.revision:

                def keep() -> int | None:
                    return made.first if keep_join(self.document, put.motion.name, made) else None

                self._exchange(put, keep, way, frames)
            if wanted is not None and wanted != (way, frames):
                self.readjust(*wanted)

        place = None if way == ADDED else put.frame
        if not self._join(put.motion, way, place, frames, put.base, done):
            self._wanted = None
            self._show_last()

    def _exchange(self, put: Put, make: Callable[[], int | None], way: str, frames: int) -> None:
        """Take back what was put in, and put it in anew; what cannot be leaves the old one there."""
        stack = self.document.stack
        self._adjusting = True
        try:
            stack.undo()
            first = make()
            if first is None:
                stack.redo()
        finally:
            self._adjusting = False
        if first is not None:
            self.last = replace(put, way=way, frames=frames, first=first, revision=self.document.revision)
        self._show_last()

    # -- dropping ----------------------------------------------------------------------------------------------------

    def take_drop(self, data: QMimeData, at: QPoint, keys: Qt.KeyboardModifier = _PLAIN) -> bool:
        """Take a sequence that was dragged onto the window; on the timeline, at the frame it was dropped on.

        Args:
            data: What was dropped.
            at: Where, in the window's coordinates.
            keys: Ctrl or Shift, which say how it is put in; see ``way_by_keys``.

        Returns:
            Whether it was a sequence of the library.
        """
        self.show_drop(None)
        entry = self.carried(data)
        if entry is None:
            return False
        frame = self._frame_under(at)
        then = None if frame is None else self._open

        def take(sequence: Sequence) -> None:
            if kind_of(sequence) == MOTION or self.document.skeleton is None:
                self._put(sequence, way_by_keys(keys), frame, then)
            else:
                self._take_part(entry, sequence, frame)

        self._with_sequence(entry, take)
        return True

    def show_drop(self, data: QMimeData | None, at: QPoint | None = None, keys: Qt.KeyboardModifier = _PLAIN) -> None:
        """Show on the timeline where what is dragged would come and what would happen; None for nothing dragged."""
        entry = None if data is None or at is None else self.carried(data)
        frame = None if entry is None or at is None else self._frame_under(at)
        if entry is None or frame is None:
            self._window.timeline.show_drop(None, "")
            return
        kind = self._kind(entry)
        if kind == FIGURE:
            self._window.timeline.show_drop(None, "")  # it has no place in time
            return
        says = KEYS_POSE if kind == POSE else DROPS[way_by_keys(keys)]
        self._window.timeline.show_drop(frame, says.format(frame=frame), self._ghost(entry))

    def _kind(self, entry: Entry) -> str:
        """Return what is dragged, by its icon; until that is there a large file counts as a motion."""
        icon = self._window.library.panel.icon_of(entry)
        if icon is not None and icon.about is not None:
            return kind_of_keys(icon.about.keys)
        content = self._content(entry)
        return MOTION if content is None else kind_of(content)

    def _content(self, entry: Entry) -> Sequence | None:
        """Return the sequence in a file that is not large; None if it is, or cannot be read."""
        known = self._carried
        if known is None or known[:2] != (entry.path, entry.stamp):
            motion = None
            if entry.stamp[0] <= LARGE:
                try:
                    motion = model_files.read_model(entry.path)[0].sequence
                except (CoreError, OSError):
                    motion = None  # it says why when it is dropped
            known = self._carried = (entry.path, entry.stamp, motion)
        return known[2]

    def _ghost(self, entry: Entry) -> tuple[float, str] | None:
        """Return how long a sequence is at the open one's rate, [frames], and its name; None if that is not known."""
        motion, into = self._content(entry), self.document.sequence
        if motion is None or into is None or kind_of(motion) != MOTION:
            return None
        first, last = motion.keys[0].frame, max(motion.keys[-1].frame, motion.range[1])
        return (last - first) / motion.fps * into.fps, entry.title

    def _frame_under(self, at: QPoint) -> int | None:
        """Return the frame under a place of the window; None where it is not on the tracks of the timeline."""
        timeline = self._window.timeline
        place = timeline.strip.mapFrom(self._window, at)
        if not timeline.rect().contains(timeline.mapFrom(self._window, at)) or place.x() < NAMES_WIDTH:
            return None
        return max(0, timeline.model.frame_at(place.x() - NAMES_WIDTH))

    def carried(self, data: QMimeData) -> Entry | None:
        """Return the sequence of the library that is being dragged, or None if it is something else."""
        path = carried_path(data)
        return None if path is None else self._window.library.panel.entry(path)
