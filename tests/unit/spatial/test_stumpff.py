"""Stumpff's functions against their power series in many digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from core.spatial.stumpff import SERIES_BELOW, stumpff, stumpff_arrays

SQUARES = (0.0, 1e-300, 1e-24, 1e-12, 1e-4, 0.5, 1.0, 3.9, SERIES_BELOW, 4.1, 9.0, math.pi**2, 20.0, 39.4, 100.0)


def series(k: int, s: float) -> float:
    with localcontext() as context:
        context.prec = 80
        term, total, n = Decimal(1) / math.factorial(k), Decimal(0), 0
        while abs(term) > Decimal(10) ** -70 or n < 3:
            total += term
            n += 1
            term *= -Decimal(s) / ((2 * n + k - 1) * (2 * n + k))
        return float(total)


@pytest.mark.parametrize("s", SQUARES)
def test_every_coefficient_is_right_to_rounding(s: float) -> None:
    for k, found in enumerate(stumpff(s)):
        # Where the sine and the cosine cross zero, what is left of them is the rounding of the angle.
        assert abs(found - series(k, s)) < 1e-14 * max(abs(series(k, s)), 0.02 / math.factorial(k))


def test_batches_are_the_same() -> None:
    s = np.array(SQUARES).reshape(3, 5)
    for k, found in enumerate(stumpff_arrays(s)):
        alone = np.array([stumpff(x)[k] for x in SQUARES]).reshape(3, 5)
        assert np.abs(found - alone).max() <= 4e-16 / math.factorial(k)
