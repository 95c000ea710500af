"""One rigid body of a tree and the joint that connects it to its parent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.arrays import pose_matrix
from core.errors import DynamicsError
from core.joints import JointModel
from core.spatial import SpatialInertia


def _identity() -> Array:
    return np.eye(4)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, hung by one joint on another body or on the world.

    Three frames: the parent's joint frame P (the world for a root), this body's joint frame J, which the joint moves,
    and the body's own frame B, fixed in J: ``X_WB = X_WP @ X_PJ @ Q(q) @ X_JB``.

    Attributes:
        name: What messages call it; each body of a model has another one.
        parent: Index or name of the parent, which comes earlier in the list; -1 or "world" is the world.
        joint: Type and parameters of the joint.
        X_PJ: Pose of J in P where the joint's transform is the identity, shape (4, 4).
        X_JB: Pose of B in J, shape (4, 4).
        inertia: Mass, centre and inertia, in B; nothing if left out (a body in between that weighs nothing).

    Raises:
        DynamicsError: If a field is of the wrong type, a pose is no rigid transform, or no body has such a mass or
            inertia; names the body.
    """

    name: str
    parent: int | str
    joint: JointModel
    X_PJ: Array = field(default_factory=_identity)
    X_JB: Array = field(default_factory=_identity)
    inertia: SpatialInertia = field(default_factory=SpatialInertia.zero)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DynamicsError(f"a body is named {shown(self.name)}; its name must be a text that is not empty")
        place = f'body "{self.name}"'
        if not isinstance(self.parent, (int, np.integer, str)) or isinstance(self.parent, bool):
            raise DynamicsError(
                f'{place}: parent is {shown(self.parent)}; it must be an index, a name, or -1 or "world"'
            )
        if not isinstance(self.joint, JointModel):
            raise DynamicsError(f"{place}: joint is {shown(self.joint)}; it must be a joint of core.joints")
        if not isinstance(self.inertia, SpatialInertia):
            raise DynamicsError(f"{place}: inertia is {shown(self.inertia)}; it must be a SpatialInertia")
        problem = self.inertia.problem()
        if problem is not None:
            raise DynamicsError(f"{place}: {problem}")
        object.__setattr__(self, "X_PJ", pose_matrix(self.X_PJ, f"{place}: X_PJ"))
        object.__setattr__(self, "X_JB", pose_matrix(self.X_JB, f"{place}: X_JB"))
