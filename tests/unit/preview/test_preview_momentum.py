"""Momentum in previews: what the mouse pulls changes it by its impulse, dry friction in joints does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from core.animation import Key, Sequence
from core.dynamics.contact.world import Floor
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.contact_stage import ContactStage
from core.preview.preview import Preview
from core.preview.settings import PhysicsSettings
from core.skeleton import load_skeleton
from tests.support.free_figures import about_origin, impulse, of_contacts, of_forces

Array = NDArray[np.float64]

MAN = load_skeleton(bundled_folder() / "stickman.scr")
FINE = PhysicsSettings(step=1.0 / 960.0)


def stage_of(preview: Preview) -> ContactStage:
    stage = preview._stage
    assert isinstance(stage, ContactStage)
    return stage


def pulled(settings: PhysicsSettings, steps: int) -> tuple[int, int]:
    """Let the mouse lead a hand about; compare every step; return how many were with contacts, and compared.

    Steps in parts are not compared: the readings are those of the last part.
    """
    preview = Preview(Sequence(MAN, keys=[Key(0, MAN.rest_pose())]), 0, settings)
    stage = stage_of(preview)
    hand = forward_kinematics(MAN, MAN.rest_pose())[MAN.joint_index("left hand"), :3, 3]
    grip = np.array([0.01, 0.02, 0.0])
    touched = compared = 0
    for k in range(steps):
        preview.pull("left hand", grip, hand + 0.2 * np.sin([0.004 * k, 0.006 * k, 0.002 * k]))
        (pull,) = stage.interaction.springs()
        before, gravity = about_origin(stage.stepper), impulse(stage.stepper)
        place = stage.stepper.readings.body_poses()[pull.body] @ np.append(pull.point, 1.0)
        if stage.advance(k, 1).substeps != 1:
            continue
        force, contacts = stage.stepper.readings.pull_forces(), of_contacts(stage.stepper)
        outside = gravity + contacts + of_forces(place[None, :3], force, stage.step)
        size = max(1.0, float(np.abs(outside).max()))
        np.testing.assert_allclose(about_origin(stage.stepper) - before, outside, rtol=0, atol=1e-9 * size)
        assert np.abs(force).max() > 0.0
        touched, compared = touched + bool(contacts.any()), compared + 1
    return touched, compared


@pytest.mark.parametrize("floor", [None, Floor(-0.05)])
def test_what_the_mouse_pulls_gets_the_impulse_of_the_pull_that_is_read(floor: Floor | None) -> None:
    touched, compared = pulled(replace(FINE, floor=floor), 400)
    assert compared > 300 and (touched > 100) == (floor is not None)


@pytest.mark.verify
@pytest.mark.parametrize("step", [1.0 / 240.0, 1.0 / 960.0])
def test_for_seconds_the_mouse_leads_a_figure_on_the_floor(step: float) -> None:
    touched, compared = pulled(PhysicsSettings(step=step), round(5.0 / step))
    assert touched > 300 and compared > 600
