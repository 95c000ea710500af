"""State in maximal coordinates: where each body is and how it moves, whatever its joint says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class MaximalState(NamedTuple):
    """Poses and twists of all bodies.

    Attributes:
        poses: ``X_WB``, shape (nb, 4, 4).
        twists: ``[w; v]`` of B against the world, in B, shape (nb, 6).
        near: Coordinates of the joints not far from this state, shape (nq,): they determine which turn, which branch of
            a chart, which place on a curve is meant, and no more. ``to_reduced`` gives the coordinates.
    """

    poses: Array
    twists: Array
    near: Array

    @classmethod
    def from_reduced(cls, model: TreeModel, x: Array, v: Array) -> MaximalState:
        """Return the state of bodies that stand and move as their joints allow.

        Args:
            model: The bodies.
            x: Coordinates, shape (nq,).
            v: Rates, shape (nv,).
        """
        return cls(model.body_poses(x), model.body_twists(x, v), np.array(x, dtype=np.float64))

    def to_reduced(self, model: TreeModel) -> tuple[Array, Array]:
        """Return coordinates and rates of the joints; where they have come apart, the nearest.

        Returns:
            ``x``, shape (nq,), and ``v``, shape (nv,); new.
        """
        X_WJ = self.joint_poses(model)
        Q = self.joint_transforms(model, X_WJ)
        Ad = se3.adjoint(se3.inverse(model.X_PJ @ Q))
        V = self.joint_twists(model)
        x, v = np.empty(model.nq), np.empty(model.nv)
        for i, body in enumerate(model.bodies):
            part = slice(model.first[i], model.first[i + 1])
            parent = model.parents[i]
            relative = V[i] if parent < 0 else V[i] - Ad[i] @ V[parent]
            x[part] = body.joint.coordinates(Q[i], self.near[part])
            v[part] = scipy.linalg.lstsq(body.joint.subspace(x[part]), relative)[0] if body.joint.n else 0.0
        return x, v

    def joint_poses(self, model: TreeModel) -> Array:
        """Return ``X_WJ``, the joint frames that ride on the bodies, shape (nb, 4, 4); new."""
        return np.asarray(self.poses @ se3.inverse(model.X_JB))

    def joint_twists(self, model: TreeModel) -> Array:
        """Return the twists of the joint frames against the world, in J, shape (nb, 6); new."""
        return np.einsum("bij,bj->bi", se3.adjoint(model.X_JB), self.twists)

    def joint_transforms(self, model: TreeModel, joint_poses: Array) -> Array:
        """Return what the joints' transforms would have to be for the bodies to stand so, shape (nb, 4, 4); new."""
        parents = np.where(model.parents[:, None, None] < 0, np.eye(4), joint_poses[model.parents])
        return np.asarray(se3.inverse(parents @ model.X_PJ) @ joint_poses)

    def moved(self, displacements: Array) -> Array:
        """Return the poses after constant twists in B over one unit of time, ``X_WB exp(displacement)`` (Sueda 1.29).

        Args:
            displacements: Shape (nb, 6), [rad] and [m].

        Returns:
            Shape (nb, 4, 4); new.
        """
        return np.asarray(self.poses @ se3.exp(displacements))
