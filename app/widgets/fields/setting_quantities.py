"""Kinds of numbers that settings have: rounded to two digits that count, and a number that may be left open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

from app.words.quantity import MILLIMETRES, Quantity

LEFT_OPEN = ("as needed", "auto", "")


@dataclass(frozen=True)
class Rounded(Quantity):
    """A number of which the first digits count, wherever its point stands: ``0.05``, ``2.5``, ``40``."""

    digits: int = 2

    def number(self, value: float, decimals: int | None = None) -> str:
        if not math.isfinite(value) or value == 0.0:
            return super().number(value, 0)
        places = self.digits - 1 - math.floor(math.log10(abs(float(f"{value:.{self.digits - 1}e}"))))
        places = max(places, 0) if decimals is None else min(max(places, 0), decimals)
        text = super().number(value, places)
        return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class Count(Quantity):
    """A whole number, or as many as needed: every number above ``most``."""

    most: int = 1000

    def number(self, value: float, decimals: int | None = None) -> str:
        return "as needed" if value > self.most else super().number(value, 0)

    def short(self, value: float) -> str:
        return self.number(value)

    def say(self, value: float) -> str:
        return self.number(value) if value > self.most else super().say(value)

    def read(self, text: str, current: float | None = None) -> float:
        return float(self.most + 1) if text.strip().casefold() in LEFT_OPEN else super().read(text, current)


TOLERANCE = Rounded("mm", 3, 0.05, "millimetres", MILLIMETRES.units)
STEPS = Count("", 0, 1.0, "steps", whole=True)
PERCENT = Quantity("%", 0, 1.0, "percent", MappingProxyType({"%": 1.0}))
TIMES = Rounded("×", 2, 0.1, "times", MappingProxyType({"x": 1.0, "×": 1.0}), digits=3)
