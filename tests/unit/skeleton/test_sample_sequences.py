"""The bundled sequences: they open, keep limits and the ground, loop, and come out of their script unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.locks.strip import strip_to_json
from core.formats import load
from core.kinematics import forward_kinematics
from skeletons.making.motion import everyday, gaits, make_library, make_stance_foot, make_stroll, turning
from skeletons.making.motion.posing import SIDES, Animator
from tests.support.made_files import assert_records_alike

NAMES = [f"{item.menu}/{item.name}.seq" for item in make_library.LIBRARY]
DANCES = [f"{item.menu}/{item.name}.seq" for item in make_library.LIBRARY if item.menu == "Dance"]
FLIGHTS = {
    "Jumps/jump.seq": range(everyday.OFF + 1, everyday.LANDED),
    "Walks and runs/run.seq": (gaits.RUN_OFF + 2, gaits.RUN_FRAMES + gaits.RUN_OFF + 2),
}


@pytest.fixture(scope="module")
def sequences() -> dict[str, Sequence]:
    """All bundled sequences by path."""
    folder = make_library.FOLDER / "library"
    return {name: load(folder / name).sequences[0] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_opens_with_its_figure(sequences: dict[str, Sequence], name: str) -> None:
    sequence = sequences[name]
    assert sequence.menu == name.split("/")[0]
    assert len(sequence.keys) >= 6
    assert sequence.skeleton.n_dofs == 47
    assert all(joint.objects[0].mesh is not None for joint in sequence.skeleton.joints)


@pytest.mark.parametrize("name", NAMES)
def test_keys_and_frames_between_stay_inside_the_limits(sequences: dict[str, Sequence], name: str) -> None:
    sequence = sequences[name]
    low, high = sequence.skeleton.limits.T
    for key in sequence.keys:
        assert np.all(key.q[3:] >= low - 1e-6), key.frame
        assert np.all(key.q[3:] <= high + 1e-6), key.frame
    poses = sequence.poses(np.arange(sequence.keys[-1].frame + 1) / sequence.fps)[:, 3:]
    assert np.all((poses >= low - np.radians(2.0)) & (poses <= high + np.radians(2.0)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_feet_stand_on_the_ground(sequences: dict[str, Sequence], name: str) -> None:
    sequence = sequences[name]
    animator = Animator(sequence.skeleton)
    flight = FLIGHTS.get(name, ())
    for key in sequence.keys:
        if key.frame in flight:
            continue
        lowest = min(animator.lowest(key.q, side) for side in SIDES)
        assert lowest == pytest.approx(0.0, abs=2e-4), key.frame
    for frame in range(sequence.keys[-1].frame + 1):
        q = sequence.pose_at(frame / sequence.fps)
        assert min(animator.lowest(q, side) for side in SIDES) > -0.006, frame


@pytest.mark.parametrize(
    ("name", "step", "frames"),
    [
        ("walk", gaits.WALK_STEP, gaits.WALK_FRAMES),
        ("march", gaits.MARCH_STEP, gaits.MARCH_FRAMES),
        ("run", gaits.RUN_STEP, gaits.RUN_FRAMES),
    ],
)
def test_gaits_are_cycles_that_travel_two_steps(
    sequences: dict[str, Sequence], name: str, step: float, frames: int
) -> None:
    walk = sequences[f"Walks and runs/{name}.seq"]
    assert walk.loop
    first, last = walk.keys[0].q, walk.keys[-1].q
    assert last - first == pytest.approx([0, 0, 2 * step] + [0] * (len(first) - 3), abs=2e-5)
    middle = walk.keys.at(frames)
    assert middle is not None
    s = walk.skeleton
    places = [forward_kinematics(s, q)[:, :3, 3] for q in (first, middle.q)]
    for a, b in s.mirror_pairs:
        mirrored = places[0][b] * [-1, 1, 1] + [0, 0, step]
        assert places[1][a] == pytest.approx(mirrored, abs=2e-5)


def test_standing_foot_of_the_walk_does_not_slide(sequences: dict[str, Sequence]) -> None:
    walk = sequences[NAMES[0]]
    foot = walk.skeleton.joint_index("right foot")
    frames = np.arange(4, 9)  # flat from the heel's landing until it rises
    places = forward_kinematics(walk.skeleton, walk.poses(frames / walk.fps))[:, foot, :3, 3]
    assert np.ptp(places[:, [0, 2]], axis=0).max() < 0.004


@pytest.mark.verify
def test_script_makes_the_same_keys(sequences: dict[str, Sequence]) -> None:
    figures = {sequence.skeleton.name: sequence.skeleton for sequence in sequences.values()}
    made = {path: sequence for figure in figures.values() for path, sequence in make_library.make(figure).items()}
    assert sorted(made) == sorted(NAMES)
    for name, sequence in sequences.items():
        assert made[name].keys.frames == sequence.keys.frames
        for a, b in zip(made[name].keys, sequence.keys, strict=True):
            assert a.q == pytest.approx(b.q, abs=2e-6), (name, a.frame)


def test_leg_too_short_is_reported(sequences: dict[str, Sequence]) -> None:
    pose = make_library.stand({}, (0.0, 0.3, 0.0))
    with pytest.raises(ValueError, match="right foot misses its place"):
        Animator(sequences[NAMES[0]].skeleton).pose(pose)


def test_folder_holds_what_the_script_makes() -> None:
    folder = make_library.FOLDER / "library"
    menus = {item.menu for item in make_library.LIBRARY}
    found = sorted(path.relative_to(folder).as_posix() for menu in menus for path in Path(folder / menu).rglob("*.seq"))
    assert found == sorted([*NAMES, make_stroll.PATH, make_stance_foot.PATH])


@pytest.mark.parametrize("name", DANCES)
def test_dancer_balances_on_one_foot(sequences: dict[str, Sequence], name: str) -> None:
    """With one foot in the air, the centre of mass is over the other one."""
    sequence = sequences[name]
    s, animator = sequence.skeleton, Animator(sequence.skeleton)
    balances = 0
    for key in sequence.keys:
        if animator.lowest(key.q, "left") > 0.1:
            frames = forward_kinematics(s, key.q)
            center = animator.center_of_mass(key.q)[[0, 2]]
            ankle, ball = (frames[s.joint_index(f"right {part}")][[0, 2], 3] for part in ("foot", "toes"))
            share = np.clip((center - ankle) @ (ball - ankle) / ((ball - ankle) @ (ball - ankle)), 0.0, 1.0)
            assert np.linalg.norm(center - ankle - share * (ball - ankle)) < 0.02, key.frame
            balances += 1
    assert balances >= 4


def test_pirouette_turns_twice_on_the_spot(sequences: dict[str, Sequence]) -> None:
    turn = sequences["Dance/pirouette.seq"]
    s, animator = turn.skeleton, Animator(turn.skeleton)
    frames = np.arange(turn.keys[-1].frame + 1)
    heading = np.unwrap([np.arctan2(*forward_kinematics(s, q)[0, [0, 2], 2]) for q in turn.poses(frames / turn.fps)])
    assert heading[-1] - heading[0] == pytest.approx(4.0 * np.pi, abs=1e-4)
    assert np.diff(heading).min() > -0.02
    balls = []
    for frame in frames:
        q = turn.pose_at(frame / turn.fps)
        if animator.lowest(q, "left") > 0.25:
            balls.append(forward_kinematics(s, q)[s.joint_index("right toes"), [0, 2], 3])
    assert len(balls) > 30
    assert np.ptp(balls, axis=0).max() < 0.03


def _centers(sequence: Sequence) -> np.ndarray:
    animator = Animator(sequence.skeleton)
    return np.array([animator.center_of_mass(sequence.pose_at_frame(f)) for f in range(sequence.keys[-1].frame + 1)])


def _travel(sequence: Sequence, part: str, first: int, last: int) -> float:
    """Return how far a part gets from where it is at the first frame, [m]."""
    joint = sequence.skeleton.joint_index(part)
    poses = [sequence.pose_at_frame(frame) for frame in range(first, last + 1)]
    places = np.array([forward_kinematics(sequence.skeleton, q)[joint, :3, 3] for q in poses])
    return float(np.abs(places - places[0]).max())


@pytest.mark.verify
def test_sitter_is_over_the_feet_until_the_seat_carries(sequences: dict[str, Sequence]) -> None:
    sit = sequences["Everyday/sit.seq"]
    animator, z = Animator(sit.skeleton), _centers(sit)[:, 2]
    standing = np.r_[: everyday.CONTACT + 1, everyday.LEFT : len(z)]
    assert animator.pivots["heel"][2] < z[standing].min() and z[standing].max() < animator.pivots["tip"][2]
    assert z[everyday.SEATED] < animator.pivots["heel"][2] - 0.05  # the chair is needed
    for side in SIDES:
        assert _travel(sit, f"{side} foot", 0, len(z) - 1) < 1e-6


@pytest.mark.verify
def test_jumper_flies_on_a_parabola(sequences: dict[str, Sequence]) -> None:
    """As high as gravity has it: the best parabola through the flight falls with g, to the precision of the keys."""
    jump = sequences["Jumps/jump.seq"]
    frames = np.arange(everyday.OFF, everyday.LANDED + 1)
    t, center = (frames - everyday.OFF) / jump.fps, _centers(jump)[frames]
    fall, speed, start = np.polyfit(t, center[:, 1], 2)
    assert 2.0 * fall == pytest.approx(-9.81, rel=0.02)
    assert np.abs(fall * t**2 + speed * t + start - center[:, 1]).max() < 0.01
    assert np.abs(np.polyval(np.polyfit(t, center[:, 2], 1), t) - center[:, 2]).max() < 0.003
    animator = Animator(jump.skeleton)
    poses = [jump.pose_at_frame(frame) for frame in frames[1:-1]]
    assert min(animator.lowest(q, side) for q in poses for side in SIDES) > 0.005
    last = jump.keys[-1].frame
    for side in SIDES:
        assert _travel(jump, f"{side} foot", 0, everyday.DEEP) < 1e-6
        assert _travel(jump, f"{side} toes", 0, everyday.OFF) < 1e-6
        assert _travel(jump, f"{side} toes", everyday.LANDED, last) < 1e-6
        assert _travel(jump, f"{side} foot", everyday.FLAT, last) < 1e-6


def test_marching_feet_stay_and_the_runner_flies(sequences: dict[str, Sequence]) -> None:
    march, run = sequences["Walks and runs/march.seq"], sequences["Walks and runs/run.seq"]
    for sequence in (march, run):
        for strip in sequence.locks.strips:
            assert strip.end is not None
            assert _travel(sequence, str(strip.lock.joint), strip.start, strip.end) < 1e-6
    landing, animator = gaits.RUN_FRAMES, Animator(run.skeleton)
    for frame in range(gaits.RUN_OFF + 1, landing):
        assert min(animator.lowest(run.pose_at_frame(frame), side) for side in SIDES) > 0.01
    t = np.arange(landing - gaits.RUN_OFF + 1) / run.fps
    height = _centers(run)[gaits.RUN_OFF : landing + 1, 1]
    thrown = (height[-1] - height[0]) / t[-1] + 0.5 * 9.81 * t[-1]
    assert np.abs(height[0] + thrown * t - 0.5 * 9.81 * t**2 - height).max() < 0.008


@pytest.mark.verify
def test_the_stance_foot_is_what_its_script_says() -> None:
    sample = load(make_library.FOLDER / "library" / make_stance_foot.PATH).sequences[0]
    made = make_stance_foot.make().sequences[0]
    assert sample.script == made.script
    assert_records_alike(
        *([strip_to_json(strip, each.skeleton) for strip in each.locks.strips] for each in (made, sample))
    )
    heel, ball, toes = sample.locks.strips
    assert (heel.lock.joint, ball.lock.joint, toes.lock.joint) == ("right foot", "right foot", "right toes")
    for frame, strips in ((2, (heel,)), (5, (heel, ball, toes)), (7.5, (heel, ball, toes)), (15, (ball, toes))):
        active, report = sample.locks.report(frame)
        assert {each.strip.id for each in active if each.strip is not None} == {strip.id for strip in strips}
        assert report.residuals.max() < 1e-6, frame


@pytest.mark.verify
def test_a_quarter_turn_is_three_steps_in_balance(sequences: dict[str, Sequence]) -> None:
    turn = sequences["Everyday/turn.seq"]
    s, animator, last = turn.skeleton, Animator(turn.skeleton), turn.keys[-1].frame
    heading = np.unwrap(
        [np.arctan2(*forward_kinematics(s, turn.pose_at_frame(f))[0, [0, 2], 2]) for f in range(last + 1)]
    )
    assert heading[-1] - heading[0] == pytest.approx(0.5 * np.pi, abs=1e-4) and np.diff(heading).min() > -0.005
    first, end = turn.keys[0].q, turn.keys[-1].q
    assert end[6:] == pytest.approx(first[6:], abs=np.radians(1.5))  # the same stand, facing elsewhere
    landed = [frame for frame, _ in turning.TURN_STEPS]
    for frame, side in turning.TURN_STEPS:
        q, other = turn.pose_at_frame(frame - 4), "left" if side == "right" else "right"
        assert animator.lowest(q, side) > 0.01
        frames = forward_kinematics(s, q)
        ankle, ball = (frames[s.joint_index(f"{other} {part}")][[0, 2], 3] for part in ("foot", "toes"))
        center = animator.center_of_mass(q)[[0, 2]]
        share = np.clip((center - ankle) @ (ball - ankle) / ((ball - ankle) @ (ball - ankle)), 0.0, 1.0)
        assert np.linalg.norm(center - ankle - share * (ball - ankle)) < 0.045, frame
    for strip in turn.locks.strips:
        assert _travel(turn, str(strip.lock.joint), strip.start, last if strip.end is None else strip.end) < 1e-6
    assert landed == sorted(landed)


@pytest.mark.verify
def test_who_crouches_stays_on_the_toes_and_over_them(sequences: dict[str, Sequence]) -> None:
    crouch = sequences["Everyday/crouch.seq"]
    s, animator, last = crouch.skeleton, Animator(crouch.skeleton), crouch.keys[-1].frame
    centers = _centers(crouch)
    assert centers[turning.CROUCHED, 1] < 0.65 * centers[0, 1]
    for side in SIDES:
        assert _travel(crouch, f"{side} toes", 0, last) < 1e-6
    for frame in range(last + 1):
        X = forward_kinematics(s, crouch.pose_at_frame(frame))
        heel = X[s.joint_index("right foot"), 2, 3] + animator.pivots["heel"][2]
        assert heel - 0.01 < centers[frame, 2] < heel + animator.pivots["tip"][2] - animator.pivots["heel"][2], frame
    assert crouch.keys[-1].q == pytest.approx(crouch.keys[0].q, abs=1e-5)
