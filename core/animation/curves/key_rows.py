"""Which keys a channel has: every channel has its own row of keys, and the shape it has at each of them.

What keys say beside their poses is recognised by their looks: keys that hold the same channels in the same shapes look
the same, and there are few different looks. A row of keys that differs from the one before it in the middle takes over
what stands to the left and right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import Channels, channels_of
from core.animation.key import Key
from core.animation.shape import FREE, INTERPOLATIONS, Shape
from core.arrays import Array, Bools, Ints
from core.skeleton import Skeleton

_STRIDE = 1024

NONE = -1
"""Number of a key that is not there."""

KINDS = {name: number for number, name in enumerate(INTERPOLATIONS)}
"""Numbers of the ways to fill a span."""


class Shapes:
    """All shapes that keys of a figure have had, as arrays over their numbers; only ever grows.

    Attributes:
        list: The shapes.
        kinds: Their interpolations, as in ``KINDS``.
        turns: Whether compounds follow their angles.
        arcs: Whether joints with two axes take arcs.
        tcb: Tension, continuity and bias, shape (k, 3).
        eases: Four numbers of the ease, shape (k, 4).
        eased: Whether there is an ease.
        free: Whether they have slopes of their own that count, as they come to the key and as they leave it,
            shape (k, 2).
    """

    def __init__(self) -> None:
        self.list: list[Shape] = []
        self._numbers: dict[Shape, int] = {}
        self.turns, self.arcs, self.eased = (np.empty(0, dtype=bool) for _ in range(3))
        self.free = np.empty((0, 2), dtype=bool)
        self.tcb, self.eases = np.empty((0, 3)), np.empty((0, 4))
        self.kinds = np.empty(0, dtype=np.int8)

    def number(self, shape: Shape) -> int:
        """Return the number of a shape."""
        found = self._numbers.get(shape)
        if found is None:
            found = self._numbers[shape] = len(self.list)
            self.list.append(shape)
        return found

    def update(self) -> None:
        """Bring the arrays up to date."""
        new = self.list[len(self.kinds) :]
        if not new:
            return
        ease = [shape.ease.numbers if shape.ease is not None else (0.0, 0.0, 1.0, 1.0) for shape in new]
        self.turns = np.append(self.turns, [shape.turns for shape in new])
        self.arcs = np.append(self.arcs, [shape.arcs and not shape.turns for shape in new])
        self.tcb = np.concatenate((self.tcb, [(shape.tension, shape.continuity, shape.bias) for shape in new]))
        self.eases = np.concatenate((self.eases, ease))
        self.eased = np.append(self.eased, [shape.ease is not None for shape in new])
        sides = [(shape.slopes_in is not None, shape.slopes_out is not None) for shape in new]
        own = np.array([shape.interp == FREE for shape in new])[:, None]
        self.free = np.concatenate((self.free, own & np.array(sides)))
        self.kinds = np.append(self.kinds, np.array([KINDS[shape.interp] for shape in new], dtype=np.int8))


class Looks:
    """All looks that keys of a figure have had; only ever grows.

    Attributes:
        shapes: The shapes they are made of.
        keyed: Which channels are keyed, shape (k, c).
        shape: Number of the shape of each channel, shape (k, c).
        whole: Whether all channels are keyed in one shape, shape (k,).
    """

    def __init__(self, channels: Channels):
        self._channels = channels
        self.shapes = Shapes()
        self._numbers: dict[tuple[Any, ...], int] = {}
        c = len(channels)
        self._rows: list[tuple[Bools, Ints, bool]] = []  # those that are not in the arrays yet
        self.keyed, self.whole = np.empty((0, c), dtype=bool), np.empty(0, dtype=bool)
        self.shape = np.empty((0, c), dtype=np.intp)

    def of(self, keys: tuple[Key, ...]) -> NDArray[np.int32]:
        """Return the numbers of the looks of keys."""
        found = np.empty(len(keys), dtype=np.int32)
        keyed: Any = self
        shape: Any = None
        shapes: Any = None
        number = 0
        for i, key in enumerate(keys):
            # Most keys look like the one before, and keys of one look mostly share what they are made of.
            if key.keyed is not keyed or key.shape is not shape or key.shapes is not shapes:
                keyed, shape, shapes = key.keyed, key.shape, key.shapes
                number = self._number(key)
            found[i] = number
        if self._rows:
            keyed, shape, whole = zip(*self._rows, strict=True)
            self.keyed, self.shape = np.concatenate((self.keyed, keyed)), np.concatenate((self.shape, shape))
            self.whole = np.append(self.whole, whole)
            self._rows.clear()
            self.shapes.update()
        return found

    def _number(self, key: Key) -> int:
        name = key.keyed, key.shape, tuple(key.shapes.items())
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._numbers)
            names = self._channels.names
            if key.keyed is None:
                keyed = np.ones(len(names), dtype=bool)
            else:
                keyed = np.array([channel in key.keyed for channel in names], dtype=bool)
            shape = np.full(len(names), self.shapes.number(key.shape), dtype=np.intp)
            for channel, own in key.shapes.items():
                if channel in self._channels:
                    shape[self._channels.index(channel)] = self.shapes.number(own)
            self._rows.append((keyed, shape, bool(keyed.all() and (shape == shape[0]).all())))
        return number


class KeyRows:
    """The keys of one figure, channel by channel.

    Where all keys hold all channels in one shape there is one row for all channels (``width`` 1), else each has its
    own: arrays below that are ``w`` wide have one column, or one a channel.

    Args:
        skeleton: The figure.
        keys: Keys sorted by frame, at least one.
        before: An earlier version.
        loop: Whether it plays round and round.

    Attributes:
        keys: The keys.
        frames: Their frames, shape (n,).
        width: 1 or the number of channels.
        of_value: Which column of what is ``w`` wide belongs to each value of a pose, shape (nq,).
        periodic: Whether it plays round and round and ends in the pose it begins with, wherever the root stands.
        wraps: Which columns go through the seam as through any other key, shape (w,).
        drift: How far the root gets in a round, shape (3,).
        length: How long a round is, [frames].
        kept: How many keys at the beginning, and at the end, are those of ``before``.
    """

    def __init__(self, skeleton: Skeleton, keys: tuple[Key, ...], before: KeyRows | None = None, loop: bool = False):
        self.keys, self.skeleton = keys, skeleton
        channels = channels_of(skeleton)
        n = len(keys)
        self.looks: Looks = Looks(channels) if before is None else before.looks
        self.kept = (0, 0) if before is None else _common(before.keys, keys)
        first, last = self.kept
        middle = keys[first : n - last]
        frames = np.fromiter((key.frame for key in middle), dtype=np.float64, count=len(middle))
        look = self.looks.of(middle)
        if before is not None:
            old = len(before.keys)
            frames = np.concatenate((before.frames[:first], frames, before.frames[old - last :]))
            look = np.concatenate((before.look[:first], look, before.look[old - last :]))
        self.frames: Array = frames
        self.look: NDArray[np.int32] = look
        self.width = 1 if self.looks.whole[look].all() else len(channels)
        self.of_value: Ints = np.zeros(skeleton.nq, dtype=np.intp) if self.width == 1 else channels.of_value
        self._columns = channels.columns
        self._rest = skeleton.rest_pose()
        self._find_rows(before)
        self._find_seam(loop)

    def _find_rows(self, before: KeyRows | None) -> None:
        """Find the rows of keys of the channels, one after the other: each number raised by its channel's beginning."""
        n = len(self.keys)
        if self.width == 1:
            self._rows = [np.arange(0)]
            self.first, self.last = np.zeros(1, dtype=np.intp), np.full(1, n - 1, dtype=np.intp)
            self._count = np.full(1, n)
            return
        if before is not None and before.width == self.width:
            first, last = self.kept
            old = len(before.keys)
            middle = self.looks.keyed[self.look[first : n - last]]
            self._rows = []
            for channel, row in enumerate(before._rows):
                a, b = np.searchsorted(row, (first, old - last)).tolist()
                mine = first + np.flatnonzero(middle[:, channel])
                self._rows.append(np.concatenate((row[:a], mine, row[b:] + (n - old))))
        else:
            keyed = np.asfortranarray(self.looks.keyed[self.look])
            self._rows = [np.flatnonzero(keyed[:, channel]) for channel in range(self.width)]
        self._count = np.array([len(row) for row in self._rows])
        self._offset = np.cumsum(self._count) - self._count
        self._raise = np.arange(self.width) * (n + 1)
        self._all = np.concatenate(self._rows)
        self._raised = self._all + np.repeat(self._raise, self._count)
        ends = self._key(np.zeros((1, self.width), dtype=np.intp)), self._key(self._count[None] - 1)
        self.first, self.last = ends[0][0], ends[1][0]

    def _key(self, place: Ints) -> Ints:
        """Return the keys at places of the channels' rows, shape (m, w); ``NONE`` where there is none."""
        there = (place >= 0) & (place < self._count)
        at = np.where(there, self._offset + place, 0)
        return np.where(there, self._all[at], NONE)

    def _places(self, at: Ints) -> Ints:
        """Return the places in the channels' rows of their last keys up to keys, -1 where there is none, (m, w)."""
        found: Ints = np.searchsorted(self._raised, at[:, None] + self._raise, side="right") - 1 - self._offset
        return found

    def _find_seam(self, loop: bool) -> None:
        n = len(self.keys)
        self.wraps = np.zeros(self.width, dtype=bool)
        self.periodic = False
        self.drift, self.length = np.zeros(3), 0.0
        if not (loop and n > 2):
            return
        with np.errstate(over="ignore", invalid="ignore"):
            start, end = self.poses(self.first[None])[0], self.poses(self.last[None])[0]
            self.periodic = same_pose(start, end)
            if self.periodic:
                self.wraps = (self.first == 0) & (self.last == n - 1) & (self._count > 2)
                self.length, self.drift = self.frames[-1] - self.frames[0], end[:3] - start[:3]

    def poses(self, index: Ints, columns: int | None = None) -> Array:
        """Return poses whose values are those of keys, shape (m, nq); where there is no key, those of the rest pose.

        Args:
            index: Numbers of keys, shape (m, w).
            columns: Number of values at the beginning of a pose that are asked for; None for all.
        """
        keys = self.keys
        if self.width == 1:
            rows = [keys[i].q[:columns] for i in index[:, 0].tolist()]
            return np.array(rows).reshape(len(index), len(self.of_value[:columns]))
        of_value = self.of_value[:columns]
        if columns is not None:
            index = index[:, : of_value.max() + 1]
        some, which = np.unique(index, return_inverse=True)
        rows = [keys[i].q[:columns] if i != NONE else self._rest[:columns] for i in some.tolist()]
        wide = np.take(which.reshape(index.shape), of_value, axis=1)  # by rows, as kernels take poses
        found: Array = np.array(rows)[wide, np.arange(len(of_value))]
        return found

    def spans(self, at: Ints) -> tuple[Ints, Ints]:
        """Return the keys that begin and end the spans after keys, each of shape (m, w).

        Where a channel has no span there, before its first key or after its last, both are that key; where it has no
        key at all, both are ``NONE``.
        """
        if self.width == 1:
            start = at[:, None]
            return start, np.minimum(start + 1, len(self.keys) - 1)
        place = self._places(at)
        return self._ends(place)

    def _ends(self, place: Ints) -> tuple[Ints, Ints]:
        # Before the first key it is its own end, too: the pose is held.
        last = self._count - 1
        return self._key(np.clip(place, 0, last)), self._key(np.minimum(place + 1, last))

    def four(self, at: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the keys around the spans after keys, the one before and the one after too, each of shape (m, w).

        Where there is none it is ``NONE``; through the seam of a round that closes, the other end's.
        """
        n = len(self.keys)
        if self.width == 1:
            start, end = self.spans(at)
            before, after = start - 1, np.where(end + 1 < n, end + 1, NONE)
        else:
            place = self._places(at)
            start, end = self._ends(place)
            before, after = self._key(place - 1), self._key(place + 2)
        if self.periodic:
            second_last = self.last - 1 if self.width == 1 else self._key(self._count[None] - 2)
            second = self.first + 1 if self.width == 1 else self._key(np.ones((1, self.width), dtype=np.intp))
            before = np.where(self.wraps & (start == 0), second_last, before)
            after = np.where(self.wraps & (end == n - 1), second, after)
        still = start == end
        return np.where(still, NONE, before), start, end, np.where(still, NONE, after)

    def shape(self, index: Ints) -> Ints:
        """Return the numbers of the shapes of keys, shape (m, w); any number where there is no key.

        Args:
            index: Numbers of keys, shape (m, w).
        """
        found: Ints = self.looks.shape[self.look[index], np.arange(self.width)]
        return found

    def columns(self, column: int) -> Ints:
        """Return which values of a pose belong to a column of what is ``w`` wide."""
        return self._columns[column]

    def row(self, channel: int) -> Ints:
        """Return the numbers of the keys that hold a channel, ascending."""
        if self.width == 1:
            return np.arange(len(self.keys), dtype=np.intp)
        return self._rows[channel]


def _common(old: tuple[Key, ...], new: tuple[Key, ...]) -> tuple[int, int]:
    """Return how many keys two rows share at the beginning and at the end."""
    first = _shared(old, new)
    rest = min(len(old), len(new)) - first
    return first, _shared(old[: -rest - 1 : -1], new[: -rest - 1 : -1]) if rest else 0


def _shared(a: tuple[Key, ...], b: tuple[Key, ...]) -> int:
    """Return how many keys two rows share at the beginning."""
    most = min(len(a), len(b))
    for start in range(0, most, _STRIDE):
        # Comparing rows of the same objects is much quicker than going through them.
        if a[start : start + _STRIDE] != b[start : start + _STRIDE]:
            return next((i for i in range(start, most) if a[i] is not b[i]), most)
    return most


# Values this close, [rad] or [m], are the same pose at either end of a round.
_SAME = 1e-9


def same_pose(a: Array, b: Array) -> bool:
    """Return whether two poses are the same but for where the root stands."""
    return bool((np.abs(a - b)[3:] <= _SAME).all())
