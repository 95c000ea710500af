"""Dynamics of a tree of bodies by dense matrices, everything in world axes about the world's origin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Multibody
from core.spatial import se3

Array = NDArray[np.float64]


class Dense(NamedTuple):
    """A model at a state.

    Attributes:
        M: Mass matrix, shape (nv, nv): the sum of ``J^T G J``.
        bias: Generalized forces at no acceleration, shape (nv,).
        J: Jacobians of the bodies' twists [w; v], shape (nb, 6, nv).
        X: Poses of the bodies in the world, shape (nb, 4, 4).
    """

    M: Array
    bias: Array
    J: Array
    X: Array

    def forces(self, wrenches: Array) -> Array:
        """Return the generalized forces of wrenches [t; f] at the bodies' origins in their axes, shape (nb, 6)."""
        about_world = (se3.adjoint(se3.inverse(X)).T @ wrench for X, wrench in zip(self.X, wrenches, strict=True))
        return np.asarray(sum(J.T @ F for J, F in zip(self.J, about_world, strict=True)) + np.zeros(len(self.bias)))


def dense(model: Multibody, x: Array, v: Array) -> Dense:
    """Return a model at coordinates and rates, both of shape (nv,)."""
    nb, n = len(model.bodies), model.nv
    frames, J, drift, X = np.zeros((nb, 4, 4)), np.zeros((nb, 6, n)), np.zeros((nb, 6)), np.zeros((nb, 4, 4))
    M, bias = np.zeros((n, n)), np.zeros(n)
    for i, body in enumerate(model.bodies):
        parent, own = int(model.parents[i]), slice(int(model.first[i]), int(model.first[i + 1]))
        before = np.eye(4)
        if parent >= 0:
            before, J[i], drift[i] = frames[parent], J[parent], drift[parent]
        frames[i] = before @ body.X_PJ @ body.joint.transform(x[own])
        to_world = se3.adjoint(frames[i])
        J[i][:, own] = to_world @ body.joint.subspace(x[own])
        V, rate = J[i] @ v, v[own]
        # The columns turn with the frame that they are fixed to, and change in it.
        drift[i] += se3.ad(V) @ (J[i][:, own] @ rate)
        drift[i] += to_world @ (body.joint.subspace_rate(x[own], rate) @ rate)
        X[i] = frames[i] @ body.X_JB
        to_body = se3.adjoint(se3.inverse(X[i]))
        G = to_body.T @ body.inertia.matrix() @ to_body
        fall = np.concatenate([np.zeros(3), model.gravity])
        M += J[i].T @ G @ J[i]
        bias += J[i].T @ (G @ (drift[i] - fall) - se3.ad(V).T @ G @ V)
    return Dense(M, bias, J, X)
