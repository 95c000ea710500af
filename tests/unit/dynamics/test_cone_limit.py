"""Cones as constraints of simulations: never left by more than a tenth of a degree, whatever the integrator."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Multibody, Scene, simulate
from core.dynamics.constraints import ConeLimit, figure_cones
from core.dynamics.integrators import INTEGRATORS
from core.errors import DynamicsError
from core.skeleton.clamp import clamp_pose
from tests.support.coned import CLOSE, CONE, coned, swings

FIGURE = coned()
TAKING = [kind.name for kind in INTEGRATORS if kind.limits]
OTHERS = [kind.name for kind in INTEGRATORS if not kind.limits]


def thrown(seed: int, gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)) -> Scene:
    """Return the figure in a random pose inside its cones, its parts thrown about."""
    rng = np.random.default_rng(seed)
    model = Multibody.from_skeleton(FIGURE, gravity=gravity)
    q = clamp_pose(FIGURE, np.concatenate([rng.normal(size=3), rng.normal(0.0, 0.6, FIGURE.n_dofs)]))
    return Scene(model, model.state_from_pose(q), rng.normal(0.0, 4.0, model.nv), constraints=figure_cones(model))


def worst(scene: Scene, rows: np.ndarray) -> float:
    """Return the farthest swing of a motion, [rad]."""
    near, found = None, 0.0
    for x in rows:
        near = scene.model.pose_from_state(x, near)
        found = max(found, float(swings(FIGURE, near).max()))
    return found


def test_the_cones_of_a_figure_are_those_of_its_joints() -> None:
    model = Multibody.from_skeleton(FIGURE)
    cones = figure_cones(model, 0.01)
    assert [model.names[cone.body] for cone in cones] == ["left arm", "left hand", "right arm", "right hand"]
    assert all(cone.angle == pytest.approx(CONE - 0.01) for cone in cones)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = rng.normal(0.0, 0.7, FIGURE.nq)
        x = model.state_from_pose(q)
        gaps = [float(cone.rows(model, None, x, np.zeros(model.nv)).gap[0]) for cone in cones]
        order = [FIGURE.joint_names.index(model.names[cone.body]) for cone in cones]
        wanted = {
            FIGURE.joint_names.index(n): s
            for n, s in zip(("left arm", "right arm", "left hand", "right hand"), swings(FIGURE, q), strict=True)
        }
        assert np.cos([wanted[i] for i in order]) - math.cos(CONE - 0.01) == pytest.approx(gaps, abs=1e-12)
    assert figure_cones(Multibody(model.bodies)) == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("integrator", [*TAKING, "contact"])
@pytest.mark.parametrize("dt", [0.001, 0.01])
def test_no_step_leaves_a_cone(integrator: str, dt: float) -> None:
    for seed in range(3):
        scene = thrown(seed)
        motion = simulate(scene, 60 * dt, dt, integrator)
        far = worst(scene, motion.x)
        assert far <= CONE + CLOSE, (seed, np.degrees(far))
    assert far > CONE - np.radians(8.0)


@pytest.mark.parametrize("integrator", OTHERS)
def test_what_takes_no_bounds_says_so(integrator: str) -> None:
    with pytest.raises(DynamicsError, match=f"{integrator} does not take ConeLimit; symplectic_euler and"):
        simulate(thrown(0), 0.01, 0.001, integrator)


@pytest.mark.verify
def test_a_swing_stops_at_the_rim_and_a_twist_goes_on() -> None:
    model = Multibody.from_skeleton(FIGURE, gravity=(0.0, 0.0, 0.0))
    v = np.zeros(model.nv)
    body = model.index("left hand")
    v[model.first[body]] = 3.0
    scene = Scene(model, model.state_from_pose(FIGURE.rest_pose()), v, constraints=figure_cones(model))
    motion = simulate(scene, 0.4, 0.001, "linearly_implicit")
    assert worst(scene, motion.x) == pytest.approx(CONE, abs=CLOSE)
    assert np.diff(motion.energy.sum(axis=1)).max() < 1e-6  # the rim takes energy and gives none


def test_what_is_no_cone_is_refused() -> None:
    with pytest.raises(DynamicsError, match="axis of a cone"):
        ConeLimit(0, (0.0, 0.0, 0.0), 1.0)
    for angle in (0.0, 4.0, math.nan):
        with pytest.raises(DynamicsError, match="between 0 and pi"):
            ConeLimit(0, (0.0, 1.0, 0.0), angle)
