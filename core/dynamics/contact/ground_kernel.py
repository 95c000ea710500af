"""Where shapes touch the ground: its triangles, and beside them the floor.

Each point of a shape, with the radius around it, is held against the triangles near it: outside, each place of the
ground that faces it is a contact, in a corner several; inside, the nearest way out is. Edges of the ground that jut out
are held against the faces of solid shapes, and against the axes of capsules. Of all these few are taken that lie far
apart, the deepest first.
"""

from __future__ import annotations

import math

import numpy as np

from core.dynamics.contact.closest_kernel import dot, minus, on_triangle
from core.dynamics.contact.ground_packing import (
    BOX,
    DENSITY,
    EDGE_COUNT,
    EDGE_FIRST,
    EDGE_FLOATS,
    EDGE_MEMBERS,
    EDGE_STARTS,
    EDGES,
    FIRST,
    LEVEL_STARTS,
    LOW_X,
    LOW_Z,
    MEMBERS,
    NORMAL,
    NX,
    NZ,
    SINGLE,
    STARTS,
    STEEPEST,
    TRIANGLE_FLOATS,
    TRIANGLES,
    UP,
    UPRIGHT,
)
from core.dynamics.contact.packing import (
    AT,
    BODY,
    BOUND,
    CANDIDATE_FLOATS,
    CANDIDATES,
    CODE_BITS,
    COUNT,
    DYNAMIC,
    FACE,
    FACE_COUNT,
    FACE_INTS,
    FACE_ROWS,
    FACES,
    FLOOR,
    FLOOR_FLOATS,
    FLOOR_FRICTION,
    FLOOR_VALUES,
    FRICTION,
    GROUND,
    GROUND_FLOATS,
    GROUND_INTS,
    GROUND_VALUES,
    LOCAL,
    LOOP,
    LOOP_START,
    LOOPS,
    MOST_CANDIDATES,
    MOST_CORNERS,
    MOST_FLOOR,
    MOST_NEAR,
    NORMALS,
    OFFSET,
    POINT,
    POINTS,
    RADIUS,
    SHAPE_FLOATS,
    SHAPE_INTS,
    SHAPE_ROWS,
    SHAPE_VALUES,
    SHAPES,
    WORLD,
    WORLD_NORMALS,
)
from core.dynamics.contact.placing_kernel import place, turn
from core.kernels import EXACT, F1, F2, F3, I1, I2, THREE, kernel, view

_NEAR = 1e-6  # [m]: of places that are as deep as another to this the first is taken, so that rounding has no say
_STEEP = 4.0  # how much deeper a place counts against how far it is from those taken already
_JUTS = 1e-6  # [m]: what juts out no farther over a contact's plane is held off by that contact
_IN_PLANE, _RISES, _ALIKE = 1e-3, 1e-5, 0.9999
"""What is no farther below a plane counts as in it, what is farther above it rises from it, [m]; cosine of the angle
between planes that are as good as one."""
_TINY = 1e-12  # [m]: distances that have no direction
_FARTHEST_OUT = 0.3  # [m]: how far a way out other than straight off the triangle above may be
_OVER_EDGE = 1e-9  # barycentric: places on an edge belong to both triangles
_BESIDE = 1e-6  # [m]: what is so far beside a triangle's box may still be on its edge
_LOOKS_UP = 0.3  # cosine of the angle to the ground's own direction from which a face of a shape looks up there
_HUGE = 1e9  # [m]: what is so far away is nowhere near the ground
_CORNER, _EDGE, _NUMBERS = 1 << 6, 1 << 12, 1 << 11
"""Numbers of contacts: a point's own and so many times which of its contacts it is; those of edges from there on."""


