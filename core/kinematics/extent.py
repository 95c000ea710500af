"""How much room a posed figure takes: what a camera frames."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from core.arrays import Array
from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import bind_frames, blended, segment_skin, skin_frames, skinned_vertices

_AT_ONCE = 64


def pose_extent(skeleton: Skeleton, poses: Array, joints: Collection[int] | None = None) -> tuple[Array, Array]:
    """Return the lowest and highest corner of the posed figure, each of shape (3,), world, [m]; new.

    Vertices of all body parts and the origins of all joints count.

    Args:
        skeleton: The figure.
        poses: World frames of all joints, shape (n, 4, 4), or of many poses, shape (m, n, 4, 4).
        joints: Only these joints; None means all.
    """
    chosen = range(len(skeleton.joints)) if joints is None else sorted(joints)
    frames = np.asarray(poses).reshape(-1, len(skeleton.joints), 4, 4)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for i in chosen:
        # Some at a time: of thousands of poses all the vertices at once would not fit into memory.
        for some in np.array_split(frames, len(frames) // _AT_ONCE + 1):
            points = np.concatenate([some[:, i, :3, 3], skinned_vertices(skeleton, i, some).reshape(-1, 3)])
            if len(points):
                low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return low, high


class Span:
    """A few points a segment that span what is drawn of it; quick to pose, and a little too far out.

    Args:
        skeleton: The figure. A rigid segment is spanned by the corners of its box, one that bends by vertices that
            stick out, a joint without a body by its origin.

    Attributes:
        owners: The joint whose segment each point belongs to, ascending, shape (k,).
    """

    def __init__(self, skeleton: Skeleton):
        self._skeleton = skeleton
        self._rigid = True
        bind = bind_frames(skeleton)
        joints, weights, points = [], [], []
        for i in range(len(skeleton.joints)):
            mesh, skin = segment_mesh(skeleton, i), segment_skin(skeleton, i)
            if mesh is None or not len(mesh.vertices):
                corners = np.zeros((1, 3))
            elif skin is None:
                corners = np.where(np.arange(8)[:, None] >> np.arange(3) & 1, mesh.bounds[1], mesh.bounds[0])
            else:
                self._rigid = False
                # As np.unique, which would bring in numpy.ma while the editor starts.
                far = np.flatnonzero(np.bincount(np.argmax(mesh.vertices @ _directions().T, axis=0)))
                joints.append(skin.joints[far])
                weights.append(skin.weights[far])
                points.append(mesh.vertices[far] @ bind[i, :3, :3].T + bind[i, :3, 3])
                continue
            joints.append(np.full((len(corners), 4), i))
            weights.append(np.tile([1.0, 0.0, 0.0, 0.0], (len(corners), 1)))
            points.append(corners @ bind[i, :3, :3].T + bind[i, :3, 3])
        self.owners = np.repeat(np.arange(len(points)), [len(each) for each in points])
        self._joints, self._weights = np.concatenate(joints), np.concatenate(weights)
        self._points = np.concatenate(points)

    def place(self, poses: Array, joints: Collection[int] | None = None) -> Array:
        """Return the points in the world, shape (k, 3), [m]; new.

        Args:
            poses: World frames of all joints, shape (n, 4, 4).
            joints: Only these joints' segments; None means all, as does a choice without any.
        """
        mine = np.isin(self._joints[:, 0], list(joints)) if joints is not None else np.ones(len(self._joints), bool)
        if not mine.any():
            mine[:] = True
        moves = skin_frames(self._skeleton, poses)
        if self._rigid:
            rows = moves[self._joints[mine, 0]]
            return np.asarray(np.einsum("kab,kb->ka", rows[:, :3, :3], self._points[mine]) + rows[:, :3, 3])
        return blended(moves, self._joints[mine], self._weights[mine], self._points[mine])


def _directions(count: int = 48) -> Array:
    """Directions spread evenly over a sphere, shape (count, 3)."""
    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / count), np.pi * (1.0 + np.sqrt(5.0)) * k
    return np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])
