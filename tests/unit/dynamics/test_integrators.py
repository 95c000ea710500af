"""Every integrator of ``INTEGRATORS``: its order, closed forms, what becomes of energy, changes of charts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene, Stabilization, simulate
from core.dynamics.constraints import Coupling, JointLimits, LoopClosure, assemble
from core.dynamics.forces import JointDamping, JointSpring, JointTorque, PointForce
from core.dynamics.integrators import INTEGRATORS, RK45, Integrator, LinearlyImplicit
from core.errors import DynamicsError
from core.joints import (
    Composite,
    Free,
    FreeRotationFirst,
    JointModel,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    Translational,
)
from core.spatial import SpatialInertia, se3, so3
from tests.support.linkages import four_bar

Array = NDArray[np.float64]

ORDER = {
    "symplectic_euler": 1, "linearly_implicit": 1, "rk4": 4, "rk45": 5, "conserving": 4, "variational": 2, "bdf1": 1,
    "bdf2": 2, "hakenberg": 4,
}  # fmt: skip
NAMES = [kind.name for kind in INTEGRATORS]
FIXED_STEPS = [name for name in NAMES if name != "rk45"]


def at(*place: float) -> Array:
    return se3.transform(np.eye(3), np.array(place))


def pendulum(length: float = 1.0) -> Multibody:
    """A rod that hangs down from a hinge about z."""
    rod = SpatialInertia.box(1.0, (0.1, length, 0.1), (0.0, -length / 2, 0.0))
    return Multibody([Body("rod", -1, Revolute((0, 0, 1)), inertia=rod)])


def double_pendulum() -> Multibody:
    rod = SpatialInertia.box(1.0, (0.1, 1.0, 0.1), (0.0, -0.5, 0.0))
    hinge = Revolute((0, 0, 1))
    return Multibody([Body("upper", -1, hinge, inertia=rod), Body("lower", "upper", hinge, at(0, -1, 0), inertia=rod)])


def test_names_are_those_that_are_promised() -> None:
    assert [kind.name for kind in INTEGRATORS] == [
        "symplectic_euler",
        "linearly_implicit",
        "rk4",
        "rk45",
        "conserving",
        "variational",
        "bdf1",
        "bdf2",
        "hakenberg",
    ]
    assert all(issubclass(kind, Integrator) and kind.label and kind.description for kind in INTEGRATORS)


def busy_scene() -> Scene:
    """A double pendulum with a spring, a damper, a torque and a push that depend on time."""
    forces = (
        JointSpring("lower", 3.0, 0.3),
        JointDamping("upper", 0.4),
        PointForce("lower", (0.0, -1.0, 0.0), lambda t: (2.0 * math.sin(3.0 * t), 0.0, 0.0)),
        JointTorque("lower", lambda t: math.cos(t)),
    )
    return Scene(double_pendulum(), (1.0, 0.5), (0.0, -1.0), forces)


@pytest.fixture(scope="module")
def exact() -> Array:
    """State of the busy scene after 0.4 s."""
    motion = simulate(busy_scene(), 0.4, 0.4, RK45(1e-11, 1e-12))
    return np.concatenate([motion.x[-1], motion.v[-1]])


@pytest.mark.parametrize("name", FIXED_STEPS)
def test_order_of_convergence(name: str, exact: Array) -> None:
    """Half the step makes the error 2^p times as small."""
    errors = []
    for steps in (10, 20):
        motion = simulate(busy_scene(), 0.4, 0.4 / steps, name)
        errors.append(np.linalg.norm(np.concatenate([motion.x[-1], motion.v[-1]]) - exact))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(ORDER[name], abs=0.3)


def test_tolerances_of_adaptive_steps_are_kept(exact: Array) -> None:
    for rtol in (1e-5, 1e-8):
        motion = simulate(busy_scene(), 0.4, 0.1, RK45(rtol, rtol))
        error = np.abs(np.concatenate([motion.x[-1], motion.v[-1]]) - exact).max()
        assert 1e-3 * rtol < error < 100 * rtol
    often = simulate(busy_scene(), 0.4, 0.01, RK45(1e-8, 1e-8))
    np.testing.assert_allclose(often.x[::10], motion.x, atol=1e-6)
    for bad in ((0.0, 1e-9), (1e-9, math.nan)):
        with pytest.raises(DynamicsError, match="must be a finite number greater than 0"):
            RK45(*bad)


def test_the_period_of_a_pendulum() -> None:
    """``T = 4 sqrt(I / (m g d)) K(sin(a/2))``, by the arithmetic-geometric mean: after it the rod is back."""
    start = 2.0
    inertia = (0.1**2 + 1.0) / 12.0 + 0.25
    a, b = 1.0, math.cos(start / 2.0)
    for _ in range(6):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    period = 2.0 * math.pi / a * math.sqrt(inertia / (9.81 * 0.5))
    scene = Scene(pendulum(), [start], [0.0])
    for method, dt, allowed in (("rk4", period / 400, 1e-7), (RK45(1e-10, 1e-12), period / 8, 1e-8)):
        motion = simulate(scene, period, dt, method)
        assert motion.x[-1, 0] == pytest.approx(start, abs=allowed)
        assert motion.v[-1, 0] == pytest.approx(0.0, abs=10 * allowed)


def test_free_flight_is_a_parabola() -> None:
    """Runge-Kutta and BDF2 are exact for it; Euler's velocities are, its places lie ``g h t / 2`` too low or high."""
    g = np.array([0.0, -9.81, 0.0])
    model = Multibody([Body("ball", -1, Free(), inertia=SpatialInertia.sphere(0.5, 0.1))], g)
    v0 = np.array([1.0, 5.0, -2.0])
    for name in NAMES:
        h = 0.05
        motion = simulate(Scene(model, np.zeros(6), [*v0, 0, 0, 0]), 1.0, h, name)
        t = motion.times[:, None]
        place = v0 * t + 0.5 * g * t * t
        if ORDER[name] == 1:
            place += 0.5 * g * h * t
        np.testing.assert_allclose(motion.x[:, :3], place, atol=1e-11)
        np.testing.assert_allclose(motion.v[:, :3], v0 + g * t, atol=1e-11)


