"""Equations of motion of a body on legs that walk, and its motion through a step.

A leg is a spring without mass from a point under the foot to the hip, where the trunk is hinged, an inverted pendulum.
All is in the plane of travel: x forward, y up, the lean forward. Forces and torques are those for 1 kg of the figure.

Source: Bruderlin and Calvert (1989), "Goal-directed, dynamic animation of human walking", Computer Graphics 23,
233-242, whose model of a walk this follows; both feet at once, and the way of the support under a foot, are added.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from core.kernels import F1, F2, F3, PAIR, THREE, kernel

STATE, CONTROLS = 6, 4


class Trunk(NamedTuple):
    """What stands on the legs.

    Attributes:
        mass: Share of the mass that is in the trunk; the rest is at the hips.
        arm: From the hips to its centre, [m].
        inertia: About that centre, [m^2].
        upright: Torque that holds it upright, [m^2/s^2 / rad].
        steady: Torque against its rate, [m^2/s].
        stiffness: Of a leg, [1/s^2].
        damping: Of a leg, [1/s].
        rest: How long a leg would be that bears nothing, [m].
        lean: How far the trunk leans forward in the mean, [rad].
        heel: Where the support is under a foot as it lands, from the middle of the sole, [m].
        ball: Where it is as it leaves, [m].
        gravity: [m/s^2].
    """

    mass: float
    arm: float
    inertia: float
    upright: float
    steady: float
    stiffness: float
    damping: float
    rest: float
    lean: float
    heel: float
    ball: float
    gravity: float


@kernel
def trunk_acceleration(trunk: Trunk, lean: float, rate: float, fx: float, fy: float, torque: float) -> THREE:
    """Return accelerations of the hips and of the trunk's lean, under a force on the hips and a torque on the trunk."""
    m, c, s = trunk.mass * trunk.arm, math.cos(lean), math.sin(lean)
    # What the trunk adds to the hips' equations is put away, as its row has the pivot that does not vanish.
    inertia = trunk.inertia + m * trunk.arm
    right = torque + m * trunk.gravity * s
    a, b = fx + m * s * rate * rate, fy - trunk.gravity + m * c * rate * rate
    k = m / inertia
    a, b = a - k * c * right, b + k * s * right
    xx, xy, yy = 1.0 - k * m * c * c, k * m * s * c, 1.0 - k * m * s * s
    over = 1.0 / (xx * yy - xy * xy)
    ax, ay = (yy * a - xy * b) * over, (xx * b - xy * a) * over
    return ax, ay, (right - m * (c * ax - s * ay)) / inertia


@kernel
def leg_force(trunk: Trunk, rest: float, x: float, y: float, vx: float, vy: float, torque: float) -> PAIR:
    """Return the force of a standing leg on the hips, which are at a place from its support and move.

    Args:
        trunk: The body.
        rest: How long it would be without load, [m].
        x, y: The hips from the support, [m].
        vx, vy: Their velocity against it, [m/s].
        torque: Torque on the trunk for which the leg stands up, [m^2/s^2].
    """
    r = math.sqrt(x * x + y * y)
    ux, uy = x / r, y / r
    axial = trunk.stiffness * (rest - r) - trunk.damping * (vx * ux + vy * uy)
    across = -torque / r
    return axial * ux + across * uy, axial * uy - across * ux


@kernel(internal=True)
def support_force(trunk: Trunk, step: F1, control: F1, t: float, state: F1, out: F1) -> None:
    """Write the force of both legs on the hips, and the torque on the trunk, at a time of a step: 3 numbers."""
    u = min(max(t / step[1], 0.0), 1.0)
    new = u * u * (3.0 - 2.0 * u)
    old = 1.0 - new
    torque = -trunk.upright * (state[2] - trunk.lean) - trunk.steady * state[5] + control[3]
    v = (trunk.ball - trunk.heel) / step[6]
    px = step[2] + trunk.heel + v * t
    f = leg_force(trunk, trunk.rest + control[0] + control[1] * t / step[0], state[0] - px, state[1] - step[3],
                  state[3] - v, state[4], torque)  # fmt: skip
    out[0], out[1], out[2] = new * f[0], new * f[1], torque
    if old > 0.0:
        v = (trunk.ball - trunk.heel) / step[8]
        px = step[4] + trunk.heel + v * (step[7] + t)
        f = leg_force(trunk, trunk.rest + control[2], state[0] - px, state[1] - step[5],
                      state[3] - v, state[4], torque)  # fmt: skip
        out[0] += old * f[0]
        out[1] += old * f[1]


@kernel(internal=True)
def body_rate(trunk: Trunk, step: F1, control: F1, t: float, state: F1, rate: F1, force: F1) -> None:
    """Write how the state of a body changes: hips x and y, lean, and their velocities."""
    support_force(trunk, step, control, t, state, force)
    a = trunk_acceleration(trunk, state[2], state[5], force[0], force[1], force[2])
    rate[0], rate[1], rate[2] = state[3], state[4], state[5]
    rate[3], rate[4], rate[5] = a[0], a[1], a[2]


@kernel
def walk_step(trunk: Trunk, step: F1, control: F1, way: F2, work: F2) -> None:
    """Move a body through a step, by the rule of Runge and Kutta of the fourth order.

    Args:
        trunk: The body.
        step: How long it lasts and how long both feet stand, [s]; place of the new foot, x and y, of the old one, [m];
            how long the new one will stand, how long the old one has, and will in all, [s].
        control: By how much the new leg is longer as it lands, and as much more at the end; by how much the old one is,
            [m]; a torque on the trunk, [m^2/s^2].
        way: States at even times, shape (n + 1, 6); the first is given, the others are written.
        work: Memory, shape (7, 6).
    """
    count = len(way) - 1
    h = step[0] / count
    here, k1, k2, k3, k4, force = work[0], work[1], work[2], work[3], work[4], work[5]
    for n in range(count):
        a = way[n]
        t = n * h
        body_rate(trunk, step, control, t, a, k1, force)
        for i in range(6):
            here[i] = a[i] + 0.5 * h * k1[i]
        body_rate(trunk, step, control, t + 0.5 * h, here, k2, force)
        for i in range(6):
            here[i] = a[i] + 0.5 * h * k2[i]
        body_rate(trunk, step, control, t + 0.5 * h, here, k3, force)
        for i in range(6):
            here[i] = a[i] + h * k3[i]
        body_rate(trunk, step, control, t + h, here, k4, force)
        for i in range(6):
            way[n + 1, i] = a[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])


@kernel
def walk_steps(trunk: Trunk, steps: F2, starts: F2, controls: F2, ends: F2, slopes: F3, way: F2, work: F2) -> None:
    """Write where steps end, shape (n, 6), and by how much that changes with start and control, shape (n, 10, 6)."""
    last = len(way) - 1
    for n in range(len(steps)):
        for i in range(6):
            way[0, i] = starts[n, i]
        walk_step(trunk, steps[n], controls[n], way, work)
        for i in range(6):
            ends[n, i] = way[last, i]
        for k in range(10):
            size = 1e-6
            for i in range(6):
                way[0, i] = starts[n, i]
            if k < 6:
                way[0, k] += size
            else:
                controls[n, k - 6] += size
            walk_step(trunk, steps[n], controls[n], way, work)
            if k >= 6:
                controls[n, k - 6] -= size
            for i in range(6):
                slopes[n, k, i] = (way[last, i] - ends[n, i]) / size
