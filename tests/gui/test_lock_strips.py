"""Lock strips on the timeline: rows, drags of every part, menus, the keyboard, and what is drawn."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import style
from app.main_window import MainWindow
from app.timeline.locks import strip_item as item
from app.timeline.locks.flag_search import FlagSearch
from app.timeline.locks.picture import EMPTY_TEXT, HIGH_ROW, LOW_ROW
from app.timeline.locks.rows import lock_rows, siblings
from app.timeline.locks.strip_drag import with_weight
from app.timeline.locks.strip_menu import StripEdits, strip_menu
from app.timeline.locks.strip_times import (
    allowed_slide,
    default_ease,
    fits,
    place_for,
    slid,
    snapped,
    with_ease,
    with_end,
    with_start,
    with_target_at,
)
from app.timeline.locks.track import LockTracks
from core.animation.key import MAX_FRAME
from core.animation.locks.spans import HELD as HELD_KIND
from core.animation.locks.spans import JUMPS, LockSpan
from core.animation.locks.strip import LockStrip, TargetKey
from core.constraints.bind import bind
from core.constraints.lock import Lock
from core.skeleton.segment import end_effector

LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def lock(document, kind: str, joint: str, frame: int = 0, **values) -> Lock:
    skeleton, sequence = document.skeleton, document.sequence
    point = tuple(end_effector(skeleton, skeleton.joint_index(joint)))
    return bind(Lock(joint, kind, point=point, **values), skeleton, sequence.interpolated(frame / sequence.fps))


def put(window: MainWindow, *strips: LockStrip) -> LockTracks:
    assert window.document.set_strips(strips)
    window.workbench.fit_timeline()
    QApplication.processEvents()
    return window.timeline.locks


@pytest.fixture
def foot(window: MainWindow) -> LockStrip:
    """A strip of the right foot at frames 8 to 24, eases of 3 and 4 frames; the only one."""
    strip = LockStrip(lock(window.document, "position", "right foot", 12), 8, 24, 3, 4, id="foot")
    put(window, strip)
    return strip


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


def now(window: MainWindow, strip: LockStrip) -> LockStrip:
    found = window.document.strip(strip.id)
    assert found is not None
    return found


# -- time ----------------------------------------------------------------------------------------------------------

HELD = Lock(0, "position", target=(0.0, 0.0, 0.0))


@st.composite
def rows_of_strips(draw):
    """One lock's strips, none at the same frame, and which of them is dragged."""
    cuts = sorted(draw(st.lists(st.integers(0, 200), min_size=2, max_size=12, unique=True)))
    strips = [
        LockStrip(HELD, a, b, draw(st.integers(0, 9)), draw(st.integers(0, 9)))
        for a, b in zip(cuts[0::2], cuts[1::2], strict=False)
    ]
    if draw(st.booleans()):
        strips[-1] = replace(strips[-1], end=None)
    return strips, draw(st.integers(0, len(strips) - 1))


@settings(max_examples=150, deadline=None)
@given(rows_of_strips(), st.integers(-300, 300), st.sampled_from(["start", "end", "slide", "copy"]))
def test_a_retimed_strip_never_meets_another_of_its_lock(row, by, how):
    strips, number = row
    strip = strips[number]
    others = [each for each in strips if each is not strip]
    if how == "start":
        changed = with_start(strip, strip.start + by, others)
        assert changed.end == strip.end
    elif how == "end":
        if strip.end is None:
            return
        changed = with_end(strip, strip.end + by, others)
        assert changed.start == strip.start
    elif how == "slide":
        allowed = allowed_slide(strip, by, others)
        assert abs(allowed) <= abs(by) and allowed * by >= 0
        changed = slid(strip, allowed)
    else:
        at = place_for(strip, strip.start + by, strips)
        if at is None:
            return
        changed, others = slid(strip, at - strip.start), strips
    assert fits(changed, others)
    assert changed.start >= 0 and (changed.end is None or changed.start <= changed.end <= MAX_FRAME)


