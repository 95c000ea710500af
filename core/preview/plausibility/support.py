"""What holds a figure at each moment, the ground, a lock, or nothing, and how far its parts are above the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from core.animation.locks.sequence_locks import ActiveLock
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.constraints.lock import Lock
from core.constraints.soles import part_vertices
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import Floor, World
from core.preview.carried import moved_along
from core.preview.plausibility.violation import Thresholds
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames

_CHUNK = 64  # poses at a time


class Surface(NamedTuple):
    """The outermost points of a figure's parts: one of them is lowest in every pose.

    Attributes:
        joints: Index of the joint of each part, shape (p,).
        points: The points of each part in its joint's frame, each of shape (k, 3), [m].
    """

    joints: tuple[int, ...]
    points: tuple[Array, ...]


@per_skeleton
def surface(s: Skeleton) -> Surface:
    """Return the outermost points of a figure's parts; kept as long as it lives."""
    frames = rest_frames(s)
    joints, points = [], []
    for i, joint in enumerate(s.joints):
        if not joint.has_body:
            continue
        vertices = np.unique(part_vertices(s, i, frames), axis=0)
        inverse = np.linalg.inv(frames[i])
        own = vertices @ inverse[:3, :3].T + inverse[:3, 3]
        joints.append(i)
        points.append(_hull(own))
    return Surface(tuple(joints), tuple(points))


def _hull(points: Array) -> Array:
    if len(points) < 5:
        return points
    try:
        return np.ascontiguousarray(points[scipy.spatial.ConvexHull(points).vertices])
    except scipy.spatial.QhullError:  # flat, or all in one place
        return points


def clearances(s: Skeleton, frames: Array, world: World) -> Array:
    """Return how far each part is above the floor or the ground, or away from the nearest obstacle if that is less.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (m, n, 4, 4).
        world: What there is.

    Returns:
        Distance of the nearest point of each part of :func:`surface`, negative inside, shape (m, p), [m]; infinite
        where there is nothing. Past the edges of an obstacle it may come out too small, never too large.
    """
    known = surface(s)
    found = np.full((len(frames), len(known.joints)), np.inf)
    for n, (joint, points) in enumerate(zip(known.joints, known.points, strict=True)):
        X = frames[:, joint]
        if world.floor is not None and world.ground is None:
            found[:, n] = _above(world.floor, X, points)
        for i in range(0, len(X) if world.geometries or world.ground is not None else 0, _CHUNK):
            rows = slice(i, i + _CHUNK)
            there = points @ np.swapaxes(X[rows, :3, :3], -1, -2) + X[rows, None, :3, 3]
            if world.ground is not None:
                found[rows, n] = world.above(there).min(axis=1)
            for geometry in world.geometries:
                found[rows, n] = np.minimum(found[rows, n], _away(geometry, there))
    return found


def _above(floor: Floor, X: Array, points: Array) -> Array:
    """Return how far the lowest of a part's points is above the floor, shape (m,)."""
    return np.asarray((floor.normal @ X[:, :3, :3] @ points.T).min(axis=1) + X[:, :3, 3] @ floor.normal - floor.offset)


