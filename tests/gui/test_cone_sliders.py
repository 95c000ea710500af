"""Sliders and fields of a swing in a cone: they stop at the rim, show it, and say why."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.document.document import Document
from app.panels import JointsPanel
from core.skeleton import write_scr
from tests.support.coned import CLOSE, CONE, coned, inside, swings

Z, X, TWIST = 4, 5, 6  # of the left arm


@pytest.fixture
def document(qapp, tmp_path) -> Document:
    path = tmp_path / "coned.scr"
    path.write_text(write_scr(coned()), encoding="utf-8")
    document = Document()
    document.files.open(path)
    return document


@pytest.fixture
def panel(qtbot, document) -> JointsPanel:
    panel = JointsPanel(document)
    qtbot.addWidget(panel)
    panel.resize(300, 900)
    panel.show()
    panel.open_all(True)
    return panel


def pose_arm(document: Document, z: float, x: float) -> None:
    pose = np.array(document.pose)
    pose[[Z, X]] = np.radians([z, x])
    document.posing.set(pose, "Pose")


def shown_reach(panel: JointsPanel, index: int) -> float:
    panel._show_pose()
    low, high = panel.row(index).slider.reachable
    assert low == pytest.approx(-high, abs=1e-9)
    return high


def test_the_range_shown_follows_the_other_angle(document, panel):
    assert shown_reach(panel, Z) == pytest.approx(40.0, abs=1e-6)
    pose_arm(document, 0.0, 30.0)
    rim = math.degrees(math.acos(math.cos(CONE) / math.cos(math.radians(30.0))))
    assert shown_reach(panel, Z) == pytest.approx(rim, abs=1e-6)
    assert panel.row(Z).slider.limit_texts() == ("−27.8", "27.8")
    assert shown_reach(panel, X) == pytest.approx(40.0, abs=1e-6), "the other one swings by itself"
    assert panel.row(TWIST).slider.reachable == (-90.0, 90.0)


@pytest.mark.parametrize("widget", ["slider", "field"])
def test_a_slider_stops_at_the_rim_and_leaves_the_other_angle_alone(document, panel, widget):
    pose_arm(document, 5.0, 30.0)
    panel._show_pose()
    before, row = np.array(document.pose), panel.row(Z)
    getattr(row, widget).edit_to(39.0)
    assert document.pose[X] == before[X]
    assert CONE - 1e-6 < swings(document.skeleton, document.pose)[0] <= CONE + CLOSE
    assert row.slider.at_limit == 1
    document.history.undo()
    assert np.array_equal(document.pose, before)
    panel._show_pose()
    assert row.slider.at_limit == 0


def test_typing_beyond_the_rim_says_why(document, panel):
    pose_arm(document, 5.0, 30.0)
    panel._show_pose()
    words = []
    panel.row(Z).refused.connect(words.append)
    panel.row(Z).field.open_editor("35")
    panel.row(Z).field.finish_editing()
    assert words == ["Left arm z can be −27.8 to 27.8° inside its cone of 40° while Left arm x is 30°"], words
    assert panel.row(Z).field.warned


def test_every_slider_keeps_every_cone(document, panel):
    rng = np.random.default_rng(3)
    rows = [panel.row(index) for index in range(3, document.skeleton.nq)]
    for _ in range(150):
        row = rows[int(rng.integers(len(rows)))]
        panel._show_pose()
        row.slider.edit_to(float(rng.uniform(-100.0, 100.0)))
        assert inside(document.skeleton, document.pose)
        assert np.allclose(row.to_screen(document.pose[row.index]), row.slider.value, atol=1e-9)
