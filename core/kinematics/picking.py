"""Which body part a ray hits: boxes first, then triangles.

A rigid part is asked in its own frame, where nothing moves. A part that bends has a box in the world, round the boxes
of what follows each joint; only if the ray enters it are its vertices posed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.skeleton.helper_joints import with_helpers
from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import BentSegment, bent_segment, skinned_vertices
from core.spatial.cross_products import cross_rows

_PARALLEL = 1e-300
_EDGE_ON = 1e-24  # squared sine of the angle between ray and triangle, for one that is not a sliver
_SLACK = 1e-9  # of a box's coordinates: the vertices inside of it are rounded in another order


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


class _Posed(NamedTuple):
    """A pose, and what follows from it.

    Attributes:
        poses: World frames of all joints, shape (n, 4, 4); a copy.
        inverse: Of the rigid parts' rotations and scales, shape (k, 3, 3).
        origins: Of the rigid parts' frames, shape (k, 3), [m].
        low: Lowest corner of each bent part's box, world, shape (m, 3), [m].
        high: Highest corner.
        bent: Triangles of the bent parts that a ray has been near to, by number among all parts.
        around: Lowest and highest corner of a box round everything, world, [m].
    """

    poses: Array
    inverse: Array
    origins: Array
    low: Array
    high: Array
    bent: dict[int, tuple[Array, Array, Array]]
    around: tuple[list[float], list[float]]


class Picker:
    """Casts rays at a figure's body parts; make one a skeleton, it prepares the meshes.

    Args:
        skeleton: The figure; joints without a body part cannot be hit.
    """

    def __init__(self, skeleton: Skeleton):
        joints, low, high = [], [], []
        self._skeleton = skeleton
        self._corners: list[tuple[Array, Array, Array]] = []
        bent: list[BentSegment] = []
        bent_joints, triangles = [], []
        for i in range(len(skeleton.joints)):
            mesh = segment_mesh(skeleton, i)
            if mesh is None or not len(mesh.triangles):
                continue
            segment = bent_segment(skeleton, i)
            if segment is not None:
                bent.append(segment)
                bent_joints.append(i)
                triangles.append(mesh.triangles)
                continue
            corners = mesh.vertices[mesh.triangles]
            joints.append(i)
            low.append(corners.min(axis=(0, 1)))
            high.append(corners.max(axis=(0, 1)))
            self._corners.append(_edges(corners))
        self._joints = np.array(joints, dtype=np.int64)
        self._low = np.array(low).reshape(-1, 3)
        self._high = np.array(high).reshape(-1, 3)
        self._bent_joints = np.array(bent_joints, dtype=np.int64)
        self._triangles = triangles
        # The boxes of all bent parts in one list, and where those of each begin.
        self._followed = np.concatenate([segment.joints for segment in bent]) if bent else self._joints[:0]
        self._boxes = np.concatenate([segment.boxes for segment in bent]) if bent else np.zeros((0, 8, 3))
        self._starts = np.cumsum([0, *(len(segment.joints) for segment in bent)])[:-1]
        self._posed: _Posed | None = None

    def pick(self, poses: Array, origin: Any, direction: Any) -> Hit | None:
        """Return the first body part along a ray, or None.

        Both sides of a triangle count.

        Args:
            poses: World frames of all joints, shape (n, 4, 4).
            origin: Start of the ray, world, shape (3,), [m].
            direction: Any length but zero, shape (3,).
        """
        return next(iter(self._hits(poses, origin, direction, first=True)), None)

    def pick_all(self, poses: Array, origin: Any, direction: Any) -> tuple[Hit, ...]:
        """Return every body part along a ray, each where the ray enters it, the first one first.

        Args:
            poses, origin, direction: As for :meth:`pick`.
        """
        return self._hits(poses, origin, direction, first=False)

    def _hits(self, poses: Array, origin: Any, direction: Any, first: bool) -> tuple[Hit, ...]:
        """Return the hits of a ray by distance; ``first`` says that only the first one is needed."""
        if not len(self._joints) and not len(self._bent_joints):
            return ()
        start = np.asarray(origin, dtype=np.float64)
        ray = np.asarray(direction, dtype=np.float64)
        ray = ray / np.sqrt(ray @ ray)
        posed = self._prepared(poses)
        if _passes_by(posed.around, start, ray):
            return ()
        # The ray in every part's frame: its parameter stays the world distance, also in affine frames.
        locals_o = np.einsum("nij,nj->ni", posed.inverse, start - posed.origins)
        locals_d = posed.inverse @ ray
        enter = _enter(self._low, self._high, locals_o, locals_d)
        rigid = len(enter)
        if len(self._bent_joints):
            enter = np.append(enter, _enter(posed.low, posed.high, start, ray))
        best = np.inf
        found: list[tuple[float, int]] = []
        for k in np.argsort(enter, kind="stable").tolist():
            if not enter[k] < best:
                break
            if k < rigid:
                joint = int(self._joints[k])
                distance = _triangles(self._corners[k], locals_o[k], locals_d[k])
            else:
                joint = int(self._bent_joints[k - rigid])
                if k not in posed.bent:
                    corners = skinned_vertices(self._skeleton, joint, poses)[self._triangles[k - rigid]]
                    posed.bent[k] = _edges(corners)
                distance = _triangles(posed.bent[k], start, ray)
            if distance < best:
                found.append((distance, joint))
                best = distance if first else np.inf
        found.sort(key=lambda hit: hit[0])
        return tuple(Hit(joint, start + distance * ray, float(distance)) for distance, joint in found)

    def _prepared(self, poses: Array) -> _Posed:
        """Return what all rays at one pose share; a pointer casts many before the figure moves."""
        posed = self._posed
        if posed is None or not np.array_equal(posed.poses, poses):
            frames = poses[self._joints]
            low, high = self._world_boxes(poses) if len(self._bent_joints) else (self._low[:0], self._high[:0])
            inverse = np.linalg.inv(frames[:, :3, :3]).astype(np.float64, copy=False)
            origins = frames[:, :3, 3].copy()
            around = self._around(frames, low, high)
            posed = self._posed = _Posed(poses.copy(), inverse, origins, low, high, {}, around)
        return posed

    def _around(self, frames: Array, low: Array, high: Array) -> tuple[list[float], list[float]]:
        """Return lowest and highest corner of a box round the rigid parts' posed boxes and the bent parts' ones."""
        # A turned box reaches from its middle as far as its half edges do, each by its part along an axis.
        turn, middle = frames[:, :3, :3], 0.5 * (self._low + self._high)
        at = np.einsum("kij,kj->ki", turn, middle) + frames[:, :3, 3]
        reach = np.einsum("kij,kj->ki", np.abs(turn), 0.5 * (self._high - self._low))
        lowest, highest = np.concatenate([at - reach, low]).min(axis=0), np.concatenate([at + reach, high]).max(axis=0)
        slack = _SLACK * np.maximum(1.0, np.maximum(np.abs(lowest), np.abs(highest)))
        return (lowest - slack).tolist(), (highest + slack).tolist()

    def _world_boxes(self, poses: Array) -> tuple[Array, Array]:
        """Return lowest and highest corner of each bent part, each of shape (m, 3).

        A vertex lies between the places where its joints alone would take it, so inside of what holds their boxes.
        """
        frames = with_helpers(self._skeleton, poses)[self._followed]
        corners = np.einsum("kij,kcj->kci", frames[:, :3, :3], self._boxes) + frames[:, None, :3, 3]
        low = np.minimum.reduceat(corners.min(axis=1), self._starts, axis=0)
        high = np.maximum.reduceat(corners.max(axis=1), self._starts, axis=0)
        slack = _SLACK * np.maximum(np.abs(low), np.abs(high))
        return low - slack, high + slack


def _passes_by(around: tuple[list[float], list[float]], start: Array, ray: Array) -> bool:
    """Return whether a ray misses a box; most rays miss the figure, and three numbers decide."""
    near, far = 0.0, math.inf
    for low, high, origin, direction in zip(*around, start.tolist(), ray.tolist(), strict=True):
        if direction == 0.0:
            if not low <= origin <= high:
                return True
            continue
        a, b = (low - origin) / direction, (high - origin) / direction
        near, far = max(near, min(a, b)), min(far, max(a, b))
    return near > far


def _enter(low: Array, high: Array, origins: Array, directions: Array) -> Array:
    """Distance at which a ray enters each box, inf where it misses, 0 where it starts inside."""
    safe = np.where(np.abs(directions) < _PARALLEL, _PARALLEL, directions)
    with np.errstate(over="ignore"):
        a, b = (low - origins) / safe, (high - origins) / safe
    near = np.minimum(a, b).max(axis=1)
    far = np.maximum(a, b).min(axis=1)
    return np.where((near <= far) & (far >= 0.0), np.maximum(near, 0.0), np.inf)


def _edges(corners: Array) -> tuple[Array, Array, Array]:
    """Return the first corner of each triangle and what leads from it to the other two, each of shape (m, 3)."""
    first = np.ascontiguousarray(corners[:, 0])
    return first, corners[:, 1] - first, corners[:, 2] - first


def _triangles(corners: tuple[Array, Array, Array], origin: Array, direction: Array) -> float:
    """Return the distance to the nearest of many triangles, inf if all are missed (Moeller and Trumbore)."""
    corner, edge1, edge2 = corners
    p = cross_rows(direction, edge2)
    determinant = np.einsum("ij,ij->i", edge1, p)
    # Seen edge on, a triangle's determinant is rounding and would divide to a hit anywhere along the ray.
    size = np.einsum("ij,ij->i", edge1, edge1) * np.einsum("ij,ij->i", edge2, edge2) * (direction @ direction)
    seen = determinant * determinant > _EDGE_ON * size
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1.0 / determinant
        from_corner = origin - corner
        u = np.einsum("ij,ij->i", from_corner, p) * scale
        q = cross_rows(from_corner, edge1)
        v = (q @ direction) * scale
        t = np.einsum("ij,ij->i", edge2, q) * scale
        hit = seen & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0)
    return float(t[hit].min()) if hit.any() else np.inf
