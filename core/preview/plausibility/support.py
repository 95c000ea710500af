"""What holds a figure at each moment of its motion: the ground, a lock, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.preview.plausibility.clearance import surface
from core.preview.plausibility.thresholds import Thresholds
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height

NOTHING, GROUND, LOCK = 0, 1, 2
"""What holds a figure up; a lock in the air counts more than the ground, and so does a simulation that is to come."""

_TO_THE_WORLD = ("position", "pose", "plane", "line")
_TO_OTHERS = ("point_pair", "distance")
_HOLDS = 0.5  # a lock that is less than half on holds nothing up


@dataclass(frozen=True)
class Support:
    """What holds a figure at frames.

    Attributes:
        state: ``NOTHING``, ``GROUND`` or ``LOCK``, shape (m,).
        low: Distance of the lowest part from the ground, shape (m,), [m].
        touching: Which parts of :func:`core.preview.plausibility.clearance.surface` touch the ground, shape (m, p).
        beside: Which may: the feet of a recording do not all reach the ground that they stand on, shape (m, p).
        surely_off: From which distance on a part is off the ground for sure, [m].
    """

    state: Ints
    low: Array
    touching: Bools
    beside: Bools
    surely_off: float


def support(sequence: Sequence, frames: Array, above: Array, limits: Thresholds) -> Support:
    """Return what holds the figure of a sequence at frames.

    Args:
        sequence: The sequence.
        frames: Frame numbers, shape (m,).
        above: How far each part is above the ground, shape (m, p), [m].
        limits: Thresholds.
    """
    s = sequence.skeleton
    height = figure_height(s)
    low = above.min(axis=1, initial=np.inf)
    most = limits.surely_off * height
    close = low[low < most]
    scatter = float(np.median(np.abs(close - np.median(close)))) if len(close) else 0.0
    near = min(limits.touching * height + 2.0 * scatter, limits.touching_most * height)
    touching = above <= near
    state = np.where(touching.any(axis=1), GROUND, NOTHING).astype(np.intp)
    if sequence.locks.in_effect:
        known = {joint: n for n, joint in enumerate(surface(s).joints)}
        for k, frame in enumerate(frames.tolist()):
            for joint in _held_to_the_world(sequence, frame):
                parts = [known[i] for i in _below(s, joint) if i in known]
                if not any(touching[k, n] for n in parts):
                    state[k] = LOCK
    root = s.joints[0].name
    for moved in sequence.hybrid_strips:
        if moved.moves(root):  # its keys are not what will be seen there
            state[(frames >= moved.start) & (frames < (np.inf if moved.end is None else moved.end))] = LOCK
    return Support(state, low, touching, above <= most, min(most, limits.touching * height + 4.0 * scatter))


def _held_to_the_world(sequence: Sequence, frame: float) -> list[int]:
    """Return the joints that locks hold to the world or to another figure at a frame."""
    found = []
    for active in sequence.locks.active(frame):
        strip, lock, factor = active
        weight = factor * min(lock.weights[:1]) * (1.0 if strip is None else strip.weight)
        second = lock.second
        outside = lock.kind in _TO_THE_WORLD or (
            lock.kind in _TO_OTHERS and second is not None and second[0] is not None
        )
        if outside and weight >= _HOLDS:
            found.append(sequence.skeleton.joint_index(lock.joint))
    return found


def _below(s: Skeleton, joint: int) -> list[int]:
    found = [joint]
    for i in found:
        found.extend(s.children[i])
    return found


def stretches(mask: Bools) -> list[tuple[int, int]]:
    """Return the first and last place of each stretch in which something is so."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
