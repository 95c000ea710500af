"""Least effort between keys: solved beside the window, keyed as one step."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.actions.least_effort import TITLE, LeastEffortActions, details, kept, level, summary
from app.dialogs.effort_dialog import EffortDialog
from app.document.content.key_selection import ALL, KeySelection
from app.document.edits.edits import key_changes
from core.animation.key import Key
from core.preview.least_energy import LeastEnergy


@pytest.fixture
def arm(window, skeletons_folder):
    document = window.document
    assert document.files.load_figure(skeletons_folder / "arm7.scr")
    for frame, turn in ((0, -0.6), (12, 0.2), (24, 0.8)):
        document.set_frame(frame)
        q = np.array(document.pose)
        q[3:] = turn
        document.posing.set(q)
        document.keys.set()
    return window


def finish(window, qtbot) -> None:
    qtbot.waitUntil(lambda: not window.background.busy, timeout=60_000)


def test_the_selected_span_gets_few_keys_of_less_effort_in_one_step(arm, qtbot, monkeypatch):
    document, said = arm.document, []
    document.message.connect(lambda kind, text, details: said.append((kind, text, details)))
    before = [key.frame for key in document.sequence.keys]
    document.session.keys.selected = KeySelection({0: ALL, 24: ALL})
    steps, ends = document.stack.index(), document.sequence.poses_at_frames([0, 24])
    asked, told = [], []
    monkeypatch.setattr(EffortDialog, "exec", lambda dialog: asked.append(dialog.wishes) or dialog.DialogCode.Accepted)
    arm.background.told.connect(told.append)
    arm.action_table["least_effort"].trigger()
    assert arm.background.busy
    finish(arm, qtbot)
    arm.background.told.disconnect(told.append)
    assert asked == [(False, None)], "the arm has a key between and no known strength"
    assert told[-1].startswith("Least effort, frames 0 to 24: step ") and told[-1].endswith("% less effort so far")
    assert arm.busy.text == told[-1]
    assert document.stack.index() == steps + 1 and document.stack.undoText() == TITLE
    kind, text, more = said[-1]
    assert kind == "info" and "% less" in text
    assert "converged in" in text and "not converged" not in text
    assert "Frames 0 to 24" in more and "The root moves as keyed" in more
    frames = [key.frame for key in document.sequence.keys]
    assert frames[0] == 0 and frames[-1] == 24 and len(frames) < 25
    assert np.abs(document.sequence.poses_at_frames([0, 24]) - ends).max() < 1e-9
    # What is least already is kept as it is, and that is said.
    least = [key.frame for key in document.sequence.keys]
    document.session.keys.selected = KeySelection({0: ALL, 24: ALL})
    arm.action_table["least_effort"].trigger()
    finish(arm, qtbot)
    assert document.stack.index() == steps + 1 and [key.frame for key in document.sequence.keys] == least
    assert said[-1][1].startswith("No less effort found; keys unchanged")
    document.stack.undo()
    assert [key.frame for key in document.sequence.keys] == before


@pytest.mark.verify
def test_poses_between_stay_and_what_was_found_before_cancel_is_kept_if_one_likes(arm, qtbot):
    document = arm.document
    steps, poses = document.stack.index(), document.sequence.poses_at_frames([0, 12, 24])
    actions = LeastEffortActions(arm)
    actions.find((0, 24), [12], None)
    qtbot.waitUntil(lambda: "less effort so far" in arm.busy.text, timeout=60_000)
    arm.busy.cancelled.emit()
    assert not arm.background.busy and document.stack.index() == steps
    line = arm.lines.errors
    assert line.text.startswith("Cancelled; the best motion so far takes ") and line.text.endswith("less effort")
    # While another job runs it can be kept later.
    go = threading.Event()
    assert arm.background.run("Another one", lambda _: go.wait(60), lambda _: None, lambda _: None)
    line.choices[0].click()
    assert line.text.startswith("Another job is still running; the best motion so far takes ")
    go.set()
    finish(arm, qtbot)
    line.choices[0].click()
    finish(arm, qtbot)
    assert document.stack.index() == steps + 1 and document.stack.undoText() == TITLE
    assert np.abs(document.sequence.poses_at_frames([0, 12, 24]) - poses).max() < 1e-6
    document.stack.undo()


@pytest.mark.verify
def test_what_was_found_is_not_taken_for_a_motion_that_was_edited_meanwhile(arm, qtbot):
    document, said = arm.document, []
    document.message.connect(lambda kind, text, details: said.append(text))
    LeastEffortActions(arm).find((0, 24), [], None)
    steps = document.stack.index()
    document.stack.undo()
    q = np.array(document.pose)
    q[3:] = 0.5
    document.set_frame(24)
    assert document.do("Another key", lambda: key_changes(document.model, [Key(24, q)]))
    assert document.stack.index() == steps, "the count of steps does not tell the two motions apart"
    state = document.state_json()
    finish(arm, qtbot)
    assert said[-1] == "The motion was edited in the meantime; look for less effort again"
    assert document.state_json() == state and document.stack.undoText() == "Another key"


def test_the_dialog_asks_for_what_there_is_to_choose(window):
    strong = EffortDialog((3, 30), 2, True, window)
    assert strong.wishes == (False, math.inf) and strong.go.isEnabled() and not strong.times.isEnabled()
    assert strong.remark.text() == "Frames 3 to 30: keys between replaced; one undo step"
    strong.keys.setCurrentIndex(1)
    strong.keys.picked.emit("kept")
    strong.limit.setCurrentIndex(1)
    strong.limit.picked.emit("limited")
    strong.times.edit_to(1.5)
    assert strong.wishes == (True, 1.5)
    assert strong.remark.text() == "Frames 3 to 30: 2 poses between kept; one undo step"
    plain = EffortDialog((3, 30), 1, False, window)
    assert plain.wishes == (False, None)
    for dialog in (strong, plain):
        dialog.deleteLater()


def test_words_of_the_status_line_say_in_numbers_what_was_found():
    found = LeastEnergy(14, np.zeros((31, 9)), 100.0, 59.0, 1e-8, 0.001, 271.2, 12, True, True, ())
    baked = SimpleNamespace(keys=[0] * 7)
    assert summary(found, baked) == "Effort 41 % less; converged in 12 steps; 7 keys, at most 271 N m"
    assert level(found) == "info"
    assert details(found).startswith("Frames 14 to 44, at most 271 N m in a joint.\nEffort from 100 to 59 N²m²s.")
    assert "twice as many nodes the effort changed by 0.3 %" in details(replace(found, change=0.003))
    strong = replace(found, share=1.25)
    assert summary(strong, baked).endswith("7 keys, at most 125 % of strength")
    assert "Effort from 100 to 59 s of squared shares of strength." in details(strong)
    assert "A joint needs 125 % of its strength" in details(strong) and "strength: " not in details(found)
    assert "the hardest-worked one needs 44 % of its strength" in details(replace(found, share=0.44))
    more = replace(found, after=165.0, keyed_residual=1.3, converged=False)
    assert more.better and level(more) == "warning"
    assert summary(more, baked).startswith("Effort 65 % more; not converged in 12 steps; 7 keys")
    assert "short of support by 130 % of the weight" in details(more) and "run it again" in details(more)
    same = replace(found, after=99.9)
    assert not same.better and kept(same) == "No less effort found; keys unchanged; converged in 12 steps"


def test_without_two_keys_it_says_what_to_do_and_cancelled_it_changes_nothing(arm, qtbot):
    document, said = arm.document, []
    document.message.connect(lambda kind, text, details: said.append(text))
    document.session.keys.selected = KeySelection()
    document.set_frame(24)
    arm.action_table["least_effort"].trigger()
    assert not arm.background.busy and "Select two or more keys" in said[-1]
    document.set_frame(5)
    steps = document.stack.index()
    arm.action_table["least_effort"].trigger()
    arm.background.cancel()
    finish(arm, qtbot)
    assert document.stack.index() == steps
