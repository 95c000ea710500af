"""The keys of a sequence as one immutable value, sorted and found by frame and channel, and all of them as arrays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation import editing
from core.animation.channels import Channels, channels_of
from core.animation.key import Key
from core.animation.key_parts import canonical
from core.animation.shape import INTERPOLATIONS
from core.errors import SequenceError
from core.skeleton import Skeleton


class Keys(tuple[Key, ...]):
    """Keys of one figure, sorted by frame; a tuple of them that can be asked. An edit makes another one.

    What is made of it (frames, table) is made when first asked for, and kept.

    Attributes:
        skeleton: The figure.
    """

    skeleton: Skeleton
    _known: tuple[tuple[Key, ...], KeyTable] | None

    def __new__(cls, skeleton: Skeleton, keys: Iterable[Key] = (), before: Keys | None = None) -> Keys:
        """Return keys that are known to be sorted and to fit; ``checked`` and ``changed`` make sure of that.

        Args:
            skeleton: The figure.
            keys: Sorted keys.
            before: Keys before an edit, whose table most of the new one can be taken from.
        """
        made = super().__new__(cls, keys)
        made.skeleton = skeleton
        made._known = None
        if before is not None:
            made._known = (before, before.table) if "table" in before.__dict__ else before._known
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.skeleton, tuple(self)

    # -- finding -------------------------------------------------------------------------------------------------

    @property
    def channels(self) -> Channels:
        """The channels of the figure."""
        return channels_of(self.skeleton)

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """Frames of all keys, ascending."""
        return tuple([key.frame for key in self])

    @cached_property
    def table(self) -> KeyTable:
        """All keys as arrays."""
        made = key_table(self, self.channels, self._known)
        self._known = None
        return made

    def at(self, frame: int) -> Key | None:
        """Return the key at a frame, or None if there is none."""
        i = bisect_left(self, frame, key=lambda key: key.frame)
        return self[i] if i < len(self) and self[i].frame == frame else None

    def keyed_at(self, frame: int, channel: str | None = None) -> bool:
        """Return whether there is a key at a frame, of a channel if one is named."""
        key = self.at(frame)
        return key is not None and (channel is None or key.keys(channel))

    def channel_frames(self, name: str) -> NDArray[np.int64]:
        """Return the frames at which a channel is keyed, ascending.

        Raises:
            JointError: If there is no such channel.
        """
        return self.table.channel_frames(self.channels.index(name))

    # -- others in their place -----------------------------------------------------------------------------------

    def checked(self, keys: Iterable[Key]) -> Keys:
        """Return other keys of the figure, in any order, after checking them; those that are here are known to fit.

        Raises:
            KeyCollision: If two have the same frame.
            PoseError: If a pose does not fit the skeleton.
            CoreError: If a key names a channel that the figure does not have.
        """
        ordered = editing.sorted_keys(keys)
        known = set(map(id, self))
        return Keys(self.skeleton, [key if id(key) in known else self._fitting(key) for key in ordered], self)

    def changed(self, changes: Mapping[int, Key | None]) -> Keys:
        """Return these keys with others at some frames; what is at a frame is gone where its value is None.

        Raises:
            CoreError: If a key does not fit the figure.
        """
        fitting = {frame: None if key is None else self._fitting(key) for frame, key in changes.items()}
        return Keys(self.skeleton, editing.put_many(self, fitting), self)

    def _fitting(self, key: Key) -> Key:
        """Return a key after checking that it fits the figure."""
        if len(key.q) != self.skeleton.nq:  # else it fits: a key's pose is a row of finite numbers
            self.skeleton.check_pose(key.q)
        if key.keyed is None and not key.shapes:
            return key
        channels, what = self.channels, f"the key at frame {key.frame}"
        if key.keyed is not None:
            channels.checked(key.keyed, what)
        if key.shapes:
            channels.checked(key.shapes, what)
            for name, shape in key.shapes.items():
                most = len(channels.columns[channels.index(name)])
                for slopes in (shape.slopes_in, shape.slopes_out):
                    if slopes is not None and len(slopes) != most:
                        raise SequenceError(f'{what} has {len(slopes)} slopes of "{name}", which has {most} values')
        return canonical(key, channels)


NOT_KEYED = -1
"""In ``KeyTable.interp``: the key does not hold the channel."""

_CODES = {name: code for code, name in enumerate(INTERPOLATIONS)}


@dataclass(frozen=True, eq=False)
class KeyTable:
    """tuple[Key, ...] as arrays; all read-only.

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


def _rows(keys: tuple[Key, ...], channels: Channels) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
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


def key_table(
    keys: tuple[Key, ...], channels: Channels, before: tuple[tuple[Key, ...], KeyTable] | None = None
) -> KeyTable:
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
