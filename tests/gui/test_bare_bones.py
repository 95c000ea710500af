"""Joints without a shape can be seen and grabbed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.render.mesh.bare_bones import BareBones
from app.tools.picking import pick_near
from core.skeleton import Joint, Skeleton
from core.skeleton.building.props import box
from tests.gui.viewport_support import Blank, human_document, shown_area


@pytest.fixture
def area(qtbot):
    """Four joints built from nothing: a chain with a fork at its end."""
    joints = [
        Joint("root", -1),
        Joint("a", 0, offset=np.array([0.0, 0.5, 0.0])),
        Joint("b", 1, offset=np.array([0.3, 0.4, 0.0])),
        Joint("c", 1, offset=np.array([-0.3, 0.4, 0.0]), tips=(np.array([0.0, 0.3, 0.0]),)),
    ]
    document = Document()
    document.files.new(Skeleton("bare", joints))
    return shown_area(qtbot, document, Blank())


def ends(area):
    return area.host.scene.bare_bones.ends(area.host.scene.poses)


def test_each_link_is_a_bone(area):
    bare = area.host.scene.bare_bones
    names = [area.document.skeleton.joints[i].name for i in bare.owners]
    assert names == ["root", "a", "a", "b", "c"]
    assert list(bare.children) == [1, 2, 3, -1, -1]
    a, b = ends(area)
    poses = area.host.scene.poses
    assert b[:3] == pytest.approx(poses[1:, :3, 3])
    assert b[4] == pytest.approx(poses[3, :3, 3] + (0.0, 0.3, 0.0))
    assert a[1] == pytest.approx(a[2])


@pytest.mark.parametrize("kind", ["perspective", "front"])
def test_a_bone_is_seen_picked_and_selected_where_it_is_drawn(area, kind):
    area.show_view(kind)
    area.frame_all()
    view, scene = area.work_view, area.host.scene
    picture = view.grab().toImage()
    a, b = ends(area)
    pixels = view.project(0.5 * (a + b))
    assert (pixels[:, :2] > 0).all() and (pixels[:, :2] < (view.width(), view.height())).all()
    for k, owner in enumerate(scene.bare_bones.owners.tolist()):
        x, y = pixels[k, :2]
        hit = pick_near(scene, view, x, y)
        assert hit is not None and hit.joint == owner
        colors = {picture.pixelColor(round(x) + dx, round(y)).lightness() for dx in range(-3, 4)}
        assert max(colors) > 140, "a light line on the grey of the picture"
        assert pick_near(scene, view, x + 90.0, y + 60.0) is None or k in (1, 2)
    area.document.session.tools.tool = "select"
    x, y = pixels[3, :2]
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
    assert area.document.selection.joints == (2,)


def test_the_ray_takes_the_nearer_bone_and_none_behind_the_eye(area):
    bare, poses = area.host.scene.bare_bones, area.host.scene.poses
    middle = 0.5 * (poses[0, :3, 3] + poses[1, :3, 3])
    away = np.array([0.0, 0.0, 1.0])
    hit = bare.pick(poses, middle + 2.0 * away, -away)
    assert hit is not None and hit.joint == 0
    assert hit.distance == pytest.approx(2.0) and hit.point == pytest.approx(middle)
    assert bare.pick(poses, middle + 2.0 * away, away) is None
    aside = np.array([1.5 * bare.radius, 0.0, 0.0])
    assert bare.pick(poses, middle + aside + 2.0 * away, -away) is None


def test_a_figure_with_a_body_has_none(qtbot, skeletons_folder):
    skeleton = human_document(skeletons_folder).skeleton
    assert not len(BareBones(skeleton, 1.8).owners)


def test_what_only_helped_another_program_to_pose_is_not_drawn():
    """Targets of poles hang on the shapeless root of many a figure, far from all that is seen."""
    root = Joint("root", -1)
    up, ahead = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 2.0])
    leg, arm = Joint("leg", 0, offset=up), Joint("arm", 0, offset=1.5 * up)
    pole, tail = Joint("pole", 0, offset=ahead), Joint("tail", 0, offset=-ahead, tips=(-0.5 * ahead,))
    dressed = [with_box(joint) for joint in (leg, arm, replace(leg, name="other leg"))]
    bones = BareBones(Skeleton("figure", [root, *dressed, pole, tail]), 2.0)
    assert 4 not in bones.children and 4 not in bones.owners, "the pole"
    assert 5 in bones.owners, "what has a tip is a limb"
    bones = BareBones(Skeleton("figure", [root, leg, arm, pole, tail]), 2.0)
    assert 3 in bones.children, "of a figure without shapes everything is drawn"


def with_box(joint: Joint) -> Joint:
    corners = box((0.2, 0.2, 0.2), "box").joints[0].objects
    return replace(joint, objects=corners)


def test_ghosts_are_drawn_and_picked_by_their_bones(area):
    document, scene, view = area.document, area.host.scene, area.work_view
    q = np.array(document.pose)
    for frame in (0, 10, 20):
        document.set_frame(frame)
        document.posing.set(q + np.eye(len(q))[0] * 0.03 * frame)
        document.keys.set()
    document.set_frame(10)
    area.show_view("front")
    area.frame_all()
    document.session.view.overlays["ghosts"] = False
    before = view.grab().toImage()
    document.session.view.overlays["ghosts"] = True
    picture = view.grab().toImage()
    for ghost in scene.ghosts:
        a, b = scene.bare_bones.ends(ghost.poses)
        for k in (0, 3):
            middle = 0.5 * (a[k] + b[k])
            x, y = view.project(middle[None])[0, :2]
            near = [(round(x) + d, round(y) + e) for d in range(-2, 3) for e in range(-2, 3)]
            assert any(picture.pixel(*at) != before.pixel(*at) for at in near)
            assert scene.ghost_figures.at(middle + np.array([0.0, 0.0, 5.0]), np.array([0.0, 0.0, -1.0])) == ghost.frame
