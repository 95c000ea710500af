"""Hakenberg's equations (1) to (6): the theorem, the rank, both ways to solve, and what steps make of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.forces import DirectionalForce, Force, IntrinsicTorque, JointDamping, JointSpring, Load
from core.dynamics.hakenberg import (
    BodyStates,
    JointedBodies,
    Loads,
    bodies_of,
    equations,
    forward_dynamics,
    intrinsic_loads,
    printed_step,
    projected,
    solve,
    stabilized_step,
    topology_of,
)
from core.dynamics.integrators import RK45
from core.dynamics.integrators import Hakenberg as HakenbergIntegrator
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.motion import motion
from core.dynamics.stabilization import Stabilization
from core.dynamics.state import State
from core.dynamics.system import System
from core.errors import DynamicsError
from core.joints import Composite, Fixed, Free, FreeRotationFirst, Prismatic, Revolute, Spherical, SphericalEuler
from core.spatial import SpatialInertia, so3
from tests.support.free_figures import in_a_row
from tests.support.jointed_bodies import paper_bodies, random_bodies
from tests.support.kernels import MODES, kernels_in_use
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree, wild_state

Array = NDArray[np.float64]
Rng = np.random.Generator

TAKEN = (Revolute, Spherical, SphericalEuler, Free, FreeRotationFirst, Fixed)


def largest(value: Array) -> float:
    return float(np.abs(value).max(initial=0.0))


def full_and_few(many: int, few: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "count", [pytest.param(few, id="few"), pytest.param(many, id="many", marks=pytest.mark.verify)]
    )


# -- topology --------------------------------------------------------------------------------------------------------


def test_the_example_of_the_paper() -> None:
    found = topology_of([(0, 1), (1, 2)], 3)
    assert found.sigma[:, :3].tolist() == [[1, -1, 0], [0, 1, -1]] and not found.sigma[:, 3].any()
    assert found.roots.tolist() == [0] and found.tree.tolist() == [0, 0, 0]
    assert found.order.tolist() == [[1, 2, 1, -1], [0, 1, 0, -1]]


def test_any_forest_is_a_topology() -> None:
    found = topology_of([(4, 1), (-1, 3), (2, 1), (3, 0)], 6)
    assert found.roots.tolist() == [1, 5] and found.tree.tolist() == [-1, 0, 0, -1, 0, 1]
    assert found.sigma.sum(axis=1).tolist() == [0, 0, 0, 0]
    done = set()
    for _, beyond, before, _ in found.order.tolist():
        assert before not in done  # the tips come first
        done.add(beyond)


@pytest.mark.parametrize(
    ("E", "message"),
    [
        ([(0, 1), (1, 2), (2, 0)], "joint .* closes a circle"),
        ([(0, 1), (-1, 0), (1, -1)], "joint .* closes a circle"),
        ([(1, 1)], "joint 0, .* closes a circle"),
        ([(0, 3)], "joint 0 connects the bodies .*there are 3"),
        ([(0, -2)], "joint 0 connects the bodies"),
    ],
)
def test_what_is_no_tree_is_refused(E: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(DynamicsError, match=message):
        topology_of(E, 3)


def test_bodies_that_cannot_be_are_refused() -> None:
    good, _ = paper_bodies()
    given = {"masses": good.masses, "inertias": good.inertias, "E": good.E, "l": good.l, "z": good.z}
    for name, change, message in (
        ("masses", (6.4, 0.0, 2.3), "mass of body 1"),
        ("inertias", np.zeros((3, 3, 3)), "inertia of body 0"),
        ("z", 0.5 * good.z, "joint 0 has the axes"),
        ("l", good.l[:1], "locations of the joints"),
    ):
        with pytest.raises(DynamicsError, match=message):
            JointedBodies(**{**given, name: change})


# -- the theorem -----------------------------------------------------------------------------------------------------


@full_and_few(1000, 8)
def test_momenta_and_power(count: int) -> None:
    """With friction and motors ``sum m a = 0`` and ``dL/dt = 0``; ``dT/dt = sum e . (relative omega)``."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        bodies, state = random_bodies(rng, int(rng.integers(2, 9)))
        n = len(bodies.E)
        assert largest(equations.gaps(bodies, state)) < 1e-14 * 10
        assert largest(equations.gap_rates(bodies, state)) < 1e-13
        mu, beta = rng.uniform(0.1, 2.0, size=n), rng.normal(size=n)
        e = equations.intrinsic_torques(bodies, state, mu, beta)
        loads = Loads.none(bodies)._replace(e=e)
        found = solve(bodies, state, loads, method="svd" if seed % 2 else "tree")
        pulls = bodies.masses[:, None] * found.a
        assert np.linalg.norm(pulls.sum(axis=0)) <= 1e-12 * np.linalg.norm(pulls, axis=1).sum()
        momenta = np.einsum("iab,ib->ia", bodies.inertias, state.omega)
        spins = np.cross(state.omega, momenta) + np.einsum("iab,ib->ia", bodies.inertias, found.domega)
        parts = np.stack([np.cross(state.p, pulls), np.einsum("iab,ib->ia", state.R, spins)])
        assert np.linalg.norm(parts.sum(axis=(0, 1))) <= 1e-12 * np.linalg.norm(parts, axis=2).sum()
        powers = np.concatenate(
            [(state.v * pulls).sum(axis=1), np.einsum("ia,iab,ib->i", state.omega, bodies.inertias, found.domega)]
        )
        given = (e * equations.relative_velocities(bodies, state)).sum(axis=1)
        assert abs(powers.sum() - given.sum()) <= 1e-12 * (np.abs(powers).sum() + np.abs(given).sum())
        friction = Loads.none(bodies)._replace(e=equations.intrinsic_torques(bodies, state, mu))
        assert (friction.e * equations.relative_velocities(bodies, state)).sum() < 0.0


