"""Lock strips on the timeline: drags of every part, keys of targets, menus and the keyboard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.timeline.locks.strip_drag import with_weight
from app.timeline.locks.strip_menu import StripEdits, strip_menu
from app.timeline.locks.track import LockTracks
from app.timeline.strips import shape as item
from app.window.main_window import MainWindow
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from tests.gui.strip_support import foot_strip, lock, now, put
from tests.support.mouse import hover

LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def foot(window: MainWindow) -> LockStrip:
    return foot_strip(window)


def press_at(tracks: LockTracks, strip: LockStrip, part: str | int) -> QPointF:
    """Return a point of the tracks at which a part of a strip is grabbed."""
    number = next(i for i, row in enumerate(tracks.board.rows) if any(s.id == strip.id for s in row.strips))
    shape = tracks.shape(strip, number)
    places = {
        item.START: (shape.left + 2.0, shape.bottom - 2.0),
        item.END: (shape.right - 2.0, shape.bottom - 2.0),
        item.EASE_IN: (shape.rise, shape.top + 2.0),
        item.EASE_OUT: (shape.fall, shape.top + 2.0),
        item.WEIGHT: ((shape.rise + shape.fall) / 2.0, shape.level),
        item.BODY: ((shape.rise + shape.fall) / 2.0, shape.bottom - 2.0),
    }
    x, y = (shape.targets[part], (shape.top + shape.bottom) / 2.0) if isinstance(part, int) else places[part]
    return QPointF(x, y)


def drag(tracks: LockTracks, start: QPointF, by: QPointF, modifiers=NONE, release: bool = True) -> None:
    QTest.mousePress(tracks, LEFT, modifiers, start.toPoint())
    for part in (0.4, 0.8, 1.0):
        QTest.mouseMove(tracks, (start + by * part).toPoint())
    if release:
        QTest.mouseRelease(tracks, LEFT, modifiers, (start + by).toPoint())


def frames(window: MainWindow, count: float) -> QPointF:
    return QPointF(count * window.timeline.model.pixels, 0.0)


# -- the mouse -----------------------------------------------------------------------------------------------------


def test_a_drag_changes_one_thing_as_one_step(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    before, steps = document.state_json(), document.stack.count()
    window.timeline.model.zoom(1.5, 0.0)  # a frame is wider than the reach of snapping
    for part, by, expected in (
        (item.START, 3, (11, 24, 3, 4)),
        (item.END, -3, (8, 21, 3, 4)),
        (item.BODY, 4, (12, 28, 3, 4)),
        (item.EASE_IN, 2, (8, 24, 5, 4)),
        (item.EASE_OUT, -2, (8, 24, 3, 6)),
    ):
        drag(tracks, press_at(tracks, foot, part), frames(window, by))
        strip = now(window, foot)
        assert (strip.start, strip.end, strip.ease_in, strip.ease_out) == expected
        assert document.stack.count() == steps + 1 and document.session.locks.selected == foot.id
        document.history.undo()
        assert document.state_json() == before
        document.history.redo()
        assert now(window, foot) == strip
        document.history.undo()


@pytest.mark.verify
def test_an_end_without_ease_can_be_pulled_outward_by_any_height_of_it(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    put(window, replace(foot, ease_in=0.0, ease_out=0.0))
    window.timeline.model.zoom(1.5, 0.0)
    for part, by, expected in (
        (item.EASE_OUT, 3, (8, 27, 0, 0)),
        (item.EASE_OUT, -3, (8, 24, 0, 3)),
        (item.EASE_IN, -3, (5, 24, 0, 0)),
        (item.EASE_IN, 3, (8, 24, 3, 0)),
    ):
        inside = QPointF(-3.0 if part == item.EASE_OUT else 3.0, 0.0)
        drag(tracks, press_at(tracks, now(window, foot), part) + inside, frames(window, by))
        strip = now(window, foot)
        assert (strip.start, strip.end, strip.ease_in, strip.ease_out) == expected
        document.history.undo()


def test_the_line_of_the_weight_makes_way_for_the_words(window: MainWindow, foot: LockStrip) -> None:
    tracks = window.timeline.locks
    window.timeline.board.select(None)
    StripEdits(window.timeline.board).put(replace(with_weight(foot, 0.5), ease_in=0.0, ease_out=0.0), "Weigh")
    shape, image = tracks.shape(now(window, foot), 0), tracks.grab().toImage()
    line = image.pixelColor(round(shape.right - 3.0), round(shape.level))
    across = [image.pixelColor(x, round(shape.level)) for x in range(round(shape.left + 8.0), round(shape.left + 30.0))]
    assert sum(color == line for color in across) == 0


@pytest.mark.verify
def test_the_upper_edge_sets_the_weight(window: MainWindow, foot: LockStrip) -> None:
    tracks = window.timeline.locks
    drag(tracks, press_at(tracks, foot, item.WEIGHT), QPointF(0, 40))
    assert now(window, foot).lock.weight == pytest.approx(0.6)
    drag(tracks, press_at(tracks, now(window, foot), item.WEIGHT), QPointF(0, -200))
    assert now(window, foot).lock.weight == 1.0
    drag(tracks, press_at(tracks, foot, item.WEIGHT), QPointF(0, 500))
    assert now(window, foot).lock.weight == 0.0


def test_a_drag_shows_the_pose_it_leads_to_and_escape_takes_it_back(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    document.set_frame(22)
    before, pose, steps = document.state_json(), document.pose.copy(), document.stack.count()
    drag(tracks, press_at(tracks, foot, item.END), frames(window, -6), release=False)
    assert now(window, foot).end == 18 and document.stack.count() == steps
    assert not np.array_equal(document.pose, pose)  # the lock no longer reaches the playhead
    assert "to frame 18" in window.status.state.text
    QTest.keyClick(tracks, Qt.Key.Key_Escape)
    assert document.state_json() == before and document.pose.tobytes() == pose.tobytes()
    assert document.stack.count() == steps and document.gesture is None
    QTest.mouseRelease(tracks, LEFT, pos=press_at(tracks, foot, item.END).toPoint())
    assert document.state_json() == before


def test_undo_in_the_middle_of_a_drag_gives_it_up(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    before, start = document.state_json(), press_at(tracks, foot, item.BODY)
    drag(tracks, start, frames(window, 5), release=False)
    document.history.undo()
    assert document.state_json() == before and tracks.drag is None
    QTest.mouseMove(tracks, (start + frames(window, 8)).toPoint())
    QTest.mouseRelease(tracks, LEFT, pos=start.toPoint())
    assert document.state_json() == before


def test_the_middle_button_pans_and_does_not_end_a_drag(window: MainWindow, foot: LockStrip) -> None:
    tracks, model = window.timeline.locks, window.timeline.model
    drag(tracks, press_at(tracks, foot, item.BODY), frames(window, 4), release=False)
    QTest.mouseClick(tracks, Qt.MouseButton.MiddleButton, pos=press_at(tracks, foot, item.BODY).toPoint())
    assert tracks.drag is not None and tracks.drag.active
    tracks.cancel()
    left, ground = model.left, QPointF(tracks.width() / 2.0, 9.0)
    QTest.mousePress(tracks, Qt.MouseButton.MiddleButton, pos=ground.toPoint())
    QTest.mouseMove(tracks, (ground - QPointF(40.0, 0.0)).toPoint())
    QTest.mouseRelease(tracks, Qt.MouseButton.MiddleButton, pos=ground.toPoint())
    assert model.left > left and now(window, foot) == foot


def test_a_drag_back_to_where_it_began_leaves_no_step(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    steps, start = document.stack.count(), press_at(tracks, foot, item.BODY)
    drag(tracks, start, frames(window, 5), release=False)
    QTest.mouseMove(tracks, start.toPoint())
    QTest.mouseRelease(tracks, LEFT, pos=start.toPoint())
    assert document.stack.count() == steps and now(window, foot) == foot


def test_ends_snap_to_keys(window: MainWindow, foot: LockStrip) -> None:
    tracks, model = window.timeline.locks, window.timeline.model
    key = int(model.frames[model.frames > foot.end][0])
    near = QPointF(model.x(key) - model.x(foot.end) - 5.0, 0.0)
    drag(tracks, press_at(tracks, foot, item.END), near)
    assert now(window, foot).end == key


def test_strips_of_one_lock_do_not_run_into_each_other(window: MainWindow) -> None:
    held = lock(window.document, "position", "right foot", 4)
    first, second = LockStrip(held, 2, 8, id="first"), LockStrip(held, 14, 24, id="second")
    tracks = put(window, first, second)
    drag(tracks, press_at(tracks, first, item.END), frames(window, 20))
    assert now(window, first).end == 13
    drag(tracks, press_at(tracks, second, item.START), frames(window, -20))
    assert now(window, second).start == 14
    drag(tracks, press_at(tracks, first, item.BODY), frames(window, -20))
    assert now(window, first).start == 0


def test_a_drag_with_a_modifier_copies(window: MainWindow) -> None:
    document = window.document
    strip = LockStrip(lock(document, "position", "right foot", 4), 2, 8, id="first")
    tracks = put(window, strip)
    steps = document.stack.count()
    drag(tracks, press_at(tracks, strip, item.BODY), frames(window, 12), CONTROL)
    assert now(window, strip) == strip and len(document.locks.strips) == 2
    copy = document.locks.strips[1]
    assert (copy.start, copy.end) == (14, 20) and copy.lock == strip.lock and copy.id != strip.id
    assert document.session.locks.selected == copy.id and document.stack.count() == steps + 1
    drag(tracks, press_at(tracks, strip, item.BODY), frames(window, 3), Qt.KeyboardModifier.AltModifier)
    assert [each.start for each in document.locks.strips if each.id not in (strip.id, copy.id)] in ([9], [21])


def test_a_strip_without_end_is_grabbed_and_moved(window: MainWindow) -> None:
    strip = LockStrip(lock(window.document, "position", "right foot", 4), 6, None, 2, id="open")
    tracks = put(window, strip)
    far = QPointF(tracks.width() - 60.0, 14.0)
    assert tracks.grabbed(far) == (strip, item.BODY)
    drag(tracks, far, frames(window, 3))
    assert (now(window, strip).start, now(window, strip).end) == (9, None)


def test_narrow_strips_can_be_grabbed_at_both_ends_and_slid(window: MainWindow) -> None:
    strip = LockStrip(lock(window.document, "position", "right foot", 4), 10, 11, id="narrow")
    tracks = put(window, strip)
    window.timeline.model.zoom(0.2, 100.0)
    shape = tracks.shape(strip, 0)
    assert shape.right - shape.left < 12.0
    low = shape.bottom - 2.0
    parts = [tracks.grabbed(QPointF(x, low))[1] for x in np.linspace(shape.left - 8.0, shape.right + 8.0, 41)]
    assert parts[0] == item.START and parts[-1] == item.END and item.BODY in parts
    assert tracks.grabbed(QPointF(shape.left - 30.0, low)) is None


def test_hands_find_targets_of_24_pixels_where_there_is_room(window: MainWindow, foot: LockStrip) -> None:
    tracks = window.timeline.locks
    shape = tracks.shape(foot, 0)
    low = shape.bottom - 1.0

    def width(part: str, y: float) -> float:
        grabs = {x: tracks.grabbed(QPointF(x, y)) for x in np.arange(shape.left - 30, shape.right + 30)}
        wide = [x for x, found in grabs.items() if found is not None and found[1] == part]
        return max(wide) - min(wide) + 1.0

    assert min(width(item.START, low), width(item.END, low)) >= 24.0
    assert min(width(item.EASE_IN, shape.top + 2.0), width(item.EASE_OUT, shape.top + 2.0)) >= 24.0


def test_hovering_lights_the_lock_everywhere_and_shows_what_is_grabbed(window: MainWindow, foot: LockStrip) -> None:
    tracks, session = window.timeline.locks, window.document.session
    hover(tracks, press_at(tracks, foot, item.END))
    assert session.locks.hovered == foot.id and tracks.cursor().shape() == Qt.CursorShape.SplitHCursor
    hover(tracks, press_at(tracks, foot, item.BODY))
    assert tracks.cursor().shape() == Qt.CursorShape.OpenHandCursor
    hover(tracks, QPointF(tracks.width() - 10.0, 10.0))
    assert session.locks.hovered is None and tracks.cursor().shape() == Qt.CursorShape.ArrowCursor


# -- keys of targets -----------------------------------------------------------------------------------------------


def test_keys_of_a_target_are_dragged_and_deleted(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    edits = StripEdits(window.timeline.board)
    for frame in (12, 18):
        edits.key_target(now(window, foot), frame)
        assert document.frame == frame
    assert [key.frame for key in now(window, foot).targets] == [12, 18]
    drag(tracks, press_at(tracks, now(window, foot), 0), frames(window, -2))
    assert [key.frame for key in now(window, foot).targets] == [10, 18]
    QTest.mouseClick(tracks, LEFT, pos=press_at(tracks, now(window, foot), 1).toPoint())
    assert document.frame == 18
    QTest.keyClick(tracks, Qt.Key.Key_Delete)
    assert [key.frame for key in now(window, foot).targets] == [10]
    assert document.locks.strip(foot.id) is not None


def test_the_last_key_leaves_the_target_where_it_was(window: MainWindow, foot: LockStrip) -> None:
    edits = StripEdits(window.timeline.board)
    edits.put(replace(foot, targets=(TargetKey(12, (0.1, 0.2, 0.3)),)), "Key")
    edits.remove_target(now(window, foot), 12)
    strip = now(window, foot)
    assert strip.targets == () and strip.lock.target.tolist() == [0.1, 0.2, 0.3]


# -- menu and keyboard ---------------------------------------------------------------------------------------------


def choose(window: MainWindow, strip: LockStrip, frame: int, text: str) -> None:
    menu = strip_menu(window, window.timeline.board, strip, frame, lambda _id: None)
    action = next(action for action in menu.actions() if action.text().startswith(text))
    assert action.isEnabled()
    action.trigger()


@pytest.mark.verify
def test_the_menu_splits_ends_copies_and_removes(window: MainWindow, foot: LockStrip) -> None:
    document = window.document
    choose(window, foot, 16, "Split at frame 16")
    first, second = document.locks.strips
    assert (first.start, first.end, second.start, second.end) == (8, 15, 16, 24) and first.id == foot.id
    document.history.undo()
    choose(window, foot, 16, "End at frame 16")
    assert now(window, foot).end == 16
    choose(window, now(window, foot), 10, "Copy")
    document.set_frame(3)
    choose(window, now(window, foot), 20, "Paste at frame 20")  # where the mouse is, as all of the menu
    assert [(strip.start, strip.end) for strip in document.locks.strips] == [(8, 16), (20, 28)]
    choose(window, now(window, foot), 10, "Hold without end")
    assert now(window, foot).end == 19  # the copy comes next
    choose(window, document.locks.strips[1], 22, "Hold without end")
    assert document.locks.strips[1].end is None
    choose(window, now(window, foot), 10, "Hold without easing")
    assert now(window, foot).eases == (0.0, 0.0)
    choose(window, now(window, foot), 10, "Ease in and out over 4 frames")
    assert now(window, foot).eases == (4.0, 4.0)
    choose(window, now(window, foot), 12, "Key target at frame 12")
    assert [key.frame for key in now(window, foot).targets] == [12]
    window.timeline.board.select(foot.id)
    choose(window, now(window, foot), 10, "Remove lock")
    assert [each.id for each in document.locks.strips] == [document.session.locks.selected], "the next one is selected"


@pytest.mark.verify
@pytest.mark.fresh_window
def test_the_menu_offers_only_what_is_possible(window: MainWindow, foot: LockStrip) -> None:
    def enabled(frame: int) -> dict[str, bool]:
        menu = strip_menu(window, window.timeline.board, foot, frame, lambda _id: None)
        return {action.text(): action.isEnabled() for action in menu.actions()}

    assert not enabled(8)["Split at frame 8"] and not enabled(24)["End at frame 24"]
    assert enabled(9)["Split at frame 9"] and not enabled(9)["Paste at frame 9"]


@pytest.mark.verify
def test_the_keyboard_moves_retimes_and_removes(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    window.timeline.board.select(None)
    QTest.keyClick(tracks, Qt.Key.Key_Tab)
    assert document.session.locks.selected == foot.id
    assert tracks.accessibleDescription() == "Right foot, position, frames 8 to 24"
    frame = document.frame
    QTest.keyClick(tracks, Qt.Key.Key_Right)
    assert (now(window, foot).start, document.frame) == (8, frame + 1), "an arrow steps by a frame, as everywhere"
    steps = document.stack.index()
    QTest.keyClick(tracks, Qt.Key.Key_Right, CONTROL)
    assert (now(window, foot).start, now(window, foot).end) == (9, 25) and document.frame == frame + 1
    assert window.status.state.text == "Right foot, position: frames 9 to 25"
    QTest.keyClick(tracks, Qt.Key.Key_Left, SHIFT | CONTROL)
    assert (now(window, foot).start, now(window, foot).end) == (9, 24)
    QTest.keyClick(tracks, Qt.Key.Key_Left, SHIFT | ALT)
    assert (now(window, foot).start, now(window, foot).end) == (8, 24)
    assert document.stack.index() == steps + 3, "each is a step of its own"
    QTest.keyClick(tracks, Qt.Key.Key_Down, ALT)
    assert now(window, foot).lock.weight == pytest.approx(0.9)
    document.history.undo()
    opened: list[str] = []
    tracks.opened.connect(opened.append)
    QTest.keyClick(tracks, Qt.Key.Key_Return)
    assert opened == [foot.id]
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(tracks, Qt.Key.Key_Delete)
    assert document.locks.strips == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("key", "held"), [("Left", "Ctrl"), ("Left", "Alt+Shift"), ("Right", "Ctrl+Shift")])
def test_strips_stop_where_there_is_no_room(window: MainWindow, key: str, held: str) -> None:
    """At frame 0, and at the next strip of the same lock; nothing is pushed to the history then."""
    document = window.document
    part = lock(document, "position", "left hand")
    tracks = put(window, LockStrip(part, 0, 6, id="a"), LockStrip(part, 7, 12, id="b"))
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    window.timeline.board.select("a")
    steps = document.stack.index()
    modifiers = {"Ctrl": CONTROL, "Alt+Shift": ALT | SHIFT, "Ctrl+Shift": CONTROL | SHIFT}[held]
    QTest.keyClick(tracks, getattr(Qt.Key, f"Key_{key}"), modifiers)
    assert [(each.start, each.end) for each in document.locks.strips] == [(0, 6), (7, 12)]
    assert document.stack.index() == steps and "no room" in window.status.state.text


@pytest.mark.verify
def test_the_key_map_says_what_keys_do_on_strips(window: MainWindow, foot: LockStrip) -> None:
    """Other keys for the actions are other keys on strips, in the menu of a strip and in the list of the panel."""
    tracks, before = window.timeline.locks, window.key_map.choice
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    window.timeline.board.select(foot.id)
    try:
        window.key_map.change(before.with_key("move_later", ["Ctrl+F9"]).with_key("remove_strip", ["F9"]))
        QTest.keyClick(tracks, Qt.Key.Key_Right, CONTROL)
        assert now(window, foot).start == 8
        QTest.keyClick(tracks, Qt.Key.Key_F9, CONTROL)
        assert now(window, foot).start == 9
        menu = strip_menu(window, window.timeline.board, now(window, foot), 12, lambda _id: None)
        assert "Remove lock\tF9" in [action.text() for action in menu.actions()]
        QTest.keyClick(tracks, Qt.Key.Key_Delete)
        assert len(window.document.locks.strips) == 1
        QTest.keyClick(tracks, Qt.Key.Key_F9)
        assert window.document.locks.strips == ()
    finally:
        window.key_map.change(before)


def test_tab_goes_through_all_strips_and_on(window: MainWindow) -> None:
    document = window.document
    strips = [
        LockStrip(lock(document, "position", "left hand"), 0, 6, id="a"),
        LockStrip(lock(document, "position", "left hand"), 9, 12, id="b"),
        LockStrip(lock(document, "position", "right foot"), 4, 8, id="c"),
    ]
    tracks = put(window, *strips)
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    seen = []
    for _ in range(3):
        QTest.keyClick(tracks, Qt.Key.Key_Tab)
        seen.append(document.session.locks.selected)
    assert seen == ["a", "b", "c"] and tracks.hasFocus()
    QTest.keyClick(tracks, Qt.Key.Key_Up)
    assert document.session.locks.selected == "a"
    QTest.keyClick(tracks, Qt.Key.Key_Down)
    QTest.keyClick(tracks, Qt.Key.Key_Tab)
    assert not tracks.hasFocus()


# -- keys that are retimed --------------------------------------------------------------------------------------------


def test_strips_follow_keys_while_they_are_dragged_and_after(window: MainWindow, foot: LockStrip) -> None:
    document, model, tracks = window.document, window.timeline.model, window.timeline.locks
    last = [int(frame) for frame in model.frames[-4:]]
    held = replace(foot, start=last[0], end=last[-1], id="late")
    put(window, held)
    for how in ("slide", "spread"):
        model.select(last)
        if how == "slide":
            model.set_shift(5)
        else:
            model.set_scale(True, last[-1] + 10)
        shown = window.timeline.board.shown(held)
        assert shown.end == model.shifted()[last[-1]] != held.end and shown.start == model.shifted()[last[0]]
        assert tracks.shape(held, 0).right == pytest.approx(tracks.track_x(shown.end))
        assert document.locks.strip("late") == held  # nothing has happened yet
        model.drop()
        assert document.locks.strip("late") == shown
        document.history.undo()
        assert document.locks.strip("late") == held and window.timeline.board.shown(held) == held
