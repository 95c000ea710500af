"""Spans at which locks cannot be held or the motion jumps: found, not mistaken for what is only fast, remembered."""

from dataclasses import replace

import numpy as np
import pytest

from app.document.edits.lock_states import word_for
from core.animation import LockStrip, Sequence
from core.animation.locks import holding, spans
from core.animation.locks.spans import lock_spans
from core.constraints import Lock, LockSolver, bind
from core.errors import Cancelled
from core.formats import bundled_folder
from core.skeleton import load_skeleton

ARM = load_skeleton(bundled_folder() / "arm7.scr")


def waving(*values):
    """An arm with the root fixed: keys at every tenth frame."""
    sequence = Sequence(ARM)
    for k, value in enumerate(values):
        q = ARM.rest_pose()
        q[3:] = value * np.array([1, 0.8, 0.6, -0.9, 0.5, 0.7, 0.3])
        sequence.set_key(10 * k, q)
    return sequence


def tip_lock(q, **values):
    return bind(Lock(len(ARM.joints) - 1, "position", **values), ARM, q)


@pytest.fixture
def counted(monkeypatch):
    """Spans that were looked at."""
    looked = []
    look = spans._looked

    def counting(sequence, start, end, check):
        looked.append((start, end))
        return look(sequence, start, end, check)

    monkeypatch.setattr(spans, "_looked", counting)
    return looked


def test_what_is_held_and_smooth_is_not_flagged():
    sequence = waving(0.5, 0.52, 0.5)
    assert lock_spans(sequence) == ()
    lock = tip_lock(sequence.keys[0].q)
    sequence.locks.strips = (LockStrip(lock, 0, 10, 4, 4),)
    assert lock_spans(sequence) == ()


def test_a_lock_that_comes_on_at_once_jumps_and_one_with_an_ease_does_not():
    sequence = waving(0.5, 0.9, 0.4)
    lock = tip_lock(sequence.keys[0].q)
    strip = LockStrip(lock, 6, 10, name="Grip")
    sequence.locks.strips = (strip,)
    spans = lock_spans(sequence)
    assert [(span.kind, span.strips) for span in spans] == [("jumps", (strip.id,))] * 2
    assert [span.at for span in spans] == pytest.approx([6.0, 10.0], abs=2e-3)
    assert all(span.first <= span.at <= span.last for span in spans) and "jumps by" in spans[0].text
    sequence.locks.strips = (replace(strip, ease_in=2, ease_out=2),)
    assert lock_spans(sequence) == ()
    sequence.locks.strips, sequence.locks.holds = (strip,), False
    assert lock_spans(sequence) == ()


def test_a_jump_names_the_locks_whose_part_jumps_and_no_others():
    human = load_skeleton(bundled_folder() / "human.scr")
    sequence, q = Sequence(human), human.rest_pose()
    arms = [3 + human.dof_names.index(f"{side} upper arm.-x") for side in ("left", "right")]
    for frame, angle in ((0, 0.2), (20, 0.6)):
        q[arms] = angle
        sequence.set_key(frame, q)
    feet = [LockStrip(bind(Lock(f"{side} foot", "pose"), human, q), 0) for side in ("left", "right")]
    early = sequence.pose_at_frame(0)
    hands = [LockStrip(bind(Lock(f"{side} hand", "position"), human, early), start, 20) for side, start in
             (("left", 8), ("right", 14))]  # fmt: skip
    sequence.locks.strips = (*feet, *hands)
    jumps = [span for span in lock_spans(sequence) if span.kind == "jumps"]
    assert [(round(span.at), span.strips) for span in jumps] == [
        (8, (hands[0].id,)), (14, (hands[1].id,)), (20, (hands[0].id, hands[1].id))
    ]  # fmt: skip
    assert jumps[0].text.endswith(": left hand") and jumps[0].always == ()
    sequence.locks.strips, sequence.locks = hands[1:], [feet[0].lock, hands[0].lock]
    (first, *_) = (span for span in lock_spans(sequence) if span.kind == "jumps")
    assert (first.strips, first.always) == ((hands[1].id,), ())


@pytest.mark.parametrize(
    ("kind", "weight", "left", "flagged"),
    [("position", 1.0, 0.9e-5, False), ("position", 1.0, 1.1e-5, True), ("orientation", 1.0, 3e-5, False),
     ("orientation", 1.0, 4e-5, True), ("position", 0.9, 1.0, False)],
)  # fmt: skip
def test_what_is_flagged_is_what_the_list_of_locks_calls_a_conflict(kind, weight, left, flagged, monkeypatch):
    sequence = waving(0.5, 0.52 + left)  # nothing that was remembered
    lock = bind(Lock(len(ARM.joints) - 1, kind, weight=weight), ARM, sequence.keys[0].q)
    sequence.locks.strips = (LockStrip(lock, 0),)

    def held(frames, poses, residuals):
        residuals[:] = left
        return poses

    monkeypatch.setattr(sequence.locks.holding, "held", held)
    assert bool(lock_spans(sequence)) == flagged
    place, turn = (left, np.nan) if kind == "position" else (np.nan, left)
    assert (word_for(lock, 1.0, place, turn) == "conflict") == flagged