@full_and_few(1000, 10)
def test_the_linear_system(count: int) -> None:
    """(3) holds, (6) has the rank that the paper says, both forms are one matrix, both ways to solve one answer."""
    for seed in range(count):
        rng = np.random.default_rng(5000 + seed)
        bodies, state = random_bodies(rng, int(rng.integers(1, 9)), world=0.3)
        n = len(bodies.E)
        e = equations.intrinsic_torques(bodies, state, 0.4, rng.normal(size=n))
        outside = rng.normal(size=(2, len(bodies.masses), 3))
        loads = Loads(e, *outside)
        matrix, b = equations.system(bodies, state, loads)
        assert largest(matrix - equations.delta_matrix(bodies, state)) <= 1e-13 * max(1.0, largest(matrix))
        _, rank = equations.pseudoinverse_solution(matrix, b)
        assert rank == bodies.rank == 5 * int(bodies.hinges.sum()) + 3 * int((~bodies.hinges).sum())
        plain, fast = (solve(bodies, state, loads, method=method) for method in ("svd", "tree"))
        scale = max(1.0, largest(plain.c), largest(plain.d))
        axes = bodies.axes(state)[:, 0]
        values = np.linalg.svd(matrix, compute_uv=False)
        # The rounding of singular vectors is that of the matrix, over how far their values are from zero.
        rounding = np.finfo(float).eps * values[0] / values[rank - 1] if n else 0.0
        assert rounding < 1e-9
        for found, most in ((plain, rounding), (fast, 1e-14)):
            bent = equations.gap_accelerations(bodies, state, found.a, found.domega)
            assert largest(bent) <= 1e-10 * max(1.0, largest(found.a), largest(found.domega))
            assert largest((found.d * axes).sum(axis=1)) <= max(1e-14, most) * scale
            assert largest(found.d[~bodies.hinges]) <= max(1e-14, most) * scale
        assert largest(plain.c - fast.c) <= 1e-9 * scale and largest(plain.d - fast.d) <= 1e-9 * scale
        solved = np.concatenate([fast.c, fast.d], axis=1).ravel()
        assert largest(matrix @ solved - b) <= 1e-9 * max(1.0, largest(b))


