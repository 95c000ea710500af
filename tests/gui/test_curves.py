"""The curve editor in the window: keys, tangents, timing and speed by mouse and keyboard, each drag one step."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest

from app.document.content.key_selection import KeySelection
from app.timeline.curves.edits import OUT
from app.timeline.curves.model import Point
from app.timeline.curves.paint import tag_place
from app.timeline.curves.panel import CurvesPanel
from core.animation.key import Key
from core.animation.locks.target_keys import TargetKey
from core.constraints import Lock

LEFT, NONE, ALT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def panel(window, qtbot) -> CurvesPanel:
    window.document.selection.set(["right forearm"])
    window.timeline.show_tab("curves")
    qtbot.wait(20)
    made = window.timeline.curves
    made.canvas.grab()
    return made


def place(panel: CurvesPanel, frame: int, row: int = 0) -> QPoint:
    """Where a key is on the canvas."""
    view, line = panel.values, panel.model.editable[row]
    value = float(panel.model.key_values(line, np.array([frame]))[0])
    return QPointF(view.x(frame), view.scale.y(value)).toPoint()


def drag(canvas, start: QPoint, shift: QPoint, modifiers=NONE, release: bool = True) -> None:
    QTest.mousePress(canvas, LEFT, modifiers, start)
    for part in (0.4, 0.8, 1.0):
        at = QPointF(start) + QPointF(shift) * part
        event = QMouseEvent(QEvent.Type.MouseMove, at, canvas.mapToGlobal(at), Qt.MouseButton.NoButton, LEFT, modifiers)
        canvas.mouseMoveEvent(event)
    if release:
        QTest.mouseRelease(canvas, LEFT, modifiers, start + shift)


def elbow(window, frame: int) -> float:
    return float(np.degrees(window.document.sequence.keys.at(frame).q[panel_column(window)]))


def panel_column(window) -> int:
    return window.timeline.curves.model.editable[0].id


def test_a_key_is_dragged_live_as_one_step_and_escape_gives_it_up(window, panel):
    document, canvas = window.document, panel.canvas
    document.set_frame(8)
    before, state, steps = elbow(window, 8), document.state_json(), document.stack.index()
    drag(canvas, place(panel, 8), QPoint(0, -40), release=False)
    assert document.frame == 8 and elbow(window, 8) > before + 1.0
    assert document.pose[panel_column(window)] == pytest.approx(np.radians(elbow(window, 8)))  # the figure moves
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert document.state_json() == state and document.stack.index() == steps
    QTest.mouseRelease(canvas, LEFT, NONE, place(panel, 8))
    drag(canvas, place(panel, 8), QPoint(0, -40), release=False)
    QTest.mouseClick(canvas, Qt.MouseButton.MiddleButton, NONE, place(panel, 8))  # changes nothing
    assert canvas.drag is not None and elbow(window, 8) > before + 1.0
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, LEFT, NONE, place(panel, 8))
    assert document.state_json() == state and document.stack.index() == steps
    wide = round(2 * window.timeline.model.pixels)
    drag(canvas, place(panel, 8), QPoint(wide, -40))
    assert document.stack.index() == steps + 1
    assert document.sequence.keys.keyed_at(10, "right forearm") and not document.sequence.keys.keyed_at(
        8, "right forearm"
    )
    assert document.sequence.keys.keyed_at(8, "head") and elbow(window, 10) > before + 1.0
    assert (10, "right forearm") in document.session.keys.selected
    document.history.undo()
    assert elbow(window, 8) == pytest.approx(before) and len(document.sequence.keys.frames) == 11


@pytest.mark.verify
def test_keys_selected_elsewhere_are_selected_here_and_locked_curves_are_not(window, panel):
    model, document = panel.model, window.document
    document.session.keys.selected = KeySelection.of_frames([8, 12], document.sequence.channels.all)
    rows = model.editable
    assert [model.points[row.id].tolist() for row in rows] == [[8, 12], [8, 12]]
    model.toggle_locked([rows[1].id])
    assert list(model.points) == [rows[0].id] and panel.values.key_at(QPointF(place(panel, 8))) is not None
    canvas = panel.canvas
    canvas.setFocus()
    value = elbow(window, 8)
    QTest.keyClick(canvas, Qt.Key.Key_Up, ALT)
    assert elbow(window, 8) == pytest.approx(value + 1.0)
    fine, steps, frame = window.action_table["fine_steps"], document.stack.index(), document.frame
    fine.trigger()
    for _ in range(3):  # held down: all of it is one step
        QTest.keyPress(canvas, Qt.Key.Key_Down, ALT)
    QTest.keyRelease(canvas, Qt.Key.Key_Down, ALT)
    fine.trigger()
    assert elbow(window, 8) == pytest.approx(value + 0.7) and document.stack.index() == steps + 1
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert document.frame == frame + 1, "an arrow steps by a frame, as everywhere"
    document.selection.set([])
    document.session.keys.selected = KeySelection()
    canvas.grab()
    assert panel.values.empty_text() == "Select a part, or keys in the dope sheet, to see their curves"


@pytest.mark.verify
def test_very_many_keys_follow_late_but_end_where_the_mouse_does(window, panel, monkeypatch):
    monkeypatch.setattr("app.timeline.curves.point_drag.MANY", 2)
    document, canvas = window.document, panel.canvas
    panel.values.select_all()
    before, steps = [elbow(window, frame) for frame in (4, 8)], document.stack.index()
    for modifiers, moved in ((NONE, True), (NONE, False)):
        drag(canvas, place(panel, 8), QPoint(0, -30), modifiers, release=False)
        assert panel.values.ahead is not None
        if not moved:
            QTest.keyClick(canvas, Qt.Key.Key_Escape)
        QTest.mouseRelease(canvas, LEFT, NONE, place(panel, 8) + QPoint(0, -30))
        assert panel.values.ahead is None
    assert document.stack.index() == steps + 1
    rise = [elbow(window, frame) - old for frame, old in zip((4, 8), before, strict=True)]
    assert rise[0] == pytest.approx(rise[1]) and rise[0] == pytest.approx(30 * panel.model.scale.unit, rel=0.2)


@pytest.mark.verify
def test_a_tangent_makes_the_slope_ones_own_and_alt_breaks_it(window, panel):
    model, document = panel.model, window.document
    row = model.editable[0]
    model.select({row.id: np.array([12])}, Point(row, 12))
    panel.canvas.grab()
    steps = document.stack.index()
    handle = next(h for point, side, _, h in panel.values.handles() if side == OUT)
    drag(panel.canvas, handle.toPoint(), QPoint(0, -30))
    shape = document.sequence.keys.at(12).shape_of("right forearm")
    assert shape.interp == "free" and shape.slopes_in == shape.slopes_out and shape.slopes_in[1] is None
    assert document.sequence.keys.at(12).shape_of("head").interp == "spline"
    panel.canvas.grab()
    handle = next(h for point, side, _, h in panel.values.handles() if side == OUT)
    drag(panel.canvas, handle.toPoint(), QPoint(0, 60), ALT)
    broken = document.sequence.keys.at(12).shape_of("right forearm")
    assert broken.slopes_in[0] == pytest.approx(shape.slopes_in[0], rel=1e-4)
    assert broken.slopes_out[0] < broken.slopes_in[0]
    assert document.stack.index() == steps + 2 and panel.bar.actions_of_keys.tangents == "broken"
    panel.bar.actions_of_keys.set_tangents("auto")
    assert document.sequence.keys.at(12).shape_of("right forearm").interp == "spline"
    page = panel.bar.keys
    page.slope.edit_to(0.0)
    assert panel.bar.actions_of_keys.tangents == "flat" and document.stack.index() == steps + 4
    page.value.edit_to(999.0)
    assert elbow(window, 12) == pytest.approx(150.0)


@pytest.mark.verify
def test_shapes_and_eases_are_set_live(window, panel):
    model, document = panel.model, window.document
    row = model.editable[0]
    model.select({row.id: np.array([8, 12])}, Point(row, 8))
    panel.bar.actions_of_keys.set_shape(interp="kochanek_bartels")
    panel.bar.keys.tcb["bias"].edit_to(0.5)
    shapes = [document.sequence.keys.at(frame).shape_of("right forearm") for frame in (8, 12)]
    assert [(shape.interp, shape.bias) for shape in shapes] == [("kochanek_bartels", 0.5)] * 2
    steps, canvas = document.stack.index(), panel.bar.keys.popover.canvas
    panel.bar.keys.popover.show_keys()
    canvas.resize(184, 184)
    drag(canvas, canvas.handle(0).toPoint(), QPoint(30, 0))
    ease = document.sequence.keys.at(8).shape_of("right forearm").ease
    assert ease is not None and ease.x1 > 0.3 and document.stack.index() == steps + 1


@pytest.mark.verify
def test_points_of_a_timing_are_added_dragged_and_deleted(window, panel):
    document, view, canvas = window.document, panel.timing, panel.canvas
    panel.model.set_view("timing")
    canvas.grab()
    spot = QPointF(view.x(16), view.scale.y(16)).toPoint()
    QTest.mouseDClick(canvas, LEFT, NONE, spot)
    QTest.mouseRelease(canvas, LEFT, NONE, spot)
    assert document.sequence.timing.curves["*"].points == ((0.0, 0.0), (16.0, 16.0), (32.0, 32.0))
    canvas.grab()
    steps = document.stack.index()
    drag(canvas, QPointF(view.x(16), view.scale.y(16)).toPoint(), QPoint(0, 4000))
    assert document.sequence.timing.curves["*"].points[1] == (16.0, 0.0)  # not before the point before it
    assert document.stack.index() == steps + 1
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert document.sequence.timing.curves["*"].points == ((0.0, 0.0), (32.0, 32.0))
    panel.bar.timing.reset.click()
    assert not document.sequence.timing.curves


@pytest.mark.verify
def test_a_sketched_speed_moves_the_root_along_its_path(window, panel):
    document, view, canvas = window.document, panel.root_speed, panel.canvas
    panel.model.set_view("root_speed")
    canvas.grab()
    steps = document.stack.index()
    at = [QPointF(view.x(f), view.scale.y(0.4 + 0.05 * f)).toPoint() for f in range(0, 33)]
    QTest.mousePress(canvas, LEFT, NONE, at[0])
    for spot in at[1:]:
        QTest.mouseMove(canvas, spot)
    assert document.sequence.timing.root_speed is not None
    QTest.mouseRelease(canvas, LEFT, NONE, at[-1])
    curve = document.sequence.timing.root_speed
    assert curve is not None and 2 <= len(curve.points) <= 12 and document.stack.index() == steps + 1
    assert curve.speeds(30.0) > 2.0 * curve.speeds(2.0)
    frames = np.linspace(0.0, 32.0, 65)
    places = document.sequence.interpolated_at_frames(frames)[:, :3]
    distances = np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1))
    assert distances[-1] > 1.8 * distances[2]  # slow first, fast in the end, as drawn
    view.constant()
    places = document.sequence.interpolated_at_frames(frames)[:, :3]
    distances = np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1))
    assert distances == pytest.approx(np.full(len(distances), distances.mean()), rel=0.02)
    document.history.undo()
    document.history.undo()
    assert document.sequence.timing.root_speed is None


@pytest.mark.verify
def test_a_point_of_a_speed_is_dragged_and_stepped_by_arrows_each_one_step_and_escape_gives_it_up(window, panel):
    document, view, canvas, page = window.document, panel.root_speed, panel.canvas, panel.bar.root_speed
    panel.model.set_view("root_speed")
    view.constant()
    canvas.grab()
    (_, even), before, steps = view.points[1], document.state_json(), document.stack.index()
    spot = QPointF(view.x(32), view.scale.y(even)).toPoint()
    drag(canvas, spot, QPoint(0, -30), release=False)
    assert view.points[1][1] > 1.2 * even  # what the mouse shows, in m/s
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, LEFT, NONE, spot)
    assert document.state_json() == before and document.stack.index() == steps and view.held_unit is None
    drag(canvas, spot, QPoint(0, -30))
    (_, slow), (_, fast) = view.points
    assert document.stack.index() == steps + 1 and slow < even < fast  # the way is as long as before
    assert page.speed.value == pytest.approx(fast) and page.frame.value == 32.0
    QTest.keyClick(canvas, Qt.Key.Key_Up, ALT)
    assert document.stack.index() == steps + 2 and view.points[1][1] / view.points[0][1] > fast / slow
    spot = QPointF(view.x(12), view.scale.y(even)).toPoint()
    drag(canvas, spot, QPoint(0, 60), Qt.KeyboardModifier.ControlModifier)
    assert document.stack.index() == steps + 3 and [frame for frame, _ in view.points] == [0.0, 12.0, 32.0]


@pytest.mark.parametrize("kept", [[0], []], ids=["one frame", "no frame"])
def test_a_path_that_begins_and_ends_at_one_frame_has_no_speed(window, panel, kept):
    document, view = window.document, panel.root_speed
    document.keys.delete([key.frame for key in document.sequence.keys if key.frame not in kept])
    panel.model.set_view("root_speed")
    with np.errstate(all="raise"):
        frames, speeds = view.speeds()
        panel.canvas.grab()
    assert frames.tolist() == [0.0] and speeds.tolist() == [0.0]
    assert view.bounds(False) == (0.0, 0.1) and view.unit() == 1.0 and "no path" in view.empty_text()


@pytest.mark.verify
@pytest.mark.fresh_window
def test_the_target_of_the_selected_lock_has_a_speed_too(window, panel):
    document, view = window.document, panel.root_speed
    keys = tuple(TargetKey(frame, np.array([0.0, 1.0, 0.05 * frame])) for frame in (0, 4, 32))
    lock = document.locks.add(Lock("right hand", "position", target=keys[0].target), 0, 40, targets=keys)
    panel.model.set_view("root_speed")
    document.session.locks.selected = lock
    assert view.strip is not None and view.span == (0.0, 32.0) and panel.list.items[1].text
    view.constant()
    view.set_chosen()
    assert document.locks.strips[0].speed is not None and document.sequence.timing.root_speed is None
    view.chosen = 1
    view.set_chosen(value=3.0 * view.points[0][1])
    strip = document.locks.strips[0]
    distances = np.diff([strip.target_at(frame)[2] for frame in (0, 8, 24, 32)])
    assert distances[2] > 2.0 * distances[0] and distances.sum() == pytest.approx(1.6)


@pytest.mark.verify
@pytest.mark.fresh_window
def test_zoom_and_fit_by_keys_and_boxes(window, panel):
    canvas, timeline, scale = panel.canvas, window.timeline.model, panel.model.scale
    canvas.setFocus()
    row = panel.model.editable[0]
    panel.model.select({row.id: np.array([12, 16])}, Point(row, 12))
    QTest.keyClick(canvas, Qt.Key.Key_F)
    first, last = timeline.visible()
    assert 0 < first < 12 and 16 < last < 32
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    wanted = panel.values.frame(300.0), panel.values.frame(500.0), scale.value(90.0), scale.value(30.0)
    drag(canvas, QPoint(300, 30), QPoint(200, 60), both)
    seen = panel.values.frame(0.0), panel.values.frame(canvas.width()), scale.value(canvas.height()), scale.value(0.0)
    if timeline.pixels < 60.0:
        assert seen[:2] == pytest.approx(wanted[:2], abs=0.05)
    assert seen[2:] == pytest.approx(wanted[2:], abs=1e-6)
    QTest.keyClick(canvas, Qt.Key.Key_A)
    assert timeline.visible()[0] < 0 and timeline.visible()[1] > 32
    frame = window.document.frame
    panel.values.clear_selection()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert window.document.frame == frame + 1


def test_keys_selected_in_the_dope_sheet_have_curves_without_a_selected_part(window, panel):
    model, document = panel.model, window.document
    document.selection.set([])
    assert not model.rows and panel.values.empty_text()
    document.session.keys.selected = KeySelection({8: {"right shank"}, 12: {"head"}}, document.sequence.channels.all)
    assert [group.title for group in model.groups] == ["Head", "Right shank"] and not panel.values.empty_text()
    assert {model.row(each).channel: points.tolist() for each, points in model.points.items()} == {
        "right shank": [8],
        "head": [12],
    }
    panel.values.clear_selection()  # what is done here leaves the curves where they are
    assert len(model.groups) == 2
    document.session.keys.selected = KeySelection.of_frames([8], document.sequence.channels.all)
    assert model.folding and len(model.groups) > 3 and not model.shown
    document.selection.set(["right forearm"])
    assert [group.title for group in model.groups] == ["Right forearm"] and not model.folding


@pytest.mark.verify
def test_a_new_point_of_a_timing_is_selected_and_its_drag_bends_curve_and_figure(window, panel):
    document, view, canvas, page = window.document, panel.timing, panel.canvas, panel.bar.timing
    panel.model.set_view("timing")
    canvas.grab()
    document.set_frame(0)
    spot = QPointF(view.x(16), view.scale.y(16)).toPoint()
    QTest.mouseClick(canvas, LEFT, NONE, spot)
    QTest.mouseDClick(canvas, LEFT, NONE, spot)
    QTest.mouseRelease(canvas, LEFT, NONE, spot)
    assert view.chosen == 1 and (page.frame.value, page.at.value) == (16.0, 16.0) and page.frame.isEnabled()
    QTest.mouseMove(canvas, spot)
    assert document.frame == 0
    straight, steps = np.array(document.sequence.pose_at_frame(16.0)), document.stack.index()
    drag(canvas, spot, QPoint(0, -40))
    assert document.frame == 16 and page.at.value > 18.0 and view.chosen == 1
    assert np.abs(document.pose - straight).max() > 0.01 and document.stack.index() == steps + 1
    document.history.undo()
    document.history.undo()
    assert view.curve is None
    document.set_frame(0)
    QTest.mouseClick(canvas, LEFT, NONE, spot)
    QTest.mousePress(canvas, LEFT, NONE, spot)
    place = QPointF(spot), canvas.mapToGlobal(QPointF(spot))
    press = QMouseEvent(QEvent.Type.MouseButtonDblClick, *place, LEFT, LEFT, NONE)
    canvas.mouseDoubleClickEvent(press)  # the button stays down after the second press: the new point follows
    at = QPointF(spot) + QPointF(0, -40)
    canvas.mouseMoveEvent(QMouseEvent(QEvent.Type.MouseMove, at, canvas.mapToGlobal(at), LEFT, LEFT, NONE))
    QTest.mouseRelease(canvas, LEFT, NONE, at.toPoint())
    assert view.points[1][1] > 18.0
    document.history.undo()  # the point and its drag are one gesture
    assert view.curve is None and document.frame == 16
    before = document.state_json(), document.stack.index()
    document.set_frame(0)
    drag(canvas, spot, QPoint(0, -40), Qt.KeyboardModifier.ControlModifier, release=False)
    assert view.points[1][1] > 16.0 and view.chosen == 1
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, LEFT, NONE, spot)
    assert (document.state_json(), document.stack.index()) == before and view.chosen is None


@pytest.mark.verify
def test_speeds_are_in_degrees_and_a_drag_of_one_changes_it_by_what_is_shown(window, panel):
    document, model, canvas = window.document, panel.model, panel.canvas
    model.set_view("speed")
    canvas.grab()
    view, row = canvas.view, model.editable[0]
    frames, speeds = view.marks(row)
    i = int(np.searchsorted(frames, 8))
    ahead = document.sequence.interpolated_at_frames(np.array([8.0, 8.0001]))[:, row.id]
    assert speeds[i] == pytest.approx(np.degrees(ahead[1] - ahead[0]) / 1e-4 * document.sequence.fps, rel=1e-3)
    assert view.units == "°/s" and view.text(row, 90.0) == "90.0 °/s"
    model.select({row.id: np.array([8])}, Point(row, 8))
    panel.bar.keys.slope.edit_to(90.0)
    assert view.marks(row)[1][i] == pytest.approx(90.0)
    canvas.grab()
    unit = model.scale.unit
    drag(canvas, QPointF(view.x(8), view.scale.y(90.0)).toPoint(), QPoint(0, -20))
    assert view.marks(row)[1][i] == pytest.approx(90.0 + 20 * unit, abs=2 * unit)


def test_the_tag_of_a_dragged_key_covers_no_handle(window, panel):
    view, model = panel.values, panel.model
    row = model.editable[0]
    box = QRectF(0, 0, 600, 300)
    for slope in (-80.0, -30.0, 0.0, 30.0, 80.0):
        turn = np.array([np.cos(np.radians(slope)), -np.sin(np.radians(slope))]) * 46.0
        for at in (QPointF(300, 150), QPointF(590, 5), QPointF(3, 297)):
            keep = np.array([at.x(), at.y()]) + np.outer((-1.0, -0.5, 0.0, 0.5, 1.0), turn)
            tag = tag_place(at, 120.0, 35.0, box, keep)
            assert box.contains(tag) and not any(tag.contains(QPointF(*each)) for each in keep.tolist()), (slope, at)
    model.select({row.id: np.array([12])}, Point(row, 12))
    panel.canvas.grab()
    assert len(view.keep_seen()) == 6


def test_a_release_that_nobody_was_informed_of_holds_nothing_up(window, panel) -> None:
    panel.model.set_view("value")
    canvas, before = panel.canvas, elbow(window, 8)
    canvas.grab()
    at, middle = QPointF(place(panel, 8)), Qt.MouseButton.MiddleButton
    canvas.mousePressEvent(QMouseEvent(QEvent.Type.MouseButtonPress, at, canvas.mapToGlobal(at), middle, middle, NONE))
    drag(canvas, place(panel, 8), QPoint(0, -40))
    assert elbow(window, 8) > before + 1.0 and canvas.drag is None


@pytest.mark.verify
def test_a_tangent_of_the_height_leaves_the_other_coordinates_as_they_are(window, panel, qtbot):
    document, model = window.document, panel.model
    rest = document.skeleton.rest_pose()
    places = ((0.0, 0.0, 0.0), (0.0, 0.2, 0.4), (0.3, 0.1, 0.4), (0.3, 0.0, 0.5), (0.1, 0.0, 1.0))
    poses = [np.concatenate((place, rest[3:])) for place in places]
    gesture = document.keys.begin_gesture("Keys")
    gesture.set_values(lambda _: {"keys": [Key(8 * k, q) for k, q in enumerate(poses)]})
    gesture.commit()
    document.selection.set(["pelvis"])
    qtbot.wait(20)
    row = next(row for row in model.editable if row.name == "Position y")
    model.select({row.id: np.array([16])}, Point(row, 16))
    panel.canvas.grab()
    frames = np.linspace(0.0, 32.0, 129)
    before = document.sequence.poses_at_frames(frames)
    handle = next(h for _, side, _, h in panel.values.handles() if side == OUT)
    drag(panel.canvas, handle.toPoint(), QPoint(0, -40))
    panel.canvas.grab()
    after = document.sequence.poses_at_frames(frames)
    assert np.abs(after - before)[:, [0, 2]].max() < 1e-6 < 1e-2 < np.abs(after - before)[:, 1].max()
