"""The equations of motion as matrices of the whole tree: Si & Guenter, appendices A and B (36 to 60), as they stand."""

from __future__ import annotations

import numpy as np
from scipy.linalg import block_diag

from core.dynamics import Multibody
from core.dynamics.motion import motion
from core.spatial import se3

Array = np.ndarray


class GlobalEquations:
    """All matrices of the appendices at a state, dense; twists in the joint frames.

    Attributes:
        S, Sdot: Block-diagonal, shapes (6 nb, nv).
        Gamma: ``M_lambda Theta_lambda`` (43).
        G: ``(1 - Gamma)^-1`` (44).
        J: Block-diagonal inertia.
        v: Twists (41).
        ad_S: ``ad_{S qdot}``, of minus signs.
        ad_v: ``ad*_v``, of minus signs.
        f_e: Minus the external wrenches: gravity's and those given.
    """

    def __init__(self, model: Multibody, x: Array, v: Array, wrenches: Array):
        state = motion(model, x, v)
        assert state.Sdot is not None
        nb = len(model.bodies)
        self.model, self.rates_of_joints = model, v
        self.S = _blocks(model, state.S)
        self.Sdot = _blocks(model, state.Sdot)
        Theta = np.zeros((6 * nb, 6 * nb))  # (38)
        for i, parent in enumerate(model.parents.tolist()):
            if parent >= 0:
                Theta[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6] = np.eye(6)
        self.Gamma = block_diag(*state.Ad) @ Theta
        self.G = np.linalg.inv(np.eye(6 * nb) - self.Gamma)
        self.J = block_diag(*model.inertias)
        self.v = self.G @ self.S @ v
        self.ad_S = -block_diag(*se3.ad((self.S @ v).reshape(nb, 6)))
        self.ad_v = -block_diag(*[matrix.T for matrix in se3.ad(self.v.reshape(nb, 6))])
        fall = np.zeros((nb, 6))
        fall[:, 3:] = np.einsum("ikj,k->ij", model.joint_poses(x)[:, :3, :3], model.gravity)
        outer = np.einsum("ikj,ik->ij", model.Ad_BJ, wrenches)
        self.f_e = -(np.einsum("ijk,ik->ij", model.inertias, fall) + outer).ravel()

    def path(self, i: int, j: int) -> Array:
        """(59): the block of G for nodes i and j, the adjoints on the way from j to i."""
        block = np.eye(6)
        while i != j:
            parent = int(self.model.parents[i])
            if parent < 0:
                return np.zeros((6, 6))
            block = block @ self.Gamma[6 * i : 6 * i + 6, 6 * parent : 6 * parent + 6]
            i = parent
        return block

    def rates(self, acceleration: Array) -> Array:
        """(42), the rates of the twists."""
        return self.G @ (self.S @ acceleration + self.Sdot @ self.rates_of_joints + self.ad_S @ self.Gamma @ self.v)

    def forces(self, acceleration: Array) -> Array:
        """(47), what each joint hands on."""
        return self.G.T @ (self.ad_v @ self.J @ self.v + self.J @ self.rates(acceleration) + self.f_e)

    def mass_matrix(self) -> Array:
        """(51)."""
        return self.S.T @ self.G.T @ self.J @ self.G @ self.S

    def coriolis(self) -> Array:
        """(52), the matrix C."""
        G, S = self.G, self.S
        inner = self.J @ G @ self.ad_S @ self.Gamma @ G @ S + self.J @ G @ self.Sdot + self.ad_v @ self.J @ G @ S
        return S.T @ G.T @ inner

    def potential(self) -> Array:
        """(53)."""
        return self.S.T @ self.G.T @ self.f_e

    def accelerations(self, tau: Array) -> tuple[Array, Array]:
        """Return ``tau-bar`` (55 to 57) and the accelerations: the nine steps of appendix B, by the factors of (58)."""
        factor, inverse = self.factors()
        a = self.ad_S @ self.Gamma @ self.G @ self.S @ self.rates_of_joints + self.Sdot @ self.rates_of_joints
        b = self.ad_v @ self.J @ self.G @ self.S @ self.rates_of_joints + self.f_e
        bar = tau - self.S.T @ (self.G.T @ (self.J @ (self.G @ a) + b))
        return bar, factor.T @ (inverse @ (factor @ bar))

    def inverse_by_factors(self) -> Array:
        """(58)."""
        factor, inverse = self.factors()
        return factor.T @ inverse @ factor

    def factors(self) -> tuple[Array, Array]:
        """Return ``1 - S^T Y Pi`` and ``Omega^-1``, as recursions 4 and 5 define them: (27) to (31)."""
        model, nb, nv = self.model, len(self.model.bodies), self.model.nv
        J = [np.array(inertia) for inertia in model.inertias]
        steps, gains, inverse = np.zeros((6 * nb, 6 * nb)), np.zeros((6 * nb, nv)), np.zeros((nv, nv))
        for k in range(nb - 1, -1, -1):
            own, parent = slice(model.first[k], model.first[k + 1]), int(model.parents[k])
            S = self.S[6 * k : 6 * k + 6, own]
            omega = np.linalg.inv(S.T @ J[k] @ S)
            inverse[own, own] = omega
            if parent < 0:
                continue
            here = slice(6 * parent, 6 * parent + 6)
            Ad = self.Gamma[6 * k : 6 * k + 6, here]
            gain = J[k] @ S @ omega
            J[parent] += Ad.T @ (J[k] - gain @ S.T @ J[k]) @ Ad
            steps[here, 6 * k : 6 * k + 6] = Ad.T @ (np.eye(6) - gain @ S.T)
            gains[here, own] = Ad.T @ gain
        return np.eye(nv) - self.S.T @ np.linalg.solve(np.eye(6 * nb) - steps, gains), inverse


def _blocks(model: Multibody, parts: tuple[Array, ...]) -> Array:
    found = np.zeros((6 * len(model.bodies), model.nv))
    for i, part in enumerate(parts):
        found[6 * i : 6 * i + 6, model.first[i] : model.first[i + 1]] = part
    return found
