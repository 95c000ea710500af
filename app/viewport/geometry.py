"""From segment meshes to the vertex buffer: smooth normals with creases, shadow hulls, baked occlusion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from core.skeleton.mesh import Mesh
from core.skeleton.skeleton import Skeleton

Array = NDArray[np.float64]

CREASE = math.radians(45.0)

VERTEX = np.dtype(
    [
        ("position", np.float32, 3),
        ("normal", np.float32, 3),
        ("outward", np.float32, 3),
        ("occlusion", np.float32),
        ("joints", np.uint16, 4),
        ("weights", np.uint16, 4),
    ]
)


@dataclass(frozen=True)
class Geometry:
    """The figure as one indexed triangle list.

    Attributes:
        vertices: Structured array of :data:`VERTEX`; positions in the frames of the joints, [m].
        indices: Vertex numbers, three a triangle, sorted by joint, uint32; the shadow hulls come last.
        ranges: First index and index count of each joint's triangles, fine and coarse, shape (2, n_joints, 2).
        hull: First index and index count of the shadow hulls.
        rigid: Whether every vertex belongs wholly to one joint.
        solid: Whether every segment is closed and faces outward, so that back faces need not be drawn.
    """

    vertices: NDArray[np.void]
    indices: NDArray[np.uint32]
    ranges: NDArray[np.int64]
    hull: tuple[int, int]
    rigid: bool
    solid: bool

    def triangle_area(self, level: int) -> float:
        """Return the mean area of the triangles of a level (0 fine, 1 coarse), [m^2]; 0 if there are none."""
        first, end = self.extent(level)
        if first == end:
            return 0.0
        corners = self.vertices["position"][self.indices[first:end]].reshape(-1, 3, 3).astype(np.float64)
        sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return float(0.5 * np.linalg.norm(sides, axis=1).mean())

    def extent(self, level: int) -> tuple[int, int]:
        """Return the first index of a level (0 fine, 1 coarse) and the one after its last."""
        used = self.ranges[level][self.ranges[level, :, 1] > 0]
        return (int(used[0, 0]), int(used[-1].sum())) if len(used) else (0, 0)


# Joint, positions, normals, normals smooth everywhere, triangles.
_Part = tuple[int, Array, Array, Array, NDArray[np.int64]]


def smooth_normals(mesh: Mesh, crease: float = CREASE) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    """Return vertices split along creases, with normals that are smooth across every other edge.

    A corner's normal is the sum of the normals of the faces at its place that lie within the crease angle of its own
    face, each weighted by its angle there.

    Args:
        mesh: Triangles; vertices at the same place are taken for one.
        crease: Largest angle between two faces that still look like one surface, [rad].

    Returns:
        Positions (k, 3), unit normals (k, 3), normals smooth over all faces (k, 3) (for outlines), triangles (m, 3).
    """
    empty = np.zeros((0, 3))
    corners = mesh.vertices[mesh.triangles]
    edges = np.roll(corners, -1, axis=1) - corners
    face = np.cross(edges[:, 0], -edges[:, 2])
    area = np.linalg.norm(face, axis=1)
    scale = np.abs(mesh.vertices).max(initial=0.0)
    good = area > 1e-14 * max(scale * scale, 1e-30)
    if not good.any():
        return empty, empty, empty, np.zeros((0, 3), dtype=np.int64)
    corners, edges, face = corners[good], edges[good], face[good] / area[good, None]
    m = len(face)

    lengths = np.maximum(np.linalg.norm(edges, axis=2), 1e-300)
    unit = edges / lengths[:, :, None]
    angle = np.arccos(np.clip(-np.einsum("fci,fci->fc", unit, np.roll(unit, 1, axis=1)), -1.0, 1.0)).ravel()

    flat = corners.reshape(-1, 3)
    place = np.unique(np.round(flat / max(scale, 1e-12), 6), axis=0, return_inverse=True)[1].reshape(-1)
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    own_face = np.arange(3 * m) // 3

    # All pairs of corners at one place.
    partners = counts[place]
    first = np.repeat(np.arange(3 * m), partners)
    within = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    second = order[starts[place[first]] + within]
    near = np.einsum("pi,pi->p", face[own_face[first]], face[own_face[second]]) > math.cos(crease)
    weighted = face[own_face] * angle[:, None]

    def summed(a: NDArray[np.int64], b: NDArray[np.int64]) -> Array:
        total = np.column_stack([np.bincount(a, weighted[b, k], 3 * m) for k in range(3)])
        length = np.linalg.norm(total, axis=1, keepdims=True)
        return np.where(length > 1e-12, total / np.maximum(length, 1e-300), face[own_face])

    normals = summed(first[near], second[near])
    outward = summed(first, second)
    key = np.column_stack([place, np.round(normals * 1000.0)])
    _, kept, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return flat[kept], normals[kept], outward[kept], inverse.reshape(-1, 3).astype(np.int64)


def is_solid(mesh: Mesh) -> bool:
    """Return whether a mesh faces outward and is closed: along every edge two faces run in opposite directions."""
    scale = np.abs(mesh.vertices).max(initial=1e-12)
    place = np.unique(np.round(mesh.vertices / scale, 6), axis=0, return_inverse=True)[1].reshape(-1)
    faces = place[mesh.triangles]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    n = len(mesh.vertices)
    forward, backward = np.sort(start * n + end), np.sort(end * n + start)
    if not np.array_equal(forward, backward):
        return False
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return bool(np.einsum("ti,ti->", a, np.cross(b, c)) > 0.0)


def simplified(
    points: Array, outward: Array, faces: NDArray[np.int64], cells: float = 11.0
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return a coarse copy of a segment: vertices in one cell of a grid, facing the same way, become one.

    Args:
        points: Shape (k, 3), [m].
        outward: Unit normals, the same wherever the place is the same, shape (k, 3).
        faces: Vertex numbers, shape (m, 3).
        cells: Cells along the diagonal of the segment's box.

    Returns:
        Positions, normals and triangles; what came in if that would not save much.
    """
    low, diagonal = points.min(axis=0), float(np.linalg.norm(np.ptp(points, axis=0)))
    # Facing is part of the key so that the two sides of a thin part stay apart.
    key = np.column_stack([np.floor((points - low) * (cells / diagonal)), outward > 0.0])
    inverse = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    small = inverse[faces]
    small = small[(small != np.roll(small, 1, axis=1)).all(axis=1)]
    if len(small) > 0.7 * len(faces) or len(small) < 4:
        return points, outward, faces
    counts = np.bincount(inverse)[:, None]
    placed, normals = (
        np.column_stack([np.bincount(inverse, values[:, k]) for k in range(3)]) / counts for values in (points, outward)
    )
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return placed, normals, small


