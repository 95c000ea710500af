"""Poses of a figure as the values of BVH channels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.formats.bvh.plan import Part, rest_rotations
from core.formats.importing.euler import continuous_euler
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.dof import SLIDE

_DEGREES = 180.0 / np.pi


class FigureMotion:
    """Turns a figure's poses into rows, chunk by chunk; Euler angles go on from the chunk before.

    Args:
        figure: The figure.
        parts: As from ``core.formats.bvh.plan.plan``.
    """

    def __init__(self, figure: Skeleton, parts: list[Part]):
        self.figure = figure
        self.parts = parts
        self.turned = rest_rotations(figure)
        self.unscaled = figure
        if any(np.any(joint.scale != 1.0) for joint in figure.joints):
            bare = [replace(joint.as_given(), scale=np.ones(3)) for joint in figure.joints]
            self.unscaled = Skeleton(figure.name, bare)
        slides = any(dof.kind == SLIDE for dof in figure.all_dofs)
        self.moves = slides or any(part.angles is None or (part.joint and part.positions) for part in parts)
        self.last: dict[int, Array] = {}

    def rows(self, q: Array, unit: float, length_digits: int, angle_digits: int) -> Array:
        """Return the values of all channels, rounded, shape (m, channels): lengths in units, angles in degrees.

        Args:
            q: Poses, shape (m, nq), that follow those of the last call.
            unit: Metres in one unit.
            length_digits: Digits that lengths keep behind the point.
            angle_digits: Digits that angles keep.
        """
        m = len(q)
        joints = self.figure.joints
        if self.moves:
            at = forward_kinematics(self.figure, q)[..., :3, 3]
            turns = forward_kinematics(self.unscaled, q)[..., :3, :3] @ np.swapaxes(self.turned, 1, 2)
        columns: list[Array] = []
        for part in self.parts:
            i, parent = part.joint, joints[part.joint].parent
            if part.positions:
                if parent >= 0:
                    place = np.einsum("mji,mj->mi", turns[:, parent], at[:, i] - at[:, parent])
                else:
                    place = at[:, i] if self.moves else joints[i].offset + q[:, :3]
                columns.append(np.round(place[:, part.positions] / unit, length_digits))
            if part.angles is None:
                local = turns[:, i]
                if parent >= 0:
                    local = np.swapaxes(turns[:, parent], 1, 2) @ local
                angles = self._euler(part, local)
            else:
                angles = np.zeros((m, len(part.angles)))
                for k, source in enumerate(part.angles):
                    if source is not None:
                        angles[:, k] = source[1] * q[:, source[0]]
            columns.append(np.round(_DEGREES * angles, angle_digits))
        return np.concatenate(columns, axis=1) + 0.0  # no minus before a zero

    def _euler(self, part: Part, rotations: Array) -> Array:
        """Return the angles of a joint's rotations; the last one of a chunk is kept to go on from."""
        order = part.rotations[0], part.rotations[1], part.rotations[2]
        angles = continuous_euler(order, rotations, self.last.get(part.joint))
        self.last[part.joint] = angles[-1]
        return angles
