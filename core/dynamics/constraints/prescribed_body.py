"""A body moves as it is prescribed, in some of its six directions or in all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.dynamics.constraints.base import BodyConstraint, body_name
from core.dynamics.constraints.motion_values import motion_values
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError
from core.spatial.cross_products import cross

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class PrescribedBody(BodyConstraint):
    """Chosen components of a body's twist, in B at B's origin, follow a motion over time.

    There is no gap: the place drifts as the integrator does; ``PrescribedPose`` holds places.

    Attributes:
        body: Index or name.
        components: Which of ``[w; v]``, numbers of 0 to 5.
        motion: Of a time, ``(twist, rate)``, each of shape (6,): angular velocity in B and velocity of B's origin, and
            their time derivatives, component-wise in the axes that they are given in. Those not chosen do not count.
        linear_in: Axes in which the motion gives the velocity of the origin: ``"body"`` or ``"world"``.

    Raises:
        DynamicsError: If a component is not one of 0 to 5 or given twice.

    Source: Sueda 2.96, 2.107 on maximal coordinates.
    """

    positional = False

    body: int | str
    components: tuple[int, ...]
    motion: Callable[[float], tuple[ArrayLike, ArrayLike]]
    linear_in: Literal["body", "world"] = "body"

    def __post_init__(self) -> None:
        chosen = tuple(int(k) for k in self.components)
        if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(range(6)):
            raise DynamicsError(f"components of a prescribed body are {chosen}; expected different ones of 0 to 5")
        if self.linear_in not in ("body", "world"):
            raise DynamicsError(f'linear_in of a prescribed body is {self.linear_in!r}; expected "body" or "world"')
        object.__setattr__(self, "components", chosen)

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"prescribed motion of {body_name(model, self.body)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return a row for each component."""
        i = at.model.index(self.body)
        chosen = list(self.components)
        twist, rate = (value.copy() for value in motion_values(self.motion, at.t, 6, 2, self.describe(at.model)))
        if self.linear_in == "world":
            frame = at.frame(i)
            twist[3:] = frame.R.T @ twist[3:]
            # The velocity stays in the world while the axes that measure it turn with the body.
            rate[3:] = frame.R.T @ rate[3:] - cross(frame.w, twist[3:])
        zero = np.zeros(len(chosen))
        return BodyRows(((i, np.eye(6)[chosen]),), zero, zero, twist[chosen], rate[chosen])