@kernel(linked=True, fastmath=EXACT)
def touch_ground(ints: I1, floats: F1, R: F3, p: F2, reach: F1, out: F2, ids: I1) -> int:
    """Find where shapes on bodies are near the ground, or beside it near the floor; return how many rows were written.

    Args:
        ints, floats: Blocks of a ``ContactSet`` that has a ground.
        R, p: Rotations and origins of the bodies in the world, shapes (nb, 3, 3) and (nb, 3), [m].
        reach: For each body how near something must come to count, shape (nb,), [m].
        out: A row for each contact, shape (K, 12); at most K are written.
        ids: Their numbers, shape (K,).
    """
    rows = view(ints, ints[SHAPE_ROWS], (ints[SHAPES], SHAPE_INTS))
    values = view(floats, ints[SHAPE_VALUES], (ints[SHAPES], SHAPE_FLOATS))
    local = view(floats, ints[LOCAL], (ints[POINTS], 3))
    world = view(floats, ints[WORLD], (ints[POINTS], 3))
    faces = view(ints, ints[FACE_ROWS], (ints[FACES], FACE_INTS))
    loops = view(ints, ints[LOOP], (ints[LOOPS],))
    normals = view(floats, ints[NORMALS], (ints[FACES], 3))
    turned = view(floats, ints[WORLD_NORMALS], (ints[FACES], 3))
    floor = view(floats, ints[FLOOR_VALUES], (FLOOR_FLOATS,))
    found = view(floats, ints[CANDIDATES], (MOST_CANDIDATES, CANDIDATE_FLOATS))
    near = view(floats, ints[CANDIDATES] + MOST_CANDIDATES * CANDIDATE_FLOATS, (MOST_NEAR, CANDIDATE_FLOATS))
    grid = view(ints, ints[GROUND_INTS], (ints[GROUND],))
    ground = view(floats, ints[GROUND_VALUES], (ints[GROUND_FLOATS],))
    count = 0
    for g in range(ints[DYNAMIC]):
        b = rows[g, BODY]
        most = reach[b]
        x, y, z, bound = values[g, AT], values[g, AT + 1], values[g, AT + 2], values[g, BOUND]
        over_floor = floor[0] * x + floor[1] * y + floor[2] * z - floor[OFFSET] - bound
        by_floor = ints[FLOOR] != 0 and over_floor < most
        top = highest(grid, ground, x, z, bound + most)
        by_ground = y - bound - most < top
        if not by_floor and not by_ground:
            continue
        place(rows, g, local, world, R, p)
        first, points, radius = rows[g, POINT], rows[g, COUNT], values[g, RADIUS]
        places = 0
        lowest = np.inf
        for i in range(first, first + points):
            at = (world[i, 0], world[i, 1], world[i, 2])
            gap = floor[0] * at[0] + floor[1] * at[1] + floor[2] * at[2] - floor[OFFSET] - radius
            start = places
            lowest = min(lowest, at[1])
            by_floor_here = by_floor and gap < most
            reached = at[1] - radius - most
            by_ground_here = reached < top and reached < highest(grid, ground, at[0], at[2], radius + most)
            if not by_floor_here and not by_ground_here:
                continue
            over = under(grid, ground, at[0], at[2])
            if by_floor_here and over < 0 and places < MOST_CANDIDATES:
                where = (
                    at[0] - (gap + radius) * floor[0], at[1] - (gap + radius) * floor[1],
                    at[2] - (gap + radius) * floor[2],
                )  # fmt: skip
                places = note(found, places, where, (floor[0], floor[1], floor[2]), gap, i - first)
            if by_ground_here:
                places = touch_point(grid, ground, over, at, radius, most, i - first, near, found, start, places)
        if grid[EDGE_COUNT] and points > 1 and lowest - radius - most < top:
            if rows[g, FACE_COUNT] > 2:
                places = touch_edges(
                    rows, g, grid, ground, faces, loops, world, normals, turned, R, most, found, places
                )
            elif points == 2:
                places = touch_axis(world, first, radius, values, g, grid, ground, most, found, places)
        friction = math.sqrt(values[g, FRICTION] * floor[FLOOR_FRICTION])
        count = take(found, places, friction, b, g, count, out, ids)
    return count


