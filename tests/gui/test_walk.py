"""A walk by rules in the window: made, changed live, edited by hand on a layer, and baked."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.cli.main import main
from app.document.base import NO_LONGER_BY_RULES
from app.document.edits.layer_edits import EDITS
from app.popovers.walk import WalkPopover
from app.scene.pointing import view_point
from core.animation.locks.strip import STRIP_MARK
from core.gait.table import footprints_of
from core.kinematics import forward_kinematics
from core.terrain import Terrain, height_field
from tests.support.bipeds import biped
from tests.support.grounds import stairs
from tests.support.mouse import drag, hover, move

LONGEST_MS = 30_000


def listen(document) -> list[str]:
    """Return a list that takes what the document says from now on."""
    said: list[str] = []
    document.message.connect(lambda _kind, text, _details: said.append(text))
    return said


def opened(window) -> WalkPopover:
    """Open the settings of the walk."""
    window.action_table["walk"].trigger()
    return window.walk.popover


@pytest.fixture
def walking(window, qtbot):
    """The window with a short walk in the place of the keys."""
    popover = opened(window)
    popover.rows["steps"].changed.emit(4.0)
    popover.rows["steps"].committed.emit(4.0)
    QTest.mouseClick(popover.make_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.document.sequence.gait is not None, timeout=LONGEST_MS)
    return window


def test_a_walk_takes_the_place_of_keys_in_one_step_and_follows_its_settings(window, qtbot):
    document = window.document
    state, steps = document.state_json(), document.stack.index()
    popover = opened(window)
    assert popover.bake.isHidden() and "11 keys" in popover.said.text()
    assert document.state_json() == state
    QTest.keyClick(popover, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.sequence.gait is not None, timeout=LONGEST_MS)
    assert document.stack.index() == steps + 1 and document.stack.undoText() == "Walk"
    sequence = document.sequence
    assert all(strip.id.startswith(STRIP_MARK) for strip in sequence.locks.strips) and sequence.range[0] == 0
    last = sequence.range[1]
    assert "10 steps of" in popover.said.text()

    # A slider that is dragged makes the walk anew with each move, and is one step in the end.
    slider = popover.rows["steps"].slider
    start = QPoint(round(slider.position(10.0)), slider.height() // 2)
    seen: list[int] = []
    document.changed.connect(lambda _change: seen.append(document.sequence.range[1]))
    drag(slider, start, start - QPoint(20, 0))
    assert document.walks.rules.manner.steps < 10 and document.sequence.range[1] < last
    assert len(set(seen)) > 1 and document.stack.index() == steps + 2
    assert document.stack.undoText() == "Set steps of walk"
    popover.hide()
    document.history.undo()
    assert document.walks.rules.manner.steps == 10 and document.sequence.range[1] == last
    document.history.undo()
    assert document.state_json() == state


def _set(popover, name, value, qtbot):
    """Set a value, and wait until the walk is made: at first the fastest speed is looked for beside the window."""
    popover.rows[name].changed.emit(value)
    popover.rows[name].committed.emit(value)
    qtbot.waitUntil(popover.progress.isHidden, timeout=LONGEST_MS)


def test_speed_length_and_rate_two_give_the_third(walking, qtbot):
    popover, document = walking.walk.popover, walking.document
    rows = popover.rows
    assert all(rows[name].slider.is_open for name in ("speed", "step_length", "step_rate"))
    for name, value in (("speed", 1.0), ("step_length", 0.5)):
        _set(popover, name, value, qtbot)
    manner = document.walks.rules.manner
    assert (manner.speed, manner.step_length, manner.step_rate) == (1.0, 0.5, None)
    assert rows["step_rate"].value == pytest.approx(120.0) and rows["step_rate"].slider.is_open
    _set(popover, "step_rate", 90.0, qtbot)
    manner = document.walks.rules.manner
    assert (manner.speed, manner.step_length, manner.step_rate) == (None, 0.5, 1.5)
    popover.hide()


@pytest.mark.verify
def test_what_legs_cannot_reach_and_who_cannot_walk_is_said(walking, skeletons_folder, qtbot):
    popover, document = walking.walk.popover, walking.document
    assert "4 steps of" in popover.said.text() and not popover.said.property("warning")
    rules, said = document.walks.rules, popover.said
    _set(popover, "step_length", 1.5, qtbot)
    assert "its fastest walk is" in said.text() and said.property("warning") and document.walks.rules == rules
    for name, value in (("step_rate", 30.0), ("step_length", 1.5)):
        _set(popover, name, value, qtbot)
    assert "Legs do not reach all of their places" in popover.said.text() and popover.said.property("warning")
    popover.hide()
    document.files.open(skeletons_folder / "robot.scr")
    state = document.state_json()
    popover = opened(walking)
    assert "0 feet" in popover.said.text() and not popover.make_button.isEnabled()
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert document.state_json() == state
    popover.hide()


@pytest.mark.verify
def test_gaits_are_offered_by_the_feet_of_the_figure(walking, skeletons_folder):
    popover, document = walking.walk.popover, walking.document
    offered = [popover.kind.itemText(k) for k in range(popover.kind.count())]
    assert offered[:2] == ["Walk", "Run"] and "Idle" in offered
    steps = document.stack.index()
    popover.kind.picked.emit("run")
    assert document.walks.rules.manner.kind == "run" and document.stack.index() == steps + 1
    assert popover.rows["speed"].value > 2.0  # its own pace
    popover.kind.picked.emit("idle")
    assert not popover.rows["speed"].isEnabled() and popover.rows["sway"].isEnabled()
    assert "steps" not in popover.said.text()
    popover.hide()
    document.files.open(skeletons_folder / "horse.scr")
    popover = opened(walking)
    assert [popover.kind.itemText(k) for k in range(popover.kind.count())] == ["Walk", "Trot", "Gallop"]
    popover.hide()


def test_stiff_legs_are_offered_a_walk_alone_and_their_footprints_are_shown(walking, skeletons_folder, qtbot):
    document = walking.document
    walking.walk.popover.hide()
    assert document.files.open(skeletons_folder / "stickman.scr")
    popover = opened(walking)
    rows = [popover.kind.model().item(k) for k in range(popover.kind.count())]
    assert [row.isEnabled() for row in rows] == [True, False, False, False]
    assert rows[1].text() == "Run (needs knees)" and "do not bend" in rows[1].toolTip()
    QTest.mouseClick(popover.make_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: document.sequence.gait is not None, timeout=LONGEST_MS)
    made = walking.area.host.scene.walk_prints.all
    assert len(made) > 4 and {each.is_left for each in made} == {True, False}
    popover.hide()


@pytest.mark.verify
def test_a_pose_edited_by_hand_goes_on_a_layer_and_stays_when_the_walk_is_made_anew(walking):
    document = walking.document
    walking.walk.popover.hide()
    document.set_frame(20)
    q = document.pose.copy()
    q[3 + next(k for k, name in enumerate(document.skeleton.dof_names) if "head" in name)] += 0.1
    steps = document.stack.index()
    assert document.posing.set(q, "Nod")
    assert document.stack.index() == steps + 1 and document.sequence.gait is not None
    (layer,) = document.layers.all
    assert layer.name == EDITS and [key.frame for key in layer.keys] == [20]
    assert document.layers.active == layer  # the next edit goes there too, and this is seen
    assert np.abs(document.pose - q).max() < 1e-6
    popover = opened(walking)
    popover.rows["sway"].changed.emit(1.5)
    popover.rows["sway"].committed.emit(1.5)
    assert document.layers.all == (layer,)
    popover.hide()


def test_a_pose_that_is_keyed_later_goes_on_the_layer_too(walking):
    document = walking.document
    walking.walk.popover.hide()
    document.session.keys.auto = False
    document.set_frame(20)
    q, keys = document.pose.copy(), document.sequence.keys
    q[3 + next(k for k, name in enumerate(document.skeleton.dof_names) if "head" in name)] += 0.1
    assert document.posing.set(q) and document.pending
    assert document.keys.set()
    document.session.keys.auto = True
    assert not document.pending and document.sequence.gait is not None and document.sequence.keys == keys
    assert [key.frame for key in document.layers.all[0].keys] == [20]
    assert np.abs(document.pose - q).max() < 1e-6


@pytest.mark.verify
def test_keys_edited_by_hand_end_the_rules_in_the_same_step_and_this_is_said(walking):
    document, said = walking.document, listen(walking.document)
    walking.walk.popover.hide()
    state, steps = document.state_json(), document.stack.index()
    frame = document.sequence.keys[3].frame
    assert document.keys.delete([frame])
    assert document.stack.index() == steps + 1 and document.sequence.gait is None
    assert said[-1] == NO_LONGER_BY_RULES
    document.history.undo()
    assert document.state_json() == state and document.sequence.gait is not None
    strip = document.sequence.locks.strips[0]
    assert document.locks.set(document.sequence.locks.strips[1:])
    assert document.sequence.gait is None and strip not in document.sequence.locks.strips
    document.history.undo()
    walking.action_table["bake_walk"].trigger()
    assert document.sequence.gait is None and document.sequence.keys and document.stack.undoText() == "Bake walk"
    assert not walking.action_table["bake_walk"].isEnabled()


@pytest.mark.verify
def test_long_walks_are_made_beside_the_window_and_escape_gives_a_value_up(walking, qtbot):
    popover, document = walking.walk.popover, walking.document
    steps, record = document.stack.index(), document.sequence.gait
    popover.rows["steps"].changed.emit(30.0)
    popover.rows["steps"].committed.emit(30.0)
    assert document.sequence.gait is record and not popover.progress.isHidden()
    qtbot.waitUntil(lambda: document.stack.index() == steps + 1, timeout=LONGEST_MS)
    assert document.walks.rules.manner.steps == 30 and popover.progress.isHidden()
    record = document.sequence.gait
    field = popover.rows["turn"].field
    QTest.mouseClick(field, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    editor = field.findChild(QLineEdit)
    QTest.keyClicks(editor, "20")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert document.sequence.gait == record and document.stack.index() == steps + 1
    popover.hide()


@pytest.fixture
def prints(walking):
    """The footprints of a short walk, all of them in sight."""
    walking.walk.popover.hide()
    walking.document.session.view.overlays.update(ghosts=False, trail=False)
    walking.document.set_frame(0)
    view = walking.area.work_view
    view.camera.target, view.camera.distance, view.camera.pitch = (0.0, 0.3, 1.2), 4.5, 0.7
    walking.area.host.scene.walk_prints.chosen = None
    return walking.area.host.scene.walk_prints


def _left_foot(document, frame: int) -> np.ndarray:
    """Return where the left foot is at a frame."""
    frames = forward_kinematics(document.skeleton, document.sequence.poses_at_frames([frame])[0])
    return frames[document.skeleton.joint_index("left foot"), :3, 3]


def test_footprints_are_dragged_and_turned_and_the_walk_follows_in_one_step(walking, prints):
    document, view = walking.document, walking.area.work_view
    before, steps, state = prints.all, document.stack.index(), document.state_json()
    assert [each.is_left for each in before] == [each.number % 2 == 1 for each in before]
    stood = _left_foot(document, before[3].lands + 8)
    start = view_point(view, before[3].middle)
    hover(view, start)
    assert prints.lit == 3 and "footprint 4" in walking.area.status()
    end = view_point(view, before[3].middle + np.array([0.08, 0.0, 0.06]))
    drag(view, start.toPoint(), end.toPoint())
    after = prints.all
    moved = after[3].middle - before[3].middle
    assert moved[[0, 2]] == pytest.approx([0.08, 0.06], abs=0.02) and after[3].by_hand
    for n in (0, 1, 2, 4, 5):  # the others stay
        assert np.abs(after[n].middle - before[n].middle).max() < 1e-9
    assert document.stack.index() == steps + 1 and "Move" in document.stack.undoText()
    assert _left_foot(document, after[3].lands + 8) - stood == pytest.approx(moved, abs=1e-5)

    # Its knob turns it.
    knob = view_point(view, after[3].handle)
    hover(view, knob)
    assert prints.part == "turn"
    drag(view, knob.toPoint(), view_point(view, after[3].handle + np.array([0.07, 0.0, 0.0])).toPoint())
    assert prints.all[3].yaw - after[3].yaw > 0.1 and document.stack.index() == steps + 2
    assert np.abs(prints.all[3].middle - after[3].middle).max() < 1e-9

    # Arrows nudge the one that was chosen last.
    place = prints.all[3].middle
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert np.linalg.norm(prints.all[3].middle - place) == pytest.approx(0.01, abs=1e-4)
    document.history.undo()

    # Delete puts it back.
    hover(view, view_point(view, prints.all[3].middle))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert np.abs(prints.all[3].middle - before[3].middle).max() < 1e-9
    for _ in range(3):
        document.history.undo()
    assert document.state_json() == state


@pytest.mark.verify
def test_shift_takes_the_steps_after_it_along_and_escape_gives_a_drag_up(walking, prints):
    document, view = walking.document, walking.area.work_view
    before, steps, state = prints.all, document.stack.index(), document.state_json()
    start = view_point(view, before[2].middle)
    hover(view, start)
    end = view_point(view, before[2].middle + np.array([0.1, 0.0, 0.0]))
    drag(view, start.toPoint(), end.toPoint(), Qt.KeyboardModifier.ShiftModifier)
    assert prints.all[4].middle[0] - before[4].middle[0] == pytest.approx(0.1, abs=0.02)
    document.history.undo()
    hover(view, start)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start.toPoint())
    move(view, start + (end - start) * 0.5)
    move(view, end)
    assert prints.all[2].middle[0] > before[2].middle[0] + 0.05
    QTest.keyClick(view, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end.toPoint())
    assert document.state_json() == state and document.stack.index() == steps
    assert np.abs(prints.all[2].middle - before[2].middle).max() < 1e-12


@pytest.mark.verify
def test_a_long_walk_comes_after_the_footprint_and_is_one_step(walking, prints, qtbot):
    document, view = walking.document, walking.area.work_view
    rules = document.walks.rules
    assert document.walks.set(rules._replace(manner=replace(rules.manner, steps=14)))
    before, steps, state = prints.all, document.stack.index(), document.state_json()
    start, end = (view_point(view, before[3].middle + np.array([x, 0.0, 0.0])) for x in (0.0, 0.1))
    hover(view, start)
    drag(view, start.toPoint(), end.toPoint())
    assert prints.all[3].middle[0] - before[3].middle[0] == pytest.approx(0.1, abs=0.02)  # it is there at once
    qtbot.waitUntil(lambda: document.stack.index() == steps + 1, timeout=LONGEST_MS)
    assert prints.preview is None and document.walks.rules.manner.footprints[3][0] == prints.all[3].middle[0]
    assert np.abs(prints.all[9].middle - before[9].middle).max() < 1e-9
    document.history.undo()
    assert document.state_json() == state
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start.toPoint())
    move(view, end)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end.toPoint())
    assert document.state_json() == state and document.stack.index() == steps
    assert np.abs(prints.all[3].middle - before[3].middle).max() < 1e-12


def test_a_way_is_drawn_on_the_ground_and_the_figure_walks_it(walking, prints):
    document, view = walking.document, walking.area.work_view
    steps, state = document.stack.index(), document.state_json()
    walking.action_table["walk_way"].trigger()
    assert walking.area.host.toolbox.current.name == "way"
    points = [view_point(view, np.array(place)) for place in ((0.0, 0.0, 0.2), (0.2, 0.0, 1.2), (1.0, 0.0, 2.0))]
    hover(view, points[0])
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, points[0].toPoint())
    for a, b in pairwise(points):
        for share in (0.25, 0.5, 0.75, 1.0):
            move(view, a + (b - a) * share)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, points[-1].toPoint())
    assert document.stack.index() == steps + 1 and document.stack.undoText() == "Draw way of walk"
    assert document.session.tools.placing is None
    assert prints.way[0] == pytest.approx([0.0, 0.0, 0.2], abs=0.03)
    assert prints.all[-1].middle == pytest.approx([1.0, 0.0, 2.0], abs=0.2)
    document.history.undo()
    assert document.state_json() == state
    walking.action_table["walk_way"].trigger()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert document.session.tools.placing is None and document.state_json() == state


@pytest.mark.verify
def test_the_ground_is_drawn_and_kept_and_footprints_lie_on_it(walking, prints, tmp_path):
    document = walking.document
    ground = stairs(number=3, start=0.5)
    path = tmp_path / "stairs.obj"
    rows = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in ground.vertices.tolist()]
    rows += ["f " + " ".join(str(k + 1) for k in corners) for corners in ground.triangles.tolist()]
    path.write_text("\n".join(rows))
    assert walking.walk.popover.set_ground_file(path)
    scene = walking.area.host.scene
    assert isinstance(scene.world_around.terrain, Terrain)
    heights = [float(each.middle[1]) for each in prints.all]
    treads = np.round(np.array(heights) / 0.17)
    assert (np.diff(treads) >= 0).all() and treads[-1] >= 2
    assert np.abs(np.array(heights) - 0.17 * treads).max() < 5e-3
    saved = tmp_path / "walk.seq"
    assert document.files.save(saved)
    assert document.files.open(saved)
    assert isinstance(scene.world_around.terrain, Terrain) and document.walks.rules.manner.steps == 4
    assert [float(each.middle[1]) for each in prints.all] == heights
    popover = opened(walking)
    assert popover.ground.currentText() == "Mesh of its own"
    popover.ground.picked.emit("hills")
    assert popover.ground.currentText() == "Hills" and document.stack.undoText() == "Set ground of walk"
    popover.ground.picked.emit("level")
    assert scene.world_around.terrain is None and "ground" not in document.sequence.gait
    document.history.undo()
    document.history.undo()
    assert [float(each.middle[1]) for each in prints.all] == heights
    popover.hide()
    (tmp_path / "broken.obj").write_text("v 1")
    said = listen(document)
    assert not walking.walk.popover.set_ground_file(tmp_path / "broken.obj") and "broken.obj" in said[-1]
    assert isinstance(scene.world_around.terrain, Terrain)


@pytest.mark.verify
def test_a_large_mesh_is_read_beside_the_window_and_can_be_cancelled(walking, tmp_path, qtbot):
    document, background = walking.document, walking.background
    walking.walk.popover.hide()
    terrain = height_field(0.02 * np.sin(np.arange(90.0))[:, None] * np.ones(90), 0.1, (-4.5, -4.5))
    path = tmp_path / "field.obj"
    rows = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in terrain.vertices.tolist()]
    rows += ["f " + " ".join(str(k + 1) for k in corners) for corners in terrain.triangles.tolist()]
    path.write_text("\n".join(rows))
    state = document.state_json()
    assert walking.walk.read_ground(path) and background.busy
    background.cancel()
    assert not background.busy and document.state_json() == state
    assert walking.walk.read_ground(path)
    assert document.state_json() == state
    qtbot.waitUntil(lambda: isinstance(document.walks.rules.ground, Terrain), timeout=LONGEST_MS)
    assert np.array_equal(document.walks.rules.ground.triangles, terrain.triangles)
    assert document.stack.undoText() == "Set ground of walk" and walking.walk.popover.isVisible()
    walking.walk.popover.hide()
    path.write_text("v 1\n" * 100_000)
    said = listen(document)
    assert walking.walk.read_ground(path)
    qtbot.waitUntil(lambda: not background.busy, timeout=LONGEST_MS)
    assert "field.obj" in said[-1]


def test_feet_are_chosen_from_lists_of_parts(walking, qtbot):
    document = walking.document
    popover = opened(walking)
    assert not popover.listed[0].isVisible()
    popover.feet.picked.emit("listed")
    own = [part.chosen for part in popover.listed]
    assert popover.listed[0].isVisible() and len(set(own)) == 2
    names = document.skeleton.joint_names
    shin = document.skeleton.joints[names.index(own[0])].parent
    steps = document.stack.index()
    popover.listed[0].setCurrentIndex(int(shin))
    popover.listed[0].activated.emit(int(shin))
    qtbot.waitUntil(lambda: document.stack.index() == steps + 1, timeout=LONGEST_MS)
    assert document.walks.rules.manner.feet == (names[int(shin)], own[1])
    popover.feet.picked.emit("found")
    assert document.walks.rules.manner.feet == ()
    popover.hide()


@pytest.mark.verify
def test_points_of_a_drawn_way_are_dragged_added_and_removed(walking, prints, qtbot):
    document, view = walking.document, walking.area.work_view
    rules = document.walks.rules
    path = ((0.0, 0.2), (0.25, 1.2), (1.0, 2.0))
    assert document.walks.set(rules._replace(manner=replace(rules.manner, path=path, footprints={})))
    state, steps = document.state_json(), document.stack.index()
    assert prints.way_points[:, [0, 2]] == pytest.approx(np.array(path))
    start = view_point(view, prints.way_points[2])
    end = view_point(view, prints.way_points[2] + np.array([-0.2, 0.0, 0.1]))
    hover(view, start)
    assert prints.part == "point" and prints.lit == 2
    drag(view, start.toPoint(), end.toPoint())
    qtbot.waitUntil(lambda: document.stack.index() == steps + 1, timeout=LONGEST_MS)
    assert document.stack.undoText() == "Move point of way of walk"
    assert document.walks.rules.manner.path[2] == pytest.approx((0.8, 2.1), abs=0.03)
    assert document.walks.rules.manner.path[:2] == path[:2]

    between = prints.way[int(np.abs(prints.way[:, 2] - 1.6).argmin())]
    at = view_point(view, between)
    hover(view, at)
    assert prints.part == "line" and prints.lit == 1
    drag(view, at.toPoint(), view_point(view, between + np.array([0.15, 0.0, 0.0])).toPoint())
    qtbot.waitUntil(lambda: document.stack.index() == steps + 2, timeout=LONGEST_MS)
    assert document.stack.undoText() == "Add point to way of walk" and len(document.walks.rules.manner.path) == 4
    assert document.walks.rules.manner.path[2][0] == pytest.approx(between[0] + 0.15, abs=0.03)

    hover(view, view_point(view, prints.way_points[2]))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: document.stack.index() == steps + 3, timeout=LONGEST_MS)
    assert len(document.walks.rules.manner.path) == 3
    for _ in range(3):
        document.history.undo()
    assert document.state_json() == state


@pytest.mark.verify
def test_feet_that_are_not_found_are_taken_from_the_selection(window, qtbot, tmp_path):
    document = window.document
    path = tmp_path / "odd.scr"
    text = biped(0).text  # a crate that hangs lower than its feet, and no part is called a foot
    for one, other in (("l_paw", "left end"), ("r_paw", "right end")):
        text = text.replace(one, other)
    crate = 'define joint "crate"\n    offset 0 -0.2 0\n    tip 0 -0.6 0\n    mass 1\nend joint\n'
    group = '    group "load"\n        joint "crate"\n    end group\n'
    text = text.replace('    joint "hips"\n', '    joint "hips"\n' + group, 1)
    path.write_text(text + crate)
    assert document.files.open(path)
    popover = opened(window)
    assert not popover.make_button.isEnabled() and "under Feet" in popover.said.text()
    popover.hide()
    names = document.skeleton.joint_names
    document.selection.set([names.index("left end"), names.index("right end")])
    popover = opened(window)
    assert popover.feet.itemText(popover.feet.count() - 2).startswith("Selected")
    popover.feet.picked.emit("selected")
    assert popover.make_button.isEnabled()
    QTest.mouseClick(popover.make_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: document.sequence.gait is not None, timeout=LONGEST_MS)
    assert document.walks.rules.manner.feet == ("left end", "right end")
    popover.hide()


@pytest.mark.verify
def test_how_fast_a_small_figure_goes_is_found_beside_the_window(window, qtbot, tmp_path, monkeypatch):
    figure = tmp_path / "small.scr"
    figure.write_text(biped(17).text, encoding="utf-8")
    file = tmp_path / "small.seq"
    assert main(["walk", str(figure), "-o", str(file), "--steps", "4"]) == 0
    threads = []
    monkeypatch.setattr(
        "app.scene.walk_prints.footprints_of",
        lambda *arguments: (threads.append(threading.current_thread()), footprints_of(*arguments))[1],
    )
    assert window.document.files.open(file)
    marks = window.area.host.scene.walk_prints
    assert marks.wait_for_search and marks.all == (), "as in a window that has just opened the file"
    qtbot.waitUntil(lambda: len(marks.all) > 4)
    assert threads[0] is not threading.main_thread() and not marks.wait_for_search
