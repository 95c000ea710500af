"""The adaptive method behind the reference energies of columns "ode45": Dormand and Prince with its tolerances.

The energies that it gives are those of its own errors, so that they come out again only with its own choice of steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rates = Callable[[float, Array], Array]

_C = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
_A = (
    np.array([1 / 5]),
    np.array([3 / 40, 9 / 40]),
    np.array([44 / 45, -56 / 15, 32 / 9]),
    np.array([19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]),
    np.array([9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]),
    np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]),
)
_E = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def integrate(rates: Rates, y: Array, end: float, rtol: float = 1e-4, atol: float = 1e-6) -> Array:
    """Return ``y`` at ``end``, from time 0 on, by a fifth-order method with steps of its own choice.

    A step is taken where ``error = max |e| / max(|y|, |y_new|, atol / rtol) <= rtol``; the next one is
    ``0.8 (rtol / error)^(1/5)`` as long, at most five times, at most a tenth of the time, and no longer after a step
    that was refused.
    """
    t, threshold, longest = 0.0, atol / rtol, 0.1 * end
    K = np.empty((7, len(y)))
    K[0] = rates(t, y)
    steepest = float(np.max(np.abs(K[0]) / np.maximum(np.abs(y), threshold))) / (0.8 * rtol**0.2)
    h = min(longest, 1.0 / steepest if steepest > 0.0 else longest)
    while t < end:
        h = min(h, longest)
        if 1.1 * h >= end - t:
            h = end - t
        refused = False
        while True:
            for k, row in enumerate(_A, 1):
                new = y + h * (row @ K[:k])
                K[k] = rates(t + h * _C[k], new)
            error = h * float(np.max(np.abs(_E @ K) / np.maximum(np.maximum(np.abs(y), np.abs(new)), threshold)))
            if error <= rtol:
                break
            h = h * max(0.1, 0.8 * (rtol / error) ** 0.2) if not refused else 0.5 * h
            refused = True
        last = h == end - t
        t = end if last else t + h
        if not refused:
            growth = 1.25 * (error / rtol) ** 0.2
            h = h / growth if growth > 0.2 else 5.0 * h
        y = new.copy()
        K[0] = K[6]
    return y
