"""Forces that the engine has in its kernels: springs, dampers and torques of single coordinates, and along paths.

A force that adds itself to these terms in its method ``implicit`` costs the engine nothing between steps. Any other is
evaluated before each step, by ``add`` and ``differentiate``: see :mod:`core.dynamics.engine.applied`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints import Composite, Fixed, JointModel, Prismatic, Revolute

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Friction(NamedTuple):
    """Viscous friction between the two bodies of a joint, ``-mu (omega_i - omega_j)``, equal and opposite.

    Attributes:
        first, end: Its coordinates: the first one, and that after the last.
        mu: [N m s].

    Source: Hakenberg, intrinsic torques.
    """

    first: int
    end: int
    mu: float


class PathTerm(NamedTuple):
    """A force along a path through points of bodies.

    Attributes:
        law: As in ``core.dynamics.forces.path_kernel``.
        bodies: Index of each point's body; -1 is the world.
        points: In their frames, shape (n, 3), [m].
        parameters: What the law goes by.
        curve: How active it is over time, as ``keyed_curve_kernel.value_at`` takes it, shape (k, 3).
    """

    law: int
    bodies: list[int]
    points: Array
    parameters: tuple[float, ...]
    curve: Array


class ImplicitTerms:
    """Springs, dampers and torques by coordinates, and friction between bodies.

    Args:
        model: The bodies.

    Attributes:
        model: The bodies.
        stiffness: Diagonal K of the coordinates, shape (nv,), [N m/rad] or [N/m].
        damping: Diagonal D, shape (nv,), [N m s/rad] or [N s/m].
        torque: Shape (nv,), [N m] or [N].
        stiffening, hardening, stiffening_rest: Of springs ``-(k s + c s^3)``: k, c and where they rest, shape (nv,).
        frictions: Friction that is not diagonal in the coordinates.
        paths: Forces along paths through points of bodies.
    """

    def __init__(self, model: TreeModel):
        self.model = model
        self.stiffness, self.damping, self.torque, self._pull = np.zeros((4, model.nv))
        self.stiffening, self.hardening, self.stiffening_rest = np.zeros((3, model.nv))
        self.frictions: list[Friction] = []
        self.paths: list[PathTerm] = []

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

    def add_stiffening(self, coordinates: slice, stiffness: Array, hardening: Array, rest: Array) -> bool:
        """Add springs ``-(k s + c s^3)``; return whether they could: no two of different rests share a coordinate."""
        there, own = self.hardening[coordinates], self.stiffening_rest[coordinates]
        if (((there > 0.0) & (own != rest)) | ((self.stiffening[coordinates] > 0.0) & (own != rest))).any():
            return False
        self.stiffening[coordinates] += stiffness
        self.hardening[coordinates] += hardening
        self.stiffening_rest[coordinates] = rest
        return True

    def add_damper(self, coordinates: slice, damping: ArrayLike) -> None:
        """Add dampers ``-d v`` on coordinates."""
        self.damping[coordinates] += np.asarray(damping, dtype=np.float64)

    def add_friction(self, coordinates: slice, mu: float) -> None:
        """Add viscous friction between the two bodies of a joint that has these coordinates."""
        self.frictions.append(Friction(coordinates.start, coordinates.stop, mu))


def _plain(joint: JointModel) -> bool:
    if isinstance(joint, Composite):
        return all(_plain(part) for part in joint.joints)
    return isinstance(joint, (Fixed, Revolute, Prismatic))