def test_second_derivative_of_the_constraints() -> None:
    """(2) and (3) are the derivatives of (1) along the motion."""
    rng = np.random.default_rng(3)
    bodies, state = random_bodies(rng, 6, world=1.0)
    a, domega = rng.normal(size=(2, 6, 3))
    h = 1e-5

    def later(t: float) -> BodyStates:
        theta = t * state.omega + 0.5 * t * t * domega
        return BodyStates(state.p + t * state.v + 0.5 * t * t * a, state.R @ so3.exp(theta), state.v, state.omega)

    before, here, after = (equations.gaps(bodies, later(t)) for t in (-h, 0.0, h))
    assert (after - before) / (2 * h) == pytest.approx(equations.gap_rates(bodies, state), abs=1e-8)
    assert (after - 2 * here + before) / h**2 == pytest.approx(
        equations.gap_accelerations(bodies, state, a, domega), abs=1e-4
    )


def test_compiled_and_uncompiled_kernels_do_alike() -> None:
    bodies, state = random_bodies(np.random.default_rng(8), 6, world=1.0)
    bodies_afloat, afloat = random_bodies(np.random.default_rng(9), 5)
    loads, found = intrinsic_loads(bodies_afloat, 0.2, 0.1), []
    for mode in MODES:
        with kernels_in_use(mode):
            found.append((solve(bodies, state).c, *stabilized_step(bodies_afloat, afloat, 0.01, loads)))
    for one, other in zip(*found, strict=True):
        assert largest(one - other) <= 1e-12 * max(1.0, largest(one))


def test_the_kernel_has_the_forces_of_the_printed_equations() -> None:
    """What the kernel says of (4) is what ``equations`` say, where joints have drifted apart too."""
    rng = np.random.default_rng(21)
    bodies, state = random_bodies(rng, 7, world=1.0)
    shifts, turns = 1e-3 * rng.normal(size=(2, 7, 3))
    state = state._replace(p=state.p + shifts, R=state.R @ so3.exp(turns))
    n = len(bodies.E)
    loads = Loads(equations.intrinsic_torques(bodies, state, 0.4, rng.normal(size=n)), *rng.normal(size=(2, 7, 3)))
    found = solve(bodies, state, loads)
    a, tau = equations.body_loads(bodies, state, found.c, found.d, loads)
    assert largest(found.a - a) <= 1e-12 * largest(a) and largest(found.tau - tau) <= 1e-12 * largest(tau)
    rates = equations.turning_rates(bodies, state, tau)
    assert largest(found.domega - rates) <= 1e-12 * largest(rates)


def test_projection_puts_joints_together_and_keeps_momenta() -> None:
    rng = np.random.default_rng(22)
    bodies, start = random_bodies(rng, 9)
    apart = BodyStates(
        start.p + 0.01 * rng.normal(size=(9, 3)), start.R @ so3.exp(0.01 * rng.normal(size=(9, 3))),
        start.v + 0.1 * rng.normal(size=(9, 3)), start.omega + 0.1 * rng.normal(size=(9, 3)),
    )  # fmt: skip
    found = projected(bodies, apart)
    assert largest(equations.gaps(bodies, found)) <= 1e-12 and largest(equations.gap_rates(bodies, found)) <= 1e-12
    assert bodies.masses @ found.p == pytest.approx(bodies.masses @ apart.p, abs=1e-11)
    assert bodies.masses @ found.v == pytest.approx(bodies.masses @ apart.v, abs=1e-12)
    still = projected(bodies, found)
    assert all(largest(one - other) <= 1e-12 for one, other in zip(still, found, strict=True))


# -- the formulation -------------------------------------------------------------------------------------------------


