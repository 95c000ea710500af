"""Limbs that locks stretch: the chain from a held part up to the trunk, and how far it reaches.

Where a limb comes close to straight, a small step of the trunk asks for a large one of its joints, and a little
farther the lock cannot be held at all. ``core.animation.locks.soft_reach`` keeps the trunk from getting there.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.constraints.lock import Lock
from core.kinematics.chain import drag_chain
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.tree import KIND_HINGE, pack

_STARTS, _SWEEPS = 4, 40
_SETTLED = 1e-11


class Limb(NamedTuple):
    """A chain whose far end a lock holds in place.

    Attributes:
        base: Joint whose origin the chain hangs from: the first that moves, fixed to the trunk.
        tip: Joint that carries the held point; its own degrees of freedom do not move the point if the lock holds its
            rotation too.
        point: The held point in the tip's frame, shape (3,), [m].
        rigid: Whether the lock holds the tip's rotation, so that the tip's origin is what the chain must reach.
        length: Largest distance from the base to what must be reached, all joints within their limits, [m].
    """

    base: int
    tip: int
    point: Array
    rigid: bool
    length: float


_known: WeakKeyDictionary[Skeleton, dict[tuple[int, bytes, bool], Limb | None]] = WeakKeyDictionary()


def limb_of(s: Skeleton, lock: Lock) -> Limb | None:
    """Return the limb that a lock stretches; None if it is soft, leaves its place free, or nothing bends."""
    if lock.kind not in ("position", "pose") or lock.weights[0] < 1.0:
        return None
    if lock.kind == "position" and lock.axes is not None and not all(lock.axes):
        return None
    rigid = lock.kind == "pose" and lock.weights[1] >= 1.0 and (lock.axes is None or sum(lock.axes) > 1)
    tip = s.joint_index(lock.joint)
    known = _known.setdefault(s, {})
    name = tip, lock.point.tobytes(), rigid
    if name not in known:
        known[name] = _limb(s, tip, lock.point, rigid)
    return known[name]


def _limb(s: Skeleton, tip: int, point: Array, rigid: bool) -> Limb | None:
    tree = pack(s)
    if tree.scaled or tip == 0:
        return None
    joints = drag_chain(s, tip, "limb").joints
    if joints[0] == 0:  # the root's own place is what is moved
        joints = joints[1:]
    base, inner = joints[0], joints[1:-1] if rigid else joints[1:]
    dofs = [k for joint in inner for k in range(tree.first[joint], tree.first[joint + 1])]
    ends = [k for joint in joints for k in range(tree.first[joint], tree.first[joint + 1])]
    if not dofs or any(tree.kind[k] != KIND_HINGE for k in ends):
        return None
    reached = np.zeros(3) if rigid else point
    length = _longest(s, base, tip, reached, dofs)
    return Limb(base, tip, point, rigid, length) if length > 0.0 else None


def _longest(s: Skeleton, base: int, tip: int, point: Array, dofs: list[int]) -> float:
    """Return the largest distance of a point from the base's origin that some angles within their limits give.

    One angle at a time: the squared distance over a hinge's angle is a sine curve, whose peak three values determine.
    """
    tree, rng, best = pack(s), np.random.default_rng(0), 0.0
    # No pose is longer than all links in a row; many limbs get there from where they begin.
    links = [float(np.linalg.norm(point))]
    joint = tip
    while joint != base:
        links.append(float(np.linalg.norm(tree.offset[joint])))
        joint = int(tree.parent[joint])
    bound = sum(links) ** 2
    lo, hi = np.maximum(tree.lower, -np.pi), np.minimum(tree.upper, np.pi)

    def squared(poses: Array) -> Array:
        frames = forward_kinematics(s, poses)
        far = frames[:, tip, :3, :3] @ point + frames[:, tip, :3, 3] - frames[:, base, :3, 3]
        total: Array = (far * far).sum(axis=1)
        return total

    for start in range(_STARTS):
        q = s.rest_pose()
        if start:
            for k in dofs:
                q[3 + k] = rng.uniform(lo[k], hi[k])
        value = float(squared(q[None])[0])
        for _ in range(_SWEEPS):
            before = value
            for k in dofs:
                poses = np.tile(q, (3, 1))
                poses[:, 3 + k] = 0.0, 0.5 * np.pi, np.pi
                a, b, c = squared(poses)
                middle = 0.5 * (a + c)
                peak = float(np.arctan2(b - middle, a - middle))
                near = [x for x in (peak, peak - 2 * np.pi, peak + 2 * np.pi) if tree.lower[k] <= x <= tree.upper[k]]
                ends = [float(lo[k]), float(hi[k])]
                choices = near or ends
                poses = np.tile(q, (len(choices), 1))
                poses[:, 3 + k] = choices
                found = squared(poses)
                if found.max() > value:
                    q, value = poses[int(found.argmax())], float(found.max())
            if value - before <= _SETTLED * value:
                break
        best = max(best, value)
        if best >= (1.0 - _SETTLED) * bound:
            break
    return float(np.sqrt(best))


def limbs_of(s: Skeleton, locks: tuple[Lock, ...]) -> tuple[tuple[int, Limb], ...]:
    """Return the limbs that locks stretch with the number of the lock; of several on one part the first."""
    found = [(i, limb_of(s, lock)) for i, lock in enumerate(locks)]
    kept: dict[tuple[int, int], tuple[int, Limb]] = {}
    for i, limb in found:
        if limb is not None:
            kept.setdefault((limb.base, limb.tip), (i, limb))
    return tuple(kept.values())


def limb_joints(s: Skeleton, limb: Limb) -> tuple[int, ...]:
    """Return the joints of a limb, from its base to its tip."""
    joints = [limb.tip]
    while joints[-1] != limb.base:
        joints.append(s.joints[joints[-1]].parent)
    return tuple(reversed(joints))


def reached_points(limb: Limb, targets: Array) -> Array:
    """Return the points that the chain must reach for its lock to hold, shape (m, 3), [m].

    Args:
        limb: The limb.
        targets: Targets of its lock: places, shape (m, 3), or poses, shape (m, 4, 4).
    """
    if targets.ndim == 2:
        return targets
    places: Array = targets[:, :3, 3]
    if not limb.rigid:
        return places
    turned = targets[:, :3, :3]
    x, y, z = limb.point
    back: Array = turned[:, :, 0] * x + turned[:, :, 1] * y + turned[:, :, 2] * z
    result: Array = places - back
    return result


def where(limb: Limb, frames: Array) -> tuple[Array, Array]:
    """Return where the base and what must be reached stand in poses, each of shape (m, 3), [m].

    Args:
        limb: The limb.
        frames: World frames of all joints, shape (m, n, 4, 4).
    """
    end = frames[:, limb.tip]
    tip: Array = end[:, :3, 3]
    if not limb.rigid:
        x, y, z = limb.point
        tip = tip + end[:, :3, 0] * x + end[:, :3, 1] * y + end[:, :3, 2] * z
    base: Array = frames[:, limb.base, :3, 3]
    return base, tip
