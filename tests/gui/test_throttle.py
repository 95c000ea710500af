"""What happens only so often: the rows of the joints panel during a drag elsewhere, and what a trail looks like."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from app.document import Document
from app.marks import overlays
from app.panels.joints import panel as joints_panel
from app.panels.joints.panel import JointsPanel
from app.work.throttle import Throttle
from tests.gui.viewport_support import human_document, shown_area


def test_many_wishes_in_a_row_are_few_calls_and_the_last_is_never_lost(qtbot, qapp) -> None:
    calls: list[int] = []
    state = [0]
    throttle = Throttle(lambda: calls.append(state[0]), 40, qapp)
    for state[0] in range(1, 21):
        throttle.wish()
    assert calls == [1], "the first at once, the others wait"
    qtbot.waitUntil(lambda: calls == [1, 20])
    for state[0] in (21, 22):
        throttle.wish(hurry=True)
    assert calls == [1, 20, 21, 22]
    throttle.wish()
    throttle.wish(hurry=True)
    assert len(calls) == 5
    qtbot.wait(80)
    assert len(calls) == 5, "a wish that was granted in a hurry is not granted again"


@pytest.fixture
def panel(qtbot, skeletons_folder, monkeypatch) -> JointsPanel:
    monkeypatch.setattr(joints_panel, "LATE_MS", 10_000)
    made = JointsPanel(human_document(skeletons_folder))
    made.resize(300, 900)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def shown(panel: JointsPanel, index: int) -> float | None:
    return panel.row(index)._shown


@pytest.mark.verify
def test_rows_wait_while_a_part_is_dragged_elsewhere_and_are_right_when_it_ends(qtbot, panel) -> None:
    document = panel.document
    index = document.skeleton.nq - 1
    panel.row(index)
    panel.view.ensureWidgetVisible(panel.row(index))
    q = np.array(document.pose)
    before = float(q[index])
    gesture = document.posing.begin_gesture("Drag")
    for step in (0.01, 0.02):
        q[index] = before - step
        gesture.set_pose(q)
    assert shown(panel, index) != q[index], "they follow now and then"
    gesture.commit()
    assert shown(panel, index) == document.pose[index] == before - 0.02
    gesture = document.posing.begin_gesture("Drag")
    for step in (0.03, 0.04):
        q[index] = before - step
        gesture.set_pose(q)
    gesture.cancel()
    assert shown(panel, index) == document.pose[index] == before - 0.02
    document.history.undo()
    assert shown(panel, index) == document.pose[index] == before


@pytest.mark.verify
def test_rows_follow_without_an_end_to_the_drag(qtbot, panel) -> None:
    panel._follow._interval = 30
    document = panel.document
    index = document.skeleton.nq - 1
    panel.view.ensureWidgetVisible(panel.row(index))
    q = np.array(document.pose)
    gesture = document.posing.begin_gesture("Drag")
    for _ in range(4):
        q[index] -= 0.01
        gesture.set_pose(q)
    qtbot.waitUntil(lambda: shown(panel, index) == q[index])
    gesture.cancel()


@pytest.mark.verify
def test_a_trail_is_placed_anew_when_the_view_the_frame_or_the_motion_change(qtbot, skeletons_folder) -> None:
    document: Document = human_document(skeletons_folder)
    q = np.array(document.pose)
    for frame in (0, 12, 30):
        document.set_frame(frame)
        q[0] += 0.2
        document.posing.set(q)
    document.selection.set(["right hand"])
    area = shown_area(qtbot, document)
    view = area.work_view
    marks = view._over.marks

    def placed() -> np.ndarray:
        view.grab()
        found = list(marks.trails.placed.values())[-1]
        trail = area.host.scene.trails.trail(document.selection.joints[-1])
        assert trail is not None
        split = int(np.searchsorted(trail.frames, document.frame))
        before, after = (overlays.trail_dots(view, part) for part in (trail.path[: split + 1], trail.path[split:]))
        assert_array_equal(found[0][1], before)
        assert_array_equal(found[1][1], after)
        return np.concatenate([before, after])

    seen = [placed()]
    view.camera.orbit(30.0, 10.0)
    seen.append(placed())
    document.set_frame(12)
    placed()
    q[0] += 0.3
    document.posing.set(q)
    seen.append(placed())
    area.resize(area.width() - 100, area.height() - 40)
    seen.append(placed())
    area.show_view("front")
    seen.append(placed())
    document.selection.set(["left foot"])
    seen.append(placed())
    for k, first in enumerate(seen):
        for second in seen[k + 1 :]:
            assert first.shape != second.shape or np.abs(first - second).max() > 1e-3