@pytest.mark.verify
def test_energy_of_a_swing() -> None:
    """It stays with steps of high order, swings about its value with symplectic ones, falls with implicit ones."""
    scene = Scene(pendulum(), [2.0], [0.0])
    seconds = {
        "symplectic_euler": 6.0, "rk4": 6.0, "rk45": 3.0, "conserving": 6.0, "variational": 3.0, "bdf1": 6.0,
        "bdf2": 6.0, "hakenberg": 1.5,
    }  # fmt: skip
    energies = {name: simulate(scene, long, 0.03, name).energy.sum(axis=1) for name, long in seconds.items()}
    drift = {name: (energy - energy[0]) / 9.81 for name, energy in energies.items()}
    assert np.abs(drift["rk4"]).max() < 1e-4 and np.abs(drift["hakenberg"]).max() < 1e-4
    assert np.abs(drift["rk45"]).max() < 1e-6
    assert np.abs(drift["conserving"]).max() < 1e-13
    assert np.abs(drift["variational"]).max() < 0.01
    assert np.abs(drift["symplectic_euler"]).max() < 0.1
    half = len(drift["symplectic_euler"]) // 2
    assert np.abs(drift["symplectic_euler"][half:]).max() < 1.2 * np.abs(drift["symplectic_euler"][:half]).max()
    assert (np.diff(energies["bdf1"]) < 1e-12).all() and drift["bdf1"][-1] < -0.3
    assert -0.1 < drift["bdf2"][-1] < 0.0


