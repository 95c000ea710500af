"""Boxes and balls on floors: rest, sticking and sliding, stopping, stacks, falls without a rebound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics.contact.shapes import Box, Sphere
from core.dynamics.contact.world import Floor
from core.spatial import so3
from tests.support.contact_scenes import GRAVITY, Depths, loose, on_floor, shapes_of, total

STEP = 1.0 / 240.0
CUBE = Box((0.1, 0.1, 0.1))
FLAT = Box((0.2, 0.05, 0.1))


@pytest.mark.parametrize(("step", "heading"), [(1 / 240, 0.0), (1 / 200, 0.7)])
def test_a_box_at_rest_stays_where_it_is(step: float, heading: float) -> None:
    s = loose([(CUBE, 2.0)], step=step)
    s.set_state(on_floor(s.world.floor, 0.1, heading), np.zeros(6))
    report = s.step(round(10 / step))
    x, v = s.state()
    assert abs(x[1] - 0.1) <= 1e-9 and np.abs(v).max() <= 1e-8
    assert report.kkt <= 1e-8 and report.fallbacks == 0
    forces = s.readings.contact_forces()["force"].sum(axis=0)
    np.testing.assert_allclose(forces, [0.0, 2.0 * GRAVITY, 0.0], atol=1e-9)


@pytest.mark.parametrize("heading", [0.0, math.pi / 8, math.pi / 4])
def test_a_box_on_a_slope_sticks_just_below_the_angle_of_friction_and_slides_just_above(heading: float) -> None:
    mu = 0.5
    for share, slides in ((0.999, False), (1.001, True)):
        angle = math.atan(share * mu)
        s = loose([(FLAT, 3.0)], friction=mu, floor=Floor.tilted(angle, friction=mu), step=STEP)
        start = on_floor(s.world.floor, 0.05, heading)
        s.set_state(start, np.zeros(6))
        steps = 480
        s.step(steps)
        x, _ = s.state()
        down = np.array([0.0, -math.sin(angle), -math.cos(angle)])
        slid = float((x - start)[:3] @ down)
        pull = GRAVITY * (math.sin(angle) - mu * math.cos(angle))
        wanted = 0.5 * pull * STEP**2 * steps * (steps + 1) if slides else 0.0
        assert abs(slid - wanted) <= (1e-5 if slides else 1e-9), (share, slid, wanted)
        aside = (x - start)[:3] - slid * down
        assert np.abs(aside).max() <= 1e-4 if slides else 1e-9


@pytest.mark.parametrize("share", [1.02, 1.5])
def test_a_slide_down_a_slope_is_that_of_the_equations(share: float) -> None:
    mu, steps = 0.5, 480
    angle = math.atan(share * mu)
    s = loose([(FLAT, 3.0)], friction=mu, floor=Floor.tilted(angle, 0.9, friction=mu), step=STEP)
    start = on_floor(s.world.floor, 0.05, 0.3)
    s.set_state(start, np.zeros(6))
    s.step(steps)
    slid = float(np.linalg.norm((s.state()[0] - start)[:3]))
    pull = GRAVITY * (math.sin(angle) - mu * math.cos(angle))
    assert abs(slid - 0.5 * pull * STEP**2 * steps * (steps + 1)) <= 1e-5


def test_a_sliding_box_stops_after_the_same_way_in_every_direction_and_does_not_lift() -> None:
    mu, speed = 0.5, 2.0
    loss = mu * GRAVITY * STEP
    wanted = sum(max(speed - k * loss, 0.0) * STEP for k in range(1, 200))
    for degrees in (0.0, 22.5, 45.0):
        s = loose([(FLAT, 3.0)], friction=mu, step=STEP)
        start = on_floor(s.world.floor, 0.05)
        along = np.array([math.cos(math.radians(degrees)), 0.0, math.sin(math.radians(degrees))])
        s.set_state(start, np.concatenate([speed * along, np.zeros(3)]))
        highest, depths = 0.0, Depths(shapes_of([FLAT]), s.world.floor)
        for _ in range(150):
            s.step()
            highest = max(highest, -depths.deepest(s.readings.body_poses()))
        travel = (s.state()[0] - start)[:3]
        assert highest <= 1e-3, degrees
        assert abs(float(travel @ along) - wanted) <= 5e-4, degrees
        assert np.linalg.norm(travel - float(travel @ along) * along) <= 2e-3, degrees
        assert np.abs(s.state()[1]).max() <= 1e-6


def test_a_ball_that_falls_does_not_rebound_nor_sink() -> None:
    s = loose([(Sphere(0.1), 1.0)], step=STEP)
    s.set_state([0.0, 1.1, 0.0, 0.0, 0.0, 0.0], np.zeros(6))
    lowest, rebound, met = math.inf, 0.0, False
    for _ in range(240):
        s.step()
        x, v = s.state()
        lowest = min(lowest, x[1] - 0.1)
        met = met or len(s.readings.contact_forces()) > 0
        rebound = max(rebound, v[1]) if met else rebound
    assert met and lowest >= -1e-9 and rebound <= 1e-9
    assert abs(x[1] - 0.1) <= 1e-9


def test_a_box_that_tumbles_never_gains_energy_nor_sinks() -> None:
    rng = np.random.default_rng(7)
    for _ in range(3):
        s = loose([(FLAT, 3.0)], friction=0.6, step=STEP)
        s.set_state([0.0, 0.8, 0.0, *so3.log(so3.exp(rng.normal(size=3)))], rng.normal(size=6) * [1, 1, 1, 6, 6, 6])
        energy, rise, deepest, depths = total(s), 0.0, -math.inf, Depths(shapes_of([FLAT]), s.world.floor)
        for _ in range(480):
            s.step()
            now = total(s)
            rise, energy = max(rise, now - energy), now
            deepest = max(deepest, depths.deepest(s.readings.body_poses()))
        assert rise <= 1e-6 and deepest <= 1e-3, (rise, deepest)
        assert np.abs(s.state()[1]).max() <= 1e-3


@pytest.mark.parametrize("aside", [0.0, 0.03])
def test_stacked_boxes_stand(aside: float) -> None:
    s = loose([(CUBE, 2.0), (CUBE, 1.0), (CUBE, 3.0)], friction=0.5, step=STEP)
    x = np.zeros(18)
    x[1::6] = 0.1, 0.3, 0.5
    x[0::6] = 0.0, aside, 0.0
    x[4::6] = 0.0, 0.4, 0.0
    s.set_state(x, np.zeros(18))
    report = s.step(2400)
    now, v = s.state(near=x)
    assert np.abs(now - x).max() <= 1e-6 and np.abs(v).max() <= 1e-6
    assert report.kkt <= 1e-8 and report.fallbacks == 0


def test_a_stack_that_is_pushed_over_falls_and_lies() -> None:
    s = loose([(CUBE, 2.0), (CUBE, 1.0), (CUBE, 3.0)], friction=0.5, step=STEP)
    x = np.zeros(18)
    x[1::6] = 0.1, 0.3, 0.5
    v = np.zeros(18)
    v[12] = 2.5
    s.set_state(x, v)
    energy, rise = total(s), 0.0
    for _ in range(480):
        s.step()
        now = total(s)
        rise, energy = max(rise, now - energy), now
    x, v = s.state()
    assert rise <= 1e-3 and x[13] <= 0.1 + 1e-3 and np.abs(v).max() <= 1e-2
