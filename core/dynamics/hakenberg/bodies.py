"""Rigid bodies with hinges and spherical joints between them, and their state, in the variables of the paper."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.hakenberg.step_kernel import Bodies
from core.dynamics.hakenberg.topology import topology_of
from core.errors import DynamicsError
from core.spatial import so3

_UNIT = 1e-9


class BodyStates(NamedTuple):
    """Where the bodies are and how they move.

    Attributes:
        p: Centres of mass in the world, shape (nb, 3), [m].
        R: From object to world coordinates, shape (nb, 3, 3).
        v: Velocities of the centres in the world, shape (nb, 3), [m/s].
        omega: Angular velocities in object coordinates, shape (nb, 3), [rad/s].
    """

    p: Array
    R: Array
    v: Array
    omega: Array


class JointedBodies:
    """Bodies and joints, immutable. Object coordinates have their origin at the centre of mass.

    A joint whose axes are zero is spherical. The world, -1 in ``E``, is a body of infinite mass: arrays that have a
    row a body have one more for it, the last, which is what the index -1 means.

    Attributes:
        masses: Shape (nb,), [kg].
        inertias: About the centres in object coordinates, shape (nb, 3, 3), [kg m^2].
        l: Where each joint is on its two bodies, in their object coordinates, shape (n, 2, 3), [m].
        z: Unit axes of the hinges in the same coordinates, zero for spherical joints, shape (n, 2, 3).
        E: The two bodies of each joint, shape (n, 2).
        sigma: See :class:`core.dynamics.hakenberg.topology.Topology`; with a column for the world, (n, nb + 1).
        inverse_masses: Shape (nb + 1,).
        inverse_inertias: Shape (nb + 1, 3, 3).
        hinges: Which joints are hinges, shape (n,).

    Args:
        masses: Greater than 0.
        inertias: Positive definite.
        E: Shape (n, 2).
        l: Shape (n, 2, 3).
        z: Shape (n, 2, 3); both axes of a joint have length 1, or both are zero.

    Raises:
        DynamicsError: If a shape is wrong, a mass or an inertia has no inverse, an axis is neither of length 1 nor
            zero, or the joints do not make a tree; names the body or the joint by its number.
    """

    def __init__(self, masses: ArrayLike, inertias: ArrayLike, E: ArrayLike, l: ArrayLike, z: ArrayLike):  # noqa: E741
        self.masses = np.array(masses, dtype=np.float64).reshape(-1)
        count = len(self.masses)
        self.inertias = _shaped(inertias, (count, 3, 3), "the inertias")
        self.topology = topology_of(E, count)
        self.E, self.sigma = self.topology.E, self.topology.sigma
        n = len(self.E)
        self.l = _shaped(l, (n, 2, 3), "the locations of the joints")
        self.z = _shaped(z, (n, 2, 3), "the axes of the joints")
        for i, mass in enumerate(self.masses.tolist()):
            if not (np.isfinite(mass) and mass > 0.0):
                raise DynamicsError(f"the mass of body {i} is {mass:g}; expected a finite number greater than 0")
            if not np.linalg.eigvalsh(self.inertias[i])[0] > 0.0:
                raise DynamicsError(
                    f"the inertia of body {i} is {shown(self.inertias[i].tolist())}; it must be positive definite"
                )
        lengths = np.linalg.norm(self.z, axis=2)
        self.hinges = lengths[:, 0] > 0.0
        for j in range(n):
            if np.abs(lengths[j] - self.hinges[j]).max() > _UNIT:
                raise DynamicsError(
                    f"joint {j} has the axes {shown(self.z[j].tolist())}; "
                    "expected two of length 1 for a hinge, two zeros for a spherical joint"
                )
        self.inverse_masses = np.append(1.0 / self.masses, 0.0)
        self.inverse_inertias = np.zeros((count + 1, 3, 3))
        self.inverse_inertias[:-1] = np.linalg.inv(self.inertias)
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    @property
    def rank(self) -> int:
        """Rank of the matrix of (6), ``5 n_h + 3 n_s``."""
        return int(3 * len(self.E) + 2 * self.hinges.sum())

    @cached_property
    def packed(self) -> Bodies:
        """What kernels read of all this, in memory of its own."""
        own = self.topology
        numbers = (self.masses, self.inertias, self.inverse_inertias[:-1], self.l, self.z)
        return Bodies(own.order, own.roots, own.tree, self.E.copy(), *(array.copy() for array in numbers))

    @cached_property
    def L(self) -> Array:
        """``L_j,i``, the cross product by ``l_j,i``, zero for a body without the joint, shape (n, nb + 1, 3, 3)."""
        return self._by_bodies(self.l)

    @cached_property
    def Z(self) -> Array:
        """``Z_j,i``, the cross product by ``z_j,i``, as ``L``."""
        return self._by_bodies(self.z)

    def _by_bodies(self, vectors: Array) -> Array:
        found = np.zeros((len(self.E), len(self.masses) + 1, 3, 3))
        joints = np.arange(len(self.E))
        for side in (0, 1):
            found[joints, self.E[:, side]] = so3.hat(vectors[:, side])
        return found

    # -- what moves ----------------------------------------------------------------------------------------------

    def with_world(self, state: BodyStates) -> BodyStates:
        """Return a state with a last row for the world, which rests at the origin."""
        zero = np.zeros((1, 3))
        return BodyStates(
            np.concatenate([state.p, zero]), np.concatenate([state.R, np.eye(3)[None]]),
            np.concatenate([state.v, zero]), np.concatenate([state.omega, zero]),
        )  # fmt: skip

    def arms(self, state: BodyStates) -> Array:
        """Return ``R l`` from the bodies' centres to the joints, in the world, shape (n, 2, 3); new."""
        return np.einsum("jsab,jsb->jsa", self.with_world(state).R[self.E], self.l)

    def axes(self, state: BodyStates) -> Array:
        """Return ``R z`` in the world, shape (n, 2, 3); new."""
        return np.einsum("jsab,jsb->jsa", self.with_world(state).R[self.E], self.z)

    def kinetic_energy(self, state: BodyStates) -> float:
        """Return the kinetic energy [J]."""
        turning = np.einsum("ia,iab,ib->", state.omega, self.inertias, state.omega)
        return 0.5 * float(self.masses @ (state.v * state.v).sum(axis=1) + turning)

    def momentum(self, state: BodyStates) -> Array:
        """Return ``[L; P]`` of each body about the world's origin in world axes, shape (nb, 6); new."""
        P = self.masses[:, None] * state.v
        spin = np.einsum("iab,ibc,ic->ia", state.R, self.inertias, state.omega)
        return np.concatenate([np.cross(state.p, P) + spin, P], axis=1)


def _shaped(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.size == 0 == np.prod(shape):
        array = array.reshape(shape)
    if array.shape != shape or not np.isfinite(array).all():
        raise DynamicsError(f"{what} have the shape {array.shape}; expected finite numbers of the shape {shape}")
    return array
