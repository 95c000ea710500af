"""Momentum of trees that float: what acts inside does not change it, and what acts from outside by its impulse only.

A substep solves ``M(q) (v - u) = h (f - bias) + C^T lambda`` where it begins, and the coordinates then go on at the
rates v. In the rows of a root that floats no internal force has a part. So they say, exactly, what momentum the tree
comes to: ``P = P(v) + h (F + m g)`` and, about the centre of mass c, ``L = L(v) + h (T - r x F)``. Here ``P(v)`` and
``L(v)`` are those of the new velocities where the substep begins, ``[T; F]`` is the wrench of all bias forces about
the reference point, gravity among them, and r the way from there to c: this is the momentum that there was, and the
impulses of gravity and of everything outside, contacts, locks, strings and pulls, that the equation was solved with;
they need not be listed. But where the tree goes, the same rates have another momentum, off by the order of h^2. So
there the root gets the rates of the rigid motion that makes up what is missing, and its place is put to ``c + h P /
m``. In flight, that is the parabola: ``c + h P / m - h^2 g / 2``. Then angular momentum about a fixed point changes by
the moments of the outer impulses alone as well.

A root floats if it has six coordinates, none of them prescribed. Where it has fewer, something outside holds it, and
nothing is done.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import SLIDE, Memory, Node
from core.dynamics.engine.motion_kernel import stand
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, FOUR, THREE, kernel

LEAST_PIVOT = 1e-9
"""Six coordinates whose motions depend on each other more than this tells make no rigid motion."""


@kernel(internal=True, fastmath=FAST)
def floats(memory: Memory, first: int) -> bool:
    """Return whether a node is the first of a tree whose root floats, held by nothing."""
    if memory.depth[first] != 0 or memory.reference[first] != first + 5:
        return False
    for k in range(first, first + 6):
        if memory.held[k]:
            return False
    return True


@kernel(internal=True, fastmath=FAST)
def tree_momenta(memory: Memory, u: F1) -> None:
    """Write the momentum [L; P] of each tree about its reference point at velocities where the nodes stand."""
    start, chain, carried, momenta = memory.start, memory.chain, memory.carried, memory.momenta
    t0 = t1 = t2 = t3 = t4 = t5 = 0.0
    last = -1
    for i in range(memory.state.node_count):
        first = chain[start[i]]
        if first != last:  # the nodes of a tree mostly follow each other
            if last >= 0:
                own = momenta[last]
                own[0], own[1], own[2], own[3], own[4], own[5] = t0, t1, t2, t3, t4, t5
            own, last = momenta[first], first
            if first == i:
                t0 = t1 = t2 = t3 = t4 = t5 = 0.0
            else:
                t0, t1, t2, t3, t4, t5 = own[0], own[1], own[2], own[3], own[4], own[5]
        rate, C = u[i], carried[i]
        t0, t1, t2 = t0 + rate * C[0], t1 + rate * C[1], t2 + rate * C[2]
        t3, t4, t5 = t3 + rate * C[3], t4 + rate * C[4], t5 + rate * C[5]
    if last >= 0:
        own = momenta[last]
        own[0], own[1], own[2], own[3], own[4], own[5] = t0, t1, t2, t3, t4, t5


@kernel(internal=True, fastmath=FAST)
def central_momentum(memory: Memory, first: int, out: F1) -> None:
    """Write the momentum [L; P] of a tree about its centre of mass, from what ``tree_momenta`` has left."""
    C, own = memory.composite[first], memory.momenta[first]
    r0, r1, r2 = C[1] / C[0], C[2] / C[0], C[3] / C[0]
    p0, p1, p2 = own[3], own[4], own[5]
    out[0], out[1], out[2] = own[0] - r1 * p2 + r2 * p1, own[1] - r2 * p0 + r0 * p2, own[2] - r0 * p1 + r1 * p0
    out[3], out[4], out[5] = p0, p1, p2


@kernel(internal=True, fastmath=FAST)
def kinetic(memory: Memory, first: int, end: int, u: F1) -> float:
    """Return the kinetic energy of nodes, whole trees, where they stand, armature included."""
    nodes, parent, V = memory.nodes, memory.parent, memory.acceleration
    armature, carried = memory.armature, memory.carried
    total = 0.0
    for i in range(first, end):
        W, C, own, rate, j = nodes[i], carried[i], V[i], u[i], parent[i]
        half = 0.5 * rate
        v0 = v1 = v2 = v3 = v4 = v5 = 0.0
        if j >= 0:
            B = V[j]
            v0, v1, v2, v3, v4, v5 = B[0], B[1], B[2], B[3], B[4], B[5]
        # What hangs on a node and moves with it, at the mean of the twists before and after it.
        s0, s1, s2 = half * W.S[0], half * W.S[1], half * W.S[2]
        s3, s4, s5 = half * W.S[3], half * W.S[4], half * W.S[5]
        v0, v1, v2, v3, v4, v5 = v0 + s0, v1 + s1, v2 + s2, v3 + s3, v4 + s4, v5 + s5
        total += rate * (
            C[0] * v0 + C[1] * v1 + C[2] * v2 + C[3] * v3 + C[4] * v4 + C[5] * v5 + half * armature[i]
        )  # fmt: skip
        own[0], own[1], own[2], own[3], own[4], own[5] = v0 + s0, v1 + s1, v2 + s2, v3 + s3, v4 + s4, v5 + s5
    return total


@kernel(internal=True, fastmath=FAST)
def potential(memory: Memory, first: int) -> float:
    """Return the potential energy of gravity of the tree that a node begins."""
    g, C, O = memory.state.gravity, memory.composite[first], memory.nodes[memory.reference[first]]  # noqa: E741
    total = 0.0
    for k in range(3):
        total -= g[k] * (C[0] * O.p[k] + C[1 + k])
    return total


@kernel(internal=True, fastmath=FAST)
def spin(C: F1, a: float, b: float, c: float) -> THREE:
    """Return the angular velocity that an angular momentum about the centre of mass is, by a composite inertia."""
    m, h0, h1, h2 = C[0], C[1], C[2], C[3]
    hh = h0 * h0 + h1 * h1 + h2 * h2
    xx, xy, xz = C[4] - (hh - h0 * h0) / m, C[5] + h0 * h1 / m, C[6] + h0 * h2 / m
    yy, yz, zz = C[7] - (hh - h1 * h1) / m, C[8] + h1 * h2 / m, C[9] - (hh - h2 * h2) / m
    k0, k1, k2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    over = 1.0 / (xx * k0 + xy * k1 + xz * k2)
    k3, k4, k5 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return (
        over * (k0 * a + k1 * b + k2 * c), over * (k1 * a + k3 * b + k4 * c), over * (k2 * a + k4 * b + k5 * c),
    )  # fmt: skip


@kernel(internal=True, fastmath=FAST)
def rigid_motion(memory: Memory, first: int, momentum: F1) -> float:
    """Replace a momentum [L; P] about the centre of mass by the twist of the rigid tree that has it; return its energy.

    The twist [w; v] is about the tree's reference point.
    """
    C = memory.composite[first]
    m = C[0]
    r0, r1, r2 = C[1] / m, C[2] / m, C[3] / m
    l0, l1, l2, p0, p1, p2 = momentum[0], momentum[1], momentum[2], momentum[3], momentum[4], momentum[5]
    w0, w1, w2 = spin(C, l0, l1, l2)
    momentum[0], momentum[1], momentum[2] = w0, w1, w2
    momentum[3], momentum[4] = p0 / m - w1 * r2 + w2 * r1, p1 / m - w2 * r0 + w0 * r2
    momentum[5] = p2 / m - w0 * r1 + w1 * r0
    return 0.5 * (w0 * l0 + w1 * l1 + w2 * l2 + (p0 * p0 + p1 * p1 + p2 * p2) / m)


@kernel(internal=True, fastmath=FAST)
def three_slide(memory: Memory, first: int) -> bool:
    """Return whether three coordinates slide. A root's first then change nothing but where its tree is."""
    kind = memory.kind
    return kind[first] == SLIDE and kind[first + 1] == SLIDE and kind[first + 2] == SLIDE


