"""Bounds push and never pull, steps do not pass them, and the program behind them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from core.dynamics import Multibody
from core.dynamics.constraints import (
    Constraint,
    JointLimits,
    LoopClosure,
    PlaneLimit,
    Rope,
    Situation,
    constrained_dynamics,
    stabilized_rates,
    stacked,
    velocity_step,
)
from core.dynamics.constraints.least_motion import least_motion
from core.joints import JOINT_TYPES, Fixed
from tests.support.linkages import link
from tests.support.random_trees import random_state, random_tree

Array = np.ndarray
FORMULATIONS = ("recursive", "redmax", "maximal")


def relative(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / np.abs(b).max())


def loop_types() -> list[type]:
    return [kind for kind in JOINT_TYPES if kind is not Fixed]


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


# -- the program -------------------------------------------------------------------------------------------------------


def test_least_motion_meets_rows_of_any_scale_with_many_that_say_the_same() -> None:
    rng = np.random.default_rng(817)
    refused = 0
    for _ in range(300):
        n = int(rng.integers(1, 9))
        equations, bounds = int(rng.integers(0, n)), int(rng.integers(1, 20))
        B = rng.normal(size=(equations + bounds, n)) * 10.0 ** rng.uniform(-3, 3, (equations + bounds, 1))
        if equations > 2:
            B[equations - 1] = B[0] + 2.0 * B[1]
        again = equations + rng.integers(0, bounds, (4, 2))
        B[again[:, 0]] = 1.5 * B[again[:, 1]]
        lengths = np.linalg.norm(B, axis=1)
        equality = np.arange(len(B)) < equations
        # Some bounds pass through a point that meets all rows, others lie near it, and some a very long way off.
        r = B @ rng.normal(size=n)
        r[equations:] -= lengths[equations:] * rng.choice([0.0, 0.0, 1.0, 1e8], bounds) * rng.uniform(size=bounds)
        if rng.random() < 0.2:
            r[equations:] = np.abs(r[equations:])
        y, multipliers, missed = least_motion(B, r, equality)
        scale = 1.0 + np.abs(y).max()
        if (np.abs(missed) / lengths).max() > 1e-9 * scale:
            limits = dict(A_ub=-B[equations:], b_ub=-r[equations:], bounds=(None, None))
            equal = dict(A_eq=B[:equations], b_eq=r[:equations]) if equations else {}
            assert scipy.optimize.linprog(np.zeros(n), **limits, **equal).status == 2  # there is no such y
            refused += 1
            continue
        np.testing.assert_allclose(B.T @ multipliers, y, atol=1e-8 * scale)
        assert multipliers[~equality].min() >= 0.0
        np.testing.assert_allclose((multipliers * (B @ y - r))[~equality], 0.0, atol=1e-8 * scale**2)
    assert 10 < refused < 60
