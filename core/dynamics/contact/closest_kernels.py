"""How far two convex polytopes are apart, compiled."""

from __future__ import annotations

from numba import types

import core.dynamics.contact.closest_plain as plain
from core.dynamics.contact.twins import INLINE, INTERNAL, Twins
from core.kinematics.inlining import F0, F1, F2, I0

V3, V4 = types.UniTuple(F0, 3), types.UniTuple(F0, 4)
twin = Twins(plain, __name__)

dot = twin(plain.dot, F0(V3, V3), INLINE)
cross = twin(plain.cross, V3(V3, V3), INLINE)
minus = twin(plain.minus, V3(V3, V3), INLINE)
times = twin(plain.times, V3(F0, V3), INLINE)
row = twin(plain.row, V3(F2, I0), INLINE)
size_of = twin(plain.size_of, F0(F2, I0, I0), INLINE)
farthest = twin(plain.farthest, I0(F2, I0, I0, V3), INTERNAL)
on_segment = twin(plain.on_segment, F0(V3, V3), INLINE)
on_triangle = twin(plain.on_triangle, V3(V3, V3, V3), INTERNAL)
nearest_weights = twin(plain.nearest_weights, V4(F2, I0), INTERNAL)
distance = twin(plain.distance, I0(F2, I0, I0, I0, I0, F0, F0, F2, F1), INTERNAL)