@settings(max_examples=100, deadline=None)
@given(rows_of_strips(), st.integers(-300, 300))
def test_a_slide_stops_as_near_as_it_may(row, by):
    strips, number = row
    strip = strips[number]
    others = [each for each in strips if each is not strip]
    way = 1 if by >= 0 else -1
    assert allowed_slide(strip, by, others) == max(
        (k for k in range(0, by + way, way) if fits(strip, others, k)), key=abs
    )


def test_strips_stop_one_frame_apart():
    first, second = LockStrip(HELD, 0, 10), LockStrip(HELD, 20, 30)
    assert with_end(first, 25, [second]).end == 19
    assert with_start(second, 3, [first]).start == 11
    assert allowed_slide(first, 15, [second]) == 9
    assert allowed_slide(first, 40, [second]) == 40  # there is room behind it
    assert place_for(first, 15, [first, second]) == 31
    assert place_for(LockStrip(HELD, 0, None), 5, [first, second]) == 31


def test_ease_gives_way_to_the_other_ease_and_never_runs_over_the_strip():
    strip = LockStrip(HELD, 0, 10, 3, 4)
    assert with_ease(strip, False, 50).eases == (6.0, 4.0)
    assert with_ease(strip, True, 50).eases == (3.0, 7.0)
    assert with_ease(strip, True, -3).eases == (3.0, 0.0)
    assert default_ease(LockStrip(HELD, 0, 4)).eases == (2.0, 2.0)


def test_keys_of_targets_stay_in_order():
    strip = LockStrip(HELD, 0, 40, targets=tuple(TargetKey(f, (f, 0.0, 0.0)) for f in (5, 10, 20)))
    assert [key.frame for key in with_target_at(strip, 1, 90).targets] == [5, 19, 20]
    assert [key.frame for key in with_target_at(strip, 0, -4).targets] == [0, 10, 20]


def test_snapping_prefers_what_is_near():
    assert snapped(10.4, [12, 30], 2.0) == 12
    assert snapped(9.4, [12, 30], 2.0) == 9
    assert snapped(9.4, [], 2.0) == 9


def test_weights_of_pairs_keep_their_proportions():
    both = LockStrip(Lock(0, "pose", target=np.eye(4), weight=(1.0, 0.5)), 0, weight=0.5)
    lighter = with_weight(both, 0.8)
    assert lighter.lock.weight == (0.8, 0.4) and lighter.weight == 1.0
    assert with_weight(LockStrip(HELD, 0, weight=0.5), 0.3).lock.weight == 0.3


# -- rows ----------------------------------------------------------------------------------------------------------


def test_a_row_for_each_part_and_kind(window: MainWindow) -> None:
    document = window.document
    early = LockStrip(lock(document, "position", "right foot"), 0, 8)
    late = LockStrip(lock(document, "position", "right foot", 20), 12)
    turn = LockStrip(lock(document, "orientation", "right foot"), 4, 9)
    hand = LockStrip(lock(document, "position", "left hand"), 0)
    whole = LockStrip(Lock("left hand", "balance", target=0.02), 0)
    rows = lock_rows((whole, late, turn, early, hand), document.skeleton)
    assert [(row.part, row.kind, len(row.strips)) for row in rows] == [
        ("Left hand", "position", 1),
        ("Right foot", "position", 2),
        ("Right foot", "orientation", 1),
        ("Whole figure", "balance", 1),
    ]
    assert rows[1].strips == (early, late)
    assert siblings(early, (late, turn, early, hand), document.skeleton) == [late]


def test_strips_at_the_same_frames_stand_in_rows_of_their_own(window: MainWindow) -> None:
    document = window.document
    first = LockStrip(lock(document, "position", "right foot"), 0, 10)
    second = LockStrip(replace(lock(document, "position", "right foot"), point=(0.0, 0.0, 0.1)), 5, 20)
    rows = lock_rows((first, second), document.skeleton)
    assert [row.strips for row in rows] == [(first,), (second,)]
    assert siblings(first, (first, second), document.skeleton) == []  # two points of one part are two locks


