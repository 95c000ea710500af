"""``python -m tests.pictures [FOLDER]`` drives the real window and saves a picture of each state worth looking at.

Nothing is compared: the pictures are for eyes, before and after a change of the look. Works without a display.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app import virtual_display
from app.editor import finish_thumbnails, make_application, make_window, settle
from app.main_window import MainWindow
from core import compiled
from core.formats.bundled import bundled_folder
from core.skeleton.segment import end_effector

LEFT = Qt.MouseButton.LeftButton


def hand(window: MainWindow, name: str = "right hand") -> QPointF:
    """Return where the middle of a part is on the work area, logical px."""
    from app.tools.base import view_point

    skeleton = window.document.skeleton
    assert skeleton is not None
    joint = skeleton.joint_index(name)
    return view_point(window.area.work_view, window.area.host.scene.world(joint, end_effector(skeleton, joint)))


def opening(window: MainWindow) -> None:
    """The sample, just opened."""


def empty(window: MainWindow) -> None:
    """No document."""
    window.document.new()


def mid_drag(window: MainWindow) -> None:
    """A hand on its way, button down."""
    window.document.set_frame(12)
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window)
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(4.0, -15.0) * step).toPoint())
        settle_here(window, 0.02)


def out_of_reach(window: MainWindow) -> None:
    """A hand pulled farther than the arm is long."""
    mid_drag(window)
    view, start = window.area.work_view, hand(window)
    QTest.mouseMove(view, (start + QPointF(220.0, -120.0)).toPoint())


def rings(window: MainWindow) -> None:
    """The rotate tool on an upper arm."""
    window.document.session.tool = "rotate"
    window.document.set_selection(["right upper arm"])


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


STATES: tuple[tuple[str, Callable[[MainWindow], None], str, tuple[int, int]], ...] = (
    ("opening", opening, "dark", (1600, 1000)),
    ("opening-light", opening, "light", (1600, 1000)),
    ("empty", empty, "dark", (1600, 1000)),
    ("mid-drag", mid_drag, "dark", (1600, 1000)),
    ("mid-drag-light", mid_drag, "light", (1600, 1000)),
    ("out-of-reach", out_of_reach, "dark", (1600, 1000)),
    ("rings", rings, "dark", (1600, 1000)),
    ("playing", playing, "dark", (1600, 1000)),
    ("pending", pending, "dark", (1440, 900)),
    ("error", error, "dark", (1440, 900)),
    ("front-light", front, "light", (1280, 720)),
    ("small", opening, "dark", (1024, 680)),
    ("small-drag-light", mid_drag, "light", (1024, 680)),
)


def settle_here(window: MainWindow, seconds: float) -> None:
    """Let the window work."""
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance()
    assert isinstance(application, QApplication)
    settle(application, seconds)


def take(name: str, folder: Path) -> Path:
    """Save the picture of one state; return its file."""
    state, act, theme, size = next(row for row in STATES if row[0] == name)
    application = make_application(theme)
    window = make_window(theme, remember=False)
    window.setProperty("folder", str(folder))
    window.resize(*size)
    window.show()
    window.document.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    settle(application, 0.3)
    finish_thumbnails(application, window)
    act(window)
    settle(application, 0.5)
    finish_thumbnails(application, window)
    file = folder / f"{state}.png"
    window.grab().save(str(file))
    window.area.cancel()
    window.stop()
    window.close()
    return file


def main(words: list[str]) -> int:
    """Save all pictures, or those named after the folder."""
    folder = Path(words[0] if words else "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    virtual_display.ensure(1600, 1000)
    compiled.use(compiled.COMPILED)
    for name, *_ in STATES:
        if len(words) < 2 or name in words[1:]:
            print(take(name, folder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
