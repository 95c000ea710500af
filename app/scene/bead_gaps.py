"""Which beads of a trail are drawn, so that none hides another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BEAD_GAP = 10.5


def far_apart(pixels: Array, least: float = BEAD_GAP, chosen: int | None = None) -> NDArray[np.bool_]:
    """Return which beads of a trail to draw so that none hides another: the first, the last and what fits between.

    Args:
        pixels: Where they are and their depth, in order of time, shape (m, 3); those behind the eye are left out.
        least: How far apart they must be at least, [px].
        chosen: Row of one that goes before all others; None for none.

    Returns:
        Shape (m,).
    """
    kept = np.zeros(len(pixels), dtype=np.bool_)
    seen = np.flatnonzero(pixels[:, 2] > 0.0)
    first = [] if chosen is None or pixels[chosen, 2] <= 0.0 else [chosen]
    drawn: list[int] = []
    for k in (*first, *seen[[0, -1]].tolist(), *seen.tolist()) if len(seen) else ():
        if not drawn or (np.hypot(*(pixels[drawn, :2] - pixels[k, :2]).T) >= least).all():
            drawn.append(k)
    kept[drawn] = True
    return kept
