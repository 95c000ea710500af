"""Locks that keep feet on their path: nothing moves but what slid, and a walk becomes a sneak whose feet do not."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation.contacts.feet import feet_of, figure_feet
from core.animation.contacts.finding import ContactOptions
from core.animation.contacts.paths import lock_paths, path_change
from core.animation.contacts.phases import FLAT, ON_TOES, SWING, Phase, stances, with_end, without_stance
from core.animation.sequence import Sequence
from core.constraints.soles import sole_outline
from core.errors import Cancelled, SequenceError
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.building import props

FOLDER = bundled_folder()
MAN = load_skeleton(FOLDER / "human.scr")
LOWER = 0.13


def motion(name: str) -> Sequence:
    return load(next(FOLDER.rglob(f"{name}.seq"))).sequences[0]


def points(sequence: Sequence, frames, joint: int, own: np.ndarray) -> np.ndarray:
    X = forward_kinematics(sequence.skeleton, sequence.poses_at_frames(frames))[:, joint]
    return np.einsum("mij,kj->mki", X[:, :3, :3], own) + X[:, None, :3, 3]


def locked(sequence: Sequence, **how):
    found = lock_paths(sequence, **how)
    sequence.locks.strips = (*sequence.locks.strips, *found.strips)
    return found


def drifts(sequence: Sequence, found, rate: float = 240.0) -> float:
    """Return how far what touches the ground moves in any stance, sampled between keys, too, [m]."""
    worst, per = 0.0, rate / sequence.fps
    for foot, path in zip(
        [f for f in found.contacts.feet if f.joint in {p.joint for p in found.feet}], found.feet, strict=True
    ):
        held = {"heel": foot.regions[0], "toes": foot.regions[-1]}
        for phase in path.phases:
            if phase.kind == SWING or phase.first == phase.last:
                continue
            frames = np.linspace(phase.first, phase.last, int((phase.last - phase.first) * per) + 1)
            if phase.kind == "heel":
                checked = [(foot.joint, held["heel"].pivot[None])]
            elif phase.kind == ON_TOES:
                checked = [
                    (held["toes"].joint, held["toes"].points if foot.toes is not None else held["toes"].pivot[None])
                ]
            elif phase.kind == FLAT:
                checked = [(region.joint, region.points) for region in foot.regions]
            else:
                checked = [(foot.joint, foot.point[None])]
            for joint, own in checked:
                at = points(sequence, frames, joint, own)
                worst = max(worst, float(np.linalg.norm(at - at[0], axis=2).max()))
    return worst


def lowest(sequence: Sequence, frames) -> float:
    """Return how low the lowest point of any sole is, [m]."""
    s, found = sequence.skeleton, np.inf
    for foot in figure_feet(s):
        for joint in {foot.joint, foot.joint if foot.toes is None else foot.toes}:
            found = min(found, float(points(sequence, frames, joint, sole_outline(s, joint))[..., 1].min()))
    return found


def test_a_walk_becomes_a_sneak_whose_feet_keep_path_and_floor_and_that_loops():
    sequence = motion("walk")
    s, found = sequence.skeleton, locked(sequence)
    assert drifts(sequence, found) <= 1e-6
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    frames = np.linspace(first, last, (last - first) * 8 + 1)  # 240 Hz
    feet = [foot.joint for foot in found.contacts.feet]
    before = sequence.poses_at_frames(frames)
    paths = forward_kinematics(s, before)[:, feet, :3, 3]
    arms = [3 + k for k, name in enumerate(s.dof_names) if "arm" in name]
    middle = np.mean([key.q for key in sequence.keys], axis=0)
    for key in list(sequence.keys):
        q = np.array(key.q)
        q[1] -= LOWER
        q[arms] = np.clip(middle[arms] + 1.5 * (q[arms] - middle[arms]), *s.limits[np.array(arms) - 3].T)
        sequence.set_key(key.frame, q)
    after = sequence.poses_at_frames(frames)
    hips = before[:, 1] - after[:, 1]
    assert np.abs(hips - LOWER).max() <= 0.008  # a leg that was nearly straight had lifted them by some millimetres
    assert drifts(sequence, found) <= 1e-6
    assert lowest(sequence, frames) >= -1e-5
    # Wherever a lock holds a foot's place it is where it was; where only its toes and its heel's height are held, near.
    assert np.linalg.norm(forward_kinematics(s, after)[:, feet, :3, 3] - paths, axis=2).max() <= 1e-6
    sequence.cycles = ("offset", "offset")
    rounds = np.linspace(first, first + 3 * (last - first), 3 * 8 * (last - first) + 1)
    joints = forward_kinematics(s, sequence.poses_at_frames(rounds))[:, :, :3, 3]
    assert sequence.cycled.jump(lambda q: forward_kinematics(s, q)[:, :, :3, 3]) <= 1e-3
    steps = np.linalg.norm(np.diff(joints, axis=0), axis=2)
    per_round = steps.reshape(3, -1, steps.shape[1])
    assert np.abs(per_round[1] - per_round[0]).max() <= 1e-6  # each round is the first one, moved


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "most"), [("march", 3e-3), ("run", 5e-3), ("jump", 7.5e-3), ("crawl", 2e-3)])
def test_stances_are_still_and_nothing_moves_but_what_slid(name, most):
    """Of the run 5 mm: where its own locks begin it jumps as much; of the jump 7: it slid from its locks."""
    sequence = motion(name)
    before = sequence.locks.strips
    found = lock_paths(sequence)
    change = path_change(sequence, found)
    assert sequence.locks.strips == before  # it was only looked at
    sequence.locks.strips = (*before, *found.strips)
    assert drifts(sequence, found) <= 1e-6
    assert change <= most and max(p.off for p in found.feet) <= 0.7e-3
    again = lock_paths(sequence)
    assert again.strips == ()  # what is locked is not locked twice


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["walk", "march"])
def test_feet_move_by_about_half_of_what_they_slid_and_by_a_millimetre_where_they_did_not(name):
    """The change is spread over the swings beside: it is nowhere more than in the stances."""
    sequence = motion(name)
    s, found = sequence.skeleton, lock_paths(sequence)
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    frames = np.linspace(first, last, (last - first) * 4 + 1)
    feet = [(joint, sole_outline(s, joint)) for foot in figure_feet(s) for joint in (foot.joint, foot.toes)]
    before = [points(sequence, frames, *each) for each in feet]
    old = sequence.locks.strips
    sequence.locks.strips = (*old, *found.strips)
    change = max(
        float(np.linalg.norm(points(sequence, frames, *each) - was, axis=2).max())
        for each, was in zip(feet, before, strict=True)
    )
    slid = max(path.slid for path in found.feet)
    assert (slid > 0.01) == (name == "walk")
    assert change <= 0.65 * slid + 1e-3  # of three places in a triangle the middle is 0.58 of its side away


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize("cycles", [("repeat", "repeat"), ("offset", "offset"), ("mirror", "mirror")])
def test_rounds_of_a_walk_with_foot_paths_follow_each_other_without_a_jump(cycles):
    """Half of a walk goes on mirrored, a whole one as it is; repeated in place it jumps back, but no limb does."""
    sequence = motion("walk")
    s = sequence.skeleton
    if cycles[0] == "mirror":
        for key in [key for key in sequence.keys if key.frame > 16]:
            sequence.delete(key.frame)
    found = locked(sequence)
    sequence.cycles = cycles
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    for seam in (first + (last - first), first + 2 * (last - first)):
        joints = forward_kinematics(s, sequence.poses_at_frames(np.array([seam - 1e-6, seam + 1e-6])))[:, :, :3, 3]
        if cycles[0] == "repeat":
            joints -= joints[:, :1]
        assert np.linalg.norm(joints[1] - joints[0], axis=1).max() <= 1e-3
    if cycles[0] != "repeat":
        assert sequence.cycled.jump(lambda q: forward_kinematics(s, q)[:, :, :3, 3]) <= 1e-3
    assert drifts(sequence, found) <= 1e-6


@pytest.mark.verify
def test_a_path_that_keys_can_hold_moves_by_less_than_a_millimetre():
    """Feet that glide slowly between stances: splines through whole frames are near enough there."""
    sequence = Sequence(MAN, fps=30)
    q = MAN.rest_pose()

    def bend(pose: np.ndarray, side: str, share: float) -> None:
        for part, angle in (("thigh", 0.3), ("shank", 0.6), ("foot", -0.3)):
            k = MAN.first_dof[MAN.joint_index(f"{side} {part}")]
            pose[3 + k] += share * angle * (1.0 if MAN.limits[k, 1] > -MAN.limits[k, 0] else -1.0)

    for side in ("left", "right"):  # knees a little bent: straight ones move by centimetres where a foot does by one
        bend(q, side, 1.0)
    for frame, share in ((0, 0.0), (30, 0.0), (60, 1.0), (90, 0.0), (120, 0.0)):
        pose = q.copy()
        bend(pose, "left", share)
        sequence.set_key(frame, pose)
    found = lock_paths(sequence)
    assert max(path.off for path in found.feet) <= found.tolerance
    assert path_change(sequence, found) <= 2e-3 + 3.0 * max(path.slip for path in found.feet)
    swings = [strip for strip in found.strips if strip.targets]
    assert swings and all(
        len(strip.targets) < 0.6 * (strip.targets[-1].frame - strip.targets[0].frame) for strip in swings
    )
    fewer = lock_paths(sequence, tolerance=0.02)
    assert sum(p.keys for p in fewer.feet) < sum(p.keys for p in found.feet)
    assert not any(strip.targets for strip in found.strips if "right" in strip.title)  # it never left the ground


@pytest.mark.verify
def test_stances_are_left_out_and_their_ends_moved_before_they_are_locked():
    phases = [Phase(SWING, 0, 4), Phase(FLAT, 5, 9), Phase(ON_TOES, 10, 12), Phase(SWING, 13, 20), Phase(FLAT, 21, 30)]
    assert stances(phases) == [(5, 12), (21, 30)]
    assert without_stance(phases, 0) == [Phase(SWING, 0, 20), Phase(FLAT, 21, 30)]
    assert with_end(phases, 0, True, 15)[1:4] == [Phase(FLAT, 5, 9), Phase(ON_TOES, 10, 15), Phase(SWING, 16, 20)]
    assert with_end(phases, 0, True, 8)[1:3] == [Phase(FLAT, 5, 8), Phase(SWING, 9, 20)]
    assert with_end(phases, 0, True, 50)[2] == Phase(ON_TOES, 10, 19)  # a frame of the swing stays
    assert with_end(phases, 0, False, 2)[:2] == [Phase(SWING, 0, 1), Phase(FLAT, 2, 9)]
    assert with_end(phases, 0, False, 11)[:2] == [Phase(SWING, 0, 10), Phase(ON_TOES, 11, 12)]
    assert with_end(phases, 0, False, -5)[0] == Phase(FLAT, 0, 9)
    assert with_end(phases, 1, False, 3)[3] == Phase(SWING, 13, 13)
    assert with_end(phases, 1, True, 99) == phases
    walk = motion("walk")
    plain = lock_paths(walk)
    foot = plain.feet[0]
    given = with_end(without_stance(foot.phases, 0) if len(stances(foot.phases)) > 1 else foot.phases, 0, True, 14)
    found = lock_paths(walk, phases={foot.joint: given})
    assert found.feet[0].phases == tuple(given) and found.feet[1].phases == plain.feet[1].phases
    walk.locks.strips = found.strips
    assert drifts(walk, found) <= 1e-6


def test_one_key_feet_in_the_air_picked_hands_and_cancelling():
    one = Sequence(MAN, fps=30)
    one.set_key(5, MAN.rest_pose())
    made = lock_paths(one).strips
    assert made and all(strip.start == 5 and strip.end is None and not strip.targets for strip in made)
    walk = motion("walk")
    hand = feet_of(walk.skeleton, ["right hand"])
    held = lock_paths(walk, hand)
    assert {strip.lock.joint for strip in held.strips} == {"right hand"}
    assert sum(len(strip.targets) for strip in held.strips) >= 2 and path_change(walk, held) <= 0.01
    flying = Sequence(MAN, fps=30)
    for frame in (0, 10, 20):
        up = MAN.rest_pose()
        up[1], up[2] = up[1] + 1.0, 0.3 * frame
        flying.set_key(frame, up)
    none = lock_paths(flying, options=ContactOptions(floor=0.0))
    assert none.strips == () and len(none.skipped) == 2

    def stop(part: float) -> None:
        if part > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        lock_paths(walk, progress=stop)
    with pytest.raises(SequenceError, match="tolerance is 0"):
        lock_paths(walk, tolerance=0.0)


def test_a_single_body_has_a_path_too():
    """Nothing but the root, and keys whose poses differ: there is no mirror image to look for."""
    box = props.box((0.2, 0.2, 0.2))
    sequence = Sequence(box, 30, "box")
    for frame in (0, 8, 16):
        q = box.rest_pose()
        q[0] += 0.02 * frame
        sequence.set_key(frame, q)
    found = lock_paths(sequence, feet_of(box, ["box"]))
    assert found.strips and {strip.lock.joint for strip in found.strips} == {"box"}
