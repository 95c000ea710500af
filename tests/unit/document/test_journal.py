"""A crash costs nothing but the drag under way."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.document import Document
from app.document.files.journal import journals_left, read_journal

ROOT = Path(__file__).resolve().parents[3]


def pose(document: Document, value: float) -> np.ndarray:
    q = document.pose.copy()
    q[4] = value
    return q


def work(document: Document) -> None:
    """Edits of many kinds, with undo and redo between."""
    document.posing.set(pose(document, 0.1))
    document.set_frame(8)
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(pose(document, 0.2))
    gesture.set_pose(pose(document, 0.3))
    gesture.commit()
    number = document.gesture_id()
    document.figures.set_joint_value(1, "weight", 0.5, number)
    document.figures.set_joint_value(1, "weight", 0.2, number)
    document.figures.set_joint_values({1: {"weight": 0.7, "resistance": 2.5}, 2: {"resistance": 0.1}}, "Set limb")
    document.history.undo()
    document.history.redo()
    document.sequences.rename("Walk")
    document.history.undo()
    document.sequences.set_fps(25)
    document.session.keys.auto = False
    document.posing.set(pose(document, 0.7))
    document.set_frame(2)
    document.history.undo()


@pytest.fixture
def journaled(document: Document, tmp_path: Path) -> Document:
    assert document.files.start_journal(tmp_path / "journals")
    return document


def only_journal(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "journals").glob("*.journal")
    return path


def history(document: Document) -> list[str]:
    """States at every step of the stack, without what the frame does; the stack ends where it was."""
    index = document.stack.index()
    states = []
    for i in range(document.stack.count() + 1):
        document.stack.setIndex(i)
        states.append(document.state_json())
    document.stack.setIndex(index)
    return states


def test_recovery_brings_back_the_state_and_its_history(journaled, tmp_path):
    work(journaled)
    copy = shutil.copy(only_journal(tmp_path), tmp_path / "copy.journal")
    other = Document()
    assert other.files.recover(copy)
    assert other.state_json() == journaled.state_json()
    assert other.frame == journaled.frame
    assert other.stack.index() == journaled.stack.index()
    assert history(other) == history(journaled)
    assert [other.stack.text(i) for i in range(other.stack.count())] == [
        journaled.stack.text(i) for i in range(journaled.stack.count())
    ]
    assert other.modified


def test_a_journal_begun_late_holds_what_was_done_before(document, tmp_path):
    work(document)
    document.history.undo()
    before, frame = document.state_json(), document.frame
    document.files.start_journal(tmp_path / "journals")
    assert (document.state_json(), document.frame) == (before, frame)
    document.history.undo()
    other = Document()
    assert other.files.recover(shutil.copy(only_journal(tmp_path), tmp_path / "copy.journal"))
    assert other.state_json() == document.state_json()
    assert history(other) == history(document)


def test_a_save_is_part_of_the_history(journaled, tmp_path):
    journaled.keys.set()
    assert journaled.files.save(tmp_path / "walk.seq")
    journaled.set_frame(4)
    journaled.keys.set()
    other = Document()
    assert other.files.recover(shutil.copy(only_journal(tmp_path), tmp_path / "copy.journal"))
    assert other.files.path == (tmp_path / "walk.seq").resolve()
    assert other.modified
    other.history.undo()
    assert not other.modified


def test_a_clean_close_leaves_nothing(journaled, tmp_path):
    work(journaled)
    assert only_journal(tmp_path).is_file()
    journaled.files.close()
    assert list((tmp_path / "journals").iterdir()) == []


def test_journals_of_the_living_are_not_offered(journaled, tmp_path):
    journaled.keys.set()
    assert journals_left(tmp_path / "journals") == []


def test_opening_another_file_starts_the_journal_over(journaled, tmp_path, skeletons_folder):
    work(journaled)
    journaled.files.open(skeletons_folder / "arm7.scr")
    head, records = read_journal(only_journal(tmp_path))
    assert records == []
    assert head["base"] == json.loads(journaled.state_json())


CRASH = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.document import Document
app = QCoreApplication([])
folder, figure, edits = sys.argv[1:]
document = Document()
assert document.files.open(figure) and document.files.start_journal(Path(folder))
for frame in range(int(edits)):
    document.set_frame(frame)
    q = document.pose.copy()
    q[4] = 0.1 + frame
    assert document.posing.set(q)
gesture = document.posing.begin_gesture("Drag")
q = document.pose.copy()
q[4] = 99.0
gesture.set_pose(q)
os._exit(9)
"""


