"""The Dynamics tab and the plots of physics mode."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from core.animation.hybrid_strips import HybridStrip
from tests.pictures.driving import State, settle_here


def _strips(window: MainWindow) -> None:
    """Strips of most groups, as in the middle of some work."""
    document, skeleton = window.document, window.document.skeleton
    assert skeleton is not None
    groups = {name: tuple(skeleton.joints[n].name for n in members if n) for name, members in skeleton.groups}
    names = list(groups)
    made = [HybridStrip((skeleton.joint_names[0],), 12, 34, ease_in=2, ease_out=4)]
    spans = ((12, 32, "dynamic"), (12, 32, "dynamic"), (10, 36, "dynamic"), (12, 34, "dynamic"), (16, 36, "motor"))
    for name, (start, end, mode) in zip(names, spans, strict=False):
        if groups[name]:
            made.append(HybridStrip(groups[name], start, end, mode, ease_in=2, ease_out=4))
    if len(names) > 5:
        made.append(HybridStrip(groups[names[5]][:1], 18, 28, "motor", ease_in=2, ease_out=2))
    assert document.hybrid.set(made)


def dynamics_tab(window: MainWindow) -> None:
    """Strips of most groups in physics mode, two of them selected, the pointer over one of them."""
    window.document.session.mode = "physics"
    _strips(window)
    window.timeline.show_tab("dynamics")
    window.document.set_frame(20)
    settle_here(window, 1.5)
    tracks = window.timeline.dynamics
    strips = window.document.hybrid.strips
    tracks.board.select_all([strips[3].id, strips[4].id])
    QTest.mouseMove(tracks, tracks.strip_center(strips[3]).toPoint())


def dynamics_empty(window: MainWindow) -> None:
    """No strips yet."""
    window.document.session.mode = "physics"
    window.timeline.show_tab("dynamics")
    settle_here(window, 1.5)


def dynamics_open(window: MainWindow) -> None:
    """A row open to its joints, one of which has a strip; the menu of another."""
    dynamics_tab(window)
    tracks = window.timeline.dynamics
    row = next(row for row in tracks.board.rows if any(not each.whole for each in row.placed))
    tracks.board.toggle_row(row)
    window.workbench.fit_timeline()
    settle_here(window, 0.3)
    strip = window.document.hybrid.strips[-2]
    tracks.show_strip_menu(tracks.mapToGlobal(tracks.strip_center(strip).toPoint()), strip, 24, None)


def dynamics_implausible(window: MainWindow) -> None:
    """A jump whose flight is off its parabola, flagged on ruler and band."""
    document = window.document
    document.session.mode = "physics"
    sequence = document.sequence
    assert sequence is not None
    for frame, up in ((10, 0.0), (16, 0.6), (24, 0.6), (30, 0.0)):
        document.set_frame(frame)
        pose = document.pose.copy()
        pose[1] += up
        document.posing.set(pose)
    document.set_frame(20)
    window.timeline.show_tab("dynamics")
    settle_here(window, 3.0)
    band = window.timeline.violation_band
    if band.search.found:
        QTest.mouseMove(band, QPointF(band.box_of(band.search.found[0]).center()).toPoint())


def simulated(window: MainWindow) -> None:
    """A fall that is simulated, halted in the middle of it."""
    _strips(window)
    document = window.document
    document.session.mode = "physics"
    window.timeline.show_tab("dynamics")
    document.set_frame(10)
    settle_here(window, 1.0)
    document.physics.start()
    for _ in range(100):
        settle_here(window, 0.1)
        if document.physics.frame >= 24:
            break
    document.physics.pause()
    settle_here(window, 0.3)


STATES: tuple[State, ...] = (
    ("dynamics_tab", dynamics_tab, "dark", (1600, 1000)),
    ("dynamics_light", dynamics_tab, "light", (1600, 1000)),
    ("dynamics_small", dynamics_tab, "dark", (1024, 680)),
    ("dynamics_empty", dynamics_empty, "dark", (1600, 1000)),
    ("dynamics_open", dynamics_open, "dark", (1600, 1000)),
    ("dynamics_implausible", dynamics_implausible, "dark", (1600, 1000)),
    ("dynamics_simulated", simulated, "dark", (1600, 1000)),
    ("dynamics_simulated_light", simulated, "light", (1600, 1000)),
)
