"""Faults that are put into plausible motions are found, and plausible motions are left alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.animation import Key, LockStrip, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.constraints import Lock
from core.dynamics import Multibody
from core.dynamics.contact.obstacles import BoxObstacle
from core.dynamics.contact.world import Floor, World
from core.errors import Cancelled, SequenceError
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.preview.keyed_motion import keyed_dynamics
from core.preview.plausibility.ballistic import ballistic_fix
from core.preview.plausibility.find import find_violations
from core.preview.plausibility.support import clearances
from core.preview.plausibility.violation import THRESHOLDS, Violation
from core.preview.settings import PhysicsSettings
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.building import props
from core.spatial import so3
from skeletons.making.motion.posing import Animator
from tests.support.flights import (
    Flight,
    figure,
    hanging,
    higher,
    jump,
    lifted,
    pushed,
    simulated_flight,
    slower,
    spun,
    squat,
)

BUNDLED = {path.stem: path for path in sorted(bundled_folder().rglob("*.seq"))}
STYLISED = {"flap": "air carries the bird, which the search knows nothing of"}
RECORDED = (
    "bvh/cmu_01_01.bvh",
    "bvh/cmu_12_01_walk.bvh",
    "bvh/cmu_jumping_jacks.bvh",
    "bvh/walk01.bvh",
    "asfamc/01_01.amc",
    "asfamc/02_03.amc",
)

SIDES = ("right", "left")
LONG = ("bvh/cmu_01_01.bvh", "asfamc/01_01.amc")


def flags(sequence: Sequence, world: World | None = None) -> list[Violation]:
    return [violation for violation in find_violations(sequence, world) if not violation.hint]


def library(name: str) -> Sequence:
    path = next((bundled_folder() / "library").rglob(f"{name}.seq"))
    return load(path).sequences[0]


def recorded_world(sequence: Sequence) -> World:
    """The floor of a recording is where its feet are."""
    first, last = sequence.range
    frames = forward_kinematics(sequence.skeleton, sequence.poses_at_frames(np.arange(first, last + 1)))
    return World(floor=Floor(float(np.quantile(clearances(sequence.skeleton, frames, World()).min(axis=1), 0.05))))


def faults(flight: Flight, seed: int) -> list[tuple[str, Sequence]]:
    """Faults of more than 5 % in a flight, what each must be called."""
    rng = np.random.default_rng(1000 + seed)

    def beyond(least: float, most: float) -> float:
        return float(rng.uniform(least, most))

    made = [
        ("parabola", higher(flight, 1.0 + beyond(0.055, 0.5))),
        ("parabola", higher(flight, 1.0 - beyond(0.055, 0.5))),
        ("parabola", slower(flight, np.sqrt(1.0 + beyond(0.055, 0.6)))),
        ("parabola", slower(flight, np.sqrt(1.0 - beyond(0.055, 0.4)))),
        ("parabola", hanging(flight, int(rng.integers(2, 8)))),
        ("momentum", pushed(flight, beyond(0.055, 0.4), beyond(0.0, 6.0))),
    ]
    turned = spun(flight, beyond(0.055, 0.5) * rng.choice([-1.0, 1.0]), beyond(0.35, 0.65))
    return made + ([("momentum", turned)] if turned is not None else [])


def ground_faults(seed: int) -> list[tuple[str, Sequence]]:
    rng = np.random.default_rng(2000 + seed)
    return [
        ("pull", squat(float(rng.uniform(1.25, 2.5)), float(rng.choice([30.0, 60.0])))),
        ("parabola", jump(seed, 1.0 + float(rng.uniform(0.055, 0.5)))),
        ("parabola", jump(seed, 1.0 - float(rng.uniform(0.055, 0.3)))),
        ("parabola", lifted(library("wave"), float(rng.uniform(0.06, 1.0)))),
    ]


def counted(flights: range, jumps: range) -> tuple[int, int, int, int, list[str]]:
    """Return plausible motions and those flagged, faults and those found, and what went wrong."""
    plausible = false = seeded = found = 0
    wrong = []
    for seed in flights:
        flight = simulated_flight(seed)
        plausible += 1
        if flagged := flags(flight.sequence()):
            false += 1
            wrong.append(f"flight {seed}: {flagged}")
        for number, (kind, sequence) in enumerate(faults(flight, seed)):
            seeded += 1
            if any(violation.kind == kind for violation in flags(sequence)):
                found += 1
            else:
                wrong.append(f"flight {seed}, fault {number}: {kind} not found")
    for seed in jumps:
        for sequence in (jump(seed), squat(0.2 + 0.6 * (seed % 7) / 6.0)):
            plausible += 1
            if flagged := flags(sequence):
                false += 1
                wrong.append(f"jump {seed}: {flagged}")
        for kind, sequence in ground_faults(seed):
            seeded += 1
            if any(violation.kind == kind for violation in flags(sequence)):
                found += 1
            else:
                wrong.append(f"jump {seed}: {kind} not found")
    return plausible, false, seeded, found, wrong


# -- counts ------------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_faults_are_found_and_flights_left_alone():
    _, false, seeded, found, wrong = counted(range(0, 3), range(0, 1))
    assert (false, found) == (0, seeded), wrong


@pytest.mark.verify
def test_full_counts():
    plausible, false, seeded, found, wrong = counted(range(120), range(25))
    print(f"{found} of {seeded} faults found; {false} of {plausible} plausible motions flagged")
    assert found == seeded, wrong
    assert false < 0.02 * plausible, wrong


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_motions_are_plausible_but_for_those_that_are_stylised(name):
    project = load(BUNDLED[name])
    world = PhysicsSettings.from_record(project.physics).world
    found = [violation for sequence in project.sequences for violation in flags(sequence, world)]
    assert bool(found) == (name in STYLISED), found


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.verify if name in LONG else ()) for name in RECORDED]
)
def test_recorded_motion_is_left_alone(data_folder: Path, name):
    sequence = load(data_folder / name).sequences[0]
    first, last = sequence.range
    found = flags(sequence, recorded_world(sequence))
    # In one of ten jumps of the longest recording, there in two formats, gravity is 17 % off: the figure's masses and
    # the markers do not fit there. It is 1.6 % of the frames.
    assert len(found) <= (1 if name in LONG else 0)
    assert sum(violation.last - violation.first for violation in found) < 0.02 * (last - first)


# -- what is reported -------------------------------------------------------------------------------------------------


def test_a_jump_that_is_too_long_is_reported_with_its_frames_and_numbers():
    found = flags(jump(1, 1.2))
    assert [violation.kind for violation in found] == ["parabola"]
    one = found[0]
    # A flight that takes 1.2 times as long has gravity over 1.44.
    assert one.amount == pytest.approx(1.0 - 1.0 / 1.44, abs=0.02)
    assert "falls at 6.8 instead of 9.81 m/s²" in one.text and "31 %" in one.text
    begin = jump(1).locks.strips[0].end
    assert begin is not None and begin <= one.first < begin + 6 and one.last > one.first + 20
    assert one.fixable and not one.hint


def test_what_a_lock_holds_in_the_air_is_not_in_flight():
    hangs = lifted(library("wave"), 1.0)
    assert [violation.kind for violation in flags(hangs)] == ["parabola"]
    s = hangs.skeleton
    X = forward_kinematics(s, hangs.pose_at_frame(0))[s.joint_index("left hand")]
    hangs.locks.strips = [LockStrip(Lock("left hand", "position", target=X[:3, 3]), 0)]
    assert flags(hangs) == []


def test_a_box_in_two_hands_is_no_free_body_nor_is_who_holds_it():
    """Whichever of the two the locks belong to; once let go it is judged again."""
    box, man = props.box((0.3, 0.25, 0.3)), lifted(library("wave"), 1.0)
    hanging_still = box.rest_pose() + np.eye(box.nq)[1] * 1.2
    carried = Sequence(box, fps=30.0, keys=[Key(k, hanging_still) for k in range(31)])
    assert [violation.kind for violation in flags(carried)] == ["parabola"]
    carried.companions = {man.skeleton.name: man}
    man.companions = {box.name: carried}
    held = (box.name, box.joint_names[0], (0.0, 0.0, 0.0))
    hands = [Lock(f"{side} hand", "point_pair", other=held, target=np.zeros(3), mutual=True) for side in SIDES]
    man.locks.strips = [LockStrip(hand, 0, 30) for hand in hands]
    carried.companions = {man.skeleton.name: man}
    assert flags(carried) == []
    man.locks.strips = [LockStrip(hand, 0, 10) for hand in hands]
    assert [(violation.kind, violation.first > 8) for violation in flags(carried)] == [("parabola", True)]
    man.companions = {box.name: carried}
    man.locks.strips = [LockStrip(replace(hand, mutual=False), 0) for hand in hands]
    assert flags(man) == [], "hanging in the air as he is, it may hang on what he holds"


def test_where_forces_will_move_the_root_its_keys_are_not_looked_at():
    hangs = lifted(library("wave"), 1.0)
    first, last = hangs.range
    hangs.hybrid_strips = [HybridStrip((), first, last + 1)]
    assert flags(hangs) == []
    hangs.hybrid_strips = [HybridStrip(("left hand",), first, last + 1)]
    assert [violation.kind for violation in flags(hangs)] == ["parabola"]


@pytest.mark.verify
def test_an_obstacle_carries_as_the_floor_does():
    wave = lifted(library("wave"), 1.0)
    box = BoxObstacle(np.array([2.0, 1.0, 2.0]), position=(0.0, 0.5, 0.0))
    assert flags(wave, World(obstacles=(box,))) == []
    assert flags(wave, World(floor=Floor(1.0))) == []
    assert flags(wave, World(floor=None))[0].kind == "parabola"


def test_without_gravity_a_body_flies_straight():
    s = figure("stickman")
    keys = [Key(k, s.rest_pose() + np.eye(s.nq)[1] * (2.0 + 0.05 * k)) for k in range(20)]
    straight = Sequence(s, keys=keys)
    assert flags(straight, World(gravity=np.zeros(3))) == []
    assert flags(straight)[0].kind == "parabola"


def test_sliding_to_a_stop_at_once_takes_more_than_friction():
    s = figure("human")
    t = np.arange(61) / 60.0
    travel = np.where(t < 0.5, 3.0 * t, np.minimum(1.5 + 3.0 * (t - 0.5) - 12.0 * (t - 0.5) ** 2, 1.6875))
    travel = np.where(t > 0.625, 1.6875, travel)
    keys = [Key(k, s.rest_pose() + np.eye(s.nq)[2] * z) for k, z in enumerate(travel)]
    found = flags(Sequence(s, fps=60.0, keys=keys))
    assert [violation.kind for violation in found] == ["friction"]
    assert found[0].first >= 25 and found[0].last <= 45


def test_leaning_out_of_the_feet_is_a_hint():
    s = figure("human")
    q = s.rest_pose()
    q[3:6] = 0.0
    tipped = Sequence(s, keys=[Key(k, _turned(s, q, 0.7)) for k in (0, 30)])
    low = clearances(s, forward_kinematics(s, tipped.poses_at_frames([0])), World()).min()
    tipped = Sequence(s, keys=[replace(key, q=key.q - np.eye(s.nq)[1] * low) for key in tipped.keys])
    found = find_violations(tipped)
    assert [violation.kind for violation in found] == ["balance"] and found[0].hint


def _turned(s: Skeleton, q: np.ndarray, angle: float) -> np.ndarray:
    """Tip a pose over forwards as a whole."""
    model = Multibody.from_skeleton(s)
    x = model.state_from_pose(q)
    x[3:6] = so3.log(so3.exp([angle, 0.0, 0.0]) @ so3.exp(x[3:6]))
    return model.pose_from_state(x, near=q)


def test_the_search_can_be_stopped_and_reports_how_far_it_is():
    found: list[float] = []
    sequence = library("wave")
    find_violations(sequence, progress=found.append)
    assert found == sorted(found) and found[-1] == 1.0
    with pytest.raises(Cancelled):
        find_violations(sequence, cancelled=lambda: True)


# -- the fix -----------------------------------------------------------------------------------------------------------


def repaired(sequence: Sequence, violation: Violation) -> Sequence:
    keys = {key.frame: key for key in sequence.keys}
    keys.update({key.frame: key for key in ballistic_fix(sequence, violation)})
    made = Sequence(sequence.skeleton, fps=sequence.fps, keys=keys.values())
    made.locks.strips = sequence.locks.strips
    return made


def sparse_jump(factor: float) -> Sequence:
    """The library's jump, its keys in the air moved so that it rises so many times as high."""
    jumping = library("jump")
    a, b = jumping.pose_at_frame(24)[1], jumping.pose_at_frame(38)[1]
    keys = []
    for key in jumping.keys:
        q = key.q.copy()
        if 24 < key.frame < 38:
            line = np.interp(key.frame, [24, 38], [a, b])
            q[1] = line + (q[1] - line) * factor
        keys.append(replace(key, q=q))
    made = Sequence(jumping.skeleton, fps=jumping.fps, keys=keys)
    made.locks.strips = jumping.locks.strips
    return made


