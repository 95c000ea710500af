"""Samples of a motion for drawing it as curves: values, slopes and speeds of a channel over time.

All is of the motion without locks, timing curves and the root's speed included. Slopes and speeds are one-sided
differences of second order over steps so short that nothing but the last few digits is lost.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.compound_joints import CompoundJoints, compound_axes
from core.animation.curves.pacing import path_frames
from core.arrays import Array, Ints
from core.spatial import quaternion as quat

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

_STEP, _FAR = 1e-3, 1e-7

_TURN = 2.0 * math.pi


class Slopes(NamedTuple):
    """Slopes of a channel's values, [1/frame], each of shape (m, k).

    Attributes:
        coming: Just before the frames.
        leaving: Just after them.
    """

    coming: Array
    leaving: Array


def channel_values(sequence: Sequence, channel: str | int, frames: object, continuous: bool = True) -> Array:
    """Return the values of a channel over frames, [m] or [rad], shape (m, k).

    A compound is described by its three angles. The same rotation has others, and where the arc between two keys passes
    from one triple to the other, the pose's angles jump although nothing moves; ``continuous`` follows the branch
    nearest to the sample before instead.

    Args:
        sequence: The motion.
        channel: Name or number of the channel.
        frames: Frame numbers, ascending, shape (m,).
        continuous: Whether a compound's angles go on without flips from the first sample on; False gives those of
            the poses, which at keys are the keys' own.
    """
    columns = _columns(sequence, channel)
    values = sequence.base_at_frames(frames)[:, columns]
    return _unflipped(sequence, columns, values) if continuous else values


def _columns(sequence: Sequence, channel: str | int) -> Ints:
    channels = sequence.channels
    return channels.columns[channels.index(channel)]


def _compound(sequence: Sequence, columns: Ints) -> int | None:
    """Return the number of the compound that has these columns, or None."""
    joints = CompoundJoints(sequence.skeleton)
    found: Any = np.flatnonzero((joints.columns == columns).all(axis=1)) if len(columns) == 3 else []
    return int(found[0]) if len(found) else None


def _unflipped(sequence: Sequence, columns: Ints, values: Array) -> Array:
    number = _compound(sequence, columns)
    if number is None or len(values) < 2:
        return values
    joints = CompoundJoints(sequence.skeleton)
    # All compounds are worked out together: the others rest.
    angles = np.zeros((len(values), len(joints), 3))
    angles[:, number] = values
    both = joints.both_angles(joints.rotations(angles), angles)[:, :, number]
    off = ((both - values) ** 2).sum(axis=-1)
    second = np.where((off[0] <= off[1])[:, None], both[1], both[0])  # the triple that the poses do not have
    result = values.copy()
    last = values[0].tolist()
    for i, pair in enumerate(zip(values.tolist(), second.tolist(), strict=True)):
        choices = [[a + _TURN * round((b - a) / _TURN) for a, b in zip(one, last, strict=True)] for one in pair]
        away = [sum((a - b) ** 2 for a, b in zip(one, last, strict=True)) for one in choices]
        last = choices[0] if away[0] <= away[1] else choices[1]
        result[i] = last
    return result


def channel_slopes(sequence: Sequence, channel: str | int, frames: object) -> Slopes:
    """Return the slopes of a channel's values on both sides of frames, of keys for example.

    Args:
        sequence: The motion.
        channel: Name or number of the channel.
        frames: Frame numbers, shape (m,).

    Returns:
        Of angles as the poses have them; a step from one frame to the next is no slope.
    """
    columns = _columns(sequence, channel)
    numbers = np.asarray(frames, dtype=np.float64).reshape(-1)
    sides = []
    # What is just before a stepped key is the value that is held until there, not that of the key.
    for offsets in (np.array([-0.1, -1.0, -2.0]), np.array([0.0, 1.0, 2.0])):
        asked = numbers[:, None] + _steps(numbers) * offsets
        v = sequence.base_at_frames(asked.reshape(-1))[:, columns].reshape(len(numbers), 3, -1)
        x = asked - numbers[:, None]
        # The slope at the frame itself of the parabola through the three.
        slope = np.zeros((len(numbers), v.shape[2]))
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            weight = -(x[:, j] + x[:, k]) / ((x[:, i] - x[:, j]) * (x[:, i] - x[:, k]))
            slope += weight[:, None] * (v[:, i] - v[:, 0])
        sides.append(slope)
    return Slopes(*sides)


def channel_speeds(sequence: Sequence, channel: str | int, frames: object) -> Array:
    """Return how fast a channel moves just after frames, shape (m,).

    The root's place and slides in [m/s], joints that turn, about one axis or several, in [rad/s]: the size of the
    angular velocity.

    Args:
        sequence: The motion.
        channel: Name or number of the channel.
        frames: Frame numbers, shape (m,).
    """
    columns = _columns(sequence, channel)
    numbers = np.asarray(frames, dtype=np.float64).reshape(-1)
    steps = _steps(numbers)
    asked = numbers[:, None] + steps * np.arange(3)
    values = sequence.base_at_frames(asked.reshape(-1))[:, columns].reshape(len(numbers), 3, -1)
    turning = _turning(sequence, columns)
    if not turning.any():
        velocity = (4.0 * values[:, 1] - values[:, 2] - 3.0 * values[:, 0]) / (2.0 * steps)
    else:
        q = channel_rotations(sequence, channel, values)
        near, far = quat.arc(q[:, 0], q[:, 1]), quat.arc(q[:, 0], q[:, 2])
        velocity = (4.0 * near - far) / steps  # an arc is half the angle
    return np.asarray(np.sqrt((velocity * velocity).sum(axis=-1)) * sequence.fps)


def _steps(frames: Array) -> Array:
    """Return steps for differences, [frames], shape (m, 1): longer where frames are so far that they are rounded."""
    return np.asarray(np.maximum(_STEP, _FAR * np.abs(frames))[:, None])


def _turning(sequence: Sequence, columns: Ints) -> NDArray[np.bool_]:
    dofs = sequence.skeleton.all_dofs
    return np.array([column >= 3 and dofs[column - 3].kind == "hinge" for column in columns.tolist()], dtype=bool)


def channel_rotations(sequence: Sequence, channel: str | int, values: Array) -> Array:
    """Return the rotations of a channel for its values, unit quaternions, shapes (..., k) to (..., 4)."""
    columns = _columns(sequence, channel)
    turning = _turning(sequence, columns)
    q = np.broadcast_to(quat.IDENTITY, (*values.shape[:-1], 4))
    if turning.any():
        axes = compound_axes(sequence.skeleton, tuple((columns[turning] - 3).tolist()))
        for axis, angles in zip(axes, np.moveaxis(values[..., turning], -1, 0), strict=True):
            q = quat.multiply(q, quat.from_axis_angle(axis, angles))
    return np.asarray(q)


class FromKey(NamedTuple):
    """How far a joint has turned from the key before.

    Attributes:
        vectors: Rotation vectors in the joint's axes at that key, [rad], shape (m, 3).
        angles: Their sizes, [rad], shape (m,).
    """

    vectors: Array
    angles: Array


def turned_from_key(sequence: Sequence, channel: str | int, frames: object) -> FromKey:
    """Return how far a joint has turned since the last key that holds it, or before the first one since that.

    Within a span it goes on without flips, past half a turn too.

    Args:
        sequence: The motion.
        channel: Name or number of the channel; one that turns.
        frames: Frame numbers, ascending, shape (m,).
    """
    channels = sequence.channels
    name = channels.names[channels.index(channel)]
    numbers = np.asarray(frames, dtype=np.float64).reshape(-1)
    columns = _columns(sequence, channel)
    keys = sequence.keys.channel_frames(name)
    if not len(keys):
        return FromKey(np.zeros((len(numbers), 3)), np.zeros(len(numbers)))
    at = np.searchsorted(keys, path_frames(numbers, sequence.timing.curves, name) + 1e-9, side="right") - 1
    at = np.maximum(at, 0)
    starts = np.array([sequence.keys.at(int(frame)).q[columns] for frame in keys[np.unique(at)]])  # type: ignore[union-attr]
    start = channel_rotations(sequence, channel, starts)[np.unique(at, return_inverse=True)[1]]
    now = channel_rotations(sequence, channel, sequence.base_at_frames(numbers)[:, columns])
    vectors = 2.0 * quat.arc(start, now)
    for i in range(1, len(vectors)):
        if at[i] == at[i - 1]:
            size = float(np.sqrt((vectors[i] * vectors[i]).sum()))
            if size > 1e-9:
                along = vectors[i] / size
                vectors[i] += along * _TURN * round((float(along @ vectors[i - 1]) - size) / _TURN)
    return FromKey(vectors, np.sqrt((vectors * vectors).sum(axis=-1)))
