"""Recursions 4 to 6 of forward dynamics with matrices, for joints whose transforms and subspaces lie in records.

Twists and wrenches are ``[w; v]`` and ``[t; f]`` in the nodes' frames. A node's work has eight blocks of 36 numbers,
matrices of six columns row by row: its articulated inertia, the adjoint that takes the parent's twists to the node, Y,
Pi, S, L, ``J S``, and vectors.

The equations have the inverse of ``S^T J S``, which loses twice as many digits as it must where a joint is nearly
singular. With ``S^T J S = L L^T``, S stands here for ``S L^-T``, Pi for ``Pi L``, and forces of the joint for ``L^-1``
times these: the inverse is 1 then.

Source: Si & Guenter eqs. 27 to 35.
"""

from __future__ import annotations

import math

from core.kernels import F1, F2, F3, I1, I2, kernel, local

INERTIA, ADJOINT, Y, PI, SUBSPACE, FACTOR, MOMENTUM, VECTORS = range(8)
Z, ETA, FREE = 0, 6, 12
"""Places among a node's vectors: the wrench handed on, the acceleration, and what the joint's forces leave for it."""
BLOCKS = 8
HINGE, SLIDE, GENERAL = range(3)
KIND, PARENT, FIRST, COUNT, PLACE_R, PLACE_ORIGIN, PLACE_S = range(7)
"""What a row of ``joints`` holds; the last three are places in its record."""
TURN, SHIFT, TILT = range(3)
"""What ``constants`` holds: places of these in all records."""


@kernel
def accelerations(
    records: F2, joints: I2, constants: I1, inertias: F2, least: F2, x: F1, bar: F1, work: F3, out: F1
) -> bool:
    """Write the accelerations ``M^-1 bar``; return whether no pivot may be nothing but rounding.

    Args:
        records: Of all nodes, as the first recursions leave them; [0] is the world.
        joints: See ``KIND``.
        constants: See ``TURN``.
        inertias: Of the nodes' bodies about their origins, shape (k, 36).
        least: Pivots about and along that are no more may be rounding, shape (k, 2).
        x: Coordinates, shape (nv,).
        bar: Forces less what ``vdot = 0`` takes, shape (nv,).
        work: Shape (k, 8, 36).
        out: Shape (nv,).
    """
    count = len(joints)
    for k in range(count):
        for e in range(36):
            work[k, INERTIA, e] = inertias[k, e]
        for e in range(18):
            work[k, VECTORS, e] = 0.0
    for k in range(count - 1, 0, -1):
        parent = joints[k, PARENT]
        place(records[k], joints[k], constants, x, work[k])
        if not eliminate(work[k], joints[k, COUNT], least[k]):
            return False
        hand_on(work[k], work[parent], joints[k], bar)
    for k in range(1, count):
        own, above = work[k], work[joints[k, PARENT], VECTORS]
        vectors, d = own[VECTORS], joints[k, COUNT]
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += own[Y, 6 * j + i] * above[ETA + j]
            for c in range(d):
                total += own[SUBSPACE, 6 * i + c] * vectors[FREE + c]
            vectors[ETA + i] = total
        for c in range(d - 1, -1, -1):
            total = vectors[FREE + c]
            for j in range(6):
                total -= own[PI, 6 * j + c] * above[ETA + j]
            for b in range(c + 1, d):
                total -= own[FACTOR, 6 * b + c] * out[joints[k, FIRST] + b]
            out[joints[k, FIRST] + c] = total / own[FACTOR, 6 * c + c]
    return True


@kernel(internal=True)
def place(record: F1, joint: I1, constants: I1, x: F1, own: F2) -> None:
    """Write the adjoint and the subspace of a node."""
    R, r = local(9), local(3)
    kind, S, Ad = joint[KIND], own[SUBSPACE], own[ADJOINT]
    for e in range(36):
        S[e] = 0.0
        Ad[e] = 0.0
    if kind == GENERAL:
        for e in range(9):
            R[e] = record[joint[PLACE_R] + e]
        for e in range(3):
            r[e] = record[joint[PLACE_ORIGIN] + e]
        for c in range(joint[COUNT]):
            for i in range(6):
                S[6 * i + c] = record[joint[PLACE_S] + 6 * c + i]
    else:
        # A turn about z, a shift before it has turned, a tilt about x, and the joint along or about z.
        c, s = record[constants[TURN]], record[constants[TURN] + 1]
        ct, st = record[constants[TILT]], record[constants[TILT] + 1]
        shift = constants[SHIFT]
        r[0] = c * record[shift] - s * record[shift + 1]
        r[1] = s * record[shift] + c * record[shift + 1]
        r[2] = record[shift + 2]
        R[0], R[1], R[2] = c, -s * ct, s * st
        R[3], R[4], R[5] = s, c * ct, -c * st
        R[6], R[7], R[8] = 0.0, st, ct
        if kind == HINGE:
            cq, sq = record[0], record[1]
            for i in range(3):
                a, b = R[3 * i], R[3 * i + 1]
                R[3 * i], R[3 * i + 1] = a * cq + b * sq, b * cq - a * sq
            S[12] = 1.0
        else:
            for i in range(3):
                r[i] += R[3 * i + 2] * x[joint[FIRST]]
            S[30] = 1.0
    for i in range(3):
        for j in range(3):
            Ad[6 * i + j] = R[3 * j + i]
            Ad[6 * (i + 3) + j + 3] = R[3 * j + i]
        # -R^T [r]
        a, b, c = R[i], R[3 + i], R[6 + i]
        Ad[6 * (i + 3)] = c * r[1] - b * r[2]
        Ad[6 * (i + 3) + 1] = a * r[2] - c * r[0]
        Ad[6 * (i + 3) + 2] = b * r[0] - a * r[1]