def stiff_jump() -> Sequence:
    """The library's jump whose pelvis stays in the air as it was at the push: arms swing, the trunk does not answer."""
    jumping = library("jump")
    center = Animator(jumping.skeleton).center_of_mass
    bend = 3 + list(jumping.skeleton.dof_labels).index("Pelvis bend")
    keys = []
    for key in jumping.keys:
        q = key.q.copy()
        if 24 < key.frame < 38:
            q[bend] = jumping.pose_at_frame(24)[bend]
            q[:3] += center(key.q) - center(q)
        keys.append(replace(key, q=q))
    made = Sequence(jumping.skeleton, fps=jumping.fps, keys=keys)
    made.locks.strips = jumping.locks.strips
    return made


@pytest.mark.sampled(1)
@pytest.mark.parametrize("factor", [0.8, 1.3])
def test_a_flight_is_put_on_its_parabola_with_few_keys_of_the_root(factor):
    sequence = sparse_jump(factor)
    wrong = next(violation for violation in flags(sequence) if violation.kind == "parabola")
    keys = ballistic_fix(sequence, wrong)
    assert wrong.first in {key.frame for key in keys} and len(keys) < wrong.last - wrong.first
    new = [key for key in keys if sequence.keys.at(key.frame) is None]
    assert new and all(key.keyed == {""} for key in new)
    for key in keys:  # other values of keys that were there stay
        old = sequence.keys.at(key.frame)
        assert old is None or np.array_equal(old.q[3:], key.q[3:])
    made = repaired(sequence, wrong)
    assert not [violation for violation in flags(made) if violation.kind == "parabola"]
    before = np.arange(0.0, wrong.first - 4.0)
    assert np.array_equal(made.poses_at_frames(before), sequence.poses_at_frames(before))
    between = made.interpolated_at_frames(np.arange(0.0, made.range[1], 0.5))[:, 3:]
    assert np.array_equal(between, sequence.interpolated_at_frames(np.arange(0.0, made.range[1], 0.5))[:, 3:])


