"""How much of a drag is Python: from the mouse event to the finished repaint, in the real window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

EVENTS = 200
BUSY: list[float] = []
"""Of the last drag: what the thread worked for each event, [ms]; other programs do not count in it."""
GOALS = "; goals 4 and 8"
DRAGS = 100
SOLVERS = ("damped_least_squares", "ccd", "jacobian_transpose")


@contextmanager
def stubbed_gl() -> Iterator[list[int]]:
    """Let every OpenGL call return at once; yields a list whose only item counts them.

    Icons of the library that are drawn meanwhile are noise, and are not kept.
    """
    from app.library import cache
    from app.render.gl import GL

    count = [0]

    def nothing(*_arguments: object, **_named: object) -> int:
        count[0] += 1
        return 0

    # the status of a framebuffer is asked when one is made, and 0 would mean that it is broken
    real = {name: getattr(GL, name) for name in dir(GL) if name.startswith("gl") and callable(getattr(GL, name))}
    real.pop("glCheckFramebufferStatus")
    for name in real:
        setattr(GL, name, nothing)
    saved, cache.save = cache.save, lambda *_: None
    try:
        yield count
    finally:
        cache.save = saved
        for name, call in real.items():
            setattr(GL, name, call)


def drag(  # type: ignore[no-untyped-def]
    window, application, solver: str, whole: bool, part: str = "right hand", painted: bool = True
) -> list[float]:
    """Return the time from each mouse event of a drag of a part to the end of its repaint, [ms].

    With ``painted`` off the work area is not painted.
    """
    from PySide6.QtCore import QEvent, QPointF, Qt
    from PySide6.QtGui import QMouseEvent

    from app.scene.pointing import view_point
    from core.skeleton.segment import end_effector

    area = window.area
    document, view = window.document, area.work_view
    document.session.solver.name = solver
    joint = document.skeleton.joint_index(part)
    middle = view_point(view, area.host.scene.world(joint, end_effector(document.skeleton, joint)))
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def send(kind, at, button, buttons) -> None:  # type: ignore[no-untyped-def]
        place = QPointF(view.mapToGlobal(at))
        application.sendEvent(view, QMouseEvent(kind, at, place, button, buttons, none))

    steps = document.stack.index()
    send(QEvent.Type.MouseButtonPress, middle, left, left)
    times = []
    BUSY.clear()
    for k in range(EVENTS):
        turn = 2.0 * np.pi * k / 60.0
        at = middle + QPointF(70.0 * np.sin(turn), -60.0 * (1.0 - np.cos(turn)))
        start, busy = time.perf_counter(), time.thread_time()
        send(QEvent.Type.MouseMove, at, Qt.MouseButton.NoButton, left)
        if painted:
            view.repaint()
        if whole:
            application.processEvents()
        times.append(1000.0 * (time.perf_counter() - start))
        BUSY.append(1000.0 * (time.thread_time() - busy))
    send(QEvent.Type.MouseButtonRelease, middle, left, Qt.MouseButton.NoButton)
    if document.stack.index() > steps:
        document.history.undo()
    return times[20:]


def _locked(report: Callable[..., None], window, application) -> None:  # type: ignore[no-untyped-def]
    """Measure drags of the hand and of the pelvis with both feet locked beside those without locks, by turns."""
    document, solver, feet = window.document, "damped_least_squares", ("left foot", "right foot")
    times: dict[str, list[float]] = {}
    with stubbed_gl():
        for _ in range(3):
            for part in ("right hand", "pelvis"):
                times.setdefault(f"{part} without locks", []).extend(drag(window, application, solver, False, part))
                document.locks.lock_parts(feet, "pose")
                times.setdefault(f"{part} with both feet locked", []).extend(
                    drag(window, application, solver, False, part)
                )
                document.locks.clear()
    for name, found in times.items():
        _times(report, f"drag event to repainted work area, OpenGL stubbed, {name}", np.array(found))


def _points(report: Callable[..., None], window, application) -> None:  # type: ignore[no-untyped-def]
    """Measure drags of the hand with control points shown beside those with them hidden, by turns."""
    overlays = window.document.session.view.overlays
    before = overlays["control_points"]
    busy: dict[bool, list[float]] = {True: [], False: []}
    for k in range(16):
        for shown in (True, False) if k % 2 else (False, True):
            overlays["control_points"] = shown
            for _ in range(3):  # what the switch makes due is not the drag's, and needs real buffers
                application.processEvents()
                window.area.settle()
            with stubbed_gl():
                drag(window, application, "damped_least_squares", False)
            busy[shown].append(float(np.percentile(BUSY[20:], 25.0)))
    overlays["control_points"] = before
    shown, hidden = (float(np.median(busy[each])) for each in (True, False))
    more = f"hidden {hidden:.3f} ms, {1000.0 * (shown - hidden):.0f} us more"
    note = f"{more}; time worked, lower quartile of each of 16 drags"
    report("drag event with control points shown", shown, "ms", note)


def _obstacles(report: Callable[..., None]) -> None:
    """Measure events of a drag of the hand near ten boxes and balls, with and without a use of spare freedom."""
    from core.dynamics.contact.obstacles import BallObstacle, BoxObstacle
    from core.dynamics.contact.world import Floor
    from core.formats.bundled import bundled_folder
    from core.posing import DragSession
    from core.posing.scene_obstacles import scene_obstacles
    from core.skeleton import load_skeleton
    from tests.benchmarks.timing import interleaved

    human = load_skeleton(bundled_folder() / "human.scr")
    places = [(-0.45, 1.2, 0.1), (-0.3, 0.9, -0.4), (0.4, 1.0, 0.2), (-0.6, 1.0, 0.5), (-0.5, 1.5, 0.2)]
    shapes = [BoxObstacle((0.2, 0.2, 0.2), position=place).geometries for place in places]
    shapes += [BallObstacle(0.1, position=np.array(place) + 0.2).geometries for place in places]
    things = scene_obstacles([shape for group in shapes for shape in group], Floor())

    def dragged(secondary: object) -> None:
        drag = DragSession(human, human.rest_pose(), "right hand", solver="damped_least_squares", secondary=secondary)
        start = drag.effector.copy()
        for k in range(EVENTS):
            turn = 2.0 * np.pi * k / 60.0
            drag.move_to(start + 0.15 * np.array([0.0, 1.0 - np.cos(turn), np.sin(turn)]))

    plain, ranged, clear = interleaved(
        [lambda: dragged(None), lambda: dragged("range"), lambda: dragged(("obstacles", things))]
    )
    report("event of a drag without a use of spare freedom", 1e3 * plain / EVENTS, "ms")
    report("with joints in mid-range", 1e3 * ranged / EVENTS, "ms", f"{ranged / plain:.1f} times as long")
    note = f"{clear / plain:.1f} times as long"
    report("clear of five boxes, five balls and the floor", 1e3 * clear / EVENTS, "ms", note)


def _copying(window) -> float:  # type: ignore[no-untyped-def]
    """Return the time of a repaint of the work area that only draws its picture: Qt's share of each event, [ms]."""
    from PySide6.QtGui import QPainter

    from app.views.view import View

    view = window.area.work_view

    def bare(view: View, _event: object) -> None:
        painter = QPainter(view)
        painter.drawImage(0, 0, view._image)
        painter.end()

    painted = View.paintEvent
    View.paintEvent = bare
    try:
        times = []
        for _ in range(EVENTS):
            start = time.perf_counter()
            view.repaint()
            times.append(1000.0 * (time.perf_counter() - start))
    finally:
        View.paintEvent = painted
    return float(np.median(times))


