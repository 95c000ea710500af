"""Meshes that bend: vertices that follow several joints (linear blend skinning).

A vertex ``p`` is given in the frame of the joint that carries it, for the bind pose, in which every degree of freedom
is zero. With ``B`` the bind frames, ``F`` the frames of a pose and ``c`` the carrier it goes to
``sum_j w_j F_j inv(B_j) B_c p``, where the carrier has what the others leave to 1. A vertex that follows nothing else
goes to ``F_c p``, as everything rigid does. Where a joint turns far against its parent, what follows both follows
frames between them (``core.skeleton.helper_joints``), numbered after the joints.

Source: Magnenat-Thalmann, Laperriere and Thalmann (1988), Joint-dependent local deformations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.skeleton.frames import frames_at
from core.skeleton.helper_joints import shared_out, with_helpers
from core.skeleton.mesh import MOST_JOINTS
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import segment_mesh
from core.skeleton.structure import Structure


class Skin(NamedTuple):
    """What the vertices of a segment follow.

    Attributes:
        joints: Numbers of joints and helper joints, shape (k, 4): the carrier, then up to three others; the carrier
            again where there are fewer.
        weights: Of each, shape (k, 4); every row adds up to 1, unused places have 0.
    """

    joints: NDArray[np.int64]
    weights: Array


@dataclass(frozen=True)
class BentSegment:
    """A segment with a skin, made ready for posing.

    Attributes:
        points: Its vertices in the bind pose, homogeneous and in the world, shape (k, 4), [m].
        joints: All joints and helper joints that any of them follows, shape (m,).
        table: Weight of each vertex at each of them, shape (k, m).
        boxes: Corners of the box round the vertices that follow one, in its frame, shape (m, 8, 3), [m].
    """

    points: Array
    joints: NDArray[np.int64]
    table: Array
    boxes: Array


_skins: WeakKeyDictionary[Structure, dict[int, Skin | None]] = WeakKeyDictionary()
_bent: WeakKeyDictionary[Structure, dict[int, BentSegment]] = WeakKeyDictionary()


@per_skeleton
def _bind(s: Structure) -> tuple[Array, Array]:
    frames = with_helpers(s, frames_at(s, np.zeros(s.n_dofs)))
    inverse: Array = np.linalg.inv(frames).astype(np.float64)
    for array in (frames, inverse):
        array.setflags(write=False)
    return frames, inverse


def bind_frames(s: Structure) -> Array:
    """Return the world frame of every joint with each degree of freedom at zero, limits or not.

    Returns:
        Shape (n, 4, 4), affine below a joint with a scale; read-only.
    """
    return _bind(s)[0][: len(s.joints)]


def skin_frames(s: Structure, poses: Array) -> Array:
    """Return what takes a point of the bind pose in the world to where each joint takes it: ``F inv(B)``.

    Args:
        s: The figure.
        poses: World frames of all joints, shape (..., n, 4, 4).

    Returns:
        Shape (..., n + h, 4, 4), those of helper joints after those of joints; new.
    """
    return np.asarray(with_helpers(s, poses) @ _bind(s)[1])


def blended(moves: Array, joints: NDArray[np.int64], weights: Array, points: Array) -> Array:
    """Return where points go that follow several joints.

    Args:
        moves: Of all joints, see :func:`skin_frames`, shape (n + h, 4, 4).
        joints: Which each point follows, shape (k, 4).
        weights: How much it follows each, shape (k, 4).
        points: In the bind pose, in the world, shape (k, 3), [m].

    Returns:
        Shape (k, 3), [m].
    """
    rows = np.einsum("kj,kjab->kab", weights, moves[joints, :3])
    return np.asarray(np.einsum("kab,kb->ka", rows[:, :, :3], points) + rows[:, :, 3])


def _counterparts(s: Structure) -> NDArray[np.int64]:
    """Return each joint's counterpart on the other side, itself if it has none, shape (n,)."""
    other = np.arange(len(s.joints))
    for i, j in s.mirror_pairs:
        other[i], other[j] = j, i
    return other


