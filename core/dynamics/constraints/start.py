"""What a motion may start from: loops and rods that hold, so far as its constraints are equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.constraints.base import Constraint
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

ALLOWED = 0.01
"""Gap that may be open at the start, to the model's size: what rounded numbers leave, and stabilization takes back."""


def check_start(constraints: tuple[Constraint, ...], model: Multibody, x: Array, v: Array) -> None:
    """Check that equations of positions hold where a motion starts; motions that are prescribed do not count.

    Args:
        constraints: Of any kind.
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).

    Raises:
        DynamicsError: If one does not; names the one with the greatest gap, and the way out.
    """
    held = [one for one in constraints if one.equality and one.positional and not one.driven]
    if not held:
        return
    at = Situation(model, x, v)
    gaps = [float(np.linalg.norm(one.evaluate(at).gap)) for one in held]
    worst = int(np.argmax(gaps))
    if gaps[worst] > ALLOWED * _size(at):
        raise DynamicsError(
            f"{held[worst].describe(model)} starts with a gap of {gaps[worst]:.3g}; `assemble` finds coordinates "
            "without one, and open_start=True lets the simulation draw it together"
        )


def _size(at: Situation) -> float:
    """Return how far the frames and centres of the bodies spread; 1 where all are at one place."""
    centers = np.einsum("ijk,ik->ij", at.poses[:, :3, :3], [body.inertia.center for body in at.model.bodies])
    places = np.vstack([at.joint_poses[:, :3, 3], at.poses[:, :3, 3], at.poses[:, :3, 3] + centers])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