def _directions(count: int = 48) -> Array:
    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / count), math.pi * (1.0 + math.sqrt(5.0)) * k
    return np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])


def hull_mesh(points: Array) -> tuple[Array, NDArray[np.int64]] | None:
    """Return a coarse convex hull of points, at most 48 corners, or None if they are flat: what casts the shadow.

    Args:
        points: Shape (k, 3), [m].
    """
    extreme = np.unique(np.argmax(points @ _directions().T, axis=0))
    try:
        hull = ConvexHull(points[extreme])
    except (QhullError, ValueError):
        return None
    return points[extreme], np.asarray(hull.simplices, dtype=np.int64)


def rest_frames(skeleton: Skeleton) -> Array:
    """Return the joint frames with every degree of freedom at zero, shape (n_joints, 4, 4)."""
    frames = np.tile(np.eye(4), (len(skeleton.joints), 1, 1))
    for i, joint in enumerate(skeleton.joints):
        frames[i, :3, :3] = joint.rotation
        frames[i, :3, 3] = joint.offset
        if joint.parent >= 0:
            frames[i] = frames[joint.parent] @ frames[i]
    return frames


def neighbours(skeleton: Skeleton, bodies: Iterable[int]) -> set[tuple[int, int]]:
    """Return the pairs of joints, both ways round, whose bodies meet at a joint; joints without a body are skipped."""
    bodies = set(bodies)
    pairs: set[tuple[int, int]] = set()
    for i in bodies:
        parent = skeleton.joints[i].parent
        while parent >= 0 and parent not in bodies:
            parent = skeleton.joints[parent].parent
        if parent >= 0:
            pairs |= {(i, parent), (parent, i)}
    return pairs


