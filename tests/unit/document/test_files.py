"""Opening, saving, titles, the modified dot, and what bad files get."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from app.document import Document
from app.document.changes import FileChanged
from core.errors import FormatError, Problem
from core.formats.project import VERSION
from tests.support.earlier_files import EARLIER


def content(document: Document) -> dict:
    return json.loads(document.state_json())


def pose(document: Document, value: float) -> np.ndarray:
    q = document.pose.copy()
    q[4] = value
    return q


def test_a_figure_opens_with_an_empty_sequence(document):
    assert document.files.title == "Untitled — stickman.scr"
    assert document.files.path is None and not document.modified
    assert document.sequence.keys == () and document.stack.count() == 0
    assert np.array_equal(document.pose, document.skeleton.rest_pose())


def test_saving_and_opening_keeps_every_bit(document, tmp_path):
    for frame in (0, 7, 19):
        document.set_frame(frame)
        document.posing.set(pose(document, 0.1 + frame / 3))
    document.keys.set_interpolation([7], "linear")
    document.sequences.set_fps(29.97)
    document.figures.set_joint_value(2, "weight", 0.1)
    document.sequences.add(name="Second")
    document.sequences.show(0)
    path = tmp_path / "walk.seq"
    assert document.modified and document.files.title.endswith(" •")
    assert document.files.save(path)
    assert document.files.path == path and not document.modified
    assert document.files.title == "walk.seq — stickman.scr"
    other = Document()
    assert other.files.open(path)
    assert content(other) == content(document)
    assert other.files.title == document.files.title


def test_what_is_opened_after_a_lost_file_is_not_modified(document, tmp_path):
    first, second = tmp_path / "first.seq", tmp_path / "second.seq"
    assert document.files.save(first) and document.files.save(second) and document.files.open(first)
    document.files.note_lost()
    assert document.modified and document.stack.count() == 0
    assert document.files.open(second) and not document.modified


def test_every_earlier_version_has_a_file_here():
    assert set(EARLIER) == set(range(1, VERSION))


@pytest.mark.parametrize("version", sorted(EARLIER))
def test_a_file_of_an_earlier_version_opens_and_plays_unchanged(qapp, tmp_path, version):
    earlier = EARLIER[version]
    path, again = tmp_path / "earlier.seq", tmp_path / "again.seq"
    path.write_text(json.dumps(earlier.data), encoding="utf-8")
    before = path.read_bytes()
    document, messages = Document(), []
    document.message.connect(lambda *message: messages.append(message))
    assert document.files.open(path) and not document.modified and not messages
    sequence = document.sequence
    for key, record in zip(sequence.keys, earlier.data["sequences"][0]["keys"], strict=True):
        assert (key.frame, key.interp, key.turns, key.part) == (
            record["frame"], record["interp"], record["turns"], record["part"],
        )  # fmt: skip
        assert key.q.tobytes() == np.array(record["q"]).tobytes()
    assert np.abs(sequence.interpolated_at_frames(earlier.frames) - earlier.interpolated).max() < 1e-12
    assert np.abs(sequence.poses_at_frames(earlier.frames) - earlier.held).max() < 1e-8
    assert document.files.save(again) and path.read_bytes() == before
    other = Document()
    assert other.files.open(again) and content(other) == content(document)
    assert json.loads(again.read_text())["version"] == VERSION


def test_undo_past_a_save_marks_the_document_as_modified(document, tmp_path, heard):
    document.keys.set()
    document.files.save(tmp_path / "a.seq")
    heard.clear()
    document.history.undo()
    assert document.modified
    assert [change.name for change in heard.changes if isinstance(change, FileChanged)] == ["modified"]
    document.history.redo()
    assert not document.modified


def test_a_pending_pose_counts_as_modified_and_is_reported_at_saving(document, tmp_path, heard):
    document.session.keys.auto = False
    document.set_frame(3)
    document.posing.set(pose(document, 0.5))
    assert document.files.save(tmp_path / "a.seq")
    assert document.modified
    assert heard.messages[-1][0] == "warning"
    assert "unkeyed pose at frame 3" in heard.messages[-1][1]
    document.keys.set()
    assert document.modified
    assert document.files.save()
    assert not document.modified


def test_a_drag_under_way_is_in_the_file(document, tmp_path):
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(pose(document, 0.5))
    assert document.files.save(tmp_path / "a.seq")
    other = Document()
    other.files.open(tmp_path / "a.seq")
    assert other.pose[4] == 0.5


def test_saving_without_a_name_is_refused_and_a_suffix_is_added(document, tmp_path, heard):
    assert not document.files.save()
    assert heard.messages[0][0] == "error"
    assert document.files.save(tmp_path / "mine")
    assert document.files.path == tmp_path / "mine.seq"
    assert document.files.path.is_file()


def test_saving_as_scr_is_an_export(document, tmp_path):
    document.figures.set_joint_value(2, "weight", 0.25)
    document.keys.set()
    assert document.files.save(tmp_path / "mine.scr")
    assert document.files.path is None and document.modified  # the key is not in the file
    other = Document()
    assert other.files.open(tmp_path / "mine.scr")
    assert other.skeleton.joints[2].weight == 0.25


def test_saving_with_an_unknown_suffix_is_refused(document, tmp_path, heard):
    assert not document.files.save(tmp_path / "mine.xyz")
    assert heard.messages[0][0] == "error" and "mine.xyz" in heard.messages[0][1]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_said_and_the_old_file_stays(document, tmp_path, heard):
    path = tmp_path / "missing folder" / "a.seq"
    document.keys.set()
    assert not document.files.save(path)
    assert document.files.path is None and document.modified
    assert heard.messages[0][0] == "error" and heard.messages[0][1].startswith("a.seq: cannot be written")


BAD = {
    "cut.seq": b'{"format": "sequence-editor", "version": 1',
    "other.seq": b'{"format": "something else", "version": 1}',
    "newer.seq": b'{"format": "sequence-editor", "version": 999, "figures": [], "sequences": []}',
    "binary.seq": bytes(range(256)),
    "empty.scr": b"",
    "words.scr": b'define skeleton "a"\n joint "b"\n hinge w\nend skeleton\nnonsense\nmore nonsense\n',
    "odd.xyz": b"",
}


@pytest.mark.parametrize("name", [*BAD, "missing.seq", "folder.seq"])
def test_a_bad_file_leaves_everything_as_it_was(document, heard, tmp_path, name):
    if name in BAD:
        (tmp_path / name).write_bytes(BAD[name])
    if name == "folder.seq":
        (tmp_path / name).mkdir()
    document.keys.set()
    before, title, steps = document.state_json(), document.files.title, document.stack.count()
    heard.clear()
    for open_it in (document.files.open, document.files.load_figure):
        assert not open_it(tmp_path / name)
    assert (document.state_json(), document.files.title, document.stack.count()) == (before, title, steps)
    assert heard.kinds == ["message", "message"]
    level, text, details = heard.messages[0]
    assert level == "error" and name in text and "\n" not in text
    assert details.splitlines()[0].split(": ")[0].startswith(name)


def test_an_error_is_one_line_and_all_problems_are_in_the_details(document, heard, tmp_path, monkeypatch):
    problems = [Problem("a.scr", line, 2, f"problem {line}") for line in range(1, 31)]

    def fail(path, **_options):
        raise FormatError(problems)

    monkeypatch.setattr("core.formats.load", fail)
    assert not document.files.open(tmp_path / "a.scr")
    assert heard.messages == [
        ("error", "a.scr:1:2: problem 1 (and 29 more)", "\n".join(str(problem) for problem in problems))
    ]


def test_warnings_are_reported_and_the_file_is_open(document, heard, tmp_path):
    (tmp_path / "loose.scr").write_text('define skeleton "loose"\n joint "a"\n joint "b"\nend skeleton\n')
    assert document.files.open(tmp_path / "loose.scr")
    assert document.skeleton.name == "loose"
    level, text, details = heard.messages[-1]
    assert level == "warning" and "loose.scr" in text
    assert len(details.splitlines()) == 2 and '"a"' in details and '"b"' in details


def test_a_new_document_is_empty(document, heard):
    document.keys.set()
    document.selection.set([1])
    document.files.new()
    assert document.skeleton is None and document.stack.count() == 0 and not document.modified
    assert document.selection.joints == ()
    assert document.files.title == "Untitled"


def test_opening_reports_that_all_is_new(document, heard, skeletons_folder):
    document.keys.set()
    heard.clear()
    document.files.open(skeletons_folder / "arm7.scr")
    assert heard.kinds == ["file", "figure", "sequence", "keys", "locks", "hybrid", "pending", "frame", "pose", "file"]
    assert heard.changes[0] == FileChanged("opened")
    assert heard.changes[-1] == FileChanged("modified")


def test_members_of_later_versions_are_kept(document, tmp_path):
    path = tmp_path / "a.seq"
    document.keys.set()
    document.files.save(path)
    data = json.loads(path.read_text())
    data["later"] = {"x": [1, 2]}
    data["view"]["camera"] = {"kind": "front"}
    data["figures"][0]["mood"] = "glad"
    data["sequences"][0]["tempo"] = 3
    data["sequences"][0]["keys"][0]["note"] = "first"
    path.write_text(json.dumps(data))
    assert document.files.open(path)
    document.sequences.set_fps(25)
    document.posing.set(pose(document, 0.5))
    assert document.files.save()
    kept = json.loads(path.read_text())
    assert kept["later"] == {"x": [1, 2]} and kept["view"]["camera"] == {"kind": "front"}
    assert kept["figures"][0]["mood"] == "glad" and kept["sequences"][0]["tempo"] == 3
    assert kept["sequences"][0]["keys"][0]["note"] == "first"


def test_a_project_moves_with_its_figure_file(document, tmp_path, skeletons_folder):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    (first / "mine.scr").write_text((skeletons_folder / "arm7.scr").read_text())
    document.files.open(first / "mine.scr")
    assert document.files.save(first / "a.seq")
    assert json.loads((first / "a.seq").read_text())["figures"][0]["source"] == "mine.scr"
    os.rename(first, second)
    assert document.files.open(second / "a.seq")
    assert document.files.title == "a.seq — mine.scr"
    assert document.model.figures[0].source == (second / "mine.scr").resolve().as_posix()


def test_a_damaged_record_of_what_was_shown_is_ignored(document, tmp_path):
    path = tmp_path / "a.seq"
    document.files.save(path)
    for active in (
        3,
        {},
        {"figure": "x", "sequences": [0]},
        {"figure": 5, "sequences": [0]},
        {"figure": 0, "sequences": [9]},
    ):
        data = json.loads(path.read_text())
        data["view"]["active"] = active
        path.write_text(json.dumps(data))
        assert document.files.open(path)
        assert document.skeleton is not None and document.sequence is not None
