"""Scenes with contacts through ``simulate``: the same motion as other integrators where nothing touches."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.constraints import JointLimits
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Box, Geometry, Sphere
from core.dynamics.contact.world import Floor, World
from core.dynamics.forces import IntrinsicTorque, JointDamping, JointSpring, JointTorque, PointForce
from core.errors import DynamicsError
from core.joints import Free, Revolute, Spherical
from core.spatial import SpatialInertia, se3

CUBE = Box((0.1, 0.1, 0.1))


def cube(**more: object) -> Scene:
    model = Multibody([Body("cube", -1, Free(), inertia=CUBE.inertia(2.0))])
    contacts = Contacts((Geometry(CUBE, 0, np.eye(4), 0.5),), World(floor=Floor(friction=0.5)))
    return Scene(model, [0, 0.1, 0, 0, 0, 0], [1.5, 0, 0, 0, 0, 0], contacts=contacts, **more)  # type: ignore[arg-type]


def arm() -> Multibody:
    link = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.0, -0.15, 0.0))
    down = se3.transform(None, (0.0, -0.3, 0.0))
    return Multibody([
        Body("upper", -1, Spherical(), inertia=link),
        Body("lower", 0, Revolute((1, 0, 0)), down, inertia=link),
    ])  # fmt: skip


def test_a_sliding_cube_stops_where_friction_says() -> None:
    rows = simulate(cube(), 1.0, 1 / 240, "contact")
    loss, travel, speed = 0.5 * 9.81 / 240, 0.0, 1.5
    while speed > loss:
        speed -= loss
        travel += speed / 240
    assert abs(rows.x[-1, 0] - travel) <= 1e-3 and np.abs(rows.v[-1]).max() <= 1e-3
    assert abs(rows.x[-1, 1] - 0.1) <= 1e-4
    assert (np.diff(rows.energy.sum(axis=1)) <= 1e-6).all()


def test_free_motion_with_springs_and_torques_is_that_of_other_integrators() -> None:
    model = arm()
    x, v = np.array([0.3, 0.1, -0.4, 0.5]), np.array([1.0, -0.5, 0.3, 0.8])
    forces = (
        JointSpring("lower", 3.0, 0.2), JointDamping("lower", 0.1), JointTorque("upper", (0.1, 0.0, -0.2)),
        PointForce("lower", (0.0, -0.3, 0.0), (0.5, 0.2, 0.0)), JointDamping("upper", 0.05),
    )  # fmt: skip
    scene = Scene(model, x, v, forces, controller=lambda t, x, v: np.array([0.0, 0.0, 0.05, 0.1 * np.sin(t)]))
    exact = simulate(scene, 0.5, 1e-2, "rk45")
    errors = []
    for dt in (2e-3, 1e-3):
        found = simulate(scene, 0.5, dt, "contact")
        errors.append(np.abs(found.x[-1] - exact.x[-1]).max())
    assert errors[1] <= 5e-3 and 1.6 <= errors[0] / errors[1] <= 2.6


def test_a_controller_adds_to_the_motors_of_joints() -> None:
    """What it exerts does not take the place of a torque that never changes."""
    model = arm()
    ends = []
    for forces, torque in (((), 0.4), ((IntrinsicTorque("lower", 0.0, 0.4),), 0.0)):
        scene = Scene(
            model, np.zeros(4), np.zeros(4), forces, controller=lambda t, x, v, own=torque: own * np.eye(4)[3]
        )
        ends.append(simulate(scene, 0.1, 1e-2, "contact").x[-1])
    assert abs(ends[0][3]) > 0.01
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)


def test_limits_hold_and_others_refuse_contacts() -> None:
    model = arm()
    scene = Scene(model, np.zeros(4), [0, 0, 0, 3.0], constraints=(JointLimits("lower", -0.2, 0.2),))
    rows = simulate(scene, 1.0, 1 / 240, "contact")
    assert rows.x[:, 3].max() <= 0.2 + 2e-3 and rows.x[:, 3].max() >= 0.195
    with pytest.raises(DynamicsError, match="rk4 does not take contacts; contact does"):
        simulate(cube(), 0.1, 0.01, "rk4")
    with pytest.raises(DynamicsError, match="there is no body 7"):
        Scene(model, np.zeros(4), np.zeros(4), contacts=Contacts((Geometry(Sphere(0.1), 7),)))
