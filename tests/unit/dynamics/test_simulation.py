"""Scenes and ``simulate``: rows, charts of rows, determinism, progress and cancelling, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene, Trajectory, simulate
from core.dynamics.constraints import Coupling, LoopClosure, PrescribedJoint
from core.dynamics.forces import BodyDamping, DirectionalForce, JointSpring, PointForce
from core.dynamics.integrators import INTEGRATORS, RK45
from core.dynamics.state import State
from core.errors import Cancelled, DynamicsError
from core.joints import Fixed, Free, Revolute, Spherical, SphericalEuler
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_tree

Array = NDArray[np.float64]
NAMES = [kind.name for kind in INTEGRATORS]


def arm(first: object = None) -> Multibody:
    rod = SpatialInertia.box(1.0, (0.1, 1.0, 0.1), (0.0, -0.5, 0.0))
    down = se3.transform(np.eye(3), np.array([0.0, -1.0, 0.0]))
    return Multibody(
        [
            Body("upper", -1, first or Revolute((0, 0, 1)), inertia=rod),
            Body("lower", "upper", Spherical(), down, inertia=rod),
        ]
    )


def falling() -> Scene:
    return Scene(
        arm(), (1.0, 0.2, 0.1, 0.0), (0.0, 1.0, 2.0, 3.0), (BodyDamping("lower", 0.1), JointSpring("upper", 5.0))
    )


def test_energy_and_momentum_of_rows_are_the_models() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        model = random_tree(rng, 6, root=Free)
        state = State(model, rng.uniform(-1, 1, model.nq), rng.normal(size=model.nv))
        np.testing.assert_allclose(state.energy(), model.energy(state.x, state.v), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(state.momentum(), model.momentum(state.x, state.v), rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(state.poses, model.body_poses(state.x), atol=1e-12)
        np.testing.assert_allclose(state.twists, model.body_twists(state.x, state.v), atol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_rows(name: str) -> None:
    """The first one is the start, the energy holds what springs have stored, the same input gives the same bits."""
    scene = falling()
    motion = simulate(scene, 0.1, 0.03, name)
    assert isinstance(motion, Trajectory)
    np.testing.assert_allclose(motion.times, [0.0, 0.03, 0.06, 0.09, 0.12], rtol=1e-15)  # rounded up to whole steps
    assert motion.x.shape == (5, 4) and motion.v.shape == (5, 4)
    assert motion.energy.shape == (5, 2) and motion.momentum.shape == (5, 6)
    assert motion.x[0].tolist() == list(scene.x) and motion.v[0].tolist() == list(scene.v)
    for k in (0, 4):
        kinetic, potential = scene.model.energy(motion.x[k], motion.v[k])
        assert motion.energy[k] == pytest.approx((kinetic, potential + 2.5 * motion.x[k, 0] ** 2), rel=1e-12)
    again = simulate(falling(), 0.1, 0.03, name)
    for first, second in zip(vars(motion).values(), vars(again).values(), strict=True):
        assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("formulation", ["redmax", "maximal"])
@pytest.mark.parametrize("name", ["linearly_implicit", "symplectic_euler", "rk4"])
def test_formulations_agree(name: str, formulation: str) -> None:
    force = DirectionalForce("lower", (0, -1, 0), (1, 0, 0), 30.0)
    scene = Scene(arm(), (1.0, 0.2, 0.1, 0.0), (0.0, 1.0, 2.0, 3.0), (force, BodyDamping("lower", 0.02)))
    a, b = (simulate(scene, 0.3, 0.02, name, which) for which in ("recursive", formulation))
    np.testing.assert_allclose(a.x, b.x, atol=1e-9)
    with pytest.raises(DynamicsError, match="there is no formulation"):
        simulate(scene, 0.3, 0.02, name, "magic")


def test_no_time_and_nothing_to_move() -> None:
    motion = simulate(falling(), 0.0, 0.1)
    assert motion.times.tolist() == [0.0] and motion.x[0].tolist() == list(falling().x)
    still = Multibody([Body("rock", -1, Fixed(), inertia=SpatialInertia.sphere(1.0, 1.0))])
    for name in NAMES:
        assert simulate(Scene(still, [], []), 0.2, 0.1, name).x.shape == (3, 0)


@pytest.mark.verify
def test_rows_are_in_the_charts_of_the_scene() -> None:
    """A ball in Euler's angles falls through gimbal lock; the rows are in the order of the scene all the same."""
    model = arm(SphericalEuler("XYZ"))
    x = np.zeros(6)
    x[:3] = (0.1, 1.2, 0.2)
    scene = Scene(model, x, (0.0, 6.0, 0.0, 0.0, 0.5, 0.0), (JointSpring("upper", (3.0, 1.0, 2.0)),))
    motion = simulate(scene, 0.4, 0.02, RK45(1e-7, 1e-8))
    other = arm(Spherical())
    y = x.copy()
    y[:3] = Spherical().coordinates(SphericalEuler("XYZ").transform(x[:3]))
    free = Scene(model, x, scene.v)
    w = other.bodies[0].joint.subspace(y[:3])[:3]
    v = np.array(scene.v)
    v[:3] = np.linalg.solve(w, model.bodies[0].joint.subspace(x[:3])[:3] @ v[:3])
    by_angles, by_vector = (simulate(s, 0.4, 0.005, "rk4") for s in (free, Scene(other, y, v)))
    assert np.abs(motion.x[:, 1] - math.pi / 2).min() < 0.5  # where another chart has long been taken
    for a, b in zip(by_angles.x, by_vector.x, strict=True):
        np.testing.assert_allclose(model.body_poses(a), other.body_poses(b), atol=2e-5)
    energy = motion.energy.sum(axis=1)
    assert np.ptp(energy) < 1e-5 * motion.energy[:, 0].max()


