"""Obstacle distance: keep all segments of a chain away from spheres."""

from __future__ import annotations

import math
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.errors import GoalError
from core.ik.criteria.criterion import Kind, Posture
from core.ik.goal import finite
from core.skeleton.segment import Capsule, segment_capsule
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

INFLUENCE = 0.1
"""Distance between surfaces from where a segment keeps away, as a part of the figure's size."""

_capsules: WeakKeyDictionary[Skeleton, dict[int, Capsule]] = WeakKeyDictionary()


class Obstacles:
    """Half the sum of ``(d0 - d)^2`` over all segments nearer than ``d0`` to a sphere, lengths over the figure's size.

    A segment is the capsule that stands for it (``core.skeleton.segment``); d, the distance between the surfaces, is
    negative where they overlap. Joints that only carry another one at the same place have no segment.

    Args:
        centers: Centers of the spheres, world, shape (m, 3), [m].
        radii: Radii, shape (m,), [m].

    Source: Maciejewski and Klein (1985); named in Welman (1993) section 3.2.1.
    """

    def __init__(self, centers: Array, radii: Array):
        self.centers, self.radii = centers, radii

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        joints, starts, ends, radii = posture.once("segments", lambda: _segments(posture))
        frames = posture.frames[joints]
        turns, origins = frames[:, :3, :3], frames[:, :3, 3]
        first, last = (np.sum(turns * points[:, None], axis=2) + origins for points in (starts, ends))
        along, off = nearest(first, last, self.centers)
        distance = np.sqrt(np.sum(off * off, axis=2))
        missing = INFLUENCE - (distance - radii[:, None] - self.radii) / posture.size
        value, gradient = 0.0, np.zeros(len(posture.dofs))
        for i, k in np.argwhere(missing > 0.0).tolist():
            point = starts[i] + along[i, k] * (ends[i] - starts[i])
            J = posture.jacobian(int(joints[i]), point)[:3]
            away = off[i, k] / distance[i, k] if distance[i, k] > 0.0 else _across(last[i] - first[i], J)
            value += 0.5 * float(missing[i, k]) ** 2
            gradient -= missing[i, k] / posture.size * (away @ J)
        return value, gradient


def nearest(starts: Array, ends: Array, centers: Array) -> tuple[Array, Array]:
    """Return where on each line the nearest point to each center lies, and the way to it.

    Args:
        starts: Shape (n, 3).
        ends: Shape (n, 3); may be ``starts``.
        centers: Shape (m, 3).

    Returns:
        Parts of the lines in 0..1, shape (n, m), and the points minus the centers, shape (n, m, 3).
    """
    lines = ends - starts
    square = np.sum(lines * lines, axis=1)
    dots = np.sum((centers - starts[:, None]) * lines[:, None], axis=2)
    along = np.minimum(np.maximum(dots / np.where(square > 0.0, square, 1.0)[:, None], 0.0), 1.0)
    return along, starts[:, None] + along[:, :, None] * lines[:, None] - centers


def _across(line: Array, J: Array) -> Array:
    """Return a unit direction across a line: the way out of a sphere whose center it runs through.

    Of two at right angles it is the one in which the chain can move the point faster.
    """
    one = np.cross(line, np.eye(3)[int(np.argmin(np.abs(line)))])
    length = math.sqrt(float(one @ one))
    one = one / length if length > 0.0 else np.eye(3)[1]
    other = np.cross(line, one)
    length = math.sqrt(float(other @ other))
    other = other / length if length > 0.0 else np.eye(3)[0]
    return one if float(np.sum((one @ J) ** 2)) >= float(np.sum((other @ J) ** 2)) else other


def _segments(posture: Posture) -> tuple[Ints, Array, Array, Array]:
    """Return joints, ends and radii of the capsules of a chain, ends in the joints' frames, [m]."""
    skeleton = posture.skeleton
    known = _capsules.setdefault(skeleton, {})
    found: list[tuple[int, Capsule]] = []
    for joint in posture.joints:
        if joint not in known:
            known[joint] = segment_capsule(skeleton, joint)
        if skeleton.joints[joint].has_body or np.any(known[joint].end):
            found.append((joint, known[joint]))
    ends = np.array([(capsule.start, capsule.end) for _, capsule in found]).reshape(-1, 2, 3)
    joints = np.array([joint for joint, _ in found], dtype=np.int64)
    return joints, ends[:, 0], ends[:, 1], np.array([capsule.radius for _, capsule in found])


def _make(skeleton: Skeleton, data: Any) -> Obstacles:
    what = 'obstacles of the criterion "obstacles"'
    try:
        spheres = [(center, radius) for center, radius in data]
    except (TypeError, ValueError):
        raise GoalError(f"{what} are {data!r}; they must be pairs of a center and a radius") from None
    centers, radii = np.zeros((len(spheres), 3)), np.zeros(len(spheres))
    for i, (center, radius) in enumerate(spheres):
        centers[i] = finite(center, (3,), f"center {i} of the {what}")
        radii[i] = finite(radius, (), f"radius {i} of the {what}")
        if radii[i] < 0.0:
            raise GoalError(f"radius {i} of the {what} is {radii[i]:g}; it must be 0 or more")
    return Obstacles(centers, radii)


OBSTACLES = Kind("obstacles", "Obstacles", "Keeps the whole chain away from spheres.", "spheres", _make)
"""Obstacle distance."""
