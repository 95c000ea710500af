"""Holding locks: makes the problem of rows and limits that the solver works on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.constraints import hold_plain
from core.constraints.comfort import comfort_pull, comfort_range, involved
from core.constraints.places import Places
from core.constraints.row_values import row_values
from core.constraints.rows import MASS, Rows
from core.kinematics.links import link_lengths
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Array, Skeleton
from core.skeleton.tree import KIND_HINGE, pack

SHORTEST = 0.05
"""Floor of a link's length, as a part of W: a joint at the tip would else turn without bound."""


class Held(NamedTuple):
    """A pose and the steps it took."""

    q: Array
    iterations: int


def willingness(s: Skeleton, root_weight: float = 1.0, fixed: Sequence[int] = ()) -> Array:
    """Return Welman's ``K_i = w / (w_i d_i)`` of each pose value, shape (nq,), lengths in units of W (eq. 4.10).

    ``w`` is the joint's responsiveness, ``d_i`` its resistance, ``w_i`` the length of its link; a slide's is 1.

    Args:
        s: The figure.
        root_weight: Multiplies those of the root.
        fixed: Values that may not move: 0.
    """
    tree = pack(s)
    size = tree.size or 1.0
    length = np.maximum(link_lengths(s, tree) / size, SHORTEST)
    K = np.ones(s.nq)
    K[3:] = tree.weight / tree.resistance / np.where(tree.kind == KIND_HINGE, length, 1.0)
    K[: 3 + s.first_dof[1]] *= root_weight
    K[list(fixed)] = 0.0
    return K


def hold(
    s: Skeleton,
    q: Array,
    locks: Sequence[Rows],
    goals: Sequence[Rows],
    start: Array | None,
    tolerance: float,
    most: int,
    most_drag: int,
    fixed: Sequence[int],
    goal_dofs: Sequence[int] | None,
    root_weight: float,
    comfort: float,
) -> Held:
    """Return the pose that keeps the rows of locks and meets those of goals as far as they let it."""
    tree = pack(s)
    size = tree.size or 1.0
    unit = np.ones(s.nq)
    unit[:3] = size
    unit[3:][tree.kind != KIND_HINGE] = size
    hard = [rows for rows in locks if rows.weight >= 1.0]
    soft = [rows for rows in locks if rows.weight < 1.0]
    order = [*hard, *soft, *goals]
    scale = np.concatenate([[1.0], *(np.full(r.size, 1.0 if r.is_angle else 1.0 / size) for r in order)])[1:]
    inequality = np.array([r.inequality for r in order for _ in range(r.size)], dtype=bool)
    number = sum(rows.size for rows in hard)
    softness = [hold_plain.DRAG_SOFTNESS / r.weight for r in [*soft, *goals] for _ in range(r.size)]

    def values(x: Array) -> tuple[Array, Callable[[], Array]]:
        C, J = row_values(order, Places(s, x * unit))
        return C * scale, lambda: J * scale[:, None] * unit

    def clamp(x: Array) -> None:
        x[:] = clamp_pose(s, x * unit) / unit

    groups, first = [], number
    for rows in [*soft, *goals]:
        groups.append((first, rows.size))
        first += rows.size
    K = willingness(s, root_weight, fixed)
    rest = (q if start is None else start) / unit
    drawn = start is not None or bool(soft) or comfort > 0.0
    pull = np.full(s.nq, 1.0 if drawn else 0.0)
    if comfort > 0.0:
        middle, half = comfort_range(s)
        counts = involved(s, [joint for r in order if r.form != MASS for joint in (r.joint, r.other) if joint >= 0])
        pull, rest = comfort_pull(comfort, middle / unit, half / unit, counts, K, pull, rest)
        if not soft and not goals:
            K = K / pull  # a projection is drawn back as strongly as K says
    x = q / unit
    terms = hold_plain.Terms(
        values=values,
        hard=number, inequality=inequality, softness=np.array(softness),
        mask=_mask(s, order, goals, goal_dofs), group=tuple(groups), K=K,
        lower=np.concatenate([np.full(3, -np.inf), tree.lower]) / unit,
        upper=np.concatenate([np.full(3, np.inf), tree.upper]) / unit,
        clamp=clamp, pull=pull, rest=rest, bends=(),
    )  # fmt: skip
    limit = tolerance / size
    if soft or goals:
        point, used = hold_plain.restore(terms, hold_plain.at(terms, x), limit, most)
        point, more = hold_plain.drag(terms, point, limit, most_drag, most)
        used += more
    else:
        point, used = hold_plain.project(terms, x, rest, limit, most)
    pose = point.x * unit
    if used == 0:
        pose = q.copy()
    held = [*fixed]
    pose[held] = q[held]
    return Held(clamp_pose(s, pose), used)


def _mask(s: Skeleton, order: Sequence[Rows], goals: Sequence[Rows], goal_dofs: Sequence[int] | None) -> Array | None:
    if goal_dofs is None and all(rows.joints is None for rows in order):
        return None
    mask = np.ones((sum(rows.size for rows in order), s.nq))
    first = 0
    for number, rows in enumerate(order):
        allowed: set[int] | None = None
        if rows.joints is not None:
            allowed = {3 + k for j in rows.joints for k in range(s.first_dof[j], s.first_dof[j + 1])}
            allowed |= {0, 1, 2} if 0 in rows.joints else set()
        elif number >= len(order) - len(goals) and goal_dofs is not None:
            allowed = set(goal_dofs)
        if allowed is not None:
            mask[first : first + rows.size, [k for k in range(s.nq) if k not in allowed]] = 0.0
        first += rows.size
    return mask
