"""Ten seconds of everything that acts inside bodies: only impulses from outside change momentum."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import PointLock, StepSettings, String
from tests.support.free_figures import ACTING, STEP, about_origin, human, impulse, of_contacts, of_forces


@pytest.mark.verify
@pytest.mark.parametrize("name", ACTING)
def test_ten_seconds_of_inner_forces_keep_momentum(name: str) -> None:
    stepper = ACTING[name]()
    before, center = stepper.readings.momentum(), stepper.readings.center_of_mass()
    sizes = np.repeat([np.linalg.norm(before[:3]), np.linalg.norm(before[3:])], 3)
    for k in range(1, 101):
        stepper.step(24)
        assert np.abs((stepper.readings.momentum() - before) / sizes).max() < 1e-9
        ought = center + 24 * k * STEP * before[3:] / stepper.model.mass
        np.testing.assert_allclose(stepper.readings.center_of_mass(), ought, rtol=0, atol=1e-9)


@pytest.mark.verify
def test_a_human_on_the_floor_takes_up_the_impulses_of_contacts_locks_strings_and_pulls() -> None:
    settings = StepSettings(step=STEP, sleep=False, largest_turn=10.0, most_parts=1)
    stepper = human(world=World(floor=Floor(-0.3)), settings=settings)
    model, names = stepper.model, list(stepper.model.names)
    hand, foot, other = (names.index(name) for name in ("right hand", "left foot", "left hand"))
    own = np.array([0.0, 0.0, 0.0, 1.0])
    stepper.inputs.set_locks([PointLock(hand, own[:3], (stepper.readings.body_poses()[hand] @ own)[:3])])
    anchor = (stepper.readings.body_poses()[foot] @ own)[:3] + np.array([0.2, 0.5, 0.1])
    stepper.inputs.set_strings([String(foot, own[:3], -1, anchor, 0.6)])
    place = (stepper.readings.body_poses()[other] @ own)[:3]
    pushed = tight = 0
    for k in range(720):
        target = place + 0.3 * np.sin([0.02 * k, 0.03 * k, 0.01 * k])
        stepper.inputs.set_pull(other, own[:3], target, 400.0, 40.0)
        before, poses, gravity = about_origin(stepper), stepper.readings.body_poses(), impulse(stepper)
        assert stepper.step().substeps == 1
        points = (poses[[hand, foot, other]] @ own)[:, :3]
        tension = abs(float(stepper.readings.string_tensions()[0]))
        along = anchor - points[1]
        held, (pull,) = stepper.readings.lock_forces()[0], stepper.readings.pull_forces()
        contacts = of_contacts(stepper)
        forces = np.array([held, tension * along / np.linalg.norm(along), pull])
        outside = gravity + contacts + of_forces(points, forces)
        size = max(1.0, float(np.abs(outside).max()))
        np.testing.assert_allclose(about_origin(stepper) - before, outside, rtol=0, atol=1e-9 * size)
        pushed, tight = pushed + bool(contacts.any()), tight + (tension > 1e-9)
    assert model.mass > 50.0 and pushed > 100 and tight > 20
