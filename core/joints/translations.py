"""Joints that move along two or three axes without turning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import SLIDE, JointModel, Step, frozen

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_TRANSLATIONS = frozen(np.eye(6)[:, 3:])
_IN_PLANE = frozen(np.eye(6)[:, 3:5])
_NO_RATE_3 = frozen(np.zeros((6, 3)))
_NO_RATE_2 = frozen(np.zeros((6, 2)))


@dataclass(frozen=True)
class Planar(JointModel):
    """Translation in the plane of x and y, ``q = (x, y)`` (Sueda eqs. 2.25, 2.26)."""

    type_name: ClassVar[str] = "planar"
    n: ClassVar[int] = 2  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("x", "y")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False, False)  # type: ignore[misc]
    steps: ClassVar[tuple[Step, ...]] = (Step(SLIDE, _X), Step(SLIDE, _Y))  # type: ignore[misc]

    def transform(self, q: ArrayLike) -> Array:
        X = np.eye(4)
        X[:2, 3] = q
        return X

    def subspace(self, q: ArrayLike) -> Array:
        return _IN_PLANE

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return _NO_RATE_2

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        return np.array(X, dtype=np.float64)[:2, 3]


@dataclass(frozen=True)
class Translational(JointModel):
    """Translation in space, ``q = (x, y, z)`` (Sueda eqs. 2.27, 2.28)."""

    type_name: ClassVar[str] = "translational"
    n: ClassVar[int] = 3  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("x", "y", "z")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False, False, False)  # type: ignore[misc]
    steps: ClassVar[tuple[Step, ...]] = (Step(SLIDE, _X), Step(SLIDE, _Y), Step(SLIDE, _Z))  # type: ignore[misc]

    def transform(self, q: ArrayLike) -> Array:
        X = np.eye(4)
        X[:3, 3] = q
        return X

    def subspace(self, q: ArrayLike) -> Array:
        return _TRANSLATIONS

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return _NO_RATE_3

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        return np.array(X, dtype=np.float64)[:3, 3]