@pytest.mark.verify
def test_stiff_springs() -> None:
    """A spring a hundred times too stiff for symplectic steps comes to rest with the implicit ones."""
    model = pendulum()
    forces = (JointSpring("rod", 1e6), JointDamping("rod", 10.0))
    scene = Scene(model, [0.1], [0.0], forces)
    for name in ("linearly_implicit", "bdf1", "bdf2"):
        assert abs(simulate(scene, 1.0, 0.01, name).x[-1, 0]) < 1e-3
    with pytest.raises(DynamicsError, match=r'runs away at t = .* s, most of all body "rod"'):
        simulate(scene, 50.0, 0.01, "symplectic_euler")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damping", [2.0, 20.0, 50.0], ids=["swings", "critical", "creeps"])
def test_mass_spring_damper(damping: float) -> None:
    """``m x'' + d x' + k x = 0`` under, at and over critical damping; implicit steps reach the same to first order."""
    m, k, x0, v0 = 1.0, 100.0, 0.1, 2.0
    model = Multibody([Body("mass", -1, Prismatic((1, 0, 0)), inertia=SpatialInertia.sphere(m, 0.1))], (0, 0, 0))
    scene = Scene(model, [x0], [v0], (JointSpring("mass", k), JointDamping("mass", damping)))
    t = np.arange(0, 101) * 0.01
    a = 0.5 * damping / m
    w = np.sqrt(complex(k / m - a * a))
    share = t if w == 0 else np.sin(w * t) / w
    exact = (np.exp(-a * t) * (x0 * np.cos(w * t) + (v0 + a * x0) * share)).real
    for name, allowed in (("rk4", 3e-5), ("bdf2", 6e-3), ("linearly_implicit", 4e-2), ("bdf1", 4e-2)):
        np.testing.assert_allclose(simulate(scene, 1.0, 0.01, name).x[:, 0], exact, atol=allowed)


CHARTS = (
    Free(),
    FreeRotationFirst(),
    Composite(Translational(), Spherical()),
    Composite(Translational(), SphericalEuler("XYZ")),
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("joint", CHARTS, ids=repr)
@pytest.mark.parametrize(
    ("method", "h", "allowed"),
    [(RK45(1e-9, 1e-10), 0.05, 1e-5), ("rk4", 0.02, 3e-3), ("bdf2", 0.01, 0.5)],
    ids=["rk45", "rk4", "bdf2"],
)
def test_symmetric_body_of_kane(joint: JointModel, method: str | Integrator, h: float, allowed: float) -> None:
    """Closed form: the angular velocity goes round the axis at ``(1 - J/I) w_z``; the centre falls.

    The body tumbles through all charts. Where it stands is known too: the angular momentum stays what it is.
    """
    moments = np.diag([0.04, 0.04, 0.02])
    model = Multibody([Body("can", -1, joint, inertia=SpatialInertia(1.0, np.zeros(3), moments))], (0.0, 0.0, -9.81))
    p0, w0, v0 = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]), np.array([-4.2, 5.5, 6.1])
    x = joint.coordinates(se3.transform(np.eye(3), p0))
    v = np.linalg.solve(joint.subspace(x), np.concatenate([w0, v0]))
    motion = simulate(Scene(model, x, v), 1.5, h, method)
    s = 0.5 * w0[2] * motion.times
    turning = (w0[0] * np.cos(s) + w0[1] * np.sin(s), w0[1] * np.cos(s) - w0[0] * np.sin(s), np.full_like(s, w0[2]))
    w = np.stack(turning, axis=1)
    poses = _poses(model, motion.x)
    good = [k for k, row in enumerate(motion.x) if abs(np.linalg.det(joint.subspace(row))) > 0.05]
    assert len(good) > 0.7 * len(motion.x)
    twists = np.stack([model.body_twists(motion.x[k], motion.v[k])[0] for k in good])
    np.testing.assert_allclose(twists[:, :3], w[good], atol=20 * allowed)
    t = motion.times[:, None]
    place = p0 + v0 * t + 0.5 * t * t * [0.0, 0.0, -9.81]
    np.testing.assert_allclose(poses[:, :3, 3], place, atol=allowed)
    spin = np.einsum("kij,jl,kl->ki", poses[:, :3, :3], moments, w)
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=allowed)
    np.testing.assert_allclose(motion.energy.sum(axis=1), motion.energy[0].sum(), atol=10 * allowed)
    np.testing.assert_allclose(motion.momentum[:, 5], 6.1 - 9.81 * motion.times, atol=allowed)


