"""No step adds energy, compiled: see ``energy_plain``."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.by_address import by_address
from core.dynamics.step.rows_kernels import I8
from core.dynamics.step.slots import (
    ENERGY,
    ENERGY_RISE,
    JUMPED,
    KINETIC,
    KNOWN,
    MEASURE_AT,
    NODE_COUNT,
    NUMBER_COUNT,
    NUMBERS,
    POTENTIAL,
    VECTORS,
    U,
)
from core.kinematics.inlining import F0, F1, I1, view
from core.kinematics.linking import linked

call_measure = by_address(nb.void(F1, I1, I8))


@linked
@nb.njit(F0(F1, I1, I8, F0, F0), **INTERNAL)
def bound_energy(floats, ints, flags, share, work):  # type: ignore[no-untyped-def]
    """Scale velocities down where the energy has risen by more than work and a share of what a step may add.

    Return what it has risen too far even so.
    """
    n = ints[NODE_COUNT]
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    u = view(floats, ints[VECTORS] + U * n, (n,))
    call_measure(ints[MEASURE_AT], (floats, ints, flags))
    kinetic, potential = numbers[KINETIC], numbers[POTENTIAL]
    least = 0.0
    if ints[KNOWN]:
        least = numbers[ENERGY] + work + share * numbers[ENERGY_RISE] - potential
        if kinetic > least:
            scale = math.sqrt(max(least, 0.0) / kinetic)
            for i in range(n):
                u[i] *= scale
            kinetic = max(least, 0.0)
            if scale < 0.9:
                ints[JUMPED] = 1
    numbers[ENERGY] = kinetic + potential
    ints[KNOWN] = 1
    return max(0.0, -least)
