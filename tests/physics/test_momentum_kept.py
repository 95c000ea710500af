"""Ten seconds of everything that acts inside bodies: only impulses from outside change momentum."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import PointLock, StepSettings, String
from tests.support.free_figures import ACTING, STEP, about_origin, human, impulse, of_contacts


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
        np.testing.assert_allclose(stepper.readings.center_of_mass(), ought, atol=1e-9)


@pytest.mark.verify
def test_a_human_on_the_floor_takes_up_the_impulses_of_contacts_locks_and_strings() -> None:
    settings = StepSettings(step=STEP, sleep=False, largest_turn=10.0, most_parts=1)
    stepper = human(world=World(floor=Floor(-0.3)), settings=settings)
    model, names = stepper.model, list(stepper.model.names)
    hand, foot = names.index("right hand"), names.index("left foot")
    own = np.array([0.0, 0.0, 0.0, 1.0])
    stepper.inputs.set_locks([PointLock(hand, own[:3], (stepper.readings.body_poses()[hand] @ own)[:3])])
    anchor = (stepper.readings.body_poses()[foot] @ own)[:3] + np.array([0.2, 0.5, 0.1])
    stepper.inputs.set_strings([String(foot, own[:3], -1, anchor, 0.6)])
    pushed = tight = 0
    for _ in range(720):
        before, poses, gravity = about_origin(stepper), stepper.readings.body_poses(), impulse(stepper)
        assert stepper.step().substeps == 1
        points = poses[[hand, foot]] @ own
        tension = abs(float(stepper.readings.string_tensions()[0]))
        along = anchor - points[1, :3]
        forces = np.array([stepper.readings.lock_forces()[0], tension * along / np.linalg.norm(along)])
        contacts = of_contacts(stepper)
        outside = gravity + contacts
        outside += STEP * np.concatenate([np.cross(points[:, :3], forces).sum(axis=0), forces.sum(axis=0)])
        size = max(1.0, float(np.abs(outside).max()))
        np.testing.assert_allclose(about_origin(stepper) - before, outside, atol=1e-9 * size)
        pushed, tight = pushed + bool(contacts.any()), tight + (tension > 1e-9)
    assert model.mass > 50.0 and pushed > 100 and tight > 20
