"""Props and hands that keep the path they have while the figure that holds them is restyled."""

from __future__ import annotations

import numpy as np

from core.animation import LockStrip, Sequence
from core.animation.contacts.feet import feet_of
from core.animation.contacts.paths import lock_paths, path_change
from core.animation.ensemble import link
from core.constraints import Lock, bind, lock_residuals
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.building import props

MAN = load_skeleton(bundled_folder() / "human.scr")
BOX = props.box((0.2, 0.2, 0.2), "box")
FRAMES = np.linspace(0.0, 24.0, 97)


def carried() -> tuple[Sequence, Sequence, Lock]:
    """A man who raises and turns his arm, and a box that his hand carries."""
    man, box = Sequence(MAN, fps=30), Sequence(BOX, fps=30)
    q = MAN.rest_pose()

    def bend(pose: np.ndarray, part: str, angle: float) -> None:
        k = MAN.first_dof[MAN.joint_index(part)]
        pose[3 + k] += angle * (1.0 if MAN.limits[k, 1] > -MAN.limits[k, 0] else -1.0)

    for side in ("left", "right"):
        for part, angle in (("thigh", 0.35), ("shank", 0.7), ("foot", -0.35)):
            bend(q, f"{side} {part}", angle)
    bend(q, "right forearm", 1.2)
    for frame, angle in ((0, 0.0), (12, 0.5), (24, 0.2)):
        pose = q.copy()
        bend(pose, "right upper arm", angle)
        man.set_key(frame, pose)
    there = BOX.rest_pose()
    hand = MAN.joint_index("right hand")
    there[:3] = forward_kinematics(MAN, man.keys[0].q)[hand, :3, 3] + (0.0, -0.1, 0.1)
    box.set_key(0, there)
    grip = Lock("right hand", "carry", other=("box", "box", (0, 0, 0)), mutual=True)  # as Locks > Hold makes it
    grip = bind(grip, MAN, man.keys[0].q, {"box": (BOX, there)})
    man.locks.strips = [LockStrip(grip, 0)]
    link({"human": man, "box": box})
    return man, box, grip


def restyle(man: Sequence) -> None:
    """Lower the hips by 4 cm and turn the chest, at all keys."""
    chest = 3 + MAN.first_dof[MAN.joint_index("chest")]
    for key in list(man.keys):
        pose = np.array(key.q)
        pose[1] -= 0.04
        pose[chest] += 0.1
        man.set_key(key.frame, pose)


def off(grip: Lock, box: np.ndarray, man: np.ndarray) -> float:
    """Return how far the hand is from its place on the box at most, [m] and [rad]."""
    return max(
        float(lock_residuals(MAN, m, [grip], {"box": (BOX, b)}).residuals.max()) for b, m in zip(box, man, strict=True)
    )


def test_a_prop_keeps_its_path_while_the_figure_that_carries_it_is_restyled() -> None:
    man, box, grip = carried()
    before = box.poses_at_frames(FRAMES)
    assert np.ptp(before[:, :3], axis=0).max() > 0.1  # it goes along with the hand
    found = lock_paths(box, feet_of(BOX, [0]))
    assert {strip.lock.joint for strip in found.strips} == {"box"} and path_change(box, found) <= 1e-3
    box.locks.strips = (*box.locks.strips, *found.strips)
    held = box.poses_at_frames(FRAMES)
    assert np.abs(held[:, :3] - before[:, :3]).max() <= 1e-3
    restyle(man)
    after, poses = box.poses_at_frames(FRAMES), man.poses_at_frames(FRAMES)
    assert np.abs(after - held).max() <= 1e-6
    assert off(grip, after, poses) <= 1e-6  # the hand came along


def test_what_a_hand_carries_keeps_its_path_with_the_hand() -> None:
    man, box, _ = carried()
    before = box.poses_at_frames(FRAMES)
    found = lock_paths(man, feet_of(MAN, ["right hand"]))
    man.locks.strips = (*man.locks.strips, *found.strips)
    held = box.poses_at_frames(FRAMES)
    assert np.abs(held[:, :3] - before[:, :3]).max() <= 2e-3
    restyle(man)
    assert np.abs(box.poses_at_frames(FRAMES) - held).max() <= 1e-6
