"""The same equations as one dense matrix: the plain twin of the tree system, cubic in the number of bodies."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.dynamics.maximal.tree_system import Rows


def constraint_matrix(rows: tuple[Rows, ...]) -> Array:
    """Return ``G`` of all joints: ``G V = c`` for the stacked twists of the joint frames, shape (m, 6 nb); new.

    Source: Sueda 1.70.
    """
    G = np.zeros((sum(row.normal.shape[1] for row in rows), 6 * len(rows)))
    start = 0
    for i, row in enumerate(rows):
        end = start + row.normal.shape[1]
        G[start:end, 6 * i : 6 * i + 6] = row.normal.T
        if row.parent >= 0:
            G[start:end, 6 * row.parent : 6 * row.parent + 6] = -row.normal.T @ row.Ad
        start = end
    return G


class DenseSystem:
    """Matrix of one state; arguments and results as in ``TreeSystem``."""

    def __init__(self, inertias: Array, rows: tuple[Rows, ...], names: tuple[str, ...] = ()):
        G = constraint_matrix(rows)
        size = G.shape[1]
        self.matrix = np.zeros((size + len(G), size + len(G)))
        for i, block in enumerate(inertias):
            self.matrix[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = block
        self.matrix[size:, :size] = G
        self.matrix[:size, size:] = G.T
        self.splits = np.cumsum([row.normal.shape[1] for row in rows])[:-1]

    def solve(self, b: Array, c: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
        """Return twists and multipliers; see ``TreeSystem.solve``."""
        flat = b.reshape(-1, *b.shape[2:])
        solution = np.linalg.solve(self.matrix, np.concatenate((flat, *c)))
        twists = solution[: len(flat)].reshape(b.shape)
        return twists, tuple(np.split(solution[len(flat) :], self.splits))
