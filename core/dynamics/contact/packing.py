"""Where the numbers of shapes lie in the two blocks that the kernels of ``core.dynamics.contact`` read and work in.

The block of integers: a header, then a row for each shape, for each face (where its loop begins and how long it is),
for each edge (two corners, two faces), the loops, a row for each pair of shapes, and room for the corners of two
features. Corners count from the shape's first, faces too.

The block of floats: a row for each shape; the points of all shapes in their bodies' frames and, where a call has placed
them, in the world; the normals of the faces likewise; the friction of each pair; the floor; and room to work in.

The ground, if there is one, comes last in both, as ``ground_packing`` has it.
"""

from __future__ import annotations

SHAPES, DYNAMIC, POINTS, FACES, EDGES, LOOPS, PAIRS, FLOOR, GROUND, GROUND_FLOATS = range(10)
"""Numbers in the header: of shapes, of those on bodies (which come first), of points, faces, edges, entries of loops,
pairs, 1 if there is a floor, and of integers and floats of the ground, 0 if there is none."""

SHAPE_ROWS, FACE_ROWS, EDGE_ROWS, LOOP, PAIR_ROWS, CORNERS, GROUND_INTS, INT_LENGTH = range(10, 18)
(
    SHAPE_VALUES, LOCAL, WORLD, NORMALS, WORLD_NORMALS, PAIR_FRICTION, FLOOR_VALUES, SIMPLEX, RESULT, CLIPPED,
    CANDIDATES, GROUND_VALUES, FLOAT_LENGTH, HEADER,
) = range(18, 32)  # fmt: skip
"""More of the header: where each part begins in the block of integers and in that of floats, and the blocks' lengths;
then the header's own length."""

BODY, POINT, COUNT, FACE, FACE_COUNT, EDGE, EDGE_COUNT, PLACED, TURNED, SOLID, SHAPE_INTS = range(11)
"""Integers of a shape: body, -1 for the world; its first point and how many; first face, how many; first edge, how
many; whether its points, and its normals, are placed in this call; whether each edge lies between two faces that make
an angle."""

LOOP_START, LOOP_LENGTH, HAS_AREA, FACE_INTS = range(4)
"""Integers of a face: where its loop begins, how long it is; whether it has an area, as those of flat boxes lack."""

CENTER, BOUND, RADIUS, FRICTION, AT, SHAPE_FLOATS = 0, 3, 4, 5, 6, 9
"""Floats of a shape: centre (3) and radius of a sphere around it; radius around its points; friction; the centre in the
world (3), where placed."""

NORMAL, OFFSET, FLOOR_FRICTION, FLOOR_FLOATS = 0, 3, 4, 5
"""Floats of the floor: normal (3); what ``normal @ point`` is on it; friction."""

MOST_CANDIDATES, MOST_NEAR, CANDIDATE_FLOATS = 64, 32, 8
"""Places where a shape may touch the ground, and triangles near one point, that are looked at; and room for each: point
on the ground (3), normal (3), gap, number."""
MOST_CORNERS = 3
"""Contacts of one point of a shape with the ground at most: as where it lies in a corner."""

MOST_LOOP = 64
"""Corners of a face at most."""
MOST_CLIPPED = 2 * MOST_LOOP + 8
"""Corners that two faces may have in common, and some to spare."""
SIMPLEX_ROWS, SIMPLEX_FLOATS = 5, 8
"""Room for a simplex: its corners, and one more; of each the point, and which corners of the two shapes it is of."""
RESULT_FLOATS = 16
"""Room for what is known of two shapes and each other: normal (3), separation, nearest points (3 and 3)."""
CORNER_FLOATS = 8
"""Floats of a corner while polygons are clipped."""

FEW_FACES = 12
"""A shape that has no more is tried face by face before its corners are looked at."""

WIDTH = 12
"""Floats of a contact: point (3) on the surface of b, normal (3) from b to a, gap, friction, body a, body b (-1 the
world), shape a, shape b (-1 the floor)."""
MOST_FLOOR, MOST_PATCH = 8, 4
"""Points that one shape may touch the floor with, and one shape another."""
CODE_BITS = 14
"""Bits of a contact's number that give the feature; above them is the shape, or the pair, counted on after shapes."""


def starts(
    shapes: int, points: int, faces: int, edges: int, loops: int, pairs: int, *, ground: int = 0, ground_floats: int = 0
) -> list[int]:
    """Return what the header holds from ``SHAPE_ROWS`` on, from how many there are of everything."""
    room = (MOST_CANDIDATES + MOST_NEAR) * CANDIDATE_FLOATS if ground else 0
    ints = [HEADER, SHAPE_INTS * shapes, FACE_INTS * faces, 4 * edges, loops, 2 * pairs, 2 * MOST_LOOP, ground]
    floats = [0, SHAPE_FLOATS * shapes, 3 * points, 3 * points, 3 * faces, 3 * faces, pairs, FLOOR_FLOATS,
              SIMPLEX_ROWS * SIMPLEX_FLOATS, RESULT_FLOATS, (2 * MOST_CLIPPED + MOST_LOOP) * CORNER_FLOATS, room,
              ground_floats]  # fmt: skip
    return [sum(lengths[: k + 1]) for lengths in (ints, floats) for k in range(len(lengths))]
