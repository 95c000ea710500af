"""What checks and packing add to a kernel's time where people call it: ``solve``, ``forward_dynamics``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.kernels import load_all, serving
from tests.benchmarks.timing import each

ROOT = Path(__file__).resolve().parents[2]
ROUNDS, CALLS = 40, 60
SOLVE, ARM, FORWARD = 120.0, 15.0, 1.5


def _locked() -> tuple[list[Callable[[], Any]], list[Callable[[], Any]]]:
    """Return tasks: a hand dragged with both feet locked by ``solve``, and the kernel alone on the same problems."""
    from core.constraints import Lock, LockSolver, bind
    from core.constraints.hold.packed import DRAG
    from core.constraints.solve_locks import MOST, MOST_DRAG
    from core.ik import Goal, solve
    from core.kinematics import forward_kinematics
    from core.skeleton import load_skeleton

    s = load_skeleton(ROOT / "skeletons" / "human.scr")
    q = s.rest_pose()
    locks = [bind(Lock(foot, "position"), s, q) for foot in ("left foot", "right foot")]
    place = forward_kinematics(s, q)[s.joint_index("right hand"), :3, 3]
    rng = np.random.default_rng(2)
    goals = [Goal("right hand", position=place + np.array([0.05, 0.05, 0.1]) * rng.random(3)) for _ in range(CALLS)]
    solver = LockSolver(s, locks, goals=goals[:1], q=q)
    problem = solver._problem(q, True)
    hold, out = serving("core.constraints.hold.solver_kernel").hold, np.empty(s.nq + 8 * len(locks) + 3)

    def kernel(goal: Goal) -> None:
        problem.hold.target[problem.goals[0][1]] = goal.position / problem.size
        hold(problem.hold, q, q[:0], out, 1e-9 / problem.size, MOST, MOST_DRAG, DRAG)

    return (
        [lambda goal=goal: solve(s, q, goal, locks=locks) for goal in goals],
        [lambda goal=goal: kernel(goal) for goal in goals],
    )


def _arm() -> tuple[list[Callable[[], Any]], list[Callable[[], Any]]]:
    """Return tasks: goals of the arm of seven axes by ``solve``, and the kernel alone on the same problems."""
    from core.ik import Goal, find_solver, solve
    from tests.benchmarks.bench_ik import DEFAULT, TOLERANCES, arm_goals, arm_start, end_effector, free_arm, prepared

    arm = free_arm()
    joint, start, tolerance = len(arm.joints) - 1, arm_start(arm), TOLERANCES[0]
    point = end_effector(arm, joint)
    goals = [Goal(joint, point, place) for place in arm_goals(arm, joint, point)["random"][:CALLS]]
    solver = find_solver(DEFAULT)
    return (
        [lambda goal=goal: solve(arm, start, goal, tolerance=tolerance) for goal in goals],
        [prepared(solver, arm, start, goal, tolerance) for goal in goals],
    )


def _chain(n: int) -> tuple[list[Callable[[], Any]], list[Callable[[], Any]]]:
    """Return tasks: forward dynamics of a chain of hinges, and its kernel alone."""
    from core.dynamics import Multibody
    from core.dynamics.body import Body
    from core.joints import Revolute
    from core.spatial import SpatialInertia

    bodies = []
    for i in range(n):
        X = np.eye(4)
        X[1, 3] = -0.3 if i else 0.0
        inertia = SpatialInertia(1.0, (0.0, -0.15, 0.0), np.diag([0.02, 0.01, 0.02]))
        bodies.append(Body(f"link {i}", i - 1, Revolute(tuple(np.eye(3)[i % 3])), X, np.eye(4), inertia))
    m = Multibody(bodies)
    states = np.random.default_rng(3).normal(size=(CALLS, 3, n))
    m.forward_dynamics(*states[0])
    forward, calm, out = serving("core.dynamics.recursive_kernel").forward, np.zeros((n, 6)), np.empty(n)
    return (
        [lambda x=x, v=v, tau=tau: m.forward_dynamics(x, v, tau) for x, v, tau in states],
        [lambda x=x, v=v, tau=tau: forward(m.packed.memory, x, v, tau, calm, out) for x, v, tau in states],
    )


def run(report: Callable[..., None]) -> None:
    """Report both, by turns with what their kernels take."""
    load_all()
    for what, tasks, goal in (
        ("solve, a hand dragged with both feet locked", _locked(), f"{SOLVE:g} us"),
        ("solve, the arm of seven axes", _arm(), f"{ARM:g} us more"),
        ("forward dynamics of a chain of 20 hinges", _chain(20), f"{FORWARD:g} times"),
    ):
        whole, kernel = (1e6 * float(np.median(times)) for times in each(tasks, ROUNDS))
        note = (
            f"the kernel alone {kernel:.2f} us; {whole - kernel:.1f} us more, ratio {whole / kernel:.2f}; goal {goal}"
        )
        report(what, whole, "us", note)
