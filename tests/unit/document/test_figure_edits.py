"""Edits of the figure in a document: one step each, exact undo, poses carried over, the same after a crash."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from app.document import Document
from app.document.changes import Change
from app.document.commands.figure_commands import EditFigure
from core.kinematics import forward_kinematics
from core.skeleton import Joint, SegmentObject, Skeleton, SkeletonBuilder, write_pol
from tests.support.changes import kind_of
from tests.support.figures import box_mesh, hinge


@pytest.fixture
def walk(qapp, skeletons_folder: Path) -> Document:
    document = Document()
    assert document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    return document


@pytest.fixture
def messages(walk: Document) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    walk.message.connect(lambda level, text, details: found.append((level, text)))
    return found


def add_tail(builder: SkeletonBuilder) -> None:
    builder.add("tail", "pelvis", offset=(0, 0, -0.1), mass=0.5)
    builder.add_dof("tail", "hinge", "x", 0.2, 1.0, "Wag")


def world_of_keys(document: Document) -> dict[str, np.ndarray]:
    """World frames of all joints by name, at all keys."""
    poses = np.array([key.q for key in document.sequence.keys])
    frames = forward_kinematics(document.skeleton, poses)
    return {name: frames[:, i] for i, name in enumerate(document.skeleton.joint_names)}


# -- editing ---------------------------------------------------------------------------------------------------------


def test_one_step_that_carries_every_pose_over(walk: Document) -> None:
    assert walk.sequences.add(walk.sequence, "More")
    before, count, old = walk.state_json(), walk.stack.count(), walk.skeleton
    keys = [[key.q for key in sequence.keys] for sequence in walk.sequences.all]
    assert walk.figures.edit(add_tail, "Add tail")
    assert walk.stack.count() == count + 1 and walk.stack.undoText() == "Add tail"
    new = walk.skeleton
    assert new.nq == old.nq + 1
    at = new.dof_labels.index("Wag")
    for sequence, earlier in zip(walk.sequences.all, keys, strict=True):
        assert sequence.skeleton is new and len(sequence.keys) == len(earlier)
        for key, q in zip(sequence.keys, earlier, strict=True):
            assert key.q[3 + at] == 0.2  # at rest: the limit nearest to zero
            assert np.delete(key.q, 3 + at).tobytes() == q.tobytes()
    walk.history.undo()
    assert walk.state_json() == before and walk.skeleton is old
    walk.history.redo()
    assert walk.skeleton is new


def test_undo_brings_the_very_text_back(walk: Document) -> None:
    """Comments and all; while edited, the figure's text is written anew."""
    text = walk.model.figures[0].scr
    assert text.startswith("#")
    assert walk.figures.edit(lambda b: b.set("head", mass=5.0), "Heavier head")
    assert not walk.model.figures[0].scr.startswith("#")
    walk.history.undo()
    assert walk.model.figures[0].scr == text


def test_a_refused_edit_changes_nothing_and_says_why(walk: Document, messages: list[tuple[str, str]]) -> None:
    before = walk.state_json()

    def half_right(builder: SkeletonBuilder) -> None:
        builder.add("tail", "pelvis")
        builder.set("tail", mass=-1.0)

    for edit in (half_right, lambda b: b.remove("nobody"), lambda b: b.set("head", colour=(1, 1, 1))):
        assert not walk.figures.edit(edit, "Try")
    assert walk.state_json() == before and walk.stack.count() == 0
    assert [level for level, _ in messages] == ["warning"] * 3
    assert 'joint "tail": mass -1' in messages[0][1] and 'no joint "nobody"' in messages[1][1]


def test_an_edit_that_makes_no_difference_leaves_no_step(walk: Document) -> None:
    def and_back(builder: SkeletonBuilder) -> None:
        builder.set("head", weight=0.5)
        builder.set("head", weight=1.0)

    assert walk.figures.edit(and_back, "Nothing") and walk.figures.edit(lambda b: None, "Nothing")
    assert walk.stack.count() == 0


def test_the_same_word_makes_one_step(walk: Document) -> None:
    start = walk.state_json()

    def move(height: float, word: str | None) -> None:
        assert walk.figures.edit(lambda b: b.place("head", (0, height, 0), carry=False), "Move head", word)

    for height in (1.6, 1.7, 1.8):
        move(height, "drag 1")
    assert walk.stack.count() == 1
    move(1.9, "drag 2")
    move(2.0, None)
    move(2.1, None)
    assert walk.stack.count() == 4
    move(2.2, "drag 2")  # not the step just before
    assert walk.stack.count() == 5
    walk.history.undo()
    move(2.3, "drag 2")  # something was taken back between
    assert walk.stack.count() == 5
    while walk.stack.canUndo():
        walk.history.undo()
    assert walk.state_json() == start


