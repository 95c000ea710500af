"""How well a motion keeps what it should: momentum and energy, and the rate at which the latter wanders off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.integrators import Integrator
from core.dynamics.scene import Scene
from core.dynamics.simulation import simulate
from core.dynamics.trajectory import Trajectory
from core.errors import DynamicsError


class Drift(NamedTuple):
    """What becomes of the invariants of a motion on which nothing acts from outside, gravity neither.

    Attributes:
        linear: Largest change of linear momentum, to its size at the start.
        angular: The same of angular momentum about the world's origin.
        energy: The same of energy.
        energy_rate: Slope of the line that fits the energy best, to the energy at the start, [1/s].
    """

    linear: float
    angular: float
    energy: float
    energy_rate: float


class StepSize(NamedTuple):
    """What steps of one length do.

    Attributes:
        dt: Their length, [s].
        drift: What becomes of the invariants; NaN where the motion ran away.
        error: Largest distance of a body's centre of mass from where it should be at the end, in the scene's unit of
            length; NaN where the motion ran away.
    """

    dt: float
    drift: Drift
    error: float


def measure_drift(motion: Trajectory) -> Drift:
    """Return how far momentum and energy have wandered off in a motion that should keep both."""
    angular, linear = motion.momentum[:, :3], motion.momentum[:, 3:]
    energy = motion.energy.sum(axis=1)
    size = abs(float(energy[0])) or 1.0
    rate = float(np.polyfit(motion.times, energy - energy[0], 1)[0]) if len(energy) > 1 else 0.0

    def largest(values: Array) -> float:
        return float(np.linalg.norm(values - values[0], axis=1).max() / (np.linalg.norm(values[0]) or 1.0))

    return Drift(largest(linear), largest(angular), float(np.abs(energy - energy[0]).max()) / size, rate / size)


def step_size_report(
    scene: Scene,
    duration: float,
    steps: Sequence[float],
    integrator: str | Integrator,
    centers: Array | None = None,
) -> list[StepSize]:
    """Return what becomes of a motion in steps of several lengths.

    Args:
        scene: What moves; nothing acts on it from outside.
        duration: How long, [s].
        steps: Lengths of the steps, [s].
        integrator: As ``simulate`` takes it.
        centers: Where the bodies' centres of mass are at the end, shape (nb, 3), by another integrator that is precise
            enough; None makes the errors NaN.
    """
    nowhere = Drift(np.nan, np.nan, np.nan, np.nan)
    found: list[StepSize] = []
    for dt in steps:
        try:
            motion = simulate(scene, duration, dt, integrator)
        except DynamicsError:
            found.append(StepSize(dt, nowhere, np.nan))
            continue
        error = np.nan
        if centers is not None:
            error = float(np.linalg.norm(scene.model.body_centers(motion.x[-1]) - centers, axis=1).max())
        found.append(StepSize(dt, measure_drift(motion), error))
    return found
