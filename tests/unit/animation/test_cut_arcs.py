"""What a key in the middle of a linear span changes of joints with two axes: the human figure's, by next to nothing."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.animation import Key, Sequence, Shape
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.spatial import so3

FIRST, LAST = 0, 24


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def pairs(s: Skeleton) -> list[int]:
    """Return the joints that two hinges turn."""
    return [
        i for i, joint in enumerate(s.joints) if len(joint.dofs) == 2 and all(d.kind == "hinge" for d in joint.dofs)
    ]


def change(s: Skeleton, a: np.ndarray, b: np.ndarray, cut: int) -> float:
    """Return by how much a part comes to be turned otherwise against its parent where a span gets a key, [rad]."""
    shape = Shape("linear", arcs=True)
    sequence = Sequence(s, keys=[Key(FIRST, a, shape=shape), Key(LAST, b, shape=shape)])
    frames = np.arange(FIRST, LAST + 1)
    before = forward_kinematics(s, sequence.poses_at_frames(frames))[..., :3, :3]
    sequence.set_keys([*sequence.keys, Key(cut, sequence.poses_at_frames(np.array([cut]))[0], shape=shape)])
    after = forward_kinematics(s, sequence.poses_at_frames(frames))[..., :3, :3]
    worst = 0.0
    for i in pairs(s):
        above = s.joints[i].parent
        own = [np.swapaxes(F[:, above], -1, -2) @ F[:, i] for F in (before, after)]
        worst = max(worst, max(so3.angle_between(x, y) for x, y in zip(*own, strict=True)))
    return float(worst)


@pytest.mark.verify
def test_a_cut_span_goes_on_as_it_did_between_poses_of_the_library(human: Skeleton) -> None:
    assert len(pairs(human)) == 8
    found = []
    for file in sorted(bundled_folder().rglob("*.seq")):
        project = load(file)
        for sequence in project.sequences:
            if sequence.skeleton.joint_names != human.joint_names:
                continue
            poses = [key.q for key in sequence.keys]
            for a, b in pairwise(poses):
                found.append(np.degrees(change(human, a, b, 9)))
    assert len(found) > 100 and 0.0 < np.median(found) < 0.001
    assert np.percentile(found, 95.0) < 0.1 and max(found) < 1.0
