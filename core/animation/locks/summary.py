"""What locks make of a motion, in numbers: how fast it goes, how far they move the root, what sinks into the floor.

A residual says nothing of these: a lock may hold to a nanometre while the hips leap, or rise out of a crouch that was
asked for, and a foot that is locked in a part of the range may go through the floor in the rest of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.locks.giving_up import GivenUp, pose_steps
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.soles import part_vertices
from core.errors import Cancelled
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton

Frames = tuple[int, int]

FLOOR = 0.0
"""Height of the floor, [m]."""

STANDS = 0.05
"""A part whose lock holds its underside this near to the floor stands on it, [m]."""

DEEP = 0.01
"""From this depth on below the floor it is reported, [m]; shoes and flesh give way so far."""

_AT_ONCE = 256


class Below(NamedTuple):
    """A part that stands on the floor while it is locked, and goes below it while it is not.

    Attributes:
        joint: Its joint.
        depth: How far it goes below the floor at most, [m].
        frames: First and last frames of the spans in which it does, ascending.
    """

    joint: int
    depth: float
    frames: tuple[Frames, ...]


class LockSummary(NamedTuple):
    """What locks make of a motion.

    Attributes:
        root_step: Largest step of the root from one frame to the next under locks, [m].
        root_step_at: Frame it begins at.
        turn: Largest turn of a joint from one frame to the next under locks, [rad].
        turn_at: Frame it begins at.
        turn_joint: The joint.
        moved: How far locks move the root from where the keys have it, at most, [m], world, shape (3,).
        moved_at: Frame of that.
        below: What goes below the floor where it is not locked.
        given_up: Frames at which a recording goes on without its locks.
    """

    root_step: float
    root_step_at: int
    turn: float
    turn_at: int
    turn_joint: int
    moved: tuple[float, float, float]
    moved_at: int
    below: tuple[Below, ...]
    given_up: tuple[GivenUp, ...]


def lock_summary(sequence: Sequence, check: Callable[[], bool] = lambda: False) -> LockSummary | None:
    """Return what locks make of a motion at its frames, or None if none hold in its in-betweens.

    Slow: not for the thread that paints. The sequence must not change meanwhile.

    Args:
        sequence: The sequence.
        check: Asked now and then whether to stop.

    Raises:
        Cancelled: If it was asked to stop.
    """
    if not sequence.locks.in_effect or not sequence.keys:
        return None
    s = sequence.skeleton
    first, last = sequence.range
    frames = np.arange(min(first, sequence.keys.frames[0]), max(last, sequence.keys.frames[-1]) + 1.0)
    if sequence.cycled is not None:  # rounds before and after the keys are these again, locks and all
        frames = frames[~sequence.cycled.beyond(frames)]
    on = sequence.locks.holding.times.states(frames) > 0
    locks = [*sequence.locks, *(strip.lock for strip in sequence.locks.strips)]
    parts: dict[int, NDArray[np.bool_]] = {}  # of each part whose place is held, when
    for n, lock in enumerate(locks):
        if lock.rule.holds_position and lock.second is None and lock.kind != "balance":
            joint = s.joint_index(lock.joint)
            parts[joint] = parts.get(joint, np.zeros(len(frames), dtype=bool)) | on[:, n]
    lowest = {joint: np.empty(len(frames)) for joint in parts}
    soles = {joint: _points(s, joint) for joint in parts}
    root, turn = np.zeros(len(frames) - 1), np.zeros((len(frames) - 1, len(s.joints)))
    moved = np.zeros((len(frames), 3))
    for i in range(0, len(frames), _AT_ONCE):
        if check():
            raise Cancelled
        free = sequence.interpolated_at_frames(frames[i : i + _AT_ONCE + 1])
        held = sequence.locks.holding.held(frames[i : i + _AT_ONCE + 1], free)
        steps = pose_steps(s, held)
        root[i : i + _AT_ONCE], turn[i : i + _AT_ONCE] = steps
        moved[i : i + _AT_ONCE + 1] = held[:, :3] - free[:, :3]
        X = forward_kinematics(s, held)
        for joint, points in soles.items():
            lowest[joint][i : i + _AT_ONCE + 1] = _lowest(X, points)
    under: NDArray[np.bool_] = np.asarray(on[:-1].any(axis=1) | on[1:].any(axis=1))
    if not under.any():
        return None
    root, turn = np.where(under, root, 0.0), np.where(under[:, None], turn, 0.0)
    far = np.sqrt((moved * moved).sum(axis=1))
    step, joint_at, most = int(root.argmax()), np.unravel_index(int(turn.argmax()), turn.shape), int(far.argmax())
    below = tuple(_below(joint, frames, parts[joint], lowest[joint]) for joint in sorted(parts))
    giving = sequence.locks.holding.giving_up
    given_up = () if giving is None else tuple(giving.spans(float(frames[0]), float(frames[-1])))
    return LockSummary(
        float(root[step]), int(frames[step]), float(turn[joint_at]), int(frames[joint_at[0]]), int(joint_at[1]),
        tuple(moved[most].tolist()), int(frames[most]), tuple(part for part in below if part is not None), given_up,
    )  # fmt: skip


def _points(s: Skeleton, joint: int) -> dict[int, Array]:
    """Return what is drawn of a part and of those it carries, in the frames of their joints."""
    carried = [joint]
    for i, each in enumerate(s.joints):
        if each.parent in carried and i not in carried:
            carried.append(i)
    X = forward_kinematics(s, s.rest_pose())
    return {i: (part_vertices(s, i, X) - X[i, :3, 3]) @ X[i, :3, :3] for i in carried}


def _lowest(frames: Array, points: dict[int, Array]) -> Array:
    """Return how high the lowest of the points is in each pose, shape (m,), [m]."""
    heights = [(frames[:, i, 1, :3] @ own.T).min(axis=1) + frames[:, i, 1, 3] for i, own in points.items()]
    result: Array = np.min(heights, axis=0)
    return result


def _below(joint: int, frames: Array, locked: NDArray[np.bool_], lowest: Array) -> Below | None:
    if not locked.any() or abs(float(np.median(lowest[locked])) - FLOOR) > STANDS:
        return None
    # What the lock itself holds a little below is the height that the animator gave the floor.
    floor = min(FLOOR, float(lowest[locked].min()))
    deep = ~locked & (lowest < floor - DEEP)
    if not deep.any():
        return None
    edges = np.flatnonzero(np.diff(np.concatenate(([False], deep, [False])).astype(np.int8))).reshape(-1, 2)
    spans = tuple((int(frames[a]), int(frames[b - 1])) for a, b in edges.tolist())
    return Below(joint, float(floor - lowest[deep].min()), spans)
