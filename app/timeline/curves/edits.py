"""What edits in the curve editor make of the keys: values and frames moved, tangents set. No window."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.timeline.curves.rows import TARGETS
from app.timeline.curves.targets import moved_targets
from core.animation.channels import channels_of
from core.animation.curves.samples import channel_slopes
from core.animation.key import Key
from core.animation.key_parts import Parts, held
from core.animation.retiming import moved
from core.animation.sequence import Sequence
from core.animation.shape import AUTO, FREE, SPLINE, Shape
from core.errors import SequenceError
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_cones

Points = Mapping[int, NDArray[np.int64]]
"""Frames of keys, ascending, by the place of a value in the pose."""

ALIKE = 1e-6
"""Slopes that differ by less, and by less of themselves, are one, [1/frame]."""
REGAINED = 1e-5
"""So near to what they would be anyway slopes of a value's own are let go with the last one that was set."""
IN, OUT = -1, 1
"""Sides of a key: as the curve comes to it, and as it leaves."""


def pose_limits(skeleton: Skeleton) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper limits of all values of a pose, each of shape (nq,)."""
    lower, upper = np.full(skeleton.nq, -np.inf), np.full(skeleton.nq, np.inf)
    lower[3:], upper[3:] = skeleton.limits[:, 0], skeleton.limits[:, 1]
    return lower, upper


class Moved(NamedTuple):
    """Keys after a drag.

    Attributes:
        values: What the sequence has then, by name, as ``KeyGesture.set_values`` takes it.
        clamped: Places in the pose whose values a limit has stopped, ascending.
    """

    values: dict[str, Any]
    clamped: tuple[int, ...]


def moved_points(
    sequence: Sequence, parts: Parts, points: Points, by: int, rise: Mapping[int, NDArray[np.float64]]
) -> Moved:
    """Return a sequence's keys with some moved in time, and values of some of them raised.

    Args:
        sequence: The sequence; it does not change.
        parts: Channels whose keys move in time, by frame.
        points: Values that change.
        by: Frames to move by.
        rise: How much each value rises at each of its frames, [rad] or [m], by its place in the pose.

    Raises:
        SequenceError: If a key would land before frame 0.
        KeyCollision: If a key would land on one that stands.
    """
    every = {*parts, *(frame for there in points.values() for frame in there.tolist())}
    frames = {frame: frame + by for frame in every} if by else {}
    return transformed_points(sequence, parts, points, frames, rise, "moving")


class Stretch(NamedTuple):
    """How much steeper or flatter curves become at keys that a box scales, for tangents set by hand.

    Attributes:
        time: Factor by which all times between the keys grow.
        values: Factor by which the values about each key grow, by place in the pose, each of shape (n,).
        skew: How much the slope of each value rises besides, [1/frame] of the new frames.
    """

    time: float
    values: Mapping[int, NDArray[np.float64]]
    skew: Mapping[int, float]


def transformed_points(
    sequence: Sequence,
    parts: Parts,
    points: Points,
    frames: Mapping[int, int],
    rise: Mapping[int, NDArray[np.float64]],
    doing: str,
    stretch: Stretch | None = None,
) -> Moved:
    """Return a sequence's keys with some moved to other frames, and values of some of them raised.

    Args:
        sequence: The sequence; it does not change.
        parts: Channels whose keys move in time, by frame.
        points: Values that change; from ``TARGETS`` on keys of locks' targets.
        frames: New frames of the keys by their old ones; empty if none moves.
        rise: How much each value rises at each of its frames, [rad] or [m], by its place in the pose.
        doing: What is done, for messages.
        stretch: What becomes of tangents set by hand; None if they stay.

    Raises:
        SequenceError: If a key would land before frame 0.
        KeyCollision: If two keys would share a frame.
    """
    values: dict[str, Any] = {}
    targets = {column: there for column, there in points.items() if column >= TARGETS}
    points = {column: there for column, there in points.items() if column < TARGETS}
    strips = sequence.locks.strips
    if parts and any(old != new for old, new in frames.items()):
        values = dict(moved(sequence, {frame: frames[frame] for frame in parts}, parts, doing))
    if targets:
        values["strips"] = moved_targets(values.get("strips", strips), targets, frames, rise)
    changes = {column: (there, rise[column]) for column, there in points.items() if rise[column].any()}
    keys: tuple[Key, ...] = tuple(values.get("keys", sequence.keys))
    clamped: tuple[int, ...] = ()
    if changes:
        wanted: dict[int, dict[int, float]] = {}
        for column, (there, rises) in changes.items():
            for frame, change in zip(there.tolist(), rises.tolist(), strict=True):
                wanted.setdefault(frames.get(frame, frame), {})[column] = change
        keys, clamped = _with_values(sequence.skeleton, keys, wanted, relative=True)
    if stretch is not None:
        keys = _with_stretched_slopes(sequence, keys, parts, points, frames, stretch)
    if changes or stretch is not None:
        values["keys"] = keys
    return Moved(values, clamped)


def _with_stretched_slopes(
    sequence: Sequence,
    keys: tuple[Key, ...],
    parts: Parts,
    points: Points,
    frames: Mapping[int, int],
    stretch: Stretch,
) -> tuple[Key, ...]:
    """Return keys with the slopes that were set by hand as steep as the curves through them have become."""
    channels = channels_of(sequence.skeleton)
    grown: dict[tuple[int, int], tuple[float, float]] = {}
    for column, there in points.items():
        for frame, factor in zip(there.tolist(), stretch.values[column].tolist(), strict=True):
            grown[frame, column] = factor, stretch.skew.get(column, 0.0)
    made = {key.frame: key for key in keys}
    for frame, names in parts.items():
        key = made.get(frames.get(frame, frame))
        for name in sorted(held(key, channels, names)) if key is not None else ():
            assert key is not None
            shape = key.shape_of(name)
            if shape.interp != FREE or not shape.has_slopes:
                continue
            columns = channels.columns[channels.index(name)].tolist()
            factors = [grown.get((frame, column), (1.0, 0.0)) for column in columns]
            sides = {
                side: tuple(
                    None if slope is None else slope * factor / stretch.time + skew
                    for slope, (factor, skew) in zip(slopes, factors, strict=True)
                )
                for side, slopes in (("slopes_in", shape.slopes_in), ("slopes_out", shape.slopes_out))
                if slopes is not None
            }
            key = key.changed(shapes={**key.shapes, name: shape.changed(**sides)})
        if key is not None:
            made[key.frame] = key
    return tuple(made[key.frame] for key in keys)


def set_points(sequence: Sequence, points: Points, value: float) -> Moved:
    """Return a sequence's keys with values of some set, [rad] or [m]."""
    wanted: dict[int, dict[int, float]] = {}
    for column, frames in points.items():
        for frame in frames.tolist():
            wanted.setdefault(frame, {})[column] = value
    keys, clamped = _with_values(sequence.skeleton, sequence.keys, wanted, relative=False)
    return Moved({"keys": keys}, clamped)


