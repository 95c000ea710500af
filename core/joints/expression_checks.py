"""What makes an expression joint unusable: it is looked at all over its limits before anything moves it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.joints.base import ANGLE, LENGTH
from core.joints.expression import ExpressionJoint
from core.symbolic import Evaluator, Expression, operation_count, topological
from core.symbolic.expression import CONSTANT

MOST_OPERATIONS = 500
"""Of a joint's transform."""
FARTHEST = 1e9  # [m]
_PLACES = {1: 257, 2: 25, 3: 9, 4: 5, 5: 4, 6: 3}
"""At how many values of each coordinate a joint is looked at."""
_SINGULAR = 1e-9
_COORDINATE, _MOVE = "coordinate", "move"


class Fault(NamedTuple):
    """Why a joint cannot be used.

    Attributes:
        part: ``"coordinate"`` or ``"move"``: what it is about.
        number: Which of these, from 0.
        text: Which text of a move, from 0.
        message: What is wrong; what would be right.
    """

    part: str
    number: int
    text: int
    message: str


def fault(joint: ExpressionJoint, limits: Sequence[tuple[float, float]]) -> Fault | None:
    """Return why a joint cannot be used, the first reason found; None if there is none.

    It must be finite, and its motion subspace too, at rest and wherever the limits let it go, as far as a look at some
    hundred places shows it; each coordinate must move it, and at rest no two the same way.

    Args:
        joint: The joint.
        limits: Lower and upper limit of each coordinate; infinite where there is none.
    """
    written = joint.written
    count = operation_count(written.Q)
    if count > MOST_OPERATIONS:
        return Fault(_MOVE, 0, 0, f"the moves take {count} operations; expected at most {MOST_OPERATIONS} in a joint")
    q = np.vstack([np.zeros(joint.n), _places(joint, limits)])
    return _in_texts(joint, q) or _in_subspace(joint, q)


def _places(joint: ExpressionJoint, limits: Sequence[tuple[float, float]]) -> Array:
    rows = []
    for measure, (least, most) in zip(joint.measures, limits, strict=True):
        wide = math.pi if measure == ANGLE else 1.0
        lower = least if math.isfinite(least) else -wide if not math.isfinite(most) else min(-wide, most - 2.0 * wide)
        upper = most if math.isfinite(most) else wide if not math.isfinite(least) else max(wide, least + 2.0 * wide)
        rows.append(np.linspace(lower, upper, _PLACES[joint.n]))
    return np.array(list(itertools.product(*rows)))


def _in_texts(joint: ExpressionJoint, q: Array) -> Fault | None:
    """Look for texts that are not finite, too large, or have a pole between two places."""
    flat = [(i, k, each) for i, own in enumerate(joint.said) for k, each in enumerate(own)]
    inner = [node for node in topological([each for *_, each in flat]) if node.operation != CONSTANT]
    given = [*q.T, *joint.constants]
    values = Evaluator([*(each for *_, each in flat), *inner], _symbols(joint)).arrays(given)
    for (i, k, _), found in zip(flat, values, strict=False):
        bad = ~np.isfinite(found)
        if bad.any():
            return Fault(_MOVE, i, k, f"this is not finite {_where(joint, q, bad)}; expected limits or an expression "
                         "that keep it so")  # fmt: skip
        length = len(joint.moves[i].texts) == 3
        most = FARTHEST if length else 1e6
        far = np.abs(found) > most
        if far.any():
            unit = "m" if length else "radians"
            value = float(found[int(np.argmax(far))])
            return Fault(
                _MOVE, i, k, f"this is {value:g} {unit} {_where(joint, q, far)}; expected at most {most:g} {unit}"
            )
    seen = dict(zip(inner, values[len(flat) :], strict=True))
    for i, k, text in flat:
        for node in topological([text]):
            if _has_pole(node, seen):
                return Fault(
                    _MOVE, i, k, f"this is not finite somewhere {_range(joint, q)}; expected limits or an expression "
                    "that keep it so",
                )  # fmt: skip
    return None


