"""A gesture: one drag from press to release. It changes the pose live and is one undo step in the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.document import edits
from app.document.commands import Command, SetKeys, SetPose
from app.document.holding import changed_values, held_pose
from app.document.model import Array, Pending, read_only

if TYPE_CHECKING:
    from app.document.document import Document


class Gesture:
    """Live edits of the pose at one frame; made by ``Document.begin_gesture``.

    While it lasts the model shows the edit, but nothing is on the undo stack: a cancelled gesture leaves no step,
    takes no redo steps away, and restores the model bit for bit. With auto-key on it writes the key at the
    current frame, else the pending pose; which of the two is decided at press.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.
    """

    def __init__(self, document: Document, text: str):
        model = document.model
        self.document = document
        self.text = text
        self.active = True
        self.keyed: bool = document.session.auto_key
        self.start: Array = model.pose
        self._skeleton, self._sequence = edits.need_figure(model)
        self._frame = model.frame
        self._index = model.sequence_index
        self._pending = model.pending
        self._key = self._sequence.key_at(self._frame)
        self._live: tuple[Command, ...] = ()

    @property
    def moved(self) -> bool:
        """Whether the pose now differs from the one at press."""
        return bool(self._live) and self.document.model.pose.tobytes() != self.start.tobytes()

    def set_pose(self, q: object, fixed: Iterable[int] | None = None, hold: bool = True) -> None:
        """Show a pose now, brought onto the locks of the frame; the moves of a gesture become one step.

        Args:
            q: Pose, shape (nq,), [m] and [rad]; copied.
            fixed: Places in the pose that were edited and stay so if the locks allow it; None for those in which
                it differs from the pose at press.
            hold: False for a pose that holds the locks already, or is meant not to.

        Raises:
            PoseError: If the pose does not fit the figure; what was shown before stays.
        """
        if not self.active:
            return
        array = self._skeleton.check_pose(q)
        model = self.document.model
        if hold and self.document.holding:
            changed = changed_values(self.start, array) if fixed is None else fixed
            q = array = held_pose(model, self.document.session, array, changed)
        commands: tuple[Command, ...]
        if self.keyed:
            key = edits.posed_key(self._sequence, self._frame, array)
            commands = (SetKeys(self._index, {self._frame: self._key}, {self._frame: key}),)
            if self._pending is not None:
                commands = (*commands, SetPose(self._pending, None))
        else:
            pose = array.copy() if array is q or not array.flags.owndata else array
            commands = (SetPose(self._pending, Pending(self._frame, read_only(pose))),)
        for command in commands:
            command.apply(model)
        if self.keyed:
            model.show_pose(self._frame, key.q)
        self._live = commands
        self.document._live(commands)

    def commit(self) -> bool:
        """End the gesture as one undo step; return whether there is one (a pose that came back leaves none)."""
        if not self.active:
            return False
        if not self.moved:
            self.cancel()
            return False
        self._end()
        if self._sequence.strips or self._sequence.locks:
            self.document.model.forget_poses()  # from here on the pose is what playing shows
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

    def __enter__(self) -> Gesture:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.commit()
        else:
            self.cancel()
