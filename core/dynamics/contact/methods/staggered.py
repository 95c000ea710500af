"""Staggered projections: contacts and friction by turns (Kaufman et al. 2008, Sueda algorithm 7)."""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.contact.methods.base import ContactMethod
from core.dynamics.contact.methods.program import Impulses, Program
from core.dynamics.contact.qp import Flags, solve
from core.errors import DynamicsError

REGULARIZED = 1e-9
"""What is added to the diagonal of the Delassus matrices, to the mean of it: redundant contacts share what they carry
in the one way that has the least impulses, for the bounds of friction depend on it."""
_UNLOADED = 1e-12
"""Bound of friction, to the greatest, under which there is none."""


class StaggeredProjections(ContactMethod):
    """Contacts given the friction, friction given the contacts (2.113, 2.114), until contact forces stay.

    Friction is in boxes: each of two tangents takes up to ``mu`` times the push, the first along the sliding. Friction
    of the step before is where the first pass starts from.

    Args:
        passes: How many pairs of programs a step at most; then the last contacts count.
        tolerance: Change of the contact impulses from pass to pass that ends them, in the norm of the inverse inertia,
            to that of all impulses.

    Raises:
        DynamicsError: If a number makes no sense.
    """

    name = "staggered_projections"
    label = "Staggered projections"
    description = "Contacts and friction by turns, each exact for the other; not every step converges."

    def __init__(self, passes: int = 100, tolerance: float = 1e-8) -> None:
        if not passes >= 1 or not tolerance > 0.0:
            raise DynamicsError(f"{passes} passes to {tolerance}: expected 1 or more, and a tolerance greater than 0")
        self.passes, self.tolerance = passes, tolerance

    def solve(self, program: Program, drag: Array) -> Impulses:
        contacts = ContactProgram(program)
        friction = FrictionProgram(program.tangent, program.slip)
        rough = bool(program.friction.any())
        most, converged, before = self.passes if rough else 1, not rough, None
        drag = drag * np.repeat(program.friction > 0.0, 2)
        for taken in range(1, most + 1):
            dragged = program.tangent.T @ drag
            push = contacts.solve(dragged)
            pushed = program.normal.T @ push
            if before is not None:
                size = float(np.linalg.norm(pushed) + np.linalg.norm(dragged))
                converged = bool(np.linalg.norm(pushed - before) <= self.tolerance * size)
            if converged or taken == most:
                break
            before = pushed
            drag = friction.solve(np.repeat(program.friction * push[program.limits :], 2), pushed)
        residual = max(contacts.residual, friction.residual)
        return Impulses(pushed + dragged, push, drag, taken, converged, residual)


class ContactProgram:
    """The program of contacts (2.113): least impulses ``push >= 0`` with ``normal z >= wanted``.

    Rows ``[normal, sqrt(e) 1]`` on unknowns that are as many more make the dual's matrix ``normal normal^T + e 1``.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        squares = (program.normal**2).sum(axis=1)
        root = np.sqrt(REGULARIZED * squares.mean()) if len(squares) else 0.0
        self._rows = np.hstack([program.normal, root * np.eye(len(squares))])
        self._guess: Array | None = None
        self.residual = 0.0

    def solve(self, dragged: Array) -> Array:
        """Return ``push``, shape (l + k,), given what friction does to z."""
        if not len(self._rows):
            return np.zeros(0)
        right = self._program.wanted - self._program.normal @ dragged
        found = solve(self._rows, right, 0, self._guess)
        self._guess, self.residual = np.maximum(found.active, 0), found.residual
        return found.multipliers


class FrictionProgram:
    """The program of friction (2.114): ``|drag| <= mu push`` with the least kinetic energy.

    ``min 1/2 d^T H d + g^T d`` with ``H = T T^T + e 1 = R R^T`` is the shortest ``u = R^T d + R^-1 g`` within the
    bounds, which are rows ``R^-T u`` of it.
    """

    def __init__(self, tangent: Array, slip: Array) -> None:
        self._tangent, self._slip = tangent, slip
        H = tangent @ tangent.T
        mean = float(np.trace(H)) / max(len(H), 1)
        self._H = H + REGULARIZED * (mean if mean > 0.0 else 1.0) * np.eye(len(H))
        self._last: tuple[Ints, Array, Flags] | None = None
        self.residual = 0.0

    def solve(self, most: Array, pushed: Array) -> Array:
        """Return ``drag``, shape (m,), given its bounds, shape (m,), and what contacts do to z."""
        loaded = np.flatnonzero(most > _UNLOADED * most.max(initial=0.0))
        drag = np.zeros(len(most))
        if not len(loaded):
            return drag
        g = (self._slip + self._tangent @ pushed)[loaded]
        if self._last is None or not np.array_equal(loaded, self._last[0]):
            R = np.linalg.cholesky(self._H[np.ix_(loaded, loaded)])
            P = np.linalg.inv(R).T
            rows, guess = np.vstack([P, -P]), np.zeros(2 * len(loaded), dtype=np.int8)
        else:
            _, rows, guess = self._last
        P = rows[: len(loaded)]
        stuck = P @ (P.T @ g)  # less the friction that stops everything
        right = np.concatenate([stuck, -stuck]) - np.tile(most[loaded], 2)
        found = solve(rows, right, 0, guess)
        self._last, self.residual = (loaded, rows, np.maximum(found.active, 0)), found.residual
        drag[loaded] = np.clip(P @ found.y - stuck, -most[loaded], most[loaded])
        return drag
