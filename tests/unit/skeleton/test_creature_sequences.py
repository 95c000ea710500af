"""The bundled gallop, wing beat and counting: limits, loops, hooves on the ground; their script makes them again."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Sequence
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.skeleton.skin import skinned_vertices
from skeletons.making.motion import make_creature_motion

LIBRARY = bundled_folder() / "library"
NAMES = {name: file for name, file, _ in make_creature_motion.MOTIONS}
every_sequence = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def sequences() -> dict[str, Sequence]:
    """The sequences by figure."""
    return {name: load(LIBRARY / "Creatures" / f"{file}.seq").sequences[0] for name, file in NAMES.items()}


def hoof_heights(sequence: Sequence, leg: str, frames: np.ndarray) -> np.ndarray:
    """Return the lowest point of a hoof at each frame, [m]."""
    s = sequence.skeleton
    joint = s.joint_index(f"{leg} hoof")
    poses = forward_kinematics(s, sequence.poses(frames / sequence.fps))
    return np.array([skinned_vertices(s, joint, pose)[:, 1].min() for pose in poses])


@every_sequence
def test_opens_with_its_figure_and_goes_round(sequences: dict[str, Sequence], name: str) -> None:
    sequence = sequences[name]
    assert sequence.skeleton.name == name
    assert sequence.menu == "Creatures" and sequence.loop
    assert 6 <= len(sequence.keys) <= 15
    assert all(joint.objects for joint in sequence.skeleton.joints)
    assert sequence.keys[0].q == pytest.approx(sequence.keys[-1].q, abs=1e-12)


@every_sequence
def test_keys_and_frames_between_stay_inside_the_limits(sequences: dict[str, Sequence], name: str) -> None:
    sequence = sequences[name]
    low, high = sequence.skeleton.limits.T
    for key in sequence.keys:
        assert np.all(key.q[3:] >= low - 1e-6) and np.all(key.q[3:] <= high + 1e-6), key.frame
    poses = sequence.poses(np.arange(sequence.keys[-1].frame + 1) / sequence.fps)[:, 3:]
    assert np.all((poses >= low - np.radians(2.0)) & (poses <= high + np.radians(2.0)))


@every_sequence
def test_script_makes_the_same_keys(sequences: dict[str, Sequence], name: str) -> None:
    sequence = sequences[name]
    made = next(make for figure, _, make in make_creature_motion.MOTIONS if figure == name)(sequence.skeleton)
    assert made.keys.frames == sequence.keys.frames
    for a, b in zip(made.keys, sequence.keys, strict=True):
        assert a.q == pytest.approx(b.q, abs=2e-6), a.frame


def test_library_of_creatures_holds_what_the_scripts_make() -> None:
    found = sorted(path.name for path in (LIBRARY / "Creatures").iterdir())
    assert found == sorted([*(f"{file}.seq" for file in NAMES.values()), "crawl.seq", "fetch.seq"])


@pytest.mark.parametrize("leg", make_creature_motion.LEGS)
def test_hooves_of_the_gallop_run_back_along_the_ground(sequences: dict[str, Sequence], leg: str) -> None:
    sequence, runs = sequences["horse"], make_creature_motion.LEGS[leg]
    stride = make_creature_motion.STRIDE_FRAMES
    frames = np.arange(stride + 1)
    heights = hoof_heights(sequence, leg, frames)
    assert heights.min() > -0.005
    assert heights.max() > 0.15, "well above the ground in the air"
    phase = (frames / stride - runs.lands) % 1.0
    down = frames[(phase < 0.75 * make_creature_motion.STANCE) & (frames < 13)]
    assert len(down) >= 3
    assert np.abs(heights[down]).max() < 1e-3, "flat on the ground"
    joint = sequence.skeleton.joint_index(f"{leg} hoof")
    place = forward_kinematics(sequence.skeleton, sequence.poses(down / sequence.fps))[:, joint, 2, 3]
    speed = (runs.ahead - runs.behind) / (make_creature_motion.STANCE * stride)  # [m] a frame
    assert np.diff(place) == pytest.approx(-speed * np.diff(down), rel=0.02), "as fast as the ground runs"


def test_the_gallop_has_a_moment_in_the_air(sequences: dict[str, Sequence]) -> None:
    frames = np.arange(make_creature_motion.STRIDE_FRAMES)
    lowest = np.min([hoof_heights(sequences["horse"], leg, frames) for leg in make_creature_motion.LEGS], axis=0)
    assert lowest.max() > 0.06
    assert np.sort(lowest)[len(lowest) // 2] < 0.01, "most of the time a hoof is down"


def test_wings_beat_together_up_and_down(sequences: dict[str, Sequence]) -> None:
    sequence = sequences["bird"]
    s = sequence.skeleton
    poses = forward_kinematics(s, sequence.poses(np.arange(13) / sequence.fps))
    tips = [poses[:, s.joint_index(f"{side} wing tip"), :3, 3] for side in ("right", "left")]
    assert tips[0] == pytest.approx(tips[1] * [-1, 1, 1], abs=1e-6)
    height = tips[0][:, 1] - poses[:, s.joint_index("body"), 1, 3]
    assert height.max() > 0.15 and height.min() < -0.08
    span = np.abs(tips[0][:, 0])
    down, up = slice(1, 6), slice(7, 12)
    assert span[down].max() > span[up].max() + 0.02, "wide on the way down, folded on the way up"


def parts(finger: str) -> tuple[str, str, str]:
    """Return the bones of a finger."""
    return ("metacarpal" if finger == "thumb" else "proximal", "proximal" if finger == "thumb" else "middle", "distal")


def test_the_hand_counts_to_five(sequences: dict[str, Sequence]) -> None:
    sequence = sequences["hand"]
    s = sequence.skeleton
    held = [(a, b) for a, b in zip(sequence.keys, sequence.keys[1:], strict=False) if np.array_equal(a.q, b.q)]
    assert len(held) == 6
    fingers = ("thumb", "index", "middle", "ring", "little")
    for number, (key, _) in enumerate(held):
        frames = forward_kinematics(s, key.q)
        palm = frames[s.joint_index("hand")]
        up = 0
        for finger in fingers:
            first, *others = (f"{finger} {part}" for part in parts(finger))
            reach = frames[s.joint_index(others[-1]), :3, 3] - frames[s.joint_index(first), :3, 3]
            straight = sum(np.linalg.norm(s.joints[s.joint_index(joint)].offset) for joint in others)
            away = float((frames[s.joint_index(others[-1]), :3, 3] - palm[:3, 3]) @ palm[:3, 1])
            up += np.linalg.norm(reach) > 0.97 * straight and away > 0.06
        assert up == number
