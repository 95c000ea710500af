"""Mirrored joint: another joint, reflected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints import row_kernel
from core.joints.base import JointModel
from core.joints.evaluated import evaluated
from core.kernels.functions import Function

_M = np.diag([-1.0, 1.0, 1.0, 1.0])
_TWIST = np.array([1.0, -1.0, -1.0, -1.0, 1.0, 1.0])
"""What the reflection in x = 0 does to a twist, whose first half are pseudovectors."""


@dataclass(frozen=True)
class Mirrored(JointModel):
    """The reflection in x = 0 of a joint, ``Q = M Q_joint M`` at the same coordinates, ``M = diag(-1, 1, 1, 1)``.

    Attributes:
        joint: The joint that is reflected.
    """

    joint: JointModel

    type_name: ClassVar[str] = "mirrored"

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of coordinates."""
        return self.joint.n

    @property
    def coordinate_names(self) -> tuple[str, ...]:  # type: ignore[override]
        """A name for each of them."""
        return self.joint.coordinate_names

    @property
    def rotary(self) -> tuple[bool, ...]:  # type: ignore[override]
        """Whether each of them is an angle."""
        return self.joint.rotary

    @property
    def units(self) -> tuple[str, ...]:
        """What each of them measures."""
        return self.joint.units

    @property
    def evaluation(self) -> Function:
        return row_kernel.mirrored

    @property
    def constants(self) -> tuple[float, ...]:
        slot, constants = evaluated(self.joint)
        return slot, float(self.n), *constants.tolist()

    @property
    def period(self) -> float | None:
        return self.joint.period

    @property
    def periods(self) -> tuple[float | None, ...]:
        return self.joint.periods

    @property
    def places(self) -> tuple[int, ...]:
        return self.joint.places

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return self.joint.domain

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

    def reflected(self) -> JointModel:
        return self.joint
