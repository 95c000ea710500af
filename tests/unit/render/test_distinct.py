"""Distinct numbers: as ``numpy.unique`` says, whether they are counted or sorted."""

import numpy as np
import pytest

from app.render.mesh.distinct import distinct


@pytest.mark.parametrize("low, high", [(0, 40), (-30, 9), (-(10**12), 10**12), (7, 8)])
def test_as_numpys_unique(low: int, high: int) -> None:
    keys = np.random.default_rng(4).integers(low, high, (50, 3))
    for some in (keys, keys[:0]):
        values, first, which = np.unique(some, return_index=True, return_inverse=True)
        found = distinct(some)
        assert np.array_equal(found.values, values)
        assert np.array_equal(found.first, first)
        assert np.array_equal(found.which, which.ravel())
