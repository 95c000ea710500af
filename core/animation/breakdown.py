"""Poses between, toward and away from the keys on either side: breakdown, push and relax.

The neighbours of a channel are its own keys, strictly before and after the frame. What is between two poses is found
as a linear span finds it: three-axis compounds along the shortest arc, joints with two axes likewise where the key says
so, everything else value by value; by the angles where the key says that it turns or the angles differ by more than
half a turn. Values are then put inside the limits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import Channels, channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array, Bools
from core.skeleton import Skeleton
from core.skeleton.cones import cones_of
from core.skeleton.per_skeleton import per_skeleton
from core.spatial import quaternion as quat

LEAST, MOST = -0.25, 1.25
"""How far a breakdown may overshoot the keys, as shares of the way from the one before to the one after."""

_HELD_BACK = 1e-9  # less than that is rounding
_HALF_TURN = np.pi + 1e-12


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The keys on either side of a frame, channel by channel.

    Attributes:
        skeleton: The figure.
        frame: The frame.
        frames: Frames of the keys before and after, for each value, shape (2, nq); -1 where there is none.
        before: Values of the keys before, shape (nq,); of the ones after where there is none before.
        after: Values of the keys after, shape (nq,); of the ones before where there is none after.
        share: Where between its two keys the frame stands, 0 to 1, for each value, shape (nq,).
        known: Whether a value has a key on either side at all, shape (nq,).
        turns: Whether the channel of each value follows its angles after the key before, shape (nq,).
        arcs: Whether joints with two axes take arcs there, shape (nq,).
    """

    skeleton: Skeleton
    frame: int
    frames: NDArray[np.int64]
    before: Array
    after: Array
    share: Array
    known: Bools
    turns: Bools
    arcs: Bools


def neighbours(sequence: Sequence, frame: int) -> Neighbours:
    """Return the keys on either side of a frame; a key at the frame itself is none of them."""
    skeleton = sequence.skeleton
    channels, keys = channels_of(skeleton), sequence.keys
    nq = skeleton.nq
    before, after = np.zeros(nq), np.zeros(nq)
    frames = np.full((2, nq), -1, dtype=np.int64)
    share, known, turns, arcs = np.zeros(nq), *(np.zeros(nq, dtype=bool) for _ in range(3))
    at = bisect_left(keys, frame, key=lambda key: key.frame)
    past = at + (at < len(keys) and keys[at].frame == frame)
    lower = _nearest((keys[i] for i in range(at - 1, -1, -1)), channels)
    upper = _nearest((keys[i] for i in range(past, len(keys))), channels)
    for number, columns in enumerate(channels.columns):
        for row, key in zip(frames, (lower[number], upper[number]), strict=True):
            row[columns] = -1 if key is None else key.frame
        first, last = lower[number] or upper[number], upper[number] or lower[number]
        if first is None or last is None:
            continue
        known[columns] = True
        before[columns], after[columns] = first.q[columns], last.q[columns]
        if first is not last:
            share[columns] = (frame - first.frame) / (last.frame - first.frame)
        shape = first.shape_of(channels.names[number])
        turns[columns], arcs[columns] = shape.turns, shape.arcs
    return Neighbours(skeleton, frame, frames, before, after, share, known, turns, arcs)


def _nearest(keys: Iterable[Key], channels: Channels) -> list[Key | None]:
    """Return for each channel the first key of a row that holds it."""
    found: list[Key | None] = [None] * len(channels)
    missing = set(range(len(channels)))
    for key in keys:
        if not missing:
            break
        held = missing if key.keyed is None else {i for i in missing if channels.names[i] in key.keyed}
        for i in held:
            found[i] = key
        missing = missing - held
    return found


def blended(
    skeleton: Skeleton,
    start: Array,
    end: Array,
    amount: float | Array,
    turns: Bools | None = None,
    arcs: Bools | None = None,
) -> Array:
    """Return poses on the way from some to others, or past either, shape (..., nq); at 0 and 1 these, bit for bit.

    Args:
        skeleton: The figure.
        start: Poses at 0, shape (..., nq), [m] and [rad].
        end: Poses at 1, likewise.
        amount: How far; one number, or one for each value, shape (..., nq), the same within a compound.
        turns: Whether a value's channel follows its angles, shape (..., nq); None for none.
        arcs: Whether a joint with two axes takes the shortest arc, likewise; None for none.
    """
    amounts = np.broadcast_to(np.asarray(amount, dtype=np.float64), start.shape)
    made: Array = start + amounts * (end - start)
    joints = _with_pairs(skeleton) if arcs is not None and arcs.any() else _compounds(skeleton)
    if len(joints):
        columns = joints.columns
        first, last, plain = joints.values(start), joints.values(end), joints.values(made)
        angled = np.abs(last - first).max(axis=-1) > _HALF_TURN
        if turns is not None:
            angled |= turns[..., columns].any(axis=-1)
        if arcs is not None:
            angled |= joints.chosen(np.False_, ~arcs[..., columns[:, 0]])
        between = quat.slerp(joints.rotations(first), joints.rotations(last), amounts[..., columns[:, 0]])
        joints.put(made, np.where(angled[..., None], plain, joints.angles(between, plain)))
    made = np.where(amounts == 0.0, start, made)
    return np.where(amounts == 1.0, end, made)