@kernel(internal=True, fastmath=FAST)
def along(A: Node, B: Node, C: Node, at: int, x: float, y: float, z: float) -> FOUR:
    """Return the determinant of three axes, three numbers of each motion subspace, and how much of each makes a vector.

    Where the determinant is so small that they do not, the latter are 0.
    """
    a0, a1, a2, b0, b1, b2 = A.S[at], A.S[at + 1], A.S[at + 2], B.S[at], B.S[at + 1], B.S[at + 2]
    c0, c1, c2 = C.S[at], C.S[at + 1], C.S[at + 2]
    k0, k1, k2 = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
    size = a0 * k0 + a1 * k1 + a2 * k2
    if abs(size) < LEAST_PIVOT:
        return size, 0.0, 0.0, 0.0
    over = 1.0 / size
    m0, m1, m2 = y * c2 - z * c1, z * c0 - x * c2, x * c1 - y * c0
    n0, n1, n2 = b1 * z - b2 * y, b2 * x - b0 * z, b0 * y - b1 * x
    return (
        size, over * (x * k0 + y * k1 + z * k2), over * (a0 * m0 + a1 * m1 + a2 * m2),
        over * (a0 * n0 + a1 * n1 + a2 * n2),
    )  # fmt: skip


@kernel(internal=True, fastmath=FAST)
def rates_of_slides_and_turns(memory: Memory, slides: int, turns: int, twist: F1, rates: F1) -> bool:
    """Write the rates of six coordinates, from ``min(slides, turns)`` on, that make a twist; false if they cannot."""
    nodes, first = memory.nodes, min(slides, turns)
    A, B, C = nodes[turns], nodes[turns + 1], nodes[turns + 2]
    size, a, b, c = along(A, B, C, 0, twist[0], twist[1], twist[2])
    v0 = twist[3] - a * A.S[3] - b * B.S[3] - c * C.S[3]
    v1 = twist[4] - a * A.S[4] - b * B.S[4] - c * C.S[4]
    v2 = twist[5] - a * A.S[5] - b * B.S[5] - c * C.S[5]
    other, x, y, z = along(nodes[slides], nodes[slides + 1], nodes[slides + 2], 3, v0, v1, v2)
    rates[turns - first], rates[turns - first + 1], rates[turns - first + 2] = a, b, c
    rates[slides - first], rates[slides - first + 1], rates[slides - first + 2] = x, y, z
    return min(abs(size), abs(other)) >= LEAST_PIVOT


