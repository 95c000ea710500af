"""Contacts without friction: one quadratic program (Sueda 1.79, 1.80)."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.dynamics.contact.methods.base import ContactMethod
from core.dynamics.contact.methods.program import Impulses, Program
from core.dynamics.contact.qp import solve


class Frictionless(ContactMethod):
    """The least change of the motion in which nothing gets into anything else; everything is as slippery as ice."""

    name = "frictionless"
    label = "No friction"
    description = "Contacts push and never hold back: one quadratic program."

    def solve(self, program: Program, drag: Array) -> Impulses:
        found = solve(program.normal, program.wanted)
        return Impulses(found.y, found.multipliers, np.zeros_like(drag), 1, True, found.residual)
