"""What a sweep can vary: keys of a ``simulate`` step that are numbers."""

from __future__ import annotations

from dataclasses import dataclass

from core.animation.hybrid_strips import LARGEST_GAIN


@dataclass(frozen=True)
class Parameter:
    """Something that is varied.

    Attributes:
        name: The key of the step.
        label: What people call it.
        unit: Its unit; "" for none.
        least: Its least value.
        most: Its greatest.
    """

    name: str
    label: str
    unit: str
    least: float
    most: float


PARAMETERS: tuple[Parameter, ...] = (
    Parameter("gravity", "Gravity", "m/s²", -1e3, 1e3),
    Parameter("friction", "Friction", "", 0.0, 10.0),
    Parameter("motor_gain", "Gain of motors", "", 0.0, 10.0),
    Parameter("strength", "Strength", "", 0.01, LARGEST_GAIN),
)
"""All of them; ``strength`` is that of a preset."""
MOST_VALUES = 10_000


def parameter_of(name: str) -> Parameter | None:
    """Return the parameter of a name, None if there is none."""
    return next((each for each in PARAMETERS if each.name == name), None)
