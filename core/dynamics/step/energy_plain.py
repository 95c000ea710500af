"""No step adds energy: what linearized steps gain where limbs fly fast is taken from the velocities again.

All velocities are scaled by one number below 1. Rows that keep things apart hold all the same, as they only ask for
speeds that are not too negative.
"""

from __future__ import annotations

import math

from core.dynamics.step import motion_plain as motion
from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory


def bound_energy(m: Memory, share: float, work: float) -> float:
    """Scale velocities down where the energy has risen by more than work and a share of what a step may add.

    Args:
        m: The memory.
        share: Of the step that the substep was.
        work: What was done on purpose, [J].

    Returns:
        What it has risen too far even so: by what has been lifted, [J].
    """
    motion.measure(m)
    numbers, head = m.numbers, m.head
    kinetic, potential = float(numbers[at.KINETIC]), float(numbers[at.POTENTIAL])
    least = 0.0
    if head[at.KNOWN]:
        least = float(numbers[at.ENERGY]) + work + share * float(numbers[at.ENERGY_RISE]) - potential
        if kinetic > least:
            scale = math.sqrt(max(least, 0.0) / kinetic)
            m.vectors[at.U] *= scale
            kinetic = max(least, 0.0)
            if scale < 0.9:
                head[at.JUMPED] = 1
    numbers[at.ENERGY] = kinetic + potential
    head[at.KNOWN] = 1
    return max(0.0, -least)