@pytest.mark.parametrize(
    ("weight", "off", "flagged"),
    [(1.0, (0.0, 3e-5), False), (1.0, (2e-5, 0.0), True), (1.0, (0.0, 4e-5), True), ((1.0, 0.5), (0.0, 0.1), False),
     ((1.0, 0.5), (1e-4, 0.1), True), ((0.5, 1.0), (0.1, 0.0), False)],
)  # fmt: skip
def test_place_and_rotation_of_a_pose_lock_are_distinguished(weight, off, flagged, monkeypatch):
    sequence = waving(0.5, 0.5)
    lock = bind(Lock(len(ARM.joints) - 1, "pose", weight=weight), ARM, sequence.keys[0].q)
    target = np.array(lock.target)
    target[:3, 3] += [off[0], 0.0, 0.0]
    target[:3, :3] = target[:3, :3] @ [
        [1, 0, 0],
        [0, np.cos(off[1]), -np.sin(off[1])],
        [0, np.sin(off[1]), np.cos(off[1])],
    ]
    sequence.locks.strips = (LockStrip(replace(lock, target=target), 0),)

    def held(frames, poses, residuals):
        residuals[:] = max(off)
        return poses

    monkeypatch.setattr(sequence.locks.holding, "held", held)
    spans = lock_spans(sequence)
    assert bool(spans) == flagged


def test_fast_motion_is_not_a_jump():
    fast = waving(-1.2, 1.2, -1.2)  # more than 10 degrees a sample
    sequence = waving(-1.2, 1.2, -1.2)
    sequence.locks.strips = (LockStrip(Lock(3, "plane", target=(0, 1, 0, 50.0), weight=0.0), 0),)
    assert np.abs(np.diff(fast.poses_at_frames([4.5, 5.0]), axis=0)).max() > np.radians(5)
    assert lock_spans(sequence) == ()


def test_what_is_out_of_reach_is_reported_with_the_strip_and_how_far(counted):
    sequence = waving(0.5, 0.6, 0.5, 0.6, 0.5, 0.6)
    far = Lock(2, "distance", target=5.0, other=(5, (0, 0, 0)))  # longer than the links between
    strip = LockStrip(far, 22, 26, 1, 1)
    sequence.locks.strips = (strip,)
    (span,) = [span for span in lock_spans(sequence) if span.kind == "held"]
    assert span.strips == (strip.id,) and 22 <= span.first < span.last <= 26
    assert span.worst > 1.0 and "off by" in span.text
    looked = len(counted)
    again = [span for span in lock_spans(sequence) if span.kind == "held"]
    assert len(counted) == looked and again == [span]  # remembered
    clone = Sequence(ARM, keys=sequence.keys)
    clone.locks.strips = sequence.locks.strips
    lock_spans(clone)
    assert len(counted) == looked
    q = sequence.keys[5].q + 0.01
    sequence.set_key(50, q)
    lock_spans(sequence)
    assert looked <= len(counted) <= looked + 2  # only what is near the key
    sequence.move({50: 49})
    sequence.locks.strips = (replace(strip, end=27),)
    lock_spans(sequence)
    assert len(counted) > looked


def test_it_can_be_cancelled_and_reports_how_far_it_is():
    sequence = waving(0.5, 0.61, 0.52)
    sequence.locks = [tip_lock(sequence.keys[0].q)]
    with pytest.raises(Cancelled):
        lock_spans(sequence, cancelled=lambda: True)
    reported = []
    lock_spans(sequence, progress=reported.append)
    assert reported == sorted(reported) and 0 <= reported[0] and reported[-1] <= 1 and len(reported) >= 2

    def stop(done):
        raise Cancelled

    with pytest.raises(Cancelled):
        lock_spans(sequence, progress=stop)


@pytest.mark.parametrize("by_progress", [False, True])
def test_a_search_stops_within_a_few_poses(by_progress, monkeypatch):
    sequence = waving(0.5, 0.9, 0.4)
    far = replace(tip_lock(sequence.keys[0].q), target=(9.0, 9.0, 9.0))
    sequence.locks.strips = (LockStrip(far, 0),)
    solved, asked = [], []
    held = sequence.locks.holding.held

    def counting(frames, *given):
        solved.extend(np.atleast_1d(frames))
        return held(frames, *given)

    monkeypatch.setattr(sequence.locks.holding, "held", counting)

    def tell(_part=0.0):
        asked.append(len(solved))
        if len(asked) > 5:
            raise Cancelled
        return False

    with pytest.raises(Cancelled):
        lock_spans(sequence, **({"progress": tell} if by_progress else {"cancelled": tell}))
    assert 0 < len(solved) < 20 and max(np.diff(asked)) <= 2


def test_a_pose_that_cannot_be_held_takes_a_bounded_number_of_steps_and_is_remembered(monkeypatch):
    sequence = waving(0.5, 0.9, 0.4)
    far = replace(tip_lock(sequence.keys[0].q), target=(9.0, 9.0, 9.0))
    sequence.locks.strips = (LockStrip(far, 0),)
    used = []
    project = LockSolver.project_many

    def counting(self, *given):
        found = project(self, *given)
        used.extend(found[2].tolist())
        return found

    monkeypatch.setattr(LockSolver, "project_many", counting)
    monkeypatch.setattr(holding, "MOST_STEPS", 3)
    frames = np.linspace(1, 9, 5)
    poses = sequence.poses_at_frames(frames)
    assert len(used) == 5 and 3 <= max(used) <= 6
    left = np.zeros((6, 1))
    again = sequence.locks.holding.held(np.append(frames, 12.0), sequence.interpolated_at_frames([*frames, 12.0]), left)
    assert len(used) == 6 and np.array_equal(again[:5], poses) and left.min() > 1e-3
