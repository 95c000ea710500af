"""Where shapes touch, compiled."""

from __future__ import annotations

import numba as nb

from core.dynamics.contact import pairs_plain as plain
from core.dynamics.contact.closest_kernels import V3, distance, size_of
from core.dynamics.contact.manifold_kernels import patch
from core.dynamics.contact.overlap_kernels import overlap
from core.dynamics.contact.twins import INLINE, INTERNAL, KERNEL, compiled, constants
from core.kinematics.inlining import F0, F1, F2, F3, I0, I1, I2, view

globals().update(constants(plain))

place = compiled(plain.place, nb.void(I2, I0, F2, F2, F3, F2), INTERNAL, globals())
turn = compiled(plain.turn, nb.void(I2, I0, F2, F2, F3), INTERNAL, globals())
beyond = compiled(plain.beyond, nb.boolean(I2, F2, I0, I0, I2, I1, F2, F2, F0), INTERNAL, globals())
floor_row = compiled(plain.floor_row, I0(I0, F1, F2, I0, F0, F0, F0, I0, I0, I0, F2, I1), INLINE, globals())
touch_floor = compiled(plain.touch_floor, I0(I0, F1, I2, F2, F2, F2, F3, F2, F1, F2, I1), INTERNAL, globals())
touch_pairs = compiled(plain.touch_pairs, I0(I1, F1, I2, F2, F2, F2, F3, F2, F1, I0, F2, I1), INTERNAL, globals())
find = compiled(plain.find, I0(I1, F1, F3, F2, F1, F2, I1), KERNEL, globals())
