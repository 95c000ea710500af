"""Two sequences of one figure made one: the second goes on from the first, over a cross-fade.

Between the seam and the end of the cross-fade a pose is between both motions: compounds along the shortest arc from
the one's rotation to the other's, all else value by value, by a share that grows smoothly. The second motion is put
where it goes by a motion over the ground, so nothing of it leans or floats. Locks hold on top of that, as always.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from core.animation import hybrid_strips as hybrids
from core.animation.breakdown import blended
from core.animation.cycles import HOLD
from core.animation.joining.foot_holds import feet_across, fresh, let_go, settled, shifted, strips_across
from core.animation.joining.seam import Seam
from core.animation.key import SPLINE, Key
from core.animation.layers.edits import flattened
from core.animation.layers.motion import acting
from core.animation.locks.moved import moved_strip
from core.animation.locks.strip import LockStrip, new_id
from core.animation.marker import moved_markers
from core.animation.sequence import Sequence
from core.arrays import Array
from core.skeleton.stance import stance

TOLERANCE = 2e-3
"""How far the keys of a cross-fade may be from it, [m] and [rad]."""


@dataclass(frozen=True, eq=False)
class Join:
    """Two sequences made one.

    Attributes:
        sequence: The sequence.
        seam: Where they meet.
        last: Last frame of the second one in it.
        notes: What had to change beside keys and locks, a sentence each.
    """

    sequence: Sequence
    seam: Seam
    last: int
    notes: tuple[str, ...]

    @property
    def shift(self) -> int:
        """By how many frames the second motion is later than it was."""
        return self.seam.before - self.seam.after


def ready(sequence: Sequence, notes: list[str]) -> Sequence:
    """Return a sequence as it can be joined: what layers add and timing says is in its keys.

    Args:
        sequence: The sequence; it does not change.
        notes: Takes what was changed, a sentence each.
    """
    timed, layered = sequence.timing.in_use, acting(sequence.layers)
    if not (timed or layered):
        return sequence
    first, last = sequence.range
    made = Sequence(sequence.skeleton, sequence.fps, sequence.name, first, None, sequence.menu, sequence.loop)
    made.set_range(first, None if sequence.ends_with_last_key else last)
    if timed:
        frames = np.arange(sequence.keys[0].frame, sequence.keys[-1].frame + 1)
        made.set_keys(
            Key(f, q, SPLINE) for f, q in zip(frames.tolist(), sequence.interpolated_at_frames(frames), strict=True)
        )
        notes.append(f"The timing curves of {sequence.name} are in its keys now, one a frame")
    elif layered:
        made.set_keys(flattened(sequence))
    else:
        made.set_keys(sequence.keys)
    if layered:
        notes.append(f"What the layers of {sequence.name} add is in its keys now")
    made.cycles, made.markers, made.camera = sequence.cycles, sequence.markers, sequence.camera
    made.locks, made.locks.strips = sequence.locks, sequence.locks.strips
    made.hybrid_strips, made.companions = sequence.hybrid_strips, sequence.companions
    made.gait, made.script, made.audio, made.extra = (
        sequence.gait, sequence.script, sequence.audio, dict(sequence.extra)
    )  # fmt: skip
    made.locks.holds = sequence.locks.holds
    return made


def last_frame(sequence: Sequence) -> int:
    """Return the last frame of a motion: of its range or its last key, whichever is later."""
    return max(sequence.range[1], sequence.keys[-1].frame if sequence.keys else 0)


def joined(first: Sequence, second: Sequence, seam: Seam) -> Join:
    """Return two sequences made one. What the first one has after the cross-fade is not in it.

    Args:
        first: The first one, as ``ready`` returns it.
        second: The second one likewise; of the same figure.
        seam: Where it goes on.
    """
    notes: list[str] = []
    a, n, by = seam.before, seam.frames, seam.before - seam.after
    end = max(last_frame(second) + by, a + n)
    placed = _placed(second, seam)

    def later(frames: Array) -> Array:
        return placed(second.poses_at_frames(np.asarray(frames) - by))

    made = Sequence(first.skeleton, first.fps, first.name, first.range[0], None, first.menu, first.loop)
    moved_keys = _second_keys(second, seam, placed, notes)
    made.set_keys(_keys(first, moved_keys, seam, later, end))
    ids = {strip.id for strip in first.locks.strips}
    others = [strip for strip in second.locks.strips if strip.lock.second is None or strip.lock.second[0] is None]
    if len(others) < len(second.locks.strips):
        notes.append(f"Locks of {second.name} to other figures are left out")
    others += [LockStrip(lock, 0) for lock in second.locks if lock not in list(first.locks)]
    made.locks = first.locks
    there = fresh(tuple(shifted(moved_strip(strip, seam.motion), by) for strip in others), ids)
    feet = feet_across(seam)
    made.locks.strips = strips_across(seam, first.locks.strips, there, feet, end)
    made.locks.strips = settled(made, feet, later, end)
    kept = hybrids.cut_out(first.hybrid_strips, 0, a)
    come = hybrids.cut_out(second.hybrid_strips, seam.after, last_frame(second))
    made.hybrid_strips = (*kept, *(replace(hybrids.moved_copy(each, each.start + a), id=new_id()) for each in come))
    early = moved_markers(first.markers, lambda f: f if f <= a else None)
    late = moved_markers(second.markers, lambda f: f + by if f + by > a else None)
    made.markers = moved_markers((*early, *late), lambda f: f)
    _others(first, second, made, notes)
    return Join(made, seam, end, tuple(notes))


def _others(first: Sequence, second: Sequence, made: Sequence, notes: list[str]) -> None:
    """Give what both have become all that has no frames, or belongs to the first alone."""
    made.camera, made.audio, made.extra = first.camera, first.audio, dict(first.extra)
    made.script, made.companions, made.locks.holds = first.script, first.companions, first.locks.holds
    if second.camera.keys:
        notes.append(f"The camera of {second.name} is left out")
    if first.cycles[1] != HOLD or second.cycles != (HOLD, HOLD):
        notes.append("What was repeated before or after keys is played once")
    made.cycles = (first.cycles[0], HOLD)
    if first.gait is not None or second.gait is not None:
        notes.append("It is no longer made by the rules of a walk")


def _placed(second: Sequence, seam: Seam) -> Callable[[Array], Array]:
    """Return what puts poses of the second motion where it goes."""
    moves = stance(second.skeleton).moved
    x, y, z = seam.shift.tolist()

    def placed(poses: Array) -> Array:
        made = moves(poses, seam.angle, x, z)
        made[:, 1] += y
        return made

    return placed


def _second_keys(second: Sequence, seam: Seam, placed: Callable[[Array], Array], notes: list[str]) -> dict[int, Key]:
    """Return the keys of the second motion after the cross-fade, on their new frames."""
    keys = [key for key in second.keys if key.frame > seam.after + seam.frames]
    if not keys:
        return {}
    poses = placed(np.array([second.pose_of(key) for key in keys]))
    found, turned = {}, abs(math.remainder(seam.angle, math.tau)) > 1e-12
    root = second.channels.names[0]
    for key, q in zip(keys, poses, strict=True):
        if turned and key.keys(root) and key.shape_of(root).has_slopes:
            shape = replace(key.shape_of(root), slopes_in=None, slopes_out=None)
            key = key.changed(shapes={**key.shapes, root: shape})
            text = f"The root's own tangents in {second.name} are automatic now: it goes another way"
            if text not in notes:
                notes.append(text)
        frame = key.frame + seam.before - seam.after
        found[frame] = key.changed(q=q).moved(frame)
    return found


def _keys(first: Sequence, second: dict[int, Key], seam: Seam, later: Callable[[Array], Array], end: int) -> list[Key]:
    """Return the keys of both with as few as will do between: those of the cross-fade."""
    a, b = seam.before, seam.before + seam.frames
    gone = min(let_go(first.locks.strips, a), max(a - 1, 0))
    kept = {key.frame: key for key in first.keys if key.frame < gone}
    low = max(kept, default=gone)
    high = min(second, default=b)
    frames = np.arange(low, high + 1, dtype=np.float64)
    u = np.clip((frames - a) / max(seam.frames, 1), 0.0, 1.0)
    if not seam.frames:
        u = (frames >= a).astype(float)
    share = (u * u * u * (u * (6.0 * u - 15.0) + 10.0))[:, None]
    poses = blended(first.skeleton, first.poses_at_frames(frames), later(frames), share)
    before = [kept[f] for f in sorted(kept)]
    after = [second[f] for f in sorted(second)]
    chosen = {gone, a, b}
    steps = _at_steps(first, second, low)
    while True:
        made = {f: Key(f, poses[f - low], SPLINE) for f in sorted(chosen)}
        keys = [*before, *made.values(), *after]
        trial = Sequence(first.skeleton, first.fps, keys=_near_keys(keys, low, high))
        away = np.abs(trial.base_at_frames(frames) - poses)
        away[[f - low for f in chosen]] = 0.0
        away[0 if kept else slice(0)] = 0.0
        away[-1 if second else slice(0)] = 0.0
        if steps:
            away[frames < gone] = 0.0
        worst = int(np.argmax(away.max(axis=1)))
        if away[worst].max() <= TOLERANCE or int(frames[worst]) in chosen:
            return keys
        chosen.add(int(frames[worst]))


def _at_steps(first: Sequence, second: dict[int, Key], low: int) -> bool:
    """Return whether the first motion jumps from pose to pose before the seam: more keys would not follow it."""
    key = first.keys.at(low)
    return key is not None and key.interp == "stepped"


def _near_keys(keys: list[Key], low: int, high: int, margin: int = 3) -> list[Key]:
    """Return the keys that the motion between two frames depends on."""
    inside = [n for n, key in enumerate(keys) if low <= key.frame <= high]
    return keys[max(inside[0] - margin, 0) : inside[-1] + margin + 1] if inside else keys
