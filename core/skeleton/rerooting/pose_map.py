"""From poses of a figure to poses of what became of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.errors import PoseError


@dataclass(frozen=True, eq=False)
class PoseMap:
    """Where each value of a pose goes when a figure is edited.

    Attributes:
        n_before: Length of a pose before.
        columns: For each value of a new pose the number of the old one that it keeps, -1 for a new degree of freedom;
            the first three are the root's place.
        rest: What new degrees of freedom start with, shape (nq,); the rest of it is not used.
    """

    n_before: int
    columns: tuple[int, ...]
    rest: Array

    @property
    def identical(self) -> bool:
        """Whether every pose stays as it is."""
        return self.columns == tuple(range(self.n_before))

    def convert(self, q: object) -> Array:
        """Return poses of the edited figure, shape (nq,) or (m, nq); new.

        Degrees of freedom keep their values, whatever their joints are called and wherever they stand now; new ones
        are at rest, removed ones are dropped.

        Args:
            q: Pose or poses of the figure before, shape (n_before,) or (m, n_before).

        Raises:
            PoseError: If the shape is wrong.
        """
        old = np.asarray(q, dtype=np.float64)
        if old.ndim not in (1, 2) or old.shape[-1] != self.n_before:
            raise PoseError(f"pose has shape {old.shape}; expected ({self.n_before},) or (m, {self.n_before})")
        columns = np.array(self.columns, dtype=np.intp)
        # One more column, so that -1 finds something even in a pose of no values.
        wide = np.concatenate([old, np.zeros((*old.shape[:-1], 1))], axis=-1)
        return np.where(columns >= 0, wide[..., columns], self.rest)