def test_controllers_are_asked_in_the_charts_of_the_scene() -> None:
    """One that takes back what gravity does leaves the arm where it is, through all changes of charts."""
    model = arm(SphericalEuler("XYZ"))

    def hold(t: float, x: Array, v: Array) -> Array:
        assert x.shape == v.shape == (6,)
        return model.bias(x, np.zeros(6)) - 1e-3 * v

    x = np.array([0.1, 1.45, 0.2, 0.0, 0.0, 0.3])  # so near gimbal lock that the chart changes at once
    motion = simulate(Scene(model, x, np.zeros(6), controller=hold), 0.1, 0.01, "rk4")
    np.testing.assert_allclose(motion.x, np.broadcast_to(x, motion.x.shape), atol=1e-9)
    with pytest.raises(DynamicsError, match="what the controller returns at t = 0 s has shape"):
        simulate(Scene(model, x, np.zeros(6), controller=lambda t, x, v: [0.0]), 0.5, 0.05, "rk4")


def test_controllers_see_what_the_rows_show() -> None:
    """A ball turns round and round in angles: those that a controller sees go on from row to row."""
    model = Multibody(
        [Body("ball", -1, SphericalEuler("XYZ"), inertia=SpatialInertia.box(1.0, (0.2, 0.3, 0.4)))], (0, 0, 0)
    )
    seen: list[Array] = []

    def watch(t: float, x: Array, v: Array) -> Array:
        seen.append(x.copy())
        return np.zeros(3)

    motion = simulate(Scene(model, (0.0, 0.3, 0.0), (6.0, 0.5, 0.0), controller=watch), 3.0, 0.02, "symplectic_euler")
    np.testing.assert_allclose(np.stack(seen), motion.x[:-1], atol=1e-12)
    assert np.ptp(motion.x[:, 0]) > 3 * math.pi


