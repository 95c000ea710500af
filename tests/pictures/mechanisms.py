"""Mechanisms whose parts touch along curves and surfaces: their scenes some way on, a part selected, one dragged."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import LEFT, State, hand, settle_here
from tests.pictures.scenes import scene


def opened(window: MainWindow, name: str, *parts: str) -> None:
    """A scene at its first frame, some parts selected."""
    window.document.files.open(bundled_folder() / "scenes" / f"{name}.seq")
    settle_here(window, 0.3)
    window.area.frame_all()
    if parts:
        window.document.selection.set(list(parts))
        window.area.frame_selected()
    settle_here(window, 0.3)


def under_way(name: str, seconds: float) -> Callable[[MainWindow], None]:
    """Return what opens a scene and lets so much of it happen, with nothing drawn over the figure."""

    def act(window: MainWindow) -> None:
        for overlay in window.document.physics.overlays:
            window.document.physics.overlays.set(overlay, on=False)
        window.document.physics.overlays.opacity = 1.0
        scene(name, seconds)(window)
        settle_here(window, 0.3)

    return act


def selected(window: MainWindow) -> None:
    """Two links of the chain selected: the surfaces that touch are drawn."""
    opened(window, "torus chain", "link 3", "link 4")


def dragged(window: MainWindow) -> None:
    """The chain pulled aside by its last link, button down."""
    opened(window, "torus chain")
    view, start = window.area.work_view, hand(window, "link 10")
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(-14.0, -6.0) * step).toPoint())
        settle_here(window, 0.02)


STATES: tuple[State, ...] = (
    ("mechanism_torus_chain", scene("torus chain", 1.1), "dark", (1600, 1000)),
    ("mechanism_windmill", scene("windmill", 1.5), "light", (1600, 1000)),
    ("mechanism_spline_slide", scene("spline slide", 1.2), "dark", (1600, 1000)),
    ("mechanism_sled", scene("sled", 1.0), "light", (1600, 1000)),
    (
        "mechanism_windmill_opened",
        lambda window: opened(window, "windmill", "arm 1 c", "arm 2 a"),
        "dark",
        (1600, 1000),
    ),
    ("mechanism_sled_opened", lambda window: opened(window, "sled", "sled"), "dark", (1600, 1000)),
    ("mechanism_slide_opened", lambda window: opened(window, "spline slide", "link 1"), "light", (1600, 1000)),
    ("mechanism_selected", selected, "dark", (1600, 1000)),
    ("mechanism_dragged", dragged, "light", (1600, 1000)),
)
