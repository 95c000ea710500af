"""The keys of a sequence as one immutable value: sorted, and found by frame and by channel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation import editing
from core.animation.channels import Channels, channels_of
from core.animation.key import Key
from core.animation.key_parts import canonical
from core.animation.key_table import KeyTable, key_table
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
