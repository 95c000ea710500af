"""Shapes: how the motion goes through a key and through the span that begins there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from core.errors import SequenceError

AUTO, SPLINE, LINEAR, STEPPED = "auto", "spline", "linear", "stepped"
CATMULL_ROM, CENTRIPETAL, KOCHANEK_BARTELS, FREE = "catmull_rom", "centripetal", "kochanek_bartels", "free"
INTERPOLATIONS: tuple[str, ...] = (AUTO, SPLINE, LINEAR, STEPPED, CATMULL_ROM, CENTRIPETAL, KOCHANEK_BARTELS, FREE)
"""How a span can be filled: a Catmull-Rom spline adjusted for uneven spacing whose values stay between those of the
two keys, the same spline without that limit, a straight line, no motion until the next key, uniform Catmull-Rom,
centripetal Catmull-Rom, with tension, continuity and bias (Kochanek and Bartels 1984), with slopes of one's own."""

LARGEST_TCB = 10.0
"""Tension, continuity and bias reach from -1 to 1; more is allowed up to here."""


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise SequenceError(f"{name} is {value!r}; it must be a finite number")
    return float(value)


@dataclass(frozen=True, slots=True)
class Ease:
    """Timing within a span: a cubic Bezier curve from (0, 0) to (1, 1), time along x, way along y.

    Attributes:
        x1: Time of the first inner point, 0 to 1.
        y1: Progress of the first inner point.
        x2: Time of the second inner point, 0 to 1.
        y2: Progress of the second inner point.

    Raises:
        SequenceError: If a number is not finite, or a time lies outside 0 to 1.
    """

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        for name in ("x1", "y1", "x2", "y2"):
            value = _number(getattr(self, name), f"{name} of an ease")
            if name[0] == "x" and not 0.0 <= value <= 1.0:
                raise SequenceError(f"{name} of an ease is {value:g}; times lie between 0 and 1")
            object.__setattr__(self, name, value)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """The four numbers."""
        return self.x1, self.y1, self.x2, self.y2

    @property
    def title(self) -> str:
        """Name of the preset it is, or ``"own"``."""
        return next((name for name, ease in EASES.items() if ease == self), "own")


EASES: Mapping[str, Ease | None] = MappingProxyType(
    {
        "even": None,
        "in": Ease(0.42, 0.0, 1.0, 1.0),
        "out": Ease(0.0, 0.0, 0.58, 1.0),
        "in and out": Ease(0.42, 0.0, 0.58, 1.0),
        "snap": Ease(0.9, 0.0, 0.1, 1.0),
        "anticipate": Ease(0.36, 0.0, 0.66, -0.56),
        "follow through": Ease(0.34, 1.56, 0.64, 1.0),
        "both": Ease(0.68, -0.6, 0.32, 1.6),
    }
)
"""Eases by their names: evenly; slow to begin, slow to end, both; slow, fast, slow; with a step back first; past the
end and back; both of these."""

Slopes = tuple[float | None, ...]
"""Slopes of a channel's values, [1/frame]; None where it is worked out from the keys around."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the motion goes through a key and through the span that begins there. Immutable.

    Attributes:
        interp: How the span that begins here is filled, one of ``INTERPOLATIONS``.
        turns: Whether compound joints follow their angles through that span, so that a full turn is a turn, instead
            of taking the shortest arc.
        arcs: Whether joints with two axes take the shortest arc through that span too, unless it ``turns``, instead of
            following their angles; keys of files that do not say so do not.
        tension: -1 long curves, 1 none; with continuity and bias it acts on both sides of the key
            (``"kochanek_bartels"``).
        continuity: 0 smooth, -1 a corner, 1 a corner the other way.
        bias: -1 the tangent points to the next key, 1 it comes from the one before.
        ease: Timing within the span that begins here; None runs evenly.
        slopes_in: For ``"free"``: slopes of the channel's values as they come to the key, [1/frame]; None, as a whole
            or for one value, if they are worked out from the keys around. Only a channel's own shape has slopes.
        slopes_out: Likewise as they leave it.

    Raises:
        SequenceError: If a value is not valid.
    """

    interp: str = AUTO
    turns: bool = False
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0
    ease: Ease | None = None
    slopes_in: Slopes | None = None
    slopes_out: Slopes | None = None
    arcs: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.interp, str) or self.interp not in INTERPOLATIONS:
            raise SequenceError(f'interpolation "{self.interp}" is unknown; valid are {", ".join(INTERPOLATIONS)}')
        object.__setattr__(self, "turns", bool(self.turns))
        object.__setattr__(self, "arcs", bool(self.arcs))
        for name in ("tension", "continuity", "bias"):
            value = _number(getattr(self, name), name)
            if abs(value) > LARGEST_TCB:
                raise SequenceError(f"{name} is {value:g}; valid are {-LARGEST_TCB:g} to {LARGEST_TCB:g}")
            object.__setattr__(self, name, value)
        if self.ease is not None and not isinstance(self.ease, Ease):
            raise SequenceError(f"{self.ease!r} is not an ease; it must be one, or None")
        for name in ("slopes_in", "slopes_out"):
            object.__setattr__(self, name, _slopes(getattr(self, name), name.replace("_", " ")))

    @property
    def has_slopes(self) -> bool:
        """Whether it holds slopes, which belong to one channel."""
        return self.slopes_in is not None or self.slopes_out is not None

    def changed(self, **values: Any) -> Shape:
        """Return it with other values; ``ease`` may be the name of a preset.

        Raises:
            SequenceError: If a value is not valid, or a name is unknown.
        """
        strange = [name for name in values if name not in MEMBERS]
        if strange:
            raise SequenceError(f'a shape has no "{strange[0]}"; it has {", ".join(MEMBERS)}')
        if isinstance(values.get("ease"), str):
            values["ease"] = ease_named(values["ease"])
        return replace(self, **values)


MEMBERS: tuple[str, ...] = (
    "interp", "turns", "arcs", "tension", "continuity", "bias", "ease", "slopes_in", "slopes_out",
)  # fmt: skip
"""Names of a shape's values."""


def _slopes(values: Any, name: str) -> Slopes | None:
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SequenceError(f"{name} must be numbers or None, one a value of the channel, not {values!r}")
    slopes = tuple(None if value is None else _number(value, f"one of the {name}") for value in values)
    return slopes if any(value is not None for value in slopes) else None


def ease_named(name: str) -> Ease | None:
    """Return the ease of a name; ``"even"`` is None.

    Raises:
        SequenceError: If there is none.
    """
    if name not in EASES:
        raise SequenceError(f'ease "{name}" is unknown; valid are {", ".join(EASES)}')
    return EASES[name]


@lru_cache(maxsize=4 * len(INTERPOLATIONS))
def plain_shape(interp: str = AUTO, turns: bool = False, arcs: bool = True) -> Shape:
    """Return the shape that is only a way to fill the span; keys share it.

    Raises:
        SequenceError: If the interpolation is unknown.
    """
    return Shape(interp, turns, arcs=arcs)
