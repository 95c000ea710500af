"""What a sweep measures of each run. A new measure is a function and a line in ``MEASURES``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from core.preview.sample import Sample

Samples = Sequence["Sample"]


@dataclass(frozen=True)
class Measure:
    """A number that says how a run went.

    Attributes:
        name: Of its column.
        label: What people call it.
        unit: Its unit; "" for none.
        of: Works it out from the samples of a run; None where a run has no such number.
    """

    name: str
    label: str
    unit: str
    of: Callable[[Samples], float | None]


def time_to_rest(samples: Samples) -> float | None:
    """Return when nothing moved any more, [s]; None if something still does."""
    return next((sample.time for sample in samples if sample.asleep), None)


def lowest_center(samples: Samples) -> float:
    """Return how low the centre of mass came, [m]."""
    return min(float(sample.center_of_mass[1]) for sample in samples)


def end_center(samples: Samples) -> float:
    """Return how high the centre of mass is at the end, [m]."""
    return float(samples[-1].center_of_mass[1])


def distance(samples: Samples) -> float:
    """Return how far over the ground the centre of mass is from where it began, [m]."""
    way = samples[-1].center_of_mass - samples[0].center_of_mass
    return float(np.hypot(way[0], way[2]))


def highest_speed(samples: Samples) -> float:
    """Return the highest speed of the centre of mass, [m/s]."""
    return max(float(np.linalg.norm(sample.velocity)) for sample in samples)


def energy_lost(samples: Samples) -> float:
    """Return how much less energy the figure has at the end than it had, [J]; negative if motors gave it some."""
    return float(samples[0].energy - samples[-1].energy)


def residual(samples: Samples) -> float:
    """Return the largest residual of the steps."""
    return max(float(sample.kkt) for sample in samples)


MEASURES: tuple[Measure, ...] = (
    Measure("time_to_rest", "Time to rest", "s", time_to_rest),
    Measure("end_center", "Centre of mass at the end", "m", end_center),
    Measure("lowest_center", "Lowest centre of mass", "m", lowest_center),
    Measure("distance", "Distance over the ground", "m", distance),
    Measure("highest_speed", "Highest speed", "m/s", highest_speed),
    Measure("energy_lost", "Energy lost", "J", energy_lost),
    Measure("residual", "Largest residual", "", residual),
)
"""All of them, in the order of the columns."""
