"""Linearly implicit steps by conjugate gradients and by the whole matrix: products, time, and where they cross."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg  # noqa: F401 - loaded before threads are limited, which counts for what is there

from core.dynamics import Stabilization
from core.dynamics.integrators import LinearlyImplicit
from core.dynamics.newton_euler import body_inertias
from core.dynamics.simulation import Simulation
from core.dynamics.step_solves import STEP_SOLVES
from core.dynamics.step_solves.conjugate_gradients import TreeSolver
from core.dynamics.step_solves.tree_terms import step_matrix
from core.dynamics.system import System
from tests.benchmarks.timing import interleaved, one_thread
from tests.support.large_machines import MACHINES

COUNTS = (50, 200, 800, 3000)
BOTH = (25, 50, 100, 200, 400, 800)
H = 1e-2
STEPS = 6


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with one_thread():
        for name in MACHINES:
            measure_growth(report, name)
        for name in MACHINES:
            measure_crossing(report, name)


def moved(name: str, count: int) -> tuple[System, np.ndarray, np.ndarray]:
    """Return a machine after some steps from rest."""
    scene = MACHINES[name](count)
    motion = Simulation(scene, H, LinearlyImplicit(solve="conjugate_gradients"))
    for _ in range(STEPS):
        motion.step()
    return System(scene, "recursive", Stabilization()), motion.x, motion.v


def measure_growth(report: Callable[..., None], name: str) -> None:
    """Report products and times from few bodies to many, and the slopes of their logarithms."""
    products, solving, whole = [], [], []
    for count in COUNTS:
        system, x, v = moved(name, count)
        state = system.state(H, x, v)
        inertias = body_inertias(system.model)
        terms = step_matrix(state, system.derivatives(state), H, inertias)
        solver = TreeSolver(state, terms, inertias)
        right = solver.product(v) + 1.0

        def solve(solver: TreeSolver = solver, right: np.ndarray = right) -> object:
            return solver.solve(right)

        def step(system: System = system, x: np.ndarray = x, v: np.ndarray = v) -> object:
            return STEP_SOLVES["conjugate_gradients"](system, system.state(H, x, v), x, v, v, H).solve()

        times = interleaved([solve, step], 5)
        products.append(solver.products)
        solving.append(times[0])
        whole.append(times[1])
        size = f"{len(system.model.bodies)} bodies, {system.model.nv} coordinates"
        report(f"{name}: {size}, products", solver.products, "")
        report(f"{name}: {size}, solving", 1e3 * times[0], "ms", f"{1e6 * times[0] / solver.products:.0f} us a product")
        report(f"{name}: {size}, the whole step", 1e3 * times[1], "ms")
    report(f"{name}: products, most to first", max(products) / products[0], "", "2 at most is wanted")
    for what, times in (("solving", np.divide(solving, products)), ("the whole step", np.array(whole))):
        slope = np.polyfit(np.log(COUNTS), np.log(times), 1)[0]
        each = "a product" if what == "solving" else what
        report(f"{name}: log-log slope of {each} from {COUNTS[0]} to {COUNTS[-1]}", slope, "", "1.2 at most is wanted")


def measure_crossing(report: Callable[..., None], name: str) -> None:
    """Report from how many bodies on the whole matrix takes longer."""
    crossing = float("nan")
    for count in BOTH:
        system, x, v = moved(name, count)

        def step(solve: str, system: System = system, x: np.ndarray = x, v: np.ndarray = v) -> object:
            return STEP_SOLVES[solve](system, system.state(H, x, v), x, v, v, H).solve()

        dense, gradients = interleaved([lambda s=step: s("dense"), lambda s=step: s("conjugate_gradients")], 5)
        note = f"conjugate gradients {1e3 * gradients:.1f} ms"
        report(f"{name}: {len(system.model.bodies)} bodies, a step by the whole matrix", 1e3 * dense, "ms", note)
        if dense > gradients and np.isnan(crossing):
            crossing = len(system.model.bodies)
        elif dense <= gradients:
            crossing = float("nan")
    report(f"{name}: conjugate gradients are faster from", crossing, "bodies", "of those measured")