@kernel(inline=True, fastmath=EXACT)
def note(found: F2, count: int, at: THREE, normal: THREE, gap: float, number: int) -> int:
    """Write down a place where a shape is near the ground; return how many there are."""
    for k in range(3):
        found[count, k], found[count, 3 + k] = at[k], normal[k]
    found[count, 6], found[count, 7] = gap, number
    return count + 1


@kernel(inline=True, fastmath=EXACT)
def cell_of(place: float, low: float, density: float, count: int) -> int:
    """Return the number of a cell along an axis, -1 before the first and ``count`` behind the last."""
    return math.floor(min(max((place - low) * density, -1.0), float(count)))


@kernel(internal=True, fastmath=EXACT)
def highest(grid: I1, ground: F1, x: float, z: float, reach: float) -> float:
    """Return a height that no ground is above within a reach of a place; minus infinity where there is none."""
    if not (abs(x) < _HUGE and abs(z) < _HUGE and reach < _HUGE):
        return -np.inf
    density, nx, nz = ground[DENSITY], grid[NX], grid[NZ]
    i0, i1 = cell_of(x - reach, ground[LOW_X], density, nx), cell_of(x + reach, ground[LOW_X], density, nx)
    k0, k1 = cell_of(z - reach, ground[LOW_Z], density, nz), cell_of(z + reach, ground[LOW_Z], density, nz)
    if i1 < 0 or k1 < 0 or i0 >= nx or k0 >= nz:
        return -np.inf
    i0, k0, i1, k1 = max(i0, 0), max(k0, 0), min(i1, nx - 1), min(k1, nz - 1)
    level = 0
    while i1 - i0 > 1 or k1 - k0 > 1:
        i0, i1, k0, k1 = i0 >> 1, i1 >> 1, k0 >> 1, k1 >> 1
        level += 1
    start, stride = grid[grid[LEVEL_STARTS] + level], ((nz - 1) >> level) + 1
    most = -np.inf
    for i in range(i0, i1 + 1):
        for k in range(k0, k1 + 1):
            most = max(most, ground[start + i * stride + k])
    return most


@kernel(internal=True, fastmath=EXACT)
def under(grid: I1, ground: F1, x: float, z: float) -> int:
    """Return the triangle under or over a place, the highest of several; -1 beside all of them."""
    if not (abs(x) < _HUGE and abs(z) < _HUGE):
        return -1
    density, nx, nz = ground[DENSITY], grid[NX], grid[NZ]
    # One cell more, as the last ends where the ground does.
    i, k = cell_of(x, ground[LOW_X], density, nx + 1), cell_of(z, ground[LOW_Z], density, nz + 1)
    if i < 0 or k < 0 or i > nx or k > nz:
        return -1
    i, k = min(i, nx - 1), min(k, nz - 1)
    best, top = -1, -np.inf
    begin = grid[STARTS] + i * nz + k
    for j in range(grid[begin], grid[begin + 1]):
        t = grid[grid[MEMBERS] + j]
        base = grid[TRIANGLES] + TRIANGLE_FLOATS * t
        box = base + BOX
        if x < ground[box] - _BESIDE or x > ground[box + 3] + _BESIDE or z < ground[box + 2] - _BESIDE:
            continue
        if z > ground[box + 5] + _BESIDE or ground[box + 4] <= top or abs(ground[base + NORMAL + 1]) <= UPRIGHT:
            continue
        px, py, pz = ground[base], ground[base + 1], ground[base + 2]
        ax, az = ground[base + 3] - px, ground[base + 5] - pz
        bx, bz = ground[base + 6] - px, ground[base + 8] - pz
        dx, dz = x - px, z - pz
        whole = ax * bz - az * bx
        u, v = (dx * bz - dz * bx) / whole, (ax * dz - az * dx) / whole
        if u < -_OVER_EDGE or v < -_OVER_EDGE or u + v > 1.0 + _OVER_EDGE:
            continue
        height = py + u * (ground[base + 4] - py) + v * (ground[base + 7] - py)
        if height > top:
            best, top = t, height
    return best