@pytest.mark.verify
def test_progress_and_cancelling() -> None:
    parts: list[float] = []
    simulate(falling(), 0.5, 0.001, "symplectic_euler", progress=parts.append)
    late: list[float] = []
    simulate(falling(), 0.0, 0.1, progress=late.append)
    assert late == [1.0]
    assert parts == sorted(parts) and parts[-1] == 1.0 and 90 <= len(parts) <= 100
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with pytest.raises(Cancelled):
        simulate(falling(), 5.0, 0.01, cancelled=cancelled)
    assert asked == 4

    def stop(done: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        simulate(falling(), 5.0, 0.01, progress=stop)


@pytest.mark.parametrize("name", ["symplectic_euler", "rk4", "rk45"])
def test_what_runs_away_is_reported_with_time_and_body(name: str) -> None:
    pull = PointForce("lower", (0.3, 0, 0), lambda t: (0.0, 1e300 if t > 0.1 else 1.0, 0.0))
    scene = Scene(arm(), np.zeros(4), np.zeros(4), (pull,))
    with pytest.raises(DynamicsError, match=r't = 0\.\d+ s.* body "(upper|lower)"'):
        simulate(scene, 2.0, 0.01, name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: simulate(falling(), 1.0, 0.0), "dt is 0.0; it must be .* greater than 0"),
        (lambda: simulate(falling(), 1.0, -0.1), "dt is -0.1"),
        (lambda: simulate(falling(), 1.0, math.nan), "dt is nan"),
        (lambda: simulate(falling(), "long", 0.1), "the duration is 'long'"),
        (lambda: simulate(falling(), -1.0, 0.1), "the duration is -1.0; .* 0 or more"),
        (lambda: simulate(falling(), 1e9, 1e-3), "at most 10000000 are possible"),
        (lambda: simulate(falling(), 1.0, 0.1, "euler"), "no integrator 'euler'; there are symplectic_euler, "),
        (lambda: simulate(arm(), 1.0, 0.1), "it must be a Scene"),
        (lambda: Scene(arm(), [math.nan, 0, 0, 0], np.zeros(4)), r"x\[0\] is nan"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(3)), r"v has shape \(3,\); it must have shape \(4,\)"),
        (lambda: Scene("arm", [], []), "it must be a Multibody"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(4), (BodyDamping("tail", 1.0),)), "there is no body 'tail'"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(4), ("wind",)), "among the forces .* 'wind'; each must be a Force"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(4), BodyDamping("lower", 1.0)), r"must be a tuple, \(one,\)"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(4), contacts=()), "they must be Contacts, or None"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(4), constraints=(1,)), "each must be a Constraint"),
        (lambda: Scene(arm(), np.zeros(4), np.zeros(4), controller=3), "the controller is 3"),
        (lambda: RK45(rtol=-1.0), "rtol is -1.0"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(DynamicsError, match=message):
        make()


def test_scenes_do_not_change_with_what_they_were_made_of() -> None:
    x, v = np.zeros(4), np.zeros(4)
    scene = Scene(arm(), x, v)
    x[0] = v[0] = 9.0
    assert scene.x[0] == scene.v[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        scene.x[0] = 1.0


# -- where motions start ---------------------------------------------------------------------------------------------


def linkage() -> Multibody:
    """Three bars of 1 m, hinged about z, the third on a place of its own."""

    def bar(name: str, parent: int | str, place: float) -> Body:
        inertia = SpatialInertia.box(1.0, (1.0, 0.05, 0.05), (0.5, 0.0, 0.0))
        hung = se3.transform(np.eye(3), np.array([place, 0.0, 0.0]))
        return Body(name, parent, Revolute((0, 0, 1)), hung, inertia=inertia)

    return Multibody([bar("crank", "world", 0.0), bar("coupler", "crank", 1.0), bar("rocker", "world", 1.0)])


def test_loops_that_are_open_at_the_start_are_refused() -> None:
    model, loop = linkage(), LoopClosure("coupler", (1, 0, 0), "rocker", (1, 0, 0), (0, 0, 1))
    still = np.zeros(3)
    closed = np.array([np.pi / 2, -np.pi / 2, np.pi / 2])
    assert model.parents.tolist() == [-1, 0, -1]
    simulate(Scene(model, closed, still, constraints=(loop,)), 0.02, 0.01, "rk4")
    simulate(
        Scene(model, closed + np.array([0.005, 0, 0]), still, constraints=(loop,)), 0.02, 0.01, "rk4"
    )  # as if rounded
    scene = Scene(model, closed + np.array([0, 0.5, 0]), still, constraints=(Coupling("coupler", "crank", -0.7), loop))
    gap = 2 * math.sin(0.25)
    with pytest.raises(DynamicsError, match=rf'"coupler" and "rocker".* gap of {gap:.3g}; `assemble` finds') as parts:
        simulate(scene, 0.02, 0.01)
    assert "open_start=True" in str(parts.value)
    simulate(Scene(model, scene.x, still, constraints=(loop,)), 0.02, 0.01, open_start=True)
    elsewhere = PrescribedJoint("crank", lambda t: (1.0, 0.0, 0.0))
    simulate(Scene(model, closed, still, constraints=(elsewhere, loop)), 0.02, 0.01)


def test_models_and_motions_are_one_line() -> None:
    assert repr(arm()) == "Multibody(2 bodies in 1 tree, 4 coordinates, mass 2)"
    motion = simulate(falling(), 0.1, 0.03)
    assert repr(motion) == "Trajectory(5 rows from 0 to 0.12 s, 4 coordinates: times, x, v, energy, momentum)"


def test_momentum_about_the_center_of_mass() -> None:
    """Nothing turns what flies freely: the formula of the page."""
    rng = np.random.default_rng(7)
    model = arm(Free())
    motion = simulate(Scene(model, rng.uniform(-1, 1, model.nq), rng.normal(size=model.nv)), 0.2, 0.01, "rk4")
    spins = [m[:3] - np.cross(model.center_of_mass(x), m[3:]) for x, m in zip(motion.x, motion.momentum, strict=True)]
    assert np.ptp(spins, axis=0).max() < 1e-5 * np.abs(spins).max() < np.ptp(motion.momentum[:, :3], axis=0).max()
