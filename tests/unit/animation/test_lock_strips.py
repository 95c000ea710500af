"""Lock strips: what they say, how they follow keys, how they are cut, joined and carried by clips."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from core.animation import LockStrip, Sequence, TargetKey
from core.animation.locks import strip as lock_strips
from core.animation.locks.strip import strip_from_json, strip_to_json
from core.constraints import Lock, bind
from core.errors import KeyCollision, SequenceError
from core.formats import bundled_folder
from core.skeleton import load_skeleton
from core.spatial import so3

MAN = load_skeleton(bundled_folder() / "human.scr")
REST = MAN.rest_pose()
FOOT = bind(Lock("left foot", "pose"), MAN, REST)
HAND = Lock("right hand", "position", target=(0.1, 1.2, 0.3))


def fails(message, make):
    with pytest.raises(SequenceError) as caught:
        make()
    assert message in str(caught.value), caught.value


def test_a_strip_covers_its_ends_and_eases_with_a_continuous_slope():
    strip = LockStrip(FOOT, 10, 40, 8, 4)
    assert [strip.covers(f) for f in (9.99, 10, 25, 40, 40.01)] == [False, True, True, True, False]
    assert [strip.factor_at(f) for f in (9, 10, 14, 18, 36, 38, 40, 41)] == [0, 0, 0.5, 1, 1, 0.5, 0, 0]
    f = np.linspace(9, 41, 3201)
    slope = np.diff([strip.factor_at(x) for x in f]) / 0.01
    assert np.abs(np.diff(slope)).max() < 0.01 * 6 / 4**2 * 1.01
    assert LockStrip(FOOT, 10).factor_at(10) == LockStrip(FOOT, 10).factor_at(1e9) == 1.0
    short = LockStrip(FOOT, 10, 16, 8, 4)
    assert short.eases == (4, 2) and short.factor_at(14) == 1.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"start": -1}, "start: frame -1"),
        ({"start": 1.5}, "start: frame 1.5"),
        ({"start": 5, "end": 4}, "end 4 lies before its start 5"),
        ({"start": 0, "ease_in": -1}, "ease_in is -1 frames; it must be 0 or more"),
        ({"start": 0, "ease_out": math.nan}, "ease_out is nan; it must be a finite number"),
        ({"start": 0, "weight": 1.1}, "weight is 1.1; it must lie in 0..1"),
        ({"start": 0, "id": ""}, "id is empty"),
        ({"start": 0, "name": 3}, "name is 3; it must be text"),
        ({"start": 0, "targets": (3,)}, "a target is 3; it must be a TargetKey"),
        ({"start": 0, "targets": (TargetKey(4, [1, 2]),)}, "target at frame 4: position lock"),
        ({"start": 0, "targets": (TargetKey(4, [1, 2, 3]), TargetKey(4, [1, 2, 4]))}, "two targets at frame 4"),
    ],
)
def test_what_makes_no_sense_is_named(values, message):
    fails(message, lambda: LockStrip(HAND, **values))


def test_a_lock_without_a_target_is_refused_unless_it_is_keyed():
    open_lock = Lock("right hand", "position")
    fails("has no target; bind it to a pose first", lambda: LockStrip(open_lock, 0))
    assert LockStrip(open_lock, 0, targets=(TargetKey(3, (1, 2, 3)),)).lock.target.tolist() == [1, 2, 3]
    sequence = Sequence(MAN)
    fails("has no target", lambda: sequence.locks.append(open_lock))
    fails('"tail"', lambda: sequence.locks.append(replace(HAND, joint="tail")))
    fails("is not a Lock", lambda: sequence.locks.append("glue"))
    fails("is not a LockStrip", lambda: setattr(sequence.locks, "strips", [HAND]))
    same = LockStrip(HAND, 0)
    fails(f'two strips have the id "{same.id}"', lambda: setattr(sequence.locks, "strips", [same, same]))
    assert sequence.locks.strips == () and len(sequence.locks) == 0


def test_active_locks_are_those_that_cover_the_frame_with_target_weight_and_factor():
    sequence = Sequence(MAN)
    soft = LockStrip(FOOT, 5, 25, 10, 0, 0.5)
    keyed = LockStrip(HAND, 0, targets=(TargetKey(0, (0, 0, 0)), TargetKey(10, (1, 0, 0), "linear")))
    sequence.locks.strips = (soft, keyed)
    sequence.locks = [HAND]
    found = sequence.locks.active(5 / 2)
    assert [(strip, factor) for strip, _, factor in found] == [(None, 1.0), (keyed, 1.0)]
    assert found[1].lock.target.tolist() == pytest.approx([0.25, 0, 0])
    strip, lock, factor = sequence.locks.active(10)[1]
    assert strip is soft and lock.weight == 0.5 and factor == 0.5


@pytest.mark.parametrize("count", [381, pytest.param(1901, marks=pytest.mark.verify)])
def test_keyed_targets_go_through_their_keys_and_stay_outside_them(count):
    rng = np.random.default_rng(0)
    for kind, target in (
        ("position", lambda: rng.normal(size=3)),
        ("orientation", lambda: so3.exp(rng.normal(size=3))),
        ("pose", lambda: np.block([[so3.exp(rng.normal(size=3)), rng.normal(size=(3, 1))], [0, 0, 0, 1]])),
        ("plane", lambda: np.append(so3.exp(rng.normal(size=3))[0], rng.normal())),
        ("line", lambda: np.stack((rng.normal(size=3), so3.exp(rng.normal(size=3))[0]))),
    ):
        keys = tuple(TargetKey(f, target(), "linear" if f == 2 else "spline") for f in (2, 7, 20, 21))
        strip = LockStrip(Lock("right hand", kind, target=target()), 0, targets=keys)
        for key in strip.targets:
            assert strip.target_at(key.frame) is key.target
        assert strip.target_at(0) is strip.targets[0].target and strip.target_at(50) is strip.targets[3].target
        near = np.add.outer((2, 7, 20, 21), np.linspace(-0.05, 0.05, 11)).ravel()
        f = np.unique(np.concatenate([np.linspace(2, 21, count), near[(near >= 2) & (near <= 21)]]))
        path = np.array([np.asarray(strip.target_at(x)) for x in f])
        steps = np.abs(np.diff(path, axis=0)).reshape(len(f) - 1, -1).max(axis=1)
        assert (steps < 6.0 * np.diff(f) + 1e-12).all()  # no jump, not even at keys
        for x in path[::20]:
            Lock("right hand", kind, target=x)  # a rotation is one everywhere, a direction a unit vector
        if kind == "plane":
            assert np.abs(np.linalg.norm(path[:, :3], axis=1) - 1).max() < 1e-12
        # The slope is continuous at the key between two splines.
        late = (np.asarray(strip.target_at(20 + 1e-4)) - strip.target_at(20)) / 1e-4
        early = (np.asarray(strip.target_at(20)) - strip.target_at(20 - 1e-4)) / 1e-4
        assert np.abs(late - early).max() < 1e-2


def test_a_record_comes_back_to_the_bit():
    keys = (TargetKey(3, np.diag([1.0, 1, 1, 1])), TargetKey(9, FOOT.target, "linear"))
    strip = LockStrip(replace(FOOT, weight=(1.0, 1 / 3)), 2, 31, 0.1, 1 / 3, 0.7, keys, "a", "Left", {"later": [1]})
    record = json.loads(json.dumps(strip_to_json(strip, MAN)))
    back = strip_from_json(record, MAN)
    assert back == strip and strip_to_json(back, MAN) == record
    assert back.targets[1].target.tobytes() == FOOT.target.tobytes()
    assert strip != replace(strip, ease_out=0.3) != replace(strip, targets=())


# -- retiming --------------------------------------------------------------------------------------------------------


def covered(sequence, strip):
    return [i for i, frame in enumerate(sequence.keys.frames) if strip.covers(frame)]


@pytest.mark.parametrize("rounds", [100, pytest.param(1000, marks=pytest.mark.verify)])
def test_strips_cover_the_same_keys_after_random_retimes(rounds):
    rng = np.random.default_rng(rounds)
    done = 0
    while done < rounds:
        sequence = Sequence(MAN)
        for frame in np.sort(rng.choice(200, size=8, replace=False)):
            sequence.set_key(int(frame), REST)
        strips = []
        for _ in range(5):
            start = int(rng.integers(0, 180))
            end = None if rng.random() < 0.2 else start + int(rng.integers(0, 90))
            strips.append(LockStrip(HAND, start, end, targets=(TargetKey(start, (0, 0, 0)),)))
        sequence.locks.strips = strips
        kept = [k for k, strip in enumerate(sequence.locks.strips) if covered(sequence, strip)]
        before = [covered(sequence, sequence.locks.strips[k]) for k in kept]
        for _ in range(20):
            first, last = sorted(int(f) for f in rng.choice(220, size=2))
            order, frames = [key.q for key in sequence.keys], sequence.keys.frames
            clone = dict(zip(frames, range(len(frames)), strict=True))
            try:
                kind = rng.integers(3)
                if kind == 0:
                    by = int(rng.integers(-20, 20))
                    mapping = {f: f + by for f in frames if first <= f <= last}
                    ordered = [mapping.get(f, f) for f in frames]
                    if ordered != sorted(ordered):
                        continue  # a key that jumps over another may leave the strip's range
                    sequence.slide(first, last, by)
                elif kind == 1:
                    mapping = lock_strips_map(sequence, first, last, factor := float(rng.uniform(0.4, 2.0)))
                    ordered = [mapping.get(f, f) for f in frames]
                    if ordered != sorted(ordered):
                        continue
                    sequence.stretch(first, last, factor)
                else:
                    at = int(rng.integers(len(frames)))
                    low = frames[at - 1] + 1 if at else 0
                    high = frames[at + 1] - 1 if at + 1 < len(frames) else frames[at] + 20
                    sequence.move({frames[at]: int(rng.integers(low, high + 1))})
            except (KeyCollision, SequenceError):
                assert sequence.keys.frames == frames
                continue
            done += 1
            assert len(order) == len(clone) == len(sequence.keys)
            assert [covered(sequence, sequence.locks.strips[k]) for k in kept] == before


def lock_strips_map(sequence, first, last, factor):
    from core.animation.editing import stretch_map

    return stretch_map([f for f in sequence.keys.frames if first <= f <= last], first, last, factor)


def posed(*frames):
    sequence = Sequence(MAN)
    for frame in frames:
        sequence.set_key(frame, REST)
    return sequence


def test_ends_and_targets_at_moved_keys_go_with_them():
    sequence = posed(0, 10, 20, 30)
    path = tuple(TargetKey(f, (f / 10, 0, 0)) for f in (10, 12, 15, 20))
    sequence.locks.strips = (LockStrip(HAND, 10, 20, targets=path), LockStrip(FOOT, 12, 25), LockStrip(FOOT, 0))
    sequence.move({20: 28})
    hand, foot, always = sequence.locks.strips
    assert (hand.start, hand.end) == (10, 28) and [key.frame for key in hand.targets] == [10, 14, 19, 28]
    assert (foot.start, foot.end) == (14, 29) and (always.start, always.end) == (0, None)
    sequence.slide(0, 30, 5)
    hand, foot, always = sequence.locks.strips
    assert (hand.start, hand.end, foot.start, foot.end, always.start) == (15, 33, 19, 34, 5)
    sequence.stretch(5, 40, 2)
    assert [(strip.start, strip.end) for strip in sequence.locks.strips[:1]] == [(25, 61)]
    sequence.delete(25)
    assert sequence.locks.strips[0].start == 25


def test_clips_carry_strips_and_making_room_moves_them():
    sequence = posed(0, 10, 20, 30)
    path = (TargetKey(5, (0, 0, 0), "linear"), TargetKey(25, (2, 0, 0)))
    sequence.locks.strips = (LockStrip(HAND, 5, 25, 3, 3, targets=path), LockStrip(FOOT, 28), LockStrip(FOOT, 2, 4))
    clip = sequence.copy(10, 20)
    (cut,) = clip.strips
    assert (cut.start, cut.end, cut.eases) == (0, 10, (0, 0))
    assert [(key.frame, key.target[0]) for key in cut.targets] == [(0, 0.5), (10, 1.5)]
    sequence.insert(10, clip, make_room=True)
    assert sequence.keys.frames == (0, 10, 20, 21, 31, 41)
    whole, foot, early, brought = sequence.locks.strips
    assert (whole.start, whole.end, foot.start, foot.end, early.end) == (5, 36, 39, None, 4)
    assert (brought.start, brought.end) == (10, 20) and len({strip.id for strip in sequence.locks.strips}) == 4
    other = posed(0)
    other.insert(40, sequence.copy(39, 50))
    assert (other.locks.strips[0].start, other.locks.strips[0].end, other.locks.strips[0].lock) == (40, 51, FOOT)
    other.insert(60, Sequence(MAN).copy(0, 0))
    again = posed(0)
    again.locks.strips = (LockStrip(FOOT, 0),)
    again.insert(40, other.copy(40, 51))
    assert len(again.locks.strips) == 1  # it is held there already


def test_split_strips_go_on_as_before_and_join_again():
    path = tuple(TargetKey(f, np.random.default_rng(f).normal(size=3)) for f in (0, 8, 13, 20, 31, 40))
    whole = LockStrip(HAND, 4, 36, 2, 2, targets=path, name="Reach")
    first, second = lock_strips.split(whole, 16)
    assert (first.id, first.start, first.end, second.start, second.end) == (whole.id, 4, 15, 16, 36)
    assert second.id != whole.id and (first.ease_out, second.ease_in) == (0, 0)
    for f in np.linspace(4, 36, 65):
        if not 15 < f < 16:
            part = first if f <= 15 else second
            assert np.array_equal(part.target_at(f), whole.target_at(f)) and part.factor_at(f) == whole.factor_at(f)
    back = lock_strips.joined(first, second)
    assert (back.start, back.end, back.eases) == (4, 36, (2, 2))
    assert [key.frame for key in back.targets] == [0, 8, 13, 20, 31, 40]
    fails("cannot be split at frame 4", lambda: lock_strips.split(whole, 4))
    fails("hold different things", lambda: lock_strips.joined(first, LockStrip(FOOT, 40)))
    copy = lock_strips.moved_copy(whole, 10)
    assert (copy.start, copy.end, copy.targets[0].frame) == (10, 42, 6) and copy.id != whole.id
