"""Poses between, toward and away from the keys on either side: breakdown, push and relax.

The neighbours of a channel are its own keys, strictly before and after the frame. What is between two poses is found
as a linear span finds it: three-axis compounds along the shortest arc, joints with two axes likewise where the key says
so, everything else value by value; by the angles where the key says that it turns or the angles differ by more than
half a turn. Values are then put inside the limits.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import Channels, channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
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
    """The keys on either side of a frame, channel by channel; or of several frames, one row for each.

    Attributes:
        skeleton: The figure.
        frames: Frames of the keys before and after, for each value, shape (2, ..., nq); -1 where there is none.
        before: Values of the keys before, shape (..., nq); of the ones after where there is none before.
        after: Values of the keys after, shape (..., nq); of the ones before where there is none after.
        share: Where between its two keys the frame stands, 0 to 1, for each value, shape (..., nq).
        known: Whether a value has a key on either side at all, shape (..., nq).
        turns: Whether the channel of each value follows its angles after the key before, shape (..., nq).
        arcs: Whether joints with two axes take arcs there, shape (..., nq).
    """

    skeleton: Skeleton
    frames: NDArray[np.int64]
    before: Array
    after: Array
    share: Array
    known: Bools
    turns: Bools
    arcs: Bools


def neighbours(sequence: Sequence, frame: int | Ints) -> Neighbours:
    """Return the keys on either side of a frame, or of each of several, shape (...); a key at one itself is none."""
    channels, keys, at = channels_of(sequence.skeleton), sequence.keys, np.asarray(frame, dtype=np.int64)
    of_value = channels.of_value
    shape = *at.shape, sequence.skeleton.nq
    if not keys:
        no, zero = np.zeros(shape, dtype=bool), np.zeros(shape)
        return Neighbours(sequence.skeleton, np.full((2, *shape), -1), zero, zero, zero, no, no, no)
    keyed, there, n = keys.table.keyed, np.array(keys.frames, dtype=np.int64), len(keys)
    number = np.arange(n)[:, None]
    lower = np.maximum.accumulate(np.where(keyed, number, -1), axis=0)
    upper = np.minimum.accumulate(np.where(keyed, number, n)[::-1], axis=0)[::-1]
    none = np.full((1, keyed.shape[1]), -1)
    first = np.concatenate([none, lower])[np.searchsorted(there, at, "left")]
    last = np.concatenate([upper, none + 1 + n])[np.searchsorted(there, at, "right")]
    beside = np.stack([first, np.where(last < n, last, -1)])
    frames = np.where(beside >= 0, there[beside], -1)[..., of_value]
    known = (beside >= 0).any(axis=0)
    first, last = (np.where(own >= 0, own, other) for own, other in (beside, beside[::-1]))
    used, place = np.unique(np.concatenate([first.ravel(), last.ravel()]), return_inverse=True)
    first, last = place.reshape(2, *first.shape)
    chosen = [keys[i] for i in used.tolist()]
    poses = np.array([key.q for key in chosen]).reshape(-1, shape[-1])
    turns, arcs = ways(chosen, channels)
    start, end = there[used][first], there[used][last]
    share = (at[..., None] - start) / np.where(end > start, end - start, 1) * (end > start)
    first, last, known = first[..., of_value], last[..., of_value], np.asarray(known)[..., of_value]
    columns, zero = np.arange(sequence.skeleton.nq), np.zeros(shape)
    return Neighbours(
        sequence.skeleton,
        frames,
        before=np.where(known, poses[first, columns], zero),
        after=np.where(known, poses[last, columns], zero),
        share=np.where(known, share[..., of_value], zero),
        known=known,
        turns=known & turns[first, columns],
        arcs=known & arcs[first, columns],
    )


def ways(keys: Collection[Key], channels: Channels) -> tuple[Bools, Bools]:
    """Return which values follow their angles after keys, and which joints with two axes take arcs, shape (n, nq)."""
    turns, arcs = (np.zeros((len(keys), len(channels.of_value)), dtype=bool) for _ in range(2))
    for i, key in enumerate(keys):
        turns[i], arcs[i] = key.shape.turns, key.shape.arcs
        for name in key.shapes:
            columns, shape = channels.columns[channels.index(name)], key.shape_of(name)
            turns[i, columns], arcs[i, columns] = shape.turns, shape.arcs
    return turns, arcs


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
    """Return a pose between the neighbouring keys, shape (nq,), or one for each row, shape (..., nq).

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
        cones.hold(pose, np.where(chosen[..., cones.columns].any(axis=-1), least, -1.0))
    if stopped is not None:
        stopped.update(np.nonzero(chosen & (np.abs(pose - made) > _HELD_BACK))[-1].tolist())
    return pose


@per_skeleton
def _compounds(skeleton: Skeleton) -> CompoundJoints:
    return CompoundJoints(skeleton)


@per_skeleton
def _with_pairs(skeleton: Skeleton) -> CompoundJoints:
    return CompoundJoints(skeleton, pairs=True)
