"""A recording has a key at every frame: the timeline draws bars and a few pictures, and it plays on time."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.timeline.key_strip import KeyStrip
from app.timeline.sheet import picture as sheet_picture
from app.timeline.sheet.dope_sheet import DopeSheet
from app.timeline.sheet.picture import runs
from core.animation import Sequence
from core.animation.key import Key
from core.formats import bundled_folder, save
from core.formats.project import Project
from core.skeleton import load_skeleton

RATE = 120.0
FRAMES = 600
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def recorded(window, tmp_path):
    figure = load_skeleton(bundled_folder() / "stickman.scr")
    times = np.arange(FRAMES) / RATE
    poses = np.tile(figure.rest_pose(), (FRAMES, 1))
    poses[:, 0] = times
    poses[:, 3:] += 0.1 * np.sin(times)[:, None]
    sequence = Sequence(figure, fps=RATE, name="recorded")
    sequence.set_keys([Key(i, q, "linear") for i, q in enumerate(poses)])
    save(Project([figure], [sequence]), tmp_path / "recorded.seq")
    assert window.document.files.open(tmp_path / "recorded.seq")
    window.document.session.playback.loop = False
    QApplication.processEvents()
    return window


def test_runs():
    flags = np.array([True, True, False, True, False, False, True])
    assert runs(flags).tolist() == [[0, 2], [3, 4], [6, 7]]
    assert runs(np.zeros(0, dtype=bool)).shape == (0, 2)


@pytest.mark.verify
def test_pictures_do_not_cover_each_other(recorded):
    strip = recorded.findChild(KeyStrip)
    drawn = []
    strip._paint_key = lambda painter, x, key, now: drawn.append(x)
    strip.grab()
    gaps = np.diff(sorted(drawn))
    assert 5 < len(drawn) < 40
    assert gaps.min() > 0.4 * strip.picture_size[0]


@pytest.mark.verify
def test_pictures_of_keys_a_third_of_a_picture_apart_are_no_slivers(recorded):
    strip = recorded.findChild(KeyStrip)
    strip.model.show_span(100.0, 140.0)
    width = strip.picture_size[0]
    assert 0.25 < strip.model.pixels / width < 0.55
    drawn = []
    strip._paint_key = lambda painter, x, key, now: drawn.append(x)
    strip.grab()
    assert len(drawn) > 10 and np.diff(sorted(drawn)).min() >= 0.55 * width


def test_pictures_stay_the_same_when_panned(recorded):
    strip = recorded.findChild(KeyStrip)
    strip.model.zoom(1.5, 100.0)

    def shown():
        frames = set()
        strip._paint_key = lambda painter, x, key, now: frames.add(key.frame)
        strip.grab()
        return frames

    before = shown()
    strip.model.pan(-37.0)
    both = before & shown()
    assert len(both) >= len(before) - 3


def test_crowded_keys_are_bars(recorded, monkeypatch):
    sheet = recorded.findChild(DopeSheet)
    marks, bars = [], []
    monkeypatch.setattr(sheet._stamps, "draw", lambda painter, places, codes, *rest: marks.extend(codes.tolist()))
    monkeypatch.setattr(sheet_picture, "draw_boxes", lambda painter, boxes, color: bars.extend(boxes.tolist()))
    sheet.model.touch()
    sheet.grab()
    rows = len(sheet.model.rows)
    assert len(bars) >= rows
    assert len(marks) <= 3 * rows  # both ends and the current key
    bars.clear()
    sheet.model.zoom(1000.0, 100.0)  # keys are apart again
    marks.clear()
    sheet.grab()
    assert len(marks) > 3 * rows


def test_selected_keys_show_in_the_bars(recorded):
    sheet = recorded.findChild(DopeSheet)
    before = sheet.grab().toImage()
    sheet.model.select(range(200, 400))
    after = sheet.grab().toImage()
    x = round(sheet.track_x(300))
    assert before.pixelColor(x, 9) != after.pixelColor(x, 9)


@pytest.mark.verify
def test_ghosts_of_a_recording_stand_apart(recorded):
    document = recorded.document
    document.session.view.overlays["ghosts"] = True
    document.set_frame(300)
    ghosts = recorded.area.host.scene.ghosts
    assert [ghost.frame for ghost in ghosts] == [270, 330]


def played(window, seconds: float, first: int = 0) -> list[tuple[float, int]]:
    """Play from a frame for a while, or to the end; return (time since the start [s], frame) as each was chosen.

    The time is taken when a frame is chosen, before it is drawn: how long a machine draws does not count.
    """
    document, player = window.document, window.player
    document.set_frame(first)
    chosen: list[tuple[float, int]] = []
    choose = document.set_frame

    def noted(frame: int) -> None:
        chosen.append((time.perf_counter() - start, frame))
        choose(frame)

    document.set_frame = noted
    try:
        start = time.perf_counter()
        player.play()
        while player.playing and time.perf_counter() - start < seconds:
            QApplication.processEvents()
        player.pause()
    finally:
        del document.set_frame
    return chosen


@pytest.mark.verify
def test_plays_at_the_rate_of_the_recording(recorded):
    chosen = played(recorded, 2.0)
    off = [frame - at * RATE for at, frame in chosen]
    assert len(chosen) > 5 and chosen[-1][1] > RATE
    assert -1.5 <= np.median(off) <= 0.5  # the frame that is due, rounded down
    assert np.abs(off).max() <= 0.1 * RATE  # another process may take the processor between clock and choice


@pytest.mark.verify
def test_a_recorded_walk_plays_in_real_time(window, data_folder):
    assert window.document.files.open(data_folder / "bvh" / "cmu_12_01_walk.bvh")
    sequence = window.document.sequence
    assert sequence.fps == RATE and sequence.range == (0, 523)
    QApplication.processEvents()
    window.document.session.playback.loop = False
    chosen = played(window, 20.0, 313)
    assert window.document.frame == 523 and chosen[-1][1] == 523
    off = [frame - 313 - at * RATE for at, frame in chosen[:-1]]
    assert -1.5 <= np.median(off) <= 0.5
    # The last frame is chosen as soon as what is drawn before it is done.
    assert 210 / RATE <= chosen[-1][0] + 1e-3 and chosen[-2][0] < 210 / RATE


def drag(widget, start: QPointF, end: QPointF, held=Qt.KeyboardModifier.NoModifier) -> None:
    at = start.toPoint()
    QTest.mousePress(widget, LEFT, held, at)
    for share in (0.2, 0.6, 1.0):
        to = start + share * (end - start)
        event = QMouseEvent(
            QEvent.Type.MouseMove, to, QPointF(widget.mapToGlobal(to.toPoint())), Qt.MouseButton.NoButton, LEFT, held
        )
        QApplication.sendEvent(widget, event)
    QTest.mouseRelease(widget, LEFT, held, end.toPoint())
    QApplication.processEvents()


@pytest.mark.verify
def test_a_drag_over_crowded_keys_selects_them_and_moves_none(recorded):
    model, sheet = recorded.timeline.model, recorded.timeline.sheet
    model.fit()
    before, steps = model.frames.tolist(), recorded.document.stack.count()
    y = 8.0
    first, last = QPointF(sheet.track_x(100), y), QPointF(sheet.track_x(200), y)
    assert model.pixels < 5.0 and sheet.key_under(first) is not None
    drag(sheet, first, last)
    chosen = model.selected.frames
    assert model.frames.tolist() == before and recorded.document.stack.count() == steps
    assert abs(chosen[0] - 100) <= 2 and abs(chosen[-1] - 200) <= 2 and len(chosen) > 95
    drag(sheet, QPointF(sheet.track_x(300), y), QPointF(sheet.track_x(320), y), Qt.KeyboardModifier.ShiftModifier)
    assert len(model.selected.frames) > len(chosen) + 10
    QTest.mouseClick(sheet, LEFT, Qt.KeyboardModifier.NoModifier, QPointF(sheet.track_x(400), y).toPoint())
    assert len(model.selected.frames) == 1 and recorded.document.frame == model.selected.frames[0]
    assert abs(recorded.document.frame - 400) <= 2


@pytest.mark.verify
def test_selected_crowded_keys_are_moved_by_a_drag(recorded):
    model, sheet = recorded.timeline.model, recorded.timeline.sheet
    model.fit()
    model.select(range(500, FRAMES))
    at = QPointF(sheet.track_x(540), 8.0)
    drag(sheet, at, at + QPointF(20 * model.pixels, 0.0))
    assert model.frames[-1] > FRAMES + 10 and len(model.frames) == FRAMES


@pytest.mark.verify
def test_shift_and_a_drag_on_the_ruler_select_a_span(recorded):
    timeline = recorded.timeline
    model, ruler = timeline.model, timeline.ruler
    model.fit()
    frame = recorded.document.frame
    drag(ruler, QPointF(ruler.track_x(150), 8.0), QPointF(ruler.track_x(250), 8.0), Qt.KeyboardModifier.ShiftModifier)
    chosen = model.selected.frames
    assert abs(chosen[0] - 150) <= 2 and abs(chosen[-1] - 250) <= 2 and len(chosen) > 95
    assert recorded.document.frame == frame
    recorded.document.selection.set(["right arm"])
    timeline.show_tab("curves")
    drag(ruler, QPointF(ruler.track_x(350), 8.0), QPointF(ruler.track_x(400), 8.0), Qt.KeyboardModifier.ShiftModifier)
    assert 45 < len(model.selected.frames) < 55
    points = timeline.curves.model.points
    assert points and all(abs(int(frames[0]) - 350) <= 2 for frames in points.values())


@pytest.mark.verify
@pytest.mark.parametrize("held", [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier])
def test_a_drag_over_crowded_keys_of_curves_draws_a_box(recorded, held):
    document, timeline = recorded.document, recorded.timeline
    document.selection.set((document.skeleton.joint_index("right arm"),))
    timeline.show_tab("curves")
    QApplication.processEvents()
    canvas = timeline.curves.canvas
    canvas.fit(False)
    QApplication.processEvents()
    canvas.grab()
    view, curves = canvas.view, timeline.curves.model
    row = curves.editable[0]
    _, values = view.marks(row)
    start = QPointF(view.x(200), view.scale.y(float(values[200])))
    end = QPointF(view.x(300), view.scale.y(float(values[300])))
    assert view.key_at(start) is not None
    before, steps = timeline.model.frames.tolist(), document.stack.count()
    drag(canvas, start, end, held)
    assert timeline.model.frames.tolist() == before and document.stack.count() == steps
    assert sum(len(each) for each in curves.points.values()) > 20
    QTest.mouseClick(canvas, LEFT, Qt.KeyboardModifier.NoModifier, start.toPoint())
    assert sum(len(each) for each in curves.points.values()) == 1 and abs(document.frame - 200) <= 2
