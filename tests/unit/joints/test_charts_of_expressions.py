"""Coordinates with poles: motions go through the poles in another chart, poses and keys keep the coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.contact.world import World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.joints import Composite, JointModel, Mirrored, Revolute, Spherical, SplineCurve
from core.spatial import SpatialInertia
from tests.support.joint_examples import globe, ring, wandering_knee

POLE = np.array([0.3, 1.3])
"""Longitude and latitude not far from a pole."""


def planet(joint: JointModel | None = None, gravity: float = 0.0) -> Multibody:
    body = Body("satellite", -1, joint or globe(), inertia=SpatialInertia(2.0, np.zeros(3), 0.1 * np.eye(3)))
    return Multibody([body], (0.0, -gravity, 0.0))


def great_circle(start: np.ndarray, velocity: np.ndarray, times: np.ndarray) -> np.ndarray:
    speed = np.linalg.norm(velocity)
    angle = speed * times[:, None] / 2.0
    return np.cos(angle) * start + 2.0 * np.sin(angle) * velocity / speed


@pytest.mark.verify
@pytest.mark.sampled(2)
@pytest.mark.parametrize("formulation", ["recursive", "symbolic", "redmax", "maximal"])
def test_without_gravity_it_goes_round_in_great_circles_over_the_poles(formulation: str) -> None:
    model = planet()
    x, v = np.array([0.2, 0.1]), np.array([0.01, 3.0])  # almost through the pole
    motion = simulate(Scene(model, x, v), duration=2.0, dt=0.0025, integrator="rk4", formulation=formulation)
    poses = np.array([model.body_poses(row)[0] for row in motion.x])
    joint = model.bodies[0].joint
    start, velocity = joint.transform(x)[:3, 3], joint.subspace(x)[3:] @ v
    assert poses[:, :3, 3] == pytest.approx(great_circle(start, velocity, np.asarray(motion.times)), abs=1e-6)


@pytest.mark.parametrize("through", [0.0, 0.01, 0.3])
def test_so_it_does_in_the_contact_step(through: float) -> None:
    model = planet()
    stepper = Stepper(model, (), World(np.zeros(3), None), settings=StepSettings(step=1 / 240, sleep=False))
    x, v = np.array([0.2, 0.1]), np.array([through, 3.0])
    stepper.set_state(x, v)
    joint, normal = model.bodies[0].joint, None
    start, velocity = joint.transform(x)[:3, 3], joint.subspace(x)[3:] @ v
    normal = np.cross(start, velocity)
    normal /= np.linalg.norm(normal)
    heights = []
    for _ in range(480):
        stepper.step()
        place = stepper.readings.body_poses()[0][:3, 3]
        assert np.linalg.norm(place) == pytest.approx(2.0, abs=1e-9)
        heights.append(place @ normal)
    assert np.abs(heights).max() < 0.06 and stepper.fastest < 8.0  # of 2 m, in steps of 12.5 mm
    home = stepper.state()[0]
    assert joint.transform(home)[:3, 3] == pytest.approx(place, abs=1e-9)  # the pose has longitude and latitude
    again = stepper.snapshot()
    stepper.step(30)
    there = stepper.readings.body_poses()[0].copy()
    stepper.step(100)
    stepper.restore(again)
    stepper.step(30)
    assert np.array_equal(stepper.readings.body_poses()[0], there)


@pytest.mark.verify
def test_energy_stays_in_a_fall_over_the_pole() -> None:
    model = planet(gravity=9.81)
    motion = simulate(
        Scene(model, np.array([0.4, 0.9]), np.array([0.3, 4.0])), duration=2.0, dt=0.001, integrator="rk4"
    )
    energy = np.asarray(motion.energy)
    total = energy.sum(axis=1) if energy.ndim == 2 else energy
    assert np.abs(total - total[0]).max() < 1e-6 * np.abs(total).max()


def test_who_has_charts() -> None:
    assert globe().has_charts and Mirrored(globe()).has_charts and Composite(globe(), Revolute((1, 0, 0))).has_charts
    assert not wandering_knee().has_charts and wandering_knee().rechart([0.3], [1.0]) is None
    assert not Composite(SplineCurve(ring()), Revolute((1, 0, 0))).has_charts
    assert Spherical().has_charts and not Revolute((1, 0, 0)).has_charts


def test_the_chart_with_the_pole_farthest_away_is_taken() -> None:
    joint = globe()
    assert joint.rechart([0.3, 0.2], [1.0, 1.0]) is None
    found = joint.rechart(POLE, [1.0, 2.0])
    assert found is not None
    chart, q, v = found
    assert chart != joint and chart.charts[1] == joint and chart.rechart(q, v) is None
    assert joint.regularity(POLE) < 0.5 < chart.regularity(q)
    assert chart.transform(q) == pytest.approx(joint.transform(POLE), abs=1e-14)
    assert chart.subspace(q) @ v == pytest.approx(joint.subspace(POLE) @ [1.0, 2.0], abs=1e-13)
