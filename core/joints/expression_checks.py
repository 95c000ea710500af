"""What makes an expression joint unusable: it is looked at all over its limits before anything moves it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.joints.base import ANGLE, LENGTH
from core.joints.expression import ExpressionJoint, Translate
from core.spatial import so3
from core.symbolic import Evaluator, Expression, derivative, operation_count, topological
from core.symbolic.expression import CONSTANT

MOST_OPERATIONS = 300
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
    flat = [each for own in joint.said for each in own]
    # Slope by slope, which is soonest made; what the joint is evaluated with later has fewer operations.
    first = [slope for row in derivative(flat, joint.written.q, "forward") for slope in row]
    values = Evaluator([*flat, *first], _symbols(joint)).arrays([*q.T, *joint.constants])
    count, n = len(flat), joint.n
    by = np.array(values[count:]).reshape(count, n, len(q))
    found = _not_smooth(joint, q, np.isfinite(by).all(axis=0))
    if found is not None:
        return found
    S = _subspaces(joint, np.array(values[:count]), by)
    sizes = np.abs(S).max(axis=2)
    largest = float(sizes.max())
    for k, name in enumerate(joint.coordinate_names):
        if sizes[:, k].max() <= _SINGULAR * largest or not largest:
            return Fault(_COORDINATE, k, 0, f'"{name}" moves nothing; expected it in a translation or a rotation')
    for k, name in enumerate(joint.coordinate_names):
        if sizes[0, k] <= _SINGULAR * sizes[:, k].max():
            return Fault(
                _COORDINATE, k, 0, f'at rest "{name}" moves nothing; expected expressions that change with it at 0'
            )
    at_rest = (S[0] / np.linalg.norm(S[0], axis=1, keepdims=True)).T
    for k in range(1, n):
        before, own = at_rest[:, :k], at_rest[:, k]
        if np.linalg.norm(own - before @ np.linalg.lstsq(before, own, rcond=None)[0]) <= _SINGULAR:
            others = ", ".join(f'"{name}"' for name in joint.coordinate_names[:k])
            return Fault(
                _COORDINATE, k, 0, f'at rest "{joint.coordinate_names[k]}" moves the part as {others} can; expected a '
                "motion of its own where all are 0",
            )  # fmt: skip
    second = [entry for row in derivative(first, joint.written.q, "forward") for entry in row]
    bent = np.array(Evaluator(second, _symbols(joint)).arrays([*q.T, *joint.constants]))
    return _not_smooth(joint, q, np.isfinite(bent).reshape(count, n, n, len(q)).all(axis=(0, 2)))


def _not_smooth(joint: ExpressionJoint, q: Array, finite: NDArray[np.bool_]) -> Fault | None:
    for k, (name, own) in enumerate(zip(joint.coordinate_names, finite, strict=True)):
        if not own.all():
            where = _where(joint, q, ~own)
            message = f'the slopes by "{name}" are not finite {where}; expected expressions that are smooth there'
            return Fault(_COORDINATE, k, 0, message)
    return None


def _subspaces(joint: ExpressionJoint, values: Array, by: Array) -> Array:
    """Return the columns of S at many places, shape (m, n, 6).

    Args:
        joint: The joint.
        values: Of its texts, shape (texts, m).
        by: Their derivatives by the coordinates, shape (texts, n, m).
    """
    S, at = np.zeros((values.shape[1], joint.n, 6)), 0
    for move in joint.moves:
        own = slice(at, at + len(move.texts))
        at = own.stop
        if isinstance(move, Translate):
            S[:, :, 3:] += np.cross(S[:, :, :3], values[own].T[:, None]) + by[own].transpose(2, 1, 0)
        else:
            R = so3.exp(values[own][0][:, None] * np.array(move.axis))
            S[:, :, :3], S[:, :, 3:] = S[:, :, :3] @ R, S[:, :, 3:] @ R
            S[:, :, :3] += by[own][0].T[:, :, None] * np.array(move.axis)
    return S


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
