"""Standing: the ground pushes within its friction cone, and under the feet."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array, Bools
from core.constraints.soles import hull
from core.constraints.support import margin_of
from core.dynamics.contact.world import World
from core.preview.keyed_motion import KeyedDynamics
from core.preview.plausibility.support import GROUND, Support, stretches, surface
from core.preview.plausibility.violation import BALANCE, FRICTION, PULL, Thresholds, Violation
from core.skeleton.extent import figure_height
from core.skeleton.skeleton import Skeleton


class Standing:
    """A motion and the force that the ground has to give, smoothed.

    Args:
        s: The figure.
        motion: The motion, evenly spaced.
        frames: World frames of all joints there, shape (m, n, 4, 4).
        held: What holds the figure.
        airborne: Where it is in flight, shape (m,).
        world: Gravity, and the floor or the ground, which there must be.
        limits: Thresholds.

    Attributes:
        normals: Which way the ground faces under the parts that touch it, shape (m, 3).
        where: Where the ground alone carries the figure, shape (m,).
        force: What the world has to give, shape (m, 3), [N].
        moment: The same about the centre of mass, shape (m, 3), [N m].
        weight: [N].
        least: How many samples a fault must last.
    """

    def __init__(
        self,
        s: Skeleton,
        motion: KeyedDynamics,
        frames: Array,
        held: Support,
        airborne: Bools,
        world: World,
        limits: Thresholds,
    ):
        self.skeleton, self.motion, self.frames, self.held, self.limits = s, motion, frames, held, limits
        self.normals = _normals(s, frames, held, world)
        self.weight = motion.mass * float(np.linalg.norm(world.gravity))
        self.where: Bools = (held.state <= GROUND) & ~airborne
        if len(motion.times) < 2 or self.weight == 0.0:
            self.where = np.zeros(len(motion.times), dtype=np.bool_)
        dt = float(motion.times[1] - motion.times[0]) if len(motion.times) > 1 else 1.0
        self.force, self.moment = _smooth_wrench(motion, world.gravity, dt, limits.smoothing)
        self.least = max(2, round(limits.lasting / dt))


def _normals(s: Skeleton, frames: Array, held: Support, world: World) -> Array:
    """Return the mean normal under the parts that touch the ground, shape (m, 3)."""
    normals = world.normals(frames[:, 0, :3, 3])
    if world.ground is None:
        return normals
    places = frames[:, list(surface(s).joints)][:, :, :3, 3]
    each = world.normals(places) * held.touching[..., None]
    total = np.where(held.touching.any(axis=1, keepdims=True), each.sum(axis=1), normals)
    return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True))


def impossible_ground(standing: Standing, friction: float) -> list[Violation]:
    """Return where the ground would have to pull, or to hold more than friction does.

    Args:
        standing: The motion.
        friction: Friction coefficient of the ground.
    """
    motion, weight, limits = standing.motion, standing.weight, standing.limits
    if not standing.where.any():
        return []
    along = np.einsum("mi,mi->m", standing.force, standing.normals)
    up = along / weight
    across = np.linalg.norm(standing.force - along[:, None] * standing.normals, axis=1) / weight
    beyond = across - friction * np.maximum(up, 0.0)
    found = []
    for a, b in stretches(standing.where & (up < -limits.pulling)):
        if b - a + 1 >= standing.least:
            most = float(-up[a : b + 1].min())
            words = f"The ground would have to pull with {most * weight:.0f} N ({100.0 * most:.0f} % of the weight)"
            found.append(_violation(PULL, motion, a, b, most, words))
    for a, b in stretches(standing.where & (up >= -limits.pulling) & (beyond > limits.slipping)):
        if b - a + 1 >= standing.least:
            k = a + int(beyond[a : b + 1].argmax())
            ratio = f"{across[k] / up[k]:.1f} of" if up[k] > 0.1 else "without"
            words = (
                f"The ground would have to hold with {across[k] * weight:.0f} N sideways, {ratio} its push; friction"
                f" gives {friction:g} of it"
            )
            found.append(_violation(FRICTION, motion, a, b, float(beyond[k]), words))
    return found


def beside_the_feet(standing: Standing) -> list[Violation]:
    """Return hints where the centre of pressure lies far outside of what the figure stands on, on a level floor."""
    s, motion, held, frames = standing.skeleton, standing.motion, standing.held, standing.frames
    height = figure_height(s)
    far = standing.limits.beyond_feet * height
    out = np.zeros(len(motion.times))
    parts = surface(s)
    pressed = standing.where & (standing.force[:, 1] > 0.5 * standing.weight) & held.touching.any(axis=1)
    for k in np.flatnonzero(pressed):
        on = [
            parts.points[n] @ frames[k, parts.joints[n], :3, :3].T + frames[k, parts.joints[n], :3, 3]
            for n in np.flatnonzero(held.beside[k])
        ]
        points = np.concatenate(on)
        ground = float(points[:, 1].min())
        points = points[points[:, 1] <= ground + standing.limits.surely_off * height][:, [0, 2]]
        c, f, t = motion.center_of_mass[k], standing.force[k], standing.moment[k]
        # Where on the ground the force, with no moment but about the vertical, does the same as the wrench.
        fall = c[1] - ground
        pressure = np.array([c[0] + (t[2] - fall * f[0]) / f[1], c[2] - (t[0] + fall * f[2]) / f[1]])
        if np.linalg.norm(points - pressure, axis=1).min() > far:  # else it is near enough
            out[k] = max(-margin_of(points[hull(points)], pressure), 0.0)
    found = []
    for a, b in stretches(out > far):
        if b - a + 1 >= max(standing.least, 3):
            most = float(out[a : b + 1].max())
            words = f"The ground's force would have to act {100.0 * most:.0f} cm beside the feet: it would tip over"
            found.append(_violation(BALANCE, motion, a, b, most / height, words, hint=True))
    return found


def _smooth_wrench(motion: KeyedDynamics, gravity: Array, dt: float, seconds: float) -> tuple[Array, Array]:
    """Return force and moment about the centre of mass that the world has to give, smoothed, each of shape (m, 3)."""
    count = len(motion.times)
    width = min(2 * max(round(0.5 * seconds / dt), 2) + 1, count)
    if width < 3:
        return motion.ground_wrench[:, 3:], motion.ground_wrench[:, :3]
    _, acceleration = _local_parabolas(motion.center_of_mass, width, dt)
    moment, _ = _local_parabolas(motion.momentum[:, :3], width, dt)
    return motion.mass * (acceleration - gravity), moment


def _local_parabolas(values: Array, width: int, dt: float) -> tuple[Array, Array]:
    """Return velocity and acceleration of the parabolas nearest to so many values around each, two of shape (m, 3)."""
    count = len(values)
    start = np.clip(np.arange(count) - width // 2, 0, count - width)
    around = values[start[:, None] + np.arange(width)]
    fit = np.linalg.pinv(np.vander(np.arange(width) * dt, 3, increasing=True))
    _, b, c = np.einsum("pw,mwi->pmi", fit, around)
    return np.asarray(b + 2.0 * c * ((np.arange(count) - start) * dt)[:, None]), np.asarray(2.0 * c)


def _violation(
    kind: str, motion: KeyedDynamics, a: int, b: int, amount: float, text: str, hint: bool = False
) -> Violation:
    return Violation(kind, math.floor(motion.frames[a]), math.ceil(motion.frames[b]), amount, text, hint)
