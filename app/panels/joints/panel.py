"""The joints panel: one slider a degree of freedom, in the groups of the .scr file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    PhysicsChanged,
    PoseChanged,
    SelectionChanged,
    SessionChanged,
)
from app.document.edits import joint_edits
from app.document.edits.part_choice import other_side
from app.look import style
from app.panels.follow_marks import RESPONSES, mark_of
from app.panels.joints.following import FollowingSection
from app.panels.joints.group_locks import GroupLocks, is_simulated
from app.panels.joints.row_hover import BlockedMarks, RowHover
from app.panels.live_edit import LiveEdits
from app.process.handler_guard import guarded
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.search_box import SearchBox
from app.widgets.frames.dock import Panel
from app.widgets.frames.empty_state import EmptyState
from app.widgets.frames.menu import Item, make_menu, pop_up
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.frames.tool_button import ToolButton
from app.widgets.joints.joint_groups import (
    ROOT_TITLE,
    Entry,
    Group,
    Section,
    joint_groups,
    joint_sections,
    label_width,
    show_the_same,
)
from app.widgets.joints.joint_row import JointRow
from app.widgets.layouts import column_layout
from app.widgets.rows.group_header import GroupHeader
from app.words.dof_names import full_label
from app.words.quantity import DEGREES
from app.work.throttle import Throttle
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_joint
from core.skeleton.cones import cones_of

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.gestures.pose_gesture import Gesture


def row_menu(panel: JointsPanel, group: Group, row: JointRow) -> QMenu:
    """Return the menu of a row that stands in a group."""
    return make_menu(
        panel,
        [
            ("Reset to rest", lambda: panel.reset([row.index], f"Reset {row.label}"), "rest"),
            (f"Reset group “{group.title}”", lambda: panel.reset_group(group), ""),
            None,
            ("Select joint", lambda: panel.document.selection.set((row.joint,)), "select"),
            ("Select group", lambda: panel.select_group(group), ""),
        ],
    )


def group_menu(panel: JointsPanel, group: Group) -> QMenu:
    """Return the menu of a group."""
    document = panel.document
    joints = tuple(dict.fromkeys(entry.joint for entry in group.entries))
    skeleton = document.skeleton
    across = () if skeleton is None else other_side(skeleton, joints)
    sided = bool(set(across) - set(joints))
    items: list[Item] = [
        ("Select group", lambda: panel.select_group(group), "select"),
        ("Add group to the selection", lambda: document.selection.set(joints, "add"), ""),
        ("Take group out of the selection", lambda: document.selection.set(joints, "remove"), ""),
        *([("Select the other side", lambda: document.selection.set(across), "")] if sided else []),
        None,
        ("Copy pose of group", lambda: document.posing.copy(joints), "copy"),
        *([("Mirror group to the other side", lambda: document.posing.mirror(joints), "mirror")] if sided else []),
        ("Reset group", lambda: panel.reset_group(group), "rest"),
    ]
    return make_menu(panel, items)


def panel_menu(panel: JointsPanel) -> QMenu:
    """Return the menu of the panel's title."""
    joints = range(3, len(panel.document.pose))
    return make_menu(
        panel,
        [
            ("Open all groups", lambda: panel.open_all(True), ""),
            ("Close all groups", lambda: panel.open_all(False), ""),
            None,
            ("Reset all joints to rest", lambda: panel.reset(joints, "Reset all joints"), "rest"),
            ("Reset how all joints follow", panel.following.reset_all, "spring"),
        ],
    )


FIRST = 3  # place in the pose vector of the first degree of freedom: the root's position has no limits


