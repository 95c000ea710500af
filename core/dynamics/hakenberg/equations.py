"""Equations (1) to (6) as they are printed: what hinges and spherical joints demand, and the forces that they take.

Arrays with a row a body have one more for the world where that is said. Sides of a joint are 0 and 1, for the bodies
``j1 = E(j, 1)`` and ``j2 = E(j, 2)``.

Source: J. Hakenberg, Animation of Skeletons with Hinges and Spherical Joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.hakenberg.bodies import BodyStates, JointedBodies
from core.spatial import so3

CUTOFF = 1e-12
"""Singular values of (6) below this share of the largest are those of what a joint leaves free."""


class Loads(NamedTuple):
    """What acts on the bodies besides the joints' constraints.

    Attributes:
        e: Intrinsic torques of the joints in world coordinates, + on body ``E(j, 1)``, - on body ``E(j, 2)``, shape
            (n, 3), [N m].
        forces: From outside at the centres of mass, in the world, shape (nb, 3), [N].
        torques: From outside in object coordinates, shape (nb, 3), [N m].
    """

    e: Array
    forces: Array
    torques: Array

    @classmethod
    def none(cls, bodies: JointedBodies) -> Loads:
        """Return no loads."""
        forces, torques = np.zeros((2, len(bodies.masses), 3))
        return cls(np.zeros((len(bodies.E), 3)), forces, torques)


# -- constraints -----------------------------------------------------------------------------------------------------


def gaps(bodies: JointedBodies, state: BodyStates) -> Array:
    """Return left less right sides of (1), shape (n, 2, 3): of places [m], and of axes."""
    p = bodies.with_world(state).p[bodies.E]
    places = p + bodies.arms(state)
    axes = bodies.axes(state)
    return np.stack([places[:, 0] - places[:, 1], axes[:, 0] - axes[:, 1]], axis=1)


def gap_rates(bodies: JointedBodies, state: BodyStates) -> Array:
    """Return left less right sides of (2), shape (n, 2, 3): of velocities [m/s], and of the axes' rates [1/s]."""
    all_ = bodies.with_world(state)
    R, omega = all_.R[bodies.E], all_.omega[bodies.E]
    places = all_.v[bodies.E] + _turned(R, np.cross(omega, bodies.l))
    axes = _turned(R, np.cross(omega, bodies.z))
    return np.stack([places[:, 0] - places[:, 1], axes[:, 0] - axes[:, 1]], axis=1)


def gap_accelerations(bodies: JointedBodies, state: BodyStates, a: Array, domega: Array) -> Array:
    """Return left less right sides of (3), shape (n, 2, 3): of accelerations, and of the axes' second derivatives.

    Args:
        bodies: The bodies.
        state: Where they are and how they move.
        a: Accelerations of the centres in the world, shape (nb, 3).
        domega: Rates of the angular velocities in object coordinates, shape (nb, 3).
    """
    all_ = bodies.with_world(state)
    R, omega = all_.R[bodies.E], all_.omega[bodies.E]
    zero = np.zeros((1, 3))
    turning = np.concatenate([domega, zero])[bodies.E]
    sides = [
        _turned(R, np.cross(omega, np.cross(omega, vectors)) - np.cross(vectors, turning))
        for vectors in (bodies.l, bodies.z)
    ]
    places, axes = np.concatenate([a, zero])[bodies.E] + sides[0], sides[1]
    return np.stack([places[:, 0] - places[:, 1], axes[:, 0] - axes[:, 1]], axis=1)


def _turned(R: Array, vectors: Array) -> Array:
    return np.einsum("...ab,...b->...a", R, vectors)


# -- torques of the joints -------------------------------------------------------------------------------------------


def relative_velocities(bodies: JointedBodies, state: BodyStates) -> Array:
    """Return ``R_j1 omega_j1 - R_j2 omega_j2``, in the world, shape (n, 3), [rad/s]; new."""
    all_ = bodies.with_world(state)
    turning = _turned(all_.R[bodies.E], all_.omega[bodies.E])
    return np.asarray(turning[:, 0] - turning[:, 1])


def intrinsic_torques(
    bodies: JointedBodies, state: BodyStates, friction: ArrayLike = 0.0, motor: ArrayLike = 0.0
) -> Array:
    """Return ``e_j = -mu_j [R_j1 omega_j1 - R_j2 omega_j2] + beta_j R_j1 z_j,j1``, shape (n, 3), [N m]; new.

    Args:
        bodies: The bodies.
        state: Where they are and how they move.
        friction: ``mu``, 0 or more, one for all joints or one each, shape (n,), [N m s].
        motor: ``beta``, likewise, [N m]; a spherical joint has no axis and no motor.

    Source: Hakenberg, Dynamic impact at hinges.
    """
    count = len(bodies.E)
    mu, beta = (np.broadcast_to(np.asarray(value, dtype=np.float64), (count,))[:, None] for value in (friction, motor))
    return np.asarray(-mu * relative_velocities(bodies, state) + beta * bodies.axes(state)[:, 0])


