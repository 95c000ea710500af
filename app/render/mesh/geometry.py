"""From segment meshes to the vertex buffer: everything in the bind pose, from where the palette takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.coarse import Part, coarse_parts, fine_parts
from app.render.mesh.distinct import distinct
from app.render.mesh.normals import shaded
from app.render.mesh.occlusion import MOST_SHIELDS, baked_occlusion, hull_mesh, neighbours, shields_of
from app.render.mesh.rounding import rounded_parts
from app.render.mesh.slopes import weight_slopes
from app.render.mesh.surface import figure_surface
from core.skeleton.helper_joints import helper_chains
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import bind_frames

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
        indices: Vertex numbers, three a triangle, uint32: all joints' triangles in order, fine, then coarse, then
            rounded; hulls; what casts shadows; collars.
        ranges: First index and index count of each joint's triangles: fine, coarse, and rounded for what is seen from
            near by, shape (3, n_joints, 2).
        collars: The same of the neighbours' triangles that touch a joint's segment where both are one skin.
        hull: First index and index count of the shadow hulls.
        skin: First index and index count of all triangles that do not lie inside, of each level, shape (3, 2); of all
            triangles where the others alone are not closed.
        slopes: Gradients of the last three weights of each vertex, shape (n, 3, 3), float32, [1/m]; none for a rigid
            figure.
        influences: Most joints that a vertex follows; 1 for a rigid figure.
        solid: Whether all is closed and faces outward, so that back faces need not be drawn.
        bulge: How far the rounded surface leaves the fine triangles, [m]; 0 if both are the same.
    """

    vertices: NDArray[np.void]
    indices: NDArray[np.uint32]
    ranges: NDArray[np.int64]
    collars: NDArray[np.int64]
    hull: tuple[int, int]
    skin: NDArray[np.int64]
    slopes: NDArray[np.float32]
    influences: int
    solid: bool
    bulge: float

    def triangle_area(self, level: int) -> float:
        """Return the mean area of the triangles of a level, see :meth:`extent`, [m^2]; 0 if there are none."""
        first, end = self.extent(level)
        if first == end:
            return 0.0
        corners = self.vertices["position"][self.indices[first:end]].reshape(-1, 3, 3).astype(np.float64)
        sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return float(0.5 * np.linalg.norm(sides, axis=1).mean())

    def extent(self, level: int) -> tuple[int, int]:
        """Return the first index of a level (0 fine, 1 coarse, 2 rounded) and the one after its last."""
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
        part.places[corners], np.zeros(len(faces), dtype=bool),
    )  # fmt: skip


def _joined(parts: list[Part]) -> set[tuple[int, int]]:
    """Return the pairs of joints, both ways round, whose segments have places in common."""
    owner = np.concatenate([np.full(len(part.places), part.joint) for part in parts])
    place = distinct(np.concatenate([part.places for part in parts])).which
    n = int(owner.max()) + 1
    place, owner = np.divmod(distinct(place * n + owner).values, n)
    found: set[int] = set()
    for apart in (1, 2):  # three segments at one place stand in a row
        same = place[apart:] == place[:-apart]
        found |= set((owner[apart:] * n + owner[:-apart])[same].tolist())
    return {pair for key in found for pair in (divmod(key, n), divmod(key, n)[::-1])}


def _light(fine: list[Part], coarse: list[Part], skeleton: Skeleton) -> Array:
    """Return the occlusion of the vertices of all parts, fine and coarse, one after the other."""
    import scipy  # here, as a figure whose geometry is kept needs none of it

    joined = _joined(fine)
    n = len(skeleton.joints)
    meeting = np.zeros((n, n), dtype=bool)
    for a, b in neighbours(skeleton, [part.joint for part in fine]) | joined:
        meeting[a, b] = True
    points, normals = (np.concatenate([getattr(part, name) for part in fine]) for name in ("points", "normals"))
    owners = np.concatenate([np.full(len(part.points), part.joint) for part in fine])
    shielding = fine if sum(len(part.faces) for part in fine) <= MOST_SHIELDS else coarse
    starts = np.cumsum([0, *(len(part.points) for part in shielding)])
    shields = shields_of(
        np.concatenate([part.points for part in shielding]),
        np.concatenate([part.faces + k for part, k in zip(shielding, starts, strict=False)]),
        np.concatenate([np.full(len(part.points), part.joint) for part in shielding]),
    )
    size = max(float(np.ptp(points, axis=0).max()), 1e-9)
    light = baked_occlusion(points, normals, owners, shields, bind_frames(skeleton)[:, :3, 3], meeting, size)
    if joined:  # the same on both sides of where two segments meet
        places = distinct(np.concatenate([part.places for part in fine])).which
        light = (np.bincount(places, light) / np.bincount(places))[places]
    nearest = scipy.spatial.cKDTree(points).query(np.concatenate([part.points for part in coarse]))[1]
    return np.concatenate([light, light[nearest]])


