"""Props: figures of one joint that goes and turns anywhere, such as a box that is carried or a ball that is thrown.

Being figures, they are keyed, dragged, locked, drawn, simulated and saved as figures are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import SkeletonError
from core.skeleton.dof import HINGE, Dof
from core.skeleton.joint import Joint, SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.shapes import box as box_mesh
from core.skeleton.shapes import ellipsoid, loft, volume
from core.skeleton.skeleton import Skeleton

DENSITY = 400.0
"""What a prop weighs until somebody says otherwise, [kg/m^3]: half of water's, as a crate that is well filled."""
COLOR = (0.78, 0.58, 0.36)
"""Colour of a prop, red, green and blue in 0..1: wood, so that it is told from figures."""
_SIDES, _ROUND = 24, 6  # corners of a ring; rings from a pole to where a capsule is straight
_LEAST = 1e-6  # [m^3]


def box(size: ArrayLike, name: str = "box") -> Skeleton:
    """Return a box that stands on the floor at rest.

    Args:
        size: Its edges along x, y and z, shape (3,), [m].
        name: What it is called.

    Raises:
        CoreError: If a size is not positive.
    """
    return of_mesh(box_mesh(size), name, float(np.prod(np.asarray(size, dtype=np.float64))))


def ball(radius: float, name: str = "ball") -> Skeleton:
    """Return a ball that lies on the floor at rest; see ``box``.

    Args:
        radius: [m].
        name: What it is called.
    """
    return of_mesh(ellipsoid(radius, sides=_SIDES), name, 4.0 / 3.0 * np.pi * radius**3)


def capsule(radius: float, length: float, name: str = "capsule") -> Skeleton:
    """Return a capsule along its z axis that lies on the floor at rest; see ``box``.

    Args:
        radius: [m].
        length: Of its straight part, [m].
        name: What it is called.
    """
    return of_mesh(_capsule_mesh(radius, length), name, np.pi * radius**2 * (length + 4.0 / 3.0 * radius))


def _capsule_mesh(radius: float, length: float) -> Mesh:
    """Return a capsule along z with rings enough that it is drawn as round at its ends, and straight between them."""
    turns = np.linspace(0.0, 0.5 * np.pi, _ROUND + 1)[1:]
    near = min(0.25 * radius, 0.25 * length)
    ball = np.column_stack([radius * np.sin(turns), -0.5 * length - radius * np.cos(turns)])
    half = np.concatenate([ball, [[radius, near - 0.5 * length]]])
    along = np.concatenate([half, half[::-1] * [1.0, -1.0]])
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    rings = np.stack(
        [np.outer(along[:, 0], np.cos(angles)), np.outer(along[:, 0], np.sin(angles)),
         np.repeat(along[:, 1:], _SIDES, axis=1)], axis=-1
    )  # fmt: skip
    pole = np.array([0.0, 0.0, 0.5 * length + radius])
    return loft(rings, -pole, pole)


def of_mesh(mesh: Mesh, name: str, content: float | None = None, centered: bool = True) -> Skeleton:
    """Return a prop with any shape that stands on the floor at rest.

    Args:
        mesh: Its polygons.
        name: What it, its joint and the file of its polygons are called.
        content: Its volume, [m^3]; None for that of the polygons, or of the box round them if they are open.
        centered: Whether the joint comes to the middle of the box round the polygons; else to their origin.

    Raises:
        SkeletonError: If there are no polygons.
    """
    if not len(mesh.triangles):
        raise SkeletonError(f'"{name}" has no polygons; a prop needs some to be seen and picked')
    low, high = mesh.bounds
    middle: Array = 0.5 * (low + high) if centered else np.zeros(3)
    placed = Mesh(mesh.vertices - middle, mesh.triangles, mesh.polygons)
    if content is None:
        content = max(abs(volume(mesh)), _LEAST)
    joint = Joint(
        name, -1, offset=np.array([0.0, middle[1] - low[1], 0.0]), dofs=free_turn(),
        objects=(SegmentObject(f"{name}.pol", placed),), mass=DENSITY * content, color=COLOR,
    )  # fmt: skip
    return Skeleton(name, [joint])


def free_turn() -> tuple[Dof, Dof, Dof]:
    """Return three hinges about y, x and z that turn without end; together they are one rotation.

    Upright things are mostly turned about y, which is the first of them, so that half a turn about x is the pole.
    """
    axes = np.eye(3)
    return tuple(Dof(HINGE, axes[k], -np.inf, np.inf) for k in (1, 0, 2))  # type: ignore[return-value]
