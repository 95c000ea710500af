"""The board that cleans up a recorded motion: what it found, what is done about it, and a ghost of what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.comparison import Comparison
from app.document.content.records import own_copy
from app.document.document import Document
from app.document.edits import edits
from app.document.lock_proposals import LockProposal
from app.document.marked_spans import MarkedSpan
from app.look import fonts
from app.popovers import clean_up_pages as pages
from app.popovers.foot_bands import FootRow
from app.process.handler_guard import guarded
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.frames.board import Board
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout
from app.widgets.progress_line import ProgressLine
from app.words import clean_up_words as words
from app.words.counts import count
from app.words.part_names import part_name
from app.work.background import Progress
from app.work.latest_work import LatestWork
from core import kernels
from core.animation.contacts.finding import ContactOptions
from core.animation.contacts.phases import Phase, stances, with_end, without_stances
from core.animation.locks.strip import LockStrip
from core.animation.sequence import Sequence as Motion
from core.arrays import Array
from core.constraints.hold import solver_kernel
from core.constraints.lock import Lock

if TYPE_CHECKING:
    from core.animation.cleaning.clean import Choices, Cleaned, Found

TITLE = "Clean up motion"
MARGIN, PAUSE_MS = 8, 300
FAULTS, NOISE, FLOOR, FEET, CUT = "faults", "noise", "floor", "feet", "cut"
_MOTION = (KeysChanged, LocksChanged, SequenceChanged)
TABS = ((FAULTS, "Faults"), (NOISE, "Noise"), (FLOOR, "Floor"), (FEET, "Feet"), (CUT, "Cut"))


class CleanUpBoard(Board):
    """Stands over the window until it is closed. All is worked out beside the window; the document changes when
    *Clean up* is pressed, as one undo step.

    Args:
        document: The document.
        area: What it stands beside, at its upper edge.
        parent: A parent of ``area``.

    Attributes:
        found: What was found; None while that is looked for.
        made: What comes out; None while that is worked out.
    """

    def __init__(self, document: Document, area: QWidget, parent: QWidget):
        super().__init__(area, parent)
        self.document = document
        self.found: Found | None = None
        self.made: Cleaned | None = None
        self._revision = 0
        self._wanted = False
        self._done = self._accepting = False
        self._proposed: tuple[LockProposal, ...] = ()
        self._phases: dict[int, tuple[Phase, ...]] = {}
        self._left_out: dict[int, frozenset[int]] = {}
        self._work: LatestWork[Found | Cleaned] = LatestWork(
            TITLE, PAUSE_MS, self._make, self._take_result, self._fail, self._ready, parent=self
        )
        self.setAccessibleName(TITLE)
        self._build()
        self.setFixedWidth(pages.WIDTH)
        area.installEventFilter(self)
        document.changed.connect(self._take)
        self.hide()

    # -- building ----------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        column = column_layout(self, (9, 7, 7, 9), 5)
        title = QLabel(TITLE)
        title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        close = ToolButton("close", "", "Close (Esc)", size=(24, 24))
        close.clicked.connect(self.leave)
        line = QHBoxLayout()
        line.addWidget(title, 1)
        line.addWidget(close)
        column.addLayout(line)
        self.tabs = SegmentBar(TABS, name="What is cleaned up")
        self.tabs.set_tight(True)
        self.tabs.chosen.connect(self.show_page)
        column.addWidget(self.tabs)
        say = self.document.say
        self.faults, self.noise, self.floor = pages.FaultsPage(say), pages.NoisePage(say), pages.FloorPage(say)
        self.feet, self.cut = pages.FeetPage(say), pages.CutPage(say)
        self._pages: dict[str, pages.Page] = {
            FAULTS: self.faults, NOISE: self.noise, FLOOR: self.floor, FEET: self.feet, CUT: self.cut,
        }  # fmt: skip
        self.stack = QStackedWidget()
        for page in self._pages.values():
            page.looked.connect(lambda: self._again(True))
            page.changed.connect(lambda: self._again(False))
            self.stack.addWidget(page)
        self.faults.gone_to.connect(self.document.set_frame)
        self.feet.hold.toggled.connect(lambda _on: self._propose())
        self.feet.bands.edited.connect(self._edit_row)
        self.feet.bands.toggled.connect(self._toggle_stance)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self.stack)
        column.addWidget(scroll, 1)
        self.about = quiet_label()
        self.about.setFont(fonts.font(fonts.SECONDARY))
        self.about.setWordWrap(True)
        self.about.setContentsMargins(6, 0, 4, 0)
        self.about.setFixedHeight(3 * self.about.fontMetrics().lineSpacing())
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.progress = ProgressLine()
        self._work.progressed.connect(self.progress.show_part)
        column.addWidget(self.about)
        column.addWidget(self.progress)
        self._add_buttons(column)

    def _add_buttons(self, column: QVBoxLayout) -> None:
        line = QHBoxLayout()
        line.setSpacing(6)
        self.again = ToolButton("", "Find again", "Forget all that was set by hand here", "raised")
        self.again.clicked.connect(self._forget)
        self.cancel_button = ToolButton("", "Cancel", "Leave the motion as it is (Esc)", "raised")
        self.cancel_button.clicked.connect(self.leave)
        self.clean_button = ToolButton("", "Clean up", "Change the motion, as one step of Undo (Enter)", "primary")
        self.clean_button.clicked.connect(self.accept)
        line.addWidget(self.again)
        line.addStretch(1)
        line.addWidget(self.cancel_button)
        line.addWidget(self.clean_button)
        column.addLayout(line)

    # -- opening -----------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open over the panels at the left and begin to look."""
        sequence = self.document.sequence
        assert sequence is not None
        self._forget_all()
        self.cut.show_range(sequence.keys[0].frame, sequence.keys[-1].frame)
        selected = bool(self.document.selection.joints)
        self.noise.parts.set_current(pages.SELECTED if selected else pages.EVERY)
        self.show_page(FEET)
        self._place()
        self.show()
        self.raise_()
        self.clean_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._again(True, at_once=True)

    def show_page(self, key: str) -> None:
        """Show a page."""
        self.tabs.set_current(key)
        self.stack.setCurrentWidget(self._pages[key])

    @guarded
    def sizeHint(self) -> QSize:
        page = max(each.sizeHint().height() for each in self._pages.values())
        return QSize(pages.WIDTH, page + 190)

    def _place(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        corner = self._area.mapTo(parent, QPoint(0, 0))
        room = parent.height() - corner.y() - 2 * MARGIN
        self.setFixedHeight(min(self.sizeHint().height(), room))
        self.move(MARGIN, corner.y() + MARGIN)  # over the panels: figure and ghost are to be seen

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._area and event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self._place()
        return False

    def leave(self) -> None:
        """Go away, with all that the board shows elsewhere; what is under way is of no use any more."""
        self._work.cancel()
        self._wanted = False
        session = self.document.session
        session.locks.proposed = ()
        session.view.marked = ()
        session.view.compared = None
        super().leave()

    def stop(self) -> None:
        """End what goes on in the background."""
        self._work.stop()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        else:
            super().keyPressEvent(event)

    # -- what is wanted ----------------------------------------------------------------------------------------------

    def choices(self) -> Choices:
        """Return what is to be done."""
        from core.animation.cleaning.clean import FOUND, Choices
        from core.animation.cleaning.faults import FaultOptions

        filter, floor, heading = self.noise.filter.current, self.floor.floor.current, self.floor.heading.current
        sequence = self.document.sequence
        assert sequence is not None
        joints, some = self.document.selection.joints, self.noise.parts.current == pages.SELECTED
        filtered = frozenset(sequence.channels.of_joints(joints, place=True)) if some else None
        return Choices(
            fill=FOUND if self.found is None else self.faults.wanted,
            faults=FaultOptions(angle=np.radians(self.faults.least.value)),
            filter=None if filter == pages.OFF or filtered == frozenset() else filter,
            cutoff=self.noise.cutoff.value if self.noise.by_hand else None,
            filtered=filtered or None,
            floor=0.0 if floor == pages.AS_IT_IS else FOUND,
            level=floor == pages.LEVEL,
            heading=None if heading == pages.AS_IT_IS else heading,
            to_origin=self.floor.origin.isChecked(),
            hold_feet=self.feet.hold.isChecked(),
            contacts=ContactOptions(speed=self.feet.given.get("speed"), height=self.feet.given.get("height")),
            phases=self._taken() if self._phases else None,
            remove=(self.cut.frames(self.cut.removed),) if self.cut.take_out.isChecked() else (),
            trim=self.cut.frames(self.cut.kept) if self.cut.trim.isChecked() else None,
            loop=self.cut.loop.isChecked(),
        )

    def _taken(self) -> dict[int, tuple[Phase, ...]]:
        """Return what feet do, by their joints, without the stances that are left out."""
        return {joint: without_stances(phases, self._left_out.get(joint, ())) for joint, phases in self._phases.items()}

    def _forget(self) -> None:
        self._forget_all()
        self._again(True, at_once=True)

    def _forget_all(self) -> None:
        for page in self._pages.values():
            page.forget()
        self._left_out, self._done = {}, False

    # -- looking, and working it out -----------------------------------------------------------------------------------

    def _again(self, looks: bool, at_once: bool = False) -> None:
        """Something else is wanted: look for it, or work it out, once nothing changes any more.

        Args:
            looks: Whether what was found is no longer so.
            at_once: Whether nothing more will change.
        """
        if not self.isVisible():
            return
        self._done = False
        self.made = None
        if looks:
            self.found, self._phases, self._left_out = None, {}, {}
        self.document.session.view.compared = None
        self._show_under_way()
        self._work.ask(at_once)

    def _show_under_way(self) -> None:
        self._show_state("Looking for faults, noise and contacts…" if self.found is None else "Working it out…")

    def _ready(self) -> bool:
        ready = kernels.is_ready(solver_kernel)  # uncompiled, it would take minutes
        if not ready:
            self._show_state("Waiting until locks are compiled…")
        return ready

    def _make(self) -> Callable[[Progress], Found | Cleaned] | None:
        """Return what is to be done now: to look, or to work out what comes of what was found."""
        sequence = self.document.sequence
        if sequence is None or not self.isVisible():
            return None
        self._show_under_way()
        self._revision = self.document.revision
        own = own_copy(sequence)
        choices = self.choices()
        if self.found is None:

            def find(progress: Progress) -> Found:
                from core.animation.cleaning.clean import look  # it loads scipy

                return look(own, choices, progress)

            return find

        def clean(progress: Progress) -> Cleaned:
            from core.animation.cleaning.clean import cleaned

            return cleaned(own, choices, progress)

        return clean

    def _take_result(self, result: Found | Cleaned) -> None:
        from core.animation.cleaning.clean import Found

        if isinstance(result, Found):
            self._take_found(result)
        else:
            self._take_made(result)

    def _take_found(self, found: Found) -> None:
        self.found = found
        self._phases = {joint: tuple(phases) for joint, phases in found.phases.items()}
        self.faults.show_faults(found.faults)
        self.faults.about.setText(words.faults_text(found))
        self.noise.about.setText(words.noise_text(found))
        cutoffs = [each.cutoff for each in found.residuals if each.cutoff is not None]
        self.noise.show_cutoff(float(np.median(cutoffs)) if cutoffs else None)
        self.floor.about.setText(words.floor_text(found))
        if found.contacts is not None:
            self.feet.show_bounds(found.contacts.bounds.speed, found.contacts.bounds.height)
        self.document.session.view.marked = tuple(
            MarkedSpan(each.first, each.last, words.fault_text(each)) for each in found.faults
        )
        self._show_feet()
        self._propose()
        self._again(False, at_once=True)

    def _take_made(self, made: Cleaned) -> None:
        self.made = made
        pose = _poses_of(made.sequence, made.place)
        self.document.session.view.compared = Comparison("Cleaned up", pose)
        self._show_state()
        if self._wanted:
            self.accept()

    def _fail(self, problem: str) -> None:
        self._wanted = False
        self._show_state(problem[:1].upper() + problem[1:], failed=True)

    def _show_state(self, text: str = "", failed: bool = False) -> None:
        """Say what there is, or what is under way."""
        made = self.made
        busy = made is None and not failed and not self._done
        self.progress.setVisible(busy)
        if busy:
            self.progress.setValue(0)
        notes = "" if made is None else ". ".join(("", *made.notes))
        said = text or ("" if made is None else words.done_text(made) + notes)
        self.about.setText(said)
        self.about.setToolTip(said)
        self.clean_button.setEnabled(not failed and not self._done)
        self.cancel_button.set_label("Close" if self._done else "Cancel")

    # -- stances -----------------------------------------------------------------------------------------------------

    def _joints(self) -> tuple[int, ...]:
        return tuple(self._phases)

    def _show_feet(self) -> None:
        """Show when feet stand."""
        skeleton, sequence = self.document.skeleton, self.document.sequence
        assert skeleton is not None and sequence is not None
        rows = [
            FootRow(part_name(skeleton.joint_names[joint]), phases, True, self._left_out.get(joint, frozenset()))
            for joint, phases in self._phases.items()
        ]
        bands = self.feet.bands
        bands.setVisible(bool(rows))
        bands.show_rows(rows, (sequence.keys[0].frame, sequence.keys[-1].frame), round(self.document.frame))
        number = sum(len(stances(phases)) for phases in self._phases.values())
        self.feet.about.setText(
            f"{count(number, 'stance')} found, dashed in the timeline: click one to leave it out, drag its ends"
            if rows
            else "This figure has no feet"
        )

    def _edit_row(self, row: int, phases: Sequence[Phase]) -> None:
        self._phases[self._joints()[row]] = tuple(phases)
        self._stances_changed()

    def _toggle_stance(self, row: int, stance: int) -> None:
        joint = self._joints()[row]
        self._left_out[joint] = self._left_out.get(joint, frozenset()) ^ {stance}
        self._stances_changed()

    def _stances_changed(self) -> None:
        self._show_feet()
        self._propose()
        self._again(False)

    def _propose(self) -> None:
        """Let the timeline show the stances as locks that are proposed."""
        skeleton = self.document.skeleton
        assert skeleton is not None
        made = []
        for joint, phases in self._phases.items():
            name = skeleton.joint_names[joint]
            lock = Lock(name, "position", target=(0.0, 0.0, 0.0))
            for n, (first, last) in enumerate(stances(phases)):
                strip = LockStrip(lock, first, last, id=f"{joint}/{n}", name=f"{part_name(name)}, stance")
                made.append(LockProposal(strip, n not in self._left_out.get(joint, frozenset())))
        self._proposed = tuple(made)
        self.document.session.locks.proposed = tuple(made) if self.feet.hold.isChecked() else ()

    def _take_proposals(self, proposals: Sequence[LockProposal]) -> None:
        """Take ends and refusals that were set in the timeline."""
        changed = False
        for proposal in proposals:
            joint, n = (int(part) for part in proposal.strip.id.split("/"))
            phases: Sequence[Phase] = self._phases[joint]
            first, last = stances(phases)[n]
            if proposal.strip.start != first:
                phases = with_end(phases, n, False, proposal.strip.start)
            if proposal.strip.end is not None and proposal.strip.end != last:
                phases = with_end(phases, n, True, proposal.strip.end)
            left = self._left_out.get(joint, frozenset())
            if proposal.accepted == (n in left):
                self._left_out[joint] = left ^ {n}
                changed = True
            if tuple(phases) != self._phases[joint]:
                self._phases[joint] = tuple(phases)
                changed = True
        if changed:
            self._show_feet()
            self._again(False)

    def _take(self, change: Change) -> None:
        if not self.isVisible():
            return
        if isinstance(change, SessionChanged) and change.name == "proposed_locks" and change.value:
            if change.value != self._proposed:
                self._proposed = tuple(change.value)
                self._take_proposals(self._proposed)
        elif isinstance(change, FrameChanged):
            self.feet.bands.frame = round(self.document.frame)
            self.feet.bands.update()
        elif isinstance(change, SelectionChanged):
            if self.noise.parts.current == pages.SELECTED and not self._done:
                self._again(True)
        elif isinstance(change, FigureChanged) or (isinstance(change, FileChanged) and change.name == "opened"):
            self.leave()
        elif isinstance(change, _MOTION) and not change.live and not self._accepting:
            if self.document.revision == self._revision:
                return
            if self._done:
                self.leave()
            else:
                self._again(True)

    # -- cleaning up ---------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Clean up, as one step; while it is being worked out, as soon as that has ended."""
        made, document = self.made, self.document
        if self._done:
            return
        if made is None:
            self._wanted = self._work.busy
            return
        self._wanted = False
        sequence = document.sequence
        if sequence is None or document.revision != self._revision:
            document.say("info", "The motion was edited in the meantime; it is being looked at again")
            self._again(True, at_once=True)
            return
        before = own_copy(sequence)
        text = words.done_text(made)
        session = document.session
        session.locks.proposed, session.view.marked, session.view.compared = (), (), None
        self._accepting = True
        done = document.do(TITLE, lambda: edits.sequence_values(document.model, made.values(sequence)))
        self._accepting = False
        if not done:
            return
        self._done, self._revision = True, document.revision
        back = _backwards(made, before)
        session.view.compared = Comparison("Before", _poses_of(before, back))
        self._show_state(f"Done. {text}. The ghost is the motion before")
        document.say("info", text)
        self.cancel_button.setFocus(Qt.FocusReason.OtherFocusReason)


Place = Callable[[float], "float | None"]


def _poses_of(sequence: Motion, place: Place) -> Callable[[int], Array | None]:
    """Return what gives a motion's pose at a frame of another one, of which ``place`` says where it is."""

    def pose(frame: int) -> Array | None:
        there = place(float(frame))
        return None if there is None else sequence.poses_at_frames([there])[0]

    return pose


def _backwards(made: Cleaned, before: Motion) -> Place:
    """Return where each frame of a cleaned motion was."""
    first, last = before.keys[0].frame, before.keys[-1].frame
    pairs = [(there, frame) for frame in range(first, last + 1) if (there := made.place(float(frame))) is not None]
    new, old = (np.array(each, dtype=np.float64) for each in zip(*pairs, strict=True))

    def place(frame: float) -> float | None:
        at = int(np.abs(new - frame).argmin())
        return float(old[at]) if abs(new[at] - frame) < 0.5 else None

    return place
