"""How far two convex polytopes are apart, compiled."""

from __future__ import annotations

import numba as nb
from numba import types

from core.dynamics.contact import closest_plain as plain
from core.dynamics.contact.twins import INLINE, INTERNAL, compiled, constants
from core.kinematics.inlining import F0, F1, F2, I0

V3, V4 = types.UniTuple(F0, 3), types.UniTuple(F0, 4)
globals().update(constants(plain))

dot = compiled(plain.dot, F0(V3, V3), INLINE, globals())
cross = compiled(plain.cross, V3(V3, V3), INLINE, globals())
minus = compiled(plain.minus, V3(V3, V3), INLINE, globals())
times = compiled(plain.times, V3(F0, V3), INLINE, globals())
row = compiled(plain.row, V3(F2, I0), INLINE, globals())
size_of = compiled(plain.size_of, F0(F2, I0, I0), INLINE, globals())
farthest = compiled(plain.farthest, I0(F2, I0, I0, V3), INTERNAL, globals())
on_segment = compiled(plain.on_segment, F0(V3, V3), INLINE, globals())
on_triangle = compiled(plain.on_triangle, V3(V3, V3, V3), INTERNAL, globals())
nearest_weights = compiled(plain.nearest_weights, V4(F2, I0), INTERNAL, globals())
distance = compiled(plain.distance, I0(F2, I0, I0, I0, I0, F0, F0, F2, F1), INTERNAL, globals())
