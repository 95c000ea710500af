"""Holding locks over the whole pose, entry by entry: for rows that are functions of the pose; slower.

It evaluates rows by another way than the packed form (``row_values``), which tests compare it with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.arrays import Array
from core.constraints.comfort import comfort_pull, comfort_range, involved
from core.constraints.hold.mobility import mobility, pose_units
from core.constraints.hold.packed import DRAG, DRAG_SOFTNESS, MASS, PROJECT
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import Rows
from core.constraints.hold.whole_pose_steps import Terms, run
from core.constraints.places import Places
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack


def hold_over_pose(
    s: Skeleton,
    q: Array,
    locks: Sequence[Rows],
    goals: Sequence[Rows],
    start: Array | None,
    tolerance: float,
    most: int,
    most_drag: int,
    fixed: Sequence[int] = (),
    goal_dofs: Sequence[int] | None = None,
    root_weight: float = 1.0,
    comfort: float = 0.0,
) -> tuple[Array, int]:
    """Return the pose that keeps the rows of locks and meets those of goals as far as they let it, and the steps.

    The arguments are those of ``solve_locks``, checked.
    """
    size = pack(s).size or 1.0
    unit = pose_units(s)
    hard = [rows for rows in locks if rows.weight >= 1.0]
    soft = [rows for rows in locks if rows.weight < 1.0]
    order = [*hard, *soft, *goals]
    scale = np.array([1.0 if rows.is_angle else 1.0 / size for rows in order for _ in range(rows.size)])
    parts, first = [], 0
    for rows in order:
        parts.append((first, rows.size))
        first += rows.size
    mode = DRAG if soft or goals else PROJECT
    if start is None and not goals:
        start = q
    x = q / unit
    rest = x if start is None else start / unit
    K = mobility(s, root_weight, fixed)
    pull = np.full(s.nq, 0.0 if start is None else 1.0)
    if comfort > 0.0:
        middle, half = comfort_range(s)
        counts = involved(s, helped(order))
        pull, rest = comfort_pull(comfort, middle / unit, half / unit, counts, K, pull, rest)

    def values(x: Array) -> tuple[Array, Callable[[], Array]]:
        C, J = row_values(order, Places(s, x * unit))
        return C * scale, lambda: J * scale[:, None] * unit

    def clamp(x: Array) -> None:
        x[:] = clamp_pose(s, x * unit) / unit

    limits = np.vstack([np.full((3, 2), (-np.inf, np.inf)), s.limits]) / unit[:, None]
    terms = Terms(
        values=values,
        hard=sum(rows.size for rows in hard),
        parts=tuple(parts),
        inequality=np.array([rows.inequality for rows in order for _ in range(rows.size)], dtype=bool),
        softness=np.array([DRAG_SOFTNESS / rows.weight for rows in order for _ in range(rows.size)]),
        mask=_mask(s, order, len(goals), goal_dofs),
        K=K,
        lower=limits[:, 0],
        upper=limits[:, 1],
        clamp=clamp,
        pull=pull,
        rest=rest,
        warm=np.zeros(len(scale)),
        always=1.0 if start is None else 0.0,
        bends=(),
    )
    point, used = run(terms, x.copy(), mode, tolerance / size, most, most_drag)
    pose = np.where((point.x != x) & (K > 0.0), point.x * unit, q)
    return clamp_pose(s, pose), used


def helped(rows: Sequence[Rows]) -> list[int]:
    """Return the joints that rows are about; those of balance are about none."""
    return [joint for each in rows if each.form != MASS for joint in (each.joint, each.other) if joint >= 0]


def allowed(s: Skeleton, rows: Rows, is_goal: bool, goal_dofs: Sequence[int] | None) -> set[int] | None:
    """Return the pose values that may help some rows, None for all."""
    if rows.joints is not None:
        found = {3 + k for j in rows.joints for k in range(s.first_dof[j], s.first_dof[j + 1])}
        return found | {0, 1, 2} if 0 in rows.joints else found
    return set(goal_dofs) if is_goal and goal_dofs is not None else None


def _mask(s: Skeleton, order: Sequence[Rows], goals: int, goal_dofs: Sequence[int] | None) -> Array | None:
    if goal_dofs is None and all(rows.joints is None for rows in order):
        return None
    mask = np.ones((sum(rows.size for rows in order), s.nq))
    first = 0
    for number, rows in enumerate(order):
        helpers = allowed(s, rows, number >= len(order) - goals, goal_dofs)
        if helpers is not None:
            mask[first : first + rows.size, [k for k in range(s.nq) if k not in helpers]] = 0.0
        first += rows.size
    return mask
