"""Motions of least effort beside references: Pontryagin's equations, and a second transcription that IPOPT solves.

IPOPT comes with ``casadi``; without it only what needs none is measured. ``python -m tests.benchmarks effort``
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable

import numpy as np
import scipy

from core.dynamics import Body, Multibody
from core.joints import Revolute
from core.preview.least_energy.grid import Grid
from core.preview.least_energy.minimizer import minimum
from core.preview.least_energy.program import Program
from core.preview.least_energy.unknowns import refined
from core.spatial import SpatialInertia
from tests.benchmarks.effort_reference import Collocation
from tests.support.jumpers import fine_torques, small_jumper, standing_jump_span

BOUND = 5.5
"""Stated bound of the torque of the pendulum, [N m]."""
DURATION, GRAVITY, LOW, HIGH = 1.5, 9.81, -0.5 * np.pi, 0.5 * np.pi


def _pendulum() -> tuple[Program, np.ndarray]:
    """Return the program of a bar that swings up, 1 m and 1 kg, and a way to start from."""
    inertia = SpatialInertia.box(1.0, (1.0, 0.05, 0.05), center=(0.5, 0.0, 0.0))
    model = Multibody([Body("bar", -1, Revolute((0, 0, 1)), inertia=inertia)], gravity=(0.0, -GRAVITY, 0.0))
    times = np.linspace(0.0, DURATION, 21)
    s = times / DURATION
    x = LOW + (HIGH - LOW) * (s - np.sin(2.0 * np.pi * s) / (2.0 * np.pi))[:, None]
    v = np.gradient(x, times, axis=0)
    v[[0, -1]] = 0.0
    none = np.zeros(1, dtype=np.bool_)
    made = Program(model, Grid(times), ~none, none, [], [], 5.0, 10.0, 0.0, none)
    return made, made.unknowns.packed(x, v, np.zeros(0))


def _pontryagin(made: Program, z: np.ndarray) -> float:
    """Return the effort of a swing-up by the equations of its minimum, [N^2 m^2 s]."""
    inertia, pull = float(made.model.mass_matrix([0.0])[0, 0]), 0.5 * GRAVITY

    def rates(_: np.ndarray, y: np.ndarray) -> np.ndarray:
        torque = -y[3] / (2.0 * inertia)
        return np.stack([y[1], (torque - pull * np.cos(y[0])) / inertia, -y[3] * pull * np.sin(y[0]) / inertia, -y[2]])

    def at_ends(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.array([a[0] - LOW, a[1], b[0] - HIGH, b[1]])

    times, guess = np.linspace(0.0, DURATION, 200), np.zeros((4, 200))
    guess[:2] = np.stack([made.at(z, times), made.at(z, times, 1)])[:, :, 0]
    exact = scipy.integrate.solve_bvp(rates, at_ends, times, guess, tol=1e-8, max_nodes=50_000)
    assert exact.success
    return float(np.trapezoid((-exact.sol(times)[3] / (2.0 * inertia)) ** 2, times))


def _second(made: Program, z: np.ndarray, points: int, room: float, every: int = 1) -> tuple[float, str]:
    """Return the cost that IPOPT finds by the other transcription, and what there is to say of it."""
    if importlib.util.find_spec("casadi") is None:
        return math.nan, "needs casadi"
    from tests.benchmarks.effort_ipopt import solve

    other = Collocation(made, z, made.grid.times[::every], points)
    found = solve(other, other.start(z), room=room, most=60)
    cost, off, _ = other.dense(found.u)
    at_edge = "" if found.nearest > 1e-3 else ", at the edge of what it may look at"
    return cost, f"{found.status}, {found.steps} steps, root off by {off:.3f} weights{at_edge}"


def _refined(make: Callable[[int], tuple[Program, np.ndarray]], most: int) -> tuple[Program, np.ndarray, list[float]]:
    """Return the motion over once, twice and four times as many intervals, as far as asked for, and its costs."""
    made, start = make(1)
    z, costs = minimum(made, start, most=100, tolerance=1e-6).z, []
    costs.append(made.cost_of(z))
    for parts in (2, 4):
        if parts <= most:
            finer, _ = make(parts)
            z = minimum(finer, refined(z, made.unknowns, finer.unknowns), most=60, tolerance=1e-6).z
            made = finer
            costs.append(made.cost_of(z))
    return made, z, costs


def run(report: Callable[..., None]) -> None:
    """Report efforts beside their references."""
    made, start = _pendulum()
    z = minimum(made, start, tolerance=1e-9).z
    own, exact = made.effort_of(z), _pontryagin(made, z)
    report("pendulum that swings up, effort", own, "N2m2s")
    report("the same, by Pontryagin's equations", exact, "N2m2s", f"ratio {own / exact:.5f}")
    second, how = _second(made, z, 5, 3.0, 2)
    report("the same, by the second transcription", second * _unit(made), "N2m2s", how)
    peak = float(np.abs(fine_torques(made, z, 23)[0]).max())
    report("its greatest torque, share of 5.5 N m", peak / BOUND, "")

    made, z, costs = _refined(small_jumper, 4)
    text = ", ".join(f"{cost * _unit(made):,.0f}" for cost in costs)
    report("jumper of four parts, effort", costs[-1] * _unit(made), "N2m2s", f"over 10, 20 and 40 intervals {text}")
    second, how = _second(made, z, 4, 1.0)
    report("the same, by the second transcription", second * _unit(made), "N2m2s", how)
    report("ratio of the two", costs[-1] / second, "", f"{costs[-1] / second:.4f}")

    coarse, span = standing_jump_span(), standing_jump_span(graded=True)
    first = minimum(coarse.program, coarse.start, most=100, tolerance=1e-4)
    cost = coarse.program.cost_of(first.z)
    report("standing jump of the man, squared shares of strength", cost, "s", f"10 even intervals, {first.steps} steps")
    made = span.program
    found = minimum(made, refined(first.z, coarse.program.unknowns, made.unknowns), most=100, tolerance=1e-5)
    torques, weights = fine_torques(made, found.z)
    cost = float(weights @ ((torques[:, made.acts] / made.effort) ** 2).sum(axis=1))
    off = float(np.sqrt(weights @ ((torques[:, made.free] / made.force) ** 2).sum(axis=1) / weights.sum()))
    how = f"{len(made.grid)} intervals, {found.steps} steps, root off by {off:.3f} weights"
    report("the same, nodes nearer where he leaves the ground and comes down", cost, "s", how)
    report("its greatest torque, share of strength", span.largest_share(torques), "")
    second, how = _second(made, found.z, 5, 0.5)
    report("the same, by the second transcription", second, "s", how)
    report("ratio of the two", cost / second, "", f"{cost / second:.4f}")


def _unit(made: Program) -> float:
    """Return what makes costs efforts, [N^2 m^2]."""
    return float(made.effort[0]) ** 2
