"""What a drag shows and says when its part cannot get to the goal: reach, limits, straight limbs."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.look.theme import THEMES
from app.marks import limit_arcs, paint
from app.marks.reach_marks import crossing, reach_arc
from app.marks.tag_places import fitted
from app.scene.pointing import view_point
from app.words.part_names import spoken_name
from core.ik.reach import chain_reach
from core.skeleton.segment import end_effector
from tests.gui.viewport_support import effector, human_document, shown_area, spot_on

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def area(qtbot, skeletons_folder):
    return shown_area(qtbot, human_document(skeletons_folder))


def pull(area, part: str, to: QPointF, steps: int = 16) -> QPoint:
    """Take a part and move the mouse to a place in the work area, button down; return that place."""
    view = area.work_view
    start = spot_on(view, area, area.document.skeleton.joint_index(part))
    QTest.mousePress(view, LEFT, NONE, start)
    for k in range(1, steps + 1):
        QTest.mouseMove(view, QPoint(*(round(a + (b - a) * k / steps) for a, b in _pairs(start, to))))
    end = to.toPoint()
    QTest.mouseMove(view, end)
    return end


def _pairs(a: QPoint, b: QPointF) -> tuple[tuple[float, float], tuple[float, float]]:
    return (a.x(), b.x()), (a.y(), b.y())


def outside(area, part: str, share: float, degrees: float) -> QPointF:
    """Return where a share of the reach from the chain's base appears, to one side of it."""
    view, skeleton = area.work_view, area.document.skeleton
    chain = area.host.toolbox.tools["drag"].chain(skeleton.joint_index(part))
    tip = chain.tip
    reach = chain_reach(skeleton, area.document.pose, tip, end_effector(skeleton, tip), chain.base)
    base, turn = view_point(view, reach.center), np.radians(degrees)
    size = share * reach.outer / view.pixel_size(reach.center)
    return QPointF(base.x() + size * np.cos(turn), base.y() - size * np.sin(turn))


