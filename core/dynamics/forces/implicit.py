"""Forces that the engine has in its kernels: in joints, along paths, at points of bodies, and drag on bodies.

A force that adds itself to these terms in its method ``implicit`` costs the engine nothing between steps. Any other is
evaluated before each step, by ``add`` and ``differentiate``: see :mod:`core.dynamics.engine.applied`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints import Composite, Free, FreeRotationFirst, JointModel, Spherical

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


class PointTerm(NamedTuple):
    """A force at a point of a body that stays what it is in the world.

    Attributes:
        body: Its index.
        point: In its frame, shape (3,), [m].
        force: In the world, shape (3,), [N].
    """

    body: int
    point: Array
    force: Array


class DragTerm(NamedTuple):
    """Drag ``-d`` times the twist of a body at its origin beside that of another one.

    Attributes:
        body: Its index.
        other: Index of the other one; -1 is the world.
        damping: ``d``, [N m s/rad] and [N s/m].
    """

    body: int
    other: int
    damping: float


class VectorTerm(NamedTuple):
    """Springs ``-(k s + c s^3)``, dampers ``-d s'`` and torques on the three numbers of a rotation vector.

    ``s`` is from where they rest to the rotation vector that is nearest to that.

    Attributes:
        first: The first of its three coordinates.
        stiffness, hardening, damping, rest, torque: Shape (3,) each.
    """

    first: int
    stiffness: Array
    hardening: Array
    damping: Array
    rest: Array
    torque: Array


class ImplicitTerms:
    """What forces are in the kernels of the engine.

    Args:
        model: The bodies.

    Attributes:
        model: The bodies.
        stiffness: Diagonal K of the coordinates, shape (nv,), [N m/rad] or [N/m].
        damping: Diagonal D, shape (nv,), [N m s/rad] or [N s/m].
        torque: Shape (nv,), [N m] or [N].
        stiffening, hardening, stiffening_rest: Of springs ``-(k s + c s^3)``: k, c and where they rest, shape (nv,).
        frictions: Viscous friction between the bodies of joints.
        paths: Forces along paths through points of bodies.
        points: Forces at points of bodies.
        drags: Drag on bodies.
        vectors: Springs, dampers and torques on rotation vectors.
    """

    def __init__(self, model: TreeModel):
        self.model = model
        self.stiffness, self.damping, self.torque, self._pull = np.zeros((4, model.nv))
        self.stiffening, self.hardening, self.stiffening_rest = np.zeros((3, model.nv))
        self.frictions: list[Friction] = []
        self.paths: list[PathTerm] = []
        self.points: list[PointTerm] = []
        self.drags: list[DragTerm] = []
        self.vectors: list[VectorTerm] = []

    @property
    def rest(self) -> Array:
        """Coordinates at which all springs together rest, shape (nv,); new."""
        return np.divide(self._pull, self.stiffness, out=np.zeros(self.model.nv), where=self.stiffness > 0.0)

    @property
    def only_rates_and_torques(self) -> bool:
        """Whether there is nothing but dampers and torques of single coordinates and friction between bodies."""
        springs = self.stiffness.any() or self.stiffening.any() or self.hardening.any()
        return not (springs or self.paths or self.points or self.drags or self.vectors)

    def add_in_joint(
        self, body: int | str, *, stiffness: ArrayLike = 0.0, hardening: ArrayLike | None = None,
        damping: ArrayLike = 0.0, rest: ArrayLike = 0.0, torque: ArrayLike = 0.0,
    ) -> bool:  # fmt: skip
        """Add springs ``-(k s + c s^3)``, dampers ``-d v`` and torques on the coordinates of a joint.

        Args:
            body: The body that the joint carries.
            stiffness, damping, rest, torque: One for all coordinates or one each.
            hardening: Likewise; None: the springs are plain, and where several are on a coordinate they add up.

        Returns:
            Whether the kernels can take it. They cannot where coordinates have charts but are no rotation vector, and
            where springs that grow stiffer have different rests on one coordinate.
        """
        i = self.model.index(body)
        start, count = int(self.model.first[i]), self.model.bodies[i].joint.n
        parts = list(_parts(self.model.bodies[i].joint))
        k, c, d, q, tau = np.array([
            np.broadcast_to(np.asarray(own, dtype=np.float64), (count,))
            for own in (stiffness, 0.0 if hardening is None else hardening, damping, rest, torque)
        ])  # fmt: skip
        if not all(part.known for part in parts):
            return False
        single = np.array([place for part in parts if not part.vector for place in part.places], dtype=np.intp)
        at = start + single
        if hardening is not None:
            bends = (self.stiffening[at] > 0.0) | (self.hardening[at] > 0.0)
            if (bends & (self.stiffening_rest[at] != q[single])).any():
                return False
            self.stiffening[at] += k[single]
            self.hardening[at] += c[single]
            self.stiffening_rest[at] = q[single]
        else:
            self.stiffness[at] += k[single]
            self._pull[at] += k[single] * q[single]
        self.damping[at] += d[single]
        self.torque[at] += tau[single]
        for part in parts:
            if part.vector:
                own = slice(part.places.start, part.places.stop)
                if k[own].any() or c[own].any() or d[own].any() or tau[own].any():
                    self.vectors.append(VectorTerm(start + own.start, k[own], c[own], d[own], q[own], tau[own]))
        return True

    def add_friction(self, coordinates: slice, mu: float) -> None:
        """Add viscous friction between the two bodies of a joint that has these coordinates."""
        self.frictions.append(Friction(coordinates.start, coordinates.stop, mu))


class _Part(NamedTuple):
    """Coordinates of a joint that are of one kind.

    Attributes:
        places: Which.
        known: Whether the kernels have such: each is by itself what the engine steps, or they are a rotation vector.
        vector: Whether they are a rotation vector.
    """

    places: range
    known: bool
    vector: bool


def _parts(joint: JointModel, first: int = 0) -> Iterator[_Part]:
    whole = range(first, first + joint.n)
    if isinstance(joint, Composite):
        for part in joint.joints:
            yield from _parts(part, first)
            first += part.n
    elif isinstance(joint, Spherical):
        yield _Part(whole, True, True)
    elif isinstance(joint, Free):
        yield from (_Part(whole[:3], True, False), _Part(whole[3:], True, True))
    elif isinstance(joint, FreeRotationFirst):
        yield from (_Part(whole[:3], True, True), _Part(whole[3:], True, False))
    else:
        yield _Part(whole, not joint.has_charts, False)
