"""Where the parts of one or several figures stand in one pose each: what targets are bound to and measured by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import JointError, LockError
from core.kinematics.forward import forward_kinematics, turned_by
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

Figures = Mapping[str, tuple[Skeleton, Any]]


class Places:
    """World frames of a figure, and of others by name, worked out when first asked for.

    Args:
        s: The figure the locks belong to.
        q: Its pose, shape (nq,), [m] and [rad].
        figures: Others that locks name: ``{name: (skeleton, pose)}``.

    Raises:
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """

    def __init__(self, s: Skeleton, q: Any, figures: Figures | None = None):
        self.skeleton = s
        self.q = s.check_pose(q)
        self.figures: Figures = figures or {}
        self._frames: dict[str | None, Array] = {None: forward_kinematics(s, self.q)}
        self._rotations: dict[str | None, Array] = {}

    def figure(self, name: str | None) -> tuple[Skeleton, Array]:
        """Return a figure and its pose; None is the one that the locks belong to.

        Raises:
            LockError: If there is no figure of that name.
        """
        if name is None:
            return self.skeleton, self.q
        if name not in self.figures:
            known = ", ".join(f'"{other}"' for other in self.figures) or "none"
            raise LockError(f'a lock names figure "{name}", which is not among figures; given are {known}')
        skeleton, pose = self.figures[name]
        return skeleton, skeleton.check_pose(pose)

    def index(self, joint: int | str, figure: str | None = None) -> int:
        """Return the index of a joint.

        Raises:
            LockError: If the figure has none such.
        """
        try:
            return self.figure(figure)[0].joint_index(joint)
        except JointError as error:
            raise LockError(f"lock: {error}") from None

    def frame(self, joint: int | str, figure: str | None = None) -> Array:
        """Return a joint's world frame, shape (4, 4); affine below a scale."""
        if figure not in self._frames:
            self._frames[figure] = forward_kinematics(*self.figure(figure))
        return self._frames[figure][self.index(joint, figure)]

    def point(self, joint: int | str, point: Array, figure: str | None = None) -> Array:
        """Return a point of a joint's frame in the world, shape (3,), [m]."""
        frame = self.frame(joint, figure)
        return frame[:3, :3] @ point + frame[:3, 3]

    def rotation(self, joint: int | str, figure: str | None = None) -> Array:
        """Return the rotation ``R_WJ``, shape (3, 3): the product of all rotations on the way, without scales."""
        skeleton, pose = self.figure(figure)
        if not pack(skeleton).scaled:
            return self.frame(joint, figure)[:3, :3]
        if figure not in self._rotations:
            self._rotations[figure] = rotations(skeleton, pose)
        return self._rotations[figure][self.index(joint, figure)]


def rotations(s: Skeleton, q: Array) -> Array:
    """Return every joint's world rotation without the scales on its way, shape (n, 3, 3); new."""
    tree = pack(s)
    out = np.empty((len(s.joints), 3, 3))
    for i, parent in enumerate(tree.parent):
        out[i] = turned_by(s, tree, q, i, tree.rotation[i] if parent < 0 else out[parent] @ tree.rotation[i])
    return out