def test_the_group_folds_and_a_tab_shows_the_locks_alone(window: MainWindow, foot: LockStrip) -> None:
    timeline, tracks = window.timeline, window.timeline.locks
    assert timeline.sheet.isVisible() and tracks.isVisible() and tracks.row_height == LOW_ROW
    QTest.mouseClick(timeline.lock_header, LEFT)
    assert not tracks.isVisible()
    QTest.mouseClick(timeline.transport.tabs.tab("locks"), LEFT)
    assert tracks.isVisible() and not timeline.sheet.isVisible() and tracks.row_height == HIGH_ROW
    assert timeline.tracks is tracks
    QTest.mouseClick(timeline.transport.tabs.tab("keys"), LEFT)
    assert timeline.sheet.isVisible() and not tracks.isVisible()
    QTest.mouseClick(timeline.lock_header, LEFT)
    assert tracks.isVisible() and tracks.row_height == LOW_ROW


def test_a_click_on_a_name_selects_the_part_and_the_lock_that_holds_it_now(window: MainWindow, foot: LockStrip) -> None:
    document = window.document
    document.set_frame(12)
    QTest.mouseClick(window.timeline.locks, LEFT, pos=QPointF(40, 9).toPoint())
    assert document.selection == (document.skeleton.joint_index("right foot"),)
    assert document.session.selected_lock == foot.id


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
        assert document.stack.count() == steps + 1 and document.session.selected_lock == foot.id
        document.undo()
        assert document.state_json() == before
        document.redo()
        assert now(window, foot) == strip
        document.undo()


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
        document.undo()


def test_the_line_of_the_weight_makes_way_for_the_words(window: MainWindow, foot: LockStrip) -> None:
    tracks = window.timeline.locks
    window.timeline.board.select(None)
    StripEdits(window.timeline.board).put(replace(with_weight(foot, 0.5), ease_in=0.0, ease_out=0.0), "Weigh")
    shape, image = tracks.shape(now(window, foot), 0), tracks.grab().toImage()
    line = image.pixelColor(round(shape.right - 3.0), round(shape.level))
    across = [image.pixelColor(x, round(shape.level)) for x in range(round(shape.left + 8.0), round(shape.left + 30.0))]
    assert sum(color == line for color in across) == 0


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
    document.undo()
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
    assert now(window, strip) == strip and len(document.strips) == 2
    copy = document.strips[1]
    assert (copy.start, copy.end) == (14, 20) and copy.lock == strip.lock and copy.id != strip.id
    assert document.session.selected_lock == copy.id and document.stack.count() == steps + 1
    drag(tracks, press_at(tracks, strip, item.BODY), frames(window, 3), Qt.KeyboardModifier.AltModifier)
    assert [each.start for each in document.strips if each.id not in (strip.id, copy.id)] in ([9], [21])


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
    QTest.mouseMove(tracks, press_at(tracks, foot, item.END).toPoint())
    assert session.hovered_lock == foot.id and tracks.cursor().shape() == Qt.CursorShape.SplitHCursor
    QTest.mouseMove(tracks, press_at(tracks, foot, item.BODY).toPoint())
    assert tracks.cursor().shape() == Qt.CursorShape.OpenHandCursor
    QTest.mouseMove(tracks, QPointF(tracks.width() - 10.0, 10.0).toPoint())
    assert session.hovered_lock is None and tracks.cursor().shape() == Qt.CursorShape.ArrowCursor


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
    assert document.strip(foot.id) is not None


def test_the_last_key_leaves_the_target_where_it_was(window: MainWindow, foot: LockStrip) -> None:
    edits = StripEdits(window.timeline.board)
    edits.put(replace(foot, targets=(TargetKey(12, (0.1, 0.2, 0.3)),)), "Key")
    edits.remove_target(now(window, foot), 12)
    strip = now(window, foot)
    assert strip.targets == () and strip.lock.target.tolist() == [0.1, 0.2, 0.3]


