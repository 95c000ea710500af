"""What locks make of the motion, in panel and status line: steps, a root that stays up, feet below the floor."""

from __future__ import annotations

import re

import numpy as np
import pytest

from app.panels import LocksPanel
from app.timeline.locks.board import FlagSearch
from app.words.lock_summary_words import summary_lines
from core.animation import LockStrip
from core.animation.locks.spans import lock_spans
from core.animation.locks.summary import lock_summary
from core.constraints import Lock, bind
from core.formats.bundled import bundled_folder
from tests.pictures.driving import panel_dock


@pytest.fixture
def walk(window, monkeypatch):
    """The bundled walk with each foot locked while it stands."""
    monkeypatch.setattr(FlagSearch, "waits", False)
    document = window.document
    assert document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    sequence = document.sequence
    strips = [
        LockStrip(bind(Lock(foot, "pose"), sequence.skeleton, sequence.pose_at_frame(first)), first, first + 10)
        for foot, first in (("right foot", 4), ("left foot", 20))
    ]
    assert document.locks.set(strips, "Lock the feet")
    return document


def lower(document, depth: float) -> None:
    down = np.zeros(document.skeleton.nq)
    down[1] = depth
    with document.keys.begin_gesture("Lower all keys") as gesture:
        gesture.set_values(lambda s: {"keys": [key.changed(q=key.q - down) for key in s.keys]})


def test_lowering_all_of_a_motion_says_what_sank_and_what_stayed_up(window, walk, qtbot):
    panel = panel_dock(window, "Locks").widget()
    assert isinstance(panel, LocksPanel)
    qtbot.waitUntil(lambda: walk.session.locks.summary is not None, timeout=20000)
    lines = panel.summary.text().split("\n")
    assert len(lines) >= 1 and lines[0].startswith("Biggest jump between frames: root ")
    assert "below the floor" not in panel.summary.text()
    said = []
    walk.message.connect(lambda level, text, _details: said.append((level, text)))
    before = walk.session.locks.summary
    lower(walk, 0.15)
    qtbot.waitUntil(lambda: walk.session.locks.summary not in (before, None), timeout=20000)
    found = walk.session.locks.summary
    assert [walk.skeleton.joints[part.joint].name for part in found.below] == ["right foot", "left foot"]
    assert all(0.13 < part.depth < 0.17 for part in found.below)
    # Never where the foot is locked: there it stands.
    assert all(b < 4 or a > 14 for a, b in found.below[0].frames)
    warned = [text for level, text in said if level == "warning" and "below the floor" in text]
    assert len(warned) == 1 and warned[0].startswith("Right foot and left foot go 15") and "longer locks" in warned[0]
    text = panel.summary.text()
    assert "Left foot 15" in text and "below the floor at frames" in text
    # The locks keep the root from coming along all of the way, and that is said too.
    assert found.moved[1] > 0.03 and "Locks lift the root by up to " in text
    walk.history.undo()
    qtbot.waitUntil(lambda: "below the floor" not in panel.summary.text(), timeout=20000)


def test_the_summary_says_what_the_poses_do(walk):
    sequence = walk.sequence
    found = lock_summary(sequence)
    poses = sequence.poses_at_frames(np.arange(0.0, 33.0))
    steps = np.linalg.norm(np.diff(poses[:, :3], axis=0), axis=1)
    under = [i for i in range(32) if any(a <= i + 1 and i <= a + 10 for a in (4, 20))]
    assert found.root_step == pytest.approx(steps[under].max()) and found.root_step_at in under
    assert summary_lines(found, sequence.skeleton)[0].count("at frame") == 2
    sequence.locks.holds = False
    assert lock_summary(sequence) is None


@pytest.mark.verify
def test_locks_that_a_recording_lets_go_of_are_no_conflict(window, data_folder):
    document = window.document
    assert document.files.open(data_folder / "bvh" / "louise_optitrack.bvh")
    sequence = document.sequence
    stand = sequence.pose_at_frame(300)
    feet = [
        LockStrip(bind(Lock(foot, "pose"), sequence.skeleton, stand), 300, 700) for foot in ("LeftAnkle", "RightAnkle")
    ]
    assert document.locks.set(feet, "Lock the feet")
    words = {}
    for frame in (350, 600):
        document.set_frame(frame)
        words[frame] = {state.word for state in document.locks.states()}
    assert words == {350: {"holds"}, 600: {"let go"}}
    lines = summary_lines(lock_summary(sequence), sequence.skeleton)
    warned = next(line for line in lines if line.startswith("Released at frames 4"))
    moved = re.search(r"would make the root jump ([0-9.]+) cm between frames", warned)
    assert moved is not None and 40.0 <= float(moved[1]) < 100.0  # how far exactly is up to the solver's last steps
    flag = lock_spans(sequence)[0]
    assert window.timeline.board.flag_text(flag).startswith("LeftAnkle, RightAnkle released at frames 4")


@pytest.mark.verify
def test_rounds_after_the_keys_are_not_said_to_be_without_locks(window, walk):
    panel = panel_dock(window, "Locks").widget()
    sequence = walk.sequence
    whole = [
        LockStrip(bind(Lock(foot, "position"), sequence.skeleton, sequence.pose_at_frame(first)), first, last)
        for foot, first, last in (("right foot", 0, 17), ("left foot", 0, 32))
    ]
    assert walk.locks.set(whole, "Lock the feet")
    lower(walk, 0.05)
    alone = lock_summary(walk.sequence)
    with walk.keys.begin_gesture("Repeat") as gesture:
        gesture.set_values(lambda s: {"cycles": ("repeat", "repeat"), "range": (0, 96)})
    assert alone is not None and lock_summary(walk.sequence) == alone
    walk.set_frame(44)
    assert panel.note.text() == "at frame 44, repeats 12"
    walk.set_frame(12)
    assert panel.note.text() == "at frame 12"
