"""Values and Jacobians of the rows of locks."""

from __future__ import annotations

import math

from core.constraints.hold.packed import (
    AIM,
    AXIS,
    CONE_ROW,
    DISTANCE,
    EQUATION,
    MASS,
    POINT,
    ROTATION,
    SMALL,
    Hold,
)
from core.constraints.tape_kernel import AWAY, run
from core.kernels import F1, F2, F3, FOUR, I1, PAIR, THREE, kernel
from core.kinematics.joints_kernel import move_nodes, point_speed, turn_speed
from core.kinematics.nodes_kernel import in_frame, place, rotation_vector
from core.skeleton.tree import KIND_BEFORE, KIND_HINGE, KIND_SLIDE

FAR = 0.25
"""Distance [W] of the centre of mass from an edge at which a step need not mind it."""


@kernel(inline=True)
def world_point(X: F3, base: F3, k: int, point: F2, e: int) -> THREE:
    """Return point e in the world: it lies in the frame of node k, or the base frame."""
    a, b, c = point[e, 0], point[e, 1], point[e, 2]
    if k < 0:
        return (
            base[0, 0, 0] * a + base[0, 0, 1] * b + base[0, 0, 2] * c + base[0, 0, 3],
            base[0, 1, 0] * a + base[0, 1, 1] * b + base[0, 1, 2] * c + base[0, 1, 3],
            base[0, 2, 0] * a + base[0, 2, 1] * b + base[0, 2, 2] * c + base[0, 2, 3],
        )
    return (
        X[k, 0, 0] * a + X[k, 0, 1] * b + X[k, 0, 2] * c + X[k, 0, 3],
        X[k, 1, 0] * a + X[k, 1, 1] * b + X[k, 1, 2] * c + X[k, 1, 3],
        X[k, 2, 0] * a + X[k, 2, 1] * b + X[k, 2, 2] * c + X[k, 2, 3],
    )


@kernel(inline=True)
def world_axis(R: F3, base: F3, k: int, basis: F3, e: int, j: int) -> THREE:
    """Return column j of basis e in the world: it is expressed in the frame of node k, or the base frame."""
    a, b, c = basis[e, 0, j], basis[e, 1, j], basis[e, 2, j]
    if k < 0:
        return (
            base[1, 0, 0] * a + base[1, 0, 1] * b + base[1, 0, 2] * c,
            base[1, 1, 0] * a + base[1, 1, 1] * b + base[1, 1, 2] * c,
            base[1, 2, 0] * a + base[1, 2, 1] * b + base[1, 2, 2] * c,
        )
    return (
        R[k, 0, 0] * a + R[k, 0, 1] * b + R[k, 0, 2] * c,
        R[k, 1, 0] * a + R[k, 1, 1] * b + R[k, 1, 2] * c,
        R[k, 2, 0] * a + R[k, 2, 1] * b + R[k, 2, 2] * c,
    )


@kernel(inline=True)
def sight(h: Hold, e: int) -> FOUR:
    """Return the direction that an ``AXIS`` or ``AIM`` entry points along, and its length, 0 for a constant one."""
    entry = h.entries[e]
    if entry.form == AXIS:
        return h.wanted[e, 0, 0], h.wanted[e, 0, 1], h.wanted[e, 0, 2], 0.0
    a, b, c = world_point(h.X, h.base, entry.node, h.point, e)
    x, y, z = world_point(h.X, h.base, entry.other, h.other_point, e)
    x, y, z = x - a, y - b, z - c
    length = math.sqrt(x * x + y * y + z * z)
    if length > 0.0:
        return x / length, y / length, z / length, length
    return 1.0, 0.0, 0.0, 1.0


@kernel(inline=True)
def gather_masses(parent: I1, mass: F1, moment: F2, X: F3, below: F2) -> None:
    """Write mass and moment of what each node moves into ``below``."""
    for k in range(len(mass)):
        below[k, 0] = mass[k]
        for i in range(3):
            m = X[k, i, 0] * moment[k, 0] + X[k, i, 1] * moment[k, 1] + X[k, i, 2] * moment[k, 2]
            below[k, 1 + i] = m + X[k, i, 3] * mass[k]
    for k in range(len(mass) - 1, -1, -1):
        if parent[k] >= 0:
            for i in range(4):
                below[parent[k], i] += below[k, i]