def segment_skin(s: Structure, joint: int | str) -> Skin | None:
    """Return which joints the vertices of a segment follow, row by row as ``segment_mesh(s, joint).vertices``.

    Names of a mirrored object stand for the counterparts. Weights of joints that the figure lacks stay with the
    carrier.

    Returns:
        The skin, kept; None for a segment that is rigid.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    known = _skins.setdefault(s, {})
    if i not in known:
        known[i] = _made(s, i)
    return known[i]


def _made(s: Structure, i: int) -> Skin | None:
    parts = [part for part in s.joints[i].objects if part.mesh is not None]
    if not any(part.mesh is not None and part.mesh.weights for part in parts):
        return None
    count = sum(len(part.mesh.vertices) for part in parts if part.mesh is not None)
    names = {name: k for k, name in enumerate(s.joint_names)}
    other = _counterparts(s)
    followed: dict[int, Array] = {}
    at = 0
    for part in parts:
        assert part.mesh is not None
        rows = slice(at, at + len(part.mesh.vertices))
        at = rows.stop
        for name, values in part.mesh.weights:
            k = names.get(name, i)
            k = int(other[k]) if part.mirrored and name in names else k
            if k != i:
                followed.setdefault(k, np.zeros(count))[rows] += values
    if not followed:
        return None
    table = np.zeros((count, len(s.joints)))
    for k, values in followed.items():
        table[:, k] = values
    table /= np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    table[:, i] = np.maximum(1.0 - table.sum(axis=1), 0.0)
    table = shared_out(s, table)
    numbers = np.flatnonzero(table.any(axis=0))
    numbers = numbers[numbers != i]
    own, table = table[:, i], table[:, numbers]
    order = np.argsort(-table, axis=1, kind="stable")[:, :MOST_JOINTS]
    most = np.take_along_axis(table, order, axis=1)
    joints = np.full((count, 1 + MOST_JOINTS), i, dtype=np.int64)
    weights = np.zeros((count, 1 + MOST_JOINTS))
    width = order.shape[1]
    joints[:, 1 : 1 + width] = np.where(most > 0.0, numbers[order], i)
    weights[:, 1 : 1 + width] = most / np.maximum((own + most.sum(axis=1))[:, None], 1e-12)
    weights[:, 0] = np.maximum(1.0 - weights[:, 1:].sum(axis=1), 0.0)
    for array in (joints, weights):
        array.setflags(write=False)
    return Skin(joints, weights)


def bent_segment(s: Structure, joint: int | str) -> BentSegment | None:
    """Return a segment made ready for posing, kept; None if it is rigid.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    known = _bent.setdefault(s, {})
    if i not in known:
        skin, mesh = segment_skin(s, i), segment_mesh(s, i)
        if skin is None or mesh is None:
            return None
        frames, inverse = _bind(s)
        # Not np.unique: its first call imports numpy.ma, which is noticed when the editor starts.
        joints = np.flatnonzero(np.bincount(skin.joints[skin.weights > 0.0])).astype(skin.joints.dtype)
        column = np.zeros(len(frames), dtype=np.int64)
        column[joints] = np.arange(len(joints))
        rows, width = len(mesh.vertices), len(joints)
        places = np.arange(rows)[:, None] * width + column[skin.joints]
        sums = np.bincount(places.ravel(), skin.weights.ravel(), rows * width)
        table = np.asarray(sums, dtype=np.float64).reshape(rows, width)
        points = np.column_stack([mesh.vertices @ frames[i, :3, :3].T + frames[i, :3, 3], np.ones(len(table))])
        boxes = np.zeros((len(joints), 8, 3))
        bits = np.arange(8)[:, None] >> np.arange(3) & 1
        for k, follower in enumerate(joints.tolist()):
            mine = points[table[:, k] > 0.0]
            local = mine @ inverse[follower, :3].T
            boxes[k] = np.where(bits, local.max(axis=0), local.min(axis=0))
        known[i] = BentSegment(points, joints, table, boxes)
    return known[i]


def skinned_vertices(s: Structure, joint: int | str, poses: Array) -> Array:
    """Return where the vertices of a segment are in the world: what is drawn, bent or rigid.

    Args:
        s: The figure.
        joint: Index or name.
        poses: World frames of all joints, shape (n, 4, 4), or of many poses, shape (m, n, 4, 4).

    Returns:
        Shape (k, 3) or (m, k, 3), rows as ``segment_mesh(s, joint).vertices``, [m]; no rows for a joint without a body.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    bent = bent_segment(s, i)
    if bent is None:
        mesh = segment_mesh(s, i)
        points = np.zeros((0, 3)) if mesh is None else mesh.vertices
        frames = poses[..., i, :3, :]
        return np.asarray(points @ np.swapaxes(frames[..., :3], -1, -2) + frames[..., None, :, 3])
    frames = poses if bent.joints[-1] < len(s.joints) else with_helpers(s, poses)
    moves = frames[..., bent.joints, :3, :] @ _bind(s)[1][bent.joints]
    blended = bent.table @ moves.reshape(*moves.shape[:-2], 12)
    blended = blended.reshape(*blended.shape[:-1], 3, 4)
    return np.asarray(np.einsum("...kij,kj->...ki", blended, bent.points))
