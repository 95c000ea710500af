"""Solvers that are used again give the bits of new ones, and are known by what they say, not by who says it."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.constraints import Lock, bind, kept_solvers, solve_locks
from core.errors import GoalError, LockError
from core.ik import Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton

RNG = np.random.default_rng(19)


@pytest.fixture(scope="module")
def man(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def fresh(s: Skeleton, *args: Any, **words: Any) -> Any:
    """Solve with nothing kept from before."""
    kept_solvers._kept.pop(s, None)
    return solve_locks(s, *args, **words)


def posed(s: Skeleton, size: float) -> np.ndarray:
    q = s.rest_pose() + size * RNG.normal(size=s.nq)
    q[:3] = s.rest_pose()[:3] + 0.1 * size * RNG.normal(size=3)
    q[3:] = np.clip(q[3:], *s.limits.T)
    return q


def same(one: Any, other: Any) -> None:
    assert one.q.tobytes() == other.q.tobytes()
    for name in ("residuals", "position_residuals", "angle_residuals", "errors"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert (one.held, one.iterations, one.blocked, one.goal_error) == (
        other.held, other.iterations, other.blocked, other.goal_error,
    )  # fmt: skip


CASES: list[tuple[tuple[tuple[str, str, dict[str, Any]], ...], str | None, dict[str, Any]]] = [
    ((("left foot", "position", {}), ("right foot", "position", {})), "right hand", {}),
    ((("left foot", "pose", {}), ("right foot", "pose", {})), "pelvis", {}),
    ((("left hand", "orientation", {}), ("left foot", "pose", {"weight": 0.4})), "left hand", {"comfort": 0.3}),
    ((("right hand", "point_pair", {"other": ("left hand", (0, 0, 0))}),), None, {"fixed": (0, 1, 2)}),
    ((("right hand", "distance", {"other": ("head", (0, 0, 0))}),), "left foot", {"root_weight": 0.3}),
    ((("left foot", "plane", {}), ("head", "aim", {"other": ("right hand", (0, 0, 0))})), None, {}),
    ((("left foot", "pose", {}), ("right foot", "pose", {}), ("pelvis", "balance", {})), "right hand", {}),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_one_that_is_used_again_gives_the_bits_of_a_new_one(man: Skeleton, case: int) -> None:
    described, part, words = CASES[case]
    base = posed(man, 0.05)
    locks = [bind(Lock(joint, kind, **more), man, base) for joint, kind, more in described]
    used_again = 0
    for k in range(12):
        q = posed(man, 0.02 if k % 3 else 0.3)
        goals = ()
        if part is not None:
            # Near, and far out of reach; the solver keeps nothing of what it could not do.
            place = forward_kinematics(man, q)[man.joint_index(part), :3, 3]
            place = place + RNG.normal(size=3) * (0.05, 2.0)[k % 4 == 3]
            goals = (Goal(part, position=place, rotation=None if k % 5 else np.eye(3)),)
        kept = kept_solvers._kept.get(man, {})
        before = len(kept)
        again = solve_locks(man, q, locks, goals=goals, **words)
        used_again += 0 < before == len(kept_solvers._kept.get(man, {}))
        store = kept_solvers._kept.pop(man, {})
        same(again, solve_locks(man, q, locks, goals=goals, **words))
        kept_solvers._kept[man] = store
        assert again.locks == tuple(locks) and all(a is b for a, b in zip(again.locks, locks, strict=True))
    assert used_again >= 8 or any(kind == "balance" for _, kind, _ in described)


def test_locks_that_change_are_other_locks(man: Skeleton) -> None:
    q = man.rest_pose()
    place = forward_kinematics(man, q)[man.joint_index("left foot"), :3, 3].copy()
    moved = np.array(place)
    found = []
    for k in range(3):
        moved[1] = place[1] + 0.05 * k  # the caller's own array, changed between calls
        found.append(solve_locks(man, q, [Lock("left foot", "position", target=moved)]))
        expected = place[1] + 0.05 * k
        X = forward_kinematics(man, found[-1].q)[man.joint_index("left foot")]
        assert found[-1].held and abs(X[1, 3] - expected) < 1e-6
    goal = place + np.array([0.0, 0.02, 0.0])
    wanted = Goal("left foot", position=goal)
    goal += 1.0  # the goal has a copy
    same(solve_locks(man, q, [], goals=wanted), fresh(man, q, [], goals=wanted))


def test_a_result_stays_as_it_is_when_its_solver_goes_on(man: Skeleton) -> None:
    q = man.rest_pose()
    lock = bind(Lock("left foot", "position"), man, q)
    place = forward_kinematics(man, q)[man.joint_index("right hand"), :3, 3]
    first = solve_locks(man, q, [lock], goals=Goal("right hand", position=place + np.array([0.1, 0.1, 0.0])))
    copies = first.q.copy(), first.errors.copy(), first.residuals.copy()
    solve_locks(man, q, [lock], goals=Goal("right hand", position=place - np.array([0.1, 0.1, 0.0])))
    for kept, copy in zip((first.q, first.errors, first.residuals), copies, strict=True):
        assert kept.tobytes() == copy.tobytes()


def test_wrong_arguments_are_refused_the_second_time_too(man: Skeleton) -> None:
    q = man.rest_pose()
    lock = bind(Lock("left foot", "position"), man, q)
    solve_locks(man, q, [lock], max_iterations=1)
    with pytest.raises(GoalError, match="max_iterations is True"):
        solve_locks(man, q, [lock], max_iterations=True)
    with pytest.raises(LockError):
        solve_locks(man, q, [lock, 3])  # type: ignore[list-item]
    with pytest.raises(Exception, match="shape"):
        solve_locks(man, q[:-1], [lock], max_iterations=1)
    assert solve_locks(man, q, [lock], max_iterations=1).held


def test_threads_never_share_one(man: Skeleton) -> None:
    q = man.rest_pose()
    locks = [bind(Lock(foot, "pose"), man, q) for foot in ("left foot", "right foot")]
    place = forward_kinematics(man, q)[man.joint_index("pelvis"), :3, 3]
    goals = [Goal("pelvis", position=place + RNG.normal(size=3) * 0.05) for _ in range(40)]
    expected = [fresh(man, q, locks, goals=goal).q.tobytes() for goal in goals]
    wrong: list[int] = []

    def work() -> None:
        for k, goal in enumerate(goals * 3):
            if solve_locks(man, q, locks, goals=goal).q.tobytes() != expected[k % len(goals)]:
                wrong.append(k)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_figure_is_let_go(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "stickman.scr")
    q = s.rest_pose()
    lock = bind(Lock(0, "position"), s, q)
    solve_locks(s, q, [lock])
    assert kept_solvers._kept[s]
    gone = weakref.ref(s)
    del s
    gc.collect()
    assert gone() is None


def test_inverse_kinematics_with_locks_says_the_same_twice(man: Skeleton) -> None:
    q = man.rest_pose()
    locks = [bind(Lock(foot, "position"), man, q) for foot in ("left foot", "right foot")]
    place = forward_kinematics(man, q)[man.joint_index("right hand"), :3, 3]
    for solver in ("damped_least_squares", "ccd"):
        kept_solvers._kept.pop(man, None)
        results = [
            solve(man, q, Goal("right hand", position=place + np.array([0.05, 0.1, 0.1])), solver, locks=locks)
            for _ in range(3)
        ]
        assert len({result.q.tobytes() for result in results}) == 1
