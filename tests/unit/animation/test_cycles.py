"""What is before the first key and after the last one: rounds without jumps, feet that stay, walks that turn on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from app.document.content.records import sequence_for, sequence_from_json, sequence_to_json
from core.animation.cycles import GroundMotion, checked_cycles
from core.animation.locks.strip import LockStrip
from core.animation.resampling import resampled
from core.animation.sequence import Sequence
from core.constraints import Lock
from core.errors import SequenceError
from core.formats import bundled_folder, load
from core.formats.project import Project, project_to_json
from core.formats.project_reader import project_from_json
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.stance import stance

FILES = sorted(bundled_folder().rglob("*.seq"))
MAN = load_skeleton(bundled_folder() / "human.scr")


def walk() -> Sequence:
    path = next(path for path in FILES if path.stem == "walk")
    return load(path).sequences[0]


def places(sequence: Sequence, frames) -> np.ndarray:
    return np.array(
        [np.array(forward_kinematics(sequence.skeleton, q))[:, :3, 3] for q in sequence.poses_at_frames(frames)]
    )


def turning() -> Sequence:
    """Steps of a figure that goes on by 40 cm and turns by 30 degrees, in the same pose at both ends."""
    sequence, face = Sequence(MAN), stance(MAN)
    start = MAN.rest_pose()
    start[MAN.dof_names.index("left thigh.x") + 3 if "left thigh.x" in MAN.dof_names else 12] += 0.2
    end = face.moved(start[None], np.radians(30.0), 0.1, 0.4)[0]
    middle = face.moved(start[None], np.radians(12.0), 0.05, 0.2)[0]
    middle[10:] *= 0.5
    for frame, q in ((4, start), (10, middle), (16, end)):
        sequence.set_key(frame, q)
    return sequence


def test_without_cycles_the_poses_beyond_the_keys_are_held_to_the_bit():
    sequence = walk()
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    assert sequence.cycled is None
    ends = sequence.poses_at_frames([first, last])
    assert np.array_equal(sequence.poses_at_frames([last + 7])[0], ends[1])
    inside = np.linspace(first, last, 40)
    before = sequence.poses_at_frames(inside)
    sequence.cycles = ("offset", "offset")
    sequence.cycles = ("hold", "hold")
    assert np.array_equal(sequence.poses_at_frames(inside), before)


@pytest.mark.parametrize("kind", ["repeat", "offset"])
def test_a_walk_of_the_library_goes_three_rounds_without_a_jump(kind):
    sequence = walk()
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    period = last - first
    sequence.cycles = (kind, kind)
    for n in (-2, -1, 1, 2, 3):
        here = first + n * period
        seam = places(sequence, [here - 1e-6, here, here + 1e-6])
        steps = np.linalg.norm(np.diff(seam, axis=0), axis=-1)
        if kind == "offset":
            assert steps.max() < 1e-5  # [m]; the motion goes on
    away = places(sequence, [first, last, first + 3 * period])[:, 0]
    if kind == "offset":
        assert away[2][[0, 2]] == pytest.approx(away[0][[0, 2]] + 3 * (away[1] - away[0])[[0, 2]], abs=1e-9)
    inside, beyond = np.linspace(first, last - 0.5, 20), np.linspace(first, last - 0.5, 20) + 3 * period
    q, far = sequence.poses_at_frames(inside), sequence.poses_at_frames(beyond)
    assert np.abs(q[:, 3:] - far[:, 3:]).max() < 1e-9
    if kind == "repeat":
        assert np.abs(q - far).max() < 1e-9
    assert np.array_equal(sequence.root_places(beyond), far[:, :3])


def test_a_turning_walk_turns_on_and_its_rounds_are_the_first_one_moved_over_the_floor():
    sequence = turning()
    sequence.cycles = ("offset", "offset")
    a = sequence.poses_at_frames([4, 16])
    start, end = (stance(MAN).ground_place(q) for q in a)
    for n in (-3, -1, 2, 3):
        here = stance(MAN).ground_place(sequence.pose_at_frame(4 + 12 * n))
        turned = np.angle(np.exp(1j * (here[0] - start[0] - n * (end[0] - start[0]))))
        assert abs(turned) < 1e-9
        seam = places(sequence, [4 + 12 * n - 1e-7, 4 + 12 * n])
        assert np.linalg.norm(seam[1] - seam[0], axis=-1).max() < 1e-6
    # A round looks from its start as the first one does from its own.
    first, third = (np.array(forward_kinematics(MAN, sequence.pose_at_frame(frame))) for frame in (7.5, 7.5 + 36))
    motion = np.linalg.solve(first[0], first[-1])
    assert np.abs(motion - np.linalg.solve(third[0], third[-1])).max() < 1e-9


def test_a_foot_locked_between_the_keys_does_not_drift_in_the_third_round():
    sequence = turning()
    foot = MAN.joint_index("left foot")
    pose = np.array(forward_kinematics(MAN, sequence.pose_at_frame(8)))[foot]
    strip = LockStrip(Lock("left foot", "pose", target=pose), start=6, end=12)
    sequence.locks.strips = (strip,)
    sequence.cycles = ("hold", "offset")
    found = [places(sequence, np.linspace(6.5, 11.5, 21) + 12 * n)[:, foot] for n in range(4)]
    held = np.abs(found[0] - found[0][0]).max()
    for n in (1, 2, 3):
        assert np.abs(found[n] - found[n][0]).max() <= held + 1e-12
        assert np.linalg.norm(found[n][0] - found[0][0]) > 0.2  # it stands somewhere else
    assert held < 1e-6
    sequence.cycles = ("hold", "repeat")
    inside = np.linspace(6.5, 11.5, 21)
    assert np.array_equal(sequence.poses_at_frames(inside + 24), sequence.poses_at_frames(inside))


def test_what_a_lock_does_to_the_ends_carries_the_rounds_on():
    sequence = turning()
    sequence.cycles = ("hold", "offset")
    sequence.poses_at_frames([20.0])  # what was worked out without the lock is not to be used any more
    pelvis = MAN.joints[0].name
    place = np.array(forward_kinematics(MAN, sequence.pose_at_frame(16)))[0, :3, 3] + (0.0, 0.0, 0.1)
    sequence.locks.strips = (LockStrip(Lock(pelvis, "position", target=place), start=16, end=16),)
    seam = places(sequence, [16, 28 - 1e-7, 28])
    assert seam[0, 0] == pytest.approx(place, abs=1e-6)
    first = places(sequence, [4])[0, 0]
    assert np.linalg.norm(seam[0, 0] - first) > 0.45
    assert np.linalg.norm(seam[2] - places(sequence, [28 - 12 + 1e-9])[0], axis=-1).max() > 0.3


def test_half_a_walk_and_its_mirror_image_make_a_whole_one():
    sequence, face, mirror = Sequence(MAN), stance(MAN), pose_mirror(MAN)
    start = MAN.rest_pose() + np.random.default_rng(1).uniform(-0.1, 0.1, MAN.nq)
    end = face.moved(mirror.convert(start)[None], np.radians(10.0), 0.05, 0.4)[0]
    sequence.set_key(0, start)
    sequence.set_key(10, end)
    sequence.cycles = ("mirror", "mirror")
    for n in (-2, -1, 1, 2, 3):
        seam = places(sequence, [10 * n - 1e-7, 10 * n, 10 * n + 1e-7])
        assert np.linalg.norm(np.diff(seam, axis=0), axis=-1).max() < 1e-6, n
    two = places(sequence, [5.0, 25.0])
    assert (
        np.abs(np.linalg.norm(two[0] - two[0][0], axis=-1) - np.linalg.norm(two[1] - two[1][0], axis=-1)).max() < 1e-9
    )
    odd = mirror.convert(sequence.pose_at_frame(15.0))
    assert np.abs(odd[6:] - sequence.pose_at_frame(5.0)[6:]).max() < 1e-9


def test_how_far_the_ends_are_apart_is_known():
    def points(poses: np.ndarray) -> np.ndarray:
        return np.array([np.array(forward_kinematics(MAN, q))[:, :3, 3] for q in poses])

    sequence = turning()
    sequence.cycles = ("hold", "offset")
    assert sequence.cycled.jump(points) < 1e-9
    sequence.cycles = ("hold", "repeat")
    assert sequence.cycled.jump(points) > 0.3
    sequence.cycles = ("repeat", "hold")
    assert sequence.cycled.jump(points) > 0.3


def test_motions_over_the_floor_are_a_group():
    a, b = GroundMotion(0.4, 1.0, -2.0), GroundMotion(-1.1, 0.3, 0.7)
    assert np.allclose(a.then(a.inverse()), GroundMotion(), atol=1e-12)
    assert np.allclose(a.then(b).then(a), a.then(b.then(a)), atol=1e-12)
    assert np.allclose(a.power(5), a.then(a).then(a).then(a).then(a), atol=1e-12)
    assert np.allclose(a.power(-2), a.then(a).inverse(), atol=1e-12) and a.power(0) == GroundMotion()


def test_files_keep_them_and_say_what_is_wrong(tmp_path):
    sequence = turning()
    sequence.cycles = ["mirror", "offset"]
    assert sequence.cycles == ("mirror", "offset")
    for wrong in (("round", "hold"), "repeat", ("repeat",), 3):
        with pytest.raises(SequenceError):
            checked_cycles(wrong)
    data = json.loads(json.dumps(project_to_json(Project([MAN], [sequence]), None)))
    assert data["version"] == 2
    assert project_from_json(data, "a.seq").sequences[0].cycles == ("mirror", "offset")
    data["sequences"][0]["cycles"] = ["hold", "round"]
    with pytest.raises(Exception, match="cycles"):
        project_from_json(data, "a.seq")
    del data["sequences"][0]["cycles"]
    assert project_from_json(data, "a.seq").sequences[0].cycles == ("hold", "hold")
    assert sequence_from_json(sequence_to_json(sequence, 0), MAN).cycles == sequence.cycles
    assert sequence_for(sequence, MAN).cycles == sequence.cycles


def test_a_round_that_is_repeated_goes_on_without_a_jerk_and_a_copy_keeps_its_cycles():
    sequence = walk()
    sequence.loop = False
    assert not sequence.goes_round
    sequence.cycles = ("hold", "mirror")
    assert not sequence.goes_round  # the other side follows
    last = sequence.keys[-1].frame
    sequence.cycles = ("hold", "offset")
    assert sequence.goes_round
    seam = places(sequence, last + np.array([-0.02, -0.01, 0.0, 0.01, 0.02]))
    steps = np.diff(seam, axis=0)
    assert np.abs(steps[2] - steps[1]).max() < 0.02 * np.abs(steps).max() + 1e-5
    assert resampled(sequence, 0, last, 2.0 * sequence.fps).cycles == sequence.cycles
    assert resampled(sequence, 0, last - 1).cycles == ("hold", "hold")
