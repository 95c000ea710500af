"""How long a unit of a motion file is: given, said by the file, or guessed from how tall the figure stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.errors import FormatError, Problem

GIVEN, FILE, SURE, DOUBTFUL = "given", "file", "sure", "doubtful"

UNITS: tuple[tuple[float, str], ...] = (
    (1.0, "metres"),
    (0.1, "decimetres"),
    (0.01, "centimetres"),
    (0.0254, "inches"),
    (0.0564, "CMU's units"),
)
"""Metres in one unit, and what it is called. An adult's height fits at most one of them."""

SHORT_NAMES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "dm": 0.1}
"""Metres in one unit, by what people write."""

SHORTEST, TALLEST = 1.4, 2.2
"""Heights of an adult, [m]."""

SMALLEST, LARGEST = 1e-9, 1e6
"""What a unit may be, [m]."""


class FileUnit(NamedTuple):
    """The unit of a file.

    Attributes:
        unit: Metres in one unit.
        guess: How it is known, as in ``Project.unit_guess``.
        warnings: What the person should know about it.
    """

    unit: float
    guess: str
    warnings: tuple[Problem, ...] = ()


def largest_extent(points: ArrayLike) -> float:
    """Return the longest side of the box around points, [units of the points]; 0 without points.

    Args:
        points: Shape (k, 3), finite.
    """
    array = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    return float(np.ptp(array, axis=0).max()) if len(array) else 0.0


def guess_unit(points: ArrayLike) -> tuple[float, str]:
    """Return how many metres a unit is for a figure that takes this room, and ``"sure"`` or ``"doubtful"``.

    A person stands 1.4 to 2.2 m tall. The unit of ``UNITS`` in which the figure does is sure; a figure that does in
    none, such as a child, a crouching person, an animal or a lamp, has metres, and that is doubtful.

    Args:
        points: Joints and tips of one figure in its first pose, shape (k, 3), [units of the file].
    """
    extent = largest_extent(points)
    for unit, _ in UNITS:
        if SHORTEST <= extent * unit <= TALLEST:
            return unit, SURE
    return 1.0, DOUBTFUL


def file_unit(figures: Sequence[ArrayLike], file: str, unit: float | None = None) -> FileUnit:
    """Return the unit of a file that does not say: the given one, else a guess from the largest of its figures.

    Args:
        figures: For each figure its joints and tips in its first pose, shape (k, 3), [units of the file].
        file: Name of the file for messages.
        unit: Metres in one unit as given by the caller, or None.

    Raises:
        FormatError: If the given unit makes no sense.
    """
    if unit is not None:
        return FileUnit(checked_unit(unit, file), GIVEN)
    largest = max(figures, key=largest_extent, default=())
    guessed, guess = guess_unit(largest)
    if guess == SURE:
        return FileUnit(guessed, guess)
    size = largest_extent(largest)
    tried = ", ".join(name for _, name in UNITS[:-1]) + f" or {UNITS[-1][1]}"
    message = (
        f"the figure's first pose is {size:.4g} units large, which is not a grown person in {tried}; "
        "taken as metres, give the unit if that is wrong"
    )
    return FileUnit(guessed, guess, (Problem(file, 0, 0, message),))


def checked_unit(unit: float, file: str) -> float:
    """Return a unit given by the caller after checking that it makes sense.

    Raises:
        FormatError: If it is no number from ``SMALLEST`` to ``LARGEST``.
    """
    number = isinstance(unit, (int, float, np.integer, np.floating)) and not isinstance(unit, bool)
    if not number or not math.isfinite(unit) or not SMALLEST <= unit <= LARGEST:
        message = f"{unit!r} is not a unit; expected metres in one unit of the file, {SMALLEST:g} to {LARGEST:g}"
        raise FormatError(Problem(file, 0, 0, message))
    return float(unit)
