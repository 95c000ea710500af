"""What the parts of the curve editor share: which curves are shown, which of their keys are selected, the view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    KeysChanged,
    LayersChanged,
    LocksChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.content.key_selection import KeySelection
from app.timeline.curves.buffer import KeptCurves
from app.timeline.curves.rows import TARGETS, CurveRow, RowGroup, groups_of_channels, groups_of_figure, groups_of_joints
from app.timeline.curves.samples import CurveSamples
from app.timeline.curves.scale import ValueScale
from app.timeline.curves.targets import groups_of_targets, target_frames, target_values
from app.timeline.curves.weights import reach_in, reach_out, steepness
from core.animation.channels import channels_of
from core.animation.key import Key
from core.animation.layers.as_sequence import layer_sequence
from core.animation.shape import Shape
from core.arrays import Array

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.gestures.live_gesture import KeyGesture
    from app.timeline.model import TimelineModel
    from core.animation.layers.layer import Layer
    from core.animation.sequence import Sequence

Keys = tuple[Key, ...]


class KeyValues:
    """The poses of a row of keys.

    Attributes:
        keys: The keys.
        frames: Their frames, shape (n,).
        poses: Their poses, shape (n, nq); values of channels that a key does not hold are of no meaning.
    """

    def __init__(self) -> None:
        self.keys: Keys = ()
        self.frames: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.poses: Array = np.empty((0, 0))

    def update(self, keys: Keys) -> bool:
        """Take other keys; those at the beginning and the end that are the same ones are not read again.

        Returns:
            Whether they are others than before.
        """
        if keys is self.keys:
            return False
        old, shorter = self.keys, min(len(keys), len(self.keys))
        if shorter and len(keys[0].q) != self.poses.shape[1]:
            old, shorter = (), 0
        head = next(compress(range(shorter), map(is_not, old, keys)), shorter)
        if head == len(keys) == len(old):
            self.keys = keys
            return False
        rest = shorter - head
        tail = next(compress(range(rest), map(is_not, reversed(old), reversed(keys))), rest)
        middle = keys[head : len(keys) - tail]
        frames = np.fromiter((key.frame for key in middle), dtype=np.int64, count=len(middle))
        poses = np.array([key.q for key in middle]) if middle else np.empty((0, self.poses.shape[1]))
        if len(middle) == len(old) - head - tail and old:  # most drags: some keys have other values
            self.frames = self.frames.copy()  # whoever was given it keeps it
            self.frames[head : len(keys) - tail], self.poses[head : len(keys) - tail] = frames, poses
        elif not head and not tail:
            self.frames, self.poses = frames, poses
        else:
            kept = len(old) - tail
            self.frames = np.concatenate((self.frames[:head], frames, self.frames[kept:]))
            self.poses = np.concatenate((self.poses[:head], poses, self.poses[kept:]))
        self.keys = keys
        return True


def selected_channels(document: Document) -> frozenset[str]:
    """Return the names of the channels of which keys are selected in the timeline."""
    sequence = document.sequence
    chosen = document.session.keys.selected
    if sequence is None or not chosen:
        return frozenset()
    table = sequence.keys.table
    found: set[str] = set()
    for names in chosen.parts.values():
        found.update(names or ())
    whole = [frame for frame, names in chosen.parts.items() if names is None]
    held = np.any(table.keyed[np.isin(table.frames, whole)], axis=0)
    found.update(name for name, there in zip(sequence.channels.names, held.tolist(), strict=True) if there)
    return frozenset(found) & sequence.channels.all


Frames = NDArray[np.int64]

VALUE, SPEED, TIMING, ROOT_SPEED = "value", "speed", "timing", "root_speed"
VIEWS = (VALUE, SPEED, TIMING, ROOT_SPEED)
NO_FRAMES: Frames = np.empty(0, dtype=np.int64)
_READ_ROWS = (FigureChanged, FileChanged, SelectionChanged)
_MOTION = (FigureChanged, FileChanged, SequenceChanged, KeysChanged, LayersChanged, LocksChanged)


class Point(NamedTuple):
    """A key on a curve.

    Attributes:
        row: The curve.
        frame: The frame.
    """

    row: CurveRow
    frame: int


class CurvesModel(QObject):
    """State of the curve editor.

    Args:
        timeline: The timeline's scale of frames.
        parent: Qt parent.

    Attributes:
        view: One of ``VIEWS``.
        groups: What the list shows.
        every: Whether the whole figure is listed, or only what is selected: parts, or if none is, selected keys.
        folding: Whether the list has the figure's groups, to be opened one by one: all is asked for or selected.
        hidden: Ids of rows whose curves are not shown.
        locked: Ids of rows that cannot be edited here.
        closed: Titles of groups that are folded.
        points: Frames of the selected keys, by row id.
        primary: The key that was selected last, or None.
        scales: Value axis of each view.
        current: Id of the row that the keyboard is on, or None.
        version: Grows with everything that is drawn under the mouse.
        motion: Grows with every change of the motion.
        box_shown: Whether several selected keys have a box round them that scales them.
        kept: Curves that are kept to compare with, or None.
        normalised: Whether the view of values draws every curve over the same height.

    Signals:
        changed(): What is drawn is different now.
        rows_changed(): What the list shows is.
        points_changed(): Selected keys are others, or have other values.
        view_changed(): Another view is shown.
    """

    changed = Signal()
    rows_changed = Signal()
    points_changed = Signal()
    view_changed = Signal()

    def __init__(self, timeline: TimelineModel, parent: QObject | None = None):
        super().__init__(parent)
        self.timeline = timeline
        self.document = timeline.document
        self.view = VALUE
        self.groups: tuple[RowGroup, ...] = ()
        self.every = self.folding = False
        self.hidden: set[int] = set()
        self.locked: set[int] = set()
        self.closed: set[str] = set()
        self.points: dict[int, Frames] = {}
        self.primary: Point | None = None
        self.scales = {view: ValueScale() for view in VIEWS}
        self.box_shown, self.normalised = True, False
        self.kept: KeptCurves | None = None
        self.current: int | None = None
        self.timed = "*"  # which channel's timing is shown, "*" for the whole figure's
        self.version = self.motion = 0
        self.dragging = False  # nobody hears of the selected keys until the drag has ended
        self.active = False  # whether the tab is shown: nothing is worked out while it is not
        self.keys = KeyValues()
        self.samples = CurveSamples()
        self._sharing = False
        self._offsets: Sequence | None = None  # the keys of the active layer
        self._offsets_of: Layer | None = None
        self._seen: set[str] = set()
        self.document.changed.connect(self._take)
        self._read_rows()

    # -- what the document holds -------------------------------------------------------------------------------------

    @property
    def layer(self) -> Layer | None:
        """The active layer, whose keys are shown then; None for the keys of the poses."""
        return self.document.layers.active

    @property
    def sequence(self) -> Sequence | None:
        """What is shown: the sequence, or the keys of the active layer as one of their own."""
        layer, sequence = self.layer, self.document.sequence
        if layer is None or sequence is None:
            return sequence
        if self._offsets is None or self._offsets_of is not layer or self._offsets.fps != sequence.fps:
            self._offsets, self._offsets_of = layer_sequence(layer, sequence.fps), layer
        return self._offsets

    def begin_gesture(self, text: str) -> KeyGesture:
        """Begin an edit by hand of the keys that are shown."""
        layer = self.layer
        return (
            self.document.keys.begin_gesture(text)
            if layer is None
            else self.document.layers.edit_curves(layer.id, text)
        )

    def _take(self, change: Change) -> None:
        if isinstance(change, FileChanged) and change.name == "opened":
            self.points, self.primary = {}, None
            self.hidden.clear()
            self.locked.clear()
            self._seen.clear()
            self.kept = None
            for scale in self.scales.values():
                scale.stale = True
        if isinstance(change, SessionChanged) and change.name == "active_layer":
            self._show_other()
        if isinstance(change, (*_READ_ROWS, LocksChanged, LayersChanged)):
            self._read_rows()
        if isinstance(change, _MOTION):
            self.motion += 1
            self._prune()
            self.touch_points()
        if isinstance(change, SessionChanged) and change.name == "layer_keys" and self.layer is not None:
            self._read_selection()
        if isinstance(change, SessionChanged) and change.name == "selected_keys" and self.layer is None:
            if self.active and not self._sharing:
                self._read_rows()
            self._read_selection()
        if isinstance(change, SessionChanged) and change.name == "selected_lock":
            self.touch_points()

    def _show_other(self) -> None:
        """Show the keys of another layer, or those of the poses again."""
        self.points, self.primary, self.kept = {}, None, None
        for scale in self.scales.values():
            scale.stale = True
        self.motion += 1
        self._read_rows()
        self._read_selection()
        self.rows_changed.emit()
        self.touch_points()

    def activate(self, active: bool) -> None:
        """Tell whether the tab is shown."""
        self.active = active
        if active:
            self._read_rows()
            self._prune()
            self._read_selection()
            self.touch()

    def touch(self) -> None:
        """Announce that what is drawn is different."""
        self.version += 1
        self.changed.emit()

    def touch_points(self) -> None:
        """Announce that selected keys or points are others, or have other values."""
        self.points_changed.emit()
        self.touch()

    def _read_rows(self) -> None:
        shown, document, layer = self.sequence, self.document, self.layer
        skeleton = None if shown is None else shown.skeleton
        before, was_folding = self.groups, self.folding
        channels: frozenset[str] = frozenset()
        if self.active and not document.selection.joints:
            channels = selected_channels(document) if layer is None else _moved_channels(layer)
        whole = skeleton is not None and channels == channels_of(skeleton).all
        folding = self.folding = self.every or whole
        if skeleton is None:
            self.groups = ()
        elif folding:
            self.groups = groups_of_figure(skeleton)
            for group in self.groups:  # the whole figure's curves at once are a tangle: groups are opened one by one
                if group.title not in self._seen:
                    self._seen.add(group.title)
                    self.closed.add(group.title)
        else:
            self.groups = groups_of_channels(skeleton, channels) or groups_of_joints(
                skeleton, document.selection.joints
            )
        if skeleton is not None and layer is None:
            joints = None if folding else [skeleton.joint_names[joint] for joint in document.selection.joints]
            self.groups += groups_of_targets(document.locks.strips, joints)
            if folding:
                for group in self.groups:
                    if group.title not in self._seen:
                        self._seen.add(group.title)
                        self.closed.add(group.title)
        for group in self.groups:
            for row in group.rows:
                if row.turned and f"turn {row.id}" not in self._seen:
                    self._seen.add(f"turn {row.id}")
                    self.hidden.add(row.id)
        if self.groups != before or folding != was_folding:
            ids = {row.id for row in self.rows}
            if self.current not in ids:
                self.current = None
            self.points = {each: frames for each, frames in self.points.items() if each in ids}
            names = {row.channel for row in self.rows if not row.target}
            if self.timed != "*" and self.timed not in names:
                self.timed = "*"
            self._read_selection()
            for view in (VALUE, SPEED):
                self.scales[view].stale = True
            self.rows_changed.emit()
            self.touch()

    @property
    def rows(self) -> list[CurveRow]:
        """All rows of the list, folded ones too."""
        return [row for group in self.groups for row in group.rows]

    @property
    def shown(self) -> list[CurveRow]:
        """Rows whose curves are shown."""
        return [
            row
            for group in self.groups
            if not self.folding or group.title not in self.closed
            for row in group.rows
            if row.id not in self.hidden
        ]

    @property
    def editable(self) -> list[CurveRow]:
        """Rows whose keys can be edited."""
        return [row for row in self.shown if not row.turned and row.id not in self.locked]

    def row(self, row_id: int | None) -> CurveRow | None:
        """Return the row of an id, or None."""
        return next((row for row in self.rows if row.id == row_id), None)

    @property
    def scale(self) -> ValueScale:
        """The value axis of the view that is shown."""
        return self.scales[self.view]

    # -- the list ----------------------------------------------------------------------------------------------------

    def set_view(self, view: str) -> None:
        """Show another view."""
        if view != self.view:
            self.view = view
            self.view_changed.emit()
            self.rows_changed.emit()
            self.touch()

    def set_box_shown(self, shown: bool) -> None:
        """Show the box round several selected keys, or put it away."""
        self.box_shown = shown
        self.touch()

    def keep_curves(self, keep: bool = True) -> None:
        """Keep the motion as it is now to compare with, or forget what was kept."""
        sequence = self.sequence
        self.kept = KeptCurves(sequence) if keep and sequence is not None and len(sequence.keys) else None
        self.touch()

    def set_normalised(self, normalised: bool) -> None:
        """Draw every curve over the same height, or all on one scale."""
        if normalised != self.normalised:
            self.normalised = normalised
            self.scales[VALUE].stale = True
            self.rows_changed.emit()
            self.touch()

    def set_every(self, every: bool) -> None:
        """List the whole figure, or only what is selected."""
        if every != self.every:
            self.every = every
            self._read_rows()

    def toggle_hidden(self, ids: Iterable[int]) -> None:
        """Hide rows, or show them if all are hidden."""
        self.hidden = _toggled(self.hidden, ids)
        self._after_list()

    def show_only(self, row_id: int) -> None:
        """Hide all rows but one; once more shows all values again."""
        others = {row.id for row in self.rows} - {row_id}
        alone = others <= self.hidden and row_id not in self.hidden
        self.hidden = {row.id for row in self.rows if row.turned} if alone else others
        self.hidden.discard(row_id)
        self.scale.fitted = self.scale.stale = True  # what is seen alone is seen in full
        self._after_list()

    def toggle_locked(self, ids: Iterable[int]) -> None:
        """Lock rows against edits, or unlock them if all are locked."""
        self.locked = _toggled(self.locked, ids)
        self._after_list()

    def toggle_closed(self, title: str) -> None:
        """Fold a group, or open it."""
        self.closed ^= {title}
        self._after_list()

    def _after_list(self) -> None:
        ids = {row.id for row in self.editable}
        self.points = {each: frames for each, frames in self.points.items() if each in ids}
        self.rows_changed.emit()
        self.touch_points()

    def set_timed(self, channel: str) -> None:
        """Show the timing of a channel, ``"*"`` for the whole figure's."""
        if channel != self.timed:
            self.timed = channel
            self.rows_changed.emit()
            self.touch_points()

    # -- keys --------------------------------------------------------------------------------------------------------

    def key_frames(self, row: CurveRow) -> Frames:
        """Return the frames at which a row's channel is keyed, ascending."""
        sequence = self.sequence
        if row.target and sequence is not None:
            return target_frames(sequence.locks.strips, row.id)
        if sequence is None or not len(sequence.keys):
            return NO_FRAMES
        return sequence.keys.table.channel_frames(row.number)

    def key_values(self, row: CurveRow, frames: Frames) -> Array:
        """Return a row's values at frames of its keys, in the unit on screen."""
        sequence = self.sequence
        if sequence is None or not len(frames):
            return np.empty(0)
        if row.target:
            return row.on_screen(target_values(sequence.locks.strips, row.id, frames.tolist()))
        self.keys.update(sequence.keys)
        return row.on_screen(self.keys.poses[np.searchsorted(self.keys.frames, frames), row.id])

    def shape(self, point: Point) -> Shape | None:
        """Return the shape of a key of a row, or None if there is no such key."""
        sequence = self.sequence
        key = None if sequence is None or point.row.target else sequence.keys.at(point.frame)
        return None if key is None or not key.keys(point.row.channel) else key.shape_of(point.row.channel)

    def before(self, point: Point) -> Shape | None:
        """Return the shape of the key before a key of a row, which fills the span that ends there."""
        frames = self.key_frames(point.row)
        at = int(np.searchsorted(frames, point.frame))
        return self.shape(Point(point.row, int(frames[at - 1]))) if at > 0 else None

    def steepness(self, point: Point) -> tuple[float, float]:
        """Return how steep the path is at both sides of a key in terms of the curve that is seen: 1 without weights."""
        return steepness(reach_in(self.before(point))), steepness(reach_out(self.shape(point)))

    # -- selected keys -----------------------------------------------------------------------------------------------

    def is_selected(self, row: CurveRow, frame: int) -> bool:
        """Return whether a key of a row is selected."""
        frames = self.points.get(row.id, NO_FRAMES)
        at = int(np.searchsorted(frames, frame))
        return at < len(frames) and int(frames[at]) == frame

    @property
    def pose_points(self) -> dict[int, Frames]:
        """Frames of the selected keys of poses, by row id: without those of targets."""
        return {each: frames for each, frames in self.points.items() if each < TARGETS}

    @property
    def count(self) -> int:
        """Number of keys on curves that are selected."""
        return sum(len(frames) for frames in self.points.values())

    def select(self, points: Mapping[int, Frames], primary: Point | None = None) -> None:
        """Select keys on curves, by row id; the timeline and all else see their channels selected."""
        self.points = {each: np.unique(frames) for each, frames in points.items() if len(frames)}
        if primary is not None:
            self.primary = primary
        self._find_primary()
        self.share_selection()
        self.touch_points()

    def _find_primary(self) -> None:
        """Let the first selected key be the one selected last if that is none of them."""
        if self.primary is None or not self.is_selected(*self.primary):
            rows = ((self.row(each), frames) for each, frames in self.points.items())
            self.primary = next((Point(row, int(frames[0])) for row, frames in rows if row is not None), None)

    def share_selection(self) -> None:
        """Tell the session which keys are selected; not in the middle of a drag."""
        if self.dragging:
            return
        self._sharing, layer = True, self.layer
        if layer is None:
            self.document.session.keys.selected = self.selection()
        else:
            self.document.layers.select((layer.id, frame) for frame in self.selection().frames)
        self._sharing = False

    def selection(self) -> KeySelection:
        """Return the channels of the selected keys."""
        sequence = self.sequence
        if sequence is None:
            return KeySelection()
        found: dict[int, set[str]] = {}
        for each, frames in self.points.items():
            row = self.row(each)
            if row is not None and not row.target:
                for frame in frames.tolist():
                    found.setdefault(frame, set()).add(row.channel)
        return KeySelection(found, sequence.channels.all)

    def _read_selection(self) -> None:
        """Select on all shown curves what others have selected."""
        if self._sharing or self.dragging or not self.active:
            return
        layer, chosen = self.layer, self.document.session.keys.selected
        if layer is not None:
            chosen = KeySelection.of_frames(frame for id, frame in self.document.layers.selected if id == layer.id)
        points: dict[int, Frames] = {}
        if chosen:
            selected = np.array(chosen.frames, dtype=np.int64)
            for row in self.editable:
                if row.target:
                    continue
                frames = np.intersect1d(self.key_frames(row), selected, assume_unique=True)
                if not chosen.whole:
                    kept = [frame for frame in frames.tolist() if (frame, row.channel) in chosen]
                    frames = np.array(kept, dtype=np.int64)
                if len(frames):
                    points[row.id] = frames
        self.points = points
        self._find_primary()
        self.touch_points()

    def _prune(self) -> None:
        """Forget selected keys that are gone."""
        if self.dragging:
            return
        kept: dict[int, Frames] = {}
        for each, frames in self.points.items():
            row = self.row(each)
            there = NO_FRAMES if row is None else np.intersect1d(frames, self.key_frames(row), assume_unique=True)
            if len(there):
                kept[each] = there
        self.points = kept
        if self.primary is not None and not self.is_selected(*self.primary):
            self.primary = None


def _moved_channels(layer: Layer) -> frozenset[str]:
    """Return the names of the channels that a layer has keys of."""
    names, keyed = layer.keys.channels.names, np.asarray(layer.keys.table.keyed.any(axis=0))
    return frozenset(name for name, there in zip(names, keyed.tolist(), strict=True) if there)


def _toggled(before: set[int], ids: Iterable[int]) -> set[int]:
    """Return a set with some ids taken in, or all of them taken out if all are in it."""
    chosen = set(ids)
    return before - chosen if chosen <= before else before | chosen
