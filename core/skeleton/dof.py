"""One degree of freedom of a joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.joints.base import ANGLE, HINGE, LENGTH, NUMBER, SLIDE

__all__ = ["ANGLE", "COORDINATE", "HINGE", "LENGTH", "NUMBER", "SLIDE", "Dof", "frozen"]

COORDINATE = "coordinate"
"""Kind of a degree of freedom that is neither a hinge nor a slide: a coordinate that the joint's type goes by."""


def frozen(values: object, shape: tuple[int, ...]) -> Array:
    """Return a read-only float64 copy of ``values``."""
    array = np.array(values, dtype=np.float64).reshape(shape)
    array.setflags(write=False)
    return array


class Dof(NamedTuple):
    """One degree of freedom.

    Attributes:
        kind: ``"hinge"``, ``"slide"`` or ``"coordinate"``.
        axis: Unit axis in the frame left by the degrees of freedom before it, shape (3,).
        lo: Lower limit, [rad], [m] or a plain number; ``-inf`` if there is none.
        hi: Upper limit, as the lower one; ``inf`` if there is none.
    """

    kind: str
    axis: Array
    lo: float
    hi: float
