"""The step of the preview: what must come out in closed form, and what must not change."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Geometry
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import Stepper, StepSettings
from core.joints import Free
from core.spatial import SpatialInertia, so3

STEP = 1.0 / 200.0


def box_on(floor: Floor, friction: float = 0.5) -> Stepper:
    model = Multibody([Body("box", -1, Free(), inertia=SpatialInertia.box(1.0, (0.2, 0.2, 0.2)))])
    shape = Geometry(Box(np.full(3, 0.1)), 0, friction=friction, name="box")
    stepper = Stepper(model, [shape], World(floor=floor), settings=StepSettings(step=STEP, sleep=False))
    turn = so3.log(np.stack([np.cross(floor.normal, (0, 0, 1)), floor.normal, (0, 0, 1)], axis=1))
    if floor.normal[2]:
        x = np.array([1.0, 0.0, 0.0])
        turn = so3.log(np.stack([x, floor.normal, np.cross(x, floor.normal)], axis=1))
    stepper.set_state([*(0.1 * floor.normal), *turn], np.zeros(6))
    return stepper


def test_a_box_rests() -> None:
    stepper = box_on(Floor(friction=0.5))
    for _ in range(40):
        report = stepper.step()
        assert report.kkt <= 1e-8
    x, v = stepper.state()
    np.testing.assert_allclose(x, [0, 0.1, 0, 0, 0, 0], atol=1e-12)
    assert np.abs(v).max() < 1e-12
    forces = stepper.readings.contact_forces()
    np.testing.assert_allclose(forces["force"].sum(axis=0), [0.0, 9.81, 0.0], atol=1e-9)


@pytest.mark.parametrize("heading", [0.0, math.pi / 8, math.pi / 4])
def test_a_sliding_box_stops_where_it_must_whatever_its_heading(heading: float) -> None:
    stepper = box_on(Floor(friction=0.5))
    x, _ = stepper.state()
    stepper.set_state(x, [2.0 * math.cos(heading), 0.0, 2.0 * math.sin(heading), 0.0, 0.0, 0.0])
    highest = 0.0
    for _ in range(90):
        stepper.step()
        highest = max(highest, float(stepper.readings.center_of_mass()[1]))
    x, _ = stepper.state()
    # Steps of mu g h less each, from the first on: the discrete closed form.
    steps = np.maximum(2.0 - 0.5 * 9.81 * STEP * np.arange(1, 91), 0.0)
    assert math.hypot(x[0], x[2]) == pytest.approx(STEP * steps.sum(), abs=1e-5)
    assert highest - 0.1 < 1e-3


@pytest.mark.parametrize(("share", "slides"), [(0.999, False), (1.001, True)])
def test_an_incline_holds_up_to_its_friction(share: float, slides: bool) -> None:
    angle = math.atan(0.5 * share)
    stepper = box_on(Floor.tilted(angle, friction=0.5))
    start = stepper.readings.center_of_mass()
    stepper.step(30)
    travel = float(np.linalg.norm(stepper.readings.center_of_mass() - start))
    expected = 0.0
    if slides:
        pull = 9.81 * (math.sin(angle) - 0.5 * math.cos(angle))
        expected = pull * STEP**2 * 30 * 31 / 2
    assert travel == pytest.approx(expected, abs=1e-9)
