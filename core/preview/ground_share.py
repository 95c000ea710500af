"""What the ground does to each part that stands on it, if only the sum is known.

A figure on two feet can share its weight between them in endless ways. Of all that make the same force and the same
moment the least is taken, moments counted as forces at a short arm: feet that stand alike bear alike, and a foot that
the centre of mass is above bears more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.contact.world import World
from core.preview.plausibility.support import clearances, surface
from core.preview.plausibility.violation import THRESHOLDS
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height

_ARM = 0.03  # of the figure's height: the arm at which a moment counts as its force
_BAND = 0.006  # of the height: points of a part so far above its lowest one touch the ground too


class Bearing(NamedTuple):
    """A part that the ground bears.

    Attributes:
        joint: Index of its joint.
        point: Where, in the world, shape (3,), [m].
        force: What the ground does there, shape (3,), [N].
        moment: Shape (3,), [N m].
    """

    joint: int
    point: Array
    force: Array
    moment: Array


def ground_share(s: Skeleton, frames: Array, center: Array, wrench: Array, world: World) -> list[Bearing]:
    """Return how the parts that touch the ground share what the world has to do to a figure.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (n, 4, 4).
        center: Its centre of mass, shape (3,), [m].
        wrench: ``[t; f]`` about the centre of mass that is needed, shape (6,).
        world: Where the ground is.

    Returns:
        The parts; none where nothing touches the ground, or where it would have to pull.
    """
    up = np.array([0.0, 1.0, 0.0]) if world.floor is None else world.floor.normal
    height = figure_height(s)
    if wrench[3:] @ up <= 0.0:
        return []
    near = clearances(s, frames[None], world)[0] <= THRESHOLDS.touching * height
    parts = surface(s)
    found: list[tuple[int, Array]] = []
    for n in np.flatnonzero(near).tolist():
        X = frames[parts.joints[n]]
        points = parts.points[n] @ X[:3, :3].T + X[:3, 3]
        low = points @ up
        found.append((parts.joints[n], points[low <= low.min() + _BAND * height].mean(axis=0)))
    if not found:
        return []
    columns = np.zeros((6, 6 * len(found)))
    for k, (_, point) in enumerate(found):
        own = columns[:, 6 * k : 6 * k + 6]
        own[:3, :3] = np.eye(3) * (_ARM * height)  # moments in units of a force at the arm
        own[3:, 3:] = np.eye(3)
        x, y, z = point - center
        own[:3, 3:] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    shares = (columns.T @ np.linalg.solve(columns @ columns.T, wrench)).reshape(-1, 6)
    return [
        Bearing(joint, point, share[3:], share[:3] * (_ARM * height))
        for (joint, point), share in zip(found, shares, strict=True)
    ]
