"""Which of several parts under the pointer is meant: figures and poses in every view."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.scene.pointing import view_point
from app.tools.picking import AROUND, NEAR, SLACK, handle_distances, pick_near, short_ends
from core.skeleton import Skeleton
from tests.gui.viewport_support import effector, human_document, shown_area
from tests.support.figures import box_mesh, hinge, with_box

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
KINDS = ("perspective", "front", "side", "top")


def load(skeletons_folder, name: str) -> Document:
    document = Document()
    assert document.files.load_figure(skeletons_folder / f"{name}.scr")
    return document


def part(area, at) -> str | None:
    hit = pick_near(area.host.scene, area.work_view, at.x(), at.y())
    return None if hit is None else area.document.skeleton.joint_names[hit.joint]


def first(area, at) -> str | None:
    hit = area.host.scene.pick(*area.work_view.ray(at.x(), at.y()))
    return None if hit is None else area.document.skeleton.joint_names[hit.joint]


@pytest.mark.parametrize("name", ["human", "woman"])
def test_the_pelvis_is_taken_at_its_handle_behind_an_arm(qtbot, skeletons_folder, name):
    document = load(skeletons_folder, name)
    area = shown_area(qtbot, document)
    area.show_view("side")
    skeleton = document.skeleton
    pelvis, arm = skeleton.joint_index("pelvis"), skeleton.joint_index("right forearm")
    handle = view_point(area.work_view, effector(area, pelvis))
    assert first(area, handle) == "right forearm" and part(area, handle) == "pelvis"  # at rest already
    # Let the forearm cross the pelvis' handle farther from its own.
    q = document.pose.copy()
    names = list(skeleton.dof_names)
    covered = None
    for bend in np.radians(np.arange(0.0, 120.0, 5.0)):
        for swing in np.radians(np.arange(-40.0, 60.0, 10.0)):
            q[3 + names.index("right forearm.-x")] = bend
            q[3 + names.index("right upper arm.-x")] = swing
            document.posing.set(q)
            at = view_point(area.work_view, effector(area, pelvis))
            away = handle_distances(area.host.scene, area.work_view, (arm,), at.x(), at.y())[0]
            if first(area, at) == "right forearm" and away > 2.0 * NEAR:
                covered = at
                break
        if covered is not None:
            break
    assert covered is not None
    assert part(area, covered) == "pelvis"
    middle = view_point(area.work_view, effector(area, arm))
    assert part(area, middle) == "right forearm"
    QTest.mousePress(area.work_view, LEFT, NONE, covered.toPoint())
    QTest.mouseRelease(area.work_view, LEFT, NONE, covered.toPoint())
    assert document.selection.joints == (pelvis,)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("apart", [11, pytest.param(7, marks=pytest.mark.verify)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["human", "woman", "stickman", "horse", "spider"])
def test_what_is_taken_is_seen_and_mostly_what_lies_on_top(qtbot, skeletons_folder, name, kind, apart):
    """A hidden part is never taken: it is seen around the pointer; and few places mean another part than the first."""
    document = human_document(skeletons_folder) if name == "human" else load(skeletons_folder, name)
    area = shown_area(qtbot, document)
    area.show_view(kind)
    scene, view = area.host.scene, area.work_view
    ends = short_ends(document.skeleton)
    hits = others = 0
    for x in range(2, view.width(), apart):
        for y in range(40, view.height(), apart):
            top = scene.pick(*view.ray(x, y))
            if top is None:
                continue
            hits += 1
            meant = pick_near(scene, view, x, y)
            if meant.joint == top.joint:
                continue
            others += 1
            away = handle_distances(scene, view, (meant.joint, top.joint), x, y)
            if top.joint in ends and document.skeleton.joints[top.joint].parent == meant.joint:
                continue  # see test_the_front_of_a_foot_is_the_foot
            assert away[0] < away[1]
            if away[0] > NEAR:  # neighbours that lie against each other
                assert meant.distance - top.distance < 0.03 * scene.height + 1e-9
                continue
            around = [
                scene.pick(*view.ray(x + AROUND * np.cos(a), y + AROUND * np.sin(a)))
                for a in np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
            ]
            assert meant.joint in {hit.joint for hit in around if hit is not None} or (
                meant.distance - top.distance < 0.03 * scene.height + 1e-9
            )
    assert hits > 3000 / apart**2 and others < 0.2 * hits


def test_a_shank_that_reaches_into_the_heel_leaves_it_to_the_foot(qtbot):
    """The polygons of a leg go on over the heel of its foot: there, nearer to the foot's handle, the foot is meant."""
    thigh = box_mesh((-0.06, -0.45, -0.06), (0.06, 0.0, 0.06))
    shank = box_mesh((-0.06, -0.53, -0.06), (0.06, 0.0, 0.06))
    foot = box_mesh((-0.05, -0.09, -0.05), (0.05, 0.0, 0.2))
    joints = [
        with_box("thigh", -1, (0.0, 1.0, 0.0), thigh, (hinge("x"),)),
        with_box("shank", 0, (0.0, -0.45, 0.0), shank, (hinge("x"),)),
        with_box("foot", 1, (0.0, -0.45, 0.0), foot, (hinge("x"),)),
    ]
    document = Document()
    document.files.new(Skeleton("leg", joints))
    area = shown_area(qtbot, document)
    area.show_view("side")
    scene, view = area.host.scene, area.work_view
    heel = view_point(view, np.array([0.0, 0.05, -0.02]))
    assert first(area, heel) == "shank" and part(area, heel) == "foot"
    higher = view_point(view, np.array([0.0, 0.2, 0.0]))
    assert part(area, higher) == "shank"
    knee = view_point(view, np.array([0.0, 0.5, 0.0]))
    assert part(area, knee) == "shank" and len(scene.pick_all(*view.ray(knee.x(), knee.y()))) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["side", "perspective"])
