"""How readily joints follow inverse kinematics: what a person sets, and the grading of a whole limb.

A joint has a responsiveness (``weight``, Welman's w_i of section 4.2) and a stiffness (``resistance``, his d_i of
section 4.1). Cyclic descent looks at the first alone; the other solvers at their quotient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.skeleton import Joint, Skeleton

GRADE = 1.5
"""Decades between the two ends of a limb that is graded as far as it goes."""

LOOSEST, STIFFEST = 0.1, 100.0
"""Resistances that a slider goes through."""

_CLOSE = 1e-6


def is_changed(joint: Joint) -> bool:
    """Return whether a joint follows otherwise than joints do by themselves."""
    return joint.weight != 1.0 or joint.resistance != 1.0


def moving(skeleton: Skeleton, joints: Sequence[int]) -> list[int]:
    """Return those of some joints that have degrees of freedom, in their order."""
    return [joint for joint in joints if skeleton.joints[joint].dofs]


def counterparts(skeleton: Skeleton, joints: Sequence[int]) -> list[int]:
    """Return the joints on the other side that belong to some joints, without those joints themselves."""
    other = {**dict(skeleton.mirror_pairs), **{b: a for a, b in skeleton.mirror_pairs}}
    return [other[joint] for joint in joints if joint in other and other[joint] not in joints]


def graded(number: int, dial: float) -> list[tuple[float, float]]:
    """Return weights and resistances that make a chain a stiff rod, a loose chain or something between.

    Toward the stiff rod the weights fall from the base to the tip: the chain turns about its base and keeps its shape.
    Toward the loose chain the resistances rise from the tip to the base: the tip gives way first. Weights stay at 1
    there, because cyclic descent moves tips first by itself and with small weights only gets slower.

    Args:
        number: How many joints the chain has.
        dial: -1 for the stiff rod, 0 for joints that are all the same, 1 for the loose chain.

    Returns:
        (weight, resistance) of each joint, base first.
    """
    along = [k / (number - 1) for k in range(number)] if number > 1 else [0.0] * number
    if dial < 0.0:
        return [(10.0 ** (GRADE * dial * u), 1.0) for u in along]
    return [(1.0, 10.0 ** (GRADE * dial * (1.0 - u)) if number > 1 else 1.0) for u in along]


def dial_of(values: Sequence[tuple[float, float]]) -> float | None:
    """Return the dial that ``graded`` makes these values from; None if there is none, or fewer than two joints."""
    if len(values) < 2:
        return None
    (_, stiff), (weight, _) = values[0], values[-1]
    if weight <= 0.0:
        return None
    dial = math.log10(weight) / GRADE if weight < 1.0 else math.log10(stiff) / GRADE
    if abs(dial) > 1.0 + _CLOSE:
        return None
    near = graded(len(values), dial)
    same = all(
        math.isclose(a, b, rel_tol=_CLOSE, abs_tol=0.0)
        for have, wanted in zip(values, near, strict=True)
        for a, b in zip(have, wanted, strict=True)
    )
    return dial if same else None
