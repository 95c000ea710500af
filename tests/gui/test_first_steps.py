"""The hints of the first start point at real controls, are done by doing, and are in nobody's way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.window.first_steps import DONE, SETTING
from app.window.settings import Settings
from tests.support.clipping import cut_off


@pytest.fixture
def steps(window):
    yield window.first_steps
    window.first_steps.end()


def shown(steps) -> str:
    QApplication.processEvents()
    steps.place()
    return steps.callout.title.text() if steps.callout.isVisible() else ""


def test_nothing_is_shown_unless_it_is_asked_for(window):
    assert not window.first_steps.callout.isVisible() and window.first_steps.number is None
    window.first_steps.offer()  # a window that remembers nothing knows no first start
    assert window.first_steps.number is None


def test_each_hint_is_done_by_doing_what_it_says(window, steps):
    document, area = window.document, window.area
    document.session.keys.auto = False
    window.action_table["first_steps"].trigger()
    assert shown(steps) == "Pose by dragging"
    document.selection.set((document.skeleton.joint_names.index("left hand"),))
    area.nudge(0, 1)
    assert shown(steps) == "Keep a foot in place"
    document.locks.lock_parts(["left foot"], "position")
    assert shown(steps) == "Set a key"
    window.action_table["set_key"].trigger()
    assert shown(steps) == "Play and scrub"
    window.action_table["play"].trigger()
    assert shown(steps) == "All the rest" and document.session.playback.playing
    window.action_table["play"].trigger()
    assert shown(steps) == "All the rest" and steps.callout.next_button.label == "Done"
    steps.callout.next_button.click()
    assert shown(steps) == "" and steps.number is None


@pytest.mark.parametrize("size", [(1600, 1000), (1024, 680)])
def test_every_hint_is_seen_whole_and_points_at_what_it_names(window, steps, size):
    window.resize(*size)
    QApplication.processEvents()
    steps.begin()
    box = steps.callout
    for number, hint in enumerate(steps.hints):
        steps.go_to(number)
        assert shown(steps) == hint.title
        target = hint.target()
        assert target is not None and window.rect().contains(target), hint.title
        assert window.rect().contains(box.geometry()) and cut_off(box) == [], hint.title
        covered = box.geometry().adjusted(9, 9, -9, -9).intersected(target)
        assert covered.isEmpty(), hint.title
        near = box.geometry().adjusted(-4, -4, 4, 4)
        assert near.intersects(target), f"{hint.title}: the tip is at it"
        assert box.accessibleName() == f"Hint {number + 1} of 5: {hint.title}"
        assert box.accessibleDescription() == hint.text()


def test_a_hint_at_what_is_hidden_stands_in_the_view_and_names_no_button(window, steps):
    """Nothing is raised, and no control is covered, where what a hint is about is closed or out of sight."""
    window.document.session.keys.auto = False
    timeline, view, button = window.timeline, window.area.work_view, window.toolbar.set_key
    steps.begin()
    steps.go_to(2)
    assert shown(steps) == "Set a key" and "this button" in steps.callout.text.text()
    timeline.hide()
    button.hide()
    try:
        for number in (2, 3):
            steps.go_to(number)
            assert shown(steps) == steps.hints[number].title and steps.hints[number].target() is None
            place = QRect(view.mapTo(window, QPoint(0, 0)), view.size())
            assert place.contains(steps.callout.geometry())
        steps.go_to(2)
        assert "this button" not in steps.callout.text.text()
    finally:
        timeline.show()
        button.show()


def test_a_part_behind_the_camera_is_not_pointed_at(window, steps, monkeypatch):
    view = window.area.work_view
    monkeypatch.setattr(view, "project", lambda points: np.full((len(points), 3), np.nan))
    steps.begin()
    assert shown(steps) == "Pose by dragging" and steps.hints[0].target() is None


def test_hints_take_neither_keyboard_nor_clicks_of_others_and_esc_ends_them(window, steps):
    window.area.work_view.setFocus()
    steps.go_to(0)
    assert window.area.work_view.hasFocus(), "at the first start the keyboard stays where it is"
    frame = window.document.frame
    QTest.keyClick(window.area.work_view, Qt.Key.Key_Right)
    assert window.document.frame == frame + 1 and shown(steps)
    assert steps.callout in window.regions()
    steps.begin()  # from the menu, the keyboard goes along
    assert steps.callout.isAncestorOf(QApplication.focusWidget())
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert shown(steps) == "" and window.area.work_view.hasFocus()


def test_with_auto_key_on_the_hint_about_keys_asks_for_another_frame(window, steps):
    document = window.document
    document.session.keys.auto = True
    steps.go_to(2)
    assert shown(steps) == "Set a key" and "Auto key is on" in steps.callout.text.text()
    document.set_frame(document.sequence.keys[0].frame)
    document.selection.set((document.skeleton.joint_names.index("left hand"),))
    window.area.nudge(0, 1)
    assert shown(steps) == "Set a key", "the key that is there has changed"
    document.set_frame(document.sequence.keys[0].frame + 1)
    window.area.nudge(0, 1)
    assert shown(steps) == "Play and scrub"


@pytest.mark.verify
def test_opening_a_file_does_nothing_that_a_hint_asks_for(window, steps):
    steps.begin()
    for name in ("walk.seq", "run.seq"):
        folder = Path(__file__).resolve().parents[2] / "skeletons" / "library" / "Walks and runs"
        assert window.document.files.open(folder / name)
        for _ in range(3):
            assert shown(steps) == "Pose by dragging"


@pytest.mark.verify
def test_hints_wait_while_no_figure_is_posed(window, steps):
    steps.begin()
    window.document.session.mode = "physics"
    assert shown(steps) == ""
    window.document.session.mode = "pose"
    assert shown(steps) == "Pose by dragging"


def test_a_hint_makes_room_while_the_mouse_drags(window, steps):
    steps.go_to(0)
    assert shown(steps)
    view = window.area.work_view
    at = steps.hints[0].target().center() - view.mapTo(window, QPoint(0, 0))
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(view, at + QPoint(12, -12))
    assert window.area.host.toolbox.active and shown(steps) == ""
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at + QPoint(12, -12))
    assert shown(steps) == "Keep a foot in place", "the drag was what the hint asked for"


def test_the_first_start_shows_them_and_the_next_goes_on_where_it_was(window, steps, tmp_path: Path, monkeypatch):
    settings = Settings(tmp_path / "kept.ini")
    monkeypatch.setattr(window, "settings", settings)
    steps.offer()
    assert steps.number == 0
    steps.go_on()
    steps.number = None  # the editor is closed
    steps.offer()
    assert steps.number == 1
    steps.end()
    assert settings.value(SETTING) == DONE
    steps.offer()
    assert steps.number is None
    settings.set_value(SETTING, None)
    settings.set_value("window/geometry", "kept by a version without hints")
    steps.offer()
    assert steps.number is None


def test_a_box_without_a_target_stands_at_the_foot(window, steps):
    steps.go_to(0)
    steps.callout.point_at(None, (), QRect(0, 0, 800, 600))
    assert steps.callout.geometry().bottom() < 600 and steps.callout.geometry().center().x() == pytest.approx(
        400, abs=2
    )
