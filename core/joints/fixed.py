"""Fixed joint: no motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import JointModel, Step, frozen

_POSE = frozen(np.eye(4))
_SUBSPACE = frozen(np.zeros((6, 0)))
_NONE = frozen(np.zeros(0))


@dataclass(frozen=True)
class Fixed(JointModel):
    """A body that is rigidly attached to its parent: ``Q = 1``, no coordinates (Sueda 2.4.1)."""

    type_name: ClassVar[str] = "fixed"
    n: ClassVar[int] = 0  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = ()  # type: ignore[misc]
    steps: ClassVar[tuple[Step, ...]] = ()  # type: ignore[misc]

    def transform(self, q: ArrayLike) -> Array:
        return _POSE

    def subspace(self, q: ArrayLike) -> Array:
        return _SUBSPACE

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return _SUBSPACE

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        return _NONE
