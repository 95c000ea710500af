"""Keys of some channels: setting, deleting, moving, copying and rippling them; nothing that was set is lost."""

import numpy as np
import pytest

from core.animation import INTERPOLATIONS, Key, LockStrip, Sequence, Shape, TargetKey
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.marker import Marker
from core.constraints import Lock
from core.errors import JointError, KeyCollision, PoseError, SequenceError
from core.formats.bundled import bundled_path
from core.skeleton import Dof, Joint, Skeleton, read_scr


def read(name):
    path = bundled_path(f"skeletons:{name}.scr")
    return read_scr(path.read_text(), path.name, path.parent, path)


MAN = read("stickman")
ROOT = MAN.joint_names[0]
SIDES = [(MAN.joint_names[a], MAN.joint_names[b]) for a, b in MAN.mirror_pairs]
ARM, OTHER = next(pair for pair in SIDES if MAN.joints[MAN.joint_index(pair[0])].dofs)


def pose(value):
    return np.full(MAN.nq, float(value))


@pytest.fixture
def sequence():
    made = Sequence(MAN)
    for frame in (0, 10, 20, 30):
        made.set_key(frame, pose(frame))
    return made


def values(sequence, frame, channel):
    key = sequence.keys.at(frame)
    assert key is not None and key.keys(channel)
    columns = sequence.channels.columns[sequence.channels.index(channel)]
    return key.q[columns].tolist()


def same(sequence, frames, channel):
    assert sequence.keys.channel_frames(channel).tolist() == list(frames)


def test_channels_are_added_to_a_key_and_a_key_of_all_names_none(sequence):
    sequence.set_key(5, pose(1), keyed=[ARM], interp="linear")
    key = sequence.set_key(5, pose(2), keyed=["", OTHER])
    assert key.keyed == {ARM, "", OTHER} and key.interp == "linear"
    assert set(values(sequence, 5, ARM)) == {1.0} and set(values(sequence, 5, "")) == {2.0}
    same(sequence, (0, 5, 10, 20, 30), ARM)
    same(sequence, (0, 10, 20, 30), ROOT)
    assert sequence.keys.keyed_at(5) and sequence.keys.keyed_at(5, ARM) and not sequence.keys.keyed_at(5, ROOT)
    sequence.set_key(5, pose(3), keyed=[ARM], interp="stepped")
    assert sequence.keys.at(5).shape_of(ARM).interp == "stepped" and sequence.keys.at(5).shape_of("").interp == "linear"
    assert sequence.set_key(5, pose(4), keyed=sequence.channels.names).keyed is None
    with pytest.raises(JointError, match='"tail" is not a channel'):
        sequence.set_key(6, pose(0), keyed=["tail"])
    with pytest.raises(SequenceError, match="slopes"):
        sequence.set_keys([Key(0, pose(0), shapes={"": Shape("free", slopes_in=(1.0,))})])


def test_deleting_channels_leaves_the_others_and_an_empty_key_goes(sequence):
    sequence.delete(10, [ARM])
    assert sequence.keys.at(10).keyed == sequence.channels.all - {ARM}
    with pytest.raises(SequenceError, match="no key at frame 10"):
        sequence.delete([0, 10], [ARM])
    same(sequence, (0, 20, 30), ARM)
    sequence.delete(10, sequence.channels.all)
    assert sequence.keys.frames == (0, 20, 30)


def test_moved_channels_split_and_join_keys_and_come_back_to_the_bit(sequence):
    sequence.set_keys(key.changed(shape=Shape("kochanek_bartels", tension=key.frame / 100)) for key in sequence.keys)
    before = sequence.keys
    sequence.move({10: 15, 20: 12}, [ARM])
    assert sequence.keys.frames == (0, 10, 12, 15, 20, 30)
    assert set(values(sequence, 15, ARM)) == {10.0} and not sequence.keys.keyed_at(10, ARM)
    sequence.move({12: 10, 15: 20}, [ARM])  # onto the keys of the other channels, with the shape of where it was
    assert sequence.keys.frames == (0, 10, 20, 30)
    assert sequence.keys.at(10).shape_of(ARM).tension == 0.2 and sequence.keys.at(10).shape.tension == 0.1
    sequence.move({10: 20, 20: 10}, [ARM])
    assert sequence.keys == before
    assert all(a.q.tobytes() == b.q.tobytes() for a, b in zip(sequence.keys, before, strict=True))
    with pytest.raises(KeyCollision, match=f'two keys of "{ARM}" on frame 20'):
        sequence.move({10: 20}, [ARM])
    with pytest.raises(KeyCollision, match="two keys on frame 20"):
        sequence.move({10: 20})
    assert sequence.keys == before


