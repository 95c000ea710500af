"""Poses in which degrees of freedom that follow others are what these say, and how they change with their leaders."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.structure import Structure
from core.skeleton.tie import Follow, expression_of
from core.symbolic import Evaluator, derivative, symbol


def followed(skeleton: Structure, q: Array) -> Array:
    """Return poses in which every degree of freedom that follows others is what they say, shape (..., nq); new.

    Leaders that follow others themselves come first, whatever the order of the joints. Limits are not looked at. Where
    an expression has no value the pose keeps its own.

    Args:
        skeleton: The figure.
        q: Pose or poses, shape (..., nq), [m] and [rad].
    """
    out = np.array(q, dtype=np.float64)
    rows = out.reshape(-1, out.shape[-1])
    for dof, leaders, evaluator in follows_of(skeleton):
        values = [rows[:, 3 + k] for k in leaders]
        if len(rows) == 1:  # as simulations of one pose have it, to the bit
            found = np.array(evaluator.floats([float(value[0]) for value in values]))
        else:
            found = np.broadcast_to(evaluator.arrays(values)[0], len(rows))
        rows[:, 3 + dof] = np.where(np.isfinite(found), found, rows[:, 3 + dof])
    return out


def following_dofs(skeleton: Structure) -> frozenset[int]:
    """Return the degrees of freedom that follow others, by number."""
    return frozenset(dof for dof, _, _ in follows_of(skeleton))


def following_rates(skeleton: Structure, q: Array) -> Array:
    """Return how a pose changes with the values that follow no others, shape (nq, nq).

    Column j is the rate of all values with value j; it is zero for a value that follows others.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,), in which all that follow are what their leaders say.
    """
    rates = np.eye(len(q))
    follows = follows_of(skeleton)
    for dof, _, _ in follows:
        rates[3 + dof] = 0.0
    for (dof, leaders, _), slopes in zip(follows, _slopes(skeleton), strict=True):
        given = [float(q[3 + k]) for k in leaders]
        for k, slope in zip(leaders, slopes.floats(given), strict=True):
            rates[3 + dof] += (slope if np.isfinite(slope) else 0.0) * rates[3 + k]
    return rates


@per_skeleton
def follows_of(skeleton: Structure) -> tuple[tuple[int, list[int], Evaluator], ...]:
    """Return the same as :func:`ordered_follows` with what gives each its value, worked out once for a figure."""
    if not any(joint.follows for joint in skeleton.joints):
        return ()
    return tuple(
        (dof, leaders, Evaluator([expression_of(follow)], [symbol(each.name) for each in follow.leaders]))
        for dof, leaders, follow in ordered_follows(skeleton)
    )


@per_skeleton
def _slopes(skeleton: Structure) -> tuple[Evaluator, ...]:
    """Return what gives the partial derivatives of each of ``follows_of`` by its leaders."""
    found = []
    for _, _, follow in ordered_follows(skeleton):
        names = [symbol(each.name) for each in follow.leaders]
        found.append(Evaluator(derivative([expression_of(follow)], names)[0] if names else [], names))
    return tuple(found)


def ordered_follows(skeleton: Structure) -> list[tuple[int, list[int], Follow]]:
    """Return the degrees of freedom that follow others, leaders before followers: number, leaders' numbers, the tie.

    Those that follow each other in a circle are left out; files with such are refused.
    """
    index = {joint.name: i for i, joint in enumerate(skeleton.joints)}
    waiting: dict[int, tuple[list[int], Follow]] = {}
    for i, joint in enumerate(skeleton.joints):
        for follow in joint.follows:
            leaders = [skeleton.first_dof[index[each.joint]] + each.dof for each in follow.leaders]
            waiting[skeleton.first_dof[i] + follow.dof] = leaders, follow
    found: list[tuple[int, list[int], Follow]] = []
    while True:
        ready = [dof for dof, (leaders, _) in waiting.items() if not any(k in waiting for k in leaders)]
        if not ready:
            return found
        for dof in ready:
            found.append((dof, *waiting.pop(dof)))
