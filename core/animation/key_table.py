"""All keys as arrays, for what draws and searches many of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from operator import is_not

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import Channels
from core.animation.key import Key
from core.animation.shape import INTERPOLATIONS

Keys = tuple[Key, ...]

NOT_KEYED = -1
"""In ``KeyTable.interp``: the key does not hold the channel."""

_CODES = {name: code for code, name in enumerate(INTERPOLATIONS)}


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Keys as arrays; all read-only.

    Attributes:
        frames: Frames of the keys, ascending, shape (n,).
        keyed: Whether each key holds each channel, shape (n, c), channels in the order of ``channels_of``.
        interp: How the spans that begin there are filled: index into ``INTERPOLATIONS``, or ``NOT_KEYED``; shape
            (n, c).
    """

    frames: NDArray[np.int64]
    keyed: NDArray[np.bool_]
    interp: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.frames)

    def channel_frames(self, channel: int) -> NDArray[np.int64]:
        """Return the frames at which a channel, by number, is keyed."""
        return self.frames[self.keyed[:, channel]]


def _frozen(frames: NDArray[np.int64], interp: NDArray[np.int8]) -> KeyTable:
    keyed = interp != NOT_KEYED
    for array in (frames, keyed, interp):
        array.setflags(write=False)
    return KeyTable(frames, keyed, interp)


def _rows(keys: Keys, channels: Channels) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    frames = np.fromiter((key.frame for key in keys), dtype=np.int64, count=len(keys))
    codes = np.fromiter((_CODES[key.shape.interp] for key in keys), dtype=np.int8, count=len(keys))
    interp = np.repeat(codes[:, None], len(channels), axis=1)
    absent: dict[frozenset[str], NDArray[np.bool_]] = {}
    for i, key in enumerate(keys):
        if key.keyed is not None:
            if key.keyed not in absent:
                absent[key.keyed] = np.array([name not in key.keyed for name in channels.names])
            interp[i, absent[key.keyed]] = NOT_KEYED
        if key.shapes:
            for name, shape in key.shapes.items():
                interp[i, channels.index(name)] = _CODES[shape.interp]
    return frames, interp


def key_table(keys: Keys, channels: Channels, before: tuple[Keys, KeyTable] | None = None) -> KeyTable:
    """Return the table of a row of keys.

    Args:
        keys: Sorted keys.
        channels: Channels of the figure.
        before: An earlier row and its table: keys that both begin and end with are taken over from it.
    """
    head = tail = 0
    if before is not None:
        old, table = before
        shorter = min(len(old), len(keys))
        different = list(map(is_not, old, keys))
        head = next(compress(range(shorter), different), shorter)
        back = map(is_not, reversed(old), reversed(keys))
        tail = next(compress(range(shorter - head), back), shorter - head)
    if not head and not tail:
        return _frozen(*_rows(keys, channels))
    frames, interp = _rows(keys[head : len(keys) - tail], channels)
    kept = len(old) - tail
    return _frozen(
        np.concatenate([table.frames[:head], frames, table.frames[kept:]]),
        np.concatenate([table.interp[:head], interp, table.interp[kept:]]),
    )
