"""The library of sequences."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.window.main_window import MainWindow
from core.formats.library import Library
from tests.pictures.driving import State, panel_dock, settle_here


def library(window: MainWindow) -> None:
    """The library with a search for nothing, its icons drawn."""
    finish_icons(window)


def flipping(window: MainWindow) -> None:
    """An icon under the pointer in the middle of its flip-book."""
    panel = window.library.panel
    finish_icons(window)
    tile = next(tile for tile in panel.tiles() if tile.entry.name == "jump")
    panel.scroll_area.ensureWidgetVisible(tile, 0, 40)
    QTest.mouseMove(tile, tile.rect().center())
    for _ in range(200):
        settle_here(window, 0.02)
        if tile.number == 8:
            break


def flipping_reduced(window: MainWindow) -> None:
    """The same where motion is reduced: a static strip."""
    window.document.session.view.reduced_motion = True
    flipping(window)


def library_search(window: MainWindow) -> None:
    """What a search finds, a file that cannot be read among it."""
    panel = window.library.panel
    panel.library = Library(Path(window.property("folder")) / "library")  # not the person's own
    panel.library.prepare("Gestures", "Broken wave").write_text("{", encoding="utf-8")
    panel.rescan()
    panel.search.field.setText("wa")
    finish_icons(window)


def save_to_library(window: MainWindow) -> None:
    """The question for name and menu."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QDialog

    def shoot() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog)
        dialog.grab().save(str(Path(window.property("folder")) / "save-to-library-dialog.png"))
        dialog.reject()

    QTimer.singleShot(400, shoot)
    window.action_table["save_to_library"].trigger()


def finish_icons(window: MainWindow) -> None:
    """Let the window work until the icons of the library that can be seen are drawn."""
    dock = panel_dock(window, "Sequence library")
    dock.show()
    settle_here(window, 0.3)
    for _ in range(600):
        if not window.library.panel.icons.busy:
            break
        settle_here(window, 0.1)


STATES: tuple[State, ...] = (
    ("library", library, "dark", (1600, 1000)),
    ("library-light", library, "light", (1600, 1000)),
    ("library-small", library, "dark", (1024, 680)),
    ("library-search", library_search, "dark", (1440, 900)),
    ("flipping", flipping, "dark", (1600, 1000)),
    ("flipping-light", flipping, "light", (1440, 900)),
    ("flipping-reduced", flipping_reduced, "dark", (1600, 1000)),
    ("save-to-library", save_to_library, "dark", (1440, 900)),
)