def near_color(area, at: np.ndarray, token: str, radius: int = 2) -> bool:
    """Whether a token's colour is painted within some pixels of a world point."""
    image, place = area.work_view.grab().toImage(), view_point(area.work_view, at)
    wanted = QColor(getattr(THEMES[area.document.session.view.theme], token))
    for dx in range(-radius, radius + 1):
        for dy in range(-radius, radius + 1):
            got = image.pixelColor(round(place.x()) + dx, round(place.y()) + dy)
            if max(abs(a - b) for a, b in zip(got.getRgb()[:3], wanted.getRgb()[:3], strict=True)) < 40:
                return True
    return False


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("kind", ["front", "perspective"])
def test_beyond_reach_the_line_turns_at_the_sphere(area, kind, theme):
    area.document.session.view.theme = theme
    area.show_view(kind)
    pull(area, "right hand", outside(area, "right hand", 1.35, 178.0))
    session = area.document.session
    goal, why = session.drag.goal, session.drag.goal.hindrance
    assert why.reason == "out_of_reach"
    center = np.array(why.center)
    assert why.beyond == pytest.approx(np.linalg.norm(goal.goal - center) - why.radius, abs=1e-9)
    assert why.tag == f"out of reach by {why.beyond * 100.0:.1f} cm"
    assert area.status() == f"Dragging right hand, {why.tag}"
    edge = crossing(goal.effector, goal.goal, center, why.radius)
    assert np.linalg.norm(edge - center) == pytest.approx(why.radius, abs=1e-9)
    assert near_color(area, edge + 0.5 * (goal.goal - edge), "warn", 5)
    assert not near_color(area, edge + 0.5 * (goal.goal - edge), "accent", 5)
    arc = reach_arc(area.work_view, center, why.radius, edge)
    assert np.allclose(np.linalg.norm(arc - center, axis=1), why.radius, atol=1e-9)
    assert np.allclose(arc[len(arc) // 2], edge, atol=1e-9)
    # The tag may lie over one half of it, and the hand's ring over its middle.
    assert any(near_color(area, arc[len(arc) // 2 + aside], "warn") for aside in (-5, 5))
    assert session.drag.solve.reason == "out_of_reach" and session.drag.solve.short == why.beyond
    assert len(session.drag.solve.errors) == session.drag.solve.iterations + 1
    assert session.drag.solve.seconds > 0.0
    QTest.mouseRelease(area.work_view, LEFT)
    assert session.drag.goal is None and session.drag.solve is not None, "the read-out stays"
    area.document.session.forget_figure()
    assert session.drag.solve is None


@pytest.mark.parametrize("kind", ["side", "perspective"])
def test_an_arc_on_the_outline_is_part_of_it(area, kind):
    area.show_view(kind)
    camera, center, radius = area.work_view.camera, np.array([0.1, 1.2, 0.2]), 0.6
    to_eye = camera.basis[2] if camera.orthographic else camera.eye - center
    up = np.cross(to_eye, np.array([0.3, 1.0, 0.2]))
    up /= np.linalg.norm(up)
    sine = 0.0 if camera.orthographic else radius / np.linalg.norm(to_eye)
    on = center + radius * (sine * to_eye / np.linalg.norm(to_eye) + np.sqrt(1.0 - sine**2) * up)
    for point in reach_arc(area.work_view, center, radius, on):
        sight = to_eye if camera.orthographic else camera.eye - point
        assert abs((point - center) @ sight) < 1e-9, "a line of sight touches the sphere there"
    facing = center + radius * to_eye / np.linalg.norm(to_eye)
    assert not len(reach_arc(area.work_view, center, radius, facing))


def test_crossing_of_either_side():
    center = np.array([0.0, 1.0, 0.0])
    rng = np.random.default_rng(1)
    for _ in range(50):
        inside, outside_ = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
        a, b = center + rng.uniform(0.0, 0.99) * inside, center + rng.uniform(1.01, 3.0) * outside_
        assert np.linalg.norm(crossing(a, b, center, 1.0) - center) == pytest.approx(1.0)
        assert np.linalg.norm(crossing(b, a, center, 1.0) - center) == pytest.approx(1.0)
        assert np.allclose(crossing(a, b, center, 1.0), crossing(b, a, center, 1.0))
        assert np.array_equal(crossing(b, center + 4.0 * outside_, center, 1.0), b)


def test_a_goal_beyond_reach_leaves_the_pose_at_rest(area):
    area.show_view("perspective")
    end = pull(area, "right hand", outside(area, "right hand", 1.4, 165.0))
    view, document = area.work_view, area.document
    pose = document.pose.copy()
    for _ in range(3):
        QTest.mouseMove(view, end)
    assert np.array_equal(document.pose, pose)
    seen = []
    for _ in range(8):  # a trembling hand
        QTest.mouseMove(view, end + QPoint(1, 0))
        QTest.mouseMove(view, end)
        seen.append(document.pose.copy())
    assert np.degrees(np.abs(np.diff(seen[2:], axis=0)).max()) < 0.1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("solver", ["ccd", "damped_least_squares"])
def test_a_limb_follows_a_cursor_round_its_reach_without_shaking(area, solver):
    area.show_view("front")
    area.document.session.solver.name = solver
    pull(area, "right hand", outside(area, "right hand", 1.3, 200.0))
    before, leaps, away = area.document.pose.copy(), 0, effector(area, area.document.skeleton.joint_index("right hand"))
    for degrees in np.arange(200.0, 130.0, -1.0):
        QTest.mouseMove(area.work_view, outside(area, "right hand", 1.3, degrees).toPoint())
        pose, now = area.document.pose, effector(area, area.document.skeleton.joint_index("right hand"))
        leaps += bool(np.degrees(np.abs(pose - before)[3:].max()) > 30.0)
        assert np.linalg.norm(now - away) < 0.15
        before, away = pose.copy(), now
    assert leaps <= (solver == "ccd"), "it may swing over once where that comes much nearer, never to and fro"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("degrees", [-360.0, 360.0])
@pytest.mark.parametrize("solver", ["ccd", "damped_least_squares"])
def test_led_once_round_its_shoulder_an_arm_comes_back(qtbot, skeletons_folder, solver, degrees):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    area = shown_area(qtbot, document)
    area.show_view("front")
    document.session.solver.name = solver
    part = document.skeleton.joint_index("right hand")
    rest, view = effector(area, part), area.work_view
    home = view_point(view, rest)
    chain = area.host.toolbox.tools["drag"].chain(part)
    shoulder = view_point(view, chain_reach(document.skeleton, document.pose, part, np.zeros(3), chain.base).center)
    first = np.degrees(np.arctan2(shoulder.y() - home.y(), home.x() - shoulder.x()))
    pull(area, "right hand", outside(area, "right hand", 1.5, first))
    for turn in np.linspace(0.0, degrees, 121)[1:]:
        QTest.mouseMove(view, outside(area, "right hand", 1.5, first + turn).toPoint())
    far = outside(area, "right hand", 1.5, first)
    for share in np.linspace(1.0, 0.0, 21):
        QTest.mouseMove(view, (home + share * (far - home)).toPoint())
    qtbot.waitUntil(lambda: document.session.drag.goal.hindrance.reason == "", timeout=2000)
    qtbot.waitUntil(lambda: np.linalg.norm(effector(area, part) - document.session.drag.goal.goal) < 1e-3, timeout=2000)
    assert np.linalg.norm(effector(area, part) - rest) < 0.03
    QTest.keyClick(view, Qt.Key.Key_Escape)


def blocked_foot(area) -> None:
    at = view_point(area.work_view, effector(area, area.document.skeleton.joint_index("right foot")))
    size = 0.022 * area.work_view.height()
    pull(area, "right foot", at + QPointF(-0.65 * 20.0 * size, -20.0 * size))


def test_a_limit_is_named_and_its_arc_drawn(area):
    area.show_view("side")
    blocked_foot(area)
    session, skeleton = area.document.session, area.document.skeleton
    why = session.drag.goal.hindrance
    assert why.reason == "limits" and 1 <= len(why.stops) <= 2
    assert why.tag.startswith("stopped by ") and why.tag.count(" at ") == len(why.stops)
    assert area.status().startswith("Dragging right foot, stopped by ") and "limit of" in area.status()
    assert session.drag.goal.hindrance.beyond == 0.0
    for stop in why.stops:
        assert stop.dof in session.drag.solve.blocked
        value, limits = area.document.pose[3 + stop.dof], skeleton.limits[stop.dof]
        assert abs(value - limits[0 if stop.side < 0 else 1]) < 5e-3 * (limits[1] - limits[0])
        assert f"{spoken_name(stop.label)} at {stop.text}" in why.tag and "-" not in stop.text
    for (handle, side), stop in zip(limit_arcs.blocked_handles(area.host.scene, why.stops), why.stops, strict=True):
        assert handle.dof == stop.dof and side == stop.side
        first, last = limit_arcs.shown_range(handle, side)
        end = first if side < 0 else last
        assert end == pytest.approx(skeleton.limits[stop.dof][0 if side < 0 else 1])
        pixel = area.work_view.pixel_size(handle.center)
        bar = handle.center + (limit_arcs.RADIUS + 0.5 * limit_arcs.BAR) * pixel * handle.at(end)
        if len(why.stops) == 1 or stop is why.stops[0]:
            assert near_color(area, bar, "warn", 3)
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert session.drag.goal is None


def test_a_straight_limb_that_nothing_bends_is_explained(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "chain20.scr")
    area = shown_area(qtbot, document)
    skeleton = document.skeleton
    document.posing.set(np.zeros(skeleton.nq))
    tip, session = len(skeleton.joints) - 1, document.session
    session.solver.nudge, session.solver.name = False, "damped_least_squares"  # CCD folds straight limbs by itself
    area.frame_all()
    for kind in ("front", "side"):
        area.show_view(kind)
        at = view_point(area.work_view, effector(area, tip))
        base = view_point(area.work_view, area.host.scene.poses[1, :3, 3])
        if np.hypot(at.x() - base.x(), at.y() - base.y()) > 200.0:
            break
    tool = area.host.toolbox.tools["drag"]
    QTest.mousePress(area.work_view, LEFT, NONE, spot_on(area.work_view, area, tip))
    axis = np.argmax(np.abs(effector(area, tip) - area.host.scene.poses[1, :3, 3]))
    QTest.keyClick(area.work_view, [Qt.Key.Key_X, Qt.Key.Key_Y, Qt.Key.Key_Z][axis])
    before = document.pose.copy()
    for k in range(1, 11):
        QTest.mouseMove(area.work_view, (at + (base - at) * 0.03 * k).toPoint())
    assert np.allclose(document.pose, before, atol=1e-6)
    assert session.drag.goal.hindrance.reason == "straight"
    assert tool.status().endswith(
        "is straight: nothing can bend it from here. Pull a little sideways or turn on Bend straight limbs"
    )
    session.solver.nudge = True
    QTest.mouseMove(area.work_view, (at + (base - at) * 0.4).toPoint())
    assert session.drag.goal.hindrance.reason == ""
    assert "to the goal" in tool.status()
    QTest.mouseRelease(area.work_view, LEFT)


@pytest.mark.parametrize("way", [178.0, 90.0, 40.0])
def test_the_tag_stands_beside_the_figure(qtbot, area, way, monkeypatch):
    area.show_view("front")
    drawn = []
    draw = paint.draw_chip
    monkeypatch.setattr(
        paint, "draw_chip", lambda p, t, box, text, *a, **k: drawn.append((box, text)) or draw(p, t, box, text, *a, **k)
    )
    pull(area, "right hand", outside(area, "right hand", 1.15, way))
    drag = area.host.toolbox.current._drag
    qtbot.waitUntil(lambda: not drag.session.behind and drag.hindrance.tag != "")  # the arm has caught up
    tag = area.document.session.drag.goal.hindrance.tag

    def painted() -> bool:
        drawn.clear()
        area.work_view.repaint()
        return tag in [text for _, text in drawn]

    qtbot.waitUntil(painted)  # a busy machine may still show the picture of before
    box = next(box for box, text in drawn if text == tag)
    skeleton, scene = area.document.skeleton, area.host.scene
    for name in ("right hand", "right forearm", "head"):
        joint = skeleton.joint_index(name)
        middle = end_effector(skeleton, joint)
        for half in (0.0, 1.0, 2.0):
            assert not box.contains(view_point(area.work_view, scene.world(joint, half * middle)))
    assert area.work_view.rect().contains(box.toAlignedRect())


def test_a_long_tag_is_cut():
    long = "stopped by " + " and ".join(["Stabilising boom traverse angle (upper) at 12.1°"] * 2)
    assert fitted("4.2 cm", "", 900.0) == "4.2 cm"
    assert fitted(long, "stopped by Boom at 12.1° and 1 more", 900.0) == "stopped by Boom at 12.1° and 1 more"
    cut = fitted(long, long, 900.0)
    assert cut.endswith("…") and paint.chip_size(cut)[0] <= 381.0
    assert paint.chip_size(fitted(long, long, 400.0))[0] <= 181.0


def test_a_long_text_leaves_room_for_the_keys(window):
    window.resize(1024, 680)
    window.status.show_state("stopped by a joint with a long name " * 9, True)
    QApplication.processEvents()
    assert window.status.hints.width() >= 200
    assert window.status.state.width() <= 0.55 * window.status.width()


@pytest.mark.verify
def test_blocked_rows_light_and_are_named_when_out_of_sight(window, qtbot):
    document, area = window.document, window.area
    area.show_view("side")
    panel = next(panel for panel in window.panels if panel.title == "Joints")
    document.selection.set(["right foot"])
    blocked_foot(area)
    stops = document.session.drag.goal.hindrance.stops
    rows = {stop.dof: panel.row(3 + stop.dof) for stop in stops}
    assert rows and all(row.blocked for row in rows.values())
    panel.view.verticalScrollBar().setValue(0)
    marks = [mark for mark in panel.blocked.marks if mark.isVisibleTo(panel)]
    assert {mark.text for mark in marks} == {f"{stop.label} at {stop.text}" for stop in stops}
    for stop in stops:
        panel.view.ensureWidgetVisible(rows[stop.dof])
        assert f"{stop.label} at {stop.text}" not in {m.text for m in panel.blocked.marks if m.isVisibleTo(panel)}
    QTest.mouseRelease(area.work_view, LEFT)
    assert not any(row.blocked for row in rows.values())
    assert not any(mark.isVisibleTo(panel) for mark in panel.blocked.marks)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("right hand", "right hand"),
        ("right_hand", "right hand"),
        ("Hips", "hips"),
        ("RightHandIndex1", "RightHandIndex1"),
        ("Right Hand", "Right Hand"),
        ("LHand", "LHand"),
        ("L5", "L5"),
        ("Neck1", "Neck1"),
        ("link 12", "link 12"),
        ("x", "x"),
        ("X", "X"),
        ("", ""),
    ],
)
def test_only_ordinary_words_begin_small_inside_a_sentence(name, said):
    assert spoken_name(name) == said


def test_too_few_steps_are_reported_instead_of_the_reach(qtbot, area):
    area.show_view("front")
    area.document.session.solver.steps = 1
    pull(area, "right hand", outside(area, "right hand", 1.05, 0.0), steps=1)
    session = area.document.session
    why, goal = session.drag.goal.hindrance, session.drag.goal
    left = float(np.linalg.norm(goal.goal - goal.effector))
    assert session.drag.solve.reason == "iterations" and left > 0.05
    assert why.reason == "" and why.tag.endswith(" left: too few steps") and why.beyond == 0.0
    assert area.status() == f"Dragging right hand, {why.tag}"
    session.solver.steps = None
    for degrees in (0.5, 0.0):
        QTest.mouseMove(area.work_view, outside(area, "right hand", 1.05, degrees).toPoint())
    qtbot.waitUntil(lambda: session.drag.goal.hindrance.reason == "out_of_reach")