@pytest.mark.parametrize("channels", [None, [ARM]])
def test_ripple_moves_what_is_later_by_as_much_as_the_edge(sequence, channels):
    hand = Lock(MAN.joint_names[-1], "position", target=[0.0, 1.0, 0.0])
    path = (TargetKey(22, (0, 1, 0)), TargetKey(40, (1, 1, 0)))
    sequence.locks.strips = (LockStrip(hand, 22, 44, targets=path, speed=SpeedCurve(((22, 1), (40, 2)))),)
    sequence.markers = (Marker(5, "a"), Marker(25, "b"))
    sequence.timing.curves = {"*": TimingCurve(((0, 0), (10, 5), (40, 40)))}
    sequence.timing.root_speed = SpeedCurve(((0, 1), (35, 2)))
    sequence.stretch(0, 20, 1.5, channels, ripple=True)
    same(sequence, (0, 15, 30, 40), ARM)
    (strip,), whole = sequence.locks.strips, channels is None
    assert sequence.keys.frames == ((0, 15, 30, 40) if whole else (0, 10, 15, 20, 30, 40))
    assert (strip.start, strip.end) == ((32, 54) if whole else (22, 44))
    assert [key.frame for key in strip.targets] == ([32, 50] if whole else [22, 40])
    assert strip.speed.points[-1][0] == (50 if whole else 40)
    assert [marker.frame for marker in sequence.markers] == ([8, 35] if whole else [5, 25])  # in proportion
    assert sequence.timing.curves["*"].points[-1] == ((50, 50) if whole else (40, 40))
    assert sequence.timing.root_speed.last == (45 if whole else 35)
    sequence.slide(15, 30, 100, channels, ripple=True)
    same(sequence, (0, 115, 130, 140), ARM)
    with pytest.raises(KeyCollision):
        sequence.move({115: 130}, channels)
    sequence.move({130: 120}, channels, ripple=True)
    same(sequence, (0, 115, 120, 130), ARM)


def test_clips_of_channels_go_in_beside_other_keys_and_make_room_for_themselves_only(sequence):
    clip = sequence.copy(10, 20, [ARM])
    assert [key.keyed for key in clip.keys] == [frozenset([ARM])] * 2 and clip.strips == ()
    with pytest.raises(KeyCollision, match=ARM):
        sequence.insert(20, clip)
    sequence.insert(12, clip)
    same(sequence, (0, 10, 12, 20, 22, 30), ARM)
    same(sequence, (0, 10, 20, 30), ROOT)
    sequence.insert(12, clip, make_room=True)
    same(sequence, (0, 10, 12, 22, 23, 31, 33, 41), ARM)
    same(sequence, (0, 10, 20, 30), ROOT)


def test_a_flipped_clip_changes_sides_and_twice_flipped_is_as_it_was(sequence):
    sequence.set_key(10, np.arange(MAN.nq) / 10, keyed=[ARM, ""], interp="linear")
    clip = sequence.copy(10, 10, [ARM, ""])
    sequence.insert(50, clip, flipped=True)
    key = sequence.keys.at(50)
    assert key.keyed == {OTHER, ""} and key.shape_of(OTHER).interp == "linear"
    assert key.q[0] == -clip.keys[0].q[0] and key.q[1:3].tolist() == clip.keys[0].q[1:3].tolist()
    again = sequence.copy(50, 50).flipped(MAN)
    assert again.keys[0].keyed == {ARM, ""}
    mask = sequence.channels.mask([ARM, ""])
    assert again.keys[0].q[mask].tobytes() == clip.keys[0].q[mask].tobytes()


