"""Ghosts, trails and the root's path under the mouse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.document.changes import KeysChanged
from app.document.content.key_selection import KeySelection
from app.document.document import Document
from app.document.session import SessionError
from app.popovers.motion import MotionPopover
from app.scene.pointing import Pointer
from app.scene.trails import ROOT_PATH, Bead
from app.window.settings import Settings
from core.animation.locks.strip import LockStrip
from core.constraints import Lock, bind
from core.kinematics import forward_kinematics
from core.skeleton.segment import end_effector
from tests.gui.viewport_support import human_document, shown_area
from tests.support.mouse import hover, move

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
HAND = "right hand"


@pytest.fixture
def area(qtbot, skeletons_folder):
    """A figure that walks some two metres to the side in three keys, its right hand raised in the middle."""
    document = human_document(skeletons_folder)
    q = np.array(document.pose)
    arm = 3 + document.skeleton.dof_labels.index("Shoulder flex")
    for frame, x, flex in ((0, -1.0, 0.2), (10, 0.0, 1.2), (20, 0.9, 0.4)):
        document.set_frame(frame)
        q[0], q[arm] = x, flex
        document.posing.set(q)
    document.set_frame(0)
    document.stack.clear()
    made = shown_area(qtbot, document)
    made.show_view("front")
    made.frame_all()
    return made


def place_of(document, frame: float, name: str = HAND) -> np.ndarray:
    """Return where a part's end-effector is at a frame, world, shape (3,), [m]."""
    skeleton = document.skeleton
    joint = skeleton.joint_index(name)
    X = forward_kinematics(skeleton, document.sequence.pose_at_frame(frame))[joint]
    return X[:3, :3] @ end_effector(skeleton, joint) + X[:3, 3]


def lock_foot(document, bound_at: int, first: int, last: int) -> Lock:
    """Hold the left foot's end-effector over some frames where it is at one of them; return the lock."""
    skeleton = document.skeleton
    point = tuple(end_effector(skeleton, skeleton.joint_index("left foot")))
    held = bind(Lock("left foot", "position", point=point), skeleton, document.sequence.pose_at_frame(bound_at))
    document.locks.set([LockStrip(held, first, last)])
    return held


def bead_at(area, part: int, frame: int) -> QPoint:
    pixels, beads = area.host.scene.trails.beads(area.work_view)
    return QPointF(*pixels[beads.index(Bead(part, frame))].tolist()).toPoint()


def drag(area, start: QPoint, by: QPoint, steps: int = 6, release: bool = True) -> None:
    view = area.work_view
    QTest.mousePress(view, LEFT, NONE, start)
    for step in range(1, steps + 1):
        move(view, start + QPoint(round(by.x() * step / steps), round(by.y() * step / steps)))
    if release:
        QTest.mouseRelease(view, LEFT, NONE, start + by)


def bits(document) -> str:
    return document.state_json()


# -- ghosts -----------------------------------------------------------------------------------------------------------


def test_ghosts_stand_where_the_session_says_and_fade(area):
    document, scene = area.document, area.host.scene
    session = document.session
    document.set_frame(10)
    session.view.ghosts_at, session.view.ghost_step, session.view.ghosts_before, session.view.ghosts_after = (
        "frames",
        4,
        2,
        3,
    )
    session.view.ghost_strength, session.view.ghost_fade = 0.8, 0.25
    found = {ghost.frame: ghost for ghost in scene.ghosts}
    assert sorted(found) == [2, 6, 14, 18]  # the next one would be after the end
    assert_allclose([found[f].strength for f in (6, 14, 2, 18)], [0.8, 0.8, 0.2, 0.2])
    poses = forward_kinematics(document.skeleton, document.sequence.pose_at_frame(14))
    assert_allclose(found[14].poses, poses, atol=1e-12)
    assert [found[f].token for f in (6, 14)] == ["ghost_before", "ghost_after"]
    session.view.ghosts_at = "keys"
    assert [(ghost.frame, ghost.keyed) for ghost in scene.ghosts] == [(0, True), (20, True)]


