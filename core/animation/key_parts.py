"""Parts of keys: taking channels out of a key, and putting channels into one that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from core.animation.channels import Channels
from core.animation.key import Key
from core.animation.shape import AUTO
from core.arrays import Array, Bools
from core.errors import KeyCollision

Names = frozenset[str] | None
"""Names of channels; None stands for all of them."""

Parts = Mapping[int, Names]
"""Which channels are meant at which frames."""


def every_channel(frames: Iterable[int], channels: Names = None) -> dict[int, Names]:
    """Return the same channels at each of some frames."""
    return dict.fromkeys(frames, channels)


@lru_cache(maxsize=4096)
def _both(a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
    # Kept, so that many keys share one set.
    return a & b


@lru_cache(maxsize=4096)
def _without(a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
    return a - b


@lru_cache(maxsize=4096)
def _either(a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
    return a | b


def held(key: Key, channels: Channels, chosen: Names = None) -> frozenset[str]:
    """Return which of some channels a key holds; None asks for all."""
    own = channels.all if key.keyed is None else key.keyed
    return own if chosen is None else _both(own, chosen)


def canonical(key: Key, channels: Channels) -> Key:
    """Return a key that holds all channels as one that names none."""
    return key.holding(None) if key.keyed is not None and channels.all <= key.keyed else key


def part_of(key: Key, channels: Channels, chosen: Names) -> Key | None:
    """Return a key that holds only those of some channels that ``key`` holds; None if there are none."""
    if chosen is None:
        return key
    own = held(key, channels, chosen)
    if not own:
        return None
    return key if len(own) == len(held(key, channels)) else key.holding(own)


def rest_of(key: Key, channels: Channels, chosen: Names) -> Key | None:
    """Return a key without some channels; None if it holds no others."""
    if chosen is None:
        return None
    own = held(key, channels)
    left = _without(own, chosen)
    if not left:
        return None
    return key if len(left) == len(own) else key.holding(left)


def joined(there: Key, other: Key, channels: Channels, doing: str) -> Key:
    """Return a key that holds what two keys at one frame hold.

    Each channel keeps its values and its shape: where the other key's shape is not that of the key that is there, its
    channels get shapes of their own.

    Raises:
        KeyCollision: If both hold a channel.
    """
    mine, theirs = held(there, channels), held(other, channels)
    both = _both(mine, theirs)
    if both:
        raise KeyCollision(collision({there.frame}, None if len(both) == len(mine) else both, doing))
    either = _either(mine, theirs)
    if other.q is there.q and other.shape is there.shape and not (there.shapes or other.shapes or other.extra):
        if there.part == other.part:
            return canonical(there.holding(either), channels)
    shapes = dict(there.shapes)
    shapes.update({name: other.shape_of(name) for name in theirs})
    part = there.part if there.part == other.part else None
    key = there.changed(
        q=np.where(channels.mask(theirs), other.q, there.q),
        keyed=either,
        shapes=shapes,
        part=part,
        extra={**other.extra, **there.extra},
    )
    return canonical(key, channels)


def reshaped(key: Key, channels: Channels, chosen: Names, **values: Any) -> Key:
    """Return a key with values of the shapes of channels changed, as ``Shape.changed`` takes them.

    Args:
        key: The key.
        channels: Channels of the figure.
        chosen: Names of the channels; None for all that the key holds.
        values: What changes.

    Raises:
        SequenceError: If a value is not valid, or slopes are given for all channels at once.
    """
    own = held(key, channels)
    names = held(key, channels, chosen)
    if chosen is None or (len(names) == len(own) and not {"slopes_in", "slopes_out"} & set(values)):
        shapes = {name: shape.changed(**values) for name, shape in key.shapes.items()}
        made = key.changed(shape=key.shape.changed(**values), shapes=shapes)
    else:
        made = key.changed(shapes={**key.shapes, **{name: key.shape_of(name).changed(**values) for name in names}})
    if len(made.shapes) == len(own):
        kinds = set(made.shapes.values())
        if len(kinds) == 1 and not (shape := kinds.pop()).has_slopes:
            made = made.changed(shape=shape, shapes={})
    return made


def bent(key: Key, q: Array, columns: Bools, channels: Channels) -> Key:
    """Return a key with another pose; slopes set by hand are let go where the motion runs another way through it.

    Args:
        key: The key.
        q: The pose, shape (nq,); read-only from now on.
        columns: Which values run another way, shape (nq,): their slopes were those of the old motion.
        channels: Channels of the figure.
    """
    shapes = {
        name: shape.changed(interp=AUTO, slopes_in=None, slopes_out=None)
        if shape.has_slopes and columns[channels.columns[channels.index(name)]].any()
        else shape
        for name, shape in key.shapes.items()
    }
    q.setflags(write=False)
    return key.changed(q=q, shapes=shapes)


_NAMED = 8


def frame_list(frames: Iterable[int]) -> str:
    """Return frames as text, the first few of many."""
    ordered = sorted(frames)
    text = ", ".join(str(frame) for frame in ordered[:_NAMED])
    return text + (f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else "")


def channel_list(names: Iterable[str]) -> str:
    """Return channels as text, the first few of many."""
    ordered = ["the root's place" if not name else f'"{name}"' for name in sorted(names)]
    more = len(ordered) - 3
    return ", ".join(ordered[:3]) + (f" and {more} more" if more > 0 else "")


def collision(frames: Iterable[int], names: Iterable[str] | None, doing: str) -> str:
    """Return the sentence that says which keys would share a frame."""
    frames = set(frames)
    word = "frame" if len(frames) == 1 else "frames"
    whose = "" if names is None else f" of {channel_list(names)}"
    return f"{doing} would put two keys{whose} on {word} {frame_list(frames)}; move or delete one of them first"
