"""How much of a frame is Python while one figure plays, and while twelve do."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

FRAMES = 120
MANY = 12


def _play(window, application) -> list[float]:  # type: ignore[no-untyped-def]
    """Show one frame after the other as playing does, with the work area repainted; return the times, [ms]."""
    document, view = window.document, window.area.work_view
    document.model.forget_poses()
    document.session.playback.playing = True
    window.player._timer.stop()  # frames come from here, not from the clock
    times = []
    first, last = document.model.played
    for k in range(FRAMES):
        start = time.thread_time()
        window.player._set_frame(first + k % (last - first))
        view.repaint()
        times.append(1e3 * (time.thread_time() - start))
        if k % 32 == 31:
            document.model.forget_poses()  # a motion that is longer than this one is asked for new poses all the time
    window.player.pause()
    application.processEvents()
    return times[5:]


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    from core.formats.bundled import bundled_folder
    from tests.benchmarks.bench_drag import stubbed_gl
    from tests.benchmarks.bench_simulating import _copy
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    window.document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    for part in (window.timeline, window.area._column, *window.workbench.docks):
        part.hide()
    shares = []
    for count in (1, MANY):
        while len(window.document.figures.all) < count:
            window.document.figures.duplicate(0)
        for _ in range(3):  # buffers and shaders are made before the calls are stubbed
            application.processEvents()
            window.area.settle()
        _play(window, application)
        with stubbed_gl():
            played = _play(window, application)
            copied = _copy(window)
        shares.append(float(np.median(played)) - float(np.median(copied)))
        dofs = sum(len(figure.dof_names) for figure in window.document.figures.all)
        report(
            f"a frame that plays, {count} figure{'s' * (count > 1)}, {dofs} degrees of freedom, OpenGL stubbed",
            float(np.median(played)), "ms", f"95 % under {np.percentile(played, 95):.2f} ms",
        )  # fmt: skip
        report("of that Python, without copying the picture into the window", shares[-1], "ms")
    window.stop()
    window.close()
