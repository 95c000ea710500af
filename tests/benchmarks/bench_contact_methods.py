"""How many programs of contacts the methods with friction converge on, in how many passes and how long it takes.

And friction in the hinges of chains: a whole step by ``bisp`` beside the explicit contacts of the same bearings.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from core.dynamics.contact.methods import BilateralStaggeredProjections, ContactMethod, FixedPoint, StaggeredProjections
from core.dynamics.simulation import Simulation
from core.kernels import load_all
from tests.support.contact_programs import contact_program, staggered_conditions
from tests.support.explicit_bearings import RADIUS, chain, explicit_friction

COUNT, PASSES = 64, 100
CHAINS, STEP, REPEATS = (5, 10, 20), 1 / 240, 5


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
    for count in CHAINS:
        _bearings(count, report)


def _bearings(count: int, report: Callable[..., None]) -> None:
    scene, times = chain(count), []
    bisp, explicit = BilateralStaggeredProjections(tolerance=1e-6), StaggeredProjections(300, 1e-6)
    for _ in range(REPEATS):
        own = Simulation(scene, STEP, contact=bisp)
        start = time.perf_counter()
        own.step()
        middle = time.perf_counter()
        wanted, converged = explicit_friction(scene, STEP, explicit)
        times.append((middle - start, time.perf_counter() - middle))
    one, other = np.median(times, axis=0)
    assert bisp.last is not None
    error = np.abs(RADIUS * bisp.last.grip - wanted).max() / np.abs(wanted).max()
    report(f"{count} hinges: a step by bisp", 1e3 * one, "ms")
    report(f"{count} hinges: explicit contacts over that", other / one, "", "" if converged else "did not converge")
    report(f"{count} hinges: difference of friction", 100.0 * error, "%")
