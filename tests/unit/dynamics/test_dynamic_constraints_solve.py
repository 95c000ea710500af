"""Motion under constraints: the formulations and literal matrices agree."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import Multibody
from core.dynamics.constraints import (
    Constraint,
    JointLimits,
    LoopClosure,
    LoopJoint,
    PrescribedJoint,
    Situation,
    constrained_dynamics,
    constraint_forces,
    stacked,
    velocity_step,
)
from core.dynamics.motion import motion
from core.dynamics.redmax import jacobian, jacobian_rate
from core.joints import JOINT_TYPES, Fixed, SphericalEuler
from tests.support.random_trees import TOUCHING, random_pose, random_state, random_tree

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
    prescribed = rng.normal(size=(3, n))
    return (
        LoopClosure(a, rng.normal(size=3), b, rng.normal(size=3)),
        LoopClosure(c, rng.normal(size=3), "world", rng.normal(size=3), axis=rng.normal(size=3)),
        LoopJoint(d, a, random_pose(rng), random_pose(rng), "universal"),
        PrescribedJoint(driven, lambda t: (prescribed[0], prescribed[1], prescribed[2])),
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
    # Those that touch agree with maximal coordinates in ``test_contact_joints``; closed in loops, they make
    # matrices of condition 1e6, too much for this bound.
    return [kind for kind in JOINT_TYPES if kind is not Fixed and kind not in TOUCHING]


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


# -- charts ------------------------------------------------------------------------------------------------------------


def test_prescribed_balls_and_their_limits_mean_the_charts_of_the_scene() -> None:
    rng = np.random.default_rng(816)
    home = random_tree(rng, 5, [SphericalEuler], chain=True)
    x, v = random_state(rng, home)
    x[4] = 0.02 if home.bodies[1].joint.order[0] == home.bodies[1].joint.order[2] else 1.55
    there, y, w = home.rechart(x, v)
    assert there is not home
    prescribed = rng.normal(size=(3, 3))
    constraints: list[Constraint] = [
        PrescribedJoint(1, lambda t: (x[3:6] + 0.1 * prescribed[0], prescribed[1], prescribed[2])),
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
