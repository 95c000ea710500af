"""How far a motion goes from one sample to the next: the place of the root, and the turn of each joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton


class Steps(NamedTuple):
    """Steps from each pose to the next.

    Attributes:
        root: How far the root's origin goes, [m], shape (m - 1,).
        turns: How far each joint turns against its parent, [rad], shape (m - 1, n); the root against the world.
    """

    root: Array
    turns: Array


def pose_steps(s: Skeleton, poses: Array) -> Steps:
    """Return the steps from each pose to the next.

    Angles are measured between the rotations, not from the pose's values: two triples of angles may be nearly the same
    turn.

    Args:
        s: The figure.
        poses: Shape (m, nq).
    """
    frames = forward_kinematics(s, poses)
    own = _turned(s, frames)
    return Steps(_lengths(np.diff(frames[:, 0, :3, 3], axis=0)), _angles(own[:-1], own[1:]))


def pose_distances(s: Skeleton, a: Array, b: Array) -> Steps:
    """Return how far poses are from others, pair by pair, each of shape (m, nq); as ``pose_steps``."""
    one, two = forward_kinematics(s, a), forward_kinematics(s, b)
    return Steps(_lengths(two[:, 0, :3, 3] - one[:, 0, :3, 3]), _angles(_turned(s, one), _turned(s, two)))


def _lengths(vectors: Array) -> Array:
    return np.asarray(np.sqrt((vectors * vectors).sum(axis=-1)))


def _turned(s: Skeleton, frames: Array) -> Array:
    """Return the rotations of joints in their parents, shape (m, n, 3, 3)."""
    world = frames[:, :, :3, :3]
    parents = np.array([max(joint.parent, 0) for joint in s.joints])
    own: Array = np.swapaxes(world[:, parents], -1, -2) @ world
    own[:, 0] = world[:, 0]
    return own


def _angles(a: Array, b: Array) -> Array:
    # |A - B|^2 of two rotations is 8 sin^2(angle / 2)
    size = ((a - b) ** 2).sum(axis=(-2, -1))
    result: Array = 2.0 * np.arcsin(np.minimum(np.sqrt(size / 8.0), 1.0))
    return result
