"""Moving a view's camera: orbit, pan and zoom by the mouse, and smooth moves to where it should be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QObject, QPointF, Qt, QVariantAnimation

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QWheelEvent

    from app.render.camera import Camera

DURATION = 200
"""How long the camera takes to where it was sent, [ms]."""
ZOOM_STEP = 1.15
"""How much closer one notch of the wheel moves the camera."""


class Navigation:
    """Mouse navigation of one view: Alt+left orbits, middle pans, Alt+right and the wheel zoom.

    Args:
        camera: Returns the view's camera; it is changed in place.
    """

    def __init__(self, camera: Callable[[], Camera]):
        self._camera = camera
        self._mode = ""
        self._last = QPointF()
        self._anchor = QPointF()

    @property
    def active(self) -> bool:
        """Whether the mouse moves the camera now."""
        return bool(self._mode)

    @property
    def mode(self) -> str:
        """``"orbit"``, ``"pan"``, ``"zoom"`` or ``""``."""
        return self._mode

    def press(self, event: QMouseEvent) -> bool:
        """Take a press; return whether it begins a camera move."""
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        button = event.button()
        mode = ""
        if button == Qt.MouseButton.MiddleButton:
            mode = "pan"
        elif alt and button == Qt.MouseButton.LeftButton:
            mode = "pan" if self._camera().orthographic else "orbit"
        elif alt and button == Qt.MouseButton.RightButton:
            mode = "zoom"
        if mode:
            self._mode = mode
            self._last = self._anchor = event.position()
        return bool(mode)

    def move(self, event: QMouseEvent, width: float, height: float) -> None:
        """Move the camera as the mouse moved."""
        at = event.position()
        dx, dy = at.x() - self._last.x(), at.y() - self._last.y()
        self._last = at
        camera = self._camera()
        if self._mode == "orbit":
            camera.orbit(dx, dy)
        elif self._mode == "pan":
            camera.pan(dx, dy, width, height)
        elif self._mode == "zoom":
            camera.zoom(math.exp(0.006 * (dx - dy)), (self._anchor.x(), self._anchor.y(), width, height))

    def release(self) -> None:
        """End the camera move."""
        self._mode = ""

    def wheel(self, event: QWheelEvent, width: float, height: float) -> bool:
        """Zoom at the cursor; return whether anything changed."""
        notches = event.angleDelta().y() / 120.0 if event.angleDelta().y() else event.pixelDelta().y() / 40.0
        if not notches:
            return False
        at = event.position()
        self._camera().zoom(ZOOM_STEP**notches, (at.x(), at.y(), width, height))
        return True


class CameraGlide(QObject):
    """Takes a camera to a goal in 200 ms, easing out; at once where motion is reduced.

    Args:
        moved: Called after each change of the camera.
        parent: Owner.
    """

    def __init__(self, moved: Callable[[], None], parent: QObject | None = None):
        super().__init__(parent)
        self._moved = moved
        self._camera: Camera | None = None
        self._from: Camera | None = None
        self._to: Camera | None = None
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(DURATION)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._step)

    @property
    def running(self) -> bool:
        """Whether a camera is on its way."""
        return self._animation.state() == QVariantAnimation.State.Running

    def stop(self) -> None:
        """Leave the camera where it is."""
        self._animation.stop()

    def go(self, camera: Camera, goal: Camera, reduced: bool) -> None:
        """Send a camera on its way.

        Args:
            camera: The camera to move, in place.
            goal: Where to; of the same kind.
            reduced: Whether to jump there at once.
        """
        self._animation.stop()
        self._camera, self._from, self._to = camera, camera.copy(), goal
        if reduced:
            self._step(1.0)
        else:
            self._animation.start()

    def carry(self, moved: NDArray[np.float64]) -> None:
        """Take what a camera on its way comes from and goes to along with the figure; (3,), [m]."""
        if self.running and self._from is not None and self._to is not None:
            self._from.shift(moved)
            self._to.shift(moved)

    def _step(self, t: float) -> None:
        camera, a, b = self._camera, self._from, self._to
        if camera is None or a is None or b is None:
            return
        target = (1.0 - t) * np.asarray(a.target) + t * np.asarray(b.target)
        camera.target = (float(target[0]), float(target[1]), float(target[2]))
        camera.distance = a.distance ** (1.0 - t) * b.distance**t
        camera.half_height = a.half_height ** (1.0 - t) * b.half_height**t
        camera.yaw = a.yaw + t * math.remainder(b.yaw - a.yaw, 2.0 * math.pi)
        camera.pitch = a.pitch + t * (b.pitch - a.pitch)
        self._moved()
