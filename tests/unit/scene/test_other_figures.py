"""Other figures in the views: where they are, also while the one that carries them is dragged or plays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.document import Document
from app.scene.scene import Scene
from core.constraints import Lock
from core.kinematics import forward_kinematics
from core.skeleton.building import props

HELD = 1e-6
HAND = "right hand"


@pytest.fixture
def carrying(qapp, skeletons_folder: Path) -> tuple[Document, Scene]:
    """A walking man who is edited, and a box that his right hand carries."""
    document = Document()
    assert document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    assert document.figures.add(props.box((0.2, 0.2, 0.2)), "Add box", beside=True)
    scene = Scene(document)
    document.changed.connect(scene.take)
    q = document.pose.copy()
    q[:3] = hand(document, scene)[:3, 3] - document.skeleton.joints[0].offset + [0.0, -0.15, 0.05]
    document.posing.set(q)
    assert document.locks.add(Lock("box", "carry", other=("human", HAND, (0.0, 0.0, 0.0))))
    document.figures.show(0)
    return document, scene


def hand(document: Document, scene: Scene) -> np.ndarray:
    man = document.figures.all[0]
    frames = forward_kinematics(man, document.model.figure_pose(0, document.frame))
    return np.asarray(frames[man.joint_index(HAND)])


def held(scene: Scene) -> np.ndarray:
    """Return where the box is in the hand's frame, shape (4, 4)."""
    (box,) = scene.others.here
    return np.linalg.inv(scene.poses[scene.skeleton.joint_index(HAND)]) @ box.poses[0]


def test_a_box_that_is_carried_is_drawn_in_the_hand_at_every_frame(carrying: tuple[Document, Scene]) -> None:
    document, scene = carrying
    document.set_frame(0)
    start = held(scene)
    for frame in (4, 20, 11):
        document.set_frame(frame)
        assert np.abs(held(scene) - start).max() < HELD


def test_it_goes_along_while_who_carries_it_is_dragged(carrying: tuple[Document, Scene]) -> None:
    document, scene = carrying
    document.set_frame(8)
    start, q = held(scene), document.pose.copy()
    before = scene.others.here[0].poses[0].copy()
    with document.posing.begin_gesture("Drag") as gesture:
        for _ in range(4):
            q[0] += 0.1
            gesture.set_pose(q)
            assert np.abs(held(scene) - start).max() < HELD
    assert scene.others.here[0].poses[0][0, 3] - before[0, 3] == pytest.approx(0.4, abs=HELD)
    document.history.undo()
    document.figures.show(0)  # choosing him was one step with the drag
    assert np.array_equal(scene.others.here[0].poses[0], before)


@pytest.mark.verify
def test_frames_that_are_placed_ahead_are_those_of_a_scene_that_rests(carrying: tuple[Document, Scene]) -> None:
    document, scene = carrying
    frames, resting = [*range(3, 30), 12, 5], []
    for frame in frames:
        document.set_frame(frame)
        resting.append(scene.others.here[0].poses.copy())
    document.model.forget_poses()
    document.model.ahead = 16
    for frame, poses in zip(frames, resting, strict=True):
        document.set_frame(frame)
        assert np.abs(scene.others.here[0].poses - poses).max() < HELD
    document.figures.show(1)
    document.set_frame(7)
    document.figures.show(0)  # a figure that changes while others are ahead is placed anew
    assert np.abs(scene.others.here[0].poses[0] - resting[frames.index(7)][0]).max() < HELD


def test_hidden_figures_are_neither_drawn_nor_picked_but_stay_where_they_are(carrying: tuple[Document, Scene]) -> None:
    document, scene = carrying
    place = scene.others.here[0].poses[0, :3, 3]
    origin, direction = place + np.array([0.0, 0.0, 3.0]), np.array([0.0, 0.0, -1.0])
    assert scene.others.pick(origin, direction).figure == 1
    document.session.view.hidden_figures = {"box"}
    assert scene.others.pick(origin, direction) is None and scene.world_around.solids == ()
    assert len(scene.others.here) == 1
    document.session.view.hidden_figures, document.session.mode = (), "skeleton"
    assert scene.others.shown == ()  # the figure stands at rest, alone
