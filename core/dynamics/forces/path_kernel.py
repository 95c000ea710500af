"""Forces along paths of straight segments through points of bodies: springs, elastic ropes, muscles.

The tension is the same in the whole path and depends on its length and how fast that changes. It does the same work as
a force ``-tension * d length / d q`` on the coordinates q.

Source: Sueda 1.39, 1.57 to 1.60, 1.65.
"""

from __future__ import annotations

import math

from core.dynamics.forces.muscle_kernel import muscle_tension
from core.kernels import F1, F2, FOUR, PAIR, kernel

SPRING, ROPE, MUSCLE = range(3)
"""What tension follows from: a spring and a damper that pull and push; that only pull; a muscle."""


@kernel(internal=True, python=True)
def segments(places: F2, velocities: F2, out: F2) -> PAIR:
    """Write direction and length of each segment of a path; return the length of all, and how fast it grows.

    Args:
        places, velocities: Of its points, shape (n, 3).
        out: Unit vector to the next point, and length, of each segment, shape (n - 1, 4). One without a length goes
            along x.
    """
    length = rate = 0.0
    for k in range(len(places) - 1):
        x, y = places[k + 1, 0] - places[k, 0], places[k + 1, 1] - places[k, 1]
        z = places[k + 1, 2] - places[k, 2]
        own = math.sqrt(x * x + y * y + z * z)
        if own > 0.0:
            x, y, z = x / own, y / own, z / own
        else:
            x, y, z = 1.0, 0.0, 0.0
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = x, y, z, own
        length += own
        rate += x * (velocities[k + 1, 0] - velocities[k, 0]) + y * (velocities[k + 1, 1] - velocities[k, 1])
        rate += z * (velocities[k + 1, 2] - velocities[k, 2])
    return length, rate


@kernel(internal=True, python=True)
def tension(law: int, own: F1, activation: float, length: float, rate: float) -> FOUR:
    """Return the tension of a path, its derivatives by length and by rate, and the energy that is stored in it.

    Args:
        law: ``SPRING``, ``ROPE`` or ``MUSCLE``.
        own: Stiffness [N/m], length at rest [m] and damping [N s/m]; of a muscle as ``muscle_tension`` has them.
        activation: Of a muscle, 0 to 1.
        length: [m].
        rate: [m/s].
    """
    if law == MUSCLE:
        return muscle_tension(own, activation, length, rate)
    stretch = length - own[1]
    pull, energy = own[0] * stretch + own[2] * rate, 0.5 * own[0] * stretch * stretch
    if law == ROPE:
        if stretch <= 0.0:
            return 0.0, 0.0, 0.0, 0.0
        if pull <= 0.0:
            return 0.0, 0.0, 0.0, energy
    return pull, own[0], own[2], energy
