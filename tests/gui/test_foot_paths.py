"""Locking feet to their path in the window: what the board shows, one step, and a walk that becomes a sneak."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.document.content.records import sequence_for
from app.popovers.foot_paths import FLOOR, FootPathsPopover
from app.scene.pointing import view_point
from app.timeline.curves.box import key_box, side_at
from app.timeline.curves.value_list import ROW_HEIGHT
from core.animation.contacts.feet import figure_feet
from core.animation.contacts.phases import SWING, Phase, stances
from core.constraints.soles import sole_outline
from core.kinematics import forward_kinematics
from core.preview.grounds import TriangleGround
from core.skeleton.segment import end_effector
from core.terrain import height_field
from tests.support.keystrokes import Person
from tests.support.mouse import drag, hover

CONTROL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
LONGEST_MS = 60_000
LOWER, MORE = 0.13, 1.5


def board(window, qtbot, action: str = "lock_feet_path") -> FootPathsPopover:
    """Open the board and wait until it has found something."""
    window.action_table[action].trigger()
    popover = window.foot_paths.popover
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    return popover


def listen(document) -> list[str]:
    """Return a list that takes what the document says from now on."""
    said: list[str] = []
    document.message.connect(lambda *what: said.append(" ".join(str(each) for each in what)))
    return said


def test_the_board_shows_what_it_found_and_locks_as_one_step(window, qtbot):
    document = window.document
    state, steps, said = document.state_json(), document.stack.index(), listen(document)
    popover = board(window, qtbot)
    assert [row.name for row in popover.bands.rows] == ["Right foot", "Left foot"]
    assert all(any(phase.kind == "flat" for phase in row.phases) for row in popover.bands.rows)
    assert "stances" in popover.about.text() and "mm" in popover.effect.text()
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    assert not popover.isVisible() and document.state_json() == state and document.stack.index() == steps
    popover = board(window, qtbot)
    count = len(popover.found.strips)
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert not popover.isVisible()
    assert len(document.locks.strips) == count and document.stack.index() == steps + 1
    assert document.stack.undoText() == "Lock feet to their path"
    assert f"{count} locks keep 2 feet on their path" in said[-1]
    popover = board(window, qtbot)
    assert "locked already" in popover.about.text() and not popover.take_button.isEnabled()
    popover.hide()
    document.history.undo()
    assert document.state_json() == state


@pytest.mark.verify
def test_bounds_set_by_hand_change_what_is_found_and_enter_during_the_search_locks_afterwards(window, qtbot):
    document = window.document
    popover = board(window, qtbot)
    found = popover.found.contacts.bounds.speed
    popover.speed.changed.emit(2.0)  # [cm/s]
    assert popover.found is None
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    assert popover.found.contacts.bounds.speed == pytest.approx(0.02) and found > 0.1
    popover.again.click()
    assert popover.found is None
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert not document.locks.strips
    qtbot.waitUntil(lambda: bool(document.locks.strips), timeout=LONGEST_MS)
    document.history.undo()


@pytest.mark.verify
def test_where_the_scene_has_a_ground_heights_are_counted_from_it(window, qtbot):
    document = window.document
    popover = board(window, qtbot)
    assert popover.ground.segment(FLOOR).text() == "The floor"
    popover.hide()
    assert document.physics.settings.edit(ground=TriangleGround(height_field(np.zeros((2, 2)), 20.0, (-10.0, -10.0))))
    popover = board(window, qtbot)
    assert popover.ground.segment(FLOOR).text() == "The scene's ground"
    popover.ground.chosen.emit(FLOOR)
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    found = popover.found.contacts
    assert found.bounds.floor == 0.0 and found.ground is document.physics.settings.now.terrain
    popover.hide()


def test_selected_parts_get_a_path_and_without_any_it_is_said_what_to_do(window, qtbot):
    document = window.document
    said = listen(document)
    document.selection.set(())
    window.action_table["lock_parts_path"].trigger()
    assert "Select the parts" in said[-1]
    document.selection.set(["right hand"])
    popover = board(window, qtbot, "lock_parts_path")
    assert not popover.height_row.isVisible() and "right hand" in popover.title.text()
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert {strip.lock.joint for strip in document.locks.strips} == {"right hand"}
    s, frames = document.skeleton, np.linspace(0.0, 32.0, 65)
    restyled = sequence_for(document.sequence, s)
    for key in list(restyled.keys):
        restyled.set_key(key.frame, key.q - np.eye(len(key.q))[1] * 0.05)
    paths = [
        forward_kinematics(s, each.poses_at_frames(frames))[:, [s.joint_index("right hand"), 0]]
        for each in (document.sequence, restyled)
    ]
    assert np.abs(paths[0][:, 0] - paths[1][:, 0]).max() <= 1e-6  # place and turn, while the hips go down
    assert np.abs(paths[0][:, 1, 1, 3] - paths[1][:, 1, 1, 3]).min() > 0.04
    document.history.undo()


def _show_curve(person: Person, panel, name: str) -> None:
    """Show one curve alone, and select all of its keys."""
    curves = panel.list
    n = next(i for i, item in enumerate(curves.items) if item.row is not None and item.text == name)
    person.click(curves, QPoint(40, round((n + 0.5) * ROW_HEIGHT)), name, double=True)
    panel.canvas.grab()
    person.press(panel.canvas, Qt.Key.Key_A, CONTROL)
    panel.canvas.grab()


def _part(window, name: str) -> QPointF:
    """Return the pixel of a part in the work view."""
    document, view = window.document, window.area.work_view
    s = document.skeleton
    X = forward_kinematics(s, document.pose)[s.joint_index(name)]
    return view_point(view, X[:3, :3] @ (0.5 * end_effector(s, name)) + X[:3, 3])


@pytest.mark.verify
def test_a_walk_becomes_a_sneak_in_ninety_seconds_of_a_persons_time(window, qtbot):
    document, person = window.document, Person()
    s, sequence = document.skeleton, document.sequence
    keys = {key.frame: key.q.copy() for key in sequence.keys}
    view = window.area.work_view

    person.think("the feet shall stay")
    person.press(window, Qt.Key.Key_K, CONTROL | SHIFT)
    popover = window.foot_paths.popover
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    person.think("what was found is right")
    person.press(popover, Qt.Key.Key_Return)
    assert document.locks.strips
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    frames = np.linspace(first, last, (last - first) * 8 + 1)
    before = sequence.poses_at_frames(frames)

    person.think("lower the hips")
    person.click(view, _part(window, "pelvis"), "the pelvis")
    assert [s.joint_names[j] for j in document.selection.joints] == ["pelvis"]
    tab = window.timeline.transport.tabs.tab("curves")
    person.click(tab, QPointF(tab.rect().center()), "the Curves tab")
    panel = window.timeline.curves
    panel.canvas.grab()
    _show_curve(person, panel, _height_curve(panel))
    box = key_box(panel.values)
    down = 100.0 * LOWER / panel.model.scale.unit  # [px] of the drawn centimetres
    inside = _ground(panel, box)
    person.drag(panel.canvas, inside, QPointF(0.0, round(down)), "the keys")
    lowered = {key.frame: keys[key.frame][1] - key.q[1] for key in sequence.keys}
    assert document.stack.undoText() != "Set tangent" and panel.model.primary is not None, document.stack.undoText()
    assert max(abs(each - LOWER) for each in lowered.values()) <= 0.01 * panel.model.scale.unit  # a pixel

    for side in ("right", "left"):
        person.think(f"the {side} arm swings more")
        if side == "right":
            person.click(view, _part(window, "right upper arm"), "the right upper arm")
        else:
            person.press(window, Qt.Key.Key_M, CONTROL | ALT)  # the other side
        assert [s.joint_names[j] for j in document.selection.joints] == [f"{side} upper arm"]
        panel.canvas.grab()
        _show_curve(person, panel, _flex_curve(panel))
        box = key_box(panel.values)
        tall = (box.high - box.low) / panel.model.scale.unit
        by = QPointF(0.0, -round(0.5 * (MORE - 1.0) * tall))  # about the middle both sides move
        person.drag(panel.canvas, box.grip(panel.values, (0, 1)), by, "its upper side", SHIFT)
    for side in ("right", "left"):
        columns = [3 + s.first_dof[s.joint_index(f"{side} upper arm")] + k for k in range(3)]
        was = np.ptp([keys[key.frame][columns] for key in sequence.keys], axis=0)
        now = np.ptp([key.q[columns] for key in sequence.keys], axis=0)
        assert (now[was > 0.01] / was[was > 0.01]).max() == pytest.approx(MORE, abs=0.06)

    person.think("play it three times")
    for name in ("cycle_offset", "play_rounds"):  # Sequence > Cycles > ...: three things to point at
        for step in ("Sequence", "Cycles", window.action_table[name].text()):
            person.act(f"choose {step}")
        window.action_table[name].trigger()

    after = sequence.poses_at_frames(frames)
    assert np.abs(before[:, 1] - after[:, 1] - LOWER).max() <= 0.012
    _feet_keep_path_and_floor(s, before, after)
    jump = sequence.cycled.jump(lambda q: forward_kinematics(s, q)[:, :, :3, 3])
    assert jump <= 1e-3
    _three_rounds(s, sequence)
    print(*(f"{act.seconds:5.2f} s  {act.what}" for act in person.acts), sep="\n")
    print(f"{person.seconds:.1f} s")
    assert person.seconds <= 90.0


def _ground(panel, box) -> QPointF:
    """Return a place inside the box where there is neither a key nor a handle."""
    view, room = panel.values, box.rect(panel.values)
    for x in np.arange(room.left() + 20.0, room.right() - 20.0, 3.0):
        for y in np.arange(room.top() + 3.0, room.bottom() - 3.0, 3.0):
            at = QPointF(round(x), round(y))
            if side_at(view, box, at) == (0, 0) and view.handle_at(at) is None and view.key_at(at) is None:
                return at
    raise AssertionError("the box is full of keys")


def _height_curve(panel) -> str:
    """Return the name of the curve of the root's height in the list."""
    return next(
        item.text
        for item in panel.list.items
        if item.row is not None and item.row.unit == "length" and "y" in item.text.lower()
    )


