"""Bilateral staggered projections: dry friction in joints by what they carry (Sueda algorithm 8)."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.dynamics.contact.methods.program import Impulses, Program
from core.dynamics.contact.methods.staggered import ContactProgram, FrictionProgram, StaggeredProjections


class BilateralStaggeredProjections(StaggeredProjections):
    """Staggered projections with the bearings of joints, whose reactions take the place of their contacts' programs.

    The reduced motion given the friction says what joints carry, hence the bounds of their friction; then friction is
    found for all contacts and joints at once, by the inertia of the joined bodies, until neither changes.
    """

    name = "bisp"
    label = "Bilateral staggered projections"
    description = "Contacts, and dry friction in the bearings of joints by what these carry."
    rubs = True

    def solve(self, program: Program, drag: Array) -> Impulses:
        rubbing = program.rubbing
        if rubbing is None:
            return super().solve(program, drag)
        contacts = ContactProgram(program)
        rows = np.vstack([program.tangent, rubbing.rows])
        friction = FrictionProgram(rows, np.concatenate([program.slip, rubbing.slip]))
        count, all_drag, before = len(drag), np.concatenate([drag, np.zeros(len(rubbing.slip))]), None
        converged = False
        for taken in range(1, self.passes + 1):
            dragged = rows.T @ all_drag
            push = contacts.solve(dragged)
            pushed = program.normal.T @ push
            carried = rubbing.most(pushed + dragged, push, all_drag[:count], all_drag[count:])
            if before is not None:
                size = float(np.linalg.norm(pushed) + np.linalg.norm(dragged))
                change = float(np.linalg.norm(pushed - before[0]))
                other = float(np.abs(carried - before[1]).max(initial=0.0))
                converged = change <= self.tolerance * size and other <= self.tolerance * carried.max(initial=0.0)
            if converged or taken == self.passes:
                break
            before = pushed, carried
            own = np.repeat(program.friction * push[program.limits :], 2)
            all_drag = friction.solve(np.concatenate([own, carried]), pushed)
        residual = max(contacts.residual, friction.residual)
        return Impulses(
            pushed + dragged, push, all_drag[:count], taken, converged, residual, all_drag[count:]
        )  # fmt: skip
