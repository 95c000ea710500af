"""Limbs that locks stretch, and their soft limit: the trunk follows a little before they are straight, without a jerk.

Where a limb comes close to straight, a small step of the trunk asks for a large one of its joints, and a little
farther the lock cannot be held at all. ``core.animation.locks.soft_reach`` keeps the trunk from getting there.

A limb whose lock the interpolated pose stretches past 0.985 of its length is let off exponentially, so that it never
gets quite straight, and the root goes along by the least translation. Where the keys themselves have the limb
straighter, they are left as they are, and the limit is scaled to fit them: what the limb keeps of its slack at the
keys, it keeps between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.animation.locks import soft_reach_kernel
from core.arrays import Array
from core.constraints.lock import Lock
from core.kernels import serving
from core.kinematics.chain import drag_chain
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.joined import Joined
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
    if isinstance(s, Joined):
        member, joint = s.member_of(s.joint_index(lock.joint))
        own = limb_of(s.members[member], replace(lock, joint=joint, joints=None)) if joint >= 0 else None
        return own and own._replace(base=s.joint(member, own.base), tip=s.joint(member, own.tip))
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


SOFT = 0.985
"""Part of a limb's length from which on it is let off."""

_HELD, _ELSEWHERE = 1e-3, 0.03
"""[m]: a key that is nearer than the one to its lock is taken to hold it, and one that is farther than the other says
nothing about how straight the limb should be there; between, the nearer the more."""


class Slack:
    """How much of the slack that the limit would give a limb it has at its keys, over time.

    Args:
        s: The figure.
        limb: The limb.
        frames: Where the motion is as the animator made it: the keys under the lock, those of its target, and its ends;
            ascending.
        poses: From frames to the interpolated poses there.
        targets: From frames to the lock's targets and factors there.
    """

    def __init__(
        self,
        s: Skeleton,
        limb: Limb,
        frames: Array,
        poses: Callable[[Array], Array],
        targets: Callable[[Array], tuple[Array, Array]],
    ):
        self._s, self._limb, self._frames = s, limb, frames
        self._poses, self._targets = poses, targets
        self._scales = np.full(len(frames), np.nan)

    def at(self, frames: Array) -> Array:
        """Return the scales at frames, shape (m,), 0 to 1."""
        if not len(self._frames):
            return np.ones(len(frames))
        after = np.clip(np.searchsorted(self._frames, frames, side="right"), 1, max(len(self._frames) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(self._frames) - 1)
        self._fill(np.unique(np.concatenate((before, after))))
        span = self._frames[after] - self._frames[before]
        u = np.clip((frames - self._frames[before]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
        u = u * u * (3.0 - 2.0 * u)
        result: Array = (1.0 - u) * self._scales[before] + u * self._scales[after]
        return result

    def _fill(self, at: NDArray[np.intp]) -> None:
        at = at[np.isnan(self._scales[at])]
        if not len(at):
            return
        frames = self._frames[at]
        targets, factors = self._targets(frames)
        base, tip = where(self._limb, forward_kinematics(self._s, self._poses(frames)))
        wanted = reached_points(self._limb, targets)
        # An ease asks for less: with none of the lock on, the part is where it should be.
        off = (wanted - tip) * factors[:, None]
        u = np.clip((_ELSEWHERE - np.sqrt((off * off).sum(axis=1))) / (_ELSEWHERE - _HELD), 0.0, 1.0)
        held = u * u * (3.0 - 2.0 * u)
        offset = tip - base
        distance = np.sqrt((offset * offset).sum(axis=1))
        length = self._limb.length
        margin = (1.0 - SOFT) * length
        slack = margin * np.exp(-np.maximum(distance - SOFT * length, 0.0) / margin)
        scale = np.sqrt(np.clip((length - distance) / slack, 0.0, 1.0))
        self._scales[at] = np.where(distance > SOFT * length, 1.0 + held * (scale - 1.0), 1.0)


def root_steps(frames: Array, limbs: Sequence[Limb], targets: Sequence[Array], scales: Sequence[Array]) -> Array | None:
    """Return how far the root has to go in each pose for its limbs not to get straight, or None if nowhere.

    Args:
        frames: World frames of all joints in interpolated poses, shape (m, n, 4, 4).
        limbs: What locks hold by limbs, k of them.
        targets: The lock's targets in each pose, for each limb (m, 3) or (m, 4, 4).
        scales: From ``Slack.at``, for each limb (m,).

    Returns:
        Shape (m, 3), [m], world.
    """
    lengths = np.array([limb.length for limb in limbs])
    offsets = np.empty((len(frames), len(limbs), 3))
    for k, (limb, wanted) in enumerate(zip(limbs, targets, strict=True)):
        offsets[:, k] = reached_points(limb, wanted) - where(limb, frames)[0]
    if not ((offsets * offsets).sum(axis=2) > (SOFT * lengths) ** 2).any():
        return None
    out = np.empty((len(frames), 3))
    serving(soft_reach_kernel).steps(
        offsets, lengths, SOFT * lengths, np.ascontiguousarray(np.stack(scales, axis=1)), out,
        np.empty(len(limbs) + soft_reach_kernel.WORK),
    )  # fmt: skip
    return out
