"""What a lock takes and refuses, and that what it says of itself is what was meant."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from core.constraints import KINDS, Lock, bind, find_kind
from core.constraints.places import Places
from core.errors import LockError
from core.skeleton import Skeleton
from core.spatial import so3
from tests.support.figures import fork, random_figure, random_pose

HAND = ("right hand", (0.0, 0.1, 0.0))
TURN = so3.exp([0.3, -0.5, 0.2])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "glue"}, r'no kind "glue"; valid are position, orientation'),
        ({"kind": None}, "valid are position"),
        ({"joint": 1.5}, "name or the index"),
        ({"joint": True}, "name or the index"),
        ({"joint": None}, "name or the index"),
        ({"point": (0, 1)}, r"point has shape \(2,\); it must have shape \(3,\)"),
        ({"point": (0, 1, math.nan)}, "must be finite"),
        ({"point": "here"}, "must be numbers"),
        ({"target": (0, 0, math.inf)}, "must be finite"),
        ({"target": (0, 0, 1e10)}, "at most 1e"),
        ({"target": np.eye(3)}, r"target has shape \(3, 3\)"),
        ({"kind": "orientation", "target": 2.0 * np.eye(3)}, "right-handed orthonormal"),
        ({"kind": "orientation", "target": np.diag([1.0, 1.0, -1.0])}, "right-handed orthonormal"),
        ({"kind": "pose", "target": np.diag([1.0, 1.0, 1.0, 2.0])}, r"must be \[0.0, 0.0, 0.0, 1.0\]"),
        ({"kind": "pose", "target": ((0, 0), np.eye(3))}, "target's position has shape"),
        ({"kind": "plane", "target": (0, 0, 0, 1)}, "must have a direction"),
        ({"kind": "line", "target": ((0, 0, 0), (0, 0, 0))}, "must have a direction"),
        ({"kind": "distance"}, "other is missing"),
        ({"kind": "distance", "other": HAND, "target": 0.0}, "above 0"),
        ({"kind": "distance", "other": HAND, "target": True}, "must be a number"),
        ({"kind": "point_pair", "other": "right hand"}, r"must be \(joint, point\)"),
        ({"kind": "point_pair", "other": ("right hand", (0, 0))}, "point of other has shape"),
        ({"kind": "point_pair", "other": (3, "right hand", (0, 0, 0))}, "figure's name"),
        ({"kind": "aim", "other": HAND, "target": (0, 0, 0)}, "must have a direction"),
        ({"kind": "balance", "target": -0.1}, "0 or more"),
        ({"kind": "balance", "other": ()}, "joints that bear"),
        ({"other": HAND}, "has no second part"),
        ({"weight": 1.5}, r"must lie in 0\.\.1"),
        ({"weight": -0.1}, r"must lie in 0\.\.1"),
        ({"weight": math.nan}, "must be finite"),
        ({"weight": (1.0, 0.5)}, "a pair is for pose locks"),
        ({"axes": (0, 0, 0)}, "at least one"),
        ({"axes": (True, False)}, "three bools"),
        ({"axes": "xyz"}, "three bools"),
        ({"kind": "plane", "axes": (1, 1, 1)}, "takes none"),
        ({"mutual": True}, "no second part that could give way"),
        ({"kind": "distance", "other": HAND, "mutual": 1}, "must be true or false"),
        ({"joints": 1.5}, "names or indices"),
        ({"joints": [1.5]}, "one of joints"),
        ({"joints": ()}, "joints is empty"),
        ({"point": (0, 0, 10**400)}, "must be numbers"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(LockError, match=words):
        Lock(**{"joint": "left hand", "kind": "position", **arguments})


def test_targets_are_kept_as_they_are_and_read_only() -> None:
    place = np.array([0.1, 0.2, 0.3])
    lock = Lock("left hand", "position", target=place)
    place[0] = 5.0
    assert lock.target.tolist() == [0.1, 0.2, 0.3] and not lock.target.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        lock.weight = 0.5  # type: ignore[misc]
    pair = Lock("left hand", "pose", target=((1, 2, 3), TURN), weight=(1, 0.25))
    assert pair.target[:3, 3].tolist() == [1, 2, 3] and np.array_equal(pair.target[:3, :3], TURN)
    assert pair == Lock("left hand", "pose", target=pair.target, weight=(1.0, 0.25)) and not pair.hard
    assert pair.weights == (1.0, 0.25) and lock.weights == (1.0, 1.0) and lock.hard
    plane = Lock("left hand", "plane", target=(0, 2, 0, 1)).target
    assert plane.tolist() == [0, 1, 0, 0.5]
    assert Lock("left hand", "line", target=((1, 1, 1), (0, 0, -3))).target.tolist() == [[1, 1, 1], [0, 0, -1]]
    assert Lock("left hand", "aim", other=HAND, target=(0, 2, 0)).target.tolist() == [0, 1, 0]
    assert Lock("left hand", "position", axes=(1, 0, np.True_)).axes == (True, False, True)
    assert (
        Lock(np.int64(3), "position", joints="chest").joints == ("chest",) and Lock(np.int64(3), "position").joint == 3
    )


def test_equality_goes_by_value() -> None:
    a = Lock("left hand", "distance", (0, 0.1, 0), 0.5, HAND, joints=("chest",))
    b = Lock("left hand", "distance", [0, 0.1, 0], 0.5, ("right hand", [0, 0.1, 0]), joints=["chest"])
    assert a == b and hash(a) == hash(b) and a != "lock"
    for name, value in {"joint": "head", "point": (0, 0.2, 0), "target": 0.6, "other": ("head", (0, 0.1, 0)),
                        "weight": 0.5, "joints": None, "mutual": True}.items():  # fmt: skip
        assert dataclasses.replace(a, **{name: value}) != a
    assert Lock("a", "aim", other=("b", (0, 0, 0))) != Lock("a", "aim", other=("figure", "b", (0, 0, 0)))
    assert Lock("a", "aim", other=(None, "b", (0, 0, 0))) == Lock("a", "aim", other=("b", (0, 0, 0)))


def test_kinds_speak_for_themselves() -> None:
    assert [kind.title for kind in KINDS] == [
        "Position", "Orientation", "Position and orientation", "Plane", "Line", "Path", "Point pair", "Carry",
        "Distance", "Aim", "Balance", "Equation",
    ]  # fmt: skip
    for kind in KINDS:
        assert find_kind(kind.name) is kind and kind.description.endswith(".")


def test_binding_says_where_the_part_stands() -> None:
    s = fork()
    q = random_pose(s, np.random.default_rng(2))
    places = Places(s, q)
    point = np.array([0.05, 0.1, 0.0])
    here = places.point("left hand", point)
    assert np.array_equal(bind(Lock("left hand", "position", point), s, q).target, here)
    pose = bind(Lock("left hand", "pose", point), s, q).target
    assert np.array_equal(pose[:3, 3], here) and np.array_equal(pose[:3, :3], places.rotation("left hand"))
    assert bind(Lock("left hand", "plane", point), s, q).target.tolist() == [0, 1, 0, here[1]]
    assert bind(Lock("left hand", "line", point), s, q).target.tolist() == [here.tolist(), [0, 1, 0]]
    there = places.point(*HAND)
    assert bind(Lock("left hand", "distance", point, other=HAND), s, q).target == np.linalg.norm(here - there)
    assert bind(Lock("left hand", "point_pair", point, other=HAND), s, q).target.tolist() == [0, 0, 0]
    axis = bind(Lock("left hand", "aim", point, other=HAND), s, q).target
    assert places.rotation("left hand") @ axis == pytest.approx(
        (there - here) / np.linalg.norm(there - here), abs=1e-14
    )
    given = Lock("left hand", "position", target=(1, 2, 3))
    assert bind(given, s, q) is given and given.bound and not Lock("left hand", "position").bound


@pytest.mark.parametrize(
    ("lock", "words"),
    [
        (Lock("tail", "position"), 'no joint "tail"'),
        (Lock(99, "position"), "valid are 0 to"),
        (Lock("left hand", "position", joints=("chest", "tail")), 'no joint "tail"'),
        (Lock("left hand", "aim", other=("tail", (0, 0, 0))), 'no joint "tail"'),
        (Lock("left hand", "aim", other=("Bob", "head", (0, 0, 0))), 'figure "Bob"'),
        (Lock("left hand", "balance", other=("head", "tail")), 'no joint "tail"'),
        (Lock("left hand", "aim", other=("left hand", (0, 0, 0))), "must be apart"),
        (Lock("left hand", "distance", other=("left hand", (0, 0, 0))), "above 0"),
    ],
)
def test_binding_names_what_is_not_there(lock: Lock, words: str) -> None:
    with pytest.raises(LockError, match=words):
        bind(lock, fork(), fork().rest_pose())


def test_rotations_leave_scales_out() -> None:
    s = random_figure(3, scaled=True)
    places = Places(s, random_pose(s, np.random.default_rng(3)))
    for i in range(len(s.joints)):
        R = places.rotation(i)
        assert R.T @ R == pytest.approx(np.eye(3), abs=1e-12) and np.linalg.det(R) == pytest.approx(1.0)


def other_place(s: Skeleton, seed: int) -> Places:
    return Places(s, random_pose(s, np.random.default_rng(seed)))


def test_deviations_lead_to_the_nearest_place() -> None:
    s = fork()
    places, then = other_place(s, 4), other_place(s, 5)
    here, R = places.point("left hand", np.zeros(3)), places.rotation("left hand")
    for kind in ("position", "plane", "line", "distance", "point_pair"):
        lock = bind(Lock("left hand", kind, other=HAND if find_kind(kind).takes_other else None), s, then.q)
        away, turned = lock.rule.deviation(lock, places)
        assert away is not None and turned is None and np.linalg.norm(away) > 1e-3
        there = here - away
        if kind == "plane":
            assert lock.target[:3] @ there == pytest.approx(lock.target[3], abs=1e-14)
        elif kind == "line":
            assert np.cross(there - lock.target[0], lock.target[1]) == pytest.approx(np.zeros(3), abs=1e-14)
        elif kind == "distance":
            assert np.linalg.norm(there - places.point(*HAND)) == pytest.approx(lock.target, abs=1e-14)
        else:
            place = places.point(*HAND) if kind == "point_pair" else lock.target
            assert there == pytest.approx(place, abs=1e-14)
    whole = bind(Lock("left hand", "orientation"), s, then.q)
    turned = whole.rule.deviation(whole, places).rotation
    assert so3.exp(-turned) @ R == pytest.approx(whole.target, abs=1e-14)
    single = bind(Lock("left hand", "orientation", axes=(False, True, False)), s, then.q)
    turned = single.rule.deviation(single, places).rotation
    assert (so3.exp(-turned) @ R)[:, 1] == pytest.approx(single.target[:, 1], abs=1e-14)
    assert np.linalg.norm(turned) <= np.linalg.norm(whole.rule.deviation(whole, places).rotation)
    aim = bind(Lock("left hand", "aim", other=HAND), s, then.q)
    turned = aim.rule.deviation(aim, places).rotation
    sight = places.point(*HAND) - here
    assert so3.exp(-turned) @ R @ aim.target == pytest.approx(sight / np.linalg.norm(sight), abs=1e-14)
