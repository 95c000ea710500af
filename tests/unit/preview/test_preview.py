"""Previews: what forces move between keys, how they take over and give back, and what can be done to them meanwhile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.constraints import Lock, bind
from core.dynamics import Multibody
from core.dynamics.contact.world import Floor
from core.errors import DynamicsError
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.preview import Preview
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.preview.sample import FREE, KEYED, MOTORED, Sample
from core.preview.settings import PhysicsSettings
from core.skeleton import load_skeleton

MAN = load_skeleton(bundled_folder() / "stickman.scr")
ARM = ("left arm", "left hand")
LEGS = ("pelvis", "right leg", "right foot", "left leg", "left foot")
NO_FLOOR = PhysicsSettings(floor=None)


def moving(height: float = 0.0, each: int = 1) -> Sequence:
    """Return a sequence in which everything moves a little, on splines; a frame takes 1/30 s divided by ``each``."""
    rng = np.random.default_rng(3)
    keys = []
    for k in range(5):
        frame, q = 10 * k, MAN.rest_pose()
        q[:3] += [0.004 * frame, height + 0.02 * np.sin(frame), 0.01 * frame]
        q[3:] = np.clip(q[3:] + rng.normal(0.0, 0.12, MAN.n_dofs), MAN.limits[:, 0] + 0.02, MAN.limits[:, 1] - 0.02)
        keys.append(Key(each * frame, q, "spline"))
    return Sequence(MAN, fps=30 * each, keys=keys)


def seconds(preview: Preview, frames: float) -> list[Sample]:
    return preview.run(preview.start_frame + frames)


def velocity(samples: list[Sample], place: int) -> np.ndarray:
    """Return the pose's rates between two samples, by difference, shape (nq,)."""
    a, b = samples[place], samples[place + 1]
    return (b.q - a.q) / (b.time - a.time)


