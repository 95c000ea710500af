"""Locks of the other side, of re-rooted and edited figures, and their records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.constraints import KINDS, Lock, bind, lock_for, lock_from_json, lock_to_json, mirrored_lock
from core.constraints.kinds.base import Kind
from core.constraints.places import Places
from core.errors import LockError
from core.skeleton import Joint, Skeleton, load_skeleton
from tests.support.figures import hinge

every_kind = pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "balance"], ids=lambda k: k.name)


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def posed(s: Skeleton, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    q = s.rest_pose() + rng.uniform(-0.3, 0.3, s.nq)
    q[3:] = np.clip(q[3:], *s.limits.T)
    return q


def mirrored_pose(s: Skeleton, q: np.ndarray) -> np.ndarray:
    """The pose of the other side; a joint in the middle turns the other way about y and z."""
    other = {**dict(s.mirror_pairs), **{b: a for a, b in s.mirror_pairs}}
    out = q * np.array([-1.0, 1.0, 1.0, *np.zeros(s.n_dofs)])
    for i, joint in enumerate(s.joints):
        j = other.get(i, i)
        for k, dof in enumerate(joint.dofs):
            twin = s.joints[j].dofs[k]
            sign = 1.0 if np.array_equal(twin.axis, dof.axis * [1.0, -1.0, -1.0]) else -1.0
            out[3 + s.first_dof[j] + k] = sign * q[3 + s.first_dof[i] + k]
    return out


def lock_of(kind: Kind, joint: str, **more: Any) -> Lock:
    other = ("right hand", (0, 0.1, 0.02)) if kind.takes_other else None
    return Lock(joint, kind.name, (0.02, 0.05, 0.01), other=other, **more)


@every_kind
def test_the_other_side_holds_the_reflection(kind: Kind, human: Skeleton) -> None:
    q, other = posed(human, 1), posed(human, 2)
    lock = bind(lock_of(kind, "left foot"), human, q)
    twin = mirrored_lock(lock, human)
    assert twin.joint == "right foot" and (not kind.takes_other or twin.other[0] == "left hand")
    there = lock.rule.deviation(lock, Places(human, other))
    here = twin.rule.deviation(twin, Places(human, mirrored_pose(human, other)))
    if there.position is not None:
        assert here.position == pytest.approx(there.position * [-1, 1, 1], abs=1e-12)
    if there.rotation is not None and kind.by_equation:  # values of joints are no vector
        assert np.abs(here.rotation) == pytest.approx(np.abs(there.rotation), abs=1e-12)
    elif there.rotation is not None:
        assert here.rotation == pytest.approx(there.rotation * [1, -1, -1], abs=1e-12)


def test_helpers_and_supports_change_sides(human: Skeleton) -> None:
    index = human.joint_index("left shank")
    twin = mirrored_lock(Lock("left foot", "position", joints=("pelvis", "left thigh", index)), human)
    assert twin.joints == ("pelvis", "right thigh", human.joint_index("right shank"))
    assert mirrored_lock(Lock(0, "balance", other=("left foot",)), human).other == ("right foot",)
    away = Lock("left hand", "aim", other=("Bob", "left hand", (1, 0, 0)))
    assert mirrored_lock(away, human).second[:2] == ("Bob", "left hand")  # type: ignore[index]
    both = mirrored_lock(away, human, {"Bob": (human, human.rest_pose())})
    assert both.second[:2] == ("Bob", "right hand") and both.second[2].tolist() == [-1, 0, 0]  # type: ignore[index]


@every_kind
@pytest.mark.parametrize("root", ["left hand", "left foot", "chest"])
def test_a_new_root_changes_nothing_that_is_held(kind: Kind, root: str, human: Skeleton) -> None:
    new = human.rerooted(root)
    q = posed(human, 3)
    for joint in ("left hand", "left upper arm", "pelvis", "right foot"):
        lock = bind(lock_of(kind, joint), human, posed(human, 4))
        moved = lock_for(lock, human, new)
        if kind.by_equation and moved is None:
            continue  # the values of a joint that was turned round are another joint's
        assert moved is not None
        before = lock.rule.deviation(lock, Places(human, q))
        after = moved.rule.deviation(moved, Places(new, new.convert(q)))
        for a, b in zip(before, after, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert b == pytest.approx(a, abs=1e-9)
        back = lock_for(moved, new, human)
        assert back is not None and back.point == pytest.approx(lock.point, abs=1e-12)


def test_edits_drop_locks_of_parts_that_are_gone(human: Skeleton) -> None:
    less = Skeleton("less", human.joints[:-1])  # without the left toes
    toes = ("left toes", (0, 0, 0))
    assert lock_for(Lock("left toes", "position"), human, less) is None
    assert lock_for(Lock("left hand", "aim", other=toes), human, less) is None
    kept = lock_for(Lock("left hand", "position", joints=("left toes", "chest")), human, less)
    assert kept is not None and kept.joints == ("chest",)
    stands = lock_for(Lock("pelvis", "balance", other=("left toes", "left foot")), human, less)
    assert stands is not None and stands.other == ("left foot",)
    assert lock_for(Lock("pelvis", "balance", other=("left toes",)), human, less) is None
    by_index = lock_for(Lock(human.joint_index("left foot"), "position"), human, less)
    assert by_index is not None and by_index.joint == "left foot"


def test_aligned_axes_follow_the_frame() -> None:
    """A turned child's parent takes on its turn when the child becomes the root; its axes have other names then."""
    for degrees, wanted in ((90.0, (False, False, True)), (30.0, None)):
        joints = [Joint("a", -1, dofs=(hinge("x"),)), Joint("b", 0, orientation=np.array([degrees, 0, 0]))]
        old = Skeleton("s", [*joints, Joint("c", 1, offset=np.array([0, 1.0, 0]))])
        new = old.rerooted("c")
        lock = bind(Lock("a", "orientation", axes=(False, True, False)), old, old.rest_pose())
        moved = lock_for(lock, old, new)
        assert moved is not None and moved.axes == wanted
        q = np.array([0, 0, 0, 0.5])
        turned = moved.rule.deviation(moved, Places(new, new.convert(q))).rotation
        assert np.linalg.norm(turned) == pytest.approx(0.5, abs=1e-12)


