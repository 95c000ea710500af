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
from core.spatial import SpatialInertia
from tests.benchmarks.effort_reference import Collocation
from tests.support.jumpers import small_jumper

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


def _second(made: Program, z: np.ndarray, times: np.ndarray, points: int, room: float) -> tuple[float, str]:
    """Return the effort that IPOPT finds by the other transcription, and what there is to say of it."""
    if importlib.util.find_spec("casadi") is None:
        return math.nan, "needs casadi"
    from tests.benchmarks.effort_ipopt import solve

    other = Collocation(made, z, times, points)
    found = solve(other, other.start(z), room=room, most=100)
    effort, off, _ = other.dense(found.u)
    at_edge = "" if found.nearest > 1e-3 else ", at the edge of what it may look at"
    unit = float(made.effort[0]) ** 2
    return unit * effort, f"{found.status}, {found.steps} steps, root off by {off:.3f} weights{at_edge}"


def run(report: Callable[..., None]) -> None:
    """Report efforts beside their references."""
    made, start = _pendulum()
    z = minimum(made, start, tolerance=1e-9).z
    report("pendulum that swings up, effort", made.effort_of(z), "N2m2s")
    report("the same, by Pontryagin's equations", _pontryagin(made, z), "N2m2s")
    report("the same, by the second transcription", *_told(_second(made, z, made.grid.times[::2], 5, 3.0)))
    made, start = small_jumper()
    found = minimum(made, start, most=100, tolerance=1e-7)
    report("jumper of four parts, effort", made.effort_of(found.z), "N2m2s", f"{found.steps} steps")
    report("the same, by the second transcription", *_told(_second(made, found.z, made.grid.times, 3, 0.15)))


def _told(measured: tuple[float, str]) -> tuple[float, str, str]:
    return measured[0], "N2m2s", measured[1]
