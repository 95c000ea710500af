"""Poses in which degrees of freedom that follow others are what these say."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.structure import Structure
from core.skeleton.tie import Follow, expression_of
from core.symbolic import Evaluator, symbol


def followed(skeleton: Structure, q: Array) -> Array:
    """Return a pose in which every degree of freedom that follows others is what they say, shape (nq,); new.

    Leaders that follow others themselves come first, whatever the order of the joints. Limits are not looked at.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,), [m] and [rad].
    """
    out = np.array(q, dtype=np.float64)
    for dof, leaders, follow in ordered_follows(skeleton):
        function = Evaluator([expression_of(follow)], [symbol(each.name) for each in follow.leaders])
        out[3 + dof] = function.floats(out[[3 + k for k in leaders]].tolist())[0]
    return out


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