@full_and_few(500, 12)
def test_accelerations_are_those_of_the_recursion(count: int) -> None:
    met: set[type] = set()
    for seed in range(count):
        rng = np.random.default_rng(9000 + seed)
        model = random_tree(rng, 1 + seed % 14, types=TAKEN, root=Free if seed % 2 else None, chain=seed % 5 == 0)
        met.update(type(body.joint) for body in model.bodies)
        x, v = wild_state(rng, model)
        tau, wrenches = 3.0 * rng.normal(size=model.nv), 3.0 * rng.normal(size=(len(model.bodies), 6))
        expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        found = model.forward_dynamics(x, v, tau, "hakenberg", wrenches=wrenches)
        assert largest(found - expected) <= 1e-9 * largest(expected)
        if seed % 5 == 1:
            printed = forward_dynamics(model, x, v, tau, wrenches, method="svd")
            assert largest(printed - expected) <= 1e-9 * largest(expected)
    assert met == set(TAKEN)


def test_other_joints_are_refused_by_name() -> None:
    rng = np.random.default_rng(1)
    slide = Multibody([Body("sled", -1, Prismatic((1, 0, 0)), inertia=random_inertia(rng))])
    taken = "Hakenberg's equations take a hinge, a ball, a free or a fixed joint"
    with pytest.raises(DynamicsError, match=f'"sled" moves by a prismatic joint; {taken}'):
        slide.forward_dynamics([0.1], [0.2], None, "hakenberg")
    with pytest.raises(DynamicsError, match='"sled" moves by a prismatic joint'):
        simulate(Scene(slide, [0.1], [0.2]), 0.1, 0.01, "hakenberg")
    knuckle = Composite(Revolute((1, 0, 0)), Revolute((0, 1, 0)))
    finger = Multibody([Body("finger", -1, knuckle, inertia=random_inertia(rng))])
    with pytest.raises(DynamicsError, match=f'"finger" moves by several hinges and slides; {taken}'):
        finger.forward_dynamics([0.1, 0.2], [0.0, 0.0], None, "hakenberg")
    cross = Multibody(
        [Body("cross", -1, Revolute((0, 0, 1))), Body("arm", 0, Revolute((1, 0, 0)), inertia=random_inertia(rng))]
    )
    with pytest.raises(DynamicsError, match='the mass of "cross" is 0; Hakenberg'):
        cross.forward_dynamics([0.1, 0.2], [0.0, 0.0], None, "hakenberg")


def test_coordinates_go_there_and_back() -> None:
    rng = np.random.default_rng(12)
    model = random_tree(rng, 9, types=TAKEN, root=Free)
    x, v = random_state(rng, model)
    known = bodies_of(model)
    state = known.states(model.joint_poses(x), motion(model, x, v).V)
    assert known.bodies.kinetic_energy(state) == pytest.approx(model.energy(x, v)[0], rel=1e-12)
    moving = known.bodies.momentum(state).sum(axis=0)
    fixed = [i for i, g in enumerate(known.group) if g < 0]
    assert not fixed and moving == pytest.approx(model.momentum(x, v), rel=1e-11)
    x_back, v_back = known.coordinates(model, state, x)
    assert largest(x_back - x) <= 1e-12 and largest(v_back - v) <= 1e-11


# -- steps -----------------------------------------------------------------------------------------------------------


def run(
    bodies: JointedBodies, state: BodyStates, seconds: float, h: float, friction: float = 0.0
) -> tuple[BodyStates, dict[str, Array]]:
    """Return the last state of a stabilized motion, and gaps, energies and momenta of all."""
    loads = intrinsic_loads(bodies, friction)
    rows: dict[str, list] = {"gap": [], "rate": [], "energy": [], "momentum": []}
    for k in range(round(seconds / h) + 1):
        if k:
            state = stabilized_step(bodies, state, h, loads)
        rows["gap"].append(largest(equations.gaps(bodies, state)))
        rows["rate"].append(largest(equations.gap_rates(bodies, state)))
        rows["energy"].append(bodies.kinetic_energy(state))
        rows["momentum"].append(bodies.momentum(state).sum(axis=0))
    return state, {name: np.array(values) for name, values in rows.items()}