@pytest.mark.verify
def test_turning_by_itself_is_made_even_between_the_poses_at_the_ends():
    sequence = stiff_jump()
    wrong = flags(sequence)
    assert [(violation.kind, violation.turning, violation.fixable) for violation in wrong] == [("momentum", True, True)]
    made = repaired(sequence, wrong[0])
    assert flags(made) == []
    inner = np.arange(wrong[0].first + 1.0, wrong[0].last)
    spins = [keyed_dynamics(each, inner, torques=False).momentum[:, :3] for each in (sequence, made)]
    assert np.ptp(spins[1], axis=0).max() < 0.2 * np.ptp(spins[0], axis=0).max()
    ends = np.array([0.0, wrong[0].first, wrong[0].last, sequence.range[1]])
    assert np.allclose(made.interpolated_at_frames(ends), sequence.interpolated_at_frames(ends), atol=1e-9)
    between = np.arange(0.0, made.range[1], 0.5)
    assert np.array_equal(
        made.interpolated_at_frames(between)[:, 6:], sequence.interpolated_at_frames(between)[:, 6:]
    )  # the root alone moves


@pytest.mark.verify
def test_spin_that_was_put_in_is_taken_out_again():
    flight = simulated_flight(0)
    sequence = spun(flight, 0.3, 0.5)
    assert sequence is not None
    wrong = next(violation for violation in flags(sequence) if violation.turning)
    assert flags(repaired(sequence, wrong)) == []