@kernel(internal=True)
def eliminate(own: F2, d: int, least: F1) -> bool:
    """Write L, and S and ``J S`` by L; return whether no pivot may be nothing but rounding."""
    J, S, U, L = own[INERTIA], own[SUBSPACE], own[MOMENTUM], own[FACTOR]
    for i in range(6):
        for c in range(d):
            total = 0.0
            for j in range(6):
                total += J[6 * i + j] * S[6 * j + c]
            U[6 * i + c] = total
    for a in range(d):
        for b in range(a + 1):
            total = 0.0
            for i in range(6):
                total += S[6 * i + a] * U[6 * i + b]
            for c in range(b):
                total -= L[6 * a + c] * L[6 * b + c]
            if a > b:
                L[6 * a + b] = total / L[6 * b + b]
                continue
            about = S[a] * S[a] + S[6 + a] * S[6 + a] + S[12 + a] * S[12 + a]
            along = S[18 + a] * S[18 + a] + S[24 + a] * S[24 + a] + S[30 + a] * S[30 + a]
            if not total > least[0] * about + least[1] * along:
                return False
            L[6 * a + a] = math.sqrt(total)
    for i in range(6):
        for c in range(d):
            moves, takes = S[6 * i + c], U[6 * i + c]
            for b in range(c):
                moves -= S[6 * i + b] * L[6 * c + b]
                takes -= U[6 * i + b] * L[6 * c + b]
            S[6 * i + c], U[6 * i + c] = moves / L[6 * c + c], takes / L[6 * c + c]
    return True


@kernel(internal=True)
def hand_on(own: F2, parent: F2, joint: I1, bar: F1) -> None:
    """Write Y and Pi, and add inertia and wrench of a node to its parent's."""
    J, Ad, S, U, L = own[INERTIA], own[ADJOINT], own[SUBSPACE], own[MOMENTUM], own[FACTOR]
    A, B, force = local(36), local(36), local(6)
    first, d = joint[FIRST], joint[COUNT]
    for i in range(6):
        for j in range(6):
            through, left = 1.0 if i == j else 0.0, J[6 * i + j]
            for c in range(d):
                through -= U[6 * i + c] * S[6 * j + c]
                left -= U[6 * i + c] * U[6 * j + c]
            A[6 * i + j], B[6 * i + j] = through, left
    vectors, above = own[VECTORS], parent[VECTORS]
    for c in range(d):
        total = bar[first + c]
        for b in range(c):
            total -= L[6 * c + b] * force[b]
        force[c] = total / L[6 * c + c]
        total = force[c]
        for i in range(6):
            total -= S[6 * i + c] * vectors[Z + i]
        vectors[FREE + c] = total
    for i in range(6):
        for j in range(6):
            total = 0.0
            for m in range(6):
                total += Ad[6 * m + i] * A[6 * m + j]
            own[Y, 6 * i + j] = total
        for c in range(d):
            total = 0.0
            for m in range(6):
                total += Ad[6 * m + i] * U[6 * m + c]
            own[PI, 6 * i + c] = total
        for j in range(6):
            above[Z + i] += own[Y, 6 * i + j] * vectors[Z + j]
        for c in range(d):
            above[Z + i] += own[PI, 6 * i + c] * force[c]
    if joint[PARENT] == 0:
        return
    for i in range(6):
        for j in range(6):
            total = 0.0
            for m in range(6):
                total += B[6 * i + m] * Ad[6 * m + j]
            A[6 * i + j] = total
    for i in range(6):
        for j in range(6):
            total = 0.0
            for m in range(6):
                total += Ad[6 * m + i] * A[6 * m + j]
            parent[INERTIA, 6 * i + j] += total