@kernel(internal=True, fastmath=EXACT)
def near_triangles(grid: I1, ground: F1, at: THREE, reach: float, near: F2) -> int:
    """Write which triangles are within a reach of a point, nearest places first of those in excess; return how many.

    Args:
        grid, ground: The ground.
        at: The point, [m].
        reach: [m].
        near: Gets the nearest place (3), the triangle's own normal, turned to the point (3), which is the direction
            wherever its inside is nearest, else the unit direction to the point; the distance; and the triangle.
    """
    density, nx, nz = ground[DENSITY], grid[NX], grid[NZ]
    x, y, z = at[0], at[1], at[2]
    i0, i1 = max(cell_of(x - reach, ground[LOW_X], density, nx), 0), cell_of(x + reach, ground[LOW_X], density, nx)
    k0, k1 = max(cell_of(z - reach, ground[LOW_Z], density, nz), 0), cell_of(z + reach, ground[LOW_Z], density, nz)
    i1, k1 = min(i1, nx - 1), min(k1, nz - 1)
    # What begins at the very end of the ground is in its last cells.
    i0, k0 = min(i0, nx - 1), min(k0, nz - 1)
    count = 0
    for i in range(i0, i1 + 1):
        for k in range(k0, k1 + 1):
            begin = grid[STARTS] + i * nz + k
            for j in range(grid[begin], grid[begin + 1]):
                t = grid[grid[MEMBERS] + j]
                base = grid[TRIANGLES] + TRIANGLE_FLOATS * t
                box = base + BOX
                if ground[box] - x >= reach or x - ground[box + 3] >= reach or ground[box + 2] - z >= reach:
                    continue
                if z - ground[box + 5] >= reach or y - ground[box + 4] >= reach or ground[box + 1] - y >= reach:
                    continue
                if i != max(i0, grid[grid[FIRST] + 2 * t]) or k != max(k0, grid[grid[FIRST] + 2 * t + 1]):
                    continue  # it was met in another cell
                T = ground[base : base + TRIANGLE_FLOATS]
                n0, n1, n2 = T[NORMAL], T[NORMAL + 1], T[NORMAL + 2]
                off = n0 * (x - T[0]) + n1 * (y - T[1]) + n2 * (z - T[2])
                if abs(off) >= reach:
                    continue
                a = (T[0] - x, T[1] - y, T[2] - z)
                b = (T[3] - x, T[4] - y, T[5] - z)
                c = (T[6] - x, T[7] - y, T[8] - z)
                w = on_triangle(a, b, c)
                sign = -1.0 if off < 0.0 else 1.0
                if w[0] > 0.0 and w[1] > 0.0 and w[2] > 0.0:
                    d = abs(off)
                    p = (x - off * n0, y - off * n1, z - off * n2)
                    m = (sign * n0, sign * n1, sign * n2)
                else:
                    q = (
                        w[0] * a[0] + w[1] * b[0] + w[2] * c[0],
                        w[0] * a[1] + w[1] * b[1] + w[2] * c[1],
                        w[0] * a[2] + w[1] * b[2] + w[2] * c[2],
                    )
                    d = math.sqrt(dot(q, q))
                    if d >= reach:
                        continue
                    p = (x + q[0], y + q[1], z + q[2])
                    m = (sign * n0, sign * n1, sign * n2)
                    if d > _TINY:
                        m = (-q[0] / d, -q[1] / d, -q[2] / d)
                slot = count
                if count == MOST_NEAR:
                    slot = 0
                    for s in range(1, MOST_NEAR):
                        if near[s, 6] > near[slot, 6]:
                            slot = s
                    if near[slot, 6] <= d:
                        continue
                    count -= 1
                note(near, slot, p, m, d, t)
                count += 1
    return count


