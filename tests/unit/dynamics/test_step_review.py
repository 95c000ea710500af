"""Parts of steps are looked at again: what sinks, what a blow makes turn past a limit, and what would be lifted."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Capsule, Geometry
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.joints import Free, Revolute
from core.spatial import SpatialInertia, se3
from tests.oracles.engine_step import check_optimality
from tests.support.contact_scenes import Depths

STICK = 0.5
STEPS = 30


def tumbler(**settings: float) -> tuple[Stepper, tuple[Geometry, ...]]:
    """A plank that spins as it meets the floor."""
    model = Multibody([Body("plank", -1, Free(), inertia=SpatialInertia.box(2.0, (1.0, 0.1, 0.3)))])
    shapes = (Geometry(Box(np.array([0.5, 0.05, 0.15])), 0),)
    stepper = Stepper(model, shapes, World(floor=Floor()), settings=StepSettings(sleep=False, **settings))  # type: ignore[arg-type]
    stepper.set_state([0.0, 0.7, 0.0, 1.0, -0.62, 1.82], [0.0, -4.0, 0.0, -26.4, -13.2, 18.7])
    return stepper, shapes


def deepest(stepper: Stepper, shapes: tuple[Geometry, ...], steps: int) -> float:
    floor = stepper.world.floor
    assert floor is not None
    depths = Depths(shapes, floor)
    worst = -np.inf
    for _ in range(steps):
        stepper.step()
        worst = max(worst, depths.deepest(stepper.readings.body_poses()))
    return worst


def test_what_would_sink_is_taken_in_halves() -> None:
    watched, unwatched = (deepest(*tumbler(largest_turn=0.2, too_deep=depth), 120) for depth in (0.001, 1.0))
    assert watched < 0.0015 < unwatched


def folding_stick() -> tuple[Stepper, float]:
    """A stick of two parts of which one meets the floor: the hinge is farther from its limit than the margin."""
    inertia = SpatialInertia.box(0.5, (STICK, 0.04, 0.04), center=(STICK / 2, 0, 0))
    limit = 0.03
    bodies = [
        Body("near", -1, Free(), inertia=inertia),
        Body("far", "near", Revolute((0, 0, 1)), X_PJ=se3.transform(translation=(STICK, 0, 0)), inertia=inertia),
    ]
    along = se3.transform(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), (STICK / 2, 0, 0))
    model = Multibody(bodies)
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    limits[6] = -limit, limit
    shapes = [Geometry(Capsule(0.02, STICK / 2), 0, along)]
    stepper = Stepper(model, shapes, World(floor=Floor()), limits=limits, settings=StepSettings(sleep=False))
    x, v = np.zeros(model.nq), np.zeros(model.nv)
    x[1], v[1] = 0.021, -8.0
    stepper.set_state(x, v)
    return stepper, limit


def test_a_blow_does_not_carry_a_hinge_past_a_limit_that_was_far() -> None:
    stepper, limit = folding_stick()
    over, turned = 0.0, 0.0
    for _ in range(120):
        angle = stepper.state()[0][6]
        stepper.step()
        turned = max(turned, abs(stepper.state()[0][6] - angle))
        over = max(over, abs(stepper.state()[0][6]) - limit)
    assert turned > 0.02  # farther in a step than the margin, so that the limit had no row at first
    assert over < 1e-3


def test_nothing_is_lifted_at_the_cost_of_energy() -> None:
    """A heavy plank that lies too deep comes out of the floor as slowly as the energy of a step allows."""
    model = Multibody([Body("plank", -1, Free(), inertia=SpatialInertia.box(100.0, (1.0, 0.1, 0.3)))])
    shapes = (Geometry(Box(np.array([0.5, 0.05, 0.15])), 0),)
    stepper = Stepper(model, shapes, World(floor=Floor()), settings=StepSettings(sleep=False))
    x = np.zeros(6)
    x[1] = 0.05 - 0.0019
    stepper.set_state(x, np.zeros(6))
    energy, heights = sum(stepper.readings.energy()), []
    for _ in range(480):
        stepper.step()
        now = sum(stepper.readings.energy())
        assert now - energy <= stepper.settings.energy_rise * (1.0 + 1e-6)
        energy = now
        heights.append(stepper.state()[0][1])
    assert np.all(np.diff(heights) > -1e-9) and heights[-1] - heights[0] > 2e-5


@pytest.mark.parametrize("scene", ["tumbler", "stick"])
def test_parts_that_are_tried_again_are_as_good_as_others(scene: str) -> None:
    stepper = tumbler(largest_turn=0.2)[0] if scene == "tumbler" else folding_stick()[0]
    again = 0
    for _ in range(STEPS):
        report = stepper.step()
        again += report.substeps > 1
        assert report.kkt <= 1e-8
        if stepper._built.memory.state.row_count:
            check_optimality(stepper._built.memory, friction_slack=0.05)
    assert again > 0 or scene == "stick"  # parts that are tried again as long as they are do not count


def test_a_depth_that_is_no_depth_is_refused() -> None:
    with pytest.raises(Exception, match="too_deep is -1; it must be 0 or more"):
        dataclasses.replace(StepSettings(), too_deep=-1.0)