def broken_down(
    near: Neighbours, q: Array, amount: float, mask: Bools | None = None, stopped: set[int] | None = None
) -> Array:
    """Return a pose between the neighbouring keys, shape (nq,).

    Args:
        near: The neighbours.
        q: Pose on screen: what is not chosen, or has no keys, stays so; shape (nq,).
        amount: 0 for the key before, 1 for the one after; beyond them it overshoots.
        mask: Which values are chosen, shape (nq,); None for all.
        stopped: Takes the places of the values that a limit or a cone keeps from going as far as the others.
    """
    between = blended(near.skeleton, near.before, near.after, amount, near.turns, near.arcs)
    return _chosen(near, q, between, mask, stopped)


def pushed(
    near: Neighbours, q: Array, amount: float, mask: Bools | None = None, stopped: set[int] | None = None
) -> Array:
    """Return a pose pushed away from the one that the neighbouring keys alone would give at its frame, shape (nq,).

    Args:
        near: The neighbours.
        q: Pose on screen, shape (nq,).
        amount: How much farther away it goes: 0 leaves it, 1 doubles what it has of its own, -1 relaxes it
            to the pose between.
        mask: Which values are chosen, shape (nq,); None for all.
        stopped: Takes the places of the values that a limit or a cone keeps from going as far as the others.
    """
    between = blended(near.skeleton, near.before, near.after, near.share, near.turns, near.arcs)
    return _chosen(near, q, blended(near.skeleton, q, between, -amount, arcs=near.arcs), mask, stopped)


def leaned(
    near: Neighbours, q: Array, amount: float, mask: Bools | None = None, stopped: set[int] | None = None
) -> Array:
    """Return a pose on its way to a neighbouring key, shape (nq,).

    Args:
        near: The neighbours.
        q: Pose on screen, shape (nq,).
        amount: -1 for the key before, 0 for the pose itself, 1 for the key after.
        mask: Which values are chosen, shape (nq,); None for all.
        stopped: Takes the places of the values that a limit or a cone keeps from going as far as the others.
    """
    goal = near.before if amount < 0.0 else near.after
    return _chosen(near, q, blended(near.skeleton, q, goal, abs(amount), arcs=near.arcs), mask, stopped)


def _chosen(near: Neighbours, q: Array, made: Array, mask: Bools | None, stopped: set[int] | None) -> Array:
    """Return the pose on screen with the chosen values changed, inside the limits as far as the keys are."""
    skeleton = near.skeleton
    chosen = near.known if mask is None else near.known & mask
    lo, hi = np.full(skeleton.nq, -np.inf), np.full(skeleton.nq, np.inf)
    lo[3:], hi[3:] = skeleton.limits[:, 0], skeleton.limits[:, 1]
    # Keys may lie outside the limits, an imported motion does: then they are the limits.
    lo, hi = (
        bound(bound(limit, q), bound(near.before, near.after)) for bound, limit in ((np.minimum, lo), (np.maximum, hi))
    )
    pose: Array = np.where(chosen, np.clip(made, lo, hi), q)
    cones = cones_of(skeleton)
    if len(cones):
        keys = np.array([np.where(near.known, values, q) for values in (q, near.before, near.after)])
        least = np.minimum(cones.cosines, cones.swing_cosines(keys).min(axis=0))
        cones.hold(pose, np.where(chosen[cones.columns].any(axis=-1), least, -1.0))
    if stopped is not None:
        stopped.update(np.flatnonzero(chosen & (np.abs(pose - made) > _HELD_BACK)).tolist())
    return pose


@per_skeleton
def _compounds(skeleton: Skeleton) -> CompoundJoints:
    return CompoundJoints(skeleton)


@per_skeleton
def _with_pairs(skeleton: Skeleton) -> CompoundJoints:
    return CompoundJoints(skeleton, pairs=True)
