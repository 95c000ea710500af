"""A coordinate of a joint is an expression of coordinates of others: vertebrae that share a bend, cams, linkages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.constraints.base import CoordinateConstraint, body_name
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation
from core.dynamics.hyper.expression_map import ExpressionMap
from core.errors import DynamicsError
from core.symbolic import Expression

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Place = tuple[int | str, int]


@dataclass(frozen=True, eq=False)
class FollowingCoordinate(CoordinateConstraint):
    """``q_k = f(q_a, q_b, ...)``: what ``core.dynamics.hyper`` does without it, as a row.

    Attributes:
        follower: ``(body, coordinate)``: index or name of a body, number of a coordinate of its joint.
        expression: ``f``, [m] and [rad]: a text of the names in ``of``, or an ``Expression``.
        of: What the names stand for, ``(body, coordinate)`` each.
        maximal: Whether the row comes through the bodies' twists; the result is the same.

    Raises:
        DynamicsError: If the expression cannot be read; says where.

    Source: Sueda 2.100 with the Jacobian of ``q_k - f``.
    """

    follower: Place
    expression: str | float | Expression
    of: Mapping[str, Place]
    maximal: bool = False
    _map: ExpressionMap = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", dict(self.of))
        object.__setattr__(self, "_map", ExpressionMap(tuple(self.of), [self.expression]))

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        leaders = ", ".join(dict.fromkeys(body_name(model, body) for body, _ in self.of.values()))
        return f"following of {body_name(model, self.follower[0])} to {leaders or 'a number'}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return the row."""
        i, q_k, block, bias = self._part(at, self.follower)
        leaders = [self._part(at, place) for place in self.of.values()]
        x = np.array([q for _, q, _, _ in leaders])
        v = np.array([float(own[0] @ at.v[at.coordinates(body)]) for body, _, own, _ in leaders])
        value, J = self._map.value(x), self._map.jacobian(x)[0]
        if not (np.isfinite(value).all() and np.isfinite(J).all()):
            raise DynamicsError(f"{self.describe(at.model)}: the expression is not finite at {x.tolist()}")
        curvature = float(self._map.jacobian_rate(x, v)[0] @ v)
        blocks = [(i, block)]
        blocks += [(body, -slope * own) for slope, (body, _, own, _) in zip(J.tolist(), leaders, strict=True)]
        bias -= curvature + float(J @ np.array([drift for _, _, _, drift in leaders]))
        zero = np.zeros(1)
        return CoordinateRows(tuple(blocks), np.array([bias]), np.array([q_k - float(value[0])]), zero, zero)

    def _part(self, at: Situation, place: Place) -> tuple[int, float, Array, float]:
        """Return body, coordinate, its row of the joint's rates and what velocities add to its second derivative."""
        i, k = at.model.index(place[0]), place[1]
        joint = at.joint(i)
        if not 0 <= k < len(joint.q):
            raise DynamicsError(
                f"{self.describe(at.model)}: the joint of {body_name(at.model, i)} has no coordinate {k}; "
                f"it has {len(joint.q)}, counted from 0"
            )
        return i, float(joint.q[k]), joint.A[k : k + 1], float(joint.b[k])