def _flex_curve(panel) -> str:
    """Return the name of the curve of the selected part that changes most: the swing of an arm."""
    rows = [item.row for item in panel.list.items if item.row is not None and not item.row.turned]
    return max(rows, key=lambda row: np.ptp(panel.model.key_values(row, panel.model.key_frames(row)))).name


def _three_rounds(s, sequence) -> None:
    """Check that in three rounds stances do not drift, no sole is below the floor, and nothing jumps between them."""
    first, length = sequence.keys[0].frame, sequence.keys[-1].frame - sequence.keys[0].frame
    stands = [strip for strip in sequence.locks.strips if not strip.targets and strip.end - strip.start > 1]
    assert len(stands) >= 4  # both feet, and their toes
    for n in range(3):
        for strip in stands:
            frames = n * length + np.linspace(strip.start, strip.end, 8 * (strip.end - strip.start) + 1)[1:-1]
            joint = s.joint_index(strip.lock.joint)
            own = sole_outline(s, joint)
            X = forward_kinematics(s, sequence.poses_at_frames(frames))[:, joint]
            at = np.einsum("mij,kj->mki", X[:, :3, :3], own) + X[:, None, :3, 3]
            assert np.linalg.norm(at - at[0], axis=2).max() <= 1e-6
            assert at[..., 1].min() >= -1e-5
    seams = np.concatenate([first + n * length + np.array([-1e-4, 1e-4]) for n in (1, 2)])
    joints = forward_kinematics(s, sequence.poses_at_frames(seams))[:, :, :3, 3]
    assert np.linalg.norm(joints[1::2] - joints[::2], axis=2).max() <= 1e-3


