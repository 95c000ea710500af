"""Equations of motion of legs that walk, and their motion through a step.

A leg that stands is a spring without mass from a point under the foot to the hip, where the trunk is hinged, an inverted
pendulum. A leg that swings is two links under a hip that is moved. Both go in the plane of travel: x forward, y up,
angles forward. Masses are shares of the figure's, so forces and torques are those for 1 kg of it.

Source: Bruderlin and Calvert (1989), "Goal-directed, dynamic animation of human walking", Computer Graphics 23, 233-242,
whose model of a walk this follows; both feet at once, and the way of the support under a foot, are added.
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


class Limb(NamedTuple):
    """A leg in the air: thigh and shank with the foot.

    Attributes:
        thigh: Its length, [m].
        first: Mass of the thigh.
        second: Mass of shank and foot.
        first_arm: From the hip to the thigh's centre, [m].
        second_arm: From the knee to the centre of shank and foot, [m].
        first_inertia: Of the thigh about its centre, [m^2].
        second_inertia: Likewise of shank and foot.
        damping: Of the knee, [m^2/s].
        gravity: [m/s^2].
    """

    thigh: float
    first: float
    second: float
    first_arm: float
    second_arm: float
    first_inertia: float
    second_inertia: float
    damping: float
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


@kernel
def limb_acceleration(
    limb: Limb, thigh: float, shank: float, thigh_rate: float, shank_rate: float, ax: float, ay: float, hip: float,
    knee: float,
) -> PAIR:  # fmt: skip
    """Return the angular accelerations of thigh and shank.

    Args:
        limb: The leg.
        thigh, shank: How far they are before the vertical, [rad].
        thigh_rate, shank_rate: Their rates, [rad/s].
        ax, ay: Acceleration of the hip, [m/s^2].
        hip: Torque on the thigh from the pelvis, [m^2/s^2].
        knee: Torque on the shank from the thigh, [m^2/s^2].
    """
    near = limb.first * limb.first_arm + limb.second * limb.thigh
    far = limb.second * limb.second_arm
    a = limb.first_inertia + limb.first * limb.first_arm * limb.first_arm + limb.second * limb.thigh * limb.thigh
    c = limb.second_inertia + far * limb.second_arm
    b = far * limb.thigh * math.cos(thigh - shank)
    turn = far * limb.thigh * math.sin(thigh - shank)
    g = limb.gravity + ay
    p = hip - knee - turn * shank_rate * shank_rate - near * (g * math.sin(thigh) + ax * math.cos(thigh))
    q = knee + turn * thigh_rate * thigh_rate - far * (g * math.sin(shank) + ax * math.cos(shank))
    over = 1.0 / (a * c - b * b)
    return (c * p - b * q) * over, (a * q - b * p) * over


@kernel(internal=True)
def limb_rate(limb: Limb, lasts: float, hips: F2, control: F1, t: float, state: F1, rate: F1) -> None:
    """Write how the angles of a leg change and their rates, under torques that go evenly from one value to another."""
    u = min(max(t / lasts, 0.0), 1.0)
    at = u * (len(hips) - 1)
    n = min(int(at), len(hips) - 2)
    w = at - n
    ax = (1.0 - w) * hips[n, 0] + w * hips[n + 1, 0]
    ay = (1.0 - w) * hips[n, 1] + w * hips[n + 1, 1]
    hip = (1.0 - u) * control[0] + u * control[1]
    knee = (1.0 - u) * control[2] + u * control[3] - limb.damping * (state[3] - state[2])
    a = limb_acceleration(limb, state[0], state[1], state[2], state[3], ax, ay, hip, knee)
    rate[0], rate[1], rate[2], rate[3] = state[2], state[3], a[0], a[1]


@kernel
def swing_limb(limb: Limb, lasts: float, hips: F2, control: F1, way: F2, work: F2) -> None:
    """Move a leg through its swing.

    Args:
        limb: The leg.
        lasts: How long it swings, [s].
        hips: Acceleration of the hip, forward and up, at even times, shape (m, 2), [m/s^2].
        control: Torque of the hip at first and at last, and that of the knee, [m^2/s^2].
        way: Angles of thigh and shank and their rates at even times, shape (n + 1, 4); the first is given.
        work: Memory, shape (7, 6).
    """
    count = len(way) - 1
    h = lasts / count
    here, k1, k2, k3, k4 = work[0], work[1], work[2], work[3], work[4]
    for n in range(count):
        a = way[n]
        t = n * h
        limb_rate(limb, lasts, hips, control, t, a, k1)
        for i in range(4):
            here[i] = a[i] + 0.5 * h * k1[i]
        limb_rate(limb, lasts, hips, control, t + 0.5 * h, here, k2)
        for i in range(4):
            here[i] = a[i] + 0.5 * h * k2[i]
        limb_rate(limb, lasts, hips, control, t + 0.5 * h, here, k3)
        for i in range(4):
            here[i] = a[i] + h * k3[i]
        limb_rate(limb, lasts, hips, control, t + h, here, k4)
        for i in range(4):
            way[n + 1, i] = a[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])


@kernel
def swing_slopes(limb: Limb, lasts: float, hips: F2, control: F1, way: F2, slopes: F2, work: F2) -> None:
    """Move a leg through its swing, and write by how much its end changes with each torque, shape (4, 4)."""
    last = len(way) - 1
    for k in range(4):
        control[k] += 1e-4
        swing_limb(limb, lasts, hips, control, way, work)
        control[k] -= 1e-4
        for i in range(4):
            slopes[k, i] = way[last, i]
    swing_limb(limb, lasts, hips, control, way, work)
    for k in range(4):
        for i in range(4):
            slopes[k, i] = (slopes[k, i] - way[last, i]) / 1e-4
