"""Walks: on level ground, hills and stairs; by rules that a sequence keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation.key import Key
from core.animation.layers.layer import Layer
from core.animation.locks.strip import LockStrip
from core.animation.new_sequence import new_sequence
from core.animation.sorted_keys import Keys
from core.constraints.lock import Lock
from core.formats import Project, load, save
from core.gait.biped import biped_of
from core.gait.error import GaitError
from core.gait.manner import Manner, manner_from_json, manner_to_json
from core.gait.procedural import Rules, bake, make, rules_of
from core.gait.walk import make_walk
from core.preview.plausibility.find import find_violations
from core.skeleton import load_skeleton
from core.terrain import LEVEL, Terrain
from tests.support.counts import few_of, is_quick
from tests.support.grounds import (
    BOUNDS,
    SEEDS,
    STAIRS,
    Footing,
    flat_manners,
    footing,
    hills,
    stairs,
    stairs_for,
    walked,
)  # fmt: skip
from tests.support.walkers import walker


@pytest.fixture(scope="module")
def human():
    return walker("human")


def _check(found: Footing) -> None:
    over = {kind: (value, getattr(BOUNDS, kind)) for kind, value in found._asdict().items()}
    assert {kind: pair for kind, pair in over.items() if pair[0] > pair[1]} == {}


@pytest.mark.parametrize("seed", few_of(SEEDS, 1))
def test_on_hills_feet_stand_on_the_ground_and_nothing_snaps(human, seed):
    ground = hills(seed)
    _check(footing(human, make_walk(human, Manner(steps=6 if is_quick() else 20), ground), ground))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("rise", "tread"), few_of(STAIRS, 2))
def test_stairs_are_climbed_a_tread_at_a_step(human, rise, tread):
    ground = stairs(rise, tread)
    full = not is_quick()
    walk = make_walk(human, Manner(steps=20 if full else 7), ground)
    _check(footing(human, walk, ground))
    rises = np.diff(walk.steps.places[:, 1])
    assert np.abs(rises).max() < abs(rise) + 5e-3
    if full:
        assert walk.steps.places[-1, 1] == pytest.approx(12 * rise, abs=2e-3)


@pytest.mark.verify
@pytest.mark.parametrize("manner", few_of(flat_manners(6 if is_quick() else 20), 1))
def test_walks_on_the_floor_are_plausible(human, manner):
    walk = make_walk(human, manner)
    assert find_violations(walked(human, walk)) == ()
    _check(footing(human, walk, LEVEL))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", few_of(["child", "woman", "robot"], 2))
def test_figures_of_other_proportions_walk(name):
    s, full = walker(name), not is_quick()
    grounds = [LEVEL, *(hills(seed) for seed in few_of(SEEDS[:5], 1))]
    grounds += [stairs_for(s, *shape) for shape in STAIRS] if full else []
    for ground in grounds:
        walk = make_walk(s, Manner(steps=20 if full else 4), ground)
        assert walk.missed < 1e-6
        _check(footing(s, walk, ground))
        assert ground is not LEVEL or find_violations(walked(s, walk)) == ()


@pytest.mark.verify
def test_a_stiff_foot_whose_tip_hangs_over_an_edge_is_lifted_as_a_whole():
    s = walker("robot")
    ground = stairs_for(s, -0.15, 0.25)
    walk = make_walk(s, Manner(steps=6), ground)
    _check(footing(s, walk, ground))
    hangs = {c.step: c.push for way in walk.feet for c in way.contacts[:-1]}
    assert hangs[5] == 0.0 and hangs[3] > 0.2


def test_what_legs_cannot_do_is_said(human):
    with_feet_apart = Manner(steps=4, width=1.6)
    assert make_walk(human, with_feet_apart).missed > 1e-3


def test_a_walk_is_the_same_bits_each_time(human):
    a, b = (make_walk(human, Manner(steps=4), hills(1)) for _ in range(2))
    assert [key.q.tobytes() for key in a.keys] == [key.q.tobytes() for key in b.keys]
    assert a.strips == b.strips and [s.id for s in a.strips] == [s.id for s in b.strips]


def test_two_of_speed_length_and_rate_give_the_third_and_one_gives_both():
    assert Manner(speed=1.2, step_length=0.6).pace(0.92).rate == pytest.approx(2.0)
    assert Manner(speed=1.2, step_rate=1.5).pace(0.92).length == pytest.approx(0.8)
    assert Manner(step_length=0.5, step_rate=2.0).pace(0.92).speed == pytest.approx(1.0)
    slow, fast = Manner(speed=0.8).pace(0.92), Manner(speed=1.6).pace(0.92)
    assert slow.length / slow.rate == pytest.approx(fast.length / fast.rate) == pytest.approx(0.384)
    small = Manner().pace(0.46)
    assert small.speed / np.sqrt(0.46) == pytest.approx(Manner().pace(0.92).speed / np.sqrt(0.92))
    with pytest.raises(GaitError, match="leave one of the three out"):
        Manner(speed=2.0, step_length=0.6, step_rate=2.0)


def test_the_way_is_as_long_as_steps_say_and_turns(human):
    walk = make_walk(human, Manner(steps=6, step_length=0.5, start=False, stop=False))
    assert walk.steps.places[-1, 2] - walk.steps.places[1, 2] == pytest.approx(3.0, abs=1e-9)
    turned = make_walk(human, Manner(steps=6, turn=np.radians(15.0))).steps.frames[-1]
    assert np.degrees(np.arctan2(turned[0, 2], turned[2, 2])) == pytest.approx(90.0, abs=7.0)


@pytest.mark.verify
def test_a_footprint_that_is_moved_moves_the_walk_there(human):
    before = make_walk(human, Manner(steps=8))
    x, _, z = before.steps.places[5]
    after = make_walk(human, Manner(steps=8, footprints={5: (x + 0.12, z + 0.08, 0.1)}))
    assert after.steps.places[5, [0, 2]] == pytest.approx([x + 0.12, z + 0.08])
    assert np.array_equal(after.steps.frames[:5], before.steps.frames[:5])
    _check(footing(human, after, LEVEL))


@pytest.mark.parametrize(
    "values",
    [{"steps": 0}, {"speed": -1.0}, {"speed": float("nan")}, {"kind": ""}, {"first": "both"}, {"steps": 2.5},
     {"footprints": {99: (0.0, 0.0, 0.0)}}, {"footprints": {1: (0.0, 0.0)}}, {"place": (0.0,)}, {"start": 1}],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(values):
    with pytest.raises(GaitError):
        Manner(**values)


def test_who_cannot_walk_is_told_why(skeletons_folder):
    for name, why in (("horse", "4 feet"), ("robot", "0 feet")):
        with pytest.raises(GaitError, match=why):
            biped_of(load_skeleton(skeletons_folder / f"{name}.scr"))


def test_rules_are_kept_in_the_file_and_make_the_same_motion(human, tmp_path):
    sequence = new_sequence(human, "Walk")
    make(sequence, Rules(Manner(steps=4, turn=0.1, footprints={2: (0.1, 0.6, 0.0)}), stairs(start=0.6)))
    save(Project([human], [sequence]), tmp_path / "walk.seq")
    read = load(tmp_path / "walk.seq").sequences[0]
    rules = rules_of(read)
    assert rules is not None and rules.manner.footprints[2] == (0.1, 0.6, 0.0)
    assert isinstance(rules.ground, Terrain)
    before = [key.q.tobytes() for key in read.keys]
    make(read, rules)
    assert [key.q.tobytes() for key in read.keys] == before == [key.q.tobytes() for key in sequence.keys]
    bake(read)
    assert rules_of(read) is None and len(read.keys) == len(before)


def test_a_bad_record_is_a_problem_of_the_file(human, tmp_path):
    sequence = new_sequence(human, "Walk")
    make(sequence, Rules(Manner(steps=2), LEVEL))
    path = tmp_path / "walk.seq"
    save(Project([human], [sequence]), path)
    path.write_text(path.read_text().replace('"steps": 2', '"steps": -2').replace('"steps":2', '"steps":-2'))
    with pytest.raises(Exception, match=r"gait.*steps is -2"):
        load(path)


def test_what_an_animator_adds_stays_when_rules_change(human):
    sequence = new_sequence(human, "Walk")
    make(sequence, Rules(Manner(steps=4), LEVEL))
    own = LockStrip(Lock("head", "orientation", target=np.eye(3)), 3, 9, id="mine")
    sequence.locks.strips = (*sequence.locks.strips, own)
    column = 3 + human.dof_names.index("head.x")
    raised = np.zeros(human.nq)
    raised[column] = 0.1
    sequence.layers = (Layer("nod", "Nod", Keys(human, [Key(0, raised)])),)
    make(sequence, Rules(Manner(steps=6), LEVEL))
    assert own in sequence.locks.strips and sequence.keys[-1].frame == sequence.range[1]
    assert sequence.interpolated_at_frames([9])[0, column] == pytest.approx(
        sequence.base_at_frames([9])[0, column] + 0.1, abs=1e-9
    )
    assert len({strip.id for strip in sequence.locks.strips}) == len(sequence.locks.strips)


def test_a_range_that_was_set_by_hand_stays_when_rules_change(human):
    sequence = new_sequence(human, "Walk")
    make(sequence, Rules(Manner(steps=2), LEVEL))
    make(sequence, Rules(Manner(steps=3), LEVEL))
    assert tuple(sequence.range) == (0, sequence.keys[-1].frame)
    sequence.set_range(5, 20)
    make(sequence, Rules(Manner(steps=2), LEVEL))
    assert tuple(sequence.range) == (5, 20)


def test_manners_go_through_json():
    for manner in (Manner(), Manner(steps=3, speed=1.0, turn=0.2, place=(1.0, 2.0), footprints={1: (0.0, 1.0, 0.2)})):
        assert manner_from_json(manner_to_json(manner)) == manner
    assert replace(Manner(), steps=4) != Manner()
