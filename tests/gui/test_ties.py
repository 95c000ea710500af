"""Followers and loops in the Skeleton panel, and how a figure with them is posed in the window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from app.panels.skeleton.joint_form import TIES, JointForm
from app.panels.skeleton.panel import SkeletonPanel
from app.panels.skeleton.tie_section import TieSection
from app.window.main_window import MainWindow
from core.constraints.loop_locks import loop_locks
from core.formats import load
from core.kinematics import forward_kinematics
from core.skeleton.following import followed
from core.skeleton.tie import Follow, Leader
from tests.support.attaching import drag, pixel_of

MECHANISMS = Path(__file__).parents[2] / "skeletons" / "mechanisms"


def form(window: MainWindow, joint: str) -> JointForm:
    window.skeleton.set_mode("skeleton")
    window.document.selection.set([joint])
    panel = next(panel for panel in window.panels if isinstance(panel, SkeletonPanel))
    return panel.form


def ties(window: MainWindow, joint: str) -> TieSection:
    return form(window, joint).ties


def joint(window: MainWindow, name: str):
    skeleton = window.document.skeleton
    return skeleton.joints[skeleton.joint_index(name)]


def opened(window: MainWindow, name: str) -> None:
    assert window.document.files.open(MECHANISMS / f"{name}.scr")


def test_a_follower_is_made_changed_and_freed(window: MainWindow) -> None:
    document = window.document
    section = ties(window, "right forearm")
    assert section.leaders[0].chosen == (-1, "") and not section.rules[0].isEnabled()
    section.leaders[0].picked.emit((0, "left forearm"))
    wanted = Follow(0, "u", (Leader("u", "left forearm", 0),))
    assert joint(window, "right forearm").follows == (wanted,)
    assert document.stack.undoText() == "Let right forearm follow left forearm"
    assert section.rules[0].isEnabled() and section.rules[0].text() == "u"
    for typed, rule in (("0.5", "0.5*u"), ("sin(u)", "sin(u)")):
        section.rules[0].setText(typed)
        section.rules[0].commit()
        assert joint(window, "right forearm").follows[0].text == rule == section.rules[0].text()
    section.rules[0].setText("2*w")
    section.rules[0].commit()
    assert joint(window, "right forearm").follows[0].text == "sin(u)", "refused"
    assert form(window, "right forearm").sections[TIES].summary == "1 following"
    # In a circle nothing follows.
    other = ties(window, "left forearm")
    steps = document.stack.index()
    other.leaders[0].picked.emit((0, "right forearm"))
    assert document.stack.index() == steps and joint(window, "left forearm").follows == ()
    document.history.undo()
    assert joint(window, "right forearm").follows[0].text == "0.5*u"
    section = ties(window, "right forearm")
    section.leaders[0].picked.emit((-1, ""))
    assert joint(window, "right forearm").follows == ()
    document.history.undo()
    assert joint(window, "right forearm").follows[0].text == "0.5*u"


def test_a_loop_is_closed_changed_and_opened(window: MainWindow, tmp_path: Path) -> None:
    opened(window, "four bar")
    document = window.document
    assert document.files.save(tmp_path / "alone.scr"), "an untouched figure with loops can be a .scr file"
    (loop,) = joint(window, "coupler").loops
    section = ties(window, "coupler")
    assert len(section.loops) == 1 and len(document.sequence.locks) == 1
    section.loops[0].remove.click()
    assert joint(window, "coupler").loops == () and list(document.sequence.locks) == []
    document.history.undo()
    assert joint(window, "coupler").loops == (loop,) and list(document.sequence.locks) == list(
        loop_locks(document.skeleton)
    )
    document.history.redo()
    section = ties(window, "coupler")
    section.add.picked.emit("rocker")
    (made,) = joint(window, "coupler").loops
    assert made.other == "rocker" and made.axis == (0.0, 0.0, 1.0)
    np.testing.assert_allclose(made.point, loop.point, atol=1e-3)
    np.testing.assert_allclose(made.place, loop.place, atol=1e-3)
    assert list(document.sequence.locks) == list(loop_locks(document.skeleton))
    place = section.loops[0].place
    place.fields[1].edit_to(0.28)
    assert joint(window, "coupler").loops[0].place[1] == pytest.approx(0.28)
    assert list(document.sequence.locks) == list(loop_locks(document.skeleton))
    document.history.undo()
    assert joint(window, "coupler").loops[0] == made
    # It is in the file, and read again.
    assert document.files.save(tmp_path / "four.scr")
    project = load(tmp_path / "four.scr")
    again = project.figures[0].joints[project.figures[0].joint_index("coupler")].loops
    assert again[0].other == "rocker" and again[0].place == pytest.approx(made.place)
    assert 'loop "rocker"' in (tmp_path / "four.scr").read_text()


@pytest.mark.verify
def test_new_sequences_close_the_loops_of_their_figure(window: MainWindow) -> None:
    opened(window, "four bar")
    document = window.document
    assert document.sequences.add(name="second")
    assert document.sequence.name == "second"
    assert list(document.sequence.locks) == list(loop_locks(document.skeleton)) != []


@pytest.mark.verify
def test_a_slider_of_the_leader_bends_the_whole_spine(window: MainWindow) -> None:
    opened(window, "spine")
    document = window.document
    lead = 3 + document.skeleton.first_dof[document.skeleton.joint_index("vertebra 1")]
    q = np.array(document.pose)
    q[lead] = 0.15
    assert document.posing.set(q)
    np.testing.assert_allclose(document.pose, followed(document.skeleton, q), atol=1e-15)
    assert document.pose[lead + 2] > 0.1
    # What follows goes back to what it follows.
    q = np.array(document.pose)
    q[lead + 2] = -0.1
    document.posing.set(q)
    assert document.pose[lead + 2] > 0.1
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    gesture = document.posing.begin_gesture("Bend 2")
    gesture.set_pose(q)
    gesture.set_pose(q)
    gesture.cancel()
    assert said == ["Bend 2 follows bend 1: move that instead"] or said[0].lower().startswith("bend 2 follows bend 1")


@pytest.mark.verify
def test_a_drag_with_the_mouse_bends_the_whole_spine(window: MainWindow, qtbot) -> None:
    opened(window, "spine")
    document, scene = window.document, window.area.host.scene
    window.action_table["frame_all"].trigger()
    qtbot.wait(800)
    skeleton = document.skeleton
    start = pixel_of(window, "vertebra 9")
    drag(window, start, start + QPoint(0, 40))
    drag(window, pixel_of(window, "vertebra 9"), pixel_of(window, "vertebra 9") + QPoint(60, 0))
    q = document.pose
    np.testing.assert_allclose(followed(skeleton, q), q, atol=1e-12)
    assert np.abs(q[3:]).max() > 0.02
    assert np.array_equal(scene.poses, forward_kinematics(skeleton, q))
