"""Joints that nothing can be seen of: without a shape they are drawn as thin bones, and can be grabbed by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.kinematics.picking import Hit
from core.skeleton.segment import rest_frames, segment_mesh, segment_tip

if TYPE_CHECKING:
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

_REACH = 0.012  # of the figure's height: how thick a bone is for the pointer
_SHORT = 0.01  # of the figure's height: a shorter bone is only a dot


class BareBones:
    """The bones of joints that have no shape and do not lie inside of another joint's.

    Args:
        skeleton: The figure.
        height: Its height, [m].

    Attributes:
        owners: The joint of each bone, shape (k,); a joint with several children has several.
        tips: Where each ends, in the owner's frame at rest, shape (k, 3), [m].
        children: The joint it goes to, -1 where a chain ends, shape (k,).
    """

    def __init__(self, skeleton: Skeleton, height: float):
        self.radius = _REACH * height
        meshes = [segment_mesh(skeleton, i) for i in range(len(skeleton.joints))]
        frames = rest_frames(skeleton)
        boxes = [(np.linalg.inv(frames[i]), mesh.bounds) for i, mesh in enumerate(meshes) if mesh is not None]
        owners, children, tips = [], [], []
        aids = _aids(skeleton, [mesh is not None for mesh in meshes])
        for i, mesh in enumerate(meshes):
            if mesh is not None or i in aids:
                continue
            to_joint = np.linalg.inv(frames[i])
            ends = [(child, (to_joint @ frames[child])[:3, 3]) for child in skeleton.children[i] if child not in aids]
            ends = ends or [(-1, segment_tip(skeleton, i))]
            for child, tip in ends:
                middle = frames[i, :3, :3] @ (0.5 * tip) + frames[i, :3, 3]
                inside = any(
                    np.all((local := X[:3, :3] @ middle + X[:3, 3]) >= low) and np.all(local <= high)
                    for X, (low, high) in boxes
                )
                short = float(np.linalg.norm(tip)) < _SHORT * height
                if not inside and not (short and boxes):
                    owners.append(i)
                    children.append(child)
                    tips.append(tip)
        self.owners = np.array(owners, dtype=np.int64)
        self.children = np.array(children, dtype=np.int64)
        self.tips = np.array(tips, dtype=np.float64).reshape(-1, 3)

    def ends(self, poses: Array) -> tuple[Array, Array]:
        """Return where the bones begin and end in the world, each of shape (k, 3), [m].

        Args:
            poses: World frames of all joints, shape (n, 4, 4).
        """
        frames = poses[self.owners]
        tips = np.einsum("kij,kj->ki", frames[:, :3, :3], self.tips) + frames[:, :3, 3]
        # A joint that slides is not where it is at rest.
        tips = np.where(self.children[:, None] >= 0, poses[self.children, :3, 3], tips)
        return frames[:, :3, 3], tips

    def pick(self, poses: Array, origin: Array, direction: Array, joints: frozenset[int] | None = None) -> Hit | None:
        """Return the first bone along a ray, or None.

        Args:
            poses: World frames of all joints, shape (n, 4, 4).
            origin: Start of the ray, shape (3,), [m].
            direction: Unit direction, shape (3,).
            joints: Only these joints' bones; None for all.
        """
        if not len(self.owners):
            return None
        a, b = self.ends(poses)
        along = b - a
        # Seen along the ray, the ray is a point and the bone a segment.
        flat_a = a - origin - np.outer((a - origin) @ direction, direction)
        flat = along - np.outer(along @ direction, direction)
        squared = np.maximum(np.einsum("ki,ki->k", flat, flat), 1e-18)
        share = np.clip(-np.einsum("ki,ki->k", flat_a, flat) / squared, 0.0, 1.0)
        distance = np.linalg.norm(flat_a + share[:, None] * flat, axis=1)
        depth = (a + share[:, None] * along - origin) @ direction
        wanted = True if joints is None else np.isin(self.owners, list(joints))
        good = np.flatnonzero((distance <= self.radius) & (depth > 0.0) & wanted)
        if not len(good):
            return None
        k = int(good[np.argmin(depth[good])])
        return Hit(int(self.owners[k]), origin + depth[k] * direction, float(depth[k]))


def _aids(skeleton: Skeleton, seen: list[bool]) -> set[int]:
    """Return joints that only helped the program a figure came from to pose it, as the targets of poles do.

    In a figure most of which is seen, they are ends without a shape or a tip that hang on a joint without a shape.
    """
    if 2 * sum(seen) < len(seen):
        return set()
    ends = (i for i, joint in enumerate(skeleton.joints) if not seen[i] and not skeleton.children[i] and not joint.tips)
    return {i for i in ends if (parent := skeleton.joints[i].parent) >= 0 and not seen[parent]}