def build_geometry(skeleton: Skeleton) -> Geometry:
    """Return the buffers of a figure."""
    surface = figure_surface(skeleton)
    shade = shaded(surface)
    fine = fine_parts(surface, shade)
    coarse = coarse_parts(surface, shade, fine)
    cast = [_shadow_part(part) for part in fine]
    light, bulge = np.zeros(0), 0.0
    near: list[Part] = []
    if fine:
        light = _light(fine, coarse, skeleton)
        count = sum(len(part.points) for part in fine)
        size = max(float(np.ptp(np.concatenate([part.points for part in fine]), axis=0).max()), 1e-9)
        rounded = rounded_parts(fine, light[:count], size)
        if rounded is not None:
            near, more, bulge = rounded
            light = np.concatenate([light, more])
    levels = (fine, coarse, near)[: 2 + bool(near)]
    parts = fine + coarse + near + cast
    vertices = np.zeros(sum(len(part.points) for part in parts), dtype=VERTEX)
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    for part, start in zip(parts, starts, strict=False):
        rows = vertices[start : start + len(part.points)]
        rows["position"], rows["normal"], rows["outward"] = part.points, part.normals, part.outward
        rows["joints"], rows["weights"] = part.joints, _sixteen_bits(part.weights)
    vertices["occlusion"][: len(light)] = light

    triangles = [part.faces + start for part, start in zip(parts, starts, strict=False)]
    ends = np.cumsum([0, *(len(faces) for faces in triangles)])
    ranges, collars = np.zeros((2, 3, len(skeleton.joints), 2), dtype=np.int64)
    skin = np.zeros((3, 2), dtype=np.int64)
    alone = surface.is_solid(caps=False)
    for level, half in enumerate(levels):
        for k, part in enumerate(half, start=level * len(fine)):
            ranges[level, part.joint] = 3 * ends[k], 3 * len(part.faces)
        skin[level] = 3 * ends[level * len(fine)], 3 * (ends[(level + 1) * len(fine)] - ends[level * len(fine)])
        if alone and any(part.inner.any() for part in half):
            seen = [part.faces[~part.inner] + k for part, k in zip(half, starts[level * len(fine) :], strict=False)]
            skin[level] = 3 * sum(map(len, triangles)), 3 * sum(map(len, seen))
            triangles += seen
        ends_of = np.cumsum([len(part.places) for part in half])
        where = np.split(distinct(np.concatenate([part.places for part in half])).which, ends_of[:-1]) if half else []
        for a, b in sorted(_joined(half)) if not surface.rigid else ():
            one, other = (next(k for k, part in enumerate(half) if part.joint == joint) for joint in (a, b))
            meeting = np.zeros(ends_of[-1], dtype=bool)
            meeting[where[one]] = True
            touching = meeting[where[other]][half[other].faces].any(axis=1)
            if not collars[level, a, 1]:
                collars[level, a, 0] = 3 * sum(map(len, triangles))
            collars[level, a, 1] += 3 * int(touching.sum())
            triangles.append(half[other].faces[touching] + starts[other + level * len(fine)])
    indices = np.concatenate(triangles).astype(np.uint32).ravel() if triangles else np.zeros(0, dtype=np.uint32)
    if not near:
        ranges[2], collars[2], skin[2] = ranges[0], collars[0], skin[0]
    first = 3 * int(ends[len(levels) * len(fine)])
    influences = 1 if surface.rigid else 1 + int(np.flatnonzero((vertices["weights"] > 0).any(axis=0))[-1])
    slopes = np.zeros((0, 3, 3), dtype=np.float32)
    if not surface.rigid:
        chains = helper_chains(skeleton)
        own = [_slopes(level, chains) for level in levels]
        slopes = np.concatenate([*own, np.zeros((sum(len(part.points) for part in cast), 3, 3))])
    hull = (first, 3 * int(ends[-1]) - first)
    return Geometry(
        vertices, indices, ranges, collars, hull, skin, slopes.astype(np.float32), influences, surface.is_solid(), bulge
    )


def _slopes(parts: list[Part], chains: list[NDArray[np.int64]]) -> Array:
    """Return the gradients of the last three weights of the vertices of some parts, one after the other."""
    points, joints, weights, places = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("points", "joints", "weights", "places")
    )
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    faces = np.concatenate([part.faces[~part.inner] + k for part, k in zip(parts, starts, strict=False)])
    nodes = distinct(places).which
    return weight_slopes(points, nodes, faces, joints, weights, chains)[:, 1:]


def _sixteen_bits(weights: Array) -> NDArray[np.uint16]:
    """Return weights as whole numbers that add up to 65535 in each row."""
    whole = np.round(weights * 65535.0).astype(np.int64)
    rows = np.arange(len(whole))
    whole[rows, np.argmax(whole, axis=1)] += 65535 - whole.sum(axis=1)
    return whole.astype(np.uint16)
