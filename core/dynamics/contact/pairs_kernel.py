"""Where shapes touch: against the floor or the ground, then against obstacles, then against each other."""

from __future__ import annotations

import math

import numpy as np

from core.dynamics.contact.closest_kernel import FAR, TOGETHER, distance, size_of
from core.dynamics.contact.ground_kernel import touch_ground
from core.dynamics.contact.manifold_kernel import patch
from core.dynamics.contact.overlap_kernel import overlap
from core.dynamics.contact.packing import (
    AT,
    BODY,
    BOUND,
    CENTER,
    CLIPPED,
    CODE_BITS,
    CORNER_FLOATS,
    CORNERS,
    COUNT,
    DYNAMIC,
    EDGE_ROWS,
    EDGES,
    FACE,
    FACE_COUNT,
    FACE_INTS,
    FACE_ROWS,
    FACES,
    FEW_FACES,
    FLOOR,
    FLOOR_FLOATS,
    FLOOR_FRICTION,
    FLOOR_VALUES,
    FRICTION,
    GROUND,
    LOCAL,
    LOOP,
    LOOP_START,
    LOOPS,
    MOST_CLIPPED,
    MOST_FLOOR,
    MOST_LOOP,
    NORMALS,
    OFFSET,
    PAIR_FRICTION,
    PAIR_ROWS,
    PAIRS,
    PLACED,
    POINT,
    POINTS,
    RADIUS,
    RESULT,
    RESULT_FLOATS,
    SHAPE_FLOATS,
    SHAPE_INTS,
    SHAPE_ROWS,
    SHAPE_VALUES,
    SHAPES,
    SIMPLEX,
    SIMPLEX_FLOATS,
    SIMPLEX_ROWS,
    TURNED,
    WORLD,
    WORLD_NORMALS,
)
from core.dynamics.contact.placing_kernel import place, turn
from core.kernels import EXACT, F1, F2, F3, I1, I2, kernel, view

_NEAR = 1e-6  # [m]: of points that are as low as another to this the first is taken, so that rounding has no say
_STEEP = 4.0  # how much lower a point counts against how far it is from those taken already


@kernel(python=True, linked=True, fastmath=EXACT)
def find(ints: I1, floats: F1, R: F3, p: F2, reach: F1, out: F2, ids: I1) -> int:
    """Find where shapes touch or are near it; return how many rows were written.

    Args:
        ints: Block of a ``ContactSet``.
        floats: The other one.
        R: Rotations of the bodies in the world, shape (nb, 3, 3).
        p: Their origins, shape (nb, 3), [m].
        reach: For each body how near something must come to count, shape (nb,), [m]; a pair counts by its sum.
        out: A row for each contact, shape (K, 12), as at ``packing.WIDTH``; at most K are written.
        ids: Their numbers, the same from step to step, shape (K,).
    """
    shapes = ints[SHAPES]
    rows = view(ints, ints[SHAPE_ROWS], (shapes, SHAPE_INTS))
    values = view(floats, ints[SHAPE_VALUES], (shapes, SHAPE_FLOATS))
    local = view(floats, ints[LOCAL], (ints[POINTS], 3))
    world = view(floats, ints[WORLD], (ints[POINTS], 3))
    for g in range(ints[DYNAMIC]):
        rows[g, PLACED] = 0
        rows[g, TURNED] = 0
        b = rows[g, BODY]
        x, y, z = values[g, CENTER], values[g, CENTER + 1], values[g, CENTER + 2]
        for k in range(3):
            values[g, AT + k] = R[b, k, 0] * x + R[b, k, 1] * y + R[b, k, 2] * z + p[b, k]
    count = 0
    if ints[GROUND]:
        count = touch_ground(ints, floats, R, p, reach, out, ids)
    elif ints[FLOOR]:
        floor = view(floats, ints[FLOOR_VALUES], (FLOOR_FLOATS,))
        count = touch_floor(ints[DYNAMIC], floor, rows, values, local, world, R, p, reach, out, ids)
    if ints[PAIRS]:
        count = touch_pairs(ints, floats, rows, values, local, world, R, p, reach, count, out, ids)
    return count


@kernel(internal=True, fastmath=EXACT)
def touch_floor(
    dynamic: int, floor: F1, rows: I2, values: F2, local: F2, world: F2, R: F3, p: F2, reach: F1, out: F2, ids: I1,
) -> int:  # fmt: skip
    """Find where shapes on bodies are near the floor; return how many rows were written."""
    count = 0
    x, y, z, offset = floor[0], floor[1], floor[2], floor[OFFSET]
    for g in range(dynamic):
        b = rows[g, BODY]
        most = reach[b]
        middle = x * values[g, AT] + y * values[g, AT + 1] + z * values[g, AT + 2] - offset
        if middle - values[g, BOUND] >= most:
            continue
        place(rows, g, local, world, R, p)
        first, points, radius = rows[g, POINT], rows[g, COUNT], values[g, RADIUS]
        friction = math.sqrt(values[g, FRICTION] * floor[FLOOR_FRICTION])
        near = 0
        lowest = np.inf
        for i in range(first, first + points):
            gap = x * world[i, 0] + y * world[i, 1] + z * world[i, 2] - offset - radius
            if gap < most:
                near += 1
                lowest = min(lowest, gap)
        start = count
        if near <= MOST_FLOOR:
            for i in range(first, first + points):
                gap = x * world[i, 0] + y * world[i, 1] + z * world[i, 2] - offset - radius
                if gap < most and count < len(out):
                    count = floor_row(count, floor, world, i, radius, gap, friction, b, g, i - first, out, ids)
            continue
        for taken in range(MOST_FLOOR):
            best, score = -1, 0.0
            for i in range(first, first + points):
                gap = x * world[i, 0] + y * world[i, 1] + z * world[i, 2] - offset - radius
                if gap >= most:
                    continue
                if taken == 0:
                    if gap <= lowest + _NEAR:
                        best = i
                        break
                    continue
                away = np.inf
                for k in range(start, count):
                    j = first + (ids[k] & ((1 << CODE_BITS) - 1))
                    dx, dy, dz = world[i, 0] - world[j, 0], world[i, 1] - world[j, 1], world[i, 2] - world[j, 2]
                    away = min(away, dx * dx + dy * dy + dz * dz)
                if away > 0.0:
                    worth = math.sqrt(away) - _STEEP * (gap - lowest)
                    if best < 0 or worth > score + _NEAR:
                        best, score = i, worth
            if best < 0 or count >= len(out):
                break
            gap = x * world[best, 0] + y * world[best, 1] + z * world[best, 2] - offset - radius
            count = floor_row(count, floor, world, best, radius, gap, friction, b, g, best - first, out, ids)
    return count


