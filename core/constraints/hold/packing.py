"""Holding locks: packs rows, limits and the nodes that matter into a block for the solver's kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.constraints.comfort import STRONGEST, comfort_range, involved
from core.constraints.hold.functions import FunctionHold
from core.constraints.hold.masses import Masses, find_masses, legs, moving_joints
from core.constraints.hold.mobility import mobility, pose_units
from core.constraints.hold.packed import (
    AIM,
    AXIS,
    CALL,
    CONE_ROW,
    DISTANCE,
    DRAG_SOFTNESS,
    EQUATION,
    MASS,
    POINT,
    ROTATION,
    Hold,
)
from core.constraints.hold.packed_equations import equation_sizes, put_numbers, write_equations
from core.constraints.hold.rows import Rows, allowed, helped
from core.constraints.residuals import CENTER, POSE, Residual
from core.kinematics.bends import Bend, find_bends
from core.kinematics.chain import ancestry
from core.kinematics.chain_nodes import ChainNodes, chain_nodes
from core.kinematics.cones import NO_CONE, find_cones
from core.skeleton.joined import Joined
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import KIND_HINGE, Ints, pack
from core.spatial.cross_products import across

__all__ = ["Packed", "mobility", "pack_rows", "put_rows"]

_KEPT = 64
PARALLEL = 0.9
"""Least |cos| of the angle between axes that fold a limb."""


class Base(NamedTuple):
    """What a problem takes from the figure alone, for some joints."""

    chain: ChainNodes
    partner: Ints
    cone: Array
    bends: tuple[Bend, ...]
    folds: tuple[tuple[list[int], list[float]], ...]
    moves: dict[int, Ints]


class Packed(NamedTuple):
    """A problem as the solver's kernels take it.

    Attributes:
        hold: Its memory.
        base: What the figure alone says.
        rows: The entries, hard ones first, cones left out.
        first: Row of each entry of ``rows``.
        size: W, [m].
        locks: How many locks there are.
        drag: Whether there are soft rows or goals.
        goals: Number and entry of each goal of a place.
        masses: Masses that stand for joints without nodes; None without balance.
        by_legs: Rows of balance that only the legs help to keep, as long as they can.
    """

    hold: Hold
    base: Base
    rows: tuple[Rows, ...]
    first: tuple[int, ...]
    size: float
    locks: int
    drag: bool
    goals: tuple[tuple[int, int], ...]
    masses: Masses | None
    by_legs: list[int]


_bases: WeakKeyDictionary[Skeleton, dict[tuple[int, ...], Base]] = WeakKeyDictionary()


def pack_rows(
    s: Skeleton,
    locks: Sequence[Rows],
    goals: Sequence[Rows],
    number: int,
    fixed: Sequence[int] = (),
    goal_dofs: Sequence[int] | None = None,
    root_weight: float = 1.0,
    comfort: float = 0.0,
) -> Packed:
    """Return a problem whose nodes are the degrees of freedom on the way to any point of the rows.

    Args:
        s: The figure.
        locks: Rows of the locks.
        goals: Rows of the goals.
        number: How many locks there are.
        fixed: Pose values that nothing may move.
        goal_dofs: Pose values that may move for the goals, None for all.
        root_weight: Multiplies the mobility of the root.
        comfort: How strongly joints are drawn to the middle of their range, 0..1.
    """
    tree = pack(s)
    size = tree.size or 1.0
    hard = [rows for rows in locks if rows.weight >= 1.0]
    soft = [*(rows for rows in locks if rows.weight < 1.0), *goals]
    order = (*hard, *soft)
    massive = any(rows.form == MASS for rows in order)
    functions = [_named(rows.residual) for rows in order if rows.residual is not None]
    everywhere = any(joints is None for joints in functions) or (massive and not goals)
    joints = range(len(s.joints)) if everywhere else moving_joints(s, order) if massive else helped(order)
    base = find_base(s, tuple(sorted({*joints, *(joint for own in functions for joint in own or ())})), size)
    chain, index = base.chain, base.chain.q_index
    coned = [k for k in range(len(index)) if base.partner[k] > k]
    # Balance makes more joints nodes; straight limbs among them are no reason to try a drag once more with them bent.
    moved = involved(s, helped(order)) if massive else np.ones(s.nq, dtype=bool)
    folds = [fold for bend, fold in zip(base.bends, base.folds, strict=True) if moved[index[bend.node]]]
    stands = massive and not goals and bool(helped(order))
    masked = (goal_dofs is not None and bool(goals)) or any(rows.joints is not None for rows in order) or stands
    hard_count = sum(rows.size for rows in hard) + len(coned)
    row_count = hard_count + sum(rows.size for rows in soft)
    h = (FunctionHold if any(rows.form == CALL for rows in order) else Hold)({
        "node_count": len(index), "entry_count": len(order) + len(coned), "row_count": row_count,
        "bend_count": len(folds), "value_count": s.nq, "mask_count": row_count * masked,
        "record_length": len(chain.records), **equation_sizes(order),
    })  # fmt: skip
    h.state.lock_count, h.state.hard_count, h.state.first_soft = number, hard_count, len(hard) + len(coned)
    h.state.affine, h.state.massive = tree.scaled, massive
    _write_nodes(s, h, base, fixed, root_weight)
    for b, fold in enumerate(folds):
        h.bend[b], h.side[b] = fold
    if comfort > 0.0:
        _write_comfort(s, h, involved(s, helped(order)), comfort)
    masses = find_masses(s, h, chain, size) if massive else None
    by_legs: list[int] = []
    for row, k in enumerate(coned):
        h.entries.array[row] = CONE_ROW, k, base.partner[k], row, 1, 0, 1, 0, 0
        h.uneven[row] = h.scale[row] = 1.0
    firsts, places, row = [], [], len(coned)
    for entry, rows in enumerate(order, len(coned)):
        firsts.append(row)
        goal = entry >= len(h.entries) - len(goals)
        if goal and rows.form == POINT:
            places.append((rows.lock, entry))
        span = _write_entry(s, h, base, size, entry, row, rows, goal)
        helpers = allowed(s, rows, goal, goal_dofs)
        if stands and rows.form == MASS and rows.joints is None:
            # The nearest balanced pose in the metric of a drag bows; an animator wants the hips to shift.
            helpers = legs(s, rows)
            by_legs.extend(range(row, row + rows.size))
        if masked:
            h.mask[span] = 1.0 if helpers is None else np.isin(index, list(helpers))
        row += rows.size
    packed = Packed(h, base, order, tuple(firsts), size, number, bool(soft), tuple(places), masses, by_legs)
    if isinstance(h, FunctionHold):
        h.skeleton = s
        h.functions = tuple((rows, row) for rows, row in zip(order, firsts, strict=True) if rows.form == CALL)
    _put_all(packed)
    return packed


def _put_all(packed: Packed) -> None:
    """Write the entries' equations, points and targets."""
    write_equations(packed.hold, packed.base.chain, packed.rows, packed.size)
    for number, rows in enumerate(packed.rows):
        put_rows(packed, number, rows)


