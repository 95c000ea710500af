"""The Locks menu, its keys and the locks in the menu of a part."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.actions.table import LOCK_ACTIONS
from app.panels.locks.menus import panel_menu
from app.panels.locks.panel import LocksPanel
from core.constraints.kinds import KINDS, find_kind
from tests.gui.viewport_support import spot_on

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def select(window, *names: str) -> None:
    window.document.selection.set(window.document.skeleton.joint_index(name) for name in names)


def kinds(window) -> list[str]:
    return [strip.lock.kind for strip in window.document.locks.strips]


def press(window, key: Qt.Key, modifier=NONE) -> None:
    window.area.work_view.setFocus()
    QTest.keyClick(window.area.work_view, key, modifier)
    QApplication.processEvents()


def test_keys_lock_release_and_clear(window):
    select(window, "left foot")
    for kind in (["pose"], ["position"], ["orientation"], []):
        press(window, Qt.Key.Key_L)
        assert kinds(window) == kind
    press(window, Qt.Key.Key_P, SHIFT)
    press(window, Qt.Key.Key_I, SHIFT)
    press(window, Qt.Key.Key_B, SHIFT)
    assert kinds(window) == ["plane", "line", "balance"]
    press(window, Qt.Key.Key_B, SHIFT)
    assert kinds(window) == ["plane", "line"]
    press(window, Qt.Key.Key_M, SHIFT)
    assert [strip.lock.joint for strip in window.document.locks.strips].count("right foot") == 2
    press(window, Qt.Key.Key_L, CTRL)
    assert {strip.lock.joint for strip in window.document.locks.strips} == {"right foot"}
    press(window, Qt.Key.Key_L, CTRL | SHIFT)
    assert kinds(window) == []
    before = window.document.session.playback.loop
    press(window, Qt.Key.Key_L, SHIFT)
    assert window.document.session.playback.loop is not before


@pytest.mark.verify
def test_undo_and_the_switches_say_what_they_did(window):
    select(window, "left foot")
    press(window, Qt.Key.Key_L)
    shown = window.status.state
    for action, words in (
        ("undo", "Undone: lock left foot: position and orientation"),
        ("redo", "Redone: lock left foot: position and orientation"),
        ("locks_hold", "Locks do not hold between keys"),
        ("hold_locks", "Locks do not hold while posing"),
        ("locks_hold", "Locks hold between keys"),
    ):
        window.action_table[action].trigger()
        window.status.show_state("Left foot", False)  # the resting mouse
        assert shown.text == words
    window.status.show_state("Out of reach", True)
    assert shown.text == "Out of reach"


@pytest.mark.verify
def test_pairs_need_two_parts_and_say_so(window):
    document, said = window.document, []
    document.message.connect(lambda level, text, details: said.append(text))
    select(window, "left hand")
    expected = {
        "lock_point_pair": "two parts",
        "lock_distance": "two parts",
        "lock_carry": "carries the first",
        "lock_aim": "the first aims",
    }
    for action, words in expected.items():
        window.action_table[action].trigger()
        assert words in said[-1] and not document.locks.strips
    select(window, "head", "left hand")
    for action in ("lock_point_pair", "lock_carry", "lock_distance", "lock_aim"):
        window.action_table[action].trigger()
    assert kinds(window) == ["point_pair", "carry", "distance", "aim"]
    assert said[-1].startswith("Head aims at left hand")
    document.selection.set(())
    for action in ("lock_cycle", "lock_position", "lock_plane", "unlock", "lock_mirror"):
        window.action_table[action].trigger()
        assert said[-1] == "Select a part to lock first"


def test_the_switches_follow_the_document(window):
    holds, posing = window.action_table["locks_hold"], window.action_table["hold_locks"]
    assert holds.isChecked() and posing.isChecked()
    press(window, Qt.Key.Key_H)
    press(window, Qt.Key.Key_H, SHIFT)
    assert window.document.sequence.locks.holds is False and window.document.session.locks.hold is False
    assert not holds.isChecked() and not posing.isChecked()
    window.document.history.undo()
    assert holds.isChecked() and not posing.isChecked()


@pytest.mark.verify
def test_a_part_has_its_locks_in_its_menu(window):
    document = window.document
    select(window, "left foot")
    window.action_table["lock_position"].trigger()
    window.edits.show_part_menu(QPoint(300, 300), document.skeleton.joint_index("left foot"))
    shown = next(
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMenu) and widget.isVisible()
    )
    menus = [action.menu() for action in shown.actions() if action.menu() is not None]
    locks = next(menu for menu in menus if "Lock position" in {action.text() for action in menu.actions()})
    entries = {action.text(): action for action in locks.actions()}
    assert entries["Lock position"].isChecked() and not entries["Lock orientation"].isChecked()
    entries["Lock to plane"].trigger()
    assert kinds(window) == ["position", "plane"]
    entries["Lock position"].trigger()
    assert kinds(window) == ["plane"]
    shown.close()


@pytest.mark.verify
def test_locks_rest_while_the_skeleton_is_edited_and_without_a_figure(window):
    window.document.session.mode = "skeleton"
    assert not any(window.action_table[name].isEnabled() for name in LOCK_ACTIONS)
    window.document.session.mode = "pose"
    assert all(window.action_table[name].isEnabled() for name in LOCK_ACTIONS)


@pytest.mark.verify
def test_other_parts_begin_with_their_position(window):
    for part in ("left hand", "head", "left shank"):
        select(window, part)
        press(window, Qt.Key.Key_L)
    assert kinds(window) == ["position"] * 3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("presses", [1, 2])
def test_a_part_is_locked_where_a_drag_lets_it_go(window, presses):
    document, view = window.document, window.area.work_view
    joint = document.skeleton.joint_index("left hand")
    at = spot_on(view, window.area, joint)
    QTest.mousePress(view, LEFT, NONE, at)
    for k in range(1, 4):
        QTest.mouseMove(view, at + QPoint(0, -8 * k))
    for _ in range(presses):
        press(window, Qt.Key.Key_L)
    assert not document.locks.strips, "not before it is let go"
    QTest.mouseRelease(view, LEFT, NONE, at + QPoint(0, -24))
    assert kinds(window) == (["position"] if presses == 1 else [])
    if presses == 1:
        assert document.locks.states()[0].position_residual < 1e-9


def test_every_kind_has_one_name_in_all_menus(window):
    made_by_hand = [rule for rule in KINDS if not rule.by_equation]  # equations are written in the script
    names = {rule.name: f"lock_{rule.name}" for rule in made_by_hand}
    actions = {kind: window.action_table[name].text().lower() for kind, name in names.items()}
    for rule in made_by_hand:
        assert rule.title.lower() in actions[rule.name]
    panel = next(panel for panel in window.panels if isinstance(panel, LocksPanel))
    assert window.action_table["solve_locks"].text() == panel.solving.solve.text()
    assert window.action_table["solve_locks"].text() in [action.text() for action in panel_menu(panel).actions()]
    assert find_kind("pose").short.lower() in window.action_table["lock_cycle"].text().lower()
