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
from core.skeleton import Joint, Skeleton, load_skeleton
from tests.support.figures import hinge, slide
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


# -- dry friction ------------------------------------------------------------------------------------------------------

JOINTS = {
    "hinge": (hinge(np.array([0.0, 0.6, 0.8])),),
    "ball": (hinge("x"), hinge("y"), hinge("z")),
    "slanted": (hinge("x"), hinge(np.array([0.6, 0.8, 0.0]))),
    "slide": (slide("z"), hinge("x")),
}


def tumbling(name: str, friction: float) -> ContactStage:
    """Return three bodies that float and tumble without gravity, with dry friction in both joints."""
    bearing = (friction, 0.05, 0.1)
    root = hinge("y"), hinge("x"), hinge("z")
    inertias = [np.diag(each) for each in ([0.05, 0.06, 0.04], [0.02, 0.01, 0.025], [0.004, 0.002, 0.004])]
    joints = [
        Joint("root", -1, dofs=root, mass=3.0, center=np.array([0.02, 0.0, 0.01]), inertia=inertias[0]),
        Joint("arm", 0, dofs=JOINTS[name], offset=np.array([0.1, -0.15, 0.05]), mass=1.2,
              center=np.array([0.03, -0.2, 0.02]), inertia=inertias[1], coulomb=bearing),
        Joint("hand", 1, dofs=(hinge("x"),), offset=np.array([0.0, -0.4, 0.0]), mass=0.6,
              center=np.array([0.0, -0.1, 0.02]), inertia=inertias[2], coulomb=bearing),
    ]  # fmt: skip
    s = Skeleton("free", joints)
    turning = np.random.default_rng(3).normal(size=s.n_dofs - 3)
    rates = np.concatenate([[0.1, 0.2, -0.1, 0.5, 0.3, -0.4], turning])
    settings = PhysicsSettings(gravity=0.0, floor=None, start_rates=tuple(rates))
    return stage_of(Preview(Sequence(s, keys=[Key(0, s.rest_pose())]), 0, settings))


def rub(name: str, friction: float, seconds: float) -> None:
    """Let friction act; it keeps momentum and takes energy.

    What it holds fast gives way a little for what it carries, with a motion of the whole that is a little faster then.
    """
    stage = tumbling(name, friction)
    assert stage.step == 1.0 / 240.0
    before = stage.stepper.readings.momentum()
    sizes = np.linalg.norm(before[:3]), np.linalg.norm(before[3:])
    energy = [stage.stepper.readings.energy()[0]]
    acted = 0
    for k in range(round(seconds / stage.step)):
        stage.advance(k, 1)
        off = stage.stepper.readings.momentum() - before
        assert np.linalg.norm(off[:3]) < 1e-9 * sizes[0] and np.linalg.norm(off[3:]) < 1e-9 * sizes[1]
        energy.append(stage.stepper.readings.energy()[0])
        acted += bool(stage._dry.torque.any())
    rises = np.maximum(np.diff(energy), 0.0)
    assert acted > 0.95 * (len(energy) - 1) and energy[-1] < 0.995 * energy[0]
    assert rises.max() < 2e-6 * energy[0] and rises.sum() < 1e-4 * energy[0]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("friction", [0.05, 3.0])
@pytest.mark.parametrize("name", JOINTS)
def test_dry_friction_keeps_momentum_and_takes_energy(name: str, friction: float) -> None:
    rub(name, friction, 0.5)


@pytest.mark.verify
@pytest.mark.parametrize("friction", [0.05, 0.5, 3.0])
@pytest.mark.parametrize("name", JOINTS)
def test_for_ten_seconds_dry_friction_keeps_momentum_and_takes_energy(name: str, friction: float) -> None:
    rub(name, friction, 10.0)