def _named(residual: Residual) -> tuple[int, ...] | None:
    """Return the joints that a function is of besides those of its rows; None if any may be."""
    if CENTER in residual.of:
        return None
    return residual.joints if POSE in residual.of else ()


def _write_nodes(s: Skeleton, h: Hold, base: Base, fixed: Sequence[int], root_weight: float) -> None:
    """Write what the nodes are, their limits and mobility."""
    chain, index, unit = base.chain, base.chain.q_index, pose_units(s)
    h.parent[:], h.kind[:], h.partner[:], h.q_index[:] = chain.parent, chain.kind, base.partner, index
    h.fixed[:], h.turn[:], h.cone[:] = chain.fixed, chain.turn, base.cone
    h.F[:], h.placed[:], h.record[:], h.records[:] = chain.fixed, chain.turn, chain.record, chain.records
    h.base[:, :, :3] = np.eye(3)
    h.limits[:, :3] = [[-np.inf], [np.inf]]
    h.limits[:, 3:] = s.limits.T
    h.unit[:] = unit[index]
    h.lower[:], h.upper[:] = h.limits[:, index] / unit[index]
    h.gain[:] = mobility(s, root_weight, fixed)[index]


def _write_entry(s: Skeleton, h: Hold, base: Base, size: float, entry: int, row: int, rows: Rows, goal: bool) -> slice:
    """Write what an entry is and which nodes move it, in rows from ``row`` on; return which rows these are."""
    after = base.chain.after
    about = rows.within if rows.form == MASS else rows.joint
    node = after[about][0] if about >= 0 else -1
    other = after[rows.other][0] if rows.other >= 0 else -1
    h.entries.array[entry] = (
        rows.form, node, other, row, rows.size, rows.lock, rows.inequality, goal, rows.is_angle,
    )  # fmt: skip
    if isinstance(s, Joined) and rows.form == MASS:
        own, index = s.columns[s.member_of(about)[0]], base.chain.q_index
        h.reach[entry] = (index >= own.start) & (index < own.stop)
    elif node >= 0:
        h.reach[entry] |= base.moves[rows.joint]
    if other >= 0:
        h.reach[entry] |= 2 * base.moves[rows.other]
    span = slice(row, row + rows.size)
    h.soft[span] = DRAG_SOFTNESS / rows.weight
    h.scale[span] = 1.0 if rows.is_angle else size
    h.uneven[span] = rows.inequality
    return span


