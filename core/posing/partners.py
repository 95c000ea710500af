"""An edit of one figure brings along those that locks tie to it: what is held in two hands, a partner in a dance."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.animation.ensemble import System
from core.animation.locks.holding import ROOT_WEIGHT
from core.arrays import Array
from core.constraints.solve_locks import solve_locks
from core.posing.pose_edit import MOST_STEPS, missed


def with_partners(system: System, name: str, q: Array, comfort: float = 0.0) -> Array:
    """Return the joined pose after one of several figures that are solved together was edited, locks held.

    What was edited stays so if the others can follow, with their limbs first and as a whole next; where they cannot,
    it comes back as far as the locks ask for. So a box that two hands hold goes with either of them or with the hips,
    and hands go with the box. The pose depends on the one before the edit and on the edit alone.

    Args:
        system: The figures, in the pose before the edit.
        name: Which one was edited.
        q: Its pose after the edit, shape (nq of the figure,), [m] and [rad].
        comfort: As for ``solve_locks``.

    Returns:
        Shape (nq of the joined figure,).

    Raises:
        ValueError: If the figure is none of them.
    """
    J, member = system.joined, system.names.index(name)
    pose = np.array(system.pose)
    pose[J.columns[member]] = q
    changed, root = pose != system.pose, J.roots[member]
    changed[root] = changed[root].any()  # what is moved to a place is not to slip along another axis
    edited = np.flatnonzero(changed).tolist()
    options: dict[str, Any] = {"root_weight": ROOT_WEIGHT, "max_iterations": MOST_STEPS, "comfort": comfort}
    nearest = pose
    if edited:
        result = solve_locks(J, pose, system.locks, fixed=sorted({*system.fixed, *edited}), **options)
        if not missed(system.locks, result):
            return np.asarray(result.q)
        nearest = np.asarray(result.q)
    return np.asarray(solve_locks(J, nearest, system.locks, fixed=system.fixed, **options).q)
