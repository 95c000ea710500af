"""How much of a drag is Python: from the mouse event to the finished repaint, with nothing drawn by the renderer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

EVENTS = 200


class _Nothing:
    """A renderer that costs nothing: it hands out the same grey picture."""

    def __init__(self) -> None:
        self._pictures: dict[tuple[int, int], np.ndarray] = {}

    def set_figure(self, skeleton) -> None:  # type: ignore[no-untyped-def]
        pass

    def render(self, camera, picture, width, height, theme, samples=0, *, bgra=False):  # type: ignore[no-untyped-def]
        size = (height, width)
        if size not in self._pictures:
            self._pictures[size] = np.full((height, width, 4), 90, dtype=np.uint8)
        return self._pictures[size]


def _drag(area, application, solver: str) -> list[float]:  # type: ignore[no-untyped-def]
    """Return the time from each mouse event of a drag of the hand to the end of its repaint, [ms]."""
    from PySide6.QtCore import QEvent, QPointF, Qt
    from PySide6.QtGui import QMouseEvent

    from app.tools.base import view_point
    from core.skeleton.segment import end_effector

    document, view = area.document, area.work_view
    document.session.solver = solver
    joint = document.skeleton.joint_index("right hand")
    middle = view_point(view, area.host.scene.world(joint, end_effector(document.skeleton, joint)))
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def send(kind, at, button, buttons) -> None:  # type: ignore[no-untyped-def]
        place = QPointF(view.mapToGlobal(at))
        application.sendEvent(view, QMouseEvent(kind, at, place, button, buttons, none))

    send(QEvent.Type.MouseButtonPress, middle, left, left)
    times = []
    for k in range(EVENTS):
        turn = 2.0 * np.pi * k / 60.0
        at = middle + QPointF(70.0 * np.sin(turn), -60.0 * (1.0 - np.cos(turn)))
        start = time.perf_counter()
        send(QEvent.Type.MouseMove, at, Qt.MouseButton.NoButton, left)
        view.repaint()
        times.append(1000.0 * (time.perf_counter() - start))
    send(QEvent.Type.MouseButtonRelease, middle, left, Qt.MouseButton.NoButton)
    document.undo()
    return times[20:]


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    from PySide6.QtWidgets import QApplication

    from app import virtual_display
    from app.document.document import Document
    from app.viewport.area import ViewportArea
    from core.formats.bundled import bundled_folder

    if not os.environ.get("DISPLAY"):
        virtual_display.ensure(1600, 1000)
    application = QApplication.instance() or QApplication([])
    document = Document()
    document.load_figure(bundled_folder() / "human.scr")
    area = ViewportArea(document, renderer=_Nothing(), software=True)
    area.set_reduced_motion(True)
    area.resize(1160, 564)
    area.show()
    application.processEvents()
    area.settle()
    for solver in ("damped_least_squares", "ccd", "jacobian_transpose"):
        times = np.array(_drag(area, application, solver))
        note = f"median of {len(times)} events; 95 % under {np.percentile(times, 95):.2f} ms"
        report(f"drag event to repaint, renderer left out, {solver}", float(np.median(times)), "ms", note)
    area.close()


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.3f} {unit} ({note})"))