@kernel(inline=True)
def mass_center(parent: I1, below: F2, standing: F1) -> THREE:
    """Return the centre of mass, after ``gather_masses``."""
    x, y, z = standing[1], standing[2], standing[3]
    for k in range(len(parent)):
        if parent[k] < 0:
            x, y, z = x + below[k, 1], y + below[k, 2], z + below[k, 3]
    return x, y, z


@kernel(inline=True)
def angle_factors(sine: float, cosine: float) -> PAIR:
    """Return ``f = t / sin t`` and ``g = (df/dt) / sin t`` of the angle t with that sine, 0 or more, and cosine."""
    if sine < SMALL:
        s = sine * sine
        return 1.0 + s / 6.0 + 3.0 * s * s / 40.0, 1.0 / 3.0 + 2.0 * s / 15.0
    t = math.atan2(sine, cosine)
    return t / sine, (sine - t * cosine) / (sine * sine * sine)


@kernel(inline=True)
def carried_row(h: Hold, e: int, i: int) -> THREE:
    """Return row i of the rotation that a ``ROTATION`` entry wants of its part, where another part carries it."""
    R, W, k = h.R, h.wanted, h.entries[e].other
    a, b, c = R[k, i, 0], R[k, i, 1], R[k, i, 2]
    return (
        a * W[e, 0, 0] + b * W[e, 1, 0] + c * W[e, 2, 0],
        a * W[e, 0, 1] + b * W[e, 1, 1] + c * W[e, 2, 1],
        a * W[e, 0, 2] + b * W[e, 1, 2] + c * W[e, 2, 2],
    )


@kernel(internal=True)
def evaluate_carried(h: Hold, e: int, pose: int) -> None:
    """Write C of a ``ROTATION`` entry whose target another part carries."""
    C, R, base, basis, k, first = h.C[pose], h.R, h.base, h.basis, h.entries[e].node, h.entries[e].first
    a0, a1, a2 = world_axis(R, base, k, basis, e, 0)
    b0, b1, b2 = world_axis(R, base, k, basis, e, 1)
    c0, c1, c2 = world_axis(R, base, k, basis, e, 2)
    u0, v0, w0 = carried_row(h, e, 0)
    u1, v1, w1 = carried_row(h, e, 1)
    u2, v2, w2 = carried_row(h, e, 2)
    C[first], C[first + 1], C[first + 2] = rotation_vector(
        a0 * u0 + b0 * v0 + c0 * w0,
        a0 * u1 + b0 * v1 + c0 * w1,
        a0 * u2 + b0 * v2 + c0 * w2,
        a1 * u0 + b1 * v0 + c1 * w0,
        a1 * u1 + b1 * v1 + c1 * w1,
        a1 * u2 + b1 * v2 + c1 * w2,
        a2 * u0 + b2 * v0 + c2 * w0,
        a2 * u1 + b2 * v1 + c2 * w1,
        a2 * u2 + b2 * v2 + c2 * w2,
    )


@kernel(internal=True)
def evaluate_member(h: Hold, e: int, pose: int) -> None:
    """Write C of a ``MASS`` entry of one of several figures: of what its root moves."""
    C, D, below, entry = h.C[pose], h.directions, h.below, h.entries[e]
    x, y, z = below[entry.node, 1], below[entry.node, 2], below[entry.node, 3]
    for r in range(entry.first, entry.first + entry.size):
        C[r] = D[r, 0] * x + D[r, 1] * y + D[r, 2] * z - h.bound[r]


@kernel(internal=True)
def evaluate_equation(h: Hold, e: int, pose: int) -> None:
    """Write C of an ``EQUATION`` entry: what it names goes into its cells, the operations do the rest."""
    C, x, cells, references, lever, spans = h.C[pose], h.x[pose], h.cells, h.references, h.lever, h.spans
    for j in range(spans[e, 0], spans[e, 1]):
        k, axis = references[j, 0], references[j, 1]
        if axis < 0:
            cells[references[j, 2]] = x[k] * lever[j, 3]
        else:
            a, b, c = world_point(h.X, h.base, k, lever, j)
            cells[references[j, 2]] = lever[j, 3] * (a if axis == 0 else b if axis == 1 else c)
    run(h.tape, cells, spans[e, 2], spans[e, 3])
    for i in range(h.entries[e].size):
        off = cells[h.outputs[spans[e, 5] + i]]
        if math.isnan(off):
            off = 0.0
        elif math.isinf(off):
            off = math.copysign(AWAY, off)
        C[h.entries[e].first + i] = off * h.target[e, 0]


