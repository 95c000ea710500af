"""What the person looks at comes first: before the small views when it opens, before trails while a part is dragged."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.views.area import ViewportArea
from app.views.view import View
from core.skeleton.segment import end_effector
from tests.gui.viewport_support import human_document, shown_area


@pytest.fixture
def area(qtbot, skeletons_folder):
    """A figure with three keys and a trail of its right hand."""
    document = human_document(skeletons_folder)
    q = np.array(document.pose)
    for frame, x in ((0, -0.3), (10, 0.0), (20, 0.3)):
        document.set_frame(frame)
        q[0] = x
        document.posing.set(q)
    document.set_frame(10)
    document.selection.set((document.skeleton.joint_index("right hand"),))
    document.session.view.overlays["trail"] = True
    return shown_area(qtbot, document)


def test_the_work_area_is_drawn_before_the_small_views(qtbot, skeletons_folder, monkeypatch):
    drawn: list[View] = []
    render = View._render
    monkeypatch.setattr(View, "_render", lambda view, samples: (drawn.append(view), render(view, samples))[1])
    area = ViewportArea(human_document(skeletons_folder))
    qtbot.addWidget(area)
    area.resize(1600, 900)
    area._settle.start(0)  # both are due before anything was painted, as where a file takes long to open
    area._small_timer.start(0)
    time.sleep(0.05)
    area.show()
    qtbot.waitUntil(lambda: len({id(view) for view in drawn}) == 5, timeout=20_000)
    assert drawn[0] is area.work_view
    assert not any(view.stale for view in area.views())
    area.dispose()


def test_moves_of_a_drag_never_wait_for_trails(area, monkeypatch):
    document, scene = area.document, area.host.scene
    samples = scene.trails.samples
    hand = document.skeleton.joint_index("right hand")
    assert scene.trails.trail(hand) is not None
    rebuilt: list[str] = []
    rebuild = type(samples)._rebuild

    def counted(*words):
        rebuilt.append("all")
        return rebuild(*words)

    monkeypatch.setattr(type(samples), "_rebuild", counted)
    before = samples.path(hand).copy()
    gesture = document.posing.begin_gesture("Drag")
    q = np.array(document.pose)
    samples._at = -100.0  # long ago
    for k in range(5):
        q[1] += 0.01 * (k + 1)
        gesture.set_pose(q)
        area.work_view.repaint()
    assert not rebuilt
    assert samples.stale
    assert samples.work(), "a slice of time brings them up to date"
    assert rebuilt == ["all"] and not np.allclose(samples.path(hand), before)
    gesture.commit()
    shown = samples.path(hand)[samples.frames.tolist().index(10.0)]
    assert np.allclose(shown, scene.world(hand, end_effector(document.skeleton, hand)))
    QApplication.processEvents()
