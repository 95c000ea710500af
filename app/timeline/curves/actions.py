"""What can be done with the selected keys of the curve editor, from its bar and fields, and the menus that offer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.document.edits.key_edits import shape_text, shaped
from app.document.gestures.live_gesture import KeyGesture
from app.document.gestures.reshape_gesture import ReshapeGesture
from app.timeline.curves.buffer import with_channels_of
from app.timeline.curves.edits import Slopes, set_points, with_many_slopes
from app.timeline.curves.model import CurvesModel, Point
from app.timeline.curves.point_drag import quantity_of, slope_quantity
from app.timeline.curves.rows import CurveRow
from app.timeline.curves.weights import is_weighted, with_weights
from app.timeline.sheet.key_tip import KINDS
from app.widgets.frames.menu import add_action
from app.words.ease_words import ease_name
from core.animation import editing
from core.animation.curves.euler_filter import without_flips
from core.animation.sequence import Sequence
from core.animation.shape import EASES, FREE, LINEAR, Ease, Shape

AUTO, FLAT, STRAIGHT, JOINED, BROKEN = "auto", "flat", "straight", "joined", "broken"
TANGENTS: Mapping[str, str] = {
    AUTO: "Automatic",
    FLAT: "Flat",
    STRAIGHT: "Straight to the neighbours",
    JOINED: "Joined",
    BROKEN: "Broken",
}
"""What tangents can be made, and what it is called."""


class CurveActions:
    """Edits of the selected keys; each is one undo step."""

    def __init__(self, model: CurvesModel):
        self.model = model
        self.document = model.document
        self._gesture: KeyGesture | None = None
        self._reshaping: ReshapeGesture | None = None

    # -- whole edits -------------------------------------------------------------------------------------------------

    def set_shape(self, **values: Any) -> None:
        """Set how the motion goes through the selected keys and the spans that begin there."""
        if self.model.pose_points:
            which = self.model.selection()
            if self.model.layer is None:
                self.document.keys.set_shape(which, **values)
            else:
                self._on_layer(shape_text(values), lambda s: {"keys": shaped(s, which.parts, values)})

    def set_ease(self, name: str) -> None:
        """Set the ease of the spans that begin at the selected keys, by the name of a preset."""
        self.set_shape(ease=EASES[name])

    def set_frame(self, frame: int) -> None:
        """Move the selected keys so that the one selected last comes to a frame."""
        primary, points = self.model.primary, dict(self.model.points)
        if primary is None or frame == primary.frame:
            return
        by, layer, which = frame - primary.frame, self.model.layer, self.model.selection()
        if layer is None:
            done = self.document.keys.shift(which, by)
        else:
            done = self.document.layers.shift(((layer.id, each) for each in which.frames), by)
        if done:
            moved = {row: frames + by for row, frames in points.items()}
            self.model.select(moved, Point(primary.row, frame))

    def delete(self) -> None:
        """Delete the selected keys."""
        if self.model.pose_points:
            which = self.model.selection()
            if self.model.layer is None:
                self.document.keys.delete(which)
            else:
                text = "Delete key" if len(which) == 1 else f"Delete {len(which)} keys"
                self._on_layer(text, lambda s: {"keys": editing.removed(s.keys, which.parts, s.channels)})

    def _on_layer(self, text: str, make: Callable[[Sequence], Mapping[str, Any]]) -> None:
        """Edit keys of the active layer, as one undo step."""
        with self.model.begin_gesture(text) as gesture:
            done = gesture.set_values(make)
        if not done:
            self.document.say("warning", gesture.problem)

    def set_tangents(self, how: str) -> None:
        """Set the tangents of the selected keys, one of ``TANGENTS``."""
        text = "Join tangents" if how == JOINED else "Break tangents" if how == BROKEN else "Set tangents"
        with self.model.begin_gesture(text) as gesture:
            done = gesture.set_values(lambda s: {"keys": self._with_tangents(s, how)})
        if not done:
            self.document.say("warning", gesture.problem)

    def _with_tangents(self, sequence: Sequence, how: str) -> list[Any]:
        wanted: dict[int, dict[int, tuple[float | None, float | None]]] = {}
        for each, frames in self.model.pose_points.items():
            row = self.model.row(each)
            if row is None:
                continue
            slopes = self.model.samples.slopes(self.model.motion, row, frames)
            if how == STRAIGHT:
                slopes = self._chords(row.id, frames)
            own = wanted[each] = {}
            steep = {frame: self.model.steepness(Point(row, frame)) for frame in frames.tolist()}
            for frame, come, leave in zip(frames.tolist(), slopes.come.tolist(), slopes.leave.tolist(), strict=True):
                own[frame] = {
                    AUTO: (None, None),
                    FLAT: (0.0, 0.0),
                    JOINED: _as_steep(*steep[frame], come, leave),
                    STRAIGHT: (come * steep[frame][0], leave * steep[frame][1]),
                }.get(how, (come, leave))
                if how == BROKEN and come == leave:  # two equal slopes would be one again
                    own[frame] = (come, float(np.nextafter(leave, np.inf)))
        return with_many_slopes(sequence, wanted)

    def _chords(self, column: int, frames: np.ndarray) -> Slopes:
        row = self.model.row(column)
        assert row is not None
        every = self.model.key_frames(row)
        values = self.model.key_values(row, every) / row.factor
        chords = np.diff(values) / np.diff(every) if len(every) > 1 else np.zeros(1)
        at = np.searchsorted(every, frames)
        last = len(chords) - 1
        return Slopes(chords[np.clip(at - 1, 0, last)], chords[np.clip(at, 0, last)])

    @property
    def weighted(self) -> bool:
        """Whether the handles of the key that was selected last have lengths of their own."""
        primary = self.model.primary
        return primary is not None and (
            is_weighted(self.model.shape(primary)) or is_weighted(self.model.before(primary))
        )

    def set_weighted(self, weighted: bool) -> None:
        """Give the handles of the selected keys lengths of their own, or take them away."""
        parts = self.model.selection().parts
        with self.model.begin_gesture("Weighted tangents" if weighted else "Plain tangents") as gesture:
            done = bool(parts) and gesture.set_values(lambda s: {"keys": with_weights(s, parts, weighted)})
        if not done:
            self.document.say("warning", gesture.problem)

    def filter_flips(self) -> None:
        """Take flips and needless turns out of the angles of the selected keys; of all listed ones if none is."""
        model = self.model
        parts = model.selection().parts if model.pose_points else self._listed()
        sequence = self.model.sequence
        if sequence is None or not parts:
            return
        with self.model.begin_gesture("Filter flips") as gesture:
            keys = without_flips(sequence, parts)
            changed = sum(a is not b for a, b in zip(sequence.keys, keys, strict=True))
            if changed:
                gesture.set_values(lambda s: {"keys": keys})
        self.document.say("info", f"{changed} key{'s' * (changed != 1)} changed" if changed else "There are no flips")

    def _listed(self) -> dict[int, frozenset[str]]:
        """Return the channels of the listed curves at each of their keys."""
        names = frozenset(row.channel for row in self.model.editable if not row.target)
        sequence = self.model.sequence
        keys = () if sequence is None else sequence.keys
        own = {key.frame: names if key.keyed is None else names & key.keyed for key in keys}
        return {frame: there for frame, there in own.items() if there}

    def swap_kept(self) -> None:
        """Give the listed curves the keys that were kept, and keep those that they have."""
        model, sequence = self.model, self.model.sequence
        kept = model.kept
        if kept is None or sequence is None or not kept.belongs_to(sequence.skeleton):
            return
        names = frozenset(row.channel for row in model.editable if not row.target)
        other = kept.sequence
        model.keep_curves()
        with self.model.begin_gesture("Take kept curves") as gesture:
            done = gesture.set_values(lambda s: {"keys": with_channels_of(s.keys, other, names)})
        if not done:
            model.kept = kept
            self.document.say("warning", gesture.problem)

    # -- live edits, of fields and sliders ---------------------------------------------------------------------------

    def begin(self, text: str) -> None:
        """Begin an edit that is shown while it goes on."""
        if self._gesture is None and self.model.points:
            self._gesture = self.model.begin_gesture(text)
            self.model.dragging = True

    def end(self, keep: bool) -> None:
        """End it: as one undo step, or with everything as it was."""
        gesture, self._gesture = self._gesture, None
        self.model.dragging = False
        if gesture is not None:
            if keep:
                gesture.commit()
            else:
                gesture.cancel()
            self.model.points_changed.emit()

    def _show(self, make: Callable[[Sequence], Mapping[str, Any]]) -> None:
        if self._gesture is not None:
            self._gesture.set_values(make)

    def show_shape(self, **values: Any) -> None:
        """Show the selected keys with values of their shapes changed, in the edit that is under way."""
        if self._gesture is not None:
            self._gesture.set_shape(self.model.selection(), **values)

    def show_value(self, value: float) -> None:
        """Show the selected keys of the row of the one selected last at a value, in the unit on screen."""
        primary = self.model.primary
        if primary is None:
            return
        points = {primary.row.id: self.model.points[primary.row.id]}
        clamped: list[int] = []

        def make(sequence: Sequence) -> Mapping[str, Any]:
            found = set_points(sequence, points, primary.row.stored(value))
            clamped[:] = found.clamped
            return found.values

        self._show(make)
        row = primary.row
        text = f"{row.name} stops at its limits, {quantity_of(row).span(row.lower, row.upper)}" if clamped else ""
        self.document.say("info", text)

    def show_slope(self, slope: float) -> None:
        """Show the selected keys of the row of the one selected last with a slope, in units on screen a frame."""
        primary = self.model.primary
        if primary is None:
            return
        rate = slope / primary.row.factor
        frames = self.model.points[primary.row.id].tolist()
        steep = {frame: self.model.steepness(Point(primary.row, frame)) for frame in frames}
        wanted = {primary.row.id: {frame: (rate * steep[frame][0], rate * steep[frame][1]) for frame in frames}}
        self._show(lambda s: {"keys": with_many_slopes(s, wanted)})

    def tilt(self, by: int) -> str:
        """Let the curve rise more steeply by some steps at the key selected last and its likes; return what to say."""
        primary = self.model.primary
        if primary is None:
            return ""
        row = primary.row
        one = np.array([primary.frame], dtype=np.int64)
        slopes = self.model.samples.slopes(self.model.motion, row, one)
        seen = float(slopes.leave[0]) / self.model.steepness(primary)[1] * row.factor
        quantity = slope_quantity(row)
        slope = quantity.step * round(seen / quantity.step + by)
        self.begin("Set tangents")
        self.show_slope(slope)
        self.end(True)
        return f"{row.name}: slope {quantity.text(slope)}"

    def begin_reshaping(self) -> None:
        """Begin to reshape the selected keys."""
        if self._reshaping is None and self.model.pose_points:
            names = self._name
            parts, points = self.model.selection().parts, dict(self.model.pose_points)
            gesture = self.model.begin_gesture("Reshape keys")
            self._reshaping = ReshapeGesture(self.document, parts, points, names, gesture)
            self.model.dragging = True

    def show_reshaped(self, kind: str, amount: float) -> None:
        """Show the selected keys reshaped, in the edit that is under way; see ``core.animation.reshaping``."""
        if self._reshaping is not None:
            self._reshaping.show(kind, amount)

    def end_reshaping(self, keep: bool) -> None:
        """End it: as one undo step, or with everything as it was."""
        gesture, self._reshaping = self._reshaping, None
        self.model.dragging = False
        if gesture is not None:
            gesture.commit() if keep else gesture.cancel()
            self.model.points_changed.emit()

    def _name(self, column: int) -> str:
        row = self.model.row(column)
        return "" if row is None else row.name

    def show_ease(self, ease: Ease | None) -> None:
        """Show the spans that begin at the selected keys with an ease."""
        self.show_shape(ease=ease)

    # -- what holds now ----------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """How the span at the key that was selected last is filled."""
        primary = self.model.primary
        shape = None if primary is None else self.model.shape(primary)
        return Shape().interp if shape is None else shape.interp

    @property
    def tangents(self) -> str:
        """What the tangents of the key that was selected last are: one of ``TANGENTS``, "" if there are none."""
        primary, sequence = self.model.primary, self.model.sequence
        shape = None if primary is None else self.model.shape(primary)
        if primary is None or sequence is None or shape is None:
            return ""
        place = int(np.searchsorted(sequence.channels.columns[primary.row.number], primary.row.id))
        if shape.interp == LINEAR:
            return STRAIGHT
        come = None if shape.slopes_in is None else shape.slopes_in[place]
        leave = None if shape.slopes_out is None else shape.slopes_out[place]
        if shape.interp != FREE or (come is None and leave is None):
            return AUTO
        if come == 0.0 and leave == 0.0:
            return FLAT
        return JOINED if come == leave else BROKEN


def _as_steep(steep_in: float, steep_out: float, come: float, leave: float) -> tuple[float, float]:
    """Return the slopes of a path at a key that both look as steep as they do on average."""
    seen = 0.5 * (come / steep_in + leave / steep_out)
    return seen * steep_in, seen * steep_out


def add_choices(
    menu: QMenu, choices: Iterable[tuple[str, str]], current: str | None, choose: Callable[[str], object]
) -> None:
    """Add one choice of several to a menu: (key, text) each."""
    group = QActionGroup(menu)
    for key, text in choices:
        add_action(menu, text, partial(choose, key), checked=key == current, group=group)


def titled(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


def interpolation_menu(actions: CurveActions, menu: QMenu) -> None:
    """Fill a menu with the kinds of filling a span."""
    choices = [(kind, text) for kind, text in KINDS.items()]
    add_choices(menu, choices, actions.kind, lambda kind: actions.set_shape(interp=kind))
    primary = actions.model.primary
    shape = None if primary is None else actions.model.shape(primary)
    menu.addSeparator()
    on = shape is not None and shape.turns
    turns = add_action(menu, "Full turns", lambda: actions.set_shape(turns=not on), checked=on)
    turns.setToolTip("A compound joint follows its angles: a full turn stays a full turn")
    along = shape is not None and shape.arcs
    arcs = add_action(menu, "Arcs of joints with two axes", lambda: actions.set_shape(arcs=not along), checked=along)
    arcs.setToolTip("A joint with two axes takes the shortest arc, as one with three does")


def tangents_menu(actions: CurveActions, menu: QMenu) -> None:
    """Fill a menu with the kinds of tangents."""
    add_choices(menu, TANGENTS.items(), actions.tangents, actions.set_tangents)
    menu.addSeparator()
    on = actions.weighted
    weights = add_action(menu, "Weighted", lambda: actions.set_weighted(not on), checked=on)
    weights.setToolTip(
        "Handles have a length: drag them in or out. They take the place of the ease; all values of a joint share them"
    )


def ease_menu(actions: CurveActions, menu: QMenu) -> None:
    """Fill a menu with the presets of eases."""
    primary = actions.model.primary
    shape = None if primary is None else actions.model.shape(primary)
    ease = None if shape is None else shape.ease
    current = "even" if ease is None else ease.title
    add_choices(menu, [(name, titled(ease_name(name))) for name in EASES], current, actions.set_ease)


def _set_key(model: CurvesModel, channel: str, frame: int) -> None:
    """Key a channel at a frame, of the poses or of the active layer."""
    if model.layer is None:
        model.document.keys.set(frame, channels=[channel])
    else:
        model.document.layers.set_key(model.layer.id, frame, [channel])


def key_menu(model: CurvesModel, parent: QWidget, row: CurveRow | None, frame: int) -> QMenu:
    """Return the menu of keys and curves.

    Args:
        model: What the parts of the curve editor share.
        parent: Parent widget.
        row: The curve under the mouse, or None.
        frame: Frame under the mouse.
    """
    actions, menu, some = CurveActions(model), QMenu(parent), bool(model.points)
    if row is not None and not row.turned and not row.target:
        frame = max(frame, 0)
        add_action(
            menu, f"Set key at frame {frame}", partial(_set_key, model, row.channel, frame),
            row.id not in model.locked, "key",
        )  # fmt: skip
    if some:
        for title, fill in (
            ("Interpolation", interpolation_menu), ("Tangents", tangents_menu), ("Ease", ease_menu),
        ):  # fmt: skip
            below = menu.addMenu(title)
            fill(actions, below)
    if not menu.isEmpty():
        menu.addSeparator()
    add_action(menu, "Delete keys" if model.count > 1 else "Delete key", actions.delete, some, "trash")
    menu.addSeparator()
    canvas = parent
    fit = getattr(canvas, "fit", None)
    if fit is not None:
        add_action(menu, "Show selected keys\tF", lambda: fit(True), some)
        add_action(menu, "Show all\tA", lambda: fit(False))
    if row is not None:
        menu.addSeparator()
        add_action(menu, f"Hide {row.name}", lambda: model.toggle_hidden([row.id]), True, "eye")
        add_action(menu, f"Show only {row.name}", lambda: model.show_only(row.id))
        if not row.turned:
            text = "Unlock" if row.id in model.locked else "Lock"
            add_action(menu, f"{text} {row.name}", lambda: model.toggle_locked([row.id]), True, "lock")
    return menu
