"""Linkages with known motion, redundant rows, and what cannot be."""

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
    assemble,
    constrained_dynamics,
    constraint_forces,
    stabilized_rates,
    stacked,
)
from core.dynamics.motion import motion
from core.dynamics.redmax import jacobian, jacobian_rate
from core.errors import DynamicsError
from core.joints import Free, Prismatic, Revolute
from core.spatial import se3
from tests.support.linkages import four_bar, link, rod

Array = np.ndarray
FORMULATIONS = ("recursive", "redmax", "maximal")


def relative(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_four_bar_rests_where_drake_says(formulation: str) -> None:
    model, loop = four_bar()

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


# -- contradictions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_contradictions_are_reported_by_name(formulation: str) -> None:
    model, loop = four_bar()
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
    with pytest.raises(DynamicsError, match=r'contradict.*prescribed speed of "C".*plane limit of "C"'):
        constrained_dynamics(model, flat, flat, None, [down, *others, floor], formulation=formulation)


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
def test_what_does_not_fit_the_model_is_reported(constraint: Constraint, message: str) -> None:
    model, _ = four_bar()
    with pytest.raises(DynamicsError, match=message):
        constrained_dynamics(model, np.zeros(3), np.zeros(3), None, [constraint])
