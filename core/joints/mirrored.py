"""Mirrored joint: another joint, reflected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints import row_kernel
from core.joints.base import JointModel
from core.joints.position_expressions import expressions_of
from core.joints.transformed import Transformed
from core.kernels.functions import Function
from core.symbolic import Expression

_M = np.diag([-1.0, 1.0, 1.0, 1.0])
_TWIST = np.array([1.0, -1.0, -1.0, -1.0, 1.0, 1.0])
"""What the reflection in x = 0 does to a twist, whose first half are pseudovectors."""
_SIGNS = (1.0, -1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0)
"""What it does to a rotation, row by row, and the origin."""


@dataclass(frozen=True)
class Mirrored(Transformed):
    """The reflection in x = 0 of a joint, ``Q = M Q_joint M`` at the same coordinates, ``M = diag(-1, 1, 1, 1)``.

    Attributes:
        joint: The joint that is reflected.
    """

    type_name: ClassVar[str] = "mirrored"

    @property
    def evaluation(self) -> Function:
        return row_kernel.mirrored

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression] | None:
        Q = expressions_of(self.joint, q, constants[2:])  # behind the slot and the number of coordinates
        return None if Q is None else [entry * sign for entry, sign in zip(Q, _SIGNS, strict=True)]

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        return tuple(line @ _M[:3, :3] for line in self.joint.linkage(q))

    def transform(self, q: ArrayLike) -> Array:
        return _M @ self.joint.transform(q) @ _M + 0.0

    def subspace(self, q: ArrayLike) -> Array:
        return _TWIST[:, None] * self.joint.subspace(q) + 0.0

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return _TWIST[:, None] * self.joint.subspace_rate(q, v) + 0.0

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        return self.joint.coordinates(_M @ np.asarray(X, dtype=np.float64) @ _M, near)

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        found = self.joint.rechart(q, v, early)
        return None if found is None else (Mirrored(found[0]), found[1], found[2])

    def inverse(self) -> JointModel | None:
        other = self.joint.inverse()
        return None if other is None else Mirrored(other)

    def reflected(self) -> JointModel:
        return self.joint
