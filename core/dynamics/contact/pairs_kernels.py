"""Where shapes touch, compiled."""

from __future__ import annotations

import numba as nb

import core.dynamics.contact.pairs_plain as plain
from core.dynamics.contact.closest_kernels import distance, size_of
from core.dynamics.contact.manifold_kernels import patch
from core.dynamics.contact.overlap_kernels import overlap
from core.dynamics.contact.twins import INLINE, INTERNAL, KERNEL, Twins
from core.kinematics.inlining import F0, F1, F2, F3, I0, I1, I2, view

twin = Twins(plain, __name__, distance=distance, size_of=size_of, patch=patch, overlap=overlap, view=view)

place = twin(plain.place, nb.void(I2, I0, F2, F2, F3, F2), INTERNAL)
turn = twin(plain.turn, nb.void(I2, I0, F2, F2, F3), INTERNAL)
beyond = twin(plain.beyond, nb.boolean(I2, F2, I0, I0, I2, I1, F2, F2, F0), INTERNAL)
floor_row = twin(plain.floor_row, I0(I0, F1, F2, I0, F0, F0, F0, I0, I0, I0, F2, I1), INLINE)
touch_floor = twin(plain.touch_floor, I0(I0, F1, I2, F2, F2, F2, F3, F2, F1, F2, I1), INTERNAL)
touch_pairs = twin(plain.touch_pairs, I0(I1, F1, I2, F2, F2, F2, F3, F2, F1, I0, F2, I1), INTERNAL)
find = twin(plain.find, I0(I1, F1, F3, F2, F1, F2, I1), KERNEL)