@kernel(internal=True, fastmath=EXACT)
def touch_point(
    grid: I1, ground: F1, t: int, at: THREE, radius: float, most: float, number: int, near: F2, found: F2, start: int,
    places: int,
) -> int:  # fmt: skip
    """Note where a point with a radius around it is near the ground; return how many places there are.

    Args:
        t: The triangle under or over the point, -1 for none.
        start: Where the places of this point begin among those found.
    """
    if t >= 0:
        base = grid[TRIANGLES] + TRIANGLE_FLOATS * t
        n = (ground[base + NORMAL], ground[base + NORMAL + 1], ground[base + NORMAL + 2])
        off = dot(n, minus(at, (ground[base], ground[base + 1], ground[base + 2])))
        if grid[SINGLE] and off * ground[STEEPEST] >= (radius + most) * n[1]:
            return places  # so high over the ground that no slope there reaches it
        if grid[SINGLE] and off >= -radius - most and alone(ground, base, at, radius + most):
            if off < radius + most and places < MOST_CANDIDATES:
                where = (at[0] - off * n[0], at[1] - off * n[1], at[2] - off * n[2])
                places = note(found, places, where, n, off - radius, number + _CORNER * (places - start))
            return places
        if off < 0.0:
            places = way_out(grid, ground, at, n, off, radius, number, near, found, places)
            count = near_triangles(grid, ground, at, radius + most, near)
            for k in range(count):  # of the others only those that it is outside of
                own = grid[TRIANGLES] + TRIANGLE_FLOATS * int(near[k, 7])
                m = (ground[own + NORMAL], ground[own + NORMAL + 1], ground[own + NORMAL + 2])
                if m[1] > UPRIGHT and dot(m, minus(at, (ground[own], ground[own + 1], ground[own + 2]))) <= 0.0:
                    near[k, 6] = -1.0
        else:
            count = near_triangles(grid, ground, at, radius + most, near)
    else:
        count = near_triangles(grid, ground, at, radius + most, near)
    while places - start < MOST_CORNERS and places < MOST_CANDIDATES:
        best = -1
        for k in range(count):
            if near[k, 6] < 0.0 or (best >= 0 and near[k, 6] >= near[best, 6]):
                continue
            juts = True
            for j in range(start, places):
                juts = juts and holds(grid, ground, at, near, k, found, j)
            if juts:
                best = k
            else:
                near[k, 6] = -1.0  # held off already
        if best < 0:
            break
        place_of, normal = (near[best, 0], near[best, 1], near[best, 2]), (near[best, 3], near[best, 4], near[best, 5])
        places = note(found, places, place_of, normal, near[best, 6] - radius, number + _CORNER * (places - start))
        near[best, 6] = -1.0
    return places


@kernel(inline=True, fastmath=EXACT)
def alone(ground: F1, base: int, at: THREE, reach: float) -> bool:
    """Return whether all places within a reach of a point, as seen from above, lie over a triangle."""
    ax, az = ground[base + 3] - ground[base], ground[base + 5] - ground[base + 2]
    sign = 1.0 if ax * (ground[base + 8] - ground[base + 2]) > az * (ground[base + 6] - ground[base]) else -1.0
    for k in range(3):
        i, j = base + 3 * k, base + 3 * ((k + 1) % 3)
        ex, ez = ground[j] - ground[i], ground[j + 2] - ground[i + 2]
        over = sign * (ex * (at[2] - ground[i + 2]) - ez * (at[0] - ground[i]))
        if over < 0.0 or over * over < reach * reach * (ex * ex + ez * ez):
            return False
    return True