def test_clips_fit_other_figures_by_the_names_of_joints(sequence):
    woman = read("woman")
    sequence.set_key(10, pose(0.5))
    shared = set(woman.dof_names) & set(MAN.dof_names)
    made = Sequence(woman)
    made.insert(3, sequence.copy(10, 10))
    key = made.keys.at(3)
    assert shared and key.keyed is not None and "" in key.keyed and np.isfinite(key.q).all()
    for name in key.keyed - {""}:
        columns = made.channels.columns[made.channels.index(name)]
        assert (key.q[columns] == 0.5).all() and {woman.dof_names[column - 3] for column in columns} <= shared
    pin = Skeleton("pin", [Joint("tip", -1, dofs=(Dof("hinge", np.array([0.0, 1.0, 0.0]), -1.0, 1.0),))])
    with pytest.raises(PoseError, match='another figure than "pin": joint'):
        Sequence(pin).insert(0, sequence.copy(10, 10))


def test_frames_are_put_in_and_taken_away_with_all_that_is_there(sequence):
    hand = Lock(MAN.joint_names[-1], "position", target=[0.0, 1.0, 0.0])
    sequence.locks.strips = (LockStrip(hand, 5, 25), LockStrip(hand, 11, 18))
    sequence.markers = (Marker(12, "in"), Marker(25, "after"))
    sequence.set_range(0, 30)
    sequence.insert_frames(10, 4)
    assert sequence.keys.frames == (0, 14, 24, 34) and sequence.range == (0, 34)
    assert [(strip.start, strip.end) for strip in sequence.locks.strips] == [(5, 29), (15, 22)]
    assert [marker.frame for marker in sequence.markers] == [16, 29]
    sequence.remove_frames(10, 23)
    assert sequence.keys.frames == (0, 10, 20) and sequence.range == (0, 20)
    assert [(strip.start, strip.end) for strip in sequence.locks.strips] == [(5, 15)]
    assert [marker.frame for marker in sequence.markers] == [15]
    sequence.set_range(7, 15)
    sequence.remove_frames(5, 8)
    assert sequence.range == (5, 11)
    with pytest.raises(SequenceError, match="runs backwards"):
        sequence.remove_frames(5, 2)
    with pytest.raises(SequenceError, match="0 frames cannot be put in"):
        sequence.insert_frames(5, 0)


def test_the_table_of_keys_follows_every_edit(sequence):
    random = np.random.default_rng(5)
    names = sequence.channels.names
    for _ in range(60):
        chosen = random.choice(names, size=3).tolist()
        frame = int(random.integers(0, 60))
        try:
            if random.random() < 0.6:
                kind = str(random.choice(["spline", "stepped"]))
                sequence.set_key(frame, pose(frame), kind, keyed=None if random.random() < 0.2 else chosen)
            else:
                sequence.delete(int(random.choice(sequence.keys.frames)), chosen)
        except SequenceError:
            pass
        table = sequence.keys.table
        assert table is sequence.keys.table and table.frames.tolist() == list(sequence.keys.frames)
        for row, key in enumerate(sequence.keys):
            assert table.keyed[row].tolist() == [key.keys(name) for name in names]
            kinds = [INTERPOLATIONS.index(key.shape_of(name).interp) for name in names]
            assert table.interp[row][table.keyed[row]].tolist() == np.array(kinds)[table.keyed[row]].tolist()
        assert (table.interp[~table.keyed] == -1).all()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("timings", {"tail": TimingCurve(((0, 0), (1, 1)))}, 'no channel "tail"'),
        ("timings", {ARM: 3}, "no TimingCurve"),
        ("root_speed", 3, "no SpeedCurve"),
        ("markers", [3], "3 is not a marker"),
        ("markers", [Marker(3), Marker(3, "b")], "two markers stand at frame 3"),
    ],
)
def test_what_cannot_be_timed_is_refused(sequence, name, value, message):
    with pytest.raises(SequenceError, match=message):
        sequence.put({name: value})
    assert not sequence.value(name)


def test_poses_lie_in_rows_as_kernels_take_them():
    sequence = Sequence(MAN)
    sequence.set_key(0, pose(0))
    sequence.set_key(10, pose(1), keyed=[ARM])
    sequence.set_key(30, pose(2))
    for frames in ([0.0, 50.0], [0.0, 5.0, 12.0, 40.0]):
        assert sequence.base_at_frames(frames).flags.c_contiguous
