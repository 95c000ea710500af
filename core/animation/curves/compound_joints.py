"""Compound joints with three independent axes: from their angles to one rotation and back.

Fixed rotations between the joints of a compound are folded into its axes, so that its rotation is
``R = R_1(t_1) R_2(t_2) R_3(t_3)`` about three fixed unit axes, up to a constant rotation on either side, which no
interpolation along arcs takes notice of.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton import Skeleton
from core.spatial.three_axes import ThreeAxes, independent


def compound_axes(skeleton: Skeleton, dofs: tuple[int, ...]) -> Array:
    """Return the axes of a compound with the fixed rotations between its joints folded in, shape (n, 3)."""
    first = skeleton.dof_joints[dofs[0]]
    axes: list[Array] = []
    for dof in dofs:
        axis = skeleton.all_dofs[dof].axis
        joint = skeleton.dof_joints[dof]
        while joint != first:
            axis = skeleton.joints[joint].rotation @ axis
            joint = skeleton.joints[joint].parent
        axes.append(axis)
    return np.array(axes)


class CompoundJoints(ThreeAxes):
    """All compounds of a skeleton that are interpolated as rotations, computed with together.

    Args:
        skeleton: The figure.
        among: Only those among so many values at the beginning of a pose; None for all.

    Attributes:
        columns: Where each one's three angles stand in the pose, shape (c, 3).
        axes: Their axes, shape (c, 3, 3): the second index is the axis.
    """

    def __init__(self, skeleton: Skeleton, among: int | None = None):
        columns: list[tuple[int, ...]] = []
        axes: list[Array] = []
        for dofs in skeleton.compounds:
            if len(dofs) != 3 or (among is not None and 3 + max(dofs) >= among):
                continue
            e = compound_axes(skeleton, dofs)
            if independent(e):
                columns.append(tuple(3 + dof for dof in dofs))
                axes.append(e)
        self.columns = np.array(columns, dtype=np.intp).reshape(-1, 3)
        super().__init__(np.array(axes, dtype=np.float64).reshape(-1, 3, 3))