@kernel(internal=True, fastmath=FAST)
def root_rates(memory: Memory, first: int, one: F1, two: F1, rates: F1, others: F1) -> bool:
    """Write the rates of six coordinates that make each of two twists; false if they cannot.

    Three that turn and three that slide are two small equations, one after the other; any others take an elimination.
    """
    slides = first if three_slide(memory, first) else first + 3 if three_slide(memory, first + 3) else -1
    if slides >= 0:
        turns = 2 * first + 3 - slides
        if not rates_of_slides_and_turns(memory, slides, turns, one, rates):
            return False
        return rates_of_slides_and_turns(memory, slides, turns, two, others)
    nodes, work = memory.nodes, memory.elimination
    for c in range(6):
        for r in range(6):
            work[r, c] = nodes[first + c].S[r]
    for r in range(6):
        work[r, 6], work[r, 7] = one[r], two[r]
    for c in range(6):
        best = c
        for r in range(c + 1, 6):
            if abs(work[r, c]) > abs(work[best, c]):
                best = r
        if abs(work[best, c]) < LEAST_PIVOT:
            return False
        if best != c:
            for k in range(c, 8):
                a, b = work[c, k], work[best, k]
                work[c, k], work[best, k] = b, a
        for r in range(c + 1, 6):
            if work[r, c] != 0.0:
                a = work[r, c] / work[c, c]
                for k in range(c, 8):
                    work[r, k] -= a * work[c, k]
    for c in range(5, -1, -1):
        a, b = work[c, 6], work[c, 7]
        for k in range(c + 1, 6):
            a -= work[c, k] * rates[k]
            b -= work[c, k] * others[k]
        rates[c], others[c] = a / work[c, c], b / work[c, c]
    return True


@kernel(linked=True, fastmath=FAST)
def note_bias(memory: Memory) -> None:
    """Keep the wrench of the bias forces of each tree that floats; ``bias_forces`` has just left it in its root."""
    for i in range(memory.state.node_count):
        if memory.depth[i] == 0 and floats(memory, i):
            for k in range(6):
                memory.balance[i, k] = memory.nodes[i].F[k]


