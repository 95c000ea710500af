"""How much of a frame is Python while the figure is simulated: in the window's thread and in the simulation's."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEventLoop

FRAMES = 120
START = 16


def _simulated(window, application, count: int) -> None:  # type: ignore[no-untyped-def]
    """Let the window simulate so many samples, and pause."""
    physics = window.document.physics
    window.document.set_frame(START)
    window.skeleton.set_mode("physics")
    window.document.session.speed = 4.0
    physics.start()
    while physics.running and len(physics.samples) <= count:
        application.processEvents()
        time.sleep(0.001)
    physics.pause()
    window.document.session.speed = 1.0


def _shown(window, application) -> tuple[float, int]:  # type: ignore[no-untyped-def]
    """Show in real time what was simulated; return the time of the window's thread for a sample, [ms], and how many."""
    physics = window.document.physics
    physics.rewind()
    application.processEvents()
    shown = []
    physics.changed.connect(lambda name: shown.append(name) if name == "sample" else None)
    physics.start()
    start = time.thread_time()
    while physics.running and not physics._run.at_end:
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    taken = 1e3 * (time.thread_time() - start)
    physics.pause()
    return taken / max(len(shown), 1), len(shown)


def _advanced(window) -> list[float]:  # type: ignore[no-untyped-def]
    """Return how long a sample takes to be worked out, with nothing beside it, [ms]."""
    from app.physics.making import make_preview

    preview = make_preview(window.document, START)()
    times = []
    for _ in range(FRAMES):
        start = time.thread_time()
        preview.advance()
        times.append(1e3 * (time.thread_time() - start))
    return times[10:]


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    from core.formats.bundled import bundled_folder
    from tests.benchmarks.bench_drag import stubbed_gl
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    window.document.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    _simulated(window, application, FRAMES)
    for _ in range(3):  # buffers of all sizes are made before the calls are stubbed
        application.processEvents()
        window.area.settle()
    _shown(window, application)
    taken, count = _shown(window, application)
    report("a sample shown in all views and panels, in real time", taken, "ms", f"mean of {count} samples")
    with stubbed_gl():
        taken, count = _shown(window, application)
        report("the same, OpenGL stubbed", taken, "ms", f"mean of {count} samples, {FRAMES} were simulated")
    times = np.array(_advanced(window))
    note = f"median of {len(times)} samples; 95 % under {np.percentile(times, 95):.2f} ms"
    report("a sample worked out, Python and kernels together", float(np.median(times)), "ms", note)
    window.stop()
    window.close()


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.3f} {unit} ({note})"))
