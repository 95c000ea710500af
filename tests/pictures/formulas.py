"""The table of parts whose joints are written as expressions."""

from __future__ import annotations

from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import State, show_posed

VALUES = {
    "bead.round": 0.9,
    "slide.down": 6.0,
    "wheel.roll": 0.8,
    "puck.right": 0.06,
    "scapula.out": 0.4,
    "shin.bend": 1.2,
}


def table(window: MainWindow, *parts: str) -> None:
    """The table, some parts selected."""
    show_posed(window, bundled_folder() / "formulas.scr", VALUES, *parts)


def paths(window: MainWindow) -> None:
    """Parts selected, their ways and surfaces drawn."""
    table(window, "bead", "slide", "puck", "coupler")


def paths_near(window: MainWindow) -> None:
    """The same, nearer."""
    table(window, "slide", "puck", "wheel")
    window.area.frame_selected()


def linkages(window: MainWindow) -> None:
    """The part with three coordinates, the linkage and the knee."""
    table(window, "scapula", "coupler", "shin")
    window.area.frame_selected()


STATES: tuple[State, ...] = (
    ("formulas", table, "dark", (1600, 1000)),
    ("formulas-paths", paths, "dark", (1440, 900)),
    ("formulas-paths-light", paths_near, "light", (1440, 900)),
    ("formulas-linkages-light", linkages, "light", (1440, 900)),
)
