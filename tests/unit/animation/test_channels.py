"""Channels of a figure, shapes, and what a key says of them."""

import numpy as np
import pytest

from core.animation import EASES, Ease, Key, Shape, channels_of
from core.errors import JointError, SequenceError
from core.formats.bundled import bundled_path
from core.skeleton import read_scr


@pytest.fixture(scope="module")
def human():
    path = bundled_path("skeletons:human.scr")
    return read_scr(path.read_text(), path.name, path.parent, path)


def test_every_value_belongs_to_one_channel_and_compounds_stay_whole(human):
    channels = channels_of(human)
    assert channels is channels_of(human)
    assert sorted(np.concatenate(channels.columns).tolist()) == list(range(human.nq))
    assert channels.names[0] == "" and channels.columns[0].tolist() == [0, 1, 2]
    for dofs in human.compounds:
        assert len({channels.of_value[3 + dof] for dof in dofs}) == 1
    for i, joint in enumerate(human.joints):
        if joint.dofs:
            name = channels.names[channels.index(joint.name)]
            assert set(range(3 + human.first_dof[i], 3 + human.first_dof[i + 1])) <= set(
                channels.columns[channels.index(name)].tolist()
            )
    assert any(channels.compound) and not channels.compound[0]
    for columns, own in zip(channels.compounds, channels.columns, strict=True):
        assert columns is None or set(columns) <= set(own)


def test_names_of_channels_come_from_joints_groups_and_masks(human):
    channels = channels_of(human)
    root = human.joint_names[0]
    assert channels.of_joints([root]) == (root,)
    assert channels.of_joints([0], place=True) == ("", root)
    everything = channels.of_joints(range(len(human.joints)), place=True)
    assert everything == channels.names
    assert channels.mask(None).all()
    mask = channels.mask(["", root])
    assert np.flatnonzero(mask).tolist() == sorted([*channels.columns[0], *channels.columns[1]])
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = False
    for group, joints in human.groups:
        assert set(channels.of_joints(joints)) <= set(channels.of_group(group))
    with pytest.raises(JointError, match='no group "tail"'):
        channels.of_group("tail")
    with pytest.raises(JointError, match='"tail" is not a channel'):
        channels.checked(["tail"])
    with pytest.raises(JointError, match="no channel is named"):
        channels.checked([])


def test_a_key_holds_channels_and_shapes_that_say_something():
    pose = np.zeros(5)
    linear = Shape("linear")
    key = Key(3, pose, "linear", keyed=["a", "b"], shapes={"a": Shape("stepped"), "b": linear, "c": Shape("stepped")})
    assert (key.interp, key.turns, key.keyed) == ("linear", False, frozenset("ab"))
    assert dict(key.shapes) == {"a": Shape("stepped")}, "b is as the key, c is not keyed"
    assert key.shape_of("a").interp == "stepped" and key.shape_of("b") == linear
    assert key.changed(shape=Shape("free", turns=True)).interp == "free"
    bent = key.changed(shape=Shape("kochanek_bartels", tension=0.5)).changed(interp="spline", frame=9)
    assert bent.shape == Shape("spline", tension=0.5) and bent.frame == 9 and bent.keyed == key.keyed
    assert key != key.changed(keyed=None) and key == key.moved(3).changed()
    with pytest.raises(SequenceError, match="keys no channel"):
        Key(0, pose, keyed=())
    with pytest.raises(SequenceError, match="slopes belong to one channel"):
        Key(0, pose, shape=Shape("free", slopes_in=(1.0,)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"interp": "bouncy"}, '"bouncy" is unknown; valid are auto, spline, linear'),
        ({"tension": float("nan")}, "tension is nan"),
        ({"bias": 11}, "bias is 11; valid are -10 to 10"),
        ({"ease": "slow"}, 'ease "slow" is unknown; valid are even'),
        ({"ease": 3}, "3 is not an ease"),
        ({"slopes_in": (1.0, "x")}, "one of the slopes in is 'x'"),
        ({"speed": 1}, 'a shape has no "speed"'),
    ],
)
def test_shapes_refuse_what_makes_no_sense(values, message):
    with pytest.raises(SequenceError, match=message):
        Shape().changed(**values)


def test_eases_have_names_and_run_forward_in_time():
    assert Shape().changed(ease="in").ease == EASES["in"] and EASES["in"].title == "in"
    assert Ease(0.1, -3.0, 0.9, 4.0).title == "own"
    assert Shape("free", slopes_in=(None, None)).slopes_in is None
    with pytest.raises(SequenceError, match="x2 of an ease"):
        Ease(0.0, 0.0, 1.5, 1.0)
