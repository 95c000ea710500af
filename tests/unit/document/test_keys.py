"""Keys in the document: channels, ripple, shapes, the clipboard, frames; each one step, refused whole."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from app.document import Document
from app.document.content.key_selection import KeySelection
from app.document.keys import clipboard
from core.animation import EASES, Key, Shape
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.marker import Marker
from core.constraints import Lock
from core.errors import SequenceError


def bent(document, value):
    q = document.pose.copy()
    q[3:] = value
    return q


@pytest.fixture
def walk(document):
    for frame in (0, 10, 20):
        document.set_frame(frame)
        document.posing.set(bent(document, 0.01 * frame))
    return document


@pytest.fixture
def arms(document):
    names = document.skeleton.joint_names
    pairs = [(names[a], names[b]) for a, b in document.skeleton.mirror_pairs if document.skeleton.joints[a].dofs]
    return pairs[0]


def keyed(document, channel):
    return document.sequence.keys.channel_frames(channel).tolist()


def one_step(document, edit, *args, **kwargs):
    """Do an edit that must be one step, and undo and redo it to the bit."""
    before, count = document.state_json(), document.stack.count()
    assert edit(*args, **kwargs)
    after = document.state_json()
    assert document.stack.count() == count + 1 and after != before
    document.history.undo()
    assert document.state_json() == before
    document.history.redo()
    assert document.state_json() == after


def test_set_key_of_joints_keys_only_these(walk, arms):
    walk.set_frame(5)
    one_step(walk, walk.keys.set, joints=[arms[0]])
    assert walk.sequence.keys.at(5).keyed == {arms[0]}
    one_step(walk, walk.keys.set, 5, [0])
    assert walk.sequence.keys.at(5).keyed == {arms[0], "", walk.skeleton.joint_names[0]}
    assert keyed(walk, arms[1]) == [0, 10, 20]


@pytest.mark.parametrize("what", ["figure", "changed", "selection"])
def test_what_a_drag_writes_is_what_the_session_says(walk, arms, what, heard):
    walk.session.keys.what = what
    walk.selection.set([arms[1]])
    walk.set_frame(4)
    column = walk.sequence.channels.columns[walk.sequence.channels.index(arms[0])][0]
    gesture = walk.posing.begin_gesture("Drag")
    for step in (0.1, 0.2):
        q = gesture.start.copy()
        q[column] += step
        gesture.set_pose(q)
        assert walk.pose[column] == q[column], "the drag shows what it does, whatever it keys"
    assert gesture.commit() and walk.stack.count() == 4
    expected = {"figure": None, "changed": {arms[0]}, "selection": {arms[1]}}[what]
    assert walk.sequence.keys.at(4).keyed == expected
    if what == "selection":
        assert walk.pose[column] == gesture.start[column], "what is not keyed goes where the keys around have it"
    else:
        assert walk.pose[column] == pytest.approx(gesture.start[column] + 0.2)
    walk.history.undo()
    assert walk.sequence.keys.at(4) is None
    assert walk.posing.set(walk.pose) is True and (walk.sequence.keys.at(4) is None) == (what == "changed")


def test_keys_of_channels_are_deleted_moved_and_rippled(walk, arms):
    some = KeySelection({10: [arms[0]]}, walk.sequence.channels.all)
    one_step(walk, walk.keys.move, some, {10: 14})
    assert keyed(walk, arms[0]) == [0, 14, 20] and keyed(walk, arms[1]) == [0, 10, 20]
    some = KeySelection({14: [arms[0]]})
    one_step(walk, walk.keys.shift, some, 2, ripple=True)
    assert keyed(walk, arms[0]) == [0, 16, 22] and keyed(walk, arms[1]) == [0, 10, 20]
    one_step(walk, walk.keys.delete, KeySelection({16: [arms[0]], 22: [arms[0]]}))
    assert keyed(walk, arms[0]) == [0] and walk.sequence.keys.frames == (0, 10, 20)
    before = walk.state_json()
    assert not walk.keys.delete(KeySelection({10: [arms[0]]})) and not walk.keys.shift([10], 10)
    assert walk.state_json() == before


def test_ripple_of_whole_keys_takes_strips_markers_and_timings_along(walk):
    hand = walk.skeleton.joint_names[-1]
    walk.locks.add(Lock(hand, "position"), 15, 19)
    walk.markers.set([Marker(18, "beat")])
    walk.sequences.set_timing("*", TimingCurve(((12, 12), (15, 13), (20, 20))))
    one_step(walk, walk.keys.scale, [0, 10], 1.4, ripple=True)
    assert walk.sequence.keys.frames == (0, 14, 24)
    assert (walk.locks.strips[0].start, walk.locks.strips[0].end) == (19, 23)
    assert walk.sequence.markers[0].frame == 22 and walk.sequence.timing.curves["*"].points[1] == (19, 17)
    one_step(walk, walk.keys.insert_frames, 14, 3)
    assert walk.sequence.keys.frames == (0, 17, 27)
    one_step(walk, walk.keys.remove_frames, 17, 26)
    assert walk.sequence.keys.frames == (0, 17) and walk.locks.strips == ()


def test_ripple_of_what_is_earlier_takes_markers_timings_and_strips_along(walk):
    hand = walk.skeleton.joint_names[-1]
    walk.keys.move({0: 6})
    walk.locks.add(Lock(hand, "position"), 6, 8)
    walk.markers.set([Marker(1, "start"), Marker(6, "first"), Marker(8, "near"), Marker(15, "in"), Marker(20, "end")])
    walk.sequences.set_timing("*", TimingCurve(((6, 6), (8, 7), (20, 20))))
    one_step(walk, walk.keys.move, {6: 2, 10: 6}, earlier=True)
    assert walk.sequence.keys.frames == (2, 6, 20)
    assert [marker.frame for marker in walk.sequence.markers] == [0, 2, 4, 13, 20]  # from 6 to 20 it is longer
    assert walk.sequence.timing.curves["*"].points == ((2, 2), (4, 3), (20, 20))
    assert (walk.locks.strips[0].start, walk.locks.strips[0].end) == (2, 4)


def test_markers_never_merge(walk):
    walk.markers.set([Marker(frame, str(frame)) for frame in (14, 15, 16, 20, 21)])
    one_step(walk, walk.keys.move, {20: 12}, ripple=True)
    assert [marker.name for marker in walk.sequence.markers] == ["14", "15", "16", "20", "21"]


def test_shapes_of_keys_and_of_channels(walk, arms):
    one_step(walk, walk.keys.set_shape, [0, 10], interp="kochanek_bartels", tension=0.5, ease="in")
    assert walk.sequence.keys[0].shape == Shape("kochanek_bartels", tension=0.5, ease=EASES["in"])
    some = KeySelection({10: [arms[0]]})
    one_step(walk, walk.keys.set_shape, some, interp="free", slopes_out=[0.1] * len(columns(walk, arms[0])))
    assert walk.sequence.keys.at(10).shape_of(arms[0]).interp == "free" and walk.sequence.keys.at(10).interp != "free"
    before = walk.state_json()
    for values in ({"interp": "cubic"}, {"slopes_in": [1.0]}, {"tension": float("nan")}, {"speed": 1}):
        assert not walk.keys.set_shape(some if "slopes_in" in values else [0], **values)
    assert not walk.keys.set_shape(KeySelection({11: [arms[0]]}), interp="linear") and walk.state_json() == before
    one_step(walk, walk.keys.set_interpolation, [10], "linear")
    assert walk.sequence.keys.at(10).shape_of(arms[0]).interp == "linear"


def columns(document, channel):
    return document.sequence.channels.columns[document.sequence.channels.index(channel)]


def test_timing_speed_markers_and_music_are_steps(walk, arms):
    one_step(walk, walk.sequences.set_timing, arms[0], TimingCurve(((0, 0), (5, 2), (20, 20))))
    one_step(walk, walk.sequences.set_root_speed, SpeedCurve(((0, 1), (20, 3))))
    one_step(walk, walk.markers.set, [Marker(4, "left"), Marker(2)])
    one_step(walk, walk.music.set, {"file": "/music/drum.wav"})
    before = walk.state_json()
    assert not walk.sequences.set_timing("tail", TimingCurve(((0, 0), (1, 1))))
    assert not walk.markers.set([Marker(4), Marker(4)]) and walk.state_json() == before
    number = walk.gesture_id()
    for at in (3, 4):
        walk.sequences.set_timing(arms[0], TimingCurve(((0, 0), (5, at), (20, 20))), number)
    assert walk.stack.count() == 8, "calls of one gesture are one step"
    one_step(walk, walk.sequences.set_timing, arms[0], None)
    assert arms[0] not in walk.sequence.timing.curves


# -- the clipboard ---------------------------------------------------------------------------------------------------


def test_keys_are_copied_cut_and_pasted(walk, arms):
    clip = walk.keys.copy(KeySelection({0: None, 10: None}))
    assert clip.length == 10
    one_step(walk, walk.keys.paste, 40)
    assert walk.sequence.keys.frames == (0, 10, 20, 40, 50)
    before = walk.state_json()
    assert not walk.keys.paste(40) and walk.state_json() == before, "nothing merges silently"
    one_step(walk, walk.keys.paste, 15, make_room=True)
    assert walk.sequence.keys.frames == (0, 10, 15, 25, 31, 51, 61)
    one_step(walk, walk.keys.paste, 20, replace=True)
    assert walk.sequence.keys.frames == (0, 10, 15, 20, 30, 31, 51, 61)
    one_step(walk, walk.keys.cut, KeySelection({15: [arms[0]], 20: [arms[0]]}))
    assert keyed(walk, arms[0]) == [0, 10, 30, 31, 51, 61] and walk.stack.undoText() == "Cut 2 keys"
    walk.set_frame(70)
    one_step(walk, walk.keys.paste, flipped=True)
    assert walk.sequence.keys.at(70).keyed == {arms[1]} and walk.stack.undoText() == "Paste keys flipped"


def test_pasted_poses_hold_the_locks_that_are_there(walk):
    hand = walk.skeleton.joint_names[-1]
    walk.keys.copy([0])
    walk.locks.add(Lock(hand, "position"), 40, 50)
    walk.keys.paste(45)
    assert walk.sequence.locks.report(45)[1].position_residuals[0] < 1e-6
    assert walk.sequence.keys.at(45).q.tobytes() != walk.sequence.keys.at(0).q.tobytes()


def test_copied_keys_are_text_that_comes_back_to_the_bit(walk, arms):
    walk.keys.set_shape(KeySelection({10: [arms[0]]}), interp="stepped")
    clip = walk.keys.copy([0, 10])
    text = QGuiApplication.clipboard().text()
    assert json.loads(text)["format"] == clipboard.FORMAT
    back = clipboard.clip_from_text(text, walk.skeleton)
    assert back.keys == clip.keys and (back.length, back.dof_names) == (clip.length, clip.dof_names)
    other = QMimeData()
    other.setText(text.replace('"length": 10', '"length": 12'))
    QGuiApplication.clipboard().setMimeData(other)  # as from another window
    assert clipboard.get(walk.skeleton).length == 12
    QGuiApplication.clipboard().setText("a shopping list")
    assert clipboard.get(walk.skeleton) is clip


def damage(member, value):
    def edit(data):
        data[member] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (damage("format", "x"), "they are not keys"),
        (damage("version", 2), "version 2 is not known"),
        (damage("dofs", ["a"]), "channels name"),
        (damage("keys", 3), "damaged"),
        (damage("length", -1), "length -1"),
        (lambda data: data["keys"][0]["q"].pop(), "values; "),
        (lambda data: data["keys"][0].update(keyed=["tail"]), 'names "tail", which is not a channel'),
        (lambda data: data["keys"][0].update(frame="x"), "not a number"),
        (lambda data: data["keys"].append(data["keys"][0]), "two keys are at one frame"),
    ],
)
def test_damaged_text_of_keys_is_refused_in_one_line(walk, edit, message):
    data = json.loads(clipboard.clip_text(walk.sequence.copy(0, 10), walk.skeleton))
    edit(data)
    with pytest.raises(SequenceError, match=message) as caught:
        clipboard.clip_from_text(json.dumps(data), walk.skeleton)
    assert "\n" not in str(caught.value)


def test_keys_go_to_other_figures_by_the_names_of_joints(walk, heard, skeletons_folder):
    walk.keys.copy([0, 10])
    other = Document()
    assert other.files.open(skeletons_folder / "woman.scr")
    said = []
    other.message.connect(lambda level, text, details: said.append((level, text)))
    assert other.keys.paste(3) and other.sequence.keys.frames == (3, 13)
    assert said[-1][0] == "info" and "joints" in said[-1][1]
    assert other.files.open(skeletons_folder / "chain20.scr")
    before = other.state_json()
    assert not other.keys.paste(3) and other.state_json() == before and said[-1][0] == "warning"


# -- by hand ---------------------------------------------------------------------------------------------------------


def test_a_key_gesture_shows_one_edit_and_is_one_step(walk, arms):
    before, count = walk.state_json(), walk.stack.count()
    gesture = walk.keys.begin_gesture("Move keys")
    some = KeySelection({10: [arms[0]]}, walk.sequence.channels.all)
    for to in (12, 14):
        assert gesture.move_keys(some, {10: to}) and keyed(walk, arms[0]) == [0, to, 20]
    assert not gesture.move_keys(some, {10: 20}) and "frame 20" in gesture.problem
    assert keyed(walk, arms[0]) == [0, 14, 20], "what was shown stays"
    assert gesture.commit() and walk.stack.count() == count + 1
    after = walk.state_json()
    walk.history.undo()
    assert walk.state_json() == before
    walk.history.redo()
    assert walk.state_json() == after
    with walk.keys.begin_gesture("Drag") as gesture:
        keys = list(gesture.before)
        assert gesture.set_keys([*keys[:-1], Key(33, keys[-1].q)])
        assert not gesture.set_keys([*keys, Key(33, np.zeros(3))]) and gesture.problem
        assert gesture.set_shape(KeySelection({0: None}), interp="linear")
        walk.history.undo()
    assert walk.state_json() == after and not gesture.active


def test_a_gesture_that_comes_back_leaves_no_step(walk):
    count, before = walk.stack.count(), walk.state_json()
    gesture = walk.keys.begin_gesture("Drag")
    gesture.move_keys(KeySelection({10: None}), {10: 12}, ripple=True)
    assert walk.sequence.keys.frames == (0, 12, 22)
    gesture.move_keys(KeySelection({10: None}), {10: 10})
    assert not gesture.commit() and walk.stack.count() == count and walk.state_json() == before


# -- edits of the figure ---------------------------------------------------------------------------------------------


def test_renaming_mirroring_and_another_root_carry_keys_of_channels(walk, arms):
    walk.keys.set(15, joints=[arms[0]])
    walk.keys.set_shape(KeySelection({15: [arms[0]]}), interp="stepped")
    walk.sequences.set_timing(arms[0], TimingCurve(((0, 0), (5, 2), (20, 20))))
    one_step(walk, walk.figures.edit, lambda builder: builder.rename(arms[0], "wing"), "Rename")
    assert walk.sequence.keys.at(15).keyed == {"wing"} and "wing" in walk.sequence.timing.curves
    assert walk.sequence.keys.at(15).shape_of("wing").interp == "stepped"
    walk.sequences.set_timing("wing", None)
    before = walk.sequence.poses_at_frames([0, 10, 20])
    one_step(walk, walk.figures.reroot, "wing")
    assert walk.skeleton.joint_names[0] == "wing" and walk.sequence.keys.at(15).keyed is not None
    assert np.allclose(walk.skeleton.revert(walk.sequence.poses_at_frames([0, 10, 20])), before)
    one_step(walk, walk.figures.edit, lambda builder: builder.remove(arms[1], True), "Remove")
    assert all(key.keyed is None or key.keyed <= walk.sequence.channels.all for key in walk.sequence.keys)


def test_frames_put_in_after_all_keys_leave_the_selection_and_the_steps_as_they_are(walk):
    walk.stack.clear()
    last = walk.sequence.keys.frames[-1]
    selection = KeySelection({last: [next(iter(walk.sequence.channels.names))]})
    assert walk.keys.insert_frames(last + 10, 3)
    walk.history.select_moved(selection, selection.moved(lambda frame: frame + 3 if frame >= last + 10 else frame))
    assert walk.session.keys.selected == selection and walk.stack.count() == 0
