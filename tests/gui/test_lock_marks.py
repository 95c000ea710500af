"""Locks as the views show them: glyphs, rings, patches, conflicts, balance; hovering, legend, cost."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest

from app.look import lock_glyphs
from app.look.theme import DARK, LIGHT, THEMES
from app.marks import conflict_marks, lock_marks, overlays, paint
from app.marks.target_path import TargetPath, has_path, moved_target
from app.scene import lock_places
from app.scene.pointing import Pointer, view_point
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.constraints import KINDS, Lock, find_kind
from core.constraints.support import balance_margin
from core.skeleton.segment import end_effector
from core.spatial import so3
from tests.gui.lock_support import glyph, lock_part, mark_of
from tests.gui.viewport_support import effector, human_document, shown_area
from tests.support import pixels


@pytest.fixture
def area(qtbot, skeletons_folder):
    return shown_area(qtbot, human_document(skeletons_folder))


def joint_of(area, part):
    return area.document.skeleton.joint_index(part)


def colored(image: QImage, token: str, theme=DARK, box: QRectF | None = None) -> int:
    """Return how many pixels are about of a token's colour, in a box of logical pixels."""
    wanted, ratio = QColor(getattr(theme, token)), image.devicePixelRatio()
    area = box or QRectF(0, 0, image.width() / ratio, image.height() / ratio)
    rows = slice(max(0, round(area.top() * ratio)), max(0, round(area.bottom() * ratio)))
    columns = slice(max(0, round(area.left() * ratio)), max(0, round(area.right() * ratio)))
    return int((pixels.distance(image, wanted)[rows, columns] < 24).sum())


def around(at: QPointF, half: float) -> QRectF:
    return QRectF(at.x() - half, at.y() - half, 2.0 * half, 2.0 * half)


# -- glyphs ----------------------------------------------------------------------------------------------------------


