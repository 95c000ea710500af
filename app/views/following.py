"""Cameras that go along with the figure: while frames pass it keeps its place in the views."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTimer

from app.document.changes import Change, FigureChanged, FileChanged, PoseChanged
from core.kinematics import center_of_mass, forward_kinematics
from core.skeleton.extent import figure_height

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

    from app.views.host import Host

Array = NDArray[np.float64]

EASE = 0.18
"""So long cameras are behind a figure that is simulated, [s]: blows and bounces do not shake the view."""
SLACK = 0.1
"""Where they are farther behind than this, in heights of the figure, they hurry: no fall takes it out of view."""
_INTERVAL = 16  # ms
_LONGEST = 0.1  # s: after a stall of the window cameras do not jump
_NEAR = 5e-4  # m: what is left of the way then is taken at once
_FLOOR = np.array([1.0, 0.0, 1.0])


class Follower:
    """Shifts all cameras by what the figure moves from frame to frame; angle and distance stay as a person has them.

    A keyed figure is followed over the ground by its root. One that is simulated is followed by its centre of mass,
    down stairs too, and smoothly; where the simulation ends the cameras are where they were before it. An edit of the
    pose, or a pull, moves the figure and not the cameras: a person wants to see what is dragged move.

    Args:
        host: Has the cameras.
        carry: Called with each shift, shape (3,), [m], before the cameras take it.
        moved: Called when cameras moved by themselves, between changes of the document.
        parent: Owner of the clock.
    """

    def __init__(self, host: Host, carry: Callable[[Array], object], moved: Callable[[], object], parent: QObject):
        self._host = host
        self._carry = carry
        self._moved = moved
        self._on = False
        self._frame = host.document.frame
        self._place: Array | None = None
        self._center: Array | None = None  # of mass, of the sample that was shown last
        self._gone = np.zeros(3)  # how far cameras went with what is simulated
        self._left = np.zeros(3)  # and how far they still have to
        self._last = 0.0
        self._height = 1.0  # of the figure, [m]
        self._clock = QTimer(parent, interval=_INTERVAL)
        self._clock.timeout.connect(self._ease)

    def stop(self) -> None:
        """Leave the cameras where they are."""
        self._clock.stop()
        self._left = np.zeros(3)

    def take(self, change: Change) -> None:
        """Take note of a change of the document; the scene must have taken it."""
        scene, document = self._host.scene, self._host.document
        was, self._on = self._on, bool(document.session.view.overlays["follow"])
        if isinstance(change, FigureChanged) or (isinstance(change, FileChanged) and change.name == "opened"):
            self._forget()
        if not self._on or scene.skeleton is None or scene.at_rest:
            self._forget()
            return
        sample = document.physics.current
        if not was:  # it may be far away
            low, high = scene.bounds()
            for camera in self._host.cameras.values():
                camera.shift((0.5 * (low + high) - camera.target) * (_FLOOR if sample is None else 1.0))
        if sample is not None:
            if self._center is None:
                self._begin()
            self._follow_sample(np.asarray(sample.center_of_mass, dtype=np.float64))
            return
        if self._center is not None:  # back at the keys: to where the cameras were
            self._left = np.zeros(3)
            self._clock.stop()
            self._shift(-self._gone)
            self._center, self._gone = None, np.zeros(3)
        if self._place is None or document.frame != self._frame or isinstance(change, PoseChanged):
            self._follow_keys(scene.poses[0, :3, 3])

    def _forget(self) -> None:
        self.stop()
        self._place = self._center = None
        self._gone = np.zeros(3)

    def _follow_keys(self, root: Array) -> None:
        place, frame = root * _FLOOR, self._host.document.frame
        if self._place is not None and frame != self._frame:
            self._shift(place - self._place)
        self._place, self._frame = place, frame

    def _begin(self) -> None:
        """Begin to follow what is simulated from where the keys have the figure."""
        skeleton, q = self._host.scene.skeleton, self._host.document.pose
        assert skeleton is not None
        keyed = forward_kinematics(skeleton, q)
        self._follow_keys(keyed[0, :3, 3])
        self._center = center_of_mass(skeleton, q, keyed)
        self._height = figure_height(skeleton)

    def _follow_sample(self, center: Array) -> None:
        physics = self._host.document.physics
        before, self._center = self._center, center
        moved = np.zeros(3) if before is None or physics.pull is not None else center - before
        if not moved.any():
            return
        if physics.running and not self._host.reduced_motion:
            self._left = self._left + moved
            if not self._clock.isActive():
                self._last = monotonic()
                self._clock.start()
        else:  # scrubbed, or a single step
            moved, self._left = moved + self._left, np.zeros(3)
            self._clock.stop()
            self._go(moved)

    def _ease(self) -> None:
        now = monotonic()
        step = min(max(now - self._last, 0.0), _LONGEST)
        self._last = now
        behind = float(np.linalg.norm(self._left))
        hurry = 1.0 + (behind / max(SLACK * self._height, _NEAR)) ** 2
        share = 1.0 - float(np.exp(-step * hurry / EASE))
        part = self._left if behind < _NEAR else share * self._left
        self._left = self._left - part
        self._go(part)
        if not self._left.any() and not self._host.document.physics.running:
            self._clock.stop()
        if part.any():
            self._moved()

    def _go(self, moved: Array) -> None:
        self._gone = self._gone + moved
        self._shift(moved)

    def _shift(self, moved: Array) -> None:
        if not moved.any():
            return
        self._carry(moved)
        for camera in self._host.cameras.values():
            camera.shift(moved)
