"""Free joint of the plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import HINGE, SLIDE, JointModel, Step, angle_about, numbers

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Free2D(JointModel):
    """A body that moves freely in the plane, ``q = (x, y, turn)``: a translation in x and y, then a turn about z.

    Source: Sueda eqs. 2.53 to 2.56 (whose last entry is ``-Q^yx``).
    """

    type_name: ClassVar[str] = "free 2d"
    n: ClassVar[int] = 3  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("x", "y", "turn")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False, False, True)  # type: ignore[misc]
    steps: ClassVar[tuple[Step, ...]] = (Step(SLIDE, _X), Step(SLIDE, _Y), Step(HINGE, _Z))  # type: ignore[misc]

    def transform(self, q: ArrayLike) -> Array:
        x, y, turn = numbers(q)
        c, s = math.cos(turn), math.sin(turn)
        return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])

    def subspace(self, q: ArrayLike) -> Array:
        turn = numbers(q)[2]
        c, s = math.cos(turn), math.sin(turn)
        S = np.zeros((6, 3))
        S[2:5] = [[0.0, 0.0, 1.0], [c, s, 0.0], [-s, c, 0.0]]
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        turn, w = numbers(q)[2], numbers(v)[2]
        c, s = w * math.cos(turn), w * math.sin(turn)
        rate = np.zeros((6, 3))
        rate[3:5] = [[-s, c, 0.0], [-c, -s, 0.0]]
        return rate

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        X = np.asarray(X, dtype=np.float64)
        turn = angle_about(X[:3, :3], _Z, 0.0 if near is None else numbers(near)[2])
        return np.array([X[0, 3], X[1, 3], turn])
