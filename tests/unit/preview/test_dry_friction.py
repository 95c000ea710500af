"""Dry friction in joints: bearings that hold, slide as Coulomb says, and carry what hangs on them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.constraints import Lock, bind
from core.dynamics.contact.obstacles import BoxObstacle
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.contact_stage import ContactStage
from core.preview.method import left_out
from core.preview.preview import Preview
from core.preview.rigid_bodies import PhysicsString
from core.preview.settings import PhysicsSettings
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.dof import HINGE, SLIDE

G = 9.81
FREE = (-np.inf, np.inf)
INERTIA = np.diag([0.02, 0.03, 0.04])
FLOATS = PhysicsSettings(floor=None)
AROUND = 0.5 * (1.0 + math.sqrt(2.0))
"""What eight points around a pin press in all, to a load towards one of them: 2 (1 + 2 / sqrt(2)) quarters of it."""


def figure(*dofs: Dof, center=(0.0, 0.0, 0.0), coulomb=(0.2, 0.05, 0.1), mass: float = 2.0) -> Skeleton:
    """Return a base that keys hold, and a part on it with friction in its joint."""
    base = Joint("base", -1, mass=1.0, center=np.zeros(3), inertia=np.eye(3))
    part = Joint("part", 0, dofs=dofs, mass=mass, center=np.array(center), inertia=INERTIA, coulomb=coulomb)
    return Skeleton("bearing", [base, part])


def run(s: Skeleton, frames: int, value: float = 0.0, rate: float = 0.0) -> list:
    """Return the samples of a run in which forces move the part from a value and at a rate of its first coordinate."""
    q = s.rest_pose()
    q[3] = value
    sequence = Sequence(s, keys=[Key(0, q)])
    sequence.hybrid_strips = [HybridStrip(("part",), 0)]
    rates = np.zeros(3 + s.n_dofs)
    rates[3] = rate
    preview = Preview(sequence, 0, replace(FLOATS, start_rates=tuple(rates)))
    return preview.run(frames)


def test_a_wheel_slows_down_evenly_and_stays():
    s = figure(Dof(HINGE, np.array([0.0, 1.0, 0.0]), *FREE))
    slowing = 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1]  # all its weight is along the axis
    samples = run(s, 30, rate=4.0)
    at = [sample.time for sample in samples]
    rates = np.array([sample.rates[3] for sample in samples])
    expected = np.maximum(4.0 - slowing * np.array(at), 0.0)
    np.testing.assert_allclose(rates, expected, atol=0.04)
    assert abs(rates[-1]) < 1e-9 and samples[-1].q[3] == pytest.approx(4.0**2 / (2.0 * slowing), rel=0.01)


@pytest.mark.parametrize(("degrees", "holds"), [(37.5, True), (40.0, False)])
def test_a_pendulum_is_held_up_to_the_angle_at_which_its_weight_wins(degrees, holds):
    # m g l sin(a) = mu r m g (cos a + sin a + |cos(a - 45)| + |cos(a + 45)|) / 2, mu r / l = 1/2: at 38.8 degrees
    hinge = Dof(HINGE, np.array([1.0, 0.0, 0.0]), *FREE)
    s = figure(hinge, center=(0.0, -0.3, 0.0), coulomb=(0.5, 0.3, 0.1))
    angles = [sample.q[3] for sample in run(s, 30, value=np.radians(degrees))]
    assert (abs(angles[-1] - angles[0]) < 1e-4) == holds  # it gives a little while friction builds up
    if holds:
        assert abs(angles[-1] - angles[-10]) < 1e-9
    else:
        assert abs(angles[-1]) < 0.97 * abs(angles[0])


@pytest.mark.parametrize("degrees", [20.0, 35.0])
def test_a_slide_goes_down_a_slope_as_coulomb_says(degrees):
    slope = np.radians(degrees)
    along = np.array([np.cos(slope), -np.sin(slope), 0.0])
    s = figure(Dof(SLIDE, along, *FREE), coulomb=(0.5, 0.05, 0.1))
    samples = run(s, 15)
    wanted = max(G * (np.sin(slope) - 0.5 * AROUND * np.cos(slope)), 0.0) * samples[-1].time
    assert samples[-1].rates[3] == pytest.approx(wanted, rel=0.02, abs=1e-6)


def test_a_bending_moment_presses_the_ends_of_a_bearing():
    # The weight hangs 0.5 m out on a vertical axis: m g 0.5 / height at each end, besides m g along the axis.
    s = figure(Dof(HINGE, np.array([0.0, 1.0, 0.0]), *FREE), center=(0.5, 0.0, 0.0))
    limit = 0.2 * 0.05 * 2.0 * G * (AROUND * 2.0 * 0.5 / 0.1 + 1.0)
    slowing = limit / (INERTIA[1, 1] + 2.0 * 0.5**2)
    samples = run(s, 3, rate=1.0)
    assert samples[-1].rates[3] == pytest.approx(1.0 - slowing * samples[-1].time, rel=0.02)


def test_a_ball_slows_down_about_its_own_axis():
    turn = tuple(Dof(HINGE, axis, *FREE) for axis in np.eye(3)[[1, 0, 2]])
    s = figure(*turn)
    # Four directions through corners carry 3/7 of what they face, with an arm of sqrt(2/3) r.
    share = 4.0 * (3.0 / 7.0) / math.sqrt(3.0) * math.sqrt(2.0 / 3.0)
    slowing = share * 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1]
    samples = run(s, 12, rate=4.0)
    assert samples[-1].rates[3] == pytest.approx(4.0 - slowing * samples[-1].time, rel=0.02)
    assert np.abs(samples[-1].q[4:6]).max() < 1e-9


def test_viscous_friction_of_slanted_hinges_acts_besides():
    dofs = tuple(Dof(HINGE, np.array(axis), *FREE) for axis in ([1.0, 0.0, 0.0], [0.6, 0.8, 0.0]))
    ends = []
    for viscous, coulomb in ((0.05, None), (0.05, (1e-9, 0.02, 0.04)), (0.0, None)):
        s = figure(*dofs, coulomb=coulomb)
        part = replace(s.joints[1], viscous=viscous)
        ends.append(run(Skeleton("bearing", [s.joints[0], part]), 10, rate=4.0)[-1])
    np.testing.assert_allclose(ends[1].rates, ends[0].rates, atol=1e-5)
    assert abs(ends[2].rates[3] - ends[0].rates[3]) > 0.1, "it brakes"


def test_sizes_that_a_file_leaves_out_are_shares_of_the_figure():
    s = figure(Dof(HINGE, np.array([0.0, 1.0, 0.0]), *FREE), coulomb=(0.2, None, None))
    part = replace(s.joints[1], tips=(np.array([0.0, 2.0, 0.0]),))
    samples = run(Skeleton("bearing", [s.joints[0], part]), 10, rate=0.5)
    slowing = 0.2 * 0.02 * 2.0 * G / INERTIA[1, 1]
    assert samples[-1].rates[3] == pytest.approx(max(0.5 - slowing * samples[-1].time, 0.0), abs=0.01)


def man() -> Skeleton:
    s = load_skeleton(bundled_folder() / "stickman.scr")
    joints = [replace(joint, coulomb=(0.1, 0.02, 0.04) if k else None) for k, joint in enumerate(s.joints)]
    return Skeleton(s.name, joints, s.groups)


@pytest.mark.verify
def test_loads_count_all_that_acts_from_outside():
    """What goes through the root of a figure that floats is nothing: all else was counted."""
    s = man()
    sequence = Sequence(s, keys=[Key(0, s.rest_pose())])
    sequence.locks = [bind(Lock("left hand", "position"), s, s.rest_pose())]
    hand = forward_kinematics(s, s.rest_pose())[s.joint_index("right hand"), :3, 3]
    settings = PhysicsSettings(
        obstacles=(BoxObstacle((0.4, 0.3, 0.4), position=(0.0, 0.15, 0.6)),),
        strings=(PhysicsString("right hand", hand + np.array([0.0, 0.5, 0.0]), 0.51),),
    )  # fmt: skip
    preview = Preview(sequence, 0, settings)
    head = forward_kinematics(s, s.rest_pose())[s.joint_index("head"), :3, 3]
    preview.pull("head", np.zeros(3), head + np.array([0.05, -0.05, 0.05]))
    stage = preview._stage
    assert isinstance(stage, ContactStage)
    missing, through = [], []
    for _ in range(30):
        preview.advance()
        missing.append(np.abs(stage._dry.carried[0, 3:]).max())
        through.append(np.abs(stage._dry.carried[1:, 3:]).max())
    weight = stage.model.mass * G
    assert max(through) > 0.3 * weight
    assert np.median(missing) < 0.02 * weight


@pytest.mark.verify
def test_the_same_happens_again_and_what_leaves_it_out_lists_it():
    s = man()
    sequence = Sequence(s, keys=[Key(0, s.rest_pose())])
    preview = Preview(sequence, 0, FLOATS)
    first = [sample.q for sample in preview.run(6)]
    preview.rewind()
    assert np.array_equal(first, [sample.q for sample in preview.run(6)])
    assert "dry friction in joints" in left_out(replace(FLOATS, integrator="rk4"), sequence)
    assert left_out(FLOATS, sequence) == ()


def test_what_stands_by_friction_alone_falls_asleep():
    preview = Preview(Sequence(s := man(), keys=[Key(0, s.rest_pose())]), 0)
    samples = preview.run(60)
    assert samples[-1].asleep
    assert np.abs(samples[-1].q - samples[0].q).max() < 0.05, "its joints hold it"


@pytest.mark.verify
def test_what_lies_held_by_friction_falls_asleep():
    """Friction in joints that carry something drives nothing."""
    s = man()
    q = s.rest_pose()
    q[1], q[4] = q[1] + 0.05, 1.2
    preview = Preview(Sequence(s, keys=[Key(0, q)]), 0)
    samples = preview.run(60)
    stage = preview._stage
    assert isinstance(stage, ContactStage)
    assert samples[-1].asleep
    assert np.abs(stage._dry.torque).max() > 1e-3, "friction acts"


def test_keys_that_move_a_joint_know_no_friction():
    s = figure(Dof(HINGE, np.array([0.0, 1.0, 0.0]), *FREE), coulomb=(50.0, 1.0, 1.0))
    end = s.rest_pose()
    end[3] = 1.0
    sequence = Sequence(s, keys=[Key(0, s.rest_pose()), Key(20, end)])
    sequence.hybrid_strips = [HybridStrip(("part",), 4, 14, ease_out=8.0)]
    samples = Preview(sequence, 0, FLOATS).run(18)
    for sample in samples:
        if sample.frame <= 4 or sample.frame >= 14:
            np.testing.assert_allclose(sample.q, sequence.pose_at_frame(sample.frame), atol=1e-9)
