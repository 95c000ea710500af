"""Compound joints with two or three independent axes: from their angles to one rotation and back.

Fixed rotations between the joints of a compound are folded into its axes, so that its rotation is
``R = R_1(t_1) R_2(t_2) R_3(t_3)`` about three fixed unit axes, up to a constant rotation on either side, which no
interpolation along arcs takes notice of.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Bools, Ints
from core.skeleton import Skeleton
from core.spatial.three_axes import ThreeAxes, independent

_SQUARE = 1e-9


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

    A pair, two axes at right angles, has a third axis across both, about which it does not turn: what an arc between
    two of its poses turns about that axis, which lies along what the joint swings, is left out.

    Args:
        skeleton: The figure.
        among: Only those among so many values at the beginning of a pose; None for all.
        pairs: Whether pairs are among them, after the others.

    Attributes:
        columns: Where each one's three angles stand in the pose, shape (c, 3); the first of a pair once more in the
            third's place.
        axes: Their axes, shape (c, 3, 3): the second index is the axis.
        pairs: How many at the end are pairs.
    """

    def __init__(self, skeleton: Skeleton, among: int | None = None, pairs: bool = False):
        columns: list[tuple[int, ...]] = []
        axes: list[Array] = []
        paired: list[tuple[int, ...]] = []
        paired_axes: list[Array] = []
        for dofs in skeleton.compounds:
            if among is not None and 3 + max(dofs) >= among:
                continue
            e = compound_axes(skeleton, dofs)
            if len(dofs) == 3 and independent(e):
                columns.append(tuple(3 + dof for dof in dofs))
                axes.append(e)
            elif pairs and len(dofs) == 2 and abs(float(e[0] @ e[1])) < _SQUARE:
                paired.append((3 + dofs[0], 3 + dofs[1], 3 + dofs[0]))
                paired_axes.append(np.array([*e, np.cross(e[0], e[1])]))
        self.columns = np.array([*columns, *paired], dtype=np.intp).reshape(-1, 3)
        self.pairs = len(paired)
        whole = len(columns)
        self._real = np.ones(self.columns.shape, dtype=bool)
        self._real[whole:, 2] = False
        self._places = self.columns[self._real]
        super().__init__(np.array([*axes, *paired_axes], dtype=np.float64).reshape(-1, 3, 3))

    def values(self, poses: Array, third: float = 0.0) -> Array:
        """Return the angles of all compounds in poses, shapes (..., nq) to (..., c, 3); ``third`` is that of pairs."""
        found: Array = poses[..., self.columns]
        if self.pairs:
            found[..., -self.pairs :, 2] = third
        return found

    def clear_thirds(self, angles: Array, which: Ints | None) -> None:
        """Make the third angle of pairs zero, in place.

        Args:
            angles: Of one compound a row, shape (m, ..., 3), or of all, shape (..., c, 3).
            which: The compounds of the rows, shape (m,); None for all.
        """
        whole = len(self) - self.pairs
        if self.pairs:
            angles[(..., slice(whole, None), 2) if which is None else (which >= whole, ..., 2)] = 0.0

    def put(self, poses: Array, angles: Array) -> None:
        """Write angles, shape (..., c, 3), into poses, shape (..., nq), those of pairs without the third; in place."""
        if self.pairs:
            poses[..., self._places] = angles[..., self._real]
        else:
            poses[..., self.columns] = angles

    def chosen(self, whole: Bools | np.bool, pairs: Bools) -> Bools:
        """Return what is said of compounds, and for pairs what is said of these, each of shape (..., 1 or c)."""
        if not self.pairs:
            return np.asarray(whole)
        return np.where(np.arange(len(self)) < len(self) - self.pairs, whole, pairs)
