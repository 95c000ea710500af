"""Springs, dampers and torques on the three numbers of a rotation vector, as they are at the end of the substep.

The rotation vector is the one nearest to where the spring rests. Its rates are ``E omega`` with E the inverse of its
right Jacobian, ``1 + [r] / 2 + (1 - |r| / 2 cot(|r| / 2)) / |r|^2 [r]^2``. So a torque t by them is ``E^T t`` about the
rotation's own axes, and ``h D + h^2 K`` adds ``E^T (h D + h^2 K) E`` to the mass matrix.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import Memory
from core.dynamics.forces.stiffening_kernel import stiffening
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, THREE, kernel

SERIES_BELOW = 0.3
"""Angle, [rad], below which the coefficient in E is a series, to rounding."""
NONE = 1e-12
"""Sine of half an angle below which a turn has no axis."""


@kernel(internal=True, fastmath=FAST)
def vector_near(turn: F1, near: F1) -> THREE:
    """Return the rotation vector of a quaternion; of those about its axis the one nearest to another."""
    w, x, y, z = turn[0], turn[1], turn[2], turn[3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine > NONE:
        x, y, z = x / sine, y / sine, z / sine
        angle, along = 2.0 * math.atan2(sine, w), x * near[0] + y * near[1] + z * near[2]
        angle += 2.0 * math.pi * math.floor((along - angle) / (2.0 * math.pi) + 0.5)
        return angle * x, angle * y, angle * z
    size = math.sqrt(near[0] * near[0] + near[1] * near[1] + near[2] * near[2])
    turns = math.floor(size / (2.0 * math.pi) + 0.5)
    if turns > 0.0:
        factor = 2.0 * math.pi * turns / size
        return factor * near[0], factor * near[1], factor * near[2]
    return 2.0 * x, 2.0 * y, 2.0 * z


@kernel(internal=True, fastmath=FAST)
def rates_by_turning(r0: float, r1: float, r2: float, E: F1) -> None:
    """Write the nine numbers of E, row by row, with the rates of a rotation vector ``E omega``, omega in own axes."""
    s = r0 * r0 + r1 * r1 + r2 * r2
    angle = math.sqrt(s)
    if angle < SERIES_BELOW:
        c = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s / 1209600.0))
    else:
        c = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / s
    E[0], E[1], E[2] = 1.0 - c * (s - r0 * r0), c * r0 * r1 - 0.5 * r2, c * r0 * r2 + 0.5 * r1
    E[3], E[4], E[5] = c * r0 * r1 + 0.5 * r2, 1.0 - c * (s - r1 * r1), c * r1 * r2 - 0.5 * r0
    E[6], E[7], E[8] = c * r0 * r2 - 0.5 * r1, c * r1 * r2 + 0.5 * r0, 1.0 - c * (s - r2 * r2)


@kernel(linked=True, fastmath=FAST)
def vector_forces(memory: Memory, h: float) -> None:
    """Add what acts on rotation vectors to ``applied``, and what is implicit of it to ``applied_mass``."""
    applied, mass, u = memory.applied, memory.applied_mass, memory.u
    r, E = memory.projection[0:3], memory.projection[3:12]
    for n in range(memory.state.vector_force_count):
        own = memory.vector_forces[n]
        i = own.node
        r[0], r[1], r[2] = vector_near(memory.nodes[i].turn, own.rest)
        rates_by_turning(r[0], r[1], r[2], E)
        for k in range(3):
            row = E[3 * k : 3 * k + 3]
            pull, tangent, _ = stiffening(own.stiffness[k], own.hardening[k], r[k] - own.rest[k])
            rate = row[0] * u[i] + row[1] * u[i + 1] + row[2] * u[i + 2]
            torque = own.torque[k] - pull - (own.damping[k] + h * tangent) * rate
            weight = h * own.damping[k] + h * h * tangent
            for a in range(3):
                applied[i + a] += torque * row[a]
                at = memory.start[i + a] + memory.depth[i]
                for b in range(a + 1):
                    mass[at + b] += weight * row[a] * row[b]