def test_a_click_on_a_ghost_goes_there_and_one_on_the_figure_does_not(area):
    document, view, scene = area.document, area.work_view, area.host.scene
    document.set_frame(10)
    chest = document.skeleton.joint_index("chest")
    ghost = next(each for each in scene.ghosts if each.frame == 20)
    at = QPointF(*view.project(ghost.poses[chest, :3, 3][None])[0, :2].tolist()).toPoint()
    hover(view, at)
    assert document.session.view.hovered_ghost == 20 and document.session.view.hover is None
    assert area.status() == "Key at frame 20 · click to go there"
    lit = next(each for each in scene.ghosts if each.frame == 20)
    assert lit.strength > ghost.strength
    QTest.mouseClick(view, LEFT, NONE, at)
    assert document.frame == 20 and not document.stack.count()
    document.set_frame(10)
    here = QPointF(*view.project(scene.poses[chest, :3, 3][None])[0, :2].tolist()).toPoint()
    hover(view, here)
    assert document.session.view.hovered_ghost is None and document.session.view.hover is not None
    QTest.mouseClick(view, LEFT, NONE, here)
    assert document.frame == 10 and document.selection.joints


def test_ghosts_of_a_limb_are_drawn_and_picked_alone(area):
    document, scene = area.document, area.host.scene
    document.set_frame(10)
    document.session.view.ghost_parts = "limb"
    assert scene.ghost_figures.joints is None  # nothing is selected
    document.selection.set([HAND])
    joints = scene.ghost_figures.joints
    names = {document.skeleton.joint_names[joint] for joint in joints}
    assert {HAND, "right forearm"} <= names and "chest" not in names
    ghost = next(each for each in scene.ghosts if each.frame == 20)
    for name, found in (("right hand", 20), ("chest", None)):
        joint = document.skeleton.joint_index(name)
        X = ghost.poses[joint]
        middle = X[:3, :3] @ end_effector(document.skeleton, joint) + X[:3, 3]
        assert scene.ghost_figures.at(middle + np.array([0.0, 0.0, 5.0]), np.array([0.0, 0.0, -1.0])) == found


def test_ghosts_under_locks_come_in_slices_and_hold_them(area):
    document, scene = area.document, area.host.scene
    held = lock_foot(document, 8, 6, 12)
    document.set_frame(10)
    document.session.view.ghosts_at, document.session.view.ghost_step = "frames", 2
    scene.ghost_figures.forget()
    assert not scene.ghosts and scene.ghost_figures.left
    while scene.ghost_figures.left:
        assert scene.ghost_figures.work(0.0) or True
        scene.ghost_figures.work(1.0)
    joint = document.skeleton.joint_index("left foot")
    for ghost in scene.ghosts:
        X = ghost.poses[joint]
        assert_allclose(X[:3, :3] @ held.point + X[:3, 3], held.target, atol=1e-6)


# -- trails -----------------------------------------------------------------------------------------------------------


def test_a_bead_moves_its_part_at_its_key_only_as_one_step(area):
    document, view, scene = area.document, area.work_view, area.host.scene
    document.selection.set([HAND])
    document.set_frame(0)
    hand = document.skeleton.joint_index(HAND)
    before = bits(document)
    keys = {key.frame: key.q for key in document.sequence.keys}
    start = bead_at(area, hand, 10)
    hover(view, start)
    assert scene.trails.lit == Bead(hand, 10) and "key at frame 10" in area.status()
    trail = scene.trails.trail(hand).path.copy()
    drag(area, start, QPoint(18, -36), release=False)
    assert scene.ghost_figures.dragged_key is not None and scene.ghosts[0].frame == 10
    scene.trails.samples.take(KeysChanged())
    assert not np.allclose(scene.trails.trail(hand).path, trail)  # it bends while the button is down
    QTest.mouseRelease(view, LEFT, NONE, start + QPoint(18, -36))
    assert document.frame == 0 and document.stack.count() == 1
    assert document.stack.undoText() == "Drag right hand in the key at frame 10"
    for frame, q in keys.items():
        assert (document.sequence.keys.at(frame).q == q).all() == (frame != 10)
    changed = np.flatnonzero(document.sequence.keys.at(10).q != keys[10])
    arm = set(area.host.toolbox.motion.chain(hand).dofs)
    assert len(changed) and set(changed.tolist()) <= arm  # the limb alone, as the Drag tool does
    seen = view.project(place_of(document, 10)[None])[0, :2]
    assert np.hypot(*(seen - [start.x() + 18, start.y() - 36])) < 2.0
    document.history.undo()
    assert bits(document) == before