# -- menu and keyboard ---------------------------------------------------------------------------------------------


def choose(window: MainWindow, strip: LockStrip, frame: int, text: str) -> None:
    menu = strip_menu(window, window.timeline.board, strip, frame)
    action = next(action for action in menu.actions() if action.text().startswith(text))
    assert action.isEnabled()
    action.trigger()


def test_the_menu_splits_ends_copies_and_removes(window: MainWindow, foot: LockStrip) -> None:
    document = window.document
    choose(window, foot, 16, "Split at frame 16")
    first, second = document.strips
    assert (first.start, first.end, second.start, second.end) == (8, 15, 16, 24) and first.id == foot.id
    document.undo()
    choose(window, foot, 16, "End at frame 16")
    assert now(window, foot).end == 16
    choose(window, now(window, foot), 10, "Copy")
    document.set_frame(3)
    choose(window, now(window, foot), 20, "Paste at frame 20")  # where the mouse is, as all of the menu
    assert [(strip.start, strip.end) for strip in document.strips] == [(8, 16), (20, 28)]
    choose(window, now(window, foot), 10, "Hold without end")
    assert now(window, foot).end == 19  # the copy comes next
    choose(window, document.strips[1], 22, "Hold without end")
    assert document.strips[1].end is None
    choose(window, now(window, foot), 10, "Hold at once, without ease")
    assert now(window, foot).eases == (0.0, 0.0)
    choose(window, now(window, foot), 10, "Ease in and out over 4 frames")
    assert now(window, foot).eases == (4.0, 4.0)
    choose(window, now(window, foot), 12, "Key target at frame 12")
    assert [key.frame for key in now(window, foot).targets] == [12]
    window.timeline.board.select(foot.id)
    choose(window, now(window, foot), 10, "Remove lock")
    assert document.strip(foot.id) is None and document.session.selected_lock is None


def test_the_menu_offers_only_what_is_possible(window: MainWindow, foot: LockStrip) -> None:
    def enabled(frame: int) -> dict[str, bool]:
        menu = strip_menu(window, window.timeline.board, foot, frame)
        return {action.text(): action.isEnabled() for action in menu.actions()}

    assert not enabled(8)["Split at frame 8"] and not enabled(24)["End at frame 24"]
    assert enabled(9)["Split at frame 9"] and not enabled(9)["Paste at frame 9"]


def test_the_keyboard_moves_retimes_and_removes(window: MainWindow, foot: LockStrip) -> None:
    document, tracks = window.document, window.timeline.locks
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    window.timeline.board.select(None)
    QTest.keyClick(tracks, Qt.Key.Key_Tab)
    assert document.session.selected_lock == foot.id
    assert tracks.accessibleDescription() == "Right foot, position, frames 8 to 24"
    frame = document.frame
    QTest.keyClick(tracks, Qt.Key.Key_Right)
    assert (now(window, foot).start, now(window, foot).end) == (9, 25) and document.frame == frame
    assert window.status.state.text == "Right foot, position: frames 9 to 25"
    QTest.keyClick(tracks, Qt.Key.Key_Left, SHIFT)
    assert (now(window, foot).start, now(window, foot).end) == (9, 24)
    QTest.keyClick(tracks, Qt.Key.Key_Left, SHIFT | CONTROL)
    assert (now(window, foot).start, now(window, foot).end) == (8, 24)
    opened: list[str] = []
    tracks.opened.connect(opened.append)
    QTest.keyClick(tracks, Qt.Key.Key_Return)
    assert opened == [foot.id]
    QTest.keyClick(tracks, Qt.Key.Key_Delete)
    assert document.strips == ()


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
        seen.append(document.session.selected_lock)
    assert seen == ["a", "b", "c"] and tracks.hasFocus()
    QTest.keyClick(tracks, Qt.Key.Key_Up)
    assert document.session.selected_lock == "a"
    QTest.keyClick(tracks, Qt.Key.Key_Down)
    QTest.keyClick(tracks, Qt.Key.Key_Tab)
    assert not tracks.hasFocus()


