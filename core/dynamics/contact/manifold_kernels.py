"""All points in which two convex shapes touch, compiled."""

from __future__ import annotations

import numba as nb
from numba import types

import core.dynamics.contact.manifold_plain as plain
from core.dynamics.contact.closest_kernels import V3, cross, dot, farthest, minus, on_segment, row, size_of, times
from core.dynamics.contact.twins import INTERNAL, Twins
from core.kinematics.inlining import F0, F1, F2, I0, I1, I2

twin = Twins(
    plain,
    __name__,
    cross=cross,
    dot=dot,
    farthest=farthest,
    minus=minus,
    on_segment=on_segment,
    row=row,
    size_of=size_of,
    times=times,
)

feature = twin(plain.feature, I0(I2, I0, I2, I2, I1, F2, F2, V3, I1, I0), INTERNAL)
flatten = twin(plain.flatten, nb.void(F2, I0, I1, I0, I0, V3, V3, V3, V3, F2), INTERNAL)
clip = twin(plain.clip, I0(F2, I0, F2, I0, I0, F0, F0, F2), INTERNAL)
slope = twin(plain.slope, types.UniTuple(F0, 2)(F2, I0), INTERNAL)
spread = twin(plain.spread, I0(F2, I0, F0), INTERNAL)
contact = twin(plain.contact, I0(I0, V3, F0, V3, F0, F0, I2, I0, I0, I0, I0, I0, I0, F0, F2, I1), INTERNAL)
along = twin(
    plain.along,
    I0(I0, V3, F0, V3, V3, F0, F0, F0, F0, I2, I0, I0, F2, I1, I0, F0, F2, I1),
    INTERNAL,
)
patch = twin(
    plain.patch,
    I0(I2, F2, I0, I0, I2, I2, I1, F2, F2, I1, F2, F2, F2, F1, F0, F0, I0, I0, F2, I1),
    INTERNAL,
)
