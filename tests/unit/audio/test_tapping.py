"""Taps of an unsteady hand become a steady beat."""

from __future__ import annotations

import numpy as np
import pytest

from core.audio.tapping import beats_of_taps


@pytest.mark.parametrize("tempo", [66.0, 112.0, 170.0])
def test_taps_give_the_beat_they_were_meant_for(tempo: float) -> None:
    rng = np.random.default_rng(3)
    true = np.arange(0.4, 40.0, 60.0 / tempo)
    taps = true[5:21] + rng.normal(0.0, 0.02, 16)
    beats = beats_of_taps(taps.tolist(), 40.0)
    assert beats is not None and not beats.doubtful
    assert beats.tempo == pytest.approx(tempo, rel=0.01)
    tapped = np.abs(beats.times[:, None] - true[None, 5:21]).min(axis=0)
    assert tapped.max() < 0.03
    assert beats.times[0] < 60.0 / tempo and beats.times[-1] > 40.0 - 60.0 / tempo
    bar = np.abs(beats.times[beats.downbeat :: 4] - true[5]).min()
    assert bar < 0.05  # the first tap begins a bar


def test_taps_in_a_loop_count_though_time_jumps_back() -> None:
    true = np.arange(0.2, 3.0, 0.5)
    beats = beats_of_taps([*true[2:], *true[1:], *true[1:4]], 10.0)
    assert beats is not None and beats.tempo == pytest.approx(120.0, rel=1e-3)
    assert beats.times[0] == pytest.approx(0.2, abs=2e-3) and beats.times[-1] > 9.4


def test_a_missed_tap_does_no_harm_and_too_few_give_nothing() -> None:
    true = np.arange(0.2, 10.0, 0.5)
    beats = beats_of_taps(np.delete(true, [4, 11]).tolist(), 10.0)
    assert beats is not None and beats.tempo == pytest.approx(120.0, rel=1e-3)
    assert beats_of_taps([1.0, 1.5], 10.0) is None and beats_of_taps([1.0, 1.0, 1.0, 1.0], 9.0) is None


def test_unsteady_taps_stay_as_they_are() -> None:
    taps = [0.5, 0.9, 1.8, 2.1, 3.3, 3.6, 4.9]
    beats = beats_of_taps(taps, 10.0)
    assert beats is not None and beats.doubtful and beats.times.tolist() == taps