# -- painting ------------------------------------------------------------------------------------------------------


def test_only_strips_in_sight_are_painted(window: MainWindow, monkeypatch) -> None:
    held = [lock(window.document, "position", joint) for joint in ("right foot", "left foot", "left hand", "head")]
    strips = [LockStrip(each, 400 * k, 400 * k + 300, 20, 20) for each in held for k in range(25)]
    window.document.set_holds(False)  # what the locks do to the poses does not matter here
    tracks = put(window, *strips)
    window.document.set_frame(4350)
    window.timeline.model.pixels, window.timeline.model.left = 2.0, 4000.0
    painted = []
    monkeypatch.setattr(item, "paint_strip", lambda painter, strip, *rest: painted.append(strip))
    tracks.grab()
    first, last = window.timeline.model.visible()
    inside = [strip for strip in strips if strip.start <= last + 6 and strip.end >= first - 6]
    assert set(painted) == set(inside) and len(painted) < 20
    painted.clear()
    window.document.set_frame(4390)
    tracks.grab()
    assert not painted  # only the playhead has moved


def test_the_outline_of_a_long_strip_is_cut_without_changing_what_is_seen():
    strip = LockStrip(HELD, 0, 100_000, 300, 50_000)
    shape = item.shape_of(strip, lambda frame: 60.0 * frame, 0.0, 14.0, 1000.0)
    cut = shape.outline(1.0, 9000.0, 20_000.0)
    box = cut.boundingRect()
    assert (box.left(), box.right()) == (9000.0, 20_000.0)
    assert cut[1].y() == pytest.approx(7.0)  # half-way up the ramp
    whole = shape.outline()
    assert [(p.x(), p.y()) for p in whole] == [(0, 14), (18_000, 0), (3_000_000, 0), (6_000_000, 14)]


def test_a_strip_is_as_high_as_its_weight(window: MainWindow, foot: LockStrip) -> None:
    tracks = window.timeline.locks
    tracks.setFocus()
    window.timeline.board.select(None)
    window.document.set_frame(0)

    def filled() -> int:
        """Return how many pixels of a column through the middle have the fill's colour."""
        image = tracks.grab().toImage()
        shape = tracks.shape(now(window, foot), 0)
        x = round(shape.fall - 3.0)
        ratio = image.devicePixelRatio()
        colors = [image.pixelColor(round(x * ratio), round(y * ratio)) for y in range(LOW_ROW)]
        return sum(color.red() - color.blue() > 60 for color in colors)

    full = filled()
    StripEdits(window.timeline.board).put(with_weight(foot, 0.5), "Weigh")
    half = filled()
    assert full >= 12 and 0.4 * full <= half <= 0.75 * full


def test_an_empty_group_says_how_to_lock(window: MainWindow, monkeypatch) -> None:
    tracks = window.timeline.locks
    painted = []
    window.timeline.board.changed.emit()
    monkeypatch.setattr(tracks._picture, "paint_empty", lambda painter: painted.append(True))
    tracks.grab()
    assert painted and EMPTY_TEXT == "Select a part and press L"
    assert tracks.focusPolicy() == Qt.FocusPolicy.NoFocus


# -- keys that are retimed, and flags ------------------------------------------------------------------------------


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
        assert document.strip("late") == held  # nothing has happened yet
        model.drop()
        assert document.strip("late") == shown
        document.undo()
        assert document.strip("late") == held and window.timeline.board.shown(held) == held


@pytest.fixture
def search(monkeypatch):
    """What the search for flags finds, in a list, and the threads it ran in."""
    found: list[LockSpan] = []
    threads: list[threading.Thread] = []

    def lock_spans(sequence, cancelled=lambda: False, progress=None):
        threads.append(threading.current_thread())
        return tuple(found)

    monkeypatch.setattr("core.animation.locks.locked.LockedMotion.lock_spans", lock_spans)
    monkeypatch.setattr(FlagSearch, "waits", False)
    return found, threads


