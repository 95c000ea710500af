"""Arrays found in two blocks: the same ones in Python and in machine code, nothing over another."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numba as nb
import numpy as np
import pytest

from core.ik import packed as ik
from core.kernels import F1, F2, I1, I2, At, Layout
from core.kernels.compiling import numba_type
from core.kernels.intrinsics import unpacking


class Numbers(NamedTuple):
    counts: Annotated[I1, At(1), 2]
    first: Annotated[I2, "K", 2]
    scale: F1
    J: Annotated[F2, "3*K*G", "G"]


class More(NamedTuple):
    last: Annotated[F1, "K"]
    scale: F1
    ends: Annotated[I1, "G"]


LAYOUT = Layout((Numbers, More), {"K": 1, "G": 2}, 4)


def test_arrays_lie_behind_each_other_and_fill_the_blocks() -> None:
    for layout, header in ((LAYOUT, (9, 3, 2, 8)), (ik.unpack, (5, 2, 1, 7))):
        ints, floats = layout.allocate(list(header))
        ints[layout.header :], floats[:] = np.arange(len(ints))[layout.header :], np.arange(len(floats))
        found = layout(ints, floats, *[np.zeros(1)] * len(layout.given))
        arrays = [a for part in (found if isinstance(found[0], tuple) else (found,)) for a in part]
        for block in (ints[layout.header :], floats):
            own = [a.ravel() for a in arrays if a.dtype == block.dtype and np.may_share_memory(a, block)]
            assert sum(len(a) for a in own) == len(block)
            np.testing.assert_array_equal(np.sort(np.concatenate(own)), block)


def test_machine_code_finds_the_same_arrays() -> None:
    unpack = unpacking(LAYOUT, [numba_type(cls) for cls in LAYOUT.classes])

    @nb.njit(_nrt=False)  # as kernels are compiled: what is handed in is not counted
    def total(ints, floats, a, b):  # type: ignore[no-untyped-def]
        one, two = unpack(ints, floats, a, b)
        return (
            one.counts[1], one.first[2, 1], one.scale[0], one.J[17, 1], one.J.shape, two.last[2], two.scale[0],
            two.ends[1], two.ends.shape,
        )  # fmt: skip

    ints, floats = LAYOUT.allocate([9, 3, 2, 8])
    ints[4:], floats[:] = np.arange(len(ints))[4:], np.arange(len(floats))
    a, b = np.array([0.5]), np.array([0.25])
    one, two = LAYOUT(ints, floats, a, b)
    assert total(ints, floats, a, b) == (
        one.counts[1], one.first[2, 1], 0.5, one.J[17, 1], one.J.shape, two.last[2], 0.25, two.ends[1], two.ends.shape,
    )  # fmt: skip


def test_a_wrong_table_is_refused() -> None:
    class Wrong(NamedTuple):
        x: Annotated[F2, "K"]

    with pytest.raises(TypeError, match="x has 2 axes and 1 lengths"):
        Layout((Wrong,), {"K": 0}, 1)
    with pytest.raises(TypeError, match="kernels know no"):
        numba_type(str)
