"""Solvers and locks over joints of every type: goals in reach are met, limits and locks hold, twins agree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.constraints import Lock, bind, solve_locks
from core.constraints.places import rotations
from core.constraints.solve_locks import METHODS
from core.ik import Goal, ccd_kernel, nodes_kernel, solve
from core.ik.problem import build, packed_arguments
from core.ik.solve import SOLVERS
from core.kernels import load
from core.kinematics import forward_kinematics
from core.skeleton import clamp_pose
from tests.support.joint_type_figures import SPLINES, TYPES, arm_figure, random_pose
from tests.support.kernels import MODES

POINT = (0.0, 0.3, 0.0)


def goals_in_reach(s, rng, count, joint, turned, moving=slice(3, None)):
    """Yield poses and goals that another pose near them meets."""
    for _ in range(count):
        q = random_pose(s, rng)
        q[:3] = 0.0
        step = np.zeros(s.nq)
        step[moving] = 0.4 * rng.normal(size=s.nq)[moving]
        near = clamp_pose(s, q + step)
        F = forward_kinematics(s, near)[s.joint_index(joint)]
        yield (
            q,
            Goal(joint, POINT, (F @ [*POINT, 1.0])[:3], rotations(s, near)[s.joint_index(joint)] if turned else None),
        )


# Types that are not splines are hinges and slides like those of every other figure.
CASES = [(name, solver.name) for name in TYPES for solver in SOLVERS if name in SPLINES or solver.name == "ccd"]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name, solver", CASES)
def test_goals_in_reach_are_met(name, solver):
    s, rng = arm_figure(name), np.random.default_rng(3)
    for joint, turned in (("hand", False), ("hand", True)):
        for q, goal in goals_in_reach(s, rng, 3, joint, turned):
            result = solve(s, q, [goal], solver=solver)
            F = forward_kinematics(s, result.q)[s.joint_index(joint)]
            far = np.linalg.norm(F[:3, :3] @ POINT + F[:3, 3] - goal.position)
            assert np.array_equal(clamp_pose(s, result.q), result.q)
            assert far <= 1.001e-4 or not result.converged
            # Few joints meet a whole pose in one place of their space only, and a solver may settle beside it.
            assert result.converged or turned, (result.error, result.reason)


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
@pytest.mark.parametrize("name", SPLINES)
def test_a_part_is_dragged_along_its_spline(name, solver):
    s, rng = arm_figure(name, scale="scale 1 1.5 1", above="hinge y"), np.random.default_rng(4)
    own = slice(4, 4 + len(s.joints[1].dofs))
    for q, goal in goals_in_reach(s, rng, 4, "cart", False, own):
        result = solve(s, q, [goal], solver=solver, base="cart", tolerance=1e-6)
        assert result.converged, (result.error, result.reason)
        assert np.array_equal(np.delete(result.q, own), np.delete(q, own))


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_off_the_curve_the_nearest_place_is_kept(solver):
    s = arm_figure("spline curve", hand=False)
    curve, X = s.joints[1].type, np.eye(4)
    X[:3, :3], X[:3, 3] = s.joints[1].rotation, s.joints[1].offset
    target = X @ curve.transform([1.3]) @ [0.0, 0.0, 0.0, 1.0] + [0.0, 2.0, 0.0, 0.0]
    result = solve(s, s.rest_pose(), [Goal("cart", position=target[:3])], solver=solver)
    places = np.array([(X @ curve.transform([t]))[:3, 3] for t in np.linspace(0.0, 5.0, 2001)])
    least = np.linalg.norm(places - target[:3], axis=1).min()
    found = np.linalg.norm(forward_kinematics(s, result.q)[1, :3, 3] - target[:3])
    assert not result.converged and found < least + 1e-3
    assert result.reason == "out_of_reach" and result.short > 0.5


def test_a_sweep_never_makes_it_worse():
    rng = np.random.default_rng(7)
    for name in SPLINES:
        s = arm_figure(name)
        for q, goal in goals_in_reach(s, rng, 6, "hand", True):
            trace = solve(s, q, [goal], solver="ccd", tolerance=1e-9, max_iterations=20).errors
            assert len(trace) > 1 and all(b <= a * (1 + 1e-9) for a, b in pairwise(trace))


@pytest.mark.parametrize("name", SPLINES)
def test_compiled_and_uncompiled_agree(name):
    rng = np.random.default_rng(8)
    for options in ({}, {"scale": "scale 1 2 0.5", "above": "hinge y"}):
        s = arm_figure(name, **options)
        for q, goal in goals_in_reach(s, rng, 2, "hand", True):
            found = {}
            for mode in MODES:
                problem = build(s, q, (goal,), None, None)
                kernels, ccd = nodes_kernel, ccd_kernel
                if mode == "compiled":
                    kernels, ccd = load(nodes_kernel), load(ccd_kernel)
                kernels.frames(problem.nodes, problem.aims, problem.x, problem.work)
                merit = kernels.errors(problem.aims, problem.work)
                kernels.columns(problem.nodes, problem.aims, problem.work)
                J = problem.work.J.copy()
                ccd.run(*packed_arguments(problem), 0.0, 1)
                found[mode] = (*merit, J, problem.x.copy(), problem.work.P.copy(), problem.work.O.copy())
            for a, b in zip(*found.values(), strict=True):
                assert np.allclose(a, b, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*SPLINES, "composite", "free", "spherical"])
def test_locks_hold(name, method):
    s, rng = arm_figure(name), np.random.default_rng(9)
    # Descent by single joints closes in on a lock slowly, whatever the joints are.
    slow = method == "ccd"
    for kind in ("position",) if slow else ("position", "pose", "aim"):
        q = random_pose(s, rng)
        lock = bind(Lock("hand", kind, POINT, other=("rail", (0, 0, 0)) if kind == "aim" else None), s, q)
        start = clamp_pose(s, q + 0.15 * rng.normal(size=s.nq))
        result = solve_locks(s, start, [lock], method=method, tolerance=1e-3 if slow else 1e-9)
        assert result.held, (kind, result.residuals)
        assert np.array_equal(clamp_pose(s, result.q), result.q)
