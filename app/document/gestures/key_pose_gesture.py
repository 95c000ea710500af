"""A drag of a key's pose, whichever frame is current: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.document.gestures.pose_gesture import Gesture
from core.animation.key_parts import Names
from core.arrays import Array

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class KeyPoseGesture(Gesture):
    """Live edits of the key at one frame; it is written whether keys are set by themselves or not.

    A key that holds some channels holds the changed ones as well then, and no others.

    Args:
        document: The document, which has a figure.
        frame: Where the key is.
        text: What the undo step is called.
    """

    def __init__(self, document: DocumentBase, frame: int, text: str):
        super().__init__(document, text)
        self.keyed = True
        self._frame, self._pending = frame, None
        self._key = self._sequence.keys.at(frame)
        self.start = self._shown = document.model.keyed_pose(frame)

    @property
    def pose(self) -> Array:
        """The pose at the frame as it is now, shape (nq,); read-only."""
        return self._shown

    def _names(self, pose: Array) -> Names:
        names = super()._names(pose)
        if names is not None or self._key is None or self._key.keyed is None:
            return names
        channels = self._sequence.channels
        changed = np.unique(channels.of_value[self.start != pose])
        return frozenset(channels.names[number] for number in changed)