def _away(geometry: Geometry, there: Array) -> Array:
    """Return how far the nearest of some points is from an obstacle, world points of shape (m, k, 3); shape (m,)."""
    X, inner = geometry.X_BS, geometry.shape.polytope
    local = (there - X[:3, 3]) @ X[:3, :3]
    if inner.is_solid:
        offsets = np.array([inner.points[face[0]] @ n for face, n in zip(inner.faces, inner.normals, strict=True)])
        distance = (local @ inner.normals.T - offsets).max(axis=-1)
    else:  # a point or a segment, or what is as thin
        a, b = inner.points[0], inner.points[-1]
        along = b - a
        share = np.clip((local - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        distance = np.linalg.norm(local - a - share[..., None] * along, axis=-1)
    return np.asarray(distance.min(axis=1) - geometry.shape.radius)


NOTHING, GROUND, LOCK = 0, 1, 2
"""What holds a figure up; a lock in the air counts more than the ground, and so does a simulation that is to come."""

_TO_THE_WORLD = ("position", "pose", "plane", "line")
_TO_OTHERS = ("point_pair", "distance", "carry")
_HOLDS = 0.5  # a lock that is less than half on holds nothing up


@dataclass(frozen=True)
class Support:
    """What holds a figure at frames.

    Attributes:
        state: ``NOTHING``, ``GROUND`` or ``LOCK``, shape (m,).
        low: Distance of the lowest part from the ground, shape (m,), [m].
        touching: Which parts of :func:`core.preview.plausibility.support.surface` touch the ground, shape (m, p).
        beside: Which may: the feet of a recording do not all reach the ground that they stand on, shape (m, p).
        surely_off: From which distance on a part is off the ground for sure, [m].
    """

    state: Ints
    low: Array
    touching: Bools
    beside: Bools
    surely_off: float


def support(sequence: Sequence, frames: Array, above: Array, limits: Thresholds) -> Support:
    """Return what holds the figure of a sequence at frames.

    Args:
        sequence: The sequence.
        frames: Frame numbers, shape (m,).
        above: How far each part is above the ground, shape (m, p), [m].
        limits: Thresholds.
    """
    s = sequence.skeleton
    height = figure_height(s)
    low = above.min(axis=1, initial=np.inf)
    most = limits.surely_off * height
    close = low[low < most]
    scatter = float(np.median(np.abs(close - np.median(close)))) if len(close) else 0.0
    near = min(limits.touching * height + 2.0 * scatter, limits.touching_most * height)
    touching = above <= near
    state = np.where(touching.any(axis=1), GROUND, NOTHING).astype(np.intp)
    if sequence.locks.in_effect:
        known = {joint: n for n, joint in enumerate(surface(s).joints)}
        for k, frame in enumerate(frames.tolist()):
            for joint in _held_to_the_world(sequence, frame):
                parts = [known[i] for i in _below(s, joint) if i in known]
                if not any(touching[k, n] for n in parts):
                    state[k] = LOCK
    state[tied_to_others(sequence, frames)] = LOCK
    root = s.joints[0].name
    for moved in moved_along([sequence, *sequence.companions.values()], sequence.hybrid_strips)[0]:
        if moved.moves(root):  # its keys are not what will be seen there
            state[(frames >= moved.start) & (frames < (np.inf if moved.end is None else moved.end))] = LOCK
    return Support(state, low, touching, above <= most, min(most, limits.touching * height + 4.0 * scatter))


def _held_to_the_world(sequence: Sequence, frame: float) -> list[int]:
    """Return the joints that locks hold to the world at a frame."""
    found = []
    for active in sequence.locks.active(frame):
        if active.lock.kind in _TO_THE_WORLD and _weight(active) >= _HOLDS:
            found.append(sequence.skeleton.joint_index(active.lock.joint))
    return found


def tied_to_others(sequence: Sequence, frames: Array) -> Bools:
    """Return at which frames a figure and another one hold each other, whichever of the two the lock belongs to.

    A box in two hands goes where they go, and its weight is theirs to bear: neither moves as a free body does.

    Args:
        sequence: The sequence of the figure; the others are its companions.
        frames: Frame numbers, shape (m,).

    Returns:
        Shape (m,).
    """
    tied = np.zeros(len(frames), dtype=np.bool_)
    mine = sequence.skeleton.name
    for other in (sequence, *sequence.companions.values()):
        if not other.locks.in_effect:
            continue
        for k, frame in enumerate((frames * other.fps / sequence.fps).tolist()):
            tied[k] = tied[k] or any(
                _names(active.lock, None if other is sequence else mine) and _weight(active) >= _HOLDS
                for active in other.locks.active(frame)
            )
    return tied


def _names(lock: Lock, figure: str | None) -> bool:
    """Return whether a lock ties its figure to another one, to that of a name if one is given."""
    second = lock.second
    there = None if second is None or lock.kind not in _TO_OTHERS else second[0]
    return there is not None and figure in (None, there)


def _weight(active: ActiveLock) -> float:
    return active.factor * min(active.lock.weights[:1]) * (1.0 if active.strip is None else active.strip.weight)


def _below(s: Skeleton, joint: int) -> list[int]:
    found = [joint]
    for i in found:
        found.extend(s.children[i])
    return found


def stretches(mask: Bools) -> list[tuple[int, int]]:
    """Return the first and last place of each stretch in which something is so."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
