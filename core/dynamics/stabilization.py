"""How gaps of constraints are closed on the way."""

from __future__ import annotations

from typing import NamedTuple


class Stabilization(NamedTuple):
    """How fast constraints that have drifted off are brought back (Sueda 1.12).

    Attributes:
        velocity: ``alpha``: accelerations are held to ``G vdot = ... - 2 alpha gdot - beta^2 g`` [1/s].
        position: ``beta`` there [1/s].
        step: ``gamma``: steps that solve for velocities hold them to ``G v = -gdot - gamma g`` [1/s].
    """

    velocity: float = 5.0
    position: float = 5.0
    step: float = 5.0