def baked_occlusion(
    points: Array,
    normals: Array,
    owner: NDArray[np.int64],
    hulls: dict[int, Array],
    frames: Array,
    pairs: set[tuple[int, int]],
) -> Array:
    """Return how much light from all around reaches each vertex at rest, 0 to 1, shape (k,).

    Every segment is taken for an ellipsoid; a vertex near the ellipsoid of a segment next to its own, on the side that
    faces it, is darker. It gives the creases at the joints. Segments further off do not count: they move away.

    Args:
        points: Vertices in joint frames, shape (k, 3), [m].
        normals: Unit normals in joint frames, shape (k, 3).
        owner: Joint of each vertex, shape (k,).
        hulls: Hull corners in the joint's frame, for each joint that has any.
        frames: Rest frames, shape (n_joints, 4, 4).
        pairs: Joints whose segments darken each other, both ways round.
    """
    world = np.einsum("kij,kj->ki", frames[owner, :3, :3], points) + frames[owner, :3, 3]
    facing = np.einsum("kij,kj->ki", frames[owner, :3, :3], normals)
    light = np.ones(len(points))
    for joint, corners in hulls.items():
        near = np.isin(owner, [i for i, other in pairs if other == joint])
        if not near.any():
            continue
        placed = corners @ frames[joint, :3, :3].T + frames[joint, :3, 3]
        center = placed.mean(axis=0)
        # Half axes along the principal directions of the hull's corners.
        axes = np.linalg.eigh(np.cov((placed - center).T) + 1e-12 * np.eye(3))[1]
        along = (placed - center) @ axes
        middle = 0.5 * (along.max(axis=0) + along.min(axis=0))
        half = np.maximum(0.5 * np.ptp(along, axis=0), 1e-4)
        local = ((world[near] - center) @ axes - middle) / half
        distance = np.maximum(np.linalg.norm(local, axis=1), 1e-6)
        toward = -(local / distance[:, None] / half) @ axes.T
        toward /= np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-12)
        cosine = np.einsum("ki,ki->k", facing[near], toward)
        blocked = np.clip(0.25 + 0.75 * cosine, 0.0, 1.0) / np.maximum(distance, 1.0) ** 4
        light[near] *= 1.0 - 0.75 * blocked
    return light


def build_geometry(skeleton: Skeleton, segment_mesh: Callable[[Skeleton, int], Mesh | None]) -> Geometry:
    """Return the buffers of a figure.

    Args:
        skeleton: The figure.
        segment_mesh: What is drawn for a joint, in the joint's frame; None for joints without a body.
    """
    n = len(skeleton.joints)
    ranges = np.zeros((2, n, 2), dtype=np.int64)
    fine: list[_Part] = []
    coarse: list[_Part] = []
    cast: list[_Part] = []
    hulls: dict[int, Array] = {}
    solid = all(bool((joint.scale > 0.0).all()) for joint in skeleton.joints)
    for i in range(n):
        mesh = segment_mesh(skeleton, i)
        if mesh is None or len(mesh.triangles) == 0:
            continue
        points, normals, outward, faces = smooth_normals(mesh)
        if len(points) == 0:
            continue
        solid = solid and is_solid(mesh)
        fine.append((i, points, normals, outward, faces))
        less, smooth, few = simplified(points, outward, faces)
        coarse.append((i, less, normals if few is faces else smooth, smooth, few))
        hull = hull_mesh(points)
        if hull is not None:
            hulls[i] = hull[0]
        corners, sides = hull if hull is not None else (points, faces)
        cast.append((i, corners, np.zeros_like(corners), np.zeros_like(corners), sides))

    parts = fine + coarse + cast
    vertices = np.zeros(sum(len(part[1]) for part in parts), dtype=VERTEX)
    vertices["weights"][:, 0] = 65535
    triangles: list[NDArray[np.int64]] = []
    base = count = 0
    for k, (i, points, normals, outward, faces) in enumerate(parts):
        rows = vertices[base : base + len(points)]
        rows["position"], rows["normal"], rows["outward"], rows["joints"][:, 0] = points, normals, outward, i
        triangles.append(faces + base)
        if k < 2 * len(fine):
            ranges[k // len(fine), i] = 3 * count, 3 * len(faces)
        base, count = base + len(points), count + len(faces)
    owner = vertices["joints"][:, 0].astype(np.int64)
    vertices["occlusion"] = baked_occlusion(
        vertices["position"], vertices["normal"], owner, hulls, rest_frames(skeleton), neighbours(skeleton, hulls)
    )
    indices = np.concatenate(triangles).astype(np.uint32).ravel() if triangles else np.zeros(0, dtype=np.uint32)
    start = 3 * sum(len(part[4]) for part in fine + coarse)
    return Geometry(vertices, indices, ranges, (start, len(indices) - start), rigid=True, solid=solid)