def _has_pole(node: Expression, seen: dict[Expression, Array]) -> bool:
    """Return whether a divisor or a cosine under a tangent changes its sign between the places."""
    if node.operation == "tan":
        turns = np.floor(seen[node.operands[0]] / math.pi + 0.5)
        return bool((turns != turns[0]).any())
    if node.operation != "reciprocal":
        return False
    under = node.operands[0]
    while under.operation in ("power", "absolute", "sqrt", "multiply") and under.operands[0] in seen:
        if under.operation == "multiply":
            return any(factor in seen and _changes(seen[factor]) for factor in under.operands)
        under = under.operands[0]
    return _changes(seen[under]) if under in seen else False


def _changes(values: Array) -> bool:
    return bool((values > 0.0).any() and (values < 0.0).any())


def _in_subspace(joint: ExpressionJoint, q: Array) -> Fault | None:
    """Look for slopes that are not finite, coordinates that move nothing, and such as move the part alike at rest."""
    _, first, second = joint.written.stages
    values = Evaluator([*first, *second], _symbols(joint)).arrays([*q.T, *joint.constants])
    S = np.array(values[: 6 * joint.n]).reshape(joint.n, 6, len(q))
    dS = np.array(values[6 * joint.n :]).reshape(joint.n, -1, len(q))
    for k, own in enumerate(S):
        bad = ~(np.isfinite(own).all(axis=0) & np.isfinite(dS[k]).all(axis=0))
        if bad.any():
            return Fault(
                _COORDINATE, k, 0, f'the slopes by "{joint.coordinate_names[k]}" are not finite '
                f"{_where(joint, q, bad)}; expected expressions that are smooth there",
            )  # fmt: skip
    sizes = np.abs(S).max(axis=1)
    largest = float(sizes.max())
    for k, name in enumerate(joint.coordinate_names):
        if sizes[k].max() <= _SINGULAR * largest or not largest:
            return Fault(_COORDINATE, k, 0, f'"{name}" moves nothing; expected it in a translation or a rotation')
    for k, name in enumerate(joint.coordinate_names):
        if sizes[k, 0] <= _SINGULAR * sizes[k].max():
            return Fault(
                _COORDINATE, k, 0, f'at rest "{name}" moves nothing; expected expressions that change with it at 0'
            )
    at_rest = (S[:, :, 0] / np.linalg.norm(S[:, :, 0], axis=1, keepdims=True)).T
    for k in range(1, joint.n):
        before, own = at_rest[:, :k], at_rest[:, k]
        if np.linalg.norm(own - before @ np.linalg.lstsq(before, own, rcond=None)[0]) <= _SINGULAR:
            others = ", ".join(f'"{name}"' for name in joint.coordinate_names[:k])
            return Fault(
                _COORDINATE, k, 0, f'at rest "{joint.coordinate_names[k]}" moves the part as {others} can; expected a '
                "motion of its own where all are 0",
            )  # fmt: skip
    return None


def _symbols(joint: ExpressionJoint) -> list[Expression]:
    return [*joint.written.q, *joint.written.constants]


def _where(joint: ExpressionJoint, q: Array, at: Array) -> str:
    if at[0]:
        return "at rest"
    place = q[int(np.argmax(at))]
    return "at " + ", ".join(map(_value, joint.coordinate_names, joint.measures, place.tolist()))


def _value(name: str, measure: str, value: float) -> str:
    if measure == ANGLE:
        return f"{name} = {math.degrees(value):.6g} deg"
    return f"{name} = {value:.6g}" + (" m" if measure == LENGTH else "")


def _range(joint: ExpressionJoint, q: Array) -> str:
    ends = zip(q[1:].min(axis=0).tolist(), q[1:].max(axis=0).tolist(), strict=True)
    parts = [
        f"{_value(name, measure, low)} to {_value(name, measure, high).partition(' = ')[2]}"
        for name, measure, (low, high) in zip(joint.coordinate_names, joint.measures, ends, strict=True)
    ]
    return "between " + " and ".join(parts)
