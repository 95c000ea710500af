"""Edits of a sequence that concern more than its keys: what follows them in time goes along.

Each returns new values of the sequence by their names (``"keys"``, ``"strips"``, ``"hybrid_strips"``, ``"timings"``,
``"root_speed"``, ``"markers"``, ``"layers"``, ``"range"``) and changes nothing: whoever asked puts them in, or makes
commands of them. Where other frames than those of some keys go elsewhere, ``"place"`` says where each one goes, for
what is keyed beside the sequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from core.animation import editing
from core.animation import hybrid_strips as hybrids
from core.animation.channels import Channels
from core.animation.clip import Clip
from core.animation.curves.timing_curves import Timing, shifted_speed, shifted_timing
from core.animation.hybrid_strips import HybridStrip
from core.animation.key import MAX_FRAME, Key, check_frame
from core.animation.key_parts import Names, Parts, canonical, held
from core.animation.layers.layer import Layers, retimed_layers
from core.animation.locks import strip as lock_strips
from core.animation.locks.sequence_locks import SequenceLocks
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.animation.marker import Markers, moved_markers
from core.animation.shot_camera import ShotCamera
from core.animation.sorted_keys import Keys
from core.arrays import Array
from core.errors import SequenceError
from core.keyed_curves.keys import Place
from core.skeleton import Skeleton

Values = dict[str, Any]
Edge = tuple[int, int]
"""A frame, and by how much everything after it moves."""


class Retimed(Protocol):
    """What an edit looks at: all of a sequence that has frames."""

    skeleton: Skeleton
    timing: Timing

    @property
    def channels(self) -> Channels: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def locks(self) -> SequenceLocks: ...
    @property
    def hybrid_strips(self) -> tuple[HybridStrip, ...]: ...
    @property
    def markers(self) -> Markers: ...
    @property
    def layers(self) -> Layers: ...
    @property
    def camera(self) -> ShotCamera: ...
    @property
    def range(self) -> tuple[int, int]: ...
    @property
    def ends_with_last_key(self) -> bool: ...


def made_key(channels: Channels, old: Key | None, frame: int, q: Array, names: Names) -> Key:
    """Return the key at a frame with other values of some channels, all with None, or a new one.

    Args:
        channels: Channels of the figure.
        old: The key that is there, or None.
        frame: The frame.
        q: Pose, shape (nq,), checked.
        names: Names of the channels, checked.
    """
    if old is None:
        return canonical(Key(frame, q, keyed=names), channels)
    if names is None:
        return old.changed(q=q, keyed=None)
    return canonical(
        old.changed(q=np.where(channels.mask(names), q, old.q), keyed=held(old, channels) | names), channels
    )


def edge_of(mapping: Mapping[int, int]) -> Edge | None:
    """Return the last frame of those that move, and by how much it does; None if none does."""
    last = max(mapping, default=None)
    return None if last is None else (last, mapping[last] - last)


def moved(
    sequence: Retimed,
    mapping: Mapping[int, int],
    parts: Parts,
    doing: str,
    edge: Edge | None = None,
    earlier: bool = False,
) -> Values:
    """Return what a sequence has after keys have moved.

    Lock strips and keys of layers follow if whole keys move. With an edge, what comes after it moves on: keys of the
    same channels, and if whole keys move also strips, layers, markers and timings; those between keys that move, or a
    key that moves and one that stands, go along in proportion, as the motion there does.

    Args:
        sequence: The sequence.
        mapping: New frames by old ones.
        parts: Which channels move at the old frames, None for all.
        doing: What messages call the edit.
        edge: A frame, and by how much all after it moves.
        earlier: Whether the first of the keys that move take along what comes before them.

    Raises:
        SequenceError: If there is no key at an old frame or a new one is not valid.
        KeyCollision: If a key would land on another of the same channel.
    """
    channels, keys = sequence.channels, sequence.keys
    whole = all(parts.get(frame) is None for frame in mapping)
    if edge is not None and edge[1]:
        mine: set[str] | None = set()
        for names in (parts.get(frame) for frame in mapping):
            mine = None if names is None or mine is None else mine | names
        following = editing.inside(
            keys, edge[0] + 1, MAX_FRAME, channels, None if mine is None or not mapping else frozenset(mine)
        )
        following = {frame: names for frame, names in following.items() if frame not in mapping}
        mapping = {**mapping, **{frame: frame + edge[1] for frame in following}}
        parts = {**parts, **following}
    made = editing.moved(keys, mapping, channels, parts, doing)
    if not whole:
        return {"keys": made}
    frames = sequence.keys.frames
    if not earlier and (edge is None or not edge[1]):
        place = lock_strips.place_by_keys(frames, mapping)
        layers = retimed_layers(sequence.layers, lambda frame: min(max(round(place(frame)), 0), MAX_FRAME))
        return {"keys": made, **_retimed_strips(sequence, frames, mapping), "layers": layers, "place": place}
    all_moves, further = _rippled(sequence, mapping, edge, earlier)
    strips = _retimed_strips(sequence, {*frames, *all_moves}, all_moves)
    return {"keys": made, **strips, **retimed_values(sequence, further), "place": further}


def _retimed_strips(sequence: Retimed, frames: Iterable[int], mapping: Mapping[int, int]) -> Values:
    old = tuple(frames)
    return {
        "strips": lock_strips.retimed(sequence.locks.strips, old, mapping),
        "hybrid_strips": hybrids.retimed(sequence.hybrid_strips, old, mapping),
    }


def retimed_values(sequence: Retimed, place: Place) -> Values:
    """Return timing curves, root speed, layers, markers and camera of a sequence whose frames go elsewhere together.

    Args:
        sequence: The sequence; it does not change.
        place: Where each frame goes, whole or not; frames keep their order. Markers, keys of layers and
            keys of the camera go to the nearest one.
    """
    old = sequence.timing.curves
    curves = {name: moved for name, curve in old.items() if (moved := shifted_timing(curve, place)) is not None}
    speed = sequence.timing.root_speed

    def nearest(frame: int) -> int | None:
        there = place(frame)
        return None if there is None else round(there)

    return {
        "timings": curves,
        "root_speed": None if speed is None else shifted_speed(speed, place),
        "layers": retimed_layers(sequence.layers, nearest),
        "markers": moved_markers(sequence.markers, nearest),
        "camera": sequence.camera.moved(nearest),
    }


def rippled_markers(sequence: Retimed, mapping: Mapping[int, int], edge: Edge | None, earlier: bool) -> Markers:
    """Return the markers of a sequence after whole keys have moved and others rippled; see ``moved``."""
    place = _rippled(sequence, mapping, edge, earlier)[1]
    return moved_markers(sequence.markers, lambda frame: round(place(frame)))


def _rippled(
    sequence: Retimed, mapping: Mapping[int, int], edge: Edge | None, earlier: bool
) -> tuple[dict[int, int], Callable[[int], float]]:
    """Return where keys go and what else moves like one, and where any frame goes."""
    frames, all_moves, last = sequence.keys.frames, dict(mapping), None
    if edge is not None and edge[1]:
        # What lies after the edge and after the last key moves on like keys there would.
        after, by = edge[0] + 1, edge[1]
        ends = [
            frame for strip in sequence.locks.strips for frame in (strip.end or strip.start, *_target_frames(strip))
        ]
        for strip in sequence.hybrid_strips:
            torques = [math.ceil(strip.start + key[0]) for curve in strip.torques for key in curve.keys]
            ends += [strip.end or strip.start, *torques]
        last = max([after, *ends, *frames]) + 1
        all_moves = {after: after + by, last: last + by, **all_moves}
    if earlier and mapping and frames[0] > 0:
        first = min(mapping)
        all_moves.setdefault(0, max(mapping[first] - first, 0))
    old = sorted({*frames, *all_moves})
    places = {frame: all_moves.get(frame, frame) for frame in old}

    def place(frame: int) -> float:
        if last is not None and frame > last:
            return frame + places[last] - last
        return lock_strips.placed(frame, old, places)

    return all_moves, place


def _target_frames(strip: LockStrip) -> list[int]:
    return [key.frame for key in strip.targets]


def inserted(
    sequence: Retimed,
    frame: int,
    clip: Clip,
    make_room: bool = False,
    flipped: bool = False,
    instead: bool = False,
) -> Values:
    """Return what a sequence has after a clip was put in, its swings inside the figure's cones.

    Args:
        sequence: The sequence.
        frame: Where the clip's first frame goes.
        clip: The clip; of another figure it is fitted by the names of joints.
        make_room: Whether what is there from ``frame`` on first moves on: keys of the clip's channels, and if it holds
            whole keys also strips, markers and timings.
        flipped: Whether left and right change sides.
        instead: Whether keys of the clip's channels that are in its range go first.

    Raises:
        KeyCollision: If a key would land on one that is there.
        PoseError: If the clip does not fit the figure.
    """
    frame, channels = check_frame(frame), sequence.channels
    clip = clip.fitted(sequence.skeleton)
    if flipped:
        clip = clip.flipped(sequence.skeleton)
    clip = clip.inside_cones(sequence.skeleton)
    values: Values = {}
    strips, hybrid_strips, by = sequence.locks.strips, sequence.hybrid_strips, clip.length + 1
    if make_room and clip.channels is None:
        strips = lock_strips.made_room(strips, frame, by)
        hybrid_strips = hybrids.made_room(hybrid_strips, frame, by)

        def place(f: int) -> int:
            return f + by if f >= frame else f

        values = {**retimed_values(sequence, place), "place": place}
    keys: tuple[Key, ...] = sequence.keys
    if instead and not make_room:
        there = editing.inside(keys, frame, frame + clip.length, channels, clip.channels)
        keys = editing.removed(keys, there, channels)
    keys = editing.inserted(keys, frame, clip, channels, make_room)
    return {
        **values,
        "keys": keys,
        "strips": lock_strips.put_in(strips, frame, clip.strips),
        "hybrid_strips": hybrids.put_in(hybrid_strips, frame, clip.hybrid_strips),
    }


def frames_inserted(sequence: Retimed, frame: int, count: int) -> Values:
    """Return what a sequence has after frames were put in before one: all from there on, of whatever kind, is later.

    Raises:
        SequenceError: If a number is not valid, or a key would lie past the last possible frame.
    """
    frame = check_frame(frame)
    by = _count(count)
    mapping = {key.frame: key.frame + by for key in sequence.keys if key.frame >= frame}

    def place(f: int) -> int:
        return f + by if f >= frame else f

    return {
        "keys": editing.moved(sequence.keys, mapping, sequence.channels, None, "inserting frames"),
        "strips": lock_strips.made_room(sequence.locks.strips, frame, by),
        "hybrid_strips": hybrids.made_room(sequence.hybrid_strips, frame, by),
        **retimed_values(sequence, place),
        **_range(sequence, place, place),
        "place": place,
    }


def frames_removed(sequence: Retimed, first: int, last: int) -> Values:
    """Return what a sequence has after frames were taken away: their keys are gone, what is later comes earlier.

    A lock strip over them gets shorter, one inside them is gone.

    Raises:
        SequenceError: If an end is no frame or the range runs backwards.
    """
    first, last = editing.checked_range(first, last)
    by = last - first + 1

    def place(f: int) -> int | None:
        return f if f < first else None if f <= last else f - by

    def end(f: int) -> int:
        return f if f < first else max(first - 1, 0) if f <= last else f - by

    def start(f: int) -> int:
        return f if f < first else first if f <= last else f - by

    kept = tuple(key.moved(there) for key in sequence.keys if (there := place(key.frame)) is not None)
    strips = (_shortened(strip, place, start, end) for strip in sequence.locks.strips)
    return {
        "keys": kept,
        "strips": tuple(strip for strip in strips if strip is not None),
        "hybrid_strips": hybrids.without_frames(sequence.hybrid_strips, place, start, end),
        **retimed_values(sequence, place),
        **_range(sequence, start, end),
        "place": place,
    }


def _shortened(
    strip: LockStrip, place: Callable[[int], int | None], start: Callable[[int], int], end: Callable[[int], int]
) -> LockStrip | None:
    first, last = start(strip.start), None if strip.end is None else end(strip.end)
    gone = place(strip.start) is None and strip.end is not None and place(strip.end) is None
    if gone or (last is not None and last < first):
        return None
    targets = {there: key for key in strip.targets if (there := place(key.frame)) is not None}
    if strip.targets and not targets:
        targets = {first: TargetKey(first, strip.target_at(strip.start))}
    speed = lock_strips.moved_speed(strip, place)
    moved_targets = tuple(replace(key, frame=frame) for frame, key in targets.items())
    return replace(strip, start=first, end=last, targets=moved_targets, speed=speed)


def _range(sequence: Retimed, start: Callable[[int], int], end: Callable[[int], int]) -> Values:
    first, last = sequence.range
    begins = start(first)
    return {"range": (begins, None if sequence.ends_with_last_key else max(end(last), begins))}


def _count(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, (int, float, np.integer, np.floating)):
        raise SequenceError(f"{count!r} is not a number of frames; it must be a whole number above 0")
    if not 0 < count <= MAX_FRAME or int(count) != count:
        raise SequenceError(f"{count} frames cannot be put in; it must be a whole number above 0")
    return int(count)
