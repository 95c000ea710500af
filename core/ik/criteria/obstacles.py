"""Obstacle distance: keep all segments of a chain away from spheres, solids with flat faces, and floors."""

from __future__ import annotations

import math
from dataclasses import dataclass
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
from core.spatial.cross_products import cross_rows

INFLUENCE = 0.1
"""Distance between surfaces from where a segment keeps away, as a part of the figure's size."""

_capsules: WeakKeyDictionary[Skeleton, dict[int, Capsule]] = WeakKeyDictionary()


SAMPLES = 7
"""Points along a segment that are held against flat faces."""


@dataclass(frozen=True, eq=False)
class Solid:
    """All points that are on the inner side of every one of some planes, ``n . p <= offset``; a floor has one plane.

    How far a point is outside is the greatest of its distances from the planes: near a corner a little less than the
    distance from the solid.

    Attributes:
        normals: Unit normals, outwards, world, shape (k, 3).
        offsets: Shape (k,), [m].
        influence: Distance from where a segment keeps away, as a part of the figure's size.
    """

    normals: Array
    offsets: Array
    influence: float = INFLUENCE


class Obstacles:
    """Half the sum of ``(d0 - d)^2`` over all segments nearer than ``d0`` to a sphere, lengths over the figure's size.

    A segment is the capsule that stands for it (``core.skeleton.segment``); d, the distance between the surfaces, is
    negative where they overlap. Joints that only carry another one at the same place have no segment. Against a solid
    it is the mean of what ``SAMPLES`` points along the segment add.

    Args:
        centers: Centers of the spheres, world, shape (m, 3), [m].
        radii: Radii, shape (m,), [m].
        solids: Solids with flat faces.

    Source: Maciejewski and Klein (1985); named in Welman (1993) section 3.2.1.
    """

    def __init__(self, centers: Array, radii: Array, solids: tuple[Solid, ...] = ()):
        self.centers, self.radii, self.solids = centers, radii, solids

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        joints, starts, ends, radii = posture.once("segments", lambda: _segments(posture))
        frames = posture.frames[joints]
        turns, origins = frames[:, :3, :3], frames[:, :3, 3]
        first, last = (np.sum(turns * points[:, None], axis=2) + origins for points in (starts, ends))
        along, off = nearest(first, last, self.centers)
        distance = np.sqrt(np.sum(off * off, axis=2))
        missing = np.maximum(INFLUENCE - (distance - radii[:, None] - self.radii) / posture.size, 0.0)
        value = 0.5 * float(np.sum(missing * missing))
        away = off / np.where(distance > 0.0, distance, 1.0)[:, :, None]
        for i, k in np.argwhere((distance == 0.0) & (missing > 0.0)).tolist():
            point = starts[i] + along[i, k] * (ends[i] - starts[i])
            away[i, k] = _across(last[i] - first[i], posture.jacobian(int(joints[i]), point)[:3])
        shares, pushes = [along], [missing[:, :, None] * away]
        for solid in self.solids:
            share = np.broadcast_to(np.linspace(0.0, 1.0, SAMPLES), (len(joints), SAMPLES))
            points = first[:, None] + share[:, :, None] * (last - first)[:, None]
            outside = points @ solid.normals.T - solid.offsets
            lacks = np.maximum(solid.influence - (outside.max(axis=2) - radii[:, None]) / posture.size, 0.0)
            value += 0.5 * float(np.sum(lacks * lacks)) / SAMPLES
            shares.append(share)
            pushes.append(lacks[:, :, None] / SAMPLES * solid.normals[outside.argmax(axis=2)])
        gradient = np.zeros(len(posture.dofs))
        share, push = np.concatenate(shares, axis=1), np.concatenate(pushes, axis=1)
        local = starts[:, None] + share[:, :, None] * (ends - starts)[:, None]
        arms = np.einsum("iab,ikb->ika", turns, local)
        moments = cross_rows(arms.reshape(-1, 3), push.reshape(-1, 3)).reshape(push.shape).sum(axis=1)
        forces = push.sum(axis=1)
        for i in np.flatnonzero(push.any(axis=(1, 2))).tolist():
            joint = int(joints[i])
            if posture.affine:  # points of a scaled frame do not move as those of a body
                for point, own in zip(local[i], push[i], strict=True):
                    gradient -= own @ posture.jacobian(joint, point)[:3] / posture.size
            else:
                J = posture.jacobian(joint, np.zeros(3))
                gradient -= (forces[i] @ J[:3] + moments[i] @ J[3:]) / posture.size
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
        given = list(data)
        solids = tuple(each for each in given if isinstance(each, Solid))
        spheres = [(center, radius) for center, radius in (each for each in given if not isinstance(each, Solid))]
    except (TypeError, ValueError):
        raise GoalError(f"{what} are {data!r}; they must be pairs of a center and a radius, or Solid") from None
    for i, solid in enumerate(solids):
        normals = finite(solid.normals, (len(solid.offsets), 3), f"normals of solid {i} of the {what}")
        finite(solid.offsets, (len(normals),), f"offsets of solid {i} of the {what}")
        if not len(normals) or np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() > 1e-6:
            raise GoalError(f"normals of solid {i} of the {what} must be of length 1, and there must be one at least")
    centers, radii = np.zeros((len(spheres), 3)), np.zeros(len(spheres))
    for i, (center, radius) in enumerate(spheres):
        centers[i] = finite(center, (3,), f"center {i} of the {what}")
        radii[i] = finite(radius, (), f"radius {i} of the {what}")
        if radii[i] < 0.0:
            raise GoalError(f"radius {i} of the {what} is {radii[i]:g}; it must be 0 or more")
    return Obstacles(centers, radii, solids)


OBSTACLES = Kind("obstacles", "Obstacles", "Keeps the whole chain away from things.", "spheres or solids", _make)
"""Obstacle distance."""
