"""A motion of another figure is retargeted: pairs are shown and changed, then one step adds a sequence."""

from __future__ import annotations

import os

import numpy as np
import pytest

from app.actions.retarget import summary
from app.dialogs.retarget_dialog import RetargetDialog
from app.files.pair_memory import PairMemory
from core.animation.retargeting import Pair, suggested_pairs
from core.formats import bundled_folder, load
from core.skeleton import load_skeleton

WALK = bundled_folder() / "library" / "Walks and runs" / "walk.seq"


@pytest.fixture
def stickman(window, skeletons_folder):
    assert window.document.files.load_figure(skeletons_folder / "stickman.scr")
    return window


def asked(monkeypatch, act):
    """Let the dialog be answered by a function instead of a person."""

    def answer(dialog):
        act(dialog)
        return dialog.result()

    monkeypatch.setattr(RetargetDialog, "exec", answer)


def finish(window, qtbot):
    qtbot.waitUntil(lambda: not window.background.busy, timeout=60_000)


def test_a_motion_is_read_asked_about_and_taken_over_in_one_step(stickman, monkeypatch, qtbot):
    document, said = stickman.document, []
    document.message.connect(lambda kind, text, details: said.append(text))

    def act(dialog):
        assert dialog.windowTitle() == "Retarget motion to stickman"
        assert dialog.joints["left arm"].chosen == "left upper arm"
        dialog.joints["head"].show_rows([(None, "–"), ("neck", "Neck")], "neck")
        dialog.accept()

    asked(monkeypatch, act)
    before, steps = len(document.sequences.all), document.stack.index()
    stickman.retarget.read(WALK)
    finish(stickman, qtbot)  # the file
    finish(stickman, qtbot)  # the motion
    assert document.stack.index() == steps + 1 and len(document.sequences.all) == before + 1
    assert document.sequence.skeleton is document.skeleton and len(document.sequence.keys) == 33
    assert said[-1].startswith("33 keys, travels ") and "stances held" in said[-1]
    assert document.sequence.locks.strips
    first, last = stickman.timeline.model.visible()
    assert first <= 0 and last >= 32, "all of it is in sight"
    document.stack.undo()
    assert len(document.sequences.all) == before
    # The pairs are known the next time.
    source = load(WALK).sequences[0].skeleton
    known = stickman.retarget.memory.recall(source, document.skeleton)
    assert known is not None and Pair("neck", "head") in known


@pytest.mark.verify
def test_another_motion_of_the_scene_is_offered_and_a_cancelled_question_changes_nothing(stickman, monkeypatch, qtbot):
    document, seen = stickman.document, []
    walk = load(WALK).sequences[0]
    asked(monkeypatch, lambda dialog: (seen.append(dialog.motion.count()), dialog.reject()))
    stickman.retarget.ask([("man: walk", walk), ("man: again", walk)])
    assert seen == [2] and not stickman.background.busy and document.sequence.skeleton is document.skeleton


@pytest.mark.verify
def test_the_dialog_shows_both_and_refuses_what_cannot_be(window, qtbot):
    walk, robot = load(WALK).sequences[0], load_skeleton(bundled_folder() / "robot.scr")
    dialog = RetargetDialog([("walk", walk)], robot, lambda *_: None, window)
    dialog.show()
    qtbot.waitUntil(lambda: all(picture.image is not None for picture in dialog.pictures))
    assert dialog.pairs == tuple(pair for pair in suggested_pairs(walk.skeleton, robot) if pair.target in dialog.joints)
    assert "go along with the part that carries them" in dialog.remark.text() and dialog.go.isEnabled()
    picture = os.environ.get("RETARGET_PICTURE")
    if picture:
        dialog.grab().save(picture)
    for field in dialog.joints.values():
        field.setCurrentIndex(0)
    dialog._draw()
    assert not dialog.go.isEnabled() and "No joint of" in dialog.remark.text()
    dialog.suggest.click()
    dialog._draw()
    assert dialog.go.isEnabled() and len(dialog.pairs) > 5
    dialog.close()


def test_pairs_are_kept_by_the_joints_of_both_figures():
    class Store(dict):
        def value(self, name, otherwise):
            return self.get(name, otherwise)

        def set_value(self, name, value):
            self[name] = value

    store = Store()
    man, woman, bird = (load_skeleton(bundled_folder() / f"{name}.scr") for name in ("human", "woman", "bird"))
    PairMemory(store).keep(man, woman, [Pair("pelvis", "pelvis"), Pair("head", "neck")])
    again = PairMemory(store)
    assert again.recall(man, woman) == (Pair("pelvis", "pelvis"), Pair("head", "neck"))
    assert again.recall(man, bird) is None
    store["retarget/pairs"] = "not what it was"
    assert PairMemory(store).recall(man, woman) is None


def test_what_was_made_is_said_in_a_line():
    from core.animation.retargeting import retarget

    made = retarget(load(WALK).sequences[0], load_skeleton(bundled_folder() / "robot.scr"))
    assert summary(made) == "33 keys, travels 0.80 times as far"
    assert np.isfinite(made.scale)
