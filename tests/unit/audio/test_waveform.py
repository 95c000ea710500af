"""The picture of a sound shows its smallest and largest samples at any scale, for the price of its width."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.audio import Sound, Waveform


def slow(samples: np.ndarray, first: float, last: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest sample of columns, sample by sample."""
    edges = np.linspace(first, last, count + 1)
    low, high = np.zeros(count, np.float32), np.zeros(count, np.float32)
    for i, (a, b) in enumerate(pairwise(edges)):
        part = samples[max(int(np.floor(a)), 0) : max(int(np.floor(b)), int(np.floor(a)) + 1, 0)]
        if len(part):
            low[i], high[i] = part.min(), part.max()
    return low, high


@pytest.mark.parametrize("length", [1, 63, 64, 1000, 100_000])
@pytest.mark.parametrize("share", [0.001, 0.03, 0.4, 1.0, 3.0])
def test_columns_hold_what_the_samples_hold(length: int, share: float) -> None:
    samples = np.random.default_rng(length).uniform(-1, 1, length).astype(np.float32)
    waveform = Waveform(Sound(samples, 1000))
    first, count = -0.1 * length * share, 50
    last = first + length * share
    columns = waveform.columns(first / 1000, last / 1000, count)
    low, high = slow(samples, first, last, count)
    # No piece is longer than a column: what a column holds is seen in it or beside it, and nothing else is.
    for shown, true, best in ((columns.low, low, np.minimum), (columns.high, high, np.maximum)):
        around = [best.reduce([np.roll(values, k) for k in (-1, 0, 1)])[1:-1] for values in (shown, true)]
        assert (best(around[0], true[1:-1]) == around[0]).all()
        assert (best(around[1], shown[1:-1]) == around[1]).all()
    assert (columns.power <= np.maximum(-columns.low, columns.high) + 1e-6).all()


def test_a_single_loud_sample_is_seen_at_every_scale_and_where_it_is() -> None:
    samples = np.zeros(200_000, dtype=np.float32)
    samples[123_456] = 0.9
    waveform = Waveform(Sound(samples, 44100))
    for count in (3, 100, 1000, 20_000):
        columns = waveform.columns(0.0, 200_000 / 44100, count)
        places = np.flatnonzero(columns.high > 0.8)
        assert len(places) >= 1
        assert abs(places.mean() + 0.5 - 123_456 / 200_000 * count) <= 1.5
    assert waveform.peak == np.float32(0.9)


def test_a_picture_costs_what_it_is_wide() -> None:
    waveform = Waveform(Sound(np.zeros(3_000_000, dtype=np.float32), 44100))
    touched: list[int] = []

    class Watched:
        def __init__(self, values: np.ndarray):
            self.values = values

        def __len__(self) -> int:
            return len(self.values)

        def __getitem__(self, key: slice) -> np.ndarray:
            touched.append(len(self.values[key]))
            return self.values[key]

    waveform._levels = [level._replace(low=Watched(level.low)) for level in waveform._levels]
    for seconds in (60.0, 10.0, 2.0):
        touched.clear()
        waveform.columns(0.0, seconds, 500)
        assert sum(touched) <= 3 * 500 + 4


def test_nothing_is_shown_where_the_sound_is_not() -> None:
    waveform = Waveform(Sound(np.ones(1000, dtype=np.float32), 1000))
    columns = waveform.columns(-1.0, 2.0, 30)
    assert (columns.high[:10] == 0).all() and (columns.high[21:] == 0).all() and (columns.high[10:20] == 1).all()
    assert len(waveform.columns(0.0, 1.0, 0).low) == 0
