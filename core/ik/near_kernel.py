"""What goals leave free brings a pose nearer to another one."""

from __future__ import annotations

from core.ik.damped_least_squares_kernel import gather, solve_rows, solve_three
from core.ik.damped_least_squares_kernel import solve as least_squares
from core.ik.nodes_kernel import bounds, clamp, columns, errors, frames
from core.ik.packed import Aims, Nodes, Work, unpack
from core.kernels import F1, I1, kernel

CORRECTIONS = 4
"""Most steps of least squares that bring the goals back after a step beside them."""
DAMPING = 1e-9
LARGEST_STEP = 0.5
"""Most that a node moves in one step, [rad] or [W]."""
SHORTER = 0.4
SHORTEST = 0.05
"""Share of the whole step under which a shorter one is not tried."""
SLACK = 1e-3
"""Part of its error that a goal which cannot be met may be further away by afterwards."""
STILL = 1e-4
"""A step under which the pose is as near as it goes, [rad] or [W]."""

# Least squares work in the first three vectors of ``work.s``.
GAIN, PULL, STEP, BEFORE, FREE = 3, 4, 5, 6, 7


@kernel(internal=True)
def apart(nodes: Nodes, x: F1, near: F1) -> float:
    """Return the sum of squares of what lies between two sets of values, in the metric 1 / K."""
    total = 0.0
    for k in range(len(x)):
        if nodes.gain[k] > 0.0:
            total += (x[k] - near[k]) ** 2 / nodes.gain[k]
    return total


@kernel(internal=True)
def pulled_step(nodes: Nodes, aims: Aims, x: F1, near: F1, work: Work, m: int) -> float:
    """Write the step to the nearest values with the goals kept at first order into ``work.s[STEP]``.

    ``dq = d - K J^T (J K J^T)^-1 J d`` with ``d`` the way to ``near``, over the nodes that are not pressed against a
    limit; m rows from ``gather``. Returns its largest entry.
    """
    B, A, y = work.B, work.A, work.y
    gain, pull, dq = work.s[GAIN], work.s[PULL], work.s[STEP]
    number, largest, pressed = len(x), 0.0, True
    for k in range(number):
        gain[k] = nodes.gain[k] * work.s[FREE, k]
        pull[k] = near[k] - x[k] if gain[k] > 0.0 else 0.0
    while pressed:
        for r in range(m):
            y[r] = 0.0
            for k in range(number):
                y[r] -= B[r, k] * pull[k]
        if m == 3:
            solve_three(B, gain, y, DAMPING)
        else:
            solve_rows(B, A, gain, y, DAMPING, m)
        pressed, largest = False, 0.0
        for k in range(number):
            total = 0.0
            for r in range(m):
                total += B[r, k] * y[r]
            dq[k] = pull[k] + gain[k] * total
            largest = max(largest, abs(dq[k]))
        for k in range(number):
            if dq[k] != 0.0:
                lower, upper = bounds(nodes, k, x)
                if (dq[k] < 0.0 and x[k] <= lower) or (dq[k] > 0.0 and x[k] >= upper):
                    gain[k] = pull[k] = 0.0
                    pressed = True
    return largest


@kernel(internal=True)
def give_up(nodes: Nodes, aims: Aims, x: F1, work: Work) -> None:
    """Make goals of what goals that cannot be met have reached; ``work.s[FREE]`` is 0 where limits keep them from more.

    Of a limb that is stretched toward its goal that is the elbow: bent, it would be shorter.
    """
    columns(nodes, aims, work)
    for k in range(len(x)):
        force = 0.0
        for r in range(len(work.E)):
            force += aims.weight[r // 6, (r % 6) // 3] * work.J[r, k] * work.E[r]
        lower, upper = bounds(nodes, k, x)
        pressed = (force <= 0.0 and x[k] <= lower) or (force >= 0.0 and x[k] >= upper)
        work.s[FREE, k] = 0.0 if pressed else 1.0
    for g in range(len(aims.node)):
        for i in range(3):
            aims.target[g, i] = work.P[g, i]
            for j in range(3):
                aims.wanted[g, i, j] = work.O[g, i, j]


@kernel(linked=True)
def draw(nodes: Nodes, aims: Aims, x: F1, near: F1, work: Work, tolerance: float, most: int) -> None:
    """Bring values as near to others as goals and limits allow.

    Minimises ``sum (x - near)^2 / K`` with the goals' errors kept: each step goes to the nearest values of the goals'
    tangent plane, and steps of least squares bring the goals back. It counts only if the values are nearer then and
    the goals are met; else it is shortened. Where goals cannot be met, what was reached of them is kept, and joints
    stay at the limits that they press against.

    Args:
        nodes: Degrees of freedom; ``gain`` is K.
        aims: Goals; those that are not met are overwritten.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        near: Values to be near to, shape (K,).
        work: Scratch memory; holds frames and errors of ``x`` before and after.
        tolerance: [W].
        most: Most steps.

    Source: Welman (1993) eq. 3.8, with a second criterion whose minimum is known.
    """
    used, before = work.used[0], work.s[BEFORE]
    allowed = tolerance
    for k in range(len(x)):
        work.s[FREE, k] = 1.0
    if work.score[1] > tolerance:
        allowed = max(tolerance, SLACK * work.score[1])
        give_up(nodes, aims, x, work)
    distance, share = apart(nodes, x, near), 1.0
    largest, m = 0.0, 0
    fresh = True
    for _ in range(most):
        if fresh:
            columns(nodes, aims, work)
            m = gather(aims, work)
            largest = pulled_step(nodes, aims, x, near, work, m)
            for k in range(len(x)):
                before[k] = x[k]
        if share * largest < STILL:
            break
        taken = share * min(1.0, LARGEST_STEP / largest)
        for k in range(len(x)):
            x[k] = before[k] + taken * work.s[STEP, k]
        clamp(nodes, x)
        least_squares(nodes, aims, x, work, allowed, CORRECTIONS)
        closer = apart(nodes, x, near)
        fresh = work.score[1] <= allowed and closer < distance
        if fresh:
            distance = closer
            share = min(1.0, share / SHORTER)
        else:
            for k in range(len(x)):
                x[k] = before[k]
            share *= SHORTER
            if share < SHORTEST:
                break
    frames(nodes, aims, x, work)
    errors(aims, work)
    work.used[0] = used


@kernel
def run(
    ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1, near: F1, tolerance: float,
    most: int,
) -> None:  # fmt: skip
    """``draw`` a packed problem: ``problem.packed_arguments``, then as there; frames and errors are worked out."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    draw(nodes, aims, x, near, work, tolerance, most)
