"""Motions put together: what stands does not move, nothing jumps, and what follows goes on from there."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from app.document.content.records import sequence_for
from core.animation.joining.join import Join, joined, last_frame
from core.animation.joining.put_in import APPEND, INSERT, REPLACE, WAYS, put_in
from core.animation.joining.seam import Seam, find_seams
from core.animation.joining.stretch import is_still
from core.animation.joining.trial import best_join
from core.animation.locks.giving_up import pose_steps
from core.animation.locks.moved import moved_strip
from core.animation.marker import Marker
from core.animation.sequence import Sequence
from core.errors import Cancelled, PoseError, SequenceError
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.spatial import se3
from tests.support.counts import few_of

RATE = 240.0
WALKS = ("walk", "march", "run", "stroll", "stance foot")


@cache
def motion(name: str) -> Sequence:
    """Return a walk of the library."""
    return load(bundled_folder() / "library" / "Walks and runs" / f"{name}.seq").sequences[0]


def drift(sequence: Sequence) -> float:
    """Return how far anything is at most from the place where a lock that is fully on keeps it, [m]."""
    worst, last, s = 0.0, last_frame(sequence), sequence.skeleton
    frames = np.arange(int(last * RATE / sequence.fps) + 1) * sequence.fps / RATE
    X = forward_kinematics(s, sequence.poses_at_frames(frames))
    for strip in sequence.locks.strips:
        if strip.targets or strip.lock.kind not in ("pose", "position"):
            continue
        coming, going = strip.eases
        on = (frames >= strip.start + coming) & (frames <= (last if strip.end is None else strip.end) - going)
        own = X[on, s.joint_index(strip.lock.joint)]
        target = np.asarray(strip.lock.target)
        place = target[:3, 3] if target.ndim == 2 else target
        away = own[:, :3, :3] @ np.asarray(strip.lock.point) + own[:, :3, 3] - place
        worst = max(worst, float(np.linalg.norm(away, axis=1).max(initial=0.0)))
    return worst


def steps(sequence: Sequence) -> float:
    """Return how far a joint turns at most from one frame to the next, [rad]."""
    frames = np.arange(last_frame(sequence) + 1)
    return float(pose_steps(sequence.skeleton, sequence.poses_at_frames(frames)).turns.max())


def bits(sequence: Sequence) -> tuple[bytes, ...]:
    return tuple(key.q.tobytes() for key in sequence.keys)


def joins() -> list[tuple[str, str, str, int, int]]:
    """Return 500 random joins: two walks, the way, the frame, and how long the cross-fade takes."""
    chance, names = random.Random(26), WALKS
    found = []
    for _ in range(500):
        first, second, way = chance.choice(names), chance.choice(names), chance.choice(WAYS)
        found.append((first, second, way, chance.randrange(33), chance.randrange(6, 15)))
    return found


@pytest.mark.verify
def test_random_joins_keep_what_stands_and_jump_nowhere():
    for first, second, way, frame, frames in few_of(joins(), 3):
        into, other = motion(first), motion(second)
        before = bits(into), bits(other)
        made = put_in(into, other, frame, way, frames)
        what = f"{first}, {second}, {way}, frame {frame}, {frames} frames"
        assert drift(made.sequence) <= 1e-6, what
        seam = max(seam.distance for seam in made.seams) / frames
        assert steps(made.sequence) <= 1.35 * max(steps(into), steps(other)) + 3.0 * seam, what
        assert (bits(into), bits(other)) == before


@pytest.mark.verify
@pytest.mark.parametrize(
    ("first", "second", "way", "frame", "frames"),
    # Where poses are most alike a foot is out of reach; where locks lead feet along paths, they pull at what stands.
    [("run", "march", INSERT, 7, 10), ("stance foot", "stance foot", INSERT, 2, 6)],
)
def test_another_seam_is_taken_where_the_likest_one_slides(first, second, way, frame, frames):
    made = put_in(motion(first), motion(second), frame, way, frames)
    assert drift(made.sequence) <= 1e-6
    assert not any("slides" in note for note in made.notes)


def test_what_slides_at_every_seam_is_said():
    walk = motion("march")
    seam = next(find_seams(walk, walk, (10, 12), (10, 12), 6))

    def make(at: Seam) -> Join:
        join = joined(walk, walk, at)
        strips = join.sequence.locks.strips
        near = next(strip for strip in strips if is_still(strip) and strip.covers(at.before))
        away = moved_strip(near, se3.transform(np.eye(3), (0.0, 0.0, 3.0)))  # out of reach
        join.sequence.locks.strips = tuple(away if strip is near else strip for strip in strips)
        return join

    made = best_join(iter([seam]), make, walk, walk)
    assert "slides by" in made.notes[-1]


def test_the_same_walk_goes_on_in_step():
    walk = motion("march")
    made = put_in(walk, walk, None, APPEND, 8)
    assert made.seams[0].distance < 0.05
    assert len(made.seams[0].foot_names) >= 1
    assert (made.lost, made.skipped, made.last) == (0, (0, 0), 2 * last_frame(walk))


def test_a_foot_is_held_by_one_lock_across_the_seam():
    walk = motion("march")
    made = put_in(walk, walk, None, APPEND, 8)
    seam = made.seams[0]
    feet = [strip for strip in made.sequence.locks.strips if strip.start < seam.before < (strip.end or 10**6)]
    assert feet
    names = [(strip.lock.joint, strip.lock.kind) for strip in feet]
    assert len(set(names)) == len(names)


@pytest.mark.verify
def test_what_follows_goes_on_from_where_the_motion_ended():
    walk, other = motion("stroll"), motion("march")
    made = put_in(walk, other, 60, INSERT, 8)
    assert len(made.seams) == 2
    end = made.sequence.poses_at_frames([last_frame(made.sequence)])[0]
    # It has come as far further as the march goes, less what both seams skip.
    assert end[2] > walk.poses_at_frames([last_frame(walk)])[0][2] + 0.3
    assert made.place(10) == 10
    assert made.place(150) == 150 + last_frame(made.sequence) - last_frame(walk)


@pytest.mark.verify
def test_replacing_keeps_about_the_length():
    walk, other = motion("stroll"), motion("march")
    made = put_in(walk, other, 60, REPLACE, 8)
    assert abs(last_frame(made.sequence) - last_frame(walk)) < 36


@pytest.mark.verify
def test_markers_come_along():
    walk = sequence_for(motion("stroll"), motion("stroll").skeleton)
    walk.markers = (Marker(5, "early"), Marker(150, "late"))
    made = put_in(walk, motion("march"), 60, INSERT, 8)
    by = last_frame(made.sequence) - last_frame(walk)
    assert [(marker.frame, marker.name) for marker in made.sequence.markers] == [(5, "early"), (150 + by, "late")]


@pytest.mark.verify
def test_joins_report_and_can_be_stopped_between_seams():
    walk = motion("walk")
    told: list[float] = []
    put_in(walk, motion("march"), 16, INSERT, 8, progress=told.append)
    assert told == sorted(told) and told[0] == 0.0 and any(done >= 0.5 for done in told) and told[-1] < 1.0

    def stop(done: float) -> None:
        if done >= 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        put_in(walk, motion("march"), 16, INSERT, 8, progress=stop)


def test_what_cannot_be_joined_is_refused():
    walk = motion("walk")
    with pytest.raises(SequenceError, match="no keys"):
        put_in(walk, Sequence(walk.skeleton), 0, APPEND)
    with pytest.raises(SequenceError, match="no way"):
        put_in(walk, walk, 0, "over")
    horse = load(bundled_folder() / "library" / "Creatures" / "gallop.seq").sequences[0]
    with pytest.raises(PoseError, match="another figure"):
        put_in(walk, horse, 0, APPEND)
    with pytest.raises(SequenceError, match="backwards"):
        next(find_seams(walk, walk, (9, 3), (0, 5), 4))
    other = Sequence(walk.skeleton, fps=24, keys=walk.keys)
    with pytest.raises(SequenceError, match="frames a second"):
        put_in(walk, other, 5, APPEND)


def test_a_creature_goes_on_too():
    gallop = load(bundled_folder() / "library" / "Creatures" / "gallop.seq").sequences[0]
    made = put_in(gallop, gallop, None, APPEND, 4)
    assert made.last > last_frame(gallop)
    assert steps(made.sequence) <= 1.35 * steps(gallop) + 0.05


def test_a_motion_without_feet_goes_on_from_where_its_root_is():
    walk = motion("walk")
    made = put_in(walk, walk, 16, INSERT, 6, lock_aware=False)
    assert made.seams[0].before == 16
    assert made.seams[0].feet == ()
