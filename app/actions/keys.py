"""What the actions on keys do: copying, retiming, how the motion goes on, what a key holds, rows shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.actions.group import WindowActions
from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.content.key_selection import NOTHING, KeySelection
from app.document.edits import key_edits
from app.document.edits.key_edits import channels_to_key
from app.document.keys import clipboard
from app.timeline.model import TimelineModel
from app.timeline.sheet.key_numbers import KeyNumbers
from app.timeline.sheet.key_tip import KINDS
from app.timeline.sheet.rows import ONLY_KEYED, ONLY_SELECTED
from app.widgets.frames.menu import space_shortcuts
from app.words.counts import count
from app.words.keys_now import with_key
from core.animation import editing
from core.animation.channels import channels_of
from core.animation.clip import Clip
from core.animation.key_parts import held
from core.animation.sequence import Sequence
from core.animation.shape import EASES, KOCHANEK_BARTELS, Shape
from core.errors import CoreError

WORDS = {
    "figure": "the whole figure",
    "changed": "the parts that changed",
    "selection": "the selected parts",
}
"""What a key holds, by the session's ``key_what``, as tooltips say it."""
ACTIONS = {what: f"key_{what}" for what in WORDS}


class KeyWhatActions(WindowActions):
    """Actions on what auto-key and Set key write into the key at the current frame."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {action: partial(self.choose, what) for what, action in ACTIONS.items()}
        return made | {"set_key": self.set_key}

    def connect(self) -> None:
        """Follow the document."""
        group = QActionGroup(self._window)
        for name in ACTIONS.values():
            group.addAction(self._window.action_table[name])
        self.document.changed.connect(self._take)
        self._window.action_table.keys_changed.connect(self.show_state)
        self.show_state()

    def _take(self, change: Change) -> None:
        if isinstance(change, (FigureChanged, FileChanged)) or (
            isinstance(change, SessionChanged) and change.name in ("key_what", "auto_key", "mode")
        ):
            self.show_state()

    def choose(self, what: str) -> None:
        """Let keys hold the whole figure, what changed or what is selected."""
        self.document.session.keys.what = what

    def set_key(self) -> None:
        """Key the pose that is shown; the whole figure where nothing has changed or nothing is selected."""
        document, model = self.document, self.document.model
        names = None
        if document.skeleton is not None:
            selected, keyed = document.selection.joints, model.keyed_pose(model.frame)
            names = channels_to_key(document.session, document.skeleton, selected, keyed, model.pose)
        document.keys.set(channels=names or None)

    def show_state(self) -> None:
        """Tick what keys hold, and say it where keys are set."""
        actions, session = self._window.action_table, self.document.session
        actions[ACTIONS[session.keys.what]].setChecked(True)
        held = WORDS[session.keys.what]
        auto = f"Auto key: each change goes into the key at the current frame; it stores {held}"
        actions["auto_key"].setToolTip(with_key(auto, "auto_key"))
        actions["set_key"].setToolTip(with_key(f"Set a key for {held}", "set_key"))


COPYING = frozenset({"cut_keys", "copy_keys", "paste_keys", "paste_keys_flipped", "paste_keys_room", "paste_keys_over",
                     "duplicate_keys"})  # fmt: skip
"""What holds in all of the timeline but on strips; other keys mean something else on curves and music, too."""
ON_SELECTED = frozenset({"cut_keys", "copy_keys", "duplicate_keys", "key_numbers", "stretch_keys", "slide_keys",
                         "reshape_keys", "ripple_delete", "delete_selected_keys", "fit_selected_keys"})  # fmt: skip
ON_LAYER_KEYS = frozenset({"cut_keys", "copy_keys", "duplicate_keys", "delete_selected_keys", "fit_selected_keys"})
"""What is offered for selected keys of layers, too."""
EASE_NAMES = {name: "ease_" + name.replace(" ", "_") for name in EASES}


class KeyActions(WindowActions):
    """Actions on the selected keys; with none selected those on how the motion goes on mean the key that is shown."""

    _numbers: KeyNumbers | None = None
    _refused = ""  # the question that the last paste has left

    @cached_property
    def _what(self) -> KeyWhatActions:
        return KeyWhatActions(self._window)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {
            "copy_keys": self.copy,
            "cut_keys": self.cut,
            "paste_keys": self.paste,
            "paste_keys_flipped": lambda: self.paste(flipped=True),
            "paste_keys_room": lambda: self.paste(make_room=True),
            "paste_keys_over": lambda: self.paste(replace=True),
            "duplicate_keys": self.duplicate,
            "delete_selected_keys": self.delete,
            "ripple_delete": self.ripple_delete,
            "select_all_keys": lambda: self.model.select_all(),
            "key_numbers": lambda: self.open_numbers("frame"),
            "stretch_keys": lambda: self.open_numbers("length"),
            "slide_keys": lambda: self.open_numbers("shift"),
            "insert_frames": lambda: self.open_numbers("count"),
            "remove_frames": self.remove_frames,
            "reshape_keys": lambda: self._window.timeline.transport.open_many(),
            "key_parts": self.key_parts,
            "unkey_parts": self.unkey_parts,
            "full_turns": self.flip_turns,
            "two_axis_arcs": self.flip_arcs,
            "fit_keys": lambda: self.model.fit(),
            "fit_selected_keys": self.fit_selected,
            "open_rows": self.open_rows,
            "close_rows": lambda: self.open_rows(False),
            "rows_of_selection": lambda: self.flip_filter(ONLY_SELECTED),
            "rows_with_keys": lambda: self.flip_filter(ONLY_KEYED),
        }
        for kind in KINDS:
            made[f"interpolate_{kind}"] = partial(self.interpolate, kind)
        for name, action in EASE_NAMES.items():
            made[action] = partial(self.shape, ease=name)
        return made | self._what.handlers()

    @property
    def model(self) -> TimelineModel:
        """The timeline's model."""
        return self._window.timeline.model

    def connect(self) -> None:
        """Bind the keys that hold in the timeline to it, and follow the document."""
        timeline = self._window.timeline
        keys = (timeline.strip, timeline.sheet, timeline.ruler, timeline.layers)
        strips = (timeline.locks, timeline.dynamics)  # there strips are copied
        beside = [band for band in timeline.bands if band not in strips]
        copying = (*beside, timeline.lanes, timeline.transport, timeline.lock_header, timeline.curves.bar)
        self.bind_keys("timeline", lambda action: copying if action in COPYING else keys)
        for canvas in (timeline.strip, timeline.sheet):
            canvas.menu_requested.connect(self.show_menu)
            canvas.numbers_requested.connect(lambda _frame: self.open_numbers("frame"))
        timeline.ruler.filter_requested.connect(self.show_filter_menu)
        self.document.changed.connect(self._take)
        self.show_state()
        self._what.connect()

    # -- which keys -----------------------------------------------------------------------------------------------

    def meant(self) -> KeySelection:
        """Return the selected keys, or the one at the current frame if none is selected."""
        selection, sequence = self.model.selected, self.document.sequence
        if selection or sequence is None or not sequence.keys.keyed_at(self.document.frame):
            return selection
        return KeySelection.of_frames([self.document.frame], sequence.channels.all)

    def _shape(self) -> Shape | None:
        """Return how the motion goes on from the first of the keys that are meant, in the first of its channels."""
        sequence, selection = self.document.sequence, self.meant()
        key = None if sequence is None or not selection else sequence.keys.at(selection.frames[0])
        if sequence is None or key is None:
            return None
        names = held(key, sequence.channels, selection.parts[key.frame])
        first = next((name for name in sequence.channels.names if name in names), None)
        return None if first is None else key.shape_of(first)

    # -- state ----------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if change.live:
            return
        if isinstance(change, SessionChanged) and change.name not in (
            "selected_keys",
            "layer_keys",
            "rows_shown",
            "mode",
        ):
            return
        if isinstance(
            change,
            (FrameChanged, KeysChanged, SessionChanged, FigureChanged, FileChanged, SequenceChanged, SelectionChanged),
        ):
            self.show_state()

    def show_state(self) -> None:
        """Enable what makes sense now, and tick how the motion goes on."""
        actions, session = self._window.action_table, self.document.session
        posing = session.mode != "skeleton" and self.document.sequence is not None
        some, of_layer = posing and bool(session.keys.selected), posing and bool(self.document.layers.selected)
        for name in ON_SELECTED:
            actions[name].setEnabled(some or (of_layer and name in ON_LAYER_KEYS))
        shape = self._shape() if posing else None
        for kind in KINDS:
            action = actions[f"interpolate_{kind}"]
            action.setEnabled(shape is not None)
            action.setChecked(shape is not None and shape.interp == kind)
        for name, action_name in EASE_NAMES.items():
            actions[action_name].setEnabled(shape is not None)
            actions[action_name].setChecked(shape is not None and shape.ease == EASES[name])
        actions["full_turns"].setEnabled(shape is not None)
        actions["full_turns"].setChecked(shape is not None and shape.turns)
        actions["two_axis_arcs"].setEnabled(shape is not None)
        actions["two_axis_arcs"].setChecked(shape is not None and shape.arcs)
        for name in ("key_parts", "unkey_parts"):
            actions[name].setEnabled(posing and bool(self.document.selection.joints))
        for name, what in (("rows_of_selection", ONLY_SELECTED), ("rows_with_keys", ONLY_KEYED)):
            actions[name].setChecked(what in session.keys.rows_shown)

    # -- copying --------------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the selected keys."""
        layers = self.document.layers
        if layers.selected:
            if (clip := layers.copy()) is not None:
                self._window.status.answer(f"Copied {count(len(clip.keys), 'key')} of the layer")
            return
        selection = self.model.selected
        if selection and self.document.keys.copy(selection) is not None:
            self._window.status.answer(f"Copied {count(len(selection), 'key')}")

    def cut(self) -> None:
        """Copy the selected keys and delete them."""
        if self.document.layers.selected:
            self.document.layers.cut()
            return
        selection = self.model.selected
        if selection and self.document.keys.cut(selection):
            self.document.history.select_moved(selection, NOTHING)

    def paste(
        self, flipped: bool = False, make_room: bool = False, replace: bool = False, at: int | None = None
    ) -> None:
        """Paste the copied keys at a frame, None for the current one, and select them; asks if others are there."""
        sequence, frame = self.document.sequence, self.document.frame if at is None else at
        self._window.errors.withdraw(self._refused)  # it is asked again, or no longer true
        self._refused = ""
        if sequence is None:
            return
        try:
            clip = clipboard.get(sequence.skeleton)
        except CoreError as error:
            self.document.say("warning", str(error))
            return
        if clip is None:
            self.document.say("info", "There are no keys to paste; copy some in the timeline first")
        elif clip.offsets:
            self.document.layers.paste(clip, frame, flipped, make_room)
        elif not (make_room or replace) and (met := key_edits.collision(self.document.model, frame, clip, flipped)):
            self._refused = f"{met[:1].upper()}{met[1:]}. Replace what is there?"
            again = partial(self.paste, flipped, at=frame)
            self._window.ask(
                self._refused,
                [
                    ("Replace", "Existing keys of the same channels are replaced", partial(again, replace=True)),
                    ("Make room", "Later keys move to make room", partial(again, make_room=True)),
                    ("Cancel", "Paste nothing", lambda: None),
                ],
            )
        else:
            before, step = self.model.selected, self.document.stack.index()
            if self.document.keys.paste(frame, flipped, make_room, replace):
                if self.document.stack.index() != step:  # else the same keys were there
                    self._select_pasted(clip, frame, flipped, before)

    def _select_pasted(self, clip: Clip, frame: int, flipped: bool, before: KeySelection) -> None:
        """Select what was pasted; Undo selects what was before."""
        sequence = self.document.sequence
        if sequence is not None:
            fitted = clip.fitted(sequence.skeleton)
            fitted = fitted.flipped(sequence.skeleton) if flipped else fitted
            parts = {key.frame + frame: key.keyed for key in fitted.keys}
            self.document.history.select_moved(before, KeySelection(parts, sequence.channels.all))

    def duplicate(self) -> None:
        """Put a copy of the selected keys at the current frame, or behind them, where there is room."""
        if self.document.layers.selected:
            self._duplicate_of_layer()
            return
        selection, sequence = self.model.selected, self.document.sequence
        if not selection or sequence is None:
            return
        first, last = selection.frames[0], selection.frames[-1]
        clip = key_edits.copied(sequence, selection, selection.parts, None)
        if clip is None:
            return
        now = self.document.frame
        at = now if not first <= now <= last else last + 1
        while self._meets(clip, at, sequence):
            at += 1
        if self.document.keys.paste(at, clip=clip):
            self._select_pasted(clip, at, False, selection)
            self.model.reveal(at)

    def _duplicate_of_layer(self) -> None:
        layers, now = self.document.layers, self.document.frame
        frames = sorted(frame for _, frame in layers.selected)
        clip = layers.clip()
        if clip is not None:
            layers.activate(next(id for id, _ in layers.selected))
            layers.paste(clip, now if not frames[0] <= now <= frames[-1] else frames[-1] + 1)

    @staticmethod
    def _meets(clip: Clip, at: int, sequence: Sequence) -> bool:
        """Return whether a clip at a frame would meet keys of the same channels."""
        channels = sequence.channels
        for key in clip.keys:
            there = sequence.keys.at(key.frame + at)
            if there is not None and held(there, channels) & held(key, channels):
                return True
        return False

    # -- deleting and frames --------------------------------------------------------------------------------------

    def delete(self) -> None:
        """Delete the selected keys, of layers or of poses."""
        if self.document.layers.selected:
            self.document.layers.delete_selected()
        else:
            self.model.delete_selected()

    def fit_selected(self) -> None:
        """Show the frames of the selected keys, of layers or of poses."""
        chosen = self.document.layers.selected
        if chosen:
            frames = [frame for _, frame in chosen]
            self.model.show_span(float(min(frames)), float(max(frames)))
        else:
            self.model.fit_selected()

    def open_rows(self, wanted: bool = True) -> None:
        """Open all rows of the dope sheet, or close them."""
        self._show_sheet()
        self.model.open_all(wanted)

    def _show_sheet(self) -> None:
        """Bring the dope sheet up if another tab is open."""
        timeline = self._window.timeline
        if timeline.transport.tabs.current != "keys":
            timeline.show_tab("keys")

    def ripple_delete(self) -> None:
        """Delete the selected keys, and let what is later close up: the next key comes to where the first was."""
        selection, sequence = self.model.selected, self.document.sequence
        if not selection or sequence is None:
            return
        channels, frames = sequence.channels, selection.frames
        names = selection.channels
        later = editing.inside(sequence.keys, frames[-1] + 1, sequence.keys.frames[-1], channels, names)
        following = min(later, default=None)
        inside = [frame for frame in sequence.keys.frames if frames[0] <= frame <= frames[-1]]
        if following is not None and names is None and selection.whole and len(inside) == len(frames):
            if self.document.keys.remove_frames(frames[0], following - 1):
                self.document.history.select_moved(selection, NOTHING)
            return
        by = 0 if following is None else frames[0] - following
        with self.document.keys.begin_gesture(f"Delete {count(len(frames), 'key')} and close the gap") as gesture:

            def make(s: Sequence) -> dict[str, object]:
                left = editing.removed(s.keys, dict(selection.parts), channels)
                mapping = {frame: frame + by for frame in later} if by else {}
                return {"keys": editing.moved(left, mapping, channels, later, "closing up")}

            done = gesture.set_values(make)
            if not done:
                self.document.say("warning", gesture.problem)
        if done:
            self.document.history.select_moved(selection, NOTHING)

    def remove_frames(self) -> None:
        """Take the frames from the first selected key to the last away, or the current frame."""
        selection = self.model.selected
        frames = selection.frames or (self.document.frame,)
        if self.document.keys.remove_frames(frames[0], frames[-1]) and selection:
            self.document.history.select_moved(selection, NOTHING)

    # -- shapes and parts -----------------------------------------------------------------------------------------

    def shape(self, **values: Any) -> None:
        """Set how the motion goes through the keys that are meant."""
        selection = self.meant()
        if selection:
            self.document.keys.set_shape(selection, **values)

    def interpolate(self, kind: str) -> None:
        """Set what fills the spans; one that goes by numbers asks for them, but for curves, which show them."""
        self.shape(interp=kind)
        shape = self._shape()
        if kind == KOCHANEK_BARTELS and shape is not None and shape.interp == kind:
            if not self._window.timeline.curves.isVisible():
                self.open_numbers("tension")

    def flip_turns(self) -> None:
        """Let compound joints follow their angles in the spans that begin there, or take the shortest way again."""
        shape = self._shape()
        if shape is not None:
            self.shape(turns=not shape.turns)

    def flip_arcs(self) -> None:
        """Let joints with two axes take the shortest arc in the spans that begin there, or follow their angles."""
        shape = self._shape()
        if shape is not None:
            self.shape(arcs=not shape.arcs)

    def key_parts(self) -> None:
        """Set a key that holds only the selected parts."""
        self.document.keys.set(joints=self.document.selection.joints)

    def unkey_parts(self) -> None:
        """Take the selected parts out of the selected keys, or of the one at the current frame."""
        skeleton, sequence = self.document.skeleton, self.document.sequence
        if skeleton is None or sequence is None:
            return
        names = channels_of(skeleton).of_joints(self.document.selection.joints, place=True)
        chosen = self.meant()
        parts = KeySelection(dict.fromkeys(chosen.parts, frozenset(names)), sequence.channels.all).within(sequence)
        if parts:
            self.document.keys.delete(parts, text="Remove parts from keys")
        else:
            self.document.say("info", "No key here stores the selected parts")

    # -- what is shown --------------------------------------------------------------------------------------------

    def flip_filter(self, what: str) -> None:
        """Leave only some rows, or all again."""
        session = self.document.session
        self._show_sheet()
        session.keys.rows_shown = session.keys.rows_shown ^ {what}

    def open_numbers(self, field: str) -> None:
        """Open the numbers of the selected keys beside them, with the keyboard in one of the fields."""
        window, model = self._window, self.model
        if self.document.sequence is None:
            return
        if not model.selected and self.document.sequence.keys.keyed_at(self.document.frame):
            model.select([self.document.frame])
        if self._numbers is None:
            self._numbers = KeyNumbers(model, window)
        timeline, frames = window.timeline, model.selected.frames or (self.document.frame,)
        x = min(max(timeline.ruler.track_x(frames[0]), 160.0), timeline.width() - 40.0)
        place = timeline.ruler.mapToGlobal(QPoint(round(x), 0))
        self._numbers.open_at(place, getattr(self._numbers, field))

    def show_filter_menu(self, place: QPoint) -> None:
        """Show which rows the dope sheet may have."""
        menu = self._menu()
        self._add(menu, ("rows_of_selection", "rows_with_keys"))
        menu.addSeparator()
        self._add(menu, ("open_rows", "close_rows"))
        space_shortcuts(menu)
        menu.popup(place)

    def show_menu(self, place: QPoint, frame: int) -> None:
        """Show what can be done with the selected keys, or with the frame under a right click beside all keys."""
        model, actions = self.model, self._window.action_table
        menu = self._menu()
        if frame >= 0:
            if not model.chosen_at(frame):
                model.select([frame])
            self.document.set_frame(frame)
            count = len(model.selected)
            title = menu.addAction(f"Key at frame {frame}" if count == 1 else f"{count} keys")
            title.setEnabled(False)
            menu.addSeparator()
        self._add(menu, ("cut_keys", "copy_keys", "paste_keys"))
        self._add(menu.addMenu("Paste special"), ("paste_keys_flipped", "paste_keys_room", "paste_keys_over"))
        self._add(menu, ("duplicate_keys", "delete_selected_keys", "ripple_delete"))
        menu.addSeparator()
        self._add(menu, ("key_numbers", "stretch_keys", "slide_keys", "reshape_keys", "insert_frames", "remove_frames"))
        menu.addSeparator()
        if frame >= 0:
            kinds, eases = menu.addMenu("Interpolation"), menu.addMenu("Ease")
            self._add(kinds, [f"interpolate_{kind}" for kind in KINDS])
            kinds.addSeparator()
            self._add(kinds, ("full_turns", "two_axis_arcs"))
            self._add(eases, EASE_NAMES.values())
        menu.addAction(actions["key_parts"])
        menu.addAction(actions["unkey_parts"])
        menu.addSeparator()
        self._add(menu, ("select_all_keys", "fit_keys", "fit_selected_keys"))
        space_shortcuts(menu)
        menu.popup(place)

    def _menu(self) -> QMenu:
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _add(self, menu: QMenu, names: Iterable[str]) -> None:
        for name in names:
            menu.addAction(self._window.action_table[name])


def in_timeline(window: QWidget) -> bool:
    """Return whether the timeline of a window has the keyboard."""
    timeline, focus = getattr(window, "timeline", None), window.focusWidget()
    return isinstance(timeline, QWidget) and focus is not None and (focus is timeline or timeline.isAncestorOf(focus))
