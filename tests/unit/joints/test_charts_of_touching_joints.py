"""Joints on balls and eggs go over the poles: what spins there in other coordinates, which nobody sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.contact.world import World
from core.dynamics.engine.settings import StepSettings
from core.dynamics.engine.stepper import Stepper
from core.joints.contact import ALIGNED, FREE, SPIN, ContactJoint
from core.joints.geometry import Ellipsoid, Plane, Sphere, Torus
from core.joints.point_on_surface import PointOnSurface
from core.joints.surface_on_surface import SurfaceOnSurface
from core.spatial import SpatialInertia

JOINTS = {
    "sled on a ball": PointOnSurface(Sphere(2.0), SPIN),
    "point on an egg": PointOnSurface(Ellipsoid(2.0, 1.5, 1.8), FREE),
    "egg on a ball": SurfaceOnSurface(Sphere(2.0), Ellipsoid(0.4, 0.3, 0.35), SPIN),
    "ball on a torus": SurfaceOnSurface(Torus(2.0, 0.6), Sphere(0.4), SPIN),
}
POLES = {"sled on a ball": [1], "point on an egg": [1], "egg on a ball": [1, 3], "ball on a torus": [3]}
"""Which coordinates are latitudes."""


def model_of(joint: ContactJoint, gravity: float = 0.0) -> Multibody:
    inertia = SpatialInertia(2.0, np.array([0.02, 0.01, 0.03]), np.diag([0.12, 0.1, 0.09]))
    return Multibody([Body("top", -1, joint, inertia=inertia)], (0.0, -gravity, 0.0))


def start_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a state that passes close to a pole after about half a second."""
    joint = JOINTS[name]
    x, v = np.full(joint.n, 0.2), np.full(joint.n, 0.05)
    for k in POLES[name]:
        x[k], v[k] = 0.9, 1.3
    return x, v


def elsewhere(joint: ContactJoint) -> ContactJoint:
    """Return the joint with the poles of its surfaces on x."""
    shapes = {name: value for name, value in vars(joint).items() if isinstance(value, (Sphere, Ellipsoid))}
    return replace(joint, **{name: replace(shape, poles="x") for name, shape in shapes.items()})


@pytest.mark.verify
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("formulation", ["recursive", "symbolic", "maximal"])
def test_they_move_as_with_poles_elsewhere(name: str, formulation: str) -> None:
    joint, other = JOINTS[name], elsewhere(JOINTS[name])
    x, v = start_of(name)
    X, twist = joint.transform(x), joint.subspace(x) @ v
    x_other = other.coordinates(X)
    v_other = np.linalg.lstsq(other.subspace(x_other), twist, rcond=None)[0]
    assert other.transform(x_other) == pytest.approx(X, abs=1e-9)
    poses = []
    for each, place, rate in ((joint, x, v), (other, x_other, v_other)):
        model = model_of(each, 3.0)
        motion = simulate(Scene(model, place, rate), 1.0, 2e-3, "rk4", formulation=formulation)
        poses.append(np.array([model.body_poses(row)[0] for row in motion.x]))
        energy = np.asarray(motion.energy).sum(axis=1)
        assert np.abs(energy - energy[0]).max() < 1e-6 * np.abs(motion.energy).max()
    assert poses[0] == pytest.approx(poses[1], abs=1e-6)
    nearest = min(float(np.abs(np.cos(motion_latitudes(name, poses[0]))).min()), 1.0)
    assert nearest < 0.2


def motion_latitudes(name: str, poses: np.ndarray) -> np.ndarray:
    """Return the latitudes of poses, shape (m, k)."""
    joint, q, found = JOINTS[name], start_of(name)[0], []
    for X in poses:
        q = joint.coordinates(X, q)
        found.append(q[POLES[name]])
    return np.array(found)


@pytest.mark.verify
@pytest.mark.parametrize("name", JOINTS)
def test_so_they_do_in_the_contact_step(name: str) -> None:
    model = model_of(JOINTS[name])
    stepper = Stepper(model, (), World(np.zeros(3), None), settings=StepSettings(step=1 / 240, sleep=False))
    x, v = start_of(name)
    stepper.set_state(x, v)
    exact = simulate(Scene(model, x, v), 1.0, 2e-3, "rk4")
    recharted = False
    for _ in range(240):
        stepper.step()
        recharted |= stepper.snapshot().charts[0] != JOINTS[name]
    assert recharted
    found = JOINTS[name].transform(stepper.state(near=exact.x[-1])[0])
    assert found[:3, 3] == pytest.approx(model.body_poses(exact.x[-1])[0][:3, 3], abs=0.03)


def test_only_what_takes_up_a_turn_has_other_charts() -> None:
    assert not PointOnSurface(Sphere(1.0), ALIGNED).has_charts
    assert not SurfaceOnSurface(Sphere(1.0), Sphere(1.0)).has_charts
    assert not PointOnSurface(Plane(), FREE).has_charts
    for joint in JOINTS.values():
        assert joint.has_charts and joint.other_charts(np.full(joint.n, 0.2)) == ()
        assert (
            not joint.other_charts(np.full(joint.n, np.nan))
            or joint.rechart(np.full(joint.n, np.nan), np.zeros(joint.n)) is None
        )


def test_a_ball_on_a_ball_goes_over_both_poles() -> None:
    joint = SurfaceOnSurface(Sphere(1.0), Sphere(0.5), SPIN)
    q = np.array([0.3, 1.5, -0.4, -1.52, 0.2])
    (chart,) = joint.other_charts(q)
    assert chart.first.poles != "z" != chart.second.poles
    found, place, rates = joint.rechart(q, np.ones(5))
    assert found == chart
    assert chart.transform(place) == pytest.approx(joint.transform(q), abs=1e-9)
    assert chart.subspace(place) @ rates == pytest.approx(joint.subspace(q) @ np.ones(5), abs=1e-8)
    assert chart.regularity(place) > 0.3 > joint.regularity(q)


def test_without_a_spin_a_pole_is_a_place_like_others() -> None:
    joint = PointOnSurface(Sphere(1.0), ALIGNED)
    for latitude in (1.4, 0.5 * np.pi, 2.0):
        values = np.linalg.svd(joint.subspace([0.3, latitude]), compute_uv=False)
        assert values[-1] > 0.9
    model = Multibody([Body("sled", -1, joint, inertia=SpatialInertia(1.0, np.zeros(3), 0.1 * np.eye(3)))], (0, 0, 0))
    motion = simulate(Scene(model, [0.2, 1.0], [0.0, 2.0]), 1.0, 2e-3, "rk4")
    assert motion.x[-1] == pytest.approx([0.2, 3.0], abs=1e-9)  # over the pole and down the other side