@kernel(internal=True, fastmath=EXACT)
def holds(grid: I1, ground: F1, at: THREE, near: F2, k: int, found: F2, j: int) -> bool:
    """Return whether a triangle near a point holds it off where a contact taken already does not.

    It does if its nearest place juts out over that contact's plane. It also does if that place lies in the plane and
    the triangle rises from there: then the point is near the bottom of a corner, and the triangle's whole plane counts.
    """
    n = (found[j, 3], found[j, 4], found[j, 5])
    base = (found[j, 0], found[j, 1], found[j, 2])
    over = dot(n, minus((near[k, 0], near[k, 1], near[k, 2]), base))
    if over > _JUTS:
        return True
    if over < -_IN_PLANE:
        return False
    t = int(near[k, 7])
    T = ground[grid[TRIANGLES] + TRIANGLE_FLOATS * t : grid[TRIANGLES] + TRIANGLE_FLOATS * (t + 1)]
    rise = max(
        dot(n, minus((T[0], T[1], T[2]), base)), dot(n, minus((T[3], T[4], T[5]), base)),
        dot(n, minus((T[6], T[7], T[8]), base)),
    )  # fmt: skip
    if rise <= _RISES:
        return False
    off = dot((T[NORMAL], T[NORMAL + 1], T[NORMAL + 2]), minus(at, (T[0], T[1], T[2])))
    sign = -1.0 if off < 0.0 else 1.0
    if sign * (n[0] * T[NORMAL] + n[1] * T[NORMAL + 1] + n[2] * T[NORMAL + 2]) > _ALIKE:
        return False
    for i in range(3):
        near[k, 3 + i] = sign * T[NORMAL + i]
        near[k, i] = at[i] - off * T[NORMAL + i]
    near[k, 6] = abs(off)
    return True


@kernel(internal=True, fastmath=EXACT)
def way_out(
    grid: I1, ground: F1, at: THREE, normal: THREE, off: float, radius: float, number: int, near: F2, found: F2,
    places: int,
) -> int:  # fmt: skip
    """Note the nearest way out of the ground for a point inside it, none downwards; return how many places there are.

    Args:
        normal: Of the triangle over the point.
        off: How far over that one's plane the point is, less than 0, [m].
    """
    if places >= MOST_CANDIDATES:
        return places
    where = (at[0] - off * normal[0], at[1] - off * normal[1], at[2] - off * normal[2])
    out, depth = normal, -off
    count = near_triangles(grid, ground, at, min(depth, _FARTHEST_OUT), near)
    for k in range(count):
        if near[k, 6] < depth and near[k, 6] > _TINY and near[k, 4] <= 0.0:
            depth = near[k, 6]
            where = (near[k, 0], near[k, 1], near[k, 2])
            out = (-near[k, 3], -near[k, 4], -near[k, 5])
    return note(found, places, where, out, -depth - radius, number)


