"""What holds for every entry of ``core.ik.SOLVERS``; a new solver is tested by being in the tuple."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from core.ik import SOLVERS, Goal, Solver, find_solver, solve
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from core.skeleton.tree import pack
from tests.support.figures import chain, hinge, random_figure, random_pose, slide
from tests.support.kernels import MODES, kernels_in_use

every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def inside(s: Skeleton, q: np.ndarray) -> bool:
    return bool((q[3:] >= s.limits[:, 0]).all() and (q[3:] <= s.limits[:, 1]).all())


def test_names_differ_and_lead_to_the_solver() -> None:
    names = [solver.name for solver in SOLVERS]
    assert len(set(names)) == len(names) >= 3
    for solver in SOLVERS:
        assert isinstance(solver, Solver) and find_solver(solver.name) is solver
        assert solver.name.isidentifier() and solver.label and solver.description.endswith(".")
        assert solver.max_iterations > 0


@every_solver
def test_a_hand_is_dragged_where_it_can_go(solver: Solver, human: Skeleton) -> None:
    rng = np.random.default_rng(1)
    hand = human.joint_index("left hand")
    point = end_effector(human, hand)
    for _ in range(10):
        # Half-way of what the joints allow: no goal lies where only limits meet.
        wanted = human.rest_pose()
        lo, hi = np.clip(human.limits, -math.pi, math.pi).T
        wanted[3:] = 0.5 * (lo + hi) + 0.25 * (hi - lo) * rng.uniform(-1, 1, human.n_dofs)
        target = (forward_kinematics(human, wanted)[hand] @ [*point, 1.0])[:3]
        q = human.rest_pose()
        result = solve(human, q, Goal(hand, point, target), solver.name)
        reached = (forward_kinematics(human, result.q)[hand] @ [*point, 1.0])[:3]
        assert result.converged and result.error == pytest.approx(np.linalg.norm(reached - target), abs=1e-12)
        assert inside(human, result.q) and result.q[:3].tolist() == q[:3].tolist()


@every_solver
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_error_never_rises(solver: Solver, seed: int, scaled: bool) -> None:
    s = random_figure(seed, scaled=scaled)
    rng = np.random.default_rng(seed)
    q = random_pose(s, rng)
    goals = [Goal(len(s.joints) - 1, rng.normal(size=3) * 0.1, rng.normal(size=3), weight=0.4)]
    goals += [Goal("j5", position=rng.normal(size=3)), Goal("j8", position=rng.normal(size=3))]
    errors = [solve(s, q, goals, solver.name, max_iterations=n).error for n in (0, 1, 2, 4, 8, 16)]
    assert all(later <= before + 1e-12 for before, later in pairwise(errors))


@pytest.mark.sampled(2)
@every_solver
@pytest.mark.parametrize("nudge", [True, False])
@pytest.mark.parametrize("kernels", MODES)
def test_every_iteration_is_on_record(solver: Solver, human: Skeleton, kernels: str, nudge: bool) -> None:
    with kernels_in_use(kernels):
        # Met at once, met, bent from straight, out of reach: also the errors of a second attempt are the least so far.
        for target in ((-0.224, 0.857, -0.014), (-0.3, 1.3, 0.4), (-0.224, 1.1, -0.014), (-0.2, 3.0, 0.1)):
            goal = Goal("right hand", position=target)
            for most in (0, 5, 60):
                result = solve(human, human.rest_pose(), goal, solver.name, max_iterations=most, nudge=nudge)
                assert result.errors.shape == (result.iterations + 1,) and (np.diff(result.errors) <= 0.0).all()
                here = forward_kinematics(human, human.rest_pose())[human.joint_index("right hand"), :3, 3]
                assert result.errors[0] == pytest.approx(np.linalg.norm(here - target), abs=1e-12)
                assert result.errors[-1] <= result.error <= 1.02 * result.errors[-1] + 1e-12


@every_solver
@pytest.mark.parametrize("kernels", MODES)
def test_the_same_input_gives_the_same_bits(solver: Solver, human: Skeleton, kernels: str) -> None:
    goals = [Goal("left hand", position=(0.5, 1.2, 0.4)), Goal("right hand", position=(-0.4, 0.9, 0.5), weight=0.5)]
    with kernels_in_use(kernels):
        runs = [solve(human, human.rest_pose(), goals, solver.name, max_iterations=15).q.tobytes() for _ in range(3)]
    assert len(set(runs)) == 1


AWAY = ((0, 0, 0), (1e-12, 0, 0), (0.1, -0.2, 0.05), (0, -0.6, 0), (0, 5, 0), (1e7, 0, 0))
FIGURES = {
    "one joint without freedom": Skeleton("s", [Joint("a", -1)]),
    "one joint": Skeleton("s", [Joint("a", -1, dofs=(hinge("z", -1, 1), hinge("x")))]),
    "slides only": Skeleton(
        "s", [Joint("a", -1, dofs=(slide("x", -1, 1),)), Joint("b", 0, dofs=(slide("y"), slide("z", 0, 0)))]
    ),
    "root with scale": Skeleton(
        "s",
        [
            Joint("a", -1, dofs=(hinge("z"), hinge("x")), scale=np.array([2.0, 1.0, 0.5])),
            Joint("b", 0, offset=np.array([0.0, 1.0, 0.0]), dofs=(hinge("x", -2, 2),)),
        ],
    ),
    "more than a turn": Skeleton(
        "s",
        [
            Joint("a", -1, dofs=(hinge("y", -20, 20),)),
            Joint("b", 0, offset=np.array([0.5, 0, 0]), dofs=(hinge("z", 7, 9),)),
        ],
    ),
    "far from everything": Skeleton(
        "s", [Joint("a", -1, offset=np.full(3, 1e6), dofs=(hinge("y"),)), Joint("b", 0, offset=np.array([1e-3, 0, 0]))]
    ),
    "stretched": chain(4),
}


@pytest.mark.sampled(8)
@every_solver
@pytest.mark.parametrize("kernels", MODES)
@pytest.mark.parametrize("base", [None, "world"])
@pytest.mark.parametrize("name", FIGURES)
def test_odd_figures(solver: Solver, name: str, base: str | None, kernels: str, request: pytest.FixtureRequest) -> None:
    s = FIGURES[name]
    tip = len(s.joints) - 1
    at = forward_kinematics(s, s.rest_pose())[tip, :3, 3]
    size = pack(s).size or 1.0
    plain = 30 if request.config.getoption("--verify") else 8  # plain kernels are slow
    most = plain if kernels == "uncompiled" else None
    with kernels_in_use(kernels):
        for away in AWAY:
            for turned in (None, np.eye(3), np.diag([-1.0, 1.0, -1.0])):
                goal = Goal(tip, (0, 0, 0), at + np.array(away), turned)
                with np.errstate(all="raise", under="ignore"):
                    result = solve(s, s.rest_pose(), goal, solver.name, base, max_iterations=most)
                assert np.isfinite(result.q).all() and inside(s, result.q) and math.isfinite(result.error)
                start = solve(s, s.rest_pose(), goal, solver.name, base, max_iterations=0)
                assert result.error <= start.error * (1 + 1e-12)
                if most is None and base == "world" and turned is None and np.abs(away).max() < 10.0 * size:
                    assert result.converged
