"""What forces give the engine to solve for at the end of a step: stiffness and damping that stay stable however large.

This is the one way by which a force reaches ``core.dynamics.engine``: its method ``implicit`` adds to these terms, and
says whether they are all of it. What it does not say here acts through ``add``, as it is at the beginning of a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints import Composite, Fixed, JointModel, Prismatic, Revolute

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Pull(NamedTuple):
    """A spring and a damper from a point of a body to a place of the world.

    Attributes:
        body: Index or name.
        point: In the body's frame, shape (3,), [m].
        target: In the world, shape (3,), [m].
        stiffness: [N/m].
        damping: [N s/m].
    """

    body: int | str
    point: ArrayLike
    target: ArrayLike
    stiffness: float
    damping: float


class ImplicitTerms:
    """Springs, dampers and torques by coordinates, and springs to places of the world.

    Args:
        model: The bodies.

    Attributes:
        model: The bodies.
        stiffness: Diagonal K of the coordinates, shape (nv,), [N m/rad] or [N/m].
        damping: Diagonal D, shape (nv,), [N m s/rad] or [N s/m].
        torque: Shape (nv,), [N m] or [N].
        pulls: Springs to places of the world.
    """

    def __init__(self, model: TreeModel):
        self.model = model
        self.stiffness, self.damping, self.torque, self._pull = np.zeros((4, model.nv))
        self.pulls: list[Pull] = []

    @property
    def rest(self) -> Array:
        """Coordinates at which all springs together rest, shape (nv,); new."""
        return np.divide(self._pull, self.stiffness, out=np.zeros(self.model.nv), where=self.stiffness > 0.0)

    def coordinates(self, body: int | str) -> slice | None:
        """Return the coordinates of a body's joint; None if they are not hinges' and slides', each of its own."""
        i = self.model.index(body)
        if not _plain(self.model.bodies[i].joint):
            return None
        return slice(int(self.model.first[i]), int(self.model.first[i + 1]))

    def add_spring(self, coordinates: slice, stiffness: ArrayLike, rest: ArrayLike) -> None:
        """Add springs ``-k (q - rest)`` on coordinates."""
        self.stiffness[coordinates] += np.asarray(stiffness, dtype=np.float64)
        self._pull[coordinates] += np.asarray(stiffness) * np.asarray(rest)

    def add_damper(self, coordinates: slice, damping: ArrayLike) -> None:
        """Add dampers ``-d v`` on coordinates."""
        self.damping[coordinates] += np.asarray(damping, dtype=np.float64)

    def add_pull(self, pull: Pull) -> None:
        """Add a spring and a damper to a place of the world."""
        self.pulls.append(pull)


def _plain(joint: JointModel) -> bool:
    if isinstance(joint, Composite):
        return all(_plain(part) for part in joint.joints)
    return isinstance(joint, (Fixed, Revolute, Prismatic))
