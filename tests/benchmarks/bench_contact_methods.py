"""How many programs of contacts the methods with friction converge on, in how many passes and how long it takes.

And friction in the joints of chains: a whole step by ``bisp`` beside the explicit contacts of the same bearings, and
the programs of either by themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from core.arrays import Array
from core.dynamics.contact.methods import ContactMethod, FixedPoint, StaggeredProjections
from core.dynamics.contact.methods.program import Impulses, Program
from core.dynamics.simulation import Simulation
from core.kernels import load_all
from tests.benchmarks.timing import one_thread
from tests.support.contact_programs import contact_program, staggered_conditions
from tests.support.explicit_bearings import both_methods, chain, explicit_friction, free_rates, own_friction

COUNT, PASSES = 64, 100
STEP, REPEATS = 1 / 240, 9
CHAINS = {"hinge": (5, 7, 10, 20), "slide": (2, 5), "ball": (2, 3)}


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
    with one_thread():
        for kind, counts in CHAINS.items():
            for count in counts:
                _bearings(kind, count, report)


def _bearings(kind: str, count: int, report: Callable[..., None]) -> None:
    scene, times = chain(count, kind), []
    bisp, explicit = both_methods(kind)
    alone = [_timed(bisp), _timed(explicit)]
    for _ in range(REPEATS):
        run, free = Simulation(scene, STEP, contact=bisp), free_rates(scene, STEP)
        start = time.perf_counter()
        run.step()
        middle = time.perf_counter()
        wanted, converged = explicit_friction(scene, STEP, explicit, kind, free)
        times.append((middle - start, time.perf_counter() - middle, *(each.pop() for each in alone)))
    one, other, bearings, contacts = np.median(times, axis=0)
    error = np.abs(own_friction(scene, STEP, bisp, kind) - wanted).max() / np.abs(wanted).max()
    report(f"{count} {kind}s: a step by bisp", 1e3 * one, "ms")
    report(f"{count} {kind}s: explicit contacts over that", other / one, "", "" if converged else "did not converge")
    report(f"{count} {kind}s: programs of bearings", 1e3 * bearings, "ms")
    ratio = contacts / bearings
    report(f"{count} {kind}s: programs of explicit contacts over that", ratio, "", "10 at least is wanted")
    report(f"{count} {kind}s: difference of friction", 100.0 * error, "%")


def _timed(method: ContactMethod) -> list[float]:
    """Let a method note how long each of its solutions takes, [s]."""
    taken: list[float] = []
    solve = method.solve

    def timed(program: Program, drag: Array) -> Impulses:
        start = time.perf_counter()
        found = solve(program, drag)
        taken.append(time.perf_counter() - start)
        return found

    method.solve = timed  # type: ignore[method-assign]
    return taken
