"""Which body part a ray hits: local boxes first, then triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Array, Skeleton

_PARALLEL = 1e-300


class Hit(NamedTuple):
    """What a ray hits first.

    Attributes:
        joint: Index of the joint that carries the part.
        point: Where, world, shape (3,), [m].
        distance: From the ray's origin, [m].
    """

    joint: int
    point: Array
    distance: float


class Picker:
    """Casts rays at a figure's body parts; make one a skeleton, it prepares the meshes.

    Args:
        skeleton: The figure; joints without a body part cannot be hit.
    """

    def __init__(self, skeleton: Skeleton):
        joints, low, high = [], [], []
        self._corners: list[tuple[Array, Array, Array]] = []
        for i in range(len(skeleton.joints)):
            mesh = segment_mesh(skeleton, i)
            if mesh is None or not len(mesh.triangles):
                continue
            corners = mesh.vertices[mesh.triangles]
            joints.append(i)
            low.append(corners.min(axis=(0, 1)))
            high.append(corners.max(axis=(0, 1)))
            first = np.ascontiguousarray(corners[:, 0])
            self._corners.append((first, corners[:, 1] - first, corners[:, 2] - first))
        self._joints = np.array(joints, dtype=np.int64)
        self._low = np.array(low).reshape(-1, 3)
        self._high = np.array(high).reshape(-1, 3)

    def pick(self, poses: Array, origin: Any, direction: Any) -> Hit | None:
        """Return the first body part along a ray, or None.

        Both sides of a triangle count.

        Args:
            poses: World frames of all joints, shape (n, 4, 4).
            origin: Start of the ray, world, shape (3,), [m].
            direction: Any length but zero, shape (3,).
        """
        if not len(self._joints):
            return None
        start = np.asarray(origin, dtype=np.float64)
        ray = np.asarray(direction, dtype=np.float64)
        ray = ray / np.sqrt(ray @ ray)
        frames = poses[self._joints]
        # The ray in every part's frame: its parameter stays the world distance, also in affine frames.
        inverse = np.linalg.inv(frames[:, :3, :3])
        locals_o = np.einsum("nij,nj->ni", inverse, start - frames[:, :3, 3])
        locals_d = inverse @ ray
        enter = self._enter(locals_o, locals_d)
        best, part = np.inf, -1
        for k in np.argsort(enter, kind="stable"):
            if not enter[k] < best:
                break
            corner, edge1, edge2 = self._corners[k]
            distance = _triangles(corner, edge1, edge2, locals_o[k], locals_d[k])
            if distance < best:
                best, part = distance, int(self._joints[k])
        return Hit(part, start + best * ray, float(best)) if part >= 0 else None

    def _enter(self, origins: Array, directions: Array) -> Array:
        """Distance at which the ray enters each box, inf where it misses, 0 where it starts inside."""
        safe = np.where(np.abs(directions) < _PARALLEL, _PARALLEL, directions)
        with np.errstate(over="ignore"):
            a, b = (self._low - origins) / safe, (self._high - origins) / safe
        near = np.minimum(a, b).max(axis=1)
        far = np.maximum(a, b).min(axis=1)
        return np.where((near <= far) & (far >= 0.0), np.maximum(near, 0.0), np.inf)


def _triangles(corner: Array, edge1: Array, edge2: Array, origin: Array, direction: Array) -> float:
    """Return the distance to the nearest of many triangles, inf if all are missed (Moeller and Trumbore)."""
    p = _cross(direction, edge2)
    determinant = np.einsum("ij,ij->i", edge1, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1.0 / determinant
        from_corner = origin - corner
        u = np.einsum("ij,ij->i", from_corner, p) * scale
        q = _cross(from_corner, edge1)
        v = (q @ direction) * scale
        t = np.einsum("ij,ij->i", edge2, q) * scale
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0)
    return float(t[hit].min()) if hit.any() else np.inf


def _cross(a: Array, b: Array) -> Array:
    """Cross product over the last axis; ``np.cross`` takes several times as long."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out
