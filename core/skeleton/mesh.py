"""Triangles of one object, in the frame of the joint that carries it, and what other joints pull at its vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import SkeletonError

MOST_JOINTS = 3
"""Joints that a vertex may follow besides the one that carries it."""
SLACK = 1e-6
"""By how much the weights of a vertex may add up to more than 1, from being rounded."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh.

    Attributes:
        vertices: Shape (n, 3), [m], float64.
        triangles: Vertex numbers, counter-clockwise seen from outside, shape (m, 3), int32.
        polygons: The polygons before triangulation, as vertex numbers; () if the source had only triangles.
        weights: How much each vertex follows other joints than the one that carries the mesh: the joint's name and a
            weight a vertex, shape (n,), 0 to 1; sorted by name, names without any weight left out. What is left to 1
            follows the carrier. The names are those of the mesh's own side: for a reflected mesh they stand for
            the counterparts.

    Raises:
        SkeletonError: If a weight is not in 0..1, if those of a vertex add up to more than 1, or if it follows more
            than three joints.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    polygons: tuple[tuple[int, ...], ...] = ()
    weights: tuple[tuple[str, NDArray[np.float64]], ...] = ()

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, dtype=np.float64).reshape(-1, 3)
        triangles = np.array(self.triangles, dtype=np.int32).reshape(-1, 3)
        vertices.setflags(write=False)
        triangles.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)
        if self.weights:
            object.__setattr__(self, "weights", _checked(self.weights, len(vertices)))

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner, each of shape (3,), [m]."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)


def _checked(
    weights: tuple[tuple[str, NDArray[np.float64]], ...], count: int
) -> tuple[tuple[str, NDArray[np.float64]], ...]:
    """Return the weights in order, read-only, after checking them."""
    kept: list[tuple[str, NDArray[np.float64]]] = []
    total, joints = np.zeros(count), np.zeros(count, dtype=np.int64)
    for name, values in sorted(weights, key=lambda pair: pair[0]):
        array = np.array(values, dtype=np.float64)
        if array.shape != (count,):
            raise SkeletonError(
                f'weights of "{name}" have shape {array.shape}; a mesh of {count} vertices needs one each'
            )
        if not ((array >= 0.0) & (array <= 1.0)).all():
            bad = int(np.argmin((array >= 0.0) & (array <= 1.0)))
            raise SkeletonError(f'vertex {bad} has weight {array[bad]:g} of "{name}"; it must be between 0 and 1')
        if kept and kept[-1][0] == name:
            raise SkeletonError(f'weights of "{name}" appear twice; names must differ')
        if array.any():
            array.setflags(write=False)
            kept.append((name, array))
            total += array
            joints += array > 0.0
    if (total > 1.0 + SLACK).any():
        bad = int(np.argmax(total))
        raise SkeletonError(f"the weights of vertex {bad} add up to {total[bad]:g}; they must not be more than 1")
    if (joints > MOST_JOINTS).any():
        bad = int(np.argmax(joints))
        raise SkeletonError(f"vertex {bad} follows {joints[bad]} joints besides its own; at most {MOST_JOINTS} can be")
    return tuple(kept)
