"""``python -m skeletons.making.motion.make_music`` makes the drums that come with the program, from nothing but sums.

Nine bars of four at 112 beats a minute: bass drum, snare, hi-hat and a low tone that changes with the bar, with a fill
before the last stroke. The first beat is at 0.25 s, so that a sequence must say where the music starts.
"""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RATE = 22050
TEMPO = 112.0
FIRST = 0.25
SECONDS = 20.0
BARS = 9
OUT = Path(__file__).resolve().parents[2] / "music" / "drums.wav"
BEAT = 60.0 / TEMPO

Array = NDArray[np.float64]


def beats() -> Array:
    """Return when the beats are, [s]; the last is the final stroke."""
    return FIRST + BEAT * np.arange(4 * BARS + 1)


def _time(seconds: float) -> Array:
    return np.arange(int(seconds * RATE)) / RATE


def _noise(count: int, seed: int) -> Array:
    """Return white noise by a linear congruential generator: the same on every machine and for ever."""
    state, values = seed, np.empty(count)
    for i in range(count):
        state = (1664525 * state + 1013904223) % 2**32
        values[i] = state / 2**31 - 1.0
    return values


def bass_drum() -> Array:
    """Return a stroke whose tone falls from 150 to 48 Hz."""
    t = _time(0.28)
    phase = 2.0 * np.pi * (48.0 * t + 102.0 * 0.035 * (1.0 - np.exp(-t / 0.035)))
    return 0.85 * np.sin(phase) * np.exp(-t / 0.09)


def snare() -> Array:
    """Return a stroke of noise over a tone of 185 Hz."""
    t = _time(0.22)
    rattle = np.diff(_noise(len(t) + 1, 7)) * np.exp(-t / 0.055)
    return 0.28 * rattle + 0.3 * np.sin(2.0 * np.pi * 185.0 * t) * np.exp(-t / 0.06)


def hat(open_for: float) -> Array:
    """Return a stroke of bright noise that lasts a while, [s]."""
    t = _time(5.0 * open_for)
    bright = np.diff(_noise(len(t) + 2, 23), n=2)
    return 0.1 * bright * np.exp(-t / open_for)


def tone(frequency: float) -> Array:
    """Return a low plucked tone, two beats long."""
    t = _time(2.0 * BEAT)
    waves = sum(np.sin(2.0 * np.pi * k * frequency * t) * np.exp(-t * 2.2 * k) / k for k in (1, 2, 3))
    return 0.22 * np.minimum(t / 0.004, 1.0) * waves


def drums() -> NDArray[np.int16]:
    """Return the samples, shape (441000,)."""
    samples = np.zeros(int(SECONDS * RATE))

    def put(stroke: Array, beat: float, loud: float = 1.0) -> None:
        at = round((FIRST + beat * BEAT) * RATE)
        part = samples[at : at + len(stroke)]
        part += loud * stroke[: len(part)]

    kick, rim, closed, opened = bass_drum(), snare(), hat(0.02), hat(0.09)
    for bar in range(BARS):
        first = 4.0 * bar
        for beat, loud in ((0.0, 1.0), (2.0, 0.7), (2.5, 0.55)):
            put(kick, first + beat, loud)
        for beat in (1.0, 3.0):
            put(rim, first + beat)
        for eighth in range(8):
            put(opened if eighth == 7 else closed, first + eighth / 2.0, 1.0 if eighth % 2 == 0 else 0.6)
        put(tone((55.0, 55.0, 65.41, 49.0)[bar % 4]), first)
        put(tone((55.0, 55.0, 65.41, 49.0)[bar % 4] * 1.5), first + 2.0, 0.4)
    for sixteenth in range(4):
        put(rim, 4.0 * BARS - 1.0 + sixteenth / 4.0, 0.4 + 0.2 * sixteenth)
    for stroke in (kick, opened, tone(55.0)):
        put(stroke, 4.0 * BARS)
    return np.rint(np.clip(samples, -1.0, 1.0) * 32000.0).astype("<i2")


def main() -> None:
    """Write the file."""
    OUT.parent.mkdir(exist_ok=True)
    with wave.open(str(OUT), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(drums().tobytes())
    print(f"{OUT} {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