@kernel(linked=True, python=True)
def evaluate(h: Hold, pose: int) -> PAIR:
    """Write the frames and the rows' C of a pose; those of functions are written already, see ``functions``.

    Returns:
        The sum of squares of the hard rows, inequalities as far as they are violated, and the largest length of C
        of one hard entry.
    """
    x, C, D, X, R, base = h.x[pose], h.C[pose], h.directions, h.X, h.R, h.base
    point, other_point, target, basis, W = h.point, h.other_point, h.target, h.basis, h.wanted
    affine = h.state.affine != 0
    if h.state.record_length != 0:
        move_nodes(h.kind, h.record, h.records, h.fixed, h.turn, x, h.F, h.placed, h.S)
    place(h.parent, h.kind, h.F, h.placed, affine, h.base, x, h.cosine, h.sine, h.X, h.R)
    cx = cy = cz = 0.0
    if h.state.massive != 0:
        gather_masses(h.parent, h.mass, h.moment, h.X, h.below)
        cx, cy, cz = mass_center(h.parent, h.below, h.standing)
    cost = worst = 0.0
    for e in range(len(h.entries)):
        entry = h.entries[e]
        form, k, first, size = entry.form, entry.node, entry.first, entry.size
        if form == POINT or form == DISTANCE:
            a, b, c = world_point(X, base, k, point, e)
            u, v, w = world_point(X, base, entry.other, other_point, e)
            a, b, c = a - u, b - v, c - w
            if form == DISTANCE:
                C[first] = math.sqrt(a * a + b * b + c * c) - target[e, 0]
            else:
                a, b, c = a - target[e, 0], b - target[e, 1], c - target[e, 2]
                for r in range(first, first + size):
                    C[r] = D[r, 0] * a + D[r, 1] * b + D[r, 2] * c
        elif form == ROTATION and entry.other >= 0:
            evaluate_carried(h, e, pose)
        elif form == ROTATION:
            a0, a1, a2 = world_axis(R, base, k, basis, e, 0)
            b0, b1, b2 = world_axis(R, base, k, basis, e, 1)
            c0, c1, c2 = world_axis(R, base, k, basis, e, 2)
            C[first], C[first + 1], C[first + 2] = rotation_vector(
                a0 * W[e, 0, 0] + b0 * W[e, 0, 1] + c0 * W[e, 0, 2],
                a0 * W[e, 1, 0] + b0 * W[e, 1, 1] + c0 * W[e, 1, 2],
                a0 * W[e, 2, 0] + b0 * W[e, 2, 1] + c0 * W[e, 2, 2],
                a1 * W[e, 0, 0] + b1 * W[e, 0, 1] + c1 * W[e, 0, 2],
                a1 * W[e, 1, 0] + b1 * W[e, 1, 1] + c1 * W[e, 1, 2],
                a1 * W[e, 2, 0] + b1 * W[e, 2, 1] + c1 * W[e, 2, 2],
                a2 * W[e, 0, 0] + b2 * W[e, 0, 1] + c2 * W[e, 0, 2],
                a2 * W[e, 1, 0] + b2 * W[e, 1, 1] + c2 * W[e, 1, 2],
                a2 * W[e, 2, 0] + b2 * W[e, 2, 1] + c2 * W[e, 2, 2],
            )
        elif form == AXIS or form == AIM:
            d0, d1, d2, _ = sight(h, e)
            a0, a1, a2 = world_axis(R, base, k, basis, e, 0)
            b0, b1, b2 = world_axis(R, base, k, basis, e, 1)
            c0, c1, c2 = world_axis(R, base, k, basis, e, 2)
            u, v, w = a0 * d0 + a1 * d1 + a2 * d2, b0 * d0 + b1 * d1 + b2 * d2, c0 * d0 + c1 * d1 + c2 * d2
            s = math.sqrt(u * u + v * v)
            if s < SMALL and w < 0.0:
                t = math.atan2(s, w)
                C[first], C[first + 1] = (t * u / s, t * v / s) if s > 0.0 else (t, 0.0)
            else:
                f = angle_factors(s, w)[0]
                C[first], C[first + 1] = f * u, f * v
        elif form == MASS and k >= 0:
            evaluate_member(h, e, pose)
        elif form == MASS:
            for r in range(first, first + size):
                C[r] = D[r, 0] * cx + D[r, 1] * cy + D[r, 2] * cz - h.bound[r]
        elif form == EQUATION:
            evaluate_equation(h, e, pose)
        elif form == CONE_ROW:
            C[first] = h.cone[k] - math.cos(x[k]) * math.cos(x[h.partner[k]])
        if e < h.state.first_soft:
            total = 0.0
            for r in range(first, first + size):
                off = max(C[r], 0.0) if entry.inequality != 0 else C[r]
                total += off * off
            cost += total
            worst = max(worst, math.sqrt(total))
    return cost, worst


