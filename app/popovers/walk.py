"""The small window by which a figure walks by rules: how it walks, and on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, SequenceChanged, SessionChanged
from app.document.document import Document
from app.document.edits.walk_edits import Made, made_by
from app.document.walks import WalkGesture
from app.look import fonts
from app.popovers.walk_rows import PACE, ROWS, Row, manner_at, shown_value, with_value
from app.process.handler_guard import guarded
from app.widgets.fields.choice import Choice
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_slider import SettingRow
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.progress_line import ProgressLine
from app.widgets.rows.setting_line import SettingLine
from app.words.part_names import part_name, spoken_name
from app.words.walk_words import NEEDS_KNEES, kind_words, made_words, missed_words
from app.work.background import Background, Progress
from core import kernels
from core.animation.contacts.feet import figure_feet
from core.animation.sequence import Sequence
from core.constraints.hold import solver_kernel
from core.errors import CoreError
from core.gait.error import GaitError
from core.gait.gait import Gait
from core.gait.manner import CURVES, FORCES, WALK, Manner, Pace
from core.gait.procedural import Rules
from core.gait.table import (
    gaits_for,
    is_quickly_checked,
    number_of_feet,
    pace_of,
    walker_of,
    without_knees,
)
from core.terrain import LEVEL, Ground, Terrain, hills, read_terrain, stairs

WIDTH, LABEL_WIDTH, FIELD_WIDTH = 340, 92, 74
PAUSE_MS = 200
STANDING, UNDER_WAY = "standing", "walking"
OWN_FEET, PICKED, SELECTED, FROM_LIST = "found", "picked", "selected", "listed"
LEVEL_FLOOR, SCENE, STAIRS, HILLS, MESH, OWN = "level", "scene", "stairs", "hills", "mesh", "own"
GROUND_WORDS = {
    LEVEL_FLOOR: "Level floor", SCENE: "Ground of the scene", STAIRS: "Stairs", HILLS: "Hills",
    MESH: "Mesh from a file…",
}  # fmt: skip

_stairs, _hills = lru_cache(1)(stairs), lru_cache(1)(hills)


class WalkPopover(Popover):
    """Makes the active sequence a walk, and changes it as values are set; one edit of a value is one undo step.

    Esc, or a press beside it, closes it; what was made stays.

    Args:
        document: The document.
        parent: Parent widget.

    Signals:
        ground_wanted(): A mesh is to be chosen as ground.
    """

    ground_wanted = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__("Walk", WIDTH, parent)
        self.document = document
        self._rules = Rules(Manner(), LEVEL)
        self._feet: tuple[str, ...] = ()  # those that were picked before there is a walk
        self._listing = False  # whether feet are chosen from lists of parts
        self._chosen = False  # whether the ground was chosen before there is a walk
        self._given: list[str] = []
        self._gesture: WalkGesture | None = None
        self._leg = 1.0
        self._missed, self._note = 0.0, ""
        self._problem = ""
        self._wanted: Rules | None = None  # what is to be made beside the window next
        self._text = ""
        self._work = Background(self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._make_beside)
        self.column.setContentsMargins(8, 8, 10, 10)
        title = QLabel("Walk")
        title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        title.setContentsMargins(6, 2, 0, 4)
        self.column.addWidget(title)
        self._add_rows()
        self._add_choices()
        self._add_ground()
        self._add_said()
        self._add_buttons()
        document.changed.connect(self._take)

    # -- building ----------------------------------------------------------------------------------------------------

    def _add_rows(self) -> None:
        self.kind = Choice("Gait")
        self.kind.picked.connect(lambda kind: self._change("Set gait", lambda m: replace(m, kind=str(kind))))
        line = SettingLine("Gait", self.kind, "How it goes", LABEL_WIDTH)
        self.column.addWidget(line)
        self.feet = Choice("Feet")
        self.feet.picked.connect(self._pick_feet)
        tip = (
            "What it goes on: as found, the two parts (of four legs, four) that are selected in the views, or two "
            "parts chosen from lists"
        )
        self.column.addWidget(SettingLine("Feet", self.feet, tip, LABEL_WIDTH))
        self.listed = (Choice("One foot"), Choice("Other foot"))
        self._listed_lines = tuple(
            SettingLine(label, part, "A part of a leg that it goes on", LABEL_WIDTH)
            for label, part in zip(("One foot", "Other foot"), self.listed, strict=True)
        )
        for part, line in zip(self.listed, self._listed_lines, strict=True):
            part.picked.connect(lambda _name: self._pick_listed())
            line.hide()
            self.column.addWidget(line)
        self.rows: dict[str, SettingRow] = {}
        for row in ROWS:
            made = SettingRow(row.label, row.quantity, row.scale, row.limits, LABEL_WIDTH, FIELD_WIDTH)
            made.set_tip(row.tip)
            made.changed.connect(lambda value, row=row: self._set(row, value))
            made.committed.connect(lambda _value: self._finish())
            made.cancelled.connect(self._give_up)
            report_refusals(made, self.document.say)
            self.rows[row.name] = made
            self.column.addWidget(made)

    def _add_choices(self) -> None:
        self.first = self._bar("First foot", (("left", "Left"), ("right", "Right")), "Which foot takes the first step")
        self.first.chosen.connect(lambda key: self._change("Set first foot", lambda m: replace(m, first=key)))
        ends = ((STANDING, "Standing"), (UNDER_WAY, "Under way"))
        self.begins = self._bar("Begins", ends, "Whether it begins standing, or is under way already")
        self.begins.chosen.connect(
            lambda key: self._change("Set how the walk begins", lambda m: replace(m, start=key == STANDING))
        )
        self.ends = self._bar("Ends", ends, "Whether it stands in the end, or is still under way")
        self.ends.chosen.connect(
            lambda key: self._change("Set how the walk ends", lambda m: replace(m, stop=key == STANDING))
        )

        ways = ((CURVES, "By curves"), (FORCES, "By forces"))
        tip = (
            "What moves the body over the feet: even curves, or legs like springs, which slow it down as it climbs "
            "over a foot and let it fall on to the next"
        )
        self.legs = self._bar("Legs", ways, tip)
        self.legs.chosen.connect(lambda key: self._change("Set what moves the body", lambda m: replace(m, legs=key)))

    def _bar(self, label: str, choices: tuple[tuple[str, str], ...], tip: str) -> SegmentBar:
        bar = SegmentBar(choices, name=label)
        bar.set_tight(True)
        self.column.addWidget(SettingLine(label, bar, tip))
        return bar

    def _add_ground(self) -> None:
        self.ground = Choice("Ground")
        self.ground.picked.connect(self._pick_ground)
        self.column.addWidget(SettingLine("Ground", self.ground, "What it walks on", LABEL_WIDTH))

    def _add_said(self) -> None:
        self.said = quiet_label()
        self.said.setFont(fonts.font(fonts.SECONDARY))
        self.said.setWordWrap(True)
        self.said.setContentsMargins(6, 4, 4, 0)
        self.progress = ProgressLine()
        self.progress.setRange(0, 0)
        self.column.addSpacing(4)
        self.column.addWidget(self.said)
        self.column.addWidget(self.progress)
        self.column.addSpacing(4)

    def _add_buttons(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(6)
        self.usual = ToolButton("", "Usual", "Walk as usual: forget all values and footprints moved by hand", "raised")
        self.usual.clicked.connect(self._make_usual)
        self.bake = ToolButton("", "Bake", "Keep keys and locks as they are, without the walk's settings", "raised")
        self.bake.clicked.connect(self._bake)
        self.make_button = ToolButton("", "Make", "Let the figure move so, as one step of Undo (Enter)", "primary")
        self.make_button.clicked.connect(self.make)
        self.close_button = ToolButton("", "Close", "The walk stays (Esc)", "raised")
        self.close_button.clicked.connect(self.hide)
        line.addWidget(self.usual)
        line.addWidget(self.bake)
        line.addStretch(1)
        line.addWidget(self.close_button)
        line.addWidget(self.make_button)
        self.column.addLayout(line)

    # -- opening -----------------------------------------------------------------------------------------------------

    def open_at(self, corner: QPoint) -> None:
        """Open with the left upper corner at a place on the screen, moved so that all of it is seen."""
        self._given = []
        self._missed, self._note = 0.0, ""
        self._begin()
        self.adjustSize()
        self.place(corner.x(), corner.y())
        self.show()
        (self.make_button if self.made_by_rules is False else self.close_button).setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    @property
    def made_by_rules(self) -> bool:
        """Whether the active sequence is a walk."""
        sequence = self.document.sequence
        return sequence is not None and sequence.gait is not None

    def _begin(self) -> None:
        """Show the rules that the sequence has, or the usual ones from where the figure stands."""
        self._problem = ""
        sequence = self.document.sequence
        try:
            rules = self.document.walks.rules
            if rules is None and sequence is not None:
                pose = sequence.poses_at_frames([float(sequence.range[0])])[0]
                manner = manner_at(sequence.skeleton, pose, self._feet)
                rules = Rules(manner, self._rules.ground if self._chosen else self._grounds().get(SCENE, LEVEL))
            if sequence is not None and rules is not None:
                self._rules, self._leg = rules, walker_of(sequence.skeleton, rules.manner.feet).leg_length
        except GaitError as error:
            self._problem = _line(error)
        self._show()

    # -- setting -----------------------------------------------------------------------------------------------------

    def _set(self, row: Row, value: float) -> None:
        """Take a value while it is set; it is a step once it is let go."""
        if row.name in PACE and self._given[-1:] != [row.name]:
            self._given = [*(name for name in self._given if name != row.name), row.name]
        try:
            manner = with_value(self._base.manner, row, value, self._given)
        except GaitError as error:
            self._problem = _line(error)
            self._show()
            return
        self._ask(self._base._replace(manner=manner), f"Set {row.label.lower()} of walk")

    @property
    def _base(self) -> Rules:
        """The rules at the beginning of the edit under way."""
        rules = self.document.walks.rules if self._gesture is None else self._before
        return self._rules if rules is None else rules

    def _change(self, text: str, change: Callable[[Manner], Manner]) -> None:
        try:
            rules = self._base._replace(manner=change(self._base.manner))
        except GaitError as error:
            self._problem = _line(error)
            self._show()
            return
        self._ask(rules, text)
        self._finish()

    def set_ground(self, ground: Ground) -> None:
        """Let it walk on other ground; footprints that were moved by hand stay where they are seen from above."""
        self._chosen = True
        self._ask(self._base._replace(ground=ground), "Set ground of walk")
        self._finish()

    def set_ground_file(self, path: Path) -> bool:
        """Let it walk on a mesh from a file; return whether that can be read, and say why if not."""
        try:
            ground = read_terrain(path)
        except (CoreError, OSError) as error:
            self.refuse_ground(error)
            return False
        self.set_ground(ground)
        return True

    def refuse_ground(self, error: Exception) -> None:
        """Say why a mesh could not be read."""
        self.document.say("warning", str(error).partition("\n")[0], str(error))

    def _make_usual(self) -> None:
        self._given = []
        old = self._base.manner
        self._change("Walk as usual", lambda m: Manner(m.kind, heading=old.heading, place=old.place, feet=old.feet))

    def _pick_feet(self, which: object) -> None:
        """Let it go on the selected parts, or on the feet that it has by itself."""
        skeleton = self.document.skeleton
        if skeleton is None or which == PICKED:
            return
        if which == FROM_LIST:
            self._listing = not self._listing
            self._list_parts()
            self._show()
            return
        joints = self.document.selection.joints if which == SELECTED else ()
        self._take_feet(tuple(skeleton.joint_names[joint] for joint in joints))

    def _pick_listed(self) -> None:
        """Let it go on the two parts that are chosen from lists, once they are two."""
        names = tuple(str(part.chosen) for part in self.listed if part.chosen)
        if len(set(names)) == 2:
            self._take_feet(names)

    def _take_feet(self, names: tuple[str, ...]) -> None:
        """Let it go on parts with names; on those that it has by itself if there are none."""
        self._feet = names
        if self.made_by_rules:
            self._change("Set feet of walk", lambda m: replace(m, feet=self._feet, footprints={}))
        else:
            self._begin()

    def _show_feet(self) -> None:
        """Show which feet it goes on, and which it could."""
        skeleton = self.document.skeleton
        names = () if skeleton is None else skeleton.joint_names
        own = self._own_feet
        picked = self._rules.manner.feet if self.made_by_rules else self._feet
        chosen = tuple(names[joint] for joint in self.document.selection.joints)
        rows: list[tuple[object, str]] = [(OWN_FEET, f"As found: {_listed(own)}" if own else "None found")]
        if picked:
            rows.append((PICKED, _listed(picked)))
        if len(chosen) in (2, 4) and chosen != picked:
            rows.append((SELECTED, f"Selected: {_listed(chosen)}"))
        rows.append((FROM_LIST, "Hide the lists of parts" if self._listing else "Two parts from lists…"))
        self.feet.show_rows(rows, PICKED if picked else OWN_FEET)
        for line in self._listed_lines:
            line.setVisible(self._listing)

    @property
    def _own_feet(self) -> list[str]:
        """Names of the feet that the figure has by itself."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return []
        return [skeleton.joint_names[foot.joint] for foot in figure_feet(skeleton) if foot.grounded]

    def _list_parts(self) -> None:
        """Offer all parts as feet, with those that it goes on now chosen."""
        skeleton = self.document.skeleton
        names = () if skeleton is None else skeleton.joint_names
        now = self._rules.manner.feet or self._feet or self._own_feet
        chosen = now if len(now) == 2 else (None, None)
        for part, name in zip(self.listed, chosen, strict=True):
            part.show_rows([(each, part_name(each)) for each in names], name)

    def _pick_ground(self, kind: object) -> None:
        if kind == MESH:
            self.hide()
            self.ground_wanted.emit()
        else:
            self.set_ground(self._grounds()[str(kind)])

    def _grounds(self) -> dict[str, Ground]:
        """Return the ground that can be chosen without a file, by kind."""
        scene = self.document.physics.settings.now.terrain if self.document.model.physics else None
        return {LEVEL_FLOOR: LEVEL, **({} if scene is None else {SCENE: scene}), STAIRS: _stairs(), HILLS: _hills()}

    def make(self) -> None:
        """Make the active sequence a walk."""
        self._ask(self._rules, "Walk", anew=True)
        self._finish()
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _bake(self) -> None:
        self.hide()
        if self.document.walks.bake():
            self.document.say("info", "The walk is keys now, with the locks of its feet")

    # -- making ------------------------------------------------------------------------------------------------------

    def _ask(self, rules: Rules, text: str, anew: bool = False) -> None:
        """Take rules, and make the walk by them if the sequence is one: at once if that is quick, else beside."""
        self._problem = ""
        if self._gesture is None:
            self._before = self._base
        self._rules = rules
        if self.made_by_rules or anew:
            if self._gesture is None or not self._gesture.active:
                self._gesture = self.document.walks.begin(text)
            if self.document.walks.is_made_at_once(rules) and kernels.is_ready(solver_kernel):
                self._wanted = None
                self._work.cancel()
                self._took(self._gesture.show(rules))
            else:
                self._wanted = rules
                self._make_beside()
        self._show()

    def _took(self, possible: bool) -> None:
        gesture = self._gesture
        assert gesture is not None
        self._problem = "" if possible else gesture.problem
        if possible and gesture.made is not None:
            self._missed, self._note = gesture.made.walk.missed, gesture.made.walk.note

    def _make_beside(self) -> None:
        """Make the walk that is wanted in a thread, and then again if another one is wanted by then."""
        sequence, rules, gesture = self.document.sequence, self._wanted, self._gesture
        if sequence is None or rules is None or self._work.busy:
            return
        if not kernels.is_ready(solver_kernel):  # uncompiled, it would take minutes
            self._pause.start(PAUSE_MS)
            self._show()
            return
        copy = Sequence(sequence.skeleton, sequence.fps)

        def work(progress: Progress) -> Made:
            return made_by(copy, rules)

        def done(made: Made) -> None:
            if gesture is not None and self._gesture is gesture and gesture.active:
                self._took(gesture.show_made(made))
            go_on()

        def failed(error: Exception) -> None:
            self._problem = _line(error) if isinstance(error, CoreError) else "This could not be worked out"
            go_on()

        def go_on() -> None:
            if self._wanted is rules:
                self._wanted = None
            if self._wanted is not None:
                self._make_beside()
            else:
                self._end_if_let_go()

        self._work.run("Walk", work, done, failed)
        self._show()

    def _finish(self) -> None:
        """Let the edit be a step, now or as soon as the walk is made."""
        self._end_if_let_go()

    def _end_if_let_go(self) -> None:
        if self._wanted is None and not any(row.editing for row in self.rows.values()):
            gesture, self._gesture = self._gesture, None
            if gesture is not None:
                if problem := self._problem:
                    gesture.cancel()
                    self._problem = problem  # it is as before, and the line says why
                    self.document.say("warning", problem)
                else:
                    gesture.commit()
        self._show()

    def _give_up(self) -> None:
        """Go back to what was there before the value was set."""
        self._pause.stop()
        self._work.cancel()
        self._wanted = None
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
        self._rules, self._problem = self._before, ""
        self._show()

    # -- showing -----------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, FileChanged) and change.name == "opened":
            self._rules, self._chosen, self._feet = Rules(Manner(), LEVEL), False, ()
        if isinstance(change, FileChanged | FigureChanged):
            self._listing = False  # they may be other parts now
        shown = isinstance(change, SequenceChanged | FigureChanged | FileChanged | KeysChanged | SessionChanged)
        if shown and self.isVisible() and self._gesture is None:
            self._begin()

    def _show(self) -> None:
        """Show the rules, and in a line what they make or why they do not."""
        rules, manner = self._rules, self._rules.manner
        skeleton = self.document.skeleton
        kinds = [] if skeleton is None else [gait.name for gait in gaits_for(skeleton, manner.feet)]
        kinds = kinds if manner.kind in kinds else [manner.kind, *kinds]
        refused = self._refused_kinds()
        self.kind.show_rows([(kind, kind_words(kind, kind in refused)) for kind in kinds], manner.kind, refused)
        self._show_feet()
        gait, pace = self._gait, self._pace
        for row in ROWS:
            widget = self.rows[row.name]
            widget.set_value(shown_value(manner, row, pace))
            stays = gait is not None and not gait.moves
            widget.setEnabled(not (stays and row.name in (*PACE, "turn")))
            if manner.path and row.name in ("steps", "turn"):  # they follow from the way
                widget.setEnabled(False)
            if row.name in PACE:
                widget.slider.set_open(getattr(manner, row.name) is None)
        self.first.set_current(manner.first)
        self.legs.set_current(manner.legs)
        self.legs.setEnabled(manner.kind == WALK and gait is not None and gait.legs == 2)
        self.begins.set_current(STANDING if manner.start else UNDER_WAY)
        self.ends.set_current(STANDING if manner.stop else UNDER_WAY)
        grounds = self._grounds()
        kind = next((name for name, ground in grounds.items() if _same_ground(ground, rules.ground)), None)
        own = [] if kind is not None else [(OWN, "Mesh of its own")]
        known = [(name, GROUND_WORDS[name]) for name in grounds]
        self.ground.show_rows([*own, *known, (MESH, GROUND_WORDS[MESH])], kind or OWN)
        made = self.made_by_rules
        self.bake.setVisible(made)
        self.close_button.setVisible(made)
        self.make_button.setVisible(not made)
        self.make_button.setEnabled(not self._problem)
        self.progress.setVisible(self._wanted is not None)
        text, warns = self._words()
        self.said.setProperty("quiet", not warns)
        self.said.setProperty("warning", warns)
        self.said.style().polish(self.said)
        self.said.setText(text)
        self._fit()

    def _refused_kinds(self) -> dict[object, str]:
        """Return the gaits that the figure cannot do, and why."""
        skeleton, feet = self.document.skeleton, self._rules.manner.feet
        if skeleton is None or not without_knees(skeleton, feet):
            return {}
        return {gait.name: NEEDS_KNEES for gait in gaits_for(skeleton, feet) if gait.knees}

    @property
    def _gait(self) -> Gait | None:
        """The gait that is chosen; None if the figure has no such one."""
        skeleton, manner = self.document.skeleton, self._rules.manner
        offered = () if skeleton is None else gaits_for(skeleton, manner.feet)
        return next((gait for gait in offered if gait.name == manner.kind), None)

    @property
    def _pace(self) -> Pace:
        gait, manner, sequence = self._gait, self._rules.manner, self.document.sequence
        if gait is None:
            return manner.pace(self._leg)
        if sequence is not None and gait.moves and is_quickly_checked(sequence.skeleton, manner, sequence.fps):
            with suppress(CoreError):
                return pace_of(sequence.skeleton, manner, sequence.fps)
        return gait.pace_for(manner, self._leg)

    def _words(self) -> tuple[str, bool]:
        sequence = self.document.sequence
        if sequence is None:
            return "", False
        if self._problem:
            number = 0 if self._feet else number_of_feet(sequence.skeleton)
            pick = ". Select the two parts it is to go on in a view, then choose them under Feet" if number < 2 else ""
            return self._problem + pick, True
        if self._wanted is not None:
            waits = not kernels.is_ready(solver_kernel)
            return ("Waiting until locks are compiled…" if waits else "Making the walk…"), False
        if self.made_by_rules:
            if missed := missed_words(self._missed):
                return missed, True
            if self._note:
                return self._note, False
            return made_words(self._rules.manner, self._gait, self._pace, sequence.duration), False
        number = len(sequence.keys)
        if not number:
            return "From where the figure stands, to where it faces", False
        keys = "1 key" if number == 1 else f"{number} keys"
        return f"Takes the place of the {keys} of this sequence; layers and your own locks stay", False

    def _fit(self) -> None:
        """Give the line that wraps the height it needs: a layout of a popup does not. Two lines have room always."""
        margins = self.column.contentsMargins()
        width = WIDTH - 2 - margins.left() - margins.right()
        self.said.setFixedHeight(max(self.said.heightForWidth(width), 2 * self.said.fontMetrics().height() + 6))
        self.adjustSize()

    # -- events ------------------------------------------------------------------------------------------------------

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.made_by_rules:
            if self.make_button.isEnabled():
                self.make()
        else:
            super().keyPressEvent(event)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        if self._wanted is None:
            self._finish()
        super().hideEvent(event)

    def stop(self) -> None:
        """End what goes on in the background; call before the window closes."""
        self._pause.stop()
        self._work.stop()


def _same_ground(a: Ground, b: Ground) -> bool:
    if a is b:
        return True
    if not (isinstance(a, Terrain) and isinstance(b, Terrain)) or a.vertices.shape != b.vertices.shape:
        return False
    return np.array_equal(a.vertices, b.vertices) and np.array_equal(a.triangles, b.triangles)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(spoken_name(name) for name in names)


def _line(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return text[:1].upper() + text[1:]
