"""Beats of click tracks whose beats are known, and of what has none."""

from __future__ import annotations

import numpy as np
import pytest

from core.audio import Beats, Sound, find_beats, read_sound
from core.audio.onsets import onset_strength
from core.errors import Cancelled

RATE = 22050
WITHIN = 0.02


def clicks(times: np.ndarray, seconds: float, tone: float = 1000.0, noise: float = 0.0, loud: object = 0.8) -> Sound:
    """Return strokes at times, each with its own loudness, over noise of an amplitude."""
    samples = noise * np.random.default_rng(4).standard_normal(int(seconds * RATE))
    t = np.arange(int(0.15 * RATE)) / RATE
    stroke = np.cos(2 * np.pi * tone * t) * np.exp(-t / 0.02)
    for time, volume in zip(times, np.broadcast_to(loud, len(times)), strict=True):
        at = round(time * RATE)
        part = samples[at : at + len(stroke)]
        part += volume * stroke[: len(part)]
    return Sound(samples.astype(np.float32), RATE)


def found(beats: Beats, true: np.ndarray) -> float:
    """Return the share of beats that were found, less the share of found ones that are none."""
    away = np.abs(beats.times[:, None] - true[None, :])
    return float((away.min(axis=0) < WITHIN).mean() - (away.min(axis=1) >= WITHIN).mean())


@pytest.mark.parametrize("tempo", [60, 85, 112, 140, 180])
@pytest.mark.parametrize("tone", [70.0, 4000.0])
def test_a_click_track_has_the_beats_it_was_made_with(tempo: float, tone: float) -> None:
    true = np.arange(0.37, 20.0, 60.0 / tempo)
    beats = find_beats(clicks(true, 20.0, tone))
    assert found(beats, true) >= 0.95 and not beats.doubtful
    assert beats.tempo == pytest.approx(tempo, rel=2e-3)
    assert abs(np.mean(beats.times - true[: len(beats.times)])) < 0.003  # and they are not early or late as a whole


@pytest.mark.parametrize("tempo", [85, 112, 170])
@pytest.mark.parametrize("place", [0.5, 0.62])
def test_soft_strokes_between_beats_straight_or_swung_are_no_beats(tempo: float, place: float) -> None:
    true = np.arange(0.2, 20.0, 60.0 / tempo)
    strokes = np.concatenate([true, true + place * 60.0 / tempo])
    loud = np.repeat([0.8, 0.3], len(true))
    assert found(find_beats(clicks(strokes, 20.0, noise=0.01, loud=loud)), true) >= 0.95


@pytest.mark.parametrize(("start", "end"), [(100.0, 125.0), (140.0, 110.0)])
def test_beats_follow_a_tempo_that_drifts(start: float, end: float) -> None:
    true = [0.5]
    while true[-1] < 30.0:
        true.append(true[-1] + 60.0 / (start + (end - start) * true[-1] / 30.0))
    assert found(find_beats(clicks(np.array(true), 31.0)), np.array(true)) >= 0.95


def test_beats_are_found_under_noise_and_where_a_player_is_unsteady() -> None:
    rng = np.random.default_rng(7)
    true = np.arange(0.4, 20.0, 60.0 / 112.0)
    true += rng.normal(0.0, 0.008, len(true))
    assert found(find_beats(clicks(true, 20.0, noise=0.1)), true) >= 0.95


def test_beats_begin_and_end_with_the_strokes() -> None:
    true = np.arange(6.0, 14.0, 0.5)
    beats = find_beats(clicks(true, 20.0, noise=0.001))
    assert found(beats, true) >= 0.95
    assert beats.times[0] > 5.9 and beats.times[-1] < 14.1


def test_bars_begin_where_the_bass_is() -> None:
    true = np.arange(0.3, 20.0, 0.5)
    high, low = clicks(true, 20.0, 3000.0), clicks(true[2::4], 20.0, 60.0)
    beats = find_beats(Sound(high.samples + low.samples, RATE))
    assert beats.downbeat == 2


def test_a_tempo_that_is_known_is_kept_to() -> None:
    true = np.arange(0.3, 20.0, 0.4)
    loud = np.where(np.arange(len(true)) % 2, 0.4, 0.8)
    sound = clicks(true, 20.0, loud=loud)
    assert find_beats(sound, near=148.0).tempo == pytest.approx(150.0, rel=2e-3)
    assert find_beats(sound, near=76.0).tempo == pytest.approx(75.0, rel=2e-3)


@pytest.mark.parametrize("seconds", [4.0, 20.0])
def test_noise_silence_and_a_tone_have_no_sure_beat(seconds: float) -> None:
    count = int(seconds * RATE)
    noise = 0.2 * np.random.default_rng(1).standard_normal(count)
    tone = 0.3 * np.sin(0.1 * np.arange(count))
    for samples in (noise, np.cumsum(noise) / 50.0, tone, np.zeros(count), np.zeros(9)):
        beats = find_beats(Sound(samples.astype(np.float32), RATE))
        assert beats.doubtful and len(beats.times) == 0 and beats.tempo is None


def test_finding_beats_can_be_stopped_and_reports_how_far_it_is() -> None:
    sound = clicks(np.arange(0.3, 20.0, 0.5), 20.0)
    reported: list[float] = []
    find_beats(sound, reported.append)
    assert reported == sorted(reported) and reported[-1] == 1.0 and len(reported) >= 4

    def stop(done: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        find_beats(sound, stop)


def test_onsets_do_not_depend_on_the_rate_of_the_samples() -> None:
    true = np.arange(0.3, 5.0, 0.5)
    low = clicks(true, 5.0)
    high = Sound(np.repeat(low.samples, 2), 2 * RATE)
    a, b = onset_strength(low), onset_strength(high)
    assert a.rate == b.rate and np.corrcoef(a.strength, b.strength[: len(a.strength)])[0, 1] > 0.98


def test_the_drums_that_come_with_the_program_are_as_they_are_made_and_their_beats_are_found() -> None:
    from core.formats.bundled import bundled_folder
    from skeletons.making.motion import make_music

    sound = read_sound(bundled_folder() / "music" / "drums.wav")
    made = make_music.drums() / 32768.0
    assert np.abs(sound.samples - made).max() < 2.0 / 32768.0  # sines may differ by a bit between machines
    beats = find_beats(sound)
    assert found(beats, make_music.beats()) >= 0.95 and beats.downbeat == 0
    assert beats.tempo == pytest.approx(make_music.TEMPO, rel=1e-3)
