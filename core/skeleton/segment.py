"""The body part between a joint and the next: its axis, where it is picked up, and what is drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.skeleton.clamp import clamp_pose
from core.skeleton.frames import frames_at
from core.skeleton.mesh import Mesh
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.structure import Structure

_SIDES = 16
_RINGS = 4  # between a half ball's rim and its pole, the rim counted


@lru_cache(maxsize=1)
def _template() -> tuple[Array, Array, NDArray[np.int32]]:
    """Points of the unit ball, which end each belongs to, and the triangles."""
    points: list[tuple[float, float, float]] = [(0.0, -1.0, 0.0)]
    ends: list[float] = [0.0]
    # Rings from the lower pole up; the rim is there twice, once for either end.
    up = [-k * 90.0 / _RINGS for k in range(_RINGS - 1, -1, -1)] + [k * 90.0 / _RINGS for k in range(_RINGS)]
    for k, degrees in enumerate(up):
        height, radius = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
        for side in range(_SIDES):
            turn = 2.0 * np.pi * side / _SIDES
            points.append((radius * np.cos(turn), height, radius * np.sin(turn)))
            ends.append(0.0 if k < _RINGS else 1.0)
    points.append((0.0, 1.0, 0.0))
    ends.append(1.0)
    top = len(points) - 1
    triangles: list[tuple[int, int, int]] = []
    for side in range(_SIDES):
        after = (side + 1) % _SIDES
        triangles.append((0, 1 + side, 1 + after))
        for ring in range(len(up) - 1):
            low, high = 1 + ring * _SIDES, 1 + (ring + 1) * _SIDES
            triangles.append((low + side, high + side, high + after))
            triangles.append((low + side, high + after, low + after))
        last = 1 + (len(up) - 1) * _SIDES
        triangles.append((last + side, top, last + after))
    return np.array(points), np.array(ends), np.array(triangles, dtype=np.int32)


def capsule_mesh(start: ArrayLike, end: ArrayLike, radius: float) -> Mesh:
    """Return the triangles of a capsule.

    Args:
        start: Centre of one half ball, shape (3,), [m].
        end: Centre of the other, shape (3,), [m]; may equal ``start`` (then it is a ball).
        radius: [m], > 0.
    """
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    axis = (b - a) / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    # Any direction across will do; the coordinate axis farthest from the line loses the fewest digits.
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(axis, helper)
    across /= np.linalg.norm(across)
    frame = np.column_stack((across, axis, np.cross(across, axis)))
    points, ends, triangles = _template()
    if length == 0.0:  # the band between the two rims has no area
        triangles = triangles[np.ptp(ends[triangles], axis=1) == 0.0]
    return Mesh(radius * points @ frame.T + a + ends[:, None] * (b - a), triangles)


_TINY = 1e-9  # [m]
_RADIUS = 0.18  # of the segment's length
_THINNEST, _THICKEST = 0.012, 0.05  # of the figure's size
_BALL = 0.03  # radius of a segment without length, of the figure's size
_LEAF = 0.5  # length of a last segment, of the one before


class Capsule(NamedTuple):
    """A capsule in a joint's frame: centres of its half balls, each (3,), [m], and its radius, [m]."""

    start: Array
    end: Array
    radius: float


_meshes: WeakKeyDictionary[Structure, dict[int, Mesh | None]] = WeakKeyDictionary()


def rest_frames(s: Structure) -> Array:
    """Return the world frame of every joint in the rest pose, shape (n, 4, 4)."""
    return frames_at(s, clamp_pose(s, np.zeros(s.nq))[3:])


def _own_mesh(s: Structure, joint: int) -> Mesh | None:
    """The union of the joint's objects that are there; None if there is none."""
    meshes = [part.mesh for part in s.joints[joint].objects if part.mesh is not None]
    if not meshes:
        return None
    if len(meshes) == 1:
        return meshes[0]
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def _mesh_tip(mesh: Mesh) -> Array | None:
    """How far the mesh reaches towards its middle, as a point; None if it lies around the joint."""
    lo, hi = mesh.bounds
    middle = 0.5 * (lo + hi)
    distance = float(np.linalg.norm(middle))
    if distance < 0.05 * float(np.linalg.norm(hi - lo)) or distance < _TINY:
        return None
    axis = middle / distance
    return axis * float((mesh.vertices @ axis).max())


