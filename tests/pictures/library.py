"""The library of sequences."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.library.menu import carrying
from app.window.main_window import MainWindow
from core.animation import Key, Sequence
from core.formats.library import POSES, PROPS, Library
from core.skeleton.building.props import box
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


def parts(window: MainWindow) -> None:
    """A pose and a prop of one's own, and a shared folder, between the menus that come with the program."""
    panel, document = window.library.panel, window.document
    folder = Path(window.property("folder"))
    panel.library = Library(folder / "library of parts")  # not the person's own
    document.set_frame(8)
    writing = window.library.saving
    skeleton, pose = document.skeleton, document.pose.copy()
    assert skeleton is not None
    writing._write("Passing", POSES, lambda name, menu: Sequence(skeleton, 30, name, menu=menu, keys=[Key(0, pose)]))
    document.figures.add(box((0.4, 0.3, 0.3)), "Add box", beside=True)
    crate = document.skeleton
    assert crate is not None
    writing._write("Crate", PROPS, lambda name, menu: Sequence(crate, 30, name, menu=menu))
    document.history.undo()
    team = folder / "Team motions"
    team.mkdir(exist_ok=True)
    shutil.copy(panel.library.bundled / "Gestures" / "wave.seq", team / "hello.seq")
    panel.library.share(team)
    panel.rescan()
    panel.set_closed([menu.name for menu in panel.library.bundled_menus()])
    finish_icons(window)


def dragging(window: MainWindow) -> None:
    """A sequence held over the timeline: where it would come, and how long it is."""
    entry = next(tile.entry for tile in window.library.panel.tiles() if tile.entry.name == "bow")
    strip = window.timeline.strip
    at = strip.mapTo(window, QPoint(round(strip.track_x(12)), 20))
    window.library.putting.show_drop(carrying(entry), at)


def put_in(window: MainWindow) -> None:
    """The board after a sequence was blended in by a drop."""
    entry = next(tile.entry for tile in window.library.panel.tiles() if tile.entry.name == "march")
    strip = window.timeline.strip
    at = strip.mapTo(window, QPoint(round(strip.track_x(16)), 20))
    window.library.putting.take_drop(carrying(entry), at, Qt.KeyboardModifier.ControlModifier)
    for _ in range(200):
        settle_here(window, 0.1)
        if not window.background.busy:
            break


def from_blender(window: MainWindow) -> None:
    """What the add-on for Blender has sent is offered."""
    path = Path(window.property("folder")) / "from-blender.armature"
    path.write_text('{"format": "sequence-editor-armature", "armature": "human"}', encoding="utf-8")
    window.blender.watch.came.emit(path)


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
    ("library-parts", parts, "dark", (1600, 1000)),
    ("library-parts-light", parts, "light", (1024, 680)),
    ("drag-from-library", dragging, "dark", (1024, 680)),
    ("drag-from-library-light", dragging, "light", (1600, 1000)),
    ("put-in", put_in, "dark", (1600, 1000)),
    ("put-in-light", put_in, "light", (1024, 680)),
    ("from-blender", from_blender, "dark", (1024, 680)),
    ("from-blender-light", from_blender, "light", (1600, 1000)),
    ("save-to-library", save_to_library, "dark", (1440, 900)),
)
