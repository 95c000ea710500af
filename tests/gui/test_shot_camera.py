"""The shot's camera in the window: keyed by the view, looked through, its lane, and what follows it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.render.camera import Camera
from core.animation.shot_camera import CUT, angle_of
from tests.support.mouse import send_mouse

ALT, LEFT = Qt.KeyboardModifier.AltModifier, Qt.MouseButton.LeftButton


def orbit(view, by: int) -> None:
    """Turn a view's camera by the mouse."""
    start = QPoint(300, 200)
    send_mouse(view, QEvent.Type.MouseButtonPress, start, LEFT, ALT)
    send_mouse(view, QEvent.Type.MouseMove, start + QPoint(by, 0), Qt.MouseButton.NoButton, ALT, LEFT)
    send_mouse(view, QEvent.Type.MouseButtonRelease, start + QPoint(by, 0), LEFT, ALT, Qt.MouseButton.NoButton)


def seen(camera: Camera) -> np.ndarray:
    return np.array([*camera.target, camera.distance, camera.yaw, camera.pitch])


@pytest.fixture
def looking(window):
    """The window with the camera keyed at frames 0 and 20, looked through at frame 0."""
    actions, document, area = window.action_table, window.document, window.area
    area.show_view("perspective")
    document.set_frame(0)
    actions["key_camera"].trigger()
    area.host.cameras["perspective"].orbit(90.0, 20.0)
    document.set_frame(20)
    actions["key_camera"].trigger()
    document.set_frame(0)
    actions["through_camera"].trigger()
    yield window
    document.session.view.overlays["shot_camera"] = False


def test_keys_are_set_from_the_view_and_looked_through(looking) -> None:
    document, area = looking.document, looking.area
    keys = document.camera.shot.keys
    assert [key.frame for key in keys] == [0, 20] and abs(keys[1].yaw - keys[0].yaw) > 0.5
    assert area.kind == "perspective" and looking.action_table["through_camera"].isChecked()
    for frame, key in ((0, keys[0]), (20, keys[1]), (32, keys[1])):
        document.set_frame(frame)
        assert np.allclose(seen(area.work_view.camera), seen(Camera.of_key(key)), atol=1e-12)
    document.set_frame(10)
    assert min(keys[0].yaw, keys[1].yaw) < area.work_view.camera.yaw < max(keys[0].yaw, keys[1].yaw)
    assert area.work_view.camera.fov > keys[0].fov  # what is round the picture is seen as well


def test_the_view_is_where_it_was_when_it_is_left(looking) -> None:
    before = seen(looking.area.shot._before)
    looking.document.set_frame(13)
    looking.action_table["through_camera"].trigger()
    assert np.array_equal(seen(looking.area.work_view.camera), before)
    assert looking.area.work_view.camera.fov == pytest.approx(looking.document.camera.shot.keys[0].fov)


def test_moving_the_view_keys_the_camera_as_one_step(looking, qtbot) -> None:
    document, area = looking.document, looking.area
    document.set_frame(10)
    before, steps = document.state_json(), document.stack.index()
    orbit(area.work_view, 40)
    orbit(area.work_view, 10)
    assert document.stack.index() == steps and area.shot.waits
    moved = seen(area.work_view.camera)
    qtbot.waitUntil(lambda: not area.shot.waits, timeout=3000)
    assert document.stack.index() == steps + 1
    key = document.camera.shot.key_at(10)
    assert np.allclose(seen(Camera.of_key(key)), moved, atol=1e-12)
    assert key.fov == pytest.approx(document.camera.shot.keys[0].fov)  # the lens, not what the view shows more
    document.history.undo()
    assert document.state_json() == before


def test_without_auto_key_it_is_keyed_when_asked(looking) -> None:
    document, area = looking.document, looking.area
    document.session.keys.auto = False
    document.set_frame(10)
    orbit(area.work_view, 40)
    QTest.qWait(20)
    assert area.shot.waits and "not keyed" in area.shot.words()
    document.set_frame(11)  # gone, as a pose that was not keyed is
    document.set_frame(10)
    assert document.camera.shot.key_at(10) is None and not area.shot.waits
    orbit(area.work_view, 40)
    looking.action_table["key_camera"].trigger()
    assert document.camera.shot.key_at(10) is not None