@kernel(inline=True, fastmath=EXACT)
def floor_row(
    count: int, floor: F1, world: F2, i: int, radius: float, gap: float, friction: float, b: int, g: int, code: int,
    out: F2, ids: I1,
) -> int:  # fmt: skip
    """Write a contact of a point with the floor; return the number of rows."""
    row = out[count]
    for k in range(3):
        row[k] = world[i, k] - (gap + radius) * floor[k]
        row[3 + k] = floor[k]
    row[6] = gap
    row[7] = friction
    row[8] = b
    row[9] = -1.0
    row[10] = g
    row[11] = -1.0
    ids[count] = (g << CODE_BITS) | code
    return count + 1


@kernel(internal=True, fastmath=EXACT)
def touch_pairs(
    ints: I1, floats: F1, rows: I2, values: F2, local: F2, world: F2, R: F3, p: F2, reach: F1, count: int, out: F2,
    ids: I1,
) -> int:  # fmt: skip
    """Find where shapes are near obstacles and each other; return how many rows there are."""
    shapes = ints[SHAPES]
    pairs = view(ints, ints[PAIR_ROWS], (ints[PAIRS], 2))
    friction = view(floats, ints[PAIR_FRICTION], (ints[PAIRS],))
    faces = view(ints, ints[FACE_ROWS], (ints[FACES], FACE_INTS))
    edges = view(ints, ints[EDGE_ROWS], (ints[EDGES], 4))
    loops = view(ints, ints[LOOP], (ints[LOOPS],))
    corners = view(ints, ints[CORNERS], (2 * MOST_LOOP,))
    normals = view(floats, ints[NORMALS], (ints[FACES], 3))
    turned = view(floats, ints[WORLD_NORMALS], (ints[FACES], 3))
    simplex = view(floats, ints[SIMPLEX], (SIMPLEX_ROWS, SIMPLEX_FLOATS))
    result = view(floats, ints[RESULT], (1, RESULT_FLOATS))[0]
    room = MOST_CLIPPED * CORNER_FLOATS
    one = view(floats, ints[CLIPPED], (MOST_CLIPPED, CORNER_FLOATS))
    other = view(floats, ints[CLIPPED] + room, (MOST_CLIPPED, CORNER_FLOATS))
    rim = view(floats, ints[CLIPPED] + 2 * room, (MOST_LOOP, CORNER_FLOATS))
    for k in range(len(pairs)):
        ga, gb = pairs[k, 0], pairs[k, 1]
        most = reach[rows[ga, BODY]]
        if rows[gb, BODY] >= 0:
            most += reach[rows[gb, BODY]]
        dx, dy, dz = (
            values[ga, AT] - values[gb, AT],
            values[ga, AT + 1] - values[gb, AT + 1],
            (values[ga, AT + 2] - values[gb, AT + 2]),
        )
        near = values[ga, BOUND] + values[gb, BOUND] + most
        if near <= 0.0 or dx * dx + dy * dy + dz * dz >= near * near:
            continue
        if rows[gb, TURNED] and rows[gb, FACE_COUNT] <= FEW_FACES:
            if beyond(rows, values, ga, gb, faces, loops, world, turned, values[ga, BOUND] + most):
                continue
        for g in (ga, gb):
            place(rows, g, local, world, R, p)
            turn(rows, g, normals, turned, R)
        size = size_of(values, ga, gb)
        far = most + values[ga, RADIUS] + values[gb, RADIUS]
        a0, na, b0, nb = rows[ga, POINT], rows[ga, COUNT], rows[gb, POINT], rows[gb, COUNT]
        found = distance(world, a0, na, b0, nb, far, size, simplex, result)
        if found == FAR:
            continue
        if found == TOGETHER:
            overlap(rows, ga, gb, edges, world, turned, size, (dx, dy, dz), result)
        count = patch(
            rows, values, ga, gb, faces, edges, loops, world, turned, corners, one, other, rim, result, friction[k],
            most, shapes + k, count, out, ids,
        )  # fmt: skip
    return count


@kernel(internal=True, fastmath=EXACT)
def beyond(rows: I2, values: F2, ga: int, gb: int, faces: I2, loops: I1, world: F2, turned: F2, reach: float) -> bool:
    """Return whether a shape's sphere, with its reach, is outside one of the faces of another shape."""
    x, y, z = values[ga, AT], values[ga, AT + 1], values[ga, AT + 2]
    for f in range(rows[gb, FACE], rows[gb, FACE] + rows[gb, FACE_COUNT]):
        i = rows[gb, POINT] + loops[faces[f, LOOP_START]]
        dx, dy, dz = x - world[i, 0], y - world[i, 1], z - world[i, 2]
        if dx * turned[f, 0] + dy * turned[f, 1] + dz * turned[f, 2] >= reach:
            return True
    return False
