"""What holds, drives and pulls bodies within a step, and what a stepper tells of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Geometry
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import OrientationLock, PlaneLock, PointLock, Stepper, StepSettings, String
from core.errors import DynamicsError
from core.formats import bundled_folder
from core.joints import Free, Prismatic, Revolute, Spherical, SplineCurve
from core.skeleton import load_skeleton
from core.spatial import SpatialInertia, se3, so3

EMPTY = World(floor=None)


def box_model(mass: float = 2.0) -> Multibody:
    return Multibody([Body("box", -1, Free(), inertia=SpatialInertia.box(mass, (0.2, 0.2, 0.2)))])


def chain(count: int) -> Multibody:
    link = SpatialInertia.capsule(0.3, (0, 0, 0), (0, -0.2, 0), 0.02)
    bodies = [Body("link 0", -1, Free(), inertia=link)]
    for k in range(1, count):
        joint = Spherical()
        bodies.append(Body(f"link {k}", k - 1, joint, X_PJ=se3.transform(translation=(0, -0.2, 0)), inertia=link))
    return Multibody(bodies)


def test_a_chain_hangs_from_a_lock_and_reports_its_weight() -> None:
    model = chain(4)
    stepper = Stepper(model, world=EMPTY)
    x = np.zeros(model.nq)
    x[3:6] = 0.0, 0.0, 1.0
    stepper.set_state(x, np.zeros(model.nv))
    stepper.inputs.set_joint_forces(damping=np.where(np.arange(model.nv) < 3, 0.0, 0.1))
    stepper.inputs.set_locks([PointLock("link 0", (0, 0, 0), (0, 0, 0))])
    worst = 0.0
    for _ in range(60):
        assert stepper.step(4).kkt < 1e-8
        worst = max(worst, float(np.linalg.norm(stepper.readings.body_poses()[0, :3, 3])))
    assert worst < 5e-3
    stepper.step(4800)
    assert stepper.readings.lock_gaps()[0] < 1e-6
    assert stepper.readings.lock_forces()[0, 1] == pytest.approx(1.2 * 9.81, rel=5e-3)


def test_bodies_that_no_lock_holds_fall_however_many_locks_there_are() -> None:
    """There is room for so many rows at first; with more of them gravity acts as before."""
    model = Multibody(
        [Body(f"box {k}", -1, Free(), inertia=SpatialInertia.box(1.0, (0.2, 0.2, 0.2))) for k in range(14)]
    )
    stepper = Stepper(model, world=EMPTY)
    stepper.inputs.set_locks([PointLock(f"box {k}", (0, 0, 0), (0, 0, 0)) for k in range(13)])
    stepper.step(24)
    assert stepper.state()[1][-5] == pytest.approx(-0.981)


def test_locks_of_one_place_many_times_over_change_nothing() -> None:
    ends = []
    for times in (1, 3):
        stepper = Stepper(box_model(), world=EMPTY)
        stepper.inputs.set_locks([PointLock("box", (0.1, 0.1, 0), (0.1, 0.1, 0))] * times)
        stepper.step(40)
        ends.append(stepper.state()[0])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_planes_and_orientations_hold_and_the_rest_moves() -> None:
    stepper = Stepper(box_model(), world=EMPTY)
    R = so3.exp((0.0, 0.0, 0.2))
    x, _ = stepper.state()
    x[3:] = 0.0, 0.0, 0.2
    stepper.set_state(x, [1.0, 0, 0, 0, 0, 0])
    slope = R @ (0.0, 1.0, 0.0)
    stepper.inputs.set_locks([PlaneLock("box", (0, 0, 0), (0, 0, 0), slope), OrientationLock("box", R)])
    stepper.step(60)
    pose = stepper.readings.body_poses()[0]
    assert abs(slope @ pose[:3, 3]) < 1e-9
    np.testing.assert_allclose(pose[:3, :3], R, atol=1e-9)
    along = R @ (1.0, 0.0, 0.0)
    t = 60 / 240
    assert along @ pose[:3, 3] == pytest.approx(t * along[0] - 9.81 * along[1] * t * (t + 1 / 240) / 2, abs=1e-6)


def test_a_string_is_slack_until_it_is_tight() -> None:
    stepper = Stepper(box_model(), world=EMPTY, settings=StepSettings(sleep=False))
    stepper.inputs.set_strings([String("box", (0, 0, 0), -1, (0, 0, 0), 0.5)])
    assert stepper.step(12).flights == 12
    lowest = 0.0
    for _ in range(300):
        stepper.step()
        lowest = min(lowest, float(stepper.readings.body_poses()[0, 1, 3]))
    assert lowest == pytest.approx(-0.5, abs=1e-3)
    assert stepper.readings.string_tensions()[0] == pytest.approx(2 * 9.81, rel=1e-6)


@pytest.mark.parametrize("step", [1 / 60, 1 / 240, 1 / 3840])
@pytest.mark.parametrize("short", [0.001, 0.02, 0.24])
def test_a_string_that_is_too_short_pulls_no_faster_than_what_overlaps_is_pushed(short: float, step: float) -> None:
    model = Multibody(box_model().bodies, (0.0, 0.0, 0.0))
    stepper = Stepper(model, world=World((0.0, 0.0, 0.0), floor=None), settings=StepSettings(step=step, sleep=False))
    stepper.inputs.set_strings([String("box", (0, 0, 0), -1, (0, 1.0, 0), 1.0 - short)])
    stepper.step()
    settings = stepper.settings
    ought = min(settings.lock_pull * short / step, settings.push_most)
    np.testing.assert_allclose(stepper.state()[1], [0, ought, 0, 0, 0, 0], rtol=1e-9, atol=1e-12)


def test_prescribed_coordinates_go_exactly_where_they_are_prescribed() -> None:
    model = chain(3)
    stepper = Stepper(model, world=EMPTY)
    rng = np.random.default_rng(1)
    mask = np.zeros(model.nv, dtype=bool)
    mask[:6] = True
    stepper.inputs.prescribe(mask)
    for k in range(20):
        x = 0.1 * np.sin(0.05 * (k + 1)) * np.ones(model.nq)
        v = rng.normal(size=model.nv)
        stepper.inputs.target(x, v)
        stepper.step(2)
        got, rates = stepper.state()
        np.testing.assert_allclose(got[:6], x[:6], atol=1e-15)
        np.testing.assert_allclose(rates[:6], v[:6], atol=1e-14)
    stepper.inputs.prescribe(~mask & mask)
    np.testing.assert_allclose(stepper.state()[1][:6], v[:6], atol=1e-12)
    with pytest.raises(DynamicsError, match="part of the rotation"):
        stepper.inputs.prescribe(np.arange(model.nv) < 4)


def test_a_motor_of_any_strength_holds_still() -> None:
    model = Multibody(
        [Body("arm", -1, Revolute((0, 0, 1)), inertia=SpatialInertia.box(1.0, (1.0, 0.1, 0.1), center=(0.5, 0, 0)))]
    )
    for gain in (1e2, 1e6):
        stepper = Stepper(model, world=EMPTY)
        stepper.inputs.set_motors([gain], [gain / 10], [0.3])
        stepper.step(2400)
        sag = 9.81 * 0.5 * math.cos(stepper.state()[0][0])
        assert stepper.state()[0][0] == pytest.approx(0.3 - sag / gain, abs=1e-6)
        assert stepper.readings.joint_torques()[0] == pytest.approx(sag, rel=1e-6)


def test_a_pull_brings_a_point_to_its_place_however_stiff() -> None:
    stepper = Stepper(box_model(), world=EMPTY)
    stepper.inputs.set_joint_forces(damping=[0, 0, 0, 0.2, 0.2, 0.2])
    stepper.inputs.set_pull("box", (0, 0.1, 0), (0.3, 0.4, 0.0), 1e5, 2e3)
    stepper.step(1200)
    X = stepper.readings.body_poses()[0]
    np.testing.assert_allclose(X[:3, :3] @ (0, 0.1, 0) + X[:3, 3], (0.3, 0.4 - 2 * 9.81 / 1e5, 0.0), atol=1e-4)
    stepper.inputs.set_pull(None)
    stepper.step(24)
    assert stepper.readings.body_poses()[0, 1, 3] < 0.3


def test_a_box_that_rests_falls_asleep_and_wakes() -> None:
    shape = Geometry(Box(np.full(3, 0.1)), 0)
    stepper = Stepper(box_model(), [shape], World(floor=Floor(-0.1)))
    stepper.step(240)
    assert stepper.asleep
    stepper.inputs.push("box", (0, 0, 0, 0, 4.0, 0))
    assert not stepper.asleep
    assert stepper.readings.momentum()[4] == pytest.approx(4.0)
    stepper.step(10)
    assert stepper.readings.body_poses()[0, 1, 3] > 0.05


def test_limits_hold_hinges_and_balls_of_figures() -> None:
    human = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(human)
    stepper = Stepper(model, world=World(gravity=np.zeros(3), floor=None), settings=StepSettings(sleep=False))
    q = human.rest_pose()
    rates = 3.0 * np.random.default_rng(4).normal(size=human.nq)
    stepper.set_state(*model.state_from_pose(q, rates))
    low, high = human.limits[:, 0], human.limits[:, 1]
    over = 0.0
    for _ in range(60):
        stepper.step(2)
        q = model.pose_from_state(stepper.state()[0], near=q)
        over = max(over, float(np.maximum(low - q[3:], q[3:] - high).max()))
    assert over < 0.06


def test_joints_on_splines_are_stepped() -> None:
    turns = [so3.exp((0, 0, a)) for a in np.linspace(0, 1.5, 5)]
    ring = se3.transform(np.array(turns), np.array([(math.sin(a), 1 - math.cos(a), 0) for a in np.linspace(0, 1.5, 5)]))
    ball = SpatialInertia.box(1.0, (0.1, 0.1, 0.1))
    model = Multibody([Body("bead", -1, SplineCurve(ring), inertia=ball)])
    stepper = Stepper(model, world=EMPTY, settings=StepSettings(step=1 / 960))
    x = np.array([2.0])
    stepper.set_state(x, np.zeros(1))
    before = sum(stepper.readings.energy())
    stepper.step(200)
    assert abs(stepper.state()[0][0] - 2.0) > 0.1
    assert sum(stepper.readings.energy()) == pytest.approx(before, abs=0.02)


def test_a_motor_given_for_a_ball_is_refused() -> None:
    human = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(human)
    assert model.figure is not None
    ball = int(model.figure.balls[-1].x[0])
    model.joint_physics = tuple(
        physics._replace(motor=2.0) if ball in physics.coordinates else physics for physics in model.joint_physics
    )
    with pytest.raises(DynamicsError, match="motor of 2 N m"):
        Stepper(model, world=EMPTY)


def test_refusals_name_what_is_wrong() -> None:
    stepper = Stepper(Multibody([Body("bead", -1, Prismatic((1, 0, 0)), inertia=SpatialInertia.box(1, (1, 1, 1)))]))
    with pytest.raises(DynamicsError, match=r"damping\[0\] is -1"):
        stepper.inputs.set_joint_forces(damping=[-1.0])
    with pytest.raises(DynamicsError, match="there is no body 'nobody'"):
        stepper.inputs.set_locks([PointLock("nobody", (0, 0, 0), (0, 0, 0))])
    with pytest.raises(DynamicsError, match="axes"):
        stepper.inputs.set_locks([PointLock("bead", (0, 0, 0), (0, 0, 0), axes=[[0, 0, 0]])])
