"""What is far inside something else comes out, no faster than it may, and whatever contradicts it."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.contact.obstacles import obstacle_from_record
from core.dynamics.contact.shapes import Box
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.joints import Free, Revolute
from core.spatial import SpatialInertia, se3
from tests.support.contact_scenes import loose, shapes_of

HALF = 0.2


def box() -> Box:
    return Box(np.full(3, HALF))


def walls(*places: tuple[float, float, float], size: float = 0.5) -> tuple:
    records = [{"kind": "box", "size": [size] * 3, "position": list(place)} for place in places]
    return tuple(obstacle_from_record(record, "obstacle") for record in records)


def linkage(obstacles: tuple, **settings: float) -> Stepper:
    """Four bars on hinges that cross each other, in and among boxes that do not move."""
    bodies = []
    for k in range(4):
        inertia = SpatialInertia.box(1.0 / (1 + k), (0.3, 0.06, 0.06), center=(0.15, 0, 0))
        joint, place = Revolute((0, 0, 1) if k % 2 else (0, 1, 0)), se3.transform(translation=(0.3, 0, 0))
        bodies.append(Body(f"bar {k}", k - 1, joint if k else Free(), X_PJ=place if k else np.eye(4), inertia=inertia))
    model = Multibody(bodies)
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    limits[6:] = -0.5, 0.5
    shapes = shapes_of([Box(np.array([0.15, 0.03, 0.03]))] * 4)
    shapes = [type(s)(s.shape, s.body, se3.transform(translation=(0.15, 0, 0)), s.friction, s.name) for s in shapes]
    stepper = Stepper(
        model, shapes, World(floor=Floor(), obstacles=obstacles), limits=limits,
        settings=StepSettings(sleep=False, **settings),
    )  # fmt: skip
    x = np.zeros(model.nq)
    x[1], x[6:] = 0.1, (0.3, -0.9, 0.4)  # the middle one far over its limit
    stepper.set_state(x, np.zeros(model.nv))
    return stepper


def test_boxes_that_overlap_come_apart_no_faster_than_they_may() -> None:
    stepper = loose([(box(), 1.0), (box(), 1.0)])
    x, fastest = np.zeros(12), 0.0
    x[1] = x[7] = HALF
    x[6] = 2.0 * HALF - 0.15
    stepper.set_state(x, np.zeros(12))
    for _ in range(240):
        stepper.step()
        fastest = max(fastest, float(np.abs(stepper.state()[1]).max()))
    x, v = stepper.state()
    assert x[6] - x[0] > 2.0 * HALF - 0.002
    assert 0.2 < fastest <= stepper.settings.push_most
    assert np.abs(v).max() < 0.05, "friction has stopped them"


@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0])
def test_what_is_caught_between_walls_stays_calm(mass: float) -> None:
    """Walls that are 5 cm too near, not quite parallel: one pushes against the other."""
    records = [
        {"kind": "box", "size": [1.0, 1.0, 1.0], "position": [side * (0.5 + HALF - 0.025), 0.2, 0.0],
         "rotation": [0.0, side * 0.01, 0.004 * side]}
        for side in (-1.0, 1.0)
    ]  # fmt: skip
    world = World(floor=Floor(), obstacles=tuple(obstacle_from_record(record, "obstacle") for record in records))
    model = Multibody([Body("box", -1, Free(), inertia=box().inertia(mass))])
    stepper = Stepper(model, shapes_of([box()]), world, settings=StepSettings(sleep=False))
    x = np.zeros(6)
    x[1] = HALF
    stepper.set_state(x, np.zeros(6))
    fastest = 0.0
    for _ in range(240):
        stepper.step()
        fastest = max(fastest, float(np.abs(stepper.state()[1]).max()))
    assert fastest < 3.0


def test_what_contradicts_itself_is_pushed_with_little_energy() -> None:
    stepper = linkage(walls((0.4, 0.1, 0.2), (0.7, 0.2, -0.1), (1.1, 0.1, 0.1)))
    pushed, fastest = 0.0, 0.0
    for _ in range(12):
        stepper.step()
        m = stepper._built.memory
        fastest = max(fastest, float(np.abs(m.u).max()))
        # What was far in asks for nothing more in the program itself.
        count = int(m.state.row_count)
        far = m.pushed[:count] > 0.0
        assert (m.row_bound[:count][far] <= 0.0).all()
        assert m.multiplier[:count].min(initial=0.0) >= 0.0
        pushed = max(pushed, float(m.state.push_work))
    assert pushed > 0.1
    assert fastest < 60.0


def test_what_cannot_move_that_way_is_not_pushed() -> None:
    """A hinge whose bar points straight at a wall that it is in: no push turns it."""
    inertia = SpatialInertia.box(1.0, (0.3, 0.06, 0.06), center=(0.15, 0, 0))
    model = Multibody([Body("bar", -1, Revolute((0, 0, 1)), inertia=inertia)], gravity=(0, 0, 0))
    (shape,) = shapes_of([Box(np.array([0.15, 0.03, 0.03]))])
    shape = type(shape)(shape.shape, 0, se3.transform(translation=(0.15, 0, 0)), shape.friction, shape.name)
    world = World(gravity=np.zeros(3), floor=None, obstacles=walls((0.5, 0.0, 0.0)))
    stepper = Stepper(model, [shape], world, settings=StepSettings(sleep=False))
    stepper.set_state(np.zeros(1), np.zeros(1))
    for _ in range(60):
        stepper.step()
        assert abs(float(stepper.state()[1][0])) < 1.0
