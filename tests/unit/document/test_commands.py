"""Every command: do, undo, redo, JSON and back. A new command must bring an example."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from app.document.commands import registry as c
from app.document.commands.sequence_commands import SetHybridStrips
from app.document.content.model import Active, Model, Pending
from app.document.content.records import Figure
from core.animation import Key, Sequence, Shape
from core.animation.hybrid_strips import HybridStrip
from core.animation.layers.layer import Layer
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.animation.sorted_keys import Keys
from core.animation.torque_curves import TorqueCurve
from core.constraints import Lock, lock_to_json
from core.skeleton import SkeletonBuilder, read_scr


@pytest.fixture
def model(skeletons_folder: Path) -> Model:
    def figure(name: str) -> Figure:
        path = skeletons_folder / name
        text = path.read_text(encoding="utf-8")
        return Figure(read_scr(text, name, path.parent, path), text, f"skeletons:{name}", {"note": [1, "x"]}, "Hero")

    first, second = figure("stickman.scr"), figure("arm7.scr")
    walk = Sequence(first.skeleton, 24, "Walk", 0, None, "Walks", True, [Key(0, pose(first)), Key(4, pose(first, 1))])
    walk.extra = {"later": True}
    walk.gait = {"manner": {"kind": "walk"}}
    rest = Sequence(first.skeleton)
    return Model.of([first, second], [walk, rest])


def pose(figure: Figure, seed: int = 0) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=figure.skeleton.nq)
    q[3] = -0.0
    return q


def examples(model: Model) -> list[c.Command]:
    """One or more of each command, each fit for ``model`` as it is."""
    first, second = model.figures
    old, new = model.sequences[0].keys[0], Key(0, pose(first, 5), "linear", True, "right arm", {"why": {"deep": 1}})
    return [
        c.SetPose(None, Pending(7, pose(first, 2))),
        c.SetKeys(0, {0: old, 4: model.sequences[0].keys[1], 9: None}, {0: new, 4: None, 9: old.moved(9)}),
        many_keys(first, model.sequences[0]),
        c.SetStrips(0, (), strips(first), first.skeleton),
        c.SetLayers(0, (), (layer(first),)),
        SetHybridStrips(0, (), (nod(), HybridStrip((), 9))),
        c.SetAlwaysLocks(0, [], [lock_to_json(strip.lock, first.skeleton) for strip in strips(first)]),
        c.SetSequenceValue(1, "gait", None, {"manner": {"kind": "walk", "steps": 4}}),
        c.SetGaitManner(0, {"kind": "walk"}, {"kind": "walk", "steps": 3}),
        c.SetSequenceValue(0, "holds", True, False),
        c.SetSequenceValue(0, "name", "Walk", "Run"),
        c.SetSequenceValue(0, "menu", "Walks", None),
        c.SetSequenceValue(0, "fps", 24, 29.97),
        c.SetSequenceValue(0, "loop", True, False),
        c.SetSequenceValue(0, "range", [0, None], [2, 30]),
        c.SetJointValue(0, 2, "weight", 1.0, 0.1),
        c.SetJointValue(1, 1, "resistance", 1.0, 7.3),
        c.SetJointValues(0, [(2, "weight", 1.0, 0.1), (2, "resistance", 1.0, 31.6), (3, "resistance", 1.0, 0.3)]),
        c.AddFigure(second),
        c.SetFigure(0, first, Figure(first.skeleton, "# other\n" + first.scr, None)),
        c.EditFigure(0, edited(first), None, Pending(7, pose(first, 2))),
        c.EditFigure(0, longer(first), {0: (Key(2, pose(longer(first))),), 1: ()}, Pending(2, pose(longer(first), 1))),
        c.SetPhysics(dict(model.physics), {"gravity": 1.62, "floor": None}),
        c.AddSequence.of(1, Sequence(second.skeleton, 12.5, "Wave", 1, 9, keys=[Key(3, pose(second))])),
        c.RemoveFigure(1),
        c.SetActive(model.active, Active(1, (1, model.active.sequences[1]))),
    ]


def many_keys(figure: Figure, sequence: Sequence) -> c.SetKeys:
    """So many keys that their record is a short one, of all kinds."""
    shape = Shape("linear", tension=1 / 3)
    kinds = [{}, {"interp": "linear", "turns": True}, {"keyed": [""], "part": "arm"}, {"shape": shape},
             {"shapes": {"": shape}}, {"extra": {"why": [1, {"deep": 2}]}}]  # fmt: skip
    after = {frame: Key(frame, pose(figure, frame), **kinds[frame % len(kinds)]) for frame in range(60)}
    return c.SetKeys(0, {frame: sequence.keys.at(frame) for frame in after}, {**after, 7: None})


def layer(figure: Figure) -> Layer:
    keys = [Key(frame, pose(figure, frame), keyed=[""] if frame else None) for frame in (0, 7)]
    return Layer("a1", "Ünïcode", Keys(figure.skeleton).checked(keys), 1 / 3, ((3, 0.1), (8, 1.0)), {""}, solo=True)


def nod() -> HybridStrip:
    """A strip with everything that it can have."""
    torques = (TorqueCurve("head", 0, ((0, 1.5), (4, -2.0))),)
    return HybridStrip(("head",), 2, 9, "motor", 1.5, 4.0, 0.3, 2.0, "a", "Nod", {"later": [1]}, torques)


def strips(figure: Figure) -> tuple[LockStrip, ...]:
    """Two strips, the second with everything that a strip can have."""
    foot = Lock("right foot", "position", point=(0.0, -0.0, 1 / 3), target=(0.1, 0.2, 0.3))
    place = (np.array([1.0, 0.2, 0.3]), np.eye(3))
    hand = Lock("left hand", "pose", target=place, weight=(1.0, 0.5), joints=("torso",))
    keys = (TargetKey(3, foot.target), TargetKey(7, foot.target + 0.1))
    return (LockStrip(foot, 2, 9, 1.0, 0.5, 1.0, keys, "a", "Step"), LockStrip(hand, 4, id="b"))


def edited(figure: Figure) -> Figure:
    """The figure with a joint elsewhere."""
    builder = SkeletonBuilder(figure.skeleton)
    builder.place("head", (0.1, 1.6, 0.2), carry=False)
    return Figure(builder.build(), None, figure.source, figure.extra, figure.title)


def longer(figure: Figure) -> Figure:
    """The figure with one more degree of freedom."""
    builder = SkeletonBuilder(figure.skeleton)
    builder.add_dof("head", "slide", "y", 0.0, 0.2, "Crane", at=0)
    return Figure(builder.build(), None, figure.source, figure.extra, figure.title)


def state(model: Model) -> str:
    return json.dumps(model.to_json(), sort_keys=True)


def again(command: c.Command) -> c.Command:
    return c.command_from_json(json.loads(json.dumps(command.to_json())))


def test_every_command_has_an_example(model):
    assert {type(command) for command in examples(model)} == set(c.COMMANDS)
    assert len({command.op for command in c.COMMANDS}) == len(c.COMMANDS)


def test_do_undo_redo(model):
    before = state(model)
    for command in examples(model):
        command.apply(model)
        after = state(model)
        assert after != before, command.op
        command.revert(model)
        assert state(model) == before, command.op
        command.apply(model)
        assert state(model) == after, command.op
        command.revert(model)
        assert state(model) == before, command.op
        assert command.changes()


def test_json_round_trip(model):
    before = state(model)
    for command in examples(model):
        copy = again(command)
        assert copy.to_json() == command.to_json(), command.op
        command.apply(model)
        after = state(model)
        command.revert(model)
        other = Model.from_json(json.loads(before))
        assert state(other) == before
        copy.apply(other)
        assert state(other) == after, command.op
        copy.revert(other)
        assert state(other) == before, command.op


def test_merging_is_doing_both(model):
    first = model.figures[0]
    mid, end = Pending(0, pose(first, 3)), Pending(0, pose(first, 4))
    key = model.sequences[0].keys[0]
    pairs = [
        (c.SetPose(None, mid), c.SetPose(mid, end)),
        (c.SetKeys(0, {0: key}, {0: None}), c.SetKeys(0, {0: None, 2: None}, {0: key.moved(0), 2: key.moved(2)})),
        (
            c.EditFigure(0, edited(first), None, None),
            c.EditFigure(0, longer(first), {0: (Key(2, pose(longer(first))),), 1: ()}, None),
        ),
        (
            c.EditFigure(0, longer(first), {0: (Key(2, pose(longer(first))),), 1: ()}, None),
            c.EditFigure(0, longer(edited(first)), None, None),
        ),
        (c.SetSequenceValue(0, "fps", 24, 25), c.SetSequenceValue(0, "fps", 25, 26)),
        (c.SetJointValue(0, 2, "weight", 1.0, 0.5), c.SetJointValue(0, 2, "weight", 0.5, 0.1)),
        (
            c.SetJointValues(0, [(2, "weight", 1.0, 0.5), (3, "weight", 1.0, 0.5)]),
            c.SetJointValues(0, [(2, "weight", 0.5, 0.1), (1, "resistance", 1.0, 4.0)]),
        ),
    ]
    before = state(model)
    for one, two in pairs:
        one.apply(model)
        two.apply(model)
        after = state(model)
        both = one.merged(two)
        assert both is not None
        both.revert(model)
        assert state(model) == before
        both.apply(model)
        assert state(model) == after
        both.revert(model)
    assert c.SetJointValue(0, 2, "weight", 1, 0.5).merged(c.SetJointValue(0, 3, "weight", 1, 0.5)) is None
    assert c.SetSequenceValue(0, "fps", 24, 25).merged(c.SetSequenceValue(0, "name", "a", "b")) is None
    assert c.SetPose(None, mid).merged(c.SetSequenceValue(0, "fps", 24, 25)) is None


EIGHT = base64.b64encode(bytes(8)).decode()


def packed(which: list[int], poses: str) -> dict[str, object]:
    return {"looks": [{"interp": "linear"}], "which": which, "poses": poses}


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ({"op": "format_disk"}, 'unknown command "format_disk"'),
        ({}, "unknown command"),
        ({"op": "set_keys", "sequence": 0}, "damaged"),
        ({"op": "set_keys", "sequence": 0, "keys": [[0, None]]}, "damaged"),
        ({"op": "set_keys", "sequence": 0, "frames": [0], "before": {}, "after": {}}, "damaged"),
        ({"op": "set_keys", "sequence": 0, "frames": [0], "before": packed([0], ""), "after": {}}, "damaged"),
        ({"op": "set_keys", "sequence": 0, "frames": [0, 1], "before": packed([0], "AAA"), "after": {}}, "damaged"),
        ({"op": "set_keys", "sequence": 0, "frames": [0], "before": packed([-2], EIGHT), "after": {}}, "not whole"),
        ({"op": "set_keys", "sequence": 0, "frames": [0, 1], "before": packed([0], EIGHT), "after": {}}, "not whole"),
        (
            {"op": "set_sequence_value", "sequence": 0, "name": "skeleton", "before": 1, "after": 2},
            'no value "skeleton"',
        ),
        (
            {"op": "set_joint_value", "figure": 0, "joint": 0, "name": "parent", "before": 1, "after": 2},
            'no value "parent"',
        ),
    ],
)
def test_a_record_that_is_wrong_is_refused(record, what):
    with pytest.raises(c.CommandError, match=what):
        c.command_from_json(record)