@kernel(linked=True, fastmath=FAST)
def note_momentum(memory: Memory, u: F1, h: float) -> None:
    """Write the momentum that each floating tree comes to by the substep's last velocities, and its centre of mass."""
    state = memory.state
    g = state.gravity
    falls = state.contact_count == 0 and state.lock_count == 0 and state.pull_count == 0
    falls = falls and state.applied == 0 and state.acting_outer == 0
    less = 0.5 * h * h if falls else 0.0
    tree_momenta(memory, u)
    for i in range(state.node_count):
        if memory.depth[i] != 0 or not floats(memory, i):
            continue
        own, C, O = memory.balance[i], memory.composite[i], memory.nodes[memory.reference[i]]  # noqa: E741
        m = C[0]
        t0, t1, t2, f0, f1, f2 = h * own[0], h * own[1], h * own[2], h * own[3], h * own[4], h * own[5]
        r0, r1, r2 = C[1] / m, C[2] / m, C[3] / m
        central_momentum(memory, i, own)
        own[0], own[1], own[2] = own[0] + t0 - r1 * f2 + r2 * f1, own[1] + t1 - r2 * f0 + r0 * f2, own[2] + t2
        own[2] -= r0 * f1 - r1 * f0
        own[3], own[4], own[5] = own[3] + f0 + h * m * g[0], own[4] + f1 + h * m * g[1], own[5] + f2 + h * m * g[2]
        for k in range(3):
            own[6 + k] = O.p[k] + C[1 + k] / m + h * own[3 + k] / m - less * g[k]


@kernel(internal=True, fastmath=FAST)
def shift(memory: Memory, first: int, moved: F1, x: float, y: float, z: float) -> bool:
    """Shift a tree by the slides among its root's coordinates; return whether the nodes have to be made to stand anew.

    Args:
        memory: The memory.
        first: The tree's first node.
        moved: By how much the six coordinates change, which shifts the tree if three of them are slides.
        x, y, z: By which the tree is shifted, [m].
    """
    slides = 0
    for k in range(first, first + 6):
        slides += 1 if memory.kind[k] == SLIDE else 0
    if slides != 3:
        return False
    for k in range(6):
        if memory.kind[first + k] == SLIDE:
            memory.x[first + k] += moved[k]
    if not three_slide(memory, first):
        return True
    for j in range(first, memory.state.node_count):
        if memory.reference[j] == first + 5:
            W = memory.nodes[j]
            W.p[0], W.p[1], W.p[2] = W.p[0] + x, W.p[1] + y, W.p[2] + z
    return False


@kernel(linked=True, fastmath=FAST)
def put_momentum(memory: Memory) -> None:
    """Give each floating tree the momentum and the centre of mass that ``note_momentum`` found, by its root."""
    nodes, u, work = memory.nodes, memory.u, memory.projection
    missing, away, rates, moved = work[0:6], work[6:12], work[12:18], work[18:24]
    for sweep in range(2):
        again = False
        tree_momenta(memory, u)
        for i in range(memory.state.node_count):
            if memory.depth[i] != 0 or not floats(memory, i) or (sweep == 1 and three_slide(memory, i)):
                continue
            own, C, O = memory.balance[i], memory.composite[i], nodes[memory.reference[i]]  # noqa: E741
            central_momentum(memory, i, missing)
            for k in range(6):
                missing[k] = own[k] - missing[k]
            rigid_motion(memory, i, missing)
            for k in range(3):
                away[k], away[3 + k] = 0.0, own[6 + k] - O.p[k] - C[1 + k] / C[0]
            if not root_rates(memory, i, missing, away, rates, moved):
                continue
            if sweep == 0 and shift(memory, i, moved, away[3], away[4], away[5]):
                again = True
                continue
            for k in range(6):
                u[i + k] += rates[k]
        if not again:
            break
        stand(memory)


@kernel(linked=True, fastmath=FAST)
def scale_relative(memory: Memory, most: float) -> float:
    """Scale the velocities, less the rigid motion of each floating tree, down to a kinetic energy; return what is left.

    Trees that do not float have no rigid motion. Momentum stays as it is; so does the energy of rigid motion, even
    where that is more than ``most``.
    """
    n = memory.state.node_count
    u, rigid, work = memory.u, memory.right_side, memory.projection
    own, rates, spare = work[0:6], work[6:12], work[12:18]
    for i in range(n):
        rigid[i] = 0.0
    tree_momenta(memory, u)
    locked = 0.0
    for i in range(n):
        if memory.depth[i] == 0 and floats(memory, i):
            central_momentum(memory, i, own)
            energy = rigid_motion(memory, i, own)
            if root_rates(memory, i, own, own, rates, spare):
                locked += energy
                for k in range(6):
                    rigid[i + k] = rates[k]
    for i in range(n):
        u[i] -= rigid[i]
    relative = kinetic(memory, 0, n, u)
    scale = 1.0
    if relative > 0.0 and locked + relative > most:
        scale = math.sqrt(max(most - locked, 0.0) / relative)
    for i in range(n):
        u[i] = rigid[i] + scale * u[i]
    return locked + scale * scale * relative
