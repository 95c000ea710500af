"""Coordinates and rates of a model as the step has them, of many states at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import doors
from core.dynamics.step.tree import Tree
from core.spatial import quaternion, so3

Array = NDArray[np.float64]


class Told(NamedTuple):
    """A state, or several in a row, made ready for a stepper.

    Attributes:
        x: Coordinates of the model, shape (..., nq).
        turns: Quaternions of its rotations, shape (..., balls, 4).
        u: The step's velocities, shape (..., nv).
    """

    x: Array
    turns: Array
    u: Array

    def at(self, k: int) -> Told:
        """Return one of several."""
        return Told(self.x[k], self.turns[k], self.u[k])


def told_state(tree: Tree, x: Array, v: Array) -> Told:
    """Return one state made ready, ``x`` and ``v`` of shape (n,)."""
    return Told(x, doors.turns_of(tree, x), doors.velocities(tree, x, v))


def told_states(tree: Tree, x: Array, v: Array) -> Told:
    """Return states made ready, ``x`` and ``v`` of shape (m, n)."""
    if tree.angles:
        ready = [told_state(tree, *pair) for pair in zip(x, v, strict=True)]
        return Told(x, np.stack([each.turns for each in ready]), np.stack([each.u for each in ready]))
    places, u = tree.ball_places, v.copy()
    vectors = x.take(places, axis=1)
    if len(places):  # in the order of one state alone, so that the sums are the same to the bit
        u[:, places] = np.einsum("mkij,mkj->mki", so3.right_jacobian(vectors), v.take(places, axis=1))
    return Told(x, quaternion.exp(0.5 * vectors), u)
