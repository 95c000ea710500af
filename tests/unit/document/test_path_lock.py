"""A part locked to the way it goes stays on it, free to go along; hands held to each other stay so on both sides."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app.document.document import Document
from core.constraints import Lock
from core.constraints.residuals import PathResidual
from core.kinematics import forward_kinematics
from core.posing.drag_session import DragSession
from core.skeleton import load_skeleton
from core.spatial import so3


def swung(skeletons_folder: Path) -> tuple[Document, int]:
    """The man with an arm that swings forward in 20 frames."""
    document = Document()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    skeleton = document.skeleton
    q = skeleton.rest_pose()
    arm, forearm = (skeleton.first_dof[skeleton.joint_index(f"left {name}")] for name in ("upper arm", "forearm"))
    for frame, swing, flex in ((0, 0.5, 0.3), (10, -0.2, 0.7), (20, -0.9, 1.1)):
        q[3 + arm], q[3 + forearm] = swing, flex
        document.set_frame(frame)
        document.posing.set(np.clip(q, *_limits(skeleton)))
        document.keys.set()
    return document, skeleton.joint_index("left hand")


def _limits(skeleton) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    free = np.full(3, np.inf)
    return np.concatenate([-free, skeleton.limits[:, 0]]), np.concatenate([free, skeleton.limits[:, 1]])


def test_it_stays_on_the_way_it_went_and_slides_along(skeletons_folder: Path) -> None:
    document, hand = swung(skeletons_folder)
    steps = document.stack.count()
    document.set_frame(10)
    assert document.locks.lock_to_paths([hand])
    assert document.stack.count() == steps + 1
    (strip,) = document.locks.strips
    path = PathResidual(strip.lock.target)
    skeleton = document.skeleton
    session = DragSession(skeleton, document.pose, hand, strip.lock.point, locks=[strip.lock])
    start = session.effector
    places = []
    for by in ((0.0, 0.05, 0.1), (0.1, 0.2, 0.2), (0.0, -0.1, -0.15), (0.3, 0.0, 0.0)):
        for _ in range(6):
            session.move_to(start + by, 1.0)
        session.settle()
        assert np.linalg.norm(path.value(session.effector)) <= 1e-6
        places.append(path.nearest(session.effector))
    assert max(places) - min(places) > 2.0, "it goes along the path"
    document.history.undo()
    assert not document.locks.strips


def test_what_does_not_move_has_no_path(skeletons_folder: Path) -> None:
    document, _ = swung(skeletons_folder)
    foot = document.skeleton.joint_index("left foot")
    assert not document.locks.lock_to_paths([foot]) and not document.locks.strips


def test_a_path_is_saved_and_read_again(skeletons_folder: Path, tmp_path: Path) -> None:
    document, hand = swung(skeletons_folder)
    document.locks.lock_to_paths([hand])
    assert document.files.save(tmp_path / "swing.seq")
    again = Document()
    assert again.files.open(tmp_path / "swing.seq")
    assert again.locks.strips[0].lock == document.locks.strips[0].lock


def test_hands_held_to_each_other_keep_pose_and_symmetry(skeletons_folder: Path) -> None:
    """One hand carried by the other, in mirror editing: their relative pose stays, and both sides stay alike."""
    s = load_skeleton(skeletons_folder / "human.scr")
    q = s.rest_pose()
    for side in ("left", "right"):
        first = s.first_dof[s.joint_index(f"{side} upper arm")]
        q[3 + first] = -0.7
        q[3 + s.first_dof[s.joint_index(f"{side} forearm")]] = 1.2
    q = np.clip(q, *_limits(s))
    hands = s.joint_index("left hand"), s.joint_index("right hand")
    lock = Lock("left hand", "carry", other=("right hand", (0.0, 0.0, 0.0)))

    def relative(pose: np.ndarray) -> np.ndarray:
        a, b = (forward_kinematics(s, pose)[hand] for hand in hands)
        return np.linalg.inv(b) @ a

    session = DragSession(s, q, hands[0], None, "limb", locks=[lock], mirror=True, solver="damped_least_squares")
    kept, start = relative(q), session.effector
    for by in ((0.0, 0.05, 0.02), (0.0, 0.1, 0.05), (0.0, -0.05, 0.05)):
        for _ in range(6):
            session.move_to(start + by, 1.0)
        pose = session.settle()
        now = relative(pose)
        assert np.linalg.norm(now[:3, 3] - kept[:3, 3]) <= 1e-6
        assert so3.angle_between(now[:3, :3], kept[:3, :3]) <= 1e-6
        frames = forward_kinematics(s, pose)
        to_root = np.linalg.inv(frames[0])
        left, right = (to_root @ frames[hand] for hand in hands)
        assert np.linalg.norm(left[:3, 3] - right[:3, 3] * (-1.0, 1.0, 1.0)) <= 1e-6, "symmetric"
        assert np.linalg.norm(frames[hands[0], :3, 3] - forward_kinematics(s, q)[hands[0], :3, 3]) > 0.01
