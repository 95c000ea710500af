"""The curve editor by its menus: rows of props and of locks' targets, also with cycles; flips; what keys begin as."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QMenu

from app.actions.figures import PROPS
from app.timeline.curves.actions import AUTO
from app.timeline.curves.panel import CurvesPanel
from app.timeline.curves.tools import tools_menu
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.constraints import Lock
from core.kinematics import forward_kinematics
from tests.support.mouse import drag


@pytest.fixture
def panel(window, qtbot) -> Iterator[CurvesPanel]:
    window.document.selection.set(["right hand"])
    window.timeline.show_tab("curves")
    qtbot.wait(10)
    made = window.timeline.curves
    made.canvas.grab()
    yield made
    made.model.keep_curves(False)


def tool(panel: CurvesPanel, *names: str) -> None:
    """Choose from the menu of tools."""
    whole = menu = QMenu()
    tools_menu(panel.bar.actions_of_keys, whole)
    for name in names[:-1]:
        menu = next(action.menu() for action in menu.actions() if action.text() == name)
    next(action for action in menu.actions() if action.text() == names[-1]).trigger()
    whole.deleteLater()


def curve(panel: CurvesPanel, row_id: int, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Frames up to one and values of a curve as they are drawn."""
    panel.model.timeline.show_span(0.0, last)
    panel.canvas.grab()
    row = panel.model.row(row_id)
    assert row is not None
    return panel.values.curve(row)


def test_a_target_goes_on_where_the_part_that_it_holds_does(window, panel, qtbot):
    document = window.document
    sequence, last = document.sequence, document.sequence.keys[-1].frame
    hand = document.skeleton.joint_index("right hand")
    place = forward_kinematics(document.skeleton, sequence.pose_at_frame(8.0))[hand, :3, 3]
    targets = tuple(
        TargetKey(frame, place + np.array([0.0, up, 0.0])) for frame, up in ((6, 0.0), (9, 0.03), (12, 0.0))
    )
    strip = LockStrip(Lock("right hand", "position", target=place), start=6, end=12, targets=targets)
    with document.keys.begin_gesture("Add lock") as gesture:
        gesture.set_values(lambda s: {"strips": (strip,)})
    qtbot.wait(10)
    rows = [row.id for row in panel.model.editable if row.target]
    for kind, name in (("offset", "Repeat from where it stands"), ("repeat", "Repeat")):
        tool(panel, "After the keys", name)
        assert sequence.cycles == ("hold", kind)
        for frame in (last + 8.0, last + 9.5, 2 * last + 10.0):
            held = forward_kinematics(document.skeleton, document.sequence.pose_at_frame(frame))[hand, :3, 3]
            for axis, row in enumerate(rows):
                frames, values = curve(panel, row, 3.0 * last)
                assert np.interp(frame, frames, values) == pytest.approx(100.0 * held[axis], abs=0.05)
    tool(panel, "After the keys", "Repeat mirrored")
    frames, values = curve(panel, rows[2], 3.0 * last)
    odd, even = (frames > last) & (frames < 2 * last), (frames > 2 * last + 1) & (frames < 3 * last - 1)
    assert np.isnan(values[odd]).all()  # the other hand is held there
    assert np.isfinite(values[even]).all()


@pytest.mark.verify
def test_a_prop_has_curves_that_are_dragged_and_go_on(window, panel, qtbot):
    document = window.document
    name, _, make = PROPS[0]
    assert document.figures.add(make(), f"Add {name}", beside=True)
    document.selection.set([0])
    for frame, (x, y) in ((0, (0.0, 0.2)), (10, (0.1, 0.5)), (20, (0.3, 0.2))):
        document.set_frame(frame)
        q = document.pose.copy()
        q[:2] = x, y
        document.posing.set(q)
        document.keys.set()
    qtbot.wait(10)
    model = panel.model
    row = next(row for row in model.editable if row.id == 1)
    assert model.key_frames(row).tolist() == [0, 10, 20]
    high = model.key_values(row, np.array([10]))[0]
    model.show_only(row.id)
    panel.canvas.fit(False)
    panel.canvas.grab()
    steps = document.stack.count()
    place = QPointF(panel.values.x(10), panel.values.y(row, high)).toPoint()
    drag(panel.canvas, place, place - QPoint(0, 25))
    assert document.stack.count() == steps + 1
    assert model.key_values(row, np.array([10]))[0] > high + 1.0
    assert document.sequence.keys.at(10).q[1] == pytest.approx(row.stored(model.key_values(row, np.array([10]))[0]))
    tool(panel, "After the keys", "Repeat from where it stands")
    frames, values = curve(panel, 0, 60.0)
    for frame in (3.0, 10.0, 17.0):
        first, second = (np.interp(frame + more, frames, values) for more in (0.0, 20.0))
        assert second - first == pytest.approx(30.0, abs=0.02)  # carried on by what a round travels, cm


@pytest.mark.verify
def test_flips_are_filtered_from_the_menu(window, panel):
    document = window.document
    channels = document.sequence.channels
    columns = channels.columns[channels.index("right upper arm")]
    frame = document.sequence.keys[4].frame
    document.selection.set(["right upper arm"])
    before = document.sequence.poses_at_frames(np.arange(33.0))
    with document.keys.begin_gesture("Flip") as gesture:

        def flipped(sequence):
            key = sequence.keys.at(frame)
            q = key.q.copy()
            q[columns[0]] += 2.0 * np.pi
            return {"keys": [key.changed(q=q) if each is key else each for each in sequence.keys]}

        gesture.set_values(flipped)
    assert abs(document.sequence.keys.at(frame).q[columns[0]]) > np.pi
    tool(panel, "Filter flips")
    assert abs(document.sequence.keys.at(frame).q[columns[0]]) < np.pi
    np.testing.assert_allclose(document.sequence.poses_at_frames(np.arange(33.0)), before, atol=1e-9)


@pytest.mark.verify
def test_a_new_key_has_automatic_tangents_that_stay_between_its_neighbours(window, panel):
    document, model = window.document, panel.model
    document.set_frame(last := document.sequence.keys[-1].frame + 12)
    q = document.pose.copy()
    q[1] += 0.3
    document.posing.set(q)
    window.action_table["set_key"].trigger()
    document.selection.set([0])
    model.select({1: np.array([last])})
    assert panel.bar.actions_of_keys.tangents == AUTO and panel.bar.actions_of_keys.kind == "auto"
    frames, values = curve(panel, 1, last + 4.0)
    keys = model.key_values(model.row(1), np.array([last - 12, last]))
    between = (frames >= last - 12) & (frames <= last)
    assert values[between].min() >= keys.min() - 1e-9 and values[between].max() <= keys.max() + 1e-9