def test_esc_puts_a_key_back_bit_for_bit(area):
    document, scene = area.document, area.host.scene
    document.selection.set([HAND])
    before = bits(document)
    drag(area, bead_at(area, document.skeleton.joint_index(HAND), 10), QPoint(10, -30), release=False)
    assert bits(document) != before
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert bits(document) == before and not document.stack.count() and scene.ghost_figures.dragged_key is None


@pytest.mark.verify
def test_a_bead_respects_the_locks_of_its_frame(area):
    document = area.document
    skeleton = document.skeleton
    held = lock_foot(document, 10, 8, 12)
    document.selection.set([HAND])
    document.session.tools.drag_mode = "body"
    drag(area, bead_at(area, skeleton.joint_index(HAND), 10), QPoint(-30, -30))
    q = document.sequence.keys.at(10).q
    X = forward_kinematics(skeleton, q)[skeleton.joint_index("left foot")]
    assert_allclose(X[:3, :3] @ held.point + X[:3, 3], held.target, atol=1e-5)
    assert (q != document.sequence.keys.at(0).q).any() and document.stack.count() == 2


def test_clicks_on_beads_go_to_their_frames_and_select(area):
    document, view = area.document, area.work_view
    document.selection.set([HAND])
    hand = document.skeleton.joint_index(HAND)
    QTest.mouseClick(view, LEFT, NONE, bead_at(area, hand, 20))
    assert document.frame == 20 and document.selection.joints == (hand,) and not document.stack.count()
    assert Bead(hand, 20) not in area.host.scene.trails.beads(view)[1]  # there the hand itself is
    QTest.mouseClick(view, LEFT, SHIFT, bead_at(area, hand, 10))
    assert document.frame == 20 and document.session.keys.selected == KeySelection.of_frames([10])
    QTest.mouseClick(view, LEFT, Qt.KeyboardModifier.ControlModifier, bead_at(area, hand, 10))
    assert not document.session.keys.selected


def test_keys_of_other_parts_have_no_bead_and_a_key_of_some_parts_stays_one(area):
    document, scene = area.document, area.host.scene
    hand, foot = (document.skeleton.joint_index(name) for name in (HAND, "left foot"))
    document.set_frame(5)
    document.keys.set(joints=["right upper arm"])
    document.set_frame(0)
    document.session.view.trail_parts = [foot, hand]
    assert scene.trails.trail(foot).keys == (0, 10, 20) and scene.trails.trail(hand).keys == (0, 5, 10, 20)
    assert document.sequence.keys.at(5).keyed is not None
    drag(area, bead_at(area, hand, 5), QPoint(6, -24))
    keyed = document.sequence.keys.at(5).keyed
    arm = document.sequence.channels.of_joints(area.host.toolbox.motion.chain(hand).joints)
    assert keyed is not None and "right upper arm" in keyed and keyed <= set(arm)


def test_a_key_is_moved_in_time_along_its_trail(area):
    document, view, scene = area.document, area.work_view, area.host.scene
    document.selection.set([HAND])
    hand = document.skeleton.joint_index(HAND)
    start = bead_at(area, hand, 10)
    trail = scene.trails.trail(hand)
    there = view.project(trail.path[np.searchsorted(trail.frames, 14)][None])[0]
    tools, ctrl = area.host.toolbox, (True, True)
    tools.press(view, Pointer(start.x(), start.y(), *ctrl))
    tools.move(view, Pointer(float(there[0]), float(there[1]), *ctrl))
    assert area.status() == "Moving the key at frame 10 to 14"
    tools.release(view, Pointer(float(there[0]), float(there[1]), *ctrl))
    assert document.sequence.keys.frames == (0, 14, 20) and document.stack.count() == 1


