"""The window: as it opens, with nothing in it, playing, telling what went wrong, its history."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app.main_window import MainWindow
from tests.pictures.driving import State
from tests.pictures.posing import mid_drag


def opening(window: MainWindow) -> None:
    """The sample, just opened."""


def empty(window: MainWindow) -> None:
    """No document."""
    window.document.new()


def playing(window: MainWindow) -> None:
    """In the middle of playing."""
    window.player.play()


def pending(window: MainWindow) -> None:
    """A pose that is in no key yet."""
    window.document.session.auto_key = False
    window.document.set_frame(6)
    q = window.document.pose.copy()
    q[-8] += 0.4
    window.document.set_pose(q)


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
    document.set_pose(q, "Turn right forearm")
    document.flip_pose(["right upper arm", "right forearm"])
    document.save(Path(str(window.property("folder"))) / "steps.seq")
    document.lock_parts(["left foot"], "position")
    document.move_keys({document.sequence.frames[4]: document.sequence.frames[4] + 1})  # type: ignore[union-attr]
    document.set_frame(9)
    document.pose_between("push", 0.5)
    document.delete_keys([document.sequence.frames[2]])  # type: ignore[union-attr]
    document.set_fps(25)
    document.rename("Walk on")
    for _ in range(3):
        document.undo()
    window.actions["show_history"].trigger()
    if window.workbench.folded:
        window.workbench.docks[0].show()


def history_drag(window: MainWindow) -> None:
    """The history while a hand is dragged."""
    window.actions["show_history"].trigger()
    mid_drag(window)


def undo_flash(window: MainWindow) -> None:
    """What Undo has just changed, at the frame it went to."""
    document = window.document
    document.set_frame(12)
    document.flip_pose(["right upper arm", "right forearm"])
    document.set_frame(24)
    window.actions["undo"].trigger()
    document._flash_ends.stop()  # type: ignore[union-attr]


STATES: tuple[State, ...] = (
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
