"""Lanes of layers by mouse and keyboard: what their parts do, keys selected by boxes, moved, copied; the button."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest

from app.document.keys import clipboard
from app.look import fonts
from app.timeline.layer_lanes import EYE, LANE, NAME, SOLO, TALL, TRACK, WEIGHT
from app.window.main_window import MainWindow
from tests.support.mouse import drag, hover

LEFT, NONE, CTRL, SHIFT = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
FRAMES = (4, 8, 16, 24)


@pytest.fixture
def lanes(window: MainWindow):
    """The lanes of two layers of the walk, keyed at the same frames; the upper one is active."""
    document = window.document
    document.layers.add("Hips lower")
    made = [document.layers.active.id]
    document.layers.add("Right arm wider")
    made.append(document.layers.active.id)
    for id in made:
        document.layers.activate(id)
        for frame in FRAMES:
            document.set_frame(frame)
            q = document.pose.copy()
            q[1] -= 0.001 * frame
            assert document.posing.set(q)
    window.timeline.model.fit()
    lanes = window.timeline.layers
    assert lanes.isVisible() and [layer.name for layer in lanes.layers] == ["Right arm wider", "Hips lower"]
    return lanes


def middle(lanes, row: int, part: str) -> QPoint:
    return lanes.part_rect(row, part).center().toPoint()


def at_frame(lanes, row: int, frame: float) -> QPoint:
    return QPointF(lanes.track_x(frame), lanes.part_rect(row, TRACK).center().y()).toPoint()


def frames(lanes, row: int) -> tuple[int, ...]:
    return lanes.layers[row].keys.frames


def test_eye_solo_weight_and_name(window: MainWindow, lanes) -> None:
    document = window.document
    upper, lower = (layer.id for layer in lanes.layers)
    for part, value in ((EYE, "muted"), (SOLO, "solo")):
        for wanted in (True, False):
            QTest.mouseClick(lanes, LEFT, NONE, middle(lanes, 1, part))
            assert getattr(document.layers.get(lower), value) is wanted
    QTest.mouseClick(lanes, LEFT, NONE, middle(lanes, 1, NAME))
    assert document.layers.active.id == lower and window.timeline.transport.target.label == "On Hips lower"
    steps = document.stack.count()
    place = middle(lanes, 0, WEIGHT)
    drag(lanes, place, place - QPoint(60, 0))
    assert document.layers.get(upper).weight == pytest.approx(0.6) and document.stack.count() == steps + 1
    QTest.mouseDClick(lanes, LEFT, NONE, middle(lanes, 0, WEIGHT))
    assert document.layers.get(upper).weight == 1.0
    QTest.mouseDClick(lanes, LEFT, NONE, middle(lanes, 0, NAME))
    assert lanes.field.isVisible()
    lanes.field.clear()
    QTest.keyClicks(lanes.field, "Arm")
    QTest.keyClick(lanes.field, Qt.Key.Key_Return)
    assert document.layers.get(upper).name == "Arm"
    QTest.mouseClick(lanes, LEFT, NONE, middle(lanes, 2, NAME))  # the keys
    assert document.layers.active is None and window.timeline.transport.target.isHidden()


@pytest.mark.verify
def test_the_button_says_where_edits_go(window: MainWindow, lanes) -> None:
    document, target = window.document, window.timeline.transport.target
    assert target.isVisible() and target.label == "On Right arm wider"
    q = document.pose.copy()
    q[1] += 0.01
    keys = document.sequence.keys
    assert document.posing.set(q) and document.sequence.keys is keys  # the layer took it
    QTest.mouseClick(target, LEFT)
    assert document.layers.active is None and target.isHidden()


@pytest.mark.verify
def test_a_name_beside_a_shown_weight_is_whole(window: MainWindow, lanes) -> None:
    document = window.document
    wide = QFontMetricsF(fonts.font(12, fonts.MEDIUM)).horizontalAdvance
    assert lanes.part_rect(0, TRACK).height() == LANE
    height = lanes.height()
    document.layers.set(lanes.layers[0].id, weight=0.6)
    assert lanes.part_rect(0, TRACK).height() == TALL and lanes.height() == height + TALL - LANE
    name, weight = lanes.part_rect(0, NAME), lanes.part_rect(0, WEIGHT)
    assert wide("Right arm wider") <= name.width() and name.bottom() <= weight.center().y()
    assert lanes.at(weight.center()) == (0, WEIGHT) and lanes.at(name.center()) == (0, NAME)
    document.layers.rename(lanes.layers[0].id, "Arm")  # short: one line is enough
    assert lanes.part_rect(0, TRACK).height() == LANE
    assert wide("Arm") <= lanes.part_rect(0, NAME).width()
    hover(lanes, middle(lanes, 1, EYE))


def test_keys_are_selected_moved_and_deleted_together(window: MainWindow, lanes) -> None:
    document = window.document
    upper, lower = (layer.id for layer in lanes.layers)
    drag(lanes, at_frame(lanes, 0, 6) - QPoint(0, 4), at_frame(lanes, 1, 18) + QPoint(0, 4))  # over both lanes
    assert document.layers.selected == {(id, frame) for id in (upper, lower) for frame in (8, 16)}
    assert not document.session.keys.selected
    before, steps = document.sequence.poses_at_frames(np.arange(33.0)), document.stack.count()
    drag(lanes, at_frame(lanes, 0, 8), at_frame(lanes, 0, 10))
    assert frames(lanes, 0) == frames(lanes, 1) == (4, 10, 18, 24) and document.stack.count() == steps + 1
    assert document.layers.selected == {(id, frame) for id in (upper, lower) for frame in (10, 18)}
    QTest.keyClick(lanes, Qt.Key.Key_Left, CTRL)
    assert frames(lanes, 0) == frames(lanes, 1) == (4, 9, 17, 24)
    drag(lanes, at_frame(lanes, 0, 9), at_frame(lanes, 0, 40))  # they cannot pass others: the last place is kept
    assert frames(lanes, 0)[0] == 4 and len(frames(lanes, 0)) == 4
    while document.stack.count() and document.stack.index() > steps:
        document.history.undo()
    np.testing.assert_array_equal(document.sequence.poses_at_frames(np.arange(33.0)), before)
    QTest.mouseClick(lanes, LEFT, NONE, at_frame(lanes, 1, 4))
    assert document.layers.selected == {(lower, 4)} and document.frame == 4
    QTest.mouseClick(lanes, LEFT, SHIFT, at_frame(lanes, 1, 16))
    assert document.layers.selected == {(lower, frame) for frame in (4, 8, 16)}
    QTest.mouseClick(lanes, LEFT, CTRL, at_frame(lanes, 1, 8))
    assert document.layers.selected == {(lower, frame) for frame in (4, 16)}
    assert window.action_table["delete_selected_keys"].isEnabled()
    QTest.keyClick(lanes, Qt.Key.Key_Delete)
    assert frames(lanes, 1) == (8, 24) and frames(lanes, 0) == FRAMES
    drag(lanes, at_frame(lanes, 0, 20), at_frame(lanes, 0, 28))
    assert document.layers.selected == {(upper, 24)}
    QTest.keyClick(lanes, Qt.Key.Key_Escape)
    assert not document.layers.selected and not window.action_table["copy_keys"].isEnabled()


@pytest.mark.verify
def test_keys_are_copied_from_layer_to_layer(window: MainWindow, lanes) -> None:
    document, actions = window.document, window.action_table
    upper, lower = lanes.layers
    document.layers.select((lower.id, frame) for frame in (8, 16))
    actions["copy_keys"].trigger()
    document.layers.activate(upper.id)
    document.set_frame(12)
    actions["paste_keys"].trigger()
    assert frames(lanes, 0) == (4, 8, 12, 16, 20, 24)
    pasted = lanes.layers[0].keys
    assert pasted.at(12).q.tobytes() == lower.keys.at(8).q.tobytes()
    assert pasted.at(20).q.tobytes() == lower.keys.at(16).q.tobytes()
    assert document.layers.selected == {(upper.id, 12), (upper.id, 20)}
    actions["paste_keys_room"].trigger()
    assert frames(lanes, 0) == (4, 8, 12, 20, 21, 25, 29, 33)
    document.history.undo()
    document.set_frame(0)
    actions["paste_keys_flipped"].trigger()
    assert frames(lanes, 0) == (0, 4, 8, 12, 16, 20, 24)
    document.layers.activate(None)
    keys = document.sequence.keys
    actions["paste_keys"].trigger()
    assert not document.keys.paste(1) and document.sequence.keys is keys  # offsets are no poses
    text = clipboard.clip_text(clipboard.get(document.skeleton), document.skeleton)
    assert clipboard.clip_from_text(text, document.skeleton).offsets  # nor are they in another window


@pytest.mark.verify
def test_keys_of_layers_and_of_poses_are_not_selected_together(window: MainWindow, lanes) -> None:
    document, model = window.document, window.timeline.model
    document.layers.select([(lanes.layers[0].id, 8)])
    model.select([8])
    assert document.session.keys.selected and not document.layers.selected
    before = lanes.layers[0]
    window.action_table["delete_selected_keys"].trigger()
    assert lanes.layers[0] is before and 8 not in document.sequence.keys.frames
    document.layers.select([(lanes.layers[0].id, 8)])
    assert not document.session.keys.selected and not model.selected


@pytest.mark.verify
def test_the_menu_of_a_key_and_of_a_lane(window: MainWindow, lanes) -> None:
    document = window.document
    document.layers.select((lanes.layers[0].id, frame) for frame in (8, 16))
    items = {item[0]: item[1] for item in lanes.menu_items(0, 8) if item is not None}
    items["Delete 2 keys"]()
    assert frames(lanes, 0) == (4, 24)
    document.selection.set([document.skeleton.joint_index("right hand")])
    items = {item[0]: item[1] for item in lanes.menu_items(0) if item is not None}
    items["Move only the selected parts"]()
    assert lanes.layers[0].mask == {"right hand"} and "only right hand" in lanes.tip(QPointF(middle(lanes, 0, NAME)))


@pytest.mark.verify
def test_curves_of_the_keys_of_a_layer(window: MainWindow, lanes, qtbot) -> None:
    """With a layer active the curve editor shows its offsets, without limits, and edits go to it."""
    document, layer = window.document, lanes.layers[0]
    document.selection.set([])
    window.timeline.show_tab("curves")
    qtbot.wait(10)
    panel = window.timeline.curves
    model, canvas = panel.model, panel.canvas
    canvas.grab()
    row = next(row for row in model.editable if row.id == 1)
    assert row.channel == "" and not row.limited
    assert model.key_frames(row).tolist() == list(FRAMES)
    np.testing.assert_allclose(model.key_values(row, model.key_frames(row)), [-0.4, -1.2, -2.8, -5.2], atol=1e-9)
    frames = np.linspace(0.0, 32.0, 65)
    model.samples.show(model.sequence, model.motion, 0.0, 32.0, 10.0)
    shown = np.interp(frames, model.samples.frames, model.samples.values(row))
    offsets = [100.0 * document.sequence.layered.offset_of(layer, frame)[1] for frame in frames]
    np.testing.assert_allclose(shown, offsets, atol=0.01)  # what is added to the motion, cm
    keys, steps = document.sequence.keys, document.stack.count()
    model.select({1: np.array([8, 16])})
    assert document.layers.selected == {(layer.id, 8), (layer.id, 16)} and not document.session.keys.selected
    place = QPointF(model.timeline.x(8), panel.values.y(row, -1.2)).toPoint()
    drag(canvas, place, place + QPoint(0, -20))  # no value comes near to a line that it would stay at
    rise = 20 / abs(panel.values.y(row, 1.0) - panel.values.y(row, 0.0))
    values = model.key_values(row, model.key_frames(row))
    np.testing.assert_allclose(values, [-0.4, -1.2 + rise, -2.8 + rise, -5.2], atol=0.5 * rise / 20 + 1e-9)
    assert document.sequence.keys is keys and document.stack.count() == steps + 1
    assert document.stack.undoText().endswith("of layer Right arm wider")
    panel.bar.actions_of_keys.set_tangents("flat")
    panel.bar.actions_of_keys.set_shape(interp="linear")
    assert document.layers.get(layer.id).keys.at(8).shape_of("").interp == "linear"
    panel.bar.actions_of_keys.begin_reshaping()
    panel.bar.actions_of_keys.show_reshaped("push", -1.0)
    panel.bar.actions_of_keys.end_reshaping(True)
    relaxed = model.key_values(row, np.array([8, 16]))
    np.testing.assert_allclose(relaxed, [-1.36, -3.28], atol=1e-9)  # on the way between the keys at either side
    panel.bar.actions_of_keys.set_frame(10)
    assert document.layers.get(layer.id).keys.frames == (4, 10, 18, 24)
    panel.bar.actions_of_keys.delete()
    assert document.layers.get(layer.id).keys.frames == (4, 24) and document.sequence.keys is keys
    document.layers.activate(None)  # the keys of the poses again
    model.set_every(True)
    assert next(row for row in model.rows if row.id == 1).origin != 0.0
    assert model.key_frames(next(row for row in model.rows if row.id == 1)).tolist() == list(keys.frames)
    model.set_every(False)
    for _ in range(document.stack.index() - steps):
        document.history.undo()
    assert document.layers.get(layer.id) == layer