def _with_values(
    skeleton: Skeleton, keys: tuple[Key, ...], wanted: Mapping[int, Mapping[int, float]], relative: bool
) -> tuple[tuple[Key, ...], tuple[int, ...]]:
    lower, upper = pose_limits(skeleton)
    clamped: set[int] = set()
    made = list(keys)
    for frame, changes in wanted.items():
        i = bisect_left(keys, frame, key=attrgetter("frame"))
        if i == len(keys) or keys[i].frame != frame:
            raise SequenceError(f"there is no key at frame {frame}")
        key = keys[i]
        q = key.q.copy()
        for column, change in changes.items():
            old = float(q[column])
            new = old + change if relative else change
            # A key may lie outside its limits (an imported motion does): it must not get farther out.
            held_in = min(max(new, min(float(lower[column]), old)), max(float(upper[column]), old))
            if held_in != new:
                clamped.add(column)
            q[column] = held_in
        swung = clamp_cones(skeleton, q, key.q)
        if swung is not q:
            clamped.update(column for column in changes if swung[column] != q[column])
            q = swung
        q.setflags(write=False)
        made[i] = key.changed(q=q)
    return tuple(made), tuple(sorted(clamped))


# -- tangents ----------------------------------------------------------------------------------------------------------


class Slopes(NamedTuple):
    """Slopes of a value at keys, [1/frame], as the path has them: without eases and timing curves.

    Attributes:
        come: As it comes to the keys, shape (n,).
        leave: As it leaves them.
    """

    come: NDArray[np.float64]
    leave: NDArray[np.float64]


def path_slopes(path: Sequence, frames: NDArray[np.int64], column: int) -> Slopes:
    """Return the slopes of a value of the pose at keys of its channel.

    Args:
        path: The sequence as ``plain_path`` gives it.
        frames: Frames of keys, shape (n,).
        column: Place of the value in the pose.
    """
    channels = path.channels
    number = int(channels.of_value[column])
    found = channel_slopes(path, channels.names[number], frames)
    place = int(np.searchsorted(channels.columns[number], column))
    return Slopes(found.coming[:, place], found.leaving[:, place])


def plain_path(sequence: Sequence) -> Sequence:
    """Return a sequence with the same path through its keys, but without eases, timing curves and the root's speed."""
    keys = sequence.keys
    # Most keys share their shapes: few are looked at.
    kinds = {id(shape): shape for shape in map(attrgetter("shape"), keys)}
    eased = any(shape.ease is not None for shape in kinds.values())
    if not (sequence.timing.in_use or eased or any(map(_eased, filter(attrgetter("shapes"), keys)))):
        return sequence
    channels = sequence.channels
    plain = Sequence(sequence.skeleton, fps=sequence.fps, loop=sequence.goes_round)
    plain.set_keys(_without_ease(key, channels.names) for key in keys)
    return plain


def _eased(key: Key) -> bool:
    return key.shape.ease is not None or any(shape.ease is not None for shape in key.shapes.values())