def segment_tip(s: Structure, joint: int | str) -> Array:
    """Return the end of a segment's axis; it begins at the joint's origin.

    It is the origin of the joint that carries on the chain: the only child, else the child without a counterpart on
    the other side (the torso, not a leg), else the mean of the children. At the end of a chain it is the joint's tip,
    or the mean of its tips; without any it is as far as the object reaches along the line through its middle, and
    without object half as long again as the segment before.

    Args:
        s: The figure.
        joint: Index or name.

    Returns:
        Shape (3,), in the joint's frame, [m]; zero for a joint that only carries another one at the same place.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    offsets = [(child, s.joints[child].offset) for child in s.children[i]]
    far = [(child, offset) for child, offset in offsets if float(np.linalg.norm(offset)) > _TINY]
    if far:
        if len(far) == 1:
            return far[0][1].copy()
        paired = {k for pair in s.mirror_pairs for k in pair}
        alone = [offset for child, offset in far if child not in paired]
        if alone:
            return max(alone, key=lambda offset: float(np.linalg.norm(offset))).copy()
        mean = np.mean([offset for _, offset in far], axis=0)
        if float(np.linalg.norm(mean)) > 0.1 * max(float(np.linalg.norm(offset)) for _, offset in far):
            return mean
        mesh = _own_mesh(s, i)
        tip = _mesh_tip(mesh) if mesh is not None else None
        return tip if tip is not None else far[0][1].copy()
    tips = [tip for tip in s.joints[i].tips if float(np.linalg.norm(tip)) > _TINY]
    if tips:
        mean = np.mean(tips, axis=0)
        return mean if float(np.linalg.norm(mean)) > _TINY else tips[0].copy()
    mesh = _own_mesh(s, i)
    if mesh is not None:
        tip = _mesh_tip(mesh)
        if tip is not None:
            return tip
        # A ball around the joint: half its height, so that it is picked up near its middle.
        return np.array([0.0, float(mesh.bounds[1][1]), 0.0])
    if offsets and not s.joints[i].has_body:
        return np.zeros(3)
    return _continued(s, i)


def _continued(s: Structure, i: int) -> Array:
    """Half as far again as the last joint that stands apart from its parent, in the same direction at rest."""
    turn = np.eye(3)
    at = i
    while at >= 0:
        joint = s.joints[at]
        turn = joint.rotation @ turn
        if float(np.linalg.norm(joint.offset)) > _TINY and joint.parent >= 0:
            return _LEAF * (turn.T @ joint.offset)
        at = joint.parent
    return np.zeros(3)


def end_effector(s: Structure, joint: int | str) -> Array:
    """Return where a segment is picked up: half-way along it, shape (3,), in the joint's frame, [m].

    Source: the thesis' section 6.2.
    """
    return 0.5 * segment_tip(s, joint)


@per_skeleton
def _size(s: Structure) -> float:
    """Largest extent of joints and segment ends in the rest pose, [m]; 1 for a figure without any."""
    frames = rest_frames(s)
    tips = [frames[i, :3, :3] @ segment_tip(s, i) + frames[i, :3, 3] for i in range(len(s.joints))]
    points = np.concatenate([frames[:, :3, 3], np.array(tips)])
    size = float(np.ptp(points, axis=0).max())
    return size if size > _TINY else 1.0


def segment_capsule(s: Structure, joint: int | str) -> Capsule:
    """Return the capsule that stands for a segment: along its axis, as thick as its length and the figure suggest."""
    i = s.joint_index(joint)
    tip = segment_tip(s, i)
    size = _size(s)
    length = float(np.linalg.norm(tip))
    if length <= _TINY:
        return Capsule(np.zeros(3), np.zeros(3), _BALL * size)
    radius = min(max(_RADIUS * length, _THINNEST * size), _THICKEST * size)
    # The half balls end at the joint and at the tip, unless the segment is too short for them.
    inset = min(radius, 0.5 * length) / length
    return Capsule(tip * inset, tip * (1.0 - inset), radius)


def segment_mesh(s: Structure, joint: int | str) -> Mesh | None:
    """Return what is drawn for a segment, in the joint's frame; kept, so that asking again costs nothing.

    The union of its objects; the capsule if none of them could be loaded, or if it has a mass but no object; None for
    a joint without a body.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    known = _meshes.setdefault(s, {})
    if i not in known:
        mesh = _own_mesh(s, i)
        if mesh is None and s.joints[i].has_body:
            mesh = capsule_mesh(*segment_capsule(s, i))
        known[i] = mesh
    return known[i]
