"""How deep two convex polytopes are in each other, compiled."""

from __future__ import annotations

import numba as nb

import core.dynamics.contact.overlap_plain as plain
from core.dynamics.contact.closest_kernels import V3, cross, dot, farthest, minus, row, times
from core.dynamics.contact.twins import INTERNAL, Twins
from core.kinematics.inlining import F0, F1, F2, I0, I2

twin = Twins(plain, __name__, cross=cross, dot=dot, farthest=farthest, minus=minus, row=row, times=times)

arcs_cross = twin(plain.arcs_cross, nb.boolean(V3, V3, V3, V3, V3, V3), INTERNAL)
across = twin(plain.across, V3(I2, I0, I0, I2, F2, V3), INTERNAL)
overlap = twin(plain.overlap, nb.void(I2, I0, I0, I2, F2, F2, F0, V3, F1), INTERNAL)
