"""All points in which two convex shapes touch, compiled."""

from __future__ import annotations

import numba as nb
from numba import types

from core.dynamics.contact import manifold_plain as plain
from core.dynamics.contact.closest_kernels import V3, cross, dot, farthest, minus, on_segment, row, size_of, times
from core.dynamics.contact.twins import INTERNAL, compiled, constants
from core.kinematics.inlining import F0, F1, F2, I0, I1, I2

globals().update(constants(plain))

feature = compiled(plain.feature, I0(I2, I0, I2, I2, I1, F2, F2, V3, I1, I0), INTERNAL, globals())
flatten = compiled(plain.flatten, nb.void(F2, I0, I1, I0, I0, V3, V3, V3, V3, F2), INTERNAL, globals())
clip = compiled(plain.clip, I0(F2, I0, F2, I0, I0, F0, F0, F2), INTERNAL, globals())
slope = compiled(plain.slope, types.UniTuple(F0, 2)(F2, I0), INTERNAL, globals())
spread = compiled(plain.spread, I0(F2, I0, F0), INTERNAL, globals())
contact = compiled(
    plain.contact, I0(I0, V3, F0, V3, F0, F0, I2, I0, I0, I0, I0, I0, I0, F0, F2, I1), INTERNAL, globals()
)
along = compiled(
    plain.along,
    I0(I0, V3, F0, V3, V3, F0, F0, F0, F0, I2, I0, I0, F2, I1, I0, F0, F2, I1),
    INTERNAL,
    globals(),
)
patch = compiled(
    plain.patch,
    I0(I2, F2, I0, I0, I2, I2, I1, F2, F2, I1, F2, F2, F2, F1, F0, F0, I0, I0, F2, I1),
    INTERNAL,
    globals(),
)