def crash(folder: Path, figure: Path, edits: int) -> None:
    command = [sys.executable, "-c", CRASH, str(folder), str(figure), str(edits)]
    assert subprocess.run(command, cwd=ROOT, timeout=60, check=False).returncode == 9


def test_a_crashed_process_leaves_its_journal(qapp, tmp_path, skeletons_folder):
    folder = tmp_path / "journals"
    crash(folder, skeletons_folder / "stickman.scr", 3)
    crash(folder, skeletons_folder / "stickman.scr", 0)
    left = journals_left(folder)
    assert [(item.steps, item.document) for item in left] == [(3, None)]
    document = Document()
    assert document.files.start_journal(folder)
    assert document.files.recover(left[0].path)
    assert document.sequence.keys.frames == (0, 1, 2)
    assert document.sequence.keys.at(2).q[4] == 2.1
    assert journals_left(folder) == []
    assert not left[0].path.exists()
    # What was recovered is safe again: a second crash would not cost it.
    assert len(read_journal(only_journal(tmp_path))[1]) == 3


def test_a_journal_cut_off_in_its_last_line_is_recovered_up_to_there(journaled, tmp_path):
    journaled.keys.set()
    state = journaled.state_json()
    journaled.set_frame(5)
    journaled.keys.set()
    text = only_journal(tmp_path).read_text()
    copy = tmp_path / "copy.journal"
    copy.write_text(text[:-20])
    other = Document()
    assert other.files.recover(copy)
    assert other.state_json() == state


@pytest.mark.parametrize(
    "line",
    [
        '{"do": {"text": "x", "gesture": null, "commands": [{"op": "no such"}]}}',
        '{"do": {"text": "x", "gesture": null, "commands": [{"op": "set_pose", "before": null,'
        ' "after": {"frame": 0, "q": [1.0]}, "go": null}]}}',
        '{"do": {"text": "x", "gesture": null, "commands": [{"op": "set_sequence_value", "sequence": 0, "name": "fps",'
        ' "before": 30, "after": 25}, {"op": "set_keys", "sequence": 7, "keys": []}]}}',
        '{"do": {"text": "x", "gesture": null, "commands": [{"op": "set_active", "before": [0, [0]],'
        ' "after": [3, [0]]}]}}',
        '{"do": 5}',
    ],
)
def test_a_damaged_line_ends_the_replay_and_is_reported(journaled, tmp_path, line):
    journaled.keys.set()
    state = journaled.state_json()
    copy = tmp_path / "copy.journal"
    copy.write_text(only_journal(tmp_path).read_text() + line + "\n")
    journaled.set_frame(5)
    other = Document()
    messages = []
    other.message.connect(lambda *message: messages.append(message))
    assert other.files.recover(copy)
    assert other.state_json() == state
    assert other.stack.count() == 1
    assert messages[-1][0] == "warning" and "copy.journal:3" in messages[-1][2]
    assert copy.exists()


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"journal": 99, "base": {}}', '{"journal": 1, "base": {}}'])
def test_what_is_no_journal_is_refused(document, heard, tmp_path, text):
    (tmp_path / "a.journal").write_text(text)
    before = document.state_json()
    assert not document.files.recover(tmp_path / "a.journal")
    assert not document.files.recover(tmp_path / "missing.journal")
    assert document.state_json() == before
    assert [message[0] for message in heard.messages] == ["error", "error"]


def test_without_a_place_for_it_work_goes_on(document, heard, tmp_path):
    (tmp_path / "file").write_text("")
    assert not document.files.start_journal(tmp_path / "file")
    assert heard.messages[-1][0] == "warning"
    assert document.keys.set()
