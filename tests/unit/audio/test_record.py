"""What a sequence keeps of its music, and edits of the beats by hand."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from core.audio import AudioError, AudioRecord

RECORD: dict[str, Any] = {
    "file": "drums.wav", "offset": -0.25, "gain": 0.5, "beats": [0.5, 1.0, 1.5, 2.0, 2.5], "tempo": 120.0, "bar": 4,
    "downbeat": 1, "mood": "calm",
}  # fmt: skip


def test_a_record_comes_back_as_it_was_with_what_is_not_known() -> None:
    assert AudioRecord.of(json.loads(json.dumps(RECORD))).to_record() == RECORD
    assert AudioRecord.of({"file": "a.wav"}).to_record()["beats"] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"file": ""}, "file '' is not the file"),
        ({"file": 3}, "file 3 is not the file"),
        ({"offset": "now"}, "offset 'now' is not possible; expected a number from -36000 to 36000 s"),
        ({"offset": float("nan")}, "offset nan"),
        ({"gain": -1}, "gain -1 is not possible; expected a number from 0 to 4"),
        ({"gain": True}, "gain True"),
        ({"tempo": 0}, "tempo 0"),
        ({"bar": 0}, "bar 0 is not possible; a bar has 1, 2, 3"),
        ({"downbeat": -1}, "downbeat -1"),
        ({"beats": 7}, "beats 7 is not a list of times"),
        ({"beats": [1.0, "two"]}, r"beats\[1\] 'two'"),
        ({"beats": [-1.0]}, r"beats\[0\] -1.0"),
        ({"beats": [1.0, 1.0]}, r"beats\[1\] 1 s is not after the beat before, 1 s"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(AudioError, match=message):
        AudioRecord.of({**RECORD, **change})


def test_what_is_no_record_is_refused() -> None:
    for record in (None, [], "drums.wav", {"offset": 1.0}):
        with pytest.raises(AudioError):
            AudioRecord.of(record)


def test_beats_are_shown_at_frames_and_bars_counted_from_the_downbeat() -> None:
    music = AudioRecord.of(RECORD)
    np.testing.assert_allclose(music.frames(24.0), [6.0, 18.0, 30.0, 42.0, 54.0])
    assert music.downbeats().tolist() == [False, True, False, False, False]


def test_beats_are_added_moved_and_taken_away_by_hand() -> None:
    music = AudioRecord.of(RECORD)
    assert music.added(0.75).beats == (0.5, 0.75, 1.0, 1.5, 2.0, 2.5)
    assert music.added(0.75).downbeats().tolist() == [False, False, True, False, False, False]
    assert music.added(3.0).downbeat == 1
    with pytest.raises(AudioError, match=r"there is already a beat at 1.000 s"):
        music.added(1.004)
    with pytest.raises(AudioError, match="before the music starts"):
        music.added(-0.1)
    assert music.removed(0).beats == (1.0, 1.5, 2.0, 2.5) and music.removed(0).downbeat == 0
    assert music.moved(1, 1.2).beats[1] == 1.2
    assert music.moved(1, 9.0).beats[1] == 1.49  # not past the next
    assert music.moved(0, -1.0).beats[0] == 0.0
    assert music.nearest(1.6) == 2 and music.nearest(1.6, 0.05) is None and AudioRecord("a").nearest(1.0) is None


def test_all_beats_shift_double_and_halve() -> None:
    music = AudioRecord.of(RECORD)
    later = music.shifted(0.1)
    assert later.beats == (0.6, 1.1, 1.6, 2.1, 2.6) and later.downbeat == 1
    earlier = music.shifted(-0.75)  # the first falls off, and the bars stay with their beats
    assert earlier.beats == (0.25, 0.75, 1.25, 1.75)
    assert earlier.downbeats().tolist() == [True, False, False, False]
    twice = music.doubled()
    assert twice.beats == (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5) and twice.tempo == 240.0
    assert twice.beats[twice.downbeat] == 1.0
    assert twice.halved().beats == music.beats and twice.halved().downbeat == 1
    half = music.halved()
    assert half.beats == (1.0, 2.0) and half.tempo == 60.0 and half.beats[half.downbeat] == 1.0


def test_found_beats_are_kept_to_a_tenth_of_a_millisecond_and_apart() -> None:
    music = AudioRecord("a.wav").with_beats([2.00004, 1.0, 1.004, 3.1], 112.0004, 2)
    assert music.beats == (1.0, 2.0, 3.1) and music.tempo == 112.0 and music.downbeat == 2
