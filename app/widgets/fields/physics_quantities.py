"""Kinds of numbers that physics has: a step of the simulation as a share of a second, a pull of gravity, a friction."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from app.widgets.fields.setting_quantities import Rounded
from app.words.quantity import Quantity

_NEARLY = 1e-6


@dataclass(frozen=True)
class Share(Quantity):
    """A time shorter than a second, as people write it: ``1/240``."""

    def number(self, value: float, decimals: int | None = None) -> str:
        if value > 0.0 and abs(1.0 / value - round(1.0 / value)) < _NEARLY / value and value < 0.5:
            return f"1/{round(1.0 / value)}"
        return super().number(value, decimals)


SHARE = Share("s", 4, 0.0001, "seconds", MappingProxyType({"s": 1.0, "ms": 0.001}))
ACCELERATION = Quantity("m/s²", 2, 0.05, "metres per second squared", MappingProxyType({"g": 9.81, "m/s²": 1.0}))
GAIN = Quantity("", 2, 0.02, "times")
FRICTION = Quantity("", 2, 0.01, "")
SPEED = Rounded("×", 2, 0.05, "times", MappingProxyType({"x": 1.0, "×": 1.0, "%": 0.01}), digits=2)
TORQUES = (Quantity("N·m", 2, 0.2, "newton metres"), Quantity("N", 2, 1.0, "newtons"))
"""Of a hinge and of a slide."""
