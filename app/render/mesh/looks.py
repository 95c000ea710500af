"""Which figures look alike, so that what has been made ready for drawing one can be used for another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.skeleton import Joint, Skeleton
from core.skeleton.segment import segment_capsule
from core.skeleton.skin import bind_frames

Array = NDArray[np.float64]


def same_body(one: Skeleton, other: Skeleton, joint: int) -> bool:
    """Return whether a joint's body is the same in two figures, in the joint's own frame."""
    a, b = one.joints[joint], other.joints[joint]
    if a.color != b.color or a.has_body != b.has_body or len(a.objects) != len(b.objects):
        return False
    if any(p.mesh is not q.mesh for p, q in zip(a.objects, b.objects, strict=True)):
        return False
    if not _is_capsule(a):
        return True
    p, q = segment_capsule(one, joint), segment_capsule(other, joint)
    return p.radius == q.radius and np.array_equal(p.start, q.start) and np.array_equal(p.end, q.end)


def _is_capsule(joint: Joint) -> bool:
    return joint.has_body and all(part.mesh is None for part in joint.objects)


def stretched(one: Skeleton, other: Skeleton, joint: int) -> Array | None:
    """Return what makes a joint's body in one figure its body in another, shape (4, 4), if only its box has changed.

    Returns:
        The affine map in the joint's frame; None if the body is another one, or has not moved in that frame.
    """
    a, b = one.joints[joint].objects, other.joints[joint].objects
    changed = [(p.mesh, q.mesh) for p, q in zip(a, b, strict=False) if p.mesh is not q.mesh]
    if len(a) != len(b) or len(a) != 1 or len(changed) != 1:
        return None
    before, after = changed[0]
    if before is None or after is None or not np.array_equal(before.triangles, after.triangles):
        return None
    (lo, hi), (low, high) = before.bounds, after.bounds
    factors = (high - low) / np.maximum(hi - lo, 1e-9)
    move = np.eye(4)
    move[:3, :3] = np.diag(factors)
    move[:3, 3] = 0.5 * (low + high) - factors * 0.5 * (lo + hi)
    near = before.vertices * factors + move[:3, 3]
    return move if np.abs(near - after.vertices).max() < 1e-6 * max(float((high - low).max()), 1e-9) else None


def same_looks(one: Skeleton, other: Skeleton, bent: bool) -> bool:
    """Return whether two figures are drawn from the same polygons.

    Args:
        one: A figure.
        other: Another one.
        bent: Whether it matters where the joints are in the bind pose, as it does for skins that bend.
    """
    if one is other:
        return True
    n = len(one.joints)
    if len(other.joints) != n or any(one.joints[i].parent != other.joints[i].parent for i in range(n)):
        return False
    if not all(same_body(one, other, i) for i in range(n)):
        return False
    return not bent or np.array_equal(bind_frames(one), bind_frames(other))
