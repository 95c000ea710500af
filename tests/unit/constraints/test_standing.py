"""By which point a part stays where it is: those that stand on their tip by the tip."""

from __future__ import annotations

import numpy as np
import pytest

from app.document.document import Document
from core.constraints.standing import standing_point, stands_flat
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.segment import end_effector, segment_tip

STANDING = {
    "spider": [f"{side} tarsus {n}" for side in ("right", "left") for n in (1, 2, 3, 4)],
    "horse": [f"{side} {end} hoof" for side in ("right", "left") for end in ("fore", "hind")],
    "human": [],
    "woman": [],
    "stickman": [],
}


@pytest.mark.parametrize("name", STANDING)
def test_what_stands_on_its_tip_is_held_by_it(skeletons_folder, name):
    s = load_skeleton(skeletons_folder / f"{name}.scr")
    standing = {s.joint_index(part) for part in STANDING[name]}
    for i in range(len(s.joints)):
        wanted = segment_tip(s, i) if i in standing else end_effector(s, i)
        assert np.allclose(standing_point(s, i), wanted, atol=1e-12)


def test_tips_of_locked_tarsi_stay_on_the_ground(skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "spider.scr")
    s, parts = document.skeleton, STANDING["spider"]
    document.locks.cycle(parts)

    def tips() -> np.ndarray:
        X = forward_kinematics(s, document.pose)
        return np.array([X[s.joint_index(part)] @ [*segment_tip(s, part), 1.0] for part in parts])

    before, q = tips(), document.pose.copy()
    q[0] += 0.02
    q[1] -= 0.01
    document.posing.set(q, fixed=(0, 1, 2))
    assert document.pose[0] > q[0] - 1e-9
    assert np.abs(tips() - before).max() < 1e-6


FLAT = {
    "human": {f"{side} {part}" for side in ("right", "left") for part in ("foot", "toes")},
    "woman": {f"{side} {part}" for side in ("right", "left") for part in ("foot", "toes")},
    "stickman": {"right foot", "left foot"},
    "spider": set(),
    "horse": set(),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FLAT)
def test_feet_lie_flat_wherever_they_are_and_tips_do_not(skeletons_folder, name):
    s = load_skeleton(skeletons_folder / f"{name}.scr")
    q = s.rest_pose()
    q[1] += 0.4  # a jump
    for pose in (s.rest_pose(), q):
        X = forward_kinematics(s, pose)
        assert {part for part in s.joint_names if stands_flat(s, X, part)} == FLAT[name]


def test_hands_lie_flat_when_the_figure_crawls_on_them(skeletons_folder):
    s = load_skeleton(skeletons_folder / "human.scr")
    q = s.rest_pose()
    names = list(s.dof_names)

    def bend(degrees: float, *dofs: str) -> None:
        for dof in dofs:
            q[3 + names.index(dof)] = np.radians(degrees)

    bend(100.0, "pelvis.x")
    bend(90.0, "right upper arm.-x", "left upper arm.-x", "right thigh.-x", "left thigh.-x")
    bend(90.0, "right shank.x", "left shank.x")
    hands = ("right hand", "left hand")
    assert not any(stands_flat(s, forward_kinematics(s, q), hand) for hand in hands)  # on the tips of the fingers
    bend(-80.0, "right forearm.y", "left forearm.-y")  # wrists bent, fingers forward
    bend(80.0, "right hand.z", "left hand.-z")
    X = forward_kinematics(s, q)
    assert all(stands_flat(s, X, hand) for hand in hands)
    assert not stands_flat(s, X, "head")
