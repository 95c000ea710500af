"""The window: as it opens, with nothing in it, playing, telling what went wrong, its history."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from core.constraints import Lock
from tests.pictures.driving import LEFT, State, hand, panel_dock, settle_here
from tests.pictures.library import finish_icons
from tests.pictures.posing import mid_drag


def opening(window: MainWindow) -> None:
    """The sample, just opened."""


def empty(window: MainWindow) -> None:
    """No document."""
    window.document.files.new()


def playing(window: MainWindow) -> None:
    """In the middle of playing."""
    window.player.play()


def pending(window: MainWindow) -> None:
    """A pose that is in no key yet."""
    window.document.session.keys.auto = False
    window.document.set_frame(6)
    q = window.document.pose.copy()
    q[-8] += 0.4
    window.document.posing.set(q)


def error(window: MainWindow) -> None:
    """A file that cannot be read."""
    bad = Path(window.property("folder")) / "broken.scr"
    bad.write_text('define skeleton "broken"\n    joint "hip"\n    joint "hip"\nend skeleton\n', encoding="utf-8")
    window.open_files([bad])
    bad.unlink()


def front(window: MainWindow) -> None:
    """The front view in the work area."""
    window.area.show_view("front")


def view_menu(window: MainWindow) -> None:
    """The View menu."""
    menu = window.menu._menus["View"]
    menu.popup(window.menu.mapToGlobal(window.menu.actionGeometry(menu.menuAction()).bottomLeft()))


def history(window: MainWindow) -> None:
    """The history with steps of several kinds, some undone."""
    document = window.document
    document.set_frame(12)
    skeleton, q = document.skeleton, np.array(document.pose)
    assert skeleton is not None
    q[3 + skeleton.first_dof[skeleton.joint_index("right forearm")]] += 0.4
    document.posing.set(q, "Turn right forearm")
    document.posing.flip(["right upper arm", "right forearm"])
    document.files.save(Path(str(window.property("folder"))) / "steps.seq")
    document.locks.lock_parts(["left foot"], "position")
    document.keys.move({document.sequence.keys.frames[4]: document.sequence.keys.frames[4] + 1})  # type: ignore[union-attr]
    document.set_frame(9)
    document.posing.pose_between("push", 0.5)
    document.keys.delete([document.sequence.keys.frames[2]])  # type: ignore[union-attr]
    document.sequences.set_fps(25)
    document.sequences.rename("Walk on")
    for _ in range(3):
        document.history.undo()
    window.action_table["show_history"].trigger()
    if window.workbench.folded:
        window.workbench.docks[0].show()


def history_drag(window: MainWindow) -> None:
    """The history while a hand is dragged."""
    window.action_table["show_history"].trigger()
    mid_drag(window)


def undo_flash(window: MainWindow) -> None:
    """What Undo has just changed, at the frame it went to."""
    document = window.document
    document.set_frame(12)
    document.posing.flip(["right upper arm", "right forearm"])
    document.set_frame(24)
    window.action_table["undo"].trigger()
    document.history._flash_ends.stop()  # type: ignore[union-attr]


def readme(window: MainWindow) -> None:
    """What docs/images/window.png shows: a hand pulled out of reach in a walk with locks, beside the library."""
    document, session = window.document, window.document.session
    window.library.panel.set_closed(("Gestures", "Everyday", "Jumps", "Dance"))
    window.workbench._board.resizeDocks([panel_dock(window, "Sequence library")], [478], Qt.Orientation.Vertical)
    finish_icons(window)
    session.view.overlays["ghosts"] = session.view.overlays["com"] = True
    session.view.ghosts_at, session.view.ghost_step = "frames", 8
    rows: tuple[tuple[int, Lock, int, int, float], ...] = (
        (8, Lock("right foot", "position"), 5, 15, 2.0),
        (10, Lock("right foot", "orientation"), 2, 14, 1.0),
        (12, Lock("right toes", "plane"), 2, 18, 2.0),
        (24, Lock("left foot", "position"), 18, 30, 3.0),
        (0, Lock("head", "orientation", weight=0.5), 0, 32, 6.0),
    )
    for frame, lock, start, end, ease in rows:
        document.set_frame(frame)
        document.locks.add(lock, start, end, ease_in=ease if start else 0.0, ease_out=ease)
    session.locks.selected = document.locks.strips[0].id
    document.set_frame(12)
    window.workbench.splitter.setSizes([490, 410])
    settle_here(window, 0.5)
    view, start_at = window.area.work_view, hand(window)
    QTest.mousePress(view, LEFT, pos=start_at.toPoint())
    for step in range(1, 17):
        QTest.mouseMove(view, (start_at + QPointF(0.0075, -0.021) * view.height() * step).toPoint())
        settle_here(window, 0.03)


STATES: tuple[State, ...] = (
    ("readme", readme, "dark", (1600, 1000)),
    ("readme-light", readme, "light", (1600, 1000)),
    ("opening", opening, "dark", (1600, 1000)),
    ("opening-light", opening, "light", (1600, 1000)),
    ("empty", empty, "dark", (1600, 1000)),
    ("playing", playing, "dark", (1600, 1000)),
    ("pending", pending, "dark", (1440, 900)),
    ("history", history, "dark", (1600, 1000)),
    ("history-light", history, "light", (1440, 900)),
    ("history-small", history, "dark", (1024, 680)),
    ("history-drag", history_drag, "dark", (1600, 1000)),
    ("undo-flash", undo_flash, "dark", (1600, 1000)),
    ("error", error, "dark", (1440, 900)),
    ("front-light", front, "light", (1280, 720)),
    ("small", opening, "dark", (1024, 680)),
    ("view-menu", view_menu, "dark", (1024, 680)),
    ("view-menu-light", view_menu, "light", (1024, 680)),
)