@kernel(internal=True)
def carried_by(X: F3, S: F2, k: int, a: float, b: float, c: float) -> THREE:
    """Return how a point of the world moves with a coordinate of a joint."""
    a, b, c = in_frame(X, k, a, b, c)
    return point_speed(X, S, k, a, b, c)


@kernel(inline=True)
def turned_by(R: F3, S: F2, kind: I1, k: int) -> THREE:
    """Return how a part turns with node k."""
    if kind[k] == KIND_HINGE:
        return R[k, 0, 2], R[k, 1, 2], R[k, 2, 2]
    if kind[k] >= KIND_BEFORE:
        return turn_speed(R, S, k)
    return 0.0, 0.0, 0.0


@kernel(inline=True)
def moved_by(X: F3, S: F2, kind: I1, affine: bool, k: int, a: float, b: float, c: float) -> THREE:
    """Return how a point of the world moves with node k."""
    if kind[k] != KIND_HINGE:
        if kind[k] >= KIND_BEFORE:
            return carried_by(X, S, k, a, b, c)
        return X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
    if affine:
        u, v, _ = in_frame(X, k, a, b, c)
        return u * X[k, 0, 1] - v * X[k, 0, 0], u * X[k, 1, 1] - v * X[k, 1, 0], u * X[k, 2, 1] - v * X[k, 2, 0]
    a, b, c = a - X[k, 0, 3], b - X[k, 1, 3], c - X[k, 2, 3]
    x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
    return y * c - z * b, z * a - x * c, x * b - y * a


@kernel(inline=True)
def parted_by(
    X: F3, S: F2, kind: I1, affine: bool, bits: int, k: int, a: float, b: float, c: float, u: float, v: float,
    w: float,
) -> THREE:  # fmt: skip
    """Return how node k moves the first point (a, b, c) of an entry against the second (u, v, w)."""
    x = y = z = 0.0
    if bits & 1:
        x, y, z = moved_by(X, S, kind, affine, k, a, b, c)
    if bits & 2:
        p, q, r = moved_by(X, S, kind, affine, k, u, v, w)
        x, y, z = x - p, y - q, z - r
    return x, y, z


@kernel(internal=True)
def point_columns(h: Hold, e: int) -> None:
    """Write the Jacobian of a ``POINT`` or ``DISTANCE`` entry."""
    J, D, X, S, kind, reach, entry = h.J, h.directions, h.X, h.S, h.kind, h.reach, h.entries[e]
    first, size, affine = entry.first, entry.size, h.state.affine != 0
    a, b, c = world_point(X, h.base, entry.node, h.point, e)
    u, v, w = world_point(X, h.base, entry.other, h.other_point, e)
    if entry.form == DISTANCE:
        x, y, z = a - u, b - v, c - w
        length = math.sqrt(x * x + y * y + z * z)
        D[first, 0], D[first, 1], D[first, 2] = (
            (x / length, y / length, z / length) if length > 0.0 else (1.0, 0.0, 0.0)
        )
    for k in range(J.shape[1]):
        if reach[e, k] != 0:
            x, y, z = parted_by(X, S, kind, affine, reach[e, k], k, a, b, c, u, v, w)
            for r in range(first, first + size):
                J[r, k] = D[r, 0] * x + D[r, 1] * y + D[r, 2] * z
        else:
            for r in range(first, first + size):
                J[r, k] = 0.0


