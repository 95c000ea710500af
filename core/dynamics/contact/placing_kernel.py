"""Where the points of shapes are in the world, and how their faces stand there."""

from __future__ import annotations

from core.dynamics.contact.packing import BODY, COUNT, FACE, FACE_COUNT, PLACED, POINT, TURNED
from core.kernels import EXACT, F2, F3, I2, kernel


@kernel(internal=True, fastmath=EXACT)
def place(rows: I2, g: int, local: F2, world: F2, R: F3, p: F2) -> None:
    """Write where the points of a shape are in the world, unless they are there already."""
    if rows[g, PLACED]:
        return
    rows[g, PLACED] = 1
    b = rows[g, BODY]
    for i in range(rows[g, POINT], rows[g, POINT] + rows[g, COUNT]):
        x, y, z = local[i, 0], local[i, 1], local[i, 2]
        for k in range(3):
            world[i, k] = R[b, k, 0] * x + R[b, k, 1] * y + R[b, k, 2] * z + p[b, k]


@kernel(internal=True, fastmath=EXACT)
def turn(rows: I2, g: int, normals: F2, turned: F2, R: F3) -> None:
    """Write the normals of a shape's faces in the world, unless they are there already."""
    if rows[g, TURNED]:
        return
    rows[g, TURNED] = 1
    b = rows[g, BODY]
    for f in range(rows[g, FACE], rows[g, FACE] + rows[g, FACE_COUNT]):
        x, y, z = normals[f, 0], normals[f, 1], normals[f, 2]
        for k in range(3):
            turned[f, k] = R[b, k, 0] * x + R[b, k, 1] * y + R[b, k, 2] * z
