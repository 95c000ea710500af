"""Legs of figures: where they begin, how long they are, and how high feet are on them."""

from __future__ import annotations

import numpy as np

from core.animation.contacts.feet import Foot, figure_feet
from core.animation.retargeting.matching import rotations
from core.animation.retargeting.pairs import anatomy_of
from core.arrays import Array
from core.constraints.soles import height
from core.skeleton.named_parts import THIGH
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton


def thighs(s: Skeleton) -> list[int]:
    """Return the joints at which legs begin."""
    anatomy = anatomy_of(s)
    return [i for i in anatomy.chains if anatomy.parts[i] == THIGH]


def hip_above(s: Skeleton, joint: int) -> int:
    """Return the joint at which the leg of a foot begins."""
    begins = thighs(s)
    while joint not in begins and s.joints[joint].parent > 0:
        joint = s.joints[joint].parent
    return joint


def hips(s: Skeleton, X: Array) -> Array:
    """Return the middle between the hips in frames of shape (m, n, 4, 4), the root of a figure without legs, (m, 3)."""
    return np.asarray(X[:, thighs(s) or [0]][:, :, :3, 3].mean(axis=1))


def hips_of_root(s: Skeleton) -> Array:
    """Return where the middle between the hips is in the root's frame at rest, scales left out, shape (3,), [m]."""
    X = rest_frames(s)
    return np.asarray(rotations(X[0]).T @ (hips(s, X[None])[0] - X[0, :3, 3]))


def usual_scale(source: Skeleton, target: Skeleton) -> float:
    """Return how many times as long the target's legs are; how many times as tall it is, where not both have legs."""
    legs = [_leg(s) for s in (source, target)]
    return height(target) / height(source) if None in legs else legs[1] / legs[0]  # type: ignore[operator]


def _leg(s: Skeleton) -> float | None:
    """Return how long the legs of a figure are, from the hips to the floor, [m]; None where it has none."""
    anatomy, frames, begins = anatomy_of(s), rest_frames(s), thighs(s)
    feet = figure_feet(s)
    if not begins or not feet:
        return None
    lengths = []
    for thigh in begins:
        length, joint = 0.0, thigh
        below = anatomy.next[joint]
        while below >= 0:
            length += float(np.linalg.norm(frames[below, :3, 3] - frames[joint, :3, 3]))
            joint, below = below, anatomy.next[below]
        lengths.append(length)
    ankles = [float(frames[foot.joint, 1, 3]) - _lowest(foot, frames) for foot in feet]
    return float(np.mean(lengths) + np.mean(ankles))


def point_height(s: Skeleton, foot: Foot) -> float:
    """Return how high the point of a foot that locks hold is above its sole while it stands, [m]."""
    frames = rest_frames(s)
    return float((frames[foot.joint, :3, :3] @ foot.point + frames[foot.joint, :3, 3])[1]) - _lowest(foot, frames)


def _lowest(foot: Foot, frames: Array) -> float:
    """Return how high the lowest point of a foot is in frames of shape (n, 4, 4), [m]."""
    return min(float((frames[r.joint, :3, :3] @ r.points.T + frames[r.joint, :3, 3:])[1].min()) for r in foot.regions)
