"""Two frames joined as by a joint: origins that do not part along some axes, axes that stay square to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import (
    ORIENTATION,
    OTHER_ORIENTATION,
    OTHER_POINT,
    POINT,
    Residual,
)


@dataclass(frozen=True, eq=False)
class FrameResidual(Residual):
    """``x_k^A . (p_B - p_A)``, [m], and ``x_i^A . x_j^B``, the cosine of an angle, for some axes of both frames.

    Attributes:
        axes_a: Axes of frame A in the first part, as columns, shape (3, 3).
        axes_b: Axes of frame B in the second part, shape (3, 3).
        slides: Axes k of A along which the origins do not part.
        squares: Pairs (i, j) of axes, i of A and j of B, that stay square to each other.

    Source: Sueda 1.10: rows of the adjoint dropped by the kind of joint.
    """

    axes_a: Array
    axes_b: Array
    slides: tuple[int, ...]
    squares: tuple[tuple[int, int], ...]

    @property
    def of(self) -> tuple[str, ...]:
        """Origins and orientations of both."""
        return POINT, ORIENTATION, OTHER_POINT, OTHER_ORIENTATION

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.slides) + len(self.squares)

    def value(self, *h: Array) -> Array:
        A, B, apart = h[1] @ self.axes_a, h[3] @ self.axes_b, h[2] - h[0]
        return np.array([A[:, k] @ apart for k in self.slides] + [A[:, i] @ B[:, j] for i, j in self.squares])

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        A, B, apart = h[1] @ self.axes_a, h[3] @ self.axes_b, h[2] - h[0]
        still = np.zeros((len(self.squares), 3))
        along = A[:, list(self.slides)].T.reshape(-1, 3)
        # (w x a) . b = (a x b) . w
        turned = [np.cross(A[:, k], apart) for k in self.slides]
        square = [np.cross(A[:, i], B[:, j]) for i, j in self.squares]
        by_a = np.array(turned + square)
        by_b = np.array([np.zeros(3)] * len(self.slides) + [-row for row in square])
        point = np.vstack([along, still])
        return -point, by_a, point, by_b

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        A, B, apart, speed = h[1] @ self.axes_a, h[3] @ self.axes_b, h[2] - h[0], u[2] - u[0]
        A_dot, B_dot = np.cross(u[1], A.T).T, np.cross(u[3], B.T).T
        A_ddot, B_ddot = np.cross(u[1], A_dot.T).T, np.cross(u[3], B_dot.T).T
        slides = [A_ddot[:, k] @ apart + 2.0 * (A_dot[:, k] @ speed) for k in self.slides]
        squares = [
            A_ddot[:, i] @ B[:, j] + 2.0 * (A_dot[:, i] @ B_dot[:, j]) + A[:, i] @ B_ddot[:, j] for i, j in self.squares
        ]
        return np.array(slides + squares)
