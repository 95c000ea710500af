"""Part of a sequence as a sequence of its own, at the same or another number of frames a second."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.animation import hybrid_strips as hybrids
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.key import MAX_FRAME, Key, check_frame
from core.animation.layers.edits import keyed
from core.animation.layers.layer import Layers
from core.animation.locks import strip as lock_strips
from core.animation.marker import moved_markers
from core.animation.sequence import Sequence
from core.animation.shape import SPLINE, Shape
from core.errors import SequenceError

MOST_KEYS = 1_000_000
_WHOLE = 1e-6  # frames: a number this near to a whole one is meant to be whole


def resampled(sequence: Sequence, first: int, last: int, fps: float | None = None) -> Sequence:
    """Return the frames ``first..last`` of a sequence as a new one that begins at frame 0.

    Where every key falls on a whole frame of the new rate, the keys stay as they are, and a stretch that begins or
    ends between keys gets keys there; near those the spline runs a little differently. Lock strips and layers stay with
    them. Otherwise the motion is taken down pose by pose, a key at each new frame that holds the locks and what layers
    add, without either.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame, not before ``first``.
        fps: Frames a second of the new one; None for the same.

    Raises:
        SequenceError: If a frame or the rate is not valid, or there would be more than a million keys.
    """
    first, last = check_frame(first), check_frame(last)
    if first > last:
        raise SequenceError(f"frames {first} to {last} run backwards; expected {last} to {first}")
    rate = sequence.fps if fps is None else fps
    if not (math.isfinite(rate) and rate > 0.0):
        raise SequenceError(f"{rate!r} frames per second make no sense; it must be a positive number")
    factor = rate / sequence.fps
    length = math.floor((last - first) * factor + _WHOLE)
    if length > MAX_FRAME:
        raise SequenceError(f"at {rate:g} frames a second the sequence would end at frame {length}")
    # What is timed beside its keys is not what some of them say.
    whole = first == 0 and last >= max(sequence.range[1], *sequence.keys.frames, 0)
    keys = _kept(sequence, first, last, factor) if whole or not sequence.timing.in_use else None
    strips: lock_strips.Strips = ()
    layers = _kept_layers(sequence, first, last, factor)
    keys = None if layers is None else keys
    keys_kept = keys is not None
    if keys is not None:
        strips = lock_strips.rescaled(lock_strips.cut_out(sequence.locks.strips, first, last), factor)
    else:
        if length + 1 > MOST_KEYS:
            raise SequenceError(
                f"at {rate:g} frames a second there would be {length + 1} keys; {MOST_KEYS} are the most"
            )
        poses = sequence.poses_at_frames(first + np.arange(length + 1) / factor)
        keys = [Key(frame, q, SPLINE) for frame, q in enumerate(poses)]
    made = Sequence(sequence.skeleton, rate, sequence.name, menu=sequence.menu, loop=sequence.loop, keys=keys)
    if not sequence.ends_with_last_key or sequence.range[0] > first:
        start, end = (min(max(frame - first, 0), last - first) * factor for frame in sequence.range)
        made.set_range(math.floor(start + _WHOLE), min(math.floor(end + _WHOLE), length))
    if keys_kept and sequence.keys and first <= sequence.keys[0].frame and last >= sequence.keys[-1].frame:
        made.cycles = sequence.cycles
    made.script, made.audio, made.extra = sequence.script, sequence.audio, dict(sequence.extra)
    if first == 0 and keys_kept and last >= sequence.range[1]:
        made.gait = sequence.gait
    if first == 0 and factor == 1.0 and last >= sequence.range[1]:
        strips = sequence.locks.strips  # nothing is cut off, not even those that go on for ever
    if keys_kept:
        made.timing.curves = {
            name: TimingCurve(tuple((frame * factor, at * factor) for frame, at in curve.points))
            for name, curve in sequence.timing.curves.items()
        }
        speed = sequence.timing.root_speed
        made.timing.root_speed = speed and SpeedCurve(tuple((frame * factor, value) for frame, value in speed.points))
    made.markers = moved_markers(
        sequence.markers, lambda frame: round((frame - first) * factor) if first <= frame <= last else None
    )
    made.camera = sequence.camera.moved(
        lambda frame: round((frame - first) * factor) if first <= frame <= last else None
    )
    if keys_kept and layers:
        made.layers = layers
    made.locks, made.locks.strips = sequence.locks, strips
    uncut = first == 0 and last >= sequence.range[1]
    forces = sequence.hybrid_strips if uncut else hybrids.cut_out(sequence.hybrid_strips, first, last)
    made.hybrid_strips = hybrids.rescaled(forces, factor)
    made.locks.holds, made.companions = sequence.locks.holds, sequence.companions
    return made


def _kept(sequence: Sequence, first: int, last: int, factor: float) -> list[Key] | None:
    """Return the keys of a stretch on their new frames; None if one would fall between frames or on another."""
    inside = {key.frame: key for key in sequence.keys if first <= key.frame <= last}
    for edge, cut in ((first, _cut_off(sequence, first, last)), (last, _cut_through(sequence, last))):
        if cut:
            inside[edge] = _key_between(sequence, edge, cut, inside.get(edge))
    made: list[Key] = []
    for key in (inside[frame] for frame in sorted(inside)):
        place = (key.frame - first) * factor
        frame = round(place)
        if abs(place - frame) > _WHOLE or (made and made[-1].frame == frame):
            return None
        made.append(key.moved(frame))
    return made


def _kept_layers(sequence: Sequence, first: int, last: int, factor: float) -> Layers | None:
    """Return the layers of a stretch, keys on its frames; None if one would fall between frames or on another.

    A layer that begins before the stretch or ends after it has keys at its ends, of its weight too if that is keyed.
    """
    made = []
    for whole in sequence.layers:
        layer, frames = whole, whole.keys.frames
        for edge, beyond in ((first, [f for f in frames if f < first]), (last, [f for f in frames if f > last])):
            cut = {name for name in sequence.channels.names if any(whole.keys.keyed_at(f, name) for f in beyond)}
            names = frozenset(name for name in cut if whole.takes(name) and not whole.keys.keyed_at(edge, name))
            if names:
                layer = keyed(layer, edge, sequence.layered.offset_of(whole, edge), names)
        weights = dict(layer.weights)
        for edge, goes_on in ((first, any(f < first for f in weights)), (last, any(f > last for f in weights))):
            if goes_on:
                weights.setdefault(edge, whole.weight_at(edge))
        inside = [key for key in layer.keys if first <= key.frame <= last]
        there = {frame: (frame - first) * factor for frame in {*(key.frame for key in inside), *weights}}
        there = {frame: place for frame, place in there.items() if first <= frame <= last}
        new = {frame: round(place) for frame, place in there.items()}
        if any(abs(there[frame] - new[frame]) > _WHOLE for frame in there) or len(set(new.values())) < len(new):
            return None
        keys = layer.keys.checked(key.moved(new[key.frame]) for key in inside)
        rows = tuple((new[frame], weight) for frame, weight in sorted(weights.items()) if frame in new)
        made.append(replace(layer, keys=keys, weights=rows))
    return tuple(made)


def _cut_off(sequence: Sequence, first: int, last: int) -> frozenset[str]:
    """Return the channels that need a key where a stretch begins: they have keys before it, or none in it."""
    found = set()
    for name in sequence.channels.names:
        frames = sequence.keys.channel_frames(name)
        in_it = frames[(frames >= first) & (frames <= last)]
        if len(frames) and not (len(in_it) and (in_it[0] == first or in_it[0] == frames[0])):
            found.add(name)
    return frozenset(found)


def _cut_through(sequence: Sequence, frame: int) -> frozenset[str]:
    """Return the channels that are between two of their keys at a frame."""
    found = set()
    for name in sequence.channels.names:
        frames = sequence.keys.channel_frames(name)
        if len(frames) and frames[0] < frame < frames[-1] and frame not in frames:
            found.add(name)
    return frozenset(found)


def _key_between(sequence: Sequence, frame: int, cut: frozenset[str], there: Key | None) -> Key:
    """Return a key that also holds channels that are cut there, and lets them go on as they do.

    Args:
        sequence: The sequence.
        frame: Its frame.
        cut: The channels.
        there: The key that is there.
    """
    shapes: dict[str, Shape] = {}
    for name in sequence.channels.names:
        if name in cut:
            frames = sequence.keys.channel_frames(name)
            last = sequence.keys.at(int(frames[max(int(np.searchsorted(frames, frame)) - 1, 0)]))
            assert last is not None
            shapes[name] = replace(last.shape_of(name), slopes_in=None, slopes_out=None, ease=None)
        elif there is not None and there.keys(name):
            shapes[name] = there.shape_of(name)
    plain = next(iter(shapes.values())) if there is None else there.shape
    whole = len(shapes) == len(sequence.channels)
    part, extra = (None, {}) if there is None else (there.part, there.extra)
    q = sequence.base_at_frames([frame])[0] if sequence.layers else sequence.pose_at_frame(frame)
    if there is not None:
        q = np.where(sequence.channels.mask(cut), q, there.q)
    if plain.has_slopes:
        plain = replace(plain, slopes_in=None, slopes_out=None)
    return Key(frame, q, part=part, extra=extra, keyed=None if whole else shapes, shape=plain, shapes=shapes)
