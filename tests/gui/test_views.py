"""The work area, the small views, their cameras and what they show."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.document.document import Document
from app.marks import view_cube
from app.render.camera import Camera, CameraError
from app.tools.picking import pick_near
from app.views.area import ViewportArea
from app.views.host import ORDER, TITLES
from app.words.keys_now import key_of
from tests.gui.viewport_support import Blank, effector, human_document, shown_area, spot_on
from tests.support.mouse import hover, send_mouse

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def area(qtbot, skeletons_folder):
    return shown_area(qtbot, human_document(skeletons_folder))


def wheel(view, at: QPoint, notches: int) -> None:
    event = QWheelEvent(
        QPointF(at),
        QPointF(view.mapToGlobal(at)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


@pytest.mark.parametrize("kind", ["front", "side", "top"])
def test_a_click_on_a_title_swaps_the_view(area, kind, qtbot):
    with qtbot.waitSignal(area.view_changed) as caught:
        QTest.mouseClick(area.small_views[kind].title, LEFT)
    assert caught.args == [kind]
    assert area.kind == area.work_view.kind == kind
    assert area.view_button.kind == kind
    current = [name for name in ORDER if area.small_views[name].title.current]
    assert current == [kind]
    assert TITLES[kind] in area.work_view.accessibleName()


def test_the_titles_stand_in_the_order_of_their_keys(area):
    tops = [area.small_views[kind].mapTo(area, QPoint()).y() for kind in ORDER]
    assert tops == sorted(tops)
    assert [key_of(f"view_{kind}") for kind in ORDER] == ["F2", "F3", "F4", "F5"]
    texts = [action.text() for action in area.view_button.menu().actions()]
    assert texts[:4] == [f"{TITLES[kind]}\t{key_of(f'view_{kind}')}" for kind in ORDER]


def test_no_such_view_is_an_error(area):
    with pytest.raises(CameraError, match="back"):
        area.show_view("back")


@pytest.mark.parametrize("kind", ORDER)
def test_wheel_zooms_at_the_cursor(area, kind):
    area.show_view(kind)
    view, at = area.work_view, QPoint(500, 180)
    camera = area.host.cameras[kind]
    at_target = np.asarray(camera.target)
    before = Camera(**{**camera.to_json(), "target": tuple(at_target)})
    origin, direction = view.ray(at.x(), at.y())
    point = origin + ((at_target - origin) @ camera.basis[2]) / (direction @ camera.basis[2]) * direction
    wheel(view, at, 2)
    assert np.allclose(view.project(point[None])[0, :2], [at.x(), at.y()], atol=1e-6)
    assert camera.pixel_size(500) < before.pixel_size(500) * 0.8


def test_alt_drag_orbits_and_in_parallel_views_pans(area):
    for kind in ("perspective", "front"):
        area.show_view(kind)
        camera = area.host.cameras[kind]
        before = camera.copy()
        view, at = area.work_view, QPoint(400, 300)
        send_mouse(view, QEvent.Type.MouseButtonPress, at, LEFT, ALT)
        send_mouse(view, QEvent.Type.MouseMove, at + QPoint(50, 10), Qt.MouseButton.NoButton, ALT, LEFT)
        send_mouse(view, QEvent.Type.MouseButtonRelease, at + QPoint(50, 10), LEFT, ALT, Qt.MouseButton.NoButton)
        if kind == "perspective":
            assert camera.yaw != before.yaw and camera.target == before.target
        else:
            assert camera.target != before.target and camera.half_height == before.half_height
        assert area.document.selection.joints == ()


def test_middle_drag_pans_and_alt_right_drag_zooms(area):
    camera = area.host.cameras["perspective"]
    view, at = area.work_view, QPoint(400, 300)
    point = np.asarray(camera.target)
    for button, held in ((Qt.MouseButton.MiddleButton, NONE), (Qt.MouseButton.RightButton, ALT)):
        before = camera.copy()
        send_mouse(view, QEvent.Type.MouseButtonPress, at, button, held)
        send_mouse(view, QEvent.Type.MouseMove, at + QPoint(30, 0), Qt.MouseButton.NoButton, held, button)
        send_mouse(view, QEvent.Type.MouseButtonRelease, at + QPoint(30, 0), button, held, Qt.MouseButton.NoButton)
        if held == NONE:
            assert np.allclose(view.project(point[None])[0, 0], 0.5 * view.width() + 30.0, atol=1e-6)
            assert camera.distance == before.distance
        else:
            assert camera.distance < before.distance


def test_hover_names_the_part_and_leaving_forgets_it(area):
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index("right hand")
    hover(view, spot_on(view, area, joint))
    assert document.session.view.hover == joint
    assert area.status() == "Right hand"
    assert area.host.toolbox.current.chip().startswith("Limb · right hand · ")
    assert view.picture().hover == {joint}
    hover(view, QPoint(3, view.height() - 3))
    assert document.session.view.hover is None
    hover(view, spot_on(view, area, joint))
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert document.session.view.hover is None


@pytest.mark.parametrize("tool", ["select", "drag", "rotate"])
def test_clicks_select_add_and_remove(area, tool):
    document, view = area.document, area.work_view
    document.session.tools.tool = tool
    skeleton = document.skeleton
    a, b = skeleton.joint_index("right hand"), skeleton.joint_index("head")
    state = document.state_json()
    QTest.mouseClick(view, LEFT, NONE, spot_on(view, area, a))
    assert document.selection.joints == (a,)
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.ShiftModifier, spot_on(view, area, b))
    assert document.selection.joints == (a, b)
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.ControlModifier, spot_on(view, area, a))
    assert document.selection.joints == (b,)
    QTest.mouseClick(view, LEFT, NONE, QPoint(3, view.height() - 3))
    assert document.selection.joints == ()
    assert document.state_json() == state


def test_double_click_selects_the_group(area):
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index("right hand")
    QTest.mouseDClick(view, LEFT, NONE, spot_on(view, area, joint))
    group = next(joints for name, joints in document.skeleton.groups if name and joint in joints)
    assert document.selection.joints == group and len(group) > 1


def test_parent_and_child_are_selected(area):
    document = area.document
    skeleton = document.skeleton
    hand = skeleton.joint_index("right hand")
    document.selection.set((hand,))
    area.step_selection(up=True)
    (parent,) = document.selection.joints
    assert skeleton.joints[parent].has_body and parent != hand
    area.step_selection(up=False)
    assert document.selection.joints == (hand,)


def test_frame_all_and_frame_selected(area):
    view, document = area.work_view, area.document
    joint = document.skeleton.joint_index("right hand")
    for kind in ORDER:
        area.show_view(kind)
        area.host.cameras[kind].pan(300, 200, view.width(), view.height())
        area.frame_all()
        pixels = view.project(area.host.scene.points(area.host.scene.poses))
        assert pixels[:, 0].min() > 0 and pixels[:, 0].max() < view.width()
        assert pixels[:, 1].min() > 0 and pixels[:, 1].max() < view.height()
        size = view.pixel_size(effector(area, joint))
        document.selection.set((joint,))
        area.frame_selected()
        assert view.pixel_size(effector(area, joint)) < 0.6 * size
        x, y = view.project(effector(area, joint)[None])[0, :2]
        assert abs(x - 0.5 * view.width()) < 60 and abs(y - 0.5 * view.height()) < 60


def test_frame_selected_glides_unless_motion_is_reduced(area, qtbot):
    area.set_reduced_motion(False)
    area.document.selection.set((area.document.skeleton.joint_index("head"),))
    before = area.host.cameras["perspective"].copy()
    area.frame_selected()
    assert area.host.cameras["perspective"].distance == pytest.approx(before.distance, rel=0.2)
    qtbot.waitUntil(lambda: not area._glide.running)
    assert area.host.cameras["perspective"].distance < 0.7 * before.distance


def test_view_cube_turns_the_camera(area):
    view, camera = area.work_view, area.host.cameras["perspective"]
    center = view._over.cube_center()
    front = next(face for face in view_cube.faces(camera, center) if face.name == "FRONT")
    middle = front.corners.boundingRect().center()
    QTest.mouseClick(view, LEFT, NONE, middle.toPoint())
    assert (camera.yaw, camera.pitch) == (0.0, 0.0)
    assert area.document.selection.joints == ()
    (face,) = view_cube.faces(camera, center)
    assert face.name == "FRONT"


@pytest.mark.verify
def test_view_cube_faces_edges_and_corners():
    camera, center = Camera("perspective", yaw=np.radians(-40), pitch=np.radians(30)), QPointF(50, 50)
    assert {face.name for face in view_cube.faces(camera, center)} == {"FRONT", "RIGHT", "TOP"}
    found = {view_cube.hit(camera, center, QPointF(x, y)) for x in range(0, 100, 2) for y in range(0, 100, 2)}
    assert {(0, 0, 1), (-1, 0, 0), (0, 1, 0), (-1, 0, 1), (-1, 1, 1)} <= found
    assert None in found
    assert view_cube.angles((-1.0, 0.0, 0.0)) == pytest.approx((-np.pi / 2, 0.0))
    assert view_cube.angles((0.0, 1.0, 0.0))[1] == pytest.approx(np.radians(89.0))


def test_ghost_labels_jump_to_their_key(area, qtbot):
    document = area.document
    document.set_frame(24)
    document.keys.set()
    document.set_frame(12)
    document.session.view.overlays["ghosts"] = True
    wanted = [(0, "Key at frame 0", "ghost_before"), (24, "Key at frame 24", "ghost_after")]

    def shown() -> bool:  # ghosts come a few at a time, as there is time between two pictures
        area.work_view.repaint()
        return [label[1:4] for label in area.work_view.hovering.labels] == wanted

    qtbot.waitUntil(shown)
    labels = area.work_view.hovering.labels
    QTest.mouseClick(area.work_view, LEFT, NONE, labels[1][0].center().toPoint())
    assert document.frame == 24


def test_a_label_of_a_ghost_does_not_lie_over_the_figure(area, qtbot):
    document, view, scene = area.document, area.work_view, area.host.scene
    document.set_frame(20)
    document.posing.set(
        np.array(document.pose) - np.eye(len(document.pose))[1] * 0.3
    )  # its top is in the figure's chest
    document.keys.set()
    document.set_frame(0)
    document.session.view.overlays["ghosts"] = True
    qtbot.waitUntil(lambda: len(scene.ghosts) > 0)
    view.repaint()
    (label,) = view.hovering.labels
    pixels = view.project(scene.points(scene.poses))[:, :2]
    head = pixels[scene.owners() == document.skeleton.joint_index("head")]
    (left, top), (right, bottom) = head.min(axis=0), head.max(axis=0)
    assert not label.box.intersects(QRectF(left, top, right - left, bottom - top))
    assert not any(label.box.contains(QPointF(*pixel)) for pixel in pixels.tolist())
    assert view.rect().contains(label.box.toAlignedRect())


def test_narrow_windows_show_titles_instead_of_small_views(area, qtbot):
    area.resize(1100, 500)
    assert area.compact
    assert not area.small_views["front"].isVisible()
    QTest.mouseClick(area.chips["side"], LEFT)
    assert area.kind == "side" and area.chips["side"].current
    area.resize(1200, 564)
    assert not area.compact and area.small_views["front"].isVisible()


def test_without_a_figure_it_shows_what_the_window_gives_it(qtbot, skeletons_folder):
    document = Document()
    area = ViewportArea(document, renderer=Blank(), software=True)
    qtbot.addWidget(area)
    area.resize(1160, 564)
    with qtbot.waitExposed(area):
        area.show()
    QTest.mouseClick(area.work_view, LEFT, NONE, QPoint(100, 100))
    area.set_empty(QWidget())
    assert area.empty.isVisible() and not area.view_button.isVisible()
    assert area.empty.geometry() == area.work_view.rect()
    area.resize(1300, 664)
    assert area.empty.geometry() == area.work_view.rect()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    assert not area.empty.isVisible() and area.view_button.isVisible()


def test_editing_a_joint_keeps_the_cameras(area):
    area.host.cameras["perspective"].orbit(30, 5)
    area.host.cameras["perspective"].zoom(1.7)
    before = area.host.cameras["perspective"].copy()
    document = area.document
    index = document.skeleton.joint_index("right hand")
    assert document.figures.set_joint_value(index, "weight", 0.5)
    assert area.host.scene.skeleton is document.skeleton
    assert area.host.cameras["perspective"] == before


def test_view_state_survives_json(area):
    area.show_view("top")
    area.host.cameras["top"].zoom(2.0)
    state = area.view_state()
    other = area.host.cameras["top"].copy()
    area.host.cameras["top"].zoom(3.0)
    area.show_view("front")
    area.restore_view_state(state)
    assert area.kind == "top" and area.host.cameras["top"] == other
    area.restore_view_state({"work": "back", "cameras": {"top": {"distance": "far"}, "front": 3}})
    assert area.kind == "top" and area.host.cameras["top"] == other


@pytest.mark.smooth_views
def test_small_views_lag_while_dragging_and_catch_up(area, qtbot):
    document = area.document
    area.settle()
    document.posing.set(document.pose + 0.01)
    assert area.small_views["front"].view.stale
    qtbot.waitUntil(lambda: not any(view.stale or view.rough for view in area.views()), timeout=3000)
    assert not area.host.interacting


def test_views_that_are_drawn_no_smoother_come_to_rest(area, qtbot):
    area.touch()
    qtbot.waitUntil(lambda: not any(view.stale for view in area.views()))
    qtbot.waitUntil(lambda: not area._settle.isActive() and not area._small_timer.isActive())


def test_the_picture_shows_figure_marks_and_settings(area):
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index("head")
    document.selection.set((joint,))
    document.session.view.overlays["grid"] = False
    document.session.view.overlays["silhouette"] = True
    picture = view.picture()
    assert picture.selected == {joint}
    assert not picture.grid and picture.silhouette and not picture.small
    assert picture.poses.shape == (len(document.skeleton.joints), 4, 4)
    assert area.small_views["top"].view.picture().small


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_real_pictures_show_the_figure_in_every_view(qtbot, skeletons_folder, theme):
    from app.render.renderer import Renderer

    document = human_document(skeletons_folder)
    document.session.view.theme = theme
    area = shown_area(qtbot, document, Renderer())
    background = area.grab_work_view().copy()
    for kind in ORDER:
        area.show_view(kind)
        image = area.grab_work_view()
        x, y, _ = area.work_view.project(effector(area, document.skeleton.joint_index("head"))[None])[0]
        assert image.pixelColor(round(x), round(y)).lightnessF() > 0.5
        assert image.pixelColor(4, image.height() - 4).lightnessF() < 0.8
        grabbed = area.grab().toImage()
        assert grabbed.size() == area.size() and len(colors(grabbed)) > 100
    assert background.size() == area.work_view.size()


def colors(image: QImage) -> set[int]:
    return {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}


@pytest.mark.verify
def test_hover_follows_the_view_the_camera_and_the_frame_under_a_still_pointer(area, qtbot):
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index("right hand")

    def under() -> int | None:
        at = view.hovering.cursor
        hit = pick_near(area.host.scene, view, at.x(), at.y())
        return None if hit is None else hit.joint

    def changes(act) -> None:
        hover(view, spot_on(view, area, joint))
        assert document.session.view.hover == joint
        act()
        assert under() != joint
        qtbot.waitUntil(lambda: document.session.view.hover == under(), timeout=1000)

    changes(lambda: area.show_view("front"))
    changes(lambda: area.show_view("perspective"))
    changes(lambda: area.turn(120.0, 0.0))
    changes(lambda: area.zoom(4.0))
    area.frame_all()
    pose = np.array(document.pose)
    pose[0] += 1.0
    changes(lambda: document.posing.set(pose))
    document.set_frame(20)
    document.posing.set(document.skeleton.rest_pose())
    qtbot.wait(50)
    changes(lambda: document.set_frame(0))


def test_nothing_is_hovered_while_playing_or_orbiting(area, qtbot):
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index("right hand")
    at = spot_on(view, area, joint)
    hover(view, at)
    document.session.playback.playing = True
    qtbot.waitUntil(lambda: document.session.view.hover is None, timeout=1000)
    hover(view, at)
    assert document.session.view.hover is None
    document.session.playback.playing = False
    qtbot.waitUntil(lambda: document.session.view.hover == joint, timeout=1000)
    send_mouse(view, QEvent.Type.MouseButtonPress, at, LEFT, ALT)
    assert document.session.view.hover is None
    send_mouse(view, QEvent.Type.MouseMove, at + QPoint(5, 0), Qt.MouseButton.NoButton, ALT, LEFT)
    qtbot.wait(60)
    assert document.session.view.hover is None
    send_mouse(view, QEvent.Type.MouseButtonRelease, at, LEFT, NONE, Qt.MouseButton.NoButton)
    hit = pick_near(area.host.scene, view, at.x(), at.y())
    qtbot.waitUntil(lambda: document.session.view.hover == (hit and hit.joint), timeout=1000)


def test_the_focus_ring_comes_with_the_keyboard_and_goes_with_the_mouse(area):
    view = area.work_view

    def ring() -> bool:
        image = view.grab().toImage()
        wanted = QColor(view.theme.accent).rgb()
        spots = ((1, 300), (image.width() - 2, 300), (400, image.height() - 2))
        return all(image.pixel(x, y) == wanted for x, y in spots)

    area.activateWindow()
    assert QTest.qWaitForWindowActive(area)
    view.setFocus(Qt.FocusReason.OtherFocusReason)
    assert not ring()
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert ring()
    QTest.mouseClick(view, LEFT, NONE, QPoint(3, view.height() - 30))
    assert view.hasFocus() and not ring()
