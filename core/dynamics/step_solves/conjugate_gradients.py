"""A step solved in linear time: conjugate gradients behind the recursion that eliminates the tree."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics import newton_euler, recursive
from core.dynamics.jacobian_products import jacobian_transpose_product
from core.dynamics.step_solves import gradients_kernel
from core.dynamics.step_solves.base import StepEquations
from core.dynamics.step_solves.dense import dense_step
from core.dynamics.step_solves.tree_terms import Terms, resistance, step_matrix, tree_part
from core.errors import DynamicsError
from core.kernels import serving

if TYPE_CHECKING:
    from core.dynamics.state import State
    from core.dynamics.system import System

TOLERANCE = 1e-12
"""What is left of a right side, as kinetic energy measures it, to what was there."""
_MOST = 2000


class NotPositiveError(Exception):
    """The matrix is not positive definite, or its part that is a tree may be singular."""


class TreeSolver:
    """Solves with the matrix of a step in one state; its memory and each product grow with the number of bodies.

    Args:
        state: The bodies.
        terms: The matrix.
        inertias: Those of the bodies in it, at their origins in their axes, shape (nb, 6, 6).

    Attributes:
        products: How many products with the matrix the last solution took.

    Raises:
        NotPositiveError: If a pivot of the tree may be nothing but rounding.

    Source: Sueda algorithm 10.
    """

    def __init__(self, state: State, terms: Terms, inertias: Array) -> None:
        model = state.model
        packed = recursive.packed_of(model)
        self._memory = packed.memory.copy()
        self._kernels = serving(gradients_kernel)
        self._terms = terms
        self._twists, self._wrenches = np.empty((2, len(model.bodies), 6))
        self._work = np.empty((4, model.nv))
        self.products = 0
        part = tree_part(state, terms, inertias)
        x = np.array(state.x)
        packed.evaluate(x, packed.rest, self._memory)
        clusters = part.clusters
        U, G = np.empty((model.nv, 6)), np.empty((6, model.nv))
        self._clusters = clusters.where, clusters.table, clusters.members, clusters.H, U, G
        if self._kernels.prepare(self._memory, x, packed.rest, part.bodies, part.blocks, *self._clusters) >= 0:
            raise NotPositiveError

    def product(self, v: Array, terms: Terms | None = None) -> Array:
        """Return the matrix, or that of other terms of the same state, times ``v``, shape (nv,); new."""
        out = np.empty(len(v))
        self._kernels.product(self._memory, *(terms or self._terms), self._twists, self._wrenches, v.copy(), out)
        return out

    def solve(self, right: Array, tolerance: float = TOLERANCE) -> Array:
        """Return the solution for a right side, shape (nv,); new.

        Args:
            right: Shape (nv,).
            tolerance: See ``TOLERANCE``.

        Raises:
            NotPositiveError: If the matrix is found not to be positive definite.
            DynamicsError: If it takes too many products.
        """
        out = np.empty(len(right))
        right = np.ascontiguousarray(right).copy()
        found = self._kernels.solve(
            self._memory,
            *self._clusters,
            *self._terms,
            self._twists,
            self._wrenches,
            self._work,
            right,
            out,
            tolerance,
            _MOST,
        )
        if found == gradients_kernel.NOT_POSITIVE:
            raise NotPositiveError
        if found > _MOST:
            raise DynamicsError(
                f"conjugate gradients found no velocities in {_MOST} products; springs between bodies may be too stiff "
                'for the step: take shorter ones, or LinearlyImplicit(solve="dense")'
            )
        self.products = int(found)
        return out

    def columns(self, right: Array) -> Array:
        """Return the solutions for columns, shape (nv, k); new.

        Raises:
            DynamicsError: As ``solve``; or if the matrix is found not to be positive definite.
        """
        try:
            return np.stack([self.solve(column) for column in right.T], axis=1) if right.shape[1] else right.copy()
        except NotPositiveError:
            raise DynamicsError(
                "the matrix of the step is not positive definite: a joint moves no mass, or forces that push apart are "
                "too stiff for the step"
            ) from None


def gradient_step(system: System, state: State, x: Array, v: Array, moving: Array, h: float) -> StepEquations:
    """Return the equations of a step without their matrix; see ``StepSolve``.

    Where forces that push apart make the matrix indefinite, or a joint moves next to no mass, they are those of
    ``dense``.
    """
    step = _Step(system, state, x, v, moving, h)
    try:
        solver = step.solver
        free = solver.solve(step.right)
    except NotPositiveError:
        return dense_step(system, state, x, v, moving, h)
    return StepEquations(solver.columns, step.right, lambda: free)


class _Step:
    """What a step is made of; arguments as of ``StepSolve``."""

    def __init__(self, system: System, state: State, x: Array, v: Array, moving: Array, h: float) -> None:
        self._state, self._v, self._h = state, v, h
        self._derivatives = system.derivatives(state)
        self._inertias = newton_euler.body_inertias(system.model)
        load = system.load(state)
        pushed = jacobian_transpose_product(system.model, state.motion, load.wrenches)
        self._force = load.tau + pushed - system.model.bias(x, moving)

    @cached_property
    def solver(self) -> TreeSolver:
        """What solves with the step's matrix."""
        terms = step_matrix(self._state, self._derivatives, self._h, self._inertias)
        return TreeSolver(self._state, terms, self._inertias)

    @cached_property
    def right(self) -> Array:
        """``(M + h D) v + h force``, shape (nv,)."""
        terms = resistance(self._state, self._derivatives, self._h, self._inertias)
        return self.solver.product(self._v, terms) + self._h * self._force