@pytest.mark.parametrize(
    "seconds", [pytest.param(0.15, id="short"), pytest.param(60.0, id="60 s", marks=pytest.mark.verify)]
)
@pytest.mark.parametrize("friction", [0.0, 0.02])
def test_the_stabilized_update_keeps_joints_and_momenta(seconds: float, friction: float) -> None:
    _, rows = run(*paper_bodies(), seconds, 1.0 / 240.0, friction)
    assert rows["gap"].max() <= 1e-8 and rows["rate"].max() <= 1e-8  # (1) and (2), by far
    momentum = rows["momentum"]
    size = np.abs(momentum[0]).max()
    assert np.abs(momentum - momentum[0]).max() <= 1e-12 * size
    energy = rows["energy"]
    if friction:
        assert (np.diff(energy) < 0.0).all()
    else:
        assert np.abs(energy - energy[0]).max() <= 1e-6 * energy[0]


def test_axes_stay_together_however_far_away_the_bodies_are() -> None:
    """Gaps of places are as large as rounding there makes them, those of directions are not."""
    bodies, state = paper_bodies()
    far = 1000.0
    state = state._replace(p=state.p + far)
    for _ in range(60):
        state = stabilized_step(bodies, state, 1.0 / 240.0)
        places, axes = np.moveaxis(equations.gaps(bodies, state), 1, 0)
        assert largest(places) < 2e-14 * far and largest(axes) < 2e-14


def test_the_stabilized_update_is_of_fourth_order() -> None:
    bodies, start = paper_bodies()
    loads = intrinsic_loads(bodies, 0.05, 0.3)
    ends = []
    for n in (5, 10, 20, 80):
        state = start
        for _ in range(n):
            state = stabilized_step(bodies, state, 0.2 / n, loads)
        ends.append(state.p)
    errors = [largest(end - ends[-1]) for end in ends[:-1]]
    for coarse, fine in pairwise(errors):
        assert coarse / fine == pytest.approx(16.0, rel=0.3)


@pytest.mark.parametrize("frames", [30, *(pytest.param(n, marks=pytest.mark.verify) for n in (60, 240))])
def test_the_printed_update_blows_up(frames: int) -> None:
    """The joints come apart with every step, and within a minute the motion is gone; docs/dynamics.md has when."""
    bodies, state = paper_bodies()
    start, k = bodies.kinetic_energy(state), 0
    while k < 60 * frames and bodies.kinetic_energy(state) < 100.0 * start:
        with np.errstate(all="ignore"):
            state = printed_step(bodies, state, 1.0 / frames)
        k += 1
    assert 1.0 < k / frames < 59.0
    assert largest(equations.gaps(bodies, state)) > 0.1


def test_the_printed_update_drifts_by_its_first_order() -> None:
    bodies, start = paper_bodies()
    gaps = []
    for n in (60, 120):
        state = start
        for _ in range(n):
            state = printed_step(bodies, state, 0.5 / n)
        gaps.append(largest(equations.gaps(bodies, state)))
    assert gaps[0] > 1e-4 and gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.2)


def test_loads_from_outside_change_momenta_by_their_impulse() -> None:
    """A steady push at a centre and a torque: P gets F t, L the integral of p x F + R tau."""
    bodies, state = paper_bodies()
    push = Loads.none(bodies)
    push.forces[1], push.torques[2] = (0.3, -0.2, 0.5), (0.02, 0.01, -0.04)
    before, h, n = bodies.momentum(state).sum(axis=0), 1.0 / 240.0, 24
    powers = []
    for k in range(n + 1):
        powers.append(np.cross(state.p[1], push.forces[1]) + state.R[2] @ push.torques[2])
        if k < n:
            state = stabilized_step(bodies, state, h, lambda t, state: push)
    after = bodies.momentum(state).sum(axis=0)
    assert after[3:] - before[3:] == pytest.approx(n * h * push.forces[1], abs=1e-13)
    assert after[:3] - before[:3] == pytest.approx(scipy.integrate.simpson(powers, dx=h, axis=0), abs=1e-9)


