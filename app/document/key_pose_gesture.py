"""A drag of a key's pose, whichever frame is current: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.document import edits
from app.document.commands import Command, SetKeys
from app.document.model import Array

if TYPE_CHECKING:
    from app.document.document import Document


class KeyPoseGesture:
    """Live edits of the key at one frame. It stands in for a ``Gesture``: Undo while it lasts gives it up.

    While it lasts the motion goes through the key as it is dragged, but nothing is on the undo stack.

    Args:
        document: The document, which has a figure.
        frame: Where the key is.
        text: What the undo step is called.

    Attributes:
        pose: The pose at the frame as it is now, shape (nq,).
    """

    def __init__(self, document: Document, frame: int, text: str):
        model = document.model
        self._skeleton, self._sequence = edits.need_figure(model)
        if document.gesture is not None:
            document.gesture.commit()
        document.session.playing = False
        self.document, self.frame, self.text = document, frame, text
        self.active = True
        self._index = model.sequence_index
        self._key = self._sequence.key_at(frame)
        self.pose: Array = model.keyed_pose(frame)
        self._start = self.pose
        self._live: tuple[Command, ...] = ()
        document._gesture = self  # type: ignore[assignment]

    @property
    def moved(self) -> bool:
        """Whether the pose now differs from the one at press."""
        return bool(self._live) and self.pose.tobytes() != self._start.tobytes()

    def set_pose(self, q: object, *, hold: bool = True) -> None:
        """Show the motion with the key's pose changed.

        Args:
            q: Pose, shape (nq,), [m] and [rad]; copied. It holds the locks of the frame already.
            hold: Taken as another gesture takes it, and of no effect: who drags keys holds their locks.

        Raises:
            PoseError: If the pose does not fit the figure; what was shown before stays.
        """
        if not self.active:
            return
        array = self._skeleton.check_pose(q)
        key = edits.posed_key(self._sequence, self.frame, array)
        command = SetKeys(self._index, {self.frame: self._key}, {self.frame: key})
        command.apply(self.document.model)
        self.document.model.forget_poses()
        self.pose, self._live = key.q, (command,)
        self.document._live(self._live)

    def commit(self) -> bool:
        """End the gesture as one undo step; return whether there is one (a pose that came back leaves none)."""
        if not self.active:
            return False
        if not self.moved:
            self.cancel()
            return False
        self._end()
        self.document._push(self._live, self.text, applied=True)
        return True

    def cancel(self) -> None:
        """End the gesture and restore everything as it was at press."""
        if not self.active:
            return
        self._end()
        for command in reversed(self._live):
            command.revert(self.document.model)
        if self._live:
            self.document._live(self._live, over=True)

    def _end(self) -> None:
        self.active = False
        self.document._gesture = None
