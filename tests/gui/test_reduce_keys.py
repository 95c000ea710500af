"""Reducing keys in the window: what the board says, one step of Undo, ranges and parts, and what is greyed."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.document.content.key_selection import KeySelection
from app.document.edits.edits import key_changes
from app.popovers.reduce_keys import ReduceKeysPopover
from app.window.main_window import MainWindow
from core.animation.key import Key

LONGEST_MS = 60_000
FRAMES = 16


def recorded(window: MainWindow) -> None:
    """Give the active sequence a key at every frame, as a recording has them."""
    document = window.document
    poses = document.sequence.base_at_frames(np.arange(FRAMES))
    document.locks.set((), "Locks")
    assert document.do("Record", lambda: key_changes(document.model, [Key(f, q) for f, q in enumerate(poses)]))


def board(window: MainWindow, qtbot) -> ReduceKeysPopover:
    window.action_table["reduce_keys"].trigger()
    popover = window.reduce_keys.popover
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    return popover


def test_the_board_says_how_few_keys_do_and_takes_them_as_one_step(window: MainWindow, qtbot) -> None:
    document = window.document
    recorded(window)
    state, steps = document.state_json(), document.stack.index()
    popover = board(window, qtbot)
    assert popover.title.text() == f"Reduce keys of frames 0 to {FRAMES - 1}, all parts"
    before, after = popover.found.before, popover.found.after
    assert f"{after:,} keys of joints instead of {before:,}" in popover.about.text() and after < before
    popover.whole_poses.setChecked(True)
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    assert (
        popover.found.whole_poses and f"{popover.found.frames_after} poses instead of keys at" in popover.about.text()
    )
    popover.within.changed.emit(30.0)  # what is dragged on the slider
    assert popover.found is None and popover.about.text() == "Looking for keys…"
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    assert not popover.isVisible() and document.state_json() == state and document.stack.index() == steps

    popover = board(window, qtbot)
    assert popover.whole_poses.isChecked(), "it stays as it was chosen"
    found = popover.found
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert not popover.isVisible() and document.stack.index() == steps + 1
    assert [key.frame for key in document.sequence.keys] == [key.frame for key in found.keys]
    window.action_table["undo"].trigger()
    assert document.state_json() == state


@pytest.mark.verify
def test_selected_keys_and_parts_say_what_is_reduced(window: MainWindow, qtbot) -> None:
    document = window.document
    recorded(window)
    document.selection.set(["right forearm", "right hand"])
    document.session.keys.selected = KeySelection.of_frames(range(3, 12), document.sequence.channels.all)
    popover = board(window, qtbot)
    assert popover.title.text() == "Reduce keys of frames 3 to 11, 2 parts"
    assert popover.found.channels == ("right forearm", "right hand") and popover.found.before == 18
    popover.hide()


@pytest.mark.verify
def test_what_cannot_be_reduced_says_so_in_the_board(window: MainWindow, qtbot) -> None:
    document = window.document
    recorded(window)
    document.session.keys.selected = KeySelection.of_frames((3, 4), document.sequence.channels.all)
    window.action_table["reduce_keys"].trigger()
    popover = window.reduce_keys.popover
    qtbot.waitUntil(lambda: "at least 5 are needed" in popover.about.text(), timeout=LONGEST_MS)
    assert not popover.take_button.isEnabled() and popover.progress.isHidden()
    popover.hide()
