"""Hybrid strips: what they say, which may stand beside each other, how they follow keys, clips and files."""

import json
import math
from dataclasses import replace

import pytest

from core.animation import Key, Sequence
from core.animation import hybrid_strips as hybrids
from core.animation.hybrid_strips import HybridStrip, hybrid_from_json, hybrid_to_json
from core.animation.resampling import resampled
from core.animation.torque_curves import TorqueCurve
from core.errors import FormatError, SequenceError
from core.formats import bundled_folder
from core.formats.project import Project, project_text
from core.formats.project_reader import project_from_json
from core.keyed_curves.keys import placed_keys
from core.skeleton import load_skeleton

MAN = load_skeleton(bundled_folder() / "human.scr")
ARM, LEG = ("left upper arm", "left forearm"), ("left thigh", "left shank")


def sequence(*strips: HybridStrip, frames=(0, 10, 20, 30, 40)) -> Sequence:
    made = Sequence(MAN, keys=[Key(frame, MAN.rest_pose()) for frame in frames])
    made.hybrid_strips = strips
    return made


def spans(made) -> list[tuple]:
    return [(strip.start, strip.end) for strip in made]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"parts": "left shank"}, "parts are 'left shank'; they must be names of joints"),
        ({"parts": (3,)}, "3 among the parts is not the name of a joint"),
        ({"parts": ("a", "a")}, 'joint "a" is named twice'),
        ({"start": -1}, "start: frame -1"),
        ({"end": 5}, "end 5 must lie after its start 5"),
        ({"mode": "keyed"}, "mode 'keyed' is unknown; valid are dynamic, motor"),
        ({"ease_out": -1}, "ease_out is -1; it must lie in 0.."),
        ({"gain": math.nan}, "gain is nan; it must be a finite number"),
        ({"gain": 11}, "gain is 11; it must lie in 0..10"),
        ({"id": ""}, "id is empty"),
        ({"name": 3}, "name is 3; it must be text"),
    ],
)
def test_what_makes_no_sense_is_named(values, message):
    with pytest.raises(SequenceError) as caught:
        HybridStrip(**{"parts": ARM, "start": 5, **values})
    assert message in str(caught.value)


def test_eases_share_a_strip_that_is_too_short_for_both():
    assert HybridStrip(ARM, 0, 30, ease_in=5, ease_out=10).eases == (5, 10)
    assert HybridStrip(ARM, 0, 6, ease_in=4, ease_out=8).eases == (2, 4)
    assert HybridStrip(ARM, 0, None, ease_in=4).eases == (4, 0)


@pytest.mark.parametrize(
    ("other", "fits"),
    [
        (HybridStrip(LEG, 10, 20), True),
        (HybridStrip(ARM[1:], 20, 30), True),
        (HybridStrip(ARM[1:], 19, 30), False),
        (HybridStrip((), 5, 11), False),
        (HybridStrip((), 20), True),
        (HybridStrip(ARM, 0), False),
    ],
)
def test_two_strips_never_move_one_joint_at_once(other, fits):
    made, strip = sequence(), HybridStrip(ARM, 10, 20)
    assert strip.overlaps(other) == other.overlaps(strip) == (not fits)
    if fits:
        made.hybrid_strips = (strip, other)
        assert made.hybrid_strips == (strip, other)
        return
    with pytest.raises(SequenceError, match="two hybrid strips move"):
        made.hybrid_strips = (strip, other)
    assert made.hybrid_strips == ()


def test_a_sequence_refuses_joints_it_lacks_and_ids_twice():
    made, strip = sequence(), HybridStrip(ARM, 0, 5)
    with pytest.raises(SequenceError, match="tail"):
        made.hybrid_strips = (HybridStrip(("tail",), 0),)
    with pytest.raises(SequenceError, match="each must have its own"):
        made.hybrid_strips = (strip, replace(strip, parts=LEG))
    assert made.hybrid_strips == ()


def test_strips_follow_keys():
    made = sequence(HybridStrip(ARM, 10, 20), HybridStrip(LEG, 15, 25), HybridStrip((), 40))
    made.stretch(0, 40, 2.0)
    assert spans(made.hybrid_strips) == [(20, 40), (30, 50), (80, None)]
    made.slide(0, 80, 3)
    assert spans(made.hybrid_strips) == [(23, 43), (33, 53), (83, None)]
    made.insert_frames(30, 5)
    assert spans(made.hybrid_strips) == [(23, 48), (38, 58), (88, None)]
    made.remove_frames(36, 60)
    assert spans(made.hybrid_strips) == [(23, 35), (63, None)]


def test_a_key_between_two_strips_of_a_joint_never_brings_them_over_each_other():
    made = sequence(HybridStrip(ARM, 2, 10), HybridStrip(ARM, 10, 18))
    made.move({10: 35, 20: 36, 30: 37})
    first, second = made.hybrid_strips
    assert not first.overlaps(second)
    settled = hybrids.without_overlaps((HybridStrip(ARM, 5, 20), HybridStrip((), 0, 8), HybridStrip(LEG, 3, 7)))
    assert spans(settled) == [(8, 20), (0, 8)]


def torque_keys(made: Sequence) -> list[tuple[float, float]]:
    """Return the keys of the first strip's torque, at frames of the sequence."""
    strip = made.hybrid_strips[0]
    return [(strip.start + frame, value) for frame, value in strip.torques[0].keys]


