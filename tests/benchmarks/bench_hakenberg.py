"""Bodies with hinges and balls by Hakenberg's equations: what solving (6) and a step take, and when motions blow up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.dynamics.hakenberg import equations, intrinsic_loads, printed_step, solve, stabilized_step
from core.kernels import load_all
from tests.benchmarks.timing import interleaved, one_thread
from tests.support.jointed_bodies import paper_bodies, random_bodies

SIZES = (3, 10, 30, 100)
STEP, SECONDS = 1 / 240, 10.0


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    load_all()
    for count in SIZES:
        bodies, state = random_bodies(np.random.default_rng(count), count)
        loads = intrinsic_loads(bodies, 0.02)
        with one_thread():
            printed, tree, whole = interleaved([
                lambda b=bodies, s=state: solve(b, s, method="svd"), lambda b=bodies, s=state: solve(b, s),
                lambda b=bodies, s=state, own=loads: stabilized_step(b, s, STEP, own),
            ], 15)  # fmt: skip
        report(f"{count} bodies: (6) by the pseudoinverse", 1e3 * printed, "ms")
        report(f"{count} bodies: (6) from the tips", 1e6 * tree, "us")
        report(f"{count} bodies: a stabilized step", 1e6 * whole, "us")
    gap, momentum = thirty()
    report(f"30 bodies with friction, {SECONDS:g} s: largest gap", gap, "m", f"momenta change by {momentum:.1e}")
    for frames in (60, 240):
        report(f"the printed update in steps of 1/{frames} s: blows up after", blown_up(frames), "s")


def thirty() -> tuple[float, float]:
    """Return the largest gap of thirty bodies in ``SECONDS``, and what their momenta change by, to their size."""
    bodies, state = random_bodies(np.random.default_rng(30), 30)
    loads, start = intrinsic_loads(bodies, 0.02), bodies.momentum(state).sum(axis=0)
    gap = change = 0.0
    for _ in range(round(SECONDS / STEP)):
        state = stabilized_step(bodies, state, STEP, loads)
        gap = max(gap, float(np.abs(equations.gaps(bodies, state)).max()))
        change = max(change, float(np.abs(bodies.momentum(state).sum(axis=0) - start).max()))
    return gap, change / float(np.abs(start).max())


def blown_up(frames: int) -> float:
    """Return when three bodies have a hundred times their energy by the printed update, [s]; a minute at most."""
    bodies, state = paper_bodies()
    start = bodies.kinetic_energy(state)
    for k in range(60 * frames):
        with np.errstate(all="ignore"):
            state = printed_step(bodies, state, 1 / frames)
        if not bodies.kinetic_energy(state) < 100.0 * start:
            return (k + 1) / frames
    return 60.0
