"""Clean-up: noise parted from motion, floors levelled, feet that stand, cuts that close, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation.cleaning.clean import FOUND, Choices, cleaned, look
from core.animation.cleaning.cutting import looped, trimmed, without
from core.animation.cleaning.filtering import filtered
from core.animation.cleaning.filters import Butterworth, SavitzkyGolay, window_for
from core.animation.cleaning.placing import FACING, TRAVEL, find_floor, heading_motion, place
from core.animation.cleaning.residuals import find_cutoffs
from core.animation.cleaning.standing import ROOT, find_stances, stand
from core.animation.contacts.finding import find_contacts
from core.animation.contacts.phases import SWING
from core.animation.cycles import OFFSET
from core.animation.joining.trial import slides
from core.animation.key import Key
from core.animation.layers.edits import keyed, new_layer
from core.animation.locks.strip import LockStrip
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.soles import height
from core.errors import Cancelled, PoseError, SequenceError
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton
from core.skeleton.dof import Dof
from core.skeleton.stance import stance
from core.spatial import so3
from tests.support.recorded import GAP, SPIKE, recorded, walk


def world(sequence: Sequence) -> Array:
    """Return where joints are at every frame, shape (m, n, 4, 4)."""
    frames = np.arange(sequence.keys[0].frame, sequence.keys[-1].frame + 1)
    return forward_kinematics(sequence.skeleton, sequence.poses_at_frames(frames))


def leaning(angle: float, axis: tuple[float, float, float] = (1.0, 0.0, 0.0), up: float = 0.0) -> Array:
    X = np.eye(4)
    X[:3, :3] = so3.axis_rotation(np.array(axis), angle)
    X[:3, 3] = 0.2, up, -0.1
    return X


# -- noise -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("motion_hz", "noise"), [(1.5, 0.01), (3.0, 0.01), (1.5, 0.03)])
def test_residual_analysis_finds_the_noise_and_a_cutoff_above_the_motion(motion_hz: float, noise: float):
    clean = walk()
    m, rate = 600, 120.0
    t = np.arange(m) / rate
    column = clean.channels.columns[clean.channels.index("right forearm")][0]
    poses = np.tile(clean.skeleton.rest_pose(), (m, 1))
    signal = 0.4 * np.sin(2.0 * np.pi * motion_hz * t)
    poses[:, column] = 0.5 + signal + np.random.default_rng(2).normal(0.0, noise, m)
    made = Sequence(clean.skeleton, rate, keys=[Key(f, q) for f, q in enumerate(poses)])
    found = {each.channel: each for each in find_cutoffs(made, 0, m - 1)}
    mine = found["right forearm"]
    assert mine.noise == pytest.approx(noise, rel=0.15)
    assert motion_hz < mine.cutoff < 8.0 * motion_hz
    assert all(each.cutoff is None for name, each in found.items() if name != "right forearm")
    # No fixed cutoff far from it is better: it is near the one that brings the motion back best.
    off = {}
    for cutoff in (0.5 * mine.cutoff, mine.cutoff, 2.5 * mine.cutoff):
        keys = filtered(made, 0, m - 1, {"right forearm": Butterworth(cutoff)})
        off[cutoff] = np.sqrt(np.mean((np.array([key.q[column] for key in keys]) - 0.5 - signal)[20:-20] ** 2))
    assert off[mine.cutoff] < 0.7 * noise and off[mine.cutoff] <= 1.1 * min(off.values())


def test_a_filter_for_some_channels_leaves_the_others_alone():
    made, name = recorded(faults=False), "right forearm"
    keys = filtered(made, 0, made.keys[-1].frame, {name: Butterworth(3.0)})
    moved = np.any([a.q != b.q for a, b in zip(keys, made.keys, strict=True)], axis=0)
    assert set(np.flatnonzero(moved)) == set(made.channels.columns[made.channels.index(name)].tolist())


@pytest.mark.parametrize("cutoff", [3.0, 6.0, 12.0])
def test_a_savitzky_golay_window_halves_what_has_its_cutoff_frequency(cutoff: float):
    rate = 480.0
    t = np.arange(4800) / rate
    made = SavitzkyGolay(window_for(cutoff))(np.sin(2.0 * np.pi * cutoff * t)[:, None], rate)
    assert np.abs(made[1000:-1000]).max() == pytest.approx(0.5, abs=0.06)


# -- floor and heading -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 1e-6, 0.03, 0.2, -0.1])
def test_a_motion_that_was_moved_rigidly_is_that_motion(angle: float):
    made, motion = walk(), leaning(angle, (0.6, 0.0, 0.8), 0.3)
    before = world(made)
    place(made, motion)
    assert np.abs(world(made) - motion @ before).max() < 1e-9


def test_locks_go_along_with_the_motion_that_they_hold():
    made, motion = walk(), leaning(0.5, (0.0, 1.0, 0.0), 0.0)
    at = world(made)[10, made.skeleton.joint_index("right foot")]
    made.locks.strips = (LockStrip(Lock("right foot", "pose", target=at), 8, 12),)
    place(made, motion)
    assert np.abs(np.asarray(made.locks.strips[0].lock.target) - motion @ at).max() < 1e-12


@pytest.mark.sampled(1)
@pytest.mark.parametrize("angle", [0.04, -0.08])
def test_a_floor_that_leans_along_the_way_is_found_and_levelled(angle: float):
    made = walk()
    size = height(made.skeleton)
    first = find_floor(find_contacts(made), size)
    place(made, leaning(angle, up=0.15))
    contacts = find_contacts(made)
    floor = find_floor(contacts, size)
    assert floor.tilt == pytest.approx(abs(angle), abs=0.02)
    place(made, floor.motion(True))
    level = find_floor(find_contacts(made), size)
    assert level.tilt < 0.01 and abs(level.height) < 3e-3 and first.tilt < 0.02


def test_someone_on_the_spot_says_nothing_about_how_the_floor_leans():
    made = walk()
    poses = np.tile(made.skeleton.rest_pose(), (40, 1))
    spot = Sequence(made.skeleton, 60.0, keys=[Key(f, q) for f, q in enumerate(poses)])
    place(spot, leaning(0.05))
    floor = find_floor(find_contacts(spot), height(made.skeleton))
    assert floor is None or floor.tilt == 0.0


@pytest.mark.parametrize("turned", [0.0, 2.0, np.pi, -3.0])
def test_heading_and_origin(turned: float):
    made = walk()
    place(made, leaning(turned, (0.0, 1.0, 0.0)))
    place(made, heading_motion(made, FACING, True))
    first = made.pose_at_frame(0)
    assert abs(stance(made.skeleton).heading(first)) < 1e-9
    assert np.abs(first[[0, 2]]).max() < 1e-9
    place(made, leaning(turned, (0.0, 1.0, 0.0)))
    place(made, heading_motion(made, TRAVEL, False))
    way = made.pose_at_frame(made.keys[-1].frame)[:3] - made.pose_at_frame(0)[:3]
    assert abs(np.arctan2(way[0], way[2])) < 1e-9
    with pytest.raises(SequenceError, match='"facing", "travel" or an angle'):
        heading_motion(made, "north", False)


def test_a_root_without_three_hinges_cannot_lean():
    cart = Skeleton("cart", [Joint("body", -1, dofs=[Dof("hinge", np.array([0.0, 1.0, 0.0]), -10.0, 10.0)])])
    made = Sequence(cart, keys=[Key(0, cart.rest_pose()), Key(5, cart.rest_pose())])
    place(made, leaning(0.3, (0.0, 1.0, 0.0)))
    with pytest.raises(PoseError, match='"body" does not turn about three axes'):
        place(made, leaning(0.3))


# -- feet ------------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_feet_stand_still_between_frames_too_and_the_root_stays_near():
    made = recorded(noise=0.0, faults=False)
    contacts = find_contacts(made)
    before = made.poses_at_frames(np.arange(made.keys[-1].frame + 1))
    found = stand(made, contacts)
    frames = np.arange(0.0, made.keys[-1].frame, 0.25)
    held = made.poses_at_frames(frames)
    assert made.locks.strips and found.root.max() <= ROOT
    assert slides(made, frames, held) < 1e-8
    whole = made.poses_at_frames(np.arange(made.keys[-1].frame + 1))
    assert np.array_equal(whole, np.array([key.q for key in made.keys]))  # keys keep the locks by themselves
    assert np.linalg.norm(whole[:, :3] - before[:, :3], axis=1) == pytest.approx(found.root, abs=1e-12)
    steps = np.abs(np.diff(whole[:, 3:], axis=0)).max(axis=0), np.abs(np.diff(before[:, 3:], axis=0)).max(axis=0)
    assert (steps[0] - steps[1]).max() < np.radians(8.0)  # nothing leaps


@pytest.mark.verify
def test_what_a_person_says_about_stances_is_done():
    made = recorded(noise=0.0, faults=False)
    contacts = find_contacts(made)
    phases = find_stances(made, contacts)
    joint = next(iter(phases))
    free = {joint: tuple(each._replace(kind=SWING) for each in phases[joint])}
    found = stand(made, contacts, {**phases, **free})
    names = {strip.lock.joint for strip in found.strips}
    foot = made.skeleton.joint_names[joint]
    assert foot not in names and names


# -- cuts ------------------------------------------------------------------------------------------------------------


def test_trimming_keeps_the_motion_of_what_stays():
    made = walk()
    before = world(made)
    cut = trimmed(made, 7, 40)
    assert (cut.sequence.keys[0].frame, cut.sequence.keys[-1].frame) == (0, 33) and cut.sequence.range == (0, 33)
    assert np.array_equal(world(cut.sequence), before[7:41])
    assert (cut.place(7), cut.place(40), cut.place(6), cut.place(41)) == (0, 33, None, None)
    assert len(made.keys) == len(before)  # the sequence itself is as it was
    with pytest.raises(SequenceError, match="nothing of the motion"):
        trimmed(made, 500, 600)


@pytest.mark.verify
def test_what_is_taken_out_leaves_no_jump():
    made = walk()
    last = made.keys[-1].frame
    cut = without(made, 25, 35, frames=6)
    whole, there = world(made), world(cut.sequence)
    length = cut.sequence.keys[-1].frame
    assert length < last and cut.place(0) == 0 and cut.place(30) is None and cut.place(last) == length
    steps = np.linalg.norm(np.diff(there[:, :, :3, 3], axis=0), axis=2).max()
    assert steps < 1.6 * np.linalg.norm(np.diff(whole[:, :, :3, 3], axis=0), axis=2).max()
    with pytest.raises(SequenceError, match="trim it instead"):
        without(made, 0, 10)


@pytest.mark.verify
def test_a_loop_ends_where_it_begins_and_goes_on():
    made = recorded(noise=0.0, slide=0.0, faults=False)
    cut = looped(made, frames=6)
    loop = cut.sequence
    first, last = loop.keys[0].frame, loop.keys[-1].frame
    assert loop.cycles == (OFFSET, OFFSET) and loop.range == (0, last)
    assert loop.cycled.jump(lambda poses: forward_kinematics(made.skeleton, poses)[..., :3, 3]) < 1e-9
    q = loop.poses_at_frames(np.arange(first, 2 * last, 0.5))  # two rounds
    X = forward_kinematics(made.skeleton, q)[..., :3, 3]
    usual = np.linalg.norm(np.diff(world(made)[..., :3, 3], axis=0), axis=2).max()
    assert np.linalg.norm(np.diff(X, axis=0), axis=2).max() < usual
    with pytest.raises(SequenceError, match="too few for a loop"):
        looped(made, 0, 8)


# -- all of it -------------------------------------------------------------------------------------------------------


def test_clean_up_does_what_it_says_and_leaves_the_motion_alone():
    made = recorded()
    keys = [key.q.tobytes() for key in made.keys]
    told: list[float] = []
    done = cleaned(made, progress=told.append)
    assert [key.q.tobytes() for key in made.keys] == keys
    assert {(each.channel, each.first, each.last) for each in done.faults} == {SPIKE, GAP}
    assert done.cutoffs and done.floor is not None and done.standing is not None
    assert told[-1] == 1.0 and told == sorted(told)
    assert np.array_equal(cleaned(made).sequence.base_at_frames([20.0]), done.sequence.base_at_frames([20.0]))
    there = Sequence(made.skeleton, made.fps)
    there.put(done.values(made))
    frames = np.arange(0.0, made.keys[-1].frame, 0.5)
    assert np.array_equal(there.poses_at_frames(frames), done.sequence.poses_at_frames(frames))
    assert slides(there, frames, there.poses_at_frames(frames)) < 1e-8
    # It is nearer to what was recorded before the camera shook: faults and noise are gone.
    meant = recorded(noise=0.0, faults=False)
    arm = made.skeleton.joint_index("right forearm")
    off = [np.abs(world(each)[18:24, arm, :3, :3] - world(meant)[18:24, arm, :3, :3]).max() for each in (made, there)]
    assert off[1] < 0.3 * off[0]


@pytest.mark.verify
@pytest.mark.parametrize("none", [{"filter": None}, {"filtered": frozenset()}])
def test_nothing_chosen_changes_nothing(none):
    made = recorded()
    choices = Choices(fill=(), floor=0.0, hold_feet=False, **none)
    assert look(made, choices).residuals, "the noise of all parts is told"
    done = cleaned(made, choices)
    assert [key.q.tobytes() for key in done.sequence.keys] == [key.q.tobytes() for key in made.keys]
    assert done.place(5.0) == 5.0 and not done.notes


@pytest.mark.verify
def test_layers_stay_on_top_of_a_filter_and_go_into_keys_where_feet_are_held():
    made = recorded()
    layer = keyed(
        new_layer(made.skeleton, "lift"),
        10,
        np.where(np.arange(made.skeleton.nq) == 1, 0.02, 0.0),
        [
            "",
        ],
    )
    made.layers = (layer,)
    kept = cleaned(made, Choices(floor=0.0, hold_feet=False))
    assert kept.sequence.layers == (layer,) and not kept.notes
    flat = cleaned(made, Choices(fill=(), filter=None, floor=0.0, to_origin=True, hold_feet=False))
    assert not flat.sequence.layers and "layers" in flat.notes[0]


@pytest.mark.verify
def test_look_says_what_would_be_done():
    made = recorded()
    found, done = look(made), cleaned(made)
    assert found.faults == done.faults
    assert {each.channel: each.cutoff for each in found.residuals if each.cutoff} == dict(done.cutoffs)
    assert found.phases and found.floor.height == pytest.approx(done.floor.height, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"fill": "some"}, 'fill is "some"'), ({"filter": "median"}, 'is "median"'), ({"cutoff": -1.0}, "cutoff"),
        ({"floor": "low"}, 'floor is "low"'), ({"floor": float("nan")}, "floor is nan"), ({"root": 0.0}, "root is 0"),
    ],
)  # fmt: skip
def test_choices_that_make_no_sense_are_refused(values: dict[str, object], text: str):
    with pytest.raises(SequenceError, match=text):
        Choices(**values)


@pytest.mark.verify
def test_short_motions_are_refused_and_work_can_be_cancelled():
    made = walk()
    with pytest.raises(SequenceError, match="too short a motion"):
        cleaned(Sequence(made.skeleton, keys=list(made.keys)[:2]))

    def stop(done: float) -> None:
        if done > 0.1:
            raise Cancelled

    with pytest.raises(Cancelled):
        cleaned(made, progress=stop)
    assert FOUND == Choices().fill
