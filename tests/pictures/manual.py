"""``python -m tests.pictures.manual [FOLDER [NAME...]]`` makes the pictures of the manual, into ``docs/manual/images``.

Those of the page *Retime a walk to a beat* are made by ``python -m tests.walk_to_a_beat``, those of *Carry a box and
hand it over* by ``python -m tests.carry_a_box docs/manual/images``, the moving one of *Let a figure walk* by
``python -m tests.let_it_walk docs/manual/images``, the rows of *Retarget a motion to another figure* by
``python -m tests.retarget_strips docs/manual/images``. Works without a display.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.dialogs.export_dialog import ExportDialog, Wishes
from app.process import virtual_display
from app.widgets.frames.form_dialog import FormDialog
from app.window.main_window import MainWindow
from core.constraints import Lock
from core.kernels import load_all
from tests.pictures import (
    camera,
    cleaning,
    control_points,
    curves,
    dynamics,
    keys,
    library,
    locks,
    mechanisms,
    music,
    physics,
    posing,
    scenes,
    several,
    skeleton,
    strands,
    walk,
    whole_window,
)
from tests.pictures.driving import LEFT, grab, hand, panel_dock, settle_here, shown
from tests.support.surfaces import SURFACES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "manual" / "images"
WIDTH, QUALITY = 720, 82
"""Widest picture, [px], and how well it is kept, 0 to 100."""
SIZE = (1280, 800)


def work_area(window: MainWindow) -> QWidget:
    """Return the large view."""
    return window.area.work_view


def timeline(window: MainWindow) -> QWidget:
    """Return the timeline."""
    return window.timeline


def middle(window: MainWindow) -> QWidget:
    """Return the views and the timeline below them."""
    return window.workbench.splitter


def whole(window: MainWindow) -> QWidget:
    """Return the window itself."""
    return window


def library_dock(window: MainWindow) -> QWidget:
    """Return the library."""
    return panel_dock(window, "Sequence library")


def tall(act: Callable[[MainWindow], None]) -> Callable[[MainWindow], None]:
    """Return the same with more room for the timeline."""

    def done(window: MainWindow) -> None:
        window.workbench.splitter.setSizes([240, 480])
        act(window)

    return done


def drag(window: MainWindow) -> None:
    """A hand on its way, button down."""
    window.document.set_frame(12)
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window).toPoint()
    QTest.mousePress(view, LEFT, pos=start)
    for step in range(1, 13):
        QTest.mouseMove(view, start + QPoint(5 * step, -4 * step))
        settle_here(window, 0.02)


def ghosts(window: MainWindow) -> None:
    """Ghosts, and the trail of a hand."""
    session = window.document.session
    session.view.overlays["ghosts"] = session.view.overlays["trail"] = True
    session.view.ghosts_before = session.view.ghosts_after = 2
    window.document.selection.set(["right hand"])
    window.document.set_frame(16)


def crouch(window: MainWindow) -> None:
    """The pelvis pulled down over locked feet, button down."""
    document, view = window.document, window.area.work_view
    document.set_frame(16)
    for foot in ("right foot", "left foot"):
        document.locks.add(Lock(foot, "pose"))
    settle_here(window, 0.3)
    start = hand(window, "pelvis")
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 15):
        QTest.mouseMove(view, start.toPoint() + QPoint(0, round(0.004 * view.height() * step)))
        settle_here(window, 0.03)


def movie(window: MainWindow) -> None:
    """The dialog for a movie."""
    view = window.area
    ExportDialog(window.document.sequence, Wishes(), "dark", view.host.cameras[view.kind].copy(), True, window).show()
    settle_here(window, 0.3)


def surface(name: str) -> Callable[[MainWindow], None]:
    """Return what opens a dialog as the tests of clipping do."""

    def open_it(window: MainWindow) -> None:
        SURFACES[name](window)
        settle_here(window, 0.6)

    return open_it


def dialog(window: MainWindow) -> QWidget:
    """Return the dialog that is open."""
    return next(each for each in window.findChildren(FormDialog) if each.isVisible())


PICTURES: dict[str, tuple[Callable[[MainWindow], None], Callable[[MainWindow], QWidget], tuple[int, int]]] = {
    "window": (whole_window.readme, whole, (1600, 1000)),
    "ghosts": (ghosts, work_area, SIZE),
    "drag": (drag, work_area, SIZE),
    "rings": (posing.part_rings, work_area, SIZE),
    "control-points": (control_points.points, work_area, SIZE),
    "path": (control_points.drawn, work_area, SIZE),
    "locks": (crouch, work_area, SIZE),
    "foot-paths": (locks.foot_paths, work_area, SIZE),
    "lock-strips": (tall(locks.lock_tab), timeline, SIZE),
    "script": (tall(locks.script), timeline, SIZE),
    "dope-sheet": (tall(keys.sheet), timeline, SIZE),
    "clean-up": (cleaning.clean_up("feet"), whole, (1280, 800)),
    "clean-up-faults": (cleaning.clean_up("faults", 21), whole, (1280, 800)),
    "reduce-keys": (keys.reduce_keys, work_area, SIZE),
    "between": (posing.breakdown, whole, (1024, 680)),
    "least-effort": (posing.least_effort, whole, (1024, 680)),
    "curves": (tall(curves.curves), timeline, SIZE),
    "curves-box": (tall(curves.box), timeline, SIZE),
    "curves-cycles": (tall(curves.cycles), timeline, SIZE),
    "music": (tall(music.music), timeline, SIZE),
    "library": (library.flipping, library_dock, (1600, 1000)),
    "physics": (physics.simulating, work_area, SIZE),
    "muscle": (physics.muscle_arm, middle, SIZE),
    "stumble": (physics.directed, work_area, SIZE),
    "hair": (strands.hair, work_area, SIZE),
    "hair-numbers": (strands.hair_numbers, whole, (1280, 800)),
    "marionette": (strands.marionette, work_area, SIZE),
    "loop": (strands.four_bar, whole, (1280, 800)),
    "dynamics": (tall(dynamics.dynamics_tab), timeline, SIZE),
    "three-bodies": (scenes.scene("three bodies", 1.0), work_area, SIZE),
    "torus-chain": (mechanisms.under_way("torus chain", 1.1), work_area, SIZE),
    "windmill": (mechanisms.under_way("windmill", 1.5), work_area, SIZE),
    "spline-slide": (mechanisms.under_way("spline slide", 1.0), work_area, SIZE),
    "sled": (mechanisms.under_way("sled", 1.0), work_area, SIZE),
    "skeleton": (skeleton.skeleton, whole, (1280, 800)),
    "several": (several.several, whole, (1280, 800)),
    "camera": (tall(camera.through), middle, SIZE),
    "walk-settings": (walk.settings, whole, (1280, 800)),
    "walk-footprint": (walk.footprint, work_area, SIZE),
    "export": (movie, dialog, SIZE),
    "export-motion": (surface("export motion"), dialog, SIZE),
    "import": (surface("import"), dialog, SIZE),
    "retarget-dialog": (surface("retarget"), dialog, SIZE),
}
"""What is done before a picture is taken, the part of the window it shows, and the size of the window, [px]."""


def kept(picture: QPixmap, file: Path) -> None:
    """Save a picture, no wider than those of the manual are."""
    if picture.width() > WIDTH:
        picture = picture.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation)
    picture.save(str(file), "WEBP", QUALITY)


def take(name: str, folder: Path) -> Path:
    """Save one picture of the manual; return its file."""
    act, part, size = PICTURES[name]
    file = folder / f"{name}.webp"
    with shown(act, "dark", size, folder) as window:
        widget = part(window)
        if widget.isWindow() and widget is not window:
            kept(widget.grab(), file)
            widget.close()
        else:
            kept(grab(window).copy(QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())), file)
    return file


def main(words: list[str]) -> int:
    """Save all pictures, or those named after the folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures.manual")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all of them if not given: {', '.join(PICTURES)}")
    chosen = parser.parse_args(words)
    if unknown := [name for name in chosen.names if name not in PICTURES]:
        parser.error(f"no picture is called {unknown[0]}")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    virtual_display.ensure(1600, 1000)
    load_all()
    for name in chosen.names or PICTURES:
        print(take(name, chosen.folder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
