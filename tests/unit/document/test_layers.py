"""Layers in a document: posed on, weighed, muted, merged, saved; each edit one step that is undone bit for bit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from app.document import Document
from app.document.library_edits import clip_for
from core.kinematics import forward_kinematics
from tests.support.layered import poses_at_random

FRAMES = (0, 10, 20, 30, 40)


@pytest.fixture
def document(qapp, skeletons_folder):
    document = Document()
    assert document.files.open(skeletons_folder / "human.scr")
    document.sequence.set_keys(poses_at_random(document.skeleton, FRAMES, seed=24, reach=1.0, middle=0.2))
    document.model.forget_poses()
    return document


def turned(document, by=0.05):
    """The pose on screen with the joints of one compound and the place of the root changed."""
    channels = document.sequence.channels
    columns = next(own for own in channels.compounds[1:] if own is not None)
    q = document.pose.copy()
    q[columns] += [by, -by, 0.5 * by]
    q[1] += by
    return q


def drag(document, q):
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(q)
    assert gesture.commit()


@pytest.mark.parametrize("how", ["drag", "set"])
def test_posing_with_a_layer_active_keys_the_difference_on_it_and_shows_the_pose(document, how):
    keys = document.sequence.keys
    below = document.layers.add("Below")
    document.set_frame(5)
    drag(document, turned(document, 0.02))
    document.layers.add("Above")
    drag(document, turned(document, -0.03))
    document.layers.set(below, weight=0.5)
    document.layers.activate(below)  # between the keys and another layer, with half its weight
    document.set_frame(12)
    q = turned(document)
    drag(document, q) if how == "drag" else document.posing.set(q)
    assert document.sequence.keys is keys
    np.testing.assert_allclose(document.pose, q, atol=1e-9)
    document.model.forget_poses()
    np.testing.assert_allclose(document.pose, q, atol=1e-9)
    assert document.layers.get(below).keys.frames == (5, 12)
    assert document.layers.get(below).keys.at(12).keyed is not None  # only what has changed


def test_posing_on_the_keys_under_layers_shows_the_pose_too(document):
    id = document.layers.add()
    document.set_frame(10)
    drag(document, turned(document))
    layer = document.layers.get(id)
    document.layers.activate(None)
    before = document.sequence.keys.at(10)
    q = turned(document, 0.07)
    drag(document, q)
    document.model.forget_poses()
    np.testing.assert_allclose(document.pose, q, atol=1e-9)
    assert document.layers.get(id) is layer
    changed = np.flatnonzero(document.sequence.keys.at(10).q != before.q)
    assert set(changed) <= set(np.flatnonzero(layer.moves)) | {1}


@pytest.mark.parametrize("why", ["muted", "solo", "weight"])
def test_what_could_not_be_seen_is_refused_and_changes_nothing(document, why):
    id, other = document.layers.add("Arm"), document.layers.add("Other")
    said = []
    document.layers.activate(id)
    if why == "muted":
        document.layers.set(id, muted=True)
    elif why == "solo":
        document.layers.set(other, solo=True)
    else:
        document.layers.set(id, weight=0.0)
    document.message.connect(lambda level, text, details: said.append((level, text)))
    state, count = document.state_json(), document.stack.count()
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(turned(document))
    gesture.set_pose(turned(document, 0.1))
    assert not gesture.commit()
    document.posing.set(turned(document))
    assert document.state_json() == state
    assert document.stack.count() == count
    assert len(said) == 2
    assert all(level == "warning" and "Arm" in text for level, text in said)


def test_mute_solo_mask_and_weight(document):
    plain = document.model.keyed_pose(15).copy()
    a, b = document.layers.add("A"), document.layers.add("B")
    document.layers.activate(a)
    document.set_frame(15)
    drag(document, turned(document))
    with_a = document.pose.copy()
    document.layers.activate(b)
    q = document.pose.copy()
    q[0] += 0.2
    drag(document, q)
    document.layers.set(b, solo=True)
    only_b = document.pose.copy()
    assert only_b[0] == pytest.approx(plain[0] + 0.2)
    assert only_b[1] == plain[1]
    document.layers.set(b, solo=False)
    document.layers.set(b, muted=True)
    np.testing.assert_array_equal(document.pose, with_a)
    document.layers.set(a, weight=0.5)
    assert document.pose[1] == pytest.approx(plain[1] + 0.025)
    document.layers.set(a, weights=((10, 0.0), (20, 2.0)))
    assert document.pose[1] == pytest.approx(plain[1] + 0.05)
    document.layers.set(a, mask=frozenset({""}))
    np.testing.assert_array_equal(document.pose[3:], plain[3:])
    document.layers.set(a, muted=True)
    np.testing.assert_array_equal(document.pose, plain)


def poses(document):
    return document.sequence.poses_at_frames(np.arange(0.0, 41.0))


def three_layers(document):
    """Layers that differ in weight, frames and parts; return their ids, lowest first."""
    ids = [document.layers.add(name) for name in ("Low", "Middle", "High")]
    for id, frames in zip(ids, ((0, 20), (7, 23, 33), (12, 40)), strict=True):
        document.layers.activate(id)
        for k, frame in enumerate(frames):
            document.set_frame(frame)
            drag(document, turned(document, 0.03 * (-1) ** k + 0.01))
    document.layers.set(ids[1], weights=((5, 0.2), (30, 1.3)))
    document.layers.set(ids[2], weight=0.6)
    document.layers.activate(None)
    return ids


@pytest.mark.sampled(1)
@pytest.mark.parametrize("dense", [False, True])
def test_merging_down_and_flattening_keep_the_motion(document, dense):
    low, middle, high = three_layers(document)
    before, said = poses(document), []
    document.message.connect(lambda _level, text, *_: said.append(text))
    for id, left in ((middle, 2), (low, 1), (high, 0)):
        state, count = document.state_json(), document.stack.count()
        assert document.layers.merge_down(id, dense)
        assert len(document.layers.all) == left
        assert document.stack.count() == count + 1
        np.testing.assert_allclose(poses(document), before, atol=1e-9 if dense else 0.007)
        assert ("at every frame" if dense else "key") in said[-1] and said[-1].startswith("Layer merged")
        document.history.undo()
        assert document.state_json() == state
        document.history.redo()
    assert len(document.sequence.keys) == 41 if dense else len(document.sequence.keys) < 30


@pytest.mark.verify
def test_flattening_at_once_keeps_the_motion_and_drops_what_is_muted(document):
    ids = three_layers(document)
    document.layers.set(ids[0], muted=True)
    before, state = poses(document), document.state_json()
    assert document.layers.flatten()
    at_keys = list(FRAMES)
    np.testing.assert_allclose(poses(document)[at_keys], before[at_keys], atol=1e-12)
    assert document.layers.all == ()
    np.testing.assert_allclose(poses(document), before, atol=0.0021)
    document.history.undo()
    assert document.state_json() == state


@pytest.mark.verify
def test_files_and_records_bring_layers_back_bit_for_bit(document, tmp_path):
    three_layers(document)
    document.layers.duplicate(document.layers.all[1].id)
    document.layers.reorder(document.layers.all[0].id, 2)
    document.layers.rename(document.layers.all[0].id, "Ünïcode „name“")
    document.layers.set(document.layers.all[0].id, mask=frozenset({"", document.sequence.channels.names[2]}), solo=True)
    before = poses(document)
    assert document.files.save(tmp_path / "layers.seq")
    other = Document()
    assert other.files.open(tmp_path / "layers.seq")
    assert other.state_json() == document.state_json()
    assert poses(other).tobytes() == before.tobytes()
    assert json.loads((tmp_path / "layers.seq").read_text())["version"] == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weight": 7}, "weight"),
        ({"weights": [[3, 1], [3, 0]]}, "weights"),
        ({"parts": ["no such joint"]}, "parts"),
        ({"keys": [{"frame": 1, "q": [0.0]}]}, "needs"),
        ({"muted": 3}, "muted"),
    ],
)
def test_bad_layers_in_a_file_are_told_with_their_place(document, tmp_path, change, said):
    three_layers(document)
    assert document.files.save(tmp_path / "layers.seq")
    record = json.loads((tmp_path / "layers.seq").read_text())
    record["sequences"][0]["layers"][1].update(change)
    (tmp_path / "bad.seq").write_text(json.dumps(record))
    other, messages = Document(), []
    other.message.connect(lambda level, text, details: messages.append(f"{text}\n{details}"))
    assert not other.files.open(tmp_path / "bad.seq")
    assert "layers[1]" in messages[0]
    assert said in messages[0]


def test_frames_put_in_and_taken_away_move_the_keys_of_layers(document):
    ids = three_layers(document)
    before = document.state_json()
    document.keys.insert_frames(15, 5)
    assert document.layers.get(ids[1]).keys.frames == (7, 28, 38)
    assert document.layers.get(ids[1]).weights == ((5, 0.2), (35, 1.3))
    document.keys.remove_frames(15, 19)
    assert document.state_json() == before


def test_keys_of_a_layer_are_set_moved_and_deleted(document):
    id = document.layers.add()
    document.set_frame(20)
    drag(document, turned(document))
    moved = document.pose.copy()
    for frame in (10, 30):
        document.layers.set_key(id, frame, zero=True)
    plain = document.sequence.base_at_frames([10, 30, 20])
    np.testing.assert_array_equal(document.sequence.poses_at_frames([10, 30]), plain[:2])
    np.testing.assert_allclose(document.pose, moved, atol=1e-12)
    document.layers.move_keys(id, {20: 22})
    assert document.layers.get(id).keys.frames == (10, 22, 30)
    assert not document.layers.move_keys(id, {22: 30})  # one is there
    document.layers.delete_keys(id, [22])
    np.testing.assert_array_equal(document.sequence.poses_at_frames([20]), plain[2:])


@pytest.mark.parametrize(("joint", "between"), [("right thigh", True), ("head", False)])
def test_another_root_says_what_becomes_of_offsets_between_the_two(document, joint, between):
    """Elsewhere offsets move what they moved, and every part is where it was at every key."""
    document.layers.add("Wider")
    document.set_frame(10)
    q = document.pose.copy()
    q[document.sequence.channels.columns[document.sequence.channels.index(joint)][0]] += 0.1
    drag(document, q)
    names, before = document.skeleton.joint_names, places(document)
    said = []
    document.message.connect(lambda level, text, details: said.append((level, text)))
    assert document.figures.reroot("right foot")
    assert any(level == "warning" and "Wider" in text for level, text in said) is between
    order = [document.skeleton.joint_index(name) for name in names]
    frames = document.skeleton.frames[order]  # each segment's frame before, in its frame now
    apart = np.abs(places(document)[:, order] @ frames - before).max()
    assert apart > 0.01 if between else apart < 1e-9


def places(document):
    """World frames of all parts at the keys, with the layers."""
    poses = document.sequence.poses_at_frames(np.array(FRAMES, dtype=np.float64))
    return np.array([forward_kinematics(document.skeleton, q) for q in poses])


def test_a_sequence_with_layers_is_put_in_as_it_is_seen(document):
    document.layers.add("Lower")
    document.set_frame(20)
    drag(document, turned(document))
    sequence, frames = document.sequence, np.array(FRAMES, dtype=np.float64)
    clip = clip_for(sequence, sequence.fps)
    seen = sequence.interpolated_at_frames(frames)
    assert np.abs(seen - sequence.base_at_frames(frames)).max() > 0.01
    np.testing.assert_allclose([key.q for key in clip.keys if key.frame in FRAMES], seen, atol=1e-9)
    assert sequence.layers and clip_for(sequence, 60.0).length == 80
