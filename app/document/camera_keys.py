"""The part of a document that edits the camera of its shot; each edit is one undo step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.edits import edits
from core.animation.shot_camera import CameraKey, ShotCamera
from core.errors import SequenceError


class CameraKeys:
    """Keys of the shot's camera. Each edit returns whether it was possible; if not, ``message`` has said why."""

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def shot(self) -> ShotCamera | None:
        """The camera of the sequence that is shown; None without a figure."""
        sequence = self._document.model.sequence
        return None if sequence is None else sequence.camera

    def key(self, key: CameraKey) -> bool:
        """Put a key at its frame; one that is there is replaced, and goes on as that did."""

        def edit(shot: ShotCamera) -> ShotCamera:
            before = shot.key_at(key.frame)
            return shot.with_key(key if before is None else replace(key, move=before.move))

        return self._edit(f"Key the camera at frame {key.frame}", edit)

    def remove(self, frame: int) -> bool:
        """Take the key at a frame away."""
        return self._edit("Delete camera key", lambda shot: shot.without_key(_key(shot, frame).frame))

    def move(self, frame: int, to: int) -> bool:
        """Move the key at a frame to one that has none."""

        def edit(shot: ShotCamera) -> ShotCamera:
            key = replace(_key(shot, frame), frame=to)
            return replace(shot, keys=(*shot.without_key(frame).keys, key))

        return self._edit("Move camera key", edit)

    def set_move(self, frame: int, move: str) -> bool:
        """Set how the camera goes on from the key at a frame, of ``CAMERA_MOVES``."""
        return self._edit("Set camera move", lambda shot: shot.with_key(replace(_key(shot, frame), move=move)))

    def set_lens(self, frame: int, fov: float) -> bool:
        """Set the vertical angle of view of the key at a frame, [rad]."""
        return self._edit("Set lens", lambda shot: shot.with_key(replace(_key(shot, frame), fov=fov)))

    def set_follow(self, follow: float, turn: bool, gesture: int | None = None) -> bool:
        """Set how much of the figure's way the camera goes along, 0 to 1, and whether it turns with it.

        Args:
            follow: Share of the way.
            turn: Whether it turns with the figure's heading.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """
        return self._edit("Set camera following", lambda shot: replace(shot, follow=follow, turn=turn), gesture)

    def clear(self) -> bool:
        """Take all keys away."""
        return self._edit("Delete camera keys", lambda shot: replace(shot, keys=()))

    def _edit(self, text: str, edit: Callable[[ShotCamera], ShotCamera], gesture: int | None = None) -> bool:
        def make() -> list[Command]:
            model = self._document.model
            return edits.sequence_change(model, "camera", edit(edits.need_figure(model)[1].camera))

        return self._document.do(text, make, gesture)


def _key(shot: ShotCamera, frame: int) -> CameraKey:
    key = shot.key_at(frame)
    if key is None:
        raise SequenceError(f"the camera has no key at frame {frame}")
    return key