@pytest.mark.parametrize("name", ["human", "woman"])
def test_the_front_of_a_foot_is_the_foot(qtbot, skeletons_folder, name, kind):
    """In a view of the whole figure toes are taken from their handle on; from nearby wherever they are seen."""
    document = load(skeletons_folder, name)
    area = shown_area(qtbot, document)
    area.show_view(kind)
    skeleton, scene, view = document.skeleton, area.host.scene, area.work_view
    assert {skeleton.joint_names[i] for i in short_ends(skeleton)} == {"right toes", "left toes"}
    toes = skeleton.joint_index("right toes")
    handle, ball = effector(area, toes), scene.poses[toes][:3, 3]
    at = view_point(view, handle)
    assert part(area, at) == "right toes"
    around = [(at.x() + dx, at.y() + dy) for dx in range(-25, 26) for dy in range(-15, 16)]
    tops = [(x, y) for x, y in around if (top := scene.pick(*view.ray(x, y))) is not None and top.joint == toes]
    way = view_point(view, handle) - view_point(view, ball)
    behind = [(x, y) for x, y in tops if (x - at.x()) * way.x() + (y - at.y()) * way.y() < 0.0]
    back = [(x, y) for x, y in behind if np.hypot(x - at.x(), y - at.y()) > 1.2 * SLACK]
    assert len(back) > 2 and {part(area, QPointF(x, y)) for x, y in back} == {"right foot"}
    near = [(x, y) for x, y in tops if np.hypot(x - at.x(), y - at.y()) < 5.0]
    assert {part(area, QPointF(x, y)) for x, y in near} == {"right toes"}
    view.camera.target = tuple(handle)
    view.camera.distance *= 0.2
    view.camera.half_height *= 0.2
    near_ball = view_point(view, handle + 0.8 * (ball - handle))
    away = handle_distances(scene, view, (toes,), near_ball.x(), near_ball.y())[0]
    assert away > NEAR and first(area, near_ball) == part(area, near_ball) == "right toes"


@pytest.mark.verify
def test_a_glyph_over_another_parts_handle_leaves_it_that_part(qtbot, skeletons_folder):
    """A hand before the pelvis is locked: its glyph does not keep the pelvis from being taken at its own handle."""
    document = load(skeletons_folder, "human")
    area = shown_area(qtbot, document)
    area.show_view("side")
    skeleton, view = document.skeleton, area.work_view
    document.locks.lock_parts(["right hand"], "position")
    hand = skeleton.joint_index("right hand")
    at = view_point(view, effector(area, hand))
    QTest.mouseMove(view, at.toPoint())
    own_glyph = document.locks.strips[0].id
    qtbot.waitUntil(lambda: document.session.locks.hovered == own_glyph)  # its own part's glyph is taken
    thigh = skeleton.joint_index("right thigh")
    assert thigh != hand
    for tool in ("drag", "select"):
        document.session.tools.tool = tool
        seen = set()
        for dx in range(-8, 9):
            for dy in range(-8, 9):
                spot = at.toPoint() + QPoint(dx, dy)
                QTest.mouseMove(view, spot)
                own = pick_near(area.host.scene, view, spot.x(), spot.y())
                if document.session.locks.hovered is None and own is not None:
                    seen.add(skeleton.joint_names[own.joint])
        assert "right hand" in seen  # around the glyph's middle the part itself can be taken, whichever tool
