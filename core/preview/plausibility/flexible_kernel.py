"""How a body of changing shape turns freely, by the Runge-Kutta method of fourth order on the group of rotations."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, F2, F3, F4, THREE, kernel

_SMALL = 1e-2  # [rad]: below, coefficients come from their series


@kernel(fastmath=EXACT)
def _turned(C: F2, x: float, y: float, z: float, out: F2) -> None:
    """Write ``C`` times the rotation by a vector into ``out``, which is another array (Rodrigues)."""
    s = x * x + y * y + z * z
    t = math.sqrt(s)
    if t < _SMALL:
        a = 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0))
        b = 0.5 - s / 24.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0))
    else:
        half = math.sin(0.5 * t) / t
        a, b = math.sin(t) / t, 2.0 * half * half
    for i in range(3):
        # Each row r turns as a vector does, the other way: r R = r + a (r x w) + b ((r x w) x w).
        r0, r1, r2 = C[i, 0], C[i, 1], C[i, 2]
        u0, u1, u2 = r1 * z - r2 * y, r2 * x - r0 * z, r0 * y - r1 * x
        out[i, 0] = r0 + a * u0 + b * (u1 * z - u2 * y)
        out[i, 1] = r1 + a * u1 + b * (u2 * x - u0 * z)
        out[i, 2] = r2 + a * u2 + b * (u0 * y - u1 * x)


@kernel(fastmath=EXACT)
def _rate(C: F2, p: F1, spin: F1, inverse: F2) -> THREE:
    """Return the angular velocity in the body's axes, ``I^-1 (C^T p - s)``."""
    l0 = C[0, 0] * p[0] + C[1, 0] * p[1] + C[2, 0] * p[2] - spin[0]
    l1 = C[0, 1] * p[0] + C[1, 1] * p[1] + C[2, 1] * p[2] - spin[1]
    l2 = C[0, 2] * p[0] + C[1, 2] * p[1] + C[2, 2] * p[2] - spin[2]
    return (
        inverse[0, 0] * l0 + inverse[0, 1] * l1 + inverse[0, 2] * l2,
        inverse[1, 0] * l0 + inverse[1, 1] * l1 + inverse[1, 2] * l2,
        inverse[2, 0] * l0 + inverse[2, 1] * l1 + inverse[2, 2] * l2,
    )


@kernel(fastmath=EXACT)
def turns(spins: F2, inverses: F3, step: float, kept: F2, C: F2, out: F4) -> None:
    """Write the turns of a body for constant angular momenta in the world into ``out``, shape (k, m, 3, 3).

    Args:
        spins: Angular momentum that it has by changing its shape, at the times and half way between, (2 m - 1, 3).
        inverses: The inverse of its inertia there, shape (2 m - 1, 3, 3).
        step: Time between two, [s].
        kept: The angular momenta, shape (k, 3).
        C: Scratch memory, shape (3, 3).
        out: The turns; the first of each is none.
    """
    h = step
    for n in range(len(kept)):
        for i in range(3):
            for j in range(3):
                out[n, 0, i, j] = 1.0 if i == j else 0.0
        for m in range(out.shape[1] - 1):
            k, now = 2 * m, out[n, m]
            a0, a1, a2 = _rate(now, kept[n], spins[k], inverses[k])
            _turned(now, 0.5 * h * a0, 0.5 * h * a1, 0.5 * h * a2, C)
            b0, b1, b2 = _rate(C, kept[n], spins[k + 1], inverses[k + 1])
            _turned(now, 0.5 * h * b0, 0.5 * h * b1, 0.5 * h * b2, C)
            c0, c1, c2 = _rate(C, kept[n], spins[k + 1], inverses[k + 1])
            _turned(now, h * c0, h * c1, h * c2, C)
            d0, d1, d2 = _rate(C, kept[n], spins[k + 2], inverses[k + 2])
            w = h / 6.0
            _turned(
                now, w * (a0 + 2.0 * b0 + 2.0 * c0 + d0), w * (a1 + 2.0 * b1 + 2.0 * c1 + d1),
                w * (a2 + 2.0 * b2 + 2.0 * c2 + d2), out[n, m + 1],
            )  # fmt: skip
