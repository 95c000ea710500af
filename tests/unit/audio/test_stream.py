"""What is heard: the sound from where playing starts, cut and joined where the range loops."""

from __future__ import annotations

import numpy as np

from core.audio import Sound
from core.audio.stream import FADE, Span, Stream

RATE = 1000


def counting(seconds: float) -> Sound:
    """A sound whose samples say when they are, [ks]."""
    return Sound((np.arange(int(seconds * RATE)) / RATE / 1000.0).astype(np.float32), RATE)


def heard(stream: Stream, count: int, slice_length: int = 37) -> np.ndarray:
    """Return samples as times, [s], read in small slices."""
    parts = []
    while count > 0:
        parts.append(stream.read(min(slice_length, count)))
        count -= len(parts[-1])
    return np.concatenate(parts) * 1000.0


def test_it_is_heard_from_the_start_on_and_silent_before_and_after() -> None:
    samples = heard(Stream(counting(2.0), offset=0.5, start=0.2, gain=0.5), 3000)
    assert (samples[:300] == 0.0).all() and (samples[2301:] == 0.0).all()
    np.testing.assert_allclose(samples[310:2300], 0.5 * (np.arange(310, 2300) / RATE - 0.3), atol=1e-4)


def test_a_sound_that_starts_before_frame_0_is_heard_from_its_middle() -> None:
    samples = heard(Stream(counting(2.0), offset=-0.75, start=0.0), 500)
    np.testing.assert_allclose(samples[10:], 0.75 + np.arange(10, 500) / RATE, atol=1e-4)


def test_a_loop_joins_to_the_sample_and_fades_at_its_seam() -> None:
    loop = Span(0.1, 0.4)
    stream = Stream(counting(2.0), offset=0.0, start=0.3, loop=loop)
    samples = heard(stream, 2000)
    after = np.arange(2000) / RATE
    true = np.where(after < 0.2, 0.3 + after, 0.1 + (after - 0.2) % 0.4)
    seam = (after - 0.2) % 0.4
    clear = (np.minimum(seam, 0.4 - seam) > FADE + 0.001) & (after > FADE + 0.001)
    assert clear.mean() > 0.9
    np.testing.assert_allclose(samples[clear], true[clear], atol=1e-4)
    np.testing.assert_allclose(stream.time_after(after)[clear], true[clear], atol=1e-9)
    assert samples[199] < 0.5 * true[199] and samples[600] < 0.1 * true[600]


def test_a_grain_fades_in_and_out_and_ends() -> None:
    samples = heard(Stream(Sound(np.ones(2000, np.float32), RATE), 0.0, 0.5, length=0.05), 100) / 1000.0
    assert samples[0] == 0.0 and samples[25] == 1.0 and (samples[50:] == 0.0).all()


def test_too_loud_is_cut_off() -> None:
    assert np.abs(Stream(Sound(np.ones(100, np.float32), RATE), 0.0, 0.0, gain=3.0).read(50)).max() == 1.0
