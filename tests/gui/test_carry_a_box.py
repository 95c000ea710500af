"""The scene of carrying a box: what it measures is measured right; with full counts all of it is done by mouse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.animation import LockStrip, Sequence
from core.animation.ensemble import link
from core.constraints import Lock, bind
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.building import props
from core.skeleton.segment import end_effector
from tests.carry_a_box import jump, slides, slips

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scene() -> dict[str, Sequence]:
    """A man who goes down by 5 cm in ten frames, a box in his left hand from frame 0 to 10; his feet are free."""
    s, box = load_skeleton(bundled_folder() / "human.scr"), props.box((0.2, 0.2, 0.2))
    man, thing = Sequence(s, 30, "human"), Sequence(box, 30, "box")
    q, b, hand = s.rest_pose(), box.rest_pose(), s.joint_index("left hand")
    b[:3] = forward_kinematics(s, q)[hand, :3, 3] - box.joints[0].offset
    grip = Lock("left hand", "carry", end_effector(s, hand), other=("box", "box", (0, 0, 0)), mutual=True)
    man.locks.strips = [LockStrip(bind(grip, s, q, {"box": (box, b)}), 0, 10)]
    for frame in (0, 10):
        man.set_key(frame, q - np.eye(s.nq)[1] * 0.005 * frame)
        thing.set_key(frame, b - np.eye(6)[1] * 0.005 * frame)
    thing.set_key(20, b)
    figures = {"human": man, "box": thing}
    link(figures)
    return figures


def test_a_foot_that_moves_is_seen_to_slide(scene):
    assert slides(scene, [("human", "left foot", 0, 10)]) == pytest.approx(0.05, abs=1e-6)
    assert slides(scene, [("human", "left foot", 0, 0)]) == 0.0


def test_a_hand_keeps_to_the_box_between_keys(scene):
    assert slips(scene) <= 1e-6


def test_a_hand_that_leaves_the_box_is_seen_to_slip(scene):
    sequence = scene["human"]
    strips, sequence.locks.holds = sequence.locks.strips, False
    try:
        box = scene["box"]
        kept = box.keys.at(10)
        q = np.array(kept.q)
        q[2] += 0.02
        box.set_key(10, q)
        assert slips(scene) == pytest.approx(0.02, abs=1e-3)
        box.set_key(10, kept.q)
    finally:
        sequence.locks.holds, sequence.locks.strips = True, strips


def test_a_jump_is_told_from_speed():
    box = props.box((0.2, 0.2, 0.2))
    smooth, broken = Sequence(box, 30, "smooth"), Sequence(box, 30, "broken")
    for frame in (0, 10, 20):
        q = box.rest_pose()
        q[:3] += 0.1 * frame
        q[3] = 0.02 * frame
        smooth.set_key(frame, q)
        broken.set_key(frame, q, interp="stepped")
    assert max(jump(smooth, 10, "box")) <= 1e-6
    away, turned = jump(broken, 10, "box")
    assert away == pytest.approx(np.sqrt(3.0), abs=1e-3) and turned == pytest.approx(0.2, abs=1e-3)


@pytest.mark.verify
def test_the_whole_scene_by_mouse():
    done = subprocess.run([sys.executable, "-m", "tests.carry_a_box"], cwd=ROOT, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
