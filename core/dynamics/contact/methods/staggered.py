"""Staggered projections: contacts and friction by turns (Kaufman et al. 2008, Sueda algorithm 7)."""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.contact.methods.base import IteratedMethod
from core.dynamics.contact.methods.extrapolation import Extrapolation
from core.dynamics.contact.methods.program import Impulses, Program
from core.dynamics.contact.qp import Flags, solve
from core.errors import DynamicsError

REGULARIZED = 1e-9
"""What is added to the diagonal of the Delassus matrices, to the mean of it: redundant contacts share what they carry
in the one way that has the least impulses, for the bounds of friction depend on it."""
_UNLOADED = 1e-12
"""Bound of friction, to the greatest, under which there is none."""


class StaggeredProjections(IteratedMethod):
    """Contacts given the friction, friction given the contacts (2.113, 2.114), until contact forces stay.

    Friction is in boxes: each of two tangents takes up to ``mu`` times the push, the first along the sliding. Friction
    of the step before is where the first pass starts from; where the others do, is extrapolated from those before. Only
    what a pass leaves as it was without that counts as the answer.

    With friction in joints, for the methods that take it, what joints carry bounds it as pushes bound that of contacts.

    Args:
        passes: How many pairs of programs a step at most; then the last contacts count.
        tolerance: Change of the contact impulses from pass to pass that ends them, in the norm of the inverse inertia,
            to that of all impulses where these were least; and of what bearings carry, to the most that one does.
        regularizer: What is added to the diagonals of the Delassus matrices, [1/kg]; None for 1e-9 of their mean.

    Raises:
        DynamicsError: If a number makes no sense.
    """

    name = "staggered_projections"
    label = "Staggered projections"
    description = "Contacts and friction by turns, each exact for the other; not every step converges."

    def __init__(self, passes: int = 100, tolerance: float = 1e-8, regularizer: float | None = None) -> None:
        super().__init__(passes, tolerance)
        if regularizer is not None and not regularizer > 0.0:
            raise DynamicsError(f"a regularizer of {regularizer}: expected one greater than 0, or None")
        self.regularizer = regularizer

    def solve(self, program: Program, drag: Array) -> Impulses:
        rubbing, count = program.rubbing, len(drag)
        rows, slip = program.tangent, program.slip
        if rubbing is not None:
            rows, slip = np.vstack([rows, rubbing.rows]), np.concatenate([slip, rubbing.slip])
        contacts = ContactProgram(program, self.regularizer)
        friction = FrictionProgram(rows, slip, self.regularizer)
        rough = rubbing is not None or bool(program.friction.any())
        most, plain, converged, least = self.passes if rough else 1, True, not rough, np.inf
        ahead, before = Extrapolation(), None
        drag = np.concatenate([drag * np.repeat(program.friction > 0.0, 2), np.zeros(len(slip) - count)])
        for taken in range(1, most + 1):
            dragged = rows.T @ drag
            push = contacts.solve(dragged)
            pushed, carried = program.normal.T @ push, np.zeros(0)
            if rubbing is not None:
                carried = rubbing.most(pushed + dragged, push, drag[:count], drag[count:])
            settled = False
            if before is not None:
                least = min(least, float(np.linalg.norm(pushed) + np.linalg.norm(dragged)))
                settled = bool(np.linalg.norm(pushed - before[0]) <= self.tolerance * least)
                settled &= bool((np.abs(carried - before[1]) <= self.tolerance * carried.max(initial=0.0)).all())
                converged = settled and plain
            if converged or taken == most:
                break
            before = pushed, carried
            own = np.repeat(program.friction * push[program.limits :], 2)
            image = friction.solve(np.concatenate([own, carried]), pushed)
            ahead.note(drag, image)
            plain = settled or taken == most - 1 or taken == 1
            drag = image if plain else ahead.next()
        residual = max(contacts.residual, friction.residual)
        return Impulses(pushed + dragged, push, drag[:count], taken, converged, residual, drag[count:])


class ContactProgram:
    """The program of contacts (2.113): least impulses ``push >= 0`` with ``normal z >= wanted``.

    Rows ``[normal, sqrt(e) 1]`` on unknowns that are as many more make the dual's matrix ``normal normal^T + e 1``.

    Args:
        program: The rows.
        regularizer: e; None for ``REGULARIZED`` of the mean of the diagonal.
    """

    def __init__(self, program: Program, regularizer: float | None = None) -> None:
        self._program = program
        squares = (program.normal**2).sum(axis=1)
        e = regularizer
        if e is None:
            e = REGULARIZED * float(squares.mean()) if len(squares) else 0.0
        self._rows = np.hstack([program.normal, np.sqrt(e) * np.eye(len(squares))])
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

    Args:
        tangent: Rows along which friction acts, on z, shape (m, n).
        slip: Speeds along them at ``z = 0``, shape (m,).
        regularizer: e; None for ``REGULARIZED`` of the mean of the diagonal.
    """

    def __init__(self, tangent: Array, slip: Array, regularizer: float | None = None) -> None:
        self._tangent, self._slip = tangent, slip
        H = tangent @ tangent.T
        mean = float(np.trace(H)) / max(len(H), 1)
        e = REGULARIZED * (mean if mean > 0.0 else 1.0) if regularizer is None else regularizer
        self._H = H + e * np.eye(len(H))
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
