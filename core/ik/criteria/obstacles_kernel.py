"""How near the segments of a chain are to balls and to solids with flat faces, and which way they are pushed."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, F2, F3, I1, kernel
from core.kinematics.jacobian_kernel import point_rows

SAMPLES = 7
"""Points along a segment that are held against flat faces."""


@kernel(fastmath=EXACT)
def _add(sums: F3, i: int, point: F1, x: float, y: float, z: float) -> None:
    """Add a push at a point of a segment's frame: its force, and the force times each coordinate of the point."""
    for a in range(3):
        sums[i, 0, a] += x * point[a]
        sums[i, 1, a] += y * point[a]
        sums[i, 2, a] += z * point[a]
    sums[i, 0, 3] += x
    sums[i, 1, 3] += y
    sums[i, 2, 3] += z


@kernel(fastmath=EXACT)
def _ball(
    start: F1, end: F1, A: F1, B: F1, radius: float, centers: F2, k: int, size: float, least: float, sums: F3, i: int,
    point: F1,
) -> float:  # fmt: skip
    """Return what a segment adds for a ball; negative if its line runs through the ball's very centre."""
    x, y, z = B[0] - A[0], B[1] - A[1], B[2] - A[2]
    square = x * x + y * y + z * z
    dots = (centers[k, 0] - A[0]) * x + (centers[k, 1] - A[1]) * y + (centers[k, 2] - A[2]) * z
    along = min(max(dots / (square if square > 0.0 else 1.0), 0.0), 1.0)
    x = A[0] + along * x - centers[k, 0]
    y = A[1] + along * y - centers[k, 1]
    z = A[2] + along * z - centers[k, 2]
    distance = math.sqrt(x * x + y * y + z * z)
    missing = least - (distance - radius - centers[k, 3]) / size
    if missing <= 0.0:
        return 0.0
    if distance == 0.0:
        return -missing * missing
    for a in range(3):
        point[a] = start[a] + along * (end[a] - start[a])
    by = missing / distance
    _add(sums, i, point, by * x, by * y, by * z)
    return missing * missing


@kernel(fastmath=EXACT)
def _solid(
    start: F1, end: F1, A: F1, B: F1, radius: float, faces: F2, begin: int, stop: int, size: float, least: float,
    sums: F3, i: int, point: F1,
) -> float:  # fmt: skip
    """Return what a segment adds for a solid."""
    total = 0.0
    for sample in range(SAMPLES):
        share = sample / (SAMPLES - 1)
        x = A[0] + share * (B[0] - A[0])
        y = A[1] + share * (B[1] - A[1])
        z = A[2] + share * (B[2] - A[2])
        outside, nearest = -math.inf, begin
        for face in range(begin, stop):
            off = x * faces[face, 0] + y * faces[face, 1] + z * faces[face, 2] - faces[face, 3]
            if off > outside:
                outside, nearest = off, face
        missing = least - (outside - radius) / size
        if missing <= 0.0:
            continue
        total += missing * missing
        for a in range(3):
            point[a] = start[a] + share * (end[a] - start[a])
        by = missing / SAMPLES
        _add(sums, i, point, by * faces[nearest, 0], by * faces[nearest, 1], by * faces[nearest, 2])
    return total / SAMPLES