def test_renamed_joints_are_found_by_their_new_names() -> None:
    old = Skeleton("s", [Joint("a", -1), Joint("b", 0)])
    new = Skeleton("s", [Joint("a", -1), Joint("bee", 0)])
    lock = Lock("b", "point_pair", other=("a", (0, 0, 0)), joints=("b",))
    assert lock_for(lock, old, new) is None
    assert lock_for(lock, old, new, {"b": "bee"}) == Lock("bee", "point_pair", other=("a", (0, 0, 0)), joints=("bee",))


def test_records_name_joints_and_keep_every_bit(human: Skeleton) -> None:
    lock = bind(Lock(human.joint_index("left foot"), "pose", (0.1, 1 / 3, 0), weight=(1.0, 0.1), axes=(0, 1, 1),
                     joints=(1, "left thigh")), human, posed(human, 5))  # fmt: skip
    record = json.loads(json.dumps(lock_to_json(lock, human)))
    assert record["joint"] == "left foot" and record["joints"] == ["abdomen", "left thigh"]
    again = lock_from_json(record, human)
    assert again.target.tobytes() == lock.target.tobytes() and lock_to_json(again, human) == record
    assert lock_to_json(Lock("left foot", "position"), human) == {
        "joint": "left foot", "kind": "position", "point": [0.0, 0.0, 0.0]
    }  # fmt: skip
    far = Lock("left hand", "aim", other=("Bob", "head", (0, 0.5, 0)))
    assert lock_from_json(lock_to_json(far, human), human) == far


@pytest.mark.parametrize(
    "record",
    [
        None, [], "lock", {}, {"kind": "position"}, {"joint": "left hand"}, {"joint": "tail", "kind": "position"},
        {"joint": "left hand", "kind": 3}, {"joint": "left hand", "kind": "glue"},
        {"joint": "left hand", "kind": "position", "point": [1]},
        {"joint": "left hand", "kind": "position", "target": {"x": 1}},
        {"joint": "left hand", "kind": "aim"}, {"joint": "left hand", "kind": "aim", "other": {"joint": "head"}},
        {"joint": "left hand", "kind": "aim", "other": {"joint": "tail", "point": [0, 0, 0]}},
        {"joint": "left hand", "kind": "position", "joints": [["head"]]},
        {"joint": "left hand", "kind": "position", "joints": ["tail"]},
        {"joint": "left hand", "kind": "position", "joints": True},
        {"joint": "left hand", "kind": "position", "joints": [1]},
        {"joint": "left hand", "kind": "aim", "other": {"joint": 2, "point": [0, 0, 0]}},
        {"joint": "left hand", "kind": "balance", "other": [1, 2]}, {"joint": 3, "kind": "position"},
        {"joint": {}, "kind": "position"}, {"joint": "left hand", "kind": "balance", "other": [3.5]},
        {"joint": "left hand", "kind": "position", "weight": "much"},
    ],
)  # fmt: skip
def test_bad_records_are_refused_in_words(record: Any, human: Skeleton) -> None:
    with pytest.raises(LockError):
        lock_from_json(record, human)
