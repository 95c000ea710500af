"""What all parts of the timeline share: the scale of the frames, the rows, the selected keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from app.timeline.time_marks import TimeMarks

if TYPE_CHECKING:
    from app.document.change import Change
    from app.document.document import Document

NAMES_WIDTH = 136
MARGIN = 32.0
MOST_PIXELS = 60.0
LEAST_PIXELS = 0.02
SNAP = 6.0
LATE_MS = 120  # how long the timeline may lag behind a drag
EMPTY_SPAN = 60  # frames shown while there is no motion yet
LEAST_SPAN = 24
_STEPS = (1, 2, 3, 6, 12, 30, 60, 120, 300, 600, 1200, 3000, 6000, 12000, 30000, 60000, 120000, 300000, 600000)


class Row(NamedTuple):
    """One row of the dope sheet.

    Attributes:
        name: What stands at its left.
        values: Indices into a pose that belong to it; empty for the summary.
        summary: Whether it stands for the whole figure.
    """

    name: str
    values: NDArray[np.intp]
    summary: bool = False


class TimelineModel(QObject):
    """Scale, rows and key selection.

    Args:
        document: The open document.
        parent: Qt parent.

    Signals:
        changed(): Anything that the parts of the timeline draw is different now.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(parent)
        self.document = document
        self.width = 600.0
        self.left = 0.0  # frame at the left edge of the tracks, less the margin
        self.pixels = 10.0  # a frame
        self.rows: tuple[Row, ...] = ()
        self.marks = TimeMarks(document)
        self.selected: frozenset[int] = frozenset()
        self.shift = 0  # frames by which the selected keys are being dragged
        self.flagged: tuple[tuple[int, int], ...] = ()  # first and last frames at which a lock cannot be held
        self.flag_texts: tuple[str, ...] = ()  # what each of these tells
        self._scaled: dict[int, int] = {}  # old to new frame while the selected keys are being spread
        self.frames: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.linear: NDArray[np.bool_] = np.empty(0, dtype=bool)  # whether the span from a key on is linear
        self._values: NDArray[np.float64] = np.empty((0, 0))
        self._fitted = False
        self._holds: dict[str, NDArray[np.bool_]] = {}
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._catch_up)
        document.changed.connect(self._take)
        self._read_rows()
        self._read_keys()

    # -- what the document holds ----------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        opened = change.kind == "file" and change.detail.get("name") == "opened"
        if opened:  # keys of another file at the same frames are other keys
            self.selected, self.shift, self._scaled = frozenset(), 0, {}
        if change.kind == "figure" or opened:
            before = self.rows
            self._read_rows()
            self._fitted = self._fitted and not opened and len(before) == len(self.rows)
        if change.detail.get("live") and change.kind in ("keys", "pending"):
            if not self._late.isActive():  # a drag changes its key with every move of the mouse; now and then will do
                self._late.start()
            return
        if change.kind == "session" and change.detail.get("name") == "auto_key":
            self.changed.emit()
        if change.kind in ("figure", "file", "keys", "sequence"):
            self._read_keys()
        if change.kind in ("figure", "file", "keys", "sequence", "frame", "pending", "selection", "locks"):
            self.changed.emit()  # with the locks the range may end elsewhere

    def _catch_up(self) -> None:
        self._read_keys()
        self.changed.emit()

    def _read_rows(self) -> None:
        skeleton = self.document.skeleton
        if skeleton is None:
            self.rows = ()
            return
        rows = [Row("Summary", np.empty(0, dtype=np.intp), True), Row("Root", np.arange(3))]
        for name, joints in skeleton.groups:
            values = [3 + dof for j in joints for dof in range(skeleton.first_dof[j], skeleton.first_dof[j + 1])]
            if not values:
                continue
            if name == "":  # as in the joints panel: the root's own values are its row's, those of no group have one
                own = np.arange(skeleton.first_dof[1] if len(skeleton.joints) > 1 else skeleton.n_dofs) + 3
                rows[1] = Row("Root", np.concatenate([np.arange(3), np.intersect1d(own, values)]))
                others = np.setdiff1d(values, own)
                if len(others):
                    rows.append(Row("Other joints", others))
            else:
                rows.append(Row(name[:1].upper() + name[1:], np.array(values, dtype=np.intp)))
        self.rows = tuple(rows)

    def _read_keys(self) -> None:
        sequence = self.document.sequence
        keys = sequence.keys if sequence is not None else ()
        self.frames = np.array([key.frame for key in keys], dtype=np.int64)
        self._values = np.array([key.q for key in keys]) if keys else np.empty((0, 0))
        self.linear = np.array([key.interp == "linear" for key in keys], dtype=bool)
        self._holds.clear()
        self.selected &= frozenset(int(frame) for frame in self.frames)
        if not self._fitted and sequence is not None:
            self.fit(quiet=True)

    def holds(self, row: Row) -> NDArray[np.bool_]:
        """Return for each key but the last whether the row's values are the same at the next key."""
        found = self._holds.get(row.name)
        if found is None:
            values = self._values if row.summary or not len(self.frames) else self._values[:, row.values]
            found = self._holds[row.name] = np.asarray((values[1:] == values[:-1]).all(axis=1))
        return found

    @property
    def range(self) -> tuple[int, int]:
        """First and last frame that are played."""
        sequence = self.document.sequence
        return (0, 0) if sequence is None else (int(sequence.range[0]), int(sequence.range[1]))

    # -- the scale ------------------------------------------------------------------------------------------------

    def x(self, frame: float) -> float:
        """Return where a frame lies, in px from the left edge of the tracks."""
        return MARGIN + (frame - self.left) * self.pixels

    def xs(self, frames: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return where many frames lie."""
        return MARGIN + (frames - self.left) * self.pixels

    def frame_at(self, x: float) -> int:
        """Return the nearest frame to a place, never below 0."""
        return max(0, round(self.left + (x - MARGIN) / self.pixels))

    def visible(self) -> tuple[float, float]:
        """Return the frames at the two edges."""
        return self.left - MARGIN / self.pixels, self.left + (self.width - MARGIN) / self.pixels

    def tick_step(self, least: float = 54.0) -> int:
        """Return the number of frames between two ticks that are at least some px apart; numbers need 54."""
        return next((step for step in _STEPS if step * self.pixels >= least), _STEPS[-1])

    def set_width(self, width: float) -> None:
        """Tell the width of the tracks; a scale that was fitted to it goes on showing the same frames."""
        if width != self.width:
            before, self.width = self.width, max(width, 60.0)
            if self._fitted:
                ratio = (self.width - 2 * MARGIN) / (before - 2 * MARGIN)
                self.pixels = float(np.clip(self.pixels * ratio, LEAST_PIXELS, MOST_PIXELS))
                self.changed.emit()

    def fit(self, quiet: bool = False) -> None:
        """Show the range and all keys."""
        first, last = self.range
        if len(self.frames):
            first, last = min(first, int(self.frames[0])), max(last, int(self.frames[-1]))
        last = max(last, first + (LEAST_SPAN if len(self.frames) > 1 else EMPTY_SPAN))
        self.left = float(first)
        self.pixels = float(np.clip((self.width - 2 * MARGIN) / (last - first), LEAST_PIXELS, MOST_PIXELS))
        self._fitted = True
        if not quiet:
            self.changed.emit()

    def zoom(self, factor: float, x: float) -> None:
        """Zoom so that the frame at ``x`` stays where it is."""
        frame = self.left + (x - MARGIN) / self.pixels
        self.pixels = float(np.clip(self.pixels * factor, LEAST_PIXELS, MOST_PIXELS))
        self.left = frame - (x - MARGIN) / self.pixels
        self._fitted = False
        self._clamp()
        self.changed.emit()

    def pan(self, pixels: float) -> None:
        """Move the tracks sideways."""
        self.left -= pixels / self.pixels
        self._fitted = False
        self._clamp()
        self.changed.emit()

    def _clamp(self) -> None:
        self.left = max(self.left, -0.75 * self.width / self.pixels, -200.0)

    def reveal(self, frame: float) -> None:
        """Scroll so that a frame can be seen."""
        first, last = self.visible()
        if not first <= frame <= last:
            self.left = max(0.0, frame - 0.5 * (self.width - MARGIN) / self.pixels)
            self.changed.emit()

    def snap_frames(self) -> NDArray[np.int64]:
        """Return the frames that drags stick to: those of markers, and the nearest ones to beats of the music."""
        return self.marks.snap_frames()

    # -- keys -----------------------------------------------------------------------------------------------------

    def key_near(self, x: float, reach: float = SNAP) -> int | None:
        """Return the frame of the key nearest to a place, if one lies within ``reach`` px."""
        if not len(self.frames):
            return None
        distances = np.abs(self.xs(self.frames) - x)
        nearest = int(np.argmin(distances))
        return int(self.frames[nearest]) if distances[nearest] <= reach else None

    def select(self, frames: Iterable[int], add: bool = False) -> None:
        """Select keys by frame; with ``add`` on top of those selected."""
        here = set(self.frames.tolist())
        chosen = frozenset(frame for frame in frames if frame in here)
        chosen = chosen | self.selected if add else chosen
        if chosen != self.selected:
            self.selected = chosen
            self.changed.emit()

    def toggle(self, frame: int) -> None:
        """Select a key, or take it out of the selection."""
        self.selected ^= {frame}
        self.changed.emit()

    def allowed_shift(self, wanted: int) -> int:
        """Return the shift nearest to ``wanted`` at which no selected key lands on another key or below frame 0."""
        if not self.selected:
            return 0
        moving = np.array(sorted(self.selected))
        standing = np.setdiff1d(self.frames, moving)
        shift = max(wanted, -int(moving[0]))
        step = -1 if shift > 0 else 1
        while shift and np.intersect1d(moving + shift, standing, assume_unique=True).size:
            shift += step
        return shift

    def shifted(self) -> Mapping[int, int]:
        """Return old to new frame for the keys being dragged or spread."""
        return self._scaled or {frame: frame + self.shift for frame in sorted(self.selected)}

    @property
    def dragging(self) -> bool:
        """Whether keys are shown elsewhere than they are."""
        return bool(self.shift or self._scaled)

    def is_selected(self) -> NDArray[np.bool_]:
        """Return for each key whether it is selected."""
        if not self.selected:
            return np.zeros(len(self.frames), dtype=bool)
        return np.isin(self.frames, np.fromiter(self.selected, dtype=np.int64, count=len(self.selected)))

    def shown_frames(self) -> NDArray[np.int64]:
        """Return the frame at which each key is shown, which during a drag is not where it is."""
        if not self.dragging:
            return self.frames
        moves = self.shifted()
        return np.array([moves.get(int(frame), int(frame)) for frame in self.frames], dtype=np.int64)

    @property
    def selected_span(self) -> tuple[int, int] | None:
        """First and last frame at which selected keys are shown; None unless two or more are selected."""
        shown = sorted(self.shifted().values())
        return (shown[0], shown[-1]) if len(shown) > 1 else None

    def set_shift(self, wanted: int) -> None:
        """Show the selected keys moved by some frames, as near to ``wanted`` as they may go."""
        shift = self.allowed_shift(wanted)
        if shift != self.shift:
            self.shift = shift
            self.changed.emit()

    def set_scale(self, last: bool, wanted: int) -> None:
        """Show the selected keys spread so that one end comes to a frame and the other stays.

        Keys stay at least a frame apart; at a spread that would put one on a key that stands, nothing changes.

        Args:
            last: Whether the last of them moves, or the first.
            wanted: Frame that it is to come to.
        """
        old = np.array(sorted(self.selected))
        if len(old) < 2:
            return
        order = old if last else old[::-1]
        way = 1 if last else -1
        fixed, end = int(order[0]), int(order[-1])
        reach = max((wanted - fixed) * way, len(old) - 1)
        if not last:
            reach = min(reach, fixed)
        new = [fixed]
        for i, frame in enumerate(order[1:], start=1):
            step = round(abs(int(frame) - fixed) * reach / abs(end - fixed))
            low, high = (new[-1] - fixed) * way + 1, reach - (len(old) - 1 - i)
            new.append(fixed + way * min(max(step, low), high))
        if not np.intersect1d(new, np.setdiff1d(self.frames, old)).size:
            self._scaled = dict(zip(order.tolist(), new, strict=True))
            self.changed.emit()

    def drop(self) -> None:
        """End the drag of keys: move them in the document, as one undo step."""
        moves = dict(self.shifted())
        moved = any(old != new for old, new in moves.items())
        self.shift, self._scaled = 0, {}
        if moved:
            self.document.move_keys(moves)
            self.selected = frozenset(moves.values())
        self.changed.emit()

    def cancel(self) -> None:
        """Give up the drag of keys."""
        self.shift, self._scaled = 0, {}
        self.changed.emit()

    def delete_selected(self) -> None:
        """Delete the selected keys as one undo step."""
        if self.selected:
            self.document.delete_keys(sorted(self.selected))
