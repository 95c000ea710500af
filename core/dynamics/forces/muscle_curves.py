"""The three curves of a muscle: how its force depends on its length and on how fast that changes.

Each is a row of cubics ``a x^3 + b x^2 + c x + d``, found from what is asked of it: values, slopes and curvatures at
places, and that one cubic goes on as the next one begins. Lengths are in optimal lengths, speeds in the largest speed
of shortening, forces in the largest isometric force.

Source: Sueda 1.40 to 1.46, whose numbers come from OpenSim (1.41 is printed with 1.8 where the curve ends at 1.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Cubic = tuple[float, float, float, float]


class Term(NamedTuple):
    """A derivative of one of the cubics at a place.

    Attributes:
        cubic: Which of them.
        order: 0 is the value itself, up to 2.
        x: The place.
    """

    cubic: int
    order: int
    x: float


class Condition(NamedTuple):
    """What is asked of a curve: a derivative has a value, less that of another derivative if there is one.

    Attributes:
        term: The derivative.
        value: What it is to be.
        less: What is taken from it.
    """

    term: Term
    value: float
    less: Term | None = None


def smooth(cubic: int, x: float) -> list[Condition]:
    """Return the conditions that a cubic goes on in the next one without a jump or a kink."""
    return [Condition(Term(cubic, order, x), 0.0, Term(cubic + 1, order, x)) for order in (0, 1)]


PASSIVE_CONDITIONS = [
    Condition(Term(0, 0, 1.0), 0.0), Condition(Term(0, 0, 1.3), 0.126110265892917), Condition(Term(1, 0, 1.7), 1.0),
    Condition(Term(0, 1, 1.0), 0.0), Condition(Term(0, 1, 1.3), 1.07051016402631),
    Condition(Term(1, 1, 1.7), 2.85714285714286), *smooth(0, 1.3),
]  # fmt: skip
"""Of the force of a stretched muscle that does nothing, by its length (Sueda 1.41)."""

ACTIVE_CONDITIONS = [
    Condition(Term(0, 0, 0.4), 0.0), Condition(Term(0, 1, 0.4), 0.0), Condition(Term(1, 0, 1.0), 1.0),
    Condition(Term(1, 1, 1.0), 0.0), Condition(Term(2, 0, 1.81), 0.0), Condition(Term(2, 1, 1.81), 0.0),
    *smooth(0, 0.7), *smooth(1, 1.2), Condition(Term(0, 0, 0.7), 0.767020368396388), Condition(Term(1, 0, 1.2), 0.89),
]  # fmt: skip
"""Of the force of an active muscle by its length (Sueda 1.43)."""

SPEED_CONDITIONS = [
    Condition(Term(0, 0, -1.0), 0.0), Condition(Term(0, 1, -1.0), 0.0), Condition(Term(0, 2, -1.0), 0.0),
    Condition(Term(2, 0, 1.0), 1.4), Condition(Term(2, 1, 1.0), 0.0), Condition(Term(2, 2, 1.0), 0.0),
    *smooth(0, -0.05), *smooth(1, 0.05), Condition(Term(1, 0, 0.0), 1.0), Condition(Term(1, 1, 0.0), 5.0),
]  # fmt: skip
"""Of the force of an active muscle by its speed, negative where it becomes shorter (Sueda 1.45)."""


def cubics(conditions: Sequence[Condition]) -> tuple[Cubic, ...]:
    """Return the cubics that meet conditions, four for each."""
    rows = np.stack([_row(own.term, len(conditions)) for own in conditions])
    for row, own in zip(rows, conditions, strict=True):
        if own.less is not None:
            row -= _row(own.less, len(conditions))
    found = np.linalg.solve(rows, [own.value for own in conditions]).reshape(-1, 4)
    return tuple((a, b, c, d) for a, b, c, d in found.tolist())


def _row(term: Term, count: int) -> np.ndarray:
    """Return what a derivative is by the coefficients of all cubics, shape (count,)."""
    row, x = np.zeros(count), term.x
    powers = ((x**3, x**2, x, 1.0), (3.0 * x**2, 2.0 * x, 1.0, 0.0), (6.0 * x, 2.0, 0.0, 0.0))
    row[4 * term.cubic : 4 * term.cubic + 4] = powers[term.order]
    return row


PASSIVE, ACTIVE, SPEED = (cubics(own) for own in (PASSIVE_CONDITIONS, ACTIVE_CONDITIONS, SPEED_CONDITIONS))