@pytest.mark.parametrize(
    "seconds", [pytest.param(0.1, id="short"), pytest.param(10.0, id="10 s", marks=pytest.mark.verify)]
)
def test_thirty_bodies_stay_together(seconds: float) -> None:
    """A tree of thirty, the heaviest ten times the lightest, with friction in every joint."""
    bodies, state = random_bodies(np.random.default_rng(30), 30)
    _, rows = run(bodies, state, seconds, 1.0 / 240.0, 0.02)
    assert rows["gap"].max() <= 1e-8 and rows["rate"].max() <= 1e-8
    momentum = rows["momentum"]
    assert np.abs(momentum - momentum[0]).max() <= 1e-11 * np.abs(momentum[0]).max()
    assert (np.diff(rows["energy"]) < 0.0).all()


# -- force and integrator --------------------------------------------------------------------------------------------


def machine() -> tuple[Multibody, Array, Array]:
    """A body that floats, one on a hinge with a slanted axis, one on a ball; no gravity."""
    box = SpatialInertia.box(2.0, (0.4, 0.2, 0.3), (0.1, 0.0, 0.0))
    rng = np.random.default_rng(4)
    model = Multibody(
        [
            Body("trunk", -1, Free(), inertia=box),
            Body("arm", "trunk", Revolute((0, 0.6, 0.8)), random_pose(rng), random_pose(rng), box),
            Body("hand", "arm", Spherical(), random_pose(rng), random_pose(rng), box),
        ],
        (0, 0, 0),
    )
    return model, rng.uniform(-0.5, 0.5, size=10), rng.normal(size=10)


def test_friction_and_motor_are_what_the_paper_says() -> None:
    """``IntrinsicTorque`` in joint coordinates accelerates as ``e_j`` does on the bodies."""
    model, x, v = machine()
    forces = (IntrinsicTorque("arm", 0.3, 0.7), IntrinsicTorque("hand", 0.2))
    scene = Scene(model, x, v, forces)
    expected = System(scene, "recursive", Stabilization()).acceleration(0.0, x, v)
    known = bodies_of(model)
    moving = motion(model, x, v)
    state = known.states(model.joint_poses(x), moving.V)
    e = equations.intrinsic_torques(known.bodies, state, (0.3, 0.2), (0.7, 0.0))
    found = solve(known.bodies, state, Loads.none(known.bodies)._replace(e=e))
    joints = joint_rows.of_motion(model, x, moving)
    Vdot = known.twist_rates(model, joints, state, found.a, found.domega)
    relative = joint_rows.against_parents(model, joints.Ad, Vdot) - joints.bias
    vdot = np.concatenate([joint_rows.rates(own, relative[i]) for i, own in enumerate(joints.factors)])
    assert largest(vdot - expected) <= 1e-11 * largest(expected)


def test_the_integrator_agrees_with_others_and_keeps_momenta() -> None:
    model, x, v = machine()
    forces = (IntrinsicTorque("arm", 0.05, lambda t: 0.3 * np.cos(4.0 * t)), IntrinsicTorque("hand", 0.02))
    scene = Scene(model, x, v, forces)
    found = simulate(scene, 0.1, 1.0 / 120.0, "hakenberg")
    exact = simulate(scene, 0.1, 1.0 / 120.0, RK45(1e-10, 1e-11))
    assert largest(found.x - exact.x) < 1e-6
    assert largest(found.momentum - found.momentum[0]) <= 1e-12 * largest(found.momentum[0])
    printed = simulate(replace(scene, forces=()), 0.1, 1.0 / 120.0, HakenbergIntegrator("printed"))
    free = simulate(replace(scene, forces=()), 0.1, 1.0 / 120.0, RK45(1e-10, 1e-11))
    assert 1e-5 < largest((printed.x - free.x)[:13]) < 0.05  # of first order
    with pytest.raises(DynamicsError, match="no update"):
        HakenbergIntegrator("exact")  # type: ignore[arg-type]


