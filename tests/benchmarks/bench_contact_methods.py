"""How many programs of contacts the methods with friction converge on, in how many passes and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from core.dynamics.contact.methods import ContactMethod, FixedPoint, StaggeredProjections
from core.kernels import load_all
from tests.support.contact_programs import contact_program, staggered_conditions

COUNT, PASSES = 64, 100


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    load_all()
    programs = [contact_program(seed) for seed in range(COUNT)]
    methods: tuple[ContactMethod, ...] = (StaggeredProjections(PASSES), FixedPoint(PASSES))
    for method in methods:
        start = time.perf_counter()
        found = [method.solve(each, np.zeros(len(each.tangent))) for each in programs]
        spent = time.perf_counter() - start
        done = [each for each in found if each.converged]
        report(f"{method.name}: converged within {PASSES} passes", len(done), f"of {COUNT}")
        report(f"{method.name}: median passes of these", float(np.median([each.passes for each in done])), "")
        report(f"{method.name}: time", 1e3 * spent / COUNT, "ms a program")
        if method.name == StaggeredProjections.name:
            pairs = zip(programs, found, strict=True)
            worst = max(max(staggered_conditions(*pair)) for pair in pairs if pair[1].converged)
            report(f"{method.name}: worst condition of these", worst, "")