def test_a_root_that_cannot_turn_is_reported():
    s = Skeleton("cart", [Joint("cart", -1, dofs=(Dof("hinge", np.eye(3)[1], -np.inf, np.inf),), mass=1.0)])
    cart = Sequence(s, keys=[Key(k, s.rest_pose() + np.eye(s.nq)[1] * 9.0) for k in range(10)])
    with pytest.raises(SequenceError, match='root "cart" of figure "cart" is not a ball joint'):
        ballistic_fix(cart, Violation("momentum", 1, 8, 0.2, "Turns", turning=True))


@pytest.mark.verify
def test_dense_keys_and_pushes_sideways_are_repaired_too():
    flight = simulated_flight(0)
    for sequence in (higher(flight, 1.3), pushed(flight, 0.2, 1.0)):
        wrong = next(violation for violation in flags(sequence) if violation.fixable)
        assert flags(repaired(sequence, wrong)) == []


@pytest.mark.verify
def test_what_the_root_cannot_repair_is_refused():
    long = lifted(library("wave"), 1.0)
    with pytest.raises(SequenceError, match="would rise by"):
        ballistic_fix(long, flags(long)[0])
    with pytest.raises(SequenceError, match="do not repair"):
        ballistic_fix(long, Violation("pull", 3, 9, 0.2, "The ground would have to pull"))


def test_thresholds_stand_in_one_place():
    assert find_violations(jump(1, 1.2), limits=replace(THRESHOLDS, gravity=0.5, off_parabola=0.5)) == ()