def test_merged_steps_convert_poses_once_and_come_back(walk: Document) -> None:
    start = walk.state_json()
    assert walk.figures.edit(add_tail, "Tail", "word")
    assert walk.figures.edit(lambda b: b.set("tail", offset=(0, 0, -0.2)), "Tail", "word")
    assert walk.figures.edit(lambda b: b.add_dof("tail", "hinge", "y"), "Tail", "word")
    assert walk.stack.count() == 1
    end = walk.state_json()
    walk.history.undo()
    assert walk.state_json() == start
    walk.history.redo()
    assert walk.state_json() == end


def test_a_pending_pose_is_carried_over(walk: Document) -> None:
    walk.session.keys.auto = False
    q = walk.pose.copy()
    q[5] = -0.0
    assert walk.posing.set(q)
    before = walk.state_json()
    assert walk.figures.edit(add_tail, "Tail")
    assert walk.pending and walk.pose.shape == (walk.skeleton.nq,)
    walk.history.undo()
    assert walk.state_json() == before
    assert walk.pose.tobytes() == q.tobytes()


def test_selection_follows_names_and_renames(walk: Document) -> None:
    walk.selection.set(["left hand", "head"])
    assert walk.figures.edit(lambda b: b.add("tail", after="abdomen"), "Tail")
    assert [walk.skeleton.joint_names[i] for i in walk.selection.joints] == ["left hand", "head"]
    assert walk.figures.edit(lambda b: b.rename("head", "skull"), "Rename")
    assert [walk.skeleton.joint_names[i] for i in walk.selection.joints] == ["left hand", "skull"]
    walk.history.undo()
    assert [walk.skeleton.joint_names[i] for i in walk.selection.joints] == ["left hand", "head"]
    assert walk.figures.edit(lambda b: b.remove("head"), "Remove")
    assert [walk.skeleton.joint_names[i] for i in walk.selection.joints] == ["left hand"]


def test_what_views_hear(walk: Document) -> None:
    heard: list[tuple[str, Change]] = []
    walk.changed.connect(lambda change: heard.append((kind_of(change), change)))
    walk.figures.edit(lambda b: b.set("head", mass=5.0), "Heavier")
    assert [kind for kind, _ in heard] == ["figure", "pose", "file"] and heard[0][1].name == "joints"
    heard.clear()
    walk.figures.edit(add_tail, "Tail")
    assert [kind for kind, _ in heard if kind != "session"] == ["figure", "keys", "pose"]
    heard.clear()
    walk.history.undo()
    assert [kind for kind, _ in heard if kind != "session"] == ["figure", "keys", "pose"]


def test_an_edit_ends_a_drag_and_stops_playing(walk: Document) -> None:
    gesture = walk.posing.begin_gesture("Drag")
    q = walk.pose.copy()
    q[0] += 0.5
    gesture.set_pose(q)
    assert walk.figures.edit(add_tail, "Tail")
    assert not gesture.active and walk.stack.count() == 2
    assert walk.pose[0] == q[0]


def test_only_the_active_figure_and_its_sequences(walk: Document, skeletons_folder: Path) -> None:
    assert walk.files.load_figure(skeletons_folder / "stickman.scr")
    human = [json.dumps(record, sort_keys=True) for record in json.loads(walk.state_json())["sequences"][:1]]
    assert walk.figures.edit(lambda b: b.remove("left arm"), "Remove")
    assert walk.skeleton.name == "stickman" and "left arm" not in walk.skeleton.joint_names
    assert [json.dumps(record, sort_keys=True) for record in json.loads(walk.state_json())["sequences"][:1]] == human
    assert walk.sequences.all[0].skeleton is walk.figures.all[0]


def test_without_a_figure(qapp) -> None:
    document = Document()
    said = []
    document.message.connect(lambda level, text, details: said.append(text))
    assert not document.figures.edit(add_tail, "Tail") and not document.figures.reroot("tail")
    assert said == ["there is no figure to edit; open one first"] * 2
    assert document.figures.add(Skeleton("lamp", [Joint("foot", -1, mass=1.0)]))
    assert document.skeleton.name == "lamp" and document.sequence.name == "lamp"
    assert document.figures.edit(lambda b: b.add("arm", "foot"), "Arm")
    document.history.undo()
    document.history.undo()
    assert document.skeleton is None


def test_the_name_and_the_title(walk: Document) -> None:
    assert walk.figures.edit(lambda b: setattr(b, "name", "hero"), "Rename figure")
    assert walk.skeleton.name == "hero" and walk.model.figures[0].name == "hero"


