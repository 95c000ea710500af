"""One coordinate of a joint in cyclic descent."""

from __future__ import annotations

from core.ik.packed import Aims, Nodes, Work
from core.joints.pose_kernel import POSE
from core.kernels import F1, F3, THREE, kernel
from core.kinematics.joints_kernel import motion_of
from core.kinematics.nodes_kernel import in_frame

RUNS, HALVINGS, FARTHEST = 3, 8, 1.0
"""Steps of one in a sweep, how often one is halved, and its most: about W or one radian."""

LOOK = tuple[float, float, float, POSE]


@kernel(inline=True)
def moved_column(R: F3, O: F3, g: int, k: int, j: int, D: POSE) -> THREE:  # noqa: E741 - the thesis' name
    """Return column j of the frame of goal ``g``, expressed in that of node ``k`` and turned by a motion there."""
    a = R[k, 0, 0] * O[g, 0, j] + R[k, 1, 0] * O[g, 1, j] + R[k, 2, 0] * O[g, 2, j]
    b = R[k, 0, 1] * O[g, 0, j] + R[k, 1, 1] * O[g, 1, j] + R[k, 2, 1] * O[g, 2, j]
    c = R[k, 0, 2] * O[g, 0, j] + R[k, 1, 2] * O[g, 1, j] + R[k, 2, 2] * O[g, 2, j]
    return D[0] * a + D[1] * b + D[2] * c, D[4] * a + D[5] * b + D[6] * c, D[8] * a + D[9] * b + D[10] * c


@kernel(internal=True)
def look_along(nodes: Nodes, aims: Aims, k: int, x: F1, work: Work, value: float) -> LOOK:
    """Return merit, pull and squared speed with coordinate ``k`` at a value, and the motion that leads there."""
    D, S = motion_of(nodes.kind, nodes.record, nodes.records, k, x, value)
    X, R, P, O = work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    merit = pull = square = 0.0
    for g in range(len(aims.node)):
        if aims.distal[g, k] == 0:
            continue
        w_p, w_o = aims.weight[g, 0], 0.5 * aims.weight[g, 1] * aims.weight[g, 2] * aims.weight[g, 2]
        if w_p > 0.0:
            a, b, c = in_frame(X, k, P[g, 0], P[g, 1], P[g, 2])
            p0, p1 = D[0] * a + D[1] * b + D[2] * c + D[3], D[4] * a + D[5] * b + D[6] * c + D[7]
            p2 = D[8] * a + D[9] * b + D[10] * c + D[11]
            s0, s1 = S[3] + S[1] * p2 - S[2] * p1, S[4] + S[2] * p0 - S[0] * p2
            s2 = S[5] + S[0] * p1 - S[1] * p0
            for i in range(3):
                e = aims.target[g, i] - X[k, i, 3] - X[k, i, 0] * p0 - X[k, i, 1] * p1 - X[k, i, 2] * p2
                speed = X[k, i, 0] * s0 + X[k, i, 1] * s1 + X[k, i, 2] * s2
                merit += w_p * e * e
                pull += w_p * e * speed
                square += w_p * speed * speed
        if w_o > 0.0:
            rest = 3.0
            for j in range(3):
                # Column j of the goal's frame in the node's frame, moved, compared with the wanted one there.
                a, b, c = moved_column(R, O, g, k, j, D)
                w0, w1, w2 = aims.wanted[g, 0, j], aims.wanted[g, 1, j], aims.wanted[g, 2, j]
                u = R[k, 0, 0] * w0 + R[k, 1, 0] * w1 + R[k, 2, 0] * w2
                v = R[k, 0, 1] * w0 + R[k, 1, 1] * w1 + R[k, 2, 1] * w2
                w = R[k, 0, 2] * w0 + R[k, 1, 2] * w1 + R[k, 2, 2] * w2
                rest -= a * u + b * v + c * w
                pull += w_o * (S[0] * (b * w - c * v) + S[1] * (c * u - a * w) + S[2] * (a * v - b * u))
            merit += 2.0 * w_o * rest
            square += 2.0 * w_o * (S[0] * S[0] + S[1] * S[1] + S[2] * S[2])
    return merit, pull, square, D


@kernel(internal=True)
def run_along(nodes: Nodes, aims: Aims, k: int, x: F1, work: Work, lower: float, upper: float) -> float:
    """Return the value of a coordinate that is better for the goals distal to it; carries the end-effectors along.

    Gauss-Newton steps on the merit of ``sweep`` along the true motion, each halved until the merit falls; one that
    cannot is not taken, so that it is never worse. Responsiveness shortens the steps.
    """
    X, R, P, O = work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    value = x[k]
    start, pull, square, D = look_along(nodes, aims, k, x, work, value)
    merit = start
    for _ in range(RUNS):
        if square <= 0.0:
            break
        trial = min(max(value + min(max(pull / square, -FARTHEST), FARTHEST), lower), upper)
        better = False
        for _ in range(HALVINGS):
            trial_merit, trial_pull, trial_square, trial_D = look_along(nodes, aims, k, x, work, trial)
            if trial_merit < merit:
                value, merit, pull, square, D = trial, trial_merit, trial_pull, trial_square, trial_D
                better = True
                break
            trial = value + 0.5 * (trial - value)
        if not better:
            break
    if nodes.weight[k] < 1.0:
        value = min(max(x[k] + nodes.weight[k] * (value - x[k]), lower), upper)
        merit, pull, square, D = look_along(nodes, aims, k, x, work, value)
    if not merit < start:
        return x[k]
    for g in range(len(aims.node)):
        if aims.distal[g, k] == 0:
            continue
        a, b, c = in_frame(X, k, P[g, 0], P[g, 1], P[g, 2])
        a, b, c = (
            D[0] * a + D[1] * b + D[2] * c + D[3],
            D[4] * a + D[5] * b + D[6] * c + D[7],
            D[8] * a + D[9] * b + D[10] * c + D[11],
        )
        for i in range(3):
            P[g, i] = X[k, i, 3] + X[k, i, 0] * a + X[k, i, 1] * b + X[k, i, 2] * c
        if aims.weight[g, 1] > 0.0:
            for j in range(3):
                a, b, c = moved_column(R, O, g, k, j, D)
                for i in range(3):
                    O[g, i, j] = R[k, i, 0] * a + R[k, i, 1] * b + R[k, i, 2] * c
    return value
