"""Which joint limits stand in the way of locks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import rows_of_locks
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

_AT_LIMIT = 1e-9
_PRESSES = 1e-3  # of the strongest pull on any degree of freedom


def blocking_limits(s: Skeleton, q: Array, locks: Sequence[Lock], figures: Figures | None = None) -> tuple[int, ...]:
    """Return the degrees of freedom, ``q`` index minus 3, that locks press against a limit in a pose.

    Those at a limit beyond which the locks would be nearer to holding; the least of the pressures are left away.

    Args:
        s: The figure.
        q: Pose, shape (nq,), inside its limits.
        locks: Bound locks.
        figures: Other figures that they name.
    """
    places = Places(s, q, figures)
    tree = pack(s)
    size = tree.size or 1.0
    _, rows = rows_of_locks(locks, places)
    if not rows:
        return ()
    gradient = np.zeros(s.nq)
    for each in rows:
        C, J = row_values([each], places)
        if each.inequality:
            C = np.maximum(C, 0.0)
        gradient += (C @ J) * (1.0 if each.is_angle else size**-2)
    pull = -gradient[3:] * tree.unit
    strongest = float(np.abs(gradient).max(initial=0.0))
    low, high = tree.lower, tree.upper
    at = (q[3:] <= low + _AT_LIMIT) & (pull < 0.0) | (q[3:] >= high - _AT_LIMIT) & (pull > 0.0)
    at &= (np.abs(pull) > _PRESSES * max(float(np.abs(pull[at]).max(initial=0.0)), 1e-3 * strongest)) & (high > low)
    return tuple(np.flatnonzero(at).tolist())
