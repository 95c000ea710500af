"""Looking through the shot's camera: the perspective view shows what it sees, and moving that view keys it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, SequenceChanged
from app.marks.safe_frame import wider
from app.render.camera import Camera
from core.animation.figure_way import FigureWay
from core.animation.shot_camera import CameraPath, lens_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

    from app.views.host import Host
    from core.animation import Sequence

PAUSE = 400
"""So long after the last movement of the camera it is keyed, [ms]: some turns of the wheel are one step."""
_SHARE = 0.92
_OVERLAY, _VIEW = "shot_camera", "perspective"
_KINDS = (FigureChanged, FileChanged, KeysChanged, SequenceChanged)


class ShotView:
    """Lets the perspective camera be the shot's while that is looked through; afterwards it is where it was before.

    Args:
        host: Has the cameras.
        aspect: Returns width over height of the view in the work area.
        parent: Owner of the clock.
    """

    def __init__(self, host: Host, aspect: Callable[[], float], parent: QObject):
        self._host = host
        self._aspect = aspect
        self._fov = host.cameras[_VIEW].fov
        self._before: Camera | None = None  # what was looked through before
        self._path: tuple[Sequence, CameraPath | None] | None = None
        self._moved_at: int | None = None  # frame at which a person has moved it
        self._clock = QTimer(parent, singleShot=True, interval=PAUSE)
        self._clock.timeout.connect(self.commit)

    @property
    def on(self) -> bool:
        """Whether the shot's camera is looked through."""
        return bool(self._host.document.session.view.overlays[_OVERLAY])

    @property
    def waits(self) -> bool:
        """Whether it was moved and is not keyed yet."""
        return self._moved_at is not None

    def stop(self) -> None:
        """End what the clock would do."""
        self._clock.stop()

    def at(self, frame: int) -> Camera | None:
        """Return the shot's camera at a frame; None where it has no keys."""
        sequence = self._host.document.sequence
        if sequence is None or not sequence.camera.keys:
            return None
        if self._path is None or self._path[0] is not sequence:
            camera = sequence.camera
            way = FigureWay.of(sequence, camera.calm) if camera.follow > 0.0 else None
            self._path = sequence, CameraPath(camera, way)
        path = self._path[1]
        return None if path is None else Camera.of_key(path.at(frame))

    def take(self, change: Change) -> None:
        """Take note of a change of the document."""
        document, cameras = self._host.document, self._host.cameras
        if isinstance(change, _KINDS) and not (isinstance(change, KeysChanged) and change.live):
            self._path = None
        if self.on and isinstance(change, FileChanged) and change.name == "opened":
            self._forget()
            document.session.view.overlays[_OVERLAY] = False  # the shot of another file is another one
        if not self.on:
            if self._before is not None:
                cameras[_VIEW], self._before = self._before, None
            self._forget()
            return
        if self._before is None:
            self._before = cameras[_VIEW].copy()
            self._fov = self._before.fov
        if self._moved_at is not None and self._moved_at != document.frame:
            self._forget()
        self.show()

    @property
    def share(self) -> float:
        """How much of the view's height the movie's picture takes: a view shows somewhat more."""
        width, height = self._host.document.session.view.frame_shape
        return min(1.0, self._aspect() * height / width) * _SHARE

    def show(self) -> None:
        """Let the perspective view see what the shot's camera sees, unless it was moved and is not keyed yet."""
        if not self.on:
            return
        cameras = self._host.cameras
        camera = None if self.waits else self.at(self._host.document.frame)
        if camera is not None:
            cameras[_VIEW], self._fov = camera, camera.fov
        cameras[_VIEW].fov = wider(self._fov, 1.0 / self.share)

    def kept(self) -> dict[str, object]:
        """Return the perspective camera that files keep, by its name, while another one is looked through."""
        return {} if self._before is None else {_VIEW: self._before.to_json()}

    def moved(self) -> None:
        """Take note that a person has moved the perspective camera; with auto-key it is keyed after a moment."""
        document = self._host.document
        if not self.on or document.sequence is None or document.session.playback.playing:
            return
        self._moved_at = document.frame
        if document.session.keys.auto:
            self._clock.start()

    def commit(self) -> None:
        """Key what was moved."""
        if self._moved_at is not None:
            self.key()

    def key(self) -> bool:
        """Key the shot's camera at the current frame, as the perspective view shows it; return whether it was."""
        self._clock.stop()
        self._moved_at = None
        document = self._host.document
        key = self._host.cameras[_VIEW].key(document.frame)
        return document.camera.key(replace(key, fov=self._fov) if self.on else key)

    def words(self) -> str:
        """Return what is looked through, as ``"Shot camera · 45 mm · key"``."""
        document = self._host.document
        shot = document.camera.shot
        if shot is None or not shot.keys:
            return "Shot camera · no keys yet"
        state = " · key" if shot.key_at(document.frame) is not None else ""
        state = " · moved, not keyed" if self.waits and not self._clock.isActive() else state
        return f"Shot camera · {lens_of(self._fov):.0f} mm{state}"

    def _forget(self) -> None:
        self._clock.stop()
        self._moved_at = None
