"""Poses of a motion whose frames are not simply those of its keys: timing curves, and a root that travels by length.

The timing of the whole figure comes first, a channel's own after it, and then the root's speed: each takes the frame
that the one before it gives. Between the ends of its speed curve the root goes along the path that its keys give it
with the speed of the curve alone, whatever the keys' frames and eases; a place where the path stands still, or jumps
from a stepped key to the next, has no length and is passed at once.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from core.animation.channels import PLACE, channels_of
from core.animation.curves.arc_length import ArcLength
from core.animation.curves.key_rows import KeyRows
from core.animation.curves.span_ends import SpanEnds
from core.animation.curves.tangents import cubic
from core.animation.curves.timing_curves import WHOLE_FIGURE, SpeedCurve, TimingCurve, Timings, eased
from core.animation.curves.tracks import Tracks, snapped, span_cubics
from core.arrays import Array


def path_frames(frames: Array, timings: Timings, channel: str = WHOLE_FIGURE) -> Array:
    """Return the frames of the path that a channel takes at frames that are shown, shape (m,)."""
    for name in (WHOLE_FIGURE, channel) if channel != WHOLE_FIGURE else (WHOLE_FIGURE,):
        if name in timings:
            frames = timings[name].at(frames)
    return frames


def shown_frames(frames: Array, timings: Timings, channel: str = WHOLE_FIGURE) -> Array:
    """Return the frames at which a channel takes frames of its path, shape (m,): the earliest where it holds them."""
    for name in (channel, WHOLE_FIGURE) if channel != WHOLE_FIGURE else (WHOLE_FIGURE,):
        if name in timings:
            frames = timings[name].shown(frames)
    return frames


def paced_poses(tracks: Tracks, frames: Array, timings: Timings, root_speed: SpeedCurve | None) -> Array:
    """Return the poses at frames that are shown, shape (m, nq); a new array.

    Args:
        tracks: The motion.
        frames: Frame numbers, whole or not, shape (m,).
        timings: Timing curves by the channel's name, ``"*"`` for all of them.
        root_speed: How fast the root travels; None for as it is keyed.
    """
    if not timings and root_speed is None:
        return tracks.poses_at(frames)
    channels = channels_of(tracks.rows.skeleton)
    frames = path_frames(snapped(frames), timings)
    poses = tracks.poses_at(frames)
    others: dict[TimingCurve, list[str]] = {}
    for name, curve in timings.items():
        if name != WHOLE_FIGURE:
            others.setdefault(curve, []).append(name)
    for curve, names in others.items():
        columns = np.concatenate([channels.columns[channels.index(name)] for name in names])
        poses[:, columns] = tracks.poses_at(curve.at(frames))[:, columns]
    _travel(tracks, timings[PLACE].at(frames) if PLACE in timings else frames, poses, root_speed)
    return poses


def paced_places(tracks: Tracks, frames: Array, timings: Timings, root_speed: SpeedCurve | None) -> Array:
    """Return where the root is at frames that are shown, shape (m, 3), [m]: ``paced_poses(...)[:, :3]``."""
    if not timings and root_speed is None:
        return tracks.places_at(frames)
    at = path_frames(snapped(frames), timings, PLACE)
    places = tracks.places_at(at)
    _travel(tracks, at, places, root_speed)
    return places


def _travel(tracks: Tracks, at: Array, poses: Array, root_speed: SpeedCurve | None) -> None:
    """Put the places of a root that travels by length into the first three columns of poses."""
    if root_speed is None:
        return
    travel = root_travel(tracks, root_speed)
    inside = np.flatnonzero((at > root_speed.first) & (at < root_speed.last))
    if travel.total > 0.0 and len(inside):
        poses[inside, :3] = travel.places(root_speed.fraction(at[inside]))


class RootTravel:
    """The path of the root from one frame to another, travelled by length.

    Args:
        rows: The keys.
        first: Frame at which it begins.
        last: Frame at which it ends.

    Attributes:
        total: How long it is, [m].
    """

    def __init__(self, rows: KeyRows, first: float, last: float):
        self._cubics = np.empty((0, 4, 3))
        self.total = 0.0
        row = rows.row(0)
        frames = rows.frames[row]
        first, last = (
            max(first, float(frames[0])) if len(row) else first,
            min(last, float(frames[-1]) if len(row) else 0),
        )
        if len(row) < 2 or not first < last:
            return
        a = int(np.searchsorted(frames, first, side="right")) - 1
        b = int(np.searchsorted(frames, last, side="left")) - 1
        ends = SpanEnds.of(rows, row[a : b + 1], columns=3)
        nowhere = np.full(3, -np.inf), np.full(3, np.inf)
        self._cubics = span_cubics(ends, (ends.slopes(1, nowhere), ends.slopes(2, nowhere)))[0]

        def part(frame: float, span: int) -> float:
            u = (frame - frames[span]) / (frames[span + 1] - frames[span])
            shapes = rows.looks.shapes
            number = int(ends.shapes[1][span - a, 0])
            if shapes.eased[number]:
                u = float(eased(np.array([u]), shapes.eases[[number]])[0])
            return min(max(u, 0.0), 1.0)

        if np.isfinite(self._cubics).all():
            self._arc = ArcLength(self._cubics, part(first, a), part(last, b))
            self.total = self._arc.total

    def places(self, fractions: Array) -> Array:
        """Return where the root is at fractions of the way, shape (m, 3), [m]."""
        pieces, u = self._arc.places(fractions * self.total)
        return cubic(self._cubics[pieces], u[:, None])


_travels: WeakKeyDictionary[Tracks, tuple[float, float, RootTravel]] = WeakKeyDictionary()


def root_travel(tracks: Tracks, speed: SpeedCurve) -> RootTravel:
    """Return the path of the root between the ends of a speed curve; kept for as long as the motion stays."""
    kept = _travels.get(tracks)
    if kept is None or kept[:2] != (speed.first, speed.last):
        kept = _travels[tracks] = (speed.first, speed.last, RootTravel(tracks.rows, speed.first, speed.last))
    return kept[2]
