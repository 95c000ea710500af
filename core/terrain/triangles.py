"""Ground made of triangles: the highest one over a place counts, and beside all of them the floor at height 0.

Triangles are sorted into square cells of the ground plan once; a place asks those of its cell only.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.arrays import Array, Bools, Ints
from core.errors import CoreError, FormatError, Problem
from core.kernels import serving
from core.regular_file import open_regular
from core.skeleton.foreign import READERS
from core.terrain import triangles_kernel
from core.terrain.triangles_kernel import INSIDE

_STEEPEST = 1e-6  # of a triangle's area: what its plan must have at least for it to be stood on
_PER_CELL = 2.0  # triangles to a cell, about
_MOST_CELLS = 1 << 20


class Terrain:
    """Ground of triangles, which never changes.

    Args:
        vertices: Corners, shape (k, 3), [m].
        triangles: Numbers of three corners each, shape (t, 3).

    Attributes:
        vertices: Corners, read-only.
        triangles: Corners of each triangle, read-only.

    Raises:
        CoreError: If there is no triangle, a corner is missing, or a number is not finite.
    """

    def __init__(self, vertices: object, triangles: object):
        self.vertices = np.array(vertices, dtype=np.float64).reshape(-1, 3)
        self.triangles: Ints = np.array(triangles, dtype=np.intp).reshape(-1, 3)
        if not np.isfinite(self.vertices).all():
            raise CoreError("a corner of the ground is not finite; all must be numbers of metres")
        if not len(self.triangles):
            raise CoreError("the ground has no triangle; it needs at least one")
        if self.triangles.min() < 0 or self.triangles.max() >= len(self.vertices):
            raise CoreError(f"a triangle of the ground names a corner that is not there; it has {len(self.vertices)}")
        self.vertices.setflags(write=False)
        self.triangles.setflags(write=False)
        corners = self.vertices[self.triangles]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        cross = np.cross(b - a, c - a)
        plan = cross[:, 1]  # twice the area of its plan
        used = np.abs(plan) > _STEEPEST * np.maximum(np.linalg.norm(cross, axis=1), 1e-300)
        a, b, c, cross, plan = a[used], b[used], c[used], cross[used], plan[used]
        if not len(a):
            raise CoreError("no triangle of the ground can be stood on: all are upright")
        # Barycentric coordinates over the plan: two rows of a 2 x 2 inverse each.
        e1, e2 = (b - a)[:, [0, 2]], (c - a)[:, [0, 2]]
        det = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
        u, v = np.stack([e2[:, 1], -e2[:, 0]], axis=1), np.stack([-e1[:, 1], e1[:, 0]], axis=1)
        rise = np.stack([(b - a)[:, 1], (c - a)[:, 1]], axis=1)
        self._planes = np.concatenate([a, u / det[:, None], v / det[:, None], rise], axis=1)
        normals = cross * np.sign(plan)[:, None]
        self._normals = normals / np.linalg.norm(normals, axis=1)[:, None]
        self._sort_into_cells(np.stack([a, b, c], axis=1)[:, :, [0, 2]])

    def _sort_into_cells(self, plans: Array) -> None:
        low, high = plans.min(axis=1), plans.max(axis=1)
        self._low = low.min(axis=0)
        size = np.maximum(high.max(axis=0) - self._low, 1e-9)
        wanted = min(max(len(plans) / _PER_CELL, 1.0), _MOST_CELLS)
        self._cell = float(max(np.sqrt(size[0] * size[1] / wanted), size.max() / 4096))
        self._number: Ints = np.maximum(np.ceil(size / self._cell), 1).astype(np.intp)
        first = self._cell_of(low)
        span = self._cell_of(high) - first + 1
        count = span[:, 0] * span[:, 1]
        which = np.repeat(np.arange(len(plans)), count)
        step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        x = first[which, 0] + step % span[which, 0]
        z = first[which, 1] + step // span[which, 0]
        cell = x * self._number[1] + z
        order = np.argsort(cell, kind="stable")
        self._members = which[order]
        self._starts = np.searchsorted(cell[order], np.arange(self._number[0] * self._number[1] + 1))

    def _cell_of(self, places: Array) -> Ints:
        found = np.floor((places - self._low) / self._cell).astype(np.intp)
        return np.asarray(np.clip(found, 0, self._number - 1))

    @property
    def extent(self) -> tuple[Array, Array]:
        """The lowest and the highest corner of the box around it, each of shape (3,), [m]."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def _top(self, places: Array) -> tuple[Array, Ints]:
        """Return the height at places and the triangle there, -1 beside all of them, each of shape (m,)."""
        places = np.asarray(places, dtype=np.float64).reshape(-1, 2)
        heights, found = np.empty(len(places)), np.empty(len(places), dtype=np.int64)
        serving(triangles_kernel).tops(
            np.ascontiguousarray(places), self._low, self._cell, self._number, self._starts, self._members,
            self._planes, heights, found,
        )  # fmt: skip
        return heights, found

    def heights(self, places: Array) -> Array:
        """Return how high it is at places x, z, shape (m, 2) to (m,), [m]; 0 beside its triangles."""
        return self._top(places)[0]

    def surface(self, places: Array) -> tuple[Array, Array, Bools]:
        """Return heights, normals, and where there is a triangle at all, shapes (m,), (m, 3) and (m,), at places x, z.

        Beside its triangles it is the level floor at height 0.
        """
        top, triangle = self._top(places)
        there = triangle >= 0
        return top, np.where(there[:, None], self._normals[triangle], [0.0, 1.0, 0.0]), there

    def normals(self, places: Array) -> Array:
        """Return the normals at places x, z, shape (m, 2) to (m, 3); straight up beside its triangles."""
        return self.surface(places)[1]

    def hit(self, origin: Array, direction: Array) -> Array | None:
        """Return where a ray meets it first, shape (3,), [m]; None if it does not.

        Args:
            origin: Where the ray starts, shape (3,), [m].
            direction: Where it goes, shape (3,).

        Source: Moeller & Trumbore (1997).
        """
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        ab, ac = b - a, c - a
        p = np.cross(direction, ac)
        det = np.einsum("ti,ti->t", ab, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            from_a = origin - a
            u = np.einsum("ti,ti->t", from_a, p) / det
            q = np.cross(from_a, ab)
            v = (q @ direction) / det
            t = np.einsum("ti,ti->t", ac, q) / det
            met = (u >= INSIDE) & (v >= INSIDE) & (u + v <= 1.0 - INSIDE) & (t > 0.0)
        return origin + float(t[met].min()) * direction if met.any() else None


def height_field(heights: object, spacing: float, corner: tuple[float, float] = (0.0, 0.0)) -> Terrain:
    """Return ground whose heights are given on a square grid.

    Args:
        heights: Shape (nx, nz), [m]: ``heights[i, k]`` at x = corner[0] + i spacing, z = corner[1] + k spacing.
        spacing: Distance of neighbours, [m].
        corner: x and z of the first, [m].

    Raises:
        CoreError: If there are fewer than two rows or columns, or a number makes no sense.
    """
    h = np.array(heights, dtype=np.float64)
    if h.ndim != 2 or min(h.shape) < 2:
        raise CoreError(f"heights of the ground have shape {h.shape}; two rows and columns at least")
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise CoreError(f"the spacing of the ground is {spacing!r}; it must be more than 0 m")
    nx, nz = h.shape
    x, z = np.meshgrid(corner[0] + spacing * np.arange(nx), corner[1] + spacing * np.arange(nz), indexing="ij")
    vertices = np.stack([x, h, z], axis=2).reshape(-1, 3)
    i, k = (each.reshape(-1) for each in np.meshgrid(np.arange(nx - 1), np.arange(nz - 1), indexing="ij"))
    a, b, c, d = i * nz + k, i * nz + k + 1, (i + 1) * nz + k, (i + 1) * nz + k + 1
    return Terrain(vertices, np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)]))


def read_terrain(path: str | Path, progress: Callable[[float], None] | None = None) -> Terrain:
    """Return ground read from an object file: .obj, .stl, .ply or .glb, in metres with y up.

    Args:
        path: The file.
        progress: Takes how much is done, 0 to 1, between the parts of the work; what it raises ends it.

    Raises:
        FormatError: If it cannot be read.
        CoreError: If nothing in it can be stood on.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in READERS:
        known = ", ".join(READERS)
        raise FormatError(Problem(str(path), 0, 0, f'"{file.suffix}" is no kind of mesh; expected one of {known}'))
    try:
        with open_regular(file) as opened:
            data = opened.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(Problem(str(path), 0, 0, f"cannot be read: {reason}")) from None
    tell = progress or _untold
    tell(0.05)
    vertices, triangles = READERS[suffix](data, file.name)
    tell(0.8)
    ground = Terrain(vertices, triangles)
    tell(1.0)
    return ground


def _untold(_part: float) -> None:
    """Nobody asks how much is done."""