@kernel(fastmath=EXACT)
def pushes(
    X: F3, joints: I1, starts: F2, ends: F2, radii: F1, centers: F2, faces: F2, first: I1, least: F1, near: float,
    size: float, scratch: F2, sums: F3, through: I1,
) -> float:  # fmt: skip
    """Return the value of the criterion, and write the pushes on each segment.

    Args:
        X: World frames of all joints, shape (n, 4, 4).
        joints: Those of the segments, shape (s,).
        starts: Where they begin, in their frames, shape (s, 3).
        ends: Where they end, shape (s, 3).
        radii: Their radii, shape (s,).
        centers: Centers and radii of the balls, shape (b, 4).
        faces: Normals and offsets of the faces of all solids, shape (f, 4).
        first: First face of each solid, and their number, shape (k + 1,).
        least: Distance from where a segment keeps away from each solid, over the size, shape (k,).
        near: The same of balls.
        size: The figure's size, [m].
        scratch: Shape (3, 3).
        sums: Written, shape (s, 3, 4): the sum of pushes times points of the frame, then that of the pushes.
        through: Written, shape (s,): how many centers of balls a segment's line runs through; these push nowhere yet.
    """
    value = 0.0
    A, B, point = scratch[0], scratch[1], scratch[2]
    for i in range(len(joints)):
        F, start, end = X[joints[i]], starts[i], ends[i]
        through[i] = 0
        for a in range(3):
            A[a] = F[a, 0] * start[0] + F[a, 1] * start[1] + F[a, 2] * start[2] + F[a, 3]
            B[a] = F[a, 0] * end[0] + F[a, 1] * end[1] + F[a, 2] * end[2] + F[a, 3]
            for b in range(4):
                sums[i, a, b] = 0.0
        for k in range(len(centers)):
            square = _ball(start, end, A, B, radii[i], centers, k, size, near, sums, i, point)
            value += abs(square)
            if square < 0.0:
                through[i] += 1
        for k in range(len(least)):
            value += _solid(
                start, end, A, B, radii[i], faces, first[k], first[k + 1], size, least[k], sums, i, point
            )  # fmt: skip
    return 0.5 * value


@kernel(fastmath=EXACT)
def gradient(
    parent: I1, offset: F2, rotation: F3, scale: F2, first: I1, kind: I1, axis: F2, record: I1, records: F1, q: F1,
    X: F3, joints: I1, sums: F3, affine: int, dofs: I1, size: float, point: F1, path: I1, linears: F3, J: F2, out: F1,
) -> None:  # fmt: skip
    """Write the gradient by degrees of freedom, from the pushes on each segment.

    Points of a frame move as those of a body, but for frames with scales: a column of the Jacobian of a point is then
    the one of the origin and a share for each coordinate of the point.

    Args:
        parent: As ``jacobian_kernel`` takes it, and so on to ``q``.
        X: World frames of all joints, shape (n, 4, 4).
        joints: Those of the segments, shape (s,).
        sums: What ``pushes`` wrote, shape (s, 3, 4).
        affine: Whether frames have scales.
        dofs: Which of the pose, shape (K,).
        size: The figure's size, [m].
        point: Scratch, shape (3,).
        path: Scratch, shape (n,).
        linears: Scratch, shape (d + 2, 3, 3).
        J: Scratch, shape (6, nq).
        out: Written, shape (K,).
    """
    for c in range(len(dofs)):
        out[c] = 0.0
    for i in range(len(joints)):
        S, F = sums[i], X[joints[i]]
        some = 0.0
        for a in range(3):
            for b in range(4):
                some += abs(S[a, b])
        if some == 0.0:
            continue
        x, y, z = S[0, 3], S[1, 3], S[2, 3]
        for a in range(3):
            point[a] = 0.0
        point_rows(
            parent, offset, rotation, scale, first, kind, axis, record, records, q, joints[i], point, path, linears, J
        )  # fmt: skip
        if affine == 0:
            # The moment about the origin: the sum of (R p) x f.
            u = v = w = 0.0
            for b in range(3):
                u += F[1, b] * S[2, b] - F[2, b] * S[1, b]
                v += F[2, b] * S[0, b] - F[0, b] * S[2, b]
                w += F[0, b] * S[1, b] - F[1, b] * S[0, b]
            for c in range(len(dofs)):
                k = dofs[c]
                out[c] -= (x * J[0, k] + y * J[1, k] + z * J[2, k] + u * J[3, k] + v * J[4, k] + w * J[5, k]) / size
            continue
        for b in range(3):
            x, y, z = x - S[0, b], y - S[1, b], z - S[2, b]
        for c in range(len(dofs)):
            k = dofs[c]
            out[c] -= (x * J[0, k] + y * J[1, k] + z * J[2, k]) / size
        for b in range(3):
            for a in range(3):
                point[a] = 1.0 if a == b else 0.0
            point_rows(
                parent, offset, rotation, scale, first, kind, axis, record, records, q, joints[i], point, path, linears,
                J,
            )  # fmt: skip
            for c in range(len(dofs)):
                k = dofs[c]
                out[c] -= (S[0, b] * J[0, k] + S[1, b] * J[1, k] + S[2, b] * J[2, k]) / size
