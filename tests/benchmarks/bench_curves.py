"""How long the curve editor needs to draw and to follow a drag: the share of our own code, for 10,000 keys.

``python -m tests.benchmarks curves`` prints medians.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, Qt

from app.timeline.curves.model import Point
from app.timeline.curves.view import CurveDrag
from app.window.editor import settle
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.formats.bundled import bundled_folder
from tests.support.shown_window import shown_window

KEYS = 10_000
ROUNDS = 15


def median(act: Callable[[int], object]) -> float:
    """Return the median of what a call costs this thread, [ms]."""
    times = []
    for i in range(ROUNDS):
        start = time.thread_time()
        act(i)
        times.append(1000.0 * (time.thread_time() - start))
    return float(np.median(times))


def run(report: Callable[..., None]) -> None:
    """Measure with 10,000 keys of two joints, all of them in sight and few of them."""
    application, window = shown_window()
    window.document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    skeleton = window.document.skeleton
    assert skeleton is not None
    rng, rest = np.random.default_rng(1), skeleton.rest_pose()
    walk = np.cumsum(0.02 * rng.standard_normal((KEYS, skeleton.nq)), axis=0)
    poses = np.clip(
        rest + np.sin(walk), *(np.append(np.full(3, e), skeleton.limits[:, i]) for i, e in ((0, -9), (1, 9)))
    )
    window.document.sequences.add(Sequence(skeleton, keys=[Key(2 * i, q) for i, q in enumerate(poses)]))
    window.document.selection.set(["right upper arm", "right forearm"])
    window.timeline.show_tab("curves")
    settle(application, 1.0)
    panel = window.timeline.curves
    canvas, model, timeline = panel.canvas, panel.model, window.timeline.model

    def show(first: float, last: float) -> None:
        timeline.show_span(first, last)
        canvas.fit(False) if last - first > 2 * KEYS - 10 else None
        canvas.grab()

    for name, span in (("all keys in sight", (0.0, 2.0 * KEYS)), ("200 frames in sight", (5000.0, 5200.0))):
        show(*span)

        def whole(i: int) -> None:
            model.touch()
            canvas.grab()

        def moved(i: int, span: tuple[float, float] = span) -> None:
            timeline.show_span(span[0] + i + 1, span[1] + i + 1)
            canvas.grab()

        report(f"{name}: repaint, nothing has changed", median(lambda i: canvas.grab()), "ms")
        report(f"{name}: repaint, everything drawn anew", median(whole), "ms")
        report(f"{name}: panned by a frame", median(moved), "ms")
        show(*span)
        row = model.editable[0]
        model.select({row.id: np.array([5100])}, Point(row, 5100))
        canvas.grab()
        at = QPointF(panel.values.x(5100), model.scale.y(float(model.key_values(row, np.array([5100]))[0])))
        drag = panel.values.press(at, Qt.KeyboardModifier.NoModifier)
        assert drag is not None

        def pull(i: int, drag: CurveDrag = drag, at: QPointF = at) -> None:
            drag.move(at + QPointF(0, 10 + i), Qt.KeyboardModifier.NoModifier)

        def pull_and_draw(i: int, pull: Callable[[int], None] = pull) -> None:
            pull(i + 30)
            canvas.grab()

        pull(0)
        report(f"{name}: a key dragged", median(pull), "ms")
        report(f"{name}: a key dragged, with the picture", median(pull_and_draw), "ms")
        drag.cancel()
    window.stop()
    window.close()
