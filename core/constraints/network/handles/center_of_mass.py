"""Where a figure's centre of mass is."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.joined_locks import center_below, center_jacobian_below
from core.constraints.network.handles.base import Handle
from core.constraints.network.jacobian import Ints
from core.constraints.network.state import FigureState
from core.kinematics.center_of_mass import center_of_mass, segment_masses
from core.skeleton.skeleton import Skeleton


class CenterOfMassHandle(Handle):
    """World position of the figure's centre of mass, shape (3,), [m].

    Args:
        figure: The figure.
        joint: Any joint of the one that counts where several are joined to one; -1 for all.

    Raises:
        SkeletonError: If the figure weighs nothing.
    """

    def __init__(self, figure: FigureState, joint: int = -1):
        self._joint = joint
        super().__init__(figure, _carrying(figure.skeleton))

    @property
    def key(self) -> tuple[Any, ...]:
        return ("center of mass", self.figure.name, self._joint)

    def _evaluate(self) -> Array:
        if self._joint >= 0:
            return center_below(self.skeleton, self.figure.q, self._joint)
        return center_of_mass(self.skeleton, self.figure.q, self.figure.frames)

    def local_jacobian(self) -> Array:
        return center_jacobian_below(self.skeleton, self.figure.q, self._joint)


def _carrying(skeleton: Skeleton) -> Ints:
    """Return the elements of a pose that move anything that weighs something."""
    carried = segment_masses(skeleton)[0].copy()
    for i in range(len(skeleton.joints) - 1, 0, -1):
        carried[skeleton.joints[i].parent] += carried[i]
    own = [3 + k for k, joint in enumerate(skeleton.dof_joints) if carried[joint] > 0.0]
    return np.array([0, 1, 2, *own], dtype=np.int64)
