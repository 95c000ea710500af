"""Editing a figure in the window, as a person would: from nothing to a file and back, mode by mode."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QFileDialog

from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.segment import rest_frames
from tests.gui.skeleton_support import ALT, CTRL, LEFT, SHIFT, Key, at, ball, click, edited, place, press


@pytest.fixture
def editing(window: MainWindow) -> MainWindow:
    return edited(window)


# -- from nothing ----------------------------------------------------------------------------------------------------


def test_an_arm_from_nothing_mirrored_saved_and_loaded(
    window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = window.document
    window.area.set_reduced_motion(True)
    window.action_table["new_figure"].trigger()
    assert document.session.mode == "skeleton" and document.skeleton.joint_names == ("root",)
    window.area.show_view("front")
    window.area.frame_all()
    start = document.state_json()

    press(window, Key.Key_N)
    assert document.session.tools.joint_tool == "add" and window.action_table["add_joints"].isChecked()
    spots = [np.array(spot) for spot in ((0.2, 1.1, 0.0), (0.5, 1.1, 0.0), (0.75, 1.0, 0.0))]
    pixels = [at(window, spot) for spot in spots]
    tolerance = window.area.work_view.pixel_size(np.zeros(3))
    assert all(window.area.work_view.rect().contains(pixel) for pixel in pixels)
    for spot in pixels:
        click(window, spot)
    assert [joint.parent for joint in document.skeleton.joints] == [-1, 0, 1, 2]
    names = document.skeleton.joint_names
    for name, spot in zip(names[1:], spots, strict=True):
        assert place(window, name) == pytest.approx(spot, abs=tolerance)
    assert document.selection.joints == (3,)
    press(window, Key.Key_Escape)
    assert document.session.tools.joint_tool == "move"

    click(window, ball(window, names[2]))
    assert document.selection.joints == (2,)
    window.skeleton.panel.form.objects.add_shape("limb")
    assert document.skeleton.joints[2].objects[0].mesh is not None
    press(window, Key.Key_M)
    mirrored = document.skeleton
    assert len(mirrored.joints) == 7 and len(mirrored.mirror_pairs) == 3
    for i, j in mirrored.mirror_pairs:
        frames = rest_frames(mirrored)
        assert frames[j, :3, 3] == pytest.approx(frames[i, :3, 3] * (-1, 1, 1), abs=1e-12)
    whole = document.state_json()

    target = tmp_path / "arms.scr"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    window.action_table["save_figure"].trigger()
    loaded = load_skeleton(target)
    assert loaded.joint_names == mirrored.joint_names and loaded.dof_names == mirrored.dof_names
    assert rest_frames(loaded) == pytest.approx(rest_frames(mirrored), abs=1e-9)
    for one, other in zip(loaded.joints, mirrored.joints, strict=True):
        assert [len(part.mesh.triangles) for part in one.objects] == [len(p.mesh.triangles) for p in other.objects]

    steps = document.stack.count()
    for _ in range(steps):
        press(window, Key.Key_Z, CTRL)
    assert document.state_json() == start
    for _ in range(steps):
        press(window, Key.Key_Z, CTRL | SHIFT)
    assert document.state_json() == whole

    window.open_files([target])
    assert document.skeleton.joint_names == mirrored.joint_names and document.session.mode == "pose"


# -- modes -----------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_modes_by_key_menu_and_bar(window: MainWindow, qtbot) -> None:
    document, bar = window.document, window.toolbar
    document.set_frame(12)
    pose = document.pose.copy()
    scene = window.area.host.scene
    posed = scene.poses.copy()
    press(window, Key.Key_B)
    assert document.session.mode == "skeleton" and bar.mode.current == "skeleton"
    assert scene.poses == pytest.approx(forward_kinematics(document.skeleton, document.skeleton.rest_pose()))
    assert docks(window) == BUILDING
    assert not bar.set_key.isVisible() and not window.action_table["set_key"].isEnabled()
    assert not window.action_table["play"].isEnabled() and not window.timeline.sheet.isEnabled()
    press(window, Key.Key_B)
    assert document.session.mode == "pose" and document.frame == 12
    assert np.array_equal(document.pose, pose) and np.array_equal(scene.poses, posed)
    assert docks(window) == POSING
    QTest.mouseClick(bar.mode.segment("skeleton"), LEFT)
    assert document.session.mode == "skeleton"
    window.action_table["mode_pose"].trigger()
    assert document.session.mode == "pose" and window.timeline.sheet.isEnabled()
    assert document.stack.count() == 0


@pytest.mark.verify
def test_a_mode_switch_stops_playing_and_keys_are_safe(window: MainWindow, qtbot) -> None:
    document = window.document
    keys = [key.q.copy() for key in document.sequence.keys]
    press(window, Key.Key_Space)
    qtbot.wait(150)
    press(window, Key.Key_B)
    assert not document.session.playback.playing
    for key in (Key.Key_Space, Key.Key_S, Key.Key_K, Key.Key_Right, Key.Key_R):
        press(window, key)
    qtbot.wait(50)
    assert not document.session.playback.playing and document.stack.count() == 0 and document.session.keys.auto
    document.selection.set(["left forearm"])
    press(window, Key.Key_Right, ALT)
    assert document.stack.count() == 1
    assert all(np.array_equal(a, key.q) for a, key in zip(keys, document.sequence.keys, strict=True))
    press(window, Key.Key_B)
    press(window, Key.Key_Space)
    assert document.session.playback.playing
    press(window, Key.Key_Space)


@pytest.mark.verify
def test_bones_alone_get_shapes_that_can_be_posed(window: MainWindow) -> None:
    document = window.document
    window.action_table["new_figure"].trigger()
    press(window, Key.Key_Insert)
    press(window, Key.Key_Insert)
    assert not any(joint.has_body for joint in document.skeleton.joints)
    window.action_table["add_bodies"].trigger()
    assert all(joint.objects for joint in document.skeleton.joints[:2])
    steps = document.stack.count()
    window.action_table["add_bodies"].trigger()
    assert document.stack.count() == steps and "shape" in window.errors.text
    press(window, Key.Key_B)
    press(window, Key.Key_S)
    assert len(document.sequence.keys) == 1


def test_a_new_joint_gets_values_in_every_key_and_undo_takes_them_away(editing: MainWindow) -> None:
    document = editing.document
    before = document.state_json()
    sizes = {len(key.q) for key in document.sequence.keys}
    document.selection.set(["head"])
    press(editing, Key.Key_Insert)
    assert {len(key.q) for key in document.sequence.keys} == {size + 3 for size in sizes} == {document.skeleton.nq}
    document.history.undo()
    assert document.state_json() == before


@pytest.mark.verify
def test_root_here_keeps_every_pose_in_the_world(window: MainWindow) -> None:
    document = window.document
    old = document.skeleton
    frames = [0, 3, 8, 20, 32]
    keyed = [key.frame for key in document.sequence.keys]
    worlds = {f: forward_kinematics(old, document.sequence.pose_at_frame(f)) for f in keyed}
    document.selection.set(["right hand"])
    assert window.action_table["reroot"].isEnabled()
    window.action_table["reroot"].trigger()
    new = document.skeleton
    assert new.joint_names[0] == "right hand" and document.stack.count() == 1
    assert [key.frame for key in document.sequence.keys] == keyed
    from core.skeleton.segment import segment_mesh

    for frame, before in worlds.items():
        after = forward_kinematics(new, document.sequence.pose_at_frame(frame))
        for name in old.joint_names:  # the bodies stay where they are; joint origins may change places
            i, j = old.joint_index(name), new.joint_index(name)
            one, other = segment_mesh(old, i), segment_mesh(new, j)
            assert len(one.vertices) == len(other.vertices)
            placed = one.vertices @ before[i, :3, :3].T + before[i, :3, 3]
            again = other.vertices @ after[j, :3, :3].T + after[j, :3, 3]
            assert again == pytest.approx(placed, abs=1e-9)
    assert not window.action_table["reroot"].isEnabled() or document.selection.joints[-1] != 0
    document.history.undo()
    assert document.skeleton.joint_names == old.joint_names
    assert frames


@pytest.mark.verify
def test_a_figure_that_is_built_comes_back_after_a_crash(window: MainWindow, tmp_path: Path) -> None:
    from app.document.document import Document

    document = window.document
    assert document.files.start_journal(tmp_path)
    window.action_table["new_figure"].trigger()
    for _ in range(3):
        press(window, Key.Key_Insert)
    window.skeleton.panel.form.objects.add_shape("limb")
    press(window, Key.Key_Z, CTRL)
    press(window, Key.Key_Z, CTRL | SHIFT)
    state = document.state_json()
    copy = shutil.copy(next(tmp_path.glob("*.journal")), tmp_path / "copy.journal")
    other = Document()
    assert other.files.recover(copy)
    assert other.state_json() == state
    while other.stack.canUndo():
        other.history.undo()
    assert other.skeleton.joint_names == ("root",)


@pytest.mark.verify
def test_limits_are_edited_by_brackets(window: MainWindow) -> None:
    document, panel = window.document, window.panels[0]
    skeleton = document.skeleton
    number = skeleton.dof_names.index("right forearm.-x")
    row = panel.row(3 + number)
    panel.view.ensureWidgetVisible(row)  # rows out of sight are not kept up to date
    slider, steps, state = row.slider, document.stack.count(), document.state_json()
    end = QPoint(slider.width() - 7, 12)
    hi = skeleton.all_dofs[number].hi

    def send(x: float, held) -> None:

        spot = QPointF(x, 12)
        QApplication.sendEvent(
            slider,
            QMouseEvent(QEvent.Type.MouseMove, spot, slider.mapToGlobal(spot), Qt.MouseButton.NoButton, LEFT, held),
        )

    QTest.mousePress(slider, LEFT, SHIFT, end)
    send(end.x() - 10, SHIFT)
    assert document.state_json() == state and slider.at_limit == 0
    QTest.keyClick(slider, Key.Key_Escape)
    assert document.state_json() == state and document.stack.count() == steps
    rate = (hi - skeleton.all_dofs[number].lo) / (slider.width() - 14)
    QTest.mousePress(slider, LEFT, SHIFT, end)
    send(end.x() - 10, SHIFT)
    QTest.mouseRelease(slider, LEFT, SHIFT, end - QPoint(10, 0))
    assert document.stack.count() == steps + 1
    assert document.skeleton.all_dofs[number].hi == pytest.approx(hi - 10 * rate)
    assert [key.q.tolist() for key in document.sequence.keys] == [
        key["q"] for key in json.loads(state)["sequences"][0]["keys"]
    ]
    document.history.undo()
    assert document.state_json() == state
    row = panel.row(3 + number)
    slider = row.slider
    QTest.mousePress(slider, LEFT, SHIFT | CTRL, end)
    send(end.x() - 10, SHIFT | CTRL)
    QTest.mouseRelease(slider, LEFT, SHIFT | CTRL, end - QPoint(10, 0))
    assert document.skeleton.all_dofs[number].hi == pytest.approx(hi - rate)


# -- the window ------------------------------------------------------------------------------------------------------


POSING, BUILDING = ["Joints", "Solver", "Sequence library", "Locks"], ["Skeleton"]


def docks(window: MainWindow) -> list[str]:
    return [dock.windowTitle() for dock in window.workbench.docks if dock.isVisible()]


def dock_called(window: MainWindow, title: str) -> QDockWidget:
    return next(dock for dock in window.workbench.docks if dock.windowTitle() == title)


def rail(window: MainWindow) -> list[str]:
    return [kind.title for button, kind in window.workbench.rail._buttons if button.isVisible()]


@pytest.mark.verify
def test_a_dock_that_was_closed_stays_closed_in_its_mode(window: MainWindow, qtbot) -> None:
    dock_called(window, "Solver").hide()
    window.skeleton.set_mode("skeleton")
    assert docks(window) == BUILDING
    dock_called(window, "Skeleton").hide()
    window.skeleton.set_mode("pose")
    assert docks(window) == [title for title in POSING if title != "Solver"]
    window.skeleton.set_mode("skeleton")
    assert docks(window) == []
    window.reset_layout()
    assert docks(window) == BUILDING
    shown = [action.text() for action in window.menu.submenu("View", "Panels").actions() if action.isVisible()]
    assert "Skeleton" in shown and "Solver" not in shown
    window.skeleton.set_mode("pose")
    assert docks(window) == POSING


@pytest.mark.verify
def test_narrow_windows_fold_the_panel_and_keep_the_mode(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("skeleton")
    window.resize(1024, 680)
    qtbot.wait(100)
    assert window.workbench.folded and docks(window) == []
    assert rail(window) == BUILDING
    window.skeleton.set_mode("pose")
    assert rail(window) == ["Joints", "History", "Scene", "Solver", "Sequence library", "Locks"]
    window.skeleton.set_mode("skeleton")
    for mode in ("pose", "skeleton"):
        window.skeleton.set_mode(mode)
        assert window.toolbar.layout().sizeHint().width() <= window.toolbar.width()
    window.resize(1440, 900)
    qtbot.wait(100)
    assert docks(window) == BUILDING


def test_the_layout_is_kept_as_for_posing(window: MainWindow) -> None:
    window.skeleton.set_mode("skeleton")
    state = window.workbench.layout_state()
    window.workbench.restore_layout(*state)
    assert docks(window) == POSING


def test_the_figure_keeps_its_place_on_the_screen(window: MainWindow) -> None:
    window.document.set_frame(20)
    window.area.set_reduced_motion(True)
    window.area.frame_all()
    view, scene = window.area.work_view, window.area.host.scene

    def root():
        return view_point(view, scene.poses[0, :3, 3])

    posed = root()
    window.skeleton.set_mode("skeleton")
    assert (root() - posed).manhattanLength() < 1e-6
    window.skeleton.set_mode("pose")
    assert (root() - posed).manhattanLength() < 1e-6


@pytest.mark.parametrize("names", ["[jsw]*", pytest.param("*", marks=pytest.mark.verify)])
def test_bundled_figures_can_be_edited_and_drawn(window: MainWindow, skeletons_folder: Path, names: str) -> None:
    for path in sorted(skeletons_folder.glob(f"{names}.scr")):
        window.document.files.open(path)
        window.skeleton.set_mode("skeleton")
        skeleton = window.document.skeleton
        for joint in (0, len(skeleton.joints) - 1):
            window.document.selection.set((joint,))
            window.grab()
            assert window.skeleton.panel.form.name.text() == skeleton.joint_names[joint]
        press(window, Key.Key_Insert)
        assert len(window.document.skeleton.joints) == len(skeleton.joints) + 1
        assert not window.errors.text
