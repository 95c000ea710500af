"""``python -m tests.let_it_walk [FOLDER]`` lets the man walk over a floor, stairs and hills, with the mouse alone.

The real window is driven by mouse events and keys; a footprint is dragged aside and turned. In the end it is measured
how far feet slip while they stand, and with a folder a GIF of all three walks goes there, and one of other figures and
other gaits: a woman, a child, a robot with stiff feet, a man who runs and jumps, and a horse.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.popovers.walk import WalkPopover
from app.scene.pointing import view_point
from app.widgets.fields.choice import Choice
from app.window.editor import settle
from app.window.main_window import MainWindow
from core.formats import Project, save
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.terrain import Terrain
from tests.support.driver import BUTTON, POINT, Driver
from tests.support.filming import pictures_of, write_gif
from tests.support.shown_window import shown_window
from tests.support.walkers import walker as figure_of

SIZE = (1280, 800)
STRIDE, WIDE, NARROW = 3, 480, 320
"""Of the GIFs: one picture in so many frames, the width of the first and of the second, [px]."""
SLIP = 1e-6
"""How far a foot may slip while it stands, [m]."""
OTHERS = (
    ("woman", "Walk", 4, 1.7), ("child", "Walk", 4, 1.2), ("robot", "Walk", 4, 2.0), ("human", "Run", 4, 1.8),
    ("human", "Jump", 2, 1.9), ("horse", "Walk", 4, 2.6), ("horse", "Trot", 4, 2.6), ("horse", "Gallop", 4, 2.6),
)  # fmt: skip
"""Figures, their gaits, how many steps they take, and how tall they are, [m]."""
PROPORTIONED = ("child", "robot")
"""Those of them that are made of the man."""


class Walker(Driver):
    """A person who lets a figure walk."""

    patience = 0.1

    def __init__(self, application: QApplication, window: MainWindow):
        super().__init__(application, window, None, "walk")
        self.document, self.view = window.document, window.area.work_view

    @property
    def prints(self):
        """The footprints as the views show them."""
        return self.view.host.scene.walk_prints

    def settings(self) -> WalkPopover:
        """Open the settings of the walk from the menu."""
        self.choose("Sequence", "Walk", "Walk…")
        popover = self.window.walk.popover
        assert popover is not None and popover.isVisible()
        return popover

    def type_value(self, popover: WalkPopover, name: str, text: str) -> None:
        """Type a value into its field, and wait until the walk is made."""
        field = popover.rows[name].field
        self.click(field)
        editor = field.findChild(QLineEdit)
        assert editor is not None
        QTest.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(editor, text)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        self.seconds += POINT + (len(text) + 1) * 2 * BUTTON
        self.wait(popover)

    def wait(self, popover: WalkPopover) -> None:
        """Wait until a walk that is made beside the window is there."""
        for _ in range(600):
            if popover.progress.isHidden():
                return
            settle(self.application, 0.05)
        raise AssertionError("the walk was not made within 30 s")

    def pick(self, popover: WalkPopover, choice: Choice, words: str) -> None:
        """Choose from a list of the settings, by keys."""
        choice.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(choice, Qt.Key.Key_Home)
        for _ in range(choice.count()):
            if choice.currentText() == words:
                break
            QTest.keyClick(choice, Qt.Key.Key_Down)
        assert choice.currentText() == words
        self.seconds += POINT + 4 * BUTTON
        self.wait(popover)

    def look(self, target: tuple[float, float, float], distance: float, pitch: float = 0.3, yaw: float = 0.9) -> None:
        """Look at a place from so far away."""
        camera = self.view.camera
        camera.target, camera.distance, camera.pitch, camera.yaw = target, distance, pitch, yaw
        self.view.invalidate()
        QApplication.sendEvent(self.view, QEvent(QEvent.Type.Leave))  # nothing is lit under the pointer
        settle(self.application, 0.3)

    def move_print(self, number: int, by: tuple[float, float]) -> None:
        """Drag a footprint over the ground by so much along x and z, [m]."""
        place = self.prints.all[number].middle
        start, end = (view_point(self.view, place + np.array([k * by[0], 0.0, k * by[1]])) for k in (0.0, 1.0))
        self.drag(self.view, start, end)

    def turn_print(self, number: int, aside: float) -> None:
        """Drag the knob of a footprint, which is seen once the pointer is over it, aside by so much along x, [m]."""
        each = self.prints.all[number]
        self._send(self.view, QEvent.Type.MouseMove, view_point(self.view, each.middle), False)
        knob = view_point(self.view, each.handle)
        self.drag(self.view, knob, view_point(self.view, each.handle + np.array([aside, 0.0, 0.0])))


def slip(walker: Walker) -> float:
    """Return how far the foot that a lock holds in one place moves there, at most, [m], at 240 samples a second."""
    sequence, worst = walker.document.sequence, 0.0
    assert sequence is not None
    s, last = sequence.skeleton, sequence.range[1]
    for strip in sequence.locks.strips:
        if strip.lock.kind != "pose" or strip.moves:
            continue
        end = last if strip.end is None else min(strip.end, last)
        frames = np.arange(strip.start, end + 1e-9, sequence.fps / 240.0)
        X = forward_kinematics(s, sequence.poses_at_frames(frames))[:, s.joint_index(strip.lock.joint)]
        places = X[:, :3, :3] @ strip.lock.point + X[:, :3, 3]
        worst = max(worst, float(np.linalg.norm(places - places[0], axis=1).max()))
    return worst


def do(walker: Walker) -> tuple[list[np.ndarray], float]:
    """Let the man walk over all grounds; return the pictures and how far a foot slips."""
    document, pictures, worst = walker.document, [], 0.0
    assert document.files.open(bundled_folder() / "human.scr")
    settle(walker.application, 0.3)
    for overlay in ("control_points", "ghosts", "trail"):
        document.session.view.overlays[overlay] = False
    popover = walker.settings()
    walker.click(popover.make_button)
    walker.wait(popover)
    walker.type_value(popover, "steps", "8")
    walker.type_value(popover, "turn", "8")
    assert document.walks.rules is not None and document.walks.rules.manner.steps == 8
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    walker.look((0.9, 0.6, 2.0), 8.2, 0.45, -1.0)
    walker.move_print(5, (0.16, 0.05))
    walker.turn_print(5, 0.06)
    walker.click(walker.view, QPointF(300.0, 120.0))  # beside all prints
    assert [each.by_hand for each in walker.prints.all].count(True) == 2
    views = {"Stairs": ((0.0, 1.4, 2.4), 8.6, 0.4, -2.35), "Hills": ((0.0, 0.5, 4.0), 11.0, 0.3, -1.0)}
    for ground in ("", *views):
        if ground:
            popover = walker.settings()
            walker.click(popover.usual)
            walker.wait(popover)
            walker.pick(popover, popover.ground, ground)
            walker.type_value(popover, "steps", "11")
            QTest.keyClick(popover, Qt.Key.Key_Escape)
            walker.look(*views[ground])
            assert isinstance(walker.view.host.scene.world_around.terrain, Terrain)
        sequence = document.sequence
        assert sequence is not None and sequence.gait is not None
        pictures += pictures_of(walker.application, walker.window, range(0, int(sequence.range[1]) + 1, STRIDE), WIDE)
        found = slip(walker)
        print(f"{ground or 'Level floor'}: {len(walker.prints.all)} footprints, feet slip by at most {found:.1e} m")
        worst = max(worst, found)
    return pictures, worst


def others(walker: Walker, folder: Path) -> list[np.ndarray]:
    """Let figures of other proportions and a horse go; return the pictures.

    Args:
        walker: The person.
        folder: Where figures are written that the library does not have.
    """
    document, pictures = walker.document, []
    for name, gait, steps, height in OTHERS:
        path = bundled_folder() / f"{name}.scr"
        if name in PROPORTIONED:
            path = folder / f"{name}.scr"
            save(Project([figure_of(name)], []), path)
        assert document.files.open(path)
        settle(walker.application, 0.3)
        popover = walker.settings()
        if popover.kind.currentText() != gait:
            walker.pick(popover, popover.kind, gait)
        walker.click(popover.make_button)
        walker.wait(popover)
        walker.type_value(popover, "steps", str(steps))
        QTest.keyClick(popover, Qt.Key.Key_Escape)
        sequence = document.sequence
        assert sequence is not None and sequence.gait is not None
        last = int(sequence.range[1])
        way = float(sequence.pose_at_frame(last)[2])
        walker.look((0.0, 0.45 * height, 0.5 * way), (way + height) / 0.62, 0.15, -1.35)
        pictures += pictures_of(walker.application, walker.window, range(0, last + 1, STRIDE), NARROW)
        print(f"{name}, {gait.lower()}: {len(sequence.keys)} keys, {last} frames, {way:.1f} m")
    return pictures


def main(words: list[str]) -> int:
    """Do it."""
    application, window = shown_window(SIZE)
    settle(application, 0.5)
    walker = Walker(application, window)
    pictures, worst = do(walker)
    if words:
        write_gif(Path(words[0]) / "walk.gif", pictures, 30.0 / STRIDE)
        with TemporaryDirectory() as folder:
            write_gif(Path(words[0]) / "gaits.gif", others(walker, Path(folder)), 30.0 / STRIDE)
    print(f"a person takes about {walker.seconds:.0f} s")
    window.stop()
    window.close()
    return 0 if worst <= SLIP else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
