"""How deep two convex polytopes are in each other, compiled."""

from __future__ import annotations

import numba as nb

from core.dynamics.contact import overlap_plain as plain
from core.dynamics.contact.closest_kernels import V3, cross, dot, farthest, minus, row, times
from core.dynamics.contact.twins import INTERNAL, compiled, constants
from core.kinematics.inlining import F0, F1, F2, I0, I2

globals().update(constants(plain))

center_of = compiled(plain.center_of, V3(F2, I0, I0), INTERNAL, globals())
arcs_cross = compiled(plain.arcs_cross, nb.boolean(F2, I0, I0, I0, I0, V3, V3), INTERNAL, globals())
across = compiled(plain.across, V3(I2, I0, I0, I2, F2, V3), INTERNAL, globals())
overlap = compiled(plain.overlap, nb.void(I2, I0, I0, I2, F2, F2, F0, V3, F1), INTERNAL, globals())
