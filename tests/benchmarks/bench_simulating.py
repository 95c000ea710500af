"""How much of a frame is Python while the figure is simulated: in the window's thread and in the simulation's."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

FRAMES = 120
START = 16
ADDS = 1_000_000
SCENES = ("chain", "marionette", "ragdoll", "stairs", "swing", "three bodies")


def _simulate(window, application, count: int) -> None:  # type: ignore[no-untyped-def]
    """Let the window simulate so many samples, and pause."""
    physics, session = window.document.physics, window.document.session
    window.document.set_frame(START)
    window.skeleton.set_mode("physics")
    session.playback.speed = 4.0
    physics.start()
    while physics.running and len(physics.samples) <= count:
        application.processEvents()
        time.sleep(0.001)
    physics.pause()
    session.playback.speed = 1.0


def _fresh_samples(window) -> list:  # type: ignore[no-untyped-def, type-arg]
    from app.document.physics.state import make_preview

    preview = make_preview(window.document.model, START, window.document.physics.settings.now)()
    while len(preview.samples) <= FRAMES:
        preview.advance()
    return preview.samples


def _show(window, application, repainted: bool) -> list[float]:  # type: ignore[no-untyped-def]
    """Show one sample after the other as the clock does; return the window's own time for each, [ms]."""
    physics, view = window.document.physics, window.area.work_view
    run, times = physics._run, []
    run.worker.samples = _fresh_samples(window)  # those that nobody has looked at have still to work some values out
    run.go(0)
    physics.running = True  # panels take their time then
    for k in range(1, min(FRAMES, len(run.samples))):
        start = time.thread_time()
        run.go(k)
        if repainted:
            view.repaint()
        times.append(1e3 * (time.thread_time() - start))
        if not repainted and k % 10 == 0:
            application.processEvents()
    physics.running = False
    return times[5:]


def _copy(window) -> list[float]:  # type: ignore[no-untyped-def]
    """Return the time of repaints of the work area that only draw its picture, [ms]."""
    from PySide6.QtGui import QPainter

    from app.views.view import View

    view, times, painted = window.area.work_view, [], View.paintEvent

    def bare(view: View, _event: object) -> None:
        painter = QPainter(view)
        painter.drawImage(0, 0, view._image)
        painter.end()

    View.paintEvent = bare
    try:
        for _ in range(FRAMES):
            start = time.thread_time()
            view.repaint()
            times.append(1e3 * (time.thread_time() - start))
    finally:
        View.paintEvent = painted
    return times


def _work_out(window) -> tuple[list[float], list[float]]:  # type: ignore[no-untyped-def]
    """Return how long each sample takes to be worked out with nothing beside it, and the kernels' share of it, [ms]."""
    from app.document.physics.state import make_preview
    from core.dynamics.engine.assembly import Assembly

    preview, times, kernels, advance = (
        make_preview(window.document.model, START, window.document.physics.settings.now)(),
        [],
        [],
        Assembly.advance,
    )
    inside = [0.0]

    def timed(*words: object) -> None:
        start = time.thread_time()
        advance(*words)
        inside[0] += 1e3 * (time.thread_time() - start)

    Assembly.advance = timed
    try:
        for _ in range(FRAMES):
            start, inside[0] = time.thread_time(), 0.0
            preview.advance()
            times.append(1e3 * (time.thread_time() - start))
            kernels.append(inside[0])
    finally:
        Assembly.advance = advance
    return times[5:], kernels[5:]


def _quickest_loop() -> float:
    """Return the least time of a million additions, which tells how busy the machine is, [ms]."""
    found = []
    for _ in range(5):
        start, total = time.thread_time(), 0
        for k in range(ADDS):
            total += k
        found.append(1e3 * (time.thread_time() - start))
    return min(found)


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    from core.formats.bundled import bundled_folder
    from tests.benchmarks.bench_drag import stubbed_gl
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    window.document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    _simulate(window, application, FRAMES)
    for _ in range(3):  # buffers and shaders are made before the calls are stubbed
        application.processEvents()
        window.area.settle()
    _show(window, application, True)
    with stubbed_gl():
        _times(report, "all that is due in the window repainted, OpenGL stubbed", _show(window, application, True))
    for part in (window.timeline, window.area._column, *window.workbench.docks):
        part.hide()
    application.processEvents()
    _show(window, application, True)
    with stubbed_gl():
        _times(report, "a sample shown everywhere", _show(window, application, False))
        _times(report, "and the work area repainted, OpenGL stubbed", painted := _show(window, application, True))
        _times(report, "copying the picture into the window, Qt alone", copied := _copy(window))
    solved, kernels = _work_out(window)
    _times(report, "a sample worked out, Python and kernels together", solved)
    _times(report, "of that the kernel that takes its steps", kernels)
    window_share = float(np.median(painted)) - float(np.median(copied))
    share = window_share + float(np.median(solved)) - float(np.median(kernels))
    note = f"{window_share:.2f} ms of it the window's; medians, without copying and kernel"
    report("Python share of a frame: window and simulation", share, "ms", note)
    for name in SCENES:
        window.document.files.open(bundled_folder() / "scenes" / f"{name}.seq")
        solved, kernels = _work_out(window)
        note = f"{np.mean(kernels):.2f} ms of it the kernel; 95 % under {np.percentile(solved, 95):.2f} ms"
        report(f"a sample (16.7 ms) of scene {name} worked out, mean", float(np.mean(solved)), "ms", note)
    report("a million additions on this machine now", _quickest_loop(), "ms", "how busy it is")
    window.stop()
    window.close()


def _times(report: Callable[..., None], name: str, times: list[float]) -> None:
    note = f"median of {len(times)}; 95 % under {np.percentile(times, 95):.2f} ms"
    report(name, float(np.median(times)), "ms", note)


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.3f} {unit} ({note})"))
