"""The part of a sequence that has to do with its keys: setting, finding and retiming them, channel by channel."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from core.animation import editing
from core.animation.channels import Channels, channels_of
from core.animation.clip import Clip
from core.animation.key import Key, check_frame
from core.animation.key_parts import Names, canonical, reshaped
from core.animation.key_table import KeyTable, key_table
from core.animation.retiming import edge_of, frames_inserted, frames_removed, inserted, made_key, moved
from core.animation.shape import MEMBERS, Shape
from core.errors import SequenceError
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

Array = NDArray[np.float64]
Keys = tuple[Key, ...]


class KeyedMotion:
    """What a sequence knows about keys; mixed into ``Sequence``.

    Methods that take ``channels`` mean the keys of those channels only, by name; None means whole keys. Whole keys
    take lock strips and hybrid strips along.
    """

    skeleton: Skeleton

    def _no_keys(self) -> None:
        """Begin without keys; for the constructor."""
        self._keys: Keys = ()
        self._frames: tuple[int, ...] | None = ()
        self._table: tuple[Keys, KeyTable] | None = None

    def _replace(self, keys: Keys) -> None:
        raise NotImplementedError

    # -- finding -------------------------------------------------------------------------------------------------

    @property
    def channels(self) -> Channels:
        """The channels of the figure."""
        return channels_of(self.skeleton)

    @property
    def keys(self) -> Keys:
        """All keys, sorted by frame."""
        return self._keys

    @property
    def frames(self) -> tuple[int, ...]:
        """Frames of all keys, ascending."""
        if self._frames is None:
            self._frames = tuple([key.frame for key in self._keys])
        return self._frames

    def key_at(self, frame: int) -> Key | None:
        """Return the key at ``frame``, or None if there is none."""
        i = bisect_left(self._keys, frame, key=lambda key: key.frame)
        return self._keys[i] if i < len(self._keys) and self._keys[i].frame == frame else None

    def key_table(self) -> KeyTable:
        """Return all keys as arrays; kept until keys change."""
        if self._table is None or self._table[0] is not self._keys:
            self._table = self._keys, key_table(self._keys, self.channels, self._table)
        return self._table[1]

    def channel_frames(self, name: str) -> NDArray[np.int64]:
        """Return the frames at which a channel is keyed, ascending.

        Raises:
            JointError: If there is no such channel.
        """
        return self.key_table().channel_frames(self.channels.index(name))

    def keyed_at(self, frame: int, channel: str | None = None) -> bool:
        """Return whether there is a key at a frame, of a channel if one is named."""
        key = self.key_at(frame)
        return key is not None and (channel is None or key.keys(channel))

    def pose_of(self, key: Key) -> Array:
        """Return the pose at a key's frame: the key's own values, and where it has none those of the keys around.

        Timings, the root's speed and locks do not count.

        Returns:
            Shape (nq,); the key's own array if it holds all channels.
        """
        if key.keyed is None:
            return key.q
        sequence = cast("Sequence", self)
        there = sequence.tracks.pose(key.frame) if self._keys else self.skeleton.rest_pose()
        return np.where(self.channels.mask(key.keyed), key.q, there)

    # -- setting -------------------------------------------------------------------------------------------------

    def _checked(self, key: Key) -> Key:
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

    def set_keys(self, keys: Iterable[Key]) -> None:
        """Replace all keys.

        Raises:
            KeyCollision: If two have the same frame.
            PoseError: If a pose does not fit the skeleton.
            CoreError: If a key names a channel that the figure does not have.
        """
        ordered = editing.sorted_keys(keys)
        known = set(map(id, self._keys))
        self._replace(tuple([key if id(key) in known else self._checked(key) for key in ordered]))

    def change_keys(self, changes: Mapping[int, Key | None]) -> None:
        """Put keys at their frames, and take away what is there where the value is None.

        Raises:
            CoreError: If a key does not fit the figure.
        """
        checked = {frame: None if key is None else self._checked(key) for frame, key in changes.items()}
        self._replace(editing.put_many(self._keys, checked))

    def set_key(
        self,
        frame: int,
        q: object,
        interp: str | None = None,
        *,
        turns: bool | None = None,
        part: str | None = None,
        keyed: Iterable[str] | None = None,
        shape: Shape | None = None,
    ) -> Key:
        """Set the key at ``frame``; one that is there takes the new values and keeps what is not given.

        Args:
            frame: Whole number from 0 on.
            q: Pose, shape (nq,), [m] and [rad]; copied.
            interp: How the span that begins here is filled, one of ``INTERPOLATIONS``; None keeps it, new keys get
                ``"auto"``.
            turns: Whether compound joints follow their angles in that span; None keeps it.
            part: Part of the figure the key is made for; None keeps it.
            keyed: Names of the channels that are keyed, beside those of a key that is there; None for all. Only
                theirs of the pose's values are used.
            shape: Shape of those channels; None keeps it.

        Returns:
            The key.

        Raises:
            SequenceError: If the frame or the interpolation is not valid.
            PoseError: If the pose does not fit the skeleton.
            JointError: If there is no such channel.
        """
        names = self._names(keyed)
        old = self.key_at(check_frame(frame))
        key = made_key(self.channels, old, frame, self.skeleton.check_pose(q), names)
        if part is not None:
            key = key.changed(part=part)
        if shape is not None:
            key = reshaped(key, self.channels, names, **{name: getattr(shape, name) for name in MEMBERS})
        given = {name: value for name, value in (("interp", interp), ("turns", turns)) if value is not None}
        if given:
            try:
                key = reshaped(key, self.channels, names, **given)
            except SequenceError as error:
                raise SequenceError(f"the key at frame {frame}: {error}") from None
        self.change_keys({key.frame: key})
        return self.key_at(key.frame) or key

    # -- editing -------------------------------------------------------------------------------------------------

    def _names(self, channels: Iterable[str] | None) -> Names:
        return None if channels is None else self.channels.checked(channels)

    def delete(self, frames: int | Iterable[int], channels: Iterable[str] | None = None) -> None:
        """Delete the keys at ``frames``, one or several; a key of which no channel is left is gone.

        Raises:
            SequenceError: If there is no key at one of them; nothing is deleted then.
        """
        chosen = frames if isinstance(frames, Iterable) else [frames]
        parts = dict.fromkeys(chosen, self._names(channels))
        self._replace(editing.removed(self._keys, parts, self.channels))

    def copy(self, first: int, last: int, channels: Iterable[str] | None = None) -> Clip:
        """Return the keys in ``first..last``, both included, as a clip, and with whole keys the strips over them.

        Raises:
            SequenceError: If an end is no frame or the range runs backwards.
        """
        first, last = editing.checked_range(first, last)
        names = self._names(channels)
        if names is None:
            sequence = cast("Sequence", self)
            return Clip.of(
                self._keys, first, last, self.skeleton, sequence.strips, hybrid_strips=sequence.hybrid_strips
            )
        parts = editing.inside(self._keys, first, last, self.channels, names)
        return Clip.of(self._keys, first, last, self.skeleton, (), parts)

    def insert(self, frame: int, clip: Clip, *, make_room: bool = False, flipped: bool = False) -> None:
        """Put a clip in, its first frame at ``frame``.

        Args:
            frame: Where it goes.
            clip: From ``copy``, of this sequence or another of the same kind of figure; from other figures channels
                of the same names are taken.
            make_room: Whether keys from ``frame`` on, of the clip's channels, first move on by its length and one
                frame.
            flipped: Whether left and right change sides.

        Raises:
            KeyCollision: If a key would land on one that is there.
            PoseError: If the clip is of a figure with other joints, or its poses do not fit the skeleton.
        """
        self._put(inserted(cast("Sequence", self), frame, clip, make_room, flipped))

    def stretch(
        self, first: int, last: int, factor: float, channels: Iterable[str] | None = None, ripple: bool = False
    ) -> None:
        """Spread the keys in ``first..last`` from ``first`` by ``factor``; below 1 they shrink together.

        Args:
            first: First frame.
            last: Last frame.
            factor: Positive number.
            channels: Names of the channels; None for whole keys.
            ripple: Whether all keys after ``last``, of the same channels, move on by as much as it does; of whole
                keys also lock strips, timings and markers.

        Raises:
            SequenceError: If the factor is not a positive number.
            KeyCollision: If two keys would share a frame.
        """
        names = self._names(channels)
        parts = editing.inside(self._keys, *editing.checked_range(first, last), self.channels, names)
        mapping = editing.stretch_map(parts, first, last, factor)
        end = editing.stretched_frame(last, first, factor)
        self._move(mapping, names, "stretching", (last, end - last) if ripple else None)

    def slide(
        self, first: int, last: int, by: int, channels: Iterable[str] | None = None, ripple: bool = False
    ) -> None:
        """Move the keys in ``first..last`` by ``by`` frames, back if negative.

        Raises:
            SequenceError: If a key would land before frame 0.
            KeyCollision: If a key would land on one outside the range.
        """
        names = self._names(channels)
        parts = editing.inside(self._keys, *editing.checked_range(first, last), self.channels, names)
        mapping = editing.slide_map(parts, by)
        self._move(mapping, names, "sliding", (last, int(by)) if ripple else None)

    def move(self, mapping: Mapping[int, int], channels: Iterable[str] | None = None, ripple: bool = False) -> None:
        """Move keys from the mapping's old frames to its new ones, all at once.

        With ``ripple`` all keys after the last of them, of the same channels, move by as much as it does.

        Raises:
            SequenceError: If there is no key at an old frame or a new one is not valid.
            KeyCollision: If a key would land on another.
        """
        self._move(mapping, self._names(channels), "moving", edge_of(mapping) if ripple else None)

    def _move(self, mapping: Mapping[int, int], names: Names, doing: str, edge: tuple[int, int] | None) -> None:
        parts = dict.fromkeys(mapping, names)
        self._put(moved(cast("Sequence", self), mapping, parts, doing, edge))

    def insert_frames(self, frame: int, count: int) -> None:
        """Put ``count`` frames in before ``frame``: all that is there or later, of whatever kind, is later then.

        Raises:
            SequenceError: If there is no room for them, or a number is not valid.
        """
        self._put(frames_inserted(cast("Sequence", self), frame, count))

    def remove_frames(self, first: int, last: int) -> None:
        """Take the frames ``first..last`` away with their keys; what is later comes earlier.

        Raises:
            SequenceError: If an end is no frame or the range runs backwards.
        """
        self._put(frames_removed(cast("Sequence", self), first, last))

    def _put(self, values: Mapping[str, Any]) -> None:
        """Put in what an edit has worked out; all of it is valid."""
        for name, value in values.items():
            if name != "keys":
                setattr(self, name, value)
        if "keys" in values:
            self._replace(values["keys"])
