"""What turns parts of a figure about its own axes: left, up, forward; and which way these are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import Foot, forward_of
from core.arrays import Array, Ints
from core.gait.bending import columns_of
from core.kinematics.forward import forward_kinematics
from core.skeleton.dof import SLIDE
from core.skeleton.segment import segment_tip
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

LEFT, RIGHT = 1, -1
ALONG = 0.6  # cosine: hinges whose axis is as near to a direction turn about it


class Turns(NamedTuple):
    """Degrees of freedom that turn something, and by how much each does for a small rotation.

    Attributes:
        columns: Their places in the pose, shape (k,).
        share: Values for a rotation vector in the body's axes (left, up, forward), shape (k, 3).
    """

    columns: Array
    share: Array


def line_to(s: Skeleton, joint: int) -> list[int]:
    """Return the joints from the root to one."""
    found = [joint]
    while s.joints[found[-1]].parent >= 0:
        found.append(s.joints[found[-1]].parent)
    return found[::-1]


def facing_of(s: Skeleton, X: Array, feet: list[Foot]) -> Array:
    """Return the axes left, up and forward as columns, from where the feet point."""
    ahead = np.zeros(3)
    for foot in feet:
        way = forward_of(s, foot.joint)
        if foot.toes is not None:
            way = X[foot.toes, :3, :3] @ segment_tip(s, foot.toes) + X[foot.toes, :3, 3] - X[foot.joint, :3, 3]
        ahead += np.array([way[0], 0.0, way[2]])
    if float(np.linalg.norm(ahead)) < 1e-6:
        ahead = np.array([0.0, 0.0, 1.0])
    ahead /= np.linalg.norm(ahead)
    up = np.array([0.0, 1.0, 0.0])
    return np.stack([np.cross(up, ahead), up, ahead], axis=1)


def hinges_of(s: Skeleton, joint: int) -> list[int]:
    """Return the places in the pose of what turns a joint: of its hinges, and of coordinates of its own."""
    return [k for k, dof in zip(columns_of(s, joint), s.joints[joint].dofs, strict=True) if dof.kind != SLIDE]


def axes_of(s: Skeleton, q: Array, joint: int, B: Array) -> tuple[list[int], Array]:
    """Return the hinges of a joint and their axes in the body's axes in a pose, shape (k, 3)."""
    columns = hinges_of(s, joint)
    if not columns:
        return columns, np.zeros((0, 3))
    step = 1e-5
    poses = np.tile(q, (2 * len(columns), 1))
    for n, column in enumerate(columns):
        poses[2 * n, column] -= step
        poses[2 * n + 1, column] += step
    R = forward_kinematics(s, poses)[:, joint, :3, :3]
    found = []
    for n in range(len(columns)):
        W = (R[2 * n + 1] - R[2 * n]) @ (0.5 * (R[2 * n + 1] + R[2 * n])).T / (2.0 * step)
        found.append(B @ np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2.0)
    return columns, np.array(found)


def turns_of(
    s: Skeleton, q: Array, joints: int | list[int], B: Array, keep: Array | None = None, without: Ints | None = None
) -> Turns:
    """Return what of a pose turns something by a small rotation.

    Args:
        s: The figure.
        q: The pose.
        joints: What turns: a joint, or several in a row.
        B: Rotation from the world at rest to the body's axes, shape (3, 3).
        keep: Only what turns about this unit axis of the body counts, shape (3,).
        without: Columns that are left as they are.
    """
    each = [axes_of(s, q, joint, B) for joint in ([joints] if isinstance(joints, int) else joints)]
    columns = [k for own, _ in each for k in own]
    axes = np.concatenate([own for _, own in each])
    if without is not None and len(without):
        kept = [n for n, k in enumerate(columns) if k not in without]
        columns, axes = [columns[n] for n in kept], axes[kept]
    if keep is not None:
        axes = np.where(np.abs(axes @ keep)[:, None] >= ALONG, axes, 0.0)
    share = np.linalg.pinv(axes.T, rcond=1e-3) if len(columns) else np.zeros((0, 3))
    return Turns(np.array(columns, dtype=np.intp), np.asarray(share, dtype=np.float64))


def turn_by(q: Array, turns: Turns, vectors: Array) -> None:
    """Add small rotations in the body's axes, vectors of shape (m, 3), [rad], to poses of shape (m, nq), in place."""
    q[:, turns.columns] += vectors @ turns.share.T


def headed(yaw: Array) -> Array:
    """Return turns about the vertical by angles, [rad], shape (m, 3, 3)."""
    return np.asarray(so3.exp(yaw[:, None] * [0.0, 1.0, 0.0]))
