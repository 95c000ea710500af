"""What a drag asks of inverse kinematics for one move, and what the session is told of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.document.session.drag_account import DragSolve
from app.tools.base import Array
from app.tools.steady import leaps, steadied
from core.ik import Goal, Result, solve
from core.kinematics import forward_kinematics

if TYPE_CHECKING:
    from app.document.session.session import Session
    from app.tools.drag_state import Drag
    from core.skeleton import Skeleton

WORTHWHILE = 0.98
"""Part of the way to the goal that must be left at most for a second look to count."""


def led(session: Session, skeleton: Skeleton, drag: Drag, q: Array, goal: Array) -> Result:
    """Return what brings a part that no locks hold toward a goal.

    Args:
        session: How to solve.
        skeleton: The figure.
        drag: The drag; it remembers whether it swings.
        q: The pose shown, shape (nq,).
        goal: Where the end-effector should be, shape (3,), [m].
    """
    wanted, options = Goal(drag.joint, point=drag.local, position=goal), session.solver.options(drag.pose)
    result = solve(skeleton, q, [wanted], base=drag.chain.base, **options)
    q, reach = np.array(q), drag.watch.reach
    stride = None if result.converged else drag.way_out.follow(q, wanted, result, options)
    drag.swinging = not result.converged and (stride is not None or leaps(q, result.q, drag.goal, goal, reach))
    if stride is not None:
        return stride
    if not drag.swinging:
        return result
    steady = steadied(skeleton, q, wanted, drag.chain.base, result, reach)
    # Its few steps are all that it is to take: why the goal is not met the solver itself has found.
    return replace(steady, reason=result.reason) if steady.reason == "iterations" else steady


def led_within(
    session: Session, skeleton: Skeleton, drag: Drag, q: Array, goal: Array, bounds: tuple[Array, Array]
) -> Array | None:
    """Return the pose that comes as near to a goal as bounds of the pose let it; None where that is hardly nearer.

    Args:
        session: How to solve.
        skeleton: The figure.
        drag: The drag.
        q: The pose shown, shape (nq,).
        goal: Where the end-effector should be, shape (3,), [m].
        bounds: Least and largest values, shape (nq,) each.
    """
    if drag.way_out.goes or drag.spline is not None or (drag.held is not None and drag.held.busy):
        return None
    if drag.held is not None:
        found = drag.held.follow(q, goal, drag.moves_root, bounds=bounds).q
    else:
        wanted, options = Goal(drag.joint, point=drag.local, position=goal), session.solver.options(drag.pose)
        found = solve(skeleton, q, [wanted], base=drag.chain.base, bounds=bounds, **options).q
    X = forward_kinematics(skeleton, np.stack([q, found]))[:, drag.joint]
    now, then = np.linalg.norm(goal - X[:, :3, :3] @ drag.local - X[:, :3, 3], axis=1).tolist()
    return found if then < WORTHWHILE * now else None


def told(session: Session, result: Result, start: float) -> Result:
    """Tell the session how a move was solved that began at a thread time, [s]."""
    session.drag.solve = DragSolve.of(result, time.thread_time() - start)
    return result
