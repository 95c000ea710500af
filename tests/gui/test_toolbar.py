"""The toolbar: the tool in use is lit, what it offers stands where it moves nothing else, tooltips tell the keys."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.look.theme import current_theme
from app.widgets.frames.tool_button import ToolButton
from core.formats import bundled_folder


def test_the_tool_in_use_stays_lit_after_skeleton_mode(window):
    window.document.files.open(bundled_folder() / "stickman.scr")
    session = window.document.session

    def lit():
        QApplication.processEvents()
        return [name for name in ("select", "drag", "rotate") if window.action_table[f"tool_{name}"].isChecked()]

    session.tools.tool = "drag"
    assert lit() == ["drag"]
    session.mode = "skeleton"
    session.mode = "pose"
    assert lit() == ["drag"]
    window.action_table["tool_rotate"].trigger()
    assert session.tools.tool == "rotate" and lit() == ["rotate"]
    window.action_table["tool_rotate"].trigger()  # a second time changes nothing
    assert session.tools.tool == "rotate" and lit() == ["rotate"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", [1600, 1280, 1024])
def test_only_what_the_tool_offers_changes_with_the_tool(window, width):
    window.document.files.open(bundled_folder() / "stickman.scr")
    window.resize(width, 720)
    session, toolbar = window.document.session, window.toolbar
    session.tools.chain_base = window.document.skeleton.joint_index("right arm")
    session.tools.drag_mode = "up_to"
    offered = {toolbar.turn_label, toolbar.turn_modes, toolbar.between, toolbar.mode_label, toolbar.modes}
    offered |= {toolbar.turn_axes, toolbar.auto_key, toolbar.key_what, toolbar.set_key}
    places = []
    for tool, turns in (("select", "joint"), ("drag", "joint"), ("rotate", "joint"), ("rotate", "chain")):
        session.tools.tool, session.tools.turn_mode = tool, turns
        QApplication.processEvents()
        shown = [part for part in toolbar._parts[""] + toolbar._parts["pose"] if part.isVisible()]
        edges = sorted((part.x(), part.x() + part.width()) for part in shown)
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(edges))
        assert edges[-1][1] <= toolbar.width()
        places.append([part.geometry() for part in shown if part not in offered])
    assert all(place == places[0] for place in places) and len(places[0]) > 10


@pytest.mark.verify
def test_the_axes_of_the_rings_are_shown_and_chosen_beside_them(window):
    session, button = window.document.session, window.toolbar.turn_axes
    session.tools.turn_mode = "chain"
    assert not button.isVisible()
    for width in (1600, 1024):
        window.resize(width, 720)
        session.tools.tool = "rotate"
        QApplication.processEvents()
        assert button.isVisible() and button.toolTip() == "Turn about the world's axes (Shift+W)"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert session.tools.turn_axes == "world" and button.isChecked()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert session.tools.turn_axes == "part" and not button.isChecked()


def test_keys_stand_in_tooltips_in_one_form(window):
    window.document.selection.set(["right hand"])
    window.action_table["set_key"].trigger()
    for button in window.toolbar.findChildren(ToolButton):
        action = button.defaultAction()
        if action is None:  # an arrow that opens a menu
            continue
        key = action.shortcut().toString()
        assert button.toolTip().endswith(f" ({key})" if key else action.toolTip()), button.toolTip()
        assert "·" not in button.toolTip()
    assert window.action_table["export_movie"].toolTip() == "Export movie (Ctrl+Alt+E)"
    assert window.action_table["previous_key"].toolTip().endswith(" (Comma)")


@pytest.mark.verify
def test_what_a_key_holds_is_chosen_in_the_window_and_set_key_goes_by_it(window):
    document, actions = window.document, window.action_table
    document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    menu = window.toolbar.key_menu
    assert [action.isChecked() for action in menu.actions() if action.isCheckable()] == [True, False, False]
    assert "whole figure" in window.toolbar.set_key.toolTip()
    next(action for action in menu.actions() if action.objectName() == "key_selection").trigger()
    assert document.session.keys.what == "selection" and not actions["key_figure"].isChecked()
    assert "selected parts" in window.toolbar.auto_key.toolTip() and "(S)" in window.toolbar.set_key.toolTip()
    frame = next(frame for frame in range(40) if document.sequence.keys.at(frame) is None)
    document.set_frame(frame)
    document.selection.set(["right foot"])
    actions["set_key"].trigger()
    held = document.sequence.keys.at(frame).keyed
    assert held == frozenset(document.sequence.channels.of_joints(document.selection.joints, place=True))
    document.history.undo()
    actions["key_changed"].trigger()
    actions["set_key"].trigger()  # nothing has changed here, yet a key was asked for
    assert document.sequence.keys.at(frame).keyed is None


def test_the_bar_of_progress_is_as_long_as_what_is_done_and_goes_away(window):
    bar = window.progress

    def lit() -> float:
        image = bar.grab().toImage()
        accent = QColor(current_theme().accent)
        return sum(image.pixelColor(x, 1) == accent for x in range(image.width())) / image.width()

    assert lit() == 0.0
    window._warming(3, 12)
    try:
        assert abs(lit() - 0.25) < 0.01 and bar.accessibleDescription() == "Compiling the solvers, once (3 of 12)"
        heard = QAccessible.queryAccessibleInterface(bar)
        assert heard.role() == QAccessible.Role.ProgressBar and heard.valueInterface().currentValue() == 3
    finally:
        window._warmed(True)
    assert lit() == 0.0 and not bar.accessibleDescription()
