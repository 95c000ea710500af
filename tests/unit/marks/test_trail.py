"""Which keys are marked on a trail."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scene.bead_gaps import BEAD_GAP, far_apart
from app.scene.ghost_keys import trail_keys


@pytest.mark.parametrize(
    ("frames", "fps", "expected"),
    [
        ((0, 7, 9, 30), 30.0, [0, 7, 9, 30]),
        (range(0, 100), 120.0, [0, 30, 60, 90, 99]),
        (range(5, 25), 24.0, [5, 11, 17, 23, 24]),
        ((3,), 24.0, [3]),
        ((), 24.0, []),
    ],
)
def test_keys_set_by_hand_are_all_marked_and_some_of_a_recording(frames, fps, expected) -> None:
    assert trail_keys(SimpleNamespace(keys=SimpleNamespace(frames=tuple(frames)), fps=fps)) == expected


coordinate = st.floats(-200.0, 200.0)


@given(st.lists(st.tuples(coordinate, coordinate, st.sampled_from([-1.0, 3.0])), max_size=40))
def test_no_bead_hides_another_and_none_is_left_out_needlessly(rows) -> None:
    pixels = np.array(rows).reshape(-1, 3)
    kept = far_apart(pixels)
    seen = pixels[:, 2] > 0.0
    assert not (kept & ~seen).any()
    distances = np.hypot(*(pixels[:, None, :2] - pixels[None, kept, :2]).transpose(2, 0, 1))
    near = (distances < BEAD_GAP).sum(axis=1)
    assert (near[kept] == 1).all(), "only itself"
    assert (near[seen] >= 1).all(), "each has one near it"
    if seen.any():
        assert kept[np.flatnonzero(seen)[0]]
