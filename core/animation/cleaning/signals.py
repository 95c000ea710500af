"""Signals: the poses of a motion as rows of numbers that may be averaged, filtered and filled, and back to poses.

Angles of a joint with three independent axes must not be filtered one by one: near gimbal lock two of them run wild
though the joint hardly turns. Its signal is the unit quaternion of its rotation, with the sign that goes on from the
sample before; what filters make of the four numbers is brought back to unit length, which differs from a mean on the
sphere by terms of third order in the angle between neighbouring samples. Everything else is its own signal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.animation.channels import Channels, channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.arrays import Array
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton
from core.spatial import quaternion as quat


@dataclass(frozen=True, eq=False)
class Signal:
    """One channel of a motion at evenly spaced samples.

    Attributes:
        channel: Its number among ``core.animation.channels.Channels``.
        values: One row a sample, [m] and [rad]; of a joint with three independent axes the four numbers of a unit
            quaternion, w first, beside each other, shape (m, k).
        rotates: Whether they are such a quaternion.
    """

    channel: int
    values: Array
    rotates: bool

    def apart(self, a: Array, b: Array) -> Array:
        """Return how far values are from others: the angle between rotations, [rad], else their distance, shape (...).

        Args:
            a: Shape (..., k).
            b: Likewise.
        """
        if not self.rotates:
            return np.asarray(np.linalg.norm(a - b, axis=-1))
        return quat.angle_between(a, b)

    def unit(self, values: Array) -> Array:
        """Return values that stand for poses: quaternions brought to unit length, all else as it is."""
        return quat.normalize(values) if self.rotates else values


def signals_of(skeleton: Skeleton, poses: Array, channels: frozenset[str] | None = None) -> list[Signal]:
    """Return the signals of a motion, in the order of the figure's channels.

    Args:
        skeleton: The figure.
        poses: Poses at evenly spaced samples, shape (m, nq), [m] and [rad].
        channels: Names of those that are wanted; None for all.
    """
    every, joints = channels_of(skeleton), _joints(skeleton)
    place = _compound_of(every, joints)
    rotations = joints.rotations(joints.values(poses)) if len(joints) else np.empty((len(poses), 0, 4))
    found = []
    for number, name in enumerate(every.names):
        if channels is not None and name not in channels:
            continue
        if number not in place:
            found.append(Signal(number, np.array(poses[:, every.columns[number]]), False))
            continue
        found.append(Signal(number, quat.one_side(rotations[:, place[number]]), True))
        # A channel may hold joints beside its compound, whose values are their own signal.
        rest = np.setdiff1d(every.columns[number], joints.columns[place[number]])
        if len(rest):
            found.append(Signal(number, np.array(poses[:, rest]), False))
    return found


def with_signal(skeleton: Skeleton, poses: Array, signal: Signal, values: Array) -> Array:
    """Return poses with the values of one signal in them, shape (m, nq).

    Angles are those nearest to the ones that are there; limits are not looked at.

    Args:
        skeleton: The figure.
        poses: Shape (m, nq).
        signal: Which of ``signals_of``.
        values: What it shall be, shape (m, k).
    """
    every, joints = channels_of(skeleton), _joints(skeleton)
    made = np.array(poses)
    place = _compound_of(every, joints)
    own = every.columns[signal.channel]
    if signal.rotates:
        number = place[signal.channel]
        columns = joints.columns[number]
        some = joints.taken(np.array([number]))
        made[:, columns] = some.angles(signal.unit(values)[:, None], poses[:, None, columns])[:, 0]
    else:
        if signal.channel in place:
            own = np.setdiff1d(own, joints.columns[place[signal.channel]])
        made[:, own] = values
    return made


def _compound_of(channels: Channels, joints: CompoundJoints) -> dict[int, int]:
    """Return the number of the compound of each channel that has one."""
    return {int(channels.of_value[columns[0]]): number for number, columns in enumerate(joints.columns)}


@per_skeleton
def _joints(skeleton: Skeleton) -> CompoundJoints:
    return CompoundJoints(skeleton)
