"""Ground made by numbers: hills round a clearing, stairs with walls."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import CoreError
from core.terrain import hills, stairs


def test_hills_are_as_high_as_said_and_level_in_the_clearing_and_at_the_rim():
    ground = hills(0.4, 3.0, 20.0, 1.5, 7)
    low, high = ground.extent
    assert low.tolist() == [-10.0, 0.0, -10.0]
    assert high == pytest.approx([10.0, 0.4, 10.0], abs=1e-12)
    angles = np.linspace(0.0, 2.0 * np.pi, 50)
    inside = 1.0 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert np.abs(ground.heights(inside)).max() == 0.0
    assert np.abs(ground.heights(np.array([[-10.0, 3.0], [4.0, 10.0]]))).max() < 1e-15
    middle = ground.heights(np.random.default_rng(1).uniform(-8.0, 8.0, (500, 2)))
    assert middle.std() > 0.05  # it is hilly


def test_hills_go_by_their_seed_alone():
    assert np.array_equal(hills(seed=3).vertices, hills(seed=3).vertices)
    assert not np.array_equal(hills(seed=3).vertices, hills(seed=4).vertices)


def test_stairs_rise_step_by_step_to_a_landing():
    ground = stairs(0.2, 0.25, 5, 1.0, 0.5, 2.0)
    treads = np.array([[0.3, 0.5 + 0.25 * (k + 0.5)] for k in range(5)])
    assert ground.heights(treads) == pytest.approx(0.2 * np.arange(1, 6), abs=1e-12)
    beside = np.array([[0.0, 0.4], [0.6, 1.0], [0.0, 0.5 + 4 * 0.25 + 2.1]])
    assert ground.heights(beside).tolist() == [0.0, 0.0, 0.0]
    assert ground.heights(np.array([[0.0, 0.5 + 4 * 0.25 + 1.9]])) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: hills(height=-1.0), lambda: hills(length=0.0), lambda: hills(size=float("nan")), lambda: hills(seed=-1),
        lambda: hills(seed=1.5), lambda: hills(height="2"), lambda: stairs(rise=0.0), lambda: stairs(number=0),
        lambda: stairs(number=True), lambda: stairs(tread=float("inf")),
    ],
)  # fmt: skip
def test_numbers_that_make_no_sense_are_refused_in_one_line(make):
    with pytest.raises(CoreError, match=r"^ground: ") as caught:
        make()
    assert "\n" not in str(caught.value)


def test_rays_meet_the_ground_where_it_is_first_on_their_way():
    ground = stairs(0.2, 0.25, 5, 1.0, 0.5, 2.0)
    down = np.array([0.0, -1.0, 0.0])
    assert ground.hit(np.array([0.2, 3.0, 0.6]), down) == pytest.approx([0.2, 0.2, 0.6], abs=1e-12)
    assert ground.hit(np.array([0.2, 0.1, 0.0]), np.array([0.0, 0.0, 1.0])) == pytest.approx([0.2, 0.1, 0.5], abs=1e-12)
    assert ground.hit(np.array([0.2, 3.0, 0.6]), -down) is None
    assert ground.hit(np.array([5.0, 3.0, 0.6]), down) is None
