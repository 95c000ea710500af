"""A guard: the pose in which someone falls who protects the head. Arms reach for where the ground comes, knees and hips
bend, the chin is tucked, or the head lifted in a fall on the face.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.preview.anatomy import Anatomy
from core.preview.controllers.controller import Command, Situation
from core.preview.controllers.muscles import SLOW, STIFF, limited
from core.spatial import so3

ELBOW, ARM_DOWN = 0.3, 1.2
"""How far elbows are bent, [rad], and how much of the arms' direction is down; the rest is where the fall goes."""
_QUICK = 3.2  # times the stiffness of a pose that is just held
_LEAST = 1e-6


def guard_pose(anatomy: Anatomy, now: Situation, poses: Array, way: Array) -> Array:
    """Return the coordinates of the guard, shape (nq,); the rest as keyed.

    Args:
        anatomy: The figure.
        now: The situation.
        poses: Poses of its bodies, shape (nb, 4, 4).
        way: Where it falls to, level, unit, shape (3,).
    """
    x = now.keyed[0].copy()
    up = np.array([0.0, 1.0, 0.0])
    chest = anatomy.chest
    turned = poses[chest, :3, :3] @ anatomy.rest_poses[chest, :3, :3].T  # from rest to how the chest is now
    ahead = float(way @ (turned @ anatomy.facing))
    aside = float(way @ (turned @ np.cross(up, anatomy.facing)))
    for b, kind in enumerate(anatomy.kinds):
        angle = _bends(kind, ahead)
        if angle is not None and len(anatomy.coordinates[b]):
            bend(anatomy, x, b, angle, -0.25 * aside if kind == "neck" else 0.0)
    if anatomy.has_arms:
        for arm in anatomy.arms:
            _reach(anatomy, x, poses, arm.bodies, way - ARM_DOWN * up, turned)
    return x


def _bends(kind: str, ahead: float) -> float | None:
    """Return how far a joint is bent from rest, [rad]; None for as keyed.

    Args:
        kind: What it is.
        ahead: 1 where the fall goes forwards, -1 backwards, 0 to a side.
    """
    back = 0.5 * (1.0 - ahead)
    return {
        "neck": -0.6 + 1.05 * back,
        "trunk": -0.3 + 0.57 * back,
        "hip": 0.3 + 0.6 * back,
        "knee": 1.5 - 0.45 * back,
        "ankle": 0.1 + 0.15 * back,
    }.get(kind)


def bend(anatomy: Anatomy, x: Array, b: int, flexion: float, abduction: float = 0.0) -> None:
    """Bend a joint from the pose of rest."""
    angles = flexion * anatomy.axes[b, 0] + abduction * anatomy.axes[b, 1]
    anatomy.put_turn(x, b, anatomy.turn(b, anatomy.rest) @ so3.exp(angles))


def _reach(anatomy: Anatomy, x: Array, poses: Array, bodies: dict[str, int], wanted: Array, turned: Array) -> None:
    """Let an arm point in a direction of the world, by the shortest way from where it hangs at rest."""
    shoulder, elbow, wrist = bodies["shoulder"], bodies["elbow"], bodies["wrist"]
    rest = anatomy.rest_poses
    hangs = rest[elbow, :3, 3] - rest[shoulder, :3, 3]
    hangs = turned @ hangs / max(float(np.linalg.norm(hangs)), _LEAST)
    out = wanted / float(np.linalg.norm(wanted))
    # Arms stay a little apart, each on its side.
    aside = turned @ np.cross([0.0, 1.0, 0.0], anatomy.facing) * float(anatomy.sides[shoulder])
    out = out + 0.22 * aside
    out = out / float(np.linalg.norm(out))
    axis = np.cross(hangs, out)
    length = float(np.linalg.norm(axis))
    angle = float(np.arctan2(length, hangs @ out))
    R = so3.exp(axis / length * angle) if length > _LEAST else np.eye(3)
    goal = R @ turned @ rest[shoulder, :3, :3]
    above = poses[anatomy.parents[shoulder], :3, :3]
    anatomy.put_turn(x, shoulder, anatomy.joined[shoulder, :3, :3].T @ above.T @ goal)
    bend(anatomy, x, elbow, ELBOW)
    if wrist >= 0:
        bend(anatomy, x, wrist, -0.5)


def guard(anatomy: Anatomy, now: Situation, way: Array) -> Command:
    """Return the motors that take the guard, as strong as the figure is."""
    x = guard_pose(anatomy, now, now.poses, way)
    kp = _QUICK * STIFF * anatomy.strength * now.strength
    return limited(anatomy, now, x, np.zeros_like(x), kp, 0.5 * SLOW * kp)


def held(anatomy: Anatomy, now: Situation) -> Command:
    """Return the motors that follow the keys, as strong as the figure is."""
    kp = STIFF * anatomy.strength * now.strength
    return limited(anatomy, now, now.keyed[0], now.keyed[1], kp, SLOW * kp)
