"""How a number is shown and read: unit, decimals, steps, and how it is said aloud."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.errors import ExpressionError
from core.skeleton.dof import ANGLE, LENGTH

MINUS = "−"
LONGEST = 120
"""Most characters that are read from a field."""


@dataclass(frozen=True)
class Quantity:
    """A kind of number on screen.

    Attributes:
        unit: Shown behind the value; ``"°"`` stands close, everything else after a space.
        decimals: Digits after the point.
        step: One step of the arrow keys, and of 2 px of dragging a field sideways.
        spoken: The unit in words, for assistive tools.
        units: Units that may be typed, each in terms of ``unit``.
        whole: Whether only whole numbers make sense.
    """

    unit: str = ""
    decimals: int = 2
    step: float = 0.01
    spoken: str = ""
    units: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    whole: bool = False

    def number(self, value: float, decimals: int | None = None) -> str:
        """Return the bare number, with U+2212 as minus and never a negative zero."""
        if not math.isfinite(value):
            return (MINUS if value < 0 else "") + "∞" if not math.isnan(value) else "?"
        text = f"{value:.{self.decimals if decimals is None else decimals}f}"
        if text.startswith("-"):
            text = text[1:] if not text.strip("-0.") else MINUS + text[1:]
        return text

    def short(self, value: float) -> str:
        """Return the number without needless decimals: ``80``, ``0.5``."""
        text = self.number(value)
        return text.rstrip("0").rstrip(".") if "." in text else text

    def text(self, value: float) -> str:
        """Return number and unit, as a person reads them."""
        return self.number(value) + self.suffix

    def span(self, lower: float, upper: float) -> str:
        """Return a range in words: ``"0 to 150°"``, ``"at least 1 kg"``."""
        if upper == math.inf:
            return f"at least {self.short(lower)}{self.suffix}"
        if lower == -math.inf:
            return f"at most {self.short(upper)}{self.suffix}"
        return f"{self.short(lower)} to {self.short(upper)}{self.suffix}"

    @property
    def suffix(self) -> str:
        """The unit as it follows a number."""
        return self.unit if self.unit in ("", "°", "×", "%") else f" {self.unit}"

    def say(self, value: float) -> str:
        """Return the value in words: ``"63.4 degrees"``."""
        return f"{self.short(value)} {self.spoken}".strip()

    def read(self, text: str, current: float | None = None) -> float:
        """Return what was typed as a value in this unit; raises ``ExpressionError``."""
        value = typed_value(text, self.units, current)
        return float(round(value)) if self.whole else value


def typed_value(text: str, units: Mapping[str, float] | None = None, current: float | None = None) -> float:
    """Return the value of what was typed: ``90/2``, ``+5``, ``3 cm + 2 mm``, ``20 * sin(30 deg)``.

    Text that begins with ``+``, ``*`` or ``/`` is applied to the value that stands in the field, as are ``+=`` and
    ``-=``; a leading ``-`` is a negative number.

    Args:
        text: What was typed; a comma counts as the decimal point.
        units: How many of the field's units one of each named unit is; a number without one is in the field's unit.
        current: Value in the field, for relative input; None takes ``+5`` as 5.

    Raises:
        ExpressionError: If the text is no expression, divides by zero, or the value is not finite.
    """
    from core.symbolic.expression import CONSTANT  # not before somebody types
    from core.symbolic.parsing import parse

    relative, begin = "", len(text) - len(text.lstrip())
    if current is not None:
        if text[begin : begin + 2] in ("+=", "-=", "*=", "/=", "−=", "×=", "÷="):
            relative, begin = text[begin], begin + 2
        elif text[begin : begin + 1] in tuple("+*/×÷"):
            relative, begin = text[begin], begin + 1
    expression = parse(" " * begin + text[begin:], units=units, decimal_comma=True, longest=LONGEST)
    if expression.operation != CONSTANT:
        raise ExpressionError("the result is not a finite number; expected smaller numbers", begin)
    value = expression.value
    if not relative or current is None:
        return value
    if relative in "/÷" and value == 0.0:
        raise ExpressionError("division by zero; expected a divisor that is not zero", begin)
    if relative in "+-−":
        value = current + value if relative == "+" else current - value
    else:
        value = current * value if relative in "*×" else current / value
    if not math.isfinite(value):
        raise ExpressionError("the result is not a finite number; expected smaller numbers", begin)
    return value


_LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "in": 0.0254, "ft": 0.3048}
_ANGLES = {"°": 1.0, "deg": 1.0, "degrees": 1.0, "rad": math.degrees(1.0), "turn": 360.0, "turns": 360.0}

NUMBER = Quantity()
WHOLE = Quantity(decimals=0, step=1.0, whole=True)
DEGREES = Quantity("°", 1, 1.0, "degrees", MappingProxyType(_ANGLES))
METRES = Quantity("m", 3, 0.01, "metres", MappingProxyType(_LENGTHS))
CENTIMETRES = Quantity("cm", 1, 1.0, "centimetres", MappingProxyType({k: v * 100.0 for k, v in _LENGTHS.items()}))
SHORT_CENTIMETRES = replace(CENTIMETRES, decimals=2, step=0.1)
MILLIMETRES = Quantity("mm", 1, 0.1, "millimetres", MappingProxyType({k: v * 1000.0 for k, v in _LENGTHS.items()}))
KILOGRAMS = Quantity("kg", 3, 0.1, "kilograms", MappingProxyType({"kg": 1.0, "g": 0.001, "lb": 0.45359237}))
SECONDS = Quantity("s", 3, 0.1, "seconds", MappingProxyType({"s": 1.0, "ms": 0.001, "min": 60.0}))
FRAME = Quantity("", 0, 1.0, "", MappingProxyType({"f": 1.0}), True)
FPS = Quantity("fps", 0, 1.0, "frames per second", MappingProxyType({"fps": 1.0}), True)
RATE = Quantity("fps", 3, 1.0, "frames per second")
COORDINATES = Quantity("", 3, 0.02)
FACTOR = Quantity("×", 1, 0.1, "times", MappingProxyType({"x": 1.0, "%": 0.01}))


def quantity_for(unit: str, lo: float, hi: float) -> Quantity:
    """Return how a degree of freedom is shown: degrees, or metres, or centimetres where its range is small.

    Args:
        unit: ``"angle"``, ``"length"`` or ``"number"``.
        lo: Lower limit, [rad], [m] or a plain number; ``-inf`` for none.
        hi: Upper limit.
    """
    if unit != LENGTH:
        return DEGREES if unit == ANGLE else COORDINATES
    span = hi - lo
    return METRES if not span < 1.0 else CENTIMETRES if span >= 0.1 else SHORT_CENTIMETRES