@pytest.mark.verify
def test_keys_are_moved_and_deleted_in_the_lane(looking) -> None:
    document, lane = looking.document, looking.timeline.camera
    assert lane.isVisible()
    x = [round(lane.track_x(frame)) for frame in (20, 26)]
    steps = document.stack.index()
    at = QPoint(x[0], 10)
    send_mouse(lane, QEvent.Type.MouseButtonPress, at, LEFT)
    for k in range(1, 5):
        place = QPoint(x[0] + (x[1] - x[0]) * k // 4, 10)
        send_mouse(lane, QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, buttons=LEFT)
    send_mouse(lane, QEvent.Type.MouseButtonRelease, QPoint(x[1], 10), LEFT, buttons=Qt.MouseButton.NoButton)
    assert [key.frame for key in document.camera.shot.keys] == [0, 26] and document.stack.index() == steps + 1
    assert document.frame == 26
    menu = lane.menu_of(document.camera.shot.keys[0])
    menu.actions()[2].trigger()
    assert document.camera.shot.keys[0].move == CUT
    menu.deleteLater()
    document.camera.set_lens(0, angle_of(85.0))
    document.set_frame(0)
    assert "85 mm" in looking.area.shot.words()
    lane.setFocus()
    QTest.keyClick(lane, Qt.Key.Key_Delete)
    assert [key.frame for key in document.camera.shot.keys] == [26]


def test_a_drag_in_the_lane_is_given_up_by_escape(looking) -> None:
    document, lane = looking.document, looking.timeline.camera
    before = document.state_json()
    x = round(lane.track_x(20))
    send_mouse(lane, QEvent.Type.MouseButtonPress, QPoint(x, 10), LEFT)
    send_mouse(lane, QEvent.Type.MouseMove, QPoint(x + 60, 10), Qt.MouseButton.NoButton, buttons=LEFT)
    QTest.keyClick(lane, Qt.Key.Key_Escape)
    send_mouse(lane, QEvent.Type.MouseButtonRelease, QPoint(x + 60, 10), LEFT, buttons=Qt.MouseButton.NoButton)
    assert document.state_json() == before


@pytest.mark.verify
def test_another_file_is_not_seen_through_the_camera_of_the_last(looking, skeletons_folder) -> None:
    document, area = looking.document, looking.area
    before = area.shot._before.fov
    area.shot.moved()
    document.session.view.overlays["studio"] = False
    assert document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    assert not area.shot.on and not area.shot.waits
    assert not looking.action_table["through_camera"].isChecked()
    assert area.host.cameras["perspective"].fov == pytest.approx(before)
    looking.action_table["frame_all"].trigger()
    assert not area.shot.waits and not document.camera.shot.keys and not document.modified


@pytest.mark.verify
def test_the_settings_follow_the_figure_in_one_step(looking) -> None:
    document, area = looking.document, looking.area
    looking.camera.open_settings(looking.mapToGlobal(QPoint(200, 200)))
    popover = looking.camera._popover
    steps, before = document.stack.index(), [key for key in document.camera.shot.keys]
    popover.follow.began.emit()
    for value in (30.0, 60.0, 100.0):
        popover.follow.changed.emit(value)
    popover.follow.committed.emit(100.0)
    assert document.stack.index() == steps + 1 and document.camera.shot.follow == 1.0
    popover.turn.setChecked(True)
    assert document.camera.shot.turn
    popover.hide()
    for key in before:  # the pictures at the keys stay
        document.set_frame(key.frame)
        assert np.allclose(seen(area.work_view.camera), seen(Camera.of_key(key)), atol=1e-9)
    document.history.undo()
    document.history.undo()
    assert document.camera.shot.follow == 0.0


def test_the_safe_frame_has_the_shape_of_what_was_exported(window) -> None:
    view, shown = window.area.work_view, window.document.session.view
    QApplication.processEvents()
    plain = view.grab().toImage()
    window.action_table["show_safe_frame"].trigger()
    shown.frame_shape = (400, 800)
    framed = view.grab().toImage()
    shown.frame_shape = (1280, 720)
    window.action_table["show_safe_frame"].trigger()
    edge = (view.width() - view.height() // 2) // 2 - 20  # well outside of a picture that is half as wide as high
    inside, outside = QPoint(view.width() // 2 + 60, view.height() // 2 - 60), QPoint(edge, view.height() // 2)
    assert framed.pixelColor(inside) == plain.pixelColor(inside)
    assert framed.pixelColor(outside).lightness() < plain.pixelColor(outside).lightness()
