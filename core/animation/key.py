"""A key: a pose at one frame, which channels of it count, and how the figure leaves it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from core.animation.shape import AUTO, INTERPOLATIONS, LINEAR, SPLINE, Shape, plain_shape
from core.arrays import Array
from core.errors import PoseError, SequenceError

MAX_FRAME = 2**31 - 1
"""The largest frame number a key may have."""

__all__ = ["AUTO", "INTERPOLATIONS", "LINEAR", "MAX_FRAME", "SPLINE", "Key", "check_frame"]


def check_frame(frame: object) -> int:
    """Return ``frame`` as an int after checking that it is a whole number from 0 to ``MAX_FRAME``.

    Raises:
        SequenceError: If it is not.
    """
    if isinstance(frame, bool) or not isinstance(frame, (int, float, np.integer, np.floating)):
        raise SequenceError(f"frame {frame!r} is not a number; a frame is a whole number from 0 on")
    if not 0 <= frame <= MAX_FRAME or int(frame) != frame:
        raise SequenceError(f"frame {frame} cannot hold a key; a frame is a whole number from 0 to {MAX_FRAME}")
    return int(frame)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True, init=False)
class Key:
    """A pose at a frame. Immutable; ``moved``, ``changed`` and ``dataclasses.replace`` make new ones.

    Args:
        interp: How the span that begins here is filled, instead of what ``shape`` says; None leaves it.
        turns: Whether compound joints follow their angles in that span, likewise.

    Attributes:
        frame: Whole number from 0 on.
        q: Pose, shape (nq,), [m] and [rad]; a read-only copy, or what was given if that was read-only already. It is
            what was on screen when the key was made; values of channels that are not keyed are not used.
        part: Name of the part of the figure the key was made for, or None for all of it.
        extra: Members of the file's record that this version does not know; kept and written back.
        keyed: Names of the channels that the key holds (``core.animation.channels``); None for all.
        shape: How the motion goes through the key and the span that begins here.
        shapes: Shapes of the channels that have one of their own, by their names.

    Raises:
        SequenceError: If the frame or a shape is not valid, or no channel is keyed.
        PoseError: If the pose is no row of finite numbers.
    """

    frame: int
    q: Array
    part: str | None
    extra: Mapping[str, Any]
    keyed: frozenset[str] | None
    shape: Shape
    shapes: Mapping[str, Shape] = field(repr=False)

    def __init__(
        self,
        frame: int,
        q: Any,
        interp: str | None = None,
        turns: bool | None = None,
        part: str | None = None,
        extra: Mapping[str, Any] = _NOTHING,
        keyed: Iterable[str] | None = None,
        shape: Shape | None = None,
        shapes: Mapping[str, Shape] = _NOTHING,
    ) -> None:
        put = object.__setattr__
        put(self, "frame", check_frame(frame))
        # Recordings have a key at every frame: they share one array.
        if not (isinstance(q, np.ndarray) and q.dtype == np.float64 and not q.flags.writeable):
            q = np.array(q, dtype=np.float64)
        if q.ndim != 1 or not np.isfinite(q).all():
            raise PoseError(f"the pose of the key at frame {self.frame} must be a row of finite numbers")
        q.setflags(write=False)
        put(self, "q", q)
        put(self, "part", part)
        put(self, "extra", extra if extra is _NOTHING else MappingProxyType(dict(extra)) if extra else _NOTHING)
        if keyed is not None:
            keyed = frozenset([keyed] if isinstance(keyed, str) else keyed)
            if not keyed:
                raise SequenceError(f"the key at frame {self.frame} keys no channel; it must key at least one")
        put(self, "keyed", keyed)
        put(self, "shape", self._own_shape(shape, interp, turns))
        put(self, "shapes", self._own_shapes(shapes) if shapes else _NOTHING)

    def _own_shape(self, shape: Shape | None, interp: str | None, turns: bool | None) -> Shape:
        try:
            if shape is None:
                return plain_shape(AUTO if interp is None else interp, bool(turns))
            if interp is not None and interp != shape.interp:
                shape = replace(shape, interp=interp)
            if turns is not None and bool(turns) != shape.turns:
                shape = replace(shape, turns=bool(turns))
        except (SequenceError, TypeError) as error:
            raise SequenceError(f"the key at frame {self.frame}: {error}") from None
        if shape.has_slopes:
            raise SequenceError(f"the key at frame {self.frame}: slopes belong to one channel, not to the whole key")
        return shape

    def _own_shapes(self, shapes: Mapping[str, Shape]) -> Mapping[str, Shape]:
        """Return shapes of channels without those that say nothing: of channels not keyed, or as the key's own."""
        for name, shape in shapes.items():
            if not isinstance(name, str) or not isinstance(shape, Shape):
                raise SequenceError(f"the key at frame {self.frame}: {shape!r} is not a shape of channel {name!r}")
        kept = {name: shapes[name] for name in sorted(shapes) if self.keys(name) and shapes[name] != self.shape}
        return MappingProxyType(kept) if kept else _NOTHING

    @property
    def interp(self) -> str:
        """How the span that begins here is filled, one of ``INTERPOLATIONS``, where no channel says otherwise."""
        return self.shape.interp

    @property
    def turns(self) -> bool:
        """Whether compound joints follow their angles through that span, where no channel says otherwise."""
        return self.shape.turns

    def keys(self, channel: str) -> bool:
        """Return whether it holds a channel."""
        return self.keyed is None or channel in self.keyed

    def shape_of(self, channel: str) -> Shape:
        """Return the shape of a channel: its own, or the key's."""
        return self.shapes.get(channel, self.shape) if self.shapes else self.shape

    def moved(self, frame: int) -> Key:
        """Return the same key at another frame."""
        return self if frame == self.frame else self._copied(check_frame(frame), self.q, self.keyed, self.shapes)

    def holding(self, keyed: frozenset[str] | None) -> Key:
        """Return the same key that holds other channels, at least one."""
        if self.shapes or not (keyed is None or keyed):
            return self.changed(keyed=keyed)
        return self._copied(self.frame, self.q, keyed, _NOTHING)

    def posed(self, q: Array) -> Key:
        """Return the same key with another pose: a read-only array of finite numbers, which is not looked at again."""
        return self._copied(self.frame, q, self.keyed, self.shapes)

    def _copied(self, frame: int, q: Array, keyed: frozenset[str] | None, shapes: Mapping[str, Shape]) -> Key:
        # What is taken over has been checked: sequences have a hundred thousand keys.
        copy, put = object.__new__(Key), object.__setattr__
        put(copy, "frame", frame)
        put(copy, "q", q)
        put(copy, "part", self.part)
        put(copy, "extra", self.extra)
        put(copy, "keyed", keyed)
        put(copy, "shape", self.shape)
        put(copy, "shapes", shapes)
        return copy

    def changed(self, **values: Any) -> Key:
        """Return a key with other values: any of the constructor's."""
        given = {name: getattr(self, name) for name in _FIELDS if name not in values}
        return Key(**given, **values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        return (
            (self.frame, self.part, self.keyed, self.shape) == (other.frame, other.part, other.keyed, other.shape)
            and np.array_equal(self.q, other.q)
            and dict(self.shapes) == dict(other.shapes)
            and dict(self.extra) == dict(other.extra)
        )

    def __hash__(self) -> int:
        return hash((self.frame, self.part, self.keyed, self.shape))


_FIELDS = ("frame", "q", "part", "extra", "keyed", "shape", "shapes")