# -- re-rooting ------------------------------------------------------------------------------------------------------


def test_re_rooting_keeps_every_key_in_the_world(walk: Document) -> None:
    before, state = world_of_keys(walk), walk.state_json()
    walk.session.keys.auto = False
    walk.set_frame(3)
    walk.posing.set(walk.pose * 1.01)
    pending = walk.pose.copy()
    frames = forward_kinematics(walk.skeleton, pending)
    old = walk.skeleton
    assert walk.figures.reroot("right foot")
    new = walk.skeleton
    assert new.joint_names[0] == "right foot" and walk.stack.undoText() == "Make right foot the root"
    after = world_of_keys(walk)
    for i, name in enumerate(new.joint_names):
        assert np.abs(after[name] @ new.frames[i] - before[name]).max() < 1e-12
    again = forward_kinematics(new, walk.pose)
    for i, name in enumerate(new.joint_names):
        assert np.abs(again[i] @ new.frames[i] - frames[old.joint_index(name)]).max() < 1e-12
    walk.history.undo()
    assert walk.pose.tobytes() == pending.tobytes()
    walk.history.undo()
    assert walk.state_json() == state


def test_the_motion_between_the_keys_stays_smooth(walk: Document) -> None:
    """The root's angles do not leap from key to key, so the figure does not spin between them."""
    assert walk.figures.reroot("left hand")
    poses = np.array([key.q for key in walk.sequence.keys])
    assert np.abs(np.diff(poses[:, 3:6], axis=0)).max() < np.pi


def test_re_rooting_at_the_root_or_nowhere(walk: Document, messages: list[tuple[str, str]]) -> None:
    assert walk.figures.reroot("pelvis") and walk.figures.reroot(0)
    assert walk.stack.count() == 0
    assert not walk.figures.reroot("tail") and not walk.figures.reroot(99)
    assert [level for level, _ in messages] == ["warning", "warning"] and 'no joint "tail"' in messages[0][1]


def test_there_and_back_and_the_walk_is_the_same(walk: Document) -> None:
    before = world_of_keys(walk)
    assert walk.figures.reroot("left toes") and walk.figures.reroot("pelvis")
    after = world_of_keys(walk)
    for name, frames in before.items():
        assert np.abs(after[name] - frames).max() < 1e-12, name


# -- objects ---------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_meshes_travel_through_files_undo_and_the_journal(walk: Document, tmp_path: Path) -> None:
    assert walk.files.start_journal(tmp_path / "journals")
    assert walk.figures.reroot("left hand")
    assert walk.figures.edit(lambda b: b.place("head", (0, 1.7, 0), carry=False), "Move")
    objects = dict(walk.model.figures[0].objects)
    assert "human/head-2.pol" in objects and "human/left_forearm.pol" in objects
    assert walk.files.save(tmp_path / "hand.seq")
    other = Document()
    assert other.files.open(tmp_path / "hand.seq")
    assert other.state_json() == walk.state_json()
    assert dict(other.model.figures[0].objects) == objects
    (journal,) = (tmp_path / "journals").glob("*.journal")
    crashed = Document()
    assert crashed.files.recover(shutil.copy(journal, tmp_path / "copy.journal"))
    assert crashed.state_json() == walk.state_json()
    walk.history.undo()
    crashed.history.undo()
    assert crashed.state_json() == walk.state_json()
    assert "human/head-2.pol" not in walk.model.figures[0].objects
    walk.history.undo()
    assert dict(walk.model.figures[0].objects) == {}


def test_a_journal_line_holds_only_the_meshes_that_changed(walk: Document) -> None:
    assert walk.figures.reroot("left hand")
    assert walk.figures.edit(lambda b: b.place("head", (0, 1.7, 0), carry=False), "Move")
    step = walk.stack.command(1)
    (record,) = step.to_json()["commands"]
    assert list(record["after"]["objects"]) == ["human/head-2.pol"]
    assert "human/left_forearm.pol" in record["kept"]
    (first,) = walk.stack.command(0).to_json()["commands"]
    merged = EditFigure.from_json(first).merged(EditFigure.from_json(record))
    assert merged.kept == frozenset(first["kept"]) & frozenset(record["kept"])


