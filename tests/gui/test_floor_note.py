"""A foot that goes through the floor while it is posed is said in the status line, and nowhere in the way."""

from __future__ import annotations

import numpy as np
import pytest

from app.window.main_window import MainWindow


def lowered(window: MainWindow, by: float) -> np.ndarray:
    q = np.array(window.document.pose)
    q[1] -= by
    return q


@pytest.fixture
def standing(window: MainWindow, qtbot) -> MainWindow:
    window.document.posing.set(window.document.skeleton.rest_pose(), hold=False)
    qtbot.waitUntil(lambda: window.floor_note.text == "")
    return window


def test_feet_below_the_floor_are_said_while_they_are(standing, qtbot):
    document = standing.document
    gesture = document.posing.begin_gesture("Move figure")
    gesture.show(lowered(standing, 0.04))
    qtbot.waitUntil(lambda: "4.0 cm below the floor" in standing.status.about.text())  # while it is dragged
    assert standing.status.about.text().endswith("47 DOF") and not standing.errors.isVisible()
    gesture.cancel()
    qtbot.waitUntil(lambda: "floor" not in standing.status.about.text())


def test_nothing_is_said_in_physics_mode(standing, qtbot):
    document = standing.document
    document.posing.set(lowered(standing, 0.05), hold=False)
    qtbot.waitUntil(lambda: "below the floor" in standing.status.about.text())
    document.session.mode = "physics"
    qtbot.waitUntil(lambda: "below the floor" not in standing.status.about.text())
    document.session.mode = "pose"
    qtbot.waitUntil(lambda: "below the floor" in standing.status.about.text())
