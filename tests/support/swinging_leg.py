"""A leg that swings by torques at hip and knee: what the side by side of legs tries, and walks do not take.

Two links under a hip that is moved, after Bruderlin and Calvert (1989); torques that go evenly from one value to
another are changed until thigh and shank arrive as they should, at the rates that they should have.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.gait.leg import Leg

GRAVITY = 9.81
_THIGH, _SHANK = 0.100, 0.061  # shares of the mass (Dempster, after Winter 2009): shank with foot
_THIGH_CENTER, _SHANK_CENTER = 0.433, 0.606  # of the length, from above
_THIGH_GYRATION, _SHANK_GYRATION = 0.323, 0.416  # likewise, about the centre
_KNEE_DAMPING = 0.02  # times mass of shank and foot, length of the leg squared and the rate of its pendulum
_STRAIGHT = 0.9985  # of a leg's length: where its knee counts as straight
_FASTEST = 11.0  # [rad/s]: of a knee at the ends of a swing
_SUBSTEP = 1.0 / 55.0  # [s]
_NEWTON = 12
_MET = 1e-7  # [rad]
STATE = 6


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


def limb_of(leg: Leg, thigh: float, shank: float) -> Limb:
    """Return a leg of the figure in the air, of 1 kg of the figure."""
    first, second = _THIGH, _SHANK
    return Limb(
        thigh, first, second, _THIGH_CENTER * thigh, _SHANK_CENTER * shank, first * (_THIGH_GYRATION * thigh) ** 2,
        second * (_SHANK_GYRATION * shank) ** 2,
        _KNEE_DAMPING * second * leg.length**2 * math.sqrt(GRAVITY / leg.length), GRAVITY,
    )  # fmt: skip


def limb_acceleration(
    limb: Limb, thigh: float, shank: float, thigh_rate: float, shank_rate: float, ax: float, ay: float, hip: float,
    knee: float,
) -> tuple[float, float]:  # fmt: skip
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


def limb_rate(limb: Limb, lasts: float, hips: Array, control: Array, t: float, state: Array, rate: Array) -> None:
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


def swing_limb(limb: Limb, lasts: float, hips: Array, control: Array, way: Array, work: Array) -> None:
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


def swing_slopes(limb: Limb, lasts: float, hips: Array, control: Array, way: Array, slopes: Array, work: Array) -> None:
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


class Ends(NamedTuple):
    """Where an ankle is and how it moves against its hip, forward and up: shape (2,) each, [m] and [m/s]."""

    place: Array
    speed: Array


def swing(limb: Limb, shank: float, lasts: float, hips: Array, start: Ends, end: Ends, count: int) -> Array | None:
    """Return the way of an ankle against its hip, forward and up, at even times of a swing, shape (count + 1, 2), [m].

    Torques of hip and knee that go evenly from one value to another are changed until thigh and shank arrive as they
    should, at the rates that they should have: four numbers for four conditions. None if there are no such torques.

    Args:
        limb: The leg.
        shank: Length of its shank, [m].
        lasts: How long it swings, [s].
        hips: Acceleration of the hip, forward and up, at even times, shape (m, 2), [m/s^2].
        start: The ankle as it leaves.
        end: The ankle as it lands.
        count: Number of steps in time.
    """
    wanted = np.concatenate(_angles(limb.thigh, shank, end))
    way, work, slopes = np.zeros((count + 1, 4)), np.zeros((7, STATE)), np.zeros((4, 4))
    way[0] = np.concatenate(_angles(limb.thigh, shank, start))
    control = np.zeros(4)
    hips = np.ascontiguousarray(hips)
    for _ in range(_NEWTON):
        swing_slopes(limb, lasts, hips, control, way, slopes, work)
        missed = wanted - way[-1]
        if float(np.abs(missed).max()) < _MET:
            break
        if not np.isfinite(slopes).all():
            return None
        control += np.linalg.solve(slopes.T, missed)
    else:
        return None
    return np.stack([
        limb.thigh * np.sin(way[:, 0]) + shank * np.sin(way[:, 1]),
        -limb.thigh * np.cos(way[:, 0]) - shank * np.cos(way[:, 1]),
    ], axis=1)  # fmt: skip


def _angles(thigh: float, shank: float, end: Ends) -> tuple[Array, Array]:
    """Return the angles of thigh and shank that bring an ankle to its place, and their rates."""
    r = min(float(np.hypot(*end.place)), _STRAIGHT * (thigh + shank))
    way = math.atan2(end.place[0], -end.place[1])
    at_hip = math.acos(max(min((thigh**2 + r * r - shank**2) / (2.0 * thigh * r), 1.0), -1.0))
    at_knee = math.acos(max(min((thigh**2 + shank**2 - r * r) / (2.0 * thigh * shank), 1.0), -1.0))
    a = way + at_hip
    b = a - (math.pi - at_knee)
    J = np.array([[thigh * math.cos(a), shank * math.cos(b)], [thigh * math.sin(a), shank * math.sin(b)]])
    rates = np.linalg.solve(J, end.speed)
    over = abs(rates[0] - rates[1]) / _FASTEST
    if over > 1.0:  # the straighter a knee, the faster it would have to bend: the way across the leg matters more
        across = np.array([math.cos(way), math.sin(way)])
        rates = np.linalg.lstsq(np.stack([across @ J, 1e-3 * np.array([1.0, -1.0])]),
                                np.array([across @ end.speed, 1e-3 * math.copysign(_FASTEST, rates[0] - rates[1])]),
                                rcond=None)[0]  # fmt: skip
    return np.array([a, b]), np.asarray(rates)


def track(
    leg: Leg, hips: Array, frames: Ints, ends: tuple[Array, Array], speeds: tuple[Array, Array], fps: float
) -> Array | None:
    """Return the way of an ankle that swings by forces; None if none leads there.

    Args:
        leg: The leg.
        hips: Where the hip is at each frame of the walk, shape (m, 3), [m].
        frames: Frames of the swing, from where the foot leaves to where it lands.
        ends: Where the ankle is then, shape (3,) each, [m].
        speeds: And its velocity, [m/s].
        fps: Frames a second.
    """
    from scipy.interpolate import CubicSpline  # here: the window starts without it

    way = (ends[1] - ends[0]) * np.array([1.0, 0.0, 1.0])
    length = float(np.linalg.norm(way))
    if length < 0.3 * leg.length or len(frames) < 4:
        return None
    plane = np.stack([way / length, np.array([0.0, 1.0, 0.0])])
    low, high = max(int(frames[0]) - 3, 0), min(int(frames[-1]) + 4, len(hips))
    spline = CubicSpline(np.arange(low, high) / fps, hips[low:high] @ plane.T)
    t = frames / fps
    flat, moves = spline(t), spline(t, 1)
    thigh, shank = _bones(leg)
    # In the plane a leg that leans aside is a little shorter.
    aside = [float(np.hypot(*(plane @ (end - hip)))) / float(np.linalg.norm(end - hip))
             for end, hip in zip(ends, hips[frames[[0, -1]]], strict=True)]  # fmt: skip
    thigh, shank = min(aside) * thigh, min(aside) * shank
    limb = limb_of(leg, thigh, shank)
    both = zip((0, -1), ends, speeds, strict=True)
    a, b = (Ends(plane @ end - flat[k], plane @ speed - moves[k]) for k, end, speed in both)
    count = 2 * (len(frames) - 1)
    fine = max(math.ceil((t[-1] - t[0]) / count / _SUBSTEP), 1)
    found = swing(limb, shank, float(t[-1] - t[0]), spline(t, 2), a, b, count * fine)
    if found is None:
        return None
    u = np.linspace(0.0, 1.0, count * fine + 1)
    found = found + spline(t[0] + u * (t[-1] - t[0]))
    # What a knee that is not to be straight leaves open at the ends is made up for on the way.
    miss = plane @ ends[0] - found[0], plane @ ends[1] - found[-1]
    found += (1.0 - u)[:, None] ** 2 * (1.0 + 2.0 * u)[:, None] * miss[0] + (u * u * (3.0 - 2.0 * u))[:, None] * miss[1]
    across = ends[0] - plane.T @ (plane @ ends[0]), ends[1] - plane.T @ (plane @ ends[1])

    share = np.linspace(0.0, 1.0, len(frames))
    place = np.stack([np.interp(share, u, column) for column in found.T], axis=1)
    ease = (share * share * (3.0 - 2.0 * share))[:, None]
    return np.asarray(place @ plane + across[0] + ease * (across[1] - across[0]))


def _bones(leg: Leg) -> tuple[float, float]:
    """Return the lengths of thigh and shank, [m]: from where the ankle is as the knee bends."""
    k = int(np.argmin(np.abs(np.abs(leg.bends - leg.bends[-1]) - 1.2)))
    bent, turned = abs(leg.bends[k] - leg.bends[-1]), abs(leg.direction[k] - leg.direction[-1])
    shank = float(leg.reach[k] * math.sin(turned) / math.sin(bent))
    return float(leg.reach[k] * math.cos(turned)) - shank * math.cos(bent), shank