class LimitDrag:
    """Turns the drag of a bracket into one edit of the figure."""

    def __init__(self, document: Document):
        self.document = document
        self._edits = LiveEdits(document)

    def connect(self, row: JointRow) -> None:
        """Let a row's brackets move its limits; those of the root's position cannot be moved."""
        if row.index < FIRST:
            return
        row.limit_began.connect(lambda row: self._edits.begin(f"Set limit of {row.label}"))
        row.limit_moved.connect(self._move)
        row.limit_ended.connect(self._end)

    def _move(self, row: JointRow, side: int, value: float) -> None:
        skeleton = self.document.skeleton
        if skeleton is None:
            return
        number = row.index - FIRST
        joint = skeleton.dof_joints[number]
        dof = skeleton.all_dofs[number]
        lo, hi = (value, dof.hi) if side < 0 else (dof.lo, value)
        place = number - skeleton.first_dof[joint]
        self._edits.show(joint_edits.with_limits(skeleton.joints[joint].name, place, lo, hi))
        shown = row.quantity.text(row.to_screen(value))
        self.document.say("info", f"{row.label}: {'lower' if side < 0 else 'upper'} limit {shown}")

    def _end(self, row: JointRow, keep: bool) -> None:
        if keep:
            self._edits.commit()
        else:
            self._edits.cancel()
            self.document.say("info", "")


LATE_MS = 33  # while a part is dragged the rows follow this often
OPEN_ROWS = 24  # groups open at first, in file order, until about this many rows are shown


