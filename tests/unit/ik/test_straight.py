"""A straight chain that is pulled inward bends (Welman, figure 4.2)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.formats import bundled_folder
from core.ik import SOLVERS, Goal, nodes_kernel, solve
from core.ik.problem import build, packed_arguments, release
from core.kernels import load
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from tests.support.figures import arm7, hinge, random_figure, random_pose, slide

TIP = (0.0, 1.0 / 3.0, 0.0)
PARTS = (0.35, 0.4, 0.5, 0.6, 2.0 / 3.0, 0.7, 0.8, 0.9, 0.95, 0.99)
ASIDE = (0.0, 1e-6, 1e-2)
every_solver = pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])


def three_links(kind: str = "free", size: float = 1.0) -> Skeleton:
    """Return a chain of three equal links, together 1 m times ``size`` long, straight up at rest."""
    dofs = {
        "free": (hinge("z"),),
        "limits": (hinge("z", -2.6, 2.6),),
        "ball": (hinge("x"), hinge("z"), hinge("y")),
        "ball with limits": (hinge("x", -2, 2), hinge("z", -2, 2), hinge("y", -1, 1)),
        "cone": (hinge("x", -2, 2), hinge("z", -2, 2)),
    }[kind]
    cone = 2.0 if kind == "cone" else None
    link = np.array([0.0, size / 3.0, 0.0])
    return Skeleton(
        kind, [Joint(f"j{i}", i - 1, offset=link if i else np.zeros(3), dofs=dofs, cone=cone) for i in range(3)]
    )


@every_solver
@pytest.mark.parametrize("kind", ["free", "limits", "ball", "ball with limits", "cone"])
def test_goals_on_the_line_and_beside_it_are_reached(solver: str, kind: str) -> None:
    s = three_links(kind)
    for aside in ASIDE:
        for part in PARTS:
            goal = Goal("j2", TIP, (aside, part, 0.0))
            result = solve(s, s.rest_pose(), goal, solver, tolerance=1e-3)
            assert result.converged and result.reason == "reached", (aside, part)
            assert result.iterations <= 20, (aside, part)
            reached = (forward_kinematics(s, result.q)[2] @ [*TIP, 1.0])[:3]
            assert np.linalg.norm(reached - goal.position) <= 1e-3
            assert (result.q[3:] >= s.limits[:, 0]).all() and (result.q[3:] <= s.limits[:, 1]).all()


@pytest.mark.parametrize("solver", ["jacobian_transpose", "pseudoinverse", "damped_least_squares"])
def test_without_help_it_stays_straight_and_says_so(solver: str) -> None:
    s = three_links()
    for part in PARTS:
        result = solve(s, s.rest_pose(), Goal("j2", TIP, (0.0, part, 0.0)), solver, tolerance=1e-3, nudge=False)
        assert not result.converged and result.reason == "straight"
        assert np.abs(result.q).max() < 1e-9


@every_solver
def test_a_bent_chain_moves_as_without_help(solver: str) -> None:
    rng = np.random.default_rng(3)
    s = arm7(limit=2.5)
    for _ in range(20):
        q = s.rest_pose()
        q[3:] = rng.uniform(-1.0, 1.0, s.n_dofs)
        tip = forward_kinematics(s, q)[-1, :3, 3]
        goal = Goal(len(s.joints) - 1, position=tip + 0.05 * rng.normal(size=3))
        helped, alone = (solve(s, q, goal, solver, nudge=nudge) for nudge in (True, False))
        if alone.converged:
            assert helped.q.tobytes() == alone.q.tobytes()


def test_the_bend_grows_with_what_is_missing() -> None:
    s = three_links()
    for missing in (1e-2, 1e-4, 1e-6, 1e-8):
        result = solve(s, s.rest_pose(), Goal("j2", TIP, (0.0, 1.0 - missing, 0.0)), tolerance=1e-10)
        bends = result.q[4:]
        assert result.converged and bends[0] == pytest.approx(bends[1])
        # Three equal links with equal bends t span (1 + 2 cos t) / 3.
        assert (1.0 + 2.0 * math.cos(bends[0])) / 3.0 == pytest.approx(1.0 - missing, abs=1e-12)


@every_solver
def test_pulled_in_and_out_again_it_moves_evenly(solver: str) -> None:
    s = three_links("limits")
    parts = np.concatenate([np.linspace(0.9995, 0.5, 100), np.linspace(0.5, 0.9995, 100)])
    q, largest, last = s.rest_pose(), 0.0, 1.0
    for part in parts:
        result = solve(s, q, Goal("j2", TIP, (0.0, part, 0.0)), solver, tolerance=1e-4)
        assert result.converged
        if max(part, last) < 0.97:  # nearer to straight the bend must change fast: it grows as a square root
            largest = max(largest, float(np.abs(result.q - q).max()))
        q, last = result.q, part
    assert largest < math.radians(8.0)


def test_it_bends_on_to_the_side_to_which_it_is_bent() -> None:
    s = three_links()
    for side in (-1.0, 1.0):
        q = s.rest_pose()
        q[4:] = side * math.radians(1.0)
        tip = (forward_kinematics(s, q)[2] @ [*TIP, 1.0])[:3]
        result = solve(s, q, Goal("j2", TIP, 0.9 * tip))
        assert result.converged and (side * result.q[4:] > math.radians(1.0)).all()


def test_it_bends_to_where_there_is_room() -> None:
    for low, high in ((-2.0, 0.3), (-0.3, 2.0)):
        link = np.array([0.0, 1.0 / 3.0, 0.0])
        free = Joint("j0", -1, dofs=(hinge("z"),))
        others = [Joint(f"j{i}", i - 1, offset=link, dofs=(hinge("z", low, high),)) for i in (1, 2)]
        s = Skeleton("s", [free, *others])
        for part in (0.5, 0.7, 0.9):
            result = solve(s, s.rest_pose(), Goal("j2", TIP, (0.0, part, 0.0)))
            assert result.converged
            assert (np.sign(result.q[4:]) == math.copysign(1.0, low + high)).all()


@every_solver
def test_cones_hold(solver: str) -> None:
    link = np.array([0.0, 1.0 / 3.0, 0.0])
    dofs = (hinge("x", -2, 2), hinge("z", -2, 2))
    joints = [Joint(f"j{i}", i - 1, offset=link if i else np.zeros(3), dofs=dofs, cone=0.5) for i in range(3)]
    s = Skeleton("s", joints)
    for part in (0.5, 0.9, 0.95, 0.98):  # the first two are nearer than the cones let it come
        result = solve(s, s.rest_pose(), Goal("j2", TIP, (0.0, part, 0.0)), solver, tolerance=1e-3)
        assert result.converged == (part > 0.9)
        swings = result.q[3:].reshape(3, 2)
        assert (np.cos(swings).prod(axis=1) >= math.cos(0.5) - 1e-9).all()


@every_solver
def test_a_stiff_joint_bends_less(solver: str) -> None:
    s = three_links()
    joints = [s.joints[0], s.joints[1], replace(s.joints[2], resistance=4.0)]
    stiff = Skeleton("stiff", joints)
    result = solve(stiff, stiff.rest_pose(), Goal("j2", TIP, (0.0, 0.9, 0.0)), solver)
    assert result.converged and abs(result.q[5]) < 0.5 * abs(result.q[4])


@every_solver
@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_iterations_than_allowed(solver: str, most: int) -> None:
    s = three_links("ball with limits")
    result = solve(s, s.rest_pose(), Goal("j2", TIP, (0.01, 0.5, 0.0)), solver, tolerance=1e-9, max_iterations=most)
    assert result.iterations <= most and result.errors.shape == (result.iterations + 1,)


@pytest.mark.parametrize("power", [-10, 10])
@every_solver
def test_the_same_angles_at_other_sizes(solver: str, power: int) -> None:
    scale = 2.0**power
    small, large = three_links("ball with limits"), three_links("ball with limits", scale)
    for part in (0.4, 0.9):
        place = np.array([1e-3, part, 0.0])
        one = solve(small, small.rest_pose(), Goal("j2", TIP, place), solver, tolerance=1e-3)
        other = solve(
            large, large.rest_pose(), Goal("j2", scale * np.array(TIP), scale * place), solver, tolerance=1e-3 * scale
        )
        assert one.q.tobytes() == other.q.tobytes()


def test_slides_and_fixed_joints_are_left_to_the_solver() -> None:
    link = np.array([0.0, 0.5, 0.0])
    rail = Joint("j1", 0, offset=link, dofs=(slide("y", -1, 1),))
    slides = Skeleton("s", [Joint("j0", -1, dofs=(hinge("z"),)), rail])
    result = solve(slides, slides.rest_pose(), Goal("j1", TIP, (0.0, 0.5, 0.0)))
    assert result.converged and result.q[3] == pytest.approx(0.0, abs=1e-9)
    still = Skeleton("s", [Joint("j0", -1, dofs=(hinge("z", 0.0, 0.0),)), Joint("j1", 0, offset=link)])
    assert solve(still, still.rest_pose(), Goal("j1", TIP, (0.0, 0.5, 0.0))).q.tolist() == still.rest_pose().tolist()
    twists = Skeleton("s", [Joint("j0", -1, dofs=(hinge("y"),)), Joint("j1", 0, offset=link, dofs=(hinge("y"),))])
    result = solve(twists, twists.rest_pose(), Goal("j1", TIP, (0.0, 0.5, 0.0)))
    assert not result.converged and np.isfinite(result.q).all()


@pytest.mark.parametrize("seed", range(6))
def test_how_far_a_chain_spans(seed: int) -> None:
    s = random_figure(seed, scaled=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    for joint in range(1, len(s.joints)):
        problem = build(s, random_pose(s, rng), (Goal(joint, (0.1, 0.0, 0.0), rng.normal(size=3)),), None, None)
        spans = [kernels.stretch(*packed_arguments(problem)) for kernels in (nodes_kernel, load(nodes_kernel))]
        np.testing.assert_allclose(*spans, atol=1e-14)
        span, links, _ = spans[0]
        assert 0.0 <= span <= links + 1e-14
        release(problem)


@every_solver
def test_a_stretched_arm_pulled_in_its_plane_turns_no_twist(solver: str) -> None:
    s = load_skeleton(bundled_folder() / "arm7.scr")
    tip = len(s.joints) - 1
    point = end_effector(s, tip)
    start = (forward_kinematics(s, s.rest_pose())[tip] @ [*point, 1.0])[:3]
    twists = [3 + k for k, name in enumerate(s.dof_names) if name.endswith(".y")]
    for part in (0.95, 0.8, 0.6):
        for aside in (0.0, 0.02):
            goal = Goal(tip, point, part * start + [0.0, 0.0, aside])
            result = solve(s, s.rest_pose(), goal, solver)
            assert result.converged
            assert len(twists) == 4 and np.abs(result.q[twists]).max() < 1e-6, (part, aside)
