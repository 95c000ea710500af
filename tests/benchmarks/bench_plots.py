"""What plots of energy and momentum cost while a simulation grows: a sample, painting included, and all drawn anew."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from core.kernels import load_all

SAMPLES = 300
PER_UPDATE, DOCKED = 2, 4
"""Samples between two updates, of the plot under the tracks and of those in the dock, as in real time."""


def _sample(frame: float, pose: np.ndarray) -> SimpleNamespace:
    t = frame / 30.0
    momentum = np.array([1 + np.sin(t), 0.0, 0.2 * np.sin(8 * t), 70 + 9 * np.cos(t), 10 * np.sin(t), 0.0])
    kinetic, potential = 60 + 20 * np.sin(5 * t), 600 + 25 * np.sin(9 * t)
    return SimpleNamespace(frame=frame, q=pose, kinetic=kinetic, potential=potential, momentum=momentum)


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    from PySide6.QtWidgets import QVBoxLayout, QWidget

    from app.document.document import Document
    from app.document.physics.state import PhysicsState
    from app.panels.physics.plots import EnergyPlot, MomentumPlot
    from app.physics.series import motion_series
    from app.process import virtual_display
    from app.timeline.dynamics.page import EnergyRow
    from app.timeline.model import TimelineModel
    from app.window.editor import make_application, settle
    from core.formats.bundled import bundled_folder

    virtual_display.ensure(1600, 1000)
    application = make_application("dark")
    load_all()
    document = Document()
    document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    document.session.mode = "physics"
    model = TimelineModel(document)
    row, docked = EnergyRow(model), [EnergyPlot(document), MomentumPlot(document)]
    window = QWidget()
    column = QVBoxLayout(window)
    for plot in (row, *docked):
        column.addWidget(plot)
    window.resize(1000, 400)
    window.show()
    model.fit()
    settle(application, 1.5)
    feeds = [row.feed, *(plot.feed for plot in docked)]
    shown: list[object] = []
    before = PhysicsState.samples
    PhysicsState.samples = property(lambda state: shown)  # type: ignore[assignment, method-assign]
    physics = document.physics
    for k in range(60):  # until axes and all that have settled
        shown.append(_sample(0.5 * k, document.pose))
        physics.changed.emit("samples")
    settle(application, 0.2)
    times = []
    for k in range(60, 60 + SAMPLES):
        start = time.thread_time()
        shown.append(_sample(0.5 * k, document.pose))
        physics.current = shown[-1]  # type: ignore[assignment]
        physics.changed.emit("samples")
        physics.changed.emit("sample")
        if k % PER_UPDATE == 0:
            for feed in feeds if k % DOCKED == 0 else feeds[:1]:
                feed._soon.stop()
                feed._take_new()
            application.processEvents()
        times.append(1e3 * (time.thread_time() - start))
    pairs = np.array(times).reshape(-1, DOCKED).mean(axis=1)
    note = f"median of {SAMPLES}; least {pairs.min():.2f}, 95 % under {np.percentile(pairs, 95):.2f} ms"
    report("a sample in all three plots, painting included", float(np.median(pairs)), "ms", note)
    whole = []
    for _ in range(20):
        start = time.thread_time()
        motion_series(document).reset.emit()
        application.processEvents()
        whole.append(1e3 * (time.thread_time() - start))
    report("all three drawn anew", float(np.median(whole)), "ms", f"{len(shown)} samples each")
    physics.current = None
    PhysicsState.samples = before  # type: ignore[method-assign]
    motion_series(document).stop()
    window.close()


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.3f} {unit} ({note})"))
