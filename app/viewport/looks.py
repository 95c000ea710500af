"""Which figures look alike, so that what has been made ready for drawing one can be used for another."""

from __future__ import annotations

import numpy as np

from core.skeleton import Joint, Skeleton
from core.skeleton.segment import segment_capsule
from core.skeleton.skin import bind_frames


def same_body(one: Skeleton, other: Skeleton, joint: int) -> bool:
    """Return whether a joint's body is the same in two figures, told in the joint's own frame."""
    a, b = one.joints[joint], other.joints[joint]
    if a.color != b.color or a.has_body != b.has_body or len(a.objects) != len(b.objects):
        return False
    if any(p.mesh is not q.mesh for p, q in zip(a.objects, b.objects, strict=True)):
        return False
    return not _is_capsule(a) or all(
        np.array_equal(p, q) for p, q in zip(segment_capsule(one, joint), segment_capsule(other, joint), strict=True)
    )


def _is_capsule(joint: Joint) -> bool:
    return joint.has_body and all(part.mesh is None for part in joint.objects)


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
