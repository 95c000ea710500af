"""Contacts and friction in one quadratic program, and its cure by a fixed point (Anitescu & Hart 2004, Sueda 1.88)."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.dynamics.contact.methods.base import ContactMethod, IteratedMethod
from core.dynamics.contact.methods.program import Impulses, Program
from core.dynamics.contact.qp import solve

_SHORT = 1e-6
"""How far rows may stay below what they ask for, to the largest of it; beyond, the program has no answer."""
_GIVES = 1e-3
"""How much each row of such a program gives way by its impulse, to what the impulse moves."""


class SingleQP(ContactMethod):
    """Friction pyramids of four edges ``n + mu t``: ``(n + mu t) v >= wanted`` (the primal of Sueda 1.88).

    What slides at a speed s is asked to rise by ``mu s``: a box that slides is thrown up. It is here because the notes
    have it; ``fixed_point`` takes that out again.
    """

    name = "single_qp"
    label = "Single program"
    description = "Friction in one program: quick, and lifts what slides."

    def solve(self, program: Program, drag: Array) -> Impulses:
        return pyramid_impulses(program, np.zeros(len(program.friction)), None)[0]


class FixedPoint(IteratedMethod):
    """The single program again and again, each time less what sliding lifts: ``mu`` times the last sliding speeds.

    Where it has come to rest, nothing is lifted, and friction is as great as the pyramid allows.

    Args:
        passes: How many programs a step at most.
        tolerance: Change of ``mu`` times the sliding speeds from pass to pass that ends them, [m/s].
    """

    name = "fixed_point"
    label = "Fixed point"
    description = "Single programs until sliding bodies are not lifted any more."

    def __init__(self, passes: int = 20, tolerance: float = 1e-7) -> None:
        super().__init__(passes, tolerance)

    def solve(self, program: Program, drag: Array) -> Impulses:
        sliding, guess, mu = np.zeros(len(program.friction)), None, program.friction
        taken = 0
        while True:
            taken += 1
            found, guess = pyramid_impulses(program, sliding, guess)
            new = program.sliding(found.z)
            rest = float((mu * np.abs(new - sliding)).max(initial=0.0))
            if rest <= self.tolerance or taken == self.passes:
                break
            sliding = new
        return found._replace(passes=taken, converged=found.converged and rest <= self.tolerance)


def pyramid_impulses(program: Program, sliding: Array, guess: Array | None) -> tuple[Impulses, Array]:
    """Return the impulses of one program of pyramids, and which of its rows are active.

    Args:
        program: The rows.
        sliding: Speeds, times ``mu``, by which the rows ask for less, shape (k,).
        guess: Rows that are thought to be active, or None.
    """
    first, mu = program.limits, program.friction
    normal, tangent = program.normal[first:], program.tangent.reshape(len(mu), 2, program.tangent.shape[1])
    slip = program.slip.reshape(-1, 2)
    edges, bounds = [], []
    for sign in (1.0, -1.0):
        edges.append(normal[:, None] + sign * mu[:, None, None] * tangent)
        bounds.append((program.wanted[first:] - mu * sliding)[:, None] - sign * mu[:, None] * slip)
    rows = np.concatenate([program.normal[:first], np.stack(edges, axis=1).reshape(-1, normal.shape[1])])
    right = np.concatenate([program.wanted[:first], np.stack(bounds, axis=1).ravel()])
    found = solve(rows, right, 0, guess)
    y, most = found.y, max(1.0, float(np.abs(right).max(initial=0.0)))
    if (right - rows @ y).max(initial=0.0) > _SHORT * most:
        # Contacts that jam: sliding is to rise where nothing can. Rows that give way a little have a small answer.
        gives = np.sqrt(_GIVES * np.square(rows).sum(axis=1).mean()) * np.eye(len(rows))
        found = solve(np.hstack([rows, gives]), right, 0, guess)
        y = found.y[: rows.shape[1]]
    met = bool((right - rows @ y).max(initial=0.0) <= _SHORT * most)
    shares = found.multipliers[first:].reshape(-1, 2, 2)  # of each contact: sign, tangent
    push = np.concatenate([found.multipliers[:first], shares.sum(axis=(1, 2))])
    drag = (mu[:, None] * (shares[:, 0] - shares[:, 1])).ravel()
    return Impulses(y, push, drag, 1, met, found.residual), np.maximum(found.active, 0)
