"""Motion under constraints: formulations and literal matrices agree, limits only push, contradictions are told."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from core.dynamics import Body, Multibody
from core.dynamics.constraints import (
    Constraint,
    Coupling,
    JointLimits,
    LoopClosure,
    LoopJoint,
    PlaneLimit,
    PrescribedJoint,
    PrescribedPose,
    PrescribedSpeed,
    Rope,
    Situation,
    constrained_dynamics,
    constraint_forces,
    stabilized_rates,
    stacked,
    velocity_step,
)
from core.dynamics.motion import motion
from core.dynamics.redmax import jacobian, jacobian_rate
from core.errors import DynamicsError
from core.joints import Fixed, Free, Prismatic, Revolute, SphericalEuler
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_pose, random_state, random_tree

Array = np.ndarray
FORMULATIONS = ("recursive", "redmax", "maximal")


def relative(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


def loops(rng: np.random.Generator, model: Multibody) -> tuple[Constraint, ...]:
    """Random loops and a drive whose rows are independent."""
    while True:
        constraints = any_loops(rng, model)
        G = stacked(constraints, Situation(model, np.full(model.nq, 0.3), np.zeros(model.nv))).rows.G
        if np.linalg.cond(G) < 1e4:
            return constraints


def any_loops(rng: np.random.Generator, model: Multibody) -> tuple[Constraint, ...]:
    a, b, c, d = rng.choice(np.arange(2, len(model.bodies)), 4, replace=False).tolist()
    driven = max(range(len(model.bodies)), key=lambda i: model.bodies[i].joint.n)
    n = model.bodies[driven].joint.n
    told = rng.normal(size=(3, n))
    return (
        LoopClosure(a, rng.normal(size=3), b, rng.normal(size=3)),
        LoopClosure(c, rng.normal(size=3), "world", rng.normal(size=3), axis=rng.normal(size=3)),
        LoopJoint(d, a, random_pose(rng), random_pose(rng), "universal"),
        PrescribedJoint(driven, lambda t: (told[0], told[1], told[2])),
    )


@pytest.mark.parametrize("seed", range(8))
def test_formulations_agree_on_random_loops(seed: int) -> None:
    rng = np.random.default_rng([seed, 811])
    model = random_tree(rng, int(rng.integers(10, 16)), loop_types())
    x, v = random_state(rng, model)
    tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6))
    constraints = loops(rng, model)
    stack = stacked(constraints, Situation(model, x, v, 0.3))
    rows, m = stack.rows, len(stack.owner)
    wanted = rows.acceleration - rows.bias - 2.0 * 3.0 * (rows.G @ v - rows.velocity) - 4.0**2 * rows.gap
    free = tau + model.jacobian_transpose_product(x, wrenches) - model.bias(x, v)
    # Sueda 2.98 as it is printed, with the sign of lambda turned.
    matrix = np.block([[model.mass_matrix(x), -rows.G.T], [rows.G, np.zeros((m, m))]])
    expected = np.linalg.solve(matrix, np.concatenate([free, wanted]))
    for formulation in FORMULATIONS:
        result = constrained_dynamics(
            model, x, v, tau, constraints, 0.3, formulation=formulation, baumgarte=(3.0, 4.0), wrenches=wrenches
        )
        assert relative(result.vdot, expected[: model.nv]) < 1e-9, formulation
        assert relative(result.multipliers, expected[model.nv :]) < 1e-8, formulation


def loop_types() -> list[type]:
    from core.joints import JOINT_TYPES

    return [kind for kind in JOINT_TYPES if kind is not Fixed]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_torques_of_prescribed_joints_are_those_of_inverse_and_hybrid_dynamics(formulation: str) -> None:
    rng = np.random.default_rng(812)
    model = random_tree(rng, 9)
    x, v = random_state(rng, model)
    tau, vdot = rng.normal(size=(2, model.nv))

    def drive(i: int) -> PrescribedJoint:
        part = slice(model.first[i], model.first[i + 1])
        return PrescribedJoint(i, lambda t: (x[part], v[part], vdot[part]))

    everything = [drive(i) for i in range(len(model.bodies))]
    result = constrained_dynamics(model, x, v, None, everything, formulation=formulation)
    torques = constraint_forces(model, x, v, everything, result.multipliers).sum(axis=0)
    np.testing.assert_allclose(result.vdot, vdot, atol=1e-9)
    assert relative(torques, model.inverse_dynamics(x, v, vdot)) < 1e-9

    chosen = [1, 4, 6]
    some = [drive(i) for i in chosen]
    result = constrained_dynamics(model, x, v, tau, some, formulation=formulation)
    torques = constraint_forces(model, x, v, some, result.multipliers).sum(axis=0)
    expected, hybrid = model.hybrid_dynamics(x, v, tau, vdot, chosen)
    driven = np.concatenate([np.arange(model.first[i], model.first[i + 1]) for i in chosen])
    assert relative(result.vdot, expected) < 1e-9
    # What drives a joint comes on top of the torque that is there already.
    assert np.abs(tau[driven] + torques[driven] - hybrid[driven]).max() < 1e-9 * np.abs(hybrid).max()


def rod(mass: float, length: float) -> SpatialInertia:
    return SpatialInertia(mass, (0, 0, 0), np.diag([1e-3, 1.0, 1.0]) * mass * length**2 / 12.0)


def link(
    name: str, parent: int | str, length: float, offset: float, axis: tuple = (0, 1, 0), mass: float = 20.0
) -> Body:
    """A rod along x, its hinge ``offset`` along the x of its parent."""
    return Body(
        name, parent, Revolute(axis), se3.transform(None, (offset, 0, 0)), se3.transform(None, (length / 2, 0, 0)),
        rod(mass, length),
    )  # fmt: skip


def four_bar() -> tuple[Multibody, LoopClosure]:
    """The four-bar of Drake: ground 2 m, links 4 m and 20 kg, hinges about y, x to the right, z up."""
    model = Multibody([link("A", -1, 4, 0), link("B", "A", 4, 4), link("C", "B", 4, 4)], gravity=(0, 0, -9.8))
    return model, LoopClosure("C", (2, 0, 0), "world", (2, 0, 0), axis="hinge")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_four_bar_rests_where_drake_says(formulation: str) -> None:
    model, loop = four_bar()
    from core.dynamics.constraints import assemble

    def fall(angle: float) -> float:
        # The crank hangs down to the left; the coupler lies level where the figure is at rest.
        x = assemble(model, (angle, -1.8, -1.8), [loop], fixed=["A"])
        return float(constrained_dynamics(model, x, np.zeros(3), None, [loop], formulation=formulation).vdot[0])

    rest = scipy.optimize.brentq(fall, 1.6, 2.0, xtol=1e-12)
    x = assemble(model, (rest, -1.8, -1.8), [loop], fixed=["A"])
    np.testing.assert_allclose(np.cos(x), -0.25, atol=1e-9)
    np.testing.assert_allclose(np.abs(x), np.arccos(-0.25), atol=1e-9)
    assert fall(rest - 0.1) > 0.0 > fall(rest + 0.1)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_redundant_rows_change_no_motion(formulation: str) -> None:
    model, loop = four_bar()
    from core.dynamics.constraints import assemble

    x = assemble(model, (1.9, -1.8, -1.8), [loop])
    v = stabilized_rates(model, x, (1.0, -2.0, 0.5), [loop])
    whole = LoopClosure("C", (2, 0, 0), "world", (2, 0, 0))
    turned = LoopClosure("C", (2, 0, 0), "world", (2, 0, 0), axis=(0.0, 1.0, 1e-9))
    once = constrained_dynamics(model, x, v, None, [loop], formulation=formulation)
    often = constrained_dynamics(model, x, v, None, [loop, whole, turned, loop], formulation=formulation)
    assert relative(often.vdot, once.vdot) < 1e-9
    np.testing.assert_allclose(
        constraint_forces(model, x, v, [loop, whole, turned, loop], often.multipliers).sum(axis=0),
        constraint_forces(model, x, v, [loop], once.multipliers).sum(axis=0),
        rtol=1e-8,
    )


def double_pendulum() -> tuple[Multibody, Multibody, tuple[LoopJoint, LoopJoint]]:
    """Two rods whose hinges are square to each other, in joint coordinates and as free bodies that hinges tie."""
    square = se3.transform([[1, 0, 0], [0, 0, -1], [0, 1, 0]], (0.5, 0, 0))
    first = Body("first", -1, Revolute((0, 0, 1)), X_JB=se3.transform(None, (0.5, 0, 0)), inertia=rod(1.0, 1.0))
    end, middle = se3.transform(None, (1, 0, 0)), se3.transform(None, (0.5, 0, 0))
    second = Body("second", "first", Revolute((0, 1, 0)), end, middle, rod(1.0, 1.0))
    free = [Body(body.name, -1, Free(), inertia=body.inertia) for body in (first, second)]
    hinges = (
        LoopJoint("world", "first", np.eye(4), se3.transform(None, (-0.5, 0, 0)), "hinge"),
        LoopJoint("first", "second", square, se3.transform(square[:3, :3], (-0.5, 0, 0)), "hinge"),
    )
    return Multibody([first, second]), Multibody(free), hinges


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_perpendicular_pendulum_is_the_same_in_joint_and_in_absolute_coordinates(formulation: str) -> None:
    reduced, absolute, hinges = double_pendulum()
    rng = np.random.default_rng(813)
    for _ in range(3):
        q, qd, tau = rng.uniform(-1.5, 1.5, 2), rng.normal(size=2), rng.normal(size=2)
        qdd = reduced.forward_dynamics(q, qd, tau)
        x = np.concatenate([absolute.bodies[0].joint.coordinates(X) for X in reduced.body_poses(q)])
        S = scipy.linalg.block_diag(*motion(absolute, x).S)
        v = np.linalg.solve(S, reduced.body_twists(q, qd).ravel())
        # The torques of the hinges, and what they do to the body above.
        turn = [np.array([0, 0, tau[0], 0, 0, 0]), np.array([0, tau[1], 0, 0, 0, 0])]
        carried = se3.adjoint(se3.inverse(reduced.body_poses(q)[1]) @ reduced.body_poses(q)[0])
        wrenches = np.stack([turn[0] - carried.T @ turn[1], turn[1]])
        stack = stacked(hinges, Situation(absolute, x, v))
        assert np.abs(stack.rows.gap).max() < 1e-12 and np.abs(stack.rows.G @ v).max() < 1e-12
        result = constrained_dynamics(absolute, x, v, None, hinges, formulation=formulation, wrenches=wrenches)
        m = motion(reduced, q, qd)
        expected = jacobian(reduced, m) @ qdd + jacobian_rate(reduced, m) @ qd
        there = motion(absolute, x, v)
        rates = jacobian(absolute, there) @ result.vdot + jacobian_rate(absolute, there) @ v
        assert relative(rates, expected) < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("angle", [0.0, 0.4, 1.5, 2.9, -2.0])
def test_slider_crank_moves_as_its_geometry_says(angle: float, formulation: str) -> None:
    from core.dynamics.constraints import assemble

    r, length, speed = 0.3, 1.0, 2.0
    model = Multibody(
        [
            link("crank", -1, r, 0, (0, 0, 1), 0.5),
            link("rod", "crank", length, r, (0, 0, 1), 1.0),
            Body("slider", -1, Prismatic((1, 0, 0)), inertia=rod(2.0, 0.1)),
        ]
    )
    loop = LoopClosure("rod", (length / 2, 0, 0), "slider", (0, 0, 0), axis="hinge")
    motor = PrescribedSpeed("crank", lambda t: (speed, 0.0), maximal=True)
    x = assemble(model, (angle, -angle, r * np.cos(angle) + length), [loop], fixed=["crank"])
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(length**2 - (r * s) ** 2)
    assert abs(x[2] - (r * c + root)) < 1e-10
    v = stabilized_rates(model, x, np.zeros(3), [loop, motor])
    assert abs(v[2] - speed * (-r * s - r * r * s * c / root)) < 1e-10
    result = constrained_dynamics(model, x, v, None, [loop, motor], formulation=formulation)
    slope = (r * r * (c * c - s * s) * root**2 + (r * r * s * c) ** 2) / root**3
    assert abs(result.vdot[2] + speed**2 * (r * c + slope)) < 1e-9
    # Power of the motor: kinetic energy grows by it and by gravity's.
    torque = constraint_forces(model, x, v, [loop, motor], result.multipliers)
    growth = v @ model.mass_matrix(x) @ result.vdot + _rate_of_mass(model, x, v) + v @ model.bias(x, np.zeros(3))
    assert abs(torque[1] @ v - growth) < 1e-6 and np.abs(torque[0] @ v) < 1e-9


def _rate_of_mass(model: Multibody, x: Array, v: Array) -> float:
    h = 1e-6
    rate = (model.mass_matrix(x + h * v) - model.mass_matrix(x - h * v)) / (2.0 * h)
    return float(0.5 * v @ rate @ v)


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_limits_push_and_never_pull(seed: int) -> None:
    rng = np.random.default_rng([seed, 814])
    model = random_tree(rng, 9, loop_types())
    x, _ = random_state(rng, model)
    v = np.zeros(model.nv)
    tau = 20.0 * rng.normal(size=model.nv)
    at = Situation(model, x, v)
    bounds: list[Constraint] = []
    for i in range(5):
        q = at.joint(i).q
        bounds.append(JointLimits(i, q, np.inf) if rng.random() < 0.5 else JointLimits(i, -1e9, q, maximal=True))
    point = model.body_poses(x)[8][:3, 3]
    normal = rng.normal(size=3)
    bounds.append(PlaneLimit(8, (0, 0, 0), normal, normal @ point / np.linalg.norm(normal)))
    bounds.append(Rope(7, (0, 0, 0), "world", (0, 0, 0), float(np.linalg.norm(model.body_poses(x)[7][:3, 3]))))
    loop = LoopClosure(6, rng.normal(size=3), 8, rng.normal(size=3))
    constraints = [loop, *bounds]
    stack = stacked(constraints, Situation(model, x, v))
    results = [constrained_dynamics(model, x, v, tau, constraints, formulation=name) for name in FORMULATIONS]
    M, free = model.mass_matrix(x), tau - model.bias(x, v)
    bound = ~stack.equality & (stack.rows.gap < 1.0)
    for vdot, multipliers in results:
        assert relative(vdot, results[0].vdot) < 1e-9
        speed_up = stack.rows.G @ vdot + stack.rows.bias
        scale = np.abs(vdot).max()
        assert np.abs(speed_up[stack.equality]).max() < 1e-9 * scale
        assert speed_up[bound].min() > -1e-8 * scale
        assert multipliers[~stack.equality].min() >= 0.0
        np.testing.assert_allclose(multipliers[bound] * speed_up[bound], 0.0, atol=1e-7 * scale * multipliers.max())
        np.testing.assert_allclose(M @ vdot, free + stack.rows.G.T @ multipliers, atol=1e-7 * np.abs(free).max())
    held = results[0].multipliers[bound]
    assert (held > 0.0).any() and (held == 0.0).any()


def test_a_pendulum_on_its_stop() -> None:
    model = Multibody([link("arm", -1, 1.0, 0.0, (0, 0, 1), 1.0)])
    stop = JointLimits("arm", 0.0, 1.0)
    resting = constrained_dynamics(model, [0.0], [0.0], None, [stop])
    assert resting.vdot[0] == pytest.approx(0.0, abs=1e-12)
    assert resting.multipliers == pytest.approx([9.81 * 0.5, 0.0])
    lifted = constrained_dynamics(model, [0.0], [0.0], [6.0], [stop])
    assert lifted.multipliers.tolist() == [0.0, 0.0]
    assert lifted.vdot == pytest.approx(model.forward_dynamics([0.0], [0.0], [6.0]))
    # A stop between bodies that part, or that nothing has reached yet, does nothing.
    assert constrained_dynamics(model, [0.0], [0.3], None, [stop]).multipliers.tolist() == [0.0, 0.0]
    assert constrained_dynamics(model, [0.5], [-0.3], None, [stop]).multipliers.tolist() == [0.0, 0.0]
    # A blow takes what goes into the stop, no more.
    assert stabilized_rates(model, [0.0], [-0.3], [stop])[0] == pytest.approx(0.0, abs=1e-15)
    assert stabilized_rates(model, [0.0], [0.3], [stop])[0] == 0.3


# -- steps -------------------------------------------------------------------------------------------------------------


def test_step_solves_the_printed_matrix_and_the_dual_does_too() -> None:
    rng = np.random.default_rng(815)
    model = random_tree(rng, 12, loop_types())
    x, v = random_state(rng, model)
    h, gamma, damping = 0.01, 5.0, rng.uniform(0.1, 1.0, model.nv)
    stack = stacked(loops(rng, model), Situation(model, x, v, 0.3))
    rows, m = stack.rows, len(stack.owner)
    A = model.mass_matrix(x) + h * np.diag(damping)
    rhs = model.mass_matrix(x) @ v - h * model.bias(x, v)
    matrix = np.block([[A, -rows.G.T], [rows.G, np.zeros((m, m))]])
    expected = np.linalg.solve(matrix, np.concatenate([rhs, rows.velocity - gamma * rows.gap]))
    for left in (A, lambda columns: model.inverse_mass_product(x, columns, h * damping)):
        v1, impulses = velocity_step(left, rhs, stack, h, gamma)
        assert relative(v1, expected[: model.nv]) < 1e-9
        assert relative(impulses, expected[model.nv :]) < 1e-8


def test_steps_do_not_pass_limits() -> None:
    model = Multibody([link("upper", -1, 1.0, 0.0, (0, 0, 1), 1.0), link("lower", 0, 1.0, 1.0, (0, 0, 1), 1.0)])
    limits = [JointLimits("lower", -0.5, 0.5), JointLimits("upper", -np.inf, 0.2)]
    x, v, h = np.zeros(2), np.array([1.0, 2.0]), 0.02
    furthest = 0.0
    for _ in range(200):
        stack = stacked(limits, Situation(model, x, v))
        M = model.mass_matrix(x)
        v, impulses = velocity_step(M, M @ v - h * model.bias(x, v), stack, h, 5.0, approach="ahead")
        assert impulses.min() >= 0.0
        x = x + h * v
        furthest = max(furthest, abs(x[1]), x[0] + 0.3)
    assert furthest == pytest.approx(0.5, abs=1e-9)


# -- charts ------------------------------------------------------------------------------------------------------------


def test_prescribed_balls_and_their_limits_mean_the_charts_of_the_scene() -> None:
    rng = np.random.default_rng(816)
    home = random_tree(rng, 5, [SphericalEuler], chain=True)
    x, v = random_state(rng, home)
    x[4] = 0.02 if home.bodies[1].joint.order[0] == home.bodies[1].joint.order[2] else 1.55
    there, y, w = home.rechart(x, v)
    assert there is not home
    told = rng.normal(size=(3, 3))
    constraints: list[Constraint] = [
        PrescribedJoint(1, lambda t: (x[3:6] + 0.1 * told[0], told[1], told[2])),
        JointLimits(1, x[3:6] - 1.0, x[3:6]),
    ]
    here_rows = stacked(constraints, Situation(home, x, v)).rows
    there_rows = stacked(constraints, Situation(there, y, w, home=home)).rows
    np.testing.assert_allclose(there_rows.gap, here_rows.gap, atol=1e-9)
    np.testing.assert_allclose(there_rows.G @ w, here_rows.G @ v, rtol=1e-8, atol=1e-9)
    drive = constraints[:1]
    a = constrained_dynamics(home, x, v, None, drive).vdot
    b = constrained_dynamics(there, y, w, None, drive, home=home).vdot
    rates = [
        jacobian(model, m) @ vdot + jacobian_rate(model, m) @ speed
        for model, m, vdot, speed in ((home, motion(home, x, v), a, v), (there, motion(there, y, w), b, w))
    ]
    assert relative(rates[1], rates[0]) < 1e-7


# -- contradictions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_contradictions_are_told_by_name(formulation: str) -> None:
    model, loop = four_bar()
    from core.dynamics.constraints import assemble

    x = assemble(model, (1.9, -1.8, -1.8), [loop])
    once, other = (PrescribedSpeed("A", lambda t, a=a: (a, a)) for a in (1.0, 2.0))
    with pytest.raises(DynamicsError, match=r'accelerations that contradict each other.*prescribed speed of "A"'):
        constrained_dynamics(model, x, np.zeros(3), None, [loop, once, other], formulation=formulation)
    with pytest.raises(DynamicsError, match=r'velocities that contradict each other.*"A".*"B"'):
        stabilized_rates(model, x, np.zeros(3), [loop, once, PrescribedSpeed("B", lambda t: (1.0, 0.0))])
    still = PrescribedPose("C", lambda t: (np.eye(4), [0, 0, 0, 0, 1.0, 0], np.array([0, 0, 0, 0, 1.0, 0])))
    with pytest.raises(DynamicsError, match=r'prescribed pose of "C" cannot be met: it asks for accelerations'):
        constrained_dynamics(model, x, np.zeros(3), None, [still], formulation=formulation)
    floor = PlaneLimit("C", (2, 0, 0), (0, 0, 1), 0.0)
    down = PrescribedSpeed("C", lambda t: (0.0, 5.0))
    others = [PrescribedSpeed(name, lambda t: (0.0, 0.0)) for name in "AB"]
    flat = np.zeros(3)
    with pytest.raises(DynamicsError, match=r'plane limit of "C"'):
        constrained_dynamics(model, flat, flat, None, [floor, down, *others], formulation=formulation)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LoopClosure("A", (0, 0), "B", (0, 0, 0)), "point A of a loop has shape"),
        (lambda: LoopClosure("A", (0, 0, 0), "B", (0, 0, 0), axis=(0, 0, 0)), "axis of a loop"),
        (lambda: LoopJoint("A", "B", kind="glue"), "kind of a loop is 'glue'; there are weld, hinge"),
        (lambda: JointLimits("A", 1.0, 0.0), "expected lower ones below upper ones"),
        (lambda: Coupling("A", "B", np.nan), "must be finite"),
        (lambda: Rope("A", (0, 0, 0), "B", (0, 0, 0), 0.0), "must be above 0"),
        (lambda: PlaneLimit("A", (0, 0, 0), (0, 0, 0)), "normal of a plane limit"),
    ],
)
def test_nonsense_is_refused_when_it_is_said(make: object, message: str) -> None:
    with pytest.raises(DynamicsError, match=message):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (LoopClosure("A", (0, 0, 0), "Z", (0, 0, 0)), "no body 'Z'"),
        (LoopClosure("A", (0, 0, 0), "A", (1, 0, 0)), "two different bodies"),
        (LoopClosure("world", (0, 0, 0), "A", (1, 0, 0), axis="hinge"), "does not hang on a hinge"),
        (JointLimits("A", (0, 0), (1, 1)), r'limits of "A": there are 2 for 1 coordinates'),
        (Coupling("A", "A", 2.0), "expected two joints"),
        (PrescribedJoint("A", lambda t: (0.0, 0.0)), "returns 3 values"),  # type: ignore[arg-type,return-value]
        (PrescribedJoint("A", lambda t: (0.0, np.inf, 0.0)), "value 1"),
    ],
)
def test_what_does_not_fit_the_model_is_told(constraint: Constraint, message: str) -> None:
    model, _ = four_bar()
    with pytest.raises(DynamicsError, match=message):
        constrained_dynamics(model, np.zeros(3), np.zeros(3), None, [constraint])