class JointsPanel(Panel):
    """Sliders for every degree of freedom of the active figure.

    Dragging one is one undo step. The rows follow the document's pose; only rows in sight are touched, and those
    that come into sight are brought up to date then.
    """

    title = "Joints"
    icon = "hinge"
    area = "left"
    stretch = 3

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self._skeleton: Skeleton | None = None
        self._groups: list[Group] = []
        self._rows: list[JointRow] = []
        self._open: dict[tuple[str, str], bool] = {}
        self._gesture: Gesture | None = None
        self._base: np.ndarray | None = None
        self._marked_chain: frozenset[int] = frozenset()
        self._follow = Throttle(self._show_pose, LATE_MS, self)

        layout = column_layout(self)
        self._search_box = SearchBox("Find a joint", self)
        self._search_box.hide()
        self.search = self._search_box.field
        self.search.textChanged.connect(self._filter)
        layout.addWidget(self._search_box)
        self.empty = EmptyState("Open a figure to see its joints", "hinge", self)
        layout.addWidget(self.empty, 1)
        self.view = OverlayScrollArea(self)
        self.view.verticalScrollBar().setSingleStep(style.ROW_HEIGHT)
        self.view.verticalScrollBar().valueChanged.connect(lambda _: self._scrolled())
        self._column = QWidget()
        self._row_hover = RowHover(document.session, self._column)
        self._limits = LimitDrag(document)
        self.blocked = BlockedMarks(document, self.view, lambda: self._groups)
        self.view.setWidget(self._column)
        layout.addWidget(self.view, 1)
        self.following = FollowingSection(document, self)
        layout.addWidget(self.following)

        self._search_button = ToolButton("search", "", "Find a joint", checkable=True, size=(26, 24))
        self._search_button.toggled.connect(self._toggle_search)
        self._more_button = ToolButton("more", "", "More for joints", size=(26, 24))
        self._more_button.clicked.connect(self._more)
        self._search_box.escaped.connect(lambda: self._search_button.setChecked(False))
        self.view.viewport().installEventFilter(self)
        document.changed.connect(self._on_change)
        self._rebuild()
        self.lock_counts = GroupLocks(document, lambda: self._groups, self._summarise)

    def title_buttons(self) -> Sequence[QWidget]:
        return (self._search_button, self._more_button)

    def first_focus(self) -> QWidget | None:
        stops: list[QWidget] = []
        for group in self._groups:
            stops += [group.header, *(entry.row.slider for entry in group.shown if entry.row is not None)]
        return next((stop for stop in stops if stop.visibleRegion().boundingRect() == stop.rect()), None)

    # -- following the document ----------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        if isinstance(change, (PoseChanged, FrameChanged, PhysicsChanged)):
            live = self.document.physics.running or change.live
            self._follow.wish(hurry=self._gesture is not None or not live)
        elif isinstance(change, (FigureChanged, FileChanged)) or change.name == "mode":
            if self.document.session.mode == "skeleton":
                return  # while the skeleton is edited the panel is out of sight
            if isinstance(change, FigureChanged) and change.name in RESPONSES:
                self._skeleton = self.document.skeleton  # the rows stay as they are
                self._show_marks()
            elif self.document.skeleton is not self._skeleton:
                self._rebuild(another=change.name == "opened")
            if change.name == "mode":  # the panel has its size only when it is shown again
                QTimer.singleShot(0, self, lambda: self._show_selection(reveal=True))
        elif isinstance(change, SelectionChanged):
            self._show_selection(reveal=True)
        elif isinstance(change, SessionChanged):
            follow = {"chain": self._show_chain, "hover": self._show_hover}
            follow.get(str(change.name), lambda: None)()

    def _rebuild(self, another: bool = False) -> None:
        self._gesture = None
        skeleton = self.document.skeleton
        sections = [] if skeleton is None else joint_sections(skeleton)
        if skeleton is not None and self._stays(skeleton, sections):
            self._skeleton = skeleton
            if another:
                self.view.verticalScrollBar().setValue(0)
            self._show_marks()
            self._show_selection()
            self._show_chain()
            self._show_pose()
            return
        for gone in (*(group.header for group in self._groups), *self._rows):
            gone.hide()
            gone.deleteLater()
        self._groups, self._rows = [], []
        before, self._skeleton = self._skeleton, self.document.skeleton
        there = self._skeleton is not None
        self.empty.setVisible(not there)
        self.view.setVisible(there)
        for button in self.title_buttons():
            button.setEnabled(there)
        if self._skeleton is None:
            return
        rows = 0
        for group in joint_groups(sections, self._column):
            title, entries, header = group.title, group.entries, group.header
            few = title != ROOT_TITLE and (rows == 0 or rows + len(entries) <= OPEN_ROWS)
            is_open = self._open.get((self._skeleton.name, title), few)
            rows += len(entries) if is_open else 0
            header.setChecked(is_open)
            header.toggled.connect(lambda on, g=group: self._toggled(g, on))
            header.menu_wanted.connect(lambda at, g=group: pop_up(group_menu(self, g), at))
            header.show()
            self._groups.append(group)
        same = before is not None and before.name == self._skeleton.name and not another
        at = self.view.verticalScrollBar().value() if same else 0
        self._filter(self.search.text())
        self.view.verticalScrollBar().setValue(at)
        self._show_chain()

    def _stays(self, skeleton: Skeleton, sections: Sequence[Section]) -> bool:
        """Return whether another figure has the rows that are there; to make them takes a third of opening a file."""
        before = self._skeleton
        return (
            before is not None
            and before.name == skeleton.name  # under which it is kept which groups are open
            and show_the_same(self._groups, sections)
            and [joint.cone for joint in before.joints] == [joint.cone for joint in skeleton.joints]
        )

    def _show_pose(self) -> None:
        """Bring the rows in sight up to date."""
        if self._skeleton is None or self.document.skeleton is not self._skeleton:
            return
        pose = self.document.physics.pose.tolist()
        reaches = self._cone_reaches()
        top = self.view.verticalScrollBar().value()
        bottom = top + self.view.viewport().height()
        for group in self._groups:
            if group.top > bottom:
                break
            if group.title == ROOT_TITLE:
                self._summarise(group, pose)
            if not group.header.isChecked() and not self.search.text():
                continue
            start = group.top + style.GROUP_HEIGHT + 1
            first = max(0, (top - start) // style.ROW_HEIGHT)
            last = (bottom - start) // style.ROW_HEIGHT + 1
            for entry in group.shown[first : max(last, 0)]:
                if entry.row is not None:
                    if entry.index in reaches:
                        entry.row.set_reach(*reaches[entry.index])
                    entry.row.show_value(pose[entry.index])

    def _cone_reaches(self) -> dict[int, tuple[float, str]]:
        """Return how far the angles of swings in cones can go, [rad], and why, by their places in the pose."""
        if self._skeleton is None:
            return {}
        cones, pose = cones_of(self._skeleton), self.document.physics.pose
        found: dict[int, tuple[float, str]] = {}
        for joint, columns, reaches in zip(cones.joints, cones.columns, cones.reaches(pose), strict=True):
            cone = DEGREES.short(math.degrees(self._skeleton.joints[joint].cone or math.pi))
            for column, other, reach in zip(columns, columns[::-1], reaches, strict=True):
                beside = DEGREES.short(math.degrees(pose[other]))
                name = full_label(self._skeleton, int(other) - FIRST)
                found[int(column)] = float(reach), f"inside its cone of {cone}° while {name} is {beside}°"
        return found

    def _summarise(self, group: Group, pose: list[float] | None = None) -> None:
        lit = group.touches(self._marked_chain)
        group.header.set_lit(lit)
        values = pose if pose is not None else self.document.physics.pose.tolist()
        group.header.set_summary("in drag chain" if lit else group.summary(values))

    def _show_chain(self) -> None:
        chain = self.document.session.drag.chain
        marked = frozenset(int(dof) for dof in chain.dofs) if chain is not None else frozenset()
        if marked == self._marked_chain and chain is not None:
            return
        self._marked_chain = marked
        for group in self._groups:
            self._summarise(group)
        for row in self._rows:
            row.set_in_chain(row.index in marked)

    def _show_selection(self, reveal: bool = False) -> None:
        selected = set(self.document.selection.joints)
        for row in self._rows:
            row.set_selected(row.joint in selected)
        if reveal and selected and self._gesture is None and self._marked_chain == frozenset():
            self._reveal(min(selected))

    def _show_hover(self) -> None:
        self._row_hover.show(self._rows)

    def _scrolled(self) -> None:
        self._show_pose()
        if self._gesture is None:
            self._row_hover.scrolled()

    def _reveal(self, joint: int) -> None:
        """Open the group of a joint, and scroll its rows into sight if none of them is."""
        for group in self._groups:
            entries = [entry for entry in group.shown if entry.joint == joint and entry.index >= 3]
            if not entries:
                continue
            if not group.header.isChecked():
                group.header.setChecked(True)
            if (row := entries[0].row) is not None and row.visibleRegion().isEmpty():
                self.view.ensureWidgetVisible(row, 0, 2 * style.ROW_HEIGHT)
            return

    def _toggled(self, group: Group, on: bool) -> None:
        if self._skeleton is not None and not self.search.text():
            self._open[(self._skeleton.name, group.title)] = on
        self._place()

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for group in self._groups:
            group.filter(words)
            self._summarise(group)
        self._place()

    def _place(self) -> None:
        """Put headers and rows where they belong; rows of groups opened for the first time are made."""
        if self._skeleton is None:
            return
        wide, y, filtering = self.view.viewport().width(), 0, bool(self.search.text().split())
        selected, labels = set(self.document.selection.joints), label_width(self._groups, wide)
        before: QWidget = self.search  # rows made late would come last in the window's tab order
        for group in self._groups:
            group.top = y
            hidden = filtering and not group.shown
            group.header.setVisible(not hidden)
            is_open = (group.header.isChecked() or filtering) and not hidden
            if not hidden:
                group.header.setGeometry(0, y, wide, style.GROUP_HEIGHT)
                y += style.GROUP_HEIGHT + 1
            QWidget.setTabOrder(before, group.header)
            before = group.header
            shown = {entry.index for entry in group.shown} if is_open else set()
            for entry in group.entries:
                if entry.index not in shown:
                    if entry.row is not None:
                        entry.row.hide()
                    continue
                if entry.row is None:
                    self._make_row(entry, selected)
                assert entry.row is not None
                entry.row.place(y, wide, labels)
                entry.row.show()
                for widget in (entry.row.slider, entry.row.field):
                    QWidget.setTabOrder(before, widget)
                    before = widget
                y += style.ROW_HEIGHT
            y += 1 if is_open else 0
        self._column.resize(wide, max(y, 1))
        self._show_pose()

    def _make_row(self, entry: Entry, selected: set[int]) -> None:
        row = entry.make(self._column)
        row.began.connect(self._begin)
        row.changed.connect(self._change)
        self._limits.connect(row)
        row.committed.connect(lambda row: self._end(row, keep=True))
        row.cancelled.connect(lambda row: self._end(row, keep=False))
        row.label_clicked.connect(self._select)
        row.hovered.connect(self._row_hover.entered)
        row.menu_wanted.connect(lambda row, at: pop_up(self.row_menu(row), at))
        report_refusals(row, self.document.say)
        row.set_in_chain(entry.index in self._marked_chain)
        row.set_selected(entry.joint in selected)
        row.set_mark(*mark_of(self._skeleton, row.index))
        self._rows.append(row)

    def _show_marks(self) -> None:
        for row in self._rows:
            row.set_mark(*mark_of(self._skeleton, row.index))

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is self.view.viewport() and isinstance(event, QResizeEvent):
            if event.size().width() != self._column.width():
                self._place()
            else:
                self._show_pose()
        return False

    def _toggle_search(self, on: bool) -> None:
        if not on:
            if self.search.hasFocus():  # before the field goes, else Qt hands the focus to whatever comes next
                self.give_focus_back()
            self.search.clear()
        self._search_box.setVisible(on)
        if on:
            self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- editing -------------------------------------------------------------------------------------------------

    def _begin(self, row: JointRow) -> None:
        self._gesture = None if is_simulated(self.document) else self.document.posing.begin_gesture(row.label)
        self._base = np.array(self.document.pose)

    def _change(self, row: JointRow, value: float) -> None:
        if self._gesture is None or self._base is None:
            return
        pose = self._base.copy()
        pose[row.index] = value
        if self._skeleton is not None and row.index >= 3:
            pose = clamp_joint(self._skeleton, pose, row.joint)
        self._gesture.set_pose(pose)

    def _end(self, row: JointRow, keep: bool) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.commit() if keep else gesture.cancel()
        self._show_pose()
        # Undo during a drag ends the gesture behind the row's back; then the row still shows its own value.
        row.show_value(float(self.document.physics.pose[row.index]), again=True)

    def reset(self, indices: Sequence[int], text: str) -> None:
        """Put values of the pose to rest, as one undo step.

        Args:
            indices: Places in the pose vector.
            text: What the undo step is called.
        """
        if self._skeleton is None or is_simulated(self.document):
            return
        pose, rest = np.array(self.document.pose), self._skeleton.rest_pose()
        pose[list(indices)] = rest[list(indices)]
        if not np.array_equal(pose, self.document.pose):
            self.document.posing.set(pose, text)

    def _select(self, row: JointRow, modifiers: Qt.KeyboardModifier) -> None:
        shift = modifiers & Qt.KeyboardModifier.ShiftModifier
        control = modifiers & Qt.KeyboardModifier.ControlModifier
        self.document.selection.set((row.joint,), "add" if shift else "remove" if control else "replace")

    def row_menu(self, row: JointRow) -> QMenu:
        """Return the menu of a row."""
        group = next(g for g in self._groups if any(entry.row is row for entry in g.entries))
        return row_menu(self, group, row)

    def _more(self) -> None:
        pop_up(panel_menu(self), self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))

    def open_all(self, on: bool) -> None:
        """Open or close all groups."""
        for group in self._groups:
            group.header.setChecked(on)

    def reset_group(self, group: Group) -> None:
        """Put the values of a group to rest."""
        self.reset([entry.index for entry in group.entries], f"Reset {group.title}")

    def select_group(self, group: Group) -> None:
        """Select the joints of a group."""
        self.document.selection.set(tuple(dict.fromkeys(entry.joint for entry in group.entries)))

    def row(self, index: int) -> JointRow:
        """Return the row of a place in the pose vector, opening its group first.

        Raises:
            IndexError: If the pose has no such place.
        """
        for group in self._groups:
            for entry in group.entries:
                if entry.index == index:
                    if entry.row is None:
                        group.header.setChecked(True)
                        self._place()
                    assert entry.row is not None
                    return entry.row
        raise IndexError(f"no row for place {index} of the pose")

    def header(self, title: str) -> GroupHeader:
        """Return the header of a group by its title; raises ``KeyError`` if there is none."""
        for group in self._groups:
            if group.title == title:
                return group.header
        raise KeyError(f'no group "{title}"; there are {", ".join(group.title for group in self._groups)}')
