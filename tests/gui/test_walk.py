"""A walk by rules in the window: made, changed live, edited by hand on a layer, and baked."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.base import NO_LONGER_BY_RULES
from app.document.edits.layer_edits import EDITS
from app.popovers.walk import WalkPopover
from core.gait.walk import STRIP_MARK
from tests.support.mouse import drag

LONGEST_MS = 30_000


def listen(document) -> list[str]:
    """Return a list that takes what the document says from now on."""
    said: list[str] = []
    document.message.connect(lambda _kind, text, _details: said.append(text))
    return said


def opened(window) -> WalkPopover:
    """Open the settings of the walk."""
    window.action_table["walk"].trigger()
    return window.walk.popover


@pytest.fixture
def walking(window, qtbot):
    """The window with a short walk in the place of the keys."""
    popover = opened(window)
    popover.rows["steps"].changed.emit(4.0)
    popover.rows["steps"].committed.emit(4.0)
    QTest.mouseClick(popover.make_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.document.sequence.gait is not None, timeout=LONGEST_MS)
    return window


def test_a_walk_takes_the_place_of_keys_in_one_step_and_follows_its_settings(window, qtbot):
    document = window.document
    state, steps = document.state_json(), document.stack.index()
    popover = opened(window)
    assert popover.bake.isHidden() and "11 keys" in popover.said.text()
    assert document.state_json() == state
    QTest.keyClick(popover, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.sequence.gait is not None, timeout=LONGEST_MS)
    assert document.stack.index() == steps + 1 and document.stack.undoText() == "Walk"
    sequence = document.sequence
    assert all(strip.id.startswith(STRIP_MARK) for strip in sequence.locks.strips) and sequence.range[0] == 0
    last = sequence.range[1]
    assert "10 steps of" in popover.said.text()

    # A slider that is dragged makes the walk anew with each move, and is one step in the end.
    slider = popover.rows["steps"].slider
    start = QPoint(round(slider.position(10.0)), slider.height() // 2)
    seen: list[int] = []
    document.changed.connect(lambda _change: seen.append(document.sequence.range[1]))
    drag(slider, start, start - QPoint(20, 0))
    assert document.walks.rules.manner.steps < 10 and document.sequence.range[1] < last
    assert len(set(seen)) > 1 and document.stack.index() == steps + 2
    assert document.stack.undoText() == "Set steps of walk"
    popover.hide()
    document.history.undo()
    assert document.walks.rules.manner.steps == 10 and document.sequence.range[1] == last
    document.history.undo()
    assert document.state_json() == state


def test_speed_length_and_rate_two_give_the_third(walking):
    popover, document = walking.walk.popover, walking.document
    rows = popover.rows
    assert all(rows[name].slider.is_open for name in ("speed", "step_length", "step_rate"))
    for name, value in (("speed", 1.0), ("step_length", 0.5)):
        rows[name].changed.emit(value)
        rows[name].committed.emit(value)
    manner = document.walks.rules.manner
    assert (manner.speed, manner.step_length, manner.step_rate) == (1.0, 0.5, None)
    assert rows["step_rate"].value == pytest.approx(120.0) and rows["step_rate"].slider.is_open
    rows["step_rate"].changed.emit(90.0)
    rows["step_rate"].committed.emit(90.0)
    manner = document.walks.rules.manner
    assert (manner.speed, manner.step_length, manner.step_rate) == (None, 0.5, 1.5)
    popover.hide()


def test_what_legs_cannot_reach_and_who_cannot_walk_is_said(walking, skeletons_folder):
    popover, document = walking.walk.popover, walking.document
    assert "4 steps of" in popover.said.text() and not popover.said.property("warning")
    popover.rows["step_length"].changed.emit(1.5)
    popover.rows["step_length"].committed.emit(1.5)
    assert "Legs do not reach all of their places" in popover.said.text() and popover.said.property("warning")
    popover.hide()
    document.files.open(skeletons_folder / "horse.scr")
    state = document.state_json()
    popover = opened(walking)
    assert "4 feet" in popover.said.text() and not popover.make_button.isEnabled()
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert document.state_json() == state
    popover.hide()


def test_a_pose_edited_by_hand_goes_on_a_layer_and_stays_when_the_walk_is_made_anew(walking):
    document = walking.document
    walking.walk.popover.hide()
    document.set_frame(20)
    q = document.pose.copy()
    q[3 + next(k for k, name in enumerate(document.skeleton.dof_names) if "head" in name)] += 0.1
    steps = document.stack.index()
    assert document.posing.set(q, "Nod")
    assert document.stack.index() == steps + 1 and document.sequence.gait is not None
    (layer,) = document.layers.all
    assert layer.name == EDITS and [key.frame for key in layer.keys] == [20]
    assert document.layers.active == layer  # the next edit goes there too, and this is seen
    assert np.abs(document.pose - q).max() < 1e-6
    popover = opened(walking)
    popover.rows["sway"].changed.emit(1.5)
    popover.rows["sway"].committed.emit(1.5)
    assert document.layers.all == (layer,)
    popover.hide()


def test_keys_edited_by_hand_end_the_rules_in_the_same_step_and_this_is_said(walking):
    document, said = walking.document, listen(walking.document)
    walking.walk.popover.hide()
    state, steps = document.state_json(), document.stack.index()
    frame = document.sequence.keys[3].frame
    assert document.keys.delete([frame])
    assert document.stack.index() == steps + 1 and document.sequence.gait is None
    assert said[-1] == NO_LONGER_BY_RULES
    document.history.undo()
    assert document.state_json() == state and document.sequence.gait is not None
    strip = document.sequence.locks.strips[0]
    assert document.locks.set(document.sequence.locks.strips[1:])
    assert document.sequence.gait is None and strip not in document.sequence.locks.strips
    document.history.undo()
    walking.action_table["bake_walk"].trigger()
    assert document.sequence.gait is None and document.sequence.keys and document.stack.undoText() == "Bake walk"
    assert not walking.action_table["bake_walk"].isEnabled()


def test_long_walks_are_made_beside_the_window_and_escape_gives_a_value_up(walking, qtbot):
    popover, document = walking.walk.popover, walking.document
    steps, record = document.stack.index(), document.sequence.gait
    popover.rows["steps"].changed.emit(30.0)
    popover.rows["steps"].committed.emit(30.0)
    assert document.sequence.gait is record and not popover.progress.isHidden()
    qtbot.waitUntil(lambda: document.stack.index() == steps + 1, timeout=LONGEST_MS)
    assert document.walks.rules.manner.steps == 30 and popover.progress.isHidden()
    record = document.sequence.gait
    field = popover.rows["turn"].field
    QTest.mouseClick(field, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    QTest.keyClicks(field, "20")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert document.sequence.gait == record and document.stack.index() == steps + 1
    popover.hide()