def test_torques_follow_keys_frames_put_in_and_frames_taken_away():
    curve = TorqueCurve("left forearm", 0, ((0.0, 1.0), (5.0, 2.0), (10.0, 3.0), (15.0, 4.0), (35.0, 5.0)))
    strip = HybridStrip(ARM, 5, 45, torques=(curve,))
    made = sequence(strip)
    made.move({frame: frame + 7 for frame in (0, 10, 20, 30, 40)})
    assert torque_keys(made) == [(12, 1), (17, 2), (22, 3), (27, 4), (47, 5)]
    made = sequence(strip)
    made.stretch(0, 20, 2.0, ripple=True)
    # Up to frame 20 everything is twice as far apart; what is later is 20 frames later.
    assert torque_keys(made) == [(10, 1), (20, 2), (30, 3), (40, 4), (60, 5)]
    made = sequence(strip)
    made.move({20: 25})
    # Between its neighbours a key takes along what lies there, in proportion: 15 goes to 17.5.
    assert torque_keys(made) == [(5, 1), (10, 2), (18, 3), (25, 4), (40, 5)]
    made = sequence(strip)
    made.insert_frames(12, 4)
    assert torque_keys(made) == [(5, 1), (10, 2), (19, 3), (24, 4), (44, 5)]
    made = sequence(strip)
    made.remove_frames(9, 16)
    assert torque_keys(made) == [(5, 1), (12, 4), (32, 5)]
    made = sequence(replace(strip, torques=(replace(curve, keys=((5.0, 2.0),)),)))
    made.remove_frames(9, 16)
    assert made.hybrid_strips[0].torques == ()


def test_keys_that_would_share_a_frame_stay_apart():
    keys = ((0.0, 0.0), (1.0, 0.5), (2.0, 1.0), (2.5, 0.7))
    assert placed_keys(keys, lambda frame: 0.25 * frame) == ((0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.625, 0.7))
    assert placed_keys(keys[:3], lambda frame: 1.4 * frame) == ((0.0, 0.0), (1.0, 0.5), (3.0, 1.0))
    assert placed_keys(keys, lambda frame: None if frame == 1 else frame) == (keys[0], keys[2], keys[3])


def test_clips_take_strips_along_and_mirror_them():
    made = sequence(HybridStrip(ARM, 5, 30, gain=0.3))
    clip = made.copy(10, 20)
    assert spans(clip.hybrid_strips) == [(0, 10)]
    made.insert(30, clip, make_room=True, flipped=True)
    assert spans(made.hybrid_strips) == [(5, 41), (30, 40)]  # the key at which it ended has gone to 41
    assert made.hybrid_strips[1].parts == ("right upper arm", "right forearm")
    other = sequence()
    other.insert(50, clip)
    assert spans(other.hybrid_strips) == [(50, 60)] and other.hybrid_strips[0].gain == 0.3


def test_at_another_rate_strips_stay_at_their_times():
    made = resampled(sequence(HybridStrip(ARM, 10, 20, ease_out=4)), 0, 40, 60)
    assert spans(made.hybrid_strips) == [(20, 40)] and made.hybrid_strips[0].ease_out == 8
    assert spans(resampled(sequence(HybridStrip(ARM, 10, 20)), 15, 40).hybrid_strips) == [(0, 5)]


def test_taking_a_range_down_as_keys_leaves_the_rest():
    strips = (HybridStrip(ARM, 0, 50), HybridStrip(LEG, 10, 20), HybridStrip(("head",), 30))
    assert spans(hybrids.without_range(strips, 10, 30)) == [(0, 10), (30, 50), (30, None)]
    with pytest.raises(SequenceError, match="cannot be split at frame 50"):
        hybrids.split(strips[0], 50)
    assert spans(hybrids.split(strips[0], 20)) == [(0, 20), (20, 50)]


def test_records_and_files_keep_everything():
    strip = HybridStrip(ARM, 3, 40, "motor", 2.5, 7.0, 0.7, 0.9, name="swing", extra={"mood": 1})
    assert hybrid_from_json(json.loads(json.dumps(hybrid_to_json(strip)))) == strip
    made = sequence(strip, HybridStrip((), 40))
    text = project_text(Project([MAN], [made]))
    back = project_from_json(json.loads(text), "a.seq")
    assert back.sequences[0].hybrid_strips == made.hybrid_strips
    assert project_text(back) == text
    assert '"hybrid"' not in project_text(Project([MAN], [sequence()]))


def test_what_is_wrong_in_a_file_is_reported_with_its_place():
    data = json.loads(project_text(Project([MAN], [sequence(HybridStrip(ARM, 3, 40, id="a"))])))
    good = data["sequences"][0]["hybrid"][0]
    data["sequences"][0]["hybrid"] = [
        good,
        {"parts": ["tail", 3], "start": 1},
        {"start": 5, "end": 5, "mode": "floppy", "gain": -1},
        {**good, "start": 60, "end": 70},
        {**good, "id": "b", "start": 20},
        7,
    ]
    with pytest.raises(FormatError) as caught:
        project_from_json(data, "a.seq")
    reported = [str(problem) for problem in caught.value.problems]
    expected = [
        "hybrid[5]: 7 is not an object",
        'hybrid[1].parts[0]: "tail" is not a joint of figure',
        "hybrid[1].parts[1]: 3 is not text",
        "hybrid[2].end: 5 does not lie after the start 5",
        'hybrid[2].mode: "floppy" is unknown; valid are dynamic, motor, limp, brace, stumble',
        "hybrid[2].gain: -1 is out of range; valid are 0 to 10",
        'hybrid[3].id: "a" is also the id of sequences[0].hybrid[0]',
        'hybrid[4]: two hybrid strips move joint "left upper arm" at once, at frames 3 to 40 and 20 to 40',
    ]
    assert len(reported) == len(expected)
    assert all(want in line for want, line in zip(expected, reported, strict=True)), reported
