"""Edits of the figure in the whole window: every view follows when joints and degrees of freedom come and go."""

from __future__ import annotations

import numpy as np
import pytest

from app.panels import JointsPanel
from app.window.main_window import MainWindow
from core.kinematics import forward_kinematics
from core.skeleton import SkeletonBuilder

WAIT = 60  # [ms]


@pytest.fixture
def reported(window: MainWindow) -> list[tuple[str, str]]:
    """All messages to the person, level and text."""
    found: list[tuple[str, str]] = []
    window.document.message.connect(lambda level, text, details: found.append((level, text)))
    return found


def add_tail(builder: SkeletonBuilder) -> None:
    builder.add("tail", "pelvis", offset=(0.0, 0.0, -0.1), mass=0.5, group="Tail")
    builder.add_dof("tail", "hinge", "x", -1.0, 1.0, "Tail wag")


def lose_arms(builder: SkeletonBuilder) -> None:
    builder.remove("left clavicle")
    builder.remove("right clavicle")


EDITS = {
    "add": add_tail,
    "remove": lose_arms,
    "rename": lambda builder: builder.rename("head", "skull"),
    "move": lambda builder: builder.place("left shank", (0.2, 0.5, 0.1), carry=False),
    "longer": lambda builder: builder.add_dof("head", "slide", "y", 0.0, 0.1, "Stretch", at=0),
}


def listed(window: MainWindow) -> set[int]:
    """Places in a pose that the joints panel has a row for."""
    panel = next(panel for panel in window.panels if isinstance(panel, JointsPanel))
    return {entry.index for group in panel._groups for entry in group.entries}


def check(window: MainWindow, qtbot) -> None:
    """Views, panel and timeline show the figure the document holds."""
    qtbot.wait(WAIT)
    document = window.document
    scene = window.area.host.scene
    assert scene.skeleton is document.skeleton
    assert np.array_equal(scene.poses, forward_kinematics(document.skeleton, document.pose))
    assert window.timeline.model.table.keyed.shape[1] == len(document.sequence.channels)
    values = np.concatenate([row.values for row in window.timeline.model.rows])
    assert set(values.tolist()) == set(range(document.skeleton.nq))
    assert listed(window) == set(range(document.skeleton.nq))
    assert all(0 <= joint < len(document.skeleton.joints) for joint in document.selection.joints)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_and_its_undo(window, qtbot, reported, name):
    document = window.document
    document.set_frame(7)
    document.selection.set(["left hand", "left foot"])
    before = document.state_json()
    assert document.figures.edit(EDITS[name], name)
    check(window, qtbot)
    after = document.state_json()
    document.history.undo()
    check(window, qtbot)
    assert document.state_json() == before
    document.history.redo()
    check(window, qtbot)
    assert document.state_json() == after
    assert not [text for level, text in reported if level != "info"]


@pytest.mark.verify
def test_re_rooting_moves_nothing_on_screen(window, qtbot, reported):
    document, camera = window.document, window.area.host.cameras[window.area.kind]
    qtbot.wait(300)
    window.area.turn(40.0, 10.0)
    window.area.zoom(1.7)
    document.selection.set(["left hand"])
    frame, old = document.frame, document.skeleton
    scene = window.area.host.scene
    poses = {name: scene.poses[i] for i, name in enumerate(old.joint_names)}
    view = camera.view_matrix().copy()
    assert document.figures.reroot("left foot")
    check(window, qtbot)
    new = document.skeleton
    assert new.joint_names[0] == "left foot" and document.frame == frame
    assert [new.joint_names[i] for i in document.selection.joints] == ["left hand"]
    for i, name in enumerate(new.joint_names):
        assert np.abs(scene.poses[i] @ new.frames[i] - poses[name]).max() < 1e-12, name
    assert np.array_equal(camera.view_matrix(), view), "the camera has jumped"
    document.history.undo()
    check(window, qtbot)
    assert document.skeleton is old
    assert not [text for level, text in reported if level != "info"]


@pytest.mark.verify
def test_editing_while_it_plays_and_while_a_pose_is_pending(window, qtbot, reported):
    document = window.document
    document.session.playback.playing = True
    qtbot.wait(100)
    assert document.figures.edit(add_tail, "Add tail")
    assert not document.session.playback.playing
    check(window, qtbot)
    document.session.keys.auto = False
    q = document.pose.copy()
    q[3 + document.skeleton.dof_labels.index("Tail wag")] = 0.5
    document.posing.set(q)
    assert document.pending
    assert document.figures.reroot("tail")
    assert document.pending
    check(window, qtbot)
    at = document.skeleton.dof_labels.index("Tail wag")
    assert document.skeleton.joints[document.skeleton.dof_joints[at]].name == "pelvis"
    assert document.pose[3 + at] == 0.5
    document.session.playback.playing = True
    qtbot.wait(150)
    document.session.playback.playing = False
    check(window, qtbot)
    assert not [text for level, text in reported if level != "info"]


@pytest.mark.verify
def test_dragging_goes_on_after_the_figure_was_edited(window, qtbot, reported):
    """Tools, hover and solvers hold nothing of the figure that is gone."""
    document = window.document
    document.session.view.hover = document.session.tools.chain_base = len(document.skeleton.joints) - 1
    assert document.figures.edit(lose_arms, "No arms")
    assert document.session.view.hover is None and document.session.tools.chain_base is None
    gesture = document.posing.begin_gesture("Drag")
    q = document.pose.copy()
    q[0] += 0.1
    gesture.set_pose(q)
    assert gesture.commit()
    check(window, qtbot)
    for index in (0, document.stack.count()):
        document.stack.setIndex(index)
        check(window, qtbot)
    assert not [text for level, text in reported if level != "info"]