# -- friction and motors by the bodies themselves ----------------------------------------------------------------------


class Evaluated(Force):
    """A force that says what it does in a state only; whether it may be asked, and does anything."""

    label = description = "as another one"

    def __init__(self, force: Force, asked: bool = True, idle: bool = False) -> None:
        self._force, self._asked, self._idle = force, asked, idle

    @property
    def idle(self) -> bool:
        return self._idle

    def check(self, model: Multibody) -> None:
        self._force.check(model)

    def add(self, state: State, load: Load) -> None:
        assert self._asked, "nobody needs to ask"
        self._force.add(state, load)


class Unasked(IntrinsicTorque):
    """Friction and a motor that are not evaluated in the coordinates of a model."""

    def add(self, state: State, load: Load) -> None:
        raise AssertionError("coordinates are not needed")


JOINTED = (Spherical(), Fixed(), Revolute((0.0, 0.6, 0.8)), SphericalEuler("XYZ"))
RUBBING = (JointDamping("1", 0.3), JointDamping("3", [0.2]), IntrinsicTorque("3", 0.1, 0.4), IntrinsicTorque("4", 0.05))


@pytest.mark.verify
def test_friction_and_motors_by_the_bodies_are_those_by_coordinates() -> None:
    model = in_a_row(*JOINTED)
    rng = np.random.default_rng(6)
    x, v = rng.uniform(-0.3, 0.3, model.nq), rng.normal(size=model.nv)
    pull = DirectionalForce("4", (0.1, 0.0, 0.0), (0.0, 0.6, 0.8), 5.0)
    motions = [
        simulate(Scene(model, x, v, forces), 0.5, 1.0 / 240.0, "hakenberg")
        for forces in ((*RUBBING, pull), (*map(Evaluated, RUBBING), pull), (pull,))
    ]
    np.testing.assert_allclose(motions[0].x, motions[1].x, rtol=0, atol=1e-8)
    assert largest(motions[0].x - motions[2].x) > 1e-2


def test_friction_and_motors_take_no_coordinates() -> None:
    model = in_a_row(*JOINTED)
    resting = Evaluated(IntrinsicTorque("1", 1.0), asked=False, idle=True)
    forces = (Unasked("1", 0.3), Unasked("3", 0.1, 0.4), Unasked("4", 0.05), resting)
    motion = simulate(Scene(model, np.zeros(model.nq), np.ones(model.nv), forces), 0.05, 0.01, "hakenberg")
    assert np.isfinite(motion.x).all()


def test_what_is_friction_and_motors_is_known() -> None:
    model = in_a_row(*JOINTED, Revolute((1.0, 0.0, 0.0)))
    known = bodies_of(model)
    for force, mu, beta in (
        (JointDamping("1", 0.3), {"1": 0.3}, {}),
        (JointDamping("3", [0.2]), {"3": 0.2}, {}),
        (IntrinsicTorque("5", 0.1, 0.4), {"5": 0.1}, {"5": 0.4}),
    ):
        found = known.intrinsic(model, force.implicit)
        assert found is not None
        for values, wanted in zip(found, (mu, beta), strict=True):
            own = np.zeros(len(known.bodies.E))
            for name, value in wanted.items():
                own[known.joint_of[model.index(name)]] = value
            np.testing.assert_array_equal(values, own)
    for more in (
        JointSpring("3", 1.0), JointDamping("1", [0.1, 0.2, 0.3]), JointDamping("0", 0.1),
        IntrinsicTorque("3", 0.1, lambda t: t), IntrinsicTorque("1", 0.2, hinges=(0, 2)),
        DirectionalForce("4", (0.1, 0.0, 0.0), (0.0, 0.6, 0.8), 5.0),
    ):  # fmt: skip
        assert known.intrinsic(model, more.implicit) is None