@kernel(internal=True, fastmath=EXACT)
def touch_edges(
    rows: I2, g: int, grid: I1, ground: F1, faces: I2, loops: I1, world: F2, normals: F2, turned: F2, R: F3,
    most: float, found: F2, places: int,
) -> int:  # fmt: skip
    """Note where edges of the ground that jut out are near a face of a solid shape; return how many places there are.

    Of each edge both ends of what lies before that face.
    """
    density, nx, nz = ground[DENSITY], grid[NX], grid[NZ]
    low_x = low_y = low_z = np.inf
    high_x = high_z = -np.inf
    for i in range(rows[g, POINT], rows[g, POINT] + rows[g, COUNT]):
        low_x, low_y, low_z = min(low_x, world[i, 0]), min(low_y, world[i, 1]), min(low_z, world[i, 2])
        high_x, high_z = max(high_x, world[i, 0]), max(high_z, world[i, 2])
    low_x, low_y, low_z, high_x, high_z = low_x - most, low_y - most, low_z - most, high_x + most, high_z + most
    i0 = min(max(cell_of(low_x, ground[LOW_X], density, nx), 0), nx - 1)
    i1 = min(cell_of(high_x, ground[LOW_X], density, nx), nx - 1)
    k0 = min(max(cell_of(low_z, ground[LOW_Z], density, nz), 0), nz - 1)
    k1 = min(cell_of(high_z, ground[LOW_Z], density, nz), nz - 1)
    for i in range(i0, i1 + 1):
        for k in range(k0, k1 + 1):
            begin = grid[EDGE_STARTS] + i * nz + k
            for j in range(grid[begin], grid[begin + 1]):
                e = grid[grid[EDGE_MEMBERS] + j]
                base = grid[EDGES] + EDGE_FLOATS * e
                if max(ground[base + 1], ground[base + 4]) <= low_y or max(ground[base], ground[base + 3]) <= low_x:
                    continue
                if min(ground[base], ground[base + 3]) >= high_x or max(ground[base + 2], ground[base + 5]) <= low_z:
                    continue
                if min(ground[base + 2], ground[base + 5]) >= high_z:
                    continue
                if i != max(i0, grid[grid[EDGE_FIRST] + 2 * e]) or k != max(k0, grid[grid[EDGE_FIRST] + 2 * e + 1]):
                    continue
                turn(rows, g, normals, turned, R)
                E = ground[base : base + EDGE_FLOATS]
                ab = (E[3] - E[0], E[4] - E[1], E[5] - E[2])
                # The face that it is least far behind, but for those that look up.
                face, farthest = -1, -np.inf
                for f in range(rows[g, FACE], rows[g, FACE] + rows[g, FACE_COUNT]):
                    m = (turned[f, 0], turned[f, 1], turned[f, 2])
                    c = rows[g, POINT] + loops[faces[f, LOOP_START]]
                    over = dot(m, (E[0] - world[c, 0], E[1] - world[c, 1], E[2] - world[c, 2]))
                    over += min(dot(m, ab), 0.0)
                    if over >= most:
                        farthest = over
                        break
                    if over > farthest and m[0] * E[UP] + m[1] * E[UP + 1] + m[2] * E[UP + 2] <= _LOOKS_UP:
                        face, farthest = f, over
                if face < 0 or farthest >= most:
                    continue
                low, high = 0.0, 1.0
                for f in range(rows[g, FACE], rows[g, FACE] + rows[g, FACE_COUNT]):
                    if f == face:
                        continue
                    c = rows[g, POINT] + loops[faces[f, LOOP_START]]
                    m = (turned[f, 0], turned[f, 1], turned[f, 2])
                    over = dot(m, (E[0] - world[c, 0], E[1] - world[c, 1], E[2] - world[c, 2]))
                    slope = dot(m, ab)
                    if slope > 0.0:
                        high = min(high, -over / slope)
                    elif slope < 0.0:
                        low = max(low, -over / slope)
                    elif over > 0.0:
                        high = -1.0
                if high <= low:
                    continue
                c = rows[g, POINT] + loops[faces[face, LOOP_START]]
                m = (turned[face, 0], turned[face, 1], turned[face, 2])
                out = (-m[0], -m[1], -m[2])
                for end in range(2):
                    s = low if end == 0 else high
                    q = (E[0] + s * ab[0], E[1] + s * ab[1], E[2] + s * ab[2])
                    gap = dot(m, (q[0] - world[c, 0], q[1] - world[c, 1], q[2] - world[c, 2]))
                    if gap < most and places < MOST_CANDIDATES:
                        places = note(found, places, q, out, gap, _EDGE + (2 * e + end) % _NUMBERS)
    return places


