"""From segment meshes to the vertex buffer: everything in the bind pose, from where the palette takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.viewport.coarse import Part, coarse_parts, fine_parts
from app.viewport.normals import shaded
from app.viewport.occlusion import baked_occlusion, hull_mesh, neighbours
from app.viewport.surface import figure_surface
from core.skeleton.skeleton import Skeleton

Array = NDArray[np.float64]

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
        vertices: Structured array of :data:`VERTEX`; positions in the bind pose, in the world, [m].
        indices: Vertex numbers, three a triangle, sorted by joint, uint32; the shadow hulls come last.
        ranges: First index and index count of each joint's triangles, fine and coarse, shape (2, n_joints, 2).
        hull: First index and index count of the shadow hulls.
        influences: Most joints that a vertex follows; 1 for a rigid figure.
        solid: Whether all is closed and faces outward, so that back faces need not be drawn.
    """

    vertices: NDArray[np.void]
    indices: NDArray[np.uint32]
    ranges: NDArray[np.int64]
    hull: tuple[int, int]
    influences: int
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


def _shadow_part(part: Part) -> Part:
    """Return what casts a segment's shadow: its hull, or itself if it is flat."""
    hull = hull_mesh(part.points)
    if hull is None:
        return part
    corners, faces = hull
    nothing = np.zeros((len(corners), 3))
    return Part(
        part.joint, part.points[corners], nothing, nothing, part.joints[corners], part.weights[corners], faces,
        part.places[corners],
    )  # fmt: skip


def _light(fine: list[Part], cast: list[Part], parts: list[Part], skeleton: Skeleton) -> Array:
    """Return the occlusion of the vertices of some parts, one after the other."""
    hulls = {part.joint: part.points for part in cast}
    found: dict[int, int] = {}  # which segment was seen at a place
    joined: set[tuple[int, int]] = set()
    for part in fine:
        for place in part.places.tolist():
            other = found.setdefault(place, part.joint)
            if other != part.joint:
                joined |= {(other, part.joint), (part.joint, other)}
    points, normals = (np.concatenate([getattr(part, name) for part in parts]) for name in ("points", "normals"))
    owner = np.concatenate([np.full(len(part.points), part.joint) for part in parts])
    light = baked_occlusion(points, normals, owner, hulls, neighbours(skeleton, hulls) | joined, joined)
    if joined:  # the same on both sides of where two segments meet
        places = np.unique(np.concatenate([part.places for part in parts]), return_inverse=True)[1].reshape(-1)
        light = (np.bincount(places, light) / np.bincount(places))[places]
    return light


def build_geometry(skeleton: Skeleton) -> Geometry:
    """Return the buffers of a figure."""
    surface = figure_surface(skeleton)
    shade = shaded(surface)
    fine = fine_parts(surface, shade)
    coarse = coarse_parts(surface, shade, fine)
    cast = [_shadow_part(part) for part in fine]
    parts = fine + coarse + cast
    ranges = np.zeros((2, len(skeleton.joints), 2), dtype=np.int64)
    vertices = np.zeros(sum(len(part.points) for part in parts), dtype=VERTEX)
    triangles: list[NDArray[np.int64]] = []
    base = count = 0
    for k, part in enumerate(parts):
        rows = vertices[base : base + len(part.points)]
        rows["position"], rows["normal"], rows["outward"] = part.points, part.normals, part.outward
        rows["joints"], rows["weights"] = part.joints, _sixteen_bits(part.weights)
        triangles.append(part.faces + base)
        if k < 2 * len(fine):
            ranges[k // len(fine), part.joint] = 3 * count, 3 * len(part.faces)
        base, count = base + len(part.points), count + len(part.faces)
    if parts:
        light = _light(fine, cast, fine + coarse, skeleton)
        vertices["occlusion"][: len(light)] = light
    indices = np.concatenate(triangles).astype(np.uint32).ravel() if triangles else np.zeros(0, dtype=np.uint32)
    start = 3 * sum(len(part.faces) for part in fine + coarse)
    influences = 1 if surface.rigid else 1 + int(np.flatnonzero((vertices["weights"] > 0).any(axis=0))[-1])
    return Geometry(vertices, indices, ranges, (start, len(indices) - start), influences, surface.is_solid())


def _sixteen_bits(weights: Array) -> NDArray[np.uint16]:
    """Return weights as whole numbers that add up to 65535 in each row."""
    whole = np.round(weights * 65535.0).astype(np.int64)
    rows = np.arange(len(whole))
    whole[rows, np.argmax(whole, axis=1)] += 65535 - whole.sum(axis=1)
    return whole.astype(np.uint16)