def test_the_text_of_an_object_that_was_read_is_kept(qapp, tmp_path: Path) -> None:
    part = SegmentObject("x/part.pol", box_mesh((0, 0, 0), (1, 1, 1)))
    s = Skeleton("s", [Joint("a", -1, objects=(part,)), Joint("b", 0, offset=(0, 1, 0), dofs=(hinge("x"),), mass=1.0)])
    document = Document()
    assert document.figures.add(s)
    path = tmp_path / "s.seq"
    assert document.files.save(path)
    data = json.loads(path.read_text())
    text = "# made by hand\n" + write_pol(part.mesh)
    data["figures"][0]["objects"]["x/part.pol"] = text
    path.write_text(json.dumps(data))
    assert document.files.open(path)
    assert document.model.figures[0].objects["x/part.pol"] == text
    assert document.figures.edit(lambda b: b.place("b", (0, 2, 0)), "Move")
    assert document.figures.set_joint_value("b", "weight", 0.5)
    assert document.model.figures[0].objects["x/part.pol"] == text
    assert document.figures.edit(lambda b: b.place("a", (0, 2, 0), carry=False), "Move")
    assert document.model.figures[0].objects["x/part.pol"] != text
    for _ in range(3):
        document.history.undo()
    assert document.model.figures[0].objects["x/part.pol"] == text


@pytest.mark.verify
def test_a_damaged_record_ends_the_replay_and_no_more(walk: Document, tmp_path: Path) -> None:
    assert walk.files.start_journal(tmp_path / "journals")
    assert walk.figures.edit(add_tail, "Tail")
    good = walk.state_json()
    assert walk.figures.edit(lambda b: b.place("head", (0, 1.7, 0), carry=False), "Move")
    (journal,) = (tmp_path / "journals").glob("*.journal")
    lines = journal.read_text().splitlines()
    for damage in ("vertices x", 7):
        record = json.loads(lines[-1])
        record["do"]["commands"][0]["after"]["objects"]["human/head-2.pol"] = damage
        copy = tmp_path / "copy.journal"
        copy.write_text("\n".join([*lines[:-1], json.dumps(record)]))
        other = Document()
        assert other.files.recover(copy)
        assert other.state_json() == good
    record = json.loads(lines[-1])
    record["do"]["commands"][0]["kept"] = ["nothing.pol"]
    copy.write_text("\n".join([*lines[:-1], json.dumps(record)]))
    other = Document()
    assert other.files.recover(copy) and other.state_json() == good


def test_saving_the_figure_writes_its_meshes(walk: Document, tmp_path: Path) -> None:
    assert walk.figures.reroot("left foot")
    assert walk.files.save(tmp_path / "foot.scr")
    other = Document()
    assert other.files.open(tmp_path / "foot.scr")
    assert not [warning for figure in other.figures.all for warning in figure.warnings]
    assert other.skeleton.dof_names == walk.skeleton.dof_names
    names = [[part.file for joint in s.joints for part in joint.objects] for s in (other.skeleton, walk.skeleton)]
    assert names[0] == names[1]


def test_keys_of_a_figure_of_its_own_sequence(qapp) -> None:
    """A figure made from nothing is edited, keyed and edited again."""
    document = Document()
    assert document.figures.add(Skeleton("s", [Joint("a", -1, mass=1.0)]))
    assert document.figures.edit(lambda b: b.add("b", "a", offset=(0, 1, 0), mass=1.0), "Add b")
    assert document.figures.edit(lambda b: b.add_dof("b", "hinge", "x"), "Bend")
    q = np.array([1.0, 2.0, 3.0, 0.5])
    assert document.posing.set(q)
    assert document.figures.edit(lambda b: b.add_dof("b", "hinge", "y", at=0), "Turn")
    assert document.pose.tolist() == [1.0, 2.0, 3.0, 0.0, 0.5]
    assert document.figures.reroot("b")
    assert document.figures.edit(lambda b: b.remove("a"), "Remove a")
    assert document.skeleton.joint_names == ("b",)
    while document.stack.canUndo():
        document.history.undo()
    assert document.skeleton is None


def test_rerooting_with_keys_apart_says_that_poses_between_them_may_change(walk):
    messages: list[str] = []
    walk.message.connect(lambda level, text, *_: messages.append(text))
    before = [forward_kinematics(walk.skeleton, key.q) for key in walk.sequence.keys]
    names = walk.skeleton.joint_names
    assert walk.figures.reroot("chest") and any("between keys may change" in text for text in messages)
    for frames, key in zip(before, walk.sequence.keys, strict=True):
        after = forward_kinematics(walk.skeleton, key.q)
        places = [walk.skeleton.joint_index(name) for name in ("left foot", "right hand", "head")]
        old = [names.index(name) for name in ("left foot", "right hand", "head")]
        assert np.abs(after[places, :3, 3] - frames[old, :3, 3]).max() < 1e-9
    messages.clear()
    walk.figures.reroot("chest")
    assert not any("between keys" in text for text in messages)
