"""Helper joints: frames part of the way between a joint and its parent, which skin follows where it bends far.

The mean of two matrices a half turn apart is flat: skin between an upper arm that is raised overhead and the shoulder
girdle would be drawn together to a neck. So the turn of a joint that can turn that far is shared out among a few
frames on the way, each about the joint's own origin, and a vertex follows the two frames next to its share. No file
names them; they are numbered after the figure's joints.

A turn by almost a full half turn has two ways back, and a skin would jump where the shorter one changes. The way taken
is the one on the side of the middle of the joint's range: that changes only where the turn is a half turn away from the
middle, which limits leave out.

Sources: Mohr and Gleicher (2003), Building efficient, accurate character skins from examples (joints added half-way);
Shoemake (1985), Animating rotation with quaternion curves.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.skeleton.dof import HINGE
from core.skeleton.frames import frames_at
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.structure import Structure

PARTS = 8
"""Equal parts that a turn is shared out in; between them are seven helper joints."""
_FAR = math.radians(150.0)  # a hinge that turns no further is well enough between two frames


_latest: WeakKeyDictionary[Structure, tuple[bytes, Array]] = WeakKeyDictionary()


class Helpers(NamedTuple):
    """The helper joints of a figure, ``PARTS - 1`` for each joint that has some.

    Attributes:
        joints: Joints that turn far, shape (k,); their helpers are numbered ``n + (PARTS - 1) * row`` and on.
        parents: Of these, shape (k,).
        bind: Their bind frames, shape (k, 4, 4).
        inverse: The inverses of those of their parents, shape (k, 4, 4).
        middle: Unit quaternion (w, x, y, z) of the middle of their range against the parent, as seen in the bind
            pose's world axes, shape (k, 4).
    """

    joints: NDArray[np.int64]
    parents: NDArray[np.int64]
    bind: Array
    inverse: Array
    middle: Array


@per_skeleton
def helper_joints(s: Structure) -> Helpers:
    """Return the helper joints of a figure: of joints that a skin follows together with their parents
    and whose limits let them turn far.

    A joint that slides as well has none: from its other side, in a figure whose root is elsewhere, its skin would be
    another one. A figure that stretches anywhere has none either.
    """
    together = _followed_together(s)
    chosen = []
    for i, joint in enumerate(s.joints):
        reach = max((max(abs(d.lo), abs(d.hi)) for d in joint.dofs if d.kind == HINGE), default=0.0)
        turns_far = joint.parent >= 0 and all(d.kind == HINGE for d in joint.dofs) and _FAR < reach < math.inf
        if turns_far and any({joint.name, s.joints[joint.parent].name} <= names for names in together):
            chosen.append(i)
    if any(tuple(joint.scale) != (1.0, 1.0, 1.0) for joint in s.joints):
        chosen = []
    joints = np.array(chosen, dtype=np.int64)
    parents = np.array([s.joints[i].parent for i in chosen], dtype=np.int64)
    frames = frames_at(s, np.zeros(s.n_dofs))
    values = np.zeros(s.n_dofs)
    for i in chosen:
        for k, d in enumerate(s.joints[i].dofs, start=s.first_dof[i]):
            values[k] = 0.5 * (d.lo + d.hi) if math.isfinite(d.hi - d.lo) else 0.0
    inverse = np.linalg.inv(frames).astype(np.float64)
    moves = frames_at(s, values) @ inverse
    rotations = np.swapaxes(moves[parents, :3, :3], -1, -2) @ moves[joints, :3, :3]
    middle = np.array([_long_quaternion(turn) for turn in rotations]).reshape(-1, 4)
    found = Helpers(joints, parents, frames[joints], inverse[parents], middle)
    for array in found:
        array.setflags(write=False)
    return found


def _followed_together(s: Structure) -> list[set[str]]:
    """Return which joints the vertices of each mesh follow: its own one and those it names, and their mirror images."""
    other = {joint.name: joint.mirror or joint.name for joint in s.joints}
    found = []
    for joint in s.joints:
        for part in joint.objects:
            if part.mesh and part.mesh.weights:
                names = {joint.name, *(name for name, _ in part.mesh.weights)}
                found += [names, {other.get(name, name) for name in names}]
    return found


def helper_chains(s: Structure) -> list[NDArray[np.int64]]:
    """Return for each joint that has helpers the numbers of its parent, its helpers and itself, in order."""
    helpers = helper_joints(s)
    first = len(s.joints) + (PARTS - 1) * np.arange(len(helpers.joints))
    return [
        np.array([parent, *range(start, start + PARTS - 1), joint])
        for joint, parent, start in zip(helpers.joints.tolist(), helpers.parents.tolist(), first.tolist(), strict=True)
    ]


def with_helpers(s: Structure, poses: Array) -> Array:
    """Return world frames of all joints and, after them, of their helpers.

    Args:
        s: The figure.
        poses: World frames of all joints, shape (..., n, 4, 4).

    Returns:
        Shape (..., n + h, 4, 4), read-only; ``poses`` itself if the figure has no helpers.
    """
    helpers = helper_joints(s)
    if not len(helpers.joints):
        return poses
    # A frame asks several times for the same pose: to draw it, for its shadow, for what the mouse points at.
    key = poses.tobytes() if poses.ndim == 3 else b""
    latest = _latest.get(s) if key else None
    if latest is not None and latest[0] == key:
        return latest[1]
    found = _with_helpers(s, helpers, poses)
    found.setflags(write=False)
    if key:
        _latest[s] = key, found
    return found


def keep_helpers(s: Structure, poses: Array, found: Array) -> None:
    """Take note of what ``with_helpers`` returns for a pose: of many poses in one call it is found far quicker.

    Args:
        s: The figure.
        poses: World frames of all joints, shape (n, 4, 4).
        found: Those and the helpers', shape (n + h, 4, 4), a row of what ``with_helpers`` returned for many poses.
    """
    if len(helper_joints(s).joints):
        _latest[s] = poses.tobytes(), found


def _with_helpers(s: Structure, helpers: Helpers, poses: Array) -> Array:
    n, between = len(s.joints), PARTS - 1
    carried = poses[..., helpers.parents, :, :] @ helpers.inverse @ helpers.bind  # where they are if they do not turn
    turned = poses[..., helpers.joints, :, :]
    start, end = carried[..., :3, :3], turned[..., :3, :3]
    own = helpers.bind[:, :3, :3]
    inwards = np.swapaxes(own, -1, -2)
    turns = _quaternion(own @ (np.swapaxes(start, -1, -2) @ end) @ inwards, helpers.middle)  # in the bind pose's axes
    found = np.empty((*poses.shape[:-3], n + between * len(helpers.joints), 4, 4))
    found[..., :n, :, :] = poses
    rows = np.empty((*poses.shape[:-3], len(helpers.joints), between, 4, 4))
    rows[..., :3, :3] = (start @ inwards)[..., None, :, :] @ _matrix(_shares(turns)) @ own[:, None]
    rows[..., :3, 3] = carried[..., None, :3, 3]
    rows[..., 3, :] = 0.0, 0.0, 0.0, 1.0
    found[..., n:, :, :] = rows.reshape(*poses.shape[:-3], -1, 4, 4)
    return found


def shared_out(s: Structure, table: Array) -> Array:
    """Return weights of joints and their helpers: what a joint that turns far and its parent had together, anew.

    A vertex that has the share ``f`` of it from the joint turns ``f`` of the way: it follows the two frames next to
    that, linearly between them.

    Args:
        s: The figure.
        table: Weight of each vertex at each joint, shape (k, n).

    Returns:
        Shape (k, n + h).
    """
    chains = helper_chains(s)
    found = np.concatenate([table, np.zeros((len(table), (PARTS - 1) * len(chains)))], axis=1)
    ends = [(int(stops[0]), int(stops[-1])) for stops in chains]
    # Of a joint between two that turn far, each has its share, so that the order of joints does not matter.
    beside = np.zeros_like(table)
    for parent, joint in ends:
        beside[:, parent] += table[:, joint]
        beside[:, joint] += table[:, parent]
    for stops, (parent, joint) in zip(chains, ends, strict=True):
        both = np.flatnonzero((table[:, joint] > 0.0) & (table[:, parent] > 0.0))
        outer, inner = table[both, joint], table[both, parent]
        outer, inner = outer * (inner / beside[both, joint]), inner * (outer / beside[both, parent])
        total = outer + inner
        place = PARTS * outer / total
        low = np.minimum(place.astype(np.int64), PARTS - 1)
        found[both, joint] -= outer
        found[both, parent] -= inner
        found[both, stops[low]] += total * (low + 1 - place)
        found[both, stops[low + 1]] += total * (place - low)
    return found


def _long_quaternion(turn: Array) -> Array:
    """Return the quaternion (w, x, y, z) of a rotation by less than a half turn, shape (4,)."""
    k = _outer(turn)
    row = k[int(np.argmax(np.diag(k)))]
    q = row / np.linalg.norm(row)
    return np.asarray(-q if q[0] < 0.0 else q)


def _outer(turns: Array) -> Array:
    """Return 4 q q^T of the quaternions of rotations, shape (..., 4, 4)."""
    return np.asarray((turns.reshape(*turns.shape[:-2], 9) @ _PRODUCTS + _ONES).reshape(*turns.shape[:-2], 4, 4))


def _quaternion(turns: Array, side: Array) -> Array:
    """Return the quaternions of rotations, the one of each pair on the side of another, shape (..., 4)."""
    return _unit((_outer(turns) @ side[..., None])[..., 0])


def _unit(q: Array) -> Array:
    return np.asarray(q / np.maximum(np.sqrt((q * q).sum(axis=-1, keepdims=True)), 1e-12))


def _shares(q: Array) -> Array:
    """Return unit quaternions to the powers 1 to ``PARTS - 1`` of ``PARTS``, shape (..., PARTS - 1, 4)."""
    w, v = q[..., 0], q[..., 1:]
    sine = np.sqrt((v * v).sum(axis=-1))
    angles = (np.arctan2(sine, w) / PARTS)[..., None] * _SHARES
    found = np.empty((*angles.shape, 4))
    found[..., 0] = np.cos(angles)
    found[..., 1:] = (np.sin(angles) / np.maximum(sine, 1e-12)[..., None])[..., None] * v[..., None, :]
    return found


def _matrix(q: Array) -> Array:
    """Return the rotations of unit quaternions, shape (..., 3, 3)."""
    products = (q[..., :, None] * q[..., None, :]).reshape(*q.shape[:-1], 16)
    return np.asarray((products @ _ROTATIONS).reshape(*q.shape[:-1], 3, 3))


def _tables() -> tuple[Array, Array, Array]:
    """Return what takes rotations to 4 q q^T, linear and constant, (9, 16) and (16,), and q q^T back, (16, 9)."""
    forth, back = np.zeros((9, 4, 4)), np.zeros((4, 4, 9))
    signs = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    for i in range(3):
        forth[4 * i, range(4), range(4)] = signs[:, i]
        back[range(4), range(4), 4 * i] = signs[:, i]
        j, k = (i + 1) % 3, (i + 2) % 3
        # The turn about axis i is antisymmetric in the other two; axes i and j together are symmetric.
        for row, column in ((0, i + 1), (i + 1, 0)):
            forth[3 * k + j, row, column], forth[3 * j + k, row, column] = 1.0, -1.0
            back[row, column, 3 * k + j], back[row, column, 3 * j + k] = 1.0, -1.0
        for row, column in ((i + 1, j + 1), (j + 1, i + 1)):
            forth[[3 * i + j, 3 * j + i], row, column] = 1.0
            back[row, column, [3 * i + j, 3 * j + i]] = 1.0
    return forth.reshape(9, 16), np.eye(4).reshape(16), back.reshape(16, 9)


_PRODUCTS, _ONES, _ROTATIONS = _tables()
_SHARES = np.arange(1.0, PARTS)
