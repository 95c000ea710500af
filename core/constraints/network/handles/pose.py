"""A figure's whole pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.handles.base import Handle
from core.constraints.network.state import FigureState


class PoseHandle(Handle):
    """All values of a pose, shape (nq,), [m] and [rad].

    Args:
        figure: The figure.
    """

    def __init__(self, figure: FigureState):
        super().__init__(figure, np.arange(figure.skeleton.nq, dtype=np.int64))

    @property
    def key(self) -> tuple[Any, ...]:
        return ("pose", self.figure.name)

    def _evaluate(self) -> Array:
        return np.array(self.figure.q)

    def local_jacobian(self) -> Array:
        return np.eye(self.skeleton.nq)