def drawn(kind: str, theme, scale: float, state: str = "", halo: bool = False) -> QImage:
    image = QImage(80, 80, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(2.0)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    lock_glyphs.draw(painter, theme, kind, QPointF(20.0, 20.0), scale, state=state, halo=halo)
    painter.end()
    return image


def cover(image: QImage) -> np.ndarray:
    return pixels.alpha(image) / 255.0


def test_every_kind_has_a_glyph(qapp):
    names = {find_kind(kind if isinstance(kind, str) else kind.name).name for kind in KINDS}
    assert names == set(lock_glyphs.TOKENS)


@pytest.mark.parametrize("scale", [lock_glyphs.WORK, lock_glyphs.LIST])
def test_glyphs_differ_by_shape_not_only_by_colour(qapp, scale):
    shapes = {kind: cover(drawn(kind, DARK, scale)) for kind in lock_glyphs.TOKENS}
    kinds = list(shapes)
    for i, a in enumerate(kinds):
        for b in kinds[i + 1 :]:
            assert np.abs(shapes[a] - shapes[b]).sum() > 0.25 * min(shapes[a].sum(), shapes[b].sum()), (a, b)


@pytest.mark.parametrize("kind", lock_glyphs.TOKENS)
@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_a_glyph_fits_its_size_and_a_conflict_cuts_it(qapp, kind, theme):
    for scale in (lock_glyphs.WORK, lock_glyphs.LIST, lock_glyphs.SMALL):
        ink = cover(drawn(kind, theme, scale)) > 0.1
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        x, y = lock_glyphs.half_size(kind, scale)
        assert 40.0 - 2.0 * x - 2.0 <= columns[0] and columns[-1] <= 39.0 + 2.0 * x + 2.0
        assert 40.0 - 2.0 * y - 2.0 <= rows[0] and rows[-1] <= 39.0 + 2.0 * y + 2.0
    whole, cut = drawn(kind, theme, lock_glyphs.WORK), drawn(kind, theme, lock_glyphs.WORK, "conflict")
    assert colored(whole, lock_glyphs.TOKENS[kind], theme) > 20 and colored(whole, "conflict", theme) == 0
    assert colored(cut, "conflict", theme) > 20
    assert np.abs(cover(whole) - cover(cut)).sum() > 20.0
    rim = drawn(kind, theme, lock_glyphs.WORK, halo=True)
    assert cover(rim).sum() > 1.2 * cover(whole).sum()


def test_a_conflict_can_be_seen_from_the_shape_alone(qapp):
    # The gap of the bolt is where the glyph was: without colours the two still differ.
    for kind in lock_glyphs.TOKENS:
        whole, cut = (cover(drawn(kind, DARK, lock_glyphs.LIST, state)) for state in ("", "conflict"))
        assert np.abs(whole - cut).sum() > 10.0


# -- nothing without locks -------------------------------------------------------------------------------------------


def test_without_locks_nothing_is_asked_or_painted(area, monkeypatch):
    def never(*args, **keywords):
        raise AssertionError("a frame without locks asks for some")

    for owner, name in ((lock_marks, "draw"), (lock_marks, "draw_legend"), (conflict_marks, "draw"),
                        (lock_places, "_mark"), (area.document.locks, "states")):  # fmt: skip
        monkeypatch.setattr(owner, name, never)
    assert area.host.scene.locks.marks == ()
    for view in area.views():
        view.grab()
    area.host.toolbox.hover(area.work_view, Pointer(200.0, 200.0))
    assert area.work_view.accessibleDescription() == ""


def test_pictures_and_thumbnails_have_no_marks(area):
    before = area.grab_work_view().copy()
    lock_part(area.document, "right foot", "orientation")
    assert colored(area.work_view.grab().toImage(), "lock_orientation") > 0
    assert area.grab_work_view() == before


# -- where they are --------------------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("kind", ["position", "orientation", "plane", "line", "pose"])
def test_a_lock_is_drawn_where_it_holds(area, kind, theme):
    document = area.document
    document.session.view.theme = theme
    area.show_view("perspective")
    name = lock_part(document, "right hand", kind)
    image, colours = area.work_view.grab().toImage(), THEMES[theme]
    token = lock_glyphs.TOKENS[kind]
    assert colored(image, token, colours, around(QPointF(glyph(area, name)), 14.0)) > 15
    mark = mark_of(area, name)
    assert np.allclose(mark.here, effector(area, joint_of(area, "right hand")))
    if kind in ("position", "pose"):
        assert np.allclose(mark.place, mark.here, atol=1e-9)
        assert (QPointF(glyph(area, name)) - view_point(area.work_view, mark.place)).manhattanLength() <= 1.5
    if kind in ("orientation", "pose"):
        first, second = lock_places.plane_basis(mark.normal)
        for angle in np.linspace(0.0, 2.0 * np.pi, 7):
            at = mark.center + mark.radius * (np.cos(angle) * first + np.sin(angle) * second)
            assert abs((at - mark.center) @ mark.normal) < 1e-12
        parent = document.skeleton.joints[mark.joint].parent
        bone = mark.center - area.host.scene.poses[parent, :3, 3]
        assert abs(mark.normal @ bone) == pytest.approx(np.linalg.norm(bone))
    if kind == "plane":
        corners = lock_marks.patch(mark.center, mark.normal)
        assert np.allclose((corners - mark.center) @ mark.normal, 0.0, atol=1e-12)
        edges = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
        assert np.allclose(edges, 0.34) and np.allclose(corners.mean(axis=0), mark.center)


def test_a_plane_patch_lies_under_the_part(area):
    document = area.document
    name = lock_part(document, "left foot", "plane", target=(0.0, 2.0, 0.0, 0.0))
    mark = mark_of(area, name)
    assert np.allclose(mark.normal, [0.0, 1.0, 0.0])
    foot = effector(area, joint_of(area, "left foot"))
    assert np.allclose(mark.center, [foot[0], 0.0, foot[2]], atol=1e-9)


def test_links_go_to_the_other_part(area):
    document = area.document
    other = ("left hand", tuple(end_effector(document.skeleton, joint_of(area, "left hand"))))
    for kind in ("point_pair", "distance", "aim"):
        name = lock_part(document, "right hand", kind, other=other)
        mark = mark_of(area, name)
        assert np.allclose(mark.other, effector(area, joint_of(area, "left hand")), atol=1e-9)
        middle = mark.other if kind == "aim" else 0.5 * (mark.here + mark.other)
        assert np.allclose(mark.anchor, middle)
        assert colored(area.work_view.grab().toImage(), lock_glyphs.TOKENS[kind]) > 15
        document.locks.remove(name)


def test_locks_outside_their_frames_and_in_skeleton_mode_are_not_shown(area):
    document = area.document
    name = lock_part(document, "right foot", "position", weight=1.0)
    document.locks.edit(name, start=10, end=20)
    assert area.host.scene.locks.marks == ()
    document.set_frame(15)
    assert [mark.id for mark in area.host.scene.locks.marks] == [name]
    document.session.mode = "skeleton"
    assert area.host.scene.locks.marks == ()
    area.work_view.grab()


def test_glyphs_never_hide_one_another(area):
    document = area.document
    for kind in ("position", "orientation", "plane", "pose"):
        lock_part(document, "right foot", kind)
    for view in ("front", "side", "top", "perspective"):
        area.show_view(view)
        shown = lock_marks.placed(area.work_view, area.host.scene.locks.marks)
        assert len(shown) == 4
        for i, a in enumerate(shown):
            assert not any(a.box().intersects(b.box()) for b in shown[i + 1 :])
        again = lock_marks.placed(area.work_view, area.host.scene.locks.marks)
        assert [each.center for each in again] == [each.center for each in shown]


def test_a_glyph_stays_at_its_part_or_is_tied_to_it(area):
    document = area.document
    document.posing.set(document.skeleton.rest_pose())
    for side in ("right", "left"):
        lock_part(document, f"{side} foot", "pose")
    for name, small in area.small_views.items():
        for each in lock_marks.placed(small.view, area.host.scene.locks.marks, lock_glyphs.SMALL):
            away = math.dist(each.center.toTuple(), view_point(small.view, each.mark.anchor).toTuple())
            assert away <= 1.1 * 2.0 * lock_glyphs.half_size("pose", lock_glyphs.SMALL)[0], name
    area.show_view("side")  # one foot behind the other
    shown = lock_marks.placed(area.work_view, area.host.scene.locks.marks)
    moved = max(shown, key=lambda each: math.dist(each.center.toTuple(), each.home.toTuple()))
    assert math.dist(moved.center.toTuple(), moved.home.toTuple()) <= 3.0 * lock_glyphs.half_size("pose")[0]


def test_the_glyph_of_an_orientation_is_not_at_the_other_side_s_part(area):
    document = area.document
    document.posing.set(document.skeleton.rest_pose())
    for side, other in (("right", "left"), ("left", "right")):
        name = lock_part(document, f"{side} foot", "orientation")
        area.show_view("front")
        at, joints = (
            glyph(area, name),
            area.host.scene.poses[[joint_of(area, f"{each} foot") for each in (side, other)]],
        )
        own, wrong = area.work_view.project(joints[:, :3, 3])[:, 0]
        assert abs(at.x() - own) < abs(at.x() - wrong)
        document.locks.remove(name)


def test_small_views_draw_small_glyphs(area):
    name = lock_part(area.document, "head", "position")
    view = area.small_views["front"].view
    at = view_point(view, mark_of(area, name).anchor)
    assert 4 <= colored(view.grab().toImage(), "lock_position", box=around(at, 7.0)) < 90


# -- hovering --------------------------------------------------------------------------------------------------------


def test_a_glyph_under_the_pointer_is_named_and_its_joints_light(area):
    document, view = area.document, area.work_view
    name = lock_part(document, "right hand", "position")
    spot = glyph(area, name)
    QTest.mouseMove(view, spot)
    area.host.toolbox.hover(view, Pointer(spot.x(), spot.y()))
    assert document.session.locks.hovered == name and document.session.view.hover is None
    assert area.status().startswith("Right hand · Position · holds · 0.000 mm")
    assert "click to select" in area.status() and ("Drag", "move the target") in area.hints()
    picture = view.picture()
    assert joint_of(area, "right forearm") in picture.helping and joint_of(area, "left hand") not in picture.helping
    assert picture.helping_token == "lock_position"
    area.host.toolbox.hover(view, Pointer(view.width() - 9.0, view.height() - 60.0))
    assert document.session.locks.hovered is None and not view.picture().helping


def test_what_a_list_lights_is_left_alone(area):
    document = area.document
    name = lock_part(document, "right hand", "position")
    document.session.locks.hovered = name
    area.host.toolbox.hover(area.work_view, Pointer(area.work_view.width() - 9.0, area.work_view.height() - 60.0))
    assert document.session.locks.hovered == name
    assert joint_of(area, "right hand") in area.work_view.picture().helping


def test_the_label_and_the_description_describe_the_lock(area, monkeypatch):
    document, said = area.document, []
    name = lock_part(document, "head", "orientation", axes=(False, True, False), weight=0.5)
    draw = paint.draw_chip
    monkeypatch.setattr(
        paint, "draw_chip", lambda p, t, box, text, *a, **k: said.append((box, text)) or draw(p, t, box, text, *a, **k)
    )
    document.session.locks.hovered = name
    area.work_view.grab()
    box = next(box for box, text in said if text == "Head · Orientation Y · holds · 0.00°")
    assert area.work_view.rect().contains(box.toAlignedRect())
    assert area.work_view.accessibleDescription() == "1 lock: Head Orientation Y, holds"


@pytest.mark.parametrize("tool, takes", [("drag", True), ("select", True), ("lock", True), ("rotate", False)])
def test_which_tools_take_glyphs(area, tool, takes):
    document = area.document
    document.session.tools.tool = tool
    name = lock_part(document, "right hand", "position")
    spot = glyph(area, name)
    area.host.toolbox.hover(area.work_view, Pointer(spot.x(), spot.y()))
    assert (document.session.locks.hovered == name) == takes


# -- legend ----------------------------------------------------------------------------------------------------------


def test_the_legend_names_the_kinds_that_are_shown(area):
    document = area.document
    lock_part(document, "left foot", "plane")
    lock_part(document, "right foot", "position")
    lock_part(document, "right hand", "position")
    kinds = lock_marks.legend_kinds(area.host.scene.locks.marks)
    assert kinds == ("position", "plane")
    wide, narrow = lock_marks.legend_size(kinds), lock_marks.legend_size(kinds, words=False)
    assert narrow[0] < wide[0] and lock_marks.legend_size(()) == (0.0, 0.0)
    width, height = area.work_view.width(), area.work_view.height()
    corner = QRectF(width - 0.5 * width, height - 32.0, 0.5 * width, 26.0)
    image = area.work_view.grab().toImage()
    assert colored(image, "lock_position", box=corner) > 10 and colored(image, "lock_plane", box=corner) > 10


# -- conflicts -------------------------------------------------------------------------------------------------------


def conflicted(area) -> tuple[str, str]:
    """Pin a hand in two places 30 cm apart; return both strips."""
    document = area.document
    here = effector(area, joint_of(area, "right hand"))
    a = lock_part(document, "right hand", "position")
    b = lock_part(document, "right hand", "position", target=here + np.array([0.0, 0.3, 0.0]))
    return a, b


def test_a_conflict_shows_how_far_off_each_lock_is(area, monkeypatch):
    document, said = area.document, []
    area.show_view("front")
    a, b = conflicted(area)
    foot = lock_part(document, "left foot", "position")
    draw = paint.draw_chip
    monkeypatch.setattr(
        paint, "draw_chip", lambda p, t, box, text, *a, **k: said.append((box, text)) or draw(p, t, box, text, *a, **k)
    )
    image = area.work_view.grab().toImage()
    assert mark_of(area, a).word == mark_of(area, b).word == "conflict" and mark_of(area, foot).word == "holds"
    states = {state.strip.id: state for state in document.locks.states()}
    tags = [(box, text) for box, text in said if text.endswith("cm") and text != "Grid 25 cm"]
    assert sorted(text for _, text in tags) == sorted(
        conflict_marks.lock_words.length_text(states[k].position_residual) for k in (a, b)
    )
    assert not tags[0][0].intersects(tags[1][0])
    mark = mark_of(area, b)
    middle = view_point(area.work_view, 0.5 * (mark.here + mark.place))
    assert colored(image, "conflict", box=around(middle, 4.0)) > 4
    assert colored(image, "lock_position", box=around(QPointF(glyph(area, foot)), 12.0)) > 15, "others stay calm"
    assert "conflict" in area.work_view.accessibleDescription()


def test_a_twist_that_is_missed_is_reported_in_degrees(area, monkeypatch):
    document, said = area.document, []
    joint = joint_of(area, "right hand")
    lock_part(document, "right hand", "orientation")
    target = so3.exp(np.array([0.0, 0.6, 0.0])) @ area.host.scene.poses[joint][:3, :3]
    b = lock_part(document, "right hand", "orientation", target=target)
    draw = paint.draw_chip
    monkeypatch.setattr(
        paint, "draw_chip", lambda p, t, box, text, *a, **k: said.append(text) or draw(p, t, box, text, *a, **k)
    )
    area.work_view.grab()
    off = next(state for state in document.locks.states() if state.strip.id == b).angle_residual
    assert off > 0.1 and conflict_marks.lock_words.angle_text(off) in said


def test_a_limit_that_blocks_lights_and_a_hard_lock_that_is_off_is_in_conflict_also_if_not_to_blame(area, monkeypatch):
    document, lit = area.document, []
    a, b = conflicted(area)
    assert mark_of(area, a).broken and mark_of(area, b).broken
    skeleton = document.skeleton
    nod = skeleton.first_dof[joint_of(area, "head")]  # no lock of a hand asks it for help
    q = document.pose.copy()
    q[3 + nod] = skeleton.limits[nod][0]
    document.posing.set(q)

    document.session.locks.conflict = SimpleNamespace(limits=(nod, nod + 1), keys=(b,))
    monkeypatch.setattr(conflict_marks.limit_arcs, "draw", lambda p, v, blocked: lit.extend(blocked))
    area.work_view.grab()
    assert [(handle.dof, side) for handle, side in lit] == [(nod, -1)]
    assert mark_of(area, b).word == "conflict" and mark_of(area, a).word == "conflict" and mark_of(area, a).broken


def test_a_soft_lock_that_yields_shows_its_arrow_only_when_looked_at(area, monkeypatch):
    document, said = area.document, []
    here = effector(area, joint_of(area, "right hand"))
    lock_part(document, "right hand", "position")
    soft = lock_part(document, "right hand", "position", target=here + np.array([0.0, 0.2, 0.0]), weight=0.5)
    draw = paint.draw_chip
    monkeypatch.setattr(
        paint, "draw_chip", lambda p, t, box, text, *a, **k: said.append(text) or draw(p, t, box, text, *a, **k)
    )
    area.work_view.grab()
    assert mark_of(area, soft).word == "yields" and "20.0 cm" not in said
    document.session.locks.selected = soft
    area.work_view.grab()
    assert "20.0 cm" in said


# -- balance ---------------------------------------------------------------------------------------------------------


def test_balance_shows_polygon_and_margin(area, monkeypatch):
    document, said, lines = area.document, [], []
    feet = [lock_part(document, f"{side} foot", "pose") for side in ("left", "right")]
    assert feet
    name = document.locks.add(Lock(document.skeleton.joints[0].name, "balance", target=0.0))
    draw = paint.draw_chip
    monkeypatch.setattr(
        paint, "draw_chip", lambda p, t, box, text, *a, **k: said.append((text, a[0])) or draw(p, t, box, text, *a, **k)
    )
    stroke = paint.stroke_line
    monkeypatch.setattr(
        paint, "stroke_line", lambda p, t, points, *a, **k: lines.append(points) or stroke(p, t, points, *a, **k)
    )
    view = area.work_view
    view.grab()
    ground, margin = view._over.balance.support(mark_of(area, name), area.host.scene.locks.marks)
    parts = [joint_of(area, "left foot"), joint_of(area, "right foot")]
    assert margin == pytest.approx(balance_margin(document.skeleton, document.pose, parts), abs=2e-3)
    text, ink = next((text, ink) for text, ink in said if "support" in text)
    sign, word = ("+", "inside") if margin > -5e-4 else ("−", "outside")
    assert text == f"{sign}{abs(margin) * 100.0:.1f} cm {word} support"
    assert ink == ("ok" if margin > -5e-4 else "conflict")
    corners = view.project(ground)[:, :2]
    assert any(len(points) == len(corners) + 1
               and np.allclose([(p.x(), p.y()) for p in points[:-1]], corners) for points in lines)  # fmt: skip


def test_the_centre_of_mass_is_drawn_once(area, monkeypatch):
    document, calls = area.document, []
    lock_part(document, "left foot", "pose")
    document.locks.add(Lock(document.skeleton.joints[0].name, "balance"))
    monkeypatch.setattr(overlays, "draw_center_of_mass", lambda *a, **k: calls.append(a))
    area.work_view.repaint()
    assert len(calls) == 1
    document.session.view.overlays["com"] = True
    calls.clear()
    area.work_view.grab()
    assert len(calls) == 1


# -- paths -----------------------------------------------------------------------------------------------------------


def test_a_path_goes_through_its_keys_and_is_shown_when_selected(area):
    document = area.document
    area.show_view("front")
    name = lock_part(document, "right hand", "position")
    start = effector(area, joint_of(area, "right hand"))
    offsets = {0: (0.0, 0.0, 0.0), 12: (-0.3, 0.2, 0.0), 24: (0.0, 0.5, 0.1)}
    document.locks.edit(name, targets=tuple(TargetKey(frame, start + by) for frame, by in offsets.items()))
    document.sequences.set_range(0, 24)
    strip = document.locks.strips[0]
    path, keys = TargetPath().points(strip)
    assert np.allclose(keys, [start + by for by in offsets.values()])
    for key in keys:
        assert np.linalg.norm(path - key, axis=1).min() < 1e-12
    frames = np.linspace(0.0, 24.0, 193)
    assert np.allclose(path, [strip.lock_at(frame).target for frame in frames], atol=1e-12)
    spot = around(view_point(area.work_view, keys[2]), 7.0)
    assert colored(area.work_view.grab().toImage(), "lock_position", box=spot) == 0
    document.session.locks.selected = name
    assert colored(area.work_view.grab().toImage(), "lock_position", box=spot) > 8


def test_targets_move_by_their_kind():
    by = np.array([0.1, 0.2, -0.3])
    assert np.allclose(moved_target("position", (1.0, 2.0, 3.0), by), [1.1, 2.2, 2.7])
    pose = np.eye(4)
    assert np.allclose(moved_target("pose", pose, by)[:3, 3], by) and np.array_equal(pose, np.eye(4))
    assert np.allclose(moved_target("plane", (0.0, 1.0, 0.0, 0.5), by), [0.0, 1.0, 0.0, 0.7])
    assert np.allclose(moved_target("line", ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), by), [by, [0.0, 0.0, 1.0]])
    assert np.allclose(find_kind("plane").place(np.array([0.0, 1.0, 0.0, 0.5])), [0.0, 0.5, 0.0])
    assert find_kind("orientation").place(np.eye(3)) is None
    turning = LockStrip(Lock("hand", "orientation", target=np.eye(3)), 0, targets=(
        TargetKey(0, np.eye(3)), TargetKey(4, np.eye(3))))  # fmt: skip
    assert not has_path(turning) and not has_path(None)


def test_marks_are_worked_out_once_for_a_pose(area):
    document = area.document
    name = lock_part(document, "right hand", "pose")
    locks = area.host.scene.locks
    first = locks.marks
    assert locks.marks is first
    document.session.view.hover = 3
    assert locks.marks is first
    document.locks.edit(name, weight=0.4)
    assert locks.marks is not first


# -- the panel of joints ---------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_the_groups_of_joints_show_their_locks(window):
    document = window.document
    panel = next(panel for panel in window.panels if panel.title == "Joints")
    skeleton = document.skeleton
    leg = next(title for title, joints in skeleton.groups if skeleton.joint_index("right foot") in joints)
    header = panel.header(leg[:1].upper() + leg[1:])
    before = header.summary
    first = lock_part(document, "right foot", "position")
    assert header.summary == "1 lock"
    lock_part(document, "right foot", "orientation")
    document.locks.add(Lock("right foot", "balance"))
    assert header.summary == "2 locks" and "2 locks" in header.accessibleDescription() + header.accessibleName()
    document.locks.edit(first, start=document.frame + 4)
    assert header.summary == "1 lock"
    document.set_frame(document.frame + 5)
    assert header.summary == "2 locks"
    document.locks.clear()
    assert header.summary == before