def _random(report: Callable[..., None]) -> None:
    """Measure random drags of four figures, beside the rule that `tests/property/test_drags.py` holds them to."""
    from core.formats.bundled import bundled_folder
    from tests.support.drags import Bench, random_drag

    for solver in SOLVERS[:2]:
        benches: dict[tuple[str, str], Bench] = {}
        drives = [random_drag(bundled_folder(), seed, solver, benches) for seed in range(DRAGS)]
        events = [event for drive in drives for event in drive.events]
        medians = [float(np.median([event.spent for event in drive.events])) for drive in drives]
        name = f"{DRAGS} random drags, {solver}"
        report(f"{name}: worst turn a centimetre", max(event.rate for event in events), "deg")
        report(f"{name}: events over 5 degrees a centimetre", 100.0 * np.mean([e.breaks for e in events]), "%")
        report(f"{name}: events that lag behind a goal in reach", _lagging(events), "%")
        report(f"{name}: slowest drag, median of its events", max(medians), "ms")


def _lagging(events) -> float:  # type: ignore[no-untyped-def]
    return float(100.0 * np.mean([event.left > 0.0 and not event.flag for event in events]))


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    _obstacles(report)
    from core.formats.bundled import bundled_folder
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    window.document.files.open(bundled_folder() / "library" / "Gestures" / "reach.seq")
    for _ in range(3):  # buffers of all sizes are made before the calls are stubbed
        application.processEvents()
        window.area.settle()
    for solver in SOLVERS:  # every shader that they need is compiled before, too
        drag(window, application, solver, whole=solver == SOLVERS[0])
    _points(report, window, application)
    with stubbed_gl() as calls:
        for solver in SOLVERS:
            times = np.array(drag(window, application, solver, whole=False))
            _times(report, f"drag event to repainted work area, OpenGL stubbed, {solver}", times)
        copying = _copying(window)
        note = "a repaint that does nothing else; it is part of every event above"
        report("copying the picture into the window, Qt alone", copying, "ms", note)
        before = calls[0]
        times = np.array(drag(window, application, "damped_least_squares", whole=True))
        _times(report, "the same, and every panel and small view that is due", times)
        report("OpenGL calls an event", (calls[0] - before) / EVENTS, "calls")
    times = np.array(drag(window, application, "damped_least_squares", whole=True))
    _times(report, "the same with OpenGL on this machine", times)
    _locked(report, window, application)
    _random(report)
    window.stop()
    window.close()


def _times(report: Callable[..., None], name: str, times: np.ndarray) -> None:
    note = f"median of {len(times)} events; 95 % under {np.percentile(times, 95):.2f} ms"
    busy = np.array(BUSY[20:])
    if len(busy) == len(times):
        note += f"; of it worked {np.median(busy):.2f}, 95 % under {np.percentile(busy, 95):.2f} ms"
    report(name, float(np.median(times)), "ms", f"{note}{GOALS if 'stubbed' in name else ''}")


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.3f} {unit} ({note})"))
