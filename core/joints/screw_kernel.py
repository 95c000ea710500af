"""A screw as kernels call it."""

from __future__ import annotations

import math

from core.kernels import EXACT, P1, kernel


@kernel(pointers=True, fastmath=EXACT)
def screw(q: P1, constants: P1, out: P1, order: int) -> None:
    """Write Q, S and dS/dq of a screw, see ``core.joints.base.JointModel.evaluation``.

    ``constants``: the axis, and the way along it per radian, [m].
    """
    angle, x, y, z, rise = q[0], constants[0], constants[1], constants[2], constants[3]
    c, s = math.cos(angle), math.sin(angle)
    half = math.sin(0.5 * angle)
    h = 2.0 * half * half
    out[0], out[1], out[2], out[3] = c + h * x * x, h * x * y - s * z, h * x * z + s * y, rise * angle * x
    out[4], out[5], out[6], out[7] = h * x * y + s * z, c + h * y * y, h * y * z - s * x, rise * angle * y
    out[8], out[9], out[10], out[11] = h * x * z - s * y, h * y * z + s * x, c + h * z * z, rise * angle * z
    if order >= 1:
        out[12], out[13], out[14], out[15], out[16], out[17] = x, y, z, rise * x, rise * y, rise * z
    if order >= 2:
        for i in range(18, 24):
            out[i] = 0.0
