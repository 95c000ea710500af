"""Works out ghosts, trails, prints and keyed physics while the window has nothing better to do, some ms at a time.

What cannot be cut into pieces so small, how fast a figure goes whose walk has prints, is worked out in a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.scene.motion_samples import BUDGET
from app.work.latest_work import LatestWork

if TYPE_CHECKING:
    from app.scene.scene import Scene
    from core.gait.procedural import Rules

DRAGGING = 0.004
"""Time that is spent at once while something is dragged, [s]; and that many times as long passes before the next."""
PAUSE, REST = 30, 1  # ms


class Slices(QObject):
    """Goes on with what is not worked out yet, and says when there is something to be painted.

    Args:
        scene: The posed figure.
        repaint: Paints the marks of the work area again.
        redraw: Draws the pictures of all views again.
        parent: Owner.
    """

    def __init__(self, scene: Scene, repaint: Callable[[], None], redraw: Callable[[], None], parent: QObject):
        super().__init__(parent)
        self._scene, self._repaint, self._redraw = scene, repaint, redraw
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._work)
        self._speed = LatestWork(
            "Finding how fast the figure goes",
            0,
            scene.walk_prints.search,
            self._speed_found,
            lambda _: None,
            parent=self,
        )

    def schedule(self) -> None:
        """Look soon whether there is something to be worked out."""
        if not self._timer.isActive():
            busy = self._scene.document.gesture is not None or self._scene.document.session.playback.playing
            self._timer.start(PAUSE if busy else REST)

    def stop(self) -> None:
        """Work no more; the window closes."""
        self._timer.stop()
        self._speed.stop()

    def _speed_found(self, rules: Rules) -> None:
        self._scene.walk_prints.take_search(rules)
        self._repaint()
        self._redraw()

    def _work(self) -> None:
        scene, document = self._scene, self._scene.document
        if scene.walk_prints.shown and not self._speed.busy and scene.walk_prints.wait_for_search:
            self._speed.ask(at_once=True)
        dragging = document.gesture is not None
        budget = DRAGGING if dragging or document.session.playback.playing else BUDGET
        ghosts, samples, prints = scene.ghost_figures, scene.trails.samples, scene.prints
        if not dragging and ghosts.left:
            if ghosts.work(budget):
                self._redraw()
        elif not dragging and scene.physics.keyed.left:
            scene.physics.keyed.work()
            self._redraw()
        elif not dragging and prints.left:
            if prints.work(budget):
                self._repaint()
        elif scene.shows_motion and samples.left:
            if samples.work(budget):
                self._repaint()
        else:
            return
        self.schedule()
