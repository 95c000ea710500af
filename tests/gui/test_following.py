"""Cameras that show the whole journey of a figure, or go along with it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from app.document.document import Document
from app.document.edits import joint_edits
from app.views.host import ORDER
from core.kinematics import center_of_mass
from core.skeleton.extent import figure_height
from tests.gui.viewport_support import human_document, shown_area


def traveling(skeletons_folder, heights: float):
    """Return a document whose figure slides along z, so many times its height, within 60 frames."""
    document = human_document(skeletons_folder)
    skeleton = document.skeleton
    q = document.pose.copy()
    start = q[:3].copy()
    for frame, share in ((0, 0.0), (60, 1.0)):
        document.set_frame(frame)
        q[:3] = start + np.array([0.0, 0.0, share * heights * figure_height(skeleton)])
        document.posing.set(q)
        document.keys.set()
    document.set_frame(0)
    return document


def inside(area, kind: str) -> bool:
    """Whether all of the figure is in the picture of a small view."""
    view, scene = area.small_views[kind].view, area.host.scene
    pixels = view.project(scene.points(scene.poses))[:, :2]
    return bool(((pixels > 0) & (pixels < (view.width(), view.height()))).all())


def test_a_journey_is_framed_from_end_to_end(qtbot, skeletons_folder):
    document = traveling(skeletons_folder, 3.5)
    area = shown_area(qtbot, document)
    area._framed_for = None
    area._take_figure()
    for frame in (0, 30, 60):
        document.set_frame(frame)
        assert all(inside(area, kind) for kind in ORDER), frame


def test_frame_all_fits_every_view(qtbot, skeletons_folder):
    document = traveling(skeletons_folder, 20.0)
    area = shown_area(qtbot, document)
    document.set_frame(60)
    assert not any(inside(area, kind) for kind in ("side", "top", "perspective"))
    area.frame_all()
    assert all(inside(area, kind) for kind in ORDER)


def test_what_is_long_from_above_is_framed_from_above(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "spider.scr")
    area = shown_area(qtbot, document)
    assert all(inside(area, kind) for kind in ORDER)
    area.show_view("top")
    area.frame_all()
    pixels = area.work_view.project(area.host.scene.points(area.host.scene.poses))
    assert (pixels[:, 1] > 0.0).all() and (pixels[:, 1] < area.work_view.height()).all()


@pytest.mark.parametrize("scrub", [(60,), (10, 20, 60), (60, 0, 60)])
def test_following_keeps_the_figure_where_it_is_on_screen(qtbot, skeletons_folder, scrub):
    document = traveling(skeletons_folder, 20.0)
    area = shown_area(qtbot, document)
    document.session.view.overlays["follow"] = True
    area.frame_all()
    scene = area.host.scene
    before = {k: c.copy() for k, c in area.host.cameras.items()}
    pixels = {v: v.project(scene.poses[:1, :3, 3])[0] for v in area.views()}
    for frame in scrub:
        document.set_frame(frame)
    for view in area.views():
        now = view.project(scene.poses[:1, :3, 3])[0]
        assert now == pytest.approx(pixels[view], abs=1e-6)
        camera, old = area.host.cameras[view.kind], before[view.kind]
        assert (camera.yaw, camera.pitch, camera.distance, camera.half_height) == (
            old.yaw, old.pitch, old.distance, old.half_height
        )  # fmt: skip
        assert camera.target[1] == old.target[1]


def test_following_stays_with_edits_and_comes_to_a_figure_far_away(qtbot, skeletons_folder):
    document = traveling(skeletons_folder, 20.0)
    area = shown_area(qtbot, document)
    cameras = area.host.cameras
    document.set_frame(60)
    assert not inside(area, "side")
    document.session.view.overlays["follow"] = True
    assert all(inside(area, kind) for kind in ORDER)
    before = {k: c.copy() for k, c in cameras.items()}
    document.posing.set(document.pose + np.eye(len(document.pose))[0])
    document.session.view.overlays["grid"] = not document.session.view.overlays["grid"]
    assert cameras == before, "an edit moves the figure, not the cameras"
    document.session.view.overlays["follow"] = False
    document.set_frame(0)
    assert cameras == before


@pytest.mark.verify
def test_small_views_take_in_joints_that_are_added_outside(qtbot, skeletons_folder):
    document = human_document(skeletons_folder)
    area = shown_area(qtbot, document)
    document.session.mode = "skeleton"
    area.frame_all()
    work = area.host.cameras[area.kind].copy()
    for step in range(3):
        place = np.array([2.5 * (step + 1), 3.0, 0.0])
        assert document.figures.edit(joint_edits.added("head", f"far {step}", place), "Add")
        assert all(inside(area, kind) for kind in ORDER if kind != area.kind), step
    assert area.host.cameras[area.kind] == work, "where a person works the view stays"


# -- what is simulated -------------------------------------------------------------------------------------------------


def sample(document: Document, frame: float, moved: np.ndarray) -> SimpleNamespace:
    """What the simulation tells of a figure that is away from where the keys have it."""
    q = document.pose.copy()
    q[:3] += moved
    return SimpleNamespace(
        frame=frame, q=q, center_of_mass=center_of_mass(document.skeleton, q), contacts=None, momentum=None,
        torques=None, rigid_bodies=(), shapes=(), others=(), dynamic=np.ones(len(document.skeleton.joints)),
        time=frame / 30.0,
        asleep=False,
    )  # fmt: skip


def test_cameras_go_along_with_what_falls_and_come_back_with_the_keys(qtbot, skeletons_folder):
    document = human_document(skeletons_folder)
    area, physics = shown_area(qtbot, document), document.physics
    document.session.view.overlays["follow"] = True
    document.session.mode = "physics"
    area.frame_all()
    cameras = area.host.cameras
    before = {kind: np.array(camera.target) for kind, camera in cameras.items()}
    away = np.array([0.4, -1.1, 2.5])
    for share in (0.0, 0.5, 1.0):  # scrubbed: at once
        physics._show(sample(document, 0.0, share * away))
        for kind, camera in cameras.items():
            assert np.allclose(camera.target, before[kind] + share * away, atol=1e-9)
    cameras["perspective"].orbit(40.0, 10.0)
    cameras["perspective"].shift([0.3, 0.0, 0.0])  # a person pans meanwhile
    yaw = cameras["perspective"].yaw
    physics._show(None)
    assert np.allclose(cameras["side"].target, before["side"], atol=1e-9)
    assert np.allclose(cameras["perspective"].target, before["perspective"] + [0.3, 0.0, 0.0], atol=1e-9)
    assert cameras["perspective"].yaw == yaw


def test_while_it_runs_cameras_follow_smoothly_and_a_pull_does_not_carry_them_off(qtbot, skeletons_folder):
    document = human_document(skeletons_folder)
    area, physics = shown_area(qtbot, document), document.physics
    area.set_reduced_motion(False)
    document.session.view.overlays["follow"] = True
    document.session.mode = "physics"
    physics._show(sample(document, 0.0, np.zeros(3)))
    camera = area.host.cameras["perspective"]
    before, blow = np.array(camera.target), np.array([0.0, 0.0, 0.8])
    physics.running = True
    physics._show(sample(document, 0.5, blow))
    assert np.array_equal(camera.target, before), "no jump"
    qtbot.waitUntil(lambda: np.allclose(camera.target, before + blow, atol=1e-6), timeout=4000)
    physics.pull = SimpleNamespace(joint=0, point=np.zeros(3), target=np.zeros(3))
    physics._show(sample(document, 0.6, 3.0 * blow))
    physics.running, physics.pull = False, None
    assert np.allclose(camera.target, before + blow, atol=1e-6)


def test_a_fall_from_high_up_stays_in_view(qtbot, skeletons_folder, monkeypatch):
    document = human_document(skeletons_folder)
    area, physics = shown_area(qtbot, document), document.physics
    area.set_reduced_motion(False)
    document.session.view.overlays["follow"] = True
    document.session.mode = "physics"
    physics._show(sample(document, 0.0, np.zeros(3)))
    follower, camera = area._follower, area.host.cameras["perspective"]
    before, now = np.array(camera.target), 100.0
    monkeypatch.setattr("app.views.following.monotonic", lambda: now)
    physics.running = True
    farthest, speeds = 0.0, []
    for k in range(1, 91):  # 11 m in 1.5 s, 15 m/s at the end
        place = np.array([0.0, -0.5 * 9.81 * (k / 60.0) ** 2, 0.0])
        physics._show(sample(document, 0.5 * k, place))
        was = np.array(camera.target)
        now += 1.0 / 60.0
        follower._ease()
        farthest = max(farthest, float(np.linalg.norm(before + place - camera.target)))
        speeds.append(float((was - camera.target)[1]) * 60.0)
    physics.running = False
    assert farthest < 0.25 * figure_height(document.skeleton)
    assert np.diff(speeds).max() < 1.0, "smoothly, [m/s] from picture to picture"
