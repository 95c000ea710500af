"""No step adds energy: what linearized steps gain where limbs fly fast is taken from the velocities again.

All velocities are scaled by one number below 1. Rows that keep things apart hold all the same, as they only ask for
speeds that are not too negative.
"""

from __future__ import annotations

import math

from core.dynamics.step import motion_plain as motion
from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory

FAR_IN, FAR_OVER = 0.002, 0.15
"""What is deeper inside than this, [m], or farther over a limit, [rad], may be brought out at the cost of energy."""


def pushed_out(m: Memory) -> float:
    """Return the work of locks, and of what brings bodies and joints out that are far where they must not be."""
    total = 0.0
    for i in range(int(m.head[at.ROWS])):
        kind, of = int(m.row_kind[i]), int(m.row_of[i])
        work = float(m.row_values[at.MULTIPLIER, i] * m.row_values[at.BASE, i])
        if kind == at.CONTACT_KIND:
            far = m.contact[of, at.CONTACT_GAP] < -FAR_IN
        elif kind == at.BALL_ROW:
            ball, j = m.balls[of // 6], (of % 6) // 2
            angle = ball[at.BALL_ANGLES + j]
            far = (angle - ball[at.BALL_LOW + j] if of % 2 == 0 else ball[at.BALL_HIGH + j] - angle) < -FAR_OVER
        elif kind == at.LOCK_ROW:
            far = True
        else:
            x, low, high = m.vectors[[at.X, at.LOW, at.HIGH], of]
            far = (x - low if kind == at.LOW_ROW else high - x) < -FAR_OVER
        total += max(work, 0.0) if far else 0.0
    return total


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