def test_kept_trails_stay_and_samples_are_exact(area):
    document, scene = area.document, area.host.scene
    foot = document.skeleton.joint_index("left foot")
    document.session.view.trail_parts = [foot]
    document.selection.set([HAND])
    assert scene.trails.parts == (foot, document.skeleton.joint_index(HAND))
    trail = scene.trails.trail(foot)
    for k in (0, len(trail.frames) // 3, len(trail.frames) - 1):
        assert_allclose(trail.path[k], place_of(document, trail.frames[k], "left foot"), atol=1e-12)
    document.session.view.trail_frames = 4
    document.set_frame(10)
    near = scene.trails.trail(foot)
    assert (near.frames[0], near.frames[-1], near.keys) == (6.0, 14.0, (10,))


def test_trails_under_locks_become_exact_in_slices(area):
    document, scene = area.document, area.host.scene
    held = lock_foot(document, 8, 6, 12)
    foot = document.skeleton.joint_index("left foot")
    document.session.view.trail_parts = [foot]
    samples = scene.trails.samples
    assert scene.trails.trail(foot) is not None and samples.left
    while samples.left:
        samples.work(1.0)
    trail = scene.trails.trail(foot)
    inside = (trail.frames >= 6) & (trail.frames <= 12)
    assert_allclose(trail.path[inside], np.tile(held.target, (inside.sum(), 1)), atol=1e-6)
    document.session.view.overlays["footprints"] = True
    while scene.prints.left:
        scene.prints.work(1.0)
    ((outline, first, last),) = scene.prints.outlines()
    assert (first, last) == (6, 12) and (outline[:, 1] == 0.0).all()
    low, high = outline.min(axis=0), outline.max(axis=0)
    assert (low <= held.target)[[0, 2]].all() and (held.target <= high)[[0, 2]].all()


def test_a_trail_that_is_worked_out_again_has_no_zigzag(area):
    """Whole frames are solved first: those between two that are new do not stay where they were before the edit."""
    document, samples = area.document, area.host.scene.trails.samples
    held, foot = lock_foot(document, 8, 6, 12), document.skeleton.joint_index("left foot")
    document.session.view.trail_parts = [foot]
    while samples.left:
        samples.work(1.0)
    document.locks.set([LockStrip(replace(held, target=held.target + np.array([0.0, 0.0, 0.2])), 6, 12)])
    assert len(samples.frames) and samples.left
    whole = np.rint(samples.frames) == samples.frames
    while any(whole[k] for k in samples._left):
        samples.work(1e-5)
    assert samples.left, "those in between are still to be solved"
    inside = (samples.frames > 7.0) & (samples.frames < 11.0)
    place = samples.path(foot)[inside]
    assert_allclose(place, np.tile(held.target + np.array([0.0, 0.0, 0.2]), (len(place), 1)), atol=0.05)


@pytest.mark.verify
def test_a_part_that_stays_is_dragged_at_the_current_frame_not_at_a_key_before(area):
    document, scene, view = area.document, area.host.scene, area.work_view
    for frame in (10, 20):
        document.set_frame(frame)
        document.posing.set(document.sequence.keys.at(0).q)
    document.selection.set([HAND])
    for frame in (0, 10, 20, 5):
        document.set_frame(frame)
        area.frame_selected()
        keys = {key.frame: key.q for key in document.sequence.keys}
        start = QPointF(*view.project(place_of(document, frame)[None])[0, :2].tolist()).toPoint()
        assert (frame in keys) == (not scene.trails.beads(view)[1])
        hover(view, start)
        assert scene.trails.lit is None
        document.session.keys.auto = True
        drag(area, start, QPoint(20, -15))
        assert document.stack.undoText() == "Drag right hand" and document.frame == frame
        for key, q in keys.items():
            assert (document.sequence.keys.at(key).q == q).all() == (key != frame)
        document.history.undo()


def test_a_key_apart_from_its_part_stays_in_reach_and_coincident_ones_are_the_current_frames(area):
    document, view = area.document, area.work_view
    document.session.view.overlays["root_path"] = True
    document.set_frame(20)
    document.posing.set(document.sequence.keys.at(10).q)
    document.selection.set([HAND])
    hand = document.skeleton.joint_index(HAND)
    beads = area.host.scene.trails.beads(view)[1]
    assert set(beads) == {Bead(hand, 0), Bead(ROOT_PATH, 0), Bead(ROOT_PATH, 20)}
    drag(area, bead_at(area, hand, 0), QPoint(8, -20))
    assert document.stack.undoText() == "Drag right hand in the key at frame 0"
    drag(area, bead_at(area, ROOT_PATH, 20), QPoint(12, 0))
    q = document.sequence.keys.at(10).q
    assert document.sequence.keys.at(20).q[0] > q[0] + 0.01 and q[0] == 0.0


def test_the_root_moves_along_the_floor_at_its_key(area):
    document, view = area.document, area.work_view
    area.show_view("top")
    document.session.view.overlays["root_path"] = True
    before = document.sequence.keys.at(10).q.copy()
    start = bead_at(area, ROOT_PATH, 10)
    size = view.pixel_size(np.zeros(3))
    drag(area, start, QPoint(20, 30))
    moved = document.sequence.keys.at(10).q - before
    assert_allclose(moved[3:], 0.0, atol=1e-12)
    assert_allclose(moved[:3], [20 * size, 0.0, 30 * size], atol=1e-9)
    assert document.stack.count() == 1 and document.frame == 0


@pytest.mark.verify
def test_the_figure_goes_before_the_path_on_the_floor_under_it(area):
    document, view, scene = area.document, area.work_view, area.host.scene
    document.session.view.overlays["trail"] = False
    document.session.view.overlays["root_path"] = True
    document.session.view.overlays["ghosts"] = False
    area.show_view("top")
    document.set_frame(10)
    spot = bead_at(area, ROOT_PATH, 10)
    free = bead_at(area, ROOT_PATH, 20)
    assert scene.pick(*view.ray(spot.x(), spot.y())) is not None
    document.set_frame(10)
    hover(view, spot)
    assert scene.trails.lit is None and document.session.view.hover is not None
    QTest.mouseClick(view, LEFT, NONE, spot)
    assert document.frame == 10 and document.selection.joints
    hover(view, free)
    assert scene.trails.lit == Bead(ROOT_PATH, 20)
    QTest.mouseClick(view, LEFT, NONE, free)
    assert document.frame == 20


# -- settings ---------------------------------------------------------------------------------------------------------


def test_settings_are_the_sessions_and_kept(qtbot, tmp_path):
    document = Document()
    settings = Settings(tmp_path / "settings.ini")
    settings.bind(document)
    popover, session = MotionPopover(document), document.session
    qtbot.addWidget(popover)
    popover.before.field.edit_to(3.0)
    popover.fade.field.edit_to(80.0)
    popover.at.segment("frames").click()
    popover.step.field.edit_to(6.0)
    popover.span.segment("near").click()
    assert (session.view.ghosts_before, session.view.ghost_fade, session.view.ghosts_at, session.view.ghost_step) == (
        3,
        0.8,
        "frames",
        6,
    )
    assert session.view.trail_frames > 0
    session.view.ghost_parts = "limb"
    popover.show_session()
    assert popover.parts.current == "limb" and popover.step.isEnabled()
    with pytest.raises(SessionError, match="9 is out of range; it goes from 0 to 8"):
        session.view.ghosts_after = 9
    settings.sync()
    other = Document()
    Settings(tmp_path / "settings.ini").bind(other)
    for name in ("ghosts_before", "ghost_fade", "ghosts_at", "ghost_step", "trail_frames", "ghost_parts"):
        assert other.session.get(name) == session.get(name)
