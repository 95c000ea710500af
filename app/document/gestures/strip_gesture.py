"""Edits of strips by hand, from press to release: shown while they last, one undo step in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetKeys, SetPose
from app.document.content.model import Pending, read_only
from app.document.edits import edits, lock_edits
from app.document.edits.edits import hybrid_changes, hybrids_of, strip_changes, strips_of
from app.document.edits.holding import held_pose
from app.document.edits.lock_states import HELD, HELD_TURN
from app.document.gestures.live_gesture import LiveGesture
from core.animation.hybrid_strips import HybridStrip
from core.animation.locks.strip import LockStrip
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from app.document.document import Document

Strip = TypeVar("Strip")


class StripsGesture(LiveGesture, Generic[Strip]):
    """A live edit of the active sequence's strips of one kind. See ``LiveGesture``.

    While it lasts the model has the strips as they would be, so that the pose on screen follows.

    Attributes:
        before: The strips at press.
    """

    _of: ClassVar[Callable[..., Any]]
    _changes: ClassVar[Callable[..., Any]]

    def __init__(self, document: DocumentBase, text: str):
        super().__init__(document, text)
        self.before: tuple[Strip, ...] = self._of(document.model)

    def show(self, strips: Iterable[Strip]) -> bool:
        """Show other strips; ones that are not possible leave what was shown before.

        Args:
            strips: All strips; each call stands alone, they do not add up.

        Returns:
            Whether they are possible; if not, ``problem`` says why.
        """
        wanted = tuple(strips)
        return self._show(lambda: self._changes(self.document.model, wanted))


class StripGesture(StripsGesture[LockStrip]):
    """A live edit of the active sequence's lock strips."""

    _of = staticmethod(strips_of)
    _changes = staticmethod(strip_changes)


class HybridGesture(StripsGesture[HybridStrip]):
    """A live edit of the active sequence's hybrid strips."""

    _of = staticmethod(hybrids_of)
    _changes = staticmethod(hybrid_changes)


class LockGesture(StripGesture):
    """A live edit of one strip and its lock.

    Locks hold the poses between keys by themselves, so a target that is moved takes the figure along. Only where they
    do not, with an unkeyed pose or a sequence whose locks do not hold in between, the pose itself is changed: the one
    at press, brought onto the locks as they are now, so that the path of the mouse does not matter.

    Args:
        document: The document, which has a figure.
        strip_id: Id of the strip.
        text: What the undo step is called.

    Raises:
        LockError: If there is no such strip.
        SkeletonError: If there is no figure.
    """

    def __init__(self, document: Document, strip_id: str, text: str):
        lock_edits.found(document.model, strip_id)
        super().__init__(document, text)
        model = document.model
        self.strip_id = strip_id
        self._locks = document.locks
        self.start = model.pose
        self._keyed: bool = document.session.keys.auto
        self._frame, self._index, self._pending = model.frame, model.sequence_index, model.pending

    def set(self, **values: Any) -> bool:
        """Show the strip with values changed, as ``Locks.edit`` takes them.

        Returns:
            Whether that is possible; if not, what was shown before stays and ``problem`` says why.
        """
        if not self.active:
            return False
        model = self.document.model
        try:
            strips = lock_edits.edited(model, self.strip_id, values)
        except CoreError as error:
            self.problem = str(error).partition("\n")[0]
            return False
        if not self.show(strips):
            return False
        commands = self._pose_commands() if self._live else ()
        for command in commands:
            command.apply(model)
        if commands:
            self._live = (*self._live, *commands)
            self.document.show_live(commands)
        return True

    def _pose_commands(self) -> tuple[Command, ...]:
        """Return what brings the pose on screen onto the lock, if it does not come there by itself."""
        document, model = self.document, self.document.model
        sequence = model.sequence
        assert sequence is not None
        if not document.session.locks.hold or (sequence.locks.holds and self._pending is None):
            return ()  # the locks of the sequence have done what they can
        state = next((s for s in self._locks.states() if s.strip is not None and s.strip.id == self.strip_id), None)
        if state is None or state.factor < 1.0:
            return ()
        if not (state.position_residual > HELD or state.angle_residual > HELD_TURN):  # False for NaN
            return ()
        q = np.array(held_pose(model, document.session, self.start, start=self.start))
        if self._pending is None and self._keyed:
            key = edits.posed_key(sequence, self._frame, q)
            return (SetKeys(self._index, {self._frame: sequence.keys.at(self._frame)}, {self._frame: key}),)
        return (SetPose(self._pending, Pending(self._frame, read_only(q))),)
