"""Coordinates and rates of a model as the step has them, of many states at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.engine import conversions
from core.dynamics.engine.tree import Tree
from core.spatial import quaternion, so3


class PreparedState(NamedTuple):
    """A state, or several in a row, made ready for a stepper.

    Attributes:
        x: Coordinates of the model, shape (..., nq).
        turns: Quaternions of its rotations, shape (..., balls, 4).
        u: The step's velocities, shape (..., nv).
    """

    x: Array
    turns: Array
    u: Array

    def at(self, k: int) -> PreparedState:
        """Return one of several."""
        return PreparedState(self.x[k], self.turns[k], self.u[k])


def prepared_state(tree: Tree, x: Array, v: Array) -> PreparedState:
    """Return one state made ready, ``x`` and ``v`` of shape (n,)."""
    return PreparedState(x, conversions.turns_of(tree, x), conversions.velocities(tree, x, v))


def prepared_states(tree: Tree, x: Array, v: Array) -> PreparedState:
    """Return states made ready, ``x`` and ``v`` of shape (m, n)."""
    if tree.angles:
        ready = [prepared_state(tree, *pair) for pair in zip(x, v, strict=True)]
        return PreparedState(x, np.stack([each.turns for each in ready]), np.stack([each.u for each in ready]))
    places, u = tree.ball_places, v.copy()
    vectors = x.take(places, axis=1)
    if len(places):  # in the order of one state alone, so that the sums are the same to the bit
        u[:, places] = np.einsum("mkij,mkj->mki", so3.right_jacobian(vectors), v.take(places, axis=1))
    return PreparedState(x, quaternion.exp(0.5 * vectors), u)