@kernel(internal=True)
def rotation_columns(h: Hold, e: int, pose: int) -> None:
    """Write the Jacobian of a ``ROTATION`` entry: the inverse left Jacobian of C times the axes."""
    J, R, S, kind, reach, r, C = h.J, h.R, h.S, h.kind, h.reach, h.entries[e].first, h.C[pose]
    a, b, c = C[r], C[r + 1], C[r + 2]
    s = a * a + b * b + c * c
    t = math.sqrt(s)
    if t < 1e-2:
        d = 1.0 / 12.0 + s / 720.0 * (1.0 + s / 42.0)
    else:
        d = (1.0 - 0.5 * t * math.cos(0.5 * t) / math.sin(0.5 * t)) / s
    for k in range(J.shape[1]):
        if reach[e, k] != 0 and kind[k] != KIND_SLIDE:
            x, y, z = turned_by(R, S, kind, k)
            along = d * (a * x + b * y + c * z)
            rest = 1.0 - d * s
            J[r, k] = rest * x - 0.5 * (b * z - c * y) + along * a
            J[r + 1, k] = rest * y - 0.5 * (c * x - a * z) + along * b
            J[r + 2, k] = rest * z - 0.5 * (a * y - b * x) + along * c
        else:
            J[r, k] = J[r + 1, k] = J[r + 2, k] = 0.0


@kernel(internal=True)
def carried_columns(h: Hold, e: int, pose: int) -> None:
    """Write the Jacobian of a ``ROTATION`` entry whose target another part carries.

    It is the inverse left Jacobian of C times the axes that turn the part, less the inverse right one times those that
    turn what carries the target; the two differ in the sign of their odd part.
    """
    J, R, S, kind, reach, r, C = h.J, h.R, h.S, h.kind, h.reach, h.entries[e].first, h.C[pose]
    a, b, c = C[r], C[r + 1], C[r + 2]
    s = a * a + b * b + c * c
    t = math.sqrt(s)
    if t < 1e-2:
        d = 1.0 / 12.0 + s / 720.0 * (1.0 + s / 42.0)
    else:
        d = (1.0 - 0.5 * t * math.cos(0.5 * t) / math.sin(0.5 * t)) / s
    for k in range(J.shape[1]):
        J[r, k] = J[r + 1, k] = J[r + 2, k] = 0.0
        if reach[e, k] == 0 or kind[k] == KIND_SLIDE:
            continue
        x, y, z = turned_by(R, S, kind, k)
        own, others = float(reach[e, k] & 1), float(reach[e, k] >> 1)
        even, half = own - others, 0.5 * (own + others)
        along = even * d * (a * x + b * y + c * z)
        rest = even * (1.0 - d * s)
        J[r, k] = rest * x - half * (b * z - c * y) + along * a
        J[r + 1, k] = rest * y - half * (c * x - a * z) + along * b
        J[r + 2, k] = rest * z - half * (a * y - b * x) + along * c


@kernel(internal=True)
def axis_columns(h: Hold, e: int) -> None:
    """Write the Jacobian of an ``AXIS`` or ``AIM`` entry; see ``core.constraints.residuals``."""
    J, X, R, S, kind, reach, base, basis = h.J, h.X, h.R, h.S, h.kind, h.reach, h.base, h.basis
    node, other, first, affine = h.entries[e].node, h.entries[e].other, h.entries[e].first, h.state.affine != 0
    d0, d1, d2, length = sight(h, e)
    c0, c1, c2 = world_axis(R, base, node, basis, e, 2)
    w = c0 * d0 + c1 * d1 + c2 * d2
    a, b, c = world_point(X, base, node, h.point, e)
    u, v, m = world_point(X, base, other, h.other_point, e)
    s = 0.0
    for j in range(2):
        x, y, z = world_axis(R, base, node, basis, e, j)
        s += (x * d0 + y * d1 + z * d2) ** 2
    s = math.sqrt(s)
    f, g = angle_factors(s, w)
    if s < SMALL and w < 0.0:
        f, g = -1.0, 0.0
    for j in range(2):
        x, y, z = world_axis(R, base, node, basis, e, j)
        g_here = g * (x * d0 + y * d1 + z * d2)
        q0, q1, q2 = f * x - g_here * c0, f * y - g_here * c1, f * z - g_here * c2
        p0, p1, p2 = q1 * d2 - q2 * d1, q2 * d0 - q0 * d2, q0 * d1 - q1 * d0
        if length > 0.0:
            along = q0 * d0 + q1 * d1 + q2 * d2
            q0, q1, q2 = (q0 - along * d0) / length, (q1 - along * d1) / length, (q2 - along * d2) / length
        for k in range(J.shape[1]):
            total = 0.0
            if reach[e, k] & 1 and kind[k] != KIND_SLIDE:
                x, y, z = turned_by(R, S, kind, k)
                total = p0 * x + p1 * y + p2 * z
            if length > 0.0 and reach[e, k] != 0:
                x, y, z = parted_by(X, S, kind, affine, reach[e, k], k, a, b, c, u, v, m)
                total -= q0 * x + q1 * y + q2 * z
            J[first + j, k] = total