def _without_ease(key: Key, names: Iterable[str]) -> Key:
    if not _eased(key):
        return key
    shapes = {name: shape.changed(ease=None) for name, shape in key.shapes.items()}
    return key.changed(shape=key.shape.changed(ease=None), shapes=shapes)


def is_broken(shape: Shape, place: int) -> bool:
    """Return whether the two tangents of a channel's value at a key have been set apart.

    Args:
        shape: The channel's shape there.
        place: Which of the channel's values.
    """
    if shape.interp != FREE:
        return False
    come = None if shape.slopes_in is None else shape.slopes_in[place]
    leave = None if shape.slopes_out is None else shape.slopes_out[place]
    return come != leave


def _put(slopes: tuple[float | None, ...] | None, count: int, place: int, value: float | None) -> tuple[Any, ...]:
    row: list[float | None] = list(slopes) if slopes is not None else [None] * count
    row[place] = value
    return tuple(row)


def _slopes_now(path: Sequence, name: str, frame: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the slopes that a channel's values have at a key, as they come and as they leave, [1/frame].

    Args:
        path: The sequence as ``plain_path`` gives it.
        name: The channel.
        frame: The key's.
    """
    found = channel_slopes(path, name, np.array([frame]))
    frames = path.keys.channel_frames(name)
    come, leave = found.coming[0], found.leaving[0]
    come, leave = leave if frame == frames[0] else come, come if frame == frames[-1] else leave
    # They are differences: a smooth key must not get two slopes by rounding.
    smooth = np.abs(come - leave) <= ALIKE * (1.0 + np.abs(come) + np.abs(leave))
    come, leave = (np.where(smooth, 0.5 * (come + leave), side) for side in (come, leave))
    come, leave = (np.where(np.abs(side) < ALIKE, 0.0, side) for side in (come, leave))
    return tuple(come.tolist()), tuple(leave.tolist())


def _is_automatic(sequence: Sequence, key: Key, name: str, both: Mapping[str, Any], automatic: str) -> bool:
    """Return whether a channel would have the slopes that are left of its own at a key without them, too."""
    shape = key.shape_of(name).changed(interp=automatic, slopes_in=None, slopes_out=None)
    without = key.changed(shapes={**key.shapes, name: shape})
    other = Sequence(sequence.skeleton, fps=sequence.fps, loop=sequence.goes_round)
    other.set_keys(without if each.frame == key.frame else each for each in sequence.keys)
    sides = _slopes_now(plain_path(other), name, key.frame)
    pairs = zip((both["slopes_in"], both["slopes_out"]), sides, strict=True)
    close = (
        own is None or abs(own - found) <= REGAINED * (1.0 + abs(found))
        for row, side in pairs
        for own, found in zip(row, side, strict=True)
    )
    return all(close)


def with_many_slopes(
    sequence: Sequence,
    wanted: Mapping[int, Mapping[int, tuple[float | None, float | None]]],
    keep: bool = False,
) -> list[Key]:
    """Return a sequence's keys with slopes set: by place in the pose and frame, as they come and leave, [1/frame].

    A channel has slopes of its own or none, and what it is not given is the spline's, without the limit of automatic
    ones. So the first one set of x, y and z gives the other two the slopes that they have, and their curves stay;
    where these are what they would have anyway, they go with the last one taken away.

    Raises:
        SequenceError: If a key does not hold the value's channel, or a slope is not finite.
    """
    channels = channels_of(sequence.skeleton)
    made: dict[int, Key] = {}
    path: Sequence | None = None
    for column, slopes in wanted.items():
        number = int(channels.of_value[column])
        name, columns = channels.names[number], channels.columns[number]
        place = int(np.searchsorted(columns, column))
        for frame, (come, leave) in slopes.items():
            key = made.get(frame) or sequence.keys.at(frame)
            if key is None or name not in held(key, channels):
                raise SequenceError(f"there is no key of these values at frame {frame}")
            for value in (come, leave):
                if value is not None and not math.isfinite(value):
                    raise SequenceError(f"the slope at frame {frame} is {value}; it must be a finite number")
            shape = key.shape_of(name)
            sides = shape.slopes_in, shape.slopes_out
            given = come is not None or leave is not None
            if given and shape.interp not in (FREE, SPLINE) and len(columns) > 1:
                path = plain_path(sequence) if path is None else path
                sides = _slopes_now(path, name, frame)
            both: dict[str, tuple[Any, ...] | None] = {
                "slopes_in": _put(sides[0], len(columns), place, come),
                "slopes_out": _put(sides[1], len(columns), place, leave),
            }
            # Back to automatic a channel goes on as its key does, in files of before without a limit.
            automatic = key.shape.interp if key.shape.interp == SPLINE else AUTO
            own = any(value is not None for row in both.values() for value in row or ())
            if own and not given and shape.interp == FREE and _is_automatic(sequence, key, name, both, automatic):
                own, both = False, {"slopes_in": None, "slopes_out": None}
            interp = FREE if own else shape.interp if keep or shape.interp != FREE else automatic
            made[frame] = key.changed(shapes={**key.shapes, name: shape.changed(interp=interp, **both)})
    return [made.get(key.frame, key) for key in sequence.keys]
