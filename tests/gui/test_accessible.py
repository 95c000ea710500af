"""Whoever uses no mouse or sees no picture: everything has a name, and every gesture a twin in the menus."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from app.words import key_map
from tests.support.surfaces import MODES, SURFACES, prepare

_USED = (QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit,
         QTextEdit)  # fmt: skip


def name_of(widget: QWidget) -> str:
    """Return what assistive tools call a widget."""
    heard = QAccessible.queryAccessibleInterface(widget)
    return "" if heard is None else heard.text(QAccessible.Text.Name)


def nameless(root: QWidget) -> list[str]:
    """Return the widgets that are used or take the keyboard and have no name, with what they stand in."""
    found = []
    for widget in (root, *root.findChildren(QWidget)):
        inside = widget.parentWidget()
        if isinstance(widget, (QScrollBar, QHeaderView, QMenu)) or widget.objectName().startswith("qt_"):
            continue
        if isinstance(inside, QLineEdit) or not widget.isVisible():  # the cross that clears a field: Ctrl+A, Del
            continue
        stops = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if (stops or isinstance(widget, _USED)) and not name_of(widget).strip():
            found.append(f"{type(widget).__name__} in {type(inside).__name__}")
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
def test_everything_in_the_window_has_a_name(window, mode):
    window.document.selection.set((5,))
    window.document.session.mode = mode
    for tab in ("keys", "curves", "locks", "dynamics", "script"):
        if mode == "pose":
            window.timeline.show_tab(tab)
        QApplication.processEvents()
        assert nameless(window) == [], tab
    window.document.session.mode = "pose"


@pytest.mark.verify
def test_every_dialog_and_popover_has_a_name_and_so_has_all_in_it(window):
    prepare(window)
    for name, opened in SURFACES.items():
        shown = opened(window)
        QApplication.processEvents()
        assert shown.accessibleName() or shown.windowTitle(), name
        assert nameless(shown) == [], name
        shown.close()
        QApplication.processEvents()


def test_every_gesture_has_a_twin_in_a_menu_and_the_palette(window):
    """A new row of the key map without an action is to name the actions that do the same without a mouse."""
    rows = {row.action: row for row in key_map.load() if row.action}
    gestures = [row for row in key_map.load() if not row.action]
    assert len(gestures) >= 64 and {row.scope for row in gestures} >= {"view", "drag", "timeline", "list"}
    assert [row.text for row in gestures if not row.twins] == []
    in_menus = {action.objectName() for _, action in window.menu.entries()}
    in_palette = {command.name for command in window.palette_actions.commands()}
    lost = [(row.text, twin) for row in gestures for twin in row.twins
            if twin not in in_menus & in_palette or not rows[twin].menu]  # fmt: skip
    assert lost == []


def test_the_view_is_moved_and_a_part_nudged_from_the_menus(window):
    actions, area, document = window.action_table, window.area, window.document
    camera = area.host.cameras[area.kind]
    at = tuple(camera.target)
    actions["pan_left"].trigger()
    assert tuple(camera.target) != at
    actions["pan_right"].trigger()
    assert camera.target == pytest.approx(at)
    document.selection.set(())
    assert not actions["nudge_up"].isEnabled()
    actions["select_child"].trigger()
    first = document.selection.joints
    actions["select_child"].trigger()
    assert len(first) == 1 and document.selection.joints != first
    actions["select_parent"].trigger()
    assert document.selection.joints == first
    steps, pose = document.stack.index(), document.pose.copy()
    actions["nudge_up"].trigger()
    actions["nudge_up"].trigger()
    assert document.stack.index() == steps + 1, "nudges in a row are one step"
    assert abs(document.pose - pose).max() > 1e-4