def seam(samples: list[Sample], frame: int, entering: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the rates right before and right after a frame, extrapolated to it from both sides.

    Those between keyed poses are of the middle of a step; those that forces make are of its end.
    """
    at = next(i for i, sample in enumerate(samples) if sample.frame == frame)
    before, earlier, after, later = (velocity(samples, at + k) for k in (-1, -2, 0, 1))
    return 1.5 * before - 0.5 * earlier, 2.0 * after - later if entering else 1.5 * after - 0.5 * later


# -- keys and forces -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["dynamic", "motor"])
def test_keyed_joints_stay_and_dynamic_ones_begin_and_end_as_their_keys(mode):
    sequence = moving(each=8)  # a sample is a step
    sequence.hybrid_strips = [HybridStrip(ARM, 48, 120, mode, ease_out=32)]
    preview = Preview(sequence, 40, NO_FLOOR)
    samples = preview.run(126)
    arm = np.isin(np.array(MAN.dof_joints), [MAN.joint_index(name) for name in ARM])
    arm = np.concatenate([np.zeros(3, dtype=bool), arm])
    keyed = np.array([sequence.pose_at_frame(sample.frame) for sample in samples])
    poses = np.array([sample.q for sample in samples])
    assert np.abs(poses - keyed)[:, ~arm].max() < 1e-12
    inside = [48 < sample.frame < 120 for sample in samples]
    off = np.abs(poses - keyed)[:, arm].max(axis=1)
    assert off[~np.array(inside)].max() < 1e-12
    assert off[inside].max() > (0.1 if mode == "dynamic" else 0.003)
    peak = max(np.abs(velocity(samples, k)[arm]).max() for k in range(len(samples) - 1))
    for frame in (48, 120):
        before, after = seam(samples, frame, frame == 48)
        assert np.abs(before - after)[arm].max() <= 0.05 * peak
    wanted = FREE if mode == "dynamic" else MOTORED
    for sample, moved in zip(samples, inside, strict=True):
        own = sample.dynamic[[MAN.joint_index(name) for name in ARM]]
        assert (own == (wanted if moved or sample.frame == 48 else KEYED)).all()


def test_without_a_strip_the_figure_falls_as_everything_does():
    sequence = moving(height=2.0)
    preview = Preview(sequence, 5, NO_FLOOR)
    first = preview.samples[0]
    samples = seconds(preview, 6)
    t = samples[-1].time
    np.testing.assert_allclose(
        samples[-1].center_of_mass, first.center_of_mass + first.velocity * t - [0, 0.5 * 9.81 * t * t, 0], atol=2e-4
    )
    assert abs(samples[-1].energy - first.energy) < 0.01 * samples[-1].kinetic
    np.testing.assert_allclose(samples[-1].momentum[:3], first.momentum[:3], atol=1e-3)
    assert (samples[-1].dynamic == FREE).all() and not preview.finished
    before = sequence.pose_at_frame(5), sequence.pose_at_frame(4.99)
    rates = (before[0] - before[1]) / (0.01 / 30)
    np.testing.assert_allclose(first.rates, rates, atol=0.02 * np.abs(rates).max())


@pytest.mark.verify
def test_the_same_happens_again_to_the_bit_and_a_branch_leaves_what_was_before():
    sequence = moving()
    sequence.hybrid_strips = [HybridStrip(ARM, 2, 30, "motor"), HybridStrip(("head",), 4, 12)]
    preview = Preview(sequence, 0)
    first = [sample.q.tobytes() + sample.contacts.forces.tobytes() for sample in preview.run(8)]
    preview.drop_ball((0.0, 2.0, 0.0))
    preview.pull("left hand", (0, 0, 0), (1, 1, 1))
    preview.run(10)
    preview.rewind()
    assert len(preview.samples) == 1 and not preview.samples[0].rigid_bodies
    assert [sample.q.tobytes() + sample.contacts.forces.tobytes() for sample in preview.run(8)] == first
    other = Preview(sequence, 0)
    assert [sample.q.tobytes() + sample.contacts.forces.tobytes() for sample in other.run(8)] == first
    kept = preview.at(5.2)
    preview.rewind(5.2)
    assert preview.samples[-1] is kept and kept.frame == 5.0
    there = preview.run(8)[-1].q
    np.testing.assert_allclose(there, other.samples[-1].q, atol=2e-3)
    preview.rewind(5)
    preview.throw("left hand", (0, 3, 0))
    assert np.abs(preview.run(8)[-1].q - there).max() > 0.02


def test_a_seed_adds_the_same_small_motion():
    def first(seed: int) -> np.ndarray:
        return Preview(moving(), 0, replace(NO_FLOOR, seed=seed)).samples[0].rates

    assert (first(1) == first(1)).all()
    assert 0.0 < np.abs(first(1) - first(0)).max() < 0.2
    assert (first(1) != first(2)).any()


def test_stronger_motors_follow_closer():
    def farthest(**values) -> float:
        sequence = moving()
        sequence.hybrid_strips = [HybridStrip(ARM, 0, 30, **values)]
        samples = Preview(sequence, 0, replace(NO_FLOOR, motor_gain=1.0)).run(15)
        return max(float(np.abs(sample.q - sequence.pose_at_frame(sample.frame)).max()) for sample in samples)

    strong, weak, limp = farthest(mode="motor", gain=3.0), farthest(mode="motor", gain=0.3), farthest()
    assert strong < 0.03 and strong < 0.5 * weak and weak < limp


def test_an_ease_in_lets_go_little_by_little():
    def soon(ease: float) -> float:
        sequence = moving()
        sequence.hybrid_strips = [HybridStrip(ARM, 0, 30, ease_in=ease)]
        samples = Preview(sequence, 0, NO_FLOOR).run(5)
        return float(np.abs(samples[-1].q - sequence.pose_at_frame(5)).max())

    assert soon(10) < 0.3 * soon(0)


# -- locks -------------------------------------------------------------------------------------------------------------


def with_locks(*locks: Lock, **values) -> Sequence:
    sequence = moving()
    q = sequence.pose_at_frame(0)
    sequence.locks.strips = [LockStrip(lock if lock.bound else bind(lock, MAN, q), 0, None, **values) for lock in locks]
    sequence.hybrid_strips = [HybridStrip((), 0, None)]
    return sequence


@pytest.mark.parametrize(
    "lock",
    [
        Lock("left hand", "position"),
        Lock("left hand", "position", axes=(True, False, True)),
        Lock("left hand", "orientation"),
        Lock("left hand", "orientation", axes=(False, True, False)),
        Lock("left foot", "pose", point=(0.0, -0.02, 0.03)),
        Lock("left hand", "plane"),
        Lock("left hand", "line"),
        Lock("left hand", "point_pair", other=("right leg", (0.0, 0.1, 0.0))),
        Lock("left hand", "carry", other=("right leg", (0.0, 0.1, 0.0))),
        Lock("left hand", "distance", other=("right leg", (0.0, -0.1, 0.0))),
        Lock("head", "aim", other=("left hand", (0.0, 0.0, 0.0))),
    ],
    ids=lambda lock: f"{lock.kind}{'' if lock.axes is None else ' with axes'}",
)
def test_locks_of_all_kinds_are_constraints(lock):
    samples = seconds(Preview(with_locks(lock), 0, NO_FLOOR), 4)
    for sample in samples:
        (residual,) = sample.lock_residuals
        assert residual.acts and residual.joint == lock.joint and residual.kind == lock.kind
        assert residual.position < 5e-3 and residual.rotation < 1e-2
    assert np.abs(samples[-1].q - samples[0].q).max() > 0.05


def test_a_keyed_target_takes_its_part_along():
    sequence = moving()
    q = sequence.pose_at_frame(0)
    lock = bind(Lock("left hand", "position"), MAN, q)
    goal = lock.target + np.array([0.0, 0.1, 0.1])
    sequence.locks.strips = [LockStrip(lock, 0, None, targets=(TargetKey(0, lock.target), TargetKey(10, goal)))]
    sequence.hybrid_strips = [HybridStrip((), 0, None)]
    samples = Preview(sequence, 0, NO_FLOOR).run(10)
    assert max(sample.lock_residuals[0].position for sample in samples) < 5e-3
    hand = forward_kinematics(MAN, samples[-1].q)[MAN.joint_index("left hand")]
    np.testing.assert_allclose(hand[:3, :3] @ lock.point + hand[:3, 3], goal, atol=5e-3)


def test_a_soft_lock_is_a_spring_and_balance_is_off():
    soft = Lock("left hand", "position", weight=0.5)
    samples = seconds(Preview(with_locks(soft), 0, NO_FLOOR), 5)
    free = seconds(Preview(with_locks(), 0, NO_FLOOR), 5)
    hand = MAN.joint_index("left hand")
    fell = [forward_kinematics(MAN, each[0].q)[hand, 1, 3] - forward_kinematics(MAN, each[-1].q)[hand, 1, 3]
            for each in (samples, free)]  # fmt: skip
    assert 0.005 < fell[0] < 0.7 * fell[1]
    both = with_locks(Lock("pelvis", "balance"), Lock("left hand", "position"))
    residual = Preview(both, 0, NO_FLOOR).advance().lock_residuals
    assert [(each.kind, each.acts) for each in residual] == [("balance", False), ("position", True)]


def test_a_lock_of_a_part_that_keys_move_is_no_constraint():
    sequence = moving()
    sequence.locks.strips = [LockStrip(bind(Lock("right hand", "position"), MAN, sequence.pose_at_frame(0)), 0)]
    sequence.hybrid_strips = [HybridStrip(ARM, 0)]
    (residual,) = Preview(sequence, 0, NO_FLOOR).advance().lock_residuals
    assert not residual.acts and residual.position < 1e-6


@pytest.mark.verify
def test_a_lock_that_begins_later_draws_its_part_in_and_does_not_tear_at_it():
    sequence, hand = Sequence(MAN, keys=[Key(0, MAN.rest_pose())]), MAN.joint_index("left hand")
    first = MAN.first_dof[MAN.joint_index("left arm")]
    raised = MAN.rest_pose()
    raised[3 + first : 6 + first] = 0.5 * MAN.limits[first : first + 3].max(axis=1)
    goal = forward_kinematics(MAN, raised)[hand, :3, 3]
    assert np.linalg.norm(goal - forward_kinematics(MAN, MAN.rest_pose())[hand, :3, 3]) > 0.1
    far = goal + np.array([0.0, 0.0, 0.3])
    for place, reached in ((goal, True), (far, False)):
        sequence.locks.strips = [LockStrip(Lock("left hand", "position", target=place, joints=ARM), 4)]
        sequence.hybrid_strips = [HybridStrip(ARM, 0)]
        samples = Preview(sequence, 0, NO_FLOOR).run(24)
        places = np.array([forward_kinematics(MAN, sample.q)[hand, :3, 3] for sample in samples])
        speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / (samples[1].time - samples[0].time)
        assert speeds.max() < 3.0
        off = samples[-1].lock_residuals[0].position
        assert off < 7e-3 if reached else 0.05 < off < 0.4, off


# -- the world -------------------------------------------------------------------------------------------------------


def test_the_floor_holds_and_reports_its_forces():
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
    settings = PhysicsSettings(floor=Floor(height=0.0))
    samples = seconds(Preview(sequence, 0, settings), 12)
    pushed = [sample for sample in samples if len(sample.contacts.points)]
    assert pushed
    for sample in pushed:
        contacts = sample.contacts
        assert (contacts.others == -2).all() and (contacts.joints >= 0).all()
        assert (contacts.forces[:, 1] >= -1e-9).all() and contacts.ground[1] >= 0.0
        across = contacts.forces - (contacts.forces * contacts.normals).sum(1, keepdims=True) * contacts.normals
        along = (contacts.forces * contacts.normals).sum(1)
        assert (np.linalg.norm(across, axis=1) <= 1.5 * contacts.friction * along + 1e-6).all()
    assert max(sample.kkt for sample in samples) <= 1e-8


def test_another_figure_goes_on_as_its_keys_say():
    other = moving(height=3.0)
    preview = Preview(moving(), 4, NO_FLOOR, others=[other])
    for sample in seconds(preview, 3):
        np.testing.assert_allclose(sample.others[0], other.pose_at_frame(sample.frame), atol=1e-12)
        assert (sample.dynamic == FREE).all()


def test_energy_and_momentum_are_those_of_the_figure_alone():
    preview = Preview(moving(height=0.5), 4, NO_FLOOR, others=[moving(height=3.0)])
    preview.drop_ball((2.0, 3.0, 0.0))
    model = Multibody.from_skeleton(MAN)
    for sample in seconds(preview, 2):
        x, v = model.state_from_pose(sample.q, sample.rates)
        assert (sample.kinetic, sample.potential) == pytest.approx(model.energy(x, v), rel=1e-9)
        np.testing.assert_allclose(sample.center_of_mass, model.center_of_mass(x), atol=1e-12)
        momentum = model.momentum(x, v)
        momentum[:3] -= np.cross(sample.center_of_mass, momentum[3:])
        np.testing.assert_allclose(sample.momentum, momentum, atol=1e-9 * np.abs(momentum).max())


def residual(sample: Sample) -> list[object]:
    """Return what a sample tells that nobody may have looked at before."""
    arrays = [sample.rates.round(9) + 0.0, sample.torques, *sample.contacts]  # LAPACK's last bits are by alignment
    return [*(array.tobytes() for array in arrays), sample.lock_residuals]


@pytest.mark.verify
def test_a_sample_reports_the_same_whenever_it_is_looked_at():
    sequence = moving()
    sequence.hybrid_strips = [HybridStrip(LEGS, 2, 9, "motor", ease_out=3.0)]
    sequence.locks.strips = [LockStrip(bind(Lock("left foot", "position"), MAN, sequence.pose_at_frame(4)), 4, 8)]
    at_once = Preview(sequence, 0)
    first = [residual(at_once.samples[0])]
    later = Preview(sequence, 0)
    while later.frame < 12:
        first.append(residual(at_once.advance()))
        later.advance()
    later.drop_ball((0.0, 3.0, 0.0))
    later.advance()
    assert [residual(sample) for sample in later.samples[:-1]] == first
    assert len({len(each[-1]) for each in first}) == 2 and len({each[4] for each in first}) > 2
    with pytest.raises(AttributeError, match="a sample has no weight"):
        _ = later.samples[0].weight


@pytest.mark.verify
def test_a_hand_stays_on_the_hand_of_another_figure():
    human = load_skeleton(bundled_folder() / "human.scr")
    q = human.rest_pose()
    q[0] += 1.0
    there = q.copy()
    there[0] += 0.3
    other, sequence = Sequence(human, keys=[Key(0, q), Key(30, there)]), moving()
    hands = MAN.joint_index("left hand"), human.joint_index("right hand")
    first = sequence.pose_at_frame(0)
    between = forward_kinematics(MAN, first)[hands[0], :3, 3] - forward_kinematics(human, q)[hands[1], :3, 3]
    sequence.companions = {"human": other}
    sequence.locks = [Lock("left hand", "point_pair", target=between, other=("human", "right hand", (0, 0, 0)))]
    sequence.hybrid_strips = [HybridStrip((), 0)]
    for sample in seconds(Preview(sequence, 0, NO_FLOOR, others=[other]), 4):
        assert sample.lock_residuals[0].acts and sample.lock_residuals[0].position < 5e-3
        here = [forward_kinematics(*each)[hand, :3, 3] for each, hand in
                zip(((MAN, sample.q), (human, sample.others[0])), hands, strict=True)]  # fmt: skip
        np.testing.assert_allclose(here[0] - here[1], between, atol=5e-3)


def test_things_fall_and_strings_hold():
    ball = RigidBody("ball", (0.1,), 2.0, (1.0, 5.0, 0.0), velocity=(0.5, 0.0, 0.0), name="weight")
    strings = (PhysicsString("weight", (1.0, 5.4, 0.0), 0.5), PhysicsString("left hand", (0.3, 3.0, 0.0), 2.15))
    settings = replace(NO_FLOOR, rigid_bodies=(ball,), strings=strings)
    preview = Preview(Sequence(MAN, keys=[Key(0, MAN.rest_pose())]), 0, settings)
    samples = seconds(preview, 12)
    for sample in samples:
        (pose,) = sample.rigid_bodies
        assert np.linalg.norm(pose[:3, 3] - [1.0, 5.4, 0.0]) < 0.5 + 2e-3
        hand = forward_kinematics(MAN, sample.q)[MAN.joint_index("left hand"), :3, 3]
        assert np.linalg.norm(hand - [0.3, 3.0, 0.0]) < 2.15 + 3e-3
    assert samples[-1].rigid_bodies[0][1, 3] < 4.95 and samples[-1].shapes == (ball,)
    with pytest.raises(DynamicsError, match='"tail", which is neither a joint'):
        Preview(moving(), 0, replace(NO_FLOOR, strings=(PhysicsString("tail", (0, 0, 0), 1.0),)))


# -- taking a hand in it -----------------------------------------------------------------------------------------------


def test_a_part_is_pulled_thrown_and_hit_by_a_ball():
    sequence = moving()
    sequence.hybrid_strips = [HybridStrip(ARM, 0)]
    preview = Preview(sequence, 0, NO_FLOOR)
    hand = MAN.joint_index("left hand")

    def place() -> np.ndarray:
        return forward_kinematics(MAN, preview.samples[-1].q)[hand, :3, 3]

    goal = place() + np.array([0.1, 0.3, 0.2])
    preview.run(10)
    fell = place()[1]
    preview.rewind()
    preview.pull("left hand", (0, 0, 0), goal)
    preview.run(10)
    assert place()[1] > fell + 0.1
    preview.release()
    preview.run(12)
    body = preview._stage.model.index("left hand")
    before = preview._stage.stepper.readings.body_twists()[body].copy()
    pose = preview._stage.stepper.readings.body_poses()[body]
    preview.throw("left hand", (0.0, 0.0, 2.0))
    after = preview._stage.stepper.readings.body_twists()[body]
    center = preview._stage.model.bodies[body].inertia.center
    change = pose[:3, :3] @ ((after - before)[3:] + np.cross((after - before)[:3], center))
    assert abs(change[2] - 2.0) < 1e-6
    ball = preview.drop_ball((0.0, 3.0, 0.0), radius=0.2, mass=3.0, velocity=(0, -1, 0))
    heights = [sample.rigid_bodies[0][1, 3] for sample in preview.run(15) if sample.rigid_bodies]
    assert heights[-1] < heights[0] < 3.0 and preview.samples[-1].shapes == (ball,)
    with pytest.raises(DynamicsError, match="keys move the root"):
        preview.throw(None, (0, 1, 0))
    with pytest.raises(DynamicsError, match='keys move joint "head"'):
        preview.throw("head", (0, 1, 0))
    with pytest.raises(DynamicsError, match="three finite numbers"):
        preview.pull("left hand", (0, 0), (0, 0, 0))
    whole = Preview(moving(), 0, NO_FLOOR)
    whole.throw(None, (1.0, 2.0, 0.0))
    first = whole.samples[0].velocity
    change = np.array([1.0, 2.0 - 9.81 * whole.tick, 0.0])
    np.testing.assert_allclose(whole.advance().velocity, first + change, atol=1e-6)