@kernel(internal=True)
def mass_columns(h: Hold, e: int, pose: int) -> None:
    """Write the Jacobian of a ``MASS`` entry; rows that are far from counting stay zero."""
    J, D, X, S, kind, below, entry = h.J, h.directions, h.X, h.S, h.kind, h.below, h.entries[e]
    C, affine, first, size, idle = h.C[pose], h.state.affine != 0, entry.first, entry.size, entry.inequality != 0
    for k in range(J.shape[1]):
        mass = below[k, 0]
        x = y = z = 0.0
        if mass > 0.0:
            x, y, z = moved_by(X, S, kind, affine, k, below[k, 1] / mass, below[k, 2] / mass, below[k, 3] / mass)
        for r in range(first, first + size):
            if idle and C[r] < -FAR:
                J[r, k] = 0.0
            else:
                J[r, k] = mass * (D[r, 0] * x + D[r, 1] * y + D[r, 2] * z)


@kernel(internal=True)
def member_columns(h: Hold, e: int, pose: int) -> None:
    """Write the Jacobian of a ``MASS`` entry of one of several figures: what moves another one counts for nothing."""
    mass_columns(h, e, pose)
    J, reach, entry = h.J, h.reach, h.entries[e]
    for k in range(J.shape[1]):
        if reach[e, k] == 0:
            for r in range(entry.first, entry.first + entry.size):
                J[r, k] = 0.0


@kernel(internal=True)
def equation_columns(h: Hold, e: int) -> None:
    """Write the Jacobian of an ``EQUATION`` entry where it was evaluated last; slopes without bounds count as none."""
    J, X, S, kind, cells, spans, lever = h.J, h.X, h.S, h.kind, h.cells, h.spans, h.lever
    affine, row, size = h.state.affine != 0, h.entries[e].first, h.entries[e].size
    run(h.tape, cells, spans[e, 3], spans[e, 4])
    for i in range(size):
        for k in range(J.shape[1]):
            J[row + i, k] = 0.0
    first, count = spans[e, 0], spans[e, 1] - spans[e, 0]
    for j in range(first, first + count):
        k, axis = h.references[j, 0], h.references[j, 1]
        a, b, c = world_point(X, h.base, k, lever, j)
        while k >= 0:
            along = 1.0
            if axis >= 0:
                x, y, z = moved_by(X, S, kind, affine, k, a, b, c)
                along = x if axis == 0 else y if axis == 1 else z
            for i in range(size):
                slope = cells[h.outputs[spans[e, 5] + size + i * count + j - first]]
                if math.isfinite(slope):
                    J[row + i, k] += h.target[e, 0] * lever[j, 3] * slope * along
            k = h.parent[k] if axis >= 0 else -1


@kernel(linked=True, python=True)
def columns(h: Hold, pose: int) -> None:
    """Write the Jacobian of the rows where ``evaluate`` was last, at ``pose``; see ``evaluate`` for functions."""
    J, x = h.J, h.x[pose]
    for e in range(len(h.entries)):
        form = h.entries[e].form
        if form == POINT or form == DISTANCE:
            point_columns(h, e)
        elif form == ROTATION and h.entries[e].other >= 0:
            carried_columns(h, e, pose)
        elif form == ROTATION:
            rotation_columns(h, e, pose)
        elif form == AXIS or form == AIM:
            axis_columns(h, e)
        elif form == MASS and h.entries[e].node >= 0:
            member_columns(h, e, pose)
        elif form == MASS:
            mass_columns(h, e, pose)
        elif form == EQUATION:
            equation_columns(h, e)
        elif form == CONE_ROW:
            r, k = h.entries[e].first, h.entries[e].node
            for i in range(J.shape[1]):
                J[r, i] = 0.0
            J[r, k] = math.sin(x[k]) * math.cos(x[h.partner[k]])
            J[r, h.partner[k]] = math.cos(x[k]) * math.sin(x[h.partner[k]])
    if h.state.mask_count != 0:
        T, mask = h.T, h.mask
        for r in range(J.shape[0]):
            for k in range(J.shape[1]):
                T[r, k] = J[r, k]
                J[r, k] *= mask[r, k]