def _poses(model: Multibody, rows: Array) -> Array:
    return np.stack([model.body_poses(x)[0] for x in rows])


def test_history_of_bdf2_is_carried_into_new_charts() -> None:
    """About one axis turning is a straight line in rotation vectors: BDF2 is exact, also across many turns."""
    ball = Multibody([Body("ball", -1, Spherical(), inertia=SpatialInertia.box(1.0, (0.2, 0.3, 0.4)))], (0, 0, 0))
    motion = simulate(Scene(ball, np.zeros(3), (0.0, 5.0, 0.0)), 6.0, 0.05, "bdf2")
    np.testing.assert_allclose(motion.energy[:, 0], motion.energy[0, 0], rtol=1e-9)
    turned = np.stack([so3.exp(x) for x in motion.x])
    np.testing.assert_allclose(turned, [so3.exp([0.0, 5.0 * t, 0.0]) for t in motion.times], atol=1e-8)


# -- constraints -----------------------------------------------------------------------------------------------------


def linkage() -> tuple[Multibody, Array, LoopClosure]:
    def bar(name: str, parent: int | str, length: float, place: float) -> Body:
        inertia = SpatialInertia.box(1.0, (length, 0.05, 0.05), (length / 2, 0, 0))
        return Body(name, parent, Revolute((0, 0, 1)), at(place, 0, 0), inertia=inertia)

    model = Multibody([bar("crank", -1, 0.3, 0.0), bar("coupler", "crank", 1.0, 0.3), bar("rocker", -1, 0.8, 1.0)])
    loop = LoopClosure("coupler", (1, 0, 0), "rocker", (0.8, 0, 0), (0, 0, 1))
    return model, assemble(model, [1.0, -0.5, 2.0], [loop], tolerance=1e-14), loop


@pytest.mark.verify
def test_loops_stay_closed() -> None:
    """All that take equations end in the same place, and keep the energy as well as they can; others say who does."""
    model, x, loop = linkage()
    scene = Scene(model, x, np.zeros(3), constraints=(loop,))
    ends = {}
    for name, h, gap, lost in (
        ("rk4", 0.02, 1e-5, 1e-4),
        (RK45(1e-6, 1e-8), 0.1, 1e-5, 1e-4),
        ("conserving", 0.02, 1e-12, 1e-12),
        ("variational", 0.01, 1e-12, 0.02),
        ("bdf2", 0.01, 1e-12, 0.05),
        ("bdf1", 0.01, 1e-12, 0.4),
        ("linearly_implicit", 5e-3, 0.02, 0.1),
        ("symplectic_euler", 5e-3, 0.02, 0.1),
        ("contact", 5e-3, 0.02, 0.1),
    ):
        motion = simulate(scene, 0.3, h, name)
        poses = [model.body_poses(row) for row in motion.x]
        assert max(np.abs(X[1] @ [1, 0, 0, 1] - X[2] @ [0.8, 0, 0, 1]).max() for X in poses) < gap
        energy = motion.energy.sum(axis=1)
        assert np.ptp(energy) < lost * motion.energy[:, 0].max()
        ends[name if isinstance(name, str) else name.name] = motion.x[-1]
    np.testing.assert_allclose(ends["rk45"], ends["rk4"], atol=1e-4)
    np.testing.assert_allclose(ends["conserving"], ends["rk4"], atol=1e-4)
    np.testing.assert_allclose(ends["variational"], ends["rk4"], atol=1e-2)
    np.testing.assert_allclose(ends["bdf2"], ends["rk4"], atol=1e-2)
    np.testing.assert_allclose(ends["bdf1"], ends["rk4"], atol=0.1)
    np.testing.assert_allclose(ends["linearly_implicit"], ends["rk4"], atol=0.1)
    np.testing.assert_allclose(ends["symplectic_euler"], ends["linearly_implicit"], atol=1e-9)
    np.testing.assert_allclose(ends["contact"], ends["rk4"], atol=0.1)
    able = [kind.name for kind in INTEGRATORS if kind.equalities]
    assert set(ends) == {*able, "contact"}
    who = f"{', '.join(able[:-1])} and {able[-1]} do"
    for name in set(NAMES) - set(able):
        with pytest.raises(DynamicsError, match=f"^{name} does not take LoopClosure; {who}$"):
            simulate(scene, 0.4, 0.01, name)


