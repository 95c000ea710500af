"""Standing: the ground pushes within its friction cone, and under the feet."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.constraints.soles import hull
from core.constraints.support import margin_of
from core.preview.keyed_motion import KeyedDynamics
from core.preview.plausibility.clearance import surface
from core.preview.plausibility.support import GROUND, Support, stretches
from core.preview.plausibility.thresholds import Thresholds
from core.preview.plausibility.violation import BALANCE, FRICTION, PULL, Violation
from core.skeleton.segment import figure_height
from core.skeleton.skeleton import Array, Skeleton

Bools = NDArray[np.bool_]


def impossible_ground(
    s: Skeleton,
    told: KeyedDynamics,
    frames: Array,
    held: Support,
    airborne: Bools,
    gravity: Array,
    normal: Array,
    friction: float,
    limits: Thresholds,
) -> list[Violation]:
    """Return where the ground would have to do what it cannot.

    Args:
        s: The figure.
        told: The motion, evenly spaced.
        frames: World frames of all joints there, shape (m, n, 4, 4).
        held: What holds the figure.
        airborne: Where it is in flight, shape (m,).
        gravity: Shape (3,), [m/s^2].
        normal: Normal of the ground, unit, shape (3,).
        friction: Friction coefficient of the ground.
        limits: Thresholds.
    """
    g = float(np.linalg.norm(gravity))
    standing = (held.state <= GROUND) & ~airborne
    if g == 0.0 or len(told.times) < 2 or not standing.any():
        return []
    dt = float(told.times[1] - told.times[0])
    force, moment = _smooth_wrench(told, gravity, dt, limits.smoothing)
    weight = told.mass * g
    up = force @ normal / weight
    across = np.linalg.norm(force - (force @ normal)[:, None] * normal, axis=1) / weight
    beyond = across - friction * np.maximum(up, 0.0)
    least = max(2, round(limits.lasting / dt))
    found = []
    for a, b in stretches(standing & (up < -limits.pulling)):
        if b - a + 1 >= least:
            most = float(-up[a : b + 1].min())
            words = f"The ground would have to pull with {most * weight:.0f} N ({100.0 * most:.0f} % of the weight)"
            found.append(_told(PULL, told, a, b, most, words))
    for a, b in stretches(standing & (up >= -limits.pulling) & (beyond > limits.slipping)):
        if b - a + 1 >= least:
            k = a + int(beyond[a : b + 1].argmax())
            ratio = f"{across[k] / up[k]:.1f} of" if up[k] > 0.1 else "without"
            words = (
                f"The ground would have to hold with {across[k] * weight:.0f} N sideways, {ratio} its push; friction"
                f" gives {friction:g} of it"
            )
            found.append(_told(FRICTION, told, a, b, float(beyond[k]), words))
    if np.allclose(normal, [0.0, 1.0, 0.0]):
        found += _beside_the_feet(s, told, frames, held, standing, force, moment, weight, max(least, 3), limits)
    return found


def _beside_the_feet(
    s: Skeleton,
    told: KeyedDynamics,
    frames: Array,
    held: Support,
    standing: Bools,
    force: Array,
    moment: Array,
    weight: float,
    least: int,
    limits: Thresholds,
) -> list[Violation]:
    """Return hints where the centre of pressure lies far outside of what the figure stands on."""
    height = figure_height(s)
    out = np.zeros(len(told.times))
    parts = surface(s)
    for k in np.flatnonzero(standing & (force[:, 1] > 0.5 * weight) & held.touching.any(axis=1)):
        on = [
            parts.points[n] @ frames[k, parts.joints[n], :3, :3].T + frames[k, parts.joints[n], :3, 3]
            for n in np.flatnonzero(held.beside[k])
        ]
        points = np.concatenate(on)
        ground = float(points[:, 1].min())
        points = points[points[:, 1] <= ground + limits.surely_off * height][:, [0, 2]]
        c, f, t = told.center_of_mass[k], force[k], moment[k]
        # Where on the ground the force, with no moment but about the vertical, does the same as the wrench.
        fall = c[1] - ground
        pressure = np.array([c[0] + (t[2] - fall * f[0]) / f[1], c[2] - (t[0] + fall * f[2]) / f[1]])
        if np.linalg.norm(points - pressure, axis=1).min() > limits.beyond_feet * height:  # else it is near enough
            out[k] = max(-margin_of(points[hull(points)], pressure), 0.0)
    found = []
    for a, b in stretches(out > limits.beyond_feet * height):
        if b - a + 1 >= least:
            most = float(out[a : b + 1].max())
            words = f"The ground's force would have to act {100.0 * most:.0f} cm beside the feet: it would tip over"
            found.append(_told(BALANCE, told, a, b, most / height, words, hint=True))
    return found


def _smooth_wrench(told: KeyedDynamics, gravity: Array, dt: float, seconds: float) -> tuple[Array, Array]:
    """Return force and moment about the centre of mass that the world has to give, smoothed, each of shape (m, 3)."""
    count = len(told.times)
    width = min(2 * max(round(0.5 * seconds / dt), 2) + 1, count)
    if width < 3:
        return told.ground_wrench[:, 3:], told.ground_wrench[:, :3]
    _, acceleration = _local_parabolas(told.center_of_mass, width, dt)
    moment, _ = _local_parabolas(told.momentum[:, :3], width, dt)
    return told.mass * (acceleration - gravity), moment


def _local_parabolas(values: Array, width: int, dt: float) -> tuple[Array, Array]:
    """Return velocity and acceleration of the parabolas nearest to so many values around each, two of shape (m, 3)."""
    count = len(values)
    start = np.clip(np.arange(count) - width // 2, 0, count - width)
    around = values[start[:, None] + np.arange(width)]
    fit = np.linalg.pinv(np.vander(np.arange(width) * dt, 3, increasing=True))
    _, b, c = np.einsum("pw,mwi->pmi", fit, around)
    return np.asarray(b + 2.0 * c * ((np.arange(count) - start) * dt)[:, None]), np.asarray(2.0 * c)


def _told(kind: str, told: KeyedDynamics, a: int, b: int, amount: float, text: str, hint: bool = False) -> Violation:
    return Violation(kind, math.floor(told.frames[a]), math.ceil(told.frames[b]), amount, text, hint)
