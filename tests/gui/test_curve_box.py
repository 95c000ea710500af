"""The box round the selected keys of the curve editor, and the normalised view: each drag one step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest

from app.timeline.curves.box import key_box, side_at
from app.timeline.curves.edits import with_many_slopes
from app.timeline.curves.panel import CurvesPanel
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.constraints import Lock

LEFT = Qt.MouseButton.LeftButton
NONE, ALT, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def panel(window, qtbot) -> Iterator[CurvesPanel]:
    window.document.selection.set(["right forearm"])
    window.timeline.show_tab("curves")
    qtbot.wait(20)
    made = window.timeline.curves
    made.canvas.grab()
    yield made
    made.model.set_box_shown(True)
    made.model.set_normalised(False)
    made.model.keep_curves(False)


def select(panel: CurvesPanel, frames: list[int], row: int = 0) -> None:
    panel.model.select({panel.model.editable[row].id: np.array(frames)})
    panel.canvas.grab()


def values(panel: CurvesPanel, row: int = 0) -> dict[int, float]:
    line = panel.model.editable[row]
    frames = panel.model.key_frames(line)
    return dict(zip(frames.tolist(), panel.model.key_values(line, frames).tolist(), strict=True))


def drag(canvas, start: QPointF, shift: QPointF, modifiers=NONE, release: bool = True) -> None:
    QTest.mousePress(canvas, LEFT, modifiers, start.toPoint())
    start = QPointF(start.toPoint())
    for part in (0.4, 0.8, 1.0):
        at = start + shift * part
        event = QMouseEvent(QEvent.Type.MouseMove, at, canvas.mapToGlobal(at), Qt.MouseButton.NoButton, LEFT, modifiers)
        canvas.mouseMoveEvent(event)
    if release:
        QTest.mouseRelease(canvas, LEFT, modifiers, (start + shift).toPoint())


def grip(panel: CurvesPanel, side: tuple[int, int]) -> QPointF:
    box = key_box(panel.values)
    assert box is not None and side in box.sides
    return box.grip(panel.values, side)


def test_the_upper_side_scales_values_about_the_lowest_as_one_step(window, panel):
    document, every = window.document, values(panel)
    frames = sorted(every)[:4]
    select(panel, frames)
    box, state, steps = key_box(panel.values), document.state_json(), document.stack.index()
    tall = (box.high - box.low) / panel.model.scale.unit
    drag(panel.canvas, grip(panel, (0, 1)), QPointF(0.0, 0.5 * tall), release=False)  # down: half as tall
    assert "Values × 0.5" in panel.canvas.drag.tag()
    QTest.keyClick(panel.canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(panel.canvas, LEFT, NONE, QPoint(1, 1))
    assert document.state_json() == state and document.stack.index() == steps
    shift = round(0.5 * tall)
    drag(panel.canvas, grip(panel, (0, 1)), QPointF(0.0, shift))
    after, factor = values(panel), 1.0 - shift / tall
    assert document.stack.index() == steps + 1
    for frame in frames:
        assert after[frame] == pytest.approx(box.low + factor * (every[frame] - box.low), abs=1e-6)
    assert all(after[frame] == every[frame] for frame in every if frame not in frames)
    document.stack.undo()
    assert document.state_json() == state


def test_the_right_side_scales_time_and_says_when_two_keys_would_share_a_frame(window, panel):
    document, every = window.document, values(panel)
    frames = sorted(every)[-3:]
    select(panel, frames)
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    before = document.state_json()
    pixels = panel.model.timeline.pixels
    wide = frames[-1] - frames[0]
    drag(panel.canvas, grip(panel, (1, 0)), QPointF(wide * pixels, 0.0))
    moved = [frame for frame in sorted(values(panel)) if frame >= frames[0]]
    assert moved == [frames[0] + 2 * (frame - frames[0]) for frame in frames]
    assert sorted(panel.model.points[panel.model.editable[0].id].tolist()) == moved  # they stay selected
    document.stack.undo()
    select(panel, frames)
    drag(panel.canvas, grip(panel, (1, 0)), QPointF((1 - wide) * pixels, 0.0), release=False)
    assert said[-1] == "Two keys would share a frame"
    QTest.keyClick(panel.canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(panel.canvas, LEFT, NONE, QPoint(1, 1))
    assert document.state_json() == before


@pytest.mark.verify
def test_alt_skews_the_values_and_the_inside_moves_all(window, panel):
    document, every = window.document, values(panel)
    frames = sorted(every)[:4]
    select(panel, frames)
    drag(panel.canvas, grip(panel, (1, 0)), QPointF(0.0, -10.0), ALT)
    after, unit = values(panel), panel.model.scale.unit
    for frame in frames:
        share = (frame - frames[0]) / (frames[-1] - frames[0])
        assert after[frame] - every[frame] == pytest.approx(10.0 * unit * share, rel=0.02, abs=1e-9)
    assert document.stack.text(document.stack.index() - 1) == "Skew keys"
    document.stack.undo()
    select(panel, frames)
    box = key_box(panel.values).rect(panel.values)
    places = (
        QPointF(x, y)
        for x in np.arange(box.left() + 12, box.right() - 12, 3)
        for y in np.arange(box.top() + 12, box.bottom() - 12, 3)
    )
    free = next(at for at in places if not panel.values.key_at(at) and not panel.values.handle_at(at))
    assert side_at(panel.values, key_box(panel.values), free) == (0, 0)
    drag(panel.canvas, free, QPointF(0.0, -8.0), SHIFT)  # a rectangle that selects more
    assert values(panel) == every
    select(panel, frames)
    drag(panel.canvas, free, QPointF(0.0, -30.0))
    rises = [values(panel)[frame] - every[frame] for frame in frames]
    assert rises[0] > 0.5 and rises == pytest.approx([rises[0]] * 4)
    panel.model.set_box_shown(False)
    assert key_box(panel.values) is None


@pytest.mark.verify
def test_tangents_set_by_hand_scale_with_the_box(window, panel):
    every = values(panel)
    frames, row = sorted(every)[:3], panel.model.editable[0]
    with window.document.keys.begin_gesture("Set tangents") as gesture:
        gesture.set_values(lambda s: {"keys": with_many_slopes(s, {row.id: {frames[1]: (0.02, 0.02)}})})
    select(panel, frames)
    box = key_box(panel.values)
    tall = round((box.high - box.low) / panel.model.scale.unit)
    drag(panel.canvas, grip(panel, (0, 1)), QPointF(0.0, round(0.5 * tall)))
    factor = (values(panel)[frames[1]] - box.low) / (every[frames[1]] - box.low)
    shape = window.document.sequence.keys.at(frames[1]).shape_of(row.channel)
    assert 0.3 < factor < 0.7 and shape.slopes_out[0] == pytest.approx(0.02 * factor, rel=1e-6)


@pytest.mark.verify
def test_in_the_normalised_view_every_curve_is_as_tall_and_a_drag_moves_by_what_the_mouse_does(window, panel, qtbot):
    window.document.selection.set(["chest"])
    qtbot.wait(10)
    panel.model.set_normalised(True)
    panel.canvas.grab()
    for row in panel.model.editable:
        frames = panel.model.key_frames(row)
        drawn = panel.values.drawn(row, panel.model.key_values(row, frames))
        assert -1e-9 <= drawn.min() and drawn.max() <= 1.0 + 1e-9
    rows = panel.model.editable[:2]
    frame = int(panel.model.key_frames(rows[0])[1])
    before = [float(panel.model.key_values(row, np.array([frame]))[0]) for row in rows]
    panel.model.select({row.id: np.array([frame]) for row in rows})
    panel.canvas.grab()
    start = QPointF(panel.values.x(frame), panel.values.y(rows[0], before[0]))
    drag(panel.canvas, start, QPointF(0.0, -20.0), Qt.KeyboardModifier.NoModifier)
    after = [float(panel.model.key_values(row, np.array([frame]))[0]) for row in rows]
    rises = [(b - a) * panel.values.gain(row) for a, b, row in zip(before, after, rows, strict=True)]
    assert rises[0] == pytest.approx(20.0 * panel.model.scale.unit, rel=0.2) and rises[1] == pytest.approx(rises[0])
    assert "°" in panel.values.text(rows[0], before[0])


def bezier(start: tuple[float, float], first: QPointF, second: QPointF, end: tuple[float, float], x: float) -> float:
    """The height of a Bézier curve over x, all in px."""
    points = np.array([start, (first.x(), first.y()), (second.x(), second.y()), end])
    s = np.linspace(0.0, 1.0, 4001)[:, None]
    line = (
        (1 - s) ** 3 * points[0] + 3 * s * (1 - s) ** 2 * points[1] + 3 * s**2 * (1 - s) * points[2] + s**3 * points[3]
    )
    return float(np.interp(x, line[:, 0], line[:, 1]))


@pytest.mark.verify
def test_weighted_handles_are_those_of_the_bezier_curve_that_is_drawn(window, panel):
    document, row = window.document, panel.model.editable[0]
    frames = sorted(values(panel))[:3]
    times = np.linspace(frames[0], frames[2], 30)
    select(panel, frames[:2])
    before = document.sequence.interpolated_at_frames(times)
    panel.bar.actions_of_keys.set_weighted(True)
    assert panel.bar.actions_of_keys.weighted
    assert np.abs(document.sequence.interpolated_at_frames(times) - before).max() < 1e-9  # nothing moves yet
    select(panel, [frames[1]])
    steps = document.stack.index()
    handle = next(found[3] for found in panel.values.handles() if found[1] == 1)
    drag(panel.canvas, handle, QPointF(12.0, -14.0))
    assert document.stack.index() == steps + 1
    panel.canvas.grab()
    reach = panel.model.shape(panel.model.primary).ease.x1
    assert reach > 1.0 / 3.0 + 0.02
    panel.model.select({row.id: np.array(frames[1:3])})
    sides = {(point.frame, side): (key, at) for point, side, key, at in panel.values.handles()}
    (left, out), (right, back) = sides[frames[1], 1], sides[frames[2], -1]
    for share in (0.2, 0.5, 0.8):
        frame = frames[1] + share * (frames[2] - frames[1])
        value = row.on_screen(document.sequence.interpolated_at_frames([frame])[0, row.id])
        drawn = bezier((left.x(), left.y()), out, back, (right.x(), right.y()), panel.values.x(frame))
        assert panel.values.y(row, float(value)) == pytest.approx(drawn, abs=0.2)
    # Both sides of the key that was pulled still look as steep.
    come = next(found for found in panel.values.handles() if found[0].frame == frames[1] and found[1] == -1)
    slopes = [(at.y() - key.y()) / (at.x() - key.x()) for key, at in ((come[2], come[3]), (left, out))]
    assert slopes[0] == pytest.approx(slopes[1], abs=0.02) and not panel.values.broken(come[0])


@pytest.mark.verify
def test_kept_curves_are_drawn_and_exchanged(window, panel):
    document, every = window.document, values(panel)
    frames = sorted(every)[:3]
    panel.model.keep_curves()
    plain = panel.canvas.grab().toImage()
    select(panel, frames)
    drag(panel.canvas, grip(panel, (0, 1)), QPointF(0.0, -20.0))
    changed = values(panel)
    assert changed != every
    panel.bar.actions_of_keys.swap_kept()
    assert values(panel) == pytest.approx(every, abs=1e-12)
    panel.bar.actions_of_keys.swap_kept()
    assert values(panel) == pytest.approx(changed, abs=1e-12)
    panel.model.select({})
    with_kept = panel.canvas.grab().toImage()
    panel.model.keep_curves(False)
    assert panel.canvas.grab().toImage() != with_kept != plain
    document.stack.undo()


@pytest.mark.verify
def test_many_keys_go_between_the_keys_beside_them_and_relax_to_the_straight_way(window, panel):
    document, every = window.document, values(panel)
    frames = sorted(every)
    select(panel, frames[1:3])
    actions, board = panel.bar.actions_of_keys, panel.bar.keys.reshape
    steps = document.stack.index()
    board.rows["push"].began.emit()
    board.rows["push"].changed.emit(-100.0)
    board.rows["push"].committed.emit(-100.0)
    assert document.stack.index() == steps + 1 and document.stack.text(steps) == "Relax 100 %"
    a, b = frames[0], frames[3]
    for frame in frames[1:3]:
        straight = every[a] + (every[b] - every[a]) * (frame - a) / (b - a)
        assert values(panel)[frame] == pytest.approx(straight, abs=1e-6)
    document.stack.undo()
    actions.begin_reshaping()
    actions.show_reshaped("breakdown", 1.0)
    actions.end_reshaping(True)
    assert all(values(panel)[frame] == pytest.approx(every[b], abs=1e-9) for frame in frames[1:3])
    select(panel, frames)
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    actions.begin_reshaping()
    actions.show_reshaped("breakdown", 1.0)
    actions.end_reshaping(False)
    assert "no key beside the selected ones" in said[-1]
    document.stack.undo()


@pytest.mark.verify
def test_cycles_are_set_from_the_menu_drawn_and_said_where_rounds_do_not_meet(window, panel):
    document = window.document
    state = document.state_json()
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    sequences = document.sequences
    beyond_frame = document.sequence.keys[-1].frame + 9
    document.set_frame(beyond_frame)
    held = document.pose.copy()
    sequences.set_cycles(after="offset")
    assert np.array_equal(document.pose, document.sequence.pose_at_frame(beyond_frame))
    assert not np.array_equal(document.pose, held)
    document.set_frame(0)
    assert document.sequence.cycles == ("hold", "offset") and not any("do not meet" in text for text in said)
    sequences.play_rounds(3)
    first, last = document.sequence.keys[0].frame, document.sequence.keys[-1].frame
    assert document.sequence.range == (first, first + 3 * (last - first))
    panel.canvas.fit(False)
    panel.canvas.grab()
    frames, drawn = panel.values.curve(panel.model.editable[0])
    beyond = frames > last + 1
    assert np.ptp(drawn[beyond]) > 1.0  # the curve goes on
    sequences.set_cycles(after="repeat")
    assert "do not meet" in said[-1]
    for _ in range(3):
        document.stack.undo()
    assert document.state_json() == state


@pytest.mark.verify
def test_the_keys_of_a_locks_target_are_rows_that_are_dragged(window, panel, qtbot):
    document = window.document
    place = np.array([0.2, 1.0, 0.3])
    targets = tuple(
        TargetKey(frame, place + np.array([0.0, rise, 0.0])) for frame, rise in ((4, 0.0), (10, 0.1), (16, 0.0))
    )
    strip = LockStrip(Lock("right hand", "position", target=place), start=4, end=16, targets=targets)
    with document.keys.begin_gesture("Add lock") as gesture:
        gesture.set_values(lambda s: {"strips": (strip,)})
    document.selection.set(["right hand"])
    qtbot.wait(10)
    panel.canvas.grab()
    rows = [row for row in panel.model.editable if row.target]
    assert [row.letter for row in rows] == ["X", "Y", "Z"] and panel.model.groups[-1].title.startswith("Target of")
    high = rows[1]
    assert panel.model.key_frames(high).tolist() == [4, 10, 16]
    assert panel.model.key_values(high, np.array([10]))[0] == pytest.approx(110.0)
    frames, drawn = panel.values.curve(high)
    assert np.interp(7.0, frames, drawn) == pytest.approx(
        100.0 * document.sequence.locks.strips[0].target_at(7)[1], abs=0.01
    )
    steps, keys, selected = document.stack.index(), document.sequence.keys, document.session.keys.selected
    panel.model.show_only(high.id)
    panel.canvas.fit(False)
    panel.canvas.grab()
    start = QPointF(panel.values.x(10), panel.values.y(high, 110.0))
    drag(panel.canvas, start, QPointF(round(2 * panel.model.timeline.pixels), -20.0))
    now = document.sequence.locks.strips[0].targets
    assert document.stack.index() == steps + 1 and [key.frame for key in now] == [4, 12, 16]
    assert now[1].target[1] > 1.1 + 1e-3 and now[1].target[[0, 2]] == pytest.approx(place[[0, 2]])
    assert (document.sequence.keys == keys and not document.session.keys.selected) or selected
    panel.values.select_all()
    panel.canvas.grab()
    shift = 0.5 * (key_box(panel.values).high - key_box(panel.values).low) / panel.model.scale.unit
    drag(panel.canvas, grip(panel, (0, 1)), QPointF(0.0, round(shift)))
    assert document.sequence.locks.strips[0].targets[1].target[1] < now[1].target[1] - 1e-3
    for view in ("speed", "timing", "root_speed", "value"):  # other views have nothing to say of them
        panel.model.set_view(view)
        panel.canvas.grab()
        panel.list.grab()
        panel.canvas.fit(True)
    QTest.keyClick(panel.canvas, Qt.Key.Key_Delete)
    assert len(document.sequence.locks.strips[0].targets) == 3
    document.selection.set(["head"])
    assert not any(row.target for row in panel.model.rows)
