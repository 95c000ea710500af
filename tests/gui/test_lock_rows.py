"""The rows of lock strips: what stands in them, how it is painted, and the flags on it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.look import style
from app.timeline.locks import strip_item as item
from app.timeline.locks.board import FlagSearch, lock_rows, siblings
from app.timeline.locks.strip_drag import with_weight
from app.timeline.locks.strip_item import between_targets
from app.timeline.locks.strip_menu import StripEdits
from app.timeline.strips import shape as shapes
from app.timeline.strips.track import HIGH_ROW, LOW_ROW
from app.window.main_window import MainWindow
from core.animation.locks.spans import HELD as HELD_KIND
from core.animation.locks.spans import JUMPS, LockSpan
from core.animation.locks.strip import LockStrip
from core.constraints.lock import Lock
from tests.gui.strip_support import foot_strip, lock, now, put

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def foot(window: MainWindow) -> LockStrip:
    return foot_strip(window)


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


def test_equations_stand_in_rows_of_the_parts_that_they_name(window: MainWindow) -> None:
    skeleton = window.document.skeleton
    bend = LockStrip(Lock("chest", "equation", target='"chest".x = 0.5 * "abdomen".x'), 0, 8)
    later = replace(bend, id="later", start=12, end=None)
    knees = LockStrip(Lock("left shank", "equation", target='"left shank".x = "right shank".x'), 10)
    rows = lock_rows((bend, knees, later), skeleton)
    assert [(row.part, row.strips) for row in rows] == [
        ("Chest, abdomen", (bend, later)), ("Left shank, right shank", (knees,)),
    ]  # fmt: skip
    assert siblings(bend, (bend, knees, later), skeleton) == [later]  # other equations are in nobody's way


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


@pytest.mark.verify
def test_a_click_on_a_name_selects_the_part_and_the_lock_that_holds_it_now(window: MainWindow, foot: LockStrip) -> None:
    document = window.document
    document.set_frame(12)
    QTest.mouseClick(window.timeline.locks, LEFT, pos=QPointF(40, 9).toPoint())
    assert document.selection.joints == (document.skeleton.joint_index("right foot"),)
    assert document.session.locks.selected == foot.id


# -- painting ------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_only_strips_in_sight_are_painted(window: MainWindow, monkeypatch) -> None:
    held = [lock(window.document, "position", joint) for joint in ("right foot", "left foot", "left hand", "head")]
    strips = [LockStrip(each, 400 * k, 400 * k + 300, 20, 20) for each in held for k in range(25)]
    window.document.locks.set_holds(False)  # what the locks do to the poses does not matter here
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
    held = Lock(0, "position", target=(0.0, 0.0, 0.0))
    strip = LockStrip(held, 0, 100_000, 300, 50_000)
    shape = shapes.shape_of(strip, lambda frame: 60.0 * frame, 0.0, 14.0, 1000.0)
    cut = shape.outline(1.0, 9000.0, 20_000.0)
    box = cut.boundingRect()
    assert (box.left(), box.right()) == (9000.0, 20_000.0)
    assert cut[1].y() == pytest.approx(7.0)  # half-way up the ramp
    whole = shape.outline()
    assert [(p.x(), p.y()) for p in whole] == [(0, 14), (18_000, 0), (3_000_000, 0), (6_000_000, 14)]


@pytest.mark.fresh_window
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
    monkeypatch.setattr(tracks.picture, "paint_empty", lambda painter: painted.append(True))
    tracks.grab()
    assert painted and tracks.picture.empty_text() == "Select a part and press L"
    assert tracks.focusPolicy() == Qt.FocusPolicy.NoFocus


# -- flags -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def search(monkeypatch):
    """What the search for flags finds, in a list, and the threads it ran in."""
    found: list[LockSpan] = []
    threads: list[threading.Thread] = []

    def lock_spans(sequence, cancelled=lambda: False, progress=None):
        threads.append(threading.current_thread())
        return tuple(found)

    monkeypatch.setattr("app.timeline.locks.board.lock_spans", lock_spans)
    monkeypatch.setattr(FlagSearch, "waits", False)
    return found, threads


@pytest.mark.verify
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
    assert [(each.first, each.last) for each in window.timeline.model.marked] == [(12, 14), (20, 22)]
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
    window.document.locks.set_holds(False)
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
            done.append(len(sequence.locks.strips))
        finally:
            running.pop()
        return ()

    monkeypatch.setattr("app.timeline.locks.board.lock_spans", lock_spans)
    strip = LockStrip(lock(window.document, "position", "right foot", 12), 8, 24, id="foot")
    put(window, strip)
    board = window.timeline.board
    qtbot.waitUntil(lambda: bool(running), timeout=5000)
    put(window, strip, replace(strip, id="other", start=30, end=31))
    qtbot.waitUntil(lambda: done == [2] and not board.search.busy, timeout=8000)
    assert max(most) == 1 and board.flags == ()


def test_texts_stand_between_keys_of_the_target() -> None:
    assert between_targets((), 10.0, 100.0) == [(10.0, 100.0)]
    assert between_targets((10.0, 40.0), 10.0, 100.0) == [(18.0, 32.0), (48.0, 100.0)]
    assert between_targets((95.0, 50.0, 55.0), 10.0, 100.0) == [(10.0, 42.0), (63.0, 87.0)]
    assert between_targets((0.0, 8.0, 16.0), 0.0, 20.0) == []
