"""What the actions of the shot's camera do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor

from app.actions.group import WindowActions
from app.document.changes import Change, FigureChanged, FileChanged, PoseChanged, SequenceChanged, SessionChanged
from app.document.session import LIGHTS
from app.popovers.camera import CameraPopover
from app.popovers.lights import LightsPopover

_OVERLAY = "shot_camera"


class CameraActions(WindowActions):
    """Actions about the camera of the shot."""

    _popover: CameraPopover | None = None
    _lights: LightsPopover | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "key_camera": self.key,
            "through_camera": self.look_through,
            "delete_camera_key": lambda: self.document.camera.remove(self.document.frame),
            "clear_camera": self.document.camera.clear,
            "camera_settings": self.open_settings,
            "light_settings": self.open_lights,
            **{f"lights_{name}": partial(self.light, name) for name in LIGHTS},
        }

    def connect(self) -> None:
        """Connect with the rest of the window, once it is built."""
        self.document.changed.connect(self._take)
        self._window.timeline.camera.settings_requested.connect(self.open_settings)
        self._show_state()

    def key(self) -> None:
        """Key the shot's camera where the perspective view looks from, and look through it from then on."""
        if self._window.area.shot.key() and not self._window.area.shot.on:
            self.document.say("info", f"Camera keyed at frame {self.document.frame}")

    def look_through(self) -> None:
        """Look through the shot's camera in the perspective view, or no longer."""
        overlays = self.document.session.view.overlays
        overlays[_OVERLAY] = not overlays[_OVERLAY]
        if overlays[_OVERLAY]:
            self._window.area.show_view("perspective")

    def light(self, name: str) -> None:
        """Light figures so, in the views and in what is exported."""
        view = self.document.session.view
        view.lights, view.key_light = name, None
        self._show_state()

    def open_lights(self) -> None:
        """Open where the key light is and how strong."""
        if self._lights is None:
            self._lights = LightsPopover(self.document, self._window)
        area = self._window.area
        self._lights.open_at(area.mapToGlobal(QPoint(8, 40)))

    def open_settings(self, place: QPoint | None = None) -> None:
        """Open the settings of the camera."""
        if self._popover is None:
            self._popover = CameraPopover(self.document, self._window)
        self._popover.open_at(place if isinstance(place, QPoint) else QCursor.pos())

    def _take(self, change: Change) -> None:
        if isinstance(change, (FileChanged, FigureChanged, PoseChanged, SequenceChanged, SessionChanged)):
            self._show_state()

    def _show_state(self) -> None:
        actions, shot = self._window.action_table, self.document.camera.shot
        actions["through_camera"].setChecked(self.document.session.view.overlays[_OVERLAY])
        for name in LIGHTS:
            actions[f"lights_{name}"].setChecked(self.document.session.view.lights == name)
        keyed = shot is not None and bool(shot.keys)
        posing = self.document.session.mode != "skeleton"
        actions["delete_camera_key"].setEnabled(
            posing and shot is not None and shot.key_at(self.document.frame) is not None
        )
        for name in ("clear_camera", "camera_settings"):
            actions[name].setEnabled(posing and keyed)