def _write_comfort(s: Skeleton, h: Hold, counts: Array, comfort: float) -> None:
    """Write how strongly comfort draws which values to the middles of their ranges."""
    index, unit = h.q_index, pose_units(s)
    middle, half = ((values / unit)[index] for values in comfort_range(s))
    h.comfort[:] = np.where(counts[index], comfort * STRONGEST * h.gain / (half * half), 0.0)
    h.middle[:] = middle


def put_rows(packed: Packed, number: int, rows: Rows) -> None:
    """Write points and targets of entry ``number``, whose form, joints and size are as before."""
    h, size = packed.hold, packed.size
    e = number + len(h.entries) - len(packed.rows)  # cones stand before all others
    span = slice(packed.first[number], packed.first[number] + rows.size)
    after = packed.base.chain.after
    if rows.form == CALL:
        return
    if rows.form == EQUATION:
        put_numbers(h, e, rows)
        return
    if rows.form == MASS:
        h.directions[span], h.bound[span] = rows.directions, rows.target / size
        return
    _, linear, origin, rotation = after[rows.joint]
    h.point[e] = linear @ (rows.point / size) + origin
    if rows.other >= 0:
        _, linear, origin, _ = after[rows.other]
        h.other_point[e] = linear @ (rows.other_point / size) + origin
    else:
        h.other_point[e] = rows.other_point / size
    if rows.form == POINT:
        h.directions[span], h.target[e] = rows.directions, rows.target / size
    elif rows.form == DISTANCE:
        h.target[e, 0] = rows.target / size
    elif rows.form == ROTATION:
        h.basis[e] = rotation
        h.wanted[e] = rows.target if rows.other < 0 else after[rows.other][3] @ rows.target
    elif rows.form in (AXIS, AIM):
        h.basis[e] = rotation @ np.vstack([across(rows.axis), rows.axis]).T
        if rows.form == AXIS:
            h.wanted[e, 0] = rows.target


def find_base(s: Skeleton, joints: tuple[int, ...], size: float) -> Base:
    """Return what a problem about some joints, ascending, takes from the figure alone; kept. ``size`` is W, [m]."""
    kept = _bases.setdefault(s, {})
    base = kept.get(joints)
    if base is None:
        if len(kept) >= _KEPT:
            kept.clear()
        base = kept[joints] = _make_base(s, joints, size)
    return base


def _make_base(s: Skeleton, joints: tuple[int, ...], size: float) -> Base:
    tree = pack(s)
    chain = chain_nodes(tree, {0, *(above for joint in joints for above in ancestry(s, joint))}, 0, True, size)
    index = chain.q_index
    partner, cone = find_cones(s, index)
    owner = np.array([s.dof_joints[k - 3] if k >= 3 else 0 for k in index], dtype=np.int64)
    moves = {}
    for joint in joints:
        on_path = np.zeros(len(index), dtype=np.int64)
        node = chain.after[joint][0]
        while node >= 0:
            on_path[node] = 1
            node = int(chain.parent[node])
        moves[joint] = on_path
    bends = find_bends(s, tree, chain.parent, owner, index, chain.fixed)
    folds = _find_folds(chain, owner, bends)
    return Base(chain, partner, np.where(partner >= 0, cone, NO_CONE), bends, folds, moves)


def _find_folds(chain: ChainNodes, owner: Ints, bends: tuple[Bend, ...]) -> tuple[tuple[list[int], list[float]], ...]:
    """Return for each bend its node and the hinges of the joints above and below that turn about the same axis.

    When a knee bends by an angle and these turn back by half of it, the foot stays flat below the hip.
    """
    axes = np.empty((len(chain.parent), 3, 3))
    for k, parent in enumerate(chain.parent):
        axes[k] = chain.turn[k] if parent < 0 else axes[parent] @ chain.turn[k]
    folds = []
    for bend in bends:
        below = [k for k in range(bend.node + 1, len(owner)) if chain.parent[k] >= 0 and owner[k] != owner[bend.node]]
        below = [k for k in below if owner[chain.parent[k]] == owner[bend.node]][:1]
        below = [k for k in range(len(owner)) if below and owner[k] == owner[below[0]]]
        nodes, sides = [bend.node], [bend.sign]
        for group in (bend.swing.tolist(), below):
            along = [float(axes[k, :, 2] @ axes[bend.node, :, 2]) for k in group if chain.kind[k] == KIND_HINGE]
            group = [k for k in group if chain.kind[k] == KIND_HINGE]
            best = int(np.argmax(np.abs(along))) if along else -1
            found = best >= 0 and abs(along[best]) >= PARALLEL
            nodes.append(group[best] if found else -1)
            sides.append(-bend.sign * math.copysign(1.0, along[best]) if found else 0.0)
        folds.append((nodes, sides))
    return tuple(folds)
