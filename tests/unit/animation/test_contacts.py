"""Contacts of feet found in motions whose contacts are known, on figures of many kinds, at many speeds and rates."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation.contacts.feet import HEEL, TOES, feet_of, figure_feet
from core.animation.contacts.finding import ContactOptions, find_contacts, kept_where, runs, without_short
from core.animation.sequence import Sequence
from core.constraints.soles import height
from core.errors import SequenceError
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.terrain import height_field

FOLDER = bundled_folder()


def motion(name: str) -> Sequence:
    return load(next(FOLDER.rglob(f"{name}.seq"))).sequences[0]


@pytest.mark.parametrize(
    ("figure", "number", "rolls"),
    [("human", 2, True), ("woman", 2, True), ("stickman", 2, True), ("horse", 4, False), ("spider", 8, False),
     ("bird", 2, True), ("arm7", 0, False), ("hand", 0, False), ("robot", 0, False)],
)  # fmt: skip
def test_feet_are_found_by_names_and_by_what_stands(figure, number, rolls):
    s = load_skeleton(FOLDER / f"{figure}.scr")
    feet = figure_feet(s)
    assert len(feet) == number
    assert all(foot.rolls == rolls and foot.grounded for foot in feet)
    for foot in feet if rolls else ():
        heel, toes = foot.regions
        assert (heel.name, toes.name) == (HEEL, TOES)
        X = forward_kinematics(s, s.rest_pose())
        back = X[foot.joint, :3, :3] @ heel.points.mean(axis=0) + X[foot.joint, :3, 3]
        front = X[toes.joint, :3, :3] @ toes.points.mean(axis=0) + X[toes.joint, :3, 3]
        assert front[2] > back[2] + 0.05 * height(s)  # the figures look along z


def test_picked_hands_are_held_where_they_stay_and_picked_toes_belong_to_their_foot():
    s = load_skeleton(FOLDER / "human.scr")
    feet = feet_of(s, ["right foot", "right toes", "left hand"])
    assert [s.joint_names[foot.joint] for foot in feet] == ["right foot", "left hand"]
    assert [foot.grounded for foot in feet] == [True, False]


def test_contacts_are_those_that_the_locks_of_bundled_motions_say():
    """Their animator locked feet and toes where they stand: at all other frames they swing."""
    counts = np.zeros(3)
    for name in ("march", "run", "jump", "sit"):
        sequence = motion(name)
        contacts = find_contacts(sequence)
        s, own = sequence.skeleton, np.zeros(3)
        frames = np.flatnonzero(contacts.frames == np.round(contacts.frames))
        at = contacts.frames[frames]
        for foot, touching in zip(contacts.feet, contacts.touching, strict=True):
            strips = [k for k in sequence.locks.strips if s.joint_index(k.lock.joint) in (foot.joint, foot.toes)]
            truth = np.any([(at >= k.start) & (at <= (at[-1] if k.end is None else k.end)) for k in strips], axis=0)
            found = touching[:, frames].any(axis=0)
            if sequence.loop and at[-1] < 40:  # what is locked as a round ends still stands as the next begins
                truth[at <= 2.0] |= found[at <= 2.0]
            own += [(found & truth).sum(), found.sum(), truth.sum()]
        counts += own
        assert own[0] >= 0.85 * own[1] and own[0] >= 0.95 * own[2], name
    assert counts[0] >= 0.9 * counts[1] and counts[0] >= 0.9 * counts[2]  # precision and recall


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize("factor", [0.1, 0.5, 4.0])
def test_slow_motion_and_haste_have_the_same_contacts(factor):
    plain, other = motion("walk"), motion("walk")
    other.fps = plain.fps * factor
    a = find_contacts(plain)
    b = find_contacts(other, options=ContactOptions(shortest=0.05 / factor))
    for one, two in zip(a.touching, b.touching, strict=True):
        whole = [mask[:, :: (mask.shape[1] - 1) // 32] for mask in (one, two)]
        assert (whole[0] != whole[1]).mean() <= 0.07


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_the_rate_of_frames_does_not_matter(fps):
    plain = motion("march")
    other = Sequence(plain.skeleton, fps=fps)
    for frame in range(round(32 / 30 * fps) + 1):  # as a recording: a key at every frame
        other.set_key(frame, plain.pose_at_frame(min(30.0 * frame / fps, 32.0)))
    a, b = find_contacts(plain), find_contacts(other)
    for one, two in zip(a.touching, b.touching, strict=True):
        times = np.linspace(0.0, 1.0, 200)
        there = [
            mask[:, np.round(times * (mask.shape[1] - 1)).astype(int)] for mask in (one, two)
        ]  # fmt: skip
        assert (there[0] != there[1]).mean() <= 0.05


@pytest.mark.verify
def test_on_stairs_each_landing_is_ground_and_a_raised_foot_is_not():
    """Each stance of a march is put on a tread of its own; a stance of the other foot is a knee held up, still."""
    sequence = motion("march")
    sequence.locks.strips = ()
    s = sequence.skeleton
    climbing = Sequence(s, fps=30)
    first = sequence.poses_at_frames(np.arange(0, 33))
    step = 0.17
    for n in range(3):
        for f in range(0, 32):
            q = first[f].copy()
            # Up while neither foot would mind: between the stances.
            q[1] += step * (2 * n + (f > 12) * min((f - 12) / 4.0, 1.0) + (f > 28) * min((f - 28) / 4.0, 1.0))
            climbing.set_key(32 * n + f, q)
    contacts = find_contacts(climbing)
    assert contacts.bounds.floor is None
    for touching in contacts.touching:
        stances = [run for run in runs(touching.any(axis=0)) if run[1] - run[0] > 12]
        assert len(stances) >= 3


def test_feet_that_never_touch_or_never_lift_and_one_key():
    s = load_skeleton(FOLDER / "human.scr")
    still = Sequence(s, fps=30)
    q = s.rest_pose()
    still.set_key(0, q)
    one = find_contacts(still)
    assert all(mask.all() for mask in one.touching)
    still.set_key(40, q)
    assert all(mask.all() for mask in find_contacts(still).touching)
    flying = Sequence(s, fps=30)
    for frame in range(0, 60, 10):
        up = q.copy()
        up[1] += 1.0 + 0.4 * np.sin(frame)
        up[2] += 0.1 * frame
        flying.set_key(frame, up)
    assert not any(mask.any() for mask in find_contacts(flying, options=ContactOptions(floor=0.0)).touching)


def test_bad_bounds_and_figures_without_feet_are_refused_in_one_line():
    with pytest.raises(SequenceError, match="speed is -1"):
        ContactOptions(speed=-1)
    with pytest.raises(SequenceError, match="there is no key"):
        find_contacts(Sequence(load_skeleton(FOLDER / "human.scr")))
    arm = Sequence(load_skeleton(FOLDER / "arm7.scr"))
    arm.set_key(0, arm.skeleton.rest_pose())
    with pytest.raises(SequenceError, match="has no feet"):
        find_contacts(arm)


def test_hysteresis_and_short_runs():
    strict = np.array([0, 0, 1, 0, 0, 0, 0, 0], dtype=bool)
    loose = np.array([0, 1, 1, 1, 0, 1, 1, 0], dtype=bool)
    assert kept_where(strict, loose).tolist() == [False, True, True, True, False, False, False, False]
    mask = np.array([1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0], dtype=bool)
    assert runs(without_short(mask, 2.0)) == [(0, 8)]


def test_contacts_over_known_ground_are_those_on_the_floor():
    """The same walk, raised with a slope under it: each foot touches when it did on the floor."""
    sequence = motion("march")
    before = find_contacts(sequence, options=ContactOptions(floor=0.0, height=0.02, speed=0.3))
    slope = height_field(np.array([[1.0, 1.0], [3.0, 3.0]]), 40.0, (-20.0, -20.0))
    s, raised = sequence.skeleton, Sequence(sequence.skeleton, sequence.fps)
    for key in sequence.keys:
        q = sequence.pose_at_frame(key.frame).copy()
        q[1] += float(slope.heights(q[None, [0, 2]])[0])
        raised.set_key(key.frame, q)
    found = find_contacts(raised, options=ContactOptions(ground=slope, height=0.02, speed=0.3))
    assert found.bounds.floor == 0.0 and found.ground is slope
    without = find_contacts(raised, options=ContactOptions(floor=0.0, height=0.02, speed=0.3))
    assert not any(each.any() for each in without.touching)
    same = [np.mean(a == b) for a, b in zip(before.touching, found.touching, strict=True)]
    assert len(figure_feet(s)) == 2 and min(same) > 0.9