def test_flagged_frames_are_marked_on_strip_ruler_and_header(window: MainWindow, search, qtbot, monkeypatch) -> None:
    found, threads = search
    board, ruler = window.timeline.board, window.timeline.ruler
    found += [
        LockSpan(JUMPS, 12, 14, ("foot",), np.radians(18.0), 13.4, "jumps"),
        LockSpan(HELD_KIND, 20, 22, ("foot",), 0.021, 21.0, "held"),
    ]
    strip = LockStrip(lock(window.document, "position", "right foot", 12), 8, 24, id="foot")
    tracks = put(window, strip)
    qtbot.waitUntil(lambda: len(board.flags) == 2, timeout=5000)
    assert threads and all(thread is not threading.main_thread() for thread in threads)
    assert window.timeline.model.flagged == ((12, 14), (20, 22))
    assert window.timeline.lock_header.summary.startswith("2 flagged")
    assert [board.flag_text(flag) for flag in board.flags] == [
        "Right foot jumps 18° between frames 13 and 14",
        "Right foot not held: 2.1 cm",
    ]
    assert ruler.tip(QPointF(ruler.track_x(21), 4.0)) == "Right foot not held: 2.1 cm\nFrames 20 to 22"
    assert "Right foot jumps 18°" in ruler.tip(QPointF(ruler.track_x(12), 18.0))
    assert ruler.tip(QPointF(ruler.track_x(17), 4.0)) == ""
    said = []
    window.document.message.connect(lambda _level, text, _details: said.append(text))
    for frame, summary in ((21, "Right foot not held: 2.1 cm"), (22, "Right foot not held: 2.1 cm"), (23, "2 flagged")):
        window.document.set_frame(frame)
        assert window.timeline.lock_header.summary.startswith(summary)
    assert said == ["Right foot not held: 2.1 cm", ""]
    window.document.set_frame(0)
    middle = tracks.shape(strip, 0).box.center().y()
    assert "Right foot jumps 18°" in tracks.tip(QPointF(tracks.track_x(13), middle))
    assert "jumps" not in tracks.tip(QPointF(tracks.track_x(18), middle))
    drawn = []
    board.changed.emit()  # nothing is painted again else
    monkeypatch.setattr(item, "paint_zigzags", lambda painter, lines: drawn.extend(lines))
    tracks.grab()
    spans = [(line.boundingRect().left(), line.boundingRect().right()) for line in drawn]
    assert spans == [pytest.approx((tracks.track_x(a), tracks.track_x(b))) for a, b in ((12, 14), (20, 22))]
    image = ruler.grab().toImage()
    ratio = image.devicePixelRatio()
    color = image.pixelColor(round(ruler.track_x(21) * ratio), round((ruler.height() - 2) * ratio))
    assert color == style.color("conflict")
    window.document.set_holds(False)
    assert board.flags == ()  # there is nothing to hold


def test_a_new_search_waits_for_calm_and_for_the_old_one(window: MainWindow, monkeypatch, qtbot) -> None:
    monkeypatch.setattr(FlagSearch, "waits", False)
    running, most, done = [], [], []

    def lock_spans(sequence, cancelled=lambda: False, progress=None):
        running.append(1)
        most.append(len(running))
        try:
            for step in range(40):
                progress(step / 40)
                time.sleep(0.01)
            done.append(len(sequence.strips))
        finally:
            running.pop()
        return ()

    monkeypatch.setattr("core.animation.locks.locked.LockedMotion.lock_spans", lock_spans)
    strip = LockStrip(lock(window.document, "position", "right foot", 12), 8, 24, id="foot")
    put(window, strip)
    board = window.timeline.board
    qtbot.waitUntil(lambda: bool(running), timeout=5000)
    put(window, strip, replace(strip, id="other", start=30, end=31))
    qtbot.waitUntil(lambda: done == [2] and not board.search.busy, timeout=8000)
    assert max(most) == 1 and board.flags == ()