def body_loads(bodies: JointedBodies, state: BodyStates, c: Array, d: Array, loads: Loads) -> tuple[Array, Array]:
    """Return accelerations and torques of the bodies by (4), and what acts from outside.

    Args:
        bodies: The bodies.
        state: Where they are and how they move.
        c: Forces of the joints in the world, shape (n, 3), [N].
        d: ``z x d`` is the torque by which a hinge keeps its axes together, shape (n, 3), [N m].
        loads: Torques of the joints, and what acts from outside.

    Returns:
        ``a`` in the world, [m/s^2], and ``tau`` in object coordinates, [N m], both of shape (nb, 3); new.
    """
    R = bodies.with_world(state).R
    forces, tau = np.zeros((2, len(R), 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        of = bodies.E[:, side]
        turning = R[of].swapaxes(1, 2)
        own = np.cross(bodies.l[:, side], _turned(turning, c)) + np.cross(bodies.z[:, side], _turned(turning, d))
        np.add.at(forces, of, sign * c)
        np.add.at(tau, of, sign * (own + _turned(turning, loads.e)))
    a = bodies.inverse_masses[:-1, None] * (forces[:-1] + loads.forces)
    return a, tau[:-1] + loads.torques


def turning_rates(bodies: JointedBodies, state: BodyStates, tau: Array) -> Array:
    """Return ``d_t omega = I^-1 (-Omega I omega + tau)``, shape (nb, 3); new.

    Args:
        bodies: The bodies.
        state: Where they are and how they move.
        tau: Torques in object coordinates, shape (nb, 3).
    """
    momenta = np.einsum("iab,ib->ia", bodies.inertias, state.omega)
    return np.einsum("iab,ib->ia", bodies.inverse_inertias[:-1], tau - np.cross(state.omega, momenta))


# -- the linear system -----------------------------------------------------------------------------------------------


def blocks(bodies: JointedBodies, state: BodyStates, side: int) -> Array:
    """Return ``A_j,k,1`` or ``A_j,k,2`` of (5), shape (n, n, 6, 6); new.

    Args:
        bodies: The bodies.
        state: Where they are.
        side: 0 for body ``E(j, 1)``, 1 for body ``E(j, 2)``.
    """
    n = len(bodies.E)
    of = bodies.E[:, side]
    R = bodies.with_world(state).R[of]
    joints = np.arange(n)
    own = np.stack([bodies.L[joints, of], bodies.Z[joints, of]], axis=1)  # (j, 2, 3, 3)
    others = np.stack([bodies.L[:, of], bodies.Z[:, of]], axis=2).swapaxes(0, 1)  # (j, k, 2, 3, 3)
    left = np.einsum("jab,jsbc,jcd->jsad", R, own, bodies.inverse_inertias[of])
    right = np.einsum("jkscd,jed->jksce", others, R)
    found = np.einsum("jrad,jksde->jkrase", left, right).reshape(n, n, 6, 6)
    found[:, :, :3, :3] -= bodies.inverse_masses[of][:, None, None, None] * np.eye(3)
    return np.asarray(bodies.sigma[:, of].T[:, :, None, None] * found)


def right_side(bodies: JointedBodies, state: BodyStates, loads: Loads, side: int) -> Array:
    """Return ``b_j,1`` or ``b_j,2``, shape (n, 6): the side of (3) without the joints' constraint forces; new."""
    none = np.zeros((len(bodies.E), 3))
    a, tau = body_loads(bodies, state, none, none, loads)
    zero = np.zeros((1, 3))
    a, domega = (np.concatenate([rows, zero]) for rows in (a, turning_rates(bodies, state, tau)))
    all_, of = bodies.with_world(state), bodies.E[:, side]
    R, omega = all_.R[of], all_.omega[of]
    parts = []
    for vectors in (bodies.l[:, side], bodies.z[:, side]):
        inner = np.cross(omega, np.cross(omega, vectors)) - np.cross(vectors, domega[of])
        parts.append(np.einsum("jab,jb->ja", R, inner))
    return np.concatenate([a[of] + parts[0], parts[1]], axis=1)


def system(bodies: JointedBodies, state: BodyStates, loads: Loads) -> tuple[Array, Array]:
    """Return the matrix, shape (6 n, 6 n), and the right side, shape (6 n,), of (6); new."""
    n = len(bodies.E)
    A = blocks(bodies, state, 0) - blocks(bodies, state, 1)
    b = right_side(bodies, state, loads, 0) - right_side(bodies, state, loads, 1)
    return A.swapaxes(1, 2).reshape(6 * n, 6 * n), b.reshape(6 * n)


def delta_matrix(bodies: JointedBodies, state: BodyStates) -> Array:
    """Return the matrix of (6) in its alternate form, from the bodies that pairs of joints share, shape (6 n, 6 n).

    It has a block only where joints j and k share a body: ``+`` if that has the same place in ``E`` of both.

    Source: Hakenberg, the last remark.
    """
    n = len(bodies.E)
    all_ = bodies.with_world(state)
    found = np.zeros((n, 6, n, 6))
    for j in range(n):
        for s in (0, 1):
            i = bodies.E[j, s]
            R = all_.R[i]
            own = np.concatenate([so3.hat(bodies.l[j, s]), so3.hat(bodies.z[j, s])])  # (6, 3)
            left = np.concatenate([R @ own[:3], R @ own[3:]]) @ bodies.inverse_inertias[i]
            for k, t in zip(*np.nonzero(bodies.E == i), strict=True):
                other = np.concatenate([so3.hat(bodies.l[k, t]) @ R.T, so3.hat(bodies.z[k, t]) @ R.T], axis=1)
                block = left @ other
                block[:3, :3] -= bodies.inverse_masses[i] * np.eye(3)
                found[j, :, k] += block if s == t else -block
    return found.reshape(6 * n, 6 * n)


def pseudoinverse_solution(matrix: Array, b: Array, cutoff: float = CUTOFF) -> tuple[Array, int]:
    """Return the least solution of ``matrix x = b`` by singular values, and the rank that they show.

    Args:
        matrix: Shape (m, m).
        b: Shape (m,).
        cutoff: Singular values below this share of the largest count as zero.
    """
    if not len(b):
        return b.copy(), 0
    U, values, Vt = np.linalg.svd(matrix)
    rank = int((values > cutoff * values[0]).sum())
    return Vt[:rank].T @ ((U[:, :rank].T @ b) / values[:rank]), rank