@pytest.mark.verify
def test_four_bar_of_drake_comes_to_rest_where_it_should() -> None:
    """Let go with dampers in its hinges, the linkage ends with angles whose cosines are -1/4."""
    model, loop = four_bar()
    x = assemble(model, (1.5, -1.8, -1.8), [loop], fixed=["A"])
    forces = tuple(JointDamping(name, 400.0) for name in model.names)
    motion = simulate(Scene(model, x, np.zeros(3), forces, constraints=(loop,)), 25.0, 0.05)
    np.testing.assert_allclose(np.cos(motion.x[-1]), -0.25, atol=1e-6)
    assert np.abs(motion.v[-1]).max() < 1e-5
    assert (np.diff(motion.energy.sum(axis=1)) < 1e-3).all()


@pytest.mark.verify
def test_gaps_at_the_start_are_closed_as_stabilization_says() -> None:
    model = double_pendulum()
    scene = Scene(
        Multibody(model.bodies, (0, 0, 0)), (0.0, 0.1), (0.0, 0.0), constraints=(Coupling("lower", "upper", 2.0),)
    )
    for name in ("linearly_implicit", "variational", "bdf1"):
        motion = simulate(scene, 1.0, 0.01, name, stabilization=Stabilization(step=5.0), open_start=True)
        gap = motion.x[:, 1] - 2.0 * motion.x[:, 0]
        np.testing.assert_allclose(gap, 0.1 * 0.95 ** np.arange(101), atol=1e-12)
    stabilization = Stabilization(velocity=5.0, position=5.0)
    motion = simulate(scene, 1.0, 0.01, "rk4", stabilization=stabilization, open_start=True)
    t = motion.times
    np.testing.assert_allclose(motion.x[:, 1] - 2.0 * motion.x[:, 0], 0.1 * (1 + 5 * t) * np.exp(-5 * t), atol=1e-6)


@pytest.mark.parametrize("name", ["linearly_implicit", "symplectic_euler"])
def test_limits_are_not_passed(name: str) -> None:
    """A pendulum falls against a stop and stays there; the stop takes energy and gives none."""
    scene = Scene(pendulum(), [1.5], [0.0], constraints=(JointLimits("rod", 0.2, 2.0),))
    motion = simulate(scene, 1.5, 0.01, name)
    assert motion.x.min() >= 0.2 - 1e-9
    assert motion.x[-1, 0] == pytest.approx(0.2, abs=1e-9)
    assert motion.energy[-1, 0] < 1e-12
    passing = simulate(scene, 0.8, 0.01, LinearlyImplicit("touching"))
    assert 0.1 < passing.x.min() < 0.2


@pytest.mark.parametrize("name", [kind.name for kind in INTEGRATORS if not kind.limits])
def test_who_cannot_take_limits_says_who_can(name: str) -> None:
    scene = Scene(pendulum(), [1.0], [0.0], constraints=(JointLimits("rod", -1.0, 2.0),))
    with pytest.raises(
        DynamicsError, match=f"{name} does not take JointLimits; symplectic_euler and linearly_implicit do"
    ):
        simulate(scene, 1.0, 0.01, name)


def test_slides_and_fixed_trees() -> None:
    """Nothing that can move, and one slide that falls."""
    fixed = Multibody([Body("base", -1, Prismatic((0, 1, 0)), inertia=SpatialInertia.sphere(1.0, 0.1))])
    motion = simulate(Scene(fixed, [0.0], [0.0]), 1.0, 0.1, "rk4")
    assert motion.x[-1, 0] == pytest.approx(-4.905)
