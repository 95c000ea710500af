"""Physics scenes open from the File menu, ready to be simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.panels.physics.panel import PhysicsPanel
from app.widgets.fields.choice import Choice
from app.window.main_window import MainWindow
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.kinematics.extent import Span
from core.preview.preview import Preview
from tests.support.mouse import hover

LEFT = Qt.MouseButton.LeftButton


def click(widget: QWidget, place: QPoint | None = None) -> None:
    QTest.mouseClick(widget, LEFT, pos=widget.rect().center() if place is None else place)


def choose(qtbot, choice: Choice, text: str) -> None:
    """Open a list and pick from it, by mouse."""
    click(choice)
    listed = choice.view()
    qtbot.waitUntil(listed.isVisible, timeout=5000)
    QTest.qWait(20)
    row = listed.visualRect(choice.model().index(choice.findText(text), 0)).center()
    hover(listed.viewport(), row)
    click(listed.viewport(), row)
    qtbot.waitUntil(lambda: choice.currentText() == text and not listed.isVisible(), timeout=5000)


def test_a_scene_opens_in_physics_mode_and_runs(window: MainWindow, qtbot) -> None:
    files = window.files
    files.fill_samples()
    names = [action.text() for action in files.sample_menu.actions()]
    heading = names.index("Physics scenes")
    assert names[heading + 1 :] == [
        "Chain", "Marionette", "Ragdoll", "Sled", "Spline slide", "Stairs", "Swing", "Three bodies", "Torus chain",
        "Windmill",
    ]  # fmt: skip
    files.sample_menu.actions()[names.index("Three bodies")].trigger()
    document = window.document
    qtbot.waitUntil(lambda: document.sequence is not None and document.sequence.name == "Three bodies", timeout=20000)
    qtbot.waitUntil(lambda: document.session.mode == "physics", timeout=5000)
    assert document.frame == 0 and document.physics.settings.now.gravity == 0.0
    start = document.pose.copy()
    document.physics.start()
    qtbot.waitUntil(
        lambda: document.physics.current is not None and document.physics.current.time > 0.05, timeout=60000
    )
    document.physics.stop()
    assert document.pose.tobytes() == start.tobytes()
    document.session.mode = "pose"


@pytest.mark.verify
def test_the_views_show_three_bodies_all_the_time(window: MainWindow, qtbot) -> None:
    document, host = window.document, window.area.host
    document.files.open(bundled_folder() / "scenes" / "three bodies.seq")
    qtbot.wait(400)
    document.session.mode = "physics"
    skeleton, sequence = document.skeleton, document.sequence
    preview = Preview(sequence, 0, replace(document.physics.settings.now, integrator="rk4"))
    span = Span(skeleton)
    samples = preview.run(sequence.range[1])
    points = np.concatenate([span.place(forward_kinematics(skeleton, sample.q), None) for sample in samples])
    for kind, camera in host.cameras.items():
        seen = camera.view_projection(1.0) @ np.column_stack([points, np.ones(len(points))]).T
        assert np.abs(seen[:2] / seen[3]).max() < 1.0, kind
        assert np.abs(seen[:2] / seen[3]).max() > 0.8, kind  # no smaller than that asks for
    document.session.mode = "pose"


@pytest.mark.verify
@pytest.mark.parametrize("method", [pytest.param("contact", marks=pytest.mark.verify), "hakenberg"])
def test_three_bodies_keep_momentum_as_arrows_and_plots_show(window: MainWindow, qtbot, method: str) -> None:
    """By mouse, from the menu to the method: what is drawn and plotted of momentum and energy stays."""
    files, document = window.files, window.document
    files.fill_samples()
    next(each for each in files.sample_menu.actions() if each.text() == "Three bodies").trigger()
    qtbot.waitUntil(lambda: document.sequence is not None and document.sequence.name == "Three bodies", timeout=20000)
    qtbot.waitUntil(lambda: document.session.mode == "physics", timeout=5000)
    panel = next(each for each in window.panels if isinstance(each, PhysicsPanel))
    assert panel.restart_text.text() == "frame 0, velocities from the file"
    assert panel.world.header.summary == "no floor"
    if method == "hakenberg":
        choose(qtbot, panel.method.method, "Hakenberg (hinges and balls)")
        choose(qtbot, panel.method.integrator, "Hakenberg")
        assert panel.method.note.isHidden()
    physics = document.physics
    assert physics.settings.now.integrator == method
    arrows = []

    def watched() -> bool:
        found = window.area.host.scene.physics.found
        if physics.current is not None and found is not None and found.momentum is not None:
            assert found.linear is not None and found.ring is not None
            arrows.append((*found.momentum, *(found.linear - found.center)))
        return physics.current is not None and physics.current.time > 0.15

    click(panel.simulate_button)
    qtbot.waitUntil(watched, timeout=60000)
    click(panel.simulate_button)
    assert not physics.running and len(arrows) > 2
    assert np.ptp(arrows, axis=0).max() < 1e-9
    panel.readings.read()
    assert panel.readings.small.startswith("KKT residual" if method == "contact" else "Without contacts")
    rows = panel.plots[1].series.shown.values
    assert len(rows) > 5 and np.ptp(rows[:, 2:], axis=0).max() < 1e-9 and np.ptp(rows[:, 0]) < 1e-6
    physics.stop()
    document.session.mode = "pose"
