"""Values of all keys as one array, brought up to date where keys have changed; channels of the selected ones."""

from __future__ import annotations

from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.animation.key import Key

if TYPE_CHECKING:
    from app.document.document import Document

Array = NDArray[np.float64]
Keys = tuple[Key, ...]


class KeyValues:
    """The poses of a row of keys.

    Attributes:
        keys: The keys.
        frames: Their frames, shape (n,).
        poses: Their poses, shape (n, nq); values of channels that a key does not hold are of no meaning.
    """

    def __init__(self) -> None:
        self.keys: Keys = ()
        self.frames: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.poses: Array = np.empty((0, 0))

    def update(self, keys: Keys) -> bool:
        """Take other keys; those at the beginning and the end that are the same ones are not read again.

        Returns:
            Whether they are others than before.
        """
        if keys is self.keys:
            return False
        old, shorter = self.keys, min(len(keys), len(self.keys))
        if shorter and len(keys[0].q) != self.poses.shape[1]:
            old, shorter = (), 0
        head = next(compress(range(shorter), map(is_not, old, keys)), shorter)
        if head == len(keys) == len(old):
            self.keys = keys
            return False
        rest = shorter - head
        tail = next(compress(range(rest), map(is_not, reversed(old), reversed(keys))), rest)
        middle = keys[head : len(keys) - tail]
        frames = np.fromiter((key.frame for key in middle), dtype=np.int64, count=len(middle))
        poses = np.array([key.q for key in middle]) if middle else np.empty((0, self.poses.shape[1]))
        if len(middle) == len(old) - head - tail and old:  # most drags: some keys have other values
            self.frames = self.frames.copy()  # whoever was given it keeps it
            self.frames[head : len(keys) - tail], self.poses[head : len(keys) - tail] = frames, poses
        elif not head and not tail:
            self.frames, self.poses = frames, poses
        else:
            kept = len(old) - tail
            self.frames = np.concatenate((self.frames[:head], frames, self.frames[kept:]))
            self.poses = np.concatenate((self.poses[:head], poses, self.poses[kept:]))
        self.keys = keys
        return True


def selected_channels(document: Document) -> frozenset[str]:
    """Return the names of the channels of which keys are selected in the timeline."""
    sequence = document.sequence
    chosen = document.session.keys.selected
    if sequence is None or not chosen:
        return frozenset()
    table = sequence.keys.table
    found: set[str] = set()
    for names in chosen.parts.values():
        found.update(names or ())
    whole = [frame for frame, names in chosen.parts.items() if names is None]
    held = np.any(table.keyed[np.isin(table.frames, whole)], axis=0)
    found.update(name for name, there in zip(sequence.channels.names, held.tolist(), strict=True) if there)
    return frozenset(found) & sequence.channels.all
