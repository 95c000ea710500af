"""Wahba's problem by singular value decomposition (Kabsch 1976, Markley 1988)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.ik.wahba_kernel import PREFERENCE, STILL

Array = NDArray[np.float64]


def best_rotation(B: Array) -> tuple[bool, Array]:
    """Whether one rotation R maximises ``tr(R' B)``, B of shape (3, 3), and R."""
    size = np.linalg.norm(B)
    U, s, Vt = np.linalg.svd(B / (size or 1.0) + PREFERENCE * np.eye(3))
    handed = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    return bool(size > 0.0 and s[1] + handed * s[2] > STILL), U @ np.diag([1.0, 1.0, handed]) @ Vt