@kernel(internal=True, fastmath=EXACT)
def touch_axis(
    world: F2, first: int, radius: float, values: F2, g: int, grid: I1, ground: F1, most: float, found: F2, places: int,
) -> int:  # fmt: skip
    """Note where edges that jut out are near a capsule between its ends; return how many places there are."""
    density, nx, nz = ground[DENSITY], grid[NX], grid[NZ]
    x, z, reach = values[g, AT], values[g, AT + 2], values[g, BOUND] + most
    i0, i1 = (
        max(cell_of(x - reach, ground[LOW_X], density, nx), 0),
        min(cell_of(x + reach, ground[LOW_X], density, nx), nx - 1),
    )
    k0, k1 = (
        max(cell_of(z - reach, ground[LOW_Z], density, nz), 0),
        min(cell_of(z + reach, ground[LOW_Z], density, nz), nz - 1),
    )
    i0, k0 = min(i0, nx - 1), min(k0, nz - 1)
    start = (world[first, 0], world[first, 1], world[first, 2])
    axis = minus((world[first + 1, 0], world[first + 1, 1], world[first + 1, 2]), start)
    aa = dot(axis, axis)
    for i in range(i0, i1 + 1):
        for k in range(k0, k1 + 1):
            begin = grid[EDGE_STARTS] + i * nz + k
            for j in range(grid[begin], grid[begin + 1]):
                e = grid[grid[EDGE_MEMBERS] + j]
                if i != max(i0, grid[grid[EDGE_FIRST] + 2 * e]) or k != max(k0, grid[grid[EDGE_FIRST] + 2 * e + 1]):
                    continue
                E = ground[grid[EDGES] + EDGE_FLOATS * e : grid[EDGES] + EDGE_FLOATS * (e + 1)]
                a = (E[0], E[1], E[2])
                ab = (E[3] - E[0], E[4] - E[1], E[5] - E[2])
                r = minus(start, a)
                ee, ae, ar, er = dot(ab, ab), dot(axis, ab), dot(axis, r), dot(ab, r)
                whole = aa * ee - ae * ae
                if whole <= 1e-9 * aa * ee:
                    continue  # along each other: its ends are near the ground
                s, t = (ae * er - ee * ar) / whole, (aa * er - ae * ar) / whole
                if s <= 0.0 or s >= 1.0 or t <= 0.0 or t >= 1.0:
                    continue
                q = (a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2])
                off = minus((start[0] + s * axis[0], start[1] + s * axis[1], start[2] + s * axis[2]), q)
                d = math.sqrt(dot(off, off))
                sign = 1.0
                over = under(grid, ground, q[0] + off[0], q[2] + off[2])
                if over >= 0:  # its axis may have sunk below the edge
                    T = ground[
                        grid[TRIANGLES] + TRIANGLE_FLOATS * over : grid[TRIANGLES] + TRIANGLE_FLOATS * (over + 1)
                    ]
                    n = (T[NORMAL], T[NORMAL + 1], T[NORMAL + 2])
                    if dot(n, minus((q[0] + off[0], q[1] + off[1], q[2] + off[2]), (T[0], T[1], T[2]))) < 0.0:
                        sign = -1.0
                if d <= _TINY or sign * d - radius >= most or places >= MOST_CANDIDATES:
                    continue
                n = (sign * off[0] / d, sign * off[1] / d, sign * off[2] / d)
                places = note(found, places, q, n, sign * d - radius, _EDGE + (2 * e) % _NUMBERS)
    return places


@kernel(internal=True, fastmath=EXACT)
def take(found: F2, places: int, friction: float, b: int, g: int, count: int, out: F2, ids: I1) -> int:
    """Write rows for few of the places found, far apart and the deepest first; return how many rows there are."""
    start = count
    if places > MOST_FLOOR:
        lowest = np.inf
        for i in range(places):
            lowest = min(lowest, found[i, 6])
    else:
        lowest = 0.0
    for turn_of in range(min(places, MOST_FLOOR)):
        best, score = turn_of, 0.0
        if places > MOST_FLOOR:
            best = -1
            for i in range(places):
                if turn_of == 0:
                    if found[i, 6] <= lowest + _NEAR:
                        best = i
                        break
                    continue
                away = np.inf
                for k in range(start, count):
                    dx, dy, dz = found[i, 0] - out[k, 0], found[i, 1] - out[k, 1], found[i, 2] - out[k, 2]
                    away = min(away, dx * dx + dy * dy + dz * dz)
                if away > 0.0:
                    worth = math.sqrt(away) - _STEEP * (found[i, 6] - lowest)
                    if best < 0 or worth > score + _NEAR:
                        best, score = i, worth
        if best < 0 or count >= len(out):
            break
        row, place_of = out[count], found[best]
        for k in range(7):
            row[k] = place_of[k]
        row[7], row[8], row[9], row[10], row[11] = friction, b, -1.0, g, -1.0
        ids[count] = (g << CODE_BITS) | int(place_of[7])
        count += 1
    return count
