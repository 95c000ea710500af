"""Ground to walk on: seeded hills and stairs; and what a walk does on it, measured from the figure's own vertices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.animation.new_sequence import new_sequence
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.soles import part_vertices
from core.gait.biped import biped_of
from core.gait.leg import Leg
from core.gait.manner import ADULT, Manner
from core.gait.walk import Walk, put_walk
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.segment import rest_frames
from core.spatial import so3
from core.terrain import Ground, Terrain, height_field

_SPACING, _NUMBER, _CORNER = 0.5, 80, -8.0

SEEDS = range(50)
"""Seeds of the hills that walks are tried on."""
STAIRS: tuple[tuple[float, float], ...] = (
    (0.17, 0.30), (0.17, 0.25), (0.12, 0.35), (0.19, 0.28), (-0.17, 0.28), (-0.12, 0.30), (-0.15, 0.25),
)  # fmt: skip
"""Rise and tread of the stairs, for a person; treads may be shorter than a foot, and stairs go down."""


def hills(seed: int) -> Terrain:
    """Return hills of six waves of 3 to 9 m, which rise by up to 15 degrees or so."""
    random = np.random.default_rng(seed)
    x = np.arange(_NUMBER) * _SPACING + _CORNER
    X, Z = np.meshgrid(x, x, indexing="ij")
    heights = np.zeros((_NUMBER, _NUMBER))
    for _ in range(6):
        length, way, phase = random.uniform(3.0, 9.0), *random.uniform(0.0, 2.0 * np.pi, 2)
        steep = random.uniform(0.3, 1.0) * 0.014
        heights += steep * length * np.sin(2.0 * np.pi * (np.cos(way) * X + np.sin(way) * Z) / length + phase)
    return height_field(heights, _SPACING, (_CORNER, _CORNER))


def stairs(rise: float = 0.17, tread: float = 0.30, number: int = 12, start: float = 1.2) -> Terrain:
    """Return level ground, stairs that go up along z, and level ground behind, 4 m wide, as a mesh."""
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []

    def quad(z0: float, y0: float, z1: float, y1: float) -> None:
        n = len(vertices)
        vertices.extend([(-2.0, y0, z0), (-2.0, y1, z1), (2.0, y1, z1), (2.0, y0, z0)])
        triangles.extend([(n, n + 1, n + 2), (n, n + 2, n + 3)])

    quad(-4.0, 0.0, start, 0.0)
    for k in range(number):
        z, y = start + k * tread, k * rise
        quad(z, y, z, y + rise)
        quad(z, y + rise, z + (tread if k < number - 1 else 12.0), y + rise)
    return Terrain(vertices, triangles)


class Footing(NamedTuple):
    """How a walk stands on its ground, at its worst.

    Attributes:
        sunk: How deep anything of a foot in contact is in the ground, [m].
        hover: How far a foot in contact is over it, [m].
        tilt: Angle between a flat sole and the ground under it, [rad].
        drift: How far what stands still moves, [m].
        under: How deep a swinging foot is in the ground, [m].
        jump: How far a joint turns from frame to frame, at most, [rad].
        outside: How far a value is outside its limits.
        unheld: What is left of a lock, [m] or [rad].
    """

    sunk: float
    hover: float
    tilt: float
    drift: float
    under: float
    jump: float
    outside: float
    unheld: float


BOUNDS = Footing(
    sunk=2e-3,
    hover=2e-3,
    tilt=np.radians(2.0),
    drift=1e-6,
    under=2e-3,
    jump=np.radians(20.0),
    outside=1e-9,
    unheld=1e-6,
)
"""What each may be at most."""


def flat_manners(steps: int = 20) -> list[Manner]:
    """Return 20 manners of walking: speeds and steps from slow to brisk, turns, either foot first, wide and narrow."""
    random = np.random.default_rng(11)
    return [
        Manner(
            steps=steps, speed=float(random.uniform(0.7, 1.6)), turn=float(random.uniform(-0.2, 0.2)),
            first=("left", "right")[k % 2], sway=float(random.uniform(0.5, 1.4)),
            arm_swing=float(random.uniform(0.4, 1.5)), heading=float(random.uniform(-3.0, 3.0)),
            step_length=None if k % 2 == 0 else float(random.uniform(0.5, 0.75)),
        )
        for k in range(20)
    ]  # fmt: skip


def stairs_for(s: Skeleton, rise: float, tread: float) -> Terrain:
    """Return stairs for a figure, of a rise and a tread given for an adult."""
    size = biped_of(s).leg_length / ADULT
    return stairs(rise * size, tread * size)


def walked(s: Skeleton, walk: Walk) -> Sequence:
    """Return a sequence with a walk."""
    made = new_sequence(s, "Walk")
    put_walk(made, walk)
    return made


def footing(s: Skeleton, walk: Walk, ground: Ground, parts: int = 1) -> Footing:
    """Measure how a walk stands on its ground.

    Args:
        s: The figure.
        walk: The walk.
        ground: What it walks on.
        parts: Samples to a frame.
    """
    sequence = walked(s, walk)
    frames = np.arange(walk.last * parts + 1) / parts
    holding = sequence.locks.holding
    left = np.zeros((len(frames), len(holding.times.locks)))
    poses = holding.held(frames, sequence.interpolated_at_frames(frames), left)
    X = forward_kinematics(s, poses)
    sunk = hover = tilt = drift = under = 0.0
    for leg, way in zip(biped_of(s).legs, walk.feet, strict=True):
        points = _foot_points(s, leg, X)
        gap = points[..., 1] - ground.heights(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])
        low, standing = gap.min(axis=1), np.zeros(len(frames), dtype=bool)
        for contact in way.contacts:
            here = (frames >= contact.land) & (frames <= contact.leave)
            flat = (frames >= contact.down) & (frames <= contact.rise)
            standing |= here
            sunk, hover = max(sunk, -float(low[here].min())), max(hover, float(low[here].max()))
            foot = X[:, leg.foot.joint]
            drift = max(drift, float(np.ptp(foot[flat, :3, 3], axis=0).max()))
            up = foot[flat][0, :3, :3] @ leg.flat[1, :3]
            if leg.foot.toes is not None:
                toes = (frames >= contact.down) & (frames <= contact.leave)
                drift = max(drift, float(np.ptp(X[toes, leg.foot.toes, :3, 3], axis=0).max()))
            heel = (frames >= contact.land) & (frames < contact.down)
            if heel.any():  # a round heel comes down as it rolls, and does not slip
                places = foot[heel, :3, :3] @ leg.heel + foot[heel, :3, 3]
                places -= (places @ up)[:, None] * up
                drift = max(drift, float(np.ptp(places, axis=0).max()))
            under_foot = points[flat][0]
            normal = ground.normals(under_foot[:, [0, 2]]).mean(axis=0)
            tilt = max(tilt, float(np.arccos(min(float(up @ normal / np.linalg.norm(normal)), 1.0))))
        if not standing.all():
            under = max(under, -float(low[~standing].min()))
    jump = _most_turned(s, X[::parts])
    outside = float(max((s.limits[:, 0] - poses[:, 3:]).max(), (poses[:, 3:] - s.limits[:, 1]).max()))
    return Footing(sunk, hover, tilt, drift, under, jump, outside, float(left.max()))


def _most_turned(s: Skeleton, X: Array) -> float:
    """Return how far a joint turns against what it hangs from, from one pose to the next, at most, [rad]."""
    R = X[:, :, :3, :3]
    own = [R[:, 0], *(R[:, j.parent].transpose(0, 2, 1) @ R[:, i] for i, j in enumerate(s.joints) if i)]
    return max(float(np.linalg.norm(so3.log(a[:-1].transpose(0, 2, 1) @ a[1:]), axis=1).max()) for a in own)


def _foot_points(s: Skeleton, leg: Leg, X: Array) -> Array:
    """Return the vertices of a foot and its toes, each with its part, shape (m, k, 3)."""
    rest, found = rest_frames(s), []
    for joint in (leg.foot.joint, leg.foot.toes):
        if joint is None:
            continue
        own = (part_vertices(s, joint, rest) - rest[joint, :3, 3]) @ rest[joint, :3, :3]
        found.append(np.einsum("mij,kj->mki", X[:, joint, :3, :3], own) + X[:, joint, None, :3, 3])
    return np.concatenate(found, axis=1)


def sole_gaps(s: Skeleton, leg: Leg, X: Array, ground: Ground) -> Array:
    """Return how far the lowest point of a foot is over the ground in poses, shape (m,), [m].

    Args:
        s: The figure.
        leg: The leg.
        X: Frames of all joints in each pose, shape (m, n, 4, 4).
        ground: The ground.
    """
    points = _foot_points(s, leg, X)
    heights = ground.heights(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])
    return np.asarray((points[..., 1] - heights).min(axis=1))
