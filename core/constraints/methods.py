"""Other ways to hold locks than ``hold``: Welman's own two, by the names that ``solve_locks`` takes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.places import Figures
from core.kinematics.goal import Goal
from core.skeleton.skeleton import Skeleton


class LockProblem(NamedTuple):
    """What ``solve_locks`` was asked for, checked; see there.

    Attributes:
        skeleton: The figure.
        q: Pose to start from, inside its limits, shape (nq,).
        locks: The locks, bound.
        goals: Where parts should go.
        tolerance: [m], angles times the figure's size.
        max_iterations: Most steps; None leaves it to the method.
        fixed: ``q`` indices that nothing may move.
        goal_dofs: ``q`` indices that may move for the goals; None is all.
        root_weight: Multiplies the mobility of the root.
        figures: Other figures that locks name.
    """

    skeleton: Skeleton
    q: Array
    locks: tuple[Lock, ...]
    goals: tuple[Goal, ...]
    tolerance: float
    max_iterations: int | None
    fixed: tuple[int, ...]
    goal_dofs: tuple[int, ...] | None
    root_weight: float
    figures: Figures


Method = Callable[[LockProblem], tuple[Array, int]]
"""From a problem to a pose inside its limits and the steps taken."""

# By name, so that what they need is loaded when one is chosen, and methods may live above this layer.
_PLACES = {"lagrange": ("core.constraints.lagrange_method", "solve"), "ccd": ("core.ik.locked", "hold_by_ccd")}

OTHER_METHODS = tuple(_PLACES)


def find_method(name: str) -> Method:
    """Return the method called ``name``, one of ``OTHER_METHODS``."""
    module, function = _PLACES[name]
    method: Method = getattr(import_module(module), function)
    return method
