"""Weighted sums of efforts with first and second derivatives, by a pass outwards and its adjoint inwards.

The sum ``phi = sum_k weight_k effort_k`` of a state is the power of inertia, gravity and outer forces where the joints
move at the rates ``weight``: with ``U`` and ``u``, the angular velocity and the velocity of the origin of each body at
these rates, ``phi = sum (u + U x c) . m (a_c - g) + U . (I alpha + w x I w) - outer forces . velocities``. All is in
the axes of each link after its own motion, so that a joint turns eight vectors; the derivative by a turn is a sum of
cross products of these with their adjoints.

A link is a hinge, a slide or a ball. Efforts of balls are torques in the axes of their body, whatever coordinates say
how it is turned. It turns at ``J_r(x) v``, with coefficients of Stumpff that are smooth where x is 0.

Columns of vectors: 0 angular velocity w, 1 its rate, 2 acceleration of the origin less that of gravity, 3 U, 4 u, 5 to
7 the axes of the world. Row 0 of links is the world, row k + 1 is link k.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from core.kernels import F1, F2, F3, I1, I2, SUMS, kernel, local, view
from core.preview.least_energy.rotation_vectors_kernel import (
    cross,
    dot,
    stumpff,
    turning,
    turning_rate,
    turning_rate_slopes,
    turning_slope,
)  # fmt: skip

HINGE, SLIDE, BALL = 0, 1, 2
COLUMNS = 8


class Chain(NamedTuple):
    """The links of a model, parents first.

    Attributes:
        kind: ``HINGE``, ``SLIDE`` or ``BALL``, shape (n,).
        parent: Row of the link it hangs on, shape (n,).
        first: Its first coordinate, shape (n,).
        turn: Axes of its joint in those of its parent, shape (n, 3, 3).
        offset: Where its joint is in its parent, shape (n, 3), [m].
        axis: Unit axis of hinges and slides, shape (n, 3).
        mass: Shape (n,), [kg].
        center: Shape (n, 3), [m].
        inertia: About the centre, shape (n, 3, 3), [kg m^2].
        gravity: Shape (3,), [m/s^2].
    """

    kind: I1
    parent: I1
    first: I1
    turn: F3
    offset: F2
    axis: F2
    mass: F1
    center: F2
    inertia: F3
    gravity: F1


class Pushes(NamedTuple):
    """Outer forces of the size 1.

    Attributes:
        link: Row of the link that each acts on, shape (m,).
        turns: Whether it turns with its body; else its force keeps its direction in the world, shape (m,).
        vectors: Where it acts, in the axes of the link, [m]; its force; its torque, 0 if it does not turn: (m, 3, 3).
    """

    link: I1
    turns: I1
    vectors: F3


@kernel(internal=True)
def _copy(a: F2, out: F2) -> None:
    for n in range(COLUMNS):
        for i in range(3):
            out[n, i] = a[n, i]


@kernel(internal=True)
def _carry(Y: F2, r: F1) -> None:
    """Move the point of acceleration and velocity of a body by r: ``a += alpha x r + w x (w x r), u += U x r``."""
    wr, ww = 0.0, 0.0
    for i in range(3):
        wr += Y[0, i] * r[i]
        ww += Y[0, i] * Y[0, i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        Y[2, i] += Y[1, j] * r[k] - Y[1, k] * r[j] + Y[0, i] * wr - ww * r[i]
        Y[4, i] += Y[3, j] * r[k] - Y[3, k] * r[j]


@kernel(internal=True)
def _carry_back(Y: F2, Z: F2, r: F1) -> None:
    """Hand the adjoints of acceleration and velocity back to w, alpha and U that ``_carry`` by r took."""
    wr, wg, rg = 0.0, 0.0, 0.0
    for i in range(3):
        wr += Y[0, i] * r[i]
        wg += Y[0, i] * Z[2, i]
        rg += r[i] * Z[2, i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        Z[0, i] += Z[2, i] * wr + r[i] * wg - 2.0 * Y[0, i] * rg
        Z[1, i] += r[j] * Z[2, k] - r[k] * Z[2, j]
        Z[3, i] += r[j] * Z[4, k] - r[k] * Z[4, j]


@kernel(internal=True)
def _turn(chain: Chain, link: int, x: F1, c: F1, E: F2) -> None:
    """Write the rotation of a joint, and of a ball the coefficients."""
    kind, first = chain.kind[link], chain.first[link]
    if kind == BALL:
        own = x[first : first + 3]
        stumpff(own, c)
        s = dot(own, own)
        c1, c2 = 1.0 - s * c[1], c[0]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            E[i, i] = 1.0 - c2 * (own[j] * own[j] + own[k] * own[k])
            E[i, j] = c2 * own[i] * own[j] - c1 * own[k]
            E[j, i] = c2 * own[i] * own[j] + c1 * own[k]
        return
    a = chain.axis[link]
    angle = x[first] if kind == HINGE else 0.0
    sine, rest = math.sin(angle), 1.0 - math.cos(angle)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        E[i, i] = 1.0 - rest * (a[j] * a[j] + a[k] * a[k])
        E[i, j] = rest * a[i] * a[j] - sine * a[k]
        E[j, i] = rest * a[i] * a[j] + sine * a[k]


@kernel(internal=True)
def _turned(E: F2, Y: F2, out: F2) -> None:
    """Write eight vectors in the axes that are the columns of E."""
    for n in range(COLUMNS):
        for i in range(3):
            out[n, i] = E[0, i] * Y[n, 0] + E[1, i] * Y[n, 1] + E[2, i] * Y[n, 2]


@kernel(internal=True)
def _outwards(chain: Chain, x: F1, v: F1, a: F1, weight: F1, Y: F3, J: F3, E: F3, C: F2, M: F2) -> None:
    """Write the vectors of all links.

    ``Y`` are those of links, ``J`` those in the axes of their joints before they turn, ``E`` their turns, ``C``
    coefficients and ``M`` rate and acceleration of their joints.
    """
    for n in range(COLUMNS):
        for i in range(3):
            Y[0, n, i] = 1.0 if n == 5 + i else 0.0
            if n == 2:
                Y[0, n, i] = -chain.gravity[i]
    moved = view(local(24), 0, (8, 3))
    for link in range(len(chain.kind)):
        kind, first = chain.kind[link], chain.first[link]
        own, joint, motion = Y[link + 1], J[link], M[link]
        _copy(Y[chain.parent[link]], moved)
        _carry(moved, chain.offset[link])
        _turned(chain.turn[link], moved, joint)
        _turn(chain, link, x, C[link], E[link])
        axis = chain.axis[link]
        for i in range(6):
            motion[i] = 0.0
        if kind == SLIDE:
            _copy(joint, own)
            r = motion[:3]
            for i in range(3):
                r[i] = axis[i] * x[first]
            _carry(own, r)
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                own[2, i] += axis[i] * a[first] + 2.0 * v[first] * (own[0, j] * axis[k] - own[0, k] * axis[j])
                own[4, i] += axis[i] * weight[first]
            continue
        _turned(E[link], joint, own)
        if kind == HINGE:
            for i in range(3):
                motion[i], motion[3 + i] = axis[i] * v[first], axis[i] * a[first]
        else:
            turning(C[link], x[first : first + 3], v[first : first + 3], 1.0, motion[:3])
            turning(C[link], x[first : first + 3], a[first : first + 3], 1.0, motion[3:])
            turning_rate(C[link], x[first : first + 3], v[first : first + 3], motion[3:])
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            own[1, i] += motion[3 + i] + own[0, j] * motion[k] - own[0, k] * motion[j]
            own[3, i] += axis[i] * weight[first] if kind == HINGE else weight[first + i]
        for i in range(3):
            own[0, i] += motion[i]


@kernel(internal=True)
def _body(mass: float, c: F1, inertia: F2, Y: F2, Z: F2) -> float:
    """Return the power of a body, and add its adjoints."""
    F, N, h, uc, IU, t = local(3), local(3), local(3), local(3), local(3), local(3)
    moved = view(local(24), 0, (8, 3))
    _copy(Y, moved)
    _carry(moved, c)
    for i in range(3):
        uc[i] = moved[4, i]
        F[i] = mass * moved[2, i]
        h[i], N[i], IU[i] = 0.0, 0.0, 0.0
        for j in range(3):
            h[i] += inertia[i, j] * Y[0, j]
            N[i] += inertia[i, j] * Y[1, j]
            IU[i] += inertia[i, j] * Y[3, j]
    cross(Y[0], h, t)
    for i in range(3):
        N[i] += t[i]
        moved[0, i], moved[1, i], moved[3, i] = 0.0, 0.0, 0.0
        moved[2, i], moved[4, i] = mass * uc[i], F[i]
        Z[2, i] += mass * uc[i]
        Z[4, i] += F[i]
    _carry_back(Y, moved, c)
    cross(Y[3], Y[0], t)  # U x w
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        spin = inertia[i, 0] * t[0] + inertia[i, 1] * t[1] + inertia[i, 2] * t[2]
        Z[0, i] += moved[0, i] + h[j] * Y[3, k] - h[k] * Y[3, j] + spin
        Z[1, i] += moved[1, i] + IU[i]
        Z[3, i] += moved[3, i] + N[i]
    return dot(uc, F) + dot(Y[3], N)


@kernel(internal=True)
def _outer(size: float, points: F2, turns: bool, Y: F2, Z: F2, by_size: F1) -> float:
    """Return minus the power of an outer force of some size, and add its adjoints.

    Rows of ``points``: where it acts, its force and its torque for the size 1. With ``turns`` all are in the body;
    else the force is in the world, and there is no torque.
    """
    force, arm, u = local(3), local(3), local(3)
    for i in range(3):
        force[i] = points[1, i]
        if not turns:
            force[i] = Y[5, i] * points[1, 0] + Y[6, i] * points[1, 1] + Y[7, i] * points[1, 2]
    cross(points[0], force, arm)
    cross(Y[3], points[0], u)
    power = 0.0
    for i in range(3):
        u[i] += Y[4, i]
        arm[i] += points[2, i]
        power += Y[4, i] * force[i] + Y[3, i] * arm[i]
        Z[4, i] -= size * force[i]
        Z[3, i] -= size * arm[i]
    if not turns:
        for i in range(3):
            for n in range(3):
                Z[5 + n, i] -= size * u[i] * points[1, n]
    by_size[0] = -power
    return -size * power


@kernel(internal=True)
def _inwards(chain: Chain, x: F1, v: F1, a: F1, Y: F3, J: F3, E: F3, C: F2, M: F2, Z: F3, g: F1) -> None:
    """Hand adjoints inwards, and write the derivatives by x, v, a and, last, the weights: efforts."""
    n = len(x)
    by_x, by_v, by_a, effort = g[:n], g[n : 2 * n], g[2 * n : 3 * n], g[3 * n : 4 * n]
    turn, rate, w, z, y = local(3), local(3), local(3), local(3), local(3)
    back = view(local(24), 0, (8, 3))
    for link in range(len(chain.kind) - 1, -1, -1):
        kind, first, axis = chain.kind[link], chain.first[link], chain.axis[link]
        own, Zk, joint, motion = Y[link + 1], Z[link + 1], J[link], M[link]
        if kind == SLIDE:
            vx, r = v[first], motion[:3]
            by_x[first] = by_v[first] = by_a[first] = effort[first] = 0.0
            wg, ww = dot(own[0], Zk[2]), dot(own[0], own[0])
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                slope = Zk[2, j] * own[1, k] - Zk[2, k] * own[1, j] + own[0, i] * wg - ww * Zk[2, i]
                slope += Zk[4, j] * own[3, k] - Zk[4, k] * own[3, j]
                by_x[first] += axis[i] * slope
                by_v[first] += 2.0 * axis[i] * (Zk[2, j] * own[0, k] - Zk[2, k] * own[0, j])
                by_a[first] += axis[i] * Zk[2, i]
                effort[first] += axis[i] * Zk[4, i]
            _carry_back(own, Zk, r)
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                Zk[0, i] += 2.0 * vx * (axis[j] * Zk[2, k] - axis[k] * Zk[2, j])
            _copy(Zk, back)
        else:
            for i in range(3):
                turn[i] = 0.0
            for i in range(3):
                w[i] = own[0, i] - motion[i]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                rate[i] = Zk[0, i] + Zk[1, j] * w[k] - Zk[1, k] * w[j]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                Zk[0, i] += motion[j] * Zk[1, k] - motion[k] * Zk[1, j]
            E_own = E[link]
            for m in range(COLUMNS):
                for i in range(3):
                    z[i] = Zk[m, i]
                    y[i] = E_own[0, i] * joint[m, 0] + E_own[1, i] * joint[m, 1] + E_own[2, i] * joint[m, 2]
                for i in range(3):
                    j, k = (i + 1) % 3, (i + 2) % 3
                    turn[i] += z[j] * y[k] - z[k] * y[j]
                for i in range(3):
                    back[m, i] = E_own[i, 0] * z[0] + E_own[i, 1] * z[1] + E_own[i, 2] * z[2]
            if kind == HINGE:
                by_x[first], by_v[first] = dot(axis, turn), dot(axis, rate)
                by_a[first], effort[first] = dot(axis, Zk[1]), dot(axis, Zk[3])
            else:
                c, bx, bv, ba = C[link], by_x[first : first + 3], by_v[first : first + 3], by_a[first : first + 3]
                px, pv, pa = x[first : first + 3], v[first : first + 3], a[first : first + 3]
                for i in range(3):
                    bx[i] = bv[i] = ba[i] = 0.0
                    effort[first + i] = Zk[3, i]
                turning(c, px, turn, -1.0, bx)
                turning(c, px, rate, -1.0, bv)
                turning(c, px, Zk[1], -1.0, ba)
                turning_slope(c, px, pv, rate, bx)
                turning_slope(c, px, pa, Zk[1], bx)
                turning_rate_slopes(c, px, pv, Zk[1], bx, bv)
        moved, parent = Y[chain.parent[link]], Z[chain.parent[link]]
        fixed = chain.turn[link]
        for m in range(COLUMNS):
            for i in range(3):
                Zk[m, i] = fixed[i, 0] * back[m, 0] + fixed[i, 1] * back[m, 1] + fixed[i, 2] * back[m, 2]
        _carry_back(moved, Zk, chain.offset[link])
        for m in range(COLUMNS):
            for i in range(3):
                parent[m, i] += Zk[m, i]


@kernel(linked=True, fastmath=SUMS)
def gradient(
    chain: Chain, pushes: Pushes, x: F1, v: F1, a: F1, weight: F1, acting: I1, sizes: F1, memory: F1, g: F1
) -> float:
    """Return the weighted sum of efforts, and write its derivatives.

    Args:
        chain: The links.
        pushes: The forces that may act.
        x: Coordinates, shape (n,).
        v: Rates, shape (n,).
        a: Accelerations, shape (n,).
        weight: Of each effort, shape (n,).
        acting: Which pushes act, shape (m,); those below 0 are none.
        sizes: How large they are, shape (m,).
        memory: Shape (``memory_size``,).
        g: By x, v, a, weights (the efforts) and sizes, shape (4 n + m,).
    """
    n, links = len(x), len(chain.kind)
    rows = 24 * (links + 1)
    Y, Z = view(memory, 0, (links + 1, 8, 3)), view(memory, rows, (links + 1, 8, 3))
    J, at = view(memory, 2 * rows, (links, 8, 3)), 2 * rows + 24 * links
    E, C = view(memory, at, (links, 3, 3)), view(memory, at + 9 * links, (links, 6))
    M = view(memory, at + 15 * links, (links, 6))
    _outwards(chain, x, v, a, weight, Y, J, E, C, M)
    for k in range(rows):
        memory[rows + k] = 0.0
    total = 0.0
    for link in range(links):
        if chain.mass[link] > 0.0:
            row = link + 1
            total += _body(chain.mass[link], chain.center[link], chain.inertia[link], Y[row], Z[row])
    for k in range(len(acting)):
        g[4 * n + k] = 0.0
        push = acting[k]
        if push >= 0:
            row = pushes.link[push]
            by_size = g[4 * n + k : 4 * n + k + 1]
            total += _outer(sizes[k], pushes.vectors[push], pushes.turns[push] != 0, Y[row], Z[row], by_size)
    _inwards(chain, x, v, a, Y, J, E, C, M, Z, g)
    return total


@kernel(nogil=True)
def effort_rows(
    chain: Chain, pushes: Pushes, x: F2, v: F2, a: F2, acting: I2, sizes: F2, memory: F1, out: F2, first: int, end: int
) -> None:
    """Write the efforts of states, shape (n,) each; ``memory`` is as for ``jacobian_rows``."""
    n, m = x.shape[1], acting.shape[1]
    used = memory_size(len(chain.kind))
    weight, g = memory[used : used + n], memory[used + n : used + 5 * n + m]
    for i in range(n):
        weight[i] = 0.0
    for j in range(first, end):
        gradient(chain, pushes, x[j], v[j], a[j], weight, acting[j], sizes[j], memory, g)
        for i in range(n):
            out[j, i] = g[3 * n + i]


@kernel(nogil=True)
def jacobian_rows(
    chain: Chain, pushes: Pushes, x: F2, v: F2, a: F2, acting: I2, sizes: F2, memory: F1, out: F3, first: int, end: int
) -> None:
    """Write the derivatives of efforts of states by x, v, a and sizes, shape (n, 3 n + m) each.

    ``memory`` is ``memory_size`` and 5 n + m more.
    """
    n, m = x.shape[1], acting.shape[1]
    used = memory_size(len(chain.kind))
    weight, g = memory[used : used + n], memory[used + n : used + 5 * n + m]
    for j in range(first, end):
        for k in range(n):
            for i in range(n):
                weight[i] = 1.0 if i == k else 0.0
            gradient(chain, pushes, x[j], v[j], a[j], weight, acting[j], sizes[j], memory, g)
            for i in range(3 * n + m):
                out[j, k, i] = g[i] if i < 3 * n else g[n + i]


@kernel(nogil=True)
def hessian_rows(
    chain: Chain, pushes: Pushes, x: F2, v: F2, a: F2, weights: F2, acting: I2, sizes: F2, memory: F1, out: F3,
    first: int, end: int,
) -> None:  # fmt: skip
    """Write the second derivatives of the weighted sums of efforts by x, v, a and sizes, shape (3 n + m, 3 n + m) each.

    Those by x are central differences of the gradient; it is linear in v, so that its differences are exact.
    ``memory`` is ``memory_size`` and 10 n + 2 m more.
    """
    n, m = x.shape[1], acting.shape[1]
    used = memory_size(len(chain.kind))
    width = 4 * n + m
    ahead, behind = memory[used : used + width], memory[used + width : used + 2 * width]
    moved = memory[used + 2 * width : used + 2 * width + n]
    step = 1e-5
    for j in range(first, end):
        H = out[j]
        for i in range(n):
            moved[i] = x[j, i]
        for k in range(n):
            moved[k] = x[j, k] + step
            gradient(chain, pushes, moved, v[j], a[j], weights[j], acting[j], sizes[j], memory, ahead)
            moved[k] = x[j, k] - step
            gradient(chain, pushes, moved, v[j], a[j], weights[j], acting[j], sizes[j], memory, behind)
            moved[k] = x[j, k]
            for i in range(3 * n + m):
                at = i if i < 3 * n else i + n
                H[k, i] = (ahead[at] - behind[at]) / (2.0 * step)
        for i in range(n):
            moved[i] = v[j, i]
        gradient(chain, pushes, x[j], v[j], a[j], weights[j], acting[j], sizes[j], memory, behind)
        for k in range(n):
            moved[k] = v[j, k] + 1.0
            gradient(chain, pushes, x[j], moved, a[j], weights[j], acting[j], sizes[j], memory, ahead)
            moved[k] = v[j, k]
            for i in range(n):
                H[n + k, n + i] = ahead[n + i] - behind[n + i]
        for k in range(n):
            for i in range(k):
                H[k, i] = H[i, k] = 0.5 * (H[k, i] + H[i, k])
                H[n + k, n + i] = H[n + i, n + k] = 0.5 * (H[n + k, n + i] + H[n + i, n + k])
        for k in range(n, 3 * n + m):
            for i in range(n):
                H[k, i] = H[i, k]
        for k in range(n, 3 * n + m):
            for i in range(n, 3 * n + m):
                if k >= 2 * n or i >= 2 * n:
                    H[k, i] = 0.0


@kernel(internal=True)
def memory_size(links: int) -> int:
    """Return how many numbers ``gradient`` works in."""
    return (2 * (links + 1) + links) * 24 + links * 21
