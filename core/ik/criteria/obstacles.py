"""Obstacle distance: keep all segments of a chain away from spheres, solids with flat faces, and floors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.errors import GoalError
from core.ik.criteria import obstacles_kernel
from core.ik.criteria.criterion import Kind, Posture
from core.ik.goal import finite
from core.kernels import serving
from core.kernels.functions import raise_kept
from core.skeleton.segment import Capsule, segment_capsule
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints, pack

INFLUENCE = 0.1
"""Distance between surfaces from where a segment keeps away, as a part of the figure's size."""

_capsules: WeakKeyDictionary[Skeleton, dict[int, Capsule]] = WeakKeyDictionary()


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
    it is the mean of what ``obstacles_kernel.SAMPLES`` points along the segment add.

    Args:
        centers: Centers of the spheres, world, shape (m, 3), [m].
        radii: Radii, shape (m,), [m].
        solids: Solids with flat faces.

    Source: Maciejewski and Klein (1985); named in Welman (1993) section 3.2.1.
    """

    def __init__(self, centers: Array, radii: Array, solids: tuple[Solid, ...] = ()):
        self.centers, self.radii, self.solids = centers, radii, solids
        faces = [np.column_stack([solid.normals, solid.offsets]) for solid in solids]
        self._balls = np.ascontiguousarray(np.column_stack([centers, radii]), dtype=np.float64)
        self._faces = np.ascontiguousarray(np.concatenate([np.zeros((0, 4)), *faces]), dtype=np.float64)
        self._first = np.cumsum([0, *(len(each) for each in faces)], dtype=np.int64)
        self._least = np.array([solid.influence for solid in solids], dtype=np.float64)

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        chain = posture.once("segments", lambda: _segments(posture))
        joints, starts, ends, radii = chain.joints, chain.starts, chain.ends, chain.radii
        tree, frames, sums, kernels = pack(posture.skeleton), posture.frames, chain.sums, serving(obstacles_kernel)
        value = kernels.pushes(
            frames, joints, starts, ends, radii, self._balls, self._faces, self._first, self._least, INFLUENCE,
            posture.size, chain.points, sums, chain.through,
        )  # fmt: skip
        for i in np.flatnonzero(chain.through).tolist():
            self._push_across(posture, chain, i)
        gradient = np.empty(len(posture.dofs))
        q = posture.q if posture.q.flags.writeable else posture.q.copy()
        kernels.gradient(
            tree.parent, tree.offset, tree.rotation, tree.scale, tree.first, tree.kind, tree.axis, tree.record,
            tree.records, q, frames, joints, sums, int(posture.affine), chain.dofs, posture.size, chain.points[0],
            chain.path, chain.linears, chain.J, gradient,
        )  # fmt: skip
        if tree.general:
            raise_kept()
        return value, gradient

    def _push_across(self, posture: Posture, chain: _Segments, i: int) -> None:
        """Push a segment out of the balls whose centers its line runs through: across it, for want of another way."""
        X, start, end = posture.frames[chain.joints[i]], chain.starts[i], chain.ends[i]
        first, last = (X[:3, :3] @ point + X[:3, 3] for point in (start, end))
        along, off = nearest(first[None], last[None], self.centers)
        for k in np.flatnonzero((off[0] == 0.0).all(axis=1)).tolist():
            missing = INFLUENCE + (chain.radii[i] + self.radii[k]) / posture.size
            point = start + along[0, k] * (end - start)
            push = missing * _across(last - first, posture.jacobian(int(chain.joints[i]), point)[:3])
            chain.sums[i] += push[:, None] * np.append(point, 1.0)


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


class _Segments(NamedTuple):
    """The capsules of a chain in their joints' frames, [m], and memory for the kernels."""

    joints: Ints
    starts: Array
    ends: Array
    radii: Array
    dofs: Ints
    sums: Array
    through: Ints
    points: Array
    path: Ints
    linears: Array
    J: Array


def _segments(posture: Posture) -> _Segments:
    skeleton, tree = posture.skeleton, pack(posture.skeleton)
    known = _capsules.setdefault(skeleton, {})
    found: list[tuple[int, Capsule]] = []
    for joint in posture.joints:
        if joint not in known:
            known[joint] = segment_capsule(skeleton, joint)
        if skeleton.joints[joint].has_body or np.any(known[joint].end):
            found.append((joint, known[joint]))
    ends = np.array([(capsule.start, capsule.end) for _, capsule in found], dtype=np.float64).reshape(-1, 2, 3)
    n = len(found)
    return _Segments(
        np.array([joint for joint, _ in found], dtype=np.int64),
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        np.array([capsule.radius for _, capsule in found], dtype=np.float64),
        np.ascontiguousarray(posture.dofs, dtype=np.int64),
        np.empty((n, 3, 4)),
        np.zeros(n, dtype=np.int64),
        np.empty((3, 3)),
        np.empty(len(tree.parent), dtype=np.int64),
        np.empty((len(tree.kind) + 2, 3, 3)),
        np.empty((6, skeleton.nq)),
    )


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