def _feet_keep_path_and_floor(s, before: np.ndarray, after: np.ndarray) -> None:
    """Check that what locks hold of feet is where it was to a micrometre, and that no sole is below the floor."""
    X, Y = (forward_kinematics(s, q) for q in (before, after))
    for foot in figure_feet(s):
        for joint in (foot.joint, foot.toes):
            own = sole_outline(s, joint)
            was, now = (np.einsum("mij,kj->mki", Z[:, joint, :3, :3], own) + Z[:, joint, None, :3, 3] for Z in (X, Y))
            assert np.linalg.norm(now - was, axis=2).max() <= 1e-6
            assert now[..., 1].min() >= -1e-5


def _at(bands, row: int, frame: float) -> QPoint:
    return QPoint(round(bands.x_of(frame)), round(bands.band(Phase(SWING, *bands.range), row).center().y()))


@pytest.mark.verify
def test_stances_are_left_out_and_their_ends_dragged_before_they_are_locked(window, qtbot):
    document = window.document
    steps, state = document.stack.index(), document.state_json()
    popover = board(window, qtbot)
    bands = popover.bands
    right, left = (stances(row.phases) for row in bands.rows)
    number = popover.found.feet[0].stances
    first, last = right[0]
    for frame in (first, 0.5 * (first + last), last):  # what is under the pointer shows
        hover(bands, QPoint(4, 4))
        plain = bands.grab().toImage()
        hover(bands, _at(bands, 0, frame))
        assert bands.grab().toImage() != plain
    QTest.mouseClick(bands, Qt.MouseButton.LeftButton, pos=_at(bands, 0, 0.5 * (first + last)))
    assert bands.rows[0].left_out == {0} and popover.found is None
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    assert stances(bands.rows[0].phases) == right and bands.rows[0].left_out == {0}  # it can be taken again
    assert sum(foot.stances for foot in popover.found.feet if foot.joint == popover.found.contacts.feet[0].joint) == (
        number - 1
    )
    QTest.mouseClick(bands, Qt.MouseButton.LeftButton, pos=_at(bands, 0, 0.5 * (first + last)))
    assert not bands.rows[0].left_out
    stance = len(left) - 1
    first = left[stance][0]
    start, there = _at(bands, 1, first), _at(bands, 1, first + 3)
    drag(bands, start, there)
    assert stances(bands.rows[1].phases)[stance] == (first + 3, left[stance][1])
    bands.setFocus()
    QTest.keyClick(bands, Qt.Key.Key_Right, ALT)  # the last frame of the motion: it stays
    QTest.keyClick(bands, Qt.Key.Key_Left, ALT | SHIFT)
    assert stances(bands.rows[1].phases)[stance] == (first + 2, left[stance][1])
    qtbot.waitUntil(lambda: popover.found is not None, timeout=LONGEST_MS)
    assert popover.again.isEnabled() and document.stack.index() == steps
    QTest.keyClick(popover, Qt.Key.Key_Return)
    starts = {strip.start for strip in document.locks.strips if strip.lock.joint == "left foot"}
    assert first + 2 in starts and first not in starts and document.stack.index() == steps + 1
    document.history.undo()
    assert document.state_json() == state
    popover = board(window, qtbot)
    assert stances(bands.rows[1].phases) == left  # another time it begins with what is found
    popover.hide()
